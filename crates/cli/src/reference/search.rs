//! The index of the search: an array in a script, which a page can load without a server.

use serde::Serialize;

use super::instruction::{Instruction, range};
use wavetank_facts::form_name;

/// An entry: name, path, place, sentence, and other words to be found by (names on other generations, opcodes).
#[derive(Serialize)]
pub(super) struct Entry(pub String, pub String, pub String, pub String, pub String);

impl Entry {
    /// Returns the entry of an instruction of GCN.
    pub(super) fn of(instruction: &Instruction) -> Entry {
        let mut words: Vec<String> = Vec::new();
        let names = instruction.versions.iter();
        for name in names.flat_map(|version| &version.facts.generations) {
            for word in [name.name.clone(), format!("{:#04x}", name.opcode)] {
                if word != instruction.name && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        let generations: Vec<_> = instruction.versions.iter().map(|v| v.generation).collect();
        let place = format!(
            "{}, {}",
            form_name(instruction.subject.1),
            range(&generations)
        );
        Entry(
            instruction.name.clone(),
            instruction.path(),
            place,
            instruction.newest().facts.sentence.clone(),
            words.join(" "),
        )
    }
}

/// Returns the script with all entries, a line each.
pub(super) fn index(entries: impl Iterator<Item = Entry>) -> String {
    // A list of texts can be written as JSON.
    let lines = entries.map(|entry| serde_json::to_string(&entry).unwrap_or_default());
    let lines: Vec<String> = lines.collect();
    format!(
        "globalThis.instructionIndex = [\n{}\n];\n",
        lines.join(",\n")
    )
}
