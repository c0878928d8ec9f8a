//! Line tables of the source's own lines, for hand-written code: faults, traces and checks name them.

use std::rc::Rc;

use super::Assembler;
use crate::state::{File, LineRow};

impl Assembler<'_> {
    /// Begins the row of the current statement. What macros and repetitions make has the line of the file that uses them.
    pub(super) fn begin_own_row(&mut self) {
        let Some(origin) = self.at.origin.as_ref().filter(|_| self.has_own_lines) else {
            return;
        };
        let (name, line) = origin.in_file(self.at.line);
        let file = self.own_file(name);
        self.lines.pending = Some(LineRow {
            file,
            line: line as u64,
            ..LineRow::FIRST
        });
    }

    /// Returns the number of a file, from 1.
    fn own_file(&mut self, name: Rc<str>) -> u64 {
        let files = &mut self.lines.files;
        if files.is_empty() {
            files.push(None);
        }
        // Nearly always the last one, or one of few.
        let is_it = |file: &Option<File>| file.as_ref().is_some_and(|file| file.name == name);
        let at = files.iter().rposition(is_it).unwrap_or_else(|| {
            files.push(Some(File {
                folder: None,
                name,
                md5: None,
            }));
            files.len() - 1
        });
        at as u64
    }

    /// Whether the line table is made of the source's own lines.
    pub(crate) fn has_own_lines(&self) -> bool {
        self.has_own_lines
    }

    /// Gives the line table to a source with `.file` and `.loc` of its own.
    pub(crate) fn leave_own_lines(&mut self) {
        if std::mem::take(&mut self.has_own_lines) {
            self.lines = crate::state::Lines::default();
        }
    }
}
