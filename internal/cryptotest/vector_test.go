package cryptotest

import "testing"

// TestLoad reads every vector there is and holds their numbers against the list.
func TestLoad(t *testing.T) {
	modes := []string{"ecb", "cbc", "cfb", "ofb", "ctr", "xts", "lrw", "gcm", "ocb", "eax", "ccm"}
	count := Count{}
	for _, v := range Load(t, modes...) {
		count.Add(v)
	}
	count.Covers(t, []string{"aes", "camellia", "sm4"}, modes)
}
