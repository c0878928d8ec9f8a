//! Prints how fast a million instructions are disassembled and assembled, beside `llvm-mc` and `llvm-objdump`.
//!
//! `cargo bench -p wavetank-gcn --bench text`, with names of chips (`-- gfx900 gfx600`) for those alone. "rows" are the
//! conformance rows in random order, "code" is compiled kernels as they run on, "mixed" is half a million of each.
//! Input and output are whole: text and code are read from memory and written, in pieces, to the null device.

mod corpus;
mod llvm;
mod pass;

use std::path::{Path, PathBuf};
use std::time::Duration;

use corpus::{COUNT, Corpus};
use pass::{Figures, Pass};
use wavetank_gcn::Chip;

/// The chips, one a generation, with the targets whose kernels they run.
const CHIPS: [(Chip, &[&str]); 4] = [
    (Chip::Gfx900, &["gfx900"]),
    (Chip::Gfx802, &["gfx803"]),
    (Chip::Gfx704, &["gfx700", "gfx701"]),
    (Chip::Gfx600, &["gfx600"]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if pass::child(&arguments) {
        return;
    }
    println!("A million instructions; ours: one thread, best turn; memory: beyond the input");
    let named: Vec<Chip> = arguments
        .iter()
        .filter_map(|a| Chip::from_name(a))
        .collect();
    let wanted = |chip: &Chip| named.is_empty() || named.contains(chip);
    for (chip, targets) in CHIPS.into_iter().filter(|(chip, _)| wanted(chip)) {
        generation(chip, targets);
    }
}

/// Every figure of a chip.
fn generation(chip: Chip, targets: &[&str]) {
    let mut rows = corpus::rows(chip);
    let mut code = corpus::kernels(chip, targets);
    if chip == Chip::Gfx900 {
        (rows, code) = (llvm::known(&rows), llvm::known(&code));
    }
    let (r, c) = (rows.len(), code.len());
    if r == 0 || c == 0 {
        eprintln!("NOTE: {chip} not measured: no rows or kernels where WAVETANK_SHARED points");
        return;
    }
    println!("\n{chip}: {r} rows, {c} instructions of compiled kernels");
    let rows = Corpus::shuffled(chip, &rows);
    let code = Corpus::in_order(chip, &code);
    let mixed = Corpus::mixed(&rows, &code);
    for (name, corpus) in [("rows", &rows), ("code", &code)] {
        ours(name, corpus);
    }
    let ours = ours("mixed", &mixed);
    if chip != Chip::Gfx900 {
        return;
    }
    for figure in llvm::figures(&mixed, &folder().join("text")) {
        let own = ours.iter().find(|(pass, _)| pass.name() == figure.pass);
        let ratio = own.map_or(0.0, |(_, own)| {
            figure.time.as_secs_f64() / own.time.as_secs_f64()
        });
        let tail = format!("we are {ratio:.0} times as fast");
        row("mixed", figure.pass, &figure.tool, figure.time, &tail);
    }
}

/// Our own passes over a corpus, whose files stay.
fn ours(name: &str, corpus: &Corpus) -> Vec<(Pass, Figures)> {
    let (text, bytes) = (folder().join("text"), folder().join("code"));
    std::fs::write(&text, &corpus.text).expect("the text");
    std::fs::write(&bytes, &corpus.code).expect("the code");
    let over = |pass: Pass| {
        let input: &Path = match pass {
            Pass::Assemble => &text,
            Pass::Decode | Pass::Disassemble => &bytes,
        };
        let figures = pass::measure(pass, corpus.chip, input);
        let tail = format!("{:.1} MB", figures.memory);
        row(name, pass.name(), "wavetank", figures.time, &tail);
        (pass, figures)
    };
    Pass::ALL.map(over).into()
}

fn row(corpus: &str, pass: &str, tool: &str, time: Duration, tail: &str) {
    let seconds = time.as_secs_f64();
    let rate = COUNT as f64 / 1e6 / seconds;
    println!(
        "{corpus:6} {pass:12} {tool:16} {:9.1} ms {rate:8.2} M/s   {tail}",
        seconds * 1e3
    );
}

/// Where files for the tools are put.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}
