//! Programs with one mistake, and their twins without it, under `wavetank check`: `tests/check/*.hip`.
//!
//! The mistake stands under `#ifdef MISTAKE`. Where it has to be found, a comment says so: `//~ TOOL/RULE`, several rules
//! parted by blanks, and those of one finding by `+`; and nothing may be found in other lines. `// Note: …` is a part of a note on the
//! check, of both programs. `//^` stands where one of the other places of the story has to
//! be, of the kernel or of the program on the host. In the twin no tool may find anything. `// Options: …` are those of `check`.
//!
//! `tests/check/*.cl` are kernels in OpenCL C in the same form; `// Launch: …` says how `wavetank launch` starts them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::build::Toolchain;
use super::execution::{self, Run};
use super::for_each;
use super::program::Program;
use crate::common::wavetank;

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn planted_mistakes() {
    if Toolchain::PLANTED.is_here() {
        execution::build_library();
        for_each("check", "hip", failures_of);
    }
}

#[test]
#[ignore = "builds kernels with a compiler that must be installed"]
fn planted_mistakes_of_kernels() {
    if Toolchain::KERNELS.is_here() {
        for_each("check", "cl", failures_of_kernels);
    }
}

/// What is wrong with what is found in kernels and in their twins.
fn failures_of_kernels(source: &Path) -> Vec<String> {
    let program = Program::read(source);
    let launch = after(source, "// Launch: ").expect("it says how it is launched");
    let with = |toolchain: &Toolchain, wanted: &Marks, code: i32| {
        let built = toolchain.build_kernels(source, "gfx900")?;
        let words = format!("launch {} {launch} --check --stats", built.display());
        let outcome = wavetank(&words);
        let told = || format!("{}\n{}", outcome.stdout, outcome.stderr);
        let stats = outcome.stdout.lines().last().unwrap_or_default();
        let stats: Value = serde_json::from_str(stats).map_err(|e| format!("{e}: {}", told()))?;
        let findings = stats["findings"].as_array().into_iter().flatten();
        let found = Marks::told(findings, &program);
        if outcome.code == Some(code) {
            wanted.hold(&found)
        } else {
            Err(format!("it is to end with {code}"))
        }
        .map_err(|message| format!("{message}\n{}", told()))
    };
    let marks = Marks::read(source);
    let outcomes = [
        ("the mistake", with(&Toolchain::KERNELS_MISTAKE, &marks, 1)),
        ("the twin", with(&Toolchain::KERNELS, &Marks::default(), 0)),
    ];
    failures(source, outcomes)
}

/// What is wrong with what is found in a program and in its twin.
fn failures_of(source: &Path) -> Vec<String> {
    let program = Program::read(source);
    let with = |toolchain: &Toolchain, judge: fn(&Program, &Run) -> Result<(), String>| {
        let built = toolchain.build(&program, "gfx900")?;
        let options = options(source);
        let run = execution::run_by("check", &built, "gfx900", &options)?;
        has_note(source, &run)
            .and_then(|()| judge(&program, &run))
            .map_err(|message| format!("{message}\n{run}"))
    };
    let outcomes = [
        ("the mistake", with(&Toolchain::PLANTED_MISTAKE, mistake)),
        ("the twin", with(&Toolchain::PLANTED, twin)),
    ];
    failures(source, outcomes)
}

fn failures(source: &Path, outcomes: [(&str, Result<(), String>); 2]) -> Vec<String> {
    let failures = outcomes.into_iter().filter_map(|(which, outcome)| {
        let message = outcome.err()?;
        Some(format!("-- {}, {which}: {message}", source.display()))
    });
    failures.collect()
}

/// The rest of the line of a source that begins so.
fn after(source: &Path, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(source).expect("the source is text");
    let rest = text.lines().find_map(|line| line.strip_prefix(key));
    rest.map(str::to_owned)
}

/// The options of `check`.
fn options(source: &Path) -> Vec<String> {
    let own = after(source, "// Options: ").unwrap_or_default();
    let own = own.split_whitespace();
    ["--json"]
        .into_iter()
        .chain(own)
        .map(str::to_owned)
        .collect()
}

