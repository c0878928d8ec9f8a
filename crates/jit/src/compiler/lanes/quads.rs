//! Accesses to records of four dwords with all lanes active, and those of four lanes at a time side by side: the way in which
//! work-groups copy tiles of matrices to LDS and back. A register is moved for four lanes.

use iced_x86::{Code, Register};
use wavetank_ir::MemKind;
use wavetank_lower::Place;
use wavetank_memory::{MemoryUnit, Stride, VECTOR_BYTES};

use super::access::*;
use super::rows::{OR_DIFFERENCE, ROW, TERNARY, TILES};
use super::wide::{
    ORDER, QUARTERS, RECORD_BYTES, extract_record, insert_record, interleave, load_order,
};
use crate::compiler::asm::{Asm, Label, Mem, fixed};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The places of the four groups of a tile.
const PLACES: [Register; 4] = [A, B, UNIT, Register::RSI];
const SMALLEST: Register = Register::ZMM5;
const LARGEST: Register = Register::ZMM6;
const MIN: Code = Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
const MAX: Code = Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
const SHUFFLE: Code = Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8;

impl LaneAccess<'_> {
    /// Makes the access if it has this form, and jumps to `done`. Else the code after it continues with all registers intact. The
    /// base and its bounds are known.
    pub(super) fn quads(&self, u: &mut Uniform<'_, '_>, done: Label) {
        let Some(places) = self.quad_places(u) else {
            return;
        };
        let general = u.asm.label();
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, general);
        compare_quads(u.asm, places);
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(); 2]);
        u.asm.jump(Code::Jne_rel32_64, general);
        if self.op.kind == MemKind::Load && matches!(self.addresses, Addresses::Raw(_)) {
            self.prefetch_quads(u.asm, places);
        }
        self.move_quads_of_lanes(u, places);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(general);
    }

    /// The offset of the indices in the vector file, if they are there and the access has this form.
    fn quad_places(&self, u: &Uniform<'_, '_>) -> Option<u32> {
        let index = match self.addresses {
            Addresses::Lds(index, None) | Addresses::Index(_, Some(index)) => index,
            Addresses::Raw(buffer) => buffer.offset?,
            _ => return None,
        };
        let plain = matches!(self.op.kind, MemKind::Load | MemKind::Store);
        match u.single.place(source(u.block, index)) {
            Place::Vector(at) if plain && self.bytes == RECORD_BYTES => Some(at),
            _ => None,
        }
    }

    /// Prefetches the records of the next access, if the base has moved by the same step twice: a loop over the slices of a matrix,
    /// whose rows are in a page each, where the host does not prefetch by itself. The waves of a work-group mostly share the base.
    fn prefetch_quads(&self, asm: &mut Asm, places: u32) {
        let (same, unknown) = (asm.label(), asm.label());
        asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        asm.op(LOAD, &[UNIT.into(), at(UNIT, MemoryUnit::BOUNDS_CACHES)]);
        let field = |field| at(UNIT, MemoryUnit::stride_at(self.slot) + field);
        let (step, ahead) = (A, B);
        asm.op(Code::Mov_r64_rm64, &[step.into(), BASE.into()]);
        asm.op(Code::Sub_r64_rm64, &[step.into(), field(Stride::BASE)]);
        asm.jump(Code::Je_rel32_64, same);
        asm.op(STORE_64, &[field(Stride::BASE), BASE.into()]);
        asm.set(ahead, 0);
        asm.op(Code::Cmp_r64_rm64, &[step.into(), field(Stride::STEP)]);
        asm.op(Code::Cmove_r64_rm64, &[ahead.into(), step.into()]);
        asm.op(STORE_64, &[field(Stride::STEP), step.into()]);
        asm.op(STORE_64, &[field(Stride::AHEAD), ahead.into()]);
        asm.place(same);
        asm.op(LOAD, &[ahead.into(), field(Stride::AHEAD)]);
        asm.op(Code::Test_rm64_r64, &[ahead.into(), ahead.into()]);
        asm.jump(Code::Je_rel32_64, unknown);
        asm.op(Code::Add_r64_rm64, &[ahead.into(), BASE.into()]);
        for quad in 0..TILES * 4 {
            let index = Mem::at(fixed::VECTOR, places + RECORD_BYTES * quad);
            asm.op(Code::Movsxd_r64_rm32, &[step.into(), index.into()]);
            let next = Mem::sum(ahead, step, 0);
            // Rows of a matrix are often a multiple of 4096 bytes apart, which is one set of the first level.
            asm.op(Code::Prefetcht1_m8, &[next.into()]);
        }
        asm.place(unknown);
    }

    /// Moves the records tile by tile. Stores are in the order of lanes, since groups may overlap.
    fn move_quads_of_lanes(&self, u: &mut Uniform<'_, '_>, places: u32) {
        let again = u.asm.label();
        if u.asm.is_avx512() {
            load_order(u.asm);
        }
        u.asm.set(fixed::TILE, 0);
        u.asm.place(again);
        for (quad, place) in (0..).zip(PLACES) {
            let index = Mem::sum(fixed::VECTOR, fixed::TILE, places + RECORD_BYTES * quad);
            u.asm
                .op(Code::Movsxd_r64_rm32, &[place.into(), index.into()]);
        }
        match self.op.kind {
            MemKind::Load => self.load_quads(u.asm),
            _ => self.store_quads(u),
        }
        u.asm
            .with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), 64, true);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        u.asm.jump(Code::Jne_rel32_64, again);
    }

    fn load_quads(&self, asm: &mut Asm) {
        if asm.is_avx512() {
            for (place, to) in PLACES.into_iter().zip(QUARTERS) {
                asm.op(COPY, &[to.into(), Mem::sum(BASE, place, 0).into()]);
            }
            interleave(asm);
            for to in QUARTERS {
                asm.op(PERMUTE, &[to.into(), ORDER.into(), to.into()]);
            }
        } else {
            for lane in 0..ROW {
                insert_record(asm, lane, of_lane(lane));
            }
            interleave(asm);
        }
        for (n, from) in (0..).zip(QUARTERS) {
            let to = self.to + n * VECTOR_BYTES as u32;
            let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
            asm.op(STORE, &[to.into(), from.into()]);
        }
    }

    /// Loads the records of a tile that are to be stored: those of four lanes in each register, or, for AVX2, in its quarters.
    pub(super) fn data_in_quads(&self, u: &mut Uniform<'_, '_>) {
        for (data, to) in self.op.data.iter().zip(QUARTERS) {
            lanes(u, to, *data, 0);
            if u.asm.is_avx512() {
                u.asm.op(PERMUTE, &[to.into(), ORDER.into(), to.into()]);
            }
        }
        interleave(u.asm);
    }

    fn store_quads(&self, u: &mut Uniform<'_, '_>) {
        self.data_in_quads(u);
        if u.asm.is_avx512() {
            for (place, from) in PLACES.into_iter().zip(QUARTERS) {
                let to = Mem::sum(BASE, place, 0);
                u.asm.op(STORE, &[to.into(), from.into()]);
            }
        } else {
            for lane in 0..ROW {
                extract_record(u.asm, lane, of_lane(lane));
            }
        }
    }
}

