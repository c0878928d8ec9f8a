//! The plan: fusion decided before a step is emitted. Writes move up into the operation that computes their value, masks of
//! results into the operation that they restrict, sign flips into the operation that uses them. A register that is read is used
//! in place, unless it is written before the last use.

use wavetank_ir::{Block, Elem, Op, Reg, RegFile, SHADOW_VECTOR, Span, Ty, Un, Value};

use wavetank_lane_ops::{caps, is_in_file};
use wavetank_memory::VECTOR_REGISTERS;

/// The common numbering of all registers that a span can name: uniform registers, SCC, hardware registers, then vector registers.
/// The shadows of vector registers follow these.
const SCC_UNIT: usize = Span::ALL_UNIFORM.end() as usize;
const HW_UNITS: usize = SCC_UNIT + 1;
const VECTOR_UNITS: usize = HW_UNITS + 256;
const UNITS: usize = VECTOR_UNITS + 2 * VECTOR_REGISTERS;

/// The numbers of the registers of a span.
fn units(span: Span) -> std::ops::Range<usize> {
    let (start, end) = match span.file {
        RegFile::Uniform => (0, SCC_UNIT),
        RegFile::Scc => (SCC_UNIT, HW_UNITS),
        RegFile::Hardware => (HW_UNITS, VECTOR_UNITS),
        RegFile::Vector => (VECTOR_UNITS, UNITS),
    };
    let first = span.first as usize;
    let first = match first.checked_sub(SHADOW_VECTOR.into()) {
        Some(shadow) if span.file == RegFile::Vector => shadow + VECTOR_REGISTERS,
        _ => first,
    };
    let unit = |n: usize| (start + n).min(end);
    unit(first)..unit(first + span.count as usize)
}

/// The decisions for one block.
pub(crate) struct Plan {
    /// The last node at which a value is needed.
    pub last: Vec<u32>,
    /// The number of nodes that use the value, its second result not counted.
    pub uses: Vec<u32>,
    /// The write that was hoisted to the operation that computes the value.
    pub hoisted: Vec<Option<u32>>,
    /// For each write: whether it was hoisted.
    pub done: Vec<bool>,
    /// For each value that is restricted by a mask where it is computed: the mask.
    pub gate: Vec<Option<Value>>,
    /// For each `and` that became a gate: the value that it restricts.
    pub gated: Vec<Option<Value>>,
    /// For each sign flip: whether its user applies it.
    pub lazy: Vec<bool>,
    /// For each read: whether the register is written before the last use.
    pub copied: Vec<bool>,
    /// The node that stands for the second result.
    pub second: Vec<Option<Value>>,
}

/// The node that a value's bits come from, looking through casts.
pub(crate) fn source(block: &Block, mut v: Value) -> Value {
    while let Op::Cast(_, of) = block.node(v).op {
        v = of;
    }
    v
}

/// Whether a node may write registers of the span.
fn writes(op: &Op, span: Span) -> bool {
    op.effects().writes.overlap(span)
}

/// Whether a node reads registers of the span at its position, or may expose them to an observer.
fn reads(op: &Op, span: Span) -> bool {
    let effects = op.effects();
    effects.observes_state || effects.reads.overlap(span)
}

impl Plan {
    /// Makes the plan of a block. `fuse` is off for the level without fusion.
    pub(crate) fn new(block: &Block, fuse: bool) -> Plan {
        let mut plan = Plan::empty(block.nodes.len());
        let users = plan.count_uses(block);
        plan.hoist_vector_writes(block);
        plan.find_gates(block);
        plan.hoist_uniform_writes(block, &users);
        if fuse {
            plan.find_sign_flips(block, &users);
        }
        plan.find_last_uses(block);
        plan.find_copies(block);
        plan
    }

