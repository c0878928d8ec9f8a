//! Lowering of operations whose steps have bodies of their own: selections, moves between lanes, registers with an index, lane
//! functions, probes and clocks. The steps in `lane_ops` define what their fields mean, and have the functions that set them.

use wavetank_ir::{Clock, LANES, LaneFn, Op, Reg, SHADOW_UNIFORM, SHADOW_VECTOR, Ty, Value};

use super::emit_steps::Operand;
use super::plan;
use super::temps::TooMany;
use super::{Lower, Place, register};
use wavetank_lane_ops::probe::{self, Shown};
use wavetank_lane_ops::{
    IndexedRegisters, LaneCall, Special, Step, flow, fuses, set_product, set_shuffled_full_mask,
    set_table, tally,
};
use wavetank_memory::Source;

/// The registers that an index selects from, where `base` is that of index 0. Their numbers have a bit that selects the shadows.
fn indexed(base: Reg) -> IndexedRegisters {
    let (number, shadow, first) = match base {
        Reg::V(n) => (n, SHADOW_VECTOR, Reg::V(n & SHADOW_VECTOR)),
        Reg::S(n) => (n.into(), SHADOW_UNIFORM.into(), Reg::S(n & SHADOW_UNIFORM)),
        _ => unreachable!("these registers are indexed"),
    };
    match register(first) {
        Place::Vector(file) | Place::Uniform(file) => IndexedRegisters {
            file,
            base: (number & !shadow).into(),
        },
        _ => unreachable!("registers are in a file"),
    }
}

