//! `wavetank launch`: the run of one kernel of a file.

mod accesses;
mod argument;
mod check;
mod element;
mod export;
mod npy;
mod replay;
mod report;
mod size;
mod spec;
mod stage;
mod template;
mod trace;
mod trace_filter;
mod trace_json;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wavetank::capture::{Accesses, Capture, Outcome};
use wavetank::executed::Executed;
use wavetank::profile::Profiler;
use wavetank::{Dims, Dispatch, Kernel, Module};
use wavetank_quote::{function, plain, readable, some_of};

use crate::code_file::CodeFile;
use crate::exit::{Failure, Result, print};
use crate::fidelity::ByFidelity;
use crate::profile;
use crate::progress::with_progress;
use crate::running::{Running, print_seed};
use crate::seconds::seconds;
use argument::Arguments;
use check::{CheckOptions, print_notes, shown};
use report::stats;
use size::{Size, SizeOptions};
use stage::StageOptions;
use trace::Tracer;
use trace_filter::Filter;

// At most 80 columns a line, because clap would break longer ones.
const HELP: &str = "\
Arguments (--arg SPEC), matched in order to the kernel's explicit arguments:
  in:PATH             a buffer with the bytes of a file (.npy: of its array)
  out:PATH:BYTES      a zeroed buffer, written to PATH afterwards
  out:PATH:TYPE:N     the same for N elements; with a PATH in .npy an array
  inout:PATH:OUTPATH  a buffer from a file, written to OUTPATH afterwards
  print:TYPE:N        a zeroed buffer, printed afterwards; N may be a picture,
                      40x16 for 16 rows of 40
  rand:TYPE:N[:SEED]  random: any integers, floats from 0 up to 1
  iota:TYPE:N         0, 1, 2, ...
  zero:BYTES          a zeroed buffer
  lds:BYTES           dynamic LDS: for an LDS pointer (OpenCL), or where the
                      kernel has none there, beyond its own LDS (HIP)
  TYPE:VALUE          a number, e.g. u32:0x10 or f32:1.5
  bytes:HEX           a structure by value, byte by byte
TYPE is one of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64. Hidden arguments are
filled in.

Trace filters (--trace=FILTER), joined by commas; all must hold:
  group=N  wave=N     work-group and wave by number; 0 where not said. N may
                      be a range A..B with both ends included, or all
  group=X:Y:Z         a work-group by its id
  pc=A..B             distance from the start of the function or kernel
  op=PREFIX           mnemonics that start so, e.g. op=v_fma
  line=N  src=FILE    lines of the source (N or A..B), and the end of its path;
                      for code compiled with -g
  lane=N              of vector registers and accesses, this lane or A..B alone
The trace goes to stderr: each instruction after it was executed, with the
registers that it changed; --trace-json makes each a line of JSON. The kernel
is run by one thread then.

Tools (--check=TOOLS), joined by commas:
  memory              accesses outside of what was allocated, to what may only
                      be read, unaligned atomics, beyond the LDS, the scratch
  init                what undefined bits decide
  race                data races between waves
  sync                barriers that not all waves of a work-group reach
  wait, hazard        missing waits and wait states in the code of the kernel
  limits              registers, LDS, code beyond what it has asked for
  float               where NaNs and infinities are born; only if it is named
The kernel goes on: loads that are denied give 0, stores do not happen. What is
found goes to stderr, and with --stats into the object; then the exit code is 1.

Examples:
  wavetank launch vecadd.hsaco            prints a call to copy
  wavetank launch vecadd.hsaco --grid 1024 --block 64 --arg iota:f32:1024 \\
      --arg rand:f32:1024 --arg out:c.npy:f32:1024 --arg i32:1024
  wavetank launch a.out reduce --gpu gfx906 --groups 16 --block 256 --stats \\
      --arg in:x.npy --arg print:u32:16      as reduce<<<16, 256>>> of HIP
  wavetank launch k.hsaco --grid 64 --block 64 --arg print:u32:64 \\
      --timeout 10 --trace=op=v_,pc=0..0x40
  wavetank launch k.hsaco --grid 64 --block 64 --arg zero:128 --check
  wavetank launch k.hsaco --grid 64 --block 64 --arg zero:256 --profile
  wavetank launch caps/0003-reduce.wtc           repeats a captured launch, and
      compares the memory afterwards (wavetank run --capture caps -- ./a.out)
  wavetank launch caps/0003-reduce.wtc --minimize small.wtc
  wavetank launch caps/0003-reduce.wtc --export reduce && sh reduce/launch.sh
  wavetank launch ps.bin --raw --gpu gfx900 --stage ps --grid 4 --block 64 \\
      --user-data f32:0.5 --vgpr iota:f32:4 --floats    exports of pixels";

