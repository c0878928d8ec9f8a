//! What most accesses are: the lanes go to a row of dwords, one after another. That is compared once for all four tiles,
//! and then each of them is one load or store.

use iced_x86::{Code, Register};
use wavetank_interp::single::Place;
use wavetank_ir::LANES;
use wavetank_memory::VECTOR_BYTES;

use super::*;
use crate::asm::Under;

/// Where the first lane that is on stands in a lane vector.
const FIRST_LANE: Register = Register::RSI;
/// The index of the dword of lane 0, then its address.
const START: Register = Register::RDI;

/// The lanes of each tile that are on.
pub(super) const TILES: [Register; 4] = [Register::K1, Register::K2, Register::K3, Register::K4];
/// The lanes that are not where the row would have them.
pub(super) const ELSEWHERE: Register = Register::K7;

pub(super) const TILE_BYTES: u32 = 64;

impl LaneAccess<'_> {
    /// Where the indices of lanes are, for an access of dwords at any address; of addresses the low and the high halves.
    pub(super) fn planes(&self, u: &Uniform<'_, '_>) -> Option<(u32, Option<u32>)> {
        let plain = matches!(self.op.kind, MemKind::Load | MemKind::Store);
        if !plain || self.bytes != 4 {
            return None;
        }
        let (index, wide) = match self.addresses {
            Addresses::Lds(index, None) | Addresses::Index(_, Some(index)) => (index, false),
            Addresses::Raw(buffer) => (buffer.offset?, false),
            Addresses::Lanes(address) => (address, true),
            _ => return None,
        };
        match u.single.place(source(u.block, index)) {
            Place::Vector(at) => Some((at, wide.then_some(at + VECTOR_BYTES as u32))),
            // All lanes go to one place.
            _ => None,
        }
    }

    /// The access, where lanes go to a row all of which may be accessed; behind it, the code goes to `done`. Base and ends are
    /// known.
    pub(super) fn in_a_row(&self, u: &mut Uniform<'_, '_>, done: Label) {
        let Some((low, high)) = self.planes(u) else {
            return;
        };
        let other = u.asm.label();
        self.start(u, low, high.is_some(), other);
        self.compare_rows(u, low, high);
        let k = ELSEWHERE.into();
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[k, k]);
        u.asm.jump(Code::Jne_rel32_64, other);
        u.asm
            .op(Code::Add_r64_rm64, &[START.into(), BASE.into()]);
        for (tile, on) in (0..).zip(TILES) {
            match self.op.kind {
                MemKind::Store => self.store_row(u, tile, on),
                _ => self.load_row(u, tile, on),
            }
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(other);
    }

    /// The index of lane 0, by that of the first lane that is on.
    fn start(&self, u: &mut Uniform<'_, '_>, low: u32, wide: bool, other: Label) {
        u.load(FIRST_LANE, self.mask);
        let first = FIRST_LANE.into();
        u.asm.op(Code::Bsf_r64_rm64, &[first, first]);
        u.asm.op(Code::Shl_rm64_imm8, &[first, 2.into()]);
        if wide {
            // Where the first lane goes is index 0.
            u.asm.set(START, 0);
        } else {
            let from = Mem::sum(fixed::VECTOR, FIRST_LANE, low);
            u.asm
                .op(Code::Movsxd_r64_rm32, &[START.into(), from.into()]);
        }
        u.asm.op(Code::Sub_r64_rm64, &[START.into(), first]);
        // All dwords of the row, also those of lanes that are off.
        u.asm.op(Code::Cmp_r64_rm64, &[START.into(), LOW.into()]);
        u.asm.jump(Code::Jl_rel32_64, other);
        u.asm.op(Code::Mov_r64_rm64, &[B.into(), START.into()]);
        let last = 4 * (LANES as i32 - 1);
        u.asm
            .with_constant(Code::Add_rm64_imm32, B.into(), last, true);
        u.asm.op(Code::Cmp_r64_rm64, &[B.into(), HIGH.into()]);
        u.asm.jump(Code::Jg_rel32_64, other);
    }

    /// Finds the lanes that are on and not in the row.
    fn compare_rows(&self, u: &mut Uniform<'_, '_>, low: u32, high: Option<u32>) {
        let start = crate::asm::low(START);
        u.asm.op(SPREAD, &[FIRST.into(), start.into()]);
        if high.is_some() {
            u.asm
                .op(ADD, &[FIRST.into(), FIRST.into(), BASE_LOW.into()]);
        }
        let numbers: [u32; LANES] = std::array::from_fn(|lane| 4 * lane as u32);
        let numbers = u.asm.constant_row(&numbers);
        for (tile, on) in (0..).zip(TILES) {
            let from = self.piece(u, tile);
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[on.into(), from.into()]);
            let number = Mem::at(fixed::CONSTANTS, numbers + TILE_BYTES * tile);
            let args = [INDEX.into(), FIRST.into(), number.into()];
            u.asm.op(ADD, &args);
            let mut compare = |with: Register, plane: u32, to: Register| {
                let plane = Mem::at(fixed::VECTOR, plane + TILE_BYTES * tile);
                let args = [to.into(), with.into(), plane.into(), NOT_EQUAL.into()];
                u.asm.under(COMPARE, Under::Merge(on), &args);
            };
            let (these, others) = (Register::K5, Register::K6);
            compare(INDEX, low, if tile == 0 { ELSEWHERE } else { these });
            if let Some(high) = high {
                compare(BASE_HIGH, high, others);
            }
            let found = [(tile > 0).then_some(these), high.map(|_| others)];
            for k in found.into_iter().flatten() {
                let args = [ELSEWHERE.into(), ELSEWHERE.into(), k.into()];
                u.asm.op(Code::VEX_Korw_kr_kr_kr, &args);
            }
        }
    }

    /// Where the mask of a tile is.
    pub(super) fn piece(&self, u: &mut Uniform<'_, '_>, tile: u32) -> Mem {
        let on = self.on(u);
        Mem::at(on.base, on.offset as u32 + 2 * tile)
    }

    fn load_row(&self, u: &mut Uniform<'_, '_>, tile: u32, on: Register) {
        let at = u32::from(self.to) * VECTOR_BYTES as u32 + TILE_BYTES * tile;
        let register = Mem::at(fixed::VECTOR, at);
        let from = Mem::at(START, TILE_BYTES * tile);
        u.asm.op(COPY, &[OLD.into(), register.into()]);
        u.asm
            .under(COPY, Under::Merge(on), &[OLD.into(), from.into()]);
        u.asm.op(STORE, &[register.into(), OLD.into()]);
    }

    fn store_row(&self, u: &mut Uniform<'_, '_>, tile: u32, on: Register) {
        self.data_of_tile(u, tile);
        let to = Mem::at(START, TILE_BYTES * tile);
        u.asm
            .under(STORE, Under::Merge(on), &[to.into(), DATA.into()]);
    }

    /// What a tile stores.
    pub(super) fn data_of_tile(&self, u: &mut Uniform<'_, '_>, tile: u32) {
        let (code, from) = match u.single.place(source(u.block, self.op.data[0])) {
            Place::Vector(at) => (COPY, Mem::at(fixed::VECTOR, at + TILE_BYTES * tile)),
            Place::Uniform(at) => (BROADCAST, Mem::at(fixed::UNIFORM, at)),
            Place::Const(c) => (BROADCAST, u.asm.constant(c as u32)),
            Place::Nowhere => unreachable!("operands are computed before their users"),
        };
        u.asm.op(code, &[DATA.into(), from.into()]);
    }
}
