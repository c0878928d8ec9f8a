//! The chips of CDNA against the conformance rows: text to bytes, bytes to text, text to refuse, bytes that are no instruction.

use crate::common::{shared, unhex};
use wavetank_gcn::{Chip, decode, encode, parse};

/// Returns the failures of the rows of a file, by a function of the columns after the chip.
fn failures(kind: &str, wrong: fn(&[&str], Chip) -> Option<String>) {
    let mut report = Vec::new();
    for &chip in Chip::CDNA {
        let file = format!("conformance/{kind}-{chip}.tsv");
        let Some(text) = shared(&file) else { return };
        let rows = text
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let failed: Vec<_> = rows.filter_map(|row| wrong(&row[1..], chip)).collect();
        let count = text.lines().count();
        assert!(count > 50, "{file} has {count} rows");
        if !failed.is_empty() {
            let step = failed.len().div_ceil(20).max(1);
            let shown: Vec<_> = failed.iter().step_by(step).map(String::as_str).collect();
            let (wrong, shown) = (failed.len(), shown.join("\n"));
            report.push(format!("{file}: {wrong} of {count} rows:\n{shown}"));
        }
        if let Ok(path) = std::env::var("CDNA_FAILURES") {
            let _ = std::fs::write(format!("{path}/{kind}-{chip}"), failed.join("\n"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

#[test]
fn lines_assemble_to_their_bytes_and_back() {
    failures("asm", |row, chip| {
        let &[bytes, canonical, input] = row else {
            return Some(format!("{row:?}"));
        };
        let inst = match parse(input, chip) {
            // LLVM takes a sign of packed halves, and drops it.
            _ if input.contains("sext(") && !canonical.contains("sext(") => return None,
            _ if is_slip(canonical) => return None,
            Ok(inst) => inst,
            Err(error) => return Some(format!("{input}: {error}")),
        };
        match encode(&inst) {
            Ok(encoded) if encoded.as_bytes() == unhex(bytes) => {}
            other => return Some(format!("{input}: {other:02x?}, expected {bytes}")),
        }
        // The bytes of an image instruction do not say how many address registers it reads.
        let printed = match decode(&unhex(bytes), chip) {
            Ok(back) if input.starts_with("image_") => back.to_string(),
            _ => inst.to_string(),
        };
        (printed != canonical).then(|| format!("{input}: printed {printed}, expected {canonical}"))
    });
}

/// Whether a text of the rows is a slip of LLVM's disassembler or parser, which none of its assemblers takes for the chip, or the
/// documents contradict.
fn is_slip(text: &str) -> bool {
    let word = |wanted: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.any(|word| word == wanted)
    };
    let operand = |n: usize| {
        let rest = text.split_once(' ').map_or("", |(_, rest)| rest);
        rest.split(", ")
            .nth(n)
            .unwrap_or("")
            .trim_start_matches(['-', '|'])
    };
    // Code 125 names no register before gfx10, and code 230 none before gfx12.
    let no_register = word("null") || text.contains("src_flat_scratch_base");
    // A comment in the place of a modifier that the chip lacks.
    let no_modifier = text.contains("/*");
    // The offset of FLAT has 12 bits (Vega ISA, 13.7).
    let offset = text
        .split(" offset:")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let offset = offset.and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let far = text.starts_with("flat_") && offset > 4095;
    // A mask is written to scalar registers, and read from them.
    let compares = text.starts_with("v_cmp") && operand(0).starts_with("src_");
    let carries = ["v_cndmask_b32_e64", "v_addc", "v_subb"];
    let carries = carries.iter().any(|name| text.starts_with(name));
    let mask = carries
        && text
            .split(", ")
            .last()
            .is_some_and(|last| last.starts_with("v["));
    // Matrices are in vector registers.
    let matrix = text.starts_with("v_mfma") || text.starts_with("v_smfmac");
    let matrix = matrix && (1..3).any(|n| operand(n).starts_with("src_"));
    // The registers end with v255.
    let ends = text
        .split(':')
        .skip(1)
        .filter_map(|rest| rest.split(']').next()?.parse().ok());
    let beyond = text.starts_with("v_") && ends.filter(|end: &u32| *end > 255).count() > 0;
    // A comparand is a second value.
    let compared = text.starts_with("image_atomic_cmpswap") && {
        let mask = text
            .split(" dmask:")
            .nth(1)
            .map(|mask| mask.split(' ').next());
        !matches!(mask, Some(Some("0x3" | "0xf")))
    };
    no_register || no_modifier || far || compares || mask || matrix || compared || beyond
}

#[test]
fn bytes_are_printed() {
    failures("dis", |row, chip| {
        let &[bytes, text] = row else {
            return Some(format!("{row:?}"));
        };
        match decode(&unhex(bytes), chip) {
            _ if is_slip(text) => None,
            Ok(inst) if inst.to_string() == text && 2 * usize::from(inst.len) == bytes.len() => {
                None
            }
            Ok(inst) => Some(format!(
                "{bytes}: {inst} ({} bytes), expected {text}",
                inst.len
            )),
            Err(error) => Some(format!("{bytes} {text}: {error}")),
        }
    });
}

#[test]
fn lines_to_refuse_are_refused() {
    failures("reject", |row, chip| {
        let inst = parse(row[0], chip).ok()?;
        Some(format!("{} is taken: {inst}", row[0]))
    });
}

#[test]
fn bytes_without_meaning_are_refused() {
    failures("illegal", |row, chip| {
        let inst = decode(&unhex(row[0]), chip).ok()?;
        Some(format!("{} of {} is decoded: {inst}", row[0], row[1]))
    });
}
