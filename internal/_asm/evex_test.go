package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// evex finds what only AVX-512's encoding has: registers 16 to 31, of 64 bytes and
// of masks, suffixes, and instructions.
var evex = regexp.MustCompile(`\b(?:[XY](?:1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b|` +
	`\.(?:Z|BCST)\b|\bK(?:MOV|AND|OR|XOR|NOT|SHIFT|TEST|UNPCK|ADD)\w+\b|` +
	`\bV(?:PTERNLOG[DQ]|MOVDQ[AU](?:8|16|32|64)|P(?:XOR|OR|ANDN?)[DQ]|PRO[LR]V?[DQ]|PSRAV?Q|PS(?:LL|RL|RA)VW|` +
	`ALIGN[DQ]|PERM[IT]2\w+|PERM[BW]|SHUF[FI](?:32|64)X\d|(?:BROADCAST|INSERT|EXTRACT)[FI](?:32|64)X\d|` +
	`PSH[LR]DV?[WDQ]|P?(?:BLENDM|EXPAND|COMPRESS)\w+|PMULLQ|PABSQ|PM(?:AX|IN)[SU]Q|PMOVM2\w|PMOV\w2M|PLZCNT[DQ]|` +
	`PCONFLICT[DQ]|PTESTN?M[BWDQ]|PCMPU?[BWDQ])\b`)

// The assembler encodes what a tier without AVX-512 must not use without a word.
func TestEncodings(t *testing.T) {
	paths, err := filepath.Glob("../../*/*/*_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	narrow, found := 0, 0
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		wide := strings.Contains(p, "avx512")
		for i, line := range strings.Split(string(text), "\n") {
			line, _, _ = strings.Cut(line, "//")
			switch bad := evex.FindString(line); {
			case bad == "":
			case wide:
				found++
			default:
				t.Errorf("%s:%d: %s needs AVX-512", p, i+1, bad)
			}
		}
		if !wide {
			narrow++
		}
	}
	if narrow < 3 || found < 100 {
		t.Errorf("of %d files, %d are without AVX-512; %d lines of the others have it", len(paths), narrow, found)
	}
}

func TestEvex(t *testing.T) {
	for line, want := range map[string]bool{
		"VPXOR X16, X1, X1": true, "VPXOR Y31, Y1, Y1": true, "VPXOR Z0, Z0, Z0": true, "KMOVW AX, K1": true,
		"VPTERNLOGQ $150, X1, X2, X3": true, "VMOVDQU64 (AX), X1": true, "VPXORQ X1, X2, X3": true, "VPXORD X1, X2, X3": true,
		"VPROLD $1, X2, X3": true, "VPSRAQ $1, X2, X3": true, "VBROADCASTI32X4 (AX), Y1": true, "VALIGNQ $2, Y1, Y2, Y3": true,
		"VPXORD.BCST (AX), Y1, Y2": true, "VPADDQ.Z X1, X2, K1, X3": true, "VPANDND X1, X2, X3": true, "VPERMI2B X1, X2, X3": true,
		"VPXOR X15, Y1, Y9": false, "VPAND (AX), X2, X3": false, "VMOVDQU 16(R8), Y1": false, "VBROADCASTI128 (AX), Y1": false,
		"VPCMPEQB X1, X2, X3": false, "VPSRAD $31, X2, X3": false, "VPALIGNR $4, X1, X2, X3": false, "VPSLLVQ X1, X2, X3": false,
		"VPCLMULQDQ $0, Y1, Y2, Y3": false, "VGF2P8AFFINEQB $0, Y1, Y2, Y3": false, "VPERM2I128 $1, Y1, Y2, Y3": false,
		"MOVQ k+0(FP), AX": false, "VINSERTI128 $1, X2, Y3, Y3": false, "VPERMQ $78, Y1, Y2": false, "VPBLENDD $1, X1, X2, X3": false,
	} {
		if got := evex.MatchString(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
