//! Reports that are files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use wavetank_profile::model::Profile;
use wavetank_profile::report::{csv, html, trace};
use wavetank_source::Sources;

use super::Wanted;
use super::wanted::PAGE;
use crate::exit::{Failure, Result};
use crate::whole;

/// A report that can be a file.
#[derive(Clone, Copy)]
enum Report {
    Json,
    Page,
    Csv,
    Trace,
}

/// The files of a folder with all reports.
const IN_FOLDER: [(&str, Report); 4] = [
    ("profile.json", Report::Json),
    ("profile.html", Report::Page),
    ("kernels.csv", Report::Csv),
    ("profile.pftrace", Report::Trace),
];

/// Writes the files that are asked for, and returns their names.
///
/// # Errors
/// Files that cannot be written.
pub(super) fn write(profile: &Profile, wanted: &Wanted, sources: &Sources) -> Result<Vec<PathBuf>> {
    let mut files: Vec<(PathBuf, Report)> = Vec::new();
    if let Some(folder) = &wanted.output {
        files.extend(in_folder(folder)?);
    }
    let page = wanted.html.iter().map(|path| (path.clone(), Report::Page));
    let trace_file = wanted.trace.iter();
    let trace_file = trace_file.map(|path| (path.clone(), Report::Trace));
    files.extend(page.chain(trace_file));
    for (path, report) in &files {
        write_one(profile, path, *report, sources, wanted.on_page())?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Writes the profile to a file of JSON, or all reports to a folder.
///
/// # Errors
/// Files that cannot be written.
pub(super) fn write_to(profile: &Profile, to: &Path, sources: &Sources) -> Result {
    let files = match to.extension() {
        Some(end) if end == "json" => vec![(to.to_owned(), Report::Json)],
        _ => in_folder(to)?,
    };
    let mut files = files.iter();
    files.try_for_each(|(path, report)| write_one(profile, path, *report, sources, PAGE))
}

/// Makes a folder, and returns the files of all reports in it.
fn in_folder(folder: &Path) -> Result<Vec<(PathBuf, Report)>> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, error))?;
    let all = IN_FOLDER.iter();
    Ok(all
        .map(|(name, report)| (folder.join(name), *report))
        .collect())
}

/// Writes a report, of which a page shows some kernels whole.
fn write_one(
    profile: &Profile,
    path: &Path,
    report: Report,
    sources: &Sources,
    on_page: usize,
) -> Result {
    let written = whole::write_by(path, |file| match report {
        Report::Json => profile.write(file),
        Report::Page => file.write_all(html(profile, sources, on_page).as_bytes()),
        Report::Csv => file.write_all(csv(profile).as_bytes()),
        Report::Trace => file.write_all(&trace(profile)),
    });
    written.map_err(|error| Failure::file("write", path, error))
}
