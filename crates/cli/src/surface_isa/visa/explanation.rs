//! `wavetank explain` of a TYPED_ATOMIC, as text.

use wavetank_facts::{TypedAtomicFacts, TypedAtomicField};

use crate::columns::Columns;
use crate::fold::{folded, indented};

/// Returns the page about an instruction.
pub(super) fn page(facts: &TypedAtomicFacts) -> String {
    let length = facts.bytes.len();
    let mut text = folded(&facts.text, "", 2);
    text += &format!("  vISA {}, {length} bytes\n\n", facts.version);
    text += &folded(&facts.meaning, "  ", 2);
    text += "\n";
    let mut table = Columns::new(&["bytes", "field", "hex", ""], &[], &[]);
    for TypedAtomicField {
        name,
        at,
        hex,
        meaning,
    } in &facts.fields
    {
        let place = match *at {
            (at, 1) => at.to_string(),
            (at, length) => format!("{at}–{}", at + length - 1),
        };
        table.add(vec![
            place,
            (*name).to_owned(),
            hex.clone(),
            meaning.clone(),
        ]);
    }
    text += &indented(&table.text());
    if let Some(wrong) = &facts.wrong {
        text += &format!("\n{}", folded(wrong, "  wrong: ", 4));
    }
    text
}
