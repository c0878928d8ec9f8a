//! The table of all kernels, and the sums of the program.

use maud::{Markup, html};

use super::entry::Entry;
use super::frame::name;
use super::parts;
use crate::figures::share;
use crate::model::Profile;
use crate::number::{grouped, percent};

/// Limit of the rows of the table.
const MAX_ROWS: usize = 2000;

/// Returns the facts about the whole program.
pub(super) fn summary(profile: &Profile, entries: &[Entry<'_>]) -> Markup {
    let mut chips: Vec<&str> = profile
        .kernels
        .iter()
        .map(|kernel| kernel.chip.as_str())
        .collect();
    chips.sort_unstable();
    chips.dedup();
    let chips: Vec<String> = chips.into_iter().take(8).map(name).collect();
    let launches: u64 = profile.kernels.iter().map(|kernel| kernel.launches).sum();
    let failed: u64 = profile.kernels.iter().map(|kernel| kernel.failed).sum();
    html! {
        p.lead {
            (grouped(entries.len() as u64)) " kernels, " (grouped(launches)) " launches"
            @if failed > 0 { " of which " strong { (grouped(failed)) " failed" } }
            ", " (grouped(executions(entries))) " executed instructions on " (chips.join(", "))
        }
        nav aria-label="Parts of the page" {
            ul.links {
                li { a href="#kernels" { "Kernels" } }
                li { a href="#roofline" { "Roofline" } }
                li { a href="#timeline" { "Timeline" } }
                @if !entries.is_empty() { li { a href="#each" { "Kernel by kernel" } } }
            }
        }
    }
}

fn executions(entries: &[Entry<'_>]) -> u64 {
    entries.iter().map(|entry| entry.figures.executions).sum()
}

/// Returns the table of kernels, the first of which are whole on the page.
pub(super) fn table(entries: &[Entry<'_>], whole: usize) -> Markup {
    let all = executions(entries);
    let shown = entries.iter().take(MAX_ROWS).enumerate();
    let rows: Vec<Vec<Markup>> = shown.map(|(n, entry)| row(entry, all, n < whole)).collect();
    let header = [
        "Kernel",
        "Part",
        "Instructions",
        "Launches",
        "Waves",
        "Active lanes",
        "Lines used",
        "LDS conflicts",
        "Waves of a SIMD",
        "Operations per byte",
    ];
    html! {
        section {
            (parts::heading("kernels", "Kernels"))
            @if entries.is_empty() { p { "No kernel ran." } } @else { (parts::table("Kernels", &header, &rows)) }
            @if entries.len() > MAX_ROWS {
                p.note { "The table has the first " (grouped(MAX_ROWS as u64)) " kernels by instructions; " (grouped((entries.len() - MAX_ROWS) as u64)) " more are in the profile." }
            }
        }
    }
}

fn row(entry: &Entry<'_>, all: u64, is_whole: bool) -> Vec<Markup> {
    let (kernel, figures) = (entry.kernel, &entry.figures);
    let part = share(figures.executions, all).unwrap_or(0.0);
    let or_dash = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    let cells = [
        grouped(figures.executions),
        grouped(kernel.launches),
        grouped(kernel.waves),
        or_dash(figures.active_share()),
        or_dash(figures.lines_used()),
        or_dash(figures.conflict_share()),
        format!(
            "{} of {}",
            kernel.occupancy.waves_per_simd, kernel.occupancy.most_waves_per_simd
        ),
        figures
            .intensity()
            .map_or("–".to_owned(), |intensity| format!("{intensity:.2}")),
    ];
    let name = html! { code { (name(&kernel.name)) } };
    let first = if is_whole {
        html! { a href={ "#" (entry.anchor()) } { (name) } }
    } else {
        name
    };
    let bar =
        html! { span.part style={ "--p:" (format!("{:.1}%", part * 100.0)) } { (percent(part)) } };
    let cells = cells.into_iter().map(|cell| html! { (cell) });
    [first, bar].into_iter().chain(cells).collect()
}
