//! Instrumentation of a block: shadows of registers and values.

use wavetank_ir::{
    Block, Builder, Elem, LaneFn, Op, Reg, RegFile, SHADOW_UNIFORM, SHADOW_VECTOR, Span,
    Terminator, Ty, Value,
};

use wavetank_memory::VECTOR_REGISTERS;

use super::numbers::{Bits, Numbers, Shadow};
use super::sink::Sink;

/// Returns the block with operations that track undefined bits.
///
/// ```
/// use wavetank_ir::{Builder, Elem, Family, Fp, Reg, Rel, Terminator};
/// let b = Builder::new(0);
/// b.inst(0, Family::Salu);
/// let cond = b.cmp(Rel::Eq, Elem::I32, Fp::default(), b.read(Reg::S(4)), b.u32(0));
/// b.end(Terminator::CondBranch { cond, taken: 8, next: 4 });
/// let followed = wavetank_check::init::follow(&b.finish());
/// // The shadow of s4 decides whether the branch is probed.
/// assert!(followed.to_string().contains("read s132"), "{followed}");
/// ```
pub fn follow(block: &Block) -> Block {
    let builder = Builder::new(block.pc);
    let mut follow = Follow {
        b: &builder,
        n: Numbers(&builder),
        block,
        pc: block.pc,
        known: Vec::with_capacity(block.nodes.len()),
        carries: Vec::new(),
    };
    for node in &block.nodes {
        let mut op = node.op.clone();
        op.for_each_operand_mut(&mut |v| *v = follow.known[v.index()].value);
        let bits = follow.visit(&node.op, op, node.ty);
        follow.known.push(bits);
    }
    builder.finish()
}

/// The state of the pass over a block.
pub(super) struct Follow<'b> {
    pub b: &'b Builder,
    pub n: Numbers<'b>,
    /// The block that is instrumented.
    block: &'b Block,
    /// The address of the current instruction.
    pc: u64,
    /// For each value of the original block, the value in the new one and its shadow.
    known: Vec<Bits>,
    /// The shadows of second results, by the value of the first result.
    carries: Vec<(Value, Shadow)>,
}

