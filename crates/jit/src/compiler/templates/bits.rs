//! Templates of operations on bits: counts, fields and reversal.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, LANES, Tern, Un};
use wavetank_lower::TooMany;

use crate::compiler::asm::{Arg, Mem, Under, fixed};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const LEADING: Code = Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32;
const DOWN: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;

/// Whether ones can be counted: there is an instruction, or only AVX2, which has a recipe.
fn counts_ones() -> bool {
    is_x86_feature_detected!("avx512vpopcntdq") || !is_x86_feature_detected!("avx512f")
}

/// The templates of functions with one operand.
pub(super) fn un(un: Un, elem: Elem) -> Option<Template> {
    if elem != Elem::I32 {
        return None;
    }
    match un {
        Un::CountOnes if counts_ones() => Some(|t| t.one(Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32)),
        Un::LeadingZeros => Some(leading_zeros),
        Un::LeadingSigns => Some(leading_signs),
        Un::TrailingZeros => Some(trailing_zeros),
        Un::Reverse => Some(reverse),
        _ => None,
    }
}

/// The templates of functions with three operands.
pub(super) fn tern(tern: Tern, elem: Elem) -> Option<Template> {
    match (tern, elem) {
        (Tern::BfeU, Elem::I32) => Some(bfe_u),
        (Tern::BfeS, Elem::I32) => Some(bfe_s),
        _ => None,
    }
}

impl Tile<'_, '_> {
    /// Counts the zeros above the highest one; all ones for 0.
    fn leading(&mut self, from: Register) -> Done {
        let (count, k) = (SCRATCH[1], SCRATCH_MASK);
        self.asm.op(LEADING, &[count.into(), from.into()]);
        let args = [k.into(), from.into(), from.into()];
        self.asm
            .op(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, &args);
        let ones = self.asm.constant(!0);
        let args = [count.into(), ones.into()];
        self.asm.under(
            Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            Under::Merge(k),
            &args,
        );
        let (to, under) = self.result(0)?;
        let args = [to.into(), count.into()];
        self.asm
            .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
        Ok(())
    }
}

fn leading_zeros(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    t.leading(a)
}

/// The bits that differ from the sign.
fn leading_signs(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let other = SCRATCH[0];
    t.asm.op(DOWN, &[other.into(), a.into(), 31.into()]);
    let args = [other.into(), other.into(), a.into()];
    t.asm.op(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &args);
    t.leading(other)
}

/// 31 minus the zeros above the lowest one; −1 for 0, which has 32.
fn trailing_zeros(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let [lowest, highest, ..] = SCRATCH;
    let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(xor, &[lowest.into(); 3]);
    t.asm.op(SUB, &[lowest.into(), lowest.into(), a.into()]);
    t.asm.op(AND, &[lowest.into(), lowest.into(), a.into()]);
    t.asm.op(LEADING, &[lowest.into(), lowest.into()]);
    t.fill_dwords(highest, 31);
    let (to, under) = t.result(0)?;
    t.asm
        .under(SUB, under, &[to.into(), highest.into(), lowest.into()]);
    Ok(())
}

