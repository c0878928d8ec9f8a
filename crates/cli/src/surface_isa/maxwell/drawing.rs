//! The fields of the forms of SUATOM, in diagrams.

use wavetank_surface_isa::maxwell::Form;

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