impl Follow<'_> {
    /// Returns the new value and shadow of an original value.
    pub(super) fn bits(&self, old: Value) -> Bits {
        self.known[old.index()]
    }

    /// Returns the shadow of an original value.
    pub(super) fn shadow(&self, old: Value) -> Shadow {
        self.bits(old).shadow
    }

    /// Adds a probe for undefined bits at a sink, in some lanes.
    pub(super) fn probe(&self, sink: Sink, shadow: Shadow, lanes: Option<Value>) {
        if let Some(shadow) = shadow {
            let lanes = lanes.unwrap_or_else(|| self.b.mask(!0));
            self.b.probe(self.pc, sink as u8, shadow, lanes, Vec::new());
        }
    }

    /// Appends an operation, and the operations on its shadows: `original` is that of the original block, `op` the same on the
    /// values of the new one.
    fn visit(&mut self, original: &Op, op: Op, ty: Option<Ty>) -> Bits {
        match original {
            Op::Inst { pc, .. } => self.pc = *pc,
            Op::Mem(access) => return self.access(access, op, ty),
            Op::Matrix(product) => return self.product(product, op),
            Op::End(end) => self.end(end),
            _ => {}
        }
        let value = self.b.node(op, ty);
        let shadow = match ty {
            Some(ty) => self.result(original, value, ty),
            None => {
                self.effect(original);
                None
            }
        };
        Bits { value, shadow }
    }

    /// Probes the conditions at the end of a block.
    fn end(&self, end: &Terminator) {
        match end {
            Terminator::CondBranch { cond, .. } => {
                self.probe(Sink::Branch, self.shadow(*cond), None);
            }
            Terminator::Jump(to) => self.probe(Sink::Jump, self.shadow(*to), None),
            _ => {}
        }
    }

    /// Returns the shadow of the result `value` of an operation of the original block: each kind of operation has its rule.
    fn result(&mut self, op: &Op, value: Value, ty: Ty) -> Shadow {
        let (n, bits) = (self.n, |v: &Value| self.bits(*v));
        match op {
            // Registers have shadows.
            Op::Read(reg) => self.read(*reg),
            Op::ReadIndexed { base, index } => Some(self.read_indexed(*base, *index)),
            Op::ReadIndexedS { base, index } => Some(self.read_indexed_s(*base, *index)),
            // A function of numbers decides which undefined bits reach its result.
            Op::Un(un, elem, _, a) => n.one(*un, *elem, bits(a)),
            Op::Bin(bin, elem, _, a, b) => n.two(*bin, *elem, bits(a), bits(b)),
            Op::Tern(tern, elem, _, a, b, c) => n.three(*tern, *elem, [a, b, c].map(bits)),
            Op::Cmp(rel, elem, _, a, b) => n.compared(*rel, *elem, bits(a), bits(b)),
            Op::Class(_, a, which) => n.classified(bits(a), bits(which), ty),
            Op::Cvt(cvt, from, to, _, a) => n.converted(*cvt, *from, *to, bits(a)),
            Op::Select(cond, a, b) => n.selected(bits(cond), bits(a), bits(b), ty),
            Op::NonZero(a) => n.non_zero(bits(a)),
            // A second result has a shadow of its own.
            Op::AddCarry(a, b, carry) => {
                let carry = carry.as_ref().map(bits);
                self.two_results(value, n.with_carry(false, bits(a), bits(b), carry))
            }
            Op::SubBorrow(a, b, borrow) => {
                let borrow = borrow.as_ref().map(bits);
                self.two_results(value, n.with_carry(true, bits(a), bits(b), borrow))
            }
            Op::MadWide { args, .. } => {
                let sum = n.mad_wide(args.each_ref().map(bits));
                self.two_results(value, (sum, sum.map(|sum| n.any(sum))))
            }
            Op::LaneFn(function, args) => self.two_results(value, self.called(function, args)),
            Op::Second(of) => self.second_result(bits(of).value),
            // The shadow moves as the value does.
            Op::Cast(to, a) => self.moved(*a, |s| self.b.cast(*to, s)),
            Op::ReadLane(a, lane) => self.read_lane(*a, *lane),
            Op::ReadFirstLane(a, mask) => {
                let read = |s| self.b.read_first_lane(self.lanes(s), bits(mask).value);
                self.moved(*a, read)
            }
            Op::Shuffle(a, table) => self.moved(*a, |s| self.b.shuffle(s, table.clone())),
            Op::ShuffleMask(a, table) => self.moved(*a, |s| self.b.shuffle_mask(s, table.clone())),
            Op::Permute { value, index, mask } => {
                let permute = |s, at| self.b.permute(s, at, bits(mask).value);
                self.moved_by_index(*value, *index, permute)
            }
            Op::Scatter { value, index, mask } => {
                let scatter = |s, at| self.b.scatter(s, at, bits(mask).value);
                self.moved_by_index(*value, *index, scatter)
            }
            // Values that do not come from registers, and operations without a result.
            Op::Const(_)
            | Op::LanesBelow { .. }
            | Op::LaneId
            | Op::Clock(_)
            | Op::Inst { .. }
            | Op::Write { .. }
            | Op::WriteIndexed { .. }
            | Op::WriteIndexedS { .. }
            | Op::Mem(_)
            | Op::Matrix(_)
            | Op::WaitCnt(_)
            | Op::Probe { .. }
            | Op::Tally { .. }
            | Op::End(_) => None,
        }
    }

    /// Keeps the shadow of the second result of an operation whose first is `value`, and returns that of the first.
    fn two_results(&mut self, value: Value, (first, second): (Shadow, Shadow)) -> Shadow {
        self.carries.push((value, second));
        first
    }

    /// Returns the shadow of the second result of an operation whose first is `of`.
    fn second_result(&self, of: Value) -> Shadow {
        let known = self.carries.iter().rev().find(|(first, _)| *first == of);
        known.and_then(|(_, shadow)| *shadow)
    }

    /// Returns the shadows of both results of a lane function: all bits of a lane are undefined if a bit of an argument is.
    fn called(&self, function: &LaneFn, args: &[Value]) -> (Shadow, Shadow) {
        let n = self.n;
        let wide = |a: &Value| {
            let shadow = self.shadow(*a)?;
            let shadow = match self.b.ty(shadow) {
                Ty::Mask => self.b.select(shadow, self.b.u32(1), self.b.u32(0)),
                _ => shadow,
            };
            Some(n.smear(shadow, 32))
        };
        let any = args.iter().map(wide).fold(None, |any, arg| n.or(any, arg));
        let lanes = any.map(|any| self.lanes(any));
        let second = lanes.map(|any| n.any(any));
        let first = lanes.map(|any| n.smear(any, function.result_bits));
        (first, second)
    }

    /// Returns the shadow of a value that `moves` changes the place of, as it does that of its bits.
    fn moved(&self, value: Value, moves: impl FnOnce(Value) -> Value) -> Shadow {
        self.shadow(value).map(moves)
    }

    /// Returns the shadow of a value that `moves` takes to other lanes, with the index of these lanes as its second argument.
    fn moved_by_index(
        &self,
        value: Value,
        index: Value,
        moves: impl FnOnce(Value, Value) -> Value,
    ) -> Shadow {
        let at = self.bits(index).value;
        let moved = self.moved(value, |s| moves(s, at));
        self.n.or(moved, self.unknown_lane(index))
    }

    /// Returns the shadow of one lane; its number must be defined.
    fn read_lane(&self, value: Value, lane: Value) -> Shadow {
        let lane = self.defined_index(lane);
        self.moved(value, |s| self.b.read_lane(self.lanes(s), lane))
    }

    /// Returns the shadow of a vector register that is read by an index.
    fn read_indexed(&self, base: u16, index: Value) -> Value {
        let index = self.defined_index(index);
        self.b.read_indexed(base | SHADOW_VECTOR, index)
    }

    /// Returns the shadow of a uniform register that is read by an index.
    fn read_indexed_s(&self, base: u8, index: Value) -> Value {
        let index = self.defined_index(index);
        self.b.read_indexed_s(base | SHADOW_UNIFORM, index)
    }

    /// Probes the undefined bits of an index, and returns its value in the new block.
    fn defined_index(&self, index: Value) -> Value {
        let Bits { value, shadow } = self.bits(index);
        self.probe(Sink::Index, shadow, None);
        value
    }

    /// Returns the value spread over all lanes, if it is uniform.
    fn lanes(&self, value: Value) -> Value {
        match self.b.ty(value) {
            Ty::U32 | Ty::U64 => {
                let all = self.b.mask(!0);
                self.b.select(all, value, value)
            }
            _ => value,
        }
    }

    /// Returns a shadow in which all bits of a lane are undefined if the index of its source lane is.
    fn unknown_lane(&self, index: Value) -> Shadow {
        let matters = |s| {
            self.b.bin(
                wavetank_ir::Bin::And,
                Elem::I32,
                Default::default(),
                s,
                self.b.u32(0xfc),
            )
        };
        let unknown = self.shadow(index).map(matters);
        unknown.map(|shadow| self.n.smear(self.lanes(shadow), 32))
    }

    /// Returns the shadow of a register. EXEC is defined, because undefined bits are reported when they are written there.
    /// Hardware registers are defined, too.
    fn read(&self, reg: Reg) -> Shadow {
        let shadow = reg.shadow().filter(|_| !Span::of(reg).overlaps(Span::EXEC));
        shadow.map(|reg| self.b.read(reg))
    }

    /// Appends the effect on shadows of an operation of the original block without a result.
    fn effect(&mut self, op: &Op) {
        match *op {
            Op::Write { value, reg, .. } if Span::of(reg).overlaps(Span::EXEC) => {
                // A mask selects the lanes.
                let lanes = |shadow| match self.b.ty(shadow) {
                    Ty::U64 => self.b.cast(Ty::Mask, shadow),
                    _ => shadow,
                };
                self.probe(Sink::Exec, self.shadow(value).map(lanes), None);
                self.looked_at(value);
            }
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            } => {
                let mask = mask.map(|mask| self.bits(mask).value);
                self.write(reg, self.shadow(value), mask, bytes);
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let (index, mask) = (self.defined_index(index), self.bits(mask).value);
                let shadow = self.n.or_zero(self.shadow(value), Ty::U32);
                let to = base | SHADOW_VECTOR;
                self.b.write_indexed(to, index, shadow, mask);
            }
            Op::WriteIndexedS { base, index, value } => {
                let index = self.defined_index(index);
                let shadow = self.n.or_zero(self.shadow(value), Ty::U32);
                self.b.write_indexed_s(base | SHADOW_UNIFORM, index, shadow);
            }
            _ => {}
        }
    }

    /// Marks a value that was written to EXEC as defined. Later uses depend on the active lanes, whose undefined bits have been
    /// reported: a branch that skips code without active lanes would be reported a second time.
    fn looked_at(&mut self, exec: Value) {
        let block = self.block;
        let same = match block.node(exec).op {
            Op::Cast(_, same) => same,
            _ => exec,
        };
        for (node, bits) in block.nodes.iter().zip(&mut self.known) {
            if matches!(node.op, Op::Cast(_, a) | Op::NonZero(a) if a == exec || a == same) {
                bits.shadow = None;
            }
        }
        for value in [exec, same] {
            self.known[value.index()].shadow = None;
        }
    }

    pub(super) fn write(&self, reg: Reg, shadow: Shadow, mask: Option<Value>, bytes: u8) {
        let Some(to) = reg.shadow() else { return };
        let ty = match to.ty() {
            Ty::V32 => Ty::U32,
            Ty::V64 => Ty::U64,
            uniform => uniform,
        };
        let shadow = self.n.or_zero(shadow, ty);
        match bytes {
            0xf => self.b.write(to, shadow, mask),
            _ => self.b.write_bytes(to, shadow, mask, bytes),
        }
    }

    /// Marks registers as defined, vector registers only in the lanes of a mask.
    pub(super) fn define(&self, span: Span, mask: Option<Value>) {
        for n in span.first..span.end() {
            match (span.file, mask) {
                (RegFile::Vector, Some(_)) if n < VECTOR_REGISTERS as u32 => {
                    self.write(Reg::V(n as u16), None, mask, 0xf);
                }
                (RegFile::Uniform, _) if n < 128 => self.write(Reg::S(n as u8), None, None, 0xf),
                (RegFile::Scc, _) => self.write(Reg::Scc, None, None, 0xf),
                _ => {}
            }
        }
    }
}
