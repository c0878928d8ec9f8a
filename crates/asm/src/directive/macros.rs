//! Macros: texts with operands.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::rc::Rc;

use wavetank_isa::Dialect;

use super::{Handler, row};
use crate::assembler::Assembler;
use crate::source::{Cursor, OriginKind, Repeat, Statement, Wrong, first_word, statements, wrong};

/// Bytes that an expansion has at most.
pub(super) const LARGEST: usize = 16 << 20;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".macro", define),
    row(".endm", |_, c| alone(c, ".macro")),
    row(".endmacro", |_, c| alone(c, ".macro")),
    row(".purgem", purge),
    row(".exitm", leave),
    row(".altmacro", |a, c| { a.alternate = true; c.end() }),
    row(".noaltmacro", |a, c| { a.alternate = false; c.end() }),
    row(".macros_on", |_, c| c.end()),
    row(".macros_off", |_, c| c.end()),
];

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro {
    name: Rc<str>,
    parameters: Vec<Parameter>,
    /// The numbers of the parameters by name.
    by_name: HashMap<String, usize>,
    body: String,
}

/// A parameter of a macro.
#[derive(Debug)]
struct Parameter {
    name: String,
    default: Option<String>,
    required: bool,
    /// Whether it takes all that is left.
    rest: bool,
}

/// The end of something that has no beginning.
pub(super) fn alone(cursor: Cursor<'_>, beginning: &str) -> Result<(), Wrong> {
    Err(wrong(
        0..cursor.text().len(),
        format_args!("no `{beginning}` stands before"),
    ))
}

/// Reads the lines up to one of the words that end a body, over those that belong to inner ones.
pub(super) fn body(
    a: &mut Assembler<'_>,
    begins: &[&str],
    ends: &[&str],
    cursor: &Cursor<'_>,
) -> Result<String, Wrong> {
    let mut text = String::new();
    let mut depth = 0;
    let origin = a.inputs.current().map(|input| input.origin.text.clone());
    let origin = origin.unwrap_or_else(|| "".into());
    while let Some(row) = a.inputs.row() {
        let line = row.line(&origin);
        for statement in statements(line, a.dialect) {
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
    Err(wrong(
        0..cursor.text().len(),
        format_args!("this has no `{end}`"),
    ))
}

/// `.macro NAME A, B=DEFAULT, C:req, D:vararg`
fn define(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let head = cursor;
    let name = cursor.name();
    let parameters = name.and_then(|name| Ok((name, parameters(&mut cursor)?)));
    // The body is read even where its head is wrong: it is no source of its own.
    let body = body(a, &[".macro"], &[".endm", ".endmacro"], &head)?;
    let (name, parameters) = parameters?;
    if a.macros.contains_key(&*a.macro_key(&name)) {
        let message = format!("there is another macro `{name}`: `.purgem {name}` forgets it");
        return Err(wrong(place, message));
    }
    let key: Rc<str> = a.macro_key(&name).into();
    let names = parameters.iter().map(|p| p.name.clone());
    let made = Macro {
        name: name.into(),
        by_name: names.zip(0..).collect(),
        parameters,
        body,
    };
    a.macros.insert(key, Rc::new(made));
    Ok(())
}

fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Parameter>, Wrong> {
    let mut all: Vec<Parameter> = Vec::new();
    let mut names = HashSet::new();
    cursor.comma();
    while !cursor.is_at_end() {
        let place = cursor.span();
        let name = cursor.name()?.into_owned();
        if !names.insert(name.clone()) {
            return Err(wrong(
                place,
                format_args!("there is another parameter `{name}`"),
            ));
        }
        if all.last().is_some_and(|p| p.rest) {
            return Err(wrong(place, "a parameter that takes the rest is the last"));
        }
        let mut parameter = Parameter {
            name,
            default: None,
            required: false,
            rest: false,
        };
        if cursor.eat(b':') {
            let place = cursor.span();
            match cursor.word() {
                Some("req") => parameter.required = true,
                Some("vararg") => parameter.rest = true,
                _ => return Err(wrong(place, "there should be `req` or `vararg`")),
            }
        }
        if cursor.eat(b'=') {
            parameter.default = Some(argument(cursor)?);
        }
        all.push(parameter);
        cursor.comma();
    }
    Ok(all)
}

fn purge(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let name = cursor.name()?;
    let key = a.macro_key(&name).into_owned();
    match a.macros.remove(&*key) {
        Some(_) => cursor.end(),
        None => Err(wrong(place, format_args!("there is no macro `{name}`"))),
    }
}

/// `.exitm`: leaves the macro, or the repetition that it stands in, whatever conditions are open in it.
fn leave(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    cursor.end()?;
    let Some(input) = a.inputs.current() else {
        return Ok(());
    };
    match input.origin.kind {
        OriginKind::File(_) | OriginKind::Signatures => alone(cursor, ".macro"),
        OriginKind::Macro(_) | OriginKind::Repetition(_) => {
            a.conditions.truncate(input.conditions);
            a.pop();
            Ok(())
        }
    }
}

/// One operand of a macro: up to a comma, or a blank with no operator beside it; what stands in quotes without them.
fn argument(cursor: &mut Cursor<'_>) -> Result<String, Wrong> {
    let start = cursor.at();
    let text = cursor.text();
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut depth) = (start, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let mut quote = Cursor::new(text, at);
                quote.quoted()?;
                let end = text[..quote.at()].trim_end().len();
                out.push_str(&text[at + 1..end - 1]);
                at = end;
                continue;
            }
            b',' if depth == 0 => break,
            b'(' => depth += 1,
            b')' => depth = (depth - 1).max(0),
            blank if blank.is_ascii_whitespace() && depth == 0 => {
                let next = at + (text[at..].len() - text[at..].trim_start().len());
                if !joins(bytes, start, at, next) {
                    break;
                }
                at = next;
                continue;
            }
            _ => {}
        }
        let length = text[at..].chars().next().map_or(1, char::len_utf8);
        out.push_str(&text[at..at + length]);
        at += length;
    }
    cursor.go(at);
    Ok(out)
}

