//! Dwords of lanes that are not all in one row: first all are compared with the ends of what may be accessed, then each tile
//! goes to a row, to one place, or each lane its own way. Matrices are read so.

use iced_x86::{Code, Register};

use super::rows::{ELSEWHERE, TILE_BYTES, TILES};
use super::*;
use crate::asm::Under;

/// The low half of the base, which addresses are less their index.
const LOW_HALF: Register = Register::RSI;
/// The smallest and the largest low half of an address, or the largest index.
const SMALLEST: Register = Register::ZMM20;
const LARGEST: Register = Register::ZMM21;

/// Lanes that may access what is there.
const INSIDE: Register = Register::K5;

/// Those that go elsewhere, or are left.
const FOUND: Register = Register::K6;

/// Predicates of VPCMPUD.
const AT_MOST: u8 = 2;
const AT_LEAST: u8 = 5;
const EQUAL: u8 = 0;

impl LaneAccess<'_> {
    /// The access, where that is all its lanes may do; behind it, the code goes to `done`. Base and ends are known.
    pub(super) fn in_tiles(&self, u: &mut Uniform<'_, '_>, done: Label) {
        let aligned = matches!(self.addresses, Addresses::Lds(_, Some(_)));
        let Some((low, high)) = self.planes(u).filter(|_| !aligned) else {
            return;
        };
        let other = u.asm.label();
        match high {
            Some(_) => ends_of_addresses(u, other),
            None => end_of_indices(u, other),
        }
        self.compare_tiles(u, low, high);
        let k = ELSEWHERE.into();
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[k, k]);
        u.asm.jump(Code::Jne_rel32_64, other);
        for tile in 0..4 {
            self.tile(u, tile, low, high.is_some());
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(other);
    }

    /// Finds the lanes that are on and may not access what is there.
    fn compare_tiles(&self, u: &mut Uniform<'_, '_>, low: u32, high: Option<u32>) {
        for (tile, on) in (0..).zip(TILES) {
            let plane = |plane: u32| Mem::at(fixed::VECTOR, plane + TILE_BYTES * tile);
            let from = self.piece(u, tile);
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[on.into(), from.into()]);
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
            let outside = if tile == 0 { ELSEWHERE } else { INSIDE };
            let args = [outside.into(), INSIDE.into(), on.into()];
            u.asm.op(Code::VEX_Kxorw_kr_kr_kr, &args);
            if tile > 0 {
                let args = [ELSEWHERE.into(), ELSEWHERE.into(), INSIDE.into()];
                u.asm.op(Code::VEX_Korw_kr_kr_kr, &args);
            }
        }
    }

    /// The access of a tile.
    fn tile(&self, u: &mut Uniform<'_, '_>, tile: u32, low: u32, wide: bool) {
        let on = TILES[tile as usize];
        let (row, same, stored) = (u.asm.label(), u.asm.label(), u.asm.label());
        let end = u.asm.label();
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[on.into(), on.into()]);
        u.asm.jump(Code::Je_rel32_64, end);
        let plane = Mem::at(fixed::VECTOR, low + TILE_BYTES * tile);
        // Where its first lane goes. It need not be on: if the others are where it says that they are, so would it be.
        let narrow = crate::asm::low(A);
        u.asm
            .op(Code::Mov_r32_rm32, &[narrow.into(), plane.into()]);
        if wide {
            let half = crate::asm::low(LOW_HALF);
            u.asm
                .op(Code::Sub_r32_rm32, &[narrow.into(), half.into()]);
        }
        u.asm
            .op(Code::Movsxd_r64_rm32, &[A.into(), narrow.into()]);
        u.asm.op(BROADCAST, &[FIRST.into(), plane.into()]);
        let numbers: [u32; 16] = std::array::from_fn(|lane| 4 * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, u.asm.constant_row(&numbers));
        u.asm
            .op(ADD, &[APART.into(), FIRST.into(), numbers.into()]);
        let is_load = self.op.kind == MemKind::Load;
        let at = u32::from(self.to) * VECTOR_BYTES as u32 + TILE_BYTES * tile;
        let register = Mem::at(fixed::VECTOR, at);
        if is_load {
            u.asm.op(COPY, &[OLD.into(), register.into()]);
        } else {
            self.data_of_tile(u, tile);
        }
        let mut go = |with: Register, to: Label| {
            let args = [FOUND.into(), with.into(), plane.into(), NOT_EQUAL.into()];
            u.asm.under(COMPARE, Under::Merge(on), &args);
            u.asm.op(Code::VEX_Kortestw_kr_kr, &[FOUND.into(), FOUND.into()]);
            u.asm.jump(Code::Je_rel32_64, to);
        };
        go(APART, row);
        if is_load {
            go(FIRST, same);
        }
        self.each_its_own_way(u, plane, on, wide);
        u.asm.jump(Code::Jmp_rel32_64, stored);
        let one = Mem::sum(BASE, A, 0);
        if is_load {
            u.asm.place(same);
            u.asm
                .under(BROADCAST, Under::Merge(on), &[OLD.into(), one.into()]);
            u.asm.jump(Code::Jmp_rel32_64, stored);
            u.asm.place(row);
            u.asm
                .under(COPY, Under::Merge(on), &[OLD.into(), one.into()]);
            u.asm.place(stored);
            u.asm.op(STORE, &[register.into(), OLD.into()]);
        } else {
            u.asm.place(row);
            u.asm
                .under(STORE, Under::Merge(on), &[one.into(), DATA.into()]);
            u.asm.place(stored);
        }
        u.asm.place(end);
    }

    /// A gather, or a scatter in the order of lanes.
    fn each_its_own_way(&self, u: &mut Uniform<'_, '_>, plane: Mem, on: Register, wide: bool) {
        u.asm.op(COPY, &[INDEX.into(), plane.into()]);
        if wide {
            u.asm
                .op(SUB, &[INDEX.into(), INDEX.into(), BASE_LOW.into()]);
        }
        // The mask is used up.
        u.asm.op(Code::VEX_Kmovw_kr_km16, &[FOUND.into(), on.into()]);
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
        u.asm.under(code, Under::Merge(FOUND), &args);
    }
}

