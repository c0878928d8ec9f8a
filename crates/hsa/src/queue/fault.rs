//! Faults of a queue: each gives a line in the log and a call of the program's callback. A kernel is never skipped.

use std::path::Path;

use wavetank::last_fault::LastFault;
use wavetank::{Error, MachineFault};

use super::gpu_event;
use super::ring::Queue;
use crate::abi::Status;
use crate::log;

/// The reason why a queue cannot continue.
pub(super) enum Fault {
    /// The queue has been stopped.
    Stopped,
    /// A packet that is malformed.
    Packet(String),
    /// A kernel that has failed.
    Kernel(Error),
}

impl Fault {
    fn status(&self) -> Status {
        match self {
            Fault::Stopped => Status::SUCCESS,
            Fault::Packet(_) => Status::ERROR_INVALID_PACKET_FORMAT,
            Fault::Kernel(Error::Fault(fault)) => match &fault.fault {
                MachineFault::Unsupported { .. } => Status::ERROR_ILLEGAL_INSTRUCTION,
                MachineFault::Memory(_) => Status::ERROR_MEMORY_FAULT,
                MachineFault::Trap { .. } => Status::ERROR_EXCEPTION,
            },
            Fault::Kernel(Error::OutOfMemory { .. }) => Status::ERROR_OUT_OF_RESOURCES,
            Fault::Kernel(Error::Grid { .. } | Error::Lds { .. }) => {
                Status::ERROR_INVALID_PACKET_FORMAT
            }
            Fault::Kernel(_) => Status::ERROR,
        }
    }

    /// Reports the fault to the user and the program. A program without a callback is aborted, as the driver does on an unhandled
    /// fault: it would wait for ever.
    pub(super) fn report(&self, queue: &Queue) {
        let sentence = match self {
            Fault::Stopped => return,
            Fault::Packet(problem) => format!("a queue stops: {problem}"),
            Fault::Kernel(error) => error.to_string(),
        };
        log::line(&sentence);
        // `wavetank run` reads the cause from the record if the program dies now.
        record(&sentence, false);
        let status = self.status();
        let handled = match self {
            Fault::Kernel(Error::Fault(fault)) => match &fault.fault {
                MachineFault::Memory(memory) => {
                    gpu_event::memory_fault(queue.agent, memory.address)
                }
                _ => false,
            },
            _ => false,
        };
        match queue.callback {
            Some(callback) => {
                let queue_pointer = std::ptr::with_exposed_provenance_mut(queue.address as usize);
                let data = std::ptr::with_exposed_provenance_mut(queue.data);
                // SAFETY: the program gave the function for this argument.
                unsafe { callback(status, queue_pointer, data) };
                record(&sentence, true);
            }
            None if handled => record(&sentence, true),
            None => {
                log::line("the program has no callback for errors of this queue, and is ended");
                std::process::abort();
            }
        }
    }
}

/// Records a fault for `wavetank run`, if that started the program.
fn record(sentence: &str, handled: bool) {
    if let Some(path) = std::env::var_os("WAVETANK_FAULT_TO") {
        let fault = LastFault {
            process: std::process::id(),
            handled,
            sentence: sentence.to_owned(),
        };
        // A record that cannot be written has no reader.
        let _ = fault.leave(Path::new(&path));
    }
}
