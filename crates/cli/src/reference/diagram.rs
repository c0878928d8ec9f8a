//! The fields of an instruction word: a row of boxes for each 32 bits, which break where the page is narrow.

use maud::{Markup, html};

use crate::diagram::{Cell, words};

/// Returns the diagram of a word of `bits` bits, the highest bit first.
pub(super) fn diagram(cells: &[Cell], bits: u32, label: &str) -> Markup {
    html! {
        div.words role="group" aria-label=(label) {
            @for word in words(cells, bits) {
                ol.word {
                    @for cell in &word {
                        li class=(kind(&cell.text)) style={ "--bits:" (cell.width) } {
                            span.bits { (places(cell)) }
                            span.field {
                                @if cell.text.is_empty() { span.hide { "unused" } } @else { (cell.text) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the bits of a cell, the highest first.
fn places(cell: &Cell) -> String {
    if cell.width == 1 {
        cell.low.to_string()
    } else {
        format!("{}–{}", cell.high(), cell.low)
    }
}

/// Returns the kind of a field, which has a color: fixed bits, the opcode, unused bits, or another one.
fn kind(text: &str) -> &'static str {
    match text {
        "" => "unused",
        text if text.starts_with("op=") || text == "op" => "opcode",
        text if text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("seg=") => {
            "fixed"
        }
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_bits() {
        let cells = [Cell::new("src0", 0, 9), Cell::new("0", 31, 1)];
        let shown = diagram(&cells, 32, "VOP2").into_string();
        for part in [
            "<li class=\"fixed\" style=\"--bits:1\"><span class=\"bits\">31</span>",
            "<span class=\"bits\">30–9</span><span class=\"field\"><span class=\"hide\">unused",
            "<span class=\"bits\">8–0</span><span class=\"field\">src0</span>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
