//! LLVM's tools on the same instructions, as far as they are on PATH.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::corpus::{Corpus, Sample};
use crate::folder;

const ASSEMBLERS: [&str; 2] = ["llvm-mc", "llvm-mc-19"];
const DUMPERS: [&str; 2] = ["llvm-objdump", "llvm-objdump-19"];

/// What a tool took: its name with the version, what it did, how long.
pub(crate) struct Figure {
    pub tool: String,
    pub pass: &'static str,
    pub time: Duration,
}

/// A program that is there, and its version.
fn version(tool: &str) -> Option<String> {
    let output = Command::new(tool).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split("LLVM version ").nth(1)?;
    Some(version.split(['.', '\n']).next()?.to_owned())
}

fn machine_code(tool: &str) -> Command {
    let mut command = Command::new(tool);
    command.args(["-arch=amdgcn", "-mcpu=gfx900"]);
    command
}

/// The instructions that every LLVM assembler at hand takes as text and as bytes.
pub(crate) fn known(samples: &[Sample]) -> Vec<Sample> {
    let mut known = samples.to_vec();
    for tool in ASSEMBLERS.iter().filter(|tool| version(tool).is_some()) {
        // What it does not parse hides what it does not encode.
        while drop_complaints(
            &mut known,
            tool,
            &["-filetype=obj", "-o", "/dev/null"],
            |s| format!("{}\n", s.line),
        ) {}
        drop_complaints(&mut known, tool, &["-disassemble"], |s| hex(&s.bytes));
    }
    known
}

/// Leaves out the samples whose line a tool names in its messages (`FILE:LINE:COLUMN: error: …`), and says whether
/// there were any.
fn drop_complaints(
    samples: &mut Vec<Sample>,
    tool: &str,
    arguments: &[&str],
    line: impl Fn(&Sample) -> String,
) -> bool {
    let path = folder().join("candidates");
    let input: String = samples.iter().map(line).collect();
    std::fs::write(&path, input).expect("the candidates");
    let mut command = machine_code(tool);
    command.args(arguments).arg(&path).stdout(Stdio::null());
    let messages = command.output().map(|o| o.stderr).unwrap_or_default();
    let prefix = format!("{}:", path.display());
    let complaints: HashSet<usize> = String::from_utf8_lossy(&messages)
        .lines()
        .filter_map(|m| m.strip_prefix(&prefix)?.split(':').next()?.parse().ok())
        .collect();
    let mut number = 0;
    samples.retain(|_| {
        number += 1;
        !complaints.contains(&number)
    });
    !complaints.is_empty()
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|b| format!("0x{b:02x} ")).collect();
    digits + "\n"
}

/// Every tool's figures for a corpus of which the text lies in a file.
pub(crate) fn figures(corpus: &Corpus, text: &Path) -> Vec<Figure> {
    let words = folder().join("words");
    std::fs::write(&words, corpus.lines_of_bytes(hex)).expect("the words");
    let object = folder().join("object");
    let mut figures = Vec::new();
    for tool in ASSEMBLERS {
        let mut assemble = machine_code(tool);
        assemble
            .arg("-filetype=obj")
            .arg("-o")
            .arg(&object)
            .arg(text);
        figures.extend(figure(tool, "assemble", assemble));
        let mut disassemble = machine_code(tool);
        disassemble.arg("-disassemble").arg(&words);
        figures.extend(figure(tool, "disassemble", disassemble));
    }
    for tool in DUMPERS.iter().filter(|_| object.exists()) {
        let mut dump = Command::new(tool);
        dump.args(["-d", "--mcpu=gfx900"]).arg(&object);
        figures.extend(figure(tool, "disassemble", dump));
    }
    figures
}

/// Runs a tool, if it is there, and takes the better of two turns.
fn figure(tool: &str, pass: &'static str, mut command: Command) -> Option<Figure> {
    let version = version(tool)?;
    let mut best = Duration::MAX;
    for _ in 0..2 {
        let start = Instant::now();
        let output = command.stdout(Stdio::null()).output().ok()?;
        best = best.min(start.elapsed());
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            let first = messages.lines().next().unwrap_or_default();
            eprintln!("NOTE: {tool} failed to {pass}: {first}");
            return None;
        }
    }
    let name = tool.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    Some(Figure {
        tool: format!("{name} {version}"),
        pass,
        time: best,
    })
}
