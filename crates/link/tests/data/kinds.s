    .text
    .globl f
    .p2align 8
    .type f,@function
f:  s_getpc_b64 s[0:1]
    s_add_u32 s0, s0, v@rel32@lo+4
    s_addc_u32 s1, s1, v@rel32@hi+12
    s_add_u32 s2, s2, w@gotpcrel32@lo+4
    s_mov_b32 s3, big@abs32@lo
    s_endpgm
.Lend:
    .size f, .Lend-f
    .section .text.g,"axG",@progbits,g,comdat
    .weak g
    .hidden g
g:  s_endpgm
    .data
    .globl v
    .protected v
    .type v,@object
    .size v, 8
v:  .quad f
local:
    .quad local+16
    .comm big,64,4 // the alignment as a power of two
    .bss
zeros: .zero 100
    .section .rodata.str1.1,"aMS",@progbits,1
    .asciz "text"
    .set number, 77