impl Lower<'_> {
    /// Emits the steps of operations with custom bodies.
    pub(super) fn special(&mut self, v: Value, op: &Op) -> Result<(), TooMany> {
        match *op {
            Op::Select(cond, a, b) => self.select(v, cond, a, b),
            Op::LaneFn(function, ref args) => self.lane_call(v, function, args),
            Op::LanesBelow { high } => {
                let step = self.custom(Special::LanesBelow { high }, &[]);
                self.push_lanes(v, step)
            }
            Op::LaneId => {
                let step = self.custom(Special::LaneId, &[]);
                self.push_lanes(v, step)
            }
            Op::Shuffle(a, ref table) => self.shuffle(v, a, table),
            Op::ShuffleMask(a, ref table) => self.shuffle_mask(v, a, table),
            Op::Permute { value, index, mask } => {
                let special = |uniform| Special::Permute { uniform };
                self.exchange(v, [value, index, mask], special)
            }
            Op::Scatter { value, index, mask } => {
                let special = |uniform| Special::Scatter { uniform };
                self.exchange(v, [value, index, mask], special)
            }
            Op::ReadLane(a, lane) => self.read_lane(v, a, lane, Special::ReadLane),
            Op::ReadFirstLane(a, mask) => self.read_lane(v, a, mask, Special::ReadFirstLane),
            Op::ReadIndexed { base, index } => {
                let mut step = self.custom(Special::ReadIndexed, &[self.operand(index)]);
                indexed(Reg::V(base)).store(&mut step);
                self.push_lanes(v, step)
            }
            Op::ReadIndexedS { base, index } => {
                let mut step = self.custom(Special::ReadIndexedS, &[self.operand(index)]);
                indexed(Reg::S(base)).store(&mut step);
                self.push_uniform(v, step)
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let operands = [index, value].map(|x| self.operand(x));
                let uniform = operands[1].is_uniform();
                let mut step = self.custom(Special::WriteIndexed { uniform }, &operands);
                indexed(Reg::V(base)).store(&mut step);
                step.mask = self.mask(mask, v)?;
                self.steps.push(step);
                Ok(())
            }
            Op::WriteIndexedS { base, index, value } => {
                let operands = [index, value].map(|x| self.operand(x));
                let mut step = self.custom(Special::WriteIndexedS, &operands);
                indexed(Reg::S(base)).store(&mut step);
                self.steps.push(step);
                Ok(())
            }
            Op::Probe {
                pc,
                about,
                of,
                lanes,
                ref shows,
            } => {
                self.probe(pc, about, [of, lanes], shows);
                Ok(())
            }
            Op::Tally {
                site,
                lanes,
                before,
            } => {
                let operands = [self.operand(lanes), self.operand(before)];
                let mut step = self.custom(Special::Tally, &operands);
                tally::set_site(&mut step, site);
                self.steps.push(step);
                Ok(())
            }
            Op::Clock(clock) => self.read_clock(v, clock),
            Op::Matrix(ref product) => {
                let mut step = self.custom(Special::Matrix, &[]);
                let product = self.kept.keep((**product).clone());
                set_product(&mut step, product, self.simd);
                self.steps.push(step);
                Ok(())
            }
            ref op => {
                self.undefined(op);
                Ok(())
            }
        }
    }

    /// The step with a custom body.
    fn custom(&self, special: Special, operands: &[Operand]) -> Step {
        self.step(self.run_of(special), operands)
    }

    /// Emits a step that computes the lane vector `v`.
    fn push_lanes(&mut self, v: Value, mut step: Step) -> Result<(), TooMany> {
        self.result_vector(v, &mut step)?;
        self.steps.push(step);
        Ok(())
    }

    /// Emits a step that computes the uniform value `v`.
    fn push_uniform(&mut self, v: Value, mut step: Step) -> Result<(), TooMany> {
        step.dst = self.result_uniform(v)?;
        self.steps.push(step);
        Ok(())
    }

    fn shuffle(&mut self, v: Value, a: Value, table: &[u8; LANES]) -> Result<(), TooMany> {
        let is_in_row = |(n, lane): (usize, &u8)| *lane >= 64 || usize::from(*lane) / 16 == n / 16;
        let in_row = table.iter().enumerate().all(is_in_row);
        let table = self.kept.keep(*table);
        let mut from = [self.operand(a)];
        self.spread(&mut from)?;
        let mut step = self.custom(Special::Shuffle { in_row }, &from);
        set_table(&mut step, table);
        self.push_lanes(v, step)
    }

    fn shuffle_mask(&mut self, v: Value, a: Value, table: &[u8; LANES]) -> Result<(), TooMany> {
        let mut step = self.custom(Special::ShuffleMask, &[self.operand(a)]);
        let exists = |mask, i: usize| mask | u64::from(table[i] < 64) << i;
        set_shuffled_full_mask(&mut step, (0..LANES).fold(0, exists));
        set_table(&mut step, self.kept.keep(*table));
        (step.dst, step.mask) = self.result_mask(v)?;
        self.steps.push(step);
        Ok(())
    }

    /// Emits the step of a move between lanes: of a value, by an index, from the lanes of a mask.
    fn exchange(
        &mut self,
        v: Value,
        value_index_mask: [Value; 3],
        special: fn(u8) -> Special,
    ) -> Result<(), TooMany> {
        let operands = value_index_mask.map(|x| self.operand(x));
        let uniform = Self::uniform_bits(&operands[..2]);
        let step = self.custom(special(uniform), &operands);
        self.push_lanes(v, step)
    }

    /// Emits a probe of a value in some lanes, with the values that it shows.
    fn probe(&mut self, pc: u64, about: u8, [of, lanes]: [Value; 2], shows: &[Value]) {
        let operands = [self.operand(of), self.operand(lanes)];
        let wide = self.ty(of).bits() == 64;
        let special = match (self.ty(of), operands[0].is_uniform()) {
            (Ty::V32 | Ty::V64, false) => Special::ProbeLanes { wide },
            (Ty::Mask, _) => Special::ProbeMask,
            (Ty::U32 | Ty::V32 | Ty::U64 | Ty::V64, _) => Special::ProbeUniform { wide },
        };
        let mut step = self.custom(special, &operands);
        probe::set_subject(&mut step, pc, about);
        probe::show(&mut step, shows.iter().map(|v| self.shown(*v)));
        self.steps.push(step);
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

    fn read_clock(&mut self, v: Value, clock: Clock) -> Result<(), TooMany> {
        let mut step = self.step(flow::read_clock, &[]);
        flow::set_clock(&mut step, clock);
        self.push_uniform(v, step)
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
        let mut step = self.custom(special, &[from, which]);
        step.dst = dst;
        self.steps.push(step);
        Ok(())
    }

    fn select(&mut self, v: Value, cond: Value, a: Value, b: Value) -> Result<(), TooMany> {
        let wide = self.ty(v).bits() == 64;
        let mut operands = [cond, a, b].map(|x| self.operand(x));
        if !self.is_vector(v) {
            let step = self.custom(Special::UniformSelect { wide }, &operands);
            return self.push_uniform(v, step);
        }
        if self.ty(cond) != Ty::Mask {
            operands[0] = self.mask_of_bool(operands[0])?;
        }
        if !fuses(self.simd) {
            self.spread(&mut operands[1..])?;
        }
        let uniform = Self::uniform_bits(&operands) & 6;
        let step = self.custom(Special::Select { wide, uniform }, &operands);
        self.push_lanes(v, step)
    }

    /// A mask of all lanes or none, from a uniform condition.
    fn mask_of_bool(&mut self, cond: Operand) -> Result<Operand, TooMany> {
        let constant = |c| Operand {
            place: Place::Const(c),
            wide: true,
            ..cond
        };
        let operands = [cond, constant(u64::MAX), constant(0)];
        let mut step = self.custom(Special::UniformSelect { wide: true }, &operands);
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
        function: &'static LaneFn,
        args: &[Value],
    ) -> Result<(), TooMany> {
        let uniform = !self.is_vector(v);
        let mut sources = [(Source::None, false); 4];
        for (source, arg) in sources.iter_mut().zip(args) {
            *source = (self.mem_source(Some(*arg)), self.ty(*arg).bits() == 64);
        }
        let call = LaneCall::new(function, sources, uniform);
        let mut step = self.custom(Special::LaneCall, &[]);
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
}
