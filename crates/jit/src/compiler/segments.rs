//! Segments: the order in which the nodes of a block are compiled.
//!
//! Lanes are computed in tiles of 16, whose values fit the registers of the host. A *segment* of the block consists of nodes of
//! the wave as a whole, then a loop over its four tiles. A node joins the open segment unless it is one of the wave as a whole
//! and needs a value that the tiles of that segment compute. Stores, atomics and observers of registers close the segment; a load
//! joins it if no tile of it uses the registers that it writes.
//! Within a segment, the nodes of the wave come first, even those that are later in the block. Such nodes depend on no tile, and
//! a scalar register that they write is copied for the tiles that still need its old value.

use wavetank_ir::{
    Block, Elem, MemKind, Op, RENAMED_VECTOR, Reg, RegFile, SHADOW_VECTOR, Span, Terminator, Ty,
    Value,
};
use wavetank_memory::VECTOR_REGISTERS;
use wavetank_translate::RegisterSet;

/// A part of a block: nodes of the wave as a whole, then nodes of tiles.
#[derive(Default, Debug)]
pub(super) struct Segment {
    /// Nodes of the wave as a whole.
    pub uniform: Vec<Value>,
    /// Nodes of each tile.
    pub tile: Vec<Value>,
}

/// The segments of a block, and facts about its nodes.
pub(super) struct Segments {
    /// The segments in their order.
    pub list: Vec<Segment>,
    /// For each node: whether it reads a register that is written too early to be used in place.
    pub copied: Vec<bool>,
    /// For each value: the last segment that needs it.
    pub needed: Vec<u32>,
    /// For each value: the segment at whose end its place is freed.
    pub last: Vec<u32>,
    /// For each value: the segment whose tiles compute it.
    pub tile: Vec<Option<u32>>,
    /// For each node of the wave as a whole: whether compiled code computes it, not helpers.
    pub compiled: Vec<bool>,
    /// For each value that is computed directly into the register it is written to: that register.
    pub into: Vec<Option<Reg>>,
    /// For each node: whether it needs no code, since another node does its work: writes of values that are computed in place,
    /// and the relation that the branch evaluates itself.
    pub done: Vec<bool>,
    writes: Writes,
    /// The relation at the end of the block that only the branch uses.
    pub in_branch: Option<Value>,
}

/// The placement of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Placement {
    /// No code is needed.
    None,
    /// Compiled code for the wave as a whole.
    Wave,
    /// Compiled code, tile by tile.
    Tile,
    /// An access to memory, for the wave as a whole.
    Access,
    /// Code that may call helpers, for the wave as a whole.
    Helpers,
}

/// The reason why helpers compute a node.
pub(super) type Reason = &'static str;

/// The node that has the bits of a value, looking through casts.
pub(super) fn source(block: &Block, mut v: Value) -> Value {
    while let Op::Cast(_, of) = block.node(v).op {
        v = of;
    }
    v
}

/// The node that computes a value, which may be its second result.
pub(super) fn producer(block: &Block, v: Value) -> Value {
    let v = source(block, v);
    match block.node(v).op {
        Op::Second(of) => of,
        _ => v,
    }
}

/// Calls `f` for the registers that a node reads, including those whose read value it uses, or writes.
fn for_each_span(block: &Block, v: Value, mut f: impl FnMut(Span)) {
    let effects = block.node(v).op.effects();
    effects
        .reads
        .iter()
        .chain(effects.writes.iter())
        .for_each(&mut f);
    operands(block, v, &mut |a| {
        if let Op::Read(reg) = block.node(a).op {
            f(Span::of(reg));
        }
    });
}

/// The vector registers that a node reads or writes. An access to a shadow counts as one to its register.
fn registers_of(block: &Block, v: Value) -> RegisterSet {
    let mut set = RegisterSet::default();
    for_each_span(block, v, |span| {
        set = set.with(RegisterSet::of(with_shadow(span)));
    });
    set
}

/// A span of shadows as the span of their registers.
fn with_shadow(span: Span) -> Span {
    match span.first.checked_sub(SHADOW_VECTOR.into()) {
        Some(first) if span.file == RegFile::Vector => Span { first, ..span },
        _ => span,
    }
}

/// The second result of an operation, if it is used.
pub(super) fn second_of(block: &Block, v: Value) -> Option<Value> {
    let mut nodes = (0..).map(Value).zip(&block.nodes);
    let second = nodes.find(|(_, node)| matches!(node.op, Op::Second(of) if of == v));
    second.map(|(second, _)| second)
}

/// Calls `f` for each value that a node needs, looking through casts.
pub(super) fn operands(block: &Block, v: Value, f: &mut impl FnMut(Value)) {
    block
        .node(v)
        .op
        .for_each_operand(&mut |a| f(source(block, *a)));
}

