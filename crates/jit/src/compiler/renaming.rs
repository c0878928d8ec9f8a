//! Register renaming: vector registers of a block become values.
//!
//! A program reuses few registers for many values: each slice of a product of matrices is loaded into the registers of the slice
//! before. So the order of its instructions is fixed by their names alone. Here a write of a vector register whose value is read
//! within the block only is removed, and its reads become the value itself. A load that is read within the block only loads to a
//! register that nothing else uses ([`RENAMED_VECTOR`]).
//!
//! A write under EXEC keeps inactive lanes, but its value has other bits there. So it takes the place of a read only if whatever
//! uses that read uses the lanes of the same mask alone: operations lane by lane whose results are written under it, and accesses
//! of those lanes.
//!
//! Registers of a wave that a fault has stopped count as dead, as for the liveness of registers.

use std::collections::HashMap;

use wavetank_ir::{Bin, Block, DataReg, MemKind, MemOp, Node, Op, RENAMED_VECTOR, Reg, Ty, Value};
use wavetank_ir::{RegFile, Span};
use wavetank_lower::RENAMED;
use wavetank_translate::{RegisterSet, loaded};

use crate::compiler::segments::source;

/// The number of vector registers that a program can name.
const REGISTERS: usize = 256;

/// The number of times that values are found which are better left in registers.
const MAX_ROUNDS: usize = 4;

/// The block with renamed registers, if there is something to rename. The registers of `dead` are dead after it. `crossing` gives
/// the values of a renamed block that are stored for a later part of it: these stay in the registers that they were written to,
/// which is where they would be stored anyway.
pub(super) fn rename(
    block: &Block,
    dead: RegisterSet,
    crossing: impl Fn(&Block) -> Vec<Value>,
) -> Option<Block> {
    let mut definitions = Definitions {
        block,
        seen: seen(block),
        list: Vec::new(),
        current: [None; REGISTERS],
    };
    for n in 0..block.nodes.len() {
        definitions.visit(Value(n as u32));
    }
    definitions.end(dead);
    let mut local = definitions.list;
    local.retain(|definition| definition.local);
    for _ in 0..MAX_ROUNDS {
        if local.is_empty() {
            return None;
        }
        let renamed = rewrite(block, &local);
        let crossing = crossing(&renamed.block);
        let before = local.len();
        local.retain(|definition| {
            let value = renamed.written.get(&definition.node);
            value.is_none_or(|value| !crossing.contains(value))
        });
        if local.len() == before {
            return Some(renamed.block);
        }
    }
    (!local.is_empty()).then(|| rewrite(block, &local).block)
}

/// The lanes of a value that matter to its users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lanes {
    /// It has no users.
    None,
    /// The lanes of a mask.
    Under(Value),
    All,
}

impl Lanes {
    fn or(self, other: Lanes) -> Lanes {
        match (self, other) {
            (Lanes::None, lanes) | (lanes, Lanes::None) => lanes,
            (a, b) if a == b => a,
            _ => Lanes::All,
        }
    }

    /// The lanes of a mask, or all lanes.
    fn of_mask(block: &Block, mask: Option<Value>) -> Lanes {
        match mask.map(|mask| source(block, mask)) {
            Some(mask) if !matches!(block.node(mask).op, Op::Const(u64::MAX)) => Lanes::Under(mask),
            _ => Lanes::All,
        }
    }
}

/// For each value the lanes that matter to its users, from the last node to the first.
fn seen(block: &Block) -> Vec<Lanes> {
    let mut seen = vec![Lanes::None; block.nodes.len()];
    for n in (0..block.nodes.len()).rev() {
        let node = &block.nodes[n];
        let here = seen[n];
        let mut see = |v: Value, lanes| seen[v.index()] = seen[v.index()].or(lanes);
        match &node.op {
            Op::Write { value, mask, .. } => {
                see(*value, Lanes::of_mask(block, *mask));
                mask.iter().for_each(|mask| see(*mask, Lanes::All));
            }
            Op::Mem(op) => {
                let lanes = Lanes::of_mask(block, op.mask);
                node.op.for_each_operand(&mut |a| {
                    let by_lanes = block.ty(*a).is_vector();
                    see(*a, if by_lanes { lanes } else { Lanes::All });
                });
            }
            Op::Bin(Bin::And, _, _, a, b) if node.ty == Some(Ty::Mask) => {
                see(*a, Lanes::of_mask(block, Some(*b)));
                see(*b, Lanes::of_mask(block, Some(*a)));
            }
            Op::Second(of) => see(*of, here),
            op => {
                let by_lanes = is_by_lanes(block, node);
                op.for_each_operand(&mut |a| {
                    let lanes = block.ty(*a).is_vector() || block.ty(*a) == Ty::Mask;
                    see(*a, if lanes && by_lanes { here } else { Lanes::All });
                });
            }
        }
    }
    seen
}

