//! Every line of the conformance rows, with whatever operands and modifiers an
//! assembler can write, is lifted to IR that the verifier accepts.

use std::collections::BTreeMap;

use wavetank_gcn::{Chip, decode};
use wavetank_ir::{Op, Terminator, verify};
use wavetank_lift::{Modes, lift_block};

/// The bytes of a hexadecimal text, `None` if it is none.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: String = hex.chars().filter(|c| !c.is_whitespace()).collect();
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok())
        .collect()
}

#[test]
fn every_row_is_valid() {
    let Some(files) = crate::shared::files("conformance", "tsv") else {
        return;
    };
    let (mut rows, mut refused) = (0, BTreeMap::new());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a listed file can be read");
        for line in text.lines() {
            let mut columns = line.split('\t');
            let chip = columns.next().and_then(Chip::from_name);
            let code = columns.next().and_then(bytes);
            let (Some(chip), Some(code)) = (chip, code) else {
                continue;
            };
            let Ok(inst) = decode(&code, chip) else {
                continue;
            };
            rows += 1;
            let alone = |pc| {
                if pc == 0 {
                    Ok(inst)
                } else {
                    Err(String::new())
                }
            };
            let block = lift_block(&alone, 0, Modes::default());
            assert_eq!(verify(&block), Ok(()), "{line}");
            if let Some(Op::End(Terminator::Unsupported { what })) =
                block.nodes.last().map(|n| &n.op)
                && !what.is_empty()
            {
                let why = what.split(": ").last().unwrap_or_default();
                *refused.entry(why.to_string()).or_insert(0) += 1;
            }
        }
    }
    eprintln!("{rows} rows; refused: {refused:#?}");
    assert!(rows > 100_000, "only {rows} rows were decoded");
}
