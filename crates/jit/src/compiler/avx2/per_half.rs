//! Lowering of instructions that apply to each half separately, and the writing of results.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::row::Row;
use super::state::{AND, COPY, Form, LOAD, OR, STORE, low};
use crate::compiler::asm::inst_list::{Unit, Wide, unit};
use crate::compiler::asm::{Arg, Label, Mem, Under, fixed};

pub(super) const BLEND: Code = Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm;

pub(super) const BLEND_BY_CONSTANT: Code = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;

/// A memory operand at an offset of `bytes` bytes from another.
pub(super) fn at_offset(mem: Mem, bytes: usize) -> Mem {
    Mem {
        offset: mem.offset + bytes as i32,
        ..mem
    }
}

impl Lowering<'_> {
    /// Half of an operand, as a register or in memory.
    pub(super) fn half(&mut self, arg: Arg, form: Form, half: usize) -> Arg {
        match arg {
            Arg::R(register) if register.is_k() => arg,
            Arg::R(register) => self.have(unit(register, half)).into(),
            Arg::M(mem) => at_offset(mem, 32 * half).into(),
            Arg::Each(mem) => self.broadcast(mem, form).into(),
            Arg::I(_) => arg,
        }
    }

    /// Half of an operand, in a register.
    pub(super) fn half_register(&mut self, arg: Arg, form: Form, half: usize) -> Register {
        match self.half(arg, form, half) {
            Arg::R(register) => register,
            memory => {
                let to = self.temp();
                self.asm.op(LOAD, &[to.into(), memory]);
                to
            }
        }
    }

    /// Writes half of the result from a temporary register, under the mask.
    pub(super) fn write(&mut self, wide: &Wide, form: Form, half: usize, from: Register) {
        let to = unit(wide.to(), half);
        match wide.under {
            Under::All => {}
            Under::Zero(k) => {
                let mask = self.mask(k, form, half);
                let args = [from.into(), from.into(), mask.into()];
                self.asm.op(AND, &args);
            }
            Under::Merge(k) => self.merge(k, form, half, to, from),
        }
        self.bind(to, from);
    }

    /// Merges a half under a mask: inactive lanes keep their old values.
    fn merge(&mut self, k: Register, form: Form, half: usize, to: Unit, from: Register) {
        let known = self.known_lanes(k, half).filter(|_| form == Form::Dwords);
        if known == Some(0xff) {
            return;
        }
        let old = self.have(to);
        let mut args = [from, old, from].map(Arg::R).to_vec();
        if let Some(lanes) = known {
            args.push(lanes.into());
            return self.asm.op(BLEND_BY_CONSTANT, &args);
        }
        args.push(self.mask(k, form, half).into());
        self.asm.op(BLEND, &args);
    }

    /// Computes the live halves of the result by a function that leaves each in a temporary register.
    pub(super) fn halves(
        &mut self,
        wide: &Wide,
        form: Form,
        mut of: impl FnMut(&mut Self, usize) -> Register,
    ) {
        for half in 0..2 {
            if self.is_needed(unit(wide.to(), half)) {
                let from = of(self, half);
                self.write(wide, form, half, from);
                self.next_half();
            }
        }
    }

    /// Computes both halves before writing them, for an operand half that both depend on and that may be the same register.
    pub(super) fn halves_of_one(
        &mut self,
        wide: &Wide,
        form: Form,
        mut of: impl FnMut(&mut Self, usize) -> Register,
    ) {
        let mut halves = [Register::None; 2];
        for half in 0..2 {
            halves[half] = of(self, half);
            self.next_half_with(&halves[..=half]);
        }
        self.write_both(wide, form, halves);
    }

    /// Writes both halves of a result that depend on both halves of the operands.
    pub(super) fn write_both(&mut self, wide: &Wide, form: Form, halves: [Register; 2]) {
        for (half, from) in halves.into_iter().enumerate() {
            self.write(wide, form, half, from);
        }
    }

    /// Writes the lower half of a result, and sets the upper one to zero.
    pub(super) fn write_low(&mut self, wide: &Wide, from: Register) {
        // Templates do not write it to memory, or under a mask.
        if wide.under != Under::All || wide.to() == Register::None {
            return self.refuse();
        }
        self.bind(unit(wide.to(), 0), from);
        let upper = unit(wide.to(), 1);
        if self.is_needed(upper) {
            let zero = self.zero();
            self.bind(upper, zero);
        }
    }

    /// Emits an instruction with two operands, with a temporary register as result.
    pub(super) fn two(&mut self, code: Code, a: Register, b: impl Into<Arg>) -> Register {
        let to = self.temp();
        self.asm.op(code, &[to.into(), a.into(), b.into()]);
        to
    }

    /// Emits an instruction with two operands, whose result replaces the first.
    pub(super) fn onto(&mut self, code: Code, a: Register, b: impl Into<Arg>) {
        self.asm.op(code, &[a.into(), a.into(), b.into()]);
    }
}

