//! From an operation to its steps.

use wavetank_ir::{
    Clock, Export, Fp, LANES, Op, Reg, SHADOW_UNIFORM, SHADOW_VECTOR, Terminator, Ty, Value,
};

use super::emit::Operand;
use super::plan;
use super::temps::TooMany;
use super::{Lower, Place, register};
use crate::choose;
use crate::custom::lane_call::{Call, LaneCall};
use crate::custom::probe::{self, Shown};
use crate::custom::{carry, cross, flow, moves};
use crate::drive::{ENV_SHIFT, Level};
use crate::lanes::Env;
use crate::step::{Step, StepFn};
use crate::visit::{AskCaps, Caps, UniformStep, VectorStep, Visit};
use wavetank_memory::Source;

/// The function of an operation that a driver runs: by element.
pub fn choose<V: Visit>(op: &Op, v: V) -> Option<V::Out> {
    match *op {
        Op::Un(o, e, fp, _) => choose::un(o, e, fp, v),
        Op::Bin(o, e, fp, ..) => choose::bin(o, e, fp, v),
        Op::Tern(o, e, fp, ..) => choose::tern(o, e, fp, v),
        Op::Cmp(r, e, fp, ..) => choose::cmp(r, e, fp, v),
        Op::Class(e, ..) => choose::class(e, v),
        Op::Cvt(c, from, to, fp, _) => choose::cvt(c, from, to, fp, v),
        Op::NonZero(_) => Some(choose::non_zero(v)),
        _ => None,
    }
}

fn fp(op: &Op) -> Fp {
    match *op {
        Op::Un(_, _, fp, _)
        | Op::Bin(_, _, fp, ..)
        | Op::Tern(_, _, fp, ..)
        | Op::Cmp(_, _, fp, ..)
        | Op::Cvt(_, _, _, fp, _) => fp,
        _ => Fp::default(),
    }
}

/// Picks the instance of a step by the operands that are uniform.
macro_rules! by_operands {
    ($u:expr, [$($n:literal)*], |$U:ident| $make:expr) => {
        match $u {
            $($n => { const $U: u8 = $n; $make })*
            _ => { const $U: u8 = 0; $make }
        }
    };
}

/// Where the file begins that an indexed register is in, or that of shadows, and its number there. `shadow` is the bit of the
/// number that says so.
fn file_of(reg: Reg, shadow: u64) -> (u32, u64) {
    let (n, first) = match reg {
        Reg::V(n) => (u64::from(n), Reg::V(n & SHADOW_VECTOR)),
        Reg::S(n) => (u64::from(n), Reg::S(n & SHADOW_UNIFORM)),
        _ => unreachable!("these registers are indexed"),
    };
    match register(first) {
        Place::Vector(at) | Place::Uniform(at) => (at, n & !shadow),
        _ => unreachable!("registers are in a file"),
    }
}

