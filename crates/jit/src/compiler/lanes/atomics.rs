//! Atomics: lane by lane, in order. Global memory is changed by atomic instructions; the LDS belongs to the thread.

use iced_x86::{Code, Register};
use wavetank_ir::{MemOp, Rmw};
use wavetank_memory::VECTOR_BYTES;

use super::access::*;
use crate::compiler::asm::{Arg, Asm, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

pub(super) const OLD_WORD: Register = Register::RAX;
const WORD: Register = UNIT;
pub(super) const PLACE: Register = Register::RDI;
pub(super) const NEW: Register = Register::R9;
pub(super) const OTHER: Register = Register::R10;

/// Whether compiled code supports an operation.
pub(super) fn is_known(rmw: Rmw, op: &MemOp) -> bool {
    // Minimum and maximum of floats may have an operand that is compared.
    let one = op.data.len() as u32 == op.registers();
    match rmw {
        Rmw::Swap | Rmw::CmpSwap | Rmw::Add | Rmw::Sub | Rmw::RevSub => true,
        Rmw::MinS | Rmw::MinU | Rmw::MaxS | Rmw::MaxU => true,
        Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Inc | Rmw::Dec | Rmw::FAdd => true,
        Rmw::FMin | Rmw::FMax => one,
        _ => false,
    }
}

impl LaneAccess<'_> {
    pub(super) fn changes(&self, u: &mut Uniform<'_, '_>, rmw: Rmw) {
        let done = u.asm.label();
        let (fold, counts) = (self.folds(rmw), self.counts(rmw));
        let swaps = rmw == Rmw::CmpSwap;
        if fold.is_some() || counts || swaps {
            let (same, each) = (u.asm.label(), u.asm.label());
            self.apart(u.asm);
            self.if_same(u.asm, same);
            u.asm.jump(Code::Jmp_rel32_64, each);
            u.asm.place(same);
            let at = Mem::sum(BASE, A, 0);
            u.asm.op(Code::Lea_r64_m, &[PLACE.into(), at.into()]);
            match fold {
                Some((fold, neutral)) => {
                    self.fold(u, fold, neutral);
                    self.change(u, rmw);
                }
                None if swaps => self.swap_at_one_place(u),
                None => self.count(u, rmw),
            }
            u.asm.jump(Code::Jmp_rel32_64, done);
            u.asm.place(each);
        }
        self.each_lane(u, |access, u| {
            access.word(u, WORD, 0);
            let at = Mem::sum(BASE, A, 0);
            u.asm.op(Code::Lea_r64_m, &[PLACE.into(), at.into()]);
            access.change(u, rmw);
            if access.op.ret.is_some() {
                access.give_back(u.asm);
            }
        });
        u.asm.place(done);
    }

    pub(super) fn is_wide(&self) -> bool {
        self.bytes == 8
    }

    /// The part of a register with the width of the access.
    pub(super) fn sized(&self, register: Register) -> Register {
        if self.is_wide() {
            register
        } else {
            low(register)
        }
    }

    /// The instruction with the width of the access.
    pub(super) fn pick(&self, codes: [Code; 2]) -> Code {
        codes[usize::from(self.is_wide())]
    }

    /// Emits an instruction with the width of the access.
    fn op(&self, asm: &mut Asm, [narrow, wide]: [Code; 2], args: [Register; 2]) {
        let code = self.pick([narrow, wide]);
        asm.op(code, &args.map(|r| self.sized(r).into()));
    }

    /// Loads the lane's operand, the first or the second.
    fn word(&self, u: &mut Uniform<'_, '_>, to: Register, operand: usize) {
        let dwords = self.dwords() as usize;
        let data = &self.op.data[operand * dwords..][..dwords];
        lane(u, to, data[0]);
        if self.is_wide() {
            lane(u, PLACE, data[1]);
            u.asm.op(Code::Shl_rm64_imm8, &[PLACE.into(), 32.into()]);
            u.asm.op(Code::Or_r64_rm64, &[to.into(), PLACE.into()]);
        }
    }

    /// Stores the value before to the lane of the result registers.
    fn give_back(&self, asm: &mut Asm) {
        for n in 0..self.dwords() {
            let at = self.to + n * VECTOR_BYTES as u32;
            let to = Mem::sum(fixed::VECTOR, B, at);
            if n == 1 {
                asm.op(Code::Shr_rm64_imm8, &[OLD_WORD.into(), 32.into()]);
            }
            asm.op(Code::Mov_rm32_r32, &[to.into(), low(OLD_WORD).into()]);
        }
    }

    /// Changes a word; the value before is in the first register, if it is returned.
    fn change(&self, u: &mut Uniform<'_, '_>, rmw: Rmw) {
        let owned = matches!(self.addresses, Addresses::Lds(..));
        if rmw == Rmw::CmpSwap {
            return self.compare_and_swap(u, owned);
        }
        let at = Arg::M(Mem::at(PLACE, 0));
        let word = self.sized(WORD);
        let returns = self.op.ret.is_some();
        if let (Some(codes), false) = (in_memory(rmw), returns) {
            return if owned {
                u.asm.op(self.pick(codes), &[at, word.into()]);
            } else {
                u.asm.locked(self.pick(codes), &[at, word.into()]);
            };
        }
        let before = [OLD_WORD, WORD];
        match rmw {
            Rmw::Swap if !owned => {
                let swap = self.pick([Code::Xchg_rm32_r32, Code::Xchg_rm64_r64]);
                u.asm.op(swap, &[at, word.into()]);
                self.op(u.asm, MOVE, before);
            }
            Rmw::Add | Rmw::Sub if !owned => {
                if rmw == Rmw::Sub {
                    let negate = self.pick([Code::Neg_rm32, Code::Neg_rm64]);
                    u.asm.op(negate, &[word.into()]);
                }
                let add = self.pick([Code::Xadd_rm32_r32, Code::Xadd_rm64_r64]);
                u.asm.locked(add, &[at, word.into()]);
                self.op(u.asm, MOVE, before);
            }
            _ => self.modify_there(u.asm, rmw, owned),
        }
    }

    /// Loads a word, computes the new one, and stores it: to shared memory by compare and exchange.
    fn modify_there(&self, asm: &mut Asm, rmw: Rmw, owned: bool) {
        let (again, done) = (asm.label(), asm.label());
        let at = Arg::M(Mem::at(PLACE, 0));
        let [old, new] = [OLD_WORD, NEW].map(|r| Arg::R(self.sized(r)));
        asm.op(self.pick(MOVE), &[old, at]);
        asm.place(again);
        self.modify(asm, rmw);
        if owned {
            asm.op(
                self.pick([Code::Mov_rm32_r32, Code::Mov_rm64_r64]),
                &[at, new],
            );
            return;
        }
        // An unchanged value need not be stored.
        self.op(asm, COMPARE_WORDS, [NEW, OLD_WORD]);
        asm.jump(Code::Je_rel32_64, done);
        let exchange = self.pick([Code::Cmpxchg_rm32_r32, Code::Cmpxchg_rm64_r64]);
        asm.locked(exchange, &[at, new]);
        asm.jump(Code::Jne_rel32_64, again);
        asm.place(done);
    }

    fn compare_and_swap(&self, u: &mut Uniform<'_, '_>, owned: bool) {
        // The register of the place is used to load the comparand.
        u.asm.op(LOAD, &[OTHER.into(), PLACE.into()]);
        let at = Arg::M(Mem::at(OTHER, 0));
        if owned {
            self.word(u, NEW, 1);
            let [load, store] = if self.is_wide() {
                [Code::Mov_r64_rm64, Code::Mov_rm64_r64]
            } else {
                [Code::Mov_r32_rm32, Code::Mov_rm32_r32]
            };
            u.asm.op(load, &[self.sized(OLD_WORD).into(), at]);
            self.op(u.asm, COMPARE_WORDS, [NEW, OLD_WORD]);
            let unequal = [Code::Cmovne_r32_rm32, Code::Cmovne_r64_rm64];
            self.op(u.asm, unequal, [WORD, OLD_WORD]);
            return u.asm.op(store, &[at, self.sized(WORD).into()]);
        }
        self.word(u, OLD_WORD, 1);
        let exchange = if self.is_wide() {
            Code::Cmpxchg_rm64_r64
        } else {
            Code::Cmpxchg_rm32_r32
        };
        u.asm.locked(exchange, &[at, self.sized(WORD).into()]);
    }

    /// Computes the new word from the old one and the operand, which are preserved.
    fn modify(&self, asm: &mut Asm, rmw: Rmw) {
        let [new, word] = [NEW, WORD].map(|r| Arg::R(self.sized(r)));
        if let Some(codes) = in_memory(rmw) {
            self.op(asm, MOVE, [NEW, OLD_WORD]);
            return asm.op(self.pick(codes), &[new, word]);
        }
        match rmw {
            Rmw::Swap => self.op(asm, MOVE, [NEW, WORD]),
            Rmw::RevSub => {
                self.op(asm, MOVE, [NEW, WORD]);
                let codes = [Code::Sub_r32_rm32, Code::Sub_r64_rm64];
                self.op(asm, codes, [NEW, OLD_WORD]);
            }
            Rmw::Inc => {
                self.op(asm, MOVE, [NEW, OLD_WORD]);
                let add = self.pick([Code::Add_rm32_imm32, Code::Add_rm64_imm32]);
                asm.with_constant(add, new, 1, self.is_wide());
                asm.set(OTHER, 0);
                self.op(asm, COMPARE_WORDS, [OLD_WORD, WORD]);
                let at_least = [Code::Cmovae_r32_rm32, Code::Cmovae_r64_rm64];
                self.op(asm, at_least, [NEW, OTHER]);
            }
            Rmw::Dec => {
                self.op(asm, MOVE, [NEW, OLD_WORD]);
                let sub = self.pick([Code::Sub_rm32_imm32, Code::Sub_rm64_imm32]);
                asm.with_constant(sub, new, 1, self.is_wide());
                // The old value was 0.
                let below = [Code::Cmovb_r32_rm32, Code::Cmovb_r64_rm64];
                self.op(asm, below, [NEW, WORD]);
                self.op(asm, COMPARE_WORDS, [OLD_WORD, WORD]);
                self.op(asm, ABOVE, [NEW, WORD]);
            }
            Rmw::FAdd | Rmw::FMin | Rmw::FMax => self.modify_float(asm, rmw),
            _ => {
                self.op(asm, MOVE, [NEW, OLD_WORD]);
                self.op(asm, COMPARE_WORDS, [WORD, OLD_WORD]);
                self.op(asm, replaces(rmw), [NEW, WORD]);
            }
        }
    }

    /// For two NaNs, and for infinities of both signs, the host's results agree with the operation: the first NaN, made quiet,
    /// and a negative NaN.
    fn modify_float(&self, asm: &mut Asm, rmw: Rmw) {
        let [old, data] = [Register::XMM1, Register::XMM2];
        let (to_vector, back, add, compare) = if self.is_wide() {
            (
                Code::VEX_Vmovq_xmm_rm64,
                Code::VEX_Vmovq_rm64_xmm,
                Code::VEX_Vaddsd_xmm_xmm_xmmm64,
                Code::VEX_Vucomisd_xmm_xmmm64,
            )
        } else {
            (
                Code::VEX_Vmovd_xmm_rm32,
                Code::VEX_Vmovd_rm32_xmm,
                Code::VEX_Vaddss_xmm_xmm_xmmm32,
                Code::VEX_Vucomiss_xmm_xmmm32,
            )
        };
        for (vector, register) in [(old, OLD_WORD), (data, WORD)] {
            let register = self.sized(register);
            asm.op(to_vector, &[vector.into(), register.into()]);
        }
        if rmw == Rmw::FAdd {
            asm.op(add, &[old.into(), old.into(), data.into()]);
            return asm.op(back, &[self.sized(NEW).into(), old.into()]);
        }
        // The operand replaces a larger or a smaller value; a NaN is neither.
        let (above, below) = match rmw {
            Rmw::FMin => (old, data),
            _ => (data, old),
        };
        self.op(asm, MOVE, [NEW, OLD_WORD]);
        asm.op(compare, &[above.into(), below.into()]);
        self.op(asm, ABOVE, [NEW, WORD]);
    }

    /// The operation that combines lanes at one place first, and its neutral element, if the result is the same and the old value
    /// is not used.
    fn folds(&self, rmw: Rmw) -> Option<(Code, u32)> {
        if self.op.ret.is_some() || self.is_wide() {
            return None;
        }
        Some(match rmw {
            Rmw::Add | Rmw::Sub => (ADD, 0),
            Rmw::And => (AND, !0),
            Rmw::Or => (Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, 0),
            Rmw::Xor => (Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, 0),
            Rmw::MinU => (Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, !0),
            Rmw::MaxU => (Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, 0),
            Rmw::MinS => (Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, i32::MAX as u32),
            Rmw::MaxS => (Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, i32::MIN as u32),
            _ => return None,
        })
    }

    /// Whether the values before of lanes at one place can be computed from a prefix sum.
    fn counts(&self, rmw: Rmw) -> bool {
        let sums = matches!(rmw, Rmw::Add | Rmw::Sub);
        sums && self.op.ret.is_some() && !self.is_wide()
    }

    /// Adds the operands of the active lanes at once: the value before each lane includes the sum of the lanes below it.
    fn count(&self, u: &mut Uniform<'_, '_>, rmw: Rmw) {
        let (own, zero) = (APART, FIRST);
        lanes(u, OLD, self.op.data[0], 0);
        let asm = &mut *u.asm;
        asm.op(ZERO, &[zero.into(); 3]);
        let code = if rmw == Rmw::Sub { SUB } else { ADD };
        let args = [own.into(), zero.into(), OLD.into()];
        asm.under(code, Under::Zero(ON), &args);
        asm.op(COPY, &[DATA.into(), own.into()]);
        let shift = Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8;
        // Each step adds the value of the lane at this distance below.
        for lanes in [1u8, 2, 4, 8] {
            let args = [OLD.into(), DATA.into(), zero.into(), (16 - lanes).into()];
            asm.op(shift, &args);
            asm.op(ADD, &[DATA.into(), DATA.into(), OLD.into()]);
        }
        let args = [OLD.into(), DATA.into(), DATA.into(), 15.into()];
        asm.op(shift, &args);
        let sum = [low(WORD).into(), Register::XMM2.into()];
        asm.op(Code::VEX_Vmovd_rm32_xmm, &sum);
        self.change(u, Rmw::Add);
        let asm = &mut *u.asm;
        asm.op(SPREAD, &[OLD.into(), low(OLD_WORD).into()]);
        asm.op(SUB, &[DATA.into(), DATA.into(), own.into()]);
        asm.op(ADD, &[DATA.into(), DATA.into(), OLD.into()]);
        self.keep(asm, 0);
    }

    /// Combines the operands of the active lanes to one.
    fn fold(&self, u: &mut Uniform<'_, '_>, code: Code, neutral: u32) {
        lanes(u, OLD, self.op.data[0], 0);
        let neutral = u.asm.constant(neutral);
        u.asm.op(BROADCAST, &[DATA.into(), neutral.into()]);
        u.asm
            .under(COPY, Under::Merge(ON), &[DATA.into(), OLD.into()]);
        let (halves, dwords) = (
            Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8,
            Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8,
        );
        // Each step adds the value at a distance: half a register, a quarter, and so on.
        for order in [0x4e_u8, 0xb1] {
            let args = [OLD.into(), DATA.into(), DATA.into(), order.into()];
            u.asm.op(halves, &args);
            u.asm.op(code, &[DATA.into(), DATA.into(), OLD.into()]);
        }
        for order in [0x4e_u8, 0xb1] {
            u.asm.op(dwords, &[OLD.into(), DATA.into(), order.into()]);
            u.asm.op(code, &[DATA.into(), DATA.into(), OLD.into()]);
        }
        let sum = [low(WORD).into(), Register::XMM1.into()];
        u.asm.op(Code::VEX_Vmovd_rm32_xmm, &sum);
    }
}

