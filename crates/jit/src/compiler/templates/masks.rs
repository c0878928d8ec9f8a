//! Templates of masks that tiles compute, and of selects.

use iced_x86::Code;
use wavetank_ir::{Bin, Un};
use wavetank_lower::TooMany;

use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, Template, Tile};

type Done = Result<(), TooMany>;

/// The templates of functions with one mask.
pub(super) fn un(un: Un) -> Option<Template> {
    match un {
        Un::Not => Some(|t| {
            let a = t.args()[0];
            let a = t.reg(a)?;
            let this = t.this();
            let (to, _) = t.result_mask(this)?;
            t.asm.op(Code::VEX_Knotw_kr_kr, &[to.into(), a.into()]);
            Ok(())
        }),
        _ => None,
    }
}

/// The templates of functions with two masks.
pub(super) fn bin(bin: Bin) -> Option<Template> {
    Some(match bin {
        Bin::And => |t| t.masks(Code::VEX_Kandw_kr_kr_kr),
        Bin::Or => |t| t.masks(Code::VEX_Korw_kr_kr_kr),
        Bin::Xor => |t| t.masks(Code::VEX_Kxorw_kr_kr_kr),
        _ => return None,
    })
}

impl Tile<'_, '_> {
    fn masks(&mut self, code: Code) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let this = self.this();
        let (to, _) = self.result_mask(this)?;
        self.asm.op(code, &[to.into(), a.into(), b.into()]);
        Ok(())
    }
}

/// Selects by a mask, for one half or both.
pub(super) fn select(t: &mut Tile) -> Done {
    let [cond, a, b] = t.args();
    let mask = t.reg(cond)?;
    let parts = if t.block.ty(t.this()).bits() == 64 {
        2
    } else {
        1
    };
    if parts == 2 && (t.is_packed(a) || t.is_packed(b)) {
        return select_packed(t);
    }
    for part in 0..parts {
        let (a, b) = (t.part(a, part)?, t.part(b, part)?);
        let to = SCRATCH[usize::from(part)];
        // The lanes of the mask take the second source.
        let args = [to.into(), b.into(), Arg::R(a)];
        t.asm.under(
            Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32,
            Under::Merge(mask),
            &args,
        );
    }
    if parts == 2 {
        return t.result_halves([SCRATCH[0], SCRATCH[1]]);
    }
    let (to, under) = t.result(0)?;
    let args = [to.into(), SCRATCH[0].into()];
    t.asm
        .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
    Ok(())
}

/// Selects numbers of 64 bits that are packed, as those of double precision are.
fn select_packed(t: &mut Tile) -> Done {
    let copy = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
    let [cond, a, b] = t.args();
    let (masks, a, b) = (t.halves_of(cond)?, t.packed(a)?, t.packed(b)?);
    for (n, (to, under)) in t.result_packed()?.into_iter().enumerate() {
        let selected = SCRATCH[n];
        t.asm.op(copy, &[selected.into(), b[n].into()]);
        let of_mask = Under::Merge(masks[n]);
        t.asm.under(copy, of_mask, &[selected.into(), a[n].into()]);
        t.asm.under(copy, under, &[to.into(), selected.into()]);
    }
    Ok(())
}
