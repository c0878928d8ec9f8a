//! Tables that fit the terminal: some columns of a wide table are omitted, and lines are never broken.

use comfy_table::{CellAlignment, Table, presets};

use crate::terminal;

/// A table as rows of text.
pub(crate) struct Columns<'a> {
    header: Vec<&'a str>,
    rows: Vec<Vec<String>>,
    /// The columns of numbers, which are right-aligned.
    numbers: Vec<usize>,
    /// The columns that can be omitted, in the order of omission.
    lesser: Vec<usize>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(header: &[&'a str], numbers: &[usize], lesser: &[usize]) -> Columns<'a> {
        Columns {
            header: header.to_vec(),
            rows: Vec::new(),
            numbers: numbers.to_vec(),
            lesser: lesser.to_vec(),
        }
    }

    pub(crate) fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Returns the table without borders, for the present terminal.
    pub(crate) fn text(&self) -> String {
        self.fitted(terminal::columns())
    }

    /// Returns the table in at most `width` columns of text.
    fn fitted(&self, width: Option<usize>) -> String {
        let mut shown: Vec<usize> = (0..self.header.len()).collect();
        let mut lesser = self.lesser.iter();
        let mut left_out = Vec::new();
        while width.is_some_and(|width| self.width(&shown) > width) {
            let Some(column) = lesser.next() else {
                break;
            };
            shown.retain(|c| c != column);
            left_out.push(self.header[*column]);
        }
        let mut text = self.lines(&shown, width);
        if !left_out.is_empty() {
            let list = left_out.join(", ");
            text +=
                &format!("\nleft out, since they do not fit: {list} (a pipe or a file gets all)\n");
        }
        text
    }

    /// Returns the width in characters that some columns need.
    fn width(&self, shown: &[usize]) -> usize {
        let cell = |column: usize| {
            let cells = self.rows.iter().map(move |row| row[column].chars().count());
            cells.chain([self.header[column].chars().count()]).max()
        };
        let cells: usize = shown.iter().filter_map(|column| cell(*column)).sum();
        cells + 2 * shown.len().saturating_sub(1)
    }

    fn lines(&self, shown: &[usize], width: Option<usize>) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(shown.iter().map(|column| self.header[*column]));
        for row in &self.rows {
            table.add_row(shown.iter().map(|column| row[*column].as_str()));
        }
        for (place, column) in shown.iter().enumerate() {
            if self.numbers.contains(column)
                && let Some(column) = table.column_mut(place)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let line = |line: String| {
            let line = line.trim_end().strip_prefix(' ').unwrap_or("").to_owned();
            cut(line, width) + "\n"
        };
        table.lines().map(line).collect()
    }
}

/// Cuts a line that is too long, and ends it with `…`.
fn cut(line: String, width: Option<usize>) -> String {
    match width {
        Some(width) if line.chars().count() > width => {
            let kept: String = line.chars().take(width.saturating_sub(1)).collect();
            kept + "…"
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns<'static> {
        let mut table = Columns::new(&["name", "opcode", "what it does"], &[1], &[2, 1]);
        table.add(vec!["v_add".into(), "0x1".into(), "adds, with care".into()]);
        table.add(vec!["v_mov".into(), "0x12".into(), "moves".into()]);
        table
    }

    #[test]
    fn all_columns_are_there_where_nobody_counts() {
        let text = table().fitted(None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "name   opcode  what it does");
        assert_eq!(lines[1], "v_add     0x1  adds, with care");
        assert_eq!(lines[2], "v_mov    0x12  moves");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        // Name, opcode and the last column take 5, 6 and 15 characters, with two blanks in between.
        let text = |width| table().fitted(Some(width));
        assert_eq!(text(30).lines().count(), 3);
        assert!(!text(29).contains("adds") && text(29).contains("0x12"));
        assert!(text(29).ends_with("do not fit: what it does (a pipe or a file gets all)\n"));
        let narrow = text(12);
        assert!(
            !narrow.contains("0x12") && narrow.contains("v_mov"),
            "{narrow}"
        );
        assert!(text(4).starts_with("name\nv_a…\nv_m…\n"), "{}", text(4));
    }
}
