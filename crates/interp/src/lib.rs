//! An engine that interprets the wave IR: lowers blocks to steps, of which each is one function over all 64 lanes, and runs
//! them. The steps are those of `wavetank_lane_ops`.
//!
//! ```
//! use std::sync::Arc;
//! use wavetank_gcn::{Chip, Inst, decode};
//! use wavetank_interp::{Interpreter, Program, Simd, Translation};
//! use wavetank_machine::{Backend, Leave};
//! use wavetank_memory::{MemoryUnit, Registry, Wave};
//!
//! // s_mov_b32 s0, 5; s_endpgm, at address 0
//! let code = |pc: u64| -> Result<Inst, String> {
//!     let bytes = [0xbe80_0085_u32, 0xbf81_0000].map(u32::to_le_bytes).concat();
//!     decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
//! };
//! let (count, step, instrumented, simd) = (false, false, false, Simd::detect());
//! let program = Program::new(Arc::new(code), Translation { count, step, instrumented, simd });
//! let registry = Registry::new();
//! let (mut wave, mut memory) = (Wave::new(0), MemoryUnit::new(&registry));
//! let leave = Interpreter::new(&program).run(&mut wave, &mut memory);
//! assert_eq!(leave, Leave::End(4));
//! assert_eq!(wave.uniform().s[0], 5);
//! ```

#![warn(missing_docs)]

mod access;
mod plain;
mod run;

pub use plain::{Plain, PlainProgram};
pub use run::{Interpreter, Program, Translation};
pub use wavetank_lane_ops::{Simd, UnknownSimd};
/// The room for its own values that the interpreter makes in a wave.
pub use wavetank_lower::ROOM;
