//! Stops that a wave's own trap handler takes care of.

use wavetank_lift::Modes;
use wavetank_machine::{Fault, Stop, Why};

/// The modes of the block with which a wave goes on that has stopped so, at the instruction where it is: there an access of
/// lanes was refused, and it has a trap handler that is told of violations. The block enters it. `None` where the wave stays.
///
/// "Memory violations are not reported for instruction or scalar-data accesses" (Vega ISA, 3.10).
#[inline]
pub fn caught(stop: &Stop, modes: impl FnOnce() -> Modes) -> Option<Modes> {
    match &stop.why {
        Why::Fault(Fault::Memory(fault)) if fault.lane.is_some() => modes().after_violation(),
        _ => None,
    }
}
