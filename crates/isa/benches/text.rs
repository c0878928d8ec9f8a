//! Prints how fast a million mixed gfx9 instructions are decoded and printed, beside `llvm-mc -disassemble`.
//!
//! `cargo bench -p wavetank-isa --bench text`. The instructions are the conformance rows that decode and print, as often as it takes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wavetank_isa::{Chip, decode};

const COUNT: usize = 1_000_000;
const TURNS: usize = 5;

fn main() {
    let shared = std::env::var_os("WAVETANK_SHARED").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(),
        std::path::PathBuf::from,
    );
    let Ok(rows) = std::fs::read_to_string(shared.join("conformance/dis-gfx9.tsv")) else {
        eprintln!("NOTE: nothing measured: no conformance rows where WAVETANK_SHARED points");
        return;
    };
    let words: Vec<Vec<u8>> = rows.lines().filter_map(instruction).collect();
    // A stride that shares no factor with the number of rows mixes the encodings.
    let stride = (words.len() / 3..)
        .find(|s| gcd(*s, words.len()) == 1)
        .unwrap_or(1);
    let mixed = (0..COUNT).map(|i| &words[i * stride % words.len()]);
    let code: Vec<u8> = mixed.clone().flatten().copied().collect();
    println!("{COUNT} gfx900 instructions, {} bytes", code.len());

    report("decode", || {
        let mut at = 0;
        while at < code.len() {
            at += usize::from(std::hint::black_box(one(&code[at..])).len);
        }
    });
    let mut text = String::new();
    report("decode and print", || {
        let mut at = 0;
        text.clear();
        while at < code.len() {
            let inst = one(&code[at..]);
            at += usize::from(inst.len);
            writeln!(text, "{inst}").expect("strings take everything");
        }
    });
    llvm(&mixed.map(Vec::as_slice).collect::<Vec<_>>());
}

fn one(bytes: &[u8]) -> wavetank_isa::Inst {
    decode(bytes, Chip::Gfx900).expect("rows were chosen because they decode")
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The bytes of a gfx900 row that decodes as a whole.
fn instruction(row: &str) -> Option<Vec<u8>> {
    let mut columns = row.split('\t');
    if columns.next() != Some("gfx900") {
        return None;
    }
    let hex = columns.next()?;
    let byte = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    let inst = decode(&bytes, Chip::Gfx900).ok()?;
    (usize::from(inst.len) == bytes.len()).then_some(bytes)
}

fn report(what: &str, mut run: impl FnMut()) {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let best = std::iter::repeat_with(time).take(TURNS).min();
    row(what, best.unwrap_or_default());
}

fn row(what: &str, time: Duration) {
    let seconds = time.as_secs_f64();
    let rate = COUNT as f64 / 1e6 / seconds;
    println!("{what:24} {:8.1} ms {rate:8.2} M/s", seconds * 1e3);
}

/// The same instructions through LLVM's disassembler, which reads them as text.
fn llvm(instructions: &[&[u8]]) {
    let mut input = String::new();
    for bytes in instructions {
        for byte in *bytes {
            write!(input, "0x{byte:02x} ").expect("strings take everything");
        }
        input.push('\n');
    }
    let start = Instant::now();
    let child = Command::new("llvm-mc")
        .args(["-disassemble", "-arch=amdgcn", "-mcpu=gfx900"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("NOTE: no comparison with LLVM: llvm-mc is not on PATH");
        return;
    };
    let sent = child
        .stdin
        .take()
        .is_some_and(|mut pipe| pipe.write_all(input.as_bytes()).is_ok());
    if sent && child.wait().is_ok_and(|status| status.success()) {
        row("llvm-mc -disassemble", start.elapsed());
    } else {
        eprintln!("NOTE: no comparison with LLVM: llvm-mc failed");
    }
}
