//! The frame of every page: head, search, main part, foot.

use maud::{DOCTYPE, Markup, PreEscaped, html};
pub(super) use wavetank_profile::report::parts::{heading, table};

/// A page without its frame.
pub(super) struct Page<'a> {
    /// The title, without the name of the reference.
    pub title: &'a str,
    /// The description for search engines and previews.
    pub description: &'a str,
    /// The way from the page to the folder: empty, or `../`.
    pub root: &'static str,
    /// The links from the front page to this one: name and path from the folder.
    pub trail: Vec<(String, String)>,
    pub main: Markup,
}

impl Page<'_> {
    pub(super) fn html(self) -> String {
        let root = self.root;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="description" content=(self.description);
                    title { (self.title) " · wavetank instruction reference" }
                    link rel="stylesheet" href={ (root) "style.css" };
                    script src={ (root) "search.js" } data-root=(root) defer {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        nav aria-label="Place in the reference" {
                            ol.trail {
                                li { a href={ (root) "index.html" } { "Instruction reference" } }
                                @for (name, path) in &self.trail {
                                    li { a href={ (root) (path) } { (name) } }
                                }
                                @if !root.is_empty() { li aria-current="page" { (self.title) } }
                            }
                        }
                        (search())
                    }
                    main #main tabindex="-1" { (self.main) }
                    footer {
                        p {
                            "Written by wavetank " (env!("CARGO_PKG_VERSION")) ". Pseudo-code is made of what runs when an "
                            "instruction is executed; fidelity names the case or test that shows it."
                        }
                    }
                }
            }
        };
        page.into_string() + "\n"
    }
}

/// The search box, which is hidden until the script runs: lists lead everywhere as well.
fn search() -> Markup {
    html! {
        search hidden {
            label.hide for="search" { "Search instructions" }
            input #search type="search" role="combobox" placeholder="Search: name, opcode, words" autocomplete="off"
                spellcheck="false" aria-autocomplete="list" aria-expanded="false" aria-controls="results"
                aria-keyshortcuts="/";
            ul #results role="listbox" aria-label="Instructions found" hidden {}
            p #found.hide role="status" {}
        }
    }
}

/// Lines of code.
pub(super) fn code<'l>(lines: impl IntoIterator<Item = &'l str>) -> Markup {
    let lines: Vec<&str> = lines.into_iter().collect();
    html! { pre tabindex="0" { code { (lines.join("\n")) } } }
}

/// A text that is escaped.
pub(super) fn text(text: impl AsRef<str>) -> Markup {
    html! { (text.as_ref()) }
}

/// A separator between short facts.
pub(super) const DOT: PreEscaped<&str> = PreEscaped(" · ");
