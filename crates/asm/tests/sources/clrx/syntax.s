# Comments, statements, expressions and data of CLRX; syntax.llvm.s is the same for LLVM's assembler.
.rawcode; .gpu Fiji
.byte 1, 2, \
      3, , 4          # a line in two, and a zero
.int 17 // 5, -17 / 5, -17 % 5, 17 %% 5, -1 >> 60, -16 >>> 2   /* without sign and with it */
.int 1+2|4, 6^3+1, 7!~2, 2+3*4<<1
.int 3<4, 3>4, -1<@1, -1>@1, 1<=@1, -1>=@1, 3==3, 3<>3, 3!=4
.int 2&&1||0, 0||0, !3, !0, ~5, -(2)
x = 5; y = x > 4 ? 100 : 200
.int y, x < 4 ? 1 : x < 6 ? 2 : 3
.int 'a', '\n', '\x41', '\101', '#', ';'; .ascii "one;", "two#", "\a\v\'"
.short 0b101, 017, 0xff
.hword 1
.half 1.5, -0.25, 65504
.float 1.5
.double -2.5
.quad 0x123456789abcdef
.octa 0x1
.fill 3, 2, 0x102
.fillq 2, 8, 0x1122334455667788
.string16 "ab"
.string32 "c"
.string64 "d"
.eqv sum, x+1
.int sum
x = 7
.int sum            # what it is now
.equiv never, 3
.int never
.align 16
start: again: s_add_u32 s0, s[x-6], lit(4)
    s_mov_b32 s[never], 10*4+2
    v_mov_b32 v[x], end-start
    s_cbranch_scc1 start
1:  s_branch 1b
    s_waitcnt vmcnt(x-6) & lgkmcnt(0)
    s_branch 1f
1:
end: s_endpgm