/// Runs a kernel of a code object on the emulated GPU
///
/// Without --grid and --block it prints a call for each kernel, to be copied: with arguments of its types.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Launch {
    /// A code object, an offload bundle, or a host program with offload bundles inside; `-` for stdin. Or a captured launch
    file: PathBuf,
    /// The kernel; may be left out where the file has one only
    kernel: Option<String>,
    #[command(flatten)]
    size: SizeOptions,
    /// The kernel's next argument (see below); with --stage the next user data, a number or the address of a buffer
    #[arg(
        long = "arg",
        visible_alias = "user-data",
        value_name = "SPEC",
        allow_hyphen_values = true,
        requires = "size"
    )]
    args: Vec<OsString>,
    /// The GPU to emulate, e.g. gfx906; otherwise the one that the file is for
    #[arg(long, value_name = "CHIP")]
    gpu: Option<String>,
    #[command(flatten)]
    running: Running,
    /// Give up after so many seconds, and report where the waves hang
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    /// Print what ran, and how fast, as one JSON object on stdout
    #[arg(long)]
    stats: bool,
    /// Print the instructions that ran and are not exact (see `isa --coverage`) on stderr, and into the object of --stats
    #[arg(long, conflicts_with = "stage")]
    fidelity: bool,
    /// Print each executed instruction of chosen waves with the registers it changed (see below)
    #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    trace: Option<String>,
    /// Print each traced instruction as an object of JSON, a line each
    #[arg(long, requires = "trace")]
    trace_json: bool,
    /// Capture the launch in this file, to be repeated by `wavetank launch FILE`
    #[arg(long, value_name = "FILE", requires = "size", conflicts_with = "stage")]
    capture: Option<PathBuf>,
    /// Print what the kernel does, and advice, on stderr (see `profile`); or write it to this file of JSON, or all reports to this folder
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, conflicts_with = "stage")]
    profile: Option<Option<PathBuf>>,
    /// Write a capture of the same launch to this file, with only the memory that it accesses
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "stage"])]
    minimize: Option<PathBuf>,
    /// Write the captured launch to this folder as a code object, arrays, and a script that launches it without the capture
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["size", "stage"])]
    export: Option<PathBuf>,
    /// The function of the file at which waves continue when they trap (TBA)
    #[arg(
        long,
        value_name = "FUNCTION",
        requires = "size",
        conflicts_with = "stage"
    )]
    trap_handler: Option<String>,
    /// The value of TMA for the trap handler: u64:N, or the address of a buffer
    #[arg(long, value_name = "SPEC", requires = "trap_handler")]
    trap_memory: Option<OsString>,
    #[command(flatten)]
    check: CheckOptions,
    #[command(flatten)]
    stage: StageOptions,
}

