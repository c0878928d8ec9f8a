//! The part of the page about one kernel.

use maud::{Markup, html};
use wavetank_source::Sources;

use super::entry::Entry;
use super::frame::name;
use super::{bars, code, lanes};
use crate::advice::Advice;
use crate::figures::share;
use crate::lines::own;
use crate::model::{Class, Space};
use crate::number::percent;
use crate::report::text;

/// Returns the part about a kernel, folded unless it is open.
pub(super) fn section(entry: &Entry<'_>, sources: &Sources, is_open: bool) -> Markup {
    let kernel = entry.kernel;
    html! {
        details.kernel id=(entry.anchor()) open[is_open] {
            summary { h3 { code { (name(&kernel.name)) } } }
            p.note { code { (name(&kernel.symbol)) } " on " (name(&kernel.chip)) }
            (facts(entry))
            @if !entry.advice.is_empty() {
                h4 { "Advice" }
                ul.advice { @for given in &entry.advice { li { (advice(given)) } } }
            }
            (mix(entry))
            (lanes::picture(&entry.figures))
            (bars::lines(kernel))
            (bars::banks(kernel))
            (code::section(entry, sources))
        }
    }
}

/// Returns the figures that are sentences.
fn facts(entry: &Entry<'_>) -> Markup {
    let (kernel, figures) = (entry.kernel, &entry.figures);
    let mut facts = vec![
        ("Launches", text::launches(kernel)),
        ("Active lanes", text::lanes(figures)),
        ("Occupancy", text::occupancy(kernel)),
    ];
    for (space, name) in [
        (Space::Global, "Global memory"),
        (Space::Scratch, "Scratch"),
    ] {
        let memory = figures.of_space(space);
        if memory.accesses > 0 {
            facts.push((name, text::lines_of(&memory)));
        }
    }
    let lds = figures.of_space(Space::Lds);
    if lds.accesses > 0 {
        facts.push(("LDS", text::banks(&lds)));
    }
    facts.extend(text::atomics(figures).map(|fact| ("Atomics", fact)));
    facts.extend(text::waits(kernel).map(|fact| ("Waits", fact)));
    facts.extend(text::operations(figures).map(|fact| ("Operations", fact)));
    html! { dl.facts { @for (name, fact) in facts { dt { (name) } dd { (fact) } } } }
}

/// Returns a piece of advice.
pub(super) fn advice(advice: &Advice) -> Markup {
    let frame = advice.at.as_ref().and_then(|at| own(&at.frames));
    html! {
        p { strong { (advice.message) } " " span.tag { (advice.rule.name) } }
        @if let Some(frame) = frame {
            p.note { code { (name(&frame.file)) ":" (frame.line) } ": " (advice.label) }
        } @else if let Some(at) = &advice.at {
            p.note { code { (format!("{:#x}", at.address)) " " (name(&at.text)) } ": " (advice.label) }
        }
        @for note in &advice.notes { p.note { (name(note)) } }
        p { "Help: " (advice.help) }
    }
}

/// Returns the classes of instructions as one bar with a legend.
fn mix(entry: &Entry<'_>) -> Markup {
    let figures = &entry.figures;
    let of = |class: &Class| share(*figures.mix.get(class)?, figures.executions);
    let classes: Vec<(usize, &str, f64)> = (Class::ALL.iter().enumerate())
        .filter_map(|(n, class)| Some((n, class.name(), of(class)?)))
        .filter(|(_, _, share)| *share > 0.0)
        .collect();
    html! {
        h4 { "Instructions by class" }
        div.mix aria-hidden="true" {
            @for (n, _, share) in &classes { span class={ "c" (n) } style={ "flex-grow:" (format!("{:.4}", share)) } {} }
        }
        ul.legend {
            @for (n, class, share) in &classes { li { span class={ "key c" (n) } {} (class) " " (percent(*share)) } }
        }
    }
}
