//! Barriers and waits are taken out of the machine code of whole programs (`tests/removed/*.hip`), one at a time; each that
//! matters has to be found.
//!
//! Whether a barrier matters its program tells: it checks its results, and is run with waves in several orders. What it says
//! in a line `// Barriers: 10, of which 3 matter` was judged by hand, from its source; then nothing may be found where others
//! are taken out. Whether a wait matters a machine tells that is as slow as it may be ([`slow`](crate::slow)).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use wavetank::object::{CodeObject, Segment, open};
use wavetank_check::code::{Graph, Node, Root};

use super::build::Toolchain;
use super::execution::{self, Run};
use super::for_each;
use super::program::Program;
use crate::common::outcome;
use crate::random::Random;
use crate::slow::is_too_early;

const GPU: &str = "gfx900";
/// `s_nop 0` takes the place of what is taken out.
const NOP: u32 = 0xbf80_0000;
/// Orders of waves in which a missing barrier shows: one after another, all together, and others.
const SCHEDULES: [&str; 5] = ["greedy", "fair", "random:1", "random:2", "random:3"];

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn barriers_that_are_taken_out_of_programs_are_found() {
    for_each_program(barriers);
}

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn waits_that_are_taken_out_of_programs_are_found() {
    for_each_program(waits);
}

fn for_each_program(check: fn(&Program) -> Result<(), String>) {
    if Toolchain::REMOVED.is_here() {
        for_each("removed", "hip", |source| {
            let outcome = check(&Program::read(source));
            let message = outcome.err();
            let message = message.map(|message| format!("-- {}: {message}", source.display()));
            message.into_iter().collect()
        });
    }
}

/// Takes out each barrier of the kernels that run.
fn barriers(program: &Program) -> Result<(), String> {
    let whole = Whole::build(program)?;
    if whole.goes_wrong()? || whole.is_told()? {
        return Err("it fails, or something is found, where nothing is taken out".to_owned());
    }
    let mut counts = Counts::default();
    for kernel in whole.kernels_that_run()? {
        for pc in whole.places(&kernel, "s_barrier") {
            let other = whole.without(pc, "without-barrier")?;
            counts.add(&kernel, pc, other.goes_wrong()?, other.is_told()?);
        }
    }
    eprintln!("{}: barriers: {counts}", program.name);
    counts.judge(barriers_by_hand(&program.source))
}

/// Takes out each wait of all kernels.
fn waits(program: &Program) -> Result<(), String> {
    let whole = Whole::build(program)?;
    let (mut counts, mut random) = (Counts::default(), Random::new(23));
    for kernel in whole.object.kernels() {
        if whole.is_told_of_code(&kernel.name) {
            return Err(format!("something is found in the whole {}", kernel.name));
        }
        for pc in whole.places(&kernel.name, "s_waitcnt") {
            let other = whole.without(pc, "without-wait")?;
            let matters = is_too_early(&other.graph(&kernel.name), &mut random);
            let found = matters && other.is_told_of_code(&kernel.name);
            counts.add(&kernel.name, pc, matters, found);
        }
    }
    eprintln!("{}: waits: {counts}", program.name);
    counts.judge(None)
}

/// How many barriers a program has, and how many of them matter, if it says so.
fn barriers_by_hand(source: &Path) -> Option<(usize, usize)> {
    let text = fs::read_to_string(source).expect("the source is text");
    let line = text.lines().find_map(|l| l.strip_prefix("// Barriers: "))?;
    let (all, rest) = line.split_once(", of which ").expect("how many matter");
    let (matter, _) = rest.split_once(' ').expect("a number of them");
    let number = |text: &str| text.parse().expect("a number");
    Some((number(all), number(matter)))
}

/// What came of taking things out.
#[derive(Default)]
struct Counts {
    removed: usize,
    mattered: usize,
    missed: Vec<String>,
    /// What was found where nothing showed that it matters.
    besides: Vec<String>,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Counts {
            removed, mattered, ..
        } = self;
        let (missed, besides) = (self.missed.len(), self.besides.len());
        write!(
            f,
            "{removed} taken out, {mattered} mattered, {missed} of them missed, {besides} others found"
        )
    }
}

impl Counts {
    fn add(&mut self, kernel: &str, pc: u64, matters: bool, found: bool) {
        self.removed += 1;
        self.mattered += usize::from(matters);
        let place = format!("{kernel} {pc:#x}");
        match (matters, found) {
            (true, false) => self.missed.push(place),
            (false, true) => self.besides.push(place),
            _ => {}
        }
    }

