//! Our own side: how long a pass over a corpus takes, and how much memory.

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use wavetank_isa::{decode, encode, parse, print};

use crate::corpus::{COUNT, Corpus};

/// A figure is the best of so many turns: other work runs beside.
const TURNS: usize = 9;
/// Output is handed on in pieces of this size, as a program would write it.
const PIECE: usize = 1 << 16;

/// What one pass took.
pub struct Measure {
    pub what: &'static str,
    pub time: Duration,
    /// The most memory beyond what was there before, in MB.
    pub memory: f64,
}

impl Measure {
    /// Million instructions a second.
    pub fn rate(&self) -> f64 {
        COUNT as f64 / 1e6 / self.time.as_secs_f64()
    }
}

/// Every pass over a corpus.
pub fn all(corpus: &Corpus) -> [Measure; 3] {
    [
        measure("decode", || decoded(corpus)),
        measure("disassemble", || disassembled(corpus)),
        measure("assemble", || assembled(corpus)),
    ]
}

fn measure(what: &'static str, mut pass: impl FnMut()) -> Measure {
    let before = Memory::now();
    let time = || {
        let start = Instant::now();
        pass();
        start.elapsed()
    };
    let time = std::iter::repeat_with(time).take(TURNS).min();
    Measure {
        what,
        time: time.unwrap_or_default(),
        memory: before.grown(),
    }
}

fn decoded(corpus: &Corpus) {
    let mut at = 0;
    while at < corpus.code.len() {
        let inst = decode(&corpus.code[at..], corpus.chip).expect("rows decode");
        at += usize::from(black_box(inst).len);
    }
}

fn disassembled(corpus: &Corpus) {
    let mut sink = sink();
    let mut text = String::new();
    let mut at = 0;
    while at < corpus.code.len() {
        let inst = decode(&corpus.code[at..], corpus.chip).expect("rows decode");
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

fn assembled(corpus: &Corpus) {
    let mut sink = sink();
    let mut code = Vec::new();
    for line in corpus.text.lines() {
        let inst = parse(line, corpus.chip).expect("printed lines parse");
        code.extend_from_slice(encode(&inst).expect("what parses encodes").as_bytes());
        if code.len() >= PIECE {
            sink.write_all(&code).expect("the null device");
            code.clear();
        }
    }
    sink.write_all(&code).expect("the null device");
}

fn sink() -> File {
    File::options()
        .write(true)
        .open("/dev/null")
        .expect("the null device")
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
