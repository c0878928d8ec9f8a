//! Every instruction has a case, and the document says how many.

use wavetank_cases::{Fidelity, cases_of, fidelity};
use wavetank_gcn::Op;

#[path = "../examples/coverage.rs"]
pub(crate) mod page;

#[test]
fn the_document_is_what_is_so() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/coverage.md"
    );
    let written = std::fs::read_to_string(path).expect("docs/reference/coverage.md");
    let regenerate = "cargo run --example coverage > docs/reference/coverage.md";
    assert!(
        written == page::document(),
        "docs/reference/coverage.md is not current: {regenerate}"
    );
}

#[test]
fn every_instruction_that_is_executed_has_a_case() {
    let mut missing = Vec::new();
    for chip in page::CHIPS {
        for op in Op::all().filter(|op| op.row().exists_on(chip)) {
            let executed = !matches!(fidelity(op, chip), Fidelity::Unsupported(_));
            if executed && cases_of(op, chip.generation()) == 0 {
                missing.push(format!("{op:?} on {chip}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "no case in tests/isa: {}",
        missing.join(", ")
    );
}