/// Whether each lane of the result depends on that lane of the operands alone.
fn is_by_lanes(block: &Block, node: &Node) -> bool {
    let effects = node.op.effects();
    let same_kind = match node.op {
        // A mask as a number has the bits of all lanes.
        Op::Cast(ty, of) => {
            ty.is_vector() == block.ty(of).is_vector()
                && (ty == Ty::Mask) == (block.ty(of) == Ty::Mask)
        }
        _ => true,
    };
    let lanes = node.ty.is_some_and(|ty| ty.is_vector() || ty == Ty::Mask);
    let pure = !effects.any() && effects.reads.is_empty() && !effects.reads_memory;
    same_kind && lanes && pure && !effects.crosses_lanes
}

/// A node that writes vector registers.
struct Definition {
    node: Value,
    /// The lanes that it writes.
    lanes: Lanes,
    /// Whether its value is used within the block only, and only where those lanes matter.
    local: bool,
    /// The reads of its registers, with the number of the first one read among them.
    reads: Vec<(Value, u16)>,
}

struct Definitions<'b> {
    block: &'b Block,
    seen: Vec<Lanes>,
    list: Vec<Definition>,
    /// The definition of the contents of each register, with the register's number among those that it writes.
    current: [Option<(usize, u16)>; REGISTERS],
}

impl Definitions<'_> {
    fn visit(&mut self, v: Value) {
        let op = &self.block.node(v).op;
        match op {
            Op::Read(Reg::V(n)) => return self.read(v, *n, 1),
            Op::Read(Reg::V64(n)) => return self.read(v, *n, 2),
            Op::Write {
                reg: reg @ (Reg::V(_) | Reg::V64(_)),
                mask,
                bytes: 0xf,
                ..
            } => {
                let lanes = Lanes::of_mask(self.block, *mask);
                return self.define(v, Span::of(*reg), lanes);
            }
            // The registers that are dead after the block are known.
            Op::End(_) => return,
            _ => {}
        }
        let effects = op.effects();
        let vector = |span: &Span| span.file == RegFile::Vector;
        effects
            .reads
            .iter()
            .filter(vector)
            .for_each(|span| self.expose(span));
        if effects.observes_state && !matches!(op, Op::Mem(_)) {
            self.expose(Span::ALL_VECTOR);
        }
        let mut whole = Span::new(RegFile::Vector, 0, 0);
        if let Op::Mem(op) = op {
            whole = loaded(op);
            if whole.count != 0 {
                self.define(v, whole, Lanes::of_mask(self.block, op.mask));
            }
        }
        for span in effects
            .writes
            .iter()
            .filter(vector)
            .filter(|span| *span != whole)
        {
            self.expose(span);
            self.registers(span).for_each(|n| self.current[n] = None);
        }
    }

    /// The numbers of registers that are in the file.
    fn registers(&self, span: Span) -> std::ops::Range<usize> {
        let within = |n: u32| (n as usize).min(REGISTERS);
        within(span.first)..within(span.end())
    }

    /// The registers are read by something else than a [`Op::Read`], or stay in part.
    fn expose(&mut self, span: Span) {
        for n in self.registers(span) {
            if let Some((at, _)) = self.current[n] {
                self.list[at].local = false;
            }
        }
    }

    fn read(&mut self, v: Value, first: u16, count: u16) {
        let span = Span::new(RegFile::Vector, first.into(), count.into());
        let registers = self.registers(span);
        let Some((at, number)) = self.current.get(usize::from(first)).copied().flatten() else {
            return self.expose(span);
        };
        let together = registers
            .zip(number..)
            .all(|(n, number)| self.current[n] == Some((at, number)));
        let definition = &mut self.list[at];
        let covers = match (self.seen[v.index()], definition.lanes) {
            (Lanes::None, _) | (_, Lanes::All) => true,
            (seen, lanes) => seen == lanes,
        };
        let fits = match self.block.node(definition.node).op {
            Op::Write { value, .. } => Some(self.block.ty(value)) == self.block.node(v).ty,
            _ => true,
        };
        if together && covers && fits {
            definition.reads.push((v, number));
        } else {
            self.expose(span);
        }
    }

    fn define(&mut self, v: Value, span: Span, lanes: Lanes) {
        let inside = span.end() as usize <= REGISTERS;
        for n in self.registers(span) {
            let Some((at, _)) = self.current[n] else {
                continue;
            };
            // Lanes of the old value stay where the new one is not written.
            let old = &mut self.list[at];
            old.local &= lanes == Lanes::All || lanes == old.lanes;
        }
        if !inside {
            return;
        }
        let at = self.list.len();
        for (n, number) in self.registers(span).zip(0..) {
            self.current[n] = Some((at, number));
        }
        self.list.push(Definition {
            node: v,
            lanes,
            local: true,
            reads: Vec::new(),
        });
    }

    /// The end of the block, after which the registers of `dead` are dead.
    fn end(&mut self, dead: RegisterSet) {
        for n in 0..REGISTERS {
            if let Some((at, _)) = self.current[n]
                && !dead.has(n as u16)
            {
                self.list[at].local = false;
            }
        }
    }
}

