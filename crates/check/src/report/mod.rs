//! Reports: findings as text, JSON and SARIF.
//!
//! * [`text`]: in the form of a compiler's diagnostics, with source lines and machine code.
//! * [`json`]: one object a line for each finding.
//! * [`record`]: such an object with its text, for another process, which reads it to a [`Record`]; and the names of kernels that
//!   run ([`running`], [`kernel_of`]).
//! * [`Sarif`]: a log in the format of code review services.
//! * [`Baseline`]: the findings of an earlier log or JSON output, which are not new.

mod baseline;
mod json;
mod machine;
mod record;
mod sarif;
mod scene;
mod source;
mod text;

pub use baseline::{Baseline, NotABaseline};
pub use json::json;
pub use record::{Record, kernel_of, record, running};
pub use sarif::Sarif;
pub use scene::Scene;
pub use text::{Look, text};
pub use wavetank_source::Sources;
