//! Decoding against the conformance rows.

use crate::common::examples;
use wavetank_gcn::decode;

/// Every row decodes, to its own length.
fn rows_decode(generation: u8) {
    let mut failures = Vec::new();
    let examples = examples(generation);
    for e in &examples {
        match decode(&e.bytes, e.chip) {
            Ok(inst) if usize::from(inst.len) == e.bytes.len() => {}
            other => failures.push(format!("{} {:02x?} {}: {other:?}", e.chip, e.bytes, e.text)),
        }
    }
    let shown = failures
        .iter()
        .take(20)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} rows:\n{shown}",
        failures.len(),
        examples.len()
    );
}

#[test]
fn gfx9_rows_decode() {
    rows_decode(9);
}

#[test]
fn gfx8_rows_decode() {
    rows_decode(8);
}

#[test]
fn gfx7_rows_decode() {
    rows_decode(7);
}

#[test]
fn gfx6_rows_decode() {
    rows_decode(6);
}
