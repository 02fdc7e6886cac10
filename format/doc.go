// Package format reads and writes blkcrypt files: a header that says how the file
// is encrypted and holds its key, sealed under passphrases and key files, then
// the plaintext in chunks that are authenticated one by one.
//
//	magic  version  suite  chunk size  file salt  │ records … │ checksum │ MAC
//	──────────────────────── 48 bytes ────────────┴── slots ──┴──────────┴─────
//	chunk 0 │ tag ║ chunk 1 │ tag ║ … ║ last chunk │ tag
//
// The format is described in blkcrypt(5), well enough for a second
// implementation. In short: every file has a random key of its own, which each
// key slot seals; the header is under a MAC with that key, which commits to it;
// a chunk's nonce has its number and whether it is the last, so that nothing can
// be cut, moved, doubled, joined or appended unseen; and no byte is given out
// before its chunk is proven.
//
// [NewWriter] and [NewReader] work on streams, [EncryptFile] and [DecryptFile]
// on whole files with all cores, [NewReaderAt] on ranges, [NewEditor] on the key
// slots of a file, [ReadInfo] without a key. All take their keys from a
// [Keyring].
//
// Keys and plaintext are wiped when they are done with. Go may leave copies in
// memory that can't be reached: values that were spilled to a stack, the tables
// inside its own SHA-256, HMAC and scrypt.
package format