/// A block with renamed registers.
struct Renamed {
    block: Block,
    /// For each write that was removed its value in the new block.
    written: HashMap<Value, Value>,
}

/// The block with these definitions as values.
fn rewrite(block: &Block, local: &[Definition]) -> Renamed {
    let mut nodes = block.nodes.clone();
    let mut is: Vec<Value> = (0..nodes.len() as u32).map(Value).collect();
    let mut removed = vec![false; nodes.len()];
    for definition in local {
        if let Op::Write { value, .. } = block.node(definition.node).op {
            removed[definition.node.index()] = true;
            definition
                .reads
                .iter()
                .for_each(|(read, _)| is[read.index()] = value);
        }
    }
    // A value may be a read that has become another value.
    for n in 0..is.len() {
        is[n] = is[is[n].index()];
    }
    for node in &mut nodes {
        node.op.for_each_operand_mut(&mut |v| *v = is[v.index()]);
    }
    let mut spare = Spare::new(&nodes);
    for definition in local {
        if let Op::Mem(op) = &mut nodes[definition.node.index()].op
            && let Some(first) = spare.take(definition, op)
        {
            op.ret = Some(DataReg::V(first));
            for (read, number) in &definition.reads {
                let n = first + number;
                let wide = nodes[read.index()].ty == Some(Ty::V64);
                let reg = if wide { Reg::V64(n) } else { Reg::V(n) };
                nodes[read.index()].op = Op::Read(reg);
            }
        }
    }
    let pc = block.pc;
    let (nodes, new) = without(nodes, &removed);
    let written = local.iter().filter_map(|definition| {
        let Op::Write { value, .. } = block.node(definition.node).op else {
            return None;
        };
        let value = source(block, is[value.index()]);
        Some((definition.node, new[value.index()]))
    });
    Renamed {
        written: written.collect(),
        block: Block { pc, nodes },
    }
}

/// The registers that loads are renamed to, in turns, so that a register is used again late.
struct Spare {
    /// For each value its last user.
    last: Vec<usize>,
    /// For each register the last node that needs it.
    busy: [usize; RENAMED],
    next: usize,
}

