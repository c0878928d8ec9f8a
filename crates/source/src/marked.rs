//! Lines of a source under marks.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Renderer, Snippet};
use wavetank_object::{Frame, Source};
use wavetank_quote::{plain, plain_lines, readable};

/// Number of lines kept beside a marked one, so that lines between close marks are shown.
const AROUND: u32 = 2;
/// Limit of the characters of a line that are processed.
const LONGEST: usize = 1000;

/// A mark of a place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The line, from 1 on, if it is known.
    pub line: Option<u32>,
    /// The column, from 1 on, if it is known.
    pub column: Option<u32>,
    /// The words under it; empty for none.
    pub label: String,
    /// The kind of annotation.
    pub kind: AnnotationKind,
}

/// Returns what draws diagnostics: with colours or not, for a terminal of so many columns; `None` for no limit.
pub fn renderer(colours: bool, columns: Option<usize>) -> Renderer {
    let renderer = if colours {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    match columns {
        Some(columns) => renderer.term_width(columns),
        None => renderer,
    }
}

/// Returns marked lines of one file; `None` if it does not have that of the first mark.
pub fn snippet(
    file: &str,
    text: &str,
    marks: &[Mark],
) -> Option<Snippet<'static, Annotation<'static>>> {
    let lines: Vec<&str> = text.lines().collect();
    let line_of = |n: u32| lines.get(n.checked_sub(1)? as usize);
    marks.first()?.line.and_then(line_of)?;
    let there = |mark: &Mark| mark.line.filter(|n| line_of(*n).is_some());
    let marked: Vec<u32> = marks.iter().filter_map(there).collect();
    let (first, last) = (*marked.iter().min()?, *marked.iter().max()?);
    let (mut shown, mut starts) = (String::new(), BTreeMap::new());
    for n in first..=last {
        starts.insert(n, shown.len());
        if marked.iter().any(|m| m.abs_diff(n) <= AROUND) {
            shown += &plain_lines(&short(line_of(n)?));
        }
        shown.push('\n');
    }
    // Labels of one token stand in one line.
    let mut drawn: Vec<(Range<usize>, Vec<String>, AnnotationKind)> = Vec::new();
    for mark in marks {
        let Some(n) = there(mark) else { continue };
        let span = token(&short(line_of(n)?), mark.column);
        let span = starts[&n] + span.start..starts[&n] + span.end;
        let label = plain(&mark.label).to_string();
        let label = Some(label).filter(|label| !label.is_empty());
        match drawn.iter_mut().find(|(known, ..)| *known == span) {
            Some((_, labels, _)) => labels.extend(label),
            None => drawn.push((span, label.into_iter().collect(), mark.kind)),
        }
    }
    let annotations = drawn.into_iter().map(|(span, labels, kind)| {
        let label = Some(labels.join("; ")).filter(|label| !label.is_empty());
        kind.span(span).label(label)
    });
    let annotations: Vec<_> = annotations.collect();
    let snippet = Snippet::source(shown).path(plain(file).to_string());
    Some(snippet.line_start(first as usize).annotations(annotations))
}

fn short(line: &str) -> String {
    line.chars().take(LONGEST).collect()
}

/// Returns the token in a column, in bytes of the line as shown: a word or a character, or the whole line if there is no column.
fn token(line: &str, column: Option<u32>) -> Range<usize> {
    let shown = |to: usize| plain_lines(&line[..to]).len();
    let start = column.and_then(|column| (column as usize).checked_sub(1));
    let from = |start: &usize| line.get(*start..).is_some_and(|rest| !rest.is_empty());
    let Some(start) = start.filter(from) else {
        let blank = line.len() - line.trim_start().len();
        return shown(blank)..shown(line.trim_end().len().max(blank));
    };
    let rest = &line[start..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    shown(start)..shown(start + word.max(first))
}

/// Returns the inlining of the functions around a place, one sentence each.
pub fn inlined(source: &Source) -> Vec<String> {
    let frames = source.own_frames();
    let name = |frame: &Frame| match &frame.function {
        Some(function) => format!("`{}`", readable(function)),
        None => "a function".to_owned(),
    };
    let pairs = frames.iter().zip(frames.iter().skip(1));
    pairs
        .map(|(inner, outer)| format!("{} is inlined into {} at {outer}", name(inner), name(outer)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_words() {
        let at = |line: &str, column| {
            let span = token(line, column);
            plain_lines(line)[span].to_owned()
        };
        assert_eq!(at("  sum = a_1[i];", Some(9)), "a_1");
        assert_eq!(at("  sum = a_1[i];", Some(12)), "[");
        assert_eq!(at("  sum = a_1[i]; ", None), "sum = a_1[i];");
        // A byte that terminals obey becomes several characters, and a column may be beyond the line or inside a character.
        assert_eq!(at("\x1b[1mab c", Some(5)), "ab");
        assert_eq!(at("é a", Some(4)), "a");
        assert_eq!(at(" é a", Some(3)), "é a");
        assert_eq!(at(" ab", Some(9)), "ab");
        assert_eq!(at("", Some(1)), "");
        assert_eq!(at("   ", None), "");
    }
}
