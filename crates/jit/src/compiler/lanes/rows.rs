//! Accesses with all lanes active and contiguous, the most frequent ones: checked once, and moved by whole registers.

use iced_x86::{Code, Register};
use wavetank_ir::{Access, Half, MemKind, Value};
use wavetank_lower::Place;
use wavetank_memory::{ALIAS, BoundsCache, Lds, MemoryUnit, VECTOR_BYTES};

use super::access::*;
use super::wide::{QUARTERS, extract_record, load_order};
use crate::compiler::asm::{Asm, Label, Mem, Under, fixed, low};
use crate::compiler::reach::{unless_below, unless_between};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The address of the first lane.
pub(super) const FROM: Register = Register::RSI;
/// Parts of contiguous memory, and the same data lane by lane.
const PARTS: [Register; 4] = [
    Register::ZMM5,
    Register::ZMM6,
    Register::ZMM7,
    Register::ZMM8,
];
const SELECTED: Register = Register::ZMM9;
const UPPER: Register = Register::ZMM10;
/// For each result part, the dwords that it takes, and which of them come from the upper two parts.
const NUMBERS: [Register; 4] = [
    Register::ZMM11,
    Register::ZMM12,
    Register::ZMM13,
    Register::ZMM14,
];
const UPPERS: [Register; 4] = [Register::K3, Register::K4, Register::K5, Register::K6];
pub(super) const TILES: u32 = 4;
/// The number of lanes of a tile.
pub(super) const ROW: u32 = 16;
/// Selects from two registers by five-bit numbers, which the result replaces.
pub(super) const SELECT: Code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
pub(super) const TERNARY: Code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
/// The table of VPTERNLOGD for `a | (b ^ c)`, bit by bit.
pub(super) const OR_DIFFERENCE: u8 = 0xf6;