    /// Fails if something is missed, or, where it was counted by hand how many there are and matter, if it is otherwise.
    fn judge(&self, by_hand: Option<(usize, usize)>) -> Result<(), String> {
        if self.mattered == 0 {
            return Err("nothing that was taken out matters".to_owned());
        }
        if !self.missed.is_empty() {
            return Err(format!("missed: {:#?}", self.missed));
        }
        match by_hand {
            Some(by_hand) if by_hand != (self.removed, self.mattered) => {
                Err(format!("{self}, and not {by_hand:?}"))
            }
            Some(_) if !self.besides.is_empty() => {
                Err(format!("found, and does not matter: {:#?}", self.besides))
            }
            _ => Ok(()),
        }
    }
}

/// A program with the code for the GPU inside.
struct Whole<'p> {
    program: &'p Program,
    path: PathBuf,
    bytes: Vec<u8>,
    object: CodeObject,
}

impl<'p> Whole<'p> {
    fn build(program: &'p Program) -> Result<Whole<'p>, String> {
        let path = Toolchain::REMOVED.build(program, GPU)?.remove(0);
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        Whole::of(program, path, bytes)
    }

    fn of(program: &'p Program, path: PathBuf, bytes: Vec<u8>) -> Result<Whole<'p>, String> {
        let object = open(&bytes, Some(GPU)).map_err(|error| error.to_string())?;
        Ok(Whole {
            program,
            path,
            bytes,
            object,
        })
    }

    /// The symbols of the kernels that it launches.
    fn kernels_that_run(&self) -> Result<Vec<String>, String> {
        let run = self.run("run", &["--json", "-"])?;
        let at = run.stdout.find('{').ok_or_else(|| run.to_string())?;
        let json: Value = serde_json::from_str(&run.stdout[at..]).map_err(|e| e.to_string())?;
        let kernels = json["kernels"].as_array().into_iter().flatten();
        let names = kernels.filter_map(|kernel| kernel["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }

    /// The code of a kernel.
    fn graph(&self, kernel: &str) -> Graph {
        let root = Root::of(&self.object, kernel).expect("its name is from the code object");
        Graph::of(&self.object, &root).expect("GCN")
    }

    /// The addresses of all instructions of a name in a kernel.
    fn places(&self, kernel: &str, name: &str) -> Vec<u64> {
        let is_meant = |node: &&Node| node.inst.to_string().split(' ').next() == Some(name);
        let graph = self.graph(kernel);
        graph.nodes.iter().filter(is_meant).map(|n| n.pc).collect()
    }

    /// The program without the instruction at an address, in a file whose name ends so.
    fn without(&self, pc: u64, extension: &str) -> Result<Whole<'p>, String> {
        let code = self.object.bytes();
        let start = self.bytes.windows(code.len()).position(|w| w == code);
        let start = start.ok_or("its code object is compressed")?;
        let at = start + offset_of(&self.object, pc).ok_or("no segment has the instruction")?;
        let mut bytes = self.bytes.clone();
        bytes[at..at + 4].copy_from_slice(&NOP.to_le_bytes());
        let path = self.path.with_extension(extension);
        let written = fs::write(&path, &bytes);
        let runs = || fs::set_permissions(&path, fs::Permissions::from_mode(0o755));
        written.and_then(|()| runs()).map_err(|e| e.to_string())?;
        Whole::of(self.program, path, bytes)
    }

    /// Whether it fails with waves in some order.
    fn goes_wrong(&self) -> Result<bool, String> {
        for schedule in SCHEDULES {
            let run = self.run("run", &["--schedule", schedule])?;
            if self.program.judge(&run).is_err() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether something is found when it runs.
    fn is_told(&self) -> Result<bool, String> {
        let run = self.run("check", &["--tools", "race,wait", "--json"])?;
        Ok(run.stdout.lines().any(|line| line.starts_with('{')))
    }

    /// Whether something is found in the code of a kernel.
    fn is_told_of_code(&self, kernel: &str) -> bool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.args(["check", "--static", "--tools", "wait", "--gpu", GPU]);
        outcome(command.arg(&self.path).arg(kernel)).code == Some(1)
    }

    fn run(&self, by: &str, options: &[&str]) -> Result<Run, String> {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        execution::run_by(by, std::slice::from_ref(&self.path), GPU, &options)
    }
}

/// Where the code at an address stands in its file.
fn offset_of(object: &CodeObject, pc: u64) -> Option<usize> {
    let mut segments = object.segments().iter();
    let has = |s: &&Segment| s.executable && (s.address..s.address + s.file_size).contains(&pc);
    let segment = segments.find(has)?;
    Some((pc - segment.address + segment.file_offset) as usize)
}
