//! The fields of the forms of SUATOM, in diagrams and in JSON.

use serde::Serialize;
use wavetank_surface_isa::maxwell::{Form, Placed};

use crate::diagram::{Cell, fitted};

/// The diagram of a form; with a word, the value of each field beside its name.
pub(super) fn drawing(form: &Form, word: Option<u64>) -> String {
    fitted(&cells(form, word), 64)
}

/// The fields of a form; with a word, the value of each beside its name.
pub(super) fn cells(form: &Form, word: Option<u64>) -> Vec<Cell> {
    let prefix = format!("{:b}", form.prefix);
    let mut cells = vec![Cell::new(prefix, 64 - form.prefix_width, form.prefix_width)];
    cells.extend(form.fields.iter().map(|placed| {
        let name = placed.field.name();
        let text = match word {
            Some(word) => format!("{name}={}", placed.of(word)),
            None => name.to_owned(),
        };
        Cell::new(text, placed.low, placed.width)
    }));
    cells
}

/// A field, with its value in a word if there is one.
#[derive(Serialize)]
pub(super) struct FieldFacts {
    name: &'static str,
    high: u32,
    pub low: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
}

impl FieldFacts {
    pub(super) fn new(placed: &Placed, word: Option<u64>) -> FieldFacts {
        FieldFacts {
            name: placed.field.name(),
            high: placed.low + placed.width - 1,
            low: placed.low,
            value: word.map(|word| placed.of(word)),
        }
    }
}
