//! One thread's means of running waves: a back end and the memory of its resident work-groups.

use wavetank_machine::gcn::Launch;
use wavetank_machine::schedule::Worker;
use wavetank_machine::{Fault, Stop, Wave};

use crate::memory::{Allocation, Memory};

/// A worker of a dispatch.
pub(crate) struct Unit<'a> {
    memory: &'a Memory,
    scratch_bytes: u64,
    slots: Vec<Allocation>,
}

impl<'a> Unit<'a> {
    pub fn new(memory: &'a Memory, launch: &Launch, waves: u32) -> Self {
        Unit {
            memory,
            scratch_bytes: u64::from(launch.scratch_wave_bytes) * u64::from(waves),
            slots: Vec::new(),
        }
    }
}

impl Worker for Unit<'_> {
    fn add_slot(&mut self) -> u64 {
        let scratch = self
            .memory
            .allocate("scratch", self.scratch_bytes, 256)
            .unwrap();
        let address = scratch.address();
        self.slots.push(scratch);
        address
    }

    fn enter(&mut self, _: usize, _: bool) {}

    fn run(&mut self, wave: &mut Wave) -> Stop {
        let pc = wave.uniform().pc;
        Stop::Fault(Fault::Unsupported {
            pc,
            what: "no back end runs it yet".to_owned(),
        })
    }
}
