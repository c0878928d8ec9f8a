//! `wavetank check`: the search for mistakes in GPU code.

mod code;
mod end;
mod explain;
mod junit;
mod known;
mod program;
mod report;
mod wanted;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use wavetank::environment::Settings;
use wavetank_check::code::Root;
use wavetank_check::{Finding, Findings, Launches, Pattern, Places, Tool, Tools, check_code};
use wavetank_quote::{function, plain, readable, similar, some_of};

use crate::code_file::CodeFile;
use crate::exit::{Failure, Result, print};
use crate::input;
use crate::lanes::Lanes;
use crate::running::Running;
use crate::seconds::seconds;
use code::{Part, each_part};
pub(crate) use end::End;
use known::Known;
use report::Report;
use wanted::Wanted;

// At most 80 columns a line, because clap would break longer ones.
const HELP: &str = "\
Of a FILE nothing runs: code is followed from each kernel and function along all
paths. A PROGRAM runs as with `wavetank run`, and its kernels go on where they
are wrong: loads that are denied give 0, stores do not happen. What is found is
reported with the lines of source, where the code has them (-g) and they are
at hand, and with the machine code. The tools are

  wait     registers and memory that are used before the wait for them
  hazard   wait states that the chip needs between two instructions
  limits   more registers, LDS or code than there is
and with a PROGRAM
  memory   accesses out of bounds, or after free
  init     uninitialized values, where they matter
  race     data races between waves
  sync     barriers that not all waves of a work-group reach
  float    NaNs and infinities, and numbers lost; off unless it is named
`all` names them all; memcheck, initcheck, racecheck and synccheck are other
names for memory, init, race and sync.

Suppressions are entries of lines `tool: wait`, `rule: read-*`, `kernel: *`,
`source: *.h`, parted by empty lines; an entry hides what fits all its lines.

Exit codes: 0 nothing was found (or that of the PROGRAM); 1 (or
--error-exitcode) something was, or 1 the PROGRAM was ended by --timeout; 2 the
call or a file is wrong.

Environment: WAVETANK_CHECK=1, or a list of tools, checks programs that are
started otherwise. For these, WAVETANK_CHECK_KERNEL, WAVETANK_CHECK_LAUNCH,
WAVETANK_CHECK_SUPPRESSIONS, WAVETANK_CHECK_MAX, and with the value 1
WAVETANK_CHECK_ASM, WAVETANK_CHECK_STACKS, WAVETANK_CHECK_JSON,
WAVETANK_CHECK_STOP and WAVETANK_CHECK_LEAKS are as the options.

Examples:
  wavetank check kernels.hsaco
  wavetank check -- ./a.out 512              a HIP, OpenCL or OpenMP program
  wavetank check --tools race --stats -- ./a.out
  wavetank check --lanes -- ./a.out          lanes that are not in step, too
  wavetank check --tools wait,hazard --gpu gfx906 bundle.hipfb
  wavetank check --static ./a.out            the code inside a HIP program
  wavetank check --explain race/read-write
  wavetank check --gen-suppressions kernels.hsaco > known
  wavetank check --suppressions known --sarif check.sarif kernels.hsaco
  wavetank check --baseline check.sarif -- ./a.out     only what is new
  wavetank check --kernel 'sort*' --launch 3..5 -- ./a.out
  wavetank check --json kernels.hsaco | jq -r .message";

