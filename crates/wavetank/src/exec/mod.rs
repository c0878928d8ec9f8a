//! Single instructions on a given state: what `wavetank exec` does, and the project's test format.
//!
//! A [`Case`] is a state, a few instructions and what is expected of them. `docs/exec-format.md` describes the text form.
//!
//! ```
//! use wavetank::exec::{Engine, parse_file};
//!
//! let cases = parse_file("
//!     v1 = 0..63
//!     v2 = 100
//!     > v_lshl_add_u32 v0, v1, 4, v2
//!     v0 = 100, 116, 132
//! ")?;
//! let run = cases[0].run(Engine::Interpreter)?;
//! assert_eq!(run.vector(0)[2], 132);
//! assert!(run.failures().is_empty());
//! # Ok::<(), wavetank::exec::ExecError>(())
//! ```

mod file;
mod run;
mod value;

use thiserror::Error;
use wavetank_isa::{Chip, Inst};

use value::Assignment;

pub use file::{parse_file, parse_words};
pub use run::{Changed, Run};

/// Why a case cannot be read or run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{message}", .line.map(|l| format!("line {l}: ")).unwrap_or_default())]
pub struct ExecError {
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The sentence.
    pub message: String,
}

/// What executes the instructions. Both must reach the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The interpreter that runs kernels.
    Interpreter,
    /// The slow evaluator of the IR.
    Plain,
}

/// An instruction of a case.
#[derive(Clone, Debug)]
struct Line {
    inst: Inst,
    number: usize,
}

/// A state, instructions, and what is expected of them.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name; empty where it has none.
    pub name: String,
    /// The line it begins at, from 1.
    pub line: usize,
    chip: Chip,
    setup: Vec<Assignment>,
    code: Vec<Line>,
    expectations: Vec<Assignment>,
}

impl Case {
    fn new(chip: Chip, line: usize) -> Case {
        let (setup, code, expectations) = Default::default();
        Case {
            name: String::new(),
            line,
            chip,
            setup,
            code,
            expectations,
        }
    }

    /// The chip whose instructions these are.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        self.code.iter().map(|line| &line.inst)
    }

    /// Whether anything is expected.
    pub fn expects(&self) -> bool {
        !self.expectations.is_empty()
    }
}
