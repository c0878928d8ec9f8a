//! The roofline: kernels at their operations for each byte, under the published peaks of their chip. It is a bound, and nothing
//! that was measured.

use maud::{Markup, html};

use super::entry::Entry;
use super::frame::name;
use super::parts;
use crate::figures::is_float;
use crate::number::percent;
use crate::peaks::{Peaks, peaks};

/// Limit of the chips with a picture.
const MAX_CHIPS: usize = 4;
/// Limit of the kernels in a picture.
const MAX_POINTS: usize = 8;
/// Sizes of the picture: of the plot, and of the margins on the left and below.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 60.0;
const BELOW: f64 = 36.0;
/// Powers of two between which intensities are drawn.
const INTENSITIES: (f64, f64) = (-7.0, 10.0);

/// Returns the roofline of each chip.
pub(super) fn section(entries: &[Entry<'_>]) -> Markup {
    let mut chips: Vec<&Peaks> = Vec::new();
    for entry in entries {
        if let Some(peaks) = peaks(&entry.kernel.chip)
            && !chips.contains(&peaks)
        {
            chips.push(peaks);
        }
    }
    html! {
        section {
            (parts::heading("roofline", "Roofline"))
            @if chips.is_empty() { p { "There are no published peaks of the chips of this profile." } }
            @for peaks in chips.iter().take(MAX_CHIPS) { (chip(peaks, entries)) }
        }
    }
}

/// A kernel in the picture.
struct Point<'e> {
    entry: &'e Entry<'e>,
    /// Operations for each byte.
    intensity: f64,
    /// The type with the most operations, and its peak.
    operands: &'e str,
    peak: f64,
}

impl Point<'_> {
    /// Returns the bound of the kernel, in 10^9 operations a second.
    fn bound(&self, peaks: &Peaks) -> f64 {
        (self.intensity * peaks.memory).min(self.peak)
    }
}

