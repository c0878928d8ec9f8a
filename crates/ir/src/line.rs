//! The line parser of the text form: the name of an operation, then its operands.

use std::collections::HashMap;

use crate::lane_fn::LaneFn;
use crate::scan::{Parsed, Scanner};
use crate::types::Value;

/// The reason why a line does not match.
pub(crate) enum Miss {
    /// The line may be another row's. Only its name has been consumed.
    Row,
    /// An error at the position of the scanner.
    Here(String),
}

impl From<String> for Miss {
    fn from(message: String) -> Miss {
        Miss::Here(message)
    }
}

/// The names that a line may use.
pub(crate) struct Names<'a> {
    /// The values by their names.
    pub(crate) values: HashMap<&'a str, Value>,
    pub(crate) lane_fn: &'a dyn Fn(&str) -> Option<&'static LaneFn>,
}

/// A named field of the line.
struct Named<'a> {
    name: &'a str,
    /// The position where the field begins.
    start: usize,
    /// The position after the field's name.
    name_end: usize,
}

/// A line after the name of its operation.
pub(crate) struct Line<'s, 'a> {
    pub(crate) s: &'s mut Scanner<'a>,
    names: &'s Names<'a>,
    /// The part of the name that is not parsed yet.
    name: &'a str,
    /// Whether an operand has been parsed, so that a comma separates it from the next.
    comma: bool,
    /// The fields that are not parsed yet, if they are found by their names.
    fields: Option<Vec<Named<'a>>>,
    /// The name of the next field.
    pub(crate) field: &'static str,
}

impl<'s, 'a> Line<'s, 'a> {
    pub(crate) fn new(s: &'s mut Scanner<'a>, names: &'s Names<'a>, name: &'a str) -> Self {
        Line {
            s,
            names,
            name,
            comma: false,
            fields: None,
            field: "",
        }
    }

    /// Parses a row whose name begins with this text. If the line is another row's, the state is unchanged.
    pub(crate) fn row<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self) -> Result<T, Miss>,
    ) -> Result<T, Miss> {
        let (name, comma, mark) = (self.name, self.comma, self.s.mark());
        self.name = name.strip_prefix(text).ok_or(Miss::Row)?;
        let row = read(self);
        if let Err(Miss::Row) = row {
            (self.name, self.comma) = (name, comma);
            self.s.reset(mark);
        }
        row
    }

    /// Parses a piece of the name, up to its end or a point.
    pub(crate) fn name<T>(&mut self, find: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Miss> {
        let end = self.name.find('.').unwrap_or(self.name.len());
        let (piece, rest) = self.name.split_at(end);
        self.name = rest;
        find(piece).ok_or(Miss::Row)
    }

    /// Parses a point and a piece of the name.
    pub(crate) fn suffix<T>(&mut self, find: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Miss> {
        self.name = self.name.strip_prefix('.').ok_or(Miss::Row)?;
        self.name(find)
    }

    /// Checks that the whole name has been parsed, so that operands may follow.
    pub(crate) fn name_is_read(&self) -> Result<(), Miss> {
        if self.name.is_empty() {
            Ok(())
        } else {
            Err(Miss::Row)
        }
    }

    /// Advances to the next operand.
    pub(crate) fn item(&mut self) -> Result<(), Miss> {
        self.name_is_read()?;
        if self.fields.is_some() {
            self.field_is_read()?;
            let field = self.take_field();
            let field = field.ok_or_else(|| format!("the field `{}` is missing", self.field))?;
            self.s.reset(field.name_end);
        } else if std::mem::replace(&mut self.comma, true) {
            self.s.expect(',')?;
        }
        Ok(())
    }

    /// Advances to the next word, which has no comma on either side.
    pub(crate) fn word(&mut self) -> Result<(), Miss> {
        self.comma = false;
        self.name_is_read()
    }

    /// Whether another operand follows: the named field, or one for which `looks` is true.
    pub(crate) fn goes_on(&mut self, looks: impl FnOnce(&mut Scanner<'a>) -> bool) -> bool {
        if let Some(fields) = &self.fields {
            return fields.iter().any(|f| f.name == self.field);
        }
        let start = self.s.mark();
        let is_there = self.s.eat(',') && looks(self.s);
        self.s.reset(start);
        is_there
    }

    /// Marks the rest of the line as `, name field, …` in any order, for rows of this name.
    pub(crate) fn by_name(&mut self, name: &'a str) -> Parsed {
        let mut fields = Vec::new();
        while self.s.eat(',') {
            let start = self.s.mark();
            let name = self.s.word("the name of a field")?;
            let name_end = self.s.mark();
            self.s.skip_item();
            fields.push(Named {
                name,
                start,
                name_end,
            });
        }
        (self.name, self.fields) = (name, Some(fields));
        Ok(())
    }

    /// Checks that the line is at its end, and that all named fields have been parsed.
    pub(crate) fn all_is_read(&mut self) -> Parsed {
        self.field_is_read()?;
        match self.fields.iter().flatten().next() {
            Some(&Named { name, start, .. }) => {
                self.s.reset(start);
                Err(format!(
                    "there is no field `{name}` here, or it is named twice"
                ))
            }
            None => {
                while self.s.eat(',') {
                    self.s.skip_item();
                }
                Ok(())
            }
        }
    }

    /// Checks that the field ends at a comma.
    fn field_is_read(&mut self) -> Parsed {
        if self.s.looks_at(',') {
            Ok(())
        } else {
            self.s.end()
        }
    }

    /// Takes the named field that is parsed next, if the line has it.
    fn take_field(&mut self) -> Option<Named<'a>> {
        let fields = self.fields.as_mut()?;
        let at = fields.iter().position(|f| f.name == self.field)?;
        Some(fields.remove(at))
    }

    /// Parses a value that an earlier line defines.
    pub(crate) fn value(&mut self) -> Parsed<Value> {
        let start = self.s.mark();
        let name = self.s.value_name()?;
        self.names.values.get(name).copied().ok_or_else(|| {
            self.s.reset(start);
            format!("%{name} is not defined above")
        })
    }

    /// Parses `[%value, …]`, or the same in other brackets; the list may be empty.
    pub(crate) fn values(&mut self, open: char, close: char) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        self.s.expect(open)?;
        if !self.s.eat(close) {
            values.push(self.value()?);
            while self.s.eat(',') {
                values.push(self.value()?);
            }
            self.s.expect(close)?;
        }
        Ok(values)
    }

    /// Parses the name of a lane function.
    pub(crate) fn lane_fn(&mut self) -> Parsed<&'static LaneFn> {
        let start = self.s.mark();
        let name = self.s.word("the name of a lane function")?;
        (self.names.lane_fn)(name).ok_or_else(|| {
            self.s.reset(start);
            format!("there is no lane function `{name}`")
        })
    }
}
