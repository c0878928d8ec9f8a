//! Named registers: `pair = %s[4:5]`, then `pair`, `pair[0]`.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{Definition, Registers};

impl Assembler<'_> {
    /// Reads the registers after the `%` of an assignment: `v0`, `s[2:3]`, special registers by name, or named ones.
    pub(crate) fn registers(&mut self, cursor: &mut Cursor<'_>) -> Result<Registers, SyntaxError> {
        if let Some(named) = self.named_registers(cursor)? {
            return Ok(named);
        }
        let place = cursor.span();
        let Some(word) = cursor.word() else {
            return Err(syntax_error(place, "there should be a register"));
        };
        let word = word.to_ascii_lowercase();
        let file = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let count = match file {
            "v" => 256,
            "s" => 104,
            "ttmp" => 16,
            _ => 0,
        };
        let all = Registers {
            file: if count == 0 { &*word } else { file }.into(),
            first: 0,
            count,
        };
        if count == 0 {
            return Ok(all);
        }
        match word[file.len()..].parse() {
            Ok(number) => part(&all, number, number, place),
            Err(_) => self.indexed(all, cursor),
        }
    }

    /// Reads registers by a name that the source gave them, with or without an index, if there is such a name.
    pub(crate) fn named_registers(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Registers>, SyntaxError> {
        let mut ahead = *cursor;
        let Some(id) = ahead.path().and_then(|name| self.symbols.find(name)) else {
            return Ok(None);
        };
        let Definition::Registers(all) = &self.symbols[id].definition else {
            return Ok(None);
        };
        let all = all.clone();
        *cursor = ahead;
        self.indexed(all, cursor).map(Some)
    }

    /// Reads an optional `[2]` or `[2:3]` after registers, which selects some of them.
    fn indexed(
        &mut self,
        all: Registers,
        cursor: &mut Cursor<'_>,
    ) -> Result<Registers, SyntaxError> {
        let start = cursor.at();
        if !cursor.eat(b'[') {
            return Ok(all);
        }
        let first = self.number(cursor)?;
        let last = if cursor.eat(b':') {
            self.number(cursor)?
        } else {
            first
        };
        if !cursor.eat(b']') {
            return Err(cursor.syntax_error("there should be `]`"));
        }
        let end = cursor.text()[..cursor.at()].trim_end().len();
        part(&all, first, last, start..end)
    }
}

fn part(
    all: &Registers,
    first: i64,
    last: i64,
    place: Range<usize>,
) -> Result<Registers, SyntaxError> {
    let part = all.part(first, last);
    part.ok_or_else(|| syntax_error(place, format_args!("`{all}` has no such registers")))
}
