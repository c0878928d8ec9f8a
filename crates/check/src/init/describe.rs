//! Messages of the findings of `init`.

use wavetank_gcn::tables::{Sop1, Sop2};
use wavetank_gcn::{Op, Registers};

use super::origin::{Origin, decider, origin};
use super::sink::Sink;
use crate::code::Graph;
use crate::finding::{Finding, Mark};
use crate::tool::Tool;
use crate::work_items::WorkItems;

/// The label of the load that brought undefined bits.
pub(super) const LOADED: &str = "undefined bits are loaded here";

/// A use of undefined bits at an instruction.
#[derive(Clone, Debug)]
pub struct Use {
    /// The address of the instruction.
    pub pc: u64,
    /// The sink; `None` for a store whose bytes are read later.
    pub sink: Option<Sink>,
    /// The wave and lanes, in words.
    pub actor: String,
    /// The same as work-items.
    pub items: WorkItems,
    /// The number of occurrences.
    pub times: u64,
}

/// A load or store of undefined bits.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The address of the instruction.
    pub pc: u64,
    /// The memory, in words.
    pub memory: String,
    /// The instructions that stored undefined bits there, by address.
    pub stored_by: Vec<u64>,
}

/// The facts about a launch from which findings are explained.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The name of the launched kernel.
    pub kernel: String,
    /// The code of the kernel and of the functions that it calls. Waves start in the first.
    pub graphs: Vec<Graph>,
    /// The registers that are set when a wave starts.
    pub given: Registers,
    /// The loads of undefined bits.
    pub loads: Vec<Carried>,
}

impl Story {
    /// Returns the code that contains an instruction.
    pub(super) fn graph_of(&self, pc: u64) -> Option<&Graph> {
        self.graphs.iter().find(|graph| graph.node_at(pc).is_some())
    }

    fn load(&self, pc: u64) -> Option<&Carried> {
        self.loads.iter().find(|load| load.pc == pc)
    }

    fn origin(&self, pc: u64, sink: Option<Sink>) -> Option<Origin> {
        let is_load = |pc| self.load(pc).is_some();
        let graph = self.graph_of(pc)?;
        origin(graph, pc, sink, is_load, self.given_to(graph))
    }

    /// Joins uses with a common cause to one mistake: one instruction has computed the condition of several, or one load has
    /// brought their bits. Returns each with the instruction that has computed the condition, if there is one.
    pub fn mistakes(&self, uses: impl Iterator<Item = Use>) -> Vec<(Option<u64>, Use)> {
        let mut mistakes: Vec<(Option<u64>, Option<u64>, Use)> = Vec::new();
        for of in uses {
            let goes = of.sink.filter(|d| matches!(d, Sink::Exec | Sink::Branch));
            let graph = goes.and_then(|_| self.graph_of(of.pc));
            let decider = goes
                .zip(graph)
                .and_then(|(goes, graph)| decider(graph, of.pc, goes));
            let load = goes.and_then(|goes| match self.origin(of.pc, Some(goes))? {
                Origin::Load(load) => Some(load),
                Origin::Start(_) => None,
            });
            // Lanes that are enabled again have been reported when they were disabled.
            let restores = of.sink == Some(Sink::Exec) && self.restores(of.pc);
            let same = |(made, brought, known): &&mut (Option<u64>, Option<u64>, Use)| {
                let is_one =
                    decider.is_some() && *made == decider || load.is_some() && *brought == load;
                known.sink == of.sink && (is_one || restores)
            };
            match mistakes.iter_mut().find(same) {
                Some((.., known)) => known.times += of.times,
                None => mistakes.push((decider, load, of)),
            }
        }
        mistakes
            .into_iter()
            .map(|(decider, _, of)| (decider, of))
            .collect()
    }

    /// Returns the instructions before an address, the nearest first.
    pub fn before(&self, pc: u64) -> impl Iterator<Item = u64> {
        let nodes = self.graph_of(pc).map(|graph| &graph.nodes[..]);
        let nodes = nodes.unwrap_or_default();
        let end = nodes.partition_point(|node| node.pc < pc);
        nodes[..end].iter().rev().map(|node| node.pc)
    }

    /// Whether an instruction enables lanes that were inactive.
    fn restores(&self, pc: u64) -> bool {
        let graph = self.graph_of(pc);
        let at = graph.and_then(|graph| graph.node_at(pc));
        at.is_some_and(|node| {
            matches!(
                node.inst.op,
                Op::Sop2(Sop2::S_OR_B64) | Op::Sop1(Sop1::S_OR_SAVEEXEC_B64)
            )
        })
    }

