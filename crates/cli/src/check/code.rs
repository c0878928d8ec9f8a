//! The code objects of a file that can be checked, which are those for GCN.

use wavetank::ChipFacts;
use wavetank::object::{CodeObject, Target, is_bundle, open_all, targets, unbundle};
use wavetank_gcn::EXECUTED_CHIPS;
use wavetank_quote::some_of;

use crate::code_file::{CodeFile, target_named};
use crate::exit::{Failure, Result};

/// A code object to check, with its target.
pub(super) struct Part {
    pub object: CodeObject,
    pub target: String,
}

/// The code in a file.
pub(super) struct Code {
    /// The code objects that can be checked.
    pub parts: Vec<Part>,
    /// The targets of other code, each once.
    pub left_out: Vec<String>,
}

impl Code {
    /// Returns the code of a file, for one target if `gpu` names it. The code in a host program is returned only if `of_programs`
    /// is set.
    ///
    /// # Errors
    /// A file without code for GCN, or a damaged file.
    pub(super) fn of(file: &CodeFile, gpu: Option<&str>, of_programs: bool) -> Result<Code> {
        if !of_programs && is_program(&file.bytes) {
            return Err(Failure::usage(
                "this is a host program: `wavetank check -- PROGRAM` runs and checks it, --static reads the code for GPUs inside it",
            ));
        }
        let mut code = Code {
            parts: Vec::new(),
            left_out: Vec::new(),
        };
        match gpu {
            Some(gpu) => {
                let objects = open_all(&file.bytes, Some(&target_named(gpu)))?;
                objects.into_iter().for_each(|object| code.add(object));
            }
            None => code.add_all(&file.bytes)?,
        }
        if !code.parts.is_empty() {
            Ok(code)
        } else {
            Err(Failure::usage(format!(
                "there is only code for {} here: {EXECUTED_CHIPS}",
                some_of(&code.left_out)
            )))
        }
    }

    /// Adds all code of a file.
    fn add_all(&mut self, bytes: &[u8]) -> Result {
        for entry in unbundle(bytes)? {
            let Some(target) = entry.target else { continue };
            // Code for other machines is not parsed, because it may have any form.
            if ChipFacts::execute(&target) {
                self.add(CodeObject::parse(&entry.bytes)?);
            } else {
                self.leave(&target);
            }
        }
        Ok(())
    }

    fn add(&mut self, object: CodeObject) {
        if ChipFacts::execute(object.target()) {
            self.parts.push(Part {
                target: object.target().to_string(),
                object,
            });
        } else {
            self.leave(object.target());
        }
    }

    fn leave(&mut self, target: &Target) {
        let name = target.to_string();
        if !self.left_out.contains(&name) {
            self.left_out.push(name);
        }
    }

    /// Returns the targets of the checked code, each once.
    pub(super) fn targets(&self) -> Vec<&str> {
        let mut targets: Vec<&str> = Vec::new();
        for part in &self.parts {
            if !targets.contains(&part.target.as_str()) {
                targets.push(&part.target);
            }
        }
        targets
    }
}

/// Whether a file is a host program that contains code for GPUs.
fn is_program(bytes: &[u8]) -> bool {
    !is_bundle(bytes) && CodeObject::parse(bytes).is_err() && targets(bytes).is_ok()
}
