//! The tool `race` between kernels of different queues, and between kernels and copies of the host.
//!
//! Two jobs are ordered if one was waited for before the other began: by a queue, by a packet or a copy that depends on a signal,
//! or by the host, which has observed a signal before it requested the other. All threads of the host count as one, since they
//! may synchronise unseen. So a race is found even if the jobs did not overlap this time.
//!
//! No order is missed. Where synchronisation may be unseen, more order is assumed than exists: see `docs/reference/checkers.md`.

mod jobs;
mod queue_order;
mod report;
mod state;
mod vector_clock;

pub(crate) use jobs::{Request, is_copy};
pub(crate) use queue_order::{Launch, QueueOrder};
pub(crate) use state::{copied, enabled, given_up, host_changes, host_sees};
