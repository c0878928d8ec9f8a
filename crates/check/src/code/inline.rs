//! Inlining of calls in control flow graphs.
//!
//! Each call gets its own copy of the function, so that an analysis knows to which call a return belongs, and with which
//! registers the function runs.

use std::collections::HashMap;

use wavetank_gcn::{Field, Operand};

use super::{Block, Graph, Node};

/// The most instructions of a graph with its functions.
const MAX_NODES: usize = 1 << 16;

/// The most instructions of all graphs with their functions, for each of their own.
const MAX_GROWTH: usize = 16;

/// The most calls within each other.
const MAX_DEPTH: usize = 32;

/// A graph with copies of the functions that it calls.
pub(crate) struct Inlined {
    pub graph: Graph,
    /// For each node, the index of the graph from which it is.
    pub origins: Vec<usize>,
}

impl Inlined {
    /// Whether the calls of graphs can be inlined, as far as their functions are among them: they are not recursive, and do not
    /// become too large.
    pub(crate) fn is_possible(graphs: &[&Graph]) -> bool {
        let copies = Copies::of(graphs);
        let mut sizes = vec![None; graphs.len()];
        let all = (0..graphs.len()).map(|n| copies.size(n, &mut sizes, 0));
        let all: Option<Vec<usize>> = all.collect();
        let own: usize = graphs.iter().map(|graph| graph.nodes.len()).sum();
        all.is_some_and(|all| all.iter().sum::<usize>() <= own * MAX_GROWTH)
    }

    /// Inlines the calls of one of some graphs. `None` if it is not known how a function returns.
    pub(crate) fn of(graphs: &[&Graph], root: usize) -> Option<Inlined> {
        let mut copies = Copies::of(graphs);
        let copy = copies.add(root, None)?;
        let graph = graphs[root];
        Some(Inlined {
            graph: Graph {
                chip: graph.chip,
                name: graph.name.clone(),
                kernel: graph.kernel,
                alone: graph.alone,
                nodes: copies.nodes,
                blocks: copies.blocks,
                entry: copy.entry,
                strays: Vec::new(),
            },
            origins: copies.origins,
        })
    }
}

/// The copies that have been made so far.
struct Copies<'g> {
    graphs: &'g [&'g Graph],
    /// The indices of the graphs, by the addresses of their first instructions.
    starts: HashMap<u64, usize>,
    nodes: Vec<Node>,
    origins: Vec<usize>,
    blocks: Vec<Block>,
}

/// A copy of a graph.
struct Copy {
    /// The index of its first block.
    entry: usize,
    /// The indices of the blocks that end with its returns.
    returns: Vec<usize>,
}

/// A call that ends a block.
struct Call {
    block: usize,
    callee: usize,
    /// The registers in which it passes the return address.
    link: Operand,
}

impl<'g> Copies<'g> {
    fn of(graphs: &'g [&'g Graph]) -> Self {
        let starts = graphs.iter().enumerate();
        Copies {
            graphs,
            starts: starts.map(|(n, graph)| (graph.start(), n)).collect(),
            nodes: Vec::new(),
            origins: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Returns the number of instructions of a graph with its functions; `None` if there are too many, or without end. `sizes` has
    /// those that are known.
    fn size(&self, index: usize, sizes: &mut [Option<usize>], depth: usize) -> Option<usize> {
        if sizes[index].is_some() {
            return sizes[index];
        }
        let graph = self.graphs[index];
        let mut size = graph.nodes.len();
        for callee in graph.callees().filter_map(|at| self.starts.get(&at)) {
            if depth < MAX_DEPTH {
                size += self.size(*callee, sizes, depth + 1)?;
            } else {
                return None;
            }
        }
        sizes[index] = (size <= MAX_NODES).then_some(size);
        sizes[index]
    }

    /// Adds a copy of a graph that is called with the return address in `link`.
    fn add(&mut self, index: usize, link: Option<Operand>) -> Option<Copy> {
        let graph = self.graphs[index];
        let (mut returns, mut calls) = (Vec::new(), Vec::new());
        // For each block of the graph, its first and its last block in the copy: calls divide it.
        let mut parts = Vec::new();
        for block in &graph.blocks {
            let first = self.blocks.len();
            let mut start = self.nodes.len();
            for node in &graph.nodes[block.nodes.clone()] {
                let mut node = node.clone();
                let successors = &mut node.successors;
                let callee = successors.callee.and_then(|at| self.starts.get(&at));
                let call = callee.map(|&callee| Call {
                    block: self.blocks.len(),
                    callee,
                    link: node.inst.operand(Field::Sdst),
                });
                if call.is_some() {
                    successors.calls = false;
                    successors.callee = None;
                }
                if successors.elsewhere && link == Some(node.inst.operand(Field::Src0)) {
                    successors.elsewhere = false;
                    returns.push(self.blocks.len());
                }
                self.nodes.push(node);
                self.origins.push(index);
                if let Some(call) = call {
                    calls.push(call);
                    start = self.end_block(start);
                }
            }
            if start < self.nodes.len() || first == self.blocks.len() {
                self.end_block(start);
            }
            parts.push((first, self.blocks.len() - 1));
        }
        for (block, (first, last)) in graph.blocks.iter().zip(&parts) {
            for part in *first..*last {
                self.blocks[part].next = vec![part + 1];
            }
            self.blocks[*last].next = block.next.iter().map(|next| parts[*next].0).collect();
        }
        for call in calls {
            let copy = self.add(call.callee, Some(call.link))?;
            let after = std::mem::replace(&mut self.blocks[call.block].next, vec![copy.entry]);
            for end in &copy.returns {
                self.blocks[*end].next.clone_from(&after);
            }
            if copy.returns.is_empty() {
                return None;
            }
        }
        let entry = parts[graph.entry].0;
        Some(Copy { entry, returns })
    }

    /// Ends a block of the nodes from `start` on. Returns the start of the next one.
    fn end_block(&mut self, start: usize) -> usize {
        let end = self.nodes.len();
        self.blocks.push(Block {
            nodes: start..end,
            next: Vec::new(),
        });
        end
    }
}
