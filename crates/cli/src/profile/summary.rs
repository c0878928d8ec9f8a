//! A profile as text: a table of the kernels, the figures of the first ones, and advice.

use wavetank_profile::advice::all;
use wavetank_profile::figures::{Figures, share};
use wavetank_profile::model::{Kernel, Profile};
use wavetank_profile::number::{grouped, percent};
use wavetank_profile::report::{Look, advice_text, details};
use wavetank_quote::plain;
use wavetank_source::Sources;

use crate::columns::Columns;
use crate::paint::title;
use crate::terminal;

/// Limit of the rows of the table.
const MAX_ROWS: usize = 30;
/// Pieces of advice for each kernel that is shown whole.
const ADVICE: usize = 2;

/// Returns the report, with `top` kernels whole.
pub(super) fn text(profile: &Profile, sources: &Sources, top: usize) -> String {
    let mut kernels: Vec<(&Kernel, Figures)> = profile
        .kernels
        .iter()
        .map(|k| (k, Figures::of(k)))
        .collect();
    kernels.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.executions));
    if kernels.is_empty() {
        return "no kernel ran\n".to_owned();
    }
    let mut text = table(&kernels);
    if kernels.len() > MAX_ROWS {
        text += &format!(
            "and {} more, which --csv and --html have\n",
            kernels.len() - MAX_ROWS
        );
    }
    for (kernel, _) in kernels.iter().take(top) {
        text.push('\n');
        let figures = details(kernel);
        let (name, rest) = figures.split_once('\n').unwrap_or((&figures, ""));
        text += &format!("{}\n{rest}", title(name));
    }
    text + &advice(profile, sources, top * ADVICE)
}

fn table(kernels: &[(&Kernel, Figures)]) -> String {
    let header = [
        "part",
        "instructions",
        "launches",
        "waves",
        "lanes",
        "lines used",
        "LDS conflicts",
        "waves/SIMD",
        "kernel",
    ];
    let all: u64 = kernels.iter().map(|(_, figures)| figures.executions).sum();
    let mut table = Columns::new(&header, &[0, 1, 2, 3, 4, 5, 6, 7], &[3, 7, 2, 6]);
    for (kernel, figures) in kernels.iter().take(MAX_ROWS) {
        let or_dash = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        table.add(vec![
            or_dash(share(figures.executions, all)),
            grouped(figures.executions),
            grouped(kernel.launches),
            grouped(kernel.waves),
            or_dash(figures.active_share()),
            or_dash(figures.lines_used()),
            or_dash(figures.conflict_share()),
            format!(
                "{}/{}",
                kernel.occupancy.waves_per_simd, kernel.occupancy.most_waves_per_simd
            ),
            plain(&kernel.name).to_string(),
        ]);
    }
    table.text()
}

/// Returns the first pieces of advice.
fn advice(profile: &Profile, sources: &Sources, most: usize) -> String {
    let given = all(profile);
    let look = Look {
        colours: terminal::colours(),
        columns: terminal::columns(),
    };
    let shown = given.iter().take(most);
    let mut text: String = shown
        .map(|advice| {
            format!(
                "\n{}",
                advice_text(advice, &profile.kernels[advice.kernel], sources, look)
            )
        })
        .collect();
    if let Some(more) = given.len().checked_sub(most).filter(|more| *more > 0) {
        text += &format!(
            "\n{more} more pieces of advice: --top N shows them for N kernels, --html has all\n"
        );
    }
    text
}
