    .globl start
    .protected start
    .type start,@function
start:
    s_getpc_b64 s[0:1]
    s_add_u32 s0, s0, other@rel32@lo+4
    s_addc_u32 s1, s1, other@rel32@hi+12
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, shared@gotpcrel32@lo+4
    s_addc_u32 s3, s3, shared@gotpcrel32@hi+12
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, local@gotpcrel32@lo+4
    s_addc_u32 s3, s3, local@gotpcrel32@hi+12
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, nowhere@gotpcrel32@lo+4
    s_addc_u32 s3, s3, nowhere@gotpcrel32@hi+12
    s_endpgm
    .size start, .-start
    .weak nowhere
    .hidden nowhere
    .weak anywhere
    .section .data.rel.ro,"aw",@progbits
    .p2align 3
table:
    .quad start
    .quad other+8
    .quad shared
    .quad local
    .quad anywhere
    .quad nowhere
    .data
local:
    .long 5
    .set number, 0x123456789
    .globl number
    .comm buffer,100,6
