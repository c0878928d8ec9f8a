//! The parser of expressions.

use super::number::{integer, local_label};
use super::{Binary, Expr, Function, Unary, Variant};
use crate::source::{Cursor, SyntaxError, escape, syntax_error};
use crate::state::{Definition, Location, Symbols};
use wavetank_gcn::Dialect;

/// Limit of pending operators and nested parentheses: evaluation recurses as deep.
const DEEPEST: usize = 500;

/// A parser of expressions at a place of the code.
pub(crate) struct Reader<'s> {
    symbols: &'s mut Symbols,
    /// The location of the line's bytes, which is the value of `.`.
    here: Location,
    dialect: Dialect,
    /// Whether symbols stay symbols, even if their numbers are known.
    open: bool,
    depth: usize,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(symbols: &'s mut Symbols, here: Location, dialect: Dialect) -> Self {
        Reader {
            symbols,
            here,
            dialect,
            open: false,
            depth: 0,
        }
    }

    /// Keeps symbols unevaluated: their values at the time of evaluation count.
    pub(crate) fn open(&mut self) -> &mut Self {
        self.open = true;
        self
    }

    /// Reads the longest expression at the cursor.
    ///
    /// # Errors
    /// A malformed expression, with its place.
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        let first = self.primary(cursor)?;
        let value = self.operators(cursor, first, 1)?;
        if self.dialect == Dialect::Clrx && cursor.peek() == b'?' {
            self.choice(cursor, value)
        } else {
            Ok(value)
        }
    }

    /// Reads `? YES : NO` after a condition. It associates from right to left, as in C.
    fn choice(&mut self, cursor: &mut Cursor<'_>, condition: Expr) -> Result<Expr, SyntaxError> {
        self.deeper(cursor)?;
        cursor.skip(1);
        let yes = self.read(cursor)?;
        if !cursor.eat(b':') {
            return Err(cursor.syntax_error("there should be `:` and what holds otherwise"));
        }
        let no = self.read(cursor)?;
        self.depth -= 1;
        Ok(match condition {
            Expr::Number(0) => no,
            Expr::Number(_) => yes,
            condition => Expr::Choice(Box::new([condition, yes, no])),
        })
    }

    /// Reads the operators after an operand that have at least this precedence, with their operands.
    fn operators(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut left: Expr,
        least: u8,
    ) -> Result<Expr, SyntaxError> {
        while let Some((sign, binary, strength)) = operator(cursor, self.dialect) {
            if strength < least {
                break;
            }
            let place = cursor.at()..cursor.at() + sign.len();
            cursor.skip(sign.len());
            self.deeper(cursor)?;
            let mut right = self.primary(cursor)?;
            if operator(cursor, self.dialect).is_some_and(|next| next.2 > strength) {
                right = self.operators(cursor, right, strength + 1)?;
            }
            left = match (left, right) {
                (Expr::Number(a), Expr::Number(b)) => {
                    self.depth -= 1;
                    let value = binary.of(a, b);
                    Expr::Number(value.ok_or_else(|| syntax_error(place, "this divides by zero"))?)
                }
                (left, right) => Expr::Binary(binary, Box::new([left, right])),
            };
        }
        Ok(left)
    }

    fn deeper(&mut self, cursor: &Cursor<'_>) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(cursor.syntax_error("this expression is too deep: name parts of it with `.set`"))
        } else {
            Ok(())
        }
    }

    fn primary(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        match cursor.peek() {
            b'(' => self.parenthesis(cursor),
            b'-' => self.unary(cursor, Some(Unary::Minus)),
            b'~' => self.unary(cursor, Some(Unary::Not)),
            b'!' => self.unary(cursor, Some(Unary::IsZero)),
            b'+' => self.unary(cursor, None),
            b'\'' => character(cursor),
            b'0'..=b'9' => self.number(cursor),
            b'"' => {
                let name = cursor.name()?;
                self.symbol(cursor, &name)
            }
            // After `@`, names of registers are ordinary symbols.
            b'@' if self.dialect == Dialect::Clrx => {
                cursor.skip(1);
                self.deeper(cursor)?;
                self.primary(cursor)
            }
            _ => match self.name(cursor) {
                Some(".") => Ok(Expr::Place(self.here)),
                Some(name) if cursor.peek() == b'(' => self.call(cursor, name),
                Some(name) => self.symbol(cursor, name),
                None => {
                    let shown = cursor.shown();
                    Err(cursor
                        .syntax_error(format_args!("there should be an expression, not {shown}")))
                }
            },
        }
    }

    fn name<'t>(&self, cursor: &mut Cursor<'t>) -> Option<&'t str> {
        match self.dialect {
            Dialect::Llvm => cursor.word(),
            Dialect::Clrx => cursor.path(),
        }
    }

    fn parenthesis(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        let opened = cursor.span();
        cursor.skip(1);
        self.deeper(cursor)?;
        let inner = self.read(cursor)?;
        self.depth -= 1;
        if cursor.eat(b')') {
            Ok(inner)
        } else {
            Err(syntax_error(opened, "this parenthesis is not closed"))
        }
    }

    fn unary(
        &mut self,
        cursor: &mut Cursor<'_>,
        unary: Option<Unary>,
    ) -> Result<Expr, SyntaxError> {
        cursor.skip(1);
        self.deeper(cursor)?;
        let operand = self.primary(cursor)?;
        self.depth -= 1;
        Ok(match (unary, operand) {
            (None, operand) => operand,
            (Some(unary), Expr::Number(n)) => Expr::Number(unary.of(n)),
            (Some(unary), operand) => Expr::Unary(unary, Box::new(operand)),
        })
    }

    fn number(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        if let Some((length, value)) = integer(cursor.rest()) {
            cursor.skip(length);
            return Ok(Expr::Number(value as i64));
        }
        let place = cursor.span();
        if let Some((length, number, before)) = local_label(cursor.rest()) {
            cursor.skip(length);
            let id = self.symbols.local(number, before);
            let id = id.ok_or_else(|| {
                syntax_error(place, format_args!("there is no label `{number}` before"))
            })?;
            return Ok(Expr::Symbol(id, Variant::None));
        }
        let shown = cursor.shown();
        Err(syntax_error(
            place,
            format_args!("{shown} is not an integer of 64 bits"),
        ))
    }

    /// Reads a symbol with its variant. A known number replaces the symbol at once, since it may be set again later.
    fn symbol(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Result<Expr, SyntaxError> {
        let variant = variant(cursor)?;
        let id = self.symbols.id(name);
        match &self.symbols[id].definition {
            Definition::Variable(Expr::Number(n)) if variant == Variant::None && !self.open => {
                Ok(Expr::Number(*n))
            }
            _ => Ok(Expr::Symbol(id, variant)),
        }
    }

    fn call(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Result<Expr, SyntaxError> {
        let row = Function::ALL.iter().find(|row| row.0 == name);
        let Some((_, function, count)) = row else {
            return Err(
                cursor.syntax_error(format_args!("there is no function `{name}` in expressions"))
            );
        };
        let place = cursor.span();
        cursor.skip(1);
        self.deeper(cursor)?;
        let mut operands = vec![self.read(cursor)?];
        while cursor.comma() {
            operands.push(self.read(cursor)?);
        }
        self.depth -= 1;
        if !cursor.eat(b')') {
            return Err(syntax_error(place, "this parenthesis is not closed"));
        }
        if let Some(count) = count.filter(|count| *count != operands.len()) {
            let found = operands.len();
            return Err(syntax_error(
                place,
                format_args!("`{name}` has {count} operands, not {found}"),
            ));
        }
        Ok(Expr::Call(*function, operands))
    }
}

/// Returns the operator at the cursor. Signs that are not operators end an expression: `=` alone is an assignment.
fn operator(cursor: &Cursor<'_>, dialect: Dialect) -> Option<(&'static str, Binary, u8)> {
    let rest = cursor.rest();
    let first = rest.bytes().next()?;
    if !b"|&=!<>+-^*/%".contains(&first) {
        return None;
    }
    let own: &[_] = if dialect == Dialect::Clrx {
        &Binary::CLRX
    } else {
        &[]
    };
    let mut rows = own.iter().chain(&Binary::ALL);
    let found = rows.find(|row| rest.starts_with(row.0));
    found.copied().filter(|row| row.0 != "=")
}

/// Reads an optional variant, `@` and a name, after a symbol.
fn variant(cursor: &mut Cursor<'_>) -> Result<Variant, SyntaxError> {
    if cursor.peek() != b'@' {
        return Ok(Variant::None);
    }
    let rest = &cursor.rest()[1..];
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'@');
    let length = length.count();
    let name = rest[..length].to_ascii_lowercase();
    let Some((_, variant)) = Variant::ALL.into_iter().find(|row| row.0 == name) else {
        let place = cursor.at()..cursor.at() + 1 + length;
        let names: Vec<&str> = Variant::ALL.iter().map(|row| row.0).collect();
        let names = names.join(", @");
        return Err(syntax_error(
            place,
            format_args!("`@{name}` is none of @{names}"),
        ));
    };
    cursor.skip(1 + length);
    Ok(variant)
}

