//! Modifiers after the name: `.D.BA.2D.ADD.U64.TRAP`.

use std::ops::Range;

use super::cursor::{Cursor, Word};
use crate::maxwell::generation::Generation;
use crate::maxwell::inst::{Clamp, Dim, Mode, Op, Size};
use crate::text_error::TextError;

/// The values of the modifiers.
pub(super) struct Modifiers {
    pub mode: Mode,
    pub dim: Dim,
    pub op: Op,
    pub size: Size,
    pub clamp: Clamp,
    /// The place of the size, or of the operation if there is no size.
    pub size_span: Range<usize>,
}

/// Reads the modifiers after the name, each after a dot.
pub(super) fn modifiers(
    cursor: &mut Cursor<'_>,
    name: Word<'_>,
    generation: Generation,
) -> Result<Modifiers, TextError> {
    let mut words = Vec::new();
    while cursor.eat_here('.') {
        words.push(cursor.word_here());
    }
    let end = words.last().map_or(name.span.end, |word| word.span.end);
    let mut list = List { words: &words, end };
    let mode = mode(&mut list)?;
    let Some((dim, _)) = list.take(Dim::ALL, Dim::name) else {
        return list.fail(&format!("a dimension: {}", listed(Dim::ALL, Dim::name)));
    };
    let (op, op_span) = match list.take(Op::ALL, Op::name) {
        Some(op) => op,
        // The second example of the reference text omits `.ADD` before the size.
        None if size(&mut list.clone(), generation).is_some() => (Op::Add, list.next_span()),
        None => return list.fail(&format!("an operation: {}", listed(Op::ALL, Op::name))),
    };
    let formatted = mode == Mode::Formatted;
    let sized = size(&mut list, generation);
    if let (Some((_, span)), true) = (&sized, formatted) {
        let sentence = "`.P` takes its size from the surface: leave the size out, or write `.D`";
        return Err(TextError::new(span.clone(), sentence));
    }
    let was_sized = sized.is_some();
    let (size, size_span) = sized.unwrap_or((Size::U32, op_span));
    let clamp = list.take(Clamp::ALL, Clamp::name);
    if !list.words.is_empty() {
        let clamps = listed(Clamp::ALL, Clamp::name);
        return match (clamp.is_some(), was_sized || formatted) {
            (true, _) => list.fail("the operands after a blank"),
            (false, true) => list.fail(&format!("one of {clamps}, or the operands after a blank")),
            (false, false) => {
                let there = |size: &Size| size.is_on(generation);
                let sizes: Vec<Size> = Size::ALL.iter().copied().filter(there).collect();
                let sizes = listed(&sizes, Size::name);
                list.fail(&format!(
                    "a size ({sizes}), one of {clamps}, or the operands after a blank"
                ))
            }
        };
    }
    Ok(Modifiers {
        mode,
        dim,
        op,
        size,
        clamp: clamp.map_or(Clamp::Near, |(clamp, _)| clamp),
        size_span,
    })
}

fn mode(list: &mut List<'_, '_>) -> Result<Mode, TextError> {
    if list.take_word("P").is_some() {
        return match list.take_word("BA") {
            Some(span) => Err(TextError::new(
                span,
                "`.BA` is there with `.D` only: `.P` counts x in elements of the surface's format",
            )),
            None => Ok(Mode::Formatted),
        };
    }
    match list.take_word("D") {
        Some(_) => Ok(Mode::Raw {
            bytes: list.take_word("BA").is_some(),
        }),
        None => list.fail("`.D` or `.P`"),
    }
}

/// Reads a size, as printed for any generation that has it, or for this one even if it lacks the size.
fn size(list: &mut List<'_, '_>, generation: Generation) -> Option<(Size, Range<usize>)> {
    let there = |size: &Size| size.is_on(generation);
    let sizes: Vec<Size> = Size::ALL.iter().copied().filter(there).collect();
    list.take(&sizes, Size::name).or_else(|| {
        let printed = Size::F16x2.printed(match generation {
            Generation::Sm50 => Generation::Sm50,
            _ => Generation::Sm52,
        });
        Some((Size::F16x2, list.take_all(printed)?))
    })
}

fn listed<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> String {
    let names: Vec<String> = all.iter().map(|v| format!(".{}", name(*v))).collect();
    names.join(" ")
}

/// The modifiers that have not been read.
#[derive(Clone)]
struct List<'w, 't> {
    words: &'w [Word<'t>],
    /// The end of the last modifier that was read.
    end: usize,
}

impl List<'_, '_> {
    /// Reads the variant of `all` whose name is next.
    fn take<T: Copy>(
        &mut self,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<(T, Range<usize>)> {
        all.iter()
            .find_map(|v| Some((*v, self.take_all(name(*v))?)))
    }

    fn take_word(&mut self, name: &str) -> Option<Range<usize>> {
        self.take_all(name)
    }

    /// Reads a name that may have dots.
    fn take_all(&mut self, name: &str) -> Option<Range<usize>> {
        let count = name.split('.').count();
        let (words, rest) = self.words.split_at_checked(count)?;
        let same = words.iter().zip(name.split('.')).all(|(w, n)| w.is(n));
        let span = words.first()?.span.start..words.last()?.span.end;
        same.then(|| {
            self.words = rest;
            span
        })
    }

    fn next_span(&self) -> Range<usize> {
        self.words
            .first()
            .map_or(self.end..self.end, |w| w.span.clone())
    }

    fn fail<T>(&self, expected: &str) -> Result<T, TextError> {
        let there = match self.words.first().map(|w| w.text) {
            None | Some("") => "there is none".to_owned(),
            Some(text) => format!("here is `.{text}`"),
        };
        Err(TextError::new(
            self.next_span(),
            format!("expected {expected}; {there}"),
        ))
    }
}
