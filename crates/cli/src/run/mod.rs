//! `wavetank run`: the run of an unmodified ROCm program on emulated GPUs.

mod capture;
mod contents;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod embedded;
mod junit;
#[cfg(target_os = "linux")]
mod library;
mod notes;
#[cfg(target_os = "linux")]
mod program;
mod record;
mod refused;
#[cfg(target_os = "linux")]
mod tee;
mod variable;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use wavetank::environment::Settings;
use wavetank::executed::Executed;
use wavetank::found_file::FoundFile;
use wavetank::last_fault::{FaultFile, LastFault};
use wavetank::statistics::{Ledger, Sum, table};
use wavetank::{Chip, ChipFacts, Schedule};

use crate::exit::{Failure, Result};
use crate::fidelity::ByFidelity;
use crate::running::Running;
use crate::seconds::seconds;
use crate::target::check_gpus;
use capture::CaptureOptions;
use contents::Contents;
use junit::{Case, CaseResult};
use record::{Log, Record};

#[cfg(not(target_os = "linux"))]
use elsewhere::{End, Ended, Library, Tee, run};
#[cfg(target_os = "linux")]
use {
    library::Library,
    program::{End, Ended, run},
    tee::Tee,
};

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{End as ProgramEnd, deadline};
#[cfg(target_os = "linux")]
pub(crate) use program::{End as ProgramEnd, deadline};

// At most 80 columns a line, because clap would break longer ones.
const HELP: &str = "\
The program finds the emulated GPUs instead of real ones; nothing else about it
changes. Without --gpu it finds one that it has code for. It ends as it would
without this command, with the same exit code or by the same signal. Where the
fault of a kernel or the time limit ended it, the exit code is 1, after a
sentence; it is 2 if --capture found no launch in a program that ended well.
Signals that are sent to the command go on to the program.

Environment: WAVETANK_GPU, WAVETANK_STATS=1, WAVETANK_THREADS,
WAVETANK_SCHEDULE, WAVETANK_STACK, WAVETANK_STRICT=1 and WAVETANK_LOG_TO are as
the options. WAVETANK_MEMORY=8G is the memory of each GPU whose size --gpu does
not say. WAVETANK_LOG=info prints a line for each kernel, and WAVETANK_LOG=trace
one for each call of the HSA interface as well.

