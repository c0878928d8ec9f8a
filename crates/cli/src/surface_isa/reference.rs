//! A reference page as data, which text and HTML are made of: a title, and sections of blocks.

use crate::diagram::{Cell, fitted};
use crate::fold::{PAGE, folded, indented, paragraphs};
use crate::paint::title;

/// A reference page.
pub(crate) struct Reference {
    pub title: String,
    /// The blocks before the first section.
    pub introduction: Vec<Block>,
    pub sections: Vec<Section>,
}

/// A part of a page, with its title.
pub(crate) struct Section {
    pub title: &'static str,
    pub blocks: Vec<Block>,
}

/// A piece of a page.
pub(crate) enum Block {
    /// A paragraph for each line.
    Text(String),
    /// Sentences with marks.
    List(Vec<String>),
    /// Names with explanations; the number is the width of the names in text.
    Terms(usize, Vec<(String, String)>),
    /// A table, whose last column is the longest. In text an empty header is left out.
    Table(Table),
    /// The fields of a word with this number of bits.
    Diagram(Vec<Cell>, u32),
    /// Lines of code.
    Code(Vec<String>),
}

/// A table, with the columns of numbers.
pub(crate) struct Table {
    pub header: Vec<&'static str>,
    pub numbers: Vec<usize>,
    pub rows: Vec<Vec<String>>,
}

impl Block {
    pub(crate) fn text(text: impl Into<String>) -> Block {
        Block::Text(text.into())
    }
}

impl Section {
    pub(crate) fn new(title: &'static str, blocks: Vec<Block>) -> Section {
        Section { title, blocks }
    }
}

impl Reference {
    /// Returns the page as text.
    pub(crate) fn page(&self) -> String {
        let mut out = title(&self.title) + "\n";
        out += &blocks(&self.introduction);
        for section in &self.sections {
            out += &format!("\n{}\n", title(section.title));
            out += &blocks(&section.blocks);
        }
        out
    }
}

fn blocks(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => paragraphs(text, 2),
        Block::List(items) => items.iter().map(|item| folded(item, "  * ", 4)).collect(),
        Block::Terms(width, terms) => {
            let term = |(name, text): &(String, String)| {
                folded(text, &format!("  {name:width$} "), width + 3)
            };
            terms.iter().map(term).collect()
        }
        Block::Table(table) => table.text(),
        Block::Diagram(cells, bits) => indented(&fitted(cells, *bits)),
        Block::Code(lines) => {
            let line = |line: &String| folded(line, "    ", 6);
            lines.iter().map(line).collect()
        }
    }
}

impl Table {
    /// Returns the table as text; the last column is broken at blanks.
    fn text(&self) -> String {
        let header: Vec<String> = self.header.iter().map(|cell| (*cell).to_owned()).collect();
        let is_empty = header.iter().all(String::is_empty);
        let rows = || (!is_empty).then_some(&header).into_iter().chain(&self.rows);
        let width = |column: usize| {
            let cells = rows().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let last = self.header.len().saturating_sub(1);
        let widths: Vec<usize> = (0..last).map(width).collect();
        let line = |row: &Vec<String>| {
            let mut line = " ".to_owned();
            for (column, width) in widths.iter().enumerate() {
                let cell = &row[column];
                line += &if self.numbers.contains(&column) {
                    format!(" {cell:>width$} ")
                } else {
                    format!(" {cell:width$} ")
                };
            }
            let beside = line.chars().count() + 1;
            debug_assert!(beside < PAGE, "{row:?} has no space for its last column");
            folded(&row[last], &(line + " "), beside)
        };
        rows().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_text() {
        let page = Reference {
            title: "NAME".to_owned(),
            introduction: vec![Block::text("Does it.")],
            sections: vec![Section::new(
                "Parts",
                vec![
                    Block::Terms(3, vec![("a".to_owned(), "first".to_owned())]),
                    Block::Table(Table {
                        header: vec!["code", "name"],
                        numbers: vec![0],
                        rows: vec![vec!["7".to_owned(), "seven".to_owned()]],
                    }),
                    Block::List(vec!["one".to_owned()]),
                    Block::Code(vec!["x = y".to_owned()]),
                ],
            )],
        };
        let expected = "NAME\n  Does it.\n\nParts\n  a   first\n  code  name\n     7  seven\n  * one\n    x = y\n";
        assert_eq!(page.page(), expected);
    }
}
