//! A profile as one file of HTML, which needs neither a network nor a script: table of kernels, source beside assembly with heat,
//! pictures of lanes and banks, roofline, timeline.
//!
//! The page is bounded: kernels are whole while they fit, those with the most executed instructions first, and the others are in
//! the table.

mod bars;
mod code;
mod entry;
mod frame;
mod kernel;
mod kernels;
mod lanes;
pub mod parts;
mod roofline;
mod timeline;

use maud::html;
use wavetank_source::Sources;

use crate::advice::{self, Advice};
use crate::figures::Figures;
use crate::model::Profile;
use entry::Entry;
use frame::name;

/// Limit of the size of the kernels that are whole, in bytes. Table and timeline have limits of their own, so that a page stays
/// under five megabytes.
const LARGEST: usize = 3_000_000;
/// Limit of the advice that is at the top of the page.
const FIRST_ADVICE: usize = 10;
/// Part of the program that advice at the top concerns at least.
const SMALL: f64 = 0.002;

/// Returns the page of a profile, with at most `whole` kernels whole. Sources are read for them.
pub fn html(profile: &Profile, sources: &Sources, whole: usize) -> String {
    let given = advice::all(profile);
    let mut entries: Vec<Entry<'_>> = (profile.kernels.iter().enumerate())
        .map(|(number, kernel)| Entry {
            number,
            kernel,
            figures: Figures::of(kernel),
            advice: Vec::new(),
        })
        .collect();
    for advice in &given {
        entries[advice.kernel].advice.push(advice);
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.figures.executions));
    let mut parts = Vec::new();
    let mut size = 0;
    for entry in entries.iter().take(whole) {
        let part = kernel::section(entry, sources, parts.is_empty());
        size += part.0.len();
        if size > LARGEST {
            break;
        }
        parts.push(part);
    }
    let main = html! {
        h1 { "Profile of " code { (name(&program(profile))) } }
        (kernels::summary(profile, &entries))
        (first_advice(&given, &entries, parts.len()))
        (kernels::table(&entries, parts.len()))
        (roofline::section(&entries))
        (timeline::section(profile))
        @if !entries.is_empty() {
            section {
                (parts::heading("each", "Kernel by kernel"))
                @if parts.len() < entries.len() {
                    p.note {
                        "The " (parts.len()) " kernels with the most executed instructions are here; the figures of the other "
                        (entries.len() - parts.len()) " are in the table alone."
                    }
                }
                @for part in &parts { (part) }
            }
        }
    };
    frame::page(&program(profile), &profile.made_by, &main)
}

fn program(profile: &Profile) -> String {
    profile.program.join(" ")
}

/// Returns the advice that concerns the largest part of the program.
fn first_advice(given: &[Advice], entries: &[Entry<'_>], whole: usize) -> maud::Markup {
    let first = given.iter().filter(|advice| advice.weight >= SMALL);
    let first: Vec<&Advice> = first.take(FIRST_ADVICE).collect();
    let place = |advice: &Advice| {
        entries
            .iter()
            .position(|entry| entry.number == advice.kernel)
    };
    html! {
        @if !given.is_empty() {
            section {
                (parts::heading("advice", "Advice"))
                ol.advice {
                    @for advice in &first {
                        li {
                            (kernel::advice(advice))
                            p.note {
                                "in "
                                @let at = place(advice);
                                @if let Some(at) = at.filter(|at| *at < whole) {
                                    a href={ "#" (entries[at].anchor()) } { code { (name(&entries[at].kernel.name)) } }
                                } @else if let Some(at) = at {
                                    code { (name(&entries[at].kernel.name)) }
                                }
                            }
                        }
                    }
                }
                @if given.len() > first.len() {
                    p.note { (given.len() - first.len()) " more are at their kernels." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
