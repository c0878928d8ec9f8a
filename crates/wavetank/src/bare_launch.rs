//! A launch, with tools, of waves whose start state the caller makes.

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

/// A launch of waves whose start state the caller makes, to get the findings of tools: for code that has neither a kernel's
/// metadata nor a stage.
pub struct BareLaunch<'a> {
    /// The code, on its device.
    pub module: &'a Module,
    /// The function of the module at which waves start.
    pub function: &'a str,
    /// The sizes of the waves, and the address of their first instruction.
    pub launch: &'a Launch,
    /// The waves. The chip holds one work-group at a time.
    pub grid: Grid,
    /// The start state of each wave.
    pub starts: &'a dyn StartWave,
    /// The registers that the start state sets, in addition to those of every wave.
    pub given: &'a Registers,
    /// The initial contents of each work-group's LDS.
    pub lds: &'a [u32],
    /// Whether scratch is initialized.
    pub has_scratch: bool,
    /// The device address of the table of border colors.
    pub border_colors: Option<u64>,
    /// The tools.
    pub tools: Tools,
    /// The time after which the waves are stopped.
    pub timeout: Duration,
}

impl BareLaunch<'_> {
    /// Runs the waves, and returns the findings of the tools in their execution and in their code. Exports and messages are
    /// dropped.
    ///
    /// # Errors
    /// [`Error::Checks`](crate::Error::Checks) if there is no memory for the data of a tool.
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
