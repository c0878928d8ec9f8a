//! Loads from LDS by the [form](super::forms) of their indices, which has been found and compared with the end of the LDS.

use iced_x86::{Code, Register};
use wavetank_memory::VECTOR_BYTES;

use super::access::*;
use super::forms::Kind;
use super::rows::{FROM, ROW, SELECT, TILES};
use super::wide::{ORDER, QUARTERS, RECORD_BYTES, insert_record, interleave, load_order};
use crate::compiler::asm::{Asm, Label, Mem, Under, fixed};

impl LaneAccess<'_> {
    /// Loads by a form.
    pub(super) fn load_form(&self, asm: &mut Asm, kind: Kind, places: u32) {
        match kind {
            Kind::Places => self.load_places(asm, places),
            Kind::Rows => self.load_rows(asm, places),
            Kind::SameRow => self.load_same_row(asm, places),
            Kind::Alternate => self.load_alternate(asm, places),
            Kind::Columns => self.load_columns(asm, places),
            Kind::Apart if self.dwords() == 1 => self.gather_dwords(asm, places),
            Kind::Apart => self.load_apart(asm, places),
            Kind::Other => unreachable!("it is left to other code"),
        }
    }

    fn load_places(&self, asm: &mut Asm, places: u32) {
        for tile in 0..TILES {
            let index = Mem::at(fixed::VECTOR, places + 64 * tile);
            let from = self.place_at(asm, A, index);
            if self.bytes == 4 {
                asm.op(BROADCAST, &[DATA.into(), from.into()]);
                asm.op(STORE, &[self.result(0, tile).into(), DATA.into()]);
                continue;
            }
            self.load_record_for_all(asm, from);
            for n in 0..self.dwords() {
                self.dword_of_record(asm, n, Under::All);
                asm.op(STORE, &[self.result(n, tile).into(), DATA.into()]);
            }
        }
    }

    fn load_rows(&self, asm: &mut Asm, places: u32) {
        let again = asm.label();
        self.row_begins_to_load(asm);
        asm.set(fixed::TILE, 0);
        asm.place(again);
        let index = Mem::sum(fixed::VECTOR, fixed::TILE, places);
        let from = self.place_at(asm, A, index);
        asm.op(Code::Lea_r64_m, &[FROM.into(), from.into()]);
        for (n, register) in (0..).zip(self.load_row(asm)) {
            let to = self.to + n * VECTOR_BYTES as u32;
            let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
            asm.op(STORE, &[to.into(), register.into()]);
        }
        asm.with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), 64, true);
        asm.with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        asm.jump(Code::Jne_rel32_64, again);
    }

    fn load_same_row(&self, asm: &mut Asm, places: u32) {
        self.row_begins_to_load(asm);
        let from = self.place_at(asm, A, Mem::at(fixed::VECTOR, places));
        asm.op(Code::Lea_r64_m, &[FROM.into(), from.into()]);
        for (n, register) in (0..).zip(self.load_row(asm)) {
            for tile in 0..TILES {
                asm.op(STORE, &[self.result(n, tile).into(), register.into()]);
            }
        }
    }

    /// Loads the constants of [`load_row`](Self::load_row).
    fn row_begins_to_load(&self, asm: &mut Asm) {
        match self.dwords() {
            2 => (0..2).for_each(|n| self.set_numbers(asm, n)),
            4 if asm.is_avx512() => load_order(asm),
            _ => {}
        }
    }

    /// Loads a row of records, and returns the registers with their dwords in the order of lanes.
    pub(super) fn load_row(&self, asm: &mut Asm) -> Vec<Register> {
        let part = |n: u32| Mem::at(FROM, 64 * n);
        match self.dwords() {
            1 => {
                asm.op(COPY, &[DATA.into(), part(0).into()]);
                vec![DATA]
            }
            2 => {
                for (n, to) in (0..).zip(&QUARTERS[..2]) {
                    asm.op(COPY, &[(*to).into(), part(n).into()]);
                }
                self.select_to(asm, 0, QUARTERS[2]);
                self.select_to(asm, 1, QUARTERS[3]);
                QUARTERS[2..].to_vec()
            }
            _ if asm.is_avx512() => {
                for (n, to) in (0..).zip(QUARTERS) {
                    asm.op(COPY, &[to.into(), part(n).into()]);
                }
                interleave(asm);
                for to in QUARTERS {
                    asm.op(PERMUTE, &[to.into(), ORDER.into(), to.into()]);
                }
                QUARTERS.to_vec()
            }
            _ => {
                for lane in 0..ROW {
                    insert_record(asm, lane, Mem::at(FROM, 16 * lane));
                }
                interleave(asm);
                QUARTERS.to_vec()
            }
        }
    }

    /// Loads every second dword of two registers. They overlap by one dword, so that nothing after the last lane is read.
    fn load_alternate(&self, asm: &mut Asm, places: u32) {
        let numbers: [u32; ROW as usize] = std::array::from_fn(|lane| match lane as u32 {
            lane @ 0..8 => 2 * lane,
            lane => ROW + 2 * lane - (ROW - 1),
        });
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let [lower, upper, result, _] = QUARTERS;
        for tile in 0..TILES {
            let from = self.place_at(asm, A, Mem::at(fixed::VECTOR, places + 64 * tile));
            let offset = from.offset + 60;
            asm.op(COPY, &[lower.into(), from.into()]);
            asm.op(COPY, &[upper.into(), Mem { offset, ..from }.into()]);
            asm.op(COPY, &[result.into(), numbers.into()]);
            asm.op(SELECT, &[result.into(), lower.into(), upper.into()]);
            asm.op(STORE, &[self.result(0, tile).into(), result.into()]);
        }
    }

    /// Loads four dwords for each lane of the first tile, which belong to several tiles: to all four, or to two and then two.
    fn load_columns(&self, asm: &mut Asm, places: u32) {
        let (again, dwords) = (asm.label(), self.dwords());
        let tiles = 4 / dwords;
        asm.set(fixed::TILE, 0);
        asm.place(again);
        self.load_quarters(asm, Mem::at(fixed::VECTOR, places));
        for (at, from) in (0..).zip(QUARTERS) {
            let (tile, n) = (at / dwords, at % dwords);
            let to = self.to + n * VECTOR_BYTES as u32 + 64 * tile;
            let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
            asm.op(STORE, &[to.into(), from.into()]);
        }
        if dwords == 1 {
            return;
        }
        let step = RECORD_BYTES as i32;
        asm.with_constant(Code::Add_rm64_imm32, BASE.into(), step, true);
        self.next_tiles(asm, tiles, again);
    }

    /// Loads four dwords for each lane, of which the first ones belong to it.
    fn load_apart(&self, asm: &mut Asm, places: u32) {
        let again = asm.label();
        asm.set(fixed::TILE, 0);
        asm.place(again);
        self.load_quarters(asm, Mem::sum(fixed::VECTOR, fixed::TILE, places));
        for (n, from) in (0..self.dwords()).zip(QUARTERS) {
            let to = self.to + n * VECTOR_BYTES as u32;
            let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
            asm.op(STORE, &[to.into(), from.into()]);
        }
        self.next_tiles(asm, 1, again);
    }

    fn next_tiles(&self, asm: &mut Asm, tiles: u32, again: Label) {
        let step = 64 * tiles as i32;
        asm.with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), step, true);
        asm.with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        asm.jump(Code::Jne_rel32_64, again);
    }

    /// Loads four dwords at the place of each lane of a tile, and sorts them.
    fn load_quarters(&self, asm: &mut Asm, places: Mem) {
        let registers = [A, B, UNIT, FROM];
        for lane in 0..ROW {
            let offset = places.offset + 4 * lane as i32;
            let index = Mem { offset, ..places };
            let from = self.place_at(asm, registers[lane as usize % 4], index);
            insert_record(asm, lane, from);
        }
        interleave(asm);
    }

    fn gather_dwords(&self, asm: &mut Asm, places: u32) {
        let all = asm.constant(0xffff);
        for tile in 0..TILES {
            let from = Mem::at(fixed::VECTOR, places + 64 * tile);
            asm.op(COPY, &[INDEX.into(), from.into()]);
            asm.op(ZERO, &[DATA.into(); 3]);
            // The gather clears its mask.
            asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), all.into()]);
            let from = Mem::sum(BASE, INDEX, self.op.offset as u32);
            let gather = Code::EVEX_Vpgatherdd_zmm_k1_vm32z;
            asm.under(gather, Under::Merge(K), &[DATA.into(), from.into()]);
            asm.op(STORE, &[self.result(0, tile).into(), DATA.into()]);
        }
    }
}
