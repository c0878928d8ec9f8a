//! Stores of a tile's lanes that overwrite each other, at one place or in a row of dwords: of each dword, only the last store is
//! made.

use iced_x86::{Code, Register};

use super::access::*;
use super::wide::put_record;
use crate::compiler::asm::{Asm, Label, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

/// The record of the last lane.
const RECORD: Register = Register::XMM13;
/// All lanes of a tile but the last one.
const BUT_LAST: u32 = 0x7fff;

impl LaneAccess<'_> {
    /// Stores the last active lane of the tile at the place of the first one, to which all others would store before it.
    pub(super) fn store_last(&self, u: &mut Uniform<'_, '_>) {
        let (none, narrow) = (u.asm.label(), low(B));
        u.asm
            .op(Code::VEX_Kmovw_r32_kr, &[narrow.into(), ON.into()]);
        u.asm
            .op(Code::Bsr_r32_rm32, &[narrow.into(), narrow.into()]);
        if self.leaves_out() {
            u.asm.jump(Code::Je_rel32_64, none);
        }
        u.asm.op(Code::Shl_rm32_imm8, &[narrow.into(), 2.into()]);
        u.asm
            .op(Code::Add_r64_rm64, &[B.into(), fixed::TILE.into()]);
        self.store_lane(u, 0);
        u.asm.place(none);
    }

    /// Jumps to a label if all lanes of the tile are on, and each record begins a dword after the one of the lane before.
    pub(super) fn if_overlapping_row(&self, asm: &mut Asm, row: Label) {
        let some = asm.label();
        asm.op(Code::VEX_Kmovw_r32_kr, &[REST.into(), ON.into()]);
        asm.with_constant(Code::Cmp_rm32_imm32, REST.into(), 0xffff, false);
        asm.jump(Code::Jne_rel32_64, some);
        self.if_row(asm, 4, row);
        asm.place(some);
    }

    /// Stores such a row: the first dwords of all lanes but the last, which is stored whole.
    pub(super) fn store_overlapping_row(&self, u: &mut Uniform<'_, '_>) {
        let but_last = u.asm.constant(BUT_LAST);
        u.asm
            .op(Code::VEX_Kmovw_kr_km16, &[K.into(), but_last.into()]);
        lanes(u, DATA, self.op.data[0], 0);
        let to = Mem::sum(BASE, A, 0);
        u.asm
            .under(STORE, Under::Merge(K), &[to.into(), DATA.into()]);
        let last = Mem::at(fixed::TILE, 4 * 15);
        u.asm.op(Code::Lea_r64_m, &[B.into(), last.into()]);
        self.store_lane(u, 4 * 15);
    }

    /// Stores the lane whose offset in a lane vector is in a register, at an offset from the place of the first one.
    fn store_lane(&self, u: &mut Uniform<'_, '_>, offset: u32) {
        if self.bytes < 4 {
            return self.store_part(u);
        }
        let (to, data) = (Mem::sum(BASE, A, offset), low(UNIT));
        if self.dwords() == 1 {
            lane(u, UNIT, self.op.data[0]);
            return u.asm.op(Code::Mov_rm32_r32, &[to.into(), data.into()]);
        }
        for n in 0..self.dwords() as u8 {
            lane(u, UNIT, self.op.data[usize::from(n)]);
            if n == 0 {
                let args = [RECORD.into(), data.into()];
                u.asm.op(Code::VEX_Vmovd_xmm_rm32, &args);
                continue;
            }
            let args = [RECORD.into(), RECORD.into(), data.into(), n.into()];
            u.asm.op(Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8, &args);
        }
        put_record(u.asm, self.dwords(), RECORD, to);
    }
}