struct Builder<'b, P> {
    block: &'b Block,
    placement: P,
    segments: Segments,
    open: Segment,
    /// Registers that tiles of the open segment write.
    tile_writes: Vec<Span>,
    /// Vector registers that tiles of the open segment read or write.
    accessed: VectorSet,
    exact_at_faults: bool,
}

/// A set of vector registers, with those that loads are renamed to; shadows count as their registers.
#[derive(Default)]
struct VectorSet([u64; WORDS]);

/// The words of a set: registers, and renamed ones.
const WORDS: usize = VECTOR_REGISTERS / 64 + 1;

impl VectorSet {
    fn bits(span: Span) -> impl Iterator<Item = (usize, u64)> {
        let number = |n: u32| match n as u16 & !SHADOW_VECTOR {
            n if n & RENAMED_VECTOR != 0 => VECTOR_REGISTERS + usize::from(n & !RENAMED_VECTOR),
            n => usize::from(n),
        };
        let vector = span.file == RegFile::Vector;
        let numbers = (span.first..span.end()).take(if vector { 64 * WORDS } else { 0 });
        numbers.map(move |n| (number(n) / 64 % WORDS, 1 << (number(n) % 64)))
    }

    fn add(&mut self, span: Span) {
        VectorSet::bits(span).for_each(|(word, bit)| self.0[word] |= bit);
    }

    fn has(&self, span: Span) -> bool {
        VectorSet::bits(span).any(|(word, bit)| self.0[word] & bit != 0)
    }
}

impl Segments {
    /// The segments of a block. `placement` returns the placement of each node except reads; its second argument says whether the
    /// node depends on tiles of the open segment. Unless registers must be exact where an access faults, loads come before tiles
    /// of instructions before them.
    pub(super) fn new(
        block: &Block,
        exact_at_faults: bool,
        placement: impl FnMut(Value, bool) -> Placement,
    ) -> Segments {
        let n = block.nodes.len();
        let mut builder = Builder {
            block,
            placement,
            segments: Segments {
                list: Vec::new(),
                copied: vec![false; n],
                needed: vec![0; n],
                last: vec![0; n],
                tile: vec![None; n],
                compiled: vec![false; n],
                into: vec![None; n],
                done: vec![false; n],
                writes: Writes::of(block),
                in_branch: None,
            },
            open: Segment::default(),
            tile_writes: Vec::new(),
            accessed: VectorSet::default(),
            exact_at_faults,
        };
        builder.find_copies();
        for n in 0..n {
            builder.add(Value(n as u32));
        }
        builder.close();
        let mut segments = builder.segments;
        segments.find_last_uses(block);
        segments.write_at_once(block);
        segments.find_relation(block);
        segments
    }

    /// The vector registers that are dead after each segment, if those of `after` are dead after the block.
    pub(super) fn dead(&self, block: &Block, after: RegisterSet) -> Vec<RegisterSet> {
        let mut left = after;
        let mut dead: Vec<_> = self
            .list
            .iter()
            .rev()
            .map(|segment| {
                let here = left;
                for v in segment.uniform.iter().chain(&segment.tile) {
                    left = left.without(registers_of(block, *v));
                }
                here
            })
            .collect();
        dead.reverse();
        dead
    }

    /// The values that tiles of one segment compute and another segment needs.
    pub(super) fn crossing(&self) -> Vec<Value> {
        let values = (0..).map(Value).zip(&self.tile);
        let cross = |(v, tile): (Value, &Option<u32>)| {
            (*tile)
                .is_some_and(|tile| self.needed[v.index()] > tile)
                .then_some(v)
        };
        values.filter_map(cross).collect()
    }

    /// Finds a relation directly before the branch that is its only user.
    fn find_relation(&mut self, block: &Block) {
        let Some([.., relation, branch]) = self.list.last().map(|segment| &segment.uniform[..])
        else {
            return;
        };
        let Op::End(Terminator::CondBranch { cond, .. }) = block.node(*branch).op else {
            return;
        };
        let relates = matches!(
            block.node(*relation).op,
            Op::Cmp(_, Elem::I32 | Elem::I64, ..)
        );
        let mut users = 0;
        for n in 0..block.nodes.len() {
            operands(block, Value(n as u32), &mut |v| {
                users += u32::from(v == *relation);
            });
        }
        let casts = block.nodes.iter();
        let casts = casts.filter(|node| matches!(node.op, Op::Cast(_, v) if v == *relation));
        let alone = users == 1 && casts.count() == 0;
        if source(block, cond) == *relation && relates && alone && self.compiled[relation.index()] {
            self.in_branch = Some(*relation);
            self.done[relation.index()] = true;
        }
    }

