//! The instructions that kernels have run, each with the number of places in the code: from the program to its parent process.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use wavetank_gcn::{Chip, Form, Op};

use crate::found_file;
use crate::module::Module;

/// An instruction that has run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executed {
    /// The chip that ran it.
    pub chip: Chip,
    /// The instruction.
    pub op: Op,
    /// The segment of a FLAT instruction, which is an encoding of its own; otherwise the encoding that the instruction has by
    /// itself, in whichever it ran.
    pub form: Form,
    /// The number of places in the code where it ran.
    pub places: u64,
}

impl Executed {
    /// The instructions of a module that have run since the last call, sorted.
    pub fn of(module: &Module) -> Vec<Executed> {
        let mut all: BTreeMap<(Op, Form), u64> = BTreeMap::new();
        for inst in module.newly_run().into_values() {
            let form = match inst.op.home() {
                Form::Flat => inst.form,
                home => home,
            };
            *all.entry((inst.op, form)).or_default() += 1;
        }
        let chip = module.device().chip();
        let executed = |((op, form), places)| Executed {
            chip,
            op,
            form,
            places,
        };
        all.into_iter().map(executed).collect()
    }

    /// Reads a record.
    ///
    /// ```
    /// use wavetank::executed::Executed;
    ///
    /// let read = Executed::read("gfx900 Vop1(V_EXP_F32) Vop1 3").unwrap();
    /// assert_eq!((read.chip.name(), read.places), ("gfx900", 3));
    /// assert_eq!(read.to_string(), "gfx900 Vop1(V_EXP_F32) Vop1 3");
    /// assert_eq!(Executed::read("gfx900 Vop1(V_EXP_F32)"), None);
    /// ```
    pub fn read(record: &str) -> Option<Executed> {
        let mut words = record.split(' ');
        let chip = Chip::from_name(words.next()?)?;
        let op = words.next()?;
        let op = Op::all().find(|row| format!("{row:?}") == op)?;
        let form = words.next()?;
        let forms = [op.home(), Form::Global, Form::Scratch];
        Some(Executed {
            chip,
            op,
            form: forms.into_iter().find(|f| format!("{f:?}") == form)?,
            places: words.next()?.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Executed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Executed {
            chip,
            op,
            form,
            places,
        } = self;
        write!(f, "{} {op:?} {form:?} {places}", chip.name())
    }
}

/// Leaves a record of each in a [`FoundFile`](found_file::FoundFile).
///
/// # Errors
/// Those of the system.
pub fn leave(path: &Path, executed: &[Executed]) -> io::Result<()> {
    if executed.is_empty() {
        return Ok(());
    }
    let records: Vec<String> = executed.iter().map(Executed::to_string).collect();
    found_file::leave(path, &records.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_can_be_recorded() {
        for op in Op::all() {
            let executed = Executed {
                chip: Chip::Gfx803,
                op,
                form: op.home(),
                places: 7,
            };
            assert_eq!(Executed::read(&executed.to_string()), Some(executed));
        }
    }
}
