#!/usr/bin/env python3
"""A second reader of blkcrypt files, written from the format's description alone.

It opens files of AES in the modes GCM, OCB and CCM, with passphrases and key
files, to check that the description is complete and the first reader true to it.
It reads whole files into memory and decrypts nothing that is not proven.

    reader.py [--digest] [--passphrase-file F]... [--key-file F]... FILE...

The plaintext goes to standard output. With --digest, a line is printed for each
file instead: "ok LENGTH SHA-256", or "error" and the class of the failure.
"""

import argparse
import base64
import hashlib
import hmac
import sys
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESOCB3

MAGIC = b"\x89BLK\r\n\x1a\n"
TAG = 16
MODES = {1: AESGCM, 2: AESOCB3, 4: AESCCM}
MAX_WORK = 1 << 21


class Refused(Exception):
    """The file can't be read; the text is the class of the failure."""


def number(b):
    return int.from_bytes(b, "big")


def extract(salt, secret):
    return hmac.new(salt, secret, hashlib.sha256).digest()


def expand(prk, info, length):
    out, block, i = b"", b"", 1
    while len(out) < length:
        block = hmac.new(prk, block + info + bytes([i]), hashlib.sha256).digest()
        out, i = out + block, i + 1
    return out[:length]


def unseal(aead, key, nonce, sealed):
    """The plaintext, or None where it is not authentic."""
    try:
        return aead(key).decrypt(nonce, sealed, None)
    except InvalidTag:
        return None


