//! Explanation of a fault in terms of the kernel: its functions, its arguments.

use std::collections::HashSet;

use wavetank_machine::{Fault, Group};
use wavetank_memory::MemoryFaultReason;

use super::Dispatch;
use crate::arg::{self, Arg};
use crate::error::{KernelFault, nearness};

impl Dispatch<'_> {
    pub(super) fn explain_fault(&self, group: Group, wave: u32, fault: Fault) -> KernelFault {
        let module = &self.kernel.module;
        let (mut calls, mut hint) = (Vec::new(), None);
        let nearest = match &fault {
            Fault::Unsupported { .. } | Fault::Trap { .. } => None,
            Fault::Memory(memory) => {
                // A call is before the address to which it returns.
                calls = memory.calls.iter().map(|to| module.place(to - 4)).collect();
                let recursive = self.is_recursive(fault.pc(), &memory.calls);
                hint = self.hint(memory.reason, recursive);
                memory.nearest.as_ref().map(|(name, start, len)| {
                    let argument = self.argument_at(*start);
                    let shown = argument.as_ref().unwrap_or(name);
                    let place = nearness(shown, *start, *len, memory.address);
                    let bytes = self.elements(memory.bytes);
                    let is_short = memory.address >= start + len && bytes > *len;
                    match argument {
                        Some(_) if is_short => {
                            format!("{place}; an element for each work-item takes {bytes} bytes")
                        }
                        _ => place,
                    }
                })
            }
        };
        KernelFault {
            kernel: self.kernel.name().to_owned(),
            place: module.place(fault.pc()),
            group,
            wave,
            fault,
            nearest,
            calls,
            hint,
            schedule: self.kernel.module.device().schedule(),
            findings: Vec::new(),
        }
    }

    /// Returns the size of a buffer with an element of `bytes` bytes for each work-item of the grid.
    fn elements(&self, bytes: u32) -> u64 {
        let sides = self.grid.size().into_iter().map(u64::from);
        sides.fold(bytes.into(), u64::saturating_mul)
    }

    /// Returns the suggestion for a refused access.
    fn hint(&self, reason: MemoryFaultReason, recursive: bool) -> Option<&'static str> {
        match reason {
            MemoryFaultReason::StackOverflow { .. } if self.has_dynamic_stack() => Some(
                "`launch --stack BYTES`, `run --stack BYTES` or WAVETANK_STACK gives each work-item so many bytes more",
            ),
            MemoryFaultReason::StackOverflow { .. } if recursive => Some(
                "a function calls itself, and the compiler did not count that, as none does without optimisation: \
                 `launch --stack BYTES`, `run --stack BYTES` or WAVETANK_STACK gives each work-item so many bytes more",
            ),
            MemoryFaultReason::StackOverflow { .. } => Some(
                "the compiler knew how much stack this kernel needs, so an index into a private array is out of range",
            ),
            MemoryFaultReason::OutsideLds { .. } if !self.kernel.module.device().inner.strict => {
                Some("without the tool `memory` it would read 0 or be dropped, as on a chip")
            }
            MemoryFaultReason::OutsideLds { .. } => Some(
                "without --strict and WAVETANK_STRICT=1 it would read 0 or be dropped, as on a chip",
            ),
            _ => None,
        }
    }

    /// Returns whether a function occurs twice in a call chain.
    fn is_recursive(&self, pc: u64, calls: &[u64]) -> bool {
        let module = &self.kernel.module;
        let places = [pc].into_iter().chain(calls.iter().map(|to| to - 4));
        let mut functions = places.filter_map(|at| module.place(at).symbol.map(|(name, _)| name));
        let mut seen = HashSet::new();
        functions.any(|name| !seen.insert(name))
    }

    /// Returns the argument whose buffer starts at an address.
    fn argument_at(&self, start: u64) -> Option<String> {
        let params = self.kernel.args();
        let mut pairs = self.args.iter().zip(params).enumerate();
        pairs.find_map(|(n, (arg, param))| match arg {
            Arg::Buffer(buffer) if buffer.address() == start => Some(format!(
                "the buffer of argument {n} `{}`",
                arg::describe(n, param)
            )),
            _ => None,
        })
    }
}
