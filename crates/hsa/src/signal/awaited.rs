//! A condition on the value of a signal.

use super::slots::load;
use crate::abi::{Condition, Signal};

/// A signal and the value that is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub signal: Signal,
    pub condition: Condition,
    pub compare: i64,
    /// The bits of the value that are compared.
    pub mask: i64,
}

impl Awaited {
    /// A condition on all bits of the value.
    pub fn new(signal: Signal, condition: Condition, compare: i64) -> Awaited {
        Awaited {
            signal,
            condition,
            compare,
            mask: -1,
        }
    }

    /// The end of the work that a signal stands for: 0, or a negative value if it has failed.
    pub fn end_of(work: Signal) -> Awaited {
        Awaited::new(work, Condition::Less, 1)
    }

    /// The value, if it is as awaited.
    pub fn ready(&self) -> Option<i64> {
        let value = load(self.signal);
        let holds = self.condition.holds(value & self.mask, self.compare);
        holds.then_some(value)
    }
}
