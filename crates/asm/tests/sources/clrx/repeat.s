# Conditions, repetitions and macros of CLRX.
.rocm
.arch GCN1.2
.ifarch VI
    .byte 1
.elseifarch vega
    .byte 2
.endif
.ifgpu tahiti
    .byte 3
.elseiffmt amd
    .byte 4
.elseif64
    .byte 5
.else
    .byte 6
.endif
.ifnfmt gallium
    .byte 7
.endif
.if32
    .byte 8
.elseifndef nothing
    .byte 9
.endif
.get_arch number; .get_format fmt; .get_64bit wide; .get_gpu gpu
.byte number, fmt, wide, gpu
.for i = 1, i < 16, i+i
    .byte i
.endr
n = 3
.while n > 0
    .rept n
        .byte n
    .endrept
    n = n - 1
.endr
.irp reg 4, 5 6
    v_mov_b32 v\reg, 0
.endr
.irpc digit, 78
    v_mov_b32 v\digit, 0
.endr
.macro Pair first, second=9, rest:vararg
    .byte \first+\second, \rest
.endm
PAIR 1, 2, 3, 4
pair 1,,5
pair \%n+2 2 6
.macro Name x, text
\x\()Symbol = 12
.ascii "\text-\@"
.byte 0
.endm
name Some, "a b"
.byte SomeSymbol
.macro generate m, value
    .macro gen\m x
        .byte \x*\value
    .endm
.endm
generate F, 3
genF 5
.altmacro
.macro plain a, b
    local here
    .string "a, b"
here:
    .byte . - here
.endm
plain %12|33, <x!>y>
plain 'one !' two', 4
.noaltmacro
