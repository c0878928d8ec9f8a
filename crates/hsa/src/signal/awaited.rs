//! Conditions on the value of a signal.

use super::slots::load;
use crate::c_types::{Condition, Signal};

/// A signal with a condition to wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    pub signal: Signal,
    pub condition: Condition,
    pub compare: i64,
    /// The mask of the bits that are compared.
    pub mask: i64,
}

impl Awaited {
    /// A condition on all bits of a signal's value.
    pub(crate) fn new(signal: Signal, condition: Condition, compare: i64) -> Awaited {
        Awaited {
            signal,
            condition,
            compare,
            mask: -1,
        }
    }

    /// The end of the work that a signal stands for: 0, or a negative value if it has failed.
    pub(crate) fn end_of(work: Signal) -> Awaited {
        Awaited::new(work, Condition::Less, 1)
    }

    /// The value, if it meets the condition.
    pub(crate) fn ready(&self) -> Option<i64> {
        let value = load(self.signal);
        let holds = self.condition.holds(value & self.mask, self.compare);
        holds.then_some(value)
    }
}