/// All operands that are left.
pub(super) fn arguments_of(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Wrong> {
    let mut all = Vec::new();
    while !cursor.is_at_end() {
        all.push(argument(cursor)?);
        cursor.comma();
    }
    Ok(all)
}

/// Whether blanks stand beside an operator, which joins what is around them.
fn joins(bytes: &[u8], start: usize, blank: usize, next: usize) -> bool {
    let operator = |b: u8| b"+-*/%<>&|^=!~".contains(&b);
    let after = bytes.get(next).copied().unwrap_or(0);
    let before = if blank > start { bytes[blank - 1] } else { 0 };
    // `~` and `!` begin an operand.
    (operator(after) && !matches!(after, b'~' | b'!')
        || after == b'!' && bytes.get(next + 1) == Some(&b'='))
        || operator(before)
}

impl Assembler<'_> {
    /// By what a macro is known: CLRX does not ask for the case of its name, unless it is told to.
    fn macro_key<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let folds = self.dialect == Dialect::Clrx && !self.program.cased;
        match folds && word.bytes().any(|b| b.is_ascii_uppercase()) {
            true => word.to_ascii_lowercase().into(),
            false => word.into(),
        }
    }

    /// Whether a word is the name of a macro.
    pub(crate) fn is_macro(&self, word: &str) -> bool {
        !self.macros.is_empty() && self.macros.contains_key(&*self.macro_key(word))
    }

    /// Expands the macro of this name, if there is one.
    pub(crate) fn expand(&mut self, word: &str, text: &str) -> Result<bool, Wrong> {
        let Some(made) = self.macros.get(&*self.macro_key(word)).cloned() else {
            return Ok(false);
        };
        let mut cursor = Cursor::new(text, word.len());
        let values = self.arguments(&made, &mut cursor)?;
        let mut names: Vec<&str> = made.parameters.iter().map(|p| p.name.as_str()).collect();
        let mut values = values;
        let mut body = made.body.as_str();
        let stripped;
        if self.alternate {
            stripped = self.locals(body, &mut values);
            body = &stripped.0;
            names.extend(stripped.1.iter().map(String::as_str));
        }
        let count = self.expansions;
        self.expansions += 1;
        let out = substitute(body, &names, &values, count, self.alternate);
        if out.len() > LARGEST {
            return Err(wrong(
                0..word.len(),
                format_args!("`{word}` grows to more than 16 megabytes here"),
            ));
        }
        let (kind, line, conditions) = (
            OriginKind::Macro(made.name.clone()),
            self.line(),
            self.conditions.len(),
        );
        match self
            .inputs
            .push(kind, out.into(), Some(line), Repeat::Once, conditions)
        {
            true => Ok(true),
            false => Err(wrong(
                0..word.len(),
                format_args!("`{word}` stands too deep: does it end calling itself?"),
            )),
        }
    }

    /// The values of a macro's parameters.
    fn arguments(&mut self, made: &Macro, cursor: &mut Cursor<'_>) -> Result<Vec<String>, Wrong> {
        let mut given: Vec<Option<String>> = made.parameters.iter().map(|_| None).collect();
        let mut next = 0;
        while !cursor.is_at_end() {
            let place = cursor.span();
            let at = match self.named(made, cursor) {
                Some(at) => at,
                None => next,
            };
            next = at + 1;
            let Some(parameter) = made.parameters.get(at) else {
                let (name, count) = (&made.name, made.parameters.len());
                return Err(wrong(
                    place,
                    format_args!("`{name}` has {count} parameters: this is one more"),
                ));
            };
            let value = match parameter.rest {
                true => {
                    let rest = cursor.rest().trim_end();
                    cursor.go(cursor.text().len());
                    rest.to_owned()
                }
                false if self.alternate => self.alternate_argument(cursor)?,
                // CLRX's form of `%EXPR`, without `.altmacro`.
                false if self.dialect == Dialect::Clrx && cursor.rest().starts_with("\\%") => {
                    cursor.skip(2);
                    self.number(cursor)?.to_string()
                }
                false => argument(cursor)?,
            };
            given[at] = Some(value);
            cursor.comma();
        }
        let end = cursor.span();
        let values = given.into_iter().zip(&made.parameters);
        let values = values.map(|(given, parameter)| match (given, &parameter.default) {
            (Some(value), _) if !value.is_empty() => Ok(value),
            (_, Some(default)) => Ok(default.clone()),
            (_, None) if parameter.required => {
                let (name, parameter) = (&made.name, &parameter.name);
                Err(wrong(
                    end.clone(),
                    format_args!("`{name}` needs a value for `{parameter}`"),
                ))
            }
            (given, None) => Ok(given.unwrap_or_default()),
        });
        values.collect()
    }

    /// The parameter that is named here with `=`; the cursor goes behind it.
    fn named(&self, made: &Macro, cursor: &mut Cursor<'_>) -> Option<usize> {
        let mut ahead = *cursor;
        let word = ahead.word()?;
        if !ahead.eat(b'=') || ahead.peek() == b'=' {
            return None;
        }
        let at = *made.by_name.get(word)?;
        *cursor = ahead;
        Some(at)
    }

    /// An operand under `.altmacro`: `%EXPR` is its number, `<TEXT>` the text, in which `!` escapes.
    fn alternate_argument(&mut self, cursor: &mut Cursor<'_>) -> Result<String, Wrong> {
        match cursor.peek() {
            b'%' => {
                cursor.skip(1);
                Ok(self.number(cursor)?.to_string())
            }
            mark @ (b'<' | b'\'') if mark == b'<' || self.dialect == Dialect::Clrx => {
                let end = if mark == b'<' { '>' } else { '\'' };
                let mut out = String::new();
                let rest = cursor.rest();
                let mut chars = rest.char_indices().skip(1);
                while let Some((at, c)) = chars.next() {
                    match c {
                        c if c == end => {
                            cursor.skip(at + 1);
                            return Ok(out);
                        }
                        '!' => out.extend(chars.next().map(|(_, c)| c)),
                        c => out.push(c),
                    }
                }
                Err(cursor.wrong(format_args!("there is no `{end}` that ends this")))
            }
            _ => argument(cursor),
        }
    }

    /// The body without its lines `LOCAL a, b`, and these names, with values that no other expansion has.
    fn locals(&mut self, body: &str, values: &mut Vec<String>) -> (String, Vec<String>) {
        let (mut text, mut names) = (String::new(), Vec::new());
        for line in body.lines() {
            let words = line.trim_start();
            match words
                .get(..6)
                .filter(|word| word.eq_ignore_ascii_case("LOCAL "))
            {
                Some(_) => {
                    for name in words[6..].split(',') {
                        names.push(name.trim().to_owned());
                        values.push(format!(".LL{:04}_{}", self.expansions, names.len()));
                    }
                    // The line stays, so that the others keep their numbers.
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        (text, names)
    }
}

/// Names by which the values of an expansion are found: a macro may have many.
enum Numbers<'n> {
    Few(&'n [&'n str]),
    Many(HashMap<&'n str, usize>),
}

impl<'n> Numbers<'n> {
    /// So many names are looked through as fast as a table.
    const FEW: usize = 16;

    fn of(names: &'n [&'n str]) -> Self {
        if names.len() <= Self::FEW {
            return Numbers::Few(names);
        }
        let mut table = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            table.entry(*name).or_insert(at);
        }
        Numbers::Many(table)
    }

    fn find(&self, word: &str) -> Option<usize> {
        match self {
            Numbers::Few(names) => names.iter().position(|name| *name == word),
            Numbers::Many(table) => table.get(word).copied(),
        }
    }
}

