//! Single instructions on a given state: the format of `wavetank exec` and of the project's tests.
//!
//! A [`Case`] is a start state, a few instructions, and the expected state.
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

mod checked_run;
mod chips;
mod error;
mod expected_fault;
mod fidelity;
mod file;
mod grid;
mod number;
mod place;
mod run;
mod run_checkers;
mod set;
mod sizes;
mod start;
mod state;
mod surface;
mod swap;
mod value;

use wavetank_gcn::{Chip, Inst};

use expected_fault::ExpectedFault;
use set::{Code, Line, Set};
use sizes::Sizes;
use surface::Declared;
use value::Assignment;

pub use chips::parse_file;
pub use error::ExecError;
pub use expected_fault::Stopped;
pub use fidelity::{CaseFile, EXACT, case_files, case_files_in, cases_of, fidelity, fidelity_in};
pub use file::parse_words;
pub use grid::Grid;
pub use run::Run;
pub use run_checkers::Checked;
pub use state::Changed;
pub use wavetank::front_end::{Engine, FaultKind};
pub use wavetank_translate::Fidelity;

/// A start state, instructions, and the expected state.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name; empty if the case has none.
    pub name: String,
    /// The line at which the case begins, from 1.
    pub line: usize,
    set: Set,
    sizes: Sizes,
    setup: Vec<Assignment>,
    surfaces: Vec<Declared>,
    /// The maximum valid number of a surface.
    maximum: Option<u32>,
    /// The buffer that is the table of border colors, and the line that selects it.
    border_colors: Option<(String, usize)>,
    code: Vec<Line>,
    /// The trap handler; empty if the case has none.
    handler: Vec<Line>,
    expectations: Vec<Assignment>,
    /// The expected fault, and the line that expects it.
    fault: Option<(ExpectedFault, usize)>,
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

    /// Returns the chip of the instructions, if they are GCN's.
    pub fn chip(&self) -> Option<Chip> {
        match self.set {
            Set::Gcn(chip) => Some(chip),
            Set::Maxwell(_) | Set::Visa(_) => None,
        }
    }

    /// Returns the instructions of GCN in order; those of the trap handler are last.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        let lines = self.code.iter().chain(&self.handler);
        lines.filter_map(|line| match &line.code {
            Code::Gcn(inst) => Some(inst),
            Code::Word(..) | Code::Maxwell(_) | Code::Visa(_) => None,
        })
    }

    /// Returns whether the case expects a value or a fault.
    pub fn expects(&self) -> bool {
        !self.expectations.is_empty() || self.fault.is_some()
    }
}