/// The record of a lane, by the place of its group.
fn of_lane(lane: u32) -> Mem {
    let place = PLACES[lane as usize / 4];
    Mem::sum(BASE, place, RECORD_BYTES * (lane % 4))
}

/// Computes the lanes that are out of bounds, or not side by side with the three others of their group.
fn compare_quads(asm: &mut Asm, places: u32) {
    let numbers: [u32; ROW as usize] = std::array::from_fn(|lane| RECORD_BYTES * (lane as u32 % 4));
    let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
    asm.op(ZERO, &[OLD.into(); 3]);
    asm.op(COPY, &[DATA.into(), numbers.into()]);
    for tile in 0..TILES {
        let here = Mem::at(fixed::VECTOR, places + 64 * tile);
        asm.op(COPY, &[INDEX.into(), here.into()]);
        for (end, code) in [(SMALLEST, MIN), (LARGEST, MAX)] {
            match tile {
                0 => asm.op(COPY, &[end.into(), INDEX.into()]),
                _ => asm.op(code, &[end.into(), end.into(), INDEX.into()]),
            }
        }
        asm.op(SHUFFLE, &[FIRST.into(), INDEX.into(), 0.into()]);
        asm.op(SUB, &[APART.into(), INDEX.into(), FIRST.into()]);
        let args = [OLD.into(), APART.into(), DATA.into(), OR_DIFFERENCE.into()];
        asm.op(TERNARY, &args);
    }
    for (vector, register) in [(LOWEST, LOW), (HIGHEST, HIGH)] {
        let narrow = crate::compiler::asm::low(register);
        asm.op(SPREAD, &[vector.into(), narrow.into()]);
    }
    asm.op(TEST, &[K.into(), OLD.into(), OLD.into()]);
    for (end, limit, beyond) in [(SMALLEST, LOWEST, LESS), (LARGEST, HIGHEST, GREATER)] {
        let args = [RESULTS.into(), end.into(), limit.into(), beyond.into()];
        asm.op(COMPARE, &args);
        asm.op(
            Code::VEX_Korw_kr_kr_kr,
            &[K.into(), K.into(), RESULTS.into()],
        );
    }
}