/// The body with values for `\NAME`, the count of expansions for `\@`, and nothing for `\()`. `plain`: names count without
/// `\`, too.
pub(super) fn substitute(
    body: &str,
    names: &[&str],
    values: &[String],
    count: u64,
    plain: bool,
) -> String {
    let mut out = String::with_capacity(body.len() + 64);
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
    let bytes = body.as_bytes();
    let numbers = Numbers::of(names);
    let value = |word: &str| numbers.find(word).map(|at| values[at].as_str());
    let word_at =
        |at: usize| &body[at..at + bytes[at..].iter().take_while(|b| is_part(**b)).count()];
    let mut at = 0;
    while at < bytes.len() && out.len() <= LARGEST {
        let rest = &bytes[at..];
        match rest {
            [b'\\', b'@', ..] => {
                // Writing to a string does not fail.
                let _ = write!(out, "{count}");
                at += 2;
            }
            [b'\\', b'(', b')', ..] => at += 3,
            [b'\\', b, ..] if is_part(*b) => {
                let word = word_at(at + 1);
                at += 1 + word.len();
                match value(word) {
                    Some(value) => {
                        out.push_str(value);
                        // The mark that ends a name is no part of what follows.
                        at += match &bytes[at..] {
                            [b'\\', b'(', b')', ..] => 3,
                            [b'&', ..] if plain => 1,
                            _ => 0,
                        };
                    }
                    None => {
                        out.push('\\');
                        out.push_str(word);
                    }
                }
            }
            [b, ..] if plain && is_part(*b) => {
                let word = word_at(at);
                at += word.len();
                let value = value(word);
                out.push_str(value.unwrap_or(word));
                at += usize::from(value.is_some() && bytes.get(at) == Some(&b'&'));
            }
            _ => {
                let special = |b: &u8| *b == b'\\' || plain && is_part(*b);
                let length = 1 + rest[1..].iter().take_while(|b| !special(b)).count();
                out.push_str(&body[at..at + length]);
                at += length;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_they_are_ended() {
        let values = ["1".to_owned(), "v".to_owned()];
        let out = substitute(r"\r\a\()_\r\()x \@ \q é\a", &["a", "r"], &values, 7, false);
        assert_eq!(out, r"v1_vx 7 \q é1");
    }

    #[test]
    fn alternate_names_need_no_mark_and_end_at_an_ampersand() {
        // As LLVM 19 has it; LLVM 14 keeps the sign.
        let values = ["1".to_owned(), "v".to_owned()];
        let out = substitute(r"&r& \r&a b&a \r\()&", &["a", "r"], &values, 0, true);
        assert_eq!(out, "&v v1 b&1 v&");
    }

    #[test]
    fn operands_end_at_commas_and_blanks() {
        let read = |text: &str| {
            let mut cursor = Cursor::new(text, 0);
            let mut all = Vec::new();
            while !cursor.is_at_end() {
                all.push(argument(&mut cursor).expect("an operand"));
                cursor.comma();
            }
            all
        };
        assert_eq!(
            read(r#"a b,"c, d" 1 + 2 f(x, y) v[0:1]"#),
            ["a", "b", "c, d", "1+2", "f(x, y)", "v[0:1]"]
        );
        assert_eq!(read("a,,b"), ["a", "", "b"]);
    }
}
