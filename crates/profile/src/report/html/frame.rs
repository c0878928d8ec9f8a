//! The frame of the page, and the parts that its sections are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use wavetank_quote::plain;

use super::parts::BASE_STYLE;

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
                style { (PreEscaped(BASE_STYLE)) (PreEscaped(include_str!("style.css"))) }
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

/// Returns a foreign text with visible characters, cut if it is long.
pub(super) fn name(text: &str) -> String {
    let shown = plain(text).to_string();
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
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
