//! Templates for AVX-512 of operations on bytes of dwords (`v_perm`, `v_sad`), on pieces of two dwords (`v_alignbit`) and of
//! saturating packs.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Elem, Tern};
use wavetank_lower::TooMany;

use super::format::RAW;
use crate::compiler::asm::{Arg, Mem, Under, fixed};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const UP: Code = Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32;
const DOWN_BY: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const UP_BY: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const MIN_U: Code = Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;

const ADD_BYTES: Code = Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512;
/// Expands a mask to bytes of ones or zeros.
const SPREAD_BITS: Code = Code::EVEX_Vpmovm2b_zmm_kr;

const ADD_SATURATED: Code = Code::EVEX_Vpaddusb_zmm_k1z_zmm_zmmm512;
const COMPARE_BYTES: Code = Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8;

/// Predicates of VPCMPUB, numbered as in Intel's manual.
const LESS: u8 = 1;
const MORE: u8 = 6;

/// The templates of functions with two operands.
pub(super) fn bin(bin: Bin, elem: Elem) -> Option<Template> {
    match (bin, elem) {
        (Bin::PackSatU, Elem::I32) => Some(pack_sat_u),
        (Bin::PackSatS, Elem::I32) => Some(pack_sat_s),
        _ => None,
    }
}

/// The templates of functions with three operands; `last` is the third if it is constant.
pub(super) fn tern(tern: Tern, elem: Elem, last: Option<u64>) -> Option<Template> {
    if elem != Elem::I32 {
        return None;
    }
    Some(match tern {
        Tern::AlignBit => |t| t.align(0),
        Tern::AlignByte => |t| t.align(3),
        Tern::InsertU8 => insert_u8,
        Tern::SadU8 => |t| t.sad_bytes(false),
        Tern::MaskedSadU8 => |t| t.sad_bytes(true),
        Tern::SadU16 => sad_words,
        Tern::SadU32 => sad_dwords,
        Tern::Perm => match last {
            Some(last) if !(last as u32).to_le_bytes().iter().any(takes_sign) => perm,
            _ => perm_by_lanes,
        },
        Tern::AverageU8 => average,
        _ => return None,
    })
}

/// Whether a selector of a byte gives a sign.
fn takes_sign(selector: &u8) -> bool {
    (8..12).contains(selector)
}

/// Selects among 16 bytes, or zeros.
const SHUFFLE: Code = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;

/// Selects for each byte one of the lower dword, of the upper one, 0 or ones, by a constant.
fn perm(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let selectors = t.constant(c).expect("the selectors are constant") as u32;
    let selectors = selectors.to_le_bytes();
    let dwords = [t.reg(b)?, t.reg(a)?];
    let parts = [SCRATCH[0], SCRATCH[1]];
    for (n, (part, dword)) in parts.into_iter().zip(dwords).enumerate() {
        let row: [u32; 16] = std::array::from_fn(|lane| {
            u32::from_le_bytes(selectors.map(|selector| match usize::from(selector) / 4 {
                from if from == n => 4 * (lane as u8 % 4) + selector % 4,
                _ => 0x80,
            }))
        });
        let row = Mem::at(fixed::CONSTANTS, t.asm.constant_row(&row));
        let args = [part.into(), dword.into(), row.into()];
        t.asm.op(SHUFFLE, &args);
    }
    let ones = selectors.map(|selector| if selector > 12 { 0xff } else { 0 });
    let ones = u32::from_le_bytes(ones);
    if ones != 0 {
        let ones = Arg::Each(t.asm.constant(ones));
        t.asm.op(OR, &[parts[0].into(), parts[0].into(), ones]);
    }
    let (to, under) = t.result(0)?;
    let args = [to.into(), parts[0].into(), parts[1].into()];
    t.asm.under(OR, under, &args);
    Ok(())
}

/// Selects bytes by selectors of each lane.
fn perm_by_lanes(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let (k, [at, other, special, _], chosen) = (SCRATCH_MASK, SCRATCH, RAW);
    // From 8 on, the highest bit is set, which selects zero.
    let below = t.byte_row(0x78);
    t.asm
        .op(ADD_SATURATED, &[other.into(), c.into(), below.into()]);
    t.and_bytes(other, other, 0x80);
    t.and_bytes(at, c, 0x03);
    t.asm.op(OR, &[at.into(), at.into(), other.into()]);
    t.choose_bytes(chosen, [a, b], c, 0x04);
    let zero = t.byte_row(12);
    let args = [k.into(), c.into(), zero.into(), MORE.into()];
    t.asm.op(COMPARE_BYTES, &args);
    t.asm.op(SPREAD_BITS, &[other.into(), k.into()]);
    t.asm.op(OR, &[chosen.into(), chosen.into(), other.into()]);
    let done = t.asm.label();
    t.mark_signs(c);
    t.asm.op(Code::VEX_Kortestq_kr_kr, &[k.into(), k.into()]);
    t.asm.jump(Code::Je_rel32_64, done);
    // The sign of byte 1 or 3, by the lowest bit.
    t.asm.op(ADD_BYTES, &[at.into(), c.into(), c.into()]);
    t.and_bytes(at, at, 0x02);
    let one = Arg::Each(t.asm.constant(0x0101_0101));
    t.asm.op(OR, &[at.into(), at.into(), one]);
    t.choose_bytes(special, [a, b], c, 0x02);
    let signs = Code::EVEX_Vpmovb2m_kr_zmm;
    t.asm.op(signs, &[k.into(), special.into()]);
    t.asm.op(SPREAD_BITS, &[special.into(), k.into()]);
    t.mark_signs(c);
    t.replace_bytes(chosen, special);
    t.asm.place(done);
    t.finish_words()
}

