//! Reads a line of the text form piece by piece: the name of its operation, and
//! the operands behind it.

use std::collections::HashMap;

use crate::lane_fn::LaneFn;
use crate::op::Value;
use crate::scan::{Parsed, Scanner};

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

/// A line behind the name of its operation.
pub(crate) struct Line<'s, 'a> {
    pub(crate) s: &'s mut Scanner<'a>,
    names: &'s Names<'a>,
    /// What is still to be read of the name.
    name: &'a str,
    /// Whether an operand has been read that a comma separates from the next.
    comma: bool,
}

impl<'s, 'a> Line<'s, 'a> {
    pub(crate) fn new(s: &'s mut Scanner<'a>, names: &'s Names<'a>, name: &'a str) -> Self {
        Line {
            s,
            names,
            name,
            comma: false,
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
        if std::mem::replace(&mut self.comma, true) {
            self.s.expect(',')?;
        }
        Ok(())
    }

    /// Goes to the place where a word begins, which has no comma on either side.
    pub(crate) fn word(&mut self) -> Result<(), Miss> {
        self.comma = false;
        self.name_is_read()
    }

    /// Whether another operand follows that looks so.
    pub(crate) fn goes_on(&mut self, looks: impl FnOnce(&mut Scanner<'a>) -> bool) -> bool {
        let start = self.s.mark();
        let is_there = self.s.eat(',') && looks(self.s);
        self.s.reset(start);
        is_there
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