/// Returns the kernels of a chip that have a place: those with float operations whose peak is published, and bytes.
fn points<'e>(peaks: &Peaks, entries: &'e [Entry<'e>]) -> Vec<Point<'e>> {
    let of_chip = entries.iter().filter(|entry| {
        let chip = entry.kernel.chip.split(':').next();
        chip == Some(peaks.chip)
    });
    let point = |entry: &'e Entry<'e>| {
        let floats = entry
            .figures
            .operations
            .iter()
            .filter(|(operands, _)| is_float(operands));
        let (operands, _) = floats.max_by_key(|(_, n)| **n)?;
        Some(Point {
            entry,
            intensity: entry
                .figures
                .intensity()
                .filter(|intensity| *intensity > 0.0)?,
            operands,
            peak: peaks.of(operands)?,
        })
    };
    of_chip.filter_map(point).take(MAX_POINTS).collect()
}

fn chip(peaks: &Peaks, entries: &[Entry<'_>]) -> Markup {
    let points = points(peaks, entries);
    let mut types: Vec<&str> = points.iter().map(|point| point.operands).collect();
    types.push("f32");
    types.sort_unstable();
    types.dedup();
    let roofs: Vec<(&str, f64)> = types
        .iter()
        .filter_map(|name| Some((*name, peaks.of(name)?)))
        .collect();
    let scale = Scale::of(peaks, &roofs);
    let label = format!(
        "Roofline of {}: {} gigabytes a second, {}",
        peaks.product,
        peaks.memory,
        roofs
            .iter()
            .map(|(name, peak)| format!("{peak} gigaflops of {name}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    html! {
        h3 { (peaks.product) " (" (peaks.chip) ")" }
        figure {
            svg.picture.roofline viewBox={ "0 0 " (LEFT + WIDTH + 8.0) " " (HEIGHT + BELOW) } role="img" aria-label=(label) {
                (axes(&scale))
                @for (operands, peak) in &roofs { (roof(&scale, peaks, operands, *peak)) }
                @for (n, point) in points.iter().enumerate() {
                    @let (x, y) = (scale.x(point.intensity), scale.y(point.bound(peaks)));
                    g {
                        title { (name(&point.entry.kernel.name)) }
                        circle.point cx=(x) cy=(y) r="8" {}
                        text.number x=(x) y={ (format!("{:.1}", y + 3.5)) } text-anchor="middle" { (n + 1) }
                    }
                }
            }
            figcaption {
                strong { "Bounds, not measurements. " }
                "The roof is AMD's published peak of the product: no kernel exceeds it, and a kernel may stay far below. A kernel stands at its \
                 counted operations for each byte that it asks of memory, before caches, which may raise the sloped part."
            }
        }
        @if points.is_empty() {
            p.note { "No kernel has operations on floats with a published peak, and bytes of memory." }
        } @else {
            ol.points {
                @for point in &points {
                    li {
                        code { (name(&point.entry.kernel.name)) } ": " (format!("{:.3}", point.intensity)) " operations of " (point.operands)
                        " for each byte, at most " (format!("{:.1}", point.bound(peaks))) " GFLOP/s, "
                        (percent(point.bound(peaks) / point.peak)) " of the peak"
                    }
                }
            }
        }
    }
}

/// A picture with logarithmic axes.
struct Scale {
    /// Powers of ten at the bottom and top.
    bottom: f64,
    top: f64,
}

impl Scale {
    /// Returns a scale with all roofs.
    fn of(peaks: &Peaks, roofs: &[(&str, f64)]) -> Scale {
        let highest = roofs.iter().map(|(_, peak)| *peak).fold(1.0, f64::max);
        let lowest = peaks.memory * INTENSITIES.0.exp2();
        Scale {
            bottom: lowest.log10().floor(),
            top: highest.log10().ceil(),
        }
    }

    fn x(&self, intensity: f64) -> f64 {
        let (first, last) = INTENSITIES;
        let part = (intensity.log2().clamp(first, last) - first) / (last - first);
        round(LEFT + part * WIDTH)
    }

    fn y(&self, gigaflops: f64) -> f64 {
        let part = (gigaflops.log10() - self.bottom) / (self.top - self.bottom);
        round(HEIGHT * (1.0 - part.clamp(0.0, 1.0)))
    }
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn axes(scale: &Scale) -> Markup {
    let (first, last) = INTENSITIES;
    let powers = (0..=(last - first) as i32)
        .step_by(3)
        .map(|n| first as i32 + n);
    let tens = scale.bottom as i32..=scale.top as i32;
    html! {
        @for power in tens {
            @let y = scale.y(10f64.powi(power));
            line.grid x1=(LEFT) x2=(LEFT + WIDTH) y1=(y) y2=(y) {}
            text x=(LEFT - 6.0) y=(round(y + 4.0).clamp(12.0, HEIGHT - 4.0)) text-anchor="end" { (10f64.powi(power)) }
        }
        @for power in powers {
            @let x = scale.x(f64::from(power).exp2());
            line.grid x1=(x) x2=(x) y1="0" y2=(HEIGHT) {}
            text x=(x) y=(HEIGHT + 15.0) text-anchor="middle" {
                @if power < 0 { "1/" ((-f64::from(power)).exp2()) } @else { (f64::from(power).exp2()) }
            }
        }
        text x=(LEFT + WIDTH / 2.0) y=(HEIGHT + 32.0) text-anchor="middle" { "operations for each byte" }
        text x=(LEFT + 4.0) y="12" { "GFLOP/s" }
    }
}

/// Returns the line of a peak: the slope of memory, then level.
fn roof(scale: &Scale, peaks: &Peaks, operands: &str, peak: f64) -> Markup {
    let (first, last) = INTENSITIES;
    let corner = peak / peaks.memory;
    let points = [
        (first.exp2(), peaks.memory * first.exp2()),
        (corner, peak),
        (last.exp2(), peak),
    ];
    let points =
        points.map(|(intensity, flops)| format!("{},{}", scale.x(intensity), scale.y(flops)));
    html! {
        polyline.roof points=(points.join(" ")) {}
        text x=(LEFT + WIDTH) y=(round(scale.y(peak) - 5.0).max(12.0)) text-anchor="end" { (operands) ": " (peak) }
    }
}