impl Spare {
    fn new(nodes: &[Node]) -> Spare {
        let mut last = vec![0; nodes.len()];
        for (n, node) in nodes.iter().enumerate() {
            node.op.for_each_operand(&mut |v| last[v.index()] = n);
        }
        // A cast, or the second result, is used as long as its own users need it.
        for n in (0..nodes.len()).rev() {
            if let Op::Cast(_, of) | Op::Second(of) = nodes[n].op {
                last[of.index()] = last[of.index()].max(last[n]);
            }
        }
        Spare {
            last,
            busy: [0; RENAMED],
            next: 0,
        }
    }

    /// The first of the registers for a load, if so many in a row are free while its values are needed.
    fn take(&mut self, load: &Definition, op: &MemOp) -> Option<u16> {
        if op.kind != MemKind::Load || op.shadow {
            return None;
        }
        let (at, count) = (load.node.index(), op.registers() as usize);
        let free = |first: &usize| {
            let registers = self.busy.get(*first..*first + count);
            registers.is_some_and(|all| all.iter().all(|busy| *busy < at))
        };
        let starts = (self.next..RENAMED).chain(0..self.next);
        let first = { starts }.find(free)?;
        let uses = load.reads.iter().map(|(read, _)| self.last[read.index()]);
        let until = uses.max().unwrap_or(at).max(at);
        self.busy[first..first + count].fill(until);
        self.next = (first + count) % RENAMED;
        Some(RENAMED_VECTOR | first as u16)
    }
}

/// The nodes that are not removed, nor values without users; and the new number of each node.
fn without(nodes: Vec<Node>, removed: &[bool]) -> (Vec<Node>, Vec<Value>) {
    let mut used = vec![false; nodes.len()];
    for (n, node) in nodes.iter().enumerate().rev() {
        used[n] |= node.op.effects().any() && !removed[n];
        if used[n] {
            node.op.for_each_operand(&mut |v| used[v.index()] = true);
        }
    }
    let mut new = Vec::with_capacity(nodes.len());
    let mut kept: Vec<Node> = Vec::with_capacity(nodes.len());
    for (mut node, used) in nodes.into_iter().zip(used) {
        new.push(Value(kept.len() as u32));
        if used {
            node.op.for_each_operand_mut(&mut |v| *v = new[v.index()]);
            kept.push(node);
        }
    }
    (kept, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a block after renaming, without its first line; `None` if it stays as it is.
    fn renamed(lines: &str, dead: &[u16]) -> Option<String> {
        let text = format!(
            "block 0x100\n    inst 0x100 valu\n    %m:mask = read m[126:127]\n{lines}\n    end_program\n"
        );
        let block = wavetank_ir::parse(&text, &|_| None).unwrap();
        wavetank_ir::verify(&block).unwrap();
        let dead = dead.iter().map(|n| RegisterSet::of(Span::of(Reg::V(*n))));
        let dead = dead.fold(RegisterSet::default(), RegisterSet::with);
        rename(&block, dead, |_| Vec::new()).map(|block| block.to_string())
    }

    #[test]
    fn a_register_that_is_written_again_is_a_value() {
        let lines = "
            %a:v32 = read v1
            %b:v32 = add.i32 %a, %a
            write v2, %b, %m
            %c:v32 = read v2
            %d:v32 = add.i32 %c, %a
            write v2, %d, %m";
        let text = renamed(lines, &[]).unwrap();
        assert_eq!(text.matches("write").count(), 1);
        assert_eq!(text.matches("read v2").count(), 0);
    }

    #[test]
    fn loads_go_to_registers_of_their_own() {
        let lines = "
            %at:v32 = read v1
            load lds, dwords 2, lgkm, address %at, ret v4, mask %m
            %a:v32 = read v4
            %b:v32 = read v5
            %s:v32 = read v9
            %c:v32 = fma.f32 %a, %b, %s fp(ieee)
            write v9, %c, %m
            load lds, dwords 2, lgkm, address %at, offset 512, ret v4, mask %m
            %d:v32 = read v4
            %e:v32 = read v5
            %t:v32 = read v9
            %f:v32 = fma.f32 %d, %e, %t fp(ieee)
            write v9, %f, %m";
        let text = renamed(lines, &[4, 5]).unwrap();
        assert_eq!(text.matches("write").count(), 1, "{text}");
        assert_eq!(text.matches("v4").count(), 0, "{text}");
    }
}
