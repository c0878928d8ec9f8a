//! `wavetank explain` of a SUATOM, as text.

use wavetank_facts::SuatomFacts;
use wavetank_surface_isa::maxwell::FORMS;

use super::drawing::drawing;
use crate::fold::{folded, indented, paragraphs};

/// Whether a text is about SUATOM, whatever the instruction set: the name alone, or an instruction.
pub(crate) fn is_suatom(text: &str) -> bool {
    let text = text.trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, inst)| inst),
        None => text,
    };
    let name = text.trim_start().get(..6).unwrap_or_default();
    name.eq_ignore_ascii_case("suatom")
}

/// Returns the page about an instruction.
pub(super) fn page(facts: &SuatomFacts) -> String {
    let mut out = format!(
        "{}\n  {} on {}, {}\n\n",
        facts.text, facts.form, facts.isa, facts.word
    );
    let form = FORMS.iter().find(|form| form.name == facts.form);
    let word = facts.word.strip_prefix("0x");
    let word = word.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    out += &form.map_or_else(String::new, |form| indented(&drawing(form, word)));
    // A sentence a line.
    out += &format!("\n{}", paragraphs(&facts.meaning.replace(". ", ".\n"), 2));
    if let Some(rule) = &facts.broken_rule {
        let sentence = format!("This breaks a rule, and `asm` refuses it: {rule}.");
        out += &format!("\n{}", folded(&sentence, "  ", 2));
    }
    out + "\n  `explain suatom` has the operands, rules and forms.\n"
}