/// Reverses the bytes of dwords, and the bits of each byte by tables of its halves.
fn reverse(t: &mut Tile) -> Done {
    const SHUFFLE: Code = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
    let a = t.args()[0];
    let a = t.reg(a)?;
    let [bytes, high, table, _] = SCRATCH;
    let quarter = |of: fn(u8) -> u8| -> [u32; 16] {
        std::array::from_fn(|n| {
            u32::from_le_bytes(std::array::from_fn(|byte| of((4 * n + byte) as u8 % 16)))
        })
    };
    let load = |t: &mut Tile, to: Register, row: [u32; 16]| {
        let row = Mem::at(fixed::CONSTANTS, t.asm.constant_row(&row));
        let load = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
        t.asm.op(load, &[to.into(), row.into()]);
    };
    load(t, table, quarter(|n| n ^ 3));
    t.asm.op(SHUFFLE, &[bytes.into(), a.into(), table.into()]);
    let half = Arg::Each(t.asm.constant(0x0f0f_0f0f));
    let args = [high.into(), bytes.into(), 4.into()];
    t.asm.op(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, &args);
    for half_bytes in [bytes, high] {
        t.asm.op(AND, &[half_bytes.into(), half_bytes.into(), half]);
    }
    load(t, table, quarter(|n| n.reverse_bits() >> 4));
    t.asm.op(SHUFFLE, &[high.into(), table.into(), high.into()]);
    load(t, table, quarter(u8::reverse_bits));
    t.asm
        .op(SHUFFLE, &[bytes.into(), table.into(), bytes.into()]);
    let (to, under) = t.result(0)?;
    let args = [to.into(), bytes.into(), high.into()];
    t.asm
        .under(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

impl Tile<'_, '_> {
    /// Sets a register to a constant in all lanes.
    pub(crate) fn fill_dwords(&mut self, to: Register, value: u32) {
        let value = self.asm.constant(value);
        let broadcast = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
        self.asm.op(broadcast, &[to.into(), value.into()]);
    }
}

/// Bits [b, b + c) of a, both modulo 32.
fn bfe_u(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let from = t.reg(a)?;
    let down = SCRATCH[0];
    match t.constant(b) {
        Some(offset) => {
            let args = [down.into(), from.into(), (offset as u8 & 31).into()];
            t.asm.op(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, &args);
        }
        None => {
            let offset = t.reg(b)?;
            let offset = t.modulo_32(offset, 1);
            let args = [down.into(), from.into(), offset.into()];
            t.asm.op(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &args);
        }
    }
    let field = match t.constant(c) {
        Some(width) => Arg::Each(t.asm.constant((1u32 << (width & 31)) - 1)),
        None => {
            let width = t.reg(c)?;
            let width = t.modulo_32(width, 1);
            let (ones, one) = (SCRATCH[2], Arg::Each(t.asm.constant(1)));
            t.fill_dwords(ones, 1);
            let args = [ones.into(), ones.into(), width.into()];
            t.asm.op(Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, &args);
            let args = [ones.into(), ones.into(), one];
            t.asm.op(SUB, &args);
            Arg::R(ones)
        }
    };
    let (to, under) = t.result(0)?;
    let args = [to.into(), down.into(), field];
    t.asm.under(AND, under, &args);
    Ok(())
}

/// Bits [b, b + c) of a, with the sign of the field above, or of a if the field is past its end: shifted up and down again, by 32
/// for an empty field.
fn bfe_s(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (from, offset) = (t.reg(a)?, t.reg(b)?);
    let offset = t.modulo_32(offset, 1);
    let field = SCRATCH[0];
    let args = [field.into(), from.into(), offset.into()];
    t.asm.op(Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, &args);
    let width = t.reg(c)?;
    let width = t.modulo_32(width, 1);
    let above = SCRATCH[2];
    t.fill_dwords(above, 32);
    t.asm.op(SUB, &[above.into(), above.into(), width.into()]);
    let args = [field.into(), field.into(), above.into()];
    t.asm.op(Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, &args);
    let (to, under) = t.result(0)?;
    let args = [to.into(), field.into(), above.into()];
    t.asm
        .under(Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// The number of each lane.
pub(super) fn lane_id(t: &mut Tile) -> Done {
    t.row_of(|lane| lane as u32)
}

/// The mask of the lanes below each lane, in its lower or upper half.
pub(super) fn lanes_below(high: bool) -> Template {
    if !high {
        |t| t.row_of(|lane| ((1u64 << lane) - 1) as u32)
    } else {
        |t| t.row_of(|lane| (((1u64 << lane) - 1) >> 32) as u32)
    }
}

impl Tile<'_, '_> {
    /// A constant for each lane, by its number.
    fn row_of(&mut self, of: fn(usize) -> u32) -> Done {
        let row: [u32; LANES] = std::array::from_fn(of);
        let at = self.asm.constant_row(&row);
        let (to, under) = self.result(0)?;
        let from = Mem::sum(fixed::CONSTANTS, fixed::TILE, at);
        let args = [to.into(), from.into()];
        self.asm
            .under(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, under, &args);
        Ok(())
    }
}
