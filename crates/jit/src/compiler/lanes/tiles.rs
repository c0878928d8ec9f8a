//! Accesses to dwords of lanes that are not all in one row, as in reads of matrices: first all lanes are compared with the
//! bounds, then each tile goes to a row, to one place, or to separate places.

use iced_x86::{Code, Register};
use wavetank_ir::MemKind;
use wavetank_lower::Place;
use wavetank_memory::VECTOR_BYTES;

use super::access::*;
use crate::compiler::asm::{Arg, Label, Mem, Under, fixed, low};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The low half of the base, to which the indices of addresses are relative.
const LOW_HALF: Register = Register::RSI;
/// The smallest and the largest low half of an address, or the largest index.
const SMALLEST: Register = Register::ZMM20;
const LARGEST: Register = Register::ZMM21;

/// The active lanes of each tile.
const TILES: [Register; 4] = [Register::K1, Register::K2, Register::K3, Register::K4];
const TILE_BYTES: u32 = 64;

/// The active lanes that are out of bounds.
const OUTSIDE: Register = Register::K7;
/// The lanes that are in bounds.
const INSIDE: Register = Register::K5;

/// Predicates of VPCMPUD, numbered as in Intel's manual.
const AT_MOST: u8 = 2;
const AT_LEAST: u8 = 5;
const EQUAL: u8 = 0;

impl LaneAccess<'_> {
    /// The offsets of the lanes' indices in the vector file, for an access to dwords at any address; for addresses those of the
    /// low and the high halves.
    pub(super) fn planes(&self, u: &Uniform<'_, '_>) -> Option<(u32, Option<u32>)> {
        let plain = matches!(self.op.kind, MemKind::Load | MemKind::Store);
        if !plain || self.bytes != 4 {
            return None;
        }
        let (index, wide) = match self.addresses {
            Addresses::Lds(index, None) | Addresses::Index(_, Some(index)) => (index, false),
            Addresses::Lanes(address) => (address, true),
            _ => return None,
        };
        match u.single.place(source(u.block, index)) {
            Place::Vector(at) => Some((at, wide.then_some(at + VECTOR_BYTES as u32))),
            // All lanes access one place.
            _ => None,
        }
    }

    /// Emits the access for the offsets of its indices. Base and bounds are known.
    pub(super) fn in_tiles(
        &self,
        u: &mut Uniform<'_, '_>,
        (low, high): (u32, Option<u32>),
        slow: Label,
    ) {
        match high {
            Some(_) => ends_of_addresses(u, slow),
            None => end_of_indices(u, slow),
        }
        self.compare_tiles(u, low, high);
        let k = OUTSIDE.into();
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[k, k]);
        u.asm.jump(Code::Jne_rel32_64, slow);
        self.tiles(u, |access, u| access.tile(u, low, high.is_some()));
    }

    /// Computes the active lanes that are out of bounds.
    fn compare_tiles(&self, u: &mut Uniform<'_, '_>, low: u32, high: Option<u32>) {
        for (tile, on) in (0..).zip(TILES) {
            let plane = |plane: u32| Mem::at(fixed::VECTOR, plane + TILE_BYTES * tile);
            let pieces = self.on(u);
            let piece = Mem::at(pieces.base, pieces.offset as u32 + 2 * tile);
            u.asm
                .op(Code::VEX_Kmovw_kr_km16, &[on.into(), piece.into()]);
            u.asm.op(COPY, &[INDEX.into(), plane(low).into()]);
            let mut under = on;
            let mut compare = |a: Register, b: Arg, how: u8| {
                let args = [INSIDE.into(), a.into(), b, how.into()];
                u.asm.under(COMPARE_UNSIGNED, Under::Merge(under), &args);
                under = INSIDE;
            };
            if let Some(high) = high {
                compare(BASE_HIGH, plane(high).into(), EQUAL);
                compare(INDEX, SMALLEST.into(), AT_LEAST);
            }
            compare(INDEX, LARGEST.into(), AT_MOST);
            let outside = if tile == 0 { OUTSIDE } else { INSIDE };
            let args = [outside.into(), INSIDE.into(), on.into()];
            u.asm.op(Code::VEX_Kxorw_kr_kr_kr, &args);
            if tile > 0 {
                let args = [OUTSIDE.into(), OUTSIDE.into(), INSIDE.into()];
                u.asm.op(Code::VEX_Korw_kr_kr_kr, &args);
            }
        }
    }

    /// Emits the access of a tile, to a row, to one place, or to separate places.
    fn tile(&self, u: &mut Uniform<'_, '_>, low: u32, wide: bool) {
        let (row, same, stored) = (u.asm.label(), u.asm.label(), u.asm.label());
        let plane = Mem::sum(fixed::VECTOR, fixed::TILE, low);
        self.first_place(u, plane, wide);
        let register = Mem::sum(fixed::VECTOR, fixed::TILE, self.to);
        let is_load = self.op.kind == MemKind::Load;
        if is_load {
            u.asm.op(COPY, &[OLD.into(), register.into()]);
        } else {
            lanes(u, DATA, self.op.data[0], 0);
        }
        let mut go = |with: Register, to: Label| {
            let args = [K.into(), with.into(), plane.into(), NOT_EQUAL.into()];
            u.asm.under(COMPARE, Under::Merge(ON), &args);
            u.asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
            u.asm.jump(Code::Je_rel32_64, to);
        };
        go(APART, row);
        go(FIRST, same);
        self.each_its_own_way(u, plane, wide);
        u.asm.jump(Code::Jmp_rel32_64, stored);
        let one = Arg::M(Mem::sum(BASE, A, 0));
        let under = |u: &mut Uniform<'_, '_>, code, args: [Arg; 2]| {
            u.asm.under(code, Under::Merge(ON), &args);
        };
        if !is_load {
            u.asm.place(row);
            under(u, STORE, [one, DATA.into()]);
            u.asm.jump(Code::Jmp_rel32_64, stored);
            u.asm.place(same);
            self.store_last(u);
            return u.asm.place(stored);
        }
        u.asm.place(same);
        under(u, BROADCAST, [OLD.into(), one]);
        u.asm.jump(Code::Jmp_rel32_64, stored);
        u.asm.place(row);
        under(u, COPY, [OLD.into(), one]);
        u.asm.place(stored);
        u.asm.op(STORE, &[register.into(), OLD.into()]);
    }

    /// Computes the place of a tile's first lane: its index, its low half in all lanes, and the row that begins there. The lane
    /// may be inactive: if the others are at the places that it implies, so would it be.
    fn first_place(&self, u: &mut Uniform<'_, '_>, plane: Mem, wide: bool) {
        let narrow = low(A);
        u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), plane.into()]);
        if wide {
            let half = low(LOW_HALF);
            u.asm.op(Code::Sub_r32_rm32, &[narrow.into(), half.into()]);
        }
        u.asm.op(Code::Movsxd_r64_rm32, &[A.into(), narrow.into()]);
        u.asm.op(BROADCAST, &[FIRST.into(), plane.into()]);
        let numbers: [u32; 16] = std::array::from_fn(|lane| 4 * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, u.asm.constant_row(&numbers));
        u.asm.op(ADD, &[APART.into(), FIRST.into(), numbers.into()]);
    }

    /// Emits a gather, or a scatter in the order of lanes.
    fn each_its_own_way(&self, u: &mut Uniform<'_, '_>, plane: Mem, wide: bool) {
        u.asm.op(COPY, &[INDEX.into(), plane.into()]);
        if wide {
            u.asm
                .op(SUB, &[INDEX.into(), INDEX.into(), BASE_LOW.into()]);
        }
        // The gather or scatter clears its mask.
        u.asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
        let place = Mem::sum(BASE, INDEX, 0);
        let (code, args) = match self.op.kind {
            MemKind::Load => (
                Code::EVEX_Vpgatherdd_zmm_k1_vm32z,
                [OLD.into(), place.into()],
            ),
            _ => (
                Code::EVEX_Vpscatterdd_vm32z_k1_zmm,
                [place.into(), DATA.into()],
            ),
        };
        u.asm.under(code, Under::Merge(K), &args);
    }
}

