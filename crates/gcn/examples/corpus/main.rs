//! Makes the corpus of lines under `tests/corpus`, and compares at large.
//!
//! `corpus write [SEED]` writes it anew; `corpus compare LINES SEED` makes so many
//! random lines for every chip and reports where this assembler and `llvm-mc`
//! differ. `corpus decode WORDS SEED` does so with random fields of every opcode
//! of the generations that `llvm-mc` disassembles. `corpus seeds FOLDER` writes
//! what fuzzing begins with.

mod decoding;
mod layout;
mod lines;
mod llvm;
mod modifiers;
mod operands;
mod random;
mod reasons;
mod seeds;
mod write;

use std::collections::BTreeMap;

use wavetank_gcn::{Chip, Op, decode, encode, parse};

use lines::Line;
use llvm::Assembled;
use random::Random;

/// One chip for each set of instructions, encodings and registers.
const CHIPS: [Chip; 9] = [
    Chip::Gfx600,
    Chip::Gfx704,
    Chip::Gfx701,
    Chip::Gfx802,
    Chip::Gfx803,
    Chip::Gfx810,
    Chip::Gfx900,
    Chip::Gfx904,
    Chip::Gfx906,
];

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, default| {
        arguments
            .get(n)
            .map_or(Ok(default), |a| a.parse().map_err(|e| format!("{a}: {e}")))
    };
    match arguments.first().map(String::as_str) {
        Some("compare") => compare(number(1, 10_000)? as usize, number(2, 1)?),
        Some("decode") => decoding::compare(number(1, 20)? as usize, number(2, 1)?),
        Some("seeds") => seeds::write(arguments.get(1).ok_or("seeds FOLDER")?),
        Some("write") => write::corpus(number(1, 1)?),
        _ => Err("usage: corpus write [SEED] | corpus compare [LINES] [SEED] | corpus decode [WORDS] [SEED] | corpus seeds FOLDER".into()),
    }
}

/// So many random lines of a chip, of every listed instruction and form alike.
fn random_lines(random: &mut Random, chip: Chip, count: usize) -> Vec<Line> {
    let forms: Vec<_> = listed(chip)
        .flat_map(|op| lines::forms(op, chip).into_iter().map(move |f| (op, f)))
        .collect();
    let rounds = count.div_ceil(forms.len());
    let mut all = Vec::new();
    for _ in 0..rounds {
        for &(op, (suffix, form)) in &forms {
            all.push(lines::line(random, op, form, suffix, chip));
        }
    }
    all
}

fn listed(chip: Chip) -> impl Iterator<Item = Op> {
    Op::all().filter(move |op| op.row().exists_on(chip) && op.row().listed(chip.generation()))
}

/// How this assembler and `llvm-mc` differ on a line, and a sample.
fn difference(
    line: &Line,
    chip: Chip,
    theirs: &Option<Assembled>,
) -> Option<(&'static str, String)> {
    let ours = parse(&line.text, chip);
    let (inst, theirs) = match (ours, theirs) {
        (Err(_), None) => return None,
        (Err(error), Some(theirs)) => {
            return Some((
                "refused here",
                format!("{} => {error} [{}]", line.text, theirs.text),
            ));
        }
        (Ok(inst), None) => return Some(("accepted here", format!("{} => {inst}", line.text))),
        (Ok(inst), Some(theirs)) => (inst, theirs),
    };
    let bytes = match encode(&inst) {
        Ok(bytes) => bytes,
        Err(error) => return Some(("no bytes", format!("{}: {error}", line.text))),
    };
    if bytes.as_bytes() != theirs.bytes {
        return Some((
            "bytes",
            format!(
                "{} => {:02x?} not {:02x?} [{}]",
                line.text,
                bytes.as_bytes(),
                theirs.bytes,
                theirs.text
            ),
        ));
    }
    if inst.to_string() != theirs.text {
        return Some((
            "text",
            format!("{} => {inst} not {}", line.text, theirs.text),
        ));
    }
    match decode(&theirs.bytes, chip) {
        Ok(back) if back == inst => None,
        other => Some(("decoded", format!("{} => {other:?}", line.text))),
    }
}

fn compare(count: usize, seed: u64) -> Result<(), String> {
    let tool = llvm::tool().ok_or("no llvm-mc on PATH")?;
    let mut total = 0;
    let mut explained: BTreeMap<&str, usize> = BTreeMap::new();
    for chip in CHIPS {
        let lines = random_lines(&mut Random(seed ^ (chip as u64) << 32), chip, count);
        let texts: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let theirs = llvm::assemble(tool, chip, &texts)?;
        let taken = theirs.iter().flatten().count();
        let mut groups: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
        for (line, theirs) in lines.iter().zip(&theirs) {
            if let Some((kind, sample)) = difference(line, chip, theirs) {
                if let Some(reason) = reasons::explain(line, chip, theirs.as_ref()) {
                    *explained.entry(reason).or_default() += 1;
                    continue;
                }
                groups
                    .entry((kind, format!("{:?}", line.form)))
                    .or_default()
                    .push(sample);
            }
        }
        let differing: usize = groups.values().map(Vec::len).sum();
        total += differing;
        println!(
            "{chip}: {} lines, {taken} taken by {tool}, {differing} differ",
            lines.len()
        );
        for ((kind, form), samples) in groups {
            println!("  {kind}, {form}: {}", samples.len());
            let step = samples.len().div_ceil(6);
            for sample in samples.iter().step_by(step) {
                println!("    {sample}");
            }
        }
    }
    for (reason, count) in explained {
        println!("{count} differ by intent: {reason}");
    }
    match total {
        0 => Ok(()),
        _ => Err(format!("{total} lines differ")),
    }
}
