//! Host calls: requests of waves to the host, by which `printf` and `assert` of HIP and the prints of Triton reach it.
//!
//! Device code takes a packet of a buffer, fills it, pushes it on a stack, adds to a signal and sends a message
//! (`s_sendmsg MSG_INTERRUPT`), then waits until the host has answered in the packet (ROCm Device Libraries, `ockl/src/hostcall_impl.cl`
//! and `services.cl`). A runtime has a thread for that. Here the message itself is the call: it is answered where it is delivered,
//! before the wave goes on, so that the order of texts is that of the waves.

mod buffer;
mod format;
mod messages;
mod stream;

use std::sync::{Mutex, PoisonError};

use wavetank_object::ArgKind;

use crate::error::Result;
use crate::kernel::Kernel;
use crate::memory::Memory;

use buffer::Buffer;
pub(crate) use buffer::memory;
use messages::Messages;
pub use stream::Stream;

/// The message of `s_sendmsg` that announces a call (Vega ISA, 4.5, MSG_INTERRUPT).
const INTERRUPT: u16 = 1;

/// The service that prints.
const PRINT: u32 = 2;

/// Returns the address of the argument with the address of the buffer, for a kernel with these arguments that makes host calls.
pub(crate) fn argument(kernel: &Kernel, kernarg: u64) -> Option<u64> {
    let mut hidden = kernel.info().hidden_args();
    let argument = hidden.find(|arg| arg.kind == ArgKind::HiddenHostcallBuffer)?;
    kernarg.checked_add(argument.offset.into())
}

/// The host calls of a launch.
pub(crate) struct HostCalls {
    buffer: Buffer,
    messages: Mutex<Messages>,
}

impl HostCalls {
    /// Makes the buffer.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn new(memory: &Memory) -> Result<HostCalls> {
        Ok(HostCalls {
            buffer: Buffer::new(memory)?,
            messages: Mutex::default(),
        })
    }

    /// The device address of the buffer, which kernels get as a hidden argument.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// Answers the calls that wait, if a message of a wave announces some. Texts go to `print`.
    pub(crate) fn message(&self, code: u16, print: &dyn Fn(Stream, &str)) {
        if code & 0xf != INTERRUPT {
            return;
        }
        // Threads answer one after the other: a text comes in several calls, and is printed as a whole.
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        self.buffer.answer(|service, request| match service {
            PRINT => messages.take(request, print),
            _ => {
                let sentence = format!(
                    "wavetank: a kernel asked the host for service {service}, which is not offered; it got 0\n"
                );
                print(Stream::Err, &sentence);
                [0, 0]
            }
        });
    }
}
