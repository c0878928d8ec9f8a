//! A launch of waves whose state the caller makes, under tools.

use std::time::{Duration, Instant};

use wavetank_check::{Finding, Tools};
use wavetank_gcn::Registers;
use wavetank_machine::gcn::Launch;
use wavetank_machine::schedule::{self, Options};
use wavetank_machine::{Grid, StartWave};
use wavetank_memory::VGPRS;

use crate::checks::{Checks, Launched, Room, Shadowed, given_by_system};
use crate::error::Result;
use crate::module::Module;
use crate::overrun::Overruns;
use crate::worker::{Common, Unit};

/// A launch of waves whose state the caller makes, to see what tools find in it: for code that has neither a kernel's metadata nor
/// a stage.
pub struct BareLaunch<'a> {
    /// The code, on its device.
    pub module: &'a Module,
    /// The function of the module that the waves begin with.
    pub function: &'a str,
    /// The sizes of the waves, and the address of their first instruction.
    pub launch: &'a Launch,
    /// The waves. One thread runs them, a work-group at a time.
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
        let (module, device) = (self.module, self.module.device());
        let mut checks = Checks {
            tools: self.tools,
            host_reads: false,
            ..Checks::default()
        };
        let checking = checks.begin(self.function, module)?;
        let (engine, overruns) = (module.engine(), Overruns::default());
        let common = Common {
            memory: &device.inner.memory,
            module,
            engine: &engine,
            launch: self.launch,
            waves: self.grid.waves(),
            lds: self.lds,
            has_scratch: self.has_scratch,
            border_colors: self.border_colors,
            count: false,
            trace: None,
            strict: device.inner.strict || checks.memory(),
            overruns: &overruns,
            checking: &checking,
        };
        let given = self.given.or(&given_by_system());
        let shadowed = Shadowed::new(self.starts, &given, VGPRS);
        let starts: &dyn StartWave = match checking.follower {
            Some(_) => &shadowed,
            None => self.starts,
        };
        let options = Options {
            threads: 1,
            resident_groups: 1,
            schedule: device.schedule().of_dispatch(0),
            sync: Some(&device.inner.sync),
            deadline: Instant::now().checked_add(self.timeout),
            exports: Some(&|_| ()),
            ..Options::default()
        };
        let ran = schedule::run(&self.grid, starts, &options, |_| Unit::new(&common));
        let launched = Launched {
            kernel: self.function,
            module,
            checks: &checks,
            given: &given,
            room: Room {
                groups: self.grid.count(),
                resident: 1,
            },
            explain: &|group, wave, fault| module.explain(self.function, group, wave, fault),
            origins: None,
        };
        Ok(launched.found(checking, ran.as_ref().err()).0)
    }
}