    /// Finds the last segment that needs each value. Uniform values are kept longer: there is room for all.
    fn find_last_uses(&mut self, block: &Block) {
        for (n, segment) in self.list.iter().enumerate() {
            for user in segment.uniform.iter().chain(&segment.tile) {
                operands(block, *user, &mut |v| {
                    let last = &mut self.needed[v.index()];
                    *last = (*last).max(n as u32);
                });
            }
        }
        let end = self.list.len().saturating_sub(1) as u32;
        for (n, node) in block.nodes.iter().enumerate() {
            let uniform = node.ty.is_some_and(|ty| !ty.is_vector());
            self.last[n] = if uniform { end } else { self.needed[n] };
        }
    }

    /// Finds uniform values that can be computed directly into the register that they are written to.
    fn write_at_once(&mut self, block: &Block) {
        for segment in &self.list {
            for pair in segment.uniform.windows(2) {
                let [v, write] = *pair else { continue };
                let Op::Write { reg, value, .. } = block.node(write).op else {
                    continue;
                };
                let fits = block
                    .node(v)
                    .ty
                    .is_some_and(|ty| ty.bits() == reg.ty().bits());
                let plain = matches!(reg, Reg::S(_) | Reg::S64(_) | Reg::Mask(_));
                let computed = self.compiled[v.index()] && !matches!(block.node(v).op, Op::Read(_));
                let kept = !self.writes.between(Span::of(reg), write, None);
                if source(block, value) == v && fits && plain && computed && kept {
                    self.into[v.index()] = Some(reg);
                    self.done[write.index()] = true;
                }
            }
        }
    }
}

/// The registers that the nodes of a block may write, in order.
struct Writes(Vec<(Value, Span)>);

impl Writes {
    fn of(block: &Block) -> Writes {
        let nodes = (0..).map(Value).zip(&block.nodes);
        let spans = nodes.flat_map(|(v, node)| {
            let writes = node.op.effects().writes;
            let spans: Vec<Span> = writes.iter().collect();
            spans.into_iter().map(move |span| (v, span))
        });
        Writes(spans.collect())
    }

    /// Whether a node after `from`, and not after `to`, may write registers.
    fn between(&self, registers: Span, from: Value, to: Option<Value>) -> bool {
        let first = self.0.partition_point(|(v, _)| *v <= from);
        let mut writes = self.0[first..].iter();
        let not_after = |v: Value| to.is_none_or(|to| v <= to);
        writes.any(|(v, span)| not_after(*v) && span.overlaps(registers))
    }
}

