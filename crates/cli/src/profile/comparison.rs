//! `wavetank profile --compare`: the counts that differ from an earlier profile.

use wavetank_profile::compare::{Change, compare};
use wavetank_profile::model::Profile;
use wavetank_profile::number::grouped;
use wavetank_quote::{plain, some_of};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print};

/// Prints a table of the counts that differ.
///
/// # Errors
/// A sentence about the counts that grew by more than so many percent.
pub(super) fn report(old: &Profile, new: &Profile, by: f64) -> Result {
    let comparison = compare(old, new);
    let mut text = if comparison.changes.is_empty() {
        "no count differs\n".to_owned()
    } else {
        table(&comparison.changes, by)
    };
    for (names, verb) in [(&comparison.added, "new"), (&comparison.removed, "gone")] {
        if !names.is_empty() {
            text += &format!("{verb}: {}\n", some_of(names));
        }
    }
    print(&text)?;
    let grown = comparison
        .changes
        .iter()
        .filter(|change| change.grows_by_more_than(by));
    match grown.count() {
        0 => Ok(()),
        1 => Err(Failure::Kernel(format!("a count grew by more than {by} %"))),
        n => Err(Failure::Kernel(format!(
            "{n} counts grew by more than {by} %"
        ))),
    }
}

fn table(changes: &[Change], by: f64) -> String {
    let mut table = Columns::new(
        &["count", "old", "new", "change", "", "kernel"],
        &[1, 2, 3],
        &[],
    );
    for change in changes {
        let percent = change.percent();
        let percent = if percent.is_finite() {
            format!("{percent:+.1} %")
        } else {
            "from 0".to_owned()
        };
        let grew = if change.grows_by_more_than(by) {
            "grew"
        } else {
            ""
        };
        let kernel = change
            .kernel
            .as_deref()
            .map_or("all".to_owned(), |name| plain(name).to_string());
        table.add(vec![
            change.count.to_owned(),
            grouped(change.old),
            grouped(change.new),
            percent,
            grew.to_owned(),
            kernel,
        ]);
    }
    table.text()
}
