//! `amd_signal_t`: the structure at the address in a signal handle. Device code and ROCclr access it directly.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// `amd_signal_t`, 64 bytes. Programs, kernels and the library access it at any time: every field in use is an atomic.
#[repr(C, align(64))]
pub(crate) struct AmdSignal {
    /// The kind of the signal: 1 user, −1 doorbell, 0 none.
    pub kind: AtomicI64,
    /// The value of the signal.
    pub value: AtomicI64,
    /// The address to which device code writes `event_id` before it sends an interrupt message.
    pub event_mailbox: AtomicU64,
    pub event_id: AtomicU32,
    pub reserved1: u32,
    /// The start time of the work that completes the signal, in ticks of the system clock.
    pub start_ts: AtomicU64,
    /// The end time of that work.
    pub end_ts: AtomicU64,
    /// The address of the queue, for a doorbell.
    pub queue: AtomicU64,
    /// Whether the program has the address of the value: the library's own flag, in a reserved field.
    pub exposed: AtomicU32,
    pub reserved3: u32,
}

const _: () = {
    assert!(size_of::<AmdSignal>() == 64);
    assert!(offset_of!(AmdSignal, value) == 8);
    assert!(offset_of!(AmdSignal, event_mailbox) == 16);
    assert!(offset_of!(AmdSignal, event_id) == 24);
    assert!(offset_of!(AmdSignal, start_ts) == 32);
    assert!(offset_of!(AmdSignal, end_ts) == 40);
    assert!(offset_of!(AmdSignal, queue) == 48);
};

/// `hsa_signal_condition_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
}

impl Condition {
    /// The condition by its number in the headers.
    pub(crate) fn new(code: u32) -> Option<Condition> {
        use Condition::*;
        [Equal, NotEqual, Less, GreaterOrEqual]
            .get(code as usize)
            .copied()
    }

    /// Whether a value meets the condition.
    pub(crate) fn holds(self, value: i64, compare: i64) -> bool {
        match self {
            Condition::Equal => value == compare,
            Condition::NotEqual => value != compare,
            Condition::Less => value < compare,
            Condition::GreaterOrEqual => value >= compare,
        }
    }
}
