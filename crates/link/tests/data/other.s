    .globl other
    .hidden other
    .type other,@function
    .p2align 8
other:
    s_setpc_b64 s[30:31]
    .size other, .-other
    .section .text.unlikely,"ax",@progbits
    s_nop 5
    .section .rodata,"a",@progbits
    .p2align 4
    .long other@rel32@lo
    .data
    .p2align 4
    .globl shared
    .type shared,@object
shared:
    .quad 1, shared
    .comm buffer,200,3
    .bss
    .zero 50
