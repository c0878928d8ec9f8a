//! Reads a line of the text form piece by piece: the name of its operation, and
//! the operands behind it.

use std::collections::HashMap;

use crate::lane_fn::LaneFn;
use crate::scan::{Parsed, Scanner};
use crate::types::Value;

/// Why a line does not give what was looked for.
pub(crate) enum Miss {
    /// It may be another row's. Nothing but its name was read for good.
    Row,
    /// What is wrong where the scanner stands.
    Here(String),
}

impl From<String> for Miss {
    fn from(message: String) -> Miss {
        Miss::Here(message)
    }
}

/// What a line may name.
pub(crate) struct Names<'a> {
    /// The value each name stands for.
    pub(crate) values: HashMap<&'a str, Value>,
    pub(crate) lane_fn: &'a dyn Fn(&str) -> Option<&'static LaneFn>,
}

/// A field that the line names.
struct Named<'a> {
    name: &'a str,
    /// Where it begins.
    start: usize,
    /// What stands behind its name.
    behind: usize,
}

/// A line behind the name of its operation.
pub(crate) struct Line<'s, 'a> {
    pub(crate) s: &'s mut Scanner<'a>,
    names: &'s Names<'a>,
    /// What is still to be read of the name.
    name: &'a str,
    /// Whether an operand has been read that a comma separates from the next.
    comma: bool,
    /// The fields that are still to be read, if they are found by their names.
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

    /// Reads a row whose name begins with this text. If the line is another
    /// row's, all is as before.
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

    /// A piece of the name, up to its end or a point.
    pub(crate) fn name<T>(&mut self, find: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Miss> {
        let end = self.name.find('.').unwrap_or(self.name.len());
        let (piece, rest) = self.name.split_at(end);
        self.name = rest;
        find(piece).ok_or(Miss::Row)
    }

    /// A point and a piece of the name.
    pub(crate) fn suffix<T>(&mut self, find: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Miss> {
        self.name = self.name.strip_prefix('.').ok_or(Miss::Row)?;
        self.name(find)
    }

    /// Operands stand behind the whole name.
    pub(crate) fn name_is_read(&self) -> Result<(), Miss> {
        if self.name.is_empty() {
            Ok(())
        } else {
            Err(Miss::Row)
        }
    }

    /// Goes to the place where an operand begins.
    pub(crate) fn item(&mut self) -> Result<(), Miss> {
        self.name_is_read()?;
        if self.fields.is_some() {
            self.field_is_read()?;
            let field = self.take_field();
            let field = field.ok_or_else(|| format!("the field `{}` is missing", self.field))?;
            self.s.reset(field.behind);
        } else if std::mem::replace(&mut self.comma, true) {
            self.s.expect(',')?;
        }
        Ok(())
    }

    /// Goes to the place where a word begins, which has no comma on either side.
    pub(crate) fn word(&mut self) -> Result<(), Miss> {
        self.comma = false;
        self.name_is_read()
    }

    /// Whether another operand follows, which looks so if it has no name.
    pub(crate) fn goes_on(&mut self, looks: impl FnOnce(&mut Scanner<'a>) -> bool) -> bool {
        if let Some(fields) = &self.fields {
            return fields.iter().any(|f| f.name == self.field);
        }
        let start = self.s.mark();
        let is_there = self.s.eat(',') && looks(self.s);
        self.s.reset(start);
        is_there
    }

    /// The rest of the line is `, name field, …` in any order. It belongs to rows
    /// of this name.
    pub(crate) fn by_name(&mut self, name: &'a str) -> Parsed {
        let mut fields = Vec::new();
        while self.s.eat(',') {
            let start = self.s.mark();
            let name = self.s.word("the name of a field")?;
            let behind = self.s.mark();
            self.s.skip_item();
            fields.push(Named {
                name,
                start,
                behind,
            });
        }
        (self.name, self.fields) = (name, Some(fields));
        Ok(())
    }

    /// Checks that the line is at its end, and that all named fields have been read.
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

    /// A field ends at a comma.
    fn field_is_read(&mut self) -> Parsed {
        match self.s.looks_at(',') {
            true => Ok(()),
            false => self.s.end(),
        }
    }

    /// The next field, if it is named.
    fn take_field(&mut self) -> Option<Named<'a>> {
        let fields = self.fields.as_mut()?;
        let at = fields.iter().position(|f| f.name == self.field)?;
        Some(fields.remove(at))
    }

    /// A value that an earlier line defines.
    pub(crate) fn value(&mut self) -> Parsed<Value> {
        let start = self.s.mark();
        let name = self.s.value_name()?;
        self.names.values.get(name).copied().ok_or_else(|| {
            self.s.reset(start);
            format!("%{name} is not defined above")
        })
    }

    /// `[%value, …]` or in other brackets; there may be none.
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

    /// The name of a lane function.
    pub(crate) fn lane_fn(&mut self) -> Parsed<&'static LaneFn> {
        let start = self.s.mark();
        let name = self.s.word("the name of a lane function")?;
        (self.names.lane_fn)(name).ok_or_else(|| {
            self.s.reset(start);
            format!("there is no lane function `{name}`")
        })
    }
}
