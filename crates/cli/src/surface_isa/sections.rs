//! Sections of a reference page.

use crate::paint::title;

/// Titles, each after an empty line, with the text below.
pub(super) fn sections<'t>(list: impl IntoIterator<Item = (&'t str, String)>) -> String {
    let section = |(name, text)| format!("\n{}\n{text}", title(name));
    list.into_iter().map(section).collect()
}
