//! Rows of parameter interpolation (Vega ISA, 12.11 VINTERP).

use super::Ty::*;
use super::row::*;

family! {
    /// Parameter interpolation (Vega ISA, 12.11 VINTERP).
    Vintrp: Interp {
        //                                          gfx6  gfx7  gfx8  gfx9
        V_INTERP_P1_F32  = row("v_interp_p1_f32",  [0x00, 0x00, 0x00, 0x00], &[dst(F32), src1(F32).vgpr(), attr()]).reads(M0).on(Chips::BEFORE_90A),
        V_INTERP_P2_F32  = row("v_interp_p2_f32",  [0x01, 0x01, 0x01, 0x01], &[dst(F32).rmw(), src1(F32).vgpr(), attr()]).reads(M0).on(Chips::BEFORE_90A),
        V_INTERP_MOV_F32 = row("v_interp_mov_f32", [0x02, 0x02, 0x02, 0x02], &[dst(F32), param(), attr()]).reads(M0).on(Chips::BEFORE_90A),
    }
}
