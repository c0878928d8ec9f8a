//! Accesses to records of several dwords at separate places: each record is loaded or stored at once, and sixteen records are
//! transposed to the dwords of sixteen lanes.
//!
//! A register contains four records, in its quarters. The records of lanes 0, 4, 8 and 12 are in the first register, those of 1,
//! 5, 9 and 13 in the second, and so on. Interleaving them quarter by quarter gives the dwords of all lanes.

use iced_x86::{Code, Register};
use wavetank_ir::MemKind;

use super::access::*;
use crate::compiler::asm::{Arg, Asm, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

/// Records, or the dwords of all lanes.
pub(super) const QUARTERS: [Register; 4] = [
    Register::ZMM5,
    Register::ZMM6,
    Register::ZMM7,
    Register::ZMM8,
];
/// The order of lanes in transposed records.
pub(super) const ORDER: Register = Register::ZMM14;
/// The bytes of four dwords, which are loaded to a quarter of a register.
pub(super) const RECORD_BYTES: u32 = 16;
/// Intermediate pairs of the transposition.
const PAIRS: [Register; 4] = [
    Register::ZMM9,
    Register::ZMM10,
    Register::ZMM11,
    Register::ZMM12,
];
/// A record before it is inserted into a quarter.
const RECORD: Register = Register::XMM13;
/// Registers for the places of successive lanes.
const PLACES: [Register; 4] = [A, B, UNIT, Register::RSI];
/// The mask of active lanes, in a general register.
const LANES_ON: Register = Register::R9D;

const INSERT: Code = Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
const EXTRACT: Code = Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8;
const LOW_DWORDS: Code = Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32;
const HIGH_DWORDS: Code = Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32;
const LOW_QWORDS: Code = Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64;
const HIGH_QWORDS: Code = Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64;

impl LaneAccess<'_> {
    /// Loads the records of a tile.
    pub(super) fn load_records(&self, u: &mut Uniform<'_, '_>) {
        let none = u.asm.label();
        if self.leaves_out() {
            for quarter in QUARTERS {
                u.asm.op(ZERO, &[quarter.into(); 3]);
            }
            u.asm.op(Code::VEX_Kortestw_kr_kr, &[ON.into(), ON.into()]);
            u.asm.jump(Code::Je_rel32_64, none);
            // The lanes to leave out have been found from their own indices by now.
            let somewhere = self.sent_somewhere(u.asm);
            u.asm
                .op(STORE, &[self.kept_index(0).into(), somewhere.into()]);
        }
        for lane in 0..16 {
            self.load_record(u.asm, lane);
        }
        interleave(u.asm);
        u.asm.place(none);
        for n in 0..self.dwords() {
            let from = QUARTERS[n as usize];
            u.asm
                .under(COPY, Under::Zero(ON), &[DATA.into(), from.into()]);
            self.keep(u.asm, n);
        }
    }

    /// Loads the kept indices. For loads of records, inactive lanes are redirected here, long before all indices are read one by
    /// one, which would wait for the store.
    pub(super) fn kept_for_all(&self, asm: &mut Asm) -> Register {
        if self.op.kind != MemKind::Load || self.has_rows() || self.leaves_out() {
            return INDEX;
        }
        self.sent_somewhere(asm)
    }

    /// The indices with inactive lanes redirected to the place of the first active one; the values that they load are not used.
    fn sent_somewhere(&self, asm: &mut Asm) -> Register {
        let number = low(A);
        asm.op(Code::VEX_Kmovw_r32_kr, &[number.into(), ON.into()]);
        asm.op(Code::Tzcnt_r32_rm32, &[number.into(), number.into()]);
        asm.op(SPREAD, &[FIRST.into(), number.into()]);
        asm.op(PERMUTE, &[FIRST.into(), FIRST.into(), INDEX.into()]);
        asm.under(COPY, Under::Merge(ON), &[FIRST.into(), INDEX.into()]);
        FIRST
    }

    /// The index of a lane of the tile.
    fn kept_index(&self, lane: u32) -> Mem {
        let kept = self.kept.expect("records keep their indices");
        Mem::sum(fixed::VECTOR, fixed::TILE, kept + 4 * lane)
    }

    /// The place of a lane of the tile.
    fn place_of(&self, asm: &mut Asm, lane: u32) -> Mem {
        let place = PLACES[lane as usize % 4];
        let index = self.kept_index(lane);
        asm.op(Code::Movsxd_r64_rm32, &[place.into(), index.into()]);
        Mem::sum(BASE, place, 0)
    }

    /// Loads the record of a lane into its quarter.
    fn load_record(&self, asm: &mut Asm, lane: u32) {
        let from = self.place_of(asm, lane);
        let (to, quarter) = (QUARTERS[lane as usize % 4], (lane / 4) as u8);
        let first = low_quarter(to);
        let record = if quarter == 0 { first } else { RECORD };
        match self.dwords() {
            4 => return insert_record(asm, lane, from),
            dwords => {
                asm.op(Code::VEX_Vmovq_xmm_xmmm64, &[record.into(), from.into()]);
                if dwords == 3 {
                    let third = Mem { offset: 8, ..from };
                    let args = [record.into(), record.into(), third.into(), 2.into()];
                    asm.op(Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8, &args);
                }
            }
        }
        if quarter > 0 {
            let args = [to.into(), to.into(), RECORD.into(), quarter.into()];
            asm.op(INSERT, &args);
        }
    }

    /// Stores the records of a tile in the order of lanes, since they may overlap.
    pub(super) fn store_records(&self, u: &mut Uniform<'_, '_>) {
        for (n, to) in QUARTERS.into_iter().enumerate() {
            match self.op.data.get(n) {
                Some(data) => lanes(u, to, *data, 0),
                None => u.asm.op(ZERO, &[to.into(); 3]),
            }
        }
        interleave(u.asm);
        let on = LANES_ON.into();
        u.asm.op(Code::VEX_Kmovw_r32_kr, &[on, ON.into()]);
        for lane in 0..16 {
            let off = u.asm.label();
            u.asm.op(Code::Bt_rm32_imm8, &[on, Arg::I(lane as u8)]);
            u.asm.jump(Code::Jae_rel32_64, off);
            self.store_record(u.asm, lane);
            u.asm.place(off);
        }
    }

    /// Stores a quarter to the place of its lane.
    fn store_record(&self, asm: &mut Asm, lane: u32) {
        let to = self.place_of(asm, lane);
        let (from, quarter) = (QUARTERS[lane as usize % 4], (lane / 4) as u8);
        let record = match quarter {
            0 => low_quarter(from),
            _ => RECORD,
        };
        if self.dwords() == 4 {
            return extract_record(asm, lane, to);
        }
        if quarter > 0 {
            asm.op(EXTRACT, &[RECORD.into(), from.into(), quarter.into()]);
        }
        put_record(asm, self.dwords(), record, to);
    }
}

