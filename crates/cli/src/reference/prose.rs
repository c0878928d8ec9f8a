//! Sentences in HTML: text between backquotes is code.

use maud::{Markup, html};

/// Returns a text with its code marked.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (n, piece) in text.split('`').enumerate() {
            @if n % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_text_escaped() {
        let shown = prose("a < b after `s_<x>` wrote").into_string();
        assert_eq!(shown, "a &lt; b after <code>s_&lt;x&gt;</code> wrote");
    }
}