/// Finds what is wrong with kernels: bad accesses, races, missing waits and wait states
///
/// FILE is a code object or an offload bundle, of which the code is read. With --static it may be a host program with such code
/// inside. A program that runs follows `--`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Check {
    /// The tools, parted by commas; all of those below otherwise
    #[arg(long, value_name = "LIST")]
    tools: Option<Tools>,
    /// Only the code for this chip, e.g. gfx906 or gfx906:xnack-; for all GCN chips otherwise. With a program the GPUs that it
    /// finds, as for `wavetank run`
    #[arg(long, value_name = "CHIP")]
    gpu: Option<String>,
    /// Read the code inside a host program
    #[arg(long = "static")]
    only_code: bool,
    /// Only kernels and functions of such names: `*` stands for any characters, `?` for one
    #[arg(long = "kernel", value_name = "PATTERN", conflicts_with = "kernel")]
    patterns: Vec<Pattern>,
    /// With a program: only these launches of its kernels, counted from 1: 3, 7..9 or 3,7..9,20.. With --kernel only launches of
    /// such kernels count
    #[arg(long = "launch", value_name = "NUMBERS")]
    launches: Option<Launches>,
    /// Hide the findings that entries of this file fit
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Show and count only findings that this file does not have: a SARIF log, or the output of --json, of an earlier run
    #[arg(long, value_name = "FILE")]
    baseline: Vec<PathBuf>,
    #[command(flatten)]
    lanes: Lanes,
    #[command(flatten)]
    wanted: Wanted,
    /// How the kernels of a program run
    #[command(flatten)]
    running: Running,
    /// With a program: stop its kernels at the first access that is denied, instead of continuing after it
    #[arg(long)]
    stop_at_first: bool,
    /// With a program: continue after accesses that are denied, which is the default
    #[arg(long, conflicts_with = "stop_at_first")]
    keep_going: bool,
    /// With a program: report memory that it allocates and never frees
    #[arg(long)]
    leaks: bool,
    /// With a program: end with the table of `wavetank run --stats`, and the time that each tool took
    #[arg(long)]
    stats: bool,
    /// With a program: end it after this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Explain a rule, such as race/read-write, or list all of them; nothing is checked
    #[arg(long, value_name = "RULE", num_args = 0..=1, exclusive = true)]
    explain: Option<Option<String>>,
    /// The file to check, or `-` for stdin
    #[arg(required_unless_present_any = ["program", "explain"])]
    file: Option<PathBuf>,
    /// Only this kernel or function
    kernel: Option<String>,
    /// A program to run and check, with its arguments
    #[arg(last = true, value_name = "PROGRAM", conflicts_with_all = ["file", "kernel", "only_code"])]
    program: Vec<OsString>,
}

impl Check {
    /// Whether the output is text for people.
    pub(crate) fn is_read(&self) -> bool {
        self.wanted.is_read()
    }

    /// Checks a file, and prints the findings.
    pub(crate) fn run(self) -> Result<End> {
        if let Some(rule) = &self.explain {
            return explain::explain(rule.as_deref()).map(|()| End::default());
        }
        let Some(path) = &self.file else {
            return self.with_environment()?.run_program();
        };
        let of_programs = [self.stop_at_first, self.keep_going, self.leaks, self.stats];
        let of_programs = [
            of_programs.contains(&true),
            self.timeout.is_some(),
            self.launches.is_some(),
            self.lanes.are_compared(),
        ];
        if of_programs.contains(&true) {
            let sentence = "--launch, --stop-at-first, --keep-going, --leaks, --stats, --timeout, --lanes and --subgroup are for programs that run: `wavetank check -- PROGRAM`";
            return Err(Failure::usage(sentence));
        }
        let tools = self.tools()?;
        let known = self.known()?;
        self.wanted.can_be_written()?;
        let file = CodeFile::read_or_link(path, self.gpu.as_deref())?;
        let mut report = Report::new(&self.wanted, path, tools);
        let mut names = Names::default();
        let targets = each_part(&file, self.gpu.as_deref(), self.only_code, |part| {
            if names.add(part, |root| self.wants(root)) {
                self.check(part, tools, &known, &mut report)?;
            }
            Ok(())
        });
        let targets = targets.map_err(|error| error.of(path))?;
        let there = self.names_are_there(names);
        there.map_err(|error| error.of(path))?;
        report.write()?;
        Ok(report.end(&targets))
    }

    /// Returns the check of a program, in which variables take the place of options that are not given.
    fn with_environment(mut self) -> Result<Check> {
        let settings = Settings::from_env().map_err(wavetank::Error::from)?;
        let selection = settings.selection;
        if self.tools.is_none() && !settings.check.is_empty() {
            self.tools = Some(settings.check);
        }
        if self.patterns.is_empty() {
            self.patterns = selection.kernels;
        }
        self.launches = self.launches.or(selection.launches);
        if self.suppressions.is_empty() {
            self.suppressions = selection.suppressions;
        }
        self.stop_at_first |= settings.stop_at_first && !self.keep_going;
        self.leaks |= settings.leaks;
        self.wanted.asm |= settings.machine_code;
        self.wanted.stacks |= settings.stacks;
        self.wanted.json |= selection.json && !self.wanted.gen_suppressions;
        self.wanted.max = self.wanted.max.or(selection.max);
        Ok(self)
    }

