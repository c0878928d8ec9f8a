//! The frame of the page, and the parts that its sections are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use wavetank_quote::plain;

/// Limit of the characters of a name or line. Names of templates may be of any length.
const LONGEST: usize = 240;

/// What the page may load: nothing but its own styles.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// Returns a page with its frame.
pub(super) fn page(title: &str, made_by: &str, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { "Profile of " (name(title)) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                main #main tabindex="-1" { (main) }
                footer {
                    p { "Made by " (name(made_by)) ". Counts are exact; no time of a chip is claimed." }
                }
            }
        }
    };
    page.into_string() + "\n"
}

/// A heading with an anchor.
pub(super) fn heading(id: &str, text: &str) -> Markup {
    html! { h2 id=(id) { a.anchor href={ "#" (id) } { (text) } } }
}

/// Returns a foreign text with visible characters, cut if it is long.
pub(super) fn name(text: &str) -> String {
    let shown = plain(text).to_string();
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// A table in a box that scrolls by itself if the table is too wide for the page. The columns from the second on are numbers.
pub(super) fn table(label: &str, header: &[&str], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.scroll role="region" aria-label=(label) tabindex="0" {
            table {
                thead { tr { @for name in header { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (n, cell) in row.iter().enumerate() {
                                @if n == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_visible() {
        assert_eq!(name("a\x1bb\u{202e}"), "a\\u{1b}b\\u{202e}");
        let long = name(&"é".repeat(10_000));
        assert_eq!(long.chars().count(), LONGEST + 1);
    }
}
