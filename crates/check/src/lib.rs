//! Finds what is wrong with GPU machine code: waits and wait states that are missing, registers and memory beyond what a
//! kernel has.
//!
//! A tool reads code, and adds what it finds to [`Findings`]. Nothing here changes what code means. What each tool can
//! and cannot see stands in `docs/checkers.md`, with how another is written.
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
mod pattern;
mod place;
mod race;
pub mod report;
mod suppress;
mod sync;
mod tool;
mod wait;
mod watch;

use std::collections::BTreeSet;

use wavetank_object::CodeObject;

use code::{Graph, Root};
pub use finding::{Finding, Findings, Mark};
pub use host::Stack;
pub use pattern::Pattern;
pub use place::{Line, Place, Places};
pub use race::{InstAt, Race, Reader};
pub use suppress::{BadSuppression, Suppressions};
pub use sync::Synchronization;
pub use tool::{Tool, Tools, UnknownTool};
pub use watch::{TurnEnd, Watcher, WaveOf};

/// Runs the static ones of `tools` over all kernels and functions of a code object, along all paths.
pub fn check_code(object: &CodeObject, tools: Tools, findings: &mut Findings) {
    let roots = Root::all(object);
    let graphs = roots.iter().filter_map(|root| Graph::of(object, root));
    check_graphs(&graphs.collect::<Vec<_>>(), tools, findings);
}

/// Runs the static ones of `tools` over what can be reached from one kernel or function, and over the functions that it is
/// known to call.
pub fn check_root(object: &CodeObject, root: &Root, tools: Tools, findings: &mut Findings) {
    check_graphs(&graphs(object, root), tools, findings);
}

/// The code of a kernel, and of the functions that it is known to call; nothing if there is no such kernel.
pub fn code_of(object: &CodeObject, kernel: &str) -> Vec<Graph> {
    let root = Root::of(object, kernel);
    root.map_or_else(Vec::new, |root| graphs(object, &root))
}

fn graphs(object: &CodeObject, root: &Root) -> Vec<Graph> {
    let mut graphs: Vec<Graph> = Graph::of(object, root).into_iter().collect();
    let mut next = 0;
    while let Some(graph) = graphs.get(next) {
        let callees = graph.nodes.iter().filter_map(|node| node.ways.callee);
        let callees: BTreeSet<u64> = callees.collect();
        let is_new = |at: &u64| graphs.iter().all(|graph| graph.start() != *at);
        let callees = callees.into_iter().filter(is_new);
        let roots = callees.filter_map(|at| Root::at(object, at));
        let new: Vec<Graph> = roots.filter_map(|root| Graph::of(object, &root)).collect();
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
    }
}
