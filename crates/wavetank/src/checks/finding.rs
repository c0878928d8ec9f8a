//! Findings about denied accesses.

use wavetank_check::{Finding, Mark, Place, Tool, WorkItems};
use wavetank_machine::{Fault, Schedule};
use wavetank_memory::MemoryFaultReason;

use super::denials::rule;
use super::lanes::wave_in_words;
use crate::error::{KernelFault, attempt, chain};

impl KernelFault {
    /// The fault as a finding, if it is an access.
    pub fn finding(&self) -> Option<Finding> {
        let Fault::Memory(fault) = &self.fault else {
            return None;
        };
        let lanes = fault.lane.map_or(0, |lane| 1 << lane);
        denied_access(self, lanes)
    }
}

/// A denied access of some lanes, of the whole wave if there are none; `None` for other faults.
pub(crate) fn denied_access(explained: &KernelFault, lanes: u64) -> Option<Finding> {
    let Fault::Memory(fault) = &explained.fault else {
        return None;
    };
    let mut notes = vec![wave_in_words(&explained.group, explained.wave, lanes)];
    notes.extend(explained.nearest.clone());
    if !explained.calls.is_empty() {
        notes.push(format!("called by {}", chain(&explained.calls)));
    }
    notes.extend(schedule(explained.schedule));
    let help = match fault.reason {
        // The tool requests it, whatever the device does.
        MemoryFaultReason::OutsideLds { .. } => {
            Some("on a chip such loads return 0, and such stores are dropped".to_owned())
        }
        _ => explained.hint.map(str::to_owned),
    };
    Some(Finding {
        tool: Tool::Memory,
        rule: rule(fault.reason),
        kernel: explained.kernel.clone(),
        message: attempt(fault),
        at: Mark {
            place: explained.place.clone(),
            label: label(fault.reason).to_owned(),
            items: Some(WorkItems::of(&explained.group, explained.wave, lanes)),
        },
        related: Vec::new(),
        host: Vec::new(),
        notes,
        help,
        address: None,
        also: Vec::new(),
        times: 1,
    })
}

/// The description of a denied access at its place.
fn label(reason: MemoryFaultReason) -> &'static str {
    match reason {
        MemoryFaultReason::Unmapped => "outside every allocation",
        MemoryFaultReason::Freed => "freed before",
        MemoryFaultReason::ReadOnly => "a store to memory that kernels may only read",
        MemoryFaultReason::Misaligned { .. } => "not aligned",
        MemoryFaultReason::OutsideScratch => "below the scratch of the work-item",
        MemoryFaultReason::StackOverflow { .. } => "beyond the work-item's stack",
        MemoryFaultReason::OutsideLds { .. } => "beyond the LDS of the work-group",
        MemoryFaultReason::Surface(_) => "outside the surface",
    }
}

/// A jump to an address without code, and the call that made it, if it is known.
pub(crate) fn missing_code(explained: &KernelFault, call: Option<Place>) -> Option<Finding> {
    let Fault::Unsupported { what, .. } = &explained.fault else {
        return None;
    };
    let mut notes = vec![wave_in_words(&explained.group, explained.wave, 0)];
    notes.extend(schedule(explained.schedule));
    let items = Some(WorkItems::of(&explained.group, explained.wave, 0));
    Some(Finding {
        tool: Tool::Memory,
        rule: "code",
        kernel: explained.kernel.clone(),
        message: format!("the wave jumped to an address without code: {what}"),
        at: match call {
            Some(place) => Mark {
                place,
                label: "calls an address without code".to_owned(),
                items,
            },
            None => Mark {
                place: explained.place.clone(),
                label: "no code".to_owned(),
                items,
            },
        },
        related: Vec::new(),
        host: Vec::new(),
        notes,
        help: (explained.fault.pc() == 0).then(|| "a pointer to a function was null".to_owned()),
        address: None,
        also: Vec::new(),
        times: 1,
    })
}

/// A note with the seed that repeats a random schedule.
fn schedule(schedule: Schedule) -> Option<String> {
    match schedule {
        Schedule::Random(_) => Some(format!("the schedule was {schedule}")),
        Schedule::Fair | Schedule::Greedy => None,
    }
}