/// The program without a mistake.
fn twin(_: &Program, run: &Run) -> Result<(), String> {
    match (run.code, findings(run)?.is_empty()) {
        (Some(0), true) => Ok(()),
        _ => Err("something is found where nothing is wrong, or it fails".to_owned()),
    }
}

/// The program with it: what is found is what its comments say.
fn mistake(program: &Program, run: &Run) -> Result<(), String> {
    if run.code != Some(1) {
        return Err("it is to end with 1, since something is to be found".to_owned());
    }
    Marks::read(&program.source).hold(&Marks::told(&findings(run)?, program))
}

/// Whether the check ends with the note that the source asks for.
fn has_note(source: &Path, run: &Run) -> Result<(), String> {
    let wanted = after(source, "// Note: ");
    let is_note =
        |line: &str, wanted: &str| line.starts_with("{\"note\":") && line.contains(wanted);
    match wanted {
        Some(wanted) if !run.stdout.lines().any(|line| is_note(line, &wanted)) => {
            Err(format!("no note says `{wanted}`"))
        }
        _ => Ok(()),
    }
}

/// What is found, without notes on the check.
fn findings(run: &Run) -> Result<Vec<Value>, String> {
    let mut findings = Vec::new();
    for line in run.stdout.lines() {
        let value: Value = serde_json::from_str(line).map_err(|e| format!("{line}: {e}"))?;
        if value["note"].is_null() {
            findings.push(value);
        }
    }
    Ok(findings)
}

/// The lines with marks, counted from 1.
#[derive(Default)]
struct Marks {
    /// Where findings have to be, with their rule.
    wanted: BTreeSet<(u64, String)>,
    related: BTreeSet<u64>,
}

impl Marks {
    fn read(source: &Path) -> Marks {
        let text = std::fs::read_to_string(source).expect("the source is text");
        let (mut wanted, mut related) = (BTreeSet::new(), BTreeSet::new());
        for (line, number) in text.lines().zip(1..) {
            let rules = line.split_once("//~ ").map(|(_, rules)| rules);
            let rules = rules.into_iter().flat_map(str::split_whitespace);
            wanted.extend(rules.map(|rule| (number, rule.to_owned())));
            if line.contains("//^") {
                related.insert(number);
            }
        }
        assert!(!wanted.is_empty(), "{} has no marks", source.display());
        Marks { wanted, related }
    }

    /// The lines of findings.
    fn told<'f>(findings: impl IntoIterator<Item = &'f Value>, program: &Program) -> Marks {
        let mut told = Marks::default();
        for finding in findings {
            let (tool, rule) = (finding["tool"].as_str(), finding["rule"].as_str());
            let mut rule = format!("{}/{}", tool.unwrap_or_default(), rule.unwrap_or_default());
            let also = finding["also"].as_array().into_iter().flatten();
            for other in also.filter_map(Value::as_str) {
                rule += &format!("+{other}");
            }
            told.wanted.insert((line_of(&finding["at"], program), rule));
            let places = ["related", "host"].map(|key| finding[key].as_array());
            let places = places.into_iter().flatten().flatten();
            told.related
                .extend(places.map(|place| line_of(place, program)));
        }
        told
    }

    /// Whether this is what was told.
    fn hold(&self, told: &Marks) -> Result<(), String> {
        let (found, wanted) = (&told.wanted, &self.wanted);
        if found != wanted {
            return Err(format!("found {found:?}, and not {wanted:?}"));
        }
        match self.related.difference(&told.related).next() {
            Some(line) => Err(format!("line {line} belongs to it, and is not named")),
            None => Ok(()),
        }
    }
}

/// The line of a place in the program itself, of whatever header is inlined there; 0 if that is not known.
fn line_of(place: &Value, program: &Program) -> u64 {
    let frames = place["frames"].as_array().into_iter().flatten();
    let is_own = |frame: &&Value| {
        let file = frame["file"].as_str().map(Path::new);
        file.and_then(Path::file_name) == program.source.file_name()
    };
    let mut own = frames.filter(is_own);
    let line = own.next().and_then(|frame| frame["line"].as_u64());
    line.unwrap_or_default()
}
