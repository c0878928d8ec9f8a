//! Bodies of directives: lines up to the directive that ends them.

use std::rc::Rc;

use super::Session;
use crate::source::{Cursor, Statement, SyntaxError, first_word, statements, syntax_error};

impl Session<'_> {
    /// Reads the lines up to one of the words that end a body, skipping nested bodies.
    pub(crate) fn body(
        &mut self,
        begins: &[&str],
        ends: &[&str],
        cursor: &Cursor<'_>,
    ) -> Result<String, SyntaxError> {
        let mut text = String::new();
        let mut depth = 0;
        let origin = self.inputs.current().map(|input| input.origin.text.clone());
        let origin = origin.unwrap_or_else(|| "".into());
        while let Some(row) = self.inputs.row() {
            let line = row.line(&origin);
            for statement in statements(line, self.asm.dialect) {
                let Statement::Order { text: order, .. } = statement else {
                    continue;
                };
                let word = first_word(order);
                let is_one = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(word));
                if is_one(begins) {
                    depth += 1;
                } else if is_one(ends) {
                    if depth == 0 {
                        return Ok(text);
                    }
                    depth -= 1;
                }
            }
            text.push_str(line);
            text.push('\n');
        }
        let end = ends[0];
        Err(syntax_error(
            0..cursor.text().len(),
            format_args!("this has no `{end}`"),
        ))
    }

    /// Passes each statement up to the ending directive to a reader, and reports all wrong ones.
    ///
    /// # Errors
    /// The ending directive is missing.
    pub(crate) fn each_statement(
        &mut self,
        end: &str,
        head: &Cursor<'_>,
        mut read: impl FnMut(&mut Self, &str) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        let text: Rc<str> = match self.inputs.current() {
            Some(input) => input.origin.text.clone(),
            None => return Ok(()),
        };
        while let Some(row) = self.inputs.row() {
            self.asm.at.line = row.number;
            for statement in statements(row.line(&text), self.asm.dialect) {
                let Statement::Order {
                    text: order,
                    indent,
                } = statement
                else {
                    continue;
                };
                self.asm.at.indent = indent;
                if order == end {
                    return Ok(());
                }
                if let Err(mut error) = read(self, order) {
                    error.span = error.span.start + indent..error.span.end + indent;
                    self.report_line(&row, *error);
                }
            }
        }
        Err(syntax_error(
            0..head.text().len(),
            format_args!("this has no `{end}`"),
        ))
    }
}