    /// Returns the finding about a use of undefined bits.
    pub fn describe(&self, of: &Use) -> Finding {
        let graph = self.graph_of(of.pc);
        let name = graph.map_or_else(|| "the instruction".into(), |graph| mnemonic(graph, of.pc));
        let (rule, message, label) = words(of.sink, &name);
        let found = self.origin(of.pc, of.sink);
        let mut notes = vec![of.actor.clone()];
        let mut related = Vec::new();
        match found {
            Some(Origin::Load(pc)) => {
                if let Some(load) = self.load(pc) {
                    let stored = load.stored_by.first();
                    related
                        .extend(stored.map(|pc| Mark::at(*pc, "undefined bits are stored here")));
                    notes.push(format!("the load read {}", load.memory));
                }
                related.push(Mark::at(pc, LOADED));
            }
            Some(Origin::Start(registers)) => notes.push(start(&registers)),
            None => {}
        }
        Finding {
            tool: Tool::Init,
            rule,
            kernel: self.kernel.clone(),
            message,
            at: Mark::at(of.pc, label).by(of.items),
            related,
            notes,
            host: Vec::new(),
            help: None,
            address: None,
            also: Vec::new(),
            times: of.times,
        }
    }
}

impl Story {
    /// Whether a load is the first of its undefined bits: no instruction has stored them there, other than by what this load gave.
    pub fn is_first(&self, load: u64, stored_by: &[u64]) -> bool {
        let by_itself =
            |store: &u64| matches!(self.origin(*store, None), Some(Origin::Load(pc)) if pc == load);
        stored_by.iter().all(by_itself)
    }

    /// Returns the finding about a load of uninitialized memory, of which `memory` is the description.
    pub fn describe_read(&self, of: &Use, memory: &str) -> Finding {
        let graph = self.graph_of(of.pc);
        let name = graph.map_or_else(|| "the instruction".into(), |graph| mnemonic(graph, of.pc));
        let message = format!("{name} loads uninitialized memory");
        let at = Mark::at(of.pc, LOADED).by(of.items);
        Finding {
            kernel: self.kernel.clone(),
            notes: vec![of.actor.clone(), format!("the load read {memory}")],
            times: of.times,
            ..Finding::new(Tool::Init, "read", message, at)
        }
    }

    /// Returns the registers that a wave has at the start of some code, if waves start there.
    fn given_to(&self, graph: &Graph) -> Option<&Registers> {
        let first = self
            .graphs
            .first()
            .filter(|first| first.start() == graph.start());
        first.map(|_| &self.given)
    }
}

/// Returns the mnemonic of an instruction for a sentence.
fn mnemonic(graph: &Graph, pc: u64) -> String {
    let at = graph.nodes.binary_search_by_key(&pc, |node| node.pc);
    let text = at.map_or_else(|_| String::new(), |at| graph.nodes[at].inst.to_string());
    format!("`{}`", text.split_whitespace().next().unwrap_or_default())
}

/// Returns the rule, the sentence, and the label of the place.
fn words(sink: Option<Sink>, name: &str) -> (&'static str, String, &'static str) {
    match sink {
        Some(Sink::Branch) => (
            "branch",
            format!("undefined bits decide where the wave goes at {name}"),
            "the condition has undefined bits",
        ),
        Some(Sink::Exec) => (
            "exec",
            format!("undefined bits decide which lanes are active after {name}"),
            "the lane mask has undefined bits",
        ),
        Some(Sink::Address) => (
            "address",
            format!("undefined bits decide which address {name} accesses"),
            "the address has undefined bits",
        ),
        Some(Sink::Jump) => (
            "jump",
            format!("undefined bits decide where {name} jumps"),
            "the address has undefined bits",
        ),
        Some(Sink::Index) => (
            "index",
            format!("undefined bits decide which lane or register {name} selects"),
            "the index has undefined bits",
        ),
        None => (
            "store",
            format!("{name} stores undefined bits {HOST_READS}"),
            "undefined bits are stored here",
        ),
    }
}

/// Returns the finding about a store as one about bits that stay in memory until it is freed.
pub fn left_in_memory(store: &Finding) -> Finding {
    Finding {
        message: store.message.replace(HOST_READS, LEFT),
        ..store.clone()
    }
}

/// The ends of the sentence about a store.
const HOST_READS: &str = "that the host reads";
const LEFT: &str = "that are left in memory";

/// Returns a note on uninitialized registers.
fn start(registers: &Registers) -> String {
    let text = registers.to_string();
    let names: Vec<&str> = text.split_whitespace().collect();
    let shown = match names.as_slice() {
        [one] => format!("{one} is"),
        [first, second] => format!("{first} and {second} are"),
        names => format!("{} and {} more registers are", names[0], names.len() - 1),
    };
    format!(
        "{shown} uninitialized: not set when the kernel begins, and not written on some path to here"
    )
}