/// Computes the bounds of the low halves of addresses that share the high half of the base, and the base minus its index 0.
fn ends_of_addresses(u: &mut Uniform<'_, '_>, other: Label) {
    let half = low(LOW_HALF);
    let base = Register::XMM18;
    u.asm
        .op(Code::EVEX_Vmovd_rm32_xmm, &[half.into(), base.into()]);
    let ends = [
        (LOW, B, 0, Code::Cmovl_r64_rm64),
        (HIGH, UNIT, u64::from(u32::MAX), Code::Cmovg_r64_rm64),
    ];
    for (index, end, limit, code) in ends {
        u.asm.op(Code::Mov_r64_rm64, &[end.into(), index.into()]);
        u.asm.op(Code::Add_r64_rm64, &[end.into(), LOW_HALF.into()]);
        u.asm.set(A, limit);
        u.asm.op(Code::Cmp_r64_rm64, &[end.into(), A.into()]);
        u.asm.op(code, &[end.into(), A.into()]);
    }
    u.asm.op(Code::Cmp_r64_rm64, &[B.into(), UNIT.into()]);
    u.asm.jump(Code::Jg_rel32_64, other);
    for (vector, end) in [(SMALLEST, B), (LARGEST, UNIT)] {
        let end = low(end);
        u.asm.op(SPREAD, &[vector.into(), end.into()]);
    }
}

/// Computes the bounds of indices, from 0 on.
fn end_of_indices(u: &mut Uniform<'_, '_>, other: Label) {
    u.asm.op(Code::Test_rm64_r64, &[LOW.into(), LOW.into()]);
    u.asm.jump(Code::Jne_rel32_64, other);
    u.asm.op(Code::Test_rm64_r64, &[HIGH.into(), HIGH.into()]);
    u.asm.jump(Code::Js_rel32_64, other);
    let end = low(HIGH);
    u.asm.op(SPREAD, &[LARGEST.into(), end.into()]);
}
