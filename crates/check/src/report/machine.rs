//! The machine code around the places of a finding.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use wavetank_quote::{plain, readable};

use super::Scene;
use crate::finding::{Finding, Mark};
use crate::place::Line;

/// Number of instructions shown before and after a place.
const AROUND: usize = 3;

/// The code of one function around some places.
pub(super) struct Piece {
    /// The title: `kernel+0x40 in FILE`.
    pub title: String,
    text: String,
    marks: Vec<(Range<usize>, String, AnnotationKind)>,
}

impl Piece {
    /// Returns the code with its annotations.
    pub(super) fn snippet(self) -> Snippet<'static, Annotation<'static>> {
        let marks = self.marks.into_iter();
        let marks = marks.map(|(span, label, kind)| {
            let label = Some(label).filter(|label| !label.is_empty());
            kind.span(span).label(label)
        });
        // Addresses and omissions are part of the text.
        let snippet = Snippet::source(self.text).line_numbering(false).fold(false);
        snippet.annotations(marks)
    }
}

/// Returns the code of a finding: the function with its place first, then others. A finding in the host program has none.
pub(super) fn pieces(finding: &Finding, scene: &Scene<'_>) -> Vec<Piece> {
    if finding.is_of_host() {
        return Vec::new();
    }
    let mut groups: Vec<Vec<(&Mark, AnnotationKind)>> = Vec::new();
    let primary = [(&finding.at, AnnotationKind::Primary)];
    let related = finding.related.iter();
    let related = related.map(|mark| (mark, AnnotationKind::Context));
    for (mark, kind) in primary.into_iter().chain(related) {
        let same = groups.iter_mut().find(|g| base(g[0].0) == base(mark));
        match same {
            Some(group) => group.push((mark, kind)),
            None => groups.push(vec![(mark, kind)]),
        }
    }
    let of_opencl = finding.is_of_opencl();
    let pieces = groups.iter().map(|group| piece(group, scene, of_opencl));
    pieces.collect()
}

/// Returns the start of the function around a mark.
fn base(mark: &Mark) -> Option<u64> {
    let (_, offset) = mark.place.symbol.as_ref()?;
    Some(mark.place.pc - offset)
}

/// Returns the code around marks of one function.
fn piece(group: &[(&Mark, AnnotationKind)], scene: &Scene<'_>, of_opencl: bool) -> Piece {
    let (first, _) = group[0];
    let base = base(first).unwrap_or(0);
    let mut lines = BTreeMap::new();
    for (mark, _) in group {
        let pc = mark.place.pc;
        let around = scene.places.map(|places| places.around(pc, AROUND));
        lines.extend(around.into_iter().flatten().map(|line| (line.pc, line)));
        // A place without code has a line, too.
        lines.entry(pc).or_insert_with(|| bare(mark));
    }
    let distance = |pc: u64| match first.place.symbol {
        Some(_) => format!("+{:#x}", pc.wrapping_sub(base)),
        None => format!("{pc:#x}"),
    };
    let widths = lines.keys().map(|pc| distance(*pc).len());
    let width = widths.max().unwrap_or_default();
    let (mut text, mut spans) = (String::new(), BTreeMap::new());
    let mut end = None;
    for (pc, line) in lines {
        if end.is_some_and(|end| end != pc) {
            text += "...\n";
        }
        text += &format!("{:<width$}  ", distance(pc));
        let start = text.len();
        text += &plain(&line.text).to_string();
        spans.insert(pc, start..text.len());
        if let Some(target) = line.target {
            text += &format!("  // to {}", distance(target));
        }
        text.push('\n');
        end = Some(pc + line.len);
    }
    let marks = group.iter().map(|(mark, kind)| {
        let span = spans[&mark.place.pc].clone();
        (span, plain(&mark.words(of_opencl)).to_string(), *kind)
    });
    Piece {
        title: format!("{} in {}", name(first), file(scene)),
        marks: marks.collect(),
        text,
    }
}

/// Returns the line of a place whose code is not available.
fn bare(mark: &Mark) -> Line {
    Line {
        pc: mark.place.pc,
        len: 0,
        text: mark.place.instruction.clone().unwrap_or("(no code)".into()),
        target: None,
    }
}

/// Returns `kernel+0x40`, or the address if no symbol is known.
pub(super) fn name(mark: &Mark) -> String {
    match &mark.place.symbol {
        Some((name, offset)) => format!("{}+{offset:#x}", readable(name)),
        None => format!("{:#x}", mark.place.pc),
    }
}

fn file(scene: &Scene<'_>) -> String {
    let file = scene.file.to_string_lossy();
    format!("{} ({})", plain(&file), plain(scene.target))
}
