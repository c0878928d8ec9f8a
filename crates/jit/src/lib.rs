//! The JIT compiler: an engine that compiles the wave IR to x86-64 (see `docs/explanation/jit.md`).
//!
//! ```
//! use std::sync::Arc;
//! use wavetank_interp::{Program, Simd, Translation};
//! use wavetank_gcn::{Chip, Inst, decode};
//! use wavetank_jit::{CompileOptions, Jit, Jitted};
//! use wavetank_machine::{Backend, Leave};
//! use wavetank_memory::{MemoryUnit, Registry, Wave};
//!
//! // v_mov_b32 v1, 5; s_endpgm, at address 0
//! let words = [0x7e02_0285_u32, 0xbf81_0000];
//! let code = move |pc: u64| -> Result<Inst, String> {
//!     let bytes = words.map(u32::to_le_bytes).concat();
//!     decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
//! };
//! let (count, step, instrumented, simd) = (false, false, false, Simd::detect());
//! let how = Translation { count, step, instrumented, simd };
//! let program = Program::new(Arc::new(code), how);
//! // We look at a register ourselves.
//! let options = CompileOptions { count, simd, registers_observable: true, instrumented };
//! // Nothing is interpreted first.
//! let jit = match Jit::new(program, options, 0) {
//!     Ok(jit) => jit,
//!     Err((_, why)) => return println!("this host cannot: {why}"),
//! };
//! let registry = Registry::new();
//! let (mut wave, mut memory) = (Wave::new(0), MemoryUnit::new(&registry));
//! let leave = Jitted::new(&jit).run(&mut wave, &mut memory);
//! assert_eq!(leave, Leave::End(4));
//! assert_eq!(*wave.vgpr(1), [5; 64]);
//! ```

#![warn(missing_docs)]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod compiler;
mod options;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod unsupported_host;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use compiler::{HOT, Jit, Jitted, Unavailable};
pub use options::{CompileOptions, Compiled, Names};
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use unsupported_host::{HOT, Jit, Jitted, Unavailable};
