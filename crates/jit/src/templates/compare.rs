//! Relations.

use iced_x86::Code;
use wavetank_interp::single::TooMany;
use wavetank_ir::{Elem, Fp, Rel};

use super::Template;
use crate::asm::Arg;
use crate::tile::Tile;

type Done = Result<(), TooMany>;

/// The templates of relations. Predicates are those of Intel's manual: of integers in VPCMPD, of floats in VCMPPS, quiet.
pub fn cmp(rel: Rel, elem: Elem, fp: Fp) -> Option<Template> {
    const SIGNED: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
    const UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
    const FLOAT: Code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    let denormals = !fp.flush_in;
    Some(match (rel, elem) {
        (Rel::Eq, Elem::I32) => |t| t.compare(SIGNED, 0),
        (Rel::Ne, Elem::I32) => |t| t.compare(SIGNED, 4),
        (Rel::Lt, Elem::I32) => |t| t.compare(SIGNED, 1),
        (Rel::Le, Elem::I32) => |t| t.compare(SIGNED, 2),
        (Rel::LtU, Elem::I32) => |t| t.compare(UNSIGNED, 1),
        (Rel::LeU, Elem::I32) => |t| t.compare(UNSIGNED, 2),
        (Rel::Eq, Elem::F32) if denormals => |t| t.compare(FLOAT, 0x00),
        (Rel::Ne, Elem::F32) if denormals => |t| t.compare(FLOAT, 0x04),
        (Rel::Lt, Elem::F32) if denormals => |t| t.compare(FLOAT, 0x11),
        (Rel::Le, Elem::F32) if denormals => |t| t.compare(FLOAT, 0x12),
        (Rel::FLg, Elem::F32) if denormals => |t| t.compare(FLOAT, 0x0c),
        (Rel::FOrd, Elem::F32) => |t| t.compare(FLOAT, 0x07),
        _ => return None,
    })
}

impl Tile<'_, '_> {
    fn compare(&mut self, code: Code, predicate: u8) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.arg(b, 0)?);
        let this = self.this();
        let (to, under) = self.result_mask(this)?;
        let args = [to.into(), a.into(), b, predicate.into()];
        self.asm.under(code, under, &args);
        Ok(())
    }
}

/// The lanes with a value other than 0.
pub fn non_zero(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let this = t.this();
    let (to, under) = t.result_mask(this)?;
    let args = [to.into(), a.into(), Arg::R(a)];
    t.asm
        .under(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, under, &args);
    Ok(())
}