/// The low halves of addresses with the high half of the base that may be accessed: the base less its index 0, and the ends.
fn ends_of_addresses(u: &mut Uniform<'_, '_>, other: Label) {
    let half = crate::asm::low(LOW_HALF);
    let base = Register::XMM18;
    u.asm
        .op(Code::EVEX_Vmovd_rm32_xmm, &[half.into(), base.into()]);
    let ends = [
        (LOW, B, 0, Code::Cmovl_r64_rm64),
        (HIGH, UNIT, u64::from(u32::MAX), Code::Cmovg_r64_rm64),
    ];
    for (index, end, limit, code) in ends {
        u.asm.op(Code::Mov_r64_rm64, &[end.into(), index.into()]);
        u.asm
            .op(Code::Add_r64_rm64, &[end.into(), LOW_HALF.into()]);
        u.asm.set(A, limit);
        u.asm.op(Code::Cmp_r64_rm64, &[end.into(), A.into()]);
        u.asm.op(code, &[end.into(), A.into()]);
    }
    u.asm.op(Code::Cmp_r64_rm64, &[B.into(), UNIT.into()]);
    u.asm.jump(Code::Jg_rel32_64, other);
    for (vector, end) in [(SMALLEST, B), (LARGEST, UNIT)] {
        let end = crate::asm::low(end);
        u.asm.op(SPREAD, &[vector.into(), end.into()]);
    }
}

/// Indices from 0 on.
fn end_of_indices(u: &mut Uniform<'_, '_>, other: Label) {
    u.asm.op(Code::Test_rm64_r64, &[LOW.into(), LOW.into()]);
    u.asm.jump(Code::Jne_rel32_64, other);
    u.asm.op(Code::Test_rm64_r64, &[HIGH.into(), HIGH.into()]);
    u.asm.jump(Code::Js_rel32_64, other);
    let end = crate::asm::low(HIGH);
    u.asm.op(SPREAD, &[LARGEST.into(), end.into()]);
}
