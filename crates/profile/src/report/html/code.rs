//! The source of a kernel beside its assembly, with heat.

use std::collections::BTreeMap;

use maud::{Markup, html};
use wavetank_source::Sources;

use super::entry::Entry;
use super::frame::name;
use crate::figures::Figures;
use crate::lines::{Line, lines_of, own};
use crate::model::{Frame, Instruction, Space};
use crate::number::{grouped, mean};

/// Limit of the instructions that are shown. Of more, those with the most executions are.
pub(super) const MAX_INSTRUCTIONS: usize = 2000;
/// Limit of the lines of source.
const MAX_LINES: usize = 1000;
/// Limit of the files of a kernel.
const MAX_FILES: usize = 32;
/// Lines that are shown around one with instructions.
const AROUND: u32 = 3;

/// The counts that colour a row, each as a part of the kernel's largest.
const HEATS: [(&str, &str, &str); 4] = [
    ("e", "Executions", "executions by waves"),
    ("l", "Idle lanes", "lanes that are not active, in the mean"),
    (
        "g",
        "Lines",
        "lines of 64 bytes of global memory that are touched",
    ),
    (
        "c",
        "Conflicts",
        "cycles of LDS that conflicts of banks take",
    ),
];

/// Returns the source beside the assembly, with the choice of the heat.
pub(super) fn section(entry: &Entry<'_>, sources: &Sources) -> Markup {
    let kernel = entry.kernel;
    if kernel.instructions.is_empty() {
        return html! {};
    }
    let lines = lines_of(kernel);
    let files = files(&lines);
    html! {
        h4 { "Source and assembly" }
        fieldset.heats {
            legend { "Colour and numbers" }
            @for (n, (class, title, about)) in HEATS.iter().enumerate() {
                label title=(about) {
                    input type="radio" name={ "heat-" (entry.anchor()) } value=(class) checked[n == 0];
                    (title)
                }
            }
        }
        div.pair {
            div { (source(entry, &files, sources)) }
            div { (assembly(entry, &files)) }
        }
    }
}

/// The lines of a file with instructions.
type File<'k> = (&'k str, BTreeMap<u32, &'k Line<'k>>);

