//! Random fields of every opcode, as this crate and as `llvm-mc` show them.

use std::collections::BTreeMap;

use wavetank_gcn::{Chip, Inst, decode, encode, parse};

use crate::{lines, listed, llvm, random::Random};

/// The chips that `llvm-mc` disassembles.
const CHIPS: [Chip; 5] = [
    Chip::Gfx803,
    Chip::Gfx810,
    Chip::Gfx900,
    Chip::Gfx904,
    Chip::Gfx906,
];

/// Compares so many words of each form of each instruction.
pub(crate) fn compare(count: usize, seed: u64) -> Result<(), String> {
    let tool = llvm::tool().ok_or("no llvm-mc on PATH")?;
    for chip in CHIPS {
        let mut random = Random(seed ^ (chip as u64) << 32);
        let words = words(&mut random, chip, count);
        let bytes: Vec<&[u8]> = words
            .iter()
            .map(|(i, b)| &b[..usize::from(i.len)])
            .collect();
        let theirs = llvm::disassemble(tool, chip, &bytes)?;
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((inst, bytes), theirs) in words.iter().zip(theirs) {
            let text = inst.to_string();
            let (kind, theirs) = match theirs {
                Some(theirs) if theirs == text => continue,
                Some(theirs) => ("text", theirs),
                None => ("shown here", String::new()),
            };
            let sample = format!("{:016x} {text} not {theirs}", u64::from_le_bytes(*bytes));
            groups
                .entry(format!("{kind}, {:?}", inst.form))
                .or_default()
                .push(sample);
        }
        let differing: usize = groups.values().map(Vec::len).sum();
        println!("{chip}: {} words, {differing} differ", words.len());
        for (kind, samples) in groups {
            println!("  {kind}: {}", samples.len());
            for sample in samples.iter().step_by(samples.len().div_ceil(8)) {
                println!("    {sample}");
            }
        }
    }
    Ok(())
}

/// Words that decode to each form of each instruction: a line of it whose free
/// bits, those that leave opcode and form alone, are random.
fn words(random: &mut Random, chip: Chip, count: usize) -> Vec<(Inst, [u8; 8])> {
    let mut words = Vec::new();
    let forms =
        listed(chip).flat_map(|op| lines::forms(op, chip).into_iter().map(move |f| (op, f)));
    for (op, (suffix, form)) in forms {
        let base = (0..100).find_map(|_| {
            let line = lines::line(random, op, form, suffix, chip);
            let inst = parse(&line.text, chip)
                .ok()
                .filter(|i| i.op == op && i.form == form)?;
            let bytes = encode(&inst).ok()?;
            Some(
                bytes
                    .as_bytes()
                    .iter()
                    .rev()
                    .fold(0, |w, &b| w << 8 | u64::from(b)),
            )
        });
        let Some(base) = base else { continue };
        let same = |w: u64| {
            decode(&w.to_le_bytes(), chip)
                .ok()
                .filter(|i| i.op == op && i.form == form)
        };
        let free = (0..64).filter(|b| same(base ^ 1 << b).is_some());
        let free: u64 = free.fold(0, |mask, b| mask | 1 << b);
        let some = (0..20 * count).filter_map(|_| {
            // Few bits, or all of them.
            let some = if random.one_in(3) {
                u64::MAX
            } else {
                random.next() & random.next() & random.next()
            };
            let w = base ^ random.next() & free & some;
            // Without the bits that the hardware ignores, of which LLVM
            // refuses some.
            let inst = same(w)?;
            let mut plain = [0; 8];
            let bytes = encode(&inst).ok()?;
            plain[..bytes.as_bytes().len()].copy_from_slice(bytes.as_bytes());
            Some((inst, plain))
        });
        words.extend(some.take(count));
    }
    words
}
