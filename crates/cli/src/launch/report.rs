//! The output of a launch: buffers and statistics.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;
use wavetank::check::Uncompared;
use wavetank::statistics::Sum;
use wavetank::{Dims, Kernel, Report};

use super::element::Element;
use crate::fidelity::ByFidelity;
use crate::statistics::Statistics;

/// The number of values in a row of a listing.
const ROW: usize = 8;

/// Returns the numbers of a buffer, eight in a row after the index of the first, or those of each row of a picture after its
/// number:
///
/// ```text
/// c: 10 f32
///     0  0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0
///     8  8.0 9.0
/// c: 5x2 f32
///     0  0.0 1.0 2.0 3.0 4.0
///     1  5.0 6.0 7.0 8.0 9.0
/// ```
pub(super) fn listing(name: &str, element: Element, row: Option<u64>, bytes: &[u8]) -> String {
    let numbers = element.show(bytes);
    let (size, width, step) = match row {
        // Columns are aligned only where they mean something.
        Some(row) => {
            let width = numbers.iter().map(String::len).max().unwrap_or(0);
            let rows = numbers.len() as u64 / row;
            (format!("{row}x{rows}"), width, 1)
        }
        None => (numbers.len().to_string(), 0, ROW),
    };
    let mut text = format!("{name}: {size} {}\n", element.name());
    let length = row.map_or(ROW, |row| usize::try_from(row).unwrap_or(usize::MAX));
    for (n, numbers) in numbers.chunks(length).enumerate() {
        let numbers: Vec<String> = numbers.iter().map(|n| format!("{n:>width$}")).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:>5}  {}", n * step, numbers.join(" "));
    }
    text
}

/// The JSON object of `--stats`.
#[derive(Serialize)]
struct Stats<'a> {
    kernel: &'a str,
    gpu: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    threads: usize,
    #[serde(flatten)]
    statistics: Statistics,
    /// The findings, if the launch was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Value>>,
    /// What the tool `race` has not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The instructions that ran, by fidelity, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<ByFidelity>,
}

/// Returns the statistics of a run with its grid and block as one line of JSON, with the findings if it was checked.
pub(super) fn stats(
    kernel: &Kernel,
    [grid, block]: [Dims; 2],
    report: &Report,
    findings: Option<Vec<Value>>,
    fidelity: Option<ByFidelity>,
) -> String {
    let stats = Stats {
        kernel: kernel.name(),
        gpu: kernel.module().device().chip().name(),
        grid: grid.size(),
        block: block.size(),
        threads: report.threads,
        statistics: Statistics::of(&Sum::of(report)),
        findings,
        notes: (report.uncompared.as_ref()).map_or_else(Vec::new, Uncompared::sentences),
        fidelity,
    };
    // Cannot fail, because all keys are strings and all numbers finite.
    serde_json::to_string(&stats).map_or_else(|error| error.to_string(), |line| line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_have_rows_of_eight() {
        let bytes: Vec<u8> = (0..10u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            listing("c", Element::U16, None, &bytes),
            "c: 10 u16\n    0  0 1 2 3 4 5 6 7\n    8  8 9\n"
        );
    }

    #[test]
    fn pictures_have_rows_and_columns() {
        let bytes: Vec<u8> = (5..11u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            listing("c", Element::U16, Some(3), &bytes),
            "c: 3x2 u16\n    0   5  6  7\n    1   8  9 10\n"
        );
    }
}
