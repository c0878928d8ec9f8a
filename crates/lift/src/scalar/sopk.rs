//! Scalar operations with a 16-bit constant (Vega ISA, 12.2 SOPK).

use wavetank_gcn::Field;
use wavetank_gcn::tables::Sopk;

use super::sop2::add_signed;
use super::{keep_scc, only_scc, with_scc, write_back};
use crate::block::{Flow, Lift, NAME_ONLY};
use crate::control;
use crate::value::Int;

/// Lifts a SOPK instruction. D is a source as well as the destination.
pub(crate) fn sopk(l: &Lift, op: Sopk) -> Flow {
    use Sopk::*;
    let d = || l.scalar(Field::Sdst);
    let signed = Int::const32(l.b, i32::from(l.simm16() as i16) as u32);
    let unsigned = u64::from(l.simm16());
    let result = match op {
        S_MOVK_I32 => keep_scc(signed),
        S_CMOVK_I32 => keep_scc(l.scc().select(signed, d())),
        S_CMPK_EQ_I32 => only_scc(d().eq(signed)),
        S_CMPK_LG_I32 => only_scc(d().ne(signed)),
        S_CMPK_GT_I32 => only_scc(d().gt_s(signed)),
        S_CMPK_GE_I32 => only_scc(d().ge_s(signed)),
        S_CMPK_LT_I32 => only_scc(d().lt_s(signed)),
        S_CMPK_LE_I32 => only_scc(d().le_s(signed)),
        S_CMPK_EQ_U32 => only_scc(d().eq(unsigned)),
        S_CMPK_LG_U32 => only_scc(d().ne(unsigned)),
        S_CMPK_GT_U32 => only_scc(d().gt_u(unsigned)),
        S_CMPK_GE_U32 => only_scc(d().ge_u(unsigned)),
        S_CMPK_LT_U32 => only_scc(d().lt_u(unsigned)),
        S_CMPK_LE_U32 => only_scc(d().le_u(unsigned)),
        S_ADDK_I32 => with_scc(add_signed(d(), signed)),
        S_MULK_I32 => keep_scc(d() * signed),
        S_GETREG_B32 => keep_scc(control::get_hardware_register(l)),
        S_SETREG_B32 => return control::set_hardware_register(l, d()),
        S_SETREG_IMM32_B32 => {
            return control::set_hardware_register(l, l.scalar(Field::Literal));
        }
        S_CBRANCH_I_FORK => return control::fork(l, d(), Int::const64(l.b, l.target())),
        S_CALL_B64 => return control::call(l, Int::const64(l.b, l.target())),
        // NotYet
        S_GETREG_REGRD_B32 => {
            return Flow::unsupported(l.inst, NAME_ONLY);
        }
    };
    write_back(l, result)
}
