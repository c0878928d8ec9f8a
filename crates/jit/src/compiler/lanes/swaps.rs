//! Compare-and-swap of the lanes of a tile at one place: the way in which loops add floats to one sum. In each
//! iteration of such a loop one lane swaps, and the comparison of all others fails.
//!
//! The lanes are taken in order: all get the value there; the first whose comparand equals it replaces it, and the lanes after
//! that one get the new value; and so on. All of it is computed in registers from the value read first, and takes effect by one
//! exchange, which must find that value; otherwise it is computed again.

use iced_x86::{Code, Register};

use super::access::*;
use super::atomics::{NEW, OLD_WORD, OTHER, PLACE};
use crate::compiler::asm::{Arg, Asm, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

/// The planes of the comparands, and of the results.
const COMPARANDS: [Register; 2] = [Register::ZMM5, Register::ZMM6];
const OLD_VALUES: [Register; 2] = [Register::ZMM7, Register::ZMM8];
/// The current value in all lanes.
const CURRENT: [Register; 2] = [Register::ZMM9, Register::ZMM10];
/// The lanes whose turn is still to come, and those of them that would swap.
const TO_COME: Register = Register::K3;
const EQUAL_LANES: Register = Register::K4;
const EQUAL: u8 = 0;

impl LaneAccess<'_> {
    /// Emits the operation of the active lanes of a tile, all of which are at the place in a register.
    pub(super) fn swap_at_one_place(&self, u: &mut Uniform<'_, '_>) {
        let (again, next, settled) = (u.asm.label(), u.asm.label(), u.asm.label());
        let dwords = self.dwords() as usize;
        for (data, to) in self.op.data[dwords..].iter().zip(COMPARANDS) {
            lanes(u, to, *data, 0);
        }
        let at = Arg::M(Mem::at(PLACE, 0));
        let [old, new] = [OLD_WORD, NEW].map(|register| self.sized(register));
        u.asm.op(self.pick(LOADS), &[old.into(), at]);
        u.asm.place(again);
        u.asm.op(self.pick(LOADS), &[new.into(), old.into()]);
        u.asm
            .op(Code::VEX_Kmovw_kr_km16, &[TO_COME.into(), ON.into()]);
        u.asm.place(next);
        self.compare_to_current(u.asm);
        u.asm.op(
            Code::VEX_Kortestw_kr_kr,
            &[EQUAL_LANES.into(), EQUAL_LANES.into()],
        );
        u.asm.jump(Code::Je_rel32_64, settled);
        self.take_from_first(u);
        u.asm.jump(Code::Jmp_rel32_64, next);
        u.asm.place(settled);
        if matches!(self.addresses, Addresses::Lds(..)) {
            u.asm.op(self.pick(STORES), &[at, new.into()]);
        } else {
            // An unchanged value is exchanged, too: it orders the accesses around it.
            let exchange = self.pick([Code::Cmpxchg_rm32_r32, Code::Cmpxchg_rm64_r64]);
            u.asm.locked(exchange, &[at, new.into()]);
            u.asm.jump(Code::Jne_rel32_64, again);
        }
        if self.op.ret.is_some() {
            for (n, result) in (0..self.dwords()).zip(OLD_VALUES) {
                u.asm.op(COPY, &[DATA.into(), result.into()]);
                self.keep(u.asm, n);
            }
        }
    }

    /// Gives the current value to the lanes to come, and finds those whose comparand equals it.
    fn compare_to_current(&self, asm: &mut Asm) {
        let mut under = TO_COME;
        for n in 0..self.dwords() as usize {
            if n == 0 {
                asm.op(SPREAD, &[CURRENT[n].into(), low(NEW).into()]);
            } else {
                asm.op(LOAD, &[B.into(), NEW.into()]);
                asm.op(Code::Shr_rm64_imm8, &[B.into(), 32.into()]);
                asm.op(SPREAD, &[CURRENT[n].into(), low(B).into()]);
            }
            let args = [OLD_VALUES[n].into(), CURRENT[n].into()];
            asm.under(COPY, Under::Merge(TO_COME), &args);
            let args = [
                EQUAL_LANES.into(),
                COMPARANDS[n].into(),
                CURRENT[n].into(),
                EQUAL.into(),
            ];
            asm.under(COMPARE, Under::Merge(under), &args);
            under = EQUAL_LANES;
        }
    }

    /// Takes the operand of the first lane that swaps as the current value. The lanes after it are to come.
    fn take_from_first(&self, u: &mut Uniform<'_, '_>) {
        let (first, above) = (low(B), low(OTHER));
        u.asm
            .op(Code::VEX_Kmovw_r32_kr, &[above.into(), EQUAL_LANES.into()]);
        u.asm
            .op(Code::Tzcnt_r32_rm32, &[first.into(), above.into()]);
        // Ones up to the first lane.
        u.asm
            .op(Code::VEX_Blsmsk_r32_rm32, &[above.into(), above.into()]);
        u.asm
            .op(Code::VEX_Kmovw_kr_r32, &[EQUAL_LANES.into(), above.into()]);
        let args = [TO_COME.into(), EQUAL_LANES.into(), TO_COME.into()];
        u.asm.op(Code::VEX_Kandnw_kr_kr_kr, &args);
        u.asm.op(Code::Shl_rm32_imm8, &[first.into(), 2.into()]);
        u.asm
            .op(Code::Add_r64_rm64, &[B.into(), fixed::TILE.into()]);
        lane(u, NEW, self.op.data[0]);
        if self.is_wide() {
            lane(u, OTHER, self.op.data[1]);
            u.asm.op(Code::Shl_rm64_imm8, &[OTHER.into(), 32.into()]);
            u.asm.op(Code::Or_r64_rm64, &[NEW.into(), OTHER.into()]);
        }
    }
}

const LOADS: [Code; 2] = [Code::Mov_r32_rm32, Code::Mov_r64_rm64];
const STORES: [Code; 2] = [Code::Mov_rm32_r32, Code::Mov_rm64_r64];
