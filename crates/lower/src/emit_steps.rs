//! Emitting steps: their operands, destinations and masks.

use wavetank_ir::{Op, Reg, Ty, Un, Value};

use super::plan::{self, writes_exec};
use super::temps::TooMany;
use super::{ALL, Lower, Place, register};
use wavetank_lane_ops::flow::{self, Counts};
use wavetank_lane_ops::{CONST, Special, Step, StepFn, is_in_file};
use wavetank_memory::Source;

/// An operand of a step: its place, and the sign flips that the step applies to it.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub place: Place,
    pub wide: bool,
    pub neg: bool,
    pub abs: bool,
}

impl Operand {
    pub(crate) fn is_uniform(self) -> bool {
        matches!(self.place, Place::Uniform(_) | Place::Const(_))
    }
}

impl Lower<'_> {
    /// The operand for a value, with the sign flips that its user applies.
    pub(super) fn operand(&self, v: Value) -> Operand {
        let (mut at, mut neg, mut abs) = (v, false, false);
        while self.plan.lazy[at.index()] {
            let Op::Un(flip, _, _, of) = self.op(at) else {
                break;
            };
            match flip {
                // A sign flip inside an absolute value has no effect.
                Un::FNeg => neg ^= !abs,
                _ => abs = true,
            }
            at = *of;
        }
        Operand {
            place: self.place(at),
            wide: self.ty(at).bits() == 64,
            neg,
            abs,
        }
    }

    /// The bit set of the operands that are uniform.
    pub(super) fn uniform_bits(operands: &[Operand]) -> u8 {
        operands
            .iter()
            .enumerate()
            .fold(0, |u, (n, o)| u | u8::from(o.is_uniform()) << n)
    }

    /// Replaces the operands by lane vectors without sign flips.
    pub(super) fn spread(&mut self, operands: &mut [Operand]) -> Result<(), TooMany> {
        for o in operands.iter_mut().filter(|o| o.is_uniform()) {
            *o = self.splat(*o)?;
        }
        Ok(())
    }

    fn splat(&mut self, o: Operand) -> Result<Operand, TooMany> {
        let dst = self.temps.vector(if o.wide { 64 } else { 32 }, self.now)?;
        let run = self.run_of(Special::Splat { wide: o.wide });
        let mut step = self.step(
            run,
            &[Operand {
                neg: false,
                abs: false,
                ..o
            }],
        );
        step.dst = dst;
        self.steps.push(step);
        Ok(Operand {
            place: Place::Vector(dst),
            ..o
        })
    }

    /// A step with its sources; it writes every lane, to offset 0 until that is set.
    pub(super) fn step(&self, run: StepFn, operands: &[Operand]) -> Step {
        let mut step = Step {
            run,
            dst: 0,
            dst2: 0,
            src: [0; 3],
            mask: ALL,
            imm: [0; 3],
            flags: 0,
        };
        for (n, o) in operands.iter().enumerate() {
            step.src[n] = match o.place {
                Place::Vector(at) | Place::Uniform(at) => at,
                Place::Const(c) => {
                    step.imm[n] = c;
                    CONST
                }
                Place::Nowhere => unreachable!("operands are computed before their users"),
            };
            step.flags |= u32::from(o.neg) << n | u32::from(o.abs) << (3 + n);
        }
        step
    }

    pub(super) fn has_flips(operands: &[Operand]) -> bool {
        operands.iter().any(|o| o.neg || o.abs)
    }

    /// The offset of a mask, read at node `at`.
    pub(super) fn mask(&mut self, mask: Value, at: Value) -> Result<u32, TooMany> {
        let of = plan::source(self.block, mask);
        let place = match self.op(of) {
            Op::Read(reg) if of > at => register(*reg),
            _ => self.places[of.index()],
        };
        match place {
            Place::Uniform(at) => Ok(at),
            Place::Const(c) if c == u64::MAX => Ok(ALL),
            Place::Const(c) => {
                let dst = self.temps.uniform(self.now)?;
                let wide = Operand {
                    place: Place::Const(c),
                    wide: true,
                    neg: false,
                    abs: false,
                };
                self.move_uniform(wide, dst);
                Ok(dst)
            }
            Place::Vector(_) | Place::Nowhere => unreachable!("masks are uniform values"),
        }
    }

    pub(super) fn move_uniform(&mut self, from: Operand, dst: u32) {
        let run = self.run_of(Special::UniformCopy { wide: from.wide });
        let mut step = self.step(run, &[from]);
        step.dst = dst;
        self.steps.push(step);
    }

    /// Sets the destination of the lane vector that node `v` computes: the register of its write, under the write's mask, or a
    /// temporary.
    pub(super) fn result_vector(&mut self, v: Value, step: &mut Step) -> Result<(), TooMany> {
        if let Some(w) = self.plan.hoisted[v.index()]
            && let Op::Write {
                reg,
                mask: Some(mask),
                ..
            } = self.block.nodes[w as usize].op
        {
            step.mask = self.mask(mask, v)?;
            if let Place::Vector(at) = register(reg) {
                step.dst = at;
            }
            return Ok(());
        }
        step.dst = self.temps.vector(self.ty(v).bits(), self.last(v))?;
        self.places[v.index()] = Place::Vector(step.dst);
        Ok(())
    }

    /// The offset for the uniform value of `v`: the register of its write, or a temporary.
    pub(super) fn result_uniform(&mut self, v: Value) -> Result<u32, TooMany> {
        let at = match self.plan.hoisted[v.index()].map(|w| &self.block.nodes[w as usize].op) {
            Some(Op::Write { reg, .. }) => match register(*reg) {
                Place::Uniform(at) => at,
                _ => unreachable!("uniform values are hoisted to uniform registers"),
            },
            _ => self.temps.uniform(self.last(v))?,
        };
        self.places[v.index()] = Place::Uniform(at);
        Ok(at)
    }

    /// The offset for a mask that `v` computes, and the offset of the mask that restricts it.
    pub(super) fn result_mask(&mut self, v: Value) -> Result<(u32, u32), TooMany> {
        let Some(gate) = self.plan.gate[v.index()] else {
            return Ok((self.result_uniform(v)?, ALL));
        };
        let and = self.plan.gated.iter().position(|g| *g == Some(v));
        let and = Value(and.expect("a gate has an `and`") as u32);
        let at = match *self.op(v) {
            Op::Second(of) => of,
            _ => v,
        };
        let mask = self.mask(gate, at)?;
        let dst = self.result_uniform(and)?;
        self.places[v.index()] = Place::Uniform(dst);
        Ok((dst, mask))
    }

    /// The offset for the second result of `v`, or for an unused one a temporary.
    pub(super) fn result_second(&mut self, v: Value) -> Result<u32, TooMany> {
        match self.plan.second[v.index()] {
            Some(second) => Ok(self.result_mask(second)?.0),
            None => self.temps.uniform(self.now),
        }
    }

    /// Emits a write that was not hoisted to the operation that computes its value.
    pub(super) fn write(&mut self, op: &Op) -> Result<(), TooMany> {
        let Op::Write {
            reg,
            value,
            mask,
            bytes,
        } = *op
        else {
            return Ok(());
        };
        let o = self.operand(value);
        match reg {
            Reg::V(n) if !is_in_file(n.into(), 1) => Ok(()),
            Reg::V64(n) if !is_in_file(n.into(), 2) => Ok(()),
            Reg::V(_) | Reg::V64(_) => self.write_vector(reg, o, mask, bytes),
            Reg::Scc => {
                self.write_scc(o);
                Ok(())
            }
            _ => {
                if let Place::Uniform(at) = register(reg) {
                    let wide = matches!(reg.ty(), Ty::U64 | Ty::Mask);
                    self.move_uniform(Operand { wide, ..o }, at);
                }
                Ok(())
            }
        }
    }

    fn write_scc(&mut self, o: Operand) {
        let mut step = self.step(self.run_of(Special::Truth), &[o]);
        if let Place::Uniform(at) = register(Reg::Scc) {
            step.dst = at;
        }
        self.steps.push(step);
    }

    fn write_vector(
        &mut self,
        reg: Reg,
        o: Operand,
        mask: Option<Value>,
        bytes: u8,
    ) -> Result<(), TooMany> {
        let wide = reg.ty() == Ty::V64;
        let special = match (bytes, o.is_uniform()) {
            (0xf, true) => Special::Splat { wide },
            (0xf, false) => Special::Copy { wide },
            (_, uniform) => Special::WriteBytes { uniform },
        };
        let mut step = self.step(self.run_of(special), &[o]);
        if bytes != 0xf {
            step.flags = bytes.into();
        }
        if let Some(mask) = mask {
            step.mask = self.mask(mask, Value(self.node))?;
        }
        if let Place::Vector(at) = register(reg) {
            step.dst = at;
        }
        self.steps.push(step);
        Ok(())
    }

    /// Copies a register that is written before the last use of its value.
    pub(super) fn copy_read(&mut self, v: Value, reg: Reg) -> Result<(), TooMany> {
        let (from, bits) = (register(reg), self.ty(v).bits());
        let o = Operand {
            place: from,
            wide: bits == 64,
            neg: false,
            abs: false,
        };
        if !self.is_vector(v) {
            let dst = self.temps.uniform(self.last(v))?;
            self.move_uniform(o, dst);
            self.places[v.index()] = Place::Uniform(dst);
            return Ok(());
        }
        let run = self.run_of(Special::Copy { wide: o.wide });
        let mut step = self.step(run, &[o]);
        step.dst = self.temps.vector(bits, self.last(v))?;
        self.places[v.index()] = Place::Vector(step.dst);
        self.steps.push(step);
        Ok(())
    }

    /// The source of a value in a request.
    pub(super) fn mem_source(&self, v: Option<Value>) -> Source {
        match v.map(|v| self.place(v)) {
            None | Some(Place::Nowhere) => Source::None,
            Some(Place::Vector(at)) => Source::Vector(at),
            Some(Place::Uniform(at)) => Source::Uniform(at),
            Some(Place::Const(c)) => Source::Const(c),
        }
    }

    /// Emits the step that counts a group of instructions, if the group begins at node `n`. A group begins at the start of the
    /// block and after each write of EXEC, so that all its instructions have the same active lanes.
    pub(super) fn count(&mut self, n: usize) {
        let nodes = &self.block.nodes;
        let is_inst = |i: usize| matches!(nodes[i].op, Op::Inst { .. });
        let changed = |i: usize| nodes[i].ty.is_none() && writes_exec(&nodes[i].op);
        let previous = (0..n).rev().take_while(|i| !is_inst(*i));
        let begins = n == 0 || previous.into_iter().any(changed);
        if !is_inst(n) || !begins {
            return;
        }
        let mut counts = Counts::default();
        let mut ended = false;
        for (i, node) in nodes.iter().enumerate().skip(n) {
            if let Op::Inst { family, .. } = node.op {
                if ended {
                    break;
                }
                counts.families[family as usize] += 1;
                counts.all += 1;
            }
            ended |= changed(i);
        }
        let mut step = self.step(flow::count, &[]);
        step.imm[0] = self.kept.keep(counts);
        if let Place::Uniform(exec) = register(Reg::EXEC) {
            step.mask = exec;
        }
        self.steps.push(step);
    }
}