Examples:
  wavetank run ./a.out 512
  wavetank run --gpu gfx906:8G --stats ./sgemm 512
  wavetank run --fidelity ./sgemm 512
  wavetank run --timeout 60 --log gpu.log --json run.json ./a.out
  for test in tests/*.out; do wavetank run --junit gpu.xml $test; done
  wavetank run --threads 1 --schedule random ./a.out
  wavetank run --capture caps --kernel 'reduce*' --launch 3,7..9 -- ./a.out
  wavetank launch caps/0003-reduce.wtc        that launch, without the program
  WAVETANK_LOG=info wavetank run ./a.out";

/// Runs a program that was built for ROCm (HIP, OpenCL, OpenMP), unchanged, on emulated GPUs
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Run {
    /// The GPUs that the program finds, parted by commas, with the size of their memory if you like: gfx900:8G
    #[arg(long, value_name = "CHIP[:SIZE]", value_delimiter = ',')]
    pub gpu: Vec<String>,
    /// End with a table of kernels: calls, time, instructions, the slowest first
    #[arg(long)]
    pub stats: bool,
    /// End with the instructions that ran and are not exact (see `isa --coverage`), and how they differ
    #[arg(long)]
    fidelity: bool,
    /// Write how it ended and what kernels took to this file, as JSON; `-` is stdout, after the program
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Add a case for this run to a JUnit report in this file; many runs may add to one
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write what wavetank says to this file instead of stderr
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// End the program after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
    #[command(flatten)]
    capture: CaptureOptions,
    #[command(flatten)]
    running: Running,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Time for the program to end by itself after its time limit.
    #[arg(skip)]
    pub grace: Duration,
    /// Whether the program's stdout goes to stderr.
    #[arg(skip)]
    pub aside: bool,
    /// Whether only the end of the program is reported.
    #[arg(skip)]
    quiet: bool,
    /// Further variables for the library in the program.
    #[arg(skip)]
    others: Vec<(&'static str, OsString)>,
}

/// The variable with the time limit of kernels for the library.
const END_AT: &str = "WAVETANK_END_AT";

/// The number of waves that are listed for a kernel that did not end.
const MAX_HUNG_WAVES: usize = 3;

/// The time for the library to report a kernel that did not end, after the time limit.
const REPORT_TIME: Duration = Duration::from_millis(500);

/// The variable with the file for this command's lines, in which the library finds it.
const LOG_TO: &str = "WAVETANK_LOG_TO";

/// The files in which the library in the program leaves its results.
struct Marks {
    /// Sums of kernels, if a report needs them. Without a ledger the library prints the table itself, if the program ends
    /// normally.
    counts: bool,
    ledger: Option<Ledger>,
    /// The instructions that ran, if a report needs them.
    executed: Option<FoundFile>,
    /// The last fault. Without this file, a program that is ended by a fault counts as one that ends by itself.
    fault: Option<FaultFile>,
    log: Log,
    /// The launches, if some are to be captured.
    seen: Option<FoundFile>,
    /// The reason for lost lines in the program, if the log is a file and this can be reported.
    lost: Option<FoundFile>,
}

/// A finished run of a program.
struct Execution {
    ended: Ended,
    settings: Settings,
    marks: Marks,
    /// The end of the program's stderr, if a report needs it.
    stderr: String,
}

impl Run {
    /// Returns a run of a program with its arguments, without reports, and with variables for the library in addition to options.
    pub(crate) fn quiet(
        program: Vec<OsString>,
        running: Running,
        others: Vec<(&'static str, OsString)>,
    ) -> Run {
        Run {
            gpu: Vec::new(),
            stats: false,
            fidelity: false,
            json: None,
            junit: None,
            log: None,
            timeout: None,
            grace: Duration::ZERO,
            aside: false,
            quiet: true,
            capture: CaptureOptions::default(),
            running,
            program,
            others,
        }
    }

    /// Runs the program, and ends as it did: by the same signal, if one ended it.
    pub(crate) fn run(self) -> Result<ExitCode> {
        self.run_program().map(End::repeat)
    }

    /// Runs the program, and returns how it ended.
    pub(crate) fn run_program(self) -> Result<End> {
        self.junit.as_deref().map_or(Ok(()), crate::junit::check)?;
        match self.execute() {
            Ok(execution) => self.report(&execution),
            Err(failure) => {
                self.add_case(String::new(), CaseResult::Unstarted(&failure), "")?;
                Err(failure)
            }
        }
    }

    /// Runs the program; returns how it ended, and the sums of its kernels if they were counted, for a caller that reports them.
    pub(crate) fn run_counted(self) -> (Result<End>, Vec<(String, Sum)>) {
        match self.execute() {
            Ok(execution) => (self.report(&execution), execution.marks.rows()),
            Err(failure) => (Err(failure), Vec::new()),
        }
    }

    /// Runs the program to its end.
    fn execute(&self) -> Result<Execution> {
        if cfg!(not(target_os = "linux")) {
            // There is no library, whatever the program is.
            Library::find()?;
        }
        refused::check(&self.program[0])?;
        let variables = self.variables()?;
        // Settings that the library would refuse are reported before the program starts.
        let mut settings = settings(&variables)?;
        let library = Library::find()?;
        let program = Path::new(&self.program[0]);
        let contents = Contents::of(&self.program[0], library.folder());
        let mut command = Command::new(program);
        command.args(&self.program[1..]).envs(variables);
        if let Some(chip) = self.chip(&contents)? {
            command.env("WAVETANK_GPU", chip.name());
            settings.gpus[0].facts = ChipFacts::of(chip);
        }
        // Unless the program is known to load it, or must not have any library before its own.
        let folder = library.folder();
        let preload = !folder.is_some_and(|folder| contents.takes_from(folder));
        library.give_to(&mut command, preload);
        let lacking = contents.lacking(&settings.gpus);
        // The variable makes the library report the driver as loaded.
        command.env("WAVETANK_DRIVER", "1");
        let marks = self.marks(&settings)?;
        marks.give_to(&mut command);
        if let Some(lacking) = lacking {
            marks.log.write(&format!("wavetank: {lacking}\n"));
        }
        if let Some(note) = notes::of_override(std::env::var_os(notes::OVERRIDE)) {
            marks.log.write(&format!("{note}\n"));
        }
        // A random seed is chosen here and not by the library, which cannot report it if a signal ends the program.
        let schedule = settings.kernels.schedule.unwrap_or_default();
        if let Schedule::Random(_) = schedule {
            command.env("WAVETANK_SCHEDULE", schedule.to_string());
        }
        if self.aside {
            command.stdout(io::stderr());
        }
        let failed = |error| Failure::file("run", program, error);
        let tee = self.junit.as_ref().map(|_| Tee::of(&mut command));
        let mut tee = tee.transpose().map_err(failed)?;
        let limit = self.limit(&mut command);
        let mut ended = run(&mut command, limit, tee.as_mut()).map_err(failed)?;
        // The library ends the program in that time.
        let is_up = self.timeout.is_some_and(|time| ended.time >= time);
        ended.timed_out |= is_up && ended.end.is_termination();
        if let (Some(_), Schedule::Random(_)) = (ended.end.signal(), schedule) {
            marks.log.write(&format!("the schedule was {schedule}\n"));
        }
        Ok(Execution {
            ended,
            settings,
            marks,
            stderr: tee.as_ref().map(Tee::tail).unwrap_or_default(),
        })
    }

    /// Returns the time after which the program is ended, and sets the time limit of kernels for the library.
    fn limit(&self, command: &mut Command) -> Option<Duration> {
        // `check` has its own deadline.
        let own = self.timeout.filter(|_| !self.quiet);
        match own.and_then(deadline) {
            Some(at) => command.env(END_AT, at.to_string()),
            None => command.env_remove(END_AT),
        };
        let grace = own.map_or(self.grace, |_| REPORT_TIME);
        self.timeout.and_then(|time| time.checked_add(grace))
    }

    /// Returns the chip that suits the program, if the GPUs are not given.
    fn chip(&self, contents: &Contents) -> Result<Option<Chip>> {
        let said = std::env::var_os("WAVETANK_GPU").is_some_and(|gpus| !gpus.is_empty());
        if said || !self.gpu.is_empty() {
            Ok(None)
        } else {
            contents.chip(Path::new(&self.program[0]))
        }
    }

    fn marks(&self, settings: &Settings) -> Result<Marks> {
        let counts = settings.stats || self.json.is_some();
        let log = self.log.clone();
        let log = log.or_else(|| std::env::var_os(LOG_TO).map(PathBuf::from));
        let log = Log::to(log)?;
        Ok(Marks {
            counts,
            lost: match log.path() {
                Some(_) if !self.quiet => FoundFile::create().ok(),
                _ => None,
            },
            ledger: counts.then(|| Ledger::create().ok()).flatten(),
            executed: self.executed()?,
            seen: self.capture.seen(),
            fault: FaultFile::create().ok(),
            log,
        })
    }

    /// Returns a file for the instructions that run, if they are requested.
    fn executed(&self) -> Result<Option<FoundFile>> {
        let file = self.fidelity.then(FoundFile::create).transpose();
        file.map_err(|error| {
            Failure::usage(format!("no memory for the record of --fidelity: {error}"))
        })
    }

    /// Reports the results that the program left; returns how it ended, or the fault that ended it.
    fn report(&self, execution: &Execution) -> Result<End> {
        let Execution {
            ended,
            settings,
            marks,
            stderr,
        } = execution;
        let rows = marks.rows();
        let ran = marks.executed.as_ref().map(ran).transpose()?;
        let fault = marks.fault.as_ref().and_then(FaultFile::read);
        let fault = fault.filter(|fault| ended_by(fault, ended));
        let brief = fault.as_ref().map(|fault| fault.brief.clone());
        let fault = fault.map(|fault| fault.sentence);
        let fault = fault.as_deref();
        let gpus: Vec<_> = settings.gpus.iter().map(|gpu| gpu.facts.name()).collect();
        let result = CaseResult::Ended { ended, fault };
        let added = self.add_case(gpus.join(","), result, stderr);
        let written = self.json.as_ref().map_or(Ok(()), |path| {
            let program = Path::new(&self.program[0]);
            Record::new(program, gpus, ended, fault, &rows, ran.as_ref()).write(path)
        });
        if settings.stats && !self.quiet && !rows.is_empty() {
            marks.log.write(&table(rows));
        }
        if let Some(ran) = &ran {
            marks.log.write(&ran.text());
        }
        if let Some(note) = self.note() {
            marks.log.write(&format!("{note}\n"));
        }
        let missed = marks.seen.as_ref();
        let missed = missed.and_then(|seen| self.capture.missed(seen));
        let is_success = ended.end.code() == Some(0);
        if let Some(missed) = missed.as_ref().filter(|_| !is_success || ended.timed_out) {
            marks.log.write(&format!("wavetank: {missed}\n"));
        }
        match brief {
            _ if ended.timed_out => Err(Failure::Kernel(self.timeout_sentence(fault))),
            Some(brief) => Err(Failure::Kernel(format!(
                "a fault on the GPU ended the program: {brief}"
            ))),
            None => {
                added.and(written).and_then(|()| marks.whole_log())?;
                match missed {
                    Some(missed) if is_success => Err(Failure::usage(missed)),
                    _ => Ok(ended.end),
                }
            }
        }
    }

    /// Returns the note about options that went to the program.
    fn note(&self) -> Option<String> {
        let of_kernels = self.running.variables();
        let is_given = |name: &str| {
            of_kernels
                .iter()
                .any(|(n, value)| *n == name && value.is_some())
        };
        let given = [
            ("--stats", self.stats),
            ("--fidelity", self.fidelity),
            ("--gpu", !self.gpu.is_empty()),
            ("--timeout", self.timeout.is_some()),
            ("--junit", self.junit.is_some()),
            ("--engine", is_given("WAVETANK_ENGINE")),
            ("--schedule", is_given("WAVETANK_SCHEDULE")),
            ("--strict", is_given("WAVETANK_STRICT")),
        ];
        let mut before = std::env::args_os().take_while(|word| *word != self.program[0]);
        // `check` has other options, and after `--` no word can be meant for this command.
        if self.quiet || before.any(|word| word == "--") {
            return None;
        }
        notes::of_words(&self.program, &given)
    }

    /// Returns the sentence about a program that was ended by the time limit, with the kernel that was running.
    fn timeout_sentence(&self, kernel: Option<&str>) -> String {
        let seconds = self.timeout.unwrap_or_default().as_secs_f64();
        let plural = if seconds == 1.0 { "" } else { "s" };
        let sentence = format!("the program was ended after {seconds} second{plural} (--timeout)");
        match kernel {
            None => sentence,
            // Under `check` the kernel was only slow; otherwise a finding has this, and more.
            Some(kernel) if self.quiet => {
                let first = kernel.lines().next().unwrap_or_default();
                format!("{sentence}: {first}")
            }
            Some(kernel) => {
                let lines: Vec<&str> = kernel.lines().take(1 + MAX_HUNG_WAVES).collect();
                format!(
                    "{sentence}: {}\n  help: `wavetank check --timeout {seconds} -- PROGRAM` shows where its waves go on",
                    lines.join("\n")
                )
            }
        }
    }

    /// Adds a case to the report, if one is requested.
    fn add_case(&self, gpus: String, result: CaseResult, stderr: &str) -> Result {
        let Some(path) = &self.junit else {
            return Ok(());
        };
        let case = Case {
            words: &self.program,
            gpus,
            result,
            stderr: stderr.to_owned(),
        };
        junit::add(path, &case)
    }

    /// Returns the options as environment variables for the library.
    fn variables(&self) -> Result<Vec<(&'static str, OsString)>> {
        self.gpu.iter().try_for_each(|gpu| check_gpus(gpu))?;
        let gpus = (!self.gpu.is_empty()).then(|| self.gpu.join(",").into());
        let stats = self.stats.then(|| OsString::from("1"));
        let own = [("WAVETANK_GPU", gpus), ("WAVETANK_STATS", stats)];
        let all = own.into_iter().chain(self.capture.variables());
        let all = all.chain(self.running.variables());
        let given = all.filter_map(|(name, v)| Some((name, v?)));
        Ok(given.chain(self.others.iter().cloned()).collect())
    }
}

impl Marks {
    /// Passes the files to the library in a program.
    fn give_to(&self, command: &mut Command) {
        let paths = [
            (
                "WAVETANK_STATS_TO",
                self.ledger.as_ref().and_then(Ledger::path),
            ),
            (
                "WAVETANK_FAULT_TO",
                self.fault.as_ref().map(FaultFile::path),
            ),
            (LOG_TO, self.log.path().map(Path::to_owned)),
            (
                "WAVETANK_FIDELITY_TO",
                self.executed.as_ref().map(FoundFile::path),
            ),
            (
                "WAVETANK_CAPTURED_TO",
                self.seen.as_ref().map(FoundFile::path),
            ),
            ("WAVETANK_LOST_TO", self.lost.as_ref().map(FoundFile::path)),
        ];
        if self.counts {
            command.env("WAVETANK_STATS", "1");
        }
        for (name, path) in paths {
            match path {
                Some(path) => command.env(name, path),
                None => command.env_remove(name),
            };
        }
    }
}

impl Marks {
    /// Returns the sums of kernels, if they were counted.
    fn rows(&self) -> Vec<(String, Sum)> {
        self.ledger.as_ref().map(Ledger::rows).unwrap_or_default()
    }

    /// Fails if lines did not reach the log.
    fn whole_log(&self) -> Result {
        let Some(lost) = &self.lost else {
            return Ok(());
        };
        let lost = lost.read().unwrap_or_default();
        let problem = self.log.problem().or_else(|| lost.first().cloned());
        match (problem, self.log.path()) {
            (Some(problem), Some(path)) => {
                let problem = format!("{problem}; lines of the log are lost");
                Err(Failure::file("write", path, problem))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the instructions that ran, by the records that the program left.
fn ran(file: &FoundFile) -> Result<ByFidelity> {
    let records = file.read();
    let records = records.map_err(|error| {
        Failure::usage(format!("the record of --fidelity cannot be read: {error}"))
    })?;
    Ok(ByFidelity::of(
        records.iter().filter_map(|line| Executed::read(line)),
    ))
}

/// Returns the settings that the program gets: those of the environment, with some variables replaced.
fn settings(variables: &[(&str, OsString)]) -> Result<Settings> {
    let settings = Settings::read(|name| {
        let given = variables.iter().find(|(variable, _)| *variable == name);
        given.map_or_else(|| std::env::var_os(name), |(_, value)| Some(value.clone()))
    });
    settings.map_err(|error| Failure::usage(error.to_string()))
}

/// Whether a fault ended the program: by a signal while the fault was reported, or by a crash afterwards. A program that ends
/// with an exit code, or much later by another signal, has handled the fault.
fn ended_by(fault: &LastFault, ended: &Ended) -> bool {
    let by_signal = ended.end.signal().is_some();
    fault.process == ended.process && by_signal && (!fault.handled || ended.end.is_crash())
}
