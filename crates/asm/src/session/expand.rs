//! Expansion of macros: their operands, and the text that is read in their place.

use std::borrow::Cow;

use wavetank_gcn::Dialect;

use super::Session;
use super::macros::{LARGEST, Macro, argument, substitute};
use crate::source::{Cursor, OriginKind, Repeat, SyntaxError, syntax_error};

impl Session<'_> {
    /// Returns the key of a macro's name. CLRX ignores the case of macro names, unless the source turns that off.
    pub(crate) fn macro_key<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let folds = self.asm.dialect == Dialect::Clrx && !self.program.cased;
        if folds && word.bytes().any(|b| b.is_ascii_uppercase()) {
            word.to_ascii_lowercase().into()
        } else {
            word.into()
        }
    }

    /// Whether a word is the name of a macro.
    pub(crate) fn is_macro(&self, word: &str) -> bool {
        !self.macros.is_empty() && self.macros.contains_key(&*self.macro_key(word))
    }

    /// Expands the macro of this name, and returns `true` if there is one.
    pub(crate) fn expand(&mut self, word: &str, text: &str) -> Result<bool, SyntaxError> {
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
            return Err(syntax_error(
                0..word.len(),
                format_args!("`{word}` grows to more than 16 megabytes here"),
            ));
        }
        let (kind, line, conditions) = (
            OriginKind::Macro(made.name.clone()),
            self.asm.at.line,
            self.conditions.len(),
        );
        if self
            .inputs
            .push(kind, out.into(), Some(line), Repeat::Once, conditions)
        {
            Ok(true)
        } else {
            Err(syntax_error(
                0..word.len(),
                format_args!("`{word}` stands too deep: does it end calling itself?"),
            ))
        }
    }

    /// Reads the values of a macro's parameters.
    fn arguments(
        &mut self,
        made: &Macro,
        cursor: &mut Cursor<'_>,
    ) -> Result<Vec<String>, SyntaxError> {
        let mut params: Vec<Option<String>> = made.parameters.iter().map(|_| None).collect();
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
                return Err(syntax_error(
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
                // CLRX's form of `%EXPR`, which works without `.altmacro`.
                false if self.asm.dialect == Dialect::Clrx && cursor.rest().starts_with("\\%") => {
                    cursor.skip(2);
                    self.asm.number(cursor)?.to_string()
                }
                false => argument(cursor)?,
            };
            params[at] = Some(value);
            cursor.comma();
        }
        let end = cursor.span();
        let values = params.into_iter().zip(&made.parameters);
        let values = values.map(|(param, parameter)| match (param, &parameter.default) {
            (Some(value), _) if !value.is_empty() => Ok(value),
            (_, Some(default)) => Ok(default.clone()),
            (_, None) if parameter.required => {
                let (name, parameter) = (&made.name, &parameter.name);
                Err(syntax_error(
                    end.clone(),
                    format_args!("`{name}` needs a value for `{parameter}`"),
                ))
            }
            (param, None) => Ok(param.unwrap_or_default()),
        });
        values.collect()
    }

    /// Returns the parameter that is named here with `=`, and moves the cursor after it.
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

    /// Reads an operand under `.altmacro`: `%EXPR` becomes its number, `<TEXT>` the text, in which `!` escapes.
    fn alternate_argument(&mut self, cursor: &mut Cursor<'_>) -> Result<String, SyntaxError> {
        match cursor.peek() {
            b'%' => {
                cursor.skip(1);
                Ok(self.asm.number(cursor)?.to_string())
            }
            mark @ (b'<' | b'\'') if mark == b'<' || self.asm.dialect == Dialect::Clrx => {
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
                Err(cursor.syntax_error(format_args!("there is no `{end}` that ends this")))
            }
            _ => argument(cursor),
        }
    }

    /// Removes the lines `LOCAL a, b` from a body; returns the body and the names, and adds values that are unique to this
    /// expansion.
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
                    // An empty line remains, so that the others keep their numbers.
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        (text, names)
    }
}
