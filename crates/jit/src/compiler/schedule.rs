//! Scheduling for register pressure: the order in which the nodes of a tile are computed.
//!
//! A product of matrices adds one product to each of its sums, then the next one to each: all sums are alive at once, and go to
//! memory and back between. Here the results of a segment are divided into groups, and a group is computed with all that it depends on
//! before the next one. Within a group, nodes keep their order: sums that are next to each other share factors.

use std::collections::HashMap;

use wavetank_ir::{Block, Elem, Op, RegFile, Span, Ty, Value};

use crate::compiler::segments::{operands, producer};

/// Segments with fewer nodes are left alone.
const WORTH_IT: usize = 48;

/// The nodes of a tile in an order that needs fewer registers at once, if their order needs more than `registers`.
pub(super) fn schedule(block: &Block, nodes: Vec<Value>, registers: u32) -> Vec<Value> {
    if nodes.len() < WORTH_IT {
        return nodes;
    }
    let graph = Graph::new(block, &nodes);
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    let mut least = graph.pressure(&order);
    // Operands need some registers as well.
    for size in [registers * 5 / 6, registers / 2, registers / 3] {
        if least <= registers {
            break;
        }
        let new = graph.by_groups(size);
        let pressure = graph.pressure(&new);
        if pressure < least {
            (order, least) = (new, pressure);
        }
    }
    order.into_iter().map(|at| nodes[at]).collect()
}

/// The dependences among the nodes of a tile, by their positions.
struct Graph {
    /// For each node those that must come before it.
    before: Vec<Vec<usize>>,
    /// For each node those whose values it uses.
    operands: Vec<Vec<usize>>,
    /// The registers that the result of each node takes.
    weight: Vec<u32>,
    /// Whether no other node needs it.
    is_last: Vec<bool>,
}

impl Graph {
    fn new(block: &Block, nodes: &[Value]) -> Graph {
        let n = nodes.len();
        let mut at = vec![None; block.nodes.len()];
        for (position, v) in nodes.iter().enumerate() {
            at[v.index()] = Some(position);
        }
        let mut graph = Graph {
            before: vec![Vec::new(); n],
            operands: vec![Vec::new(); n],
            weight: nodes.iter().map(|v| weight(block, *v)).collect(),
            is_last: vec![true; n],
        };
        let mut registers = Registers::default();
        for (position, v) in nodes.iter().enumerate() {
            let before = &mut graph.before[position];
            let mut reads: Vec<Span> = Vec::new();
            operands(
                block,
                *v,
                &mut |a| match (at[producer(block, a).index()], &block.node(a).op) {
                    (Some(of), _) => {
                        graph.operands[position].push(of);
                        before.push(of);
                    }
                    (None, Op::Read(reg)) => reads.push(Span::of(*reg)),
                    _ => {}
                },
            );
            let effects = block.node(*v).op.effects();
            reads.extend(effects.reads.iter());
            registers.visit(position, &reads, effects.writes.iter(), before);
            for of in before.iter() {
                graph.is_last[*of] = false;
            }
        }
        graph
    }

