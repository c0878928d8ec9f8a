//! The timeline of the host: launches, copies and calls on their tracks.

use maud::{Markup, html};

use super::frame::name;
use super::parts;
use crate::model::{Event, EventKind, Profile};
use crate::number::grouped;
use crate::report::trace::tracks;

/// Limit of the events that are drawn; of more the longest are.
const MAX_EVENTS: usize = 1500;
/// Limit of the tracks.
const MAX_TRACKS: usize = 24;

/// Returns the timeline.
pub(super) fn section(profile: &Profile) -> Markup {
    let timeline = &profile.timeline;
    let mut longest: Vec<Event> = timeline.events.clone();
    longest.sort_by_key(|event| std::cmp::Reverse(event.duration()));
    longest.truncate(MAX_EVENTS);
    let begin = longest.iter().map(|event| event.begin).min().unwrap_or(0);
    let end = longest.iter().map(|event| event.end).max().unwrap_or(0);
    let left_out = timeline.left_out + (timeline.events.len() - longest.len()) as u64;
    let tracks = tracks(&longest);
    html! {
        section {
            (parts::heading("timeline", "Timeline"))
            @if tracks.is_empty() { p { "No event was recorded." } } @else {
                p.note {
                    "The time of the host, " (time(end - begin)) " from the first event to the last. It says nothing about a chip. "
                    @if left_out > 0 { (grouped(left_out)) " shorter or later events are left out. " }
                    "The trace (" code { "--trace" } ") has the same for Perfetto, where it can be enlarged."
                }
                ul.legend {
                    li { span.key.kernel-event {} "kernel" }
                    li { span.key.copy-event {} "copy" }
                    li { span.key.call-event {} "call of the program" }
                }
                dl.timeline {
                    @for (track, events) in tracks.iter().take(MAX_TRACKS) {
                        dt { (name(track)) }
                        dd {
                            svg.track role="img" aria-label={ (name(track)) ": " (grouped(events.len() as u64)) " events" } {
                                @for event in events { (drawn(event, begin, end)) }
                            }
                        }
                    }
                }
                @if tracks.len() > MAX_TRACKS { p.note { (tracks.len() - MAX_TRACKS) " tracks are left out." } }
            }
        }
    }
}

fn drawn(event: &Event, begin: u64, end: u64) -> Markup {
    let percent = |time: u64| 100.0 * time as f64 / (end - begin).max(1) as f64;
    let class = match event.kind {
        EventKind::Kernel => "kernel-event",
        EventKind::Copy => "copy-event",
        EventKind::Call => "call-event",
    };
    let left = percent(event.begin - begin).min(99.8);
    // Wide enough to be seen.
    let width = percent(event.duration()).max(0.2);
    html! {
        rect class=(class) x={ (format!("{left:.2}%")) } width={ (format!("{width:.2}%")) } height="100%" {
            title {
                (name(&event.name)) ", " (time(event.duration()))
                @if let Some(bytes) = event.bytes { ", " (grouped(bytes)) " bytes" }
            }
        }
    }
}

/// Returns nanoseconds in a unit that fits.
fn time(nanoseconds: u64) -> String {
    let time = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", time / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", time / 1e6),
        _ => format!("{:.2} s", time / 1e9),
    }
}
