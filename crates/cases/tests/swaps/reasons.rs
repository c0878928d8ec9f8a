//! The instructions that no case can distinguish, and the reasons: `tests/data/equivalent.txt`.

use std::collections::BTreeSet;

/// An entry: instructions that do the same, or that have no neighbour.
struct Entry {
    names: Vec<String>,
    /// Nothing else has their operands.
    alone: bool,
}

/// The entries, and which of their names have been needed.
pub(super) struct Reasons {
    entries: Vec<Entry>,
    needed: BTreeSet<(usize, String)>,
}

impl Reasons {
    /// Reads lines such as `v_cmp_eq_i{32,64} v_cmp_eq_u{32,64}: equal bits are equal numbers`, where the words in braces are
    /// taken together, and `alone s_endpgm: no other instruction has its operands`.
    pub(super) fn read(text: &str) -> Reasons {
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entries = lines.flat_map(|line| {
            let (names, reason) = line.split_once(": ").expect("names and a reason");
            assert!(reason.contains(' '), "{line}: the reason is not a sentence");
            let (alone, names) = match names.strip_prefix("alone ") {
                Some(names) => (true, names),
                None => (false, names),
            };
            let names: Vec<&str> = names.split(' ').collect();
            let versions = names.iter().map(|name| choices(name).len()).max();
            let entry = move |n| Entry {
                names: names.iter().map(|name| nth(name, n)).collect(),
                alone,
            };
            (0..versions.unwrap_or(0)).map(entry).collect::<Vec<_>>()
        });
        Reasons {
            entries: entries.collect(),
            needed: BTreeSet::new(),
        }
    }

    /// Whether two instructions are said to do the same.
    pub(super) fn are_equivalent(&mut self, one: &str, other: &str) -> bool {
        self.find(&[one, other], false)
    }

    /// Whether an instruction is said to have no neighbour.
    pub(super) fn is_alone(&mut self, name: &str) -> bool {
        self.find(&[name], true)
    }

    fn find(&mut self, names: &[&str], alone: bool) -> bool {
        let has = |entry: &Entry, name: &str| entry.names.iter().any(|n| n == name);
        let found = self
            .entries
            .iter()
            .position(|entry| entry.alone == alone && names.iter().all(|name| has(entry, name)));
        if let Some(n) = found {
            self.needed
                .extend(names.iter().map(|name| (n, (*name).to_owned())));
        }
        found.is_some()
    }

    /// The names whose entries nothing has needed.
    pub(super) fn unneeded(&self) -> Vec<String> {
        let all = self
            .entries
            .iter()
            .enumerate()
            .flat_map(|(n, entry)| entry.names.iter().map(move |name| (n, name.clone())));
        all.filter(|name| !self.needed.contains(name))
            .map(|(_, name)| name)
            .collect()
    }
}

/// What stands in the braces of a name; one empty word where there are none.
fn choices(name: &str) -> Vec<&str> {
    let inside = name
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    inside.map_or(vec![""], |(words, _)| words.split(',').collect())
}

/// A name with one of the words in its braces.
fn nth(name: &str, n: usize) -> String {
    match (name.split_once('{'), name.split_once('}')) {
        (Some((before, _)), Some((_, after))) => format!("{before}{}{after}", choices(name)[n]),
        _ => name.to_owned(),
    }
}
