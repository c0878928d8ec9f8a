//! Queues: rings of packets that programs write and the library's threads execute.

mod barrier;
mod calls;
mod dependencies;
mod drain_at_exit;
mod fault;
mod gpu_event;
mod pool;
mod process;
mod ring;
mod serve;
mod table;

pub(crate) use drain_at_exit::drain_at_exit;
pub(crate) use gpu_event::forget_handler as forget_event_handler;
pub(crate) use table::{MAX_PACKETS, find, look, rung, stop_all, waiting};
