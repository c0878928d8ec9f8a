//! Faults of a queue: each gives a line in the log and a call of the program's callback. A kernel is never skipped.

use wavetank::{Error, MachineFault};

use super::gpu_event;
use super::ring::Queue;
use crate::c_types::Status;
use crate::log;
use crate::observe::fault_record::record;

/// The reason why a queue cannot continue.
pub(super) enum Fault {
    /// The queue has been stopped.
    Stopped,
    /// A packet that is malformed.
    Packet(String),
    /// A kernel that has failed, with the lines about it.
    Kernel { error: Error, lines: String },
}

impl Fault {
    fn status(&self) -> Status {
        match self {
            Fault::Stopped => Status::SUCCESS,
            Fault::Packet(_) => Status::ERROR_INVALID_PACKET_FORMAT,
            Fault::Kernel {
                error: Error::Fault(fault),
                ..
            } => match &fault.fault {
                MachineFault::Unsupported { .. } => Status::ERROR_ILLEGAL_INSTRUCTION,
                MachineFault::Memory(_) => Status::ERROR_MEMORY_FAULT,
                MachineFault::Trap { .. } => Status::ERROR_EXCEPTION,
            },
            Fault::Kernel { error, .. } => match error {
                Error::OutOfMemory { .. } => Status::ERROR_OUT_OF_RESOURCES,
                Error::Preload { .. } => Status::ERROR_MEMORY_FAULT,
                Error::Grid { .. } | Error::Lds { .. } => Status::ERROR_INVALID_PACKET_FORMAT,
                _ => Status::ERROR,
            },
        }
    }

    /// Reports the fault to the user and the program. A program without a callback is aborted, as the driver does on an unhandled
    /// fault: it would wait for ever.
    pub(super) fn report(&self, queue: &Queue) {
        let (lines, brief, sentence) = match self {
            Fault::Stopped => return,
            Fault::Packet(problem) => {
                let sentence = format!("a queue stops: {problem}");
                (sentence.clone(), sentence.clone(), sentence)
            }
            Fault::Kernel { error, lines } => (lines.clone(), brief(error), error.to_string()),
        };
        log::line(&lines);
        // `wavetank run` reads the cause from the record if the program dies now.
        record(&brief, &sentence, false);
        let status = self.status();
        let handled = match self {
            Fault::Kernel {
                error: Error::Fault(fault),
                ..
            } => match &fault.fault {
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
                record(&brief, &sentence, true);
            }
            None if handled => record(&brief, &sentence, true),
            None => {
                log::line("the program has no callback for errors of this queue, and is ended");
                std::process::abort();
            }
        }
    }
}

/// Returns where a kernel failed, or the reason if that is not a place.
fn brief(error: &Error) -> String {
    match error {
        Error::Fault(fault) => fault.brief(),
        error => error.to_string(),
    }
}
