//! Accesses to records of several dwords with all lanes active and those of each tile at one place: the way in which work-groups
//! that are 16 lanes wide read matrices.

use iced_x86::{Code, Register};
use wavetank_ir::MemKind;
use wavetank_lower::Place;
use wavetank_memory::VECTOR_BYTES;

use super::access::*;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The index of the first lane of each tile.
const FIRSTS: [Register; 4] = [A, B, UNIT, Register::RSI];
/// The record at a place.
pub(super) const RECORD: Register = Register::ZMM5;
/// The last of three dwords.
pub(super) const THIRD: Register = Register::ZMM6;
const PAIR_FOR_ALL: Code = Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64;
const QUARTER_FOR_ALL: Code = Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128;

impl LaneAccess<'_> {
    /// Makes the access if it has this form, and jumps to `done`. Else the code after it continues with all registers intact. The
    /// base and its bounds are known.
    pub(super) fn records_at_one_place(&self, u: &mut Uniform<'_, '_>, done: Label) {
        let Some(places) = self.record_places(u) else {
            return;
        };
        let general = u.asm.label();
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, general);
        compare_lanes(u.asm, places, general);
        first_indices(u.asm, places, general);
        for (tile, first) in (0..).zip(FIRSTS) {
            self.load_record_for_all(u.asm, Mem::sum(BASE, first, 0));
            for n in 0..self.dwords() {
                self.dword_of_record(u.asm, n, Under::All);
                let to = self.to + n * VECTOR_BYTES as u32 + 64 * tile;
                let to = Mem::at(fixed::VECTOR, to);
                u.asm.op(STORE, &[to.into(), DATA.into()]);
            }
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(general);
    }

    /// Loads the record at a place for all lanes at once: four dwords in each quarter of a register, or two of them twice. The
    /// last of three goes to a separate register.
    pub(super) fn load_record_for_all(&self, asm: &mut Asm, from: Mem) {
        if self.dwords() == 4 {
            return asm.op(QUARTER_FOR_ALL, &[RECORD.into(), from.into()]);
        }
        asm.op(PAIR_FOR_ALL, &[RECORD.into(), from.into()]);
        if self.dwords() == 3 {
            let offset = from.offset + 8;
            let third = Mem { offset, ..from };
            asm.op(BROADCAST, &[THIRD.into(), third.into()]);
        }
    }

    /// Broadcasts dword `n` of the record to the lanes.
    pub(super) fn dword_of_record(&self, asm: &mut Asm, n: u32, under: Under) {
        if n == 2 && self.dwords() == 3 {
            return asm.under(COPY, under, &[DATA.into(), THIRD.into()]);
        }
        // The same dword of each quarter, four times.
        let order = Arg::I(0x55 * n as u8);
        let shuffle = Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8;
        asm.under(shuffle, under, &[DATA.into(), RECORD.into(), order]);
    }

    /// The offset of the indices in the vector file, if they are there and the access has this form.
    fn record_places(&self, u: &Uniform<'_, '_>) -> Option<u32> {
        let index = match self.addresses {
            Addresses::Lds(index, None) | Addresses::Index(_, Some(index)) => index,
            Addresses::Raw(buffer) => buffer.offset?,
            _ => return None,
        };
        let loads = self.op.kind == MemKind::Load && self.bytes > 4;
        match u.single.place(source(u.block, index)) {
            Place::Vector(at) if loads => Some(at),
            _ => None,
        }
    }
}

/// Jumps to a label unless the lanes of each tile are at one place.
fn compare_lanes(asm: &mut Asm, places: u32, general: Label) {
    asm.op(ZERO, &[OLD.into(); 3]);
    for tile in 0..4 {
        let here = Mem::at(fixed::VECTOR, places + 64 * tile);
        asm.op(BROADCAST, &[FIRST.into(), here.into()]);
        asm.op(SUB, &[APART.into(), FIRST.into(), here.into()]);
        asm.op(OR, &[OLD.into(), OLD.into(), APART.into()]);
    }
    asm.op(TEST, &[K.into(), OLD.into(), OLD.into()]);
    asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
    asm.jump(Code::Jne_rel32_64, general);
}

/// Loads the indices of the first lanes, which all others share; jumps to a label if one is out of bounds.
fn first_indices(asm: &mut Asm, places: u32, general: Label) {
    for (tile, first) in (0..).zip(FIRSTS) {
        let from = Mem::at(fixed::VECTOR, places + 64 * tile);
        asm.op(Code::Movsxd_r64_rm32, &[first.into(), from.into()]);
        asm.op(Code::Cmp_r64_rm64, &[first.into(), LOW.into()]);
        asm.jump(Code::Jl_rel32_64, general);
        asm.op(Code::Cmp_r64_rm64, &[first.into(), HIGH.into()]);
        asm.jump(Code::Jg_rel32_64, general);
    }
}