impl<P: FnMut(Value, bool) -> Placement> Builder<'_, P> {
    /// Decides which reads are copied. The tiles of a segment come after all nodes of the wave in it, so a uniform register that
    /// they need is copied if it is written anywhere later.
    fn find_copies(&mut self) {
        let n = self.block.nodes.len();
        let (mut last, mut by_tiles) = (vec![None; n], vec![false; n]);
        for user in (0..n as u32).map(Value) {
            let node = self.block.node(user);
            let lanes = node.ty.is_none_or(|ty| ty.is_vector() || ty == Ty::Mask);
            operands(self.block, user, &mut |v| {
                last[v.index()] = Some(user);
                by_tiles[v.index()] |= lanes;
            });
        }
        for (n, node) in self.block.nodes.iter().enumerate() {
            let (Op::Read(reg), Some(last)) = (&node.op, last[n]) else {
                continue;
            };
            let vector = reg.ty().is_vector();
            let to = match self.block.node(last).op {
                _ if by_tiles[n] && !vector => None,
                // A load may overwrite its own address: a lane's address is dead before its result is written.
                Op::Mem(ref op) if op.kind == MemKind::Load && op.registers() == 1 => {
                    last.0.checked_sub(1).map(Value)
                }
                _ => Some(last),
            };
            // Hardware registers are read by helpers, in the order of nodes.
            self.segments.copied[n] = matches!(reg, Reg::Hw(_))
                || self
                    .segments
                    .writes
                    .between(Span::of(*reg), Value(n as u32), to);
        }
    }

    fn close(&mut self) {
        let segment = std::mem::take(&mut self.open);
        self.tile_writes.clear();
        self.accessed = VectorSet::default();
        if !segment.uniform.is_empty() || !segment.tile.is_empty() {
            self.segments.list.push(segment);
        }
    }

    /// The number of the open segment.
    fn now(&self) -> u32 {
        self.segments.list.len() as u32
    }

    /// Whether tiles of the open segment compute an operand of a node.
    fn needs_tile(&self, v: Value) -> bool {
        let mut needs = false;
        operands(self.block, v, &mut |a| {
            let of = producer(self.block, a);
            needs |= self.segments.tile[of.index()] == Some(self.now());
        });
        needs
    }

    /// Whether a node uses a mask of the open segment's tiles as a number, which needs all lanes.
    fn needs_mask_as_number(&self, v: Value) -> bool {
        let mut needs = false;
        let op = &self.block.node(v).op;
        if matches!(op, Op::Write { reg, .. } if !reg.ty().is_vector()) {
            // Each tile writes its part of a register.
            return false;
        }
        op.for_each_operand(&mut |a| {
            let mask = source(self.block, *a);
            let number = self.block.ty(*a) != Ty::Mask && self.block.ty(mask) == Ty::Mask;
            let of = producer(self.block, mask);
            needs |= number && self.segments.tile[of.index()] == Some(self.now());
        });
        needs
    }

    fn add(&mut self, v: Value) {
        let node = self.block.node(v);
        if let Op::Read(reg) = node.op {
            return self.add_read(v, reg);
        }
        // Masks that tiles gather are stored after all tiles: of two overlapping ones, the second begins a segment.
        if let Op::Write { reg, .. } = node.op
            && !reg.ty().is_vector()
            && (self.tile_writes.iter()).any(|span| span.overlaps(Span::of(reg)))
        {
            self.close();
        }
        let needs_tile = self.needs_tile(v);
        match (self.placement)(v, needs_tile) {
            Placement::None => {}
            Placement::Tile => {
                if self.needs_mask_as_number(v) {
                    self.close();
                }
                self.tile_writes.extend(node.op.effects().writes.iter());
                self.add_to_tile(v);
            }
            Placement::Wave => {
                let effects = node.op.effects();
                // Instructions are counted for the active lanes, so EXEC must be stored.
                let counts = effects.marks;
                let again = |span: &Span| {
                    effects.writes.overlap(*span) || (counts && span.overlaps(Span::EXEC))
                };
                if needs_tile || self.tile_writes.iter().any(again) {
                    self.close();
                }
                self.segments.compiled[v.index()] = true;
                self.open.uniform.push(v);
            }
            Placement::Access => {
                if needs_tile || !(self.open.tile.is_empty() || self.may_precede_tiles(v)) {
                    self.close();
                }
                self.open.uniform.push(v);
            }
            Placement::Helpers => {
                let apart = self.is_apart(v)
                    || matches!(
                        node.op,
                        Op::Probe { .. } | Op::Tally { .. } | Op::WaitCnt(_)
                    );
                if needs_tile || !(self.open.tile.is_empty() || apart) {
                    self.close();
                }
                self.open.uniform.push(v);
            }
        }
    }

    /// Whether a load that needs no value of the tiles of the open segment may come before them: it writes no register that they
    /// read or write. Accesses stay in their order among themselves.
    fn may_precede_tiles(&self, v: Value) -> bool {
        let Op::Mem(op) = &self.block.node(v).op else {
            return false;
        };
        let by_lanes = op.kind == MemKind::Load && op.mask.is_some();
        // Scalar registers are exact where a load faults.
        let scalars_wait = (self.tile_writes.iter()).any(|span| span.file != RegFile::Vector);
        if self.exact_at_faults || scalars_wait || !by_lanes {
            return false;
        }
        let writes = op.effects().writes;
        let is_free = |span: Span| span.file == RegFile::Vector && !self.accessed.has(span);
        writes.iter().all(is_free)
    }

    /// Whether a node is a function of values of the wave only, so that it may come before the tiles.
    fn is_apart(&self, v: Value) -> bool {
        let node = self.block.node(v);
        let effects = node.op.effects();
        let mut lanes = node.ty.is_none_or(Ty::is_vector);
        node.op
            .for_each_operand(&mut |a| lanes |= self.block.ty(*a).is_vector());
        let looks = effects.observes_state || effects.reads_memory || !effects.reads.is_empty();
        !lanes && !looks && !effects.any()
    }

    fn add_to_tile(&mut self, v: Value) {
        self.segments.tile[v.index()] = Some(self.now());
        self.open.tile.push(v);
        for_each_span(self.block, v, |span| self.accessed.add(span));
    }

    /// Adds a read. A read that is not copied needs no code: its value is in its register, or in the tile.
    fn add_read(&mut self, v: Value, reg: Reg) {
        let written = |span: &Span| span.overlaps(Span::of(reg));
        let copied = self.segments.copied[v.index()];
        if reg.ty().is_vector() {
            if copied || self.tile_writes.iter().any(written) {
                self.add_to_tile(v);
            }
            return;
        }
        let hardware = matches!(reg, Reg::Hw(_));
        if self.tile_writes.iter().any(written) || (hardware && !self.open.tile.is_empty()) {
            self.close();
        }
        if copied {
            self.segments.compiled[v.index()] = !hardware;
            self.open.uniform.push(v);
        }
    }
}