    /// A plan without fusion, for a caller that decides which reads are copied and how long values are needed.
    pub(crate) fn unfused(block: &Block, copied: Vec<bool>, last: Vec<u32>) -> Plan {
        let n = block.nodes.len();
        let mut plan = Plan {
            last,
            copied,
            ..Plan::empty(n)
        };
        plan.count_uses(block);
        plan
    }

    fn empty(n: usize) -> Plan {
        Plan {
            last: vec![0; n],
            uses: vec![0; n],
            hoisted: vec![None; n],
            done: vec![false; n],
            gate: vec![None; n],
            gated: vec![None; n],
            lazy: vec![false; n],
            copied: vec![false; n],
            second: vec![None; n],
        }
    }

    /// Counts the uses; returns for each value its last user, looking through casts.
    fn count_uses(&mut self, block: &Block) -> Vec<u32> {
        let mut users = vec![0; block.nodes.len()];
        for (i, node) in block.nodes.iter().enumerate() {
            if let Op::Second(of) = node.op {
                self.second[of.index()] = Some(Value(i as u32));
                continue;
            }
            node.op.for_each_operand(&mut |v| {
                self.uses[v.index()] += 1;
                users[v.index()] = i as u32;
            });
        }
        for (i, node) in block.nodes.iter().enumerate().rev() {
            if let Op::Cast(_, of) = node.op {
                users[of.index()] = users[of.index()].max(users[i]);
            }
        }
        users
    }

    /// The node at which the step of a value is emitted.
    fn place(&self, block: &Block, v: Value) -> u32 {
        let v = source(block, v);
        match (self.gated[v.index()], &block.node(v).op) {
            (Some(of), _) => self.place(block, of),
            (None, Op::Second(of)) => of.0,
            _ => v.0,
        }
    }

    /// Whether a mask can be read at node `at`, before its own position.
    fn readable(&self, block: &Block, mask: Value, at: u32) -> bool {
        let mask = source(block, mask);
        if mask.0 < at {
            return true;
        }
        let Op::Read(reg) = block.node(mask).op else {
            return matches!(block.node(mask).op, Op::Const(_));
        };
        let between = &block.nodes[at as usize..mask.index()];
        let span = Span::of(reg);
        !between.iter().any(|n| writes(&n.op, span))
    }

    /// Whether nothing between the nodes accesses the registers.
    fn quiet(block: &Block, from: u32, to: u32, span: Span) -> bool {
        block.nodes[from as usize + 1..to as usize]
            .iter()
            .all(|n| !reads(&n.op, span) && !writes(&n.op, span))
    }

    fn hoist_vector_writes(&mut self, block: &Block) {
        for (w, node) in block.nodes.iter().enumerate() {
            let Op::Write {
                reg: reg @ (Reg::V(_) | Reg::V64(_)),
                value,
                mask,
                bytes,
            } = node.op
            else {
                continue;
            };
            let (v, w) = (value.index(), w as u32);
            let Some(mask) = mask else { continue };
            let span = Span::of(reg);
            let fits = block.node(value).ty == Some(reg.ty())
                && is_in_file(span.first as usize, span.count as usize);
            if fits
                && bytes == 0xf
                && self.uses[v] == 1
                && has_vector_step(&block.node(value).op)
                && self.readable(block, mask, value.0)
                && Self::quiet(block, value.0, w, span)
            {
                self.hoisted[v] = Some(w);
                self.done[w as usize] = true;
            }
        }
    }

    /// Finds `and`s that restrict the lanes of a compare, of a shuffled mask, or of a carry.
    fn find_gates(&mut self, block: &Block) {
        for (i, node) in block.nodes.iter().enumerate() {
            let Op::Bin(wavetank_ir::Bin::And, _, _, a, b) = node.op else {
                continue;
            };
            if node.ty != Some(Ty::Mask) {
                continue;
            }
            for (x, mask) in [(a, b), (b, a)] {
                if self.can_gate(block, x, mask) {
                    self.gate[x.index()] = Some(mask);
                    self.gated[i] = Some(x);
                    break;
                }
            }
        }
    }

