//! Detection of names among the operands of an instruction, from its text alone.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use wavetank_gcn::Op;
use wavetank_gcn::tables::Kind;

use crate::source::{first_word, is_name};
use crate::state::FirstCharFilter;

/// Whether an instruction may have computed operands: names of symbols, or calculations in brackets. `named` is called for words
/// that may be names, and returns whether they are.
#[inline]
pub(super) fn may_have_names(text: &str, mut named: impl FnMut(&str) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut at = first_word(text).len();
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$') {
            let end = at + bytes[at..].iter().take_while(|b| is_name(**b)).count();
            let word = &text[at..end];
            if !is_register(word) && (word.contains('@') || named(word)) {
                return true;
            }
            at = end;
        } else if byte.is_ascii_digit() {
            at += bytes[at..].iter().take_while(|b| is_name(**b)).count();
        } else if b"*/%<>~^+@\"".contains(&byte)
            || bytes[at..].starts_with(b"::")
            || (byte == b'-' && follows_a_value(&bytes[..at]))
        {
            return true;
        } else {
            at += 1;
        }
    }
    false
}

/// Returns the first characters of the words that may be names; of all words, if the text contains a calculation.
pub(super) fn first_chars(text: &str) -> FirstCharFilter {
    let mut first_chars = FirstCharFilter::default();
    let calculates = may_have_names(text, |word| {
        first_chars.insert(word);
        false
    });
    if calculates {
        FirstCharFilter::ALL
    } else {
        first_chars
    }
}

/// Whether the text before a sign ends with a value, so that the sign is a subtraction.
fn follows_a_value(before: &[u8]) -> bool {
    let last = before.iter().rev().find(|b| !b.is_ascii_whitespace());
    last.is_some_and(|b| is_name(*b) || *b == b')')
}

/// Whether a word is a vector or scalar register. Tested first, since most words are registers.
fn is_register(word: &str) -> bool {
    let digits = match word.as_bytes() {
        [b'v' | b's' | b'a', digits @ ..] | [b't', b't', b'm', b'p', digits @ ..] => digits,
        _ => &[],
    };
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        || matches!(
            word,
            "vcc" | "exec" | "m0" | "off" | "glc" | "slc" | "offset"
        )
}

/// Returns the operand of a branch that names a label, as a range of the text.
pub(super) fn target(text: &str, branches: &HashSet<&'static str>) -> Option<Range<usize>> {
    if !text.starts_with("s_") {
        return None;
    }
    let name = first_word(text);
    if !branches.contains(name) {
        return None;
    }
    let start = text.rfind(',').map_or(name.len(), |comma| comma + 1);
    let operand = text[start..].trim_start();
    let start = text.len() - operand.len();
    let first = operand.bytes().next()?;
    let digits = operand.bytes().take_while(u8::is_ascii_digit).count();
    let local = digits > 0 && matches!(&operand[digits..], "b" | "f");
    let named = (is_name(first) && !first.is_ascii_digit()) || first == b'"';
    (named || local || first == b'(').then_some(start..text.len())
}

/// Returns the mnemonics whose last operand is the distance to a place in the code.
pub(super) fn branches() -> &'static HashSet<&'static str> {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let targets = |op: &Op| op.row().operands.iter().any(|s| s.kind == Kind::Target);
        let rows = Op::all().filter(targets).map(|op| op.row());
        rows.flat_map(|row| row.mnemonics.into_iter().flatten())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_branches_have_targets() {
        let target = |text| target(text, branches());
        assert_eq!(target("s_branch loop"), Some(9..13));
        assert_eq!(target("s_call_b64 s[0:1], f+4"), Some(19..22));
        assert_eq!(target("s_cbranch_scc0 1f"), Some(15..17));
        assert_eq!(target("s_branch (loop)"), Some(9..15));
        assert_eq!(target("s_branch 12"), None);
        assert_eq!(target("s_branch -12"), None);
        assert_eq!(target("s_branch 0x10"), None);
        assert_eq!(target("s_branch"), None);
        assert_eq!(target("s_mov_b32 s0, s1"), None);
    }
}