impl LaneAccess<'_> {
    /// Makes the access if all lanes are active, contiguous and in bounds, and jumps to `done`. Else the code after it continues
    /// with all registers intact.
    pub(super) fn rows(&self, u: &mut Uniform<'_, '_>, done: Label) {
        let Some(places) = self.row_of(u) else { return };
        let general = u.asm.label();
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, general);
        self.row_begins(u, places, general);
        self.is_row(u.asm, places, general);
        if let Some(recorded) = &self.recorded {
            recorded.record_row(u.asm, FROM);
        }
        if self.dwords() == 4 {
            self.move_quads(u);
        } else if self.dwords() > 1 {
            self.move_records(u);
        } else {
            for tile in 0..TILES {
                self.move_tile(u, tile);
            }
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(general);
    }

    /// The offset of the indices in the vector file, if they are there and a row can be moved.
    fn row_of(&self, u: &Uniform<'_, '_>) -> Option<u32> {
        let index = match self.addresses {
            Addresses::Lds(index, None) | Addresses::Index(_, Some(index)) => index,
            // If the first lane is aligned, so are all.
            Addresses::Lds(index, Some(_)) if self.bytes.is_power_of_two() => index,
            Addresses::Raw(buffer) => buffer.offset?,
            Addresses::Lanes(address) => address,
            _ => return None,
        };
        let is_mask = |mask: Value| match u.single.place(source(u.block, mask)) {
            Place::Const(c) => c == u64::MAX,
            _ => true,
        };
        let whole = self.op.half == Half::Whole || self.op.kind == MemKind::Store;
        let moved = whole && !matches!(self.op.kind, MemKind::Atomic(_)) && is_mask(self.mask);
        match u.single.place(source(u.block, index)) {
            Place::Vector(at) if moved => Some(at),
            _ => None,
        }
    }

    /// The number of bytes that all lanes access.
    fn row_bytes(&self) -> i32 {
        64 * self.bytes as i32
    }

    /// Computes the address of the first lane, if the row is in bounds; else jumps to a label.
    fn row_begins(&self, u: &mut Uniform<'_, '_>, places: u32, general: Label) {
        let (first, offset) = (Mem::at(fixed::VECTOR, places), self.op.offset as u32);
        let narrow = low(A);
        match self.addresses {
            Addresses::Lds(_, limit) => {
                u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), first.into()]);
                return self.row_of_lds(u, limit, general);
            }
            Addresses::Index(base, _) => {
                u.load(FROM, base);
                u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), first.into()]);
            }
            Addresses::Raw(buffer) => {
                self.buffer_base(u, buffer);
                u.asm.op(LOAD, &[FROM.into(), BASE.into()]);
                u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), first.into()]);
                self.row_of_records(u, buffer, general);
            }
            _ => {
                let low = low(FROM);
                u.asm.op(Code::Mov_r32_rm32, &[low.into(), first.into()]);
                let high = Mem::at(fixed::VECTOR, places + VECTOR_BYTES as u32);
                u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), high.into()]);
                u.asm.op(Code::Shl_rm64_imm8, &[A.into(), 32.into()]);
                u.asm.op(BROADCAST, &[BASE_HIGH.into(), high.into()]);
            }
        }
        let first = Mem::sum(FROM, A, offset);
        u.asm.op(Code::Lea_r64_m, &[FROM.into(), first.into()]);
        self.row_in_bounds(u.asm, general);
        // The 32-bit indices do not wrap from the first to the last lane.
        let [first, last] = [places, places + 63 * 4].map(|at| Mem::at(fixed::VECTOR, at));
        u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), last.into()]);
        u.asm.op(Code::Cmp_r32_rm32, &[narrow.into(), first.into()]);
        u.asm.jump(Code::Jb_rel32_64, general);
    }

    fn row_of_lds(&self, u: &mut Uniform<'_, '_>, limit: Option<Value>, general: Label) {
        let lds = |field| at(UNIT, MemoryUnit::LDS + field);
        let (end, offset) = (low(FROM), self.op.offset as u32);
        u.asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        u.asm.op(Code::Mov_r32_rm32, &[end.into(), lds(Lds::BYTES)]);
        if let Some(limit) = limit {
            u.load(B, limit);
            u.asm.op(Code::Cmp_r64_rm64, &[B.into(), FROM.into()]);
            u.asm.op(Code::Cmovb_r64_rm64, &[FROM.into(), B.into()]);
            let first = Mem::at(A, offset);
            u.asm.op(Code::Lea_r64_m, &[B.into(), first.into()]);
            let low = self.bytes as i32 - 1;
            u.asm
                .with_constant(Code::Test_rm64_imm32, B.into(), low, true);
            u.asm.jump(Code::Jne_rel32_64, general);
        }
        let row = (A, offset, self.row_bytes() as u32);
        unless_below(u.asm, row, FROM, B, general);
        u.asm.op(LOAD, &[FROM.into(), lds(Lds::BASE)]);
        self.find_shadow(u.asm, FROM);
        let first = Mem::sum(FROM, A, offset);
        u.asm.op(Code::Lea_r64_m, &[FROM.into(), first.into()]);
    }

    fn row_of_records(&self, u: &mut Uniform<'_, '_>, buffer: Buffer, general: Label) {
        self.is_unaligned(u.asm, general);
        u.load(BASE, buffer.resource[1]);
        let narrow = low(BASE);
        u.asm
            .op(Code::Mov_r32_rm32, &[narrow.into(), narrow.into()]);
        let row = (A, self.op.offset as u32, self.row_bytes() as u32);
        unless_below(u.asm, row, BASE, B, general);
    }

    /// Jumps to a label unless the bounds cache contains a row from an address on; converts the address to the host's.
    fn row_in_bounds(&self, asm: &mut Asm, general: Label) {
        self.bounds_are_there(asm, general);
        let [start, end] =
            [BoundsCache::START, self.bounds_end()].map(|field| self.bounds_at(field));
        unless_between(asm, (FROM, self.row_bytes()), [start, end], B, general);
        let alias = ALIAS.trailing_zeros() as u8;
        asm.op(Code::Btr_rm64_imm8, &[FROM.into(), alias.into()]);
        self.find_shadow(asm, FROM);
    }

    /// Jumps to a label unless each lane follows the one below it.
    fn is_row(&self, asm: &mut Asm, places: u32, general: Label) {
        let numbers: [u32; 64] = std::array::from_fn(|lane| self.bytes * lane as u32);
        let numbers = asm.constant_row(&numbers);
        let first = Mem::at(fixed::VECTOR, places);
        asm.op(BROADCAST, &[FIRST.into(), first.into()]);
        asm.op(ZERO, &[OLD.into(); 3]);
        for tile in 0..TILES {
            let here = Mem::at(fixed::VECTOR, places + 64 * tile);
            let wanted = Mem::at(fixed::CONSTANTS, numbers + 64 * tile);
            asm.op(ADD, &[APART.into(), FIRST.into(), wanted.into()]);
            let args = [OLD.into(), APART.into(), here.into(), OR_DIFFERENCE.into()];
            asm.op(TERNARY, &args);
            if let Addresses::Lanes(_) = self.addresses {
                let high = places + VECTOR_BYTES as u32 + 64 * tile;
                let high = Mem::at(fixed::VECTOR, high);
                let args = [
                    OLD.into(),
                    BASE_HIGH.into(),
                    high.into(),
                    OR_DIFFERENCE.into(),
                ];
                asm.op(TERNARY, &args);
            }
        }
        asm.op(TEST, &[K.into(), OLD.into(), OLD.into()]);
        asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
        asm.jump(Code::Jne_rel32_64, general);
    }

    /// Moves a tile of one dword for each lane, or of a part of one.
    fn move_tile(&self, u: &mut Uniform<'_, '_>, tile: u32) {
        let memory = Mem::at(FROM, tile * ROW * self.bytes);
        if self.op.kind == MemKind::Load {
            let load = match self.op.access {
                Access::Dwords(_) => COPY,
                _ => self.extending_load(),
            };
            let to = Mem::at(fixed::VECTOR, self.to + 64 * tile);
            u.asm.op(load, &[DATA.into(), memory.into()]);
            return u.asm.op(STORE, &[to.into(), DATA.into()]);
        }
        let store = match self.bytes {
            1 | 2 => self.narrowing_store(),
            _ => STORE,
        };
        u.tile_of(DATA, self.op.data[0], tile, Under::All);
        if self.op.half == Half::High {
            let args = [DATA.into(), DATA.into(), 16.into()];
            u.asm.op(SHIFT_RIGHT, &args);
        }
        u.asm.op(store, &[memory.into(), DATA.into()]);
    }

    /// Moves records of several dwords tile by tile, between contiguous memory (AoS) and lanes (SoA).
    fn move_records(&self, u: &mut Uniform<'_, '_>) {
        let (again, dwords) = (u.asm.label(), self.dwords());
        for n in 0..dwords {
            self.set_numbers(u.asm, n);
        }
        u.asm.set(fixed::TILE, 0);
        u.asm.place(again);
        for n in 0..dwords {
            let part = PARTS[n as usize];
            match self.op.kind {
                MemKind::Load => {
                    let from = Mem::at(FROM, 64 * n);
                    u.asm.op(COPY, &[part.into(), from.into()]);
                }
                _ => lanes(u, part, self.op.data[n as usize], 0),
            }
        }
        for n in 0..dwords {
            self.select(u.asm, n as usize);
            let to = match self.op.kind {
                MemKind::Load => {
                    let to = self.to + n * VECTOR_BYTES as u32;
                    Mem::sum(fixed::VECTOR, fixed::TILE, to)
                }
                _ => Mem::at(FROM, 64 * n),
            };
            u.asm.op(STORE, &[to.into(), SELECTED.into()]);
        }
        self.next_tile_of_records(u.asm, again);
    }

    /// Moves records of four dwords, by exchanging quarters of registers, which is shorter.
    fn move_quads(&self, u: &mut Uniform<'_, '_>) {
        let again = u.asm.label();
        if u.asm.is_avx512() {
            load_order(u.asm);
        }
        u.asm.set(fixed::TILE, 0);
        u.asm.place(again);
        if self.op.kind == MemKind::Load {
            for (n, from) in (0..).zip(self.load_row(u.asm)) {
                let to = self.to + n * VECTOR_BYTES as u32;
                let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
                u.asm.op(STORE, &[to.into(), from.into()]);
            }
        } else {
            self.data_in_quads(u);
            if u.asm.is_avx512() {
                for (n, from) in (0..).zip(QUARTERS) {
                    let to = Mem::at(FROM, 64 * n);
                    u.asm.op(STORE, &[to.into(), from.into()]);
                }
            } else {
                for lane in 0..ROW {
                    extract_record(u.asm, lane, Mem::at(FROM, 16 * lane));
                }
            }
        }
        self.next_tile_of_records(u.asm, again);
    }

    fn next_tile_of_records(&self, asm: &mut Asm, again: Label) {
        let strides = [(FROM, 64 * self.dwords()), (fixed::TILE, 64)];
        for (register, by) in strides {
            asm.with_constant(Code::Add_rm64_imm32, register.into(), by as i32, true);
        }
        asm.with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        asm.jump(Code::Jne_rel32_64, again);
    }

    /// Loads the lane numbers of result part `n`. Dword `n % 16` of part `n / 16` has number `n`.
    pub(super) fn set_numbers(&self, asm: &mut Asm, n: u32) {
        let dwords = self.dwords();
        let number = |k: u32| match self.op.kind {
            MemKind::Load => dwords * k + n,
            _ => {
                let k = ROW * n + k;
                (k % dwords) * ROW + k / dwords
            }
        };
        let numbers: [u32; 16] = std::array::from_fn(|k| number(k as u32));
        let upper = (0..16).fold(0, |upper, k| upper | (numbers[k] / 32) << k);
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let n = n as usize;
        asm.op(COPY, &[NUMBERS[n].into(), numbers.into()]);
        if dwords > 2 {
            let upper = asm.constant(upper);
            asm.op(Code::VEX_Kmovw_kr_km16, &[UPPERS[n].into(), upper.into()]);
        }
    }

    /// Selects a result part from the present parts.
    fn select(&self, asm: &mut Asm, n: usize) {
        self.select_to(asm, n, SELECTED);
        if self.dwords() < 3 {
            return;
        }
        asm.op(COPY, &[UPPER.into(), NUMBERS[n].into()]);
        let [low, high] = [PARTS[2], PARTS[self.dwords() as usize - 1]];
        asm.op(SELECT, &[UPPER.into(), low.into(), high.into()]);
        let args = [SELECTED.into(), UPPER.into()];
        asm.under(COPY, Under::Merge(UPPERS[n]), &args);
    }

    /// Selects a result part from the lower two parts.
    pub(super) fn select_to(&self, asm: &mut Asm, n: usize, to: Register) {
        asm.op(COPY, &[to.into(), NUMBERS[n].into()]);
        asm.op(SELECT, &[to.into(), PARTS[0].into(), PARTS[1].into()]);
    }
}