    /// The positions in groups of results that take at most `size` registers.
    fn by_groups(&self, size: u32) -> Vec<usize> {
        let n = self.before.len();
        let (mut group, mut taken) = (0, 0);
        let mut groups = vec![u32::MAX; n];
        let last = (0..n).filter(|at| self.is_last[*at]);
        for at in last {
            let weight = self.operands[at].first().map_or(1, |of| self.weight[*of]);
            if taken + weight > size {
                (group, taken) = (group + 1, 0);
            }
            taken += weight;
            groups[at] = group;
        }
        for at in (0..n).rev() {
            for before in &self.before[at] {
                groups[*before] = groups[*before].min(groups[at]);
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|at| groups[*at]);
        order
    }

    /// The largest number of registers that results of the nodes take at once, in this order.
    fn pressure(&self, order: &[usize]) -> u32 {
        let mut users = vec![0_u32; order.len()];
        self.operands
            .iter()
            .flatten()
            .for_each(|of| users[*of] += 1);
        let (mut now, mut most) = (0, 0);
        for at in order {
            if users[*at] > 0 {
                now += self.weight[*at];
            }
            most = most.max(now);
            for of in &self.operands[*at] {
                users[*of] -= 1;
                if users[*of] == 0 {
                    now -= self.weight[*of];
                }
            }
        }
        most
    }
}

/// The registers that a value takes. Sums of halves are kept in single precision as well, each half in a register.
fn weight(block: &Block, v: Value) -> u32 {
    let node = block.node(v);
    match (node.ty, &node.op) {
        (Some(Ty::V32), Op::Tern(_, Elem::F16x2, ..) | Op::Bin(_, Elem::F16x2, ..)) => 3,
        (Some(Ty::V32), Op::Tern(_, Elem::F16, ..) | Op::Bin(_, Elem::F16, ..)) => 2,
        _ => weight_of(node.ty),
    }
}

fn weight_of(ty: Option<Ty>) -> u32 {
    match ty {
        Some(Ty::V32) => 1,
        Some(Ty::V64) => 2,
        _ => 0,
    }
}

/// The accesses to each register: its last write, and the reads since.
#[derive(Default)]
struct Registers(HashMap<(RegFile, u32), Accesses>);

#[derive(Default)]
struct Accesses {
    write: Option<usize>,
    reads: Vec<usize>,
}

impl Registers {
    /// Adds to `before` what must come before a node that reads and writes registers.
    fn visit(
        &mut self,
        at: usize,
        reads: &[Span],
        writes: impl Iterator<Item = Span>,
        before: &mut Vec<usize>,
    ) {
        let each = |span: Span| (span.first..span.end()).map(move |n| (span.file, n));
        let vectors = reads.iter().filter(|span| span.file == RegFile::Vector);
        for register in vectors.flat_map(|span| each(*span)) {
            let accesses = self.0.entry(register).or_default();
            before.extend(accesses.write);
            accesses.reads.push(at);
        }
        for register in writes.flat_map(each) {
            let accesses = self.0.entry(register).or_default();
            let earlier = accesses.reads.drain(..).chain(accesses.write);
            before.extend(earlier.filter(|n| *n != at));
            accesses.write = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use wavetank_ir::Reg;

    use super::*;

    /// A block of sums that take a product each from two slices, and the nodes that tiles compute.
    fn slices(sums: u32) -> (Block, Vec<Value>) {
        let mut text =
            "block 0x100\n    inst 0x100 valu\n    %m:mask = read m[126:127]\n".to_owned();
        for n in 0..2 {
            writeln!(text, "    %x{n}:v32 = read v{}", 100 + n).unwrap();
        }
        for n in 0..sums {
            writeln!(text, "    %a{n}:v32 = read v{n}").unwrap();
        }
        for (slice, from) in [("b", "a"), ("c", "b")] {
            for n in 0..sums {
                let sum = format!("%{slice}{n}:v32 = fma.f32 %x0, %x1, %{from}{n} fp(ieee)");
                writeln!(text, "    {sum}").unwrap();
            }
        }
        for n in 0..sums {
            writeln!(text, "    write v{n}, %c{n}, %m").unwrap();
        }
        text += "    end_program\n";
        let block = wavetank_ir::parse(&text, &|_| None).unwrap();
        let is_tile = |op: &Op| matches!(op, Op::Tern(..) | Op::Write { .. });
        let nodes = (0..).map(Value).zip(&block.nodes);
        let nodes = nodes.filter(|(_, node)| is_tile(&node.op)).map(|(v, _)| v);
        let nodes = nodes.collect();
        (block, nodes)
    }

    fn pressure(block: &Block, nodes: &[Value]) -> u32 {
        let order: Vec<usize> = (0..nodes.len()).collect();
        Graph::new(block, nodes).pressure(&order)
    }

    #[test]
    fn sums_go_through_all_slices_in_groups() {
        let (block, nodes) = slices(40);
        assert!(pressure(&block, &nodes) >= 40);
        let scheduled = schedule(&block, nodes.clone(), 24);
        assert!(pressure(&block, &scheduled) <= 24);
        let place = |v: Value| scheduled.iter().position(|other| *other == v);
        for v in nodes {
            operands(&block, v, &mut |of| {
                if let Some(of) = place(of) {
                    assert!(of < place(v).unwrap(), "{of} comes before {v:?}");
                }
            });
        }
    }

    #[test]
    fn what_fits_keeps_its_order() {
        let (block, nodes) = slices(20);
        assert_eq!(schedule(&block, nodes.clone(), 24), nodes);
    }

    #[test]
    fn a_register_is_read_before_it_is_written() {
        let (block, mut nodes) = slices(40);
        // The addend of the first sum is read by a node of a tile, and its register is written at the end.
        let reads = (0..).map(Value).zip(&block.nodes);
        let read = reads
            .filter(|(_, node)| matches!(node.op, Op::Read(Reg::V(0))))
            .map(|(v, _)| v);
        nodes.splice(0..0, read);
        let scheduled = schedule(&block, nodes.clone(), 24);
        let writes = |v: &Value| matches!(block.node(*v).op, Op::Write { reg: Reg::V(0), .. });
        let write = scheduled.iter().position(writes).unwrap();
        let read = scheduled.iter().position(|v| *v == nodes[0]).unwrap();
        assert!(read < write);
        assert_eq!(scheduled.len(), nodes.len());
    }
}