/// Stores the record of two to four dwords in the low quarter of a register.
pub(super) fn put_record(asm: &mut Asm, dwords: u32, record: Register, to: Mem) {
    if dwords == 4 {
        return asm.op(Code::VEX_Vmovdqu_xmmm128_xmm, &[to.into(), record.into()]);
    }
    asm.op(Code::VEX_Vmovq_xmmm64_xmm, &[to.into(), record.into()]);
    if dwords == 3 {
        let third = Mem {
            offset: to.offset + 8,
            ..to
        };
        let args = [third.into(), record.into(), 2.into()];
        asm.op(Code::VEX_Vpextrd_rm32_xmm_imm8, &args);
    }
}

/// Loads four dwords of memory into the quarter of a lane.
pub(super) fn insert_record(asm: &mut Asm, lane: u32, from: Mem) {
    let (to, quarter) = (QUARTERS[lane as usize % 4], (lane / 4) as u8);
    if quarter == 0 {
        let args = [low_quarter(to).into(), from.into()];
        return asm.op(Code::VEX_Vmovdqu_xmm_xmmm128, &args);
    }
    let args = [to.into(), to.into(), from.into(), quarter.into()];
    asm.op(INSERT, &args);
}

/// Stores the quarter of a lane to memory.
pub(super) fn extract_record(asm: &mut Asm, lane: u32, to: Mem) {
    let (from, quarter) = (QUARTERS[lane as usize % 4], (lane / 4) as u8);
    if quarter == 0 {
        let args = [to.into(), low_quarter(from).into()];
        return asm.op(Code::VEX_Vmovdqu_xmmm128_xmm, &args);
    }
    asm.op(EXTRACT, &[to.into(), from.into(), quarter.into()]);
}

/// The lowest quarter of a register.
fn low_quarter(register: Register) -> Register {
    Register::XMM0 + (register as u32 - Register::ZMM0 as u32)
}

/// Transposes records of four lanes in each quarter to the dwords of all lanes, or back.
pub(super) fn interleave(asm: &mut Asm) {
    let [a, b, c, d] = QUARTERS;
    let [ab, ab_high, cd, cd_high] = PAIRS;
    asm.op(LOW_DWORDS, &[ab.into(), a.into(), b.into()]);
    asm.op(HIGH_DWORDS, &[ab_high.into(), a.into(), b.into()]);
    asm.op(LOW_DWORDS, &[cd.into(), c.into(), d.into()]);
    asm.op(HIGH_DWORDS, &[cd_high.into(), c.into(), d.into()]);
    asm.op(LOW_QWORDS, &[a.into(), ab.into(), cd.into()]);
    asm.op(HIGH_QWORDS, &[b.into(), ab.into(), cd.into()]);
    asm.op(LOW_QWORDS, &[c.into(), ab_high.into(), cd_high.into()]);
    asm.op(HIGH_QWORDS, &[d.into(), ab_high.into(), cd_high.into()]);
}

/// Loads the order of the lanes of records that whole registers have in a row. After [`interleave`], lane `4 * k + q` is in
/// quarter `q` of its register, at place `k`.
pub(super) fn load_order(asm: &mut Asm) {
    let order: [u32; 16] = std::array::from_fn(|lane| (lane % 4 * 4 + lane / 4) as u32);
    let order = Mem::at(fixed::CONSTANTS, asm.constant_row(&order));
    asm.op(COPY, &[ORDER.into(), order.into()]);
}
