//! Line breaking at blanks, so that pages fit terminals of 80 columns.

/// The width of a page in columns.
pub(crate) const PAGE: usize = 80;

/// Returns a text with a first indent, broken before it exceeds [`PAGE`] columns. Further lines are indented by `rest` blanks. A
/// word that is too long has a line of its own.
pub(crate) fn folded(text: &str, first: &str, rest: usize) -> String {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let needed = line.chars().count() + word.chars().count() + usize::from(!empty);
        if !empty && needed > PAGE {
            lines.push(std::mem::replace(&mut line, " ".repeat(rest)));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines.push(line);
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Returns a paragraph for each line, indented by some blanks; continuation lines are indented by two more.
pub(crate) fn paragraphs(text: &str, indent: usize) -> String {
    let fold = |line: &str| folded(line, &" ".repeat(indent), indent + 2);
    text.lines().map(fold).collect()
}

/// Returns lines indented by two blanks.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks() {
        let text = "word ".repeat(20);
        let lines = folded(&text, "name  ", 6);
        let widths: Vec<usize> = lines.lines().map(str::len).collect();
        // After 6 columns there is space for 15 words of 4 with 14 blanks in between, and 5 words are left.
        assert_eq!(widths, [6 + 15 * 4 + 14, 6 + 5 * 4 + 4]);
        assert!(
            lines
                .lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("      word"))
        );
        assert_eq!(folded(&"x".repeat(90), "  ", 2).lines().count(), 1);
        assert_eq!(paragraphs("a\nb\n", 2), "  a\n  b\n");
    }
}
