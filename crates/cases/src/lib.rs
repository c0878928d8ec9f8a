//! Single instructions on a given state: what `wavetank exec` does, and the project's test format.
//!
//! A [`Case`] is a state, a few instructions and what is expected of them.
//! `docs/reference/exec-format.md` describes the text form.
//!
//! ```
//! use wavetank_cases::{Engine, parse_file};
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
//! # Ok::<(), wavetank_cases::ExecError>(())
//! ```

#![warn(missing_docs)]

mod check;
mod chips;
mod error;
mod fault;
mod fidelity;
mod file;
mod grid;
mod launched;
mod number;
mod place;
mod run;
mod set;
mod sizes;
mod start;
mod state;
mod surface;
mod swap;
mod value;

use wavetank_gcn::{Chip, Inst};

use fault::Expected;
use set::{Code, Line, Set};
use sizes::Sizes;
use surface::Declared;
use value::Assignment;

pub use check::Checked;
pub use chips::parse_file;
pub use error::ExecError;
pub use fault::Stopped;
pub use fidelity::{CaseFile, EXACT, case_files, case_files_in, cases_of, fidelity, fidelity_in};
pub use file::parse_words;
pub use grid::Grid;
pub use run::Run;
pub use state::Changed;
pub use wavetank::front_end::{Engine, FaultKind};
pub use wavetank_translate::Fidelity;

/// A state, instructions, and what is expected of them.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name; empty where it has none.
    pub name: String,
    /// The line it begins at, from 1.
    pub line: usize,
    set: Set,
    sizes: Sizes,
    setup: Vec<Assignment>,
    surfaces: Vec<Declared>,
    /// The greatest number that a surface may have.
    maximum: Option<u32>,
    /// The buffer that is the table of border colors, and the line that says so.
    border_colors: Option<(String, usize)>,
    code: Vec<Line>,
    /// The trap handler; empty where there is none.
    handler: Vec<Line>,
    expectations: Vec<Assignment>,
    /// The fault that is expected, and the line that says so.
    fault: Option<(Expected, usize)>,
}

impl Case {
    fn new(set: Set, line: usize) -> Case {
        let (setup, surfaces, code, handler, expectations) = Default::default();
        Case {
            name: String::new(),
            line,
            set,
            sizes: set.sizes(),
            setup,
            surfaces,
            maximum: None,
            border_colors: None,
            code,
            handler,
            expectations,
            fault: None,
        }
    }

    /// The chip whose instructions these are, if they are GCN's.
    pub fn chip(&self) -> Option<Chip> {
        match self.set {
            Set::Gcn(chip) => Some(chip),
            Set::Maxwell(_) | Set::Visa(_) => None,
        }
    }

    /// The instructions of GCN, in order; those of the trap handler last.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        let lines = self.code.iter().chain(&self.handler);
        lines.filter_map(|line| match &line.code {
            Code::Gcn(inst) => Some(inst),
            Code::Word(..) | Code::Maxwell(_) | Code::Visa(_) => None,
        })
    }

    /// Whether anything is expected.
    pub fn expects(&self) -> bool {
        !self.expectations.is_empty() || self.fault.is_some()
    }
}