/// (a + b + 1) / 2 for each byte, minus 1 where that was rounded up and should not be.
fn average(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let [up, odd, ..] = SCRATCH;
    let args = [up.into(), a.into(), b.into()];
    t.asm.op(Code::EVEX_Vpavgb_zmm_k1z_zmm_zmmm512, &args);
    let xor = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    t.asm.op(xor, &[odd.into(), a.into(), b.into()]);
    // The lowest bits, except where c has them.
    let lowest = Arg::Each(t.asm.constant(0x0101_0101));
    let args = [odd.into(), c.into(), lowest, 0x20.into()];
    t.asm
        .op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
    let subtract = Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512;
    t.asm.op(subtract, &[RAW.into(), up.into(), odd.into()]);
    t.finish_words()
}

impl Tile<'_, '_> {
    /// Clears all but some bits of each byte.
    fn and_bytes(&mut self, to: Register, from: Register, bits: u8) {
        let bits = Arg::Each(self.asm.constant(u32::from_ne_bytes([bits; 4])));
        self.asm.op(AND, &[to.into(), from.into(), bits]);
    }

    /// A number in every byte, as a constant.
    fn byte_row(&mut self, byte: u8) -> Mem {
        let row = [u32::from_ne_bytes([byte; 4]); 16];
        Mem::at(fixed::CONSTANTS, self.asm.constant_row(&row))
    }

    /// Selects bytes of the lower dword by numbers in the first scratch register, or of the upper one where selectors have a bit.
    /// Changes that register and the second one.
    fn choose_bytes(
        &mut self,
        to: Register,
        [high, low]: [Register; 2],
        selectors: Register,
        bit: u8,
    ) {
        let (k, [at, other, ..]) = (SCRATCH_MASK, SCRATCH);
        let row: [u32; 16] = std::array::from_fn(|lane| 0x0404_0404 * (lane as u32 % 4));
        let row = Mem::at(fixed::CONSTANTS, self.asm.constant_row(&row));
        self.asm.op(ADD_BYTES, &[at.into(), at.into(), row.into()]);
        self.asm.op(SHUFFLE, &[to.into(), low.into(), at.into()]);
        self.asm
            .op(SHUFFLE, &[other.into(), high.into(), at.into()]);
        let bit = self.byte_row(bit);
        let args = [k.into(), selectors.into(), bit.into()];
        self.asm.op(Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512, &args);
        self.replace_bytes(to, other);
    }

    /// Marks the selectors of signs, 8 to 11. Changes the second scratch register.
    fn mark_signs(&mut self, selectors: Register) {
        let (k, from_8) = (SCRATCH_MASK, SCRATCH[1]);
        let (eight, four) = (self.byte_row(8), self.byte_row(4));
        let subtract = Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512;
        self.asm
            .op(subtract, &[from_8.into(), selectors.into(), eight.into()]);
        let args = [k.into(), from_8.into(), four.into(), LESS.into()];
        self.asm.op(COMPARE_BYTES, &args);
    }

    /// Copies the bytes of the template's mask.
    fn replace_bytes(&mut self, to: Register, from: Register) {
        let copy = Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512;
        let under = Under::Merge(SCRATCH_MASK);
        self.asm.under(copy, under, &[to.into(), from.into()]);
    }

    /// The low 32 bits of ({a, b} >> count). The count is the lowest bits of c, in units of 2 to the power `unit`.
    fn align(&mut self, unit: u8) -> Done {
        let [a, b, c] = self.args();
        let (high, low) = (self.reg(a)?, self.reg(b)?);
        let [down, up, count, modulo] = SCRATCH;
        if let Some(c) = self.constant(c) {
            let c = (c as u8) << unit & 31;
            self.asm.op(DOWN_BY, &[down.into(), low.into(), c.into()]);
            // A shift by 32 gives 0.
            self.asm
                .op(UP_BY, &[up.into(), high.into(), (32 - c).into()]);
        } else {
            let c = self.reg(c)?;
            self.asm.op(UP_BY, &[modulo.into(), c.into(), unit.into()]);
            let bits = Arg::Each(self.asm.constant(31));
            self.asm.op(AND, &[modulo.into(), modulo.into(), bits]);
            self.fill_dwords(count, 32);
            let args = [count.into(), count.into(), modulo.into()];
            self.asm.op(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, &args);
            let args = [down.into(), low.into(), modulo.into()];
            self.asm
                .op(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &args);
            self.asm.op(UP, &[up.into(), high.into(), count.into()]);
        }
        let (to, under) = self.result(0)?;
        self.asm
            .under(OR, under, &[to.into(), down.into(), up.into()]);
        Ok(())
    }

