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
mod emptied;
mod finding;
pub mod float;
mod flow;
mod fold;
mod hazard;
mod host;
pub mod init;
mod launches;
mod limits;
mod parallel;
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
mod uncompared;
mod units;
mod wait;
mod watch;
mod work_items;

use wavetank_object::CodeObject;

use code::{Graph, Root};
pub use finding::{Finding, Findings, Mark};
pub use fold::{fold, fold_findings};
pub use hazard::{Hazard, hazards_of};
pub use host::Stack;
pub use launches::{BadLaunches, Launches};
pub use pattern::Pattern;
pub use place::{Line, Place, Places};
pub use race::{Footprint, InstAt, Kept, Meeting, Race, Reader};
pub use rule::{Example, Rule};
pub use suppress::{BadSuppression, Suppressions};
pub use sync::Synchronization;
pub use tool::{Extra, Tool, Tools, UnknownTool};
pub use uncompared::Uncompared;
pub use watch::{SliceEnd, TimeSlice, Watcher, WaveOf};
pub use work_items::WorkItems;

/// Runs the static tools among `tools` over all kernels and functions of a code object, along all paths. Kernels are checked on all
/// processors, and only the findings are kept.
pub fn check_code(object: &CodeObject, tools: Tools, findings: &mut Findings) {
    let roots = with_code(object, Root::all(object), tools, findings);
    units::check_all(object, &roots, tools, findings);
}

/// Runs the static tools among `tools` over the code reachable from one kernel or function, and over the functions that it is
/// known to call.
pub fn check_root(object: &CodeObject, root: &Root, tools: Tools, findings: &mut Findings) {
    for root in with_code(object, vec![root.clone()], tools, findings) {
        units::check_one(object, &root, tools, findings);
    }
}

/// Returns the kernels and functions that have code, and adds findings about the others.
fn with_code<'o>(
    object: &CodeObject,
    roots: Vec<Root<'o>>,
    tools: Tools,
    findings: &mut Findings,
) -> Vec<Root<'o>> {
    let is_emptied = |root: &Root<'_>| emptied::is_emptied(object, root);
    let (emptied, roots): (Vec<_>, Vec<_>) = roots.into_iter().partition(is_emptied);
    if tools.has(Tool::Limits) {
        let emptied = emptied.iter().map(emptied::finding);
        emptied.for_each(|finding| findings.add(finding));
    }
    roots
}

/// Returns the code of a kernel, and of the functions that it is known to call; nothing if there is no such kernel.
pub fn code_of(object: &CodeObject, kernel: &str) -> Vec<Graph> {
    let root = Root::of(object, kernel);
    let members = root.map_or_else(Vec::new, |root| units::members_of(object, &root));
    members.into_iter().map(|member| member.graph).collect()
}
