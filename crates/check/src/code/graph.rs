//! The control flow graph: the instructions that can be reached from a root, in basic blocks.

use std::collections::{BTreeMap, BTreeSet};

use wavetank_gcn::tables::Sop1;
use wavetank_gcn::{Chip, Effects, Inst, decode};
use wavetank_object::{CodeObject, Kernel, KernelDescriptor};

use super::{Block, Bytes, Root, Successors, successors};

/// Number of instructions before a computed jump or call that are searched for its target.
const BEFORE_JUMPS: usize = 64;

/// The number of lanes of a wave.
const LANES: u32 = 64;

/// An instruction that is reachable from a root.
#[derive(Clone, Debug)]
pub struct Node {
    /// The virtual address of the instruction.
    pub pc: u64,
    /// The instruction at this address.
    pub inst: Inst,
    /// The registers and memory that the instruction reads and writes.
    pub effects: Effects,
    /// The successors of the instruction.
    pub successors: Successors,
}

/// The code that is reachable from a root without leaving by a call or a computed jump.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The chip for which the code was made.
    pub chip: Chip,
    /// The name of the kernel or function.
    pub name: String,
    /// The descriptor of the kernel; `None` for a function.
    pub kernel: Option<KernelDescriptor>,
    /// Whether the work-groups have only a single wave, so that barriers do not wait.
    pub alone: bool,
    /// The instructions, by address.
    pub nodes: Vec<Node>,
    /// The basic blocks, by address.
    pub blocks: Vec<Block>,
    /// The index of the first block.
    pub entry: usize,
    /// Places where execution runs into bytes that are not an instruction, with the instruction before: `(from, to)`.
    pub strays: Vec<(u64, u64)>,
}

impl Graph {
    /// Returns the code reachable from a root. `None` if the chip is not GCN, or if the root has no code.
    pub fn of(object: &CodeObject, root: &Root<'_>) -> Option<Graph> {
        let chip = chip_of(object)?;
        let code = Bytes::of(object);
        let mut survey = Survey::default();
        survey.follow(root.entry, |pc| decode(code.at(pc)?, chip).ok());
        let (nodes, strays) = (survey.nodes, survey.strays);
        let nodes: Vec<Node> = nodes.into_iter().map(|(pc, inst)| node(pc, inst)).collect();
        let nodes = with_computed_targets(nodes, &survey.computed);
        let blocks = blocks(&nodes, root.entry);
        let entry = blocks
            .iter()
            .position(|block| nodes[block.nodes.start].pc == root.entry)?;
        Some(Graph {
            chip,
            name: root.name.to_owned(),
            kernel: root.kernel.map(|kernel| kernel.descriptor),
            alone: root.kernel.is_some_and(has_one_wave),
            nodes,
            blocks,
            entry,
            strays,
        })
    }
}

impl Graph {
    /// Returns the instruction at an address.
    pub fn node_at(&self, pc: u64) -> Option<&Node> {
        let at = self.nodes.binary_search_by_key(&pc, |node| node.pc).ok()?;
        Some(&self.nodes[at])
    }

    /// Returns the addresses of the functions that it is known to call.
    pub fn callees(&self) -> impl Iterator<Item = u64> {
        self.nodes.iter().filter_map(|node| node.successors.callee)
    }

    /// Returns the address of the first instruction.
    pub fn start(&self) -> u64 {
        self.nodes[self.blocks[self.entry].nodes.start].pc
    }
}

/// Returns the chip for which a code object was made.
pub(crate) fn chip_of(object: &CodeObject) -> Option<Chip> {
    let target = object.target();
    let serves = |chip: &Chip| chip.name().parse().is_ok_and(|own| target.serves(&own));
    Chip::all().find(serves)
}

