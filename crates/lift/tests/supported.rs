//! What compilers emit is executed: every mnemonic of the lists of instructions
//! found in ROCm's libraries and in this project's kernels.

use wavetank_gcn::{Chip, Op};
use wavetank_lift::unsupported;

/// The instruction of a mnemonic, with or without the suffix of a form.
fn find(mnemonic: &str, chip: Chip) -> Vec<Op> {
    let base = ["_e32", "_e64", "_sdwa", "_dpp"]
        .iter()
        .find_map(|suffix| mnemonic.strip_suffix(suffix))
        .unwrap_or(mnemonic);
    let flat = base
        .strip_prefix("global_")
        .or(base.strip_prefix("scratch_"))
        .map(|rest| format!("flat_{rest}"));
    let named = |op: &Op| {
        let name = op.row().mnemonic(chip.generation());
        op.row().exists_on(chip) && (name == Some(base) || name == flat.as_deref())
    };
    Op::all().filter(named).collect()
}

/// The mnemonic of a line of a list: a count, a mnemonic.
fn mnemonic_of_line(line: &str) -> Option<&str> {
    let (count, mnemonic) = line.trim().split_once(' ')?;
    // A list that was cut ends with `...`.
    let is_count = count.parse::<u64>().is_ok() && mnemonic.trim() != "...";
    is_count.then(|| mnemonic.trim())
}

#[test]
fn what_compilers_emit_is_executed() {
    let Some(files) = crate::shared::files("facts/lists", "txt") else {
        return;
    };
    let (mut seen, mut missing) = (0, Vec::new());
    for path in files {
        let stem = path
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or_default();
        let Some((_, chip)) = stem.split_once("-gfx") else {
            continue;
        };
        let chip = Chip::from_name(&format!("gfx{chip}")).expect("lists are named for chips");
        let text = std::fs::read_to_string(&path).expect("a listed file can be read");
        for mnemonic in text.lines().filter_map(mnemonic_of_line) {
            seen += 1;
            let ops = find(mnemonic, chip);
            if ops.is_empty() {
                missing.push(format!("{stem}: {mnemonic} is not an instruction"));
            }
            missing.extend(
                ops.iter()
                    .filter_map(|&op| unsupported(op, chip).map(|why| format!("{stem}: {why}"))),
            );
        }
    }
    eprintln!("{seen} mnemonics");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 1000, "only {seen} mnemonics were seen");
}
