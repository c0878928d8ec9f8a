//! Translation from guest code to simplified wave IR, common to all engines, and the cache of their translations.
//!
//! ```
//! use std::sync::Arc;
//! use wavetank_gcn::{Chip, Inst, decode};
//! use wavetank_translate::{Modes, Translator};
//!
//! // s_endpgm, at address 0
//! let code = |_pc: u64| -> Result<Inst, String> {
//!     decode(&[0x00, 0x00, 0x81, 0xbf], Chip::Gfx900).map_err(|e| e.to_string())
//! };
//! let translator = Translator::new(Arc::new(code), false);
//! let block = translator.block(0, Modes::new(0, 0));
//! assert!(block.simple.to_string().contains("end_program"), "{}", block.simple);
//! ```

#![warn(missing_docs)]

mod block;
mod breakpoints;
mod cache;
mod inst_summary;
mod live_in;
mod liveness;
mod registers;
mod spin_loop;
mod tier;
mod trap_entry;
mod unroll;

pub use block::{FrontEnd, Pass, Translated, Translator};
pub use breakpoints::{Breakpoints, instructions};
pub use cache::{Cache, Key};
pub use inst_summary::{InstSummary, Summaries};
pub use registers::{RegisterSet, changes_modes, loaded};
pub use tier::{ColdEngine, ColdProgram};
pub use trap_entry::TrapEntry;
pub use unroll::Unrolled;
pub use wavetank_lift::{Code, Fidelity, Modes, reads_exceptions};
pub use wavetank_lift::{buffer_dialect, fidelity, image_tiling};
