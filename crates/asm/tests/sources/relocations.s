// Each relocation, in code and in data, and what object files have besides.
        .text
        .globl  f, ext, ext2
        .type   f,@function
f:      s_getpc_b64 s[4:5]
        s_add_u32 s4, s4, ext@rel32@lo+4
        s_addc_u32 s5, s5, ext@rel32@hi+12
        s_add_u32 s4, s4, ext2@gotpcrel32@lo+4
        s_addc_u32 s5, s5, ext2@gotpcrel32@hi+12
        s_mov_b32 s6, data@abs32@lo
        v_mov_b32 v0, data@abs32@hi
        v_add_f32 v1, local@abs32@lo-8, v2
        s_cbranch_scc1 other
        s_endpgm
.Lend:
        .size   f, .Lend-f
        .section .text.g,"axG",@progbits,g,comdat
        .weak   g
        .type   g,@function
g:      s_setpc_b64 s[30:31]
other:  s_branch f
        .quad   f
        .section .rodata,"a",@progbits
        .amdhsa_kernel f
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 8
        .end_amdhsa_kernel
        .section .str,"aMS",@progbits,1
.Ls:    .asciz  "abc"
        .asciz  "def"
        .data
        .globl  data
data:
        .quad   ext+8
        .quad   .Ls+4
        .quad   local-8
        .long   ext@rel32@lo
local:  .long   5
        .comm   room,16,3
        .comm   room2,16,3
absolute = 7
        .section .debug_x,"",@progbits
        .long   .Ls
        .long   .debug_x+8
