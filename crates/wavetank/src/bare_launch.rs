//! A launch of waves whose state the caller makes, under tools.

use std::time::Duration;

use wavetank_check::{Finding, Tools};
use wavetank_gcn::Registers;
use wavetank_machine::gcn::Launch;
use wavetank_machine::{Grid, StartWave};
use wavetank_memory::VGPRS;

use crate::checks::{Checks, given_by_system};
use crate::error::Result;
use crate::launch::ReadyWaves;
use crate::module::Module;
use crate::observers::Observers;

/// A launch of waves whose state the caller makes, to see what tools find in it: for code that has neither a kernel's metadata nor
/// a stage.
pub struct BareLaunch<'a> {
    /// The code, on its device.
    pub module: &'a Module,
    /// The function of the module that the waves begin with.
    pub function: &'a str,
    /// The sizes of the waves, and the address of their first instruction.
    pub launch: &'a Launch,
    /// The waves. The chip holds one work-group at a time.
    pub grid: Grid,
    /// What each wave begins with.
    pub starts: &'a dyn StartWave,
    /// The registers that hold something then, beside those that every wave has.
    pub given: &'a Registers,
    /// The LDS of each work-group up to where it holds something.
    pub lds: &'a [u32],
    /// Whether scratch holds something.
    pub has_scratch: bool,
    /// Device address of the table of border colors.
    pub border_colors: Option<u64>,
    /// The tools.
    pub tools: Tools,
    /// The time after which the waves are stopped.
    pub timeout: Duration,
}

impl BareLaunch<'_> {
    /// Runs the waves, and gives what the tools have found in them and in their code. Exports and messages go nowhere.
    ///
    /// # Errors
    /// [`Error::Checks`](crate::Error::Checks) if there is no memory for what a tool keeps.
    pub fn findings(&self) -> Result<Vec<Finding>> {
        let module = self.module;
        let checks = Checks {
            tools: self.tools,
            host_reads: false,
            ..Checks::default()
        };
        let observers = Observers {
            timeout: Some(self.timeout),
            exports: Some(&|_| ()),
            checks,
            ..Observers::default()
        };
        let waves = ReadyWaves {
            module,
            engine: &module.engine(),
            function: self.function,
            launch: self.launch,
            grid: self.grid,
            starts: self.starts,
            given: self.given.or(&given_by_system()),
            vgprs: VGPRS,
            resident_groups: 1,
            lds: self.lds,
            has_scratch: self.has_scratch,
            border_colors: self.border_colors,
            explain: &|group, wave, fault| module.explain(self.function, group, wave, fault),
        };
        waves.findings(observers)
    }
}
