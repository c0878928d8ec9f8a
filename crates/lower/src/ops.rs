//! Lowering of each operation to its steps; those of operations with custom bodies are in `special.rs`.

use wavetank_ir::{Export, Op, Terminator, Ty, Value};

use super::Lower;
use super::emit_steps::Operand;
use super::temps::TooMany;
use wavetank_lane_ops::probe;
use wavetank_lane_ops::{Caps, Shape, Special, StepFn, caps, environment, flow, fuses, step};

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
                probe::set_instruction(&mut step, self.pc);
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
            Terminator::Breakpoint { pc, block } => return self.breakpoint(pc, block),
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
            flow::set_target(&mut step, taken);
        }
        step.flags = flags;
        flow::set_next(&mut step, self.pc, next);
        self.steps.push(step);
    }

    fn breakpoint(&mut self, pc: u64, block: u64) {
        let mut step = self.step(flow::breakpoint, &[]);
        step.imm[1] = block;
        flow::set_next(&mut step, pc, pc);
        self.steps.push(step);
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
        flow::set_next(&mut step, self.pc, next);
        self.steps.push(step);
        Ok(())
    }

    /// Emits a step that stops the kernel with a message.
    pub(super) fn unsupported(&mut self, what: String) {
        let mut step = self.step(flow::unsupported, &[]);
        step.imm[0] = self.kept.keep(what);
        flow::set_next(&mut step, self.pc, self.pc);
        self.steps.push(step);
    }

    pub(super) fn undefined(&mut self, op: &Op) {
        self.unsupported(format!("{op} is not defined for its element"));
    }
}
