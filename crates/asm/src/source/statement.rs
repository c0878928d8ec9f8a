//! The statements of a line: labels, and instructions or directives. CLRX separates statements by `;`.

use memchr::memchr3_iter;
use wavetank_gcn::Dialect;

/// A statement of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement<'a> {
    /// `name:`, with its position in the line.
    Label { name: &'a str, at: usize },
    /// A mnemonic or directive with its operands, after `indent` bytes of the line.
    Order { text: &'a str, indent: usize },
}

/// Whether a source may have more than instructions: labels, directives, assignments. Most colons stand between register numbers
/// or after the name of a modifier that is not the first word of its line. Most points are in numbers.
pub(crate) fn may_have_names(source: &str) -> bool {
    let bytes = source.as_bytes();
    let without = |text: &[u8], part: fn(u8) -> bool| {
        let kept = text.iter().rposition(|b| !part(*b));
        kept.map_or(0, |last| last + 1)
    };
    let blank = |b: u8| matches!(b, b' ' | b'\t' | 0x0b | 0x0c);
    // At the start of a line, or after another label, a statement or a comment.
    let first =
        |b: Option<&u8>| b.is_none_or(|b| matches!(b, b'\n' | b'\r' | b':' | b';' | b'/' | b'"'));
    memchr3_iter(b':', b'.', b'=', bytes).any(|mark| match bytes[mark] {
        b'=' => true,
        b'.' => first(bytes[..without(&bytes[..mark], blank)].last()),
        _ => {
            let name_end = without(&bytes[..mark], blank);
            let name = without(&bytes[..name_end], is_name);
            first(bytes[..without(&bytes[..name], blank)].last())
        }
    })
}

/// Returns the statements of a line without comments.
pub(crate) fn statements(line: &str, dialect: Dialect) -> impl Iterator<Item = Statement<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = line.get(start..)?;
            let blank = rest.len() - rest.trim_start().len();
            let body = &rest[blank..];
            if body.is_empty() {
                return None;
            }
            if let Some((name, length)) = label(body) {
                let at = start + blank;
                start = at + length;
                return Some(Statement::Label { name, at });
            }
            let end = match dialect {
                Dialect::Clrx => semicolon(body).unwrap_or(body.len()),
                Dialect::Llvm => body.len(),
            };
            let indent = start + blank;
            start = indent + end + 1;
            let text = body[..end].trim_end();
            if !text.is_empty() {
                return Some(Statement::Order { text, indent });
            }
        }
    })
}

/// Returns the position of the first semicolon outside of quotes.
fn semicolon(text: &str) -> Option<usize> {
    text.find(';')?;
    let (mut quoted, mut escaped) = (None, false);
    text.bytes().position(|byte| {
        match (byte, quoted) {
            _ if escaped => escaped = false,
            (b'\\', Some(_)) => escaped = true,
            (b'"' | b'\'', None) => quoted = Some(byte),
            (byte, Some(mark)) if byte == mark => quoted = None,
            (b';', None) => return true,
            _ => {}
        }
        false
    })
}

/// Whether `//` is a division after this part of a line of CLRX: in a directive or an assignment, or without a blank before it.
pub(super) fn divides(before: &str) -> bool {
    let mut rest = &before[before.rfind(';').map_or(0, |mark| mark + 1)..];
    loop {
        rest = rest.trim_start();
        match label(rest) {
            Some((_, length)) => rest = &rest[length..],
            None => break,
        }
    }
    let name = rest.find(|c: char| c.is_whitespace() || c == '=');
    let assigns = name.is_some_and(|name| rest[name..].trim_start().starts_with('='));
    let blank = rest.ends_with(|c: char| c.is_whitespace());
    !rest.is_empty() && (rest.starts_with('.') || assigns || !blank)
}

/// Returns the label at the beginning of a text, which may be quoted, and the length up to the end of its colon.
fn label(text: &str) -> Option<(&str, usize)> {
    let quoted = text.strip_prefix('"');
    let quoted = quoted.and_then(|rest| rest.split_once('"'));
    let (name, end) = match quoted {
        Some((name, _)) => (name, name.len() + 2),
        None => {
            let length = text.bytes().take_while(|b| is_name(*b)).count();
            (&text[..length], length)
        }
    };
    let after = &text[end..];
    let blank = after.len() - after.trim_start().len();
    // Two colons belong to a path of CLRX's scopes.
    let colon = after[blank..].starts_with(':') && !after[blank..].starts_with("::");
    (!name.is_empty() && colon).then(|| (name, end + blank + 1))
}

/// Returns the first word of a statement: a directive, macro, mnemonic, symbol, or path of CLRX's scopes. If it does not begin
/// with a name, the result is the text up to a blank or an equals sign.
pub(crate) fn first_word(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut end = 0;
    loop {
        end += bytes[end..].iter().take_while(|b| is_name(**b)).count();
        if bytes[end..].starts_with(b"::") {
            end += 2;
        } else {
            break;
        }
    }
    if end == 0 {
        let other = |b: &&u8| !b.is_ascii_whitespace() && **b != b'=';
        end = bytes.iter().take_while(other).count();
    }
    &text[..end]
}

/// Whether a byte can stand in the name of a label.
pub(crate) fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Lines;

    fn texts(source: &str, dialect: Dialect) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        for row in Lines::new(source.into(), dialect) {
            let line = row.line(source);
            all.extend(statements(line, dialect).map(|s| match s {
                Statement::Label { name, .. } => (row.number, format!("{name}:")),
                Statement::Order { text, indent } => (row.number, format!("{indent} {text}")),
            }));
        }
        all
    }

    fn pair(number: usize, text: &str) -> (usize, String) {
        (number, text.to_owned())
    }

    #[test]
    fn comments_are_no_statements() {
        let source = "s_nop 0 ; one\n// two\n  s_nop /* in */ 1\n/* a\nb */ s_nop 2 // c\n# d\n";
        assert_eq!(
            texts(source, Dialect::Llvm),
            [
                pair(1, "0 s_nop 0"),
                pair(3, "2 s_nop          1"),
                pair(5, "5 s_nop 2")
            ]
        );
    }

    #[test]
    fn colons_of_operands_are_no_labels() {
        let plain = "v_add_f64 v[0:1], v[2 : 3], s[4:5] mul:2\nds_read_b32 v0, v1 offset:16 gds\n";
        assert!(!may_have_names(plain));
        for label in [
            "a:",
            "s_nop 0\n\t.Lb :\n",
            "/* c */d: s_nop 0",
            "1:\ts_branch 1b",
            "s_nop 0\rf:",
            "s_nop 0;e:",
        ] {
            assert!(may_have_names(label), "{label}");
            assert!(may_have_names(&format!("{plain}{label}")), "{label}");
        }
    }

    #[test]
    fn clrx_parts_statements_by_semicolons() {
        let source = "s_nop 0 ; s_nop 1 # s_nop 2";
        assert_eq!(
            texts(source, Dialect::Clrx),
            [pair(1, "0 s_nop 0"), pair(1, "10 s_nop 1")]
        );
    }

    #[test]
    fn labels_come_before_instructions() {
        let source = "a: .Lb: s_load_dwordx2 s[0:1], s[2:3], 0\n1 :\ns_nop 0";
        assert_eq!(
            texts(source, Dialect::Llvm),
            [
                pair(1, "a:"),
                pair(1, ".Lb:"),
                pair(1, "8 s_load_dwordx2 s[0:1], s[2:3], 0"),
                pair(2, "1:"),
                pair(3, "0 s_nop 0"),
            ]
        );
    }
}