/// Whether work-groups of a kernel have at most one wave.
fn has_one_wave(kernel: &Kernel) -> bool {
    let demanded = kernel.reqd_workgroup_size;
    let demanded = demanded.map(|sizes| sizes.iter().copied().fold(1, u32::saturating_mul));
    let most = demanded.or(kernel.max_flat_workgroup_size);
    most.is_some_and(|items| items <= LANES)
}

fn node(pc: u64, inst: Inst) -> Node {
    Node {
        pc,
        effects: inst.effects(),
        successors: Successors::of(&inst, pc),
        inst,
    }
}

/// Adds the known targets of computed jumps and calls to the nodes.
fn with_computed_targets(mut nodes: Vec<Node>, computed: &BTreeMap<u64, u64>) -> Vec<Node> {
    for node in &mut nodes {
        match computed.get(&node.pc) {
            Some(&callee) if node.successors.calls => node.successors.callee = Some(callee),
            Some(&target) => {
                node.successors.target = Some(target);
                node.successors.elsewhere = false;
            }
            None => {}
        }
    }
    nodes
}

/// The instructions that have been found so far.
#[derive(Default)]
struct Survey {
    nodes: BTreeMap<u64, Inst>,
    computed: BTreeMap<u64, u64>,
    strays: Vec<(u64, u64)>,
}

impl Survey {
    /// Finds all instructions that are reachable from an address.
    fn follow(&mut self, entry: u64, inst_at: impl Fn(u64) -> Option<Inst>) {
        let mut open = vec![(entry, entry)];
        while let Some((from, start)) = open.pop() {
            let (mut from, mut pc) = (from, start);
            let mut line: Vec<(u64, Inst)> = Vec::new();
            while !self.nodes.contains_key(&pc) {
                let Some(inst) = inst_at(pc) else {
                    self.strays.push((from, pc));
                    break;
                };
                let mut successors = Successors::of(&inst, pc);
                let jumps = inst.op == Sop1::S_SETPC_B64.into();
                if jumps || inst.op == Sop1::S_SWAPPC_B64.into() {
                    let before = &line[line.len().saturating_sub(BEFORE_JUMPS)..];
                    let target = successors::computed(before, &inst);
                    self.computed.extend(target.map(|target| (pc, target)));
                    successors.target = target.filter(|_| jumps);
                }
                self.nodes.insert(pc, inst);
                line.push((pc, inst));
                open.extend(successors.target.map(|target| (pc, target)));
                if !successors.next {
                    break;
                }
                from = pc;
                pc += u64::from(inst.len);
            }
        }
    }
}

/// Divides nodes into basic blocks.
fn blocks(nodes: &[Node], entry: u64) -> Vec<Block> {
    let after = |node: &Node| node.pc + u64::from(node.inst.len);
    let targets = nodes.iter().filter_map(|node| node.successors.target);
    let mut heads: BTreeSet<u64> = targets.chain([entry]).collect();
    for (n, node) in nodes.iter().enumerate() {
        let ends = !node.successors.next || node.successors.target.is_some();
        let follows = nodes.get(n + 1).is_some_and(|next| next.pc == after(node));
        if ends || !follows {
            heads.extend(nodes.get(n + 1).map(|next| next.pc));
            heads.insert(after(node));
        }
    }
    let at = |pc: u64| nodes.binary_search_by_key(&pc, |node| node.pc).ok();
    let starts: Vec<usize> = heads.iter().filter_map(|pc| at(*pc)).collect();
    let block_at = |pc: u64| {
        let start = at(pc)?;
        starts.binary_search(&start).ok()
    };
    let ends = starts.iter().skip(1).copied().chain([nodes.len()]);
    let ranges = starts.iter().zip(ends).map(|(start, end)| *start..end);
    ranges
        .map(|range| {
            let last = &nodes[range.end - 1];
            let next = last.successors.next.then(|| after(last));
            let mut next: Vec<usize> = (next.into_iter())
                .chain(last.successors.target)
                .filter_map(block_at)
                .collect();
            next.dedup();
            Block { nodes: range, next }
        })
        .collect()
}
