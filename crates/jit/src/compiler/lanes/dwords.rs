//! Accesses to whole dwords of lanes, one or several.

use iced_x86::Code;
use wavetank_memory::VECTOR_BYTES;

use super::access::*;
use super::records::{RECORD, THIRD};
use crate::compiler::asm::{Asm, Mem, Under, fixed};
use crate::compiler::uniform::Uniform;

impl LaneAccess<'_> {
    /// Bytes from one dword of a lane to the next.
    fn step(&self) -> u32 {
        if self.is_private() {
            VECTOR_BYTES as u32
        } else {
            4
        }
    }

    /// Whether each dword is accessed as a row.
    pub(super) fn has_rows(&self) -> bool {
        self.is_private() || self.dwords() == 1
    }

    pub(super) fn loads(&self, u: &mut Uniform<'_, '_>) {
        let (row, same, done) = (u.asm.label(), u.asm.label(), u.asm.label());
        self.apart(u.asm);
        if self.has_rows() {
            self.if_row(u.asm, 4, row);
        }
        if !self.is_private() {
            self.if_same(u.asm, same);
        }
        if self.has_rows() {
            self.gather(u.asm);
        } else {
            self.load_records(u);
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        if self.has_rows() {
            u.asm.place(row);
            for n in 0..self.dwords() {
                let from = Mem::sum(BASE, A, self.step() * n);
                u.asm
                    .under(COPY, Under::Zero(ON), &[DATA.into(), from.into()]);
                self.keep(u.asm, n);
            }
            u.asm.jump(Code::Jmp_rel32_64, done);
        }
        if !self.is_private() {
            u.asm.place(same);
            self.load_same(u);
        }
        u.asm.place(done);
    }

    /// Loads the dwords at the common place of the active lanes.
    fn load_same(&self, u: &mut Uniform<'_, '_>) {
        let from = Mem::sum(BASE, A, 0);
        if self.dwords() == 1 {
            let args = [DATA.into(), from.into()];
            u.asm.under(BROADCAST, Under::Zero(ON), &args);
            return self.keep(u.asm, 0);
        }
        let none = u.asm.label();
        if self.leaves_out() {
            // Without an active lane, the memory may not exist. Then the result is 0, whatever the registers contain.
            for register in [RECORD, THIRD] {
                u.asm.op(ZERO, &[register.into(); 3]);
            }
            u.asm.op(Code::VEX_Kortestw_kr_kr, &[ON.into(), ON.into()]);
            u.asm.jump(Code::Je_rel32_64, none);
        }
        self.load_record_for_all(u.asm, from);
        u.asm.place(none);
        for n in 0..self.dwords() {
            self.dword_of_record(u.asm, n, Under::Zero(ON));
            self.keep(u.asm, n);
        }
    }

    fn gather(&self, asm: &mut Asm) {
        for n in 0..self.dwords() {
            self.begin_with_zeros(asm);
            // The gather clears its mask.
            asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
            let from = Mem::sum(BASE, INDEX, self.step() * n);
            let gather = Code::EVEX_Vpgatherdd_zmm_k1_vm32z;
            asm.under(gather, Under::Merge(K), &[DATA.into(), from.into()]);
            self.keep(asm, n);
        }
    }

    /// Sets the results to 0 first, for lanes that are left out.
    pub(super) fn begin_with_zeros(&self, asm: &mut Asm) {
        if self.leaves_out() {
            asm.op(ZERO, &[DATA.into(); 3]);
        }
    }

    /// Stores a dword to its register as a whole, since it will soon be read as a whole.
    pub(super) fn keep(&self, asm: &mut Asm, n: u32) {
        let at = self.to + n * VECTOR_BYTES as u32;
        let register = Mem::sum(fixed::VECTOR, fixed::TILE, at);
        asm.op(COPY, &[OLD.into(), register.into()]);
        let lanes = if self.leaves_out() { RESULTS } else { ON };
        asm.under(COPY, Under::Merge(lanes), &[OLD.into(), DATA.into()]);
        asm.op(STORE, &[register.into(), OLD.into()]);
    }

    pub(super) fn stores(&self, u: &mut Uniform<'_, '_>) {
        let (row, same, done) = (u.asm.label(), u.asm.label(), u.asm.label());
        self.apart(u.asm);
        if self.has_rows() {
            self.if_row(u.asm, 4, row);
        } else {
            self.if_overlapping_row(u.asm, row);
        }
        if !self.is_private() {
            self.if_same(u.asm, same);
        }
        if self.has_rows() {
            self.scatter(u);
        } else {
            self.store_records(u);
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(row);
        if self.has_rows() {
            self.store_rows(u);
        } else {
            self.store_overlapping_row(u);
        }
        if !self.is_private() {
            u.asm.jump(Code::Jmp_rel32_64, done);
            u.asm.place(same);
            self.store_last(u);
        }
        u.asm.place(done);
    }

    /// Stores the dwords of the active lanes, each lane its own way.
    fn scatter(&self, u: &mut Uniform<'_, '_>) {
        for n in 0..self.dwords() {
            lanes(u, DATA, self.op.data[n as usize], 0);
            // The lanes are stored in order.
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
            let to = Mem::sum(BASE, INDEX, self.step() * n);
            u.asm.under(
                Code::EVEX_Vpscatterdd_vm32z_k1_zmm,
                Under::Merge(K),
                &[to.into(), DATA.into()],
            );
        }
    }

    /// Stores a row of each dword.
    fn store_rows(&self, u: &mut Uniform<'_, '_>) {
        for n in 0..self.dwords() {
            lanes(u, DATA, self.op.data[n as usize], 0);
            let to = Mem::sum(BASE, A, self.step() * n);
            u.asm
                .under(STORE, Under::Merge(ON), &[to.into(), DATA.into()]);
        }
    }
}
