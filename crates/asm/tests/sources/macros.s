// Macros, repetitions and conditions.
x1 = 5
.data
.macro m a, b=7, c:vararg
	.long \a, \b
.ifnb \c
	.asciz \c
.endif
.endm
	m 1
	m 2 3 "x, y", "z"
	m a=4, b=x1+1
	.text
.rept 2
	s_nop 1
.endr
.data
.macro count n
	.if \n
	.byte \n
	count \n-1
	.endif
.endm
	count 3
.irp r, s1, s[2:3], vcc
	.ascii "\r;"
.endr
.irpc c, abc
	.byte '\c'
.endr
.macro label n
l_\n\()_\@:
	.byte \n
	.exitm
	.byte 99
.endm
	label 1
	label 2
	.purgem label
.macro label n
	.byte -\n
.endm
	label 3
.macro pair p:req, q=2
	.byte \p, \q
.endm
	pair 1
	pair q=4, p=3
	pair 1 + 2, 3
.ifdef x1
	.byte 1
.else
	.error "x1 is set"
.endif
.ifndef x2
	.byte 2
.elseif 1
	.error "one is enough"
.else
	.error "none is left"
.endif
.if x1 == 4
	.error "x1 is five"
	.if 1
	.endif
.elseif x1 > 4
	.byte 3
.endif
.ifc a b, a b
	.byte 4
.endif
.ifeqs "a", "b"
	.error "they differ"
.endif
.ifb
	.byte 5
.endif
.altmacro
.macro alt a, b
	.byte \a, \b
.endm
	alt %x1+1, <1>
	alt 2, 3
.noaltmacro
// What is left is the repetition, not the macro around it.
.macro leaves n
	.rept 5
	.byte 6
	.if \n
	.exitm
	.endif
	.byte 7
	.endr
	.byte 8
.endm
	leaves 1
	leaves 0