    /// The absolute differences of unsigned fields: the larger minus the smaller.
    fn differences(&mut self, to: Register, [a, b]: [Register; 2], [min, max, sub]: [Code; 3]) {
        let less = SCRATCH[3];
        self.asm.op(max, &[to.into(), a.into(), b.into()]);
        self.asm.op(min, &[less.into(), a.into(), b.into()]);
        self.asm.op(sub, &[to.into(), to.into(), less.into()]);
    }

    /// Adds a scratch register and the third operand to the result.
    fn add_up(&mut self, sum: Register, c: Register) -> Done {
        let (to, under) = self.result(0)?;
        self.asm
            .under(ADD, under, &[to.into(), sum.into(), c.into()]);
        Ok(())
    }

    /// Adds the halves of a register's dwords.
    fn add_halves(&mut self, sum: Register) {
        let other = SCRATCH[3];
        let half = Arg::Each(self.asm.constant(0xffff));
        self.asm.op(DOWN_BY, &[other.into(), sum.into(), 16.into()]);
        self.asm.op(AND, &[sum.into(), sum.into(), half]);
        self.asm.op(ADD, &[sum.into(), sum.into(), other.into()]);
    }

    fn sad_bytes(&mut self, masked: bool) -> Done {
        let [a, b, c] = self.args();
        let (a, b, c) = (self.reg(a)?, self.reg(b)?, self.reg(c)?);
        let [sum, ones, ..] = SCRATCH;
        let codes = [
            Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512,
            Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512,
            Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512,
        ];
        self.differences(sum, [a, b], codes);
        if masked {
            let k = SCRATCH_MASK;
            let args = [k.into(), b.into(), b.into()];
            self.asm.op(Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512, &args);
            self.asm.under(
                Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512,
                Under::Zero(k),
                &[sum.into(), sum.into()],
            );
        }
        // Unsigned bytes times 1, added in pairs.
        self.fill_dwords(ones, 0x0101_0101);
        let args = [sum.into(), sum.into(), ones.into()];
        self.asm
            .op(Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512, &args);
        self.add_halves(sum);
        self.add_up(sum, c)
    }
}

fn sad_words(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let codes = [
        Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512,
        Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512,
        Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512,
    ];
    t.differences(SCRATCH[0], [a, b], codes);
    t.add_halves(SCRATCH[0]);
    t.add_up(SCRATCH[0], c)
}

fn sad_dwords(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let codes = [
        MIN_U,
        Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
    ];
    t.differences(SCRATCH[0], [a, b], codes);
    t.add_up(SCRATCH[0], c)
}

/// c with its byte b & 3 replaced by a, or by 0xff if a is larger.
fn insert_u8(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let [at, byte, field, _] = SCRATCH;
    t.asm.op(UP_BY, &[at.into(), b.into(), 3.into()]);
    let count = Arg::Each(t.asm.constant(0x18));
    t.asm.op(AND, &[at.into(), at.into(), count]);
    let most = Arg::Each(t.asm.constant(0xff));
    t.asm.op(MIN_U, &[byte.into(), a.into(), most]);
    t.asm.op(UP, &[byte.into(), byte.into(), at.into()]);
    t.fill_dwords(field, 0xff);
    t.asm.op(UP, &[field.into(), field.into(), at.into()]);
    // The bits: field ? byte : c.
    let args = [field.into(), byte.into(), c.into(), 0xca.into()];
    t.asm
        .op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
    let (to, under) = t.result(0)?;
    let args = [to.into(), field.into()];
    t.asm
        .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
    Ok(())
}

impl Tile<'_, '_> {
    /// Packs the low halves of the first two scratch registers.
    fn pack_scratch(&mut self) -> Done {
        let [low, high, ..] = SCRATCH;
        let half = Arg::Each(self.asm.constant(0xffff));
        self.asm.op(AND, &[low.into(), low.into(), half]);
        self.asm.op(UP_BY, &[high.into(), high.into(), 16.into()]);
        let (to, under) = self.result(0)?;
        self.asm
            .under(OR, under, &[to.into(), low.into(), high.into()]);
        Ok(())
    }
}

/// Packs both operands, each clamped to 16 unsigned bits.
fn pack_sat_u(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let most = Arg::Each(t.asm.constant(0xffff));
    for (to, from) in [a, b].into_iter().enumerate() {
        let from = t.reg(from)?;
        t.asm.op(MIN_U, &[SCRATCH[to].into(), from.into(), most]);
    }
    t.pack_scratch()
}

/// Packs both operands, each clamped to 16 signed bits.
fn pack_sat_s(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let most = Arg::Each(t.asm.constant(0x7fff));
    let least = Arg::Each(t.asm.constant(-0x8000i32 as u32));
    for (to, from) in [a, b].into_iter().enumerate() {
        let (from, to) = (t.reg(from)?, SCRATCH[to]);
        let min = Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
        t.asm.op(min, &[to.into(), from.into(), most]);
        let max = Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
        t.asm.op(max, &[to.into(), to.into(), least]);
    }
    t.pack_scratch()
}
