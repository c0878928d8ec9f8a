    s_and_b64 s[0:1], s[2:3], vcc
    s_cmp_lt_i32 s0, s2
    v_xor_b32 v20, v23, v25
    v_mov_b32 v31, s1
    global_load_dwordx2 v[16:17], v19, s[0:1]
    flat_load_dword v31, v[19:20]
    s_mov_b64 s[8:9], 0
.byte 4, 5, 11, 8, 4, 5
.byte 4, 5, 6
    v_mov_b32 v7, v7
.byte 11, 6, 15, 11, 15
.balign 4, 0
.Lloop:
    s_sub_u32 s0, s0, 1
    s_cbranch_scc0 .Lloop
    s_cbranch_vccz .Ldone
    s_branch .Lfinish
.Ldone:
    s_nop 0
.Lloop2:
    s_branch .Lloop2
.Lfinish:
    s_branch .Lloop
