.byte 1, 2, 3, 0, 4
.long 3, -3, -2, 2, 15, -4
.long 7, 6, 7, 26
.long -1, 0, 0, -1, -1, -1, -1, 0, -1
.long 1, 0, 0, 1, ~5, -2
.long 100, 2
.long 97, 10, 65, 65, 35, 59
.ascii "one;two#\007\013'"
.short 5, 15, 255
.short 1
.short 0x3e00, 0xb400, 0x7bff
.float 1.5
.double -2.5
.quad 0x123456789abcdef
.octa 0x1
.fill 3, 2, 0x102
.quad 0x1122334455667788, 0x1122334455667788
.short 97, 98, 0
.long 99, 0
.quad 100, 0
.long 6
.long 8
.long 3
.balign 16
start: again:
    .long 0x8000ff01
    .long 4
    s_mov_b32 s3, 42
    v_mov_b32 v7, end-start
    s_cbranch_scc1 start
.Lone:
    s_branch .Lone
    s_waitcnt vmcnt(1) lgkmcnt(0)
    s_branch .Ltwo
.Ltwo:
end: s_endpgm
