//go:build !purego

#include "textflag.h"

// An addition of two registers takes one cycle on every amd64 processor. (Some
// add an immediate operand in no time at all.) The loop's own instructions run
// beside the chain.

#define ADD4 \
	ADDQ CX, AX \
	ADDQ CX, AX \
	ADDQ CX, AX \
	ADDQ CX, AX

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
	MOVQ cycles+0(FP), BX
	MOVQ BX, CX

loop:
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	ADD32
	SUBQ $256, BX
	JGT  loop
	RET