class Passphrase:
    def __init__(self, data):
        if data.endswith(b"\r\n"):
            data = data[:-2]
        elif data.endswith(b"\n"):
            data = data[:-1]
        if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
            raise Refused("byte-order mark")
        if not 0 < len(data) <= 4096 or b"\n" in data or b"\0" in data:
            raise Refused("passphrase")
        try:
            data = unicodedata.normalize("NFC", data.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:
            pass
        self.data, self.type, self.roots = data, 1, {}

    def root(self, body):
        log_n, r, p, salt = body[0], body[1], body[2], body[3:19]
        if (log_n, salt) not in self.roots:
            self.roots[log_n, salt] = hashlib.scrypt(
                self.data, salt=b"blkcrypt/v1/scrypt" + salt, n=1 << log_n, r=r, p=p,
                maxmem=(1 << log_n + 10) + (1 << 20), dklen=32)
        return self.roots[log_n, salt]


class KeyFile:
    PREFIX = b"blkcrypt-key-1:"

    def __init__(self, data):
        if data.startswith(self.PREFIX):
            text = data[len(self.PREFIX):]
            text = text[:-2] if text.endswith(b"\r\n") else text[:-1] if text.endswith(b"\n") else text
            if len(text) != 48:
                raise Refused("key file")
            raw = base64.b64decode(text, altchars=b"-_", validate=True)
            if hashlib.sha256(raw[:32]).digest()[:4] != raw[32:]:
                raise Refused("key file")
            data = raw[:32]
        elif len(data) != 32 or all(0x20 <= c <= 0x7E or 9 <= c <= 13 for c in data):
            raise Refused("key file")
        self.key, self.type = data, 2

    def root(self, body):
        return self.key


class Header:
    """The header that a file begins with, proven by one of the secrets."""

    def __init__(self, data, secrets):
        if not data.startswith(MAGIC):
            raise Refused("not-blkcrypt")
        if len(data) < 48:
            raise Refused("truncated")
        version, cipher, self.key_size, mode, hash_, self.chunk_log = data[8:14]
        if version != 1 or cipher != 1 or self.key_size not in (16, 24, 32) or mode not in MODES or hash_ != 1:
            raise Refused("unsupported")
        self.size = number(data[14:16])
        if not 12 <= self.chunk_log <= 23 or not 187 <= self.size <= 32768:
            raise Refused("malformed")
        if len(data) < self.size:
            raise Refused("truncated")
        raw = data[:self.size]
        if hashlib.sha256(raw[:-40]).digest()[:8] != raw[-40:-32]:
            raise Refused("checksum")
        self.aead, self.bound, self.salt = MODES[mode], raw[8:14], raw[16:48]

        slots = self.slots(raw[48:-40])
        self.afford(slots, secrets)
        file_key = self.unlock(slots, secrets)
        self.prk = extract(self.salt, file_key)
        header_key = expand(self.prk, b"blkcrypt/v1/header", 32)
        mac = hmac.new(header_key, raw[:-32], hashlib.sha256).digest()
        if not hmac.compare_digest(mac, raw[-32:]):
            raise Refused("tampered")

    @staticmethod
    def slots(b):
        found = []
        while b:
            if len(b) < 3 or len(b) < 3 + number(b[1:3]):
                raise Refused("malformed")
            kind, record, b = b[0], b[:3 + number(b[1:3])], b[3 + number(b[1:3]):]
            body = record[3:]
            if (kind == 255 or kind == 0 and any(body) or kind == 2 and len(body) != 96 or
                    kind == 1 and (len(body) != 115 or not 10 <= body[0] <= 22 or body[1:3] != b"\x08\x01")):
                raise Refused("malformed")
            if kind >= 128:
                raise Refused("unsupported")
            if 1 <= kind <= 63:
                found.append(record)
        if not 1 <= len(found) <= 16:
            raise Refused("malformed")
        if all(r[0] > 2 for r in found):
            raise Refused("unknown-key-kind")
        return found

    @staticmethod
    def afford(slots, secrets):
        runs = {(id(s), r[3], r[6:22]) for r in slots for s in secrets if r[0] == s.type == 1}
        if sum(1 << run[1] for run in runs) > MAX_WORK or any(run[1] > 20 for run in runs):
            raise Refused("cost")

    def unlock(self, slots, secrets):
        tried = False
        for record in slots:
            for secret in secrets:
                if secret.type != record[0]:
                    continue
                tried = True
                context = self.bound + record[:-80]
                p = extract(self.salt, secret.root(record[3:]))
                check = expand(p, b"blkcrypt/v1/check" + context, 32)
                if not hmac.compare_digest(check, record[-80:-48]):
                    continue
                wrap = expand(p, b"blkcrypt/v1/wrap" + context, self.key_size)
                file_key = unseal(self.aead, wrap, bytes(12), record[-48:])
                if file_key is None:
                    raise Refused("tampered")
                return file_key
        raise Refused("wrong-key" if tried else "no-key")

    def chunk(self, i, sealed, last):
        epoch = (i << self.chunk_log) >> 40
        k = expand(self.prk, b"blkcrypt/v1/payload" + self.bound + epoch.to_bytes(8, "big"), self.key_size + 12)
        counter = (i << 8 | last).to_bytes(12, "big")
        nonce = bytes(a ^ b for a, b in zip(k[self.key_size:], counter))
        return unseal(self.aead, k[:self.key_size], nonce, sealed)


def decrypt(data, secrets):
    h = Header(data, secrets)
    payload, piece = data[h.size:], (1 << h.chunk_log) + TAG
    pieces = [payload[at:at + piece] for at in range(0, len(payload), piece)] or [b""]
    cut = len(pieces[-1]) < TAG or len(pieces[-1]) == TAG and len(pieces) > 1
    if cut:
        pieces.pop()
    plain = []
    for i, sealed in enumerate(pieces):
        last = not cut and i == len(pieces) - 1
        text = h.chunk(i, sealed, last)
        if text is None:
            other = len(sealed) == piece and h.chunk(i, sealed, not last) is not None
            raise Refused("damaged" if not other else "truncated" if last else "trailing")
        plain.append(text)
    if cut:
        raise Refused("truncated")
    return b"".join(plain)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--digest", action="store_true")
    args.add_argument("--passphrase-file", action="append", default=[])
    args.add_argument("--key-file", action="append", default=[])
    args.add_argument("file", nargs="+")
    args = args.parse_args()
    secrets = [Passphrase(open(f, "rb").read()) for f in args.passphrase_file]
    secrets += [KeyFile(open(f, "rb").read()) for f in args.key_file]
    failed = False
    for name in args.file:
        try:
            plain = decrypt(open(name, "rb").read(), secrets)
            if args.digest:
                print("ok", len(plain), hashlib.sha256(plain).hexdigest())
            else:
                sys.stdout.buffer.write(plain)
        except Refused as why:
            failed = True
            print("error", why, file=sys.stdout if args.digest else sys.stderr)
    sys.exit(failed and not args.digest)


if __name__ == "__main__":
    main()