/// The same instruction on each half.
pub(super) fn each(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, half| {
        let mut args = vec![Arg::I(0)];
        for arg in &wide.args()[1..] {
            args.push(l.half(*arg, row.form, half));
        }
        let to = l.temp();
        args[0] = to.into();
        l.asm.op(row.code, &args);
        to
    });
}

/// The same instruction on each half, with the first source in a register: shifts by constants.
pub(super) fn each_of_register(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, half| {
        let from = l.half_register(wide.args()[1], row.form, half);
        l.two(row.code, from, wide.args()[2])
    });
}

/// Fused multiply-adds, which overwrite their first operand.
pub(super) fn fused(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, half| {
        let args = wide.args();
        let a = l.half(args[1], row.form, half);
        let b = l.half(args[2], row.form, half);
        let own = unit(wide.to(), half);
        // The result can be computed in place unless another operand is the same register.
        let in_place = wide.under == Under::All && !args[1..].contains(&args[0]);
        let to = if in_place {
            l.take(own)
        } else {
            l.copy_of(own)
        };
        l.asm.op(row.code, &[to.into(), a, b]);
        to
    });
}

/// A copy or a load.
pub(super) fn copy(l: &mut Lowering, wide: &Wide, row: Row) {
    if let (Arg::M(_), Some(_), Form::Dwords) = (wide.args()[1], wide.mask(), row.form) {
        return masked_load(l, wide);
    }
    each(l, wide, row);
}

/// A masked load, which does not read inactive lanes.
fn masked_load(l: &mut Lowering, wide: &Wide) {
    l.halves(wide, Form::Dwords, |l, half| {
        let from = l.half(wide.args()[1], Form::Dwords, half);
        let k = wide.mask().expect("it has a mask");
        let mask = l.mask(k, Form::Dwords, half);
        l.two(Code::VEX_Vpmaskmovd_ymm_ymm_m256, mask, from)
    });
}

/// A store of dwords.
pub(super) fn store(l: &mut Lowering, wide: &Wide, _: Row) {
    let Some(k) = wide.mask() else {
        for half in 0..2 {
            let to = l.half(wide.args()[0], Form::Dwords, half);
            let from = l.half(wide.args()[1], Form::Dwords, half);
            l.asm.op(STORE, &[to, from]);
        }
        return;
    };
    masked_store(l, wide, k);
}

/// Jumps to a label unless all lanes of both masks are active.
pub(super) fn unless_all(l: &mut Lowering, masks: [Register; 2], some: Label) {
    let all = l.two(AND, masks[0], masks[1]);
    let ones = l.dwords(!0);
    l.asm
        .op(Code::VEX_Vptest_ymm_ymmm256, &[all.into(), ones.into()]);
    l.asm.jump(Code::Jae_rel32_64, some);
    l.drop_temp(all);
}

/// A masked store. Some processors execute these slowly, so a full mask is stored without one.
fn masked_store(l: &mut Lowering, wide: &Wide, k: Register) {
    let (some, done) = (l.asm.label(), l.asm.label());
    let masks = [0, 1].map(|half| l.mask(k, Form::Dwords, half));
    let from = [0, 1].map(|half| l.half(wide.args()[1], Form::Dwords, half));
    let to = [0, 1].map(|half| l.half(wide.args()[0], Form::Dwords, half));
    unless_all(l, masks, some);
    for half in 0..2 {
        l.asm.op(STORE, &[to[half], from[half]]);
    }
    l.asm.jump(Code::Jmp_rel32_64, done);
    l.asm.place(some);
    for half in 0..2 {
        let args = [to[half], masks[half].into(), from[half]];
        l.asm.op(Code::VEX_Vpmaskmovd_m256_ymm_ymm, &args);
    }
    l.asm.place(done);
}