/// Returns the files of a kernel, that with the most executions first.
fn files<'k>(lines: &'k [Line<'k>]) -> Vec<File<'k>> {
    let mut files: BTreeMap<&str, (BTreeMap<u32, &Line<'_>>, u64)> = BTreeMap::new();
    for line in lines {
        if let Some(frame) = line.frame {
            let (own, executions) = files.entry(&frame.file).or_default();
            own.insert(frame.line, line);
            *executions += line.figures.executions;
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, (_, executions))| std::cmp::Reverse(*executions));
    let files = files.into_iter().take(MAX_FILES);
    files.map(|(file, (lines, _))| (file, lines)).collect()
}

/// Returns the anchor of a line of source, without the sign.
fn anchor(entry: &Entry<'_>, files: &[File<'_>], frame: &Frame) -> Option<String> {
    let file = files.iter().position(|(file, _)| *file == frame.file)?;
    Some(format!("{}-{file}-{}", entry.anchor(), frame.line))
}

fn source(entry: &Entry<'_>, files: &[File<'_>], sources: &Sources) -> Markup {
    if files.is_empty() {
        return html! { p.note { "The code object has no lines of source: compile with -g (-gline-tables-only is enough)." } };
    }
    let all = files.iter().flat_map(|(_, lines)| lines.values());
    let largest = Heat::largest(all.map(|line| &line.figures));
    let mut left = MAX_LINES;
    html! {
        @for (file, lines) in files {
            @if left > 0 {
                @let text = sources.get(file);
                @let shown = shown(lines, text.as_deref(), &mut left);
                p.file { code { (name(file)) } }
                @if text.is_none() { p.note { "The file is not at hand: its lines have numbers alone." } }
                div.code role="region" aria-label={ "Source " (name(file)) } tabindex="0" {
                    table {
                        tbody {
                            @for (n, text) in &shown {
                                @if let Some(line) = lines.get(n) {
                                    @let heat = Heat::of(&line.figures);
                                    @let id = line.frame.and_then(|frame| anchor(entry, files, frame));
                                    tr id=[id] style=[heat.style(&largest)] {
                                        (heat.cell())
                                        th { a href={ "#" (entry.anchor()) "-" (format!("{:x}", line.instructions[0].address)) } { (n) } }
                                        td { (name(text)) }
                                    }
                                } @else if *n == 0 {
                                    tr.gap { td colspan="3" { "⋮" } }
                                } @else {
                                    tr { td.n {} th { (n) } td { (name(text)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if left == 0 { p.note { "Only " (MAX_LINES) " lines of source are shown." } }
    }
}

/// Returns the lines of a file to show, with their text. A line 0 stands for those that are left out.
fn shown<'t>(
    lines: &BTreeMap<u32, &Line<'_>>,
    text: Option<&'t str>,
    left: &mut usize,
) -> Vec<(u32, &'t str)> {
    let all: Vec<&str> = text.map(|text| text.lines().collect()).unwrap_or_default();
    let count = all.len() as u32;
    let mut shown = Vec::new();
    let mut before = 0;
    for line in lines.keys() {
        // A file that has changed may be shorter than its lines.
        let around = if *line <= count { AROUND } else { 0 };
        let first = line.saturating_sub(around).max(before + 1);
        let last = line.saturating_add(around).min(count.max(*line));
        // Lines after the next one with instructions come with that.
        if before > 0 && first > before + 1 {
            shown.push((0, ""));
        }
        for n in first..=last {
            if *left == 0 {
                return shown;
            }
            *left -= 1;
            shown.push((n, all.get(n as usize - 1).copied().unwrap_or("")));
            before = n;
        }
    }
    shown
}

fn assembly(entry: &Entry<'_>, files: &[File<'_>]) -> Markup {
    let instructions = &entry.kernel.instructions;
    let figures: Vec<Figures> = instructions
        .iter()
        .map(|i| Figures::of_instructions([i]))
        .collect();
    let largest = Heat::largest(figures.iter());
    let shown = chosen(instructions);
    let mut function = "";
    let mut next = 0;
    html! {
        p.file { "Assembly" }
        div.code role="region" aria-label="Assembly" tabindex="0" {
            table {
                tbody {
                    @for n in &shown {
                        @let instruction = &instructions[*n];
                        @if *n != std::mem::replace(&mut next, *n + 1) { tr.gap { td colspan="4" { "⋮" } } }
                        @if instruction.function != std::mem::replace(&mut function, &instruction.function) {
                            tr.function { td.n {} th {} td colspan="2" { (name(&wavetank_quote::readable(&instruction.function))) ":" } }
                        }
                        (row(entry, files, instruction, &Heat::of(&figures[*n]), &largest))
                    }
                }
            }
        }
        @if shown.len() < instructions.len() {
            p.note { "Of " (grouped(instructions.len() as u64)) " instructions the " (grouped(shown.len() as u64)) " with the most executions are shown." }
        }
    }
}

fn row(
    entry: &Entry<'_>,
    files: &[File<'_>],
    instruction: &Instruction,
    heat: &Heat,
    largest: &Heat,
) -> Markup {
    let frame = own(&instruction.frames);
    let place = frame.and_then(|frame| Some((frame.line, anchor(entry, files, frame)?)));
    html! {
        tr id={ (entry.anchor()) "-" (format!("{:x}", instruction.address)) } style=[heat.style(largest)] {
            (heat.cell())
            th { (format!("{:x}", instruction.address)) }
            td { (name(&instruction.text)) }
            td.to { @if let Some((line, anchor)) = place { a href={ "#" (anchor) } { (line) } } }
        }
    }
}

/// Returns the instructions to show, in their order: all, or those with the most executions.
fn chosen(instructions: &[Instruction]) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..instructions.len()).collect();
    if chosen.len() > MAX_INSTRUCTIONS {
        chosen.sort_by_key(|n| std::cmp::Reverse(instructions[*n].executions));
        chosen.truncate(MAX_INSTRUCTIONS);
        chosen.sort_unstable();
    }
    chosen
}

/// The counts of a row that can colour it.
struct Heat {
    executions: u64,
    /// Idle lanes, and executions with lanes.
    idle: u64,
    vector: u64,
    lines: u64,
    conflicts: u64,
}

impl Heat {
    fn of(figures: &Figures) -> Heat {
        let vector = figures.vector_executions();
        let active: u64 = figures
            .lanes
            .iter()
            .map(|(lanes, n)| u64::from(*lanes) * n)
            .sum();
        Heat {
            executions: figures.executions,
            idle: vector * 64 - active,
            vector,
            lines: figures.of_space(Space::Global).lines_64,
            conflicts: figures.of_space(Space::Lds).conflict_cycles(),
        }
    }

    /// Returns the largest of each count.
    fn largest<'f>(figures: impl Iterator<Item = &'f Figures>) -> Heat {
        let none = Heat {
            executions: 0,
            idle: 0,
            vector: 0,
            lines: 0,
            conflicts: 0,
        };
        figures.map(Heat::of).fold(none, |a, b| Heat {
            executions: a.executions.max(b.executions),
            idle: a.idle.max(b.idle),
            vector: 0,
            lines: a.lines.max(b.lines),
            conflicts: a.conflicts.max(b.conflicts),
        })
    }

    /// Returns the parts of the largest counts as variables of the style; those that are 0 are left out.
    fn style(&self, largest: &Heat) -> Option<String> {
        let pairs = [
            (self.executions, largest.executions),
            (self.idle, largest.idle),
            (self.lines, largest.lines),
            (self.conflicts, largest.conflicts),
        ];
        let percent =
            |(part, whole): (u64, u64)| (100.0 * part as f64 / whole.max(1) as f64).round();
        let styles = HEATS.iter().zip(pairs.map(percent));
        let styles = styles.filter(|(_, percent)| *percent > 0.0);
        let styles: Vec<String> = styles
            .map(|((name, ..), percent)| format!("--{name}:{percent}%"))
            .collect();
        (!styles.is_empty()).then(|| styles.join(";"))
    }

    /// Returns the cell with the numbers, of which the style shows one.
    fn cell(&self) -> Markup {
        let idle = (self.idle > 0).then(|| mean(self.idle, self.vector));
        let number = |n: u64| (n > 0).then(|| grouped(n));
        let values = [
            number(self.executions),
            idle,
            number(self.lines),
            number(self.conflicts),
        ];
        let values = HEATS.iter().zip(values);
        let values = values.filter_map(|((class, ..), value)| Some((class, value?)));
        html! { td.n { @for (class, value) in values { span class=(class) { (value) } } } }
    }
}
