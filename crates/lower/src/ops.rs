//! Lowering of each operation to its steps.

use wavetank_ir::{
    Clock, Export, LANES, Op, Reg, SHADOW_UNIFORM, SHADOW_VECTOR, Terminator, Ty, Value,
};

use super::emit::Operand;
use super::plan;
use super::temps::TooMany;
use super::{Lower, Place, register};
use wavetank_lane_ops::probe::{self, Shown};
use wavetank_lane_ops::{
    Caps, LaneCall, Shape, Special, Step, StepFn, caps, environment, flow, fuses, step,
};
use wavetank_memory::Source;

/// The offset of the register or shadow file that contains an indexed register, and the register's number in it. `shadow` is the
/// bit of the number that selects the shadows.
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

impl Lower<'_> {
    /// Emits the steps of one node.
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

    /// Emits the step of an operation with a function of one element.
    fn function(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        let mut args = Vec::with_capacity(3);
        op.for_each_operand(&mut |a| args.push(*a));
        if let Op::NonZero(a) = op {
            args.push(*a);
        }
        let mut operands: Vec<_> = args.iter().map(|a| self.operand(*a)).collect();
        let vector = args.iter().any(|a| self.is_vector(*a));
        let Some(caps) = caps(op) else {
            self.undefined(op);
            return Ok(());
        };
        let run = self.driver(op, vector, caps, &mut operands)?;
        let mut step = self.step(run, &operands);
        step.flags |= environment(op);
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
        let shape = if vector {
            if !(caps.uniform && fuses(self.simd)) {
                self.spread(operands)?;
            }
            let mods = Self::has_flips(operands);
            let uniform = Self::uniform_bits(operands);
            Shape::Lanes { uniform, mods }
        } else {
            Shape::Uniform
        };
        Ok(step(self.simd, op, shape).expect("what has capabilities has a step"))
    }

    /// Emits the step of an operation with two results.
    fn wide(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        let mut args = Vec::with_capacity(3);
        op.for_each_operand(&mut |a| args.push(*a));
        let mut operands: Vec<_> = args.iter().map(|a| self.operand(*a)).collect();
        let vector = self.is_vector(v);
        let special = if vector {
            self.vector_wide(op, &mut operands)?
        } else {
            Special::uniform_wide(op)
        };
        let mut step = self.step(self.run_of(special), &operands);
        if vector {
            self.result_vector(v, &mut step)?;
        } else {
            step.dst = self.result_uniform(v)?;
        }
        step.dst2 = self.result_second(v)?;
        self.steps.push(step);
        Ok(())
    }

    fn vector_wide(&mut self, op: &Op, operands: &mut [Operand]) -> Result<Special, TooMany> {
        if !fuses(self.simd) {
            let sources = if matches!(op, Op::MadWide { .. }) {
                3
            } else {
                2
            };
            self.spread(&mut operands[..sources])?;
        }
        Ok(Special::wide(op, Self::uniform_bits(operands)))
    }

    /// Emits the steps of operations with custom bodies.
    fn special(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        match op {
            Op::Select(cond, a, b) => self.select(v, *cond, *a, *b),
            Op::LaneFn(function, args) => self.lane_call(v, function, args),
            Op::LanesBelow { high } => {
                self.vector_step(v, Special::LanesBelow { high: *high }, &[], 0)
            }
            Op::LaneId => self.vector_step(v, Special::LaneId, &[], 0),
            Op::Shuffle(a, table) => {
                let in_row =
                    |(n, lane): (usize, &u8)| *lane >= 64 || usize::from(*lane) / 16 == n / 16;
                let in_row = table.iter().enumerate().all(in_row);
                let table = self.kept.keep(**table);
                let mut from = [self.operand(*a)];
                self.spread(&mut from)?;
                self.vector_step(v, Special::Shuffle { in_row }, &from, table)
            }
            Op::ShuffleMask(a, table) => {
                let exists = |mask, i: usize| mask | u64::from(table[i] < 64) << i;
                let of_full = (0..LANES).fold(0, exists);
                let mut step = self.step(self.run_of(Special::ShuffleMask), &[self.operand(*a)]);
                step.imm[1] = self.kept.keep(**table);
                step.imm[2] = of_full;
                (step.dst, step.mask) = self.result_mask(v)?;
                self.steps.push(step);
                Ok(())
            }
            Op::Permute { value, index, mask } | Op::Scatter { value, index, mask } => {
                let operands = [*value, *index, *mask].map(|x| self.operand(x));
                let uniform = Self::uniform_bits(&operands[..2]);
                let special = match op {
                    Op::Permute { .. } => Special::Permute { uniform },
                    _ => Special::Scatter { uniform },
                };
                self.vector_step(v, special, &operands, 0)
            }
            Op::ReadLane(a, lane) => self.read_lane(v, *a, *lane, Special::ReadLane),
            Op::ReadFirstLane(a, mask) => self.read_lane(v, *a, *mask, Special::ReadFirstLane),
            Op::ReadIndexed { base, index } => {
                let from = [self.operand(*index)];
                let (file, base) = file_of(Reg::V(*base), SHADOW_VECTOR.into());
                self.vector_step(v, Special::ReadIndexed, &from, base)?;
                self.in_file(file)
            }
            Op::ReadIndexedS { base, index } => {
                let from = [self.operand(*index)];
                let (file, base) = file_of(Reg::S(*base), SHADOW_UNIFORM.into());
                self.uniform_step(v, Special::ReadIndexedS, &from, base)?;
                self.in_file(file)
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let operands = [*index, *value].map(|x| self.operand(x));
                let uniform = operands[1].is_uniform();
                let run = self.run_of(Special::WriteIndexed { uniform });
                let mut step = self.step(run, &operands);
                (step.dst2, step.imm[2]) = file_of(Reg::V(*base), SHADOW_VECTOR.into());
                step.mask = self.mask(*mask, v)?;
                self.steps.push(step);
                Ok(())
            }
            Op::WriteIndexedS { base, index, value } => {
                let operands = [*index, *value].map(|x| self.operand(x));
                let mut step = self.step(self.run_of(Special::WriteIndexedS), &operands);
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
                let wide = self.ty(*of).bits() == 64;
                let special = match (self.ty(*of), operands[0].is_uniform()) {
                    (Ty::V32 | Ty::V64, false) => Special::ProbeLanes { wide },
                    (Ty::Mask, _) => Special::ProbeMask,
                    (Ty::U32 | Ty::V32 | Ty::U64 | Ty::V64, _) => Special::ProbeUniform { wide },
                };
                let mut step = self.step(self.run_of(special), &operands);
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

    /// The location of a value shown with a probe, and whether it has 64 bits.
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

    /// Sets the offset of the register file that the last step indexes.
    fn in_file(&mut self, file: u32) -> Result<(), TooMany> {
        let last = self.steps.last_mut();
        last.into_iter().for_each(|step| step.dst2 = file);
        Ok(())
    }

    fn vector_step(
        &mut self,
        v: Value,
        special: Special,
        operands: &[Operand],
        imm: u64,
    ) -> Result<(), TooMany> {
        let mut step = self.step(self.run_of(special), operands);
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
        special: Special,
        operands: &[Operand],
        imm: u64,
    ) -> Result<(), TooMany> {
        let mut step = self.step(self.run_of(special), operands);
        step.imm[1] = imm;
        step.dst = self.result_uniform(v)?;
        self.steps.push(step);
        Ok(())
    }

    fn read_lane(
        &mut self,
        v: Value,
        a: Value,
        which: Value,
        special: Special,
    ) -> Result<(), TooMany> {
        let from = self.operand(a);
        let dst = self.result_uniform(v)?;
        if from.is_uniform() {
            // A uniform value is the same in every lane.
            self.move_uniform(from, dst);
            return Ok(());
        }
        let which = self.operand(which);
        let mut step = self.step(self.run_of(special), &[from, which]);
        step.dst = dst;
        self.steps.push(step);
        Ok(())
    }

    fn select(&mut self, v: Value, cond: Value, a: Value, b: Value) -> Result<(), TooMany> {
        let wide = self.ty(v).bits() == 64;
        let mut operands = [cond, a, b].map(|x| self.operand(x));
        if !self.is_vector(v) {
            let run = self.run_of(Special::UniformSelect { wide });
            let mut step = self.step(run, &operands);
            step.dst = self.result_uniform(v)?;
            self.steps.push(step);
            return Ok(());
        }
        if self.ty(cond) != Ty::Mask {
            operands[0] = self.mask_of_bool(operands[0])?;
        }
        if !fuses(self.simd) {
            self.spread(&mut operands[1..])?;
        }
        let uniform = Self::uniform_bits(&operands) & 6;
        let run = self.run_of(Special::Select { wide, uniform });
        let mut step = self.step(run, &operands);
        self.result_vector(v, &mut step)?;
        self.steps.push(step);
        Ok(())
    }

    /// A mask of all lanes or none, from a uniform condition.
    fn mask_of_bool(&mut self, cond: Operand) -> Result<Operand, TooMany> {
        let constant = |c| Operand {
            place: Place::Const(c),
            wide: true,
            ..cond
        };
        let operands = [cond, constant(u64::MAX), constant(0)];
        let mut step = self.step(
            self.run_of(Special::UniformSelect { wide: true }),
            &operands,
        );
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
        let mut step = self.step(self.run_of(Special::LaneCall), &[]);
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

    /// The mask of a select that is the only use of a value: other lanes need not be computed, which saves work for a value that
    /// is rarely selected (the scaled sum of V_DIV_FMAS).
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

    /// Makes the wave continue at `next` after this step, and stores the distance back to its instruction.
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

    /// Emits a step that stops the kernel with a message.
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