    fn can_gate(&self, block: &Block, x: Value, mask: Value) -> bool {
        if self.uses[x.index()] != 1 || x == mask {
            return false;
        }
        match block.node(x).op {
            Op::Cmp(..) | Op::Class(..) | Op::NonZero(_) | Op::ShuffleMask(..) => {
                self.readable(block, mask, x.0)
            }
            // The carry is restricted like the sum: both by the write's mask.
            Op::Second(of) => self.hoisted[of.index()].is_some_and(|w| {
                let Op::Write { mask: Some(m), .. } = block.nodes[w as usize].op else {
                    return false;
                };
                same_mask(block, m, mask) && self.readable(block, mask, of.0)
            }),
            _ => false,
        }
    }

    fn hoist_uniform_writes(&mut self, block: &Block, users: &[u32]) {
        // The registers that hold a value, and the node until which they do.
        let mut alive: Vec<(Span, u32)> = Vec::new();
        for (w, node) in block.nodes.iter().enumerate() {
            let Op::Write {
                reg,
                value,
                mask: None,
                ..
            } = node.op
            else {
                continue;
            };
            let (w, span) = (w as u32, Span::of(reg));
            let v = source(block, value);
            let from = self.place(block, v);
            let until = users[v.index()].max(users[value.index()]);
            let fits = match reg {
                Reg::Scc => is_bool(block, v),
                Reg::Hw(_) => false,
                _ => true,
            };
            if fits
                && self.hoisted[v.index()].is_none()
                && (v == value || self.uses[v.index()] == 1)
                && has_uniform_step(&block.node(v).op)
                && Self::quiet(block, from, w, span)
                && (until <= w || Self::is_unchanged(block, w, until, span))
                && !alive
                    .iter()
                    .any(|(s, until)| s.overlaps(span) && *until > from)
            {
                self.hoisted[v.index()] = Some(w);
                self.done[w as usize] = true;
                if until > w {
                    alive.push((span, until));
                }
            }
        }
    }

    fn is_unchanged(block: &Block, from: u32, to: u32, span: Span) -> bool {
        let between = &block.nodes[from as usize + 1..=to as usize];
        !between.iter().any(|n| writes(&n.op, span))
    }

    fn find_sign_flips(&mut self, block: &Block, users: &[u32]) {
        for (i, node) in block.nodes.iter().enumerate().rev() {
            let Op::Un(Un::FNeg | Un::FAbs, elem, _, _) = node.op else {
                continue;
            };
            let vector = node.ty.is_some_and(Ty::is_vector);
            if !vector || self.uses[i] != 1 || self.hoisted[i].is_some() {
                continue;
            }
            let user = users[i] as usize;
            self.lazy[i] = match block.nodes[user].op {
                // −|x|: the user of the flip passes it on.
                Op::Un(Un::FNeg, e, ..) if self.lazy[user] => e == elem,
                ref op => takes_mods(op, elem),
            };
        }
    }

    /// Finds the last node that needs each value; a lazy user counts at its own user.
    fn find_last_uses(&mut self, block: &Block) {
        for (i, node) in block.nodes.iter().enumerate().rev() {
            let at = match node.op {
                Op::Cast(..) | Op::Second(_) => self.last[i].max(i as u32),
                _ if self.lazy[i] => self.last[i],
                _ => i as u32,
            };
            node.op.for_each_operand(&mut |v| {
                let last = &mut self.last[v.index()];
                *last = (*last).max(at);
            });
        }
        // The mask of a gate is read where the `and` was, at the latest. The result of such an `and` lives in the register or
        // temporary of the gated value.
        for i in 0..block.nodes.len() {
            if let Some(of) = self.gated[i] {
                self.last[of.index()] = self.last[of.index()].max(self.last[i]);
            }
        }
    }