    /// Checks the code of one code object.
    fn check(&self, part: &Part, tools: Tools, known: &Known, report: &mut Report<'_>) -> Result {
        // All functions are checked, because callers determine the state in which a function is called.
        let mut findings = Findings::default();
        check_code(&part.object, tools, &mut findings);
        let Some(places) = Places::of(&part.object) else {
            return Ok(());
        };
        places.locate(&mut findings);
        let mut by_kernel: HashMap<&str, Vec<&Finding>> = HashMap::new();
        for finding in findings.iter() {
            by_kernel.entry(&finding.kernel).or_default().push(finding);
        }
        for root in Root::all(&part.object) {
            if !self.wants(&root) {
                continue;
            }
            let own = by_kernel.remove(root.name).unwrap_or_default();
            let file = report.file().to_owned();
            let shown: Vec<_> = own
                .into_iter()
                .filter(|finding| report.is_shown(known, finding, &file))
                .collect();
            let text = report.add(part, &root, &places, &shown);
            if !text.is_empty() {
                print(&text)?;
            }
        }
        Ok(())
    }

    /// Returns the requested tools.
    fn tools(&self) -> Result<Tools> {
        let Some(tools) = self.tools.filter(|tools| *tools != Tools::ALL) else {
            return Ok(Tools::STATIC);
        };
        match tools.iter().find(|tool| !Tools::STATIC.has(*tool)) {
            None => Ok(tools),
            Some(tool) => {
                let names: Vec<&str> = Tools::STATIC.iter().map(Tool::name).collect();
                Err(Failure::usage(format!(
                    "--tools: `{tool}` watches programs that run; code alone is checked by {}",
                    names.join(", ")
                )))
            }
        }
    }

    /// Returns the entries of all suppression files, and the findings of all baselines.
    fn known(&self) -> Result<Known> {
        let mut known = Known::default();
        for path in &self.suppressions {
            let text = input::read_text(path)?;
            let read = known.suppressions.read(&text);
            read.map_err(|error| Failure::usage(error.to_string()).of(path))?;
        }
        for path in &self.baseline {
            let text = input::read_text(path)?;
            let read = known.baseline.read(&text);
            read.map_err(|error| Failure::usage(error.to_string()).of(path))?;
        }
        Ok(known)
    }

    /// Whether a kernel or function is selected.
    fn wants(&self, root: &Root<'_>) -> bool {
        let is_named = |name: &str| [root.name, &readable(root.name)].contains(&name);
        match &self.kernel {
            Some(name) => is_named(name) || function(root.name) == *name,
            None => self.wants_kernel(root.name),
        }
    }

    /// Whether a name matches --kernel.
    fn wants_kernel(&self, name: &str) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|p| p.fits_name(name))
    }

    /// Rejects names that no kernel or function has.
    fn names_are_there(&self, names: Names) -> Result {
        if self.kernel.is_none() && self.patterns.is_empty() || names.are_wanted {
            return Ok(());
        }
        let names: Vec<String> = names.all.into_iter().collect();
        let name = self.kernel.as_deref().unwrap_or_default();
        let (near, meant) = similar(name, names.iter().map(String::as_str));
        let offer = match (&self.kernel, meant, near.as_slice()) {
            (Some(_), true, [meant]) => format!("did you mean `{meant}`?"),
            (Some(_), true, [meant, others @ ..]) => {
                let others = some_of(others);
                format!("did you mean `{meant}`? There are also {others}")
            }
            (_, _, []) => "there are none".to_owned(),
            _ => format!("there are {}", some_of(&names)),
        };
        let sentence = match self.kernel {
            Some(_) => format!("there is no kernel or function `{}` here", plain(name)),
            None => "no kernel or function is as --kernel says".to_owned(),
        };
        Err(Failure::usage(format!("{sentence}; {offer}")))
    }
}

/// The kernels and functions of a file, for the message about a name that none of them has.
#[derive(Default)]
struct Names {
    /// Whether one of them was selected. From then on no names are kept.
    are_wanted: bool,
    all: BTreeSet<String>,
}

impl Names {
    /// Adds those of a code object. Returns whether one of them is selected.
    fn add(&mut self, part: &Part, wants: impl Fn(&Root<'_>) -> bool) -> bool {
        let roots = Root::all(&part.object);
        let any_wanted = roots.iter().any(wants);
        self.are_wanted |= any_wanted;
        if self.are_wanted {
            self.all.clear();
        } else {
            self.all
                .extend(roots.iter().map(|root| readable(root.name)));
        }
        any_wanted
    }
}
