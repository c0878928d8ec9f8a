//! The common options for running kernels, which several commands have.

use std::ffi::OsString;
use std::io::Write;

use wavetank::environment::Settings;
use wavetank::{Chip, Device, DeviceBuilder, EngineChoice, Schedule};

use crate::exit::Result;

/// How kernels run
#[derive(Clone, clap::Args)]
pub(crate) struct Running {
    /// Threads that run work-groups; as many as the machine has otherwise. With 1, runs repeat bit for bit
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// The engine for kernels: auto (interpreted first, and compiled once they run often; the default), jit (compiled at once),
    /// interpreter. All give the same bits
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineChoice>,
    /// The schedule of a work-group's waves: fair (as on a chip; the default), greedy (one after another up to each barrier),
    /// random or random:SEED. Random orders find races; the seed is printed at the end, and repeats the run with one thread
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
    /// Give each work-item so many bytes more of stack, where its depth is not known
    #[arg(long, value_name = "BYTES")]
    stack: Option<u32>,
    /// Stop where a kernel goes beyond its LDS, or loads past the end of memory, instead of only reporting it
    #[arg(long)]
    strict: bool,
}

impl Running {
    /// Returns a device for a chip.
    ///
    /// Variables that only programs use are checked as well: a wrong value is an error of every command.
    pub(crate) fn device(&self, chip: Chip) -> Result<Device> {
        Settings::from_env().map_err(wavetank::Error::from)?;
        Ok(self.apply(Device::builder(chip)).build()?)
    }

    /// Returns settings of a device with these options.
    pub(crate) fn apply(&self, mut builder: DeviceBuilder) -> DeviceBuilder {
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(engine) = self.engine {
            builder = builder.engine(engine);
        }
        if let Some(schedule) = self.schedule {
            builder = builder.schedule(schedule);
        }
        if let Some(bytes) = self.stack {
            builder = builder.stack(bytes);
        }
        if self.strict {
            builder = builder.strict(true);
        }
        builder
    }

    /// Returns the options as environment variables for a program.
    pub(crate) fn variables(&self) -> [(&'static str, Option<OsString>); 5] {
        let text = |value: Option<String>| value.map(OsString::from);
        [
            (
                "WAVETANK_THREADS",
                text(self.threads.map(|n| n.to_string())),
            ),
            ("WAVETANK_ENGINE", text(self.engine.map(|e| e.to_string()))),
            (
                "WAVETANK_SCHEDULE",
                text(self.schedule.map(|s| s.to_string())),
            ),
            ("WAVETANK_STACK", text(self.stack.map(|n| n.to_string()))),
            ("WAVETANK_STRICT", self.strict.then(|| "1".into())),
        ]
    }
}

impl Running {
    /// Prints a note that a trace uses one thread, if more were requested.
    pub(crate) fn note_if_traced(&self) {
        if let Some(threads @ 2..) = self.threads {
            // A closed stderr is not an error.
            let _ = writeln!(
                anstream::stderr(),
                "note: --threads {threads} is taken as 1: a trace lists instructions in the order in which waves execute them"
            );
        }
    }
}

/// Prints the seed of a random schedule on stderr.
pub(crate) fn print_seed(schedule: Schedule) {
    if let Schedule::Random(_) = schedule {
        // A closed stderr is not an error.
        let _ = writeln!(anstream::stderr(), "the schedule was {schedule}");
    }
}

/// Parses a number of threads.
fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("write a number from 1 to 1024".to_owned()),
    }
}
