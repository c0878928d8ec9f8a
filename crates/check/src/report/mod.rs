//! Reports: findings as text, JSON and SARIF.
//!
//! * [`text`]: as compilers print what is wrong, with the lines of source and of machine code.
//! * [`json`]: an object a finding, each on a line.
//! * [`record`]: such an object with its text, for another program, which makes a [`Record`] of it; and the names of
//!   kernels that run ([`running`], [`kernel_of`]).
//! * [`Sarif`]: a log in the form that services for code reviews take.

mod json;
mod machine;
mod record;
mod sarif;
mod scene;
mod source;
mod sources;
mod text;

pub use json::json;
pub use record::{Record, kernel_of, record, running};
pub use sarif::Sarif;
pub use scene::Scene;
pub use sources::Sources;
pub use text::{Look, text};