    /// Finds the reads whose register is written before their last use.
    fn find_copies(&mut self, block: &Block) {
        let mut next_write = vec![u32::MAX; UNITS];
        let mut writes: Vec<Vec<Span>> = vec![Vec::new(); block.nodes.len()];
        for (i, node) in block.nodes.iter().enumerate() {
            let written = node.op.effects().writes;
            let at = match node.op {
                Op::Write { value, .. } if self.done[i] => self.place(block, value),
                _ => i as u32,
            };
            writes[at as usize].extend(written.iter());
        }
        for (i, node) in block.nodes.iter().enumerate().rev() {
            if let Op::Read(reg) = node.op {
                let next = units(Span::of(reg)).map(|u| next_write[u]).min();
                self.copied[i] = next.is_some_and(|next| next < self.last[i]);
            }
            for span in &writes[i] {
                for unit in units(*span) {
                    next_write[unit] = i as u32;
                }
            }
        }
    }
}

/// Whether two masks have the same bits at both nodes: the same value, or reads of the same register that the simplifier did not
/// merge.
fn same_mask(block: &Block, a: Value, b: Value) -> bool {
    let (a, b) = (source(block, a), source(block, b));
    if a == b {
        return true;
    }
    match (&block.node(a).op, &block.node(b).op) {
        (Op::Read(x), Op::Read(y)) if Span::of(*x) == Span::of(*y) => {
            let (from, to) = (a.0.min(b.0), a.0.max(b.0));
            Plan::is_unchanged(block, from, to, Span::of(*x))
        }
        _ => false,
    }
}

fn is_bool(block: &Block, v: Value) -> bool {
    let uniform = block.node(v).ty == Some(Ty::U32);
    uniform && matches!(block.node(v).op, Op::Cmp(..) | Op::Second(_))
}

/// Whether the step of an operation writes a lane vector under a mask.
fn has_vector_step(op: &Op) -> bool {
    matches!(
        op,
        Op::Un(..)
            | Op::Bin(..)
            | Op::Tern(..)
            | Op::Cvt(..)
            | Op::Select(..)
            | Op::AddCarry(..)
            | Op::SubBorrow(..)
            | Op::MadWide { .. }
            | Op::LanesBelow { .. }
            | Op::LaneId
            | Op::Shuffle(..)
            | Op::Permute { .. }
            | Op::Scatter { .. }
            | Op::ReadIndexed { .. }
            | Op::LaneFn(..)
    )
}

/// Whether the step of an operation can write a uniform value to any offset.
fn has_uniform_step(op: &Op) -> bool {
    match op {
        Op::Cmp(..)
        | Op::Class(..)
        | Op::NonZero(_)
        | Op::Second(_)
        | Op::ShuffleMask(..)
        | Op::ReadLane(..)
        | Op::ReadFirstLane(..)
        | Op::ReadIndexedS { .. }
        | Op::Clock(_) => true,
        Op::Permute { .. } | Op::Scatter { .. } | Op::Shuffle(..) => false,
        op => has_vector_step(op),
    }
}

/// Whether the step of an operation applies sign flips to its sources.
fn takes_mods(op: &Op, elem: Elem) -> bool {
    let of_elem = match *op {
        Op::Un(_, e, ..) | Op::Bin(_, e, ..) | Op::Tern(_, e, ..) | Op::Cmp(_, e, ..) => e == elem,
        _ => false,
    };
    of_elem && caps(op).is_some_and(|caps| caps.mods)
}

/// Whether a node writes EXEC.
pub(crate) fn writes_exec(op: &Op) -> bool {
    writes(op, Span::EXEC)
}

/// Whether a block changes the modes that later blocks are lifted for: hardware registers.
pub(crate) fn writes_hardware(op: &Op) -> bool {
    let writes = op.effects().writes;
    writes.iter().any(|span| span.file == RegFile::Hardware)
}
