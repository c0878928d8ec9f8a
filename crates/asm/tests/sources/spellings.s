// Spellings that differ from the canonical text.
        s_load_dwordx2 s[0:1], s[0:1] 0x0
        s_load_dword s0 s[0:1] s2 glc
        v_max_f32 v1, v2 v3
        v_cmp_lt_f32 s[2:3] -v4, v6
        v_mad_f32 v0 |v1| -v2 -|v3| clamp
        buffer_load_dword v0 off s[0:3] s0 offset:4
        image_load v[0:3] v[0:3] s[0:7] dmask:0xf
        V_TRUNC_F32 v0, v1
        v_add_F32_E64 v0, v1, v2
        S_getpc_B64 s[0:1]
target: S_BRANCH target
        v_mul_lo_i32 v0, v1, v2
        v_mul_lo_i32_e64 v0, v1, s2
        s_waitcnt expcnt_sat(0xFFFF0000)
        s_waitcnt vmcnt_sat(-1)
        s_waitcnt lgkmcnt_sat(0x7fffffffffffffff) & vmcnt_sat(3)
        flat_atomic_add v[3:4], v5 inst_offset:8 slc
        tbuffer_load_format_x v1, off, s[4:7], dfmt:15, nfmt:2, s1
