//! The words of a call: files of options, and options with their values.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;

use super::job::Job;
use crate::exit::{Failure, Result};

/// Limit of nested files of options: one that names itself never ends.
const DEEPEST: usize = 16;

/// The place of an option's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The option has no value.
    None,
    /// The value follows the name directly: `-mcpu=gfx900`.
    Joined,
    /// The value is the next word: `-x assembler`.
    Next,
    /// Either of both: `-Idir`, `-I dir`.
    Either,
}

/// An option: its name, the place of its value, and what it sets.
pub(super) type Row = (&'static str, Value, fn(&mut Job, &str) -> Result);

/// The words that have not been read.
pub(super) struct Words(VecDeque<String>);

impl Words {
    /// Replaces `@FILE` by the words of the file.
    ///
    /// # Errors
    /// A file that cannot be read; words that are not UTF-8.
    pub(super) fn new(words: Vec<OsString>) -> Result<Words> {
        let mut all = VecDeque::new();
        for word in words {
            let word = word.into_string().map_err(|word| {
                Failure::usage(format!("`{}` is not UTF-8", word.to_string_lossy()))
            })?;
            add(word, &mut all, 0)?;
        }
        Ok(Words(all))
    }

    pub(super) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    /// Reads a word as one of some options, the longest name that fits first. Returns `false` if there is none.
    ///
    /// # Errors
    /// A value that is missing or wrong.
    pub(super) fn option(&mut self, word: &str, rows: &[Row], job: &mut Job) -> Result<bool> {
        // Options of LLVM's tools have one dash or two.
        let double = word.strip_prefix('-').filter(|rest| rest.starts_with('-'));
        let spelled = |name: &str| {
            [Some(word), double]
                .into_iter()
                .flatten()
                .find_map(|w| w.strip_prefix(name))
        };
        let fits = |row: &&Row| {
            spelled(row.0).is_some_and(|rest| match row.1 {
                Value::None | Value::Next => rest.is_empty(),
                Value::Joined => !rest.is_empty(),
                Value::Either => true,
            })
        };
        let Some((name, place, set)) = rows.iter().filter(fits).max_by_key(|row| row.0.len())
        else {
            return Ok(false);
        };
        let joined = spelled(name).unwrap_or_default();
        let value = match place {
            Value::Next | Value::Either if joined.is_empty() => self
                .next()
                .ok_or_else(|| Failure::usage(format!("the value of `{word}` is missing")))?,
            _ => joined.to_owned(),
        };
        set(job, &value).map(|()| true)
    }
}

fn add(word: String, all: &mut VecDeque<String>, depth: usize) -> Result {
    let Some(file) = word
        .strip_prefix('@')
        .filter(|file| Path::new(file).is_file())
    else {
        all.push_back(word);
        return Ok(());
    };
    if depth == DEEPEST {
        return Err(Failure::usage(format!(
            "{word}: files of options are nested too deeply"
        )));
    }
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| Failure::file("read", Path::new(file), error))?;
    split(&text)
        .into_iter()
        .try_for_each(|word| add(word, all, depth + 1))
}

/// Splits a text into words as clang does on Linux: at blanks, with quotes of both sorts and backslashes.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(mark)) if c == mark => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_shells_do() {
        let text = "-o 'a b'\n\"c \\\" d\"  e\\ f ''\t-x";
        assert_eq!(split(text), ["-o", "a b", "c \" d", "e f", "", "-x"]);
    }
}
