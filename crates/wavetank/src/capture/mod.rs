//! Capture of a launch in a file, and its replay: at the same addresses, in another process or on another machine.
//!
//! [`Dispatch::capture`](crate::Dispatch::capture) writes a file; [`Replay`] runs the launch again and compares the memory. The format
//! is that of [`wavetank_capture`]; `docs/reference/captures.md` describes it.

mod accesses;
mod choice;
mod memory;
mod minimize;
mod record;
mod replay;
mod seen;

pub use accesses::Accesses;
pub use choice::{Captures, file_name, function_name};
pub use replay::{Comparison, DifferentPage, Replay};
pub use seen::Seen;
pub use wavetank_capture::{Capture, Launch, Outcome, Problem, Written, is_capture};

pub(crate) use record::{Recording, packet};
