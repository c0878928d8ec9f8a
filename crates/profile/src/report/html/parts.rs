//! Parts that all pages have, also those of the instruction reference.

use maud::{Markup, html};

/// The style that all pages begin with: colours for light and dark, type, links.
pub const BASE_STYLE: &str = include_str!("base.css");

/// Returns a heading with an anchor.
pub fn heading(id: &str, text: &str) -> Markup {
    html! { h2 id=(id) { a.anchor href={ "#" (id) } { (text) } } }
}

/// Returns a table in a box that scrolls by itself if the table is too wide for the page. The first column names the rows.
pub fn table(label: &str, header: &[&str], rows: &[Vec<Markup>]) -> Markup {
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
