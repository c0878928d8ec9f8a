//! Our own side: one pass over a corpus, in a process of its own so that its memory can be measured.

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use wavetank_gcn::{Chip, decode, encode, parse, print};

/// A figure is the best of so many turns: other work runs beside.
const TURNS: usize = 9;
/// Output is handed on in pieces of this size, as a program would write it.
const PIECE: usize = 1 << 16;

/// What is done with the instructions of a file.
#[derive(Clone, Copy)]
pub(crate) enum Pass {
    Decode,
    Disassemble,
    Assemble,
}

impl Pass {
    pub(crate) const ALL: [Pass; 3] = [Pass::Decode, Pass::Disassemble, Pass::Assemble];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Pass::Decode => "decode",
            Pass::Disassemble => "disassemble",
            Pass::Assemble => "assemble",
        }
    }

    fn over(self, input: &[u8], chip: Chip) {
        match self {
            Pass::Decode => decoded(input, chip),
            Pass::Disassemble => disassembled(input, chip),
            Pass::Assemble => assembled(std::str::from_utf8(input).expect("lines of text"), chip),
        }
    }
}

/// What a pass took.
pub(crate) struct Figures {
    pub time: Duration,
    /// The most memory beyond the input, in MB, with all tables.
    pub memory: f64,
}

/// Runs a pass over a file in a process of its own.
pub(crate) fn measure(pass: Pass, chip: Chip, input: &Path) -> Figures {
    let own = std::env::current_exe().expect("the path of this program");
    let output = Command::new(own)
        .args(["--pass", pass.name(), chip.name()])
        .arg(input)
        .output()
        .expect("this program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text
        .split_whitespace()
        .filter_map(|n| n.parse::<f64>().ok());
    let (Some(seconds), Some(memory)) = (numbers.next(), numbers.next()) else {
        panic!(
            "{}: {}",
            pass.name(),
            String::from_utf8_lossy(&output.stderr)
        );
    };
    Figures {
        time: Duration::from_secs_f64(seconds),
        memory,
    }
}

/// The other side of [`measure`]: does what the arguments say, if they ask for it, and prints seconds and megabytes.
pub(crate) fn child(arguments: &[String]) -> bool {
    let [flag, pass, chip, input] = arguments else {
        return false;
    };
    let pass = Pass::ALL.into_iter().find(|p| p.name() == pass);
    let (Some(pass), Some(chip), "--pass") = (pass, Chip::from_name(chip), flag.as_str()) else {
        return false;
    };
    let input = std::fs::read(input).expect("the input");
    let before = Memory::now();
    let turn = || {
        let start = Instant::now();
        pass.over(&input, chip);
        start.elapsed()
    };
    let time = std::iter::repeat_with(turn).take(TURNS).min();
    println!(
        "{} {}",
        time.unwrap_or_default().as_secs_f64(),
        before.grown()
    );
    true
}

fn decoded(code: &[u8], chip: Chip) {
    let mut at = 0;
    while at < code.len() {
        let inst = decode(&code[at..], chip).expect("rows decode");
        at += usize::from(black_box(inst).len);
    }
}

fn disassembled(code: &[u8], chip: Chip) {
    let mut sink = sink();
    let mut text = String::new();
    let mut at = 0;
    while at < code.len() {
        let inst = decode(&code[at..], chip).expect("rows decode");
        at += usize::from(inst.len);
        print(&inst, &mut text).expect("strings take everything");
        text.push('\n');
        if text.len() >= PIECE {
            sink.write_all(text.as_bytes()).expect("the null device");
            text.clear();
        }
    }
    sink.write_all(text.as_bytes()).expect("the null device");
}

fn assembled(text: &str, chip: Chip) {
    let mut sink = sink();
    let mut code = Vec::new();
    for line in text.lines() {
        let inst = parse(line, chip).expect("printed lines parse");
        code.extend_from_slice(encode(&inst).expect("what parses encodes").as_bytes());
        if code.len() >= PIECE {
            sink.write_all(&code).expect("the null device");
            code.clear();
        }
    }
    sink.write_all(&code).expect("the null device");
}

fn sink() -> File {
    let mut options = File::options();
    options.write(true);
    options.open("/dev/null").expect("the null device")
}

/// The resident memory of this process, in MB.
struct Memory(f64);

impl Memory {
    /// What it is now; forgets the peak.
    fn now() -> Memory {
        // "5" resets VmHWM (proc(5), clear_refs). Where it cannot, the peak so far counts as before.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Memory(peak())
    }

    /// How much the peak has grown since.
    fn grown(&self) -> f64 {
        peak() - self.0
    }
}

/// The peak of resident memory, VmHWM, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}
