//! The code objects of a file that can be checked, which are those for GCN.

use wavetank::ChipFacts;
use wavetank::object::{CodeObject, Target, each_piece, is_host_program};
use wavetank_gcn::EXECUTED_CHIPS;
use wavetank_quote::some_of;

use crate::code_file::{CodeFile, target_named};
use crate::exit::{Failure, Result};

/// A code object to check, with its target.
pub(super) struct Part {
    pub object: CodeObject,
    pub target: String,
}

/// The targets of the code in a file, each once.
#[derive(Default)]
pub(super) struct CodeTargets {
    /// Those of the code that was checked.
    pub checked: Vec<String>,
    /// Those of other code.
    pub left_out: Vec<String>,
}

/// Visits the code objects of a file that can be checked, one after another, for one target if `gpu` names it. The code in a host
/// program is visited only if `of_programs` is set.
///
/// # Errors
/// A file without code for GCN, or a damaged file; the errors of `visit`.
pub(super) fn each_part(
    file: &CodeFile,
    gpu: Option<&str>,
    of_programs: bool,
    mut visit: impl FnMut(&Part) -> Result,
) -> Result<CodeTargets> {
    if !of_programs && is_host_program(&file.bytes) {
        return Err(Failure::usage(
            "this is a host program: `wavetank check -- PROGRAM` runs and checks it, --static reads the code for GPUs inside it",
        ));
    }
    let mut targets = CodeTargets::default();
    each_piece(&file.bytes, gpu.map(target_named).as_deref(), |piece| {
        // Code for other machines is not read, because it may have any form.
        if !ChipFacts::execute(piece.target()) {
            add(&mut targets.left_out, piece.target());
            return Ok(());
        }
        let object = piece.read()?;
        if !ChipFacts::execute(object.target()) {
            add(&mut targets.left_out, object.target());
            return Ok(());
        }
        let target = object.target().to_string();
        add(&mut targets.checked, object.target());
        visit(&Part { object, target })
    })?;
    if !targets.checked.is_empty() {
        Ok(targets)
    } else {
        Err(Failure::usage(format!(
            "there is only code for {} here: {EXECUTED_CHIPS}",
            some_of(&targets.left_out)
        )))
    }
}

/// Adds a target to those that are named once.
fn add(names: &mut Vec<String>, target: &Target) {
    let name = target.to_string();
    if !names.contains(&name) {
        names.push(name);
    }
}
