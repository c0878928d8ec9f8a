//! Instrumentation of a block: shadows of registers and values.

use wavetank_ir::{
    Block, Builder, Elem, Op, Reg, RegFile, SHADOW_UNIFORM, SHADOW_VECTOR, Span, Terminator, Ty,
    Value,
};

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

    /// Appends an operation, and the operations on its shadows. `old` has the operands of the original block.
    fn visit(&mut self, old: &Op, op: Op, ty: Option<Ty>) -> Bits {
        match old {
            Op::Inst { pc, .. } => self.pc = *pc,
            Op::Mem(access) => return self.access(access, op, ty),
            Op::End(end) => self.end(end),
            _ => {}
        }
        let value = self.b.node(op.clone(), ty);
        let shadow = match ty {
            Some(ty) => self.result(old, &op, value, ty),
            None => {
                self.effect(old, &op);
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

    /// Returns the shadow of an operation's result.
    fn result(&mut self, old: &Op, new: &Op, value: Value, ty: Ty) -> Shadow {
        let (n, bits) = (self.n, |v: &Value| self.bits(*v));
        match old {
            Op::Read(reg) => self.read(*reg),
            Op::Un(un, elem, _, a) => n.one(*un, *elem, bits(a)),
            Op::Bin(bin, elem, _, a, b) => n.two(*bin, *elem, bits(a), bits(b)),
            Op::Tern(tern, elem, _, a, b, c) => n.three(*tern, *elem, [a, b, c].map(bits)),
            Op::Cmp(rel, elem, _, a, b) => n.compared(*rel, *elem, bits(a), bits(b)),
            Op::Class(_, a, which) => n.classified(bits(a), bits(which), ty),
            Op::Cvt(cvt, from, to, _, a) => n.converted(*cvt, *from, *to, bits(a)),
            Op::Select(cond, a, b) => n.selected(bits(cond), bits(a), bits(b), ty),
            Op::AddCarry(a, b, carry) | Op::SubBorrow(a, b, carry) => {
                let subtract = matches!(old, Op::SubBorrow(..));
                let carry = carry.as_ref().map(bits);
                let (sum, out) = n.with_carry(subtract, bits(a), bits(b), carry);
                self.carries.push((value, out));
                sum
            }
            Op::MadWide { args, .. } => {
                let sum = n.mad_wide(args.each_ref().map(bits));
                self.carries.push((value, sum.map(|s| n.any(s))));
                sum
            }
            Op::Second(_) => {
                let mut of = value;
                new.for_each_operand(&mut |v| of = *v);
                let known = self.carries.iter().rev().find(|(v, _)| *v == of);
                known.and_then(|(_, shadow)| *shadow)
            }
            Op::Cast(to, a) => self.shadow(*a).map(|s| self.b.cast(*to, s)),
            Op::NonZero(a) => n.non_zero(bits(a)),
            Op::ReadLane(a, lane) => {
                self.probe(Sink::Index, self.shadow(*lane), None);
                let lane = bits(lane).value;
                self.shadow(*a)
                    .map(|s| self.b.read_lane(self.lanes(s), lane))
            }
            Op::ReadFirstLane(a, mask) => {
                let mask = bits(mask).value;
                self.shadow(*a)
                    .map(|s| self.b.read_first_lane(self.lanes(s), mask))
            }
            Op::Shuffle(a, table) => self.shadow(*a).map(|s| self.b.shuffle(s, table.clone())),
            Op::ShuffleMask(a, table) => self
                .shadow(*a)
                .map(|s| self.b.shuffle_mask(s, table.clone())),
            Op::Permute { value, index, mask } => {
                let (at, mask) = (bits(index).value, bits(mask).value);
                let moved = self.shadow(*value).map(|s| self.b.permute(s, at, mask));
                n.or(moved, self.unknown_lane(*index))
            }
            Op::Scatter { value, index, mask } => {
                let (at, mask) = (bits(index).value, bits(mask).value);
                let moved = self.shadow(*value).map(|s| self.b.scatter(s, at, mask));
                n.or(moved, self.unknown_lane(*index))
            }
            Op::LaneFn(function, args) => {
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
                self.carries.push((value, lanes.map(|any| n.any(any))));
                lanes.map(|any| n.smear(any, function.result_bits))
            }
            Op::ReadIndexed { base, index } => {
                self.probe(Sink::Index, self.shadow(*index), None);
                let index = bits(index).value;
                Some(self.b.read_indexed(base | SHADOW_VECTOR, index))
            }
            Op::ReadIndexedS { base, index } => {
                self.probe(Sink::Index, self.shadow(*index), None);
                let index = bits(index).value;
                Some(self.b.read_indexed_s(base | SHADOW_UNIFORM, index))
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
            | Op::WaitCnt(_)
            | Op::Probe { .. }
            | Op::End(_) => None,
        }
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

    /// Appends the effect on shadows of an operation without a result.
    fn effect(&mut self, old: &Op, new: &Op) {
        match (old, new) {
            (Op::Write { value, reg, .. }, _) if Span::of(*reg).overlaps(Span::EXEC) => {
                // A mask selects the lanes.
                let lanes = |shadow| match self.b.ty(shadow) {
                    Ty::U64 => self.b.cast(Ty::Mask, shadow),
                    _ => shadow,
                };
                self.probe(Sink::Exec, self.shadow(*value).map(lanes), None);
                self.looked_at(*value);
            }
            (
                Op::Write { value, .. },
                Op::Write {
                    reg, mask, bytes, ..
                },
            ) => {
                self.write(*reg, self.shadow(*value), *mask, *bytes);
            }
            (
                Op::WriteIndexed { index, value, .. },
                Op::WriteIndexed {
                    base,
                    index: at,
                    mask,
                    ..
                },
            ) => {
                self.probe(Sink::Index, self.shadow(*index), None);
                let shadow = self.n.or_zero(self.shadow(*value), Ty::U32);
                self.b
                    .write_indexed(base | SHADOW_VECTOR, *at, shadow, *mask);
            }
            (
                Op::WriteIndexedS { index, value, .. },
                Op::WriteIndexedS {
                    base, index: at, ..
                },
            ) => {
                self.probe(Sink::Index, self.shadow(*index), None);
                let shadow = self.n.or_zero(self.shadow(*value), Ty::U32);
                self.b.write_indexed_s(base | SHADOW_UNIFORM, *at, shadow);
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

    fn write(&self, reg: Reg, shadow: Shadow, mask: Option<Value>, bytes: u8) {
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
                (RegFile::Vector, Some(_)) if n < 256 => {
                    self.write(Reg::V(n as u16), None, mask, 0xf);
                }
                (RegFile::Uniform, _) if n < 128 => self.write(Reg::S(n as u8), None, None, 0xf),
                (RegFile::Scc, _) => self.write(Reg::Scc, None, None, 0xf),
                _ => {}
            }
        }
    }
}