/// Reads a character in single quotes; its value is its code.
fn character(cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
    let start = cursor.at();
    let rest = &cursor.rest()[1..];
    if let Some((number, end)) = coded(cursor.text(), start + 1) {
        cursor.go(end);
        return Ok(Expr::Number(number));
    }
    let mut chars = rest.chars();
    let (value, length) = match (chars.next(), chars.next()) {
        (Some('\\'), Some(escape)) => {
            let value = match escape {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '0' => '\0',
                other => other,
            };
            (value, 1 + escape.len_utf8())
        }
        (Some(plain), _) => (plain, plain.len_utf8()),
        (None, _) => {
            return Err(syntax_error(
                start..start + 1,
                "there should be a character here",
            ));
        }
    };
    let closed = rest[length..].starts_with('\'');
    if !closed {
        return Err(syntax_error(
            start..start + 1,
            "this character has no end quote",
        ));
    }
    cursor.skip(length + 2);
    Ok(Expr::Number(u32::from(value).into()))
}

/// Reads a character by its code, `'\x41'` or `'\101'`, which CLRX allows; returns the code and the place after it.
fn coded(text: &str, at: usize) -> Option<(i64, usize)> {
    let mut byte = Vec::new();
    let is_code = text[at..].starts_with("\\x") || text[at..].starts_with("\\1");
    let end = is_code.then(|| escape(text, at, &mut byte).ok())??;
    text[end..]
        .starts_with('\'')
        .then(|| (byte[0].into(), end + 1))
}
