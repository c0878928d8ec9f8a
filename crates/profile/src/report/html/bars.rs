//! Pictures of accesses: the lines of memory and the cycles of LDS that an access takes, against those that would do.

use maud::{Markup, html};

use super::frame::name;
use crate::figures::share;
use crate::lines::{Line, lines_of};
use crate::model::{Kernel, Memory, Space};
use crate::number::mean;

/// Limit of the bars of a picture.
const MAX_BARS: usize = 16;
/// Sizes in the units of the picture.
const ROW: f64 = 26.0;
const WIDTH: f64 = 640.0;

/// Returns the lines of 64 bytes that accesses to global memory touch, by place.
pub(super) fn lines(kernel: &Kernel) -> Markup {
    picture(
        kernel,
        Space::Global,
        "Lines of memory",
        "lines of 64 bytes",
        |memory| (memory.lines_64, memory.least_lines_64),
    )
}

/// Returns the cycles that accesses to LDS take, by place.
pub(super) fn banks(kernel: &Kernel) -> Markup {
    picture(
        kernel,
        Space::Lds,
        "Banks of LDS",
        "cycles of LDS",
        |memory| (memory.bank_cycles, memory.least_bank_cycles),
    )
}

/// Returns a picture of the places with the most of a count: for each access how much, and how much would do.
fn picture(
    kernel: &Kernel,
    space: Space,
    title: &str,
    unit: &str,
    count: impl Fn(&Memory) -> (u64, u64),
) -> Markup {
    let mut places: Vec<(Line<'_>, Memory)> = lines_of(kernel)
        .into_iter()
        .map(|line| {
            let memory = line.figures.of_space(space);
            (line, memory)
        })
        .filter(|(_, memory)| memory.accesses > 0 && count(memory).0 > 0)
        .collect();
    if places.is_empty() {
        return html! {};
    }
    places.sort_by_key(|(_, memory)| std::cmp::Reverse(count(memory).0));
    let left_out = places.len().saturating_sub(MAX_BARS);
    places.truncate(MAX_BARS);
    let of = |memory: &Memory, part: u64| share(part, memory.accesses).unwrap_or(0.0);
    let each = places.iter().map(|(_, memory)| of(memory, count(memory).0));
    let largest = each.fold(0.0, f64::max).max(1.0);
    let height = ROW * places.len() as f64;
    html! {
        h4 { (title) }
        figure {
            svg.picture viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ (title) ": " (unit) " for each access, by place" } {
                @for (n, (line, memory)) in places.iter().enumerate() {
                    @let (taken, least) = count(memory);
                    @let width = |part: u64| format!("{:.1}", WIDTH * of(memory, part) / largest);
                    @let text = format!("{}: {} {unit}, where {} would do", place(line), mean(taken, memory.accesses), mean(least, memory.accesses));
                    g {
                        title { (text) }
                        rect.extra x="0" y=(ROW * n as f64 + 18.0) width=(width(taken)) height="6" {}
                        rect.bar x="0" y=(ROW * n as f64 + 18.0) width=(width(least.min(taken))) height="6" {}
                        text x="0" y=(ROW * n as f64 + 13.0) { (text) }
                    }
                }
            }
            figcaption {
                "The means of an access. The part that the same bytes need at least is blue, the rest is red."
                @if left_out > 0 { " " (left_out) " places with fewer are left out." }
            }
        }
    }
}

/// Returns the place of a line, without its folder.
fn place(line: &Line<'_>) -> String {
    match line.frame {
        Some(frame) => {
            let file = frame.file.rsplit('/').next().unwrap_or_default();
            let file: String = file.chars().take(40).collect();
            format!("{}:{}", name(&file), frame.line)
        }
        None => format!("{:#x}", line.instructions[0].address),
    }
}
