//! The source lines of a finding.

use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use wavetank_source::{Mark, snippet};

use super::Scene;
use crate::finding::Finding;

/// Returns the source lines of a finding, those of its place first; none if that file cannot be read.
pub(super) fn snippets(
    finding: &Finding,
    scene: &Scene<'_>,
) -> Vec<Snippet<'static, Annotation<'static>>> {
    let of_opencl = finding.is_of_opencl();
    let mut files: Vec<(&str, Vec<Mark>)> = Vec::new();
    let primary = [(&finding.at, AnnotationKind::Primary)];
    let related = finding.related.iter();
    let related = related.map(|mark| (mark, AnnotationKind::Context));
    for (mark, kind) in primary.into_iter().chain(related) {
        let Some(frame) = mark.place.source.own() else {
            continue;
        };
        let mark = Mark {
            line: frame.line,
            column: frame.column,
            label: mark.words(of_opencl),
            kind,
        };
        match files.iter_mut().find(|(file, _)| *file == frame.file) {
            Some((_, marks)) => marks.push(mark),
            None => files.push((&frame.file, vec![mark])),
        }
    }
    let drawn = files.iter().map(|(file, marks)| {
        let text = scene.sources.get(file)?;
        snippet(file, &text, marks)
    });
    let drawn: Vec<_> = drawn.collect();
    // Without the line of the place itself, the others are not helpful.
    let is_primary = files
        .first()
        .is_some_and(|(_, marks)| marks[0].kind == AnnotationKind::Primary);
    match drawn.first() {
        Some(Some(_)) if is_primary => drawn.into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}
