//! What goes wrong on a queue: a line on stderr, the program's callback, and never a kernel that is skipped.

use wavetank::Error;

use super::Queue;
use crate::abi::Status;
use crate::{log, system};

/// Why a queue cannot go on.
pub enum Fault {
    /// It was stopped.
    Stopped,
    /// A packet that is no packet.
    Packet(String),
    /// A kernel that failed.
    Kernel(Error),
}

impl Fault {
    fn status(&self) -> Status {
        use wavetank::MachineFault;
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

    /// Tells the user and the program. A program that has no callback for it is ended, as the driver does on a fault that
    /// nobody handles: it would wait for ever.
    pub fn report(&self, queue: &Queue) {
        let sentence = match self {
            Fault::Stopped => return,
            Fault::Packet(problem) => format!("a queue stops: {problem}"),
            Fault::Kernel(error) => error.to_string(),
        };
        log::line(&sentence);
        let status = self.status();
        if status == Status::ERROR_MEMORY_FAULT && system::event_handler().is_some() {
            log::line("the program's handler of GPU events is told through its queue");
        }
        match queue.callback {
            Some(callback) => {
                let queue_pointer = std::ptr::with_exposed_provenance_mut(queue.address as usize);
                let data = std::ptr::with_exposed_provenance_mut(queue.data);
                // SAFETY: the program gave the function for this argument.
                unsafe { callback(status, queue_pointer, data) };
            }
            None => {
                log::line("the program has no callback for errors of this queue, and is ended");
                std::process::abort();
            }
        }
    }
}
