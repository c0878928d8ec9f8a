//! Diagrams of the fields of a word: 32 bits a row, with a cell for each field and its bits above.
//!
//! ```text
//!  31     24 23  20 19         0
//! +---------+------+------------+
//! |   Rd    |      |    imm     |
//! +---------+------+------------+
//! ```

use crate::fold::PAGE;

/// The number of bits in a row.
const ROW: u32 = 32;
/// The width in columns of a diagram on a page, which is indented by two blanks.
const WIDTH: usize = PAGE - 2;

/// A field of a word.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The text in the cell: a name, or bits.
    pub text: String,
    /// The position of the lowest bit.
    pub low: u32,
    /// The number of bits.
    pub width: u32,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, low: u32, width: u32) -> Cell {
        Cell {
            text: text.into(),
            low,
            width,
        }
    }

    pub(crate) fn high(&self) -> u32 {
        self.low + self.width - 1
    }
}

/// Returns the diagram of a word of `bits` bits, highest row first, with the most bits in a row that fit a page: 32, 16 or 8. Bits
/// without a cell get an empty one. A field that extends over the end of a row has an ellipsis in each part. Cells must not
/// overlap.
pub(crate) fn fitted(cells: &[Cell], bits: u32) -> String {
    let drawn = [ROW, ROW / 2, ROW / 4].map(|row| rows(cells, bits, row));
    let fits = |drawn: &&String| drawn.lines().all(|line| line.chars().count() <= WIDTH);
    drawn.iter().find(fits).unwrap_or(&drawn[2]).clone()
}

/// Returns the cells of each row of 32 bits, the highest row and the highest bit first, as [`fitted`] draws them.
pub(crate) fn words(cells: &[Cell], bits: u32) -> Vec<Vec<Cell>> {
    let words = (0..bits.div_ceil(ROW)).rev();
    let words = words.map(|word| parts(cells, ROW * word, (ROW * (word + 1)).min(bits)));
    words.collect()
}

fn rows(cells: &[Cell], bits: u32, of: u32) -> String {
    let rows = (0..bits.div_ceil(of)).rev();
    let rows = rows.map(|row| {
        let end = (of * (row + 1)).min(bits);
        drawn(&parts(cells, of * row, end))
    });
    rows.collect()
}

/// Returns the cells of the bits from `start` up to `end`, the highest first, with empty ones in between.
fn parts(cells: &[Cell], start: u32, end: u32) -> Vec<Cell> {
    let inside = |cell: &&Cell| cell.low < end && cell.high() >= start;
    let mut inside: Vec<&Cell> = cells.iter().filter(inside).collect();
    inside.sort_by_key(|cell| std::cmp::Reverse(cell.low));
    let mut parts = Vec::new();
    let mut above = end;
    for cell in inside {
        let (low, high) = (cell.low.max(start), cell.high().min(end - 1));
        if high + 1 < above {
            parts.push(Cell::new("", high + 1, above - high - 1));
        }
        let text = match (cell.high() >= end, cell.low < start) {
            (false, false) => cell.text.clone(),
            (true, _) => format!("…{}", cell.text),
            (false, true) => format!("{}…", cell.text),
        };
        parts.push(Cell::new(text, low, high + 1 - low));
        above = low;
    }
    if above > start {
        parts.push(Cell::new("", start, above - start));
    }
    parts
}

/// Returns one row: the bits above, then the box.
fn drawn(parts: &[Cell]) -> String {
    let (mut bits, mut line, mut names) = (String::new(), String::new(), String::new());
    for part in parts {
        let numbers = match part.width {
            1 => part.low.to_string(),
            _ => format!("{} {}", part.high(), part.low),
        };
        let width = part.text.chars().count().max(numbers.len()) + 2;
        let numbers = match part.width {
            1 => format!("{:^width$}", part.low),
            _ => {
                let high = part.high().to_string();
                format!(" {high}{:>rest$} ", part.low, rest = width - 2 - high.len())
            }
        };
        bits += &format!(" {numbers}");
        line += &format!("+{}", "-".repeat(width));
        names += &format!("|{:^width$}", part.text);
    }
    let bits = bits.trim_end();
    format!("{bits}\n{line}+\n{names}|\n{line}+\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_bits_above() {
        let cells = [Cell::new("imm", 0, 20), Cell::new("Rd", 24, 8)];
        let shown = fitted(&cells, 32);
        let expected = concat!(
            "  31 24   23 20   19 0\n",
            "+-------+-------+------+\n",
            "|  Rd   |       | imm  |\n",
            "+-------+-------+------+\n"
        );
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_field_over_two_rows_is_in_both() {
        let shown = fitted(&[Cell::new("op", 29, 4), Cell::new("n", 28, 1)], 64);
        let rows: Vec<&str> = shown.lines().collect();
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[2], "|       | op… |");
        assert!(rows[0].ends_with("63 33   32"), "{shown}");
        assert_eq!(rows[6], "|  …op  | n  |      |");
    }
}
