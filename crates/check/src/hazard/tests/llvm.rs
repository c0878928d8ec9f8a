//! Pairs of instructions with the wait states that LLVM 19 puts between them: `llvm.tsv`.
//!
//! Each line is a chip, the wait states, and two or three instructions, which LLVM's hazard recognizer was given without any wait
//! states between (`llc-19 -start-before=post-RA-hazard-rec`). The wait states are those in front of the last instruction. The lines
//! are a selection of 12,376; of the others, 19 differ, for the reasons in `docs/reference/errata.md`.

use wavetank_gcn::Chip;

use super::found;

/// Returns the instructions with so many wait states in front of the last one.
fn spaced(instructions: &[&str], states: usize) -> String {
    let (last, before) = instructions.split_last().expect("two instructions");
    let nops = ["s_nop 0"].repeat(states);
    let lines = before.iter().chain(&nops).chain([last]);
    lines.copied().collect::<Vec<_>>().join("\n")
}

#[test]
fn llvm_inserts_as_many_wait_states() {
    let text = include_str!("llvm.tsv");
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[chip, states, instructions] = &columns[..] else {
            panic!("{line}");
        };
        let chip = Chip::from_name(chip).expect(line);
        let states: usize = states.parse().expect(line);
        let instructions: Vec<&str> = instructions.split(" / ").collect();
        let enough = found(&spaced(&instructions, states), chip);
        let fewer = states.checked_sub(1);
        let is_missed =
            fewer.is_none_or(|fewer| !found(&spaced(&instructions, fewer), chip).is_empty());
        if !enough.is_empty() || !is_missed {
            let more = enough.first().map_or("too few here", |f| &f.message);
            wrong.push(format!("{line}: {more}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} pairs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
