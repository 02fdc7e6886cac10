package cryptotest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
)

// fields are the lines "name = value" of one vector, names in lower case.
type fields map[string]string

// first returns the value of the first of these names that is there.
func (f fields) first(names ...string) string {
	for _, n := range names {
		if s, ok := f[n]; ok {
			return s
		}
	}
	return ""
}

func (f fields) int(name string) int {
	n, err := strconv.Atoi(f[name])
	if err != nil {
		panic(fmt.Sprintf("cryptotest: %s = %q", name, f[name]))
	}
	return n
}

// setting splits "name = value".
func setting(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, "=")
	return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value), ok
}

// pyca reads a file of the collection of pyca/cryptography: NIST's response
// files, others brought into their form, and NTT's for Camellia.
func (l *loader) pyca(name string, data []byte) {
	part := strings.Split(strings.ToLower(name), "/") // pyca, cipher, mode or file
	cipher, mode := part[1], strings.TrimSuffix(part[2], "3")
	source := "pyca/NIST"
	switch {
	case mode == "ctr":
		source = "pyca/RFC3686"
	case mode == "ocb":
		source = "pyca/OCB3"
	case cipher != "aes":
		base := strings.TrimSuffix(path.Base(name), ".txt")
		mode = base[len(base)-3:]
		source = map[string]string{"camellia": "pyca/OpenSSL", "sm4": "pyca/draft-ribose"}[cipher]
	}
	switch {
	case !l.wants(mode):
		return
	case cipher == "camellia" && mode == "ecb":
		l.ntt(name, data)
		return
	}

	header := fields{} // holds until the next section
	var record fields
	flush := func() {
		if record != nil {
			if v := l.pycaVector(mode, record); v != nil {
				v.ID, v.Source, v.Cipher, v.Mode = record["id"], source, cipher, mode
				l.add(v)
			}
		}
		record = nil
	}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		key, value, isSetting := setting(line)
		switch {
		case strings.HasPrefix(line, "["):
			flush()
			for _, s := range strings.Split(strings.Trim(line, "[]"), ",") {
				if k, v, ok := setting(s); ok {
					header[k] = v
				}
			}
		case key == "count":
			flush()
			record = maps.Clone(header)
			record["id"] = fmt.Sprintf("%s:%d", name, i+1)
		case record != nil && line == "FAIL":
			record["result"] = line
		case isSetting && record == nil:
			header[key] = value
		case isSetting:
			record[key] = value
		}
	}
	flush()
}

// pycaVector makes a vector of a record, nil where it is of no use here.
func (l *loader) pycaVector(mode string, f fields) *Vector {
	get := func(names ...string) []byte { return l.hex(f["id"], f.first(names...)) }
	v := &Vector{
		Key: get("key"), Nonce: get("iv", "nonce", "i"), AD: get("aad", "adata"),
		Plain: get("plaintext", "pt", "payload"), Text: get("ciphertext", "ct"),
		Valid: !strings.EqualFold(f["result"], "fail"),
	}
	tagSize := 0
	switch mode {
	case "gcm":
		v.Tag = get("tag")
	case "ocb":
		tagSize = 16
	case "ccm":
		tagSize = f.int("tlen")
		// What is empty is written as one zero byte.
		v.AD = v.AD[:f.int("alen")]
		v.Plain = v.Plain[:min(len(v.Plain), f.int("plen"))]
	case "xts":
		if f.int("dataunitlen")%8 != 0 {
			return nil
		}
		if _, ok := f["dataunitseqnumber"]; ok {
			v.Nonce = make([]byte, 16)
			binary.LittleEndian.PutUint64(v.Nonce, uint64(f.int("dataunitseqnumber")))
		}
	}
	if tagSize > 0 {
		n := len(v.Text) - tagSize
		v.Text, v.Tag = v.Text[:n:n], v.Text[n:]
	}
	return v
}

// ntt reads lines such as "K No.001 : 00 01 …", with K, P and C for key,
// plaintext and ciphertext.
func (l *loader) ntt(name string, data []byte) {
	var key, plain []byte
	for i, line := range strings.Split(string(data), "\n") {
		head, value, ok := strings.Cut(line, ":")
		if !ok || !strings.Contains(head, " No.") {
			continue
		}
		id := fmt.Sprintf("%s:%d", name, i+1)
		b := l.hex(id, strings.ReplaceAll(strings.TrimSpace(value), " ", ""))
		switch head[0] {
		case 'K':
			key = b
		case 'P':
			plain = b
		case 'C':
			l.add(&Vector{ID: id, Source: "pyca/NTT", Cipher: "camellia", Mode: "ecb", Key: key, Plain: plain, Text: b, Valid: true})
		}
	}
}

// openssl reads a file of OpenSSL's evp_test.
func (l *loader) openssl(name string, data []byte) {
	if strings.HasPrefix(path.Base(name), "LICENSE") {
		return
	}
	record := fields{}
	flush := func() {
		// A key that must be refused for itself tells nothing of a mode.
		if record["cipher"] != "" && record["result"] != "KEY_SET_ERROR" {
			l.add(l.opensslVector(record))
		}
		record = fields{}
	}
	for i, line := range strings.Split(string(data), "\n") {
		key, value, ok := setting(line)
		switch {
		case strings.TrimSpace(line) == "":
			flush()
		case ok && !strings.HasPrefix(line, "#"):
			record[key] = value
			if key == "cipher" {
				record["id"] = fmt.Sprintf("%s:%d", name, i+1)
			}
		}
	}
	flush()
}

func (l *loader) opensslVector(f fields) *Vector {
	get := func(name string) []byte { return l.hex(f["id"], f[name]) }
	part := strings.Split(strings.ToLower(f["cipher"]), "-")
	v := &Vector{
		ID: f["id"], Source: "openssl", Cipher: part[0], Mode: part[len(part)-1],
		Key: get("key"), Nonce: get("iv"), AD: get("aad"),
		Plain: get("plaintext"), Text: get("ciphertext"), Valid: f["result"] == "",
	}
	if _, ok := f["tag"]; ok {
		v.Tag = get("tag")
	}
	v.GB = v.Cipher == "sm4" && v.Mode == "xts" && f["xtsstandard"] != "IEEE"
	return v
}

// mbedtls reads Mbed TLS's vectors of Camellia in GCM: calls of test functions
// with their arguments between colons.
func (l *loader) mbedtls(name string, data []byte) {
	for i, line := range strings.Split(string(data), "\n") {
		arg := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `"`, ""), ":")
		id := fmt.Sprintf("%s:%d", name, i+1)
		v := &Vector{ID: id, Source: "mbedtls", Cipher: "camellia", Mode: "gcm", Valid: true}
		get := func(i int) []byte { return l.hex(id, arg[i]) }
		switch arg[0] {
		case "gcm_encrypt_and_tag": // cipher, key, plaintext, nonce, data, ciphertext, tag bits, tag
			v.Key, v.Plain, v.Nonce, v.AD, v.Text, v.Tag = get(2), get(3), get(4), get(5), get(6), get(8)
		case "gcm_decrypt_and_verify": // cipher, key, ciphertext, nonce, data, tag bits, tag, "FAIL" if so, plaintext
			v.Key, v.Text, v.Nonce, v.AD, v.Tag = get(2), get(3), get(4), get(5), get(7)
			if v.Valid = arg[8] != "FAIL"; v.Valid {
				v.Plain = get(9)
			}
		default:
			continue
		}
		l.add(v)
	}
}
