//go:build !purego

#include "textflag.h"

// An addition of two registers takes one cycle. The loop's own instructions run
// beside the chain, or are less than one in a hundred.

#define ADD4 \
	ADD R1, R2, R2 \
	ADD R1, R2, R2 \
	ADD R1, R2, R2 \
	ADD R1, R2, R2

#define ADD32 ADD4 \
	ADD4 \
	ADD4 \
	ADD4 \
	ADD4 \
	ADD4 \
	ADD4 \
	ADD4

// func chain(cycles int)
TEXT ·chain(SB), NOSPLIT, $0-8
	MOVD cycles+0(FP), R0
	MOVD R0, R1

loop:
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	SUBS $256, R0, R0
	BGT  loop
	RET