impl Launch {
    pub(crate) fn run(self) -> Result {
        let filter = self.filter()?;
        if filter.is_some() {
            self.running.note_if_traced();
        }
        if let Some(stage) = self.stage.stage {
            let call = stage::Call {
                file: &self.file,
                function: self.kernel.as_deref(),
                size: self.size.size()?,
                args: &self.args,
                gpu: self.gpu.as_deref(),
                running: &self.running,
                timeout: self.timeout,
                filter,
                trace_json: self.trace_json,
            };
            return self.stage.run(stage, call, &self.check);
        }
        let file = CodeFile::read(&self.file)?;
        if let Some(capture) = replay::capture_in(&file)? {
            self.refuse_with_capture(&capture)?;
            return self.repeat(&file.path, &capture);
        }
        if let Some(option) = self.of_captures() {
            let problem = format!(
                "{option} is for a captured launch: capture one with `wavetank run --capture`"
            );
            return Err(Failure::usage(problem).of(&self.file));
        }
        let device = self.running.device(file.chip(self.gpu.as_deref())?)?;
        let module = device.load(&file.bytes);
        let module = module.map_err(|error| Failure::from(error).of(&self.file))?;
        let Some(Size { grid, block }) = self.size.size()? else {
            self.refuse_without_size()?;
            return self.calls(&module);
        };
        let kernel = self.choose(&module)?;
        let listed = kernel.info().unlisted_args.is_none();
        let params = listed.then(|| kernel.args());
        let arguments = Arguments::prepare(&self.args, &device, params.as_deref())?;
        let trap_memory = Arguments::prepare(self.trap_memory.as_slice(), &device, Some(&[]))?;
        let trap_memory = trap_memory.named("trap memory");

        let mut dispatch = kernel
            .dispatch()
            .grid(grid)
            .block(block)
            .args(arguments.values())
            .dynamic_lds(arguments.dynamic_lds());
        if let Some(handler) = self.handler(&module)? {
            dispatch = dispatch.trap_handler(handler, trap_memory.address()?);
        }
        self.execute(&file.path, &kernel, dispatch, [grid, block], || {
            arguments.deliver()?;
            trap_memory.deliver()
        })
    }

    /// Repeats a captured launch, and writes what is made of it.
    fn repeat(&self, path: &Path, capture: &Capture) -> Result {
        let replay = replay::load(capture, &self.running)?;
        let size = [capture.launch().grid, capture.launch().block].map(Dims::from);
        let mut dispatch = replay.dispatch();
        let accesses = Accesses::default();
        if self.of_captures().is_some() {
            dispatch = dispatch.accesses(&accesses);
        }
        let result = self.execute(path, replay.kernel(), dispatch, size, || {
            replay::report(capture, replay.compare())
        });
        let failed_before = matches!(capture.outcome(), Outcome::Failed(_));
        if result.is_err() && !(failed_before && matches!(result, Err(Failure::Kernel(_)))) {
            return result;
        }
        if let Some(path) = &self.minimize {
            replay::minimize(&replay, &accesses, path)?;
        }
        if let Some(folder) = &self.export {
            export::export(&replay, &accesses, folder, self.timeout)?;
        }
        result
    }