impl<L: Level> Lower<'_, L> {
    /// Makes the steps of one node.
    pub(super) fn emit(&mut self, v: Value) -> Result<(), TooMany> {
        let block = self.block;
        match &block.node(v).op {
            Op::Inst { pc, .. } => {
                self.pc = *pc;
                Ok(())
            }
            Op::Read(reg) if self.plan.copied[v.index()] => self.copy_read(v, *reg),
            Op::WaitCnt(wait) if self.extras.instrumented && wait.vm.is_some() => {
                let mut step = self.step(probe::wait, &[]);
                step.imm[2] = self.pc;
                self.steps.push(step);
                Ok(())
            }
            Op::Const(_) | Op::Read(_) | Op::Cast(..) | Op::WaitCnt(_) | Op::Second(_) => Ok(()),
            _ if self.plan.lazy[v.index()] || self.plan.done[v.index()] => Ok(()),
            _ if self.plan.gated[v.index()].is_some() => Ok(()),
            op @ Op::Write { .. } => self.write(op),
            Op::Mem(op) => self.access(v, op),
            Op::End(Terminator::Export { export, next }) => self.export(export, *next),
            Op::End(end) => {
                self.end(end);
                Ok(())
            }
            op @ (Op::Un(..)
            | Op::Bin(..)
            | Op::Tern(..)
            | Op::Cvt(..)
            | Op::Cmp(..)
            | Op::Class(..)
            | Op::NonZero(_)) => self.function(v, op),
            op @ (Op::AddCarry(..) | Op::SubBorrow(..) | Op::MadWide { .. }) => self.wide(v, op),
            op => self.special(v, op),
        }
    }

    /// An operation whose function a driver runs.
    fn function(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        let mut args = Vec::with_capacity(3);
        op.for_each_operand(&mut |a| args.push(*a));
        if let Op::NonZero(a) = op {
            args.push(*a);
        }
        let mut operands: Vec<_> = args.iter().map(|a| self.operand(*a)).collect();
        let vector = args.iter().any(|a| self.is_vector(*a));
        let Some(caps) = choose(op, AskCaps) else {
            self.undefined(op);
            return Ok(());
        };
        let run = self.driver(op, vector, caps, &mut operands)?;
        let mut step = self.step(run, &operands);
        step.flags |= Env::pack(fp(op)) << ENV_SHIFT;
        match (vector, self.ty(v)) {
            (true, Ty::V32 | Ty::V64) => self.result_vector(v, &mut step)?,
            (true, _) => (step.dst, step.mask) = self.result_mask(v)?,
            (false, _) => step.dst = self.result_uniform(v)?,
        }
        self.steps.push(step);
        Ok(())
    }

    fn driver(
        &mut self,
        op: &Op,
        vector: bool,
        caps: Caps,
        operands: &mut [Operand],
    ) -> Result<StepFn, TooMany> {
        let run = if vector {
            if !(caps.uniform && L::FUSE) {
                self.spread(operands)?;
            }
            let mods = Self::has_flips(operands);
            choose(op, VectorStep::<L>::new(Self::uniform_bits(operands), mods))
        } else {
            choose(op, UniformStep::<L>::new())
        };
        Ok(run.expect("what has capabilities has a step"))
    }

    /// An operation with two results.
    fn wide(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        let mut args = Vec::with_capacity(3);
        op.for_each_operand(&mut |a| args.push(*a));
        let mut operands: Vec<_> = args.iter().map(|a| self.operand(*a)).collect();
        let vector = self.is_vector(v);
        let run = if vector {
            self.vector_wide(op, &mut operands)?
        } else {
            uniform_wide::<L>(op)
        };
        let mut step = self.step(run, &operands);
        if vector {
            self.result_vector(v, &mut step)?;
        } else {
            step.dst = self.result_uniform(v)?;
        }
        step.dst2 = self.result_second(v)?;
        self.steps.push(step);
        Ok(())
    }

    fn vector_wide(&mut self, op: &Op, operands: &mut [Operand]) -> Result<StepFn, TooMany> {
        use carry::{AddCarry, MadWide};
        if !L::FUSE {
            let sources = if matches!(op, Op::MadWide { .. }) {
                3
            } else {
                2
            };
            self.spread(&mut operands[..sources])?;
        }
        let u = Self::uniform_bits(operands);
        let sum = u & 3;
        Ok(match op {
            Op::AddCarry(_, _, None) => {
                by_operands!(sum, [1 2 3], |U| L::custom::<AddCarry<false, false, U>>())
            }
            Op::AddCarry(_, _, Some(_)) => {
                by_operands!(sum, [1 2 3], |U| L::custom::<AddCarry<false, true, U>>())
            }
            Op::SubBorrow(_, _, None) => {
                by_operands!(sum, [1 2 3], |U| L::custom::<AddCarry<true, false, U>>())
            }
            Op::SubBorrow(_, _, Some(_)) => {
                by_operands!(sum, [1 2 3], |U| L::custom::<AddCarry<true, true, U>>())
            }
            Op::MadWide { signed: true, .. } => {
                by_operands!(u, [1 2 3 4 5 6], |U| L::custom::<MadWide<true, U>>())
            }
            _ => by_operands!(u, [1 2 3 4 5 6], |U| L::custom::<MadWide<false, U>>()),
        })
    }

    /// Operations whose steps have bodies of their own.
    fn special(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        match op {
            Op::Select(cond, a, b) => self.select(v, *cond, *a, *b),
            Op::LaneFn(function, args) => self.lane_call(v, function, args),
            Op::LanesBelow { high: false } => {
                self.vector_step(v, L::custom::<cross::LanesBelow<false>>(), &[], 0)
            }
            Op::LanesBelow { high: true } => {
                self.vector_step(v, L::custom::<cross::LanesBelow<true>>(), &[], 0)
            }
            Op::LaneId => self.vector_step(v, L::custom::<cross::LaneId>(), &[], 0),
            Op::Shuffle(a, table) => {
                let in_row =
                    |(n, lane): (usize, &u8)| *lane >= 64 || usize::from(*lane) / 16 == n / 16;
                let run = match table.iter().enumerate().all(in_row) {
                    true => L::custom::<cross::Shuffle<true>>(),
                    false => L::custom::<cross::Shuffle<false>>(),
                };
                let table = self.kept.keep(**table);
                let mut from = [self.operand(*a)];
                self.spread(&mut from)?;
                self.vector_step(v, run, &from, table)
            }
            Op::ShuffleMask(a, table) => {
                let exists = |mask, i: usize| mask | u64::from(table[i] < 64) << i;
                let of_full = (0..LANES).fold(0, exists);
                let mut step = self.step(L::custom::<cross::ShuffleMask>(), &[self.operand(*a)]);
                step.imm[1] = self.kept.keep(**table);
                step.imm[2] = of_full;
                (step.dst, step.mask) = self.result_mask(v)?;
                self.steps.push(step);
                Ok(())
            }
            Op::Permute { value, index, mask } | Op::Scatter { value, index, mask } => {
                let operands = [*value, *index, *mask].map(|x| self.operand(x));
                let u = Self::uniform_bits(&operands[..2]);
                let run = match op {
                    Op::Permute { .. } => {
                        by_operands!(u, [1 2 3], |U| L::custom::<cross::Permute<U>>())
                    }
                    _ => by_operands!(u, [1 2 3], |U| L::custom::<cross::Scatter<U>>()),
                };
                self.vector_step(v, run, &operands, 0)
            }
            Op::ReadLane(a, lane) => self.read_lane(v, *a, *lane, L::custom::<cross::ReadLane>()),
            Op::ReadFirstLane(a, mask) => {
                self.read_lane(v, *a, *mask, L::custom::<cross::ReadFirstLane>())
            }
            Op::ReadIndexed { base, index } => {
                let from = [self.operand(*index)];
                let (file, base) = file_of(Reg::V(*base), SHADOW_VECTOR.into());
                self.vector_step(v, L::custom::<moves::ReadIndexed>(), &from, base)?;
                self.in_file(file)
            }
            Op::ReadIndexedS { base, index } => {
                let from = [self.operand(*index)];
                let (file, base) = file_of(Reg::S(*base), SHADOW_UNIFORM.into());
                self.uniform_step(v, L::custom::<moves::ReadIndexedS>(), &from, base)?;
                self.in_file(file)
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let operands = [*index, *value].map(|x| self.operand(x));
                let run = if operands[1].is_uniform() {
                    L::custom::<moves::WriteIndexed<2>>()
                } else {
                    L::custom::<moves::WriteIndexed<0>>()
                };
                let mut step = self.step(run, &operands);
                (step.dst2, step.imm[2]) = file_of(Reg::V(*base), SHADOW_VECTOR.into());
                step.mask = self.mask(*mask, v)?;
                self.steps.push(step);
                Ok(())
            }
            Op::WriteIndexedS { base, index, value } => {
                let operands = [*index, *value].map(|x| self.operand(x));
                let mut step = self.step(L::custom::<moves::WriteIndexedS>(), &operands);
                (step.dst2, step.imm[2]) = file_of(Reg::S(*base), SHADOW_UNIFORM.into());
                self.steps.push(step);
                Ok(())
            }
            Op::Probe {
                pc,
                about,
                of,
                lanes,
                shows,
            } => {
                let operands = [self.operand(*of), self.operand(*lanes)];
                let run = match (self.ty(*of), operands[0].is_uniform()) {
                    (Ty::V32, false) => L::custom::<probe::Lanes<u32>>(),
                    (Ty::V64, false) => L::custom::<probe::Lanes<u64>>(),
                    (Ty::Mask, _) => L::custom::<probe::Mask>(),
                    (Ty::U32 | Ty::V32, _) => L::custom::<probe::Uniform<u32>>(),
                    (Ty::U64 | Ty::V64, _) => L::custom::<probe::Uniform<u64>>(),
                };
                let mut step = self.step(run, &operands);
                (step.imm[2], step.flags) = (*pc, (*about).into());
                probe::show(&mut step, shows.iter().map(|v| self.shown(*v)));
                self.steps.push(step);
                Ok(())
            }
            Op::Clock(clock) => {
                let mut step = self.step(flow::read_clock, &[]);
                step.flags = u32::from(*clock == Clock::RealTime);
                step.dst = self.result_uniform(v)?;
                self.steps.push(step);
                Ok(())
            }
            op => {
                self.undefined(op);
                Ok(())
            }
        }
    }

    /// A number that is shown, and whether it has 64 bits.
    fn shown(&self, v: Value) -> (Shown, bool) {
        let operand = self.operand(v);
        let shown = match operand.place {
            Place::Vector(at) => Shown::Vector(at),
            Place::Uniform(at) => Shown::Uniform(at),
            Place::Const(c) => Shown::Constant(c),
            Place::Nowhere => unreachable!("operands are computed before their users"),
        };
        (shown, operand.wide)
    }

    /// The last step's registers are in this file.
    fn in_file(&mut self, file: u32) -> Result<(), TooMany> {
        let last = self.steps.last_mut();
        last.into_iter().for_each(|step| step.dst2 = file);
        Ok(())
    }

    fn vector_step(
        &mut self,
        v: Value,
        run: StepFn,
        operands: &[Operand],
        imm: u64,
    ) -> Result<(), TooMany> {
        let mut step = self.step(run, operands);
        if operands.len() < 2 {
            step.imm[1] = imm;
        }
        self.result_vector(v, &mut step)?;
        self.steps.push(step);
        Ok(())
    }

    fn uniform_step(
        &mut self,
        v: Value,
        run: StepFn,
        operands: &[Operand],
        imm: u64,
    ) -> Result<(), TooMany> {
        let mut step = self.step(run, operands);
        step.imm[1] = imm;
        step.dst = self.result_uniform(v)?;
        self.steps.push(step);
        Ok(())
    }

    fn read_lane(&mut self, v: Value, a: Value, which: Value, run: StepFn) -> Result<(), TooMany> {
        let from = self.operand(a);
        let dst = self.result_uniform(v)?;
        if from.is_uniform() {
            // Every lane has it.
            self.move_uniform(from, dst);
            return Ok(());
        }
        let which = self.operand(which);
        let mut step = self.step(run, &[from, which]);
        step.dst = dst;
        self.steps.push(step);
        Ok(())
    }

    fn select(&mut self, v: Value, cond: Value, a: Value, b: Value) -> Result<(), TooMany> {
        let wide = self.ty(v).bits() == 64;
        let mut operands = [cond, a, b].map(|x| self.operand(x));
        if !self.is_vector(v) {
            let run = if wide {
                L::custom::<moves::UniformSelect<u64>>()
            } else {
                L::custom::<moves::UniformSelect<u32>>()
            };
            let mut step = self.step(run, &operands);
            step.dst = self.result_uniform(v)?;
            self.steps.push(step);
            return Ok(());
        }
        if self.ty(cond) != Ty::Mask {
            operands[0] = self.mask_of_bool(operands[0])?;
        }
        if !L::FUSE {
            self.spread(&mut operands[1..])?;
        }
        let u = Self::uniform_bits(&operands) & 6;
        let run = match wide {
            true => by_operands!(u, [2 4 6], |U| L::custom::<moves::Select<u64, U>>()),
            false => by_operands!(u, [2 4 6], |U| L::custom::<moves::Select<u32, U>>()),
        };
        let mut step = self.step(run, &operands);
        self.result_vector(v, &mut step)?;
        self.steps.push(step);
        Ok(())
    }

    /// All lanes, or none, as a uniform condition says.
    fn mask_of_bool(&mut self, cond: Operand) -> Result<Operand, TooMany> {
        let constant = |c| Operand {
            place: Place::Const(c),
            wide: true,
            ..cond
        };
        let operands = [cond, constant(u64::MAX), constant(0)];
        let mut step = self.step(L::custom::<moves::UniformSelect<u64>>(), &operands);
        step.dst = self.temps.uniform(self.now)?;
        let place = Place::Uniform(step.dst);
        self.steps.push(step);
        Ok(Operand {
            place,
            wide: true,
            ..cond
        })
    }

    fn lane_call(
        &mut self,
        v: Value,
        function: &'static wavetank_ir::LaneFn,
        args: &[Value],
    ) -> Result<(), TooMany> {
        let uniform = !self.is_vector(v);
        let mut sources = [(Source::None, false); 4];
        for (source, arg) in sources.iter_mut().zip(args) {
            *source = (self.mem_source(Some(*arg)), self.ty(*arg).bits() == 64);
        }
        let call = LaneCall::new(function, sources, uniform);
        let mut step = self.step(L::custom::<Call>(), &[]);
        step.imm[0] = self.kept.keep(call);
        if uniform {
            step.dst = self.result_uniform(v)?;
        } else {
            self.result_vector(v, &mut step)?;
            if let Some(mask) = self.only_choice(v) {
                step.mask = self.mask(mask, v)?;
            }
        }
        if function.has_mask {
            step.dst2 = self.result_second(v)?;
        }
        self.steps.push(step);
        Ok(())
    }

    /// The lanes in which a value is wanted, where its only use is to be chosen in them: what is rarely chosen (the
    /// scaled sum of V_DIV_FMAS) need not be computed.
    fn only_choice(&self, v: Value) -> Option<Value> {
        let one_use = self.plan.uses[v.index()] == 1 && self.plan.second[v.index()].is_none();
        if !one_use || self.plan.hoisted[v.index()].is_some() {
            return None;
        }
        self.block.nodes.iter().find_map(|node| match node.op {
            Op::Select(mask, of, _) if of == v => {
                let known = plan::source(self.block, mask) < v && self.ty(mask) == Ty::Mask;
                known.then_some(mask)
            }
            _ => None,
        })
    }

    fn end(&mut self, end: &Terminator) {
        let (run, next, flags): (StepFn, u64, u32) = match *end {
            Terminator::Branch(to) => (flow::branch, to, 0),
            Terminator::CondBranch { next, .. } => (flow::cond_branch, next, 0),
            Terminator::Jump(_) => (flow::jump, 0, 0),
            Terminator::Barrier { next } => (flow::barrier, next, 0),
            Terminator::Sleep { next } => (flow::sleep, next, 0),
            Terminator::GlobalSync { op, next, .. } => (flow::global_sync, next, op as u32),
            Terminator::Export { .. } => unreachable!("`emit` sends it to `export`"),
            Terminator::Message { message, next } => (flow::message, next, message.into()),
            Terminator::Trap { id, .. } => (flow::trap, self.pc, id.into()),
            Terminator::EndProgram => (flow::end_program, self.pc, 0),
            Terminator::Unsupported { ref what } => return self.unsupported(what.to_string()),
        };
        let operands: &[Operand] = match *end {
            Terminator::CondBranch { cond: v, .. } | Terminator::Jump(v) => &[self.operand(v)],
            Terminator::GlobalSync {
                resource, value, ..
            } => &[self.operand(resource), self.operand(value)],
            _ => &[],
        };
        let mut step = self.step(run, operands);
        if let Terminator::CondBranch { taken, .. } = *end {
            step.imm[1] = taken;
        }
        step.flags = flags;
        self.goes_on(&mut step, next);
        self.steps.push(step);
    }

    /// The wave goes on at `next` after this step, which says where its instruction is from there.
    fn goes_on(&self, step: &mut Step, next: u64) {
        step.imm[2] = next;
        step.dst2 = next.wrapping_sub(self.pc) as u32;
    }

    fn export(&mut self, export: &Export, next: u64) -> Result<(), TooMany> {
        let mut data = [None; 4];
        for (at, source) in data.iter_mut().zip(export.sources) {
            *at = source.map(|v| self.lanes(v)).transpose()?;
        }
        let mut step = self.step(flow::export, &[]);
        step.mask = self.mask(export.mask, Value(self.node))?;
        let export = *export;
        step.imm[0] = self.kept.keep(flow::Send { export, data });
        self.goes_on(&mut step, next);
        self.steps.push(step);
        Ok(())
    }

    /// The kernel stops here.
    pub(super) fn unsupported(&mut self, what: String) {
        let mut step = self.step(flow::unsupported, &[]);
        step.imm[0] = self.kept.keep(what);
        self.goes_on(&mut step, self.pc);
        self.steps.push(step);
    }

    fn undefined(&mut self, op: &Op) {
        self.unsupported(format!("{op} is not defined for its element"));
    }
}

fn uniform_wide<L: Level>(op: &Op) -> StepFn {
    use carry::{UniformAddCarry, UniformMadWide};
    match op {
        Op::AddCarry(_, _, None) => L::custom::<UniformAddCarry<false, false>>(),
        Op::AddCarry(_, _, Some(_)) => L::custom::<UniformAddCarry<false, true>>(),
        Op::SubBorrow(_, _, None) => L::custom::<UniformAddCarry<true, false>>(),
        Op::SubBorrow(_, _, Some(_)) => L::custom::<UniformAddCarry<true, true>>(),
        Op::MadWide { signed: true, .. } => L::custom::<UniformMadWide<true>>(),
        _ => L::custom::<UniformMadWide<false>>(),
    }
}