const MOVE: [Code; 2] = [Code::Mov_r32_rm32, Code::Mov_r64_rm64];
const COMPARE_WORDS: [Code; 2] = [Code::Cmp_r32_rm32, Code::Cmp_r64_rm64];
const ABOVE: [Code; 2] = [Code::Cmova_r32_rm32, Code::Cmova_r64_rm64];

/// The instruction that changes memory by a register.
fn in_memory(rmw: Rmw) -> Option<[Code; 2]> {
    Some(match rmw {
        Rmw::Add => [Code::Add_rm32_r32, Code::Add_rm64_r64],
        Rmw::Sub => [Code::Sub_rm32_r32, Code::Sub_rm64_r64],
        Rmw::And => [Code::And_rm32_r32, Code::And_rm64_r64],
        Rmw::Or => [Code::Or_rm32_r32, Code::Or_rm64_r64],
        Rmw::Xor => [Code::Xor_rm32_r32, Code::Xor_rm64_r64],
        _ => return None,
    })
}

/// The conditional move by which the operand replaces the value before, after their comparison.
fn replaces(rmw: Rmw) -> [Code; 2] {
    match rmw {
        Rmw::MinS => [Code::Cmovl_r32_rm32, Code::Cmovl_r64_rm64],
        Rmw::MaxS => [Code::Cmovg_r32_rm32, Code::Cmovg_r64_rm64],
        Rmw::MinU => [Code::Cmovb_r32_rm32, Code::Cmovb_r64_rm64],
        Rmw::MaxU => ABOVE,
        _ => unreachable!("others have instructions of their own"),
    }
}
