//! Checkers of GPU machine code: missing waits and wait states, resources beyond a kernel's own, races, uninitialized values.
//!
//! A tool reads code or observes a program, and adds its mistakes to [`Findings`]; the meaning of the code does not change.
//! `docs/reference/checkers.md` describes what each tool can and cannot detect, and how to write another.
//!
//! ```
//! use wavetank_check::{Findings, Tools, check_code};
//!
//! # let bytes = include_bytes!("../../object/tests/data/lines-gfx900.hsaco");
//! let object = wavetank_object::open(bytes, Some("gfx900"))?;
//! let mut findings = Findings::default();
//! check_code(&object, Tools::STATIC, &mut findings);
//! assert!(findings.is_empty(), "a compiler made it");
//! # Ok::<(), wavetank_object::Error>(())
//! ```

#![warn(missing_docs)]

pub mod code;
mod finding;
pub mod float;
mod flow;
mod hazard;
mod host;
pub mod init;
mod limits;
mod path;
mod pattern;
mod place;
mod prologue;
mod race;
pub mod report;
mod rule;
mod suppress;
mod sync;
mod tool;
mod wait;
mod watch;

use std::collections::BTreeSet;

use wavetank_object::CodeObject;

use code::{Graph, Root};
pub use finding::{Finding, Findings, Mark};
pub use hazard::{Hazard, hazards_of};
pub use host::Stack;
pub use pattern::Pattern;
pub use place::{Line, Place, Places};
pub use race::{Footprint, InstAt, Kept, Meeting, Race, Reader};
pub use rule::{Example, Rule};
pub use suppress::{BadSuppression, Suppressions};
pub use sync::Synchronization;
pub use tool::{Tool, Tools, UnknownTool};
pub use watch::{SliceEnd, TimeSlice, Watcher, WaveOf};

/// Runs the static tools among `tools` over all kernels and functions of a code object, along all paths.
pub fn check_code(object: &CodeObject, tools: Tools, findings: &mut Findings) {
    let roots = Root::all(object);
    check_graphs(&with_callees(object, &roots), tools, findings);
}

/// Runs the static tools among `tools` over the code reachable from one kernel or function, and over the functions that it is
/// known to call.
pub fn check_root(object: &CodeObject, root: &Root, tools: Tools, findings: &mut Findings) {
    check_graphs(&graphs(object, root), tools, findings);
}

/// Returns the code of a kernel, and of the functions that it is known to call; nothing if there is no such kernel.
pub fn code_of(object: &CodeObject, kernel: &str) -> Vec<Graph> {
    let root = Root::of(object, kernel);
    root.map_or_else(Vec::new, |root| graphs(object, &root))
}

fn graphs(object: &CodeObject, root: &Root) -> Vec<Graph> {
    with_callees(object, std::slice::from_ref(root))
}

/// Returns the code of roots, and of the functions that they are known to call. A callee without a symbol has the name of its
/// caller.
fn with_callees(object: &CodeObject, roots: &[Root<'_>]) -> Vec<Graph> {
    let graphs = roots.iter().filter_map(|root| Graph::of(object, root));
    let mut graphs: Vec<Graph> = graphs.collect();
    let mut known: BTreeSet<u64> = graphs.iter().map(Graph::start).collect();
    let mut next = 0;
    while let Some(graph) = graphs.get(next) {
        let caller = Root {
            name: &graph.name,
            entry: 0,
            kernel: None,
        };
        let callees = graph.nodes.iter().filter_map(|node| node.successors.callee);
        let new = callees.filter(|at| known.insert(*at));
        let root = |entry| Root::at(object, entry).unwrap_or(Root { entry, ..caller });
        let new: Vec<Graph> = new.filter_map(|at| Graph::of(object, &root(at))).collect();
        graphs.extend(new);
        next += 1;
    }
    graphs
}

fn check_graphs(graphs: &[Graph], tools: Tools, findings: &mut Findings) {
    if tools.has(Tool::Wait) {
        wait::check(graphs, findings);
    }
    if tools.has(Tool::Hazard) {
        graphs
            .iter()
            .for_each(|graph| hazard::check(graph, findings));
    }
    if tools.has(Tool::Limits) {
        graphs
            .iter()
            .for_each(|graph| limits::check(graph, findings));
        graphs
            .iter()
            .for_each(|graph| prologue::check(graph, findings));
    }
}