/// A dword or qword broadcast to all lanes.
pub(super) fn broadcast(l: &mut Lowering, wide: &Wide, row: Row) {
    if let (Arg::M(mem), Some(k)) = (wide.args()[1], wide.mask())
        && !is_ours(mem)
    {
        return masked_broadcast(l, wide, row, k);
    }
    l.halves_of_one(wide, row.form, |l, _| {
        let from = match wide.args()[1] {
            Arg::R(register) => low(l.have(unit(register, 0))).into(),
            memory => memory,
        };
        let to = l.temp();
        l.asm.op(row.code, &[to.into(), from]);
        to
    });
}

/// A quarter of a register, read once and broadcast to all.
pub(super) fn broadcast_quarter(l: &mut Lowering, wide: &Wide, row: Row) {
    let to = l.temp();
    l.asm.op(row.code, &[to.into(), wide.args()[1]]);
    let other = copied(l, to);
    l.write_both(wide, row.form, [to, other]);
}

/// Whether memory belongs to the constants or the wave, so that it is always mapped.
fn is_ours(mem: Mem) -> bool {
    [fixed::CONSTANTS, fixed::UNIFORM, fixed::VECTOR].contains(&mem.base)
}

/// A masked broadcast: guest memory is read only if a lane is active.
fn masked_broadcast(l: &mut Lowering, wide: &Wide, row: Row, k: Register) {
    let masks = [0, 1].map(|half| l.mask(k, row.form, half));
    let any = l.two(OR, masks[0], masks[1]);
    let (to, none) = (l.zero(), l.asm.label());
    l.asm
        .op(Code::VEX_Vptest_ymm_ymmm256, &[any.into(), any.into()]);
    l.asm.jump(Code::Je_rel32_64, none);
    l.asm.op(row.code, &[to.into(), wide.args()[1]]);
    l.asm.place(none);
    let other = copied(l, to);
    l.write_both(wide, row.form, [to, other]);
}

/// The dword of a general register, broadcast to all lanes.
pub(super) fn broadcast_general(l: &mut Lowering, wide: &Wide, row: Row) {
    l.halves(wide, row.form, |l, _| {
        let to = l.temp();
        let args = [low(to).into(), wide.args()[1]];
        l.asm.op(Code::VEX_Vmovd_xmm_rm32, &args);
        let args = [to.into(), low(to).into()];
        l.asm.op(row.code, &args);
        to
    });
}

/// VPBLENDMD: the second operand in active lanes, else the first.
pub(super) fn blend(l: &mut Lowering, wide: &Wide, row: Row) {
    let (args, Under::Merge(k)) = (wide.args(), wide.under) else {
        return l.refuse();
    };
    for half in 0..2 {
        let a = l.half_register(args[1], row.form, half);
        let b = l.half(args[2], row.form, half);
        let (mask, to) = (l.mask(k, row.form, half), l.temp());
        l.asm.op(BLEND, &[to.into(), a.into(), b, mask.into()]);
        l.bind(unit(wide.to(), half), to);
        l.next_half();
    }
}

/// An instruction on the lowest 128 or 256 bits, unchanged.
pub(super) fn short(l: &mut Lowering, wide: &Wide, row: Row) {
    let vector = |r: Register| r.is_xmm() || r.is_ymm();
    let narrow = |r: Register, content: Register| if r.is_xmm() { low(content) } else { content };
    let effects = wide.effects();
    let mut args = Vec::new();
    let mut to = None;
    for (n, arg) in wide.args().iter().enumerate() {
        args.push(match *arg {
            Arg::R(r) if vector(r) && n == 0 && effects.is_pure => {
                let register = l.temp();
                to = Some(register);
                narrow(r, register).into()
            }
            Arg::R(r) if vector(r) => narrow(r, l.have(unit(r, 0))).into(),
            other => other,
        });
    }
    l.asm.op(row.code, &args);
    if let Some(to) = to {
        l.write_low(wide, to);
    }
}

/// A copy in a temporary register.
pub(super) fn copied(l: &mut Lowering, from: Register) -> Register {
    let to = l.temp();
    l.asm.op(COPY, &[to.into(), from.into()]);
    to
}
