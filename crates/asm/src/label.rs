//! Labels: where they are, and the operands that name them.

use std::collections::HashMap;
use std::sync::OnceLock;

use std::collections::HashSet;
use wavetank_isa::Op;
use wavetank_isa::tables::Kind;

use crate::source::is_name;

/// The labels of a source, by name, with the address in bytes that each stands for.
#[derive(Default)]
pub(crate) struct Labels {
    named: HashMap<String, u64>,
    /// Numbers can stand more than once: `1b` is the last one before, `1f` the next one after.
    numbered: Vec<(String, u64)>,
}

impl Labels {
    /// Adds a label. `false` if another place has the name.
    pub fn define(&mut self, name: &str, address: u64) -> bool {
        if name.bytes().all(|b| b.is_ascii_digit()) {
            self.numbered.push((name.to_owned(), address));
            return true;
        }
        self.named.insert(name.to_owned(), address).is_none()
    }

    /// The address of `name`, `name+8`, `name-4`, `1b` or `1f`, for an instruction at `from`.
    ///
    /// # Errors
    /// The name that no label has.
    pub fn resolve<'t>(&self, target: &'t str, from: u64) -> Result<i64, &'t str> {
        let length = target.bytes().take_while(|b| is_name(*b)).count();
        let (name, distance) = target.split_at(length);
        let distance = distance.replace(char::is_whitespace, "");
        let distance = match distance.strip_prefix('+').unwrap_or(&distance) {
            "" => 0,
            text => number(text).ok_or(target)?,
        };
        let address = self.address(name, from).ok_or(name)?;
        Ok(address as i64 + distance)
    }

    fn address(&self, name: &str, from: u64) -> Option<u64> {
        if let Some(address) = self.named.get(name) {
            return Some(*address);
        }
        let split = name.len().checked_sub(1)?;
        let (digits, direction) = (name.get(..split)?, name.get(split..)?);
        let mut same = self.numbered.iter().filter(|(n, _)| n == digits);
        let place = match direction {
            "b" => same.rfind(|(_, address)| *address <= from),
            "f" => same.find(|(_, address)| *address > from),
            _ => None,
        };
        place.map(|(_, address)| *address)
    }
}

/// A decimal or hexadecimal number with a sign.
fn number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse::<u32>().map(i64::from),
    };
    value.ok().filter(|v| *v < 1 << 32).map(|v| sign * v)
}

/// The operand of a branch that names a label, as a range of the text.
pub(crate) fn target(text: &str) -> Option<std::ops::Range<usize>> {
    if !text.starts_with("s_") {
        return None;
    }
    let name = text.split_whitespace().next()?;
    if !branches().contains(name) {
        return None;
    }
    let start = text.rfind(',').map_or(name.len(), |comma| comma + 1);
    let operand = text[start..].trim_start();
    let start = text.len() - operand.len();
    let first = operand.bytes().next()?;
    let digits = operand.bytes().take_while(u8::is_ascii_digit).count();
    let local = digits > 0 && matches!(&operand[digits..], "b" | "f");
    let named = is_name(first) && !first.is_ascii_digit();
    // In brackets of calls such as hwreg() there are no labels.
    ((named || local) && !operand.contains('(')).then_some(start..text.len())
}

/// The mnemonics whose last operand is the distance to a place in the code.
fn branches() -> &'static HashSet<&'static str> {
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
    fn names_resolve_to_addresses() {
        let mut labels = Labels::default();
        assert!(labels.define("a", 8));
        assert!(!labels.define("a", 12));
        let labels = {
            let mut labels = Labels::default();
            labels.define("a", 8);
            labels.define("1", 4);
            labels.define("1", 16);
            labels
        };
        assert_eq!(labels.resolve("a", 0), Ok(8));
        assert_eq!(labels.resolve("a+4", 0), Ok(12));
        assert_eq!(labels.resolve("a - 0x10", 0), Ok(-8));
        assert_eq!(labels.resolve("1b", 16), Ok(16));
        assert_eq!(labels.resolve("1b", 8), Ok(4));
        assert_eq!(labels.resolve("1f", 8), Ok(16));
        assert_eq!(labels.resolve("1f", 16), Err("1f"));
        assert_eq!(labels.resolve("b+4", 0), Err("b"));
        assert_eq!(labels.resolve("a+b", 0), Err("a+b"));
    }

    #[test]
    fn only_branches_have_targets() {
        assert_eq!(target("s_branch loop"), Some(9..13));
        assert_eq!(target("s_call_b64 s[0:1], f+4"), Some(19..22));
        assert_eq!(target("s_cbranch_scc0 1f"), Some(15..17));
        assert_eq!(target("s_branch 12"), None);
        assert_eq!(target("s_branch -12"), None);
        assert_eq!(target("s_branch 0x10"), None);
        assert_eq!(target("s_branch"), None);
        assert_eq!(target("s_mov_b32 s0, s1"), None);
    }
}