    /// Returns an option that is for captures only, if one is given.
    fn of_captures(&self) -> Option<&'static str> {
        let minimize = self.minimize.as_ref().map(|_| "--minimize");
        minimize.or(self.export.as_ref().map(|_| "--export"))
    }

    /// Refuses options for what a capture has.
    fn refuse_with_capture(&self, capture: &Capture) -> Result {
        let given = [
            ("--arg", !self.args.is_empty()),
            ("--grid and --groups", self.size.is_given()),
            ("--gpu", self.gpu.is_some()),
            ("--trap-handler", self.trap_handler.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            let problem = format!("a capture has its launch in it; leave out {option}");
            return Err(Failure::usage(problem).of(&self.file));
        }
        let name = &capture.launch().kernel;
        let named = |kernel: &String| {
            kernel == name || *kernel == readable(name) || *kernel == function(name)
        };
        match &self.kernel {
            Some(kernel) if !named(kernel) => {
                let (kernel, name) = (plain(kernel), readable(name));
                let problem = format!("it is a launch of `{name}`, not of `{kernel}`");
                Err(Failure::usage(problem).of(&self.file))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options for which a kernel has to run.
    fn refuse_without_size(&self) -> Result {
        let given = [
            ("--check", !self.check.tools().is_empty()),
            ("--fidelity", self.fidelity),
            ("--profile", self.profile.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::usage(format!(
                "{option} is for a launch; add its size, with --grid and --block"
            ))
            .of(&self.file)),
        }
    }

    /// Returns the filter of the trace, if one is requested.
    fn filter(&self) -> Result<Option<Filter>> {
        let filter = self.trace.as_deref().map(Filter::parse).transpose();
        filter.map_err(|problem| Failure::usage(format!("--trace: {problem}")))
    }

    /// Runs a dispatch with the observers that the options request, then `deliver`, and prints the reports.
    fn execute(
        &self,
        path: &Path,
        kernel: &Kernel,
        dispatch: Dispatch<'_>,
        [grid, block]: [Dims; 2],
        deliver: impl FnOnce() -> Result,
    ) -> Result {
        let (module, device) = (kernel.module(), kernel.module().device());
        let mut dispatch = dispatch
            .count(self.stats)
            .check(self.check.tools())
            .keep_going(self.check.keep_going());
        if let Some(timeout) = self.timeout {
            dispatch = dispatch.timeout(timeout);
        }
        if let Some(path) = &self.capture {
            dispatch = dispatch.capture(path);
        }
        let profiler = self.profile.is_some().then(Profiler::default);
        if let Some(profiler) = &profiler {
            dispatch = dispatch.profile(profiler);
        }
        let filter = self.filter()?;
        let tracer = filter.map(|filter| Tracer::new(filter, device.chip(), self.trace_json));
        let result = match &tracer {
            // The trace shows enough progress.
            Some(tracer) => {
                let watched = |group: &_, wave| tracer.watches(group, wave);
                let sink = |step| tracer.trace(step);
                dispatch.trace(&watched, &sink).run()
            }
            None => with_progress(grid, block, |progress| dispatch.progress(progress).run()),
        };
        let traced = tracer.map_or(Ok(()), Tracer::end);
        let result = result.map_err(|error| {
            // The failure itself is printed as one.
            let _ = self.check.report(path, module, error.findings());
            Failure::from(error)
        });
        // A launch that was refused before its first wave had no schedule.
        if !matches!(result, Err(Failure::Usage(_))) {
            self.size.note_if_small();
            print_seed(device.schedule());
        }
        let ran = self.fidelity.then(|| ByFidelity::of(Executed::of(module)));
        if let Some(ran) = &ran {
            // A closed stderr is not an error.
            let _ = anstream::stderr().write_all(ran.text().as_bytes());
        }
        if let (Some(profiler), Some(to)) = (&profiler, &self.profile) {
            let program = vec![
                path.to_string_lossy().into_owned(),
                kernel.name().to_owned(),
            ];
            profile::of_launch(&profiler.profile(program), to.as_deref(), path)?;
        }
        let report = result?;
        if let Some(overrun) = &report.lds_overruns {
            eprintln!("wavetank: {overrun}");
        }
        print_notes(report.uncompared.as_ref());
        let delivered = deliver();
        traced?;
        if self.stats {
            let checked = !self.check.tools().is_empty();
            let found = checked.then(|| shown(path, module, &report.findings));
            print(&stats(kernel, [grid, block], &report, found, ran))?;
        }
        self.check.report(path, module, &report.findings)?;
        delivered
    }

    /// Returns the address of the trap handler.
    fn handler(&self, module: &Module) -> Result<Option<u64>> {
        let Some(name) = &self.trap_handler else {
            return Ok(None);
        };
        let symbol = module.symbol(name).map(|(address, _)| address);
        let problem = || format!("--trap-handler {}: there is no such function", plain(name));
        symbol
            .map(Some)
            .ok_or_else(|| Failure::usage(problem()).of(&self.file))
    }

    /// Prints the calls of the named kernel, or of all.
    fn calls(&self, module: &Module) -> Result {
        let kernels: Vec<Kernel> = match &self.kernel {
            Some(_) => vec![self.choose(module)?],
            None => module.kernels().collect(),
        };
        if kernels.is_empty() {
            return self.choose(module).map(drop);
        }
        print(&template::calls(&self.file, &kernels, self.gpu.as_deref()))
    }

    fn choose(&self, module: &Module) -> Result<Kernel> {
        if let Some(name) = &self.kernel {
            let kernel = module.kernel(name);
            return kernel.map_err(|error| Failure::from(error).of(&self.file));
        }
        let mut kernels: Vec<_> = module.kernels().collect();
        let problem = match kernels.len() {
            0 => "there are no kernels in it".to_owned(),
            1 => return Ok(kernels.remove(0)),
            _ => {
                let names: Vec<_> = kernels.iter().map(Kernel::name).collect();
                format!("there are several kernels; name one of {}", some_of(&names))
            }
        };
        Err(Failure::usage(problem).of(&self.file))
    }
}
