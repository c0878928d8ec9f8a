//! Accesses to bytes and halves of lanes.

use iced_x86::{Code, Register};
use wavetank_ir::{Access, Half};

use super::access::*;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

/// The largest index of a whole dword.
const LAST_DWORD: Register = Register::ZMM21;
/// The table of VPTERNLOGD for `a ? b : c`, bit by bit.
const CHOOSE: u8 = 0xca;

impl LaneAccess<'_> {
    /// Computes the largest index of a whole dword, if there is one.
    pub(super) fn last_dword(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let less = self.bytes as i32 - 4;
        u.asm
            .with_constant(Code::Add_rm64_imm32, HIGH.into(), less, true);
        u.asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), LOW.into()]);
        u.asm.jump(Code::Jl_rel32_64, slow);
        let narrow = low(HIGH);
        u.asm.op(SPREAD, &[LAST_DWORD.into(), narrow.into()]);
    }

    pub(super) fn load_parts(&self, u: &mut Uniform<'_, '_>) {
        let (row, keep) = (u.asm.label(), u.asm.label());
        if !self.is_private() {
            self.apart(u.asm);
            self.if_row(u.asm, self.bytes, row);
        }
        self.gather_parts(u);
        if !self.is_private() {
            u.asm.jump(Code::Jmp_rel32_64, keep);
            u.asm.place(row);
            let from = Mem::sum(BASE, A, 0);
            u.asm.under(
                self.extending_load(),
                Under::Zero(ON),
                &[DATA.into(), from.into()],
            );
            u.asm.place(keep);
        }
        self.keep_part(u.asm);
    }

    /// The load of a row of parts, each extended to 32 bits.
    pub(super) fn extending_load(&self) -> Code {
        match self.op.access {
            Access::U8 => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
            Access::I8 => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
            Access::I16 => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
            _ => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
        }
    }

    /// The store of a row of the low parts of lanes.
    pub(super) fn narrowing_store(&self) -> Code {
        match self.bytes {
            1 => Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
            _ => Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        }
    }

    /// Loads for each lane a dword that contains its part and is in bounds: in scratch the aligned one, else the one that begins
    /// with the part, except at the end of an allocation.
    fn gather_parts(&self, u: &mut Uniform<'_, '_>) {
        let at = APART;
        if self.is_private() {
            let dword = Arg::Each(u.asm.constant(!3));
            u.asm.op(AND, &[at.into(), INDEX.into(), dword]);
        } else {
            let args = [at.into(), INDEX.into(), LAST_DWORD.into()];
            u.asm.op(Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, &args);
        }
        self.begin_with_zeros(u.asm);
        u.asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
        u.asm.under(
            Code::EVEX_Vpgatherdd_zmm_k1_vm32z,
            Under::Merge(K),
            &[DATA.into(), Mem::sum(BASE, at, 0).into()],
        );
        // Shifts the part down to bit 0, then up, and down again with its extension.
        u.asm.op(SUB, &[at.into(), INDEX.into(), at.into()]);
        u.asm.op(SHIFT_LEFT, &[at.into(), at.into(), 3.into()]);
        let args = [DATA.into(), DATA.into(), at.into()];
        u.asm.op(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &args);
        let by = (32 - 8 * self.bytes) as u8;
        let down = match self.op.access {
            Access::I8 | Access::I16 => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
            _ => SHIFT_RIGHT,
        };
        for shift in [SHIFT_LEFT, down] {
            u.asm.op(shift, &[DATA.into(), DATA.into(), by.into()]);
        }
    }

    /// Writes the loaded part to the register, or to its half.
    fn keep_part(&self, asm: &mut Asm) {
        if let Half::Low | Half::High = self.op.half {
            let register = Mem::sum(fixed::VECTOR, fixed::TILE, self.to);
            let high = asm.constant(0xffff_0000);
            let chosen = APART;
            asm.op(BROADCAST, &[chosen.into(), high.into()]);
            asm.op(COPY, &[OLD.into(), register.into()]);
            let [above, below] = match self.op.half {
                Half::High => [DATA, OLD],
                _ => [OLD, DATA],
            };
            if self.op.half == Half::High {
                asm.op(SHIFT_LEFT, &[DATA.into(), DATA.into(), 16.into()]);
            }
            let args = [chosen.into(), above.into(), below.into(), CHOOSE.into()];
            asm.op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
            asm.op(COPY, &[DATA.into(), chosen.into()]);
        }
        match self.op.half {
            Half::LowAlone => {
                let low = Arg::Each(asm.constant(0xffff));
                asm.op(AND, &[DATA.into(), DATA.into(), low]);
            }
            Half::HighAlone => asm.op(SHIFT_LEFT, &[DATA.into(), DATA.into(), 16.into()]),
            _ => {}
        }
        self.keep(asm, 0);
    }

    /// Stores the part of the lane whose index and offset in a lane vector are in registers.
    pub(super) fn store_part(&self, u: &mut Uniform<'_, '_>) {
        let data = low(UNIT);
        lane(u, UNIT, self.op.data[0]);
        if self.op.half == Half::High {
            u.asm.op(Code::Shr_rm32_imm8, &[data.into(), 16.into()]);
        }
        let (store, data) = match self.bytes {
            1 => (Code::Mov_rm8_r8, Register::DL),
            _ => (Code::Mov_rm16_r16, Register::DX),
        };
        let to = Mem::sum(BASE, A, 0);
        u.asm.op(store, &[to.into(), data.into()]);
    }

    pub(super) fn store_parts(&self, u: &mut Uniform<'_, '_>) {
        let (row, same, done) = (u.asm.label(), u.asm.label(), u.asm.label());
        if !self.is_private() {
            self.apart(u.asm);
            self.if_row(u.asm, self.bytes, row);
            self.if_same(u.asm, same);
        }
        self.each_lane_in_turn(u, Self::store_part);
        if self.is_private() {
            return;
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(same);
        self.store_last(u);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(row);
        lanes(u, DATA, self.op.data[0], 0);
        if self.op.half == Half::High {
            u.asm
                .op(SHIFT_RIGHT, &[DATA.into(), DATA.into(), 16.into()]);
        }
        let to = Mem::sum(BASE, A, 0);
        u.asm.under(
            self.narrowing_store(),
            Under::Merge(ON),
            &[to.into(), DATA.into()],
        );
        u.asm.place(done);
    }
}
