; A pixel shader of gfx6 to gfx9: red and green are interpolated, blue and alpha stand in the user data.
        s_mov_b32 m0, s1                  ; where the parameters are in LDS, and which lanes begin a primitive
        v_interp_p1_f32 v2, v0, attr0.x   ; P0 + i * P10
        v_interp_p2_f32 v2, v1, attr0.x   ;    + j * P20
        v_interp_p1_f32 v3, v0, attr0.y
        v_interp_p2_f32 v3, v1, attr0.y
        v_mov_b32 v4, s0
        exp mrt0 v2, v3, v4, v4 done vm
        s_endpgm
