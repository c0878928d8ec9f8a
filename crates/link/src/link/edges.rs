//! Symbols that the linker defines: the starts and ends of sections.

use crate::elf::{STV_HIDDEN, STV_PROTECTED};

use super::sections::Outputs;
use super::symbols::{Definition, Symbols};

impl Symbols<'_> {
    /// Defines symbols that programs refer to and only the linker can define: the start and the end of function arrays, and of
    /// sections whose names are valid C identifiers.
    pub(super) fn define_edges(&mut self, outputs: &Outputs) {
        for (index, output) in outputs.list.iter().enumerate() {
            let name = output.name.as_str();
            let array = [".preinit_array", ".init_array", ".fini_array"].contains(&name);
            let (start, end, visibility) = if array {
                let name = &name[1..];
                (
                    format!("__{name}_start"),
                    format!("__{name}_end"),
                    STV_HIDDEN,
                )
            } else if is_c_identifier(name) {
                (
                    format!("__start_{name}"),
                    format!("__stop_{name}"),
                    STV_PROTECTED,
                )
            } else {
                continue;
            };
            self.define(&start, index, 0, visibility);
            self.define(&end, index, output.size, visibility);
        }
        // Missing arrays are empty.
        for array in ["preinit_array", "init_array", "fini_array"] {
            for edge in ["start", "end"] {
                let global = self.named(&format!("__{array}_{edge}"));
                if let Some(global) = global.filter(|g| g.is_undefined()) {
                    global.definition = Definition::Absolute(0);
                    global.visibility = STV_HIDDEN;
                }
            }
        }
    }

    /// Defines `_DYNAMIC`, which every shared library has.
    pub(super) fn define_dynamic(&mut self, outputs: &Outputs) {
        self.global("_DYNAMIC");
        self.define("_DYNAMIC", outputs.dynamic.dynamic, 0, STV_HIDDEN);
    }
}

fn is_c_identifier(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(word) && name.starts_with(|c: char| !c.is_ascii_digit())
}
