//! The reports that are asked for.

use std::path::PathBuf;
use std::str::FromStr;

use wavetank_check::Pattern;
use wavetank_profile::model::{Event, Kernel, Profile, Timeline};
use wavetank_quote::{plain, some_of};

use crate::exit::{Failure, Result};

/// Kernels that text shows whole.
const TEXT: usize = 5;
/// Kernels that a page shows whole.
pub(super) const PAGE: usize = 30;

/// The reports, and the kernels in them.
#[derive(clap::Args)]
pub(crate) struct Wanted {
    /// Write all reports to this folder: profile.json, profile.html, kernels.csv and profile.pftrace
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Write a page of HTML, which needs no network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write launches, copies and calls over time as a trace for Perfetto
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print a row for each kernel, with the columns of rocprof where they mean the same
    #[arg(long)]
    pub csv: bool,
    /// Print the profile as JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print the counts that differ from this profile, and fail if one has grown
    #[arg(long, value_name = "OLD", conflicts_with_all = ["csv", "json"])]
    pub compare: Option<PathBuf>,
    /// With --compare: fail only for counts that grew by more than this
    #[arg(long, value_name = "N%", default_value = "0%", requires = "compare")]
    pub by: Percent,
    /// Only kernels of such names: `*` stands for any characters, `?` for one
    #[arg(long = "kernel", value_name = "PATTERN")]
    pub kernels: Vec<Pattern>,
    /// The number of kernels that are shown whole; 5 as text and 30 on a page otherwise
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

/// A number of percent, with or without its sign.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Percent(pub f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Percent, String> {
        let number = text.trim_end_matches('%').trim_end().parse();
        let fits = |number: &f64| number.is_finite() && *number >= 0.0;
        let number = number.ok().filter(fits);
        number
            .map(Percent)
            .ok_or_else(|| "it is a number of percent, such as 5% or 0.5".to_owned())
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} %", self.0)
    }
}

impl Wanted {
    /// Whether stdout gets text for people.
    pub(crate) fn is_text(&self) -> bool {
        !(self.csv || self.json || self.has_files())
    }

    /// Whether stdout gets a report for another program.
    pub(super) fn is_data(&self) -> bool {
        self.csv || self.json
    }

    fn has_files(&self) -> bool {
        self.output.is_some() || self.html.is_some() || self.trace.is_some()
    }

    /// Returns the number of kernels that text shows whole.
    pub(super) fn top(&self) -> usize {
        self.top.unwrap_or(TEXT)
    }

    /// Returns the number of kernels that a page shows whole.
    pub(super) fn on_page(&self) -> usize {
        self.top.unwrap_or(PAGE)
    }

    fn fits(&self, kernel: &Kernel) -> bool {
        let fits =
            |pattern: &Pattern| pattern.fits_name(&kernel.symbol) || pattern.fits(&kernel.name);
        self.kernels.iter().any(fits)
    }

    /// Returns the profile with the kernels that the patterns fit.
    ///
    /// # Errors
    /// A sentence with the names that there are, if no kernel fits.
    pub(super) fn choose(&self, profile: &Profile) -> Result<Profile> {
        let chosen = self.choose_any(profile);
        if !chosen.kernels.is_empty() {
            return Ok(chosen);
        }
        let patterns: Vec<String> = self
            .kernels
            .iter()
            .map(|p| format!("`{}`", plain(&p.to_string())))
            .collect();
        let names: Vec<&str> = profile
            .kernels
            .iter()
            .map(|kernel| kernel.name.as_str())
            .collect();
        let names = match names.as_slice() {
            [] => "it has none".to_owned(),
            names => format!("it has {}", some_of(names)),
        };
        Err(Failure::usage(format!(
            "no kernel of the profile fits {}; {names}",
            patterns.join(" or ")
        )))
    }

    /// Returns the profile with the kernels that the patterns fit, which may be none. Launches of the others are left out of the
    /// timeline.
    pub(super) fn choose_any(&self, profile: &Profile) -> Profile {
        let mut places = Vec::new();
        let mut kernels = Vec::new();
        for kernel in &profile.kernels {
            let fits = self.fits(kernel);
            places.push(fits.then_some(kernels.len()));
            if fits {
                kernels.push(kernel.clone());
            }
        }
        let event = |event: &Event| match event.kernel {
            Some(kernel) => places[kernel].map(|kernel| Event {
                kernel: Some(kernel),
                ..event.clone()
            }),
            None => Some(event.clone()),
        };
        Profile {
            version: profile.version,
            made_by: profile.made_by.clone(),
            program: profile.program.clone(),
            timeline: Timeline {
                events: profile.timeline.events.iter().filter_map(event).collect(),
                left_out: profile.timeline.left_out,
            },
            kernels,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_numbers() {
        let read = |text: &str| text.parse::<Percent>().map(|percent| percent.0);
        assert_eq!(
            [read("5%"), read("0.5"), read("10 %")],
            [Ok(5.0), Ok(0.5), Ok(10.0)]
        );
        for wrong in ["", "%", "-1", "nan", "inf", "five"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
