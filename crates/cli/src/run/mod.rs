//! `wavetank run`: an unmodified program for ROCm on emulated GPUs.

mod library;
mod program;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use wavetank::Schedule;
use wavetank::environment::{Gpu, Settings};
use wavetank::statistics::{Ledger, table};

use crate::exit::{Failure, Result};
use crate::running::{Running, tell_seed};
use library::Library;
use program::End;

// No line is longer than 80 columns: clap would break it.
const HELP: &str = "\
The program finds the emulated GPUs instead of real ones; nothing else about it
changes. It ends as it would without this command: with the same exit code, or
by the same signal. Signals that are sent to the command go on to the program.

Environment: WAVETANK_GPU (as --gpu), WAVETANK_MEMORY=8G (of each GPU that
--gpu does not say it of), WAVETANK_STATS=1 (as --stats), WAVETANK_THREADS,
WAVETANK_SCHEDULE, WAVETANK_STACK, WAVETANK_STRICT=1 (as the options of these
names), WAVETANK_LOG=info (a line for each kernel) or trace (and for each call
of the HSA interface).

Examples:
  wavetank run -- ./a.out
  wavetank run --gpu gfx906:8G --stats -- ./sgemm 512
  wavetank run --threads 1 --schedule random -- ./a.out
  WAVETANK_LOG=info wavetank run -- ./a.out";

/// Runs a program that was built for ROCm (HIP, OpenCL, OpenMP), unchanged, on emulated GPUs
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Run {
    /// The GPUs that the program finds, parted by commas, with the size of their memory if you like: gfx900:8G
    #[arg(long, value_name = "CPU[:SIZE]", value_delimiter = ',')]
    gpu: Vec<String>,
    /// End with a table of kernels: calls, time, instructions, the slowest first
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    running: Running,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Run {
    /// Runs the program. The exit code is the program's.
    pub fn run(self) -> Result<ExitCode> {
        let variables = self.variables()?;
        // What the library would refuse is told before the program starts.
        let settings = Settings::read(|name| {
            let given = variables.iter().find(|(variable, _)| *variable == name);
            given.map_or_else(|| std::env::var_os(name), |(_, value)| Some(value.clone()))
        });
        let settings = settings.map_err(|error| Failure::usage(error.to_string()))?;
        let library = Library::find()?;
        let program = Path::new(&self.program[0]);
        let mut command = Command::new(program);
        command.args(&self.program[1..]).envs(variables);
        library.give_to(&mut command);
        // Without a ledger the library prints the table itself, where the program ends well.
        let ledger = settings.stats.then(|| Ledger::create().ok()).flatten();
        match ledger.as_ref().and_then(Ledger::path) {
            Some(path) => command.env("WAVETANK_STATS_TO", path),
            None => command.env_remove("WAVETANK_STATS_TO"),
        };
        // A seed that the library would choose is chosen here: it cannot tell it if a signal ends the program.
        let schedule = settings.kernels.schedule.unwrap_or_default();
        if let Schedule::Random(_) = schedule {
            command.env("WAVETANK_SCHEDULE", schedule.to_string());
        }
        let end = program::run(&mut command);
        let end = end.map_err(|error| Failure::file("run", program, error))?;
        if let End::Signal(_) = end {
            tell_seed(schedule);
        }
        let rows = ledger.map(|ledger| ledger.rows()).unwrap_or_default();
        if !rows.is_empty() {
            // If stderr is closed, nobody is there to be told.
            let text = table(rows);
            let _ = std::io::Write::write_all(&mut anstream::stderr(), text.as_bytes());
        }
        Ok(end.repeat())
    }

    /// The options as variables of the environment, by which the library gets them.
    fn variables(&self) -> Result<Vec<(&'static str, OsString)>> {
        for gpu in &self.gpu {
            let known = gpu.parse::<Gpu>();
            known.map_err(|problem| Failure::usage(format!("--gpu: {problem}")))?;
        }
        let gpus = (!self.gpu.is_empty()).then(|| self.gpu.join(",").into());
        let stats = self.stats.then(|| OsString::from("1"));
        let own = [("WAVETANK_GPU", gpus), ("WAVETANK_STATS", stats)];
        let all = own.into_iter().chain(self.running.variables());
        let given = all.filter_map(|(name, v)| Some((name, v?)));
        Ok(given.collect())
    }
}
