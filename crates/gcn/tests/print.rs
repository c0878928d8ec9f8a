//! Printing against the conformance rows: bytes to LLVM's canonical text.

use std::collections::{HashMap, HashSet};

use crate::common::examples;
use wavetank_gcn::{Chip, decode};

/// Rows whose text a tool's slip made, with the reason they are left out.
const EXCEPTIONS: [(&str, &str); 1] = [
    // An atomic on four 32-bit components, which does not exist: LLVM counts
    // five registers.
    (
        "image_atomic_add v[5:9], v1, s[8:15] dmask:0xf unorm",
        "impossible dmask",
    ),
];

/// The text of an image instruction with the first address register only: the
/// bytes do not say how many there are, the resource does.
fn without_address_width(text: &str) -> String {
    let mut operands: Vec<&str> = text.split(", ").collect();
    if text.starts_with("image_") && operands.len() > 1 {
        let first = operands[1].split([':', ']']).next().unwrap_or_default();
        operands[1] = first.trim_start_matches('v').trim_start_matches('[');
    }
    operands.join(", ")
}

/// Every row's bytes print as its text. Where several texts share the bytes
/// (image addresses of different width), any of them is right.
fn rows_print(generation: u8) {
    let examples = examples(generation);
    let mut texts: HashMap<(Chip, &[u8]), HashSet<&str>> = HashMap::new();
    for e in &examples {
        texts.entry((e.chip, &e.bytes)).or_default().insert(&e.text);
    }
    let mut failures = Vec::new();
    for ((chip, bytes), texts) in &texts {
        if EXCEPTIONS.iter().any(|(text, _)| texts.contains(text)) {
            continue;
        }
        let ours = match decode(bytes, *chip) {
            Ok(inst) => inst.to_string(),
            Err(error) => error.to_string(),
        };
        let ours_narrow = without_address_width(&ours);
        if !texts
            .iter()
            .any(|text| without_address_width(text) == ours_narrow)
        {
            failures.push(format!("{chip} {bytes:02x?}: {texts:?}, not {ours:?}"));
        }
    }
    failures.sort();
    let step = failures.len().div_ceil(40).max(1);
    let shown: Vec<&str> = failures.iter().step_by(step).map(String::as_str).collect();
    let shown = shown.join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} texts:\n{shown}",
        failures.len(),
        texts.len()
    );
}

#[test]
fn gfx9_rows_print() {
    rows_print(9);
}

#[test]
fn gfx8_rows_print() {
    rows_print(8);
}

#[test]
fn gfx7_rows_print() {
    rows_print(7);
}

#[test]
fn gfx6_rows_print() {
    rows_print(6);
}

/// Instructions that were not decoded print, too: fields are public.
#[test]
fn any_instruction_prints() {
    let load = decode(&[0, 0x0f, 0, 0xf0, 1, 5, 2, 0], Chip::Gfx900).expect("image_load");
    for addresses in [0, 5, 16, 17, 255] {
        let mut inst = load;
        inst.spelling.addresses = addresses;
        assert!(inst.to_string().starts_with("image_load v"), "{inst}");
        // No chip has it in this form.
        inst.form = wavetank_gcn::Form::Sopp;
        assert!(inst.to_string().starts_with("image_load v"), "{inst}");
    }
}
