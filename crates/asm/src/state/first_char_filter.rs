//! A filter by first characters, which shows for most lines that none of their words names a symbol.

/// A set of first characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FirstCharFilter(u64);

impl FirstCharFilter {
    /// The set of all characters.
    pub(crate) const ALL: FirstCharFilter = FirstCharFilter(u64::MAX);

    /// Adds the first character of a word. Characters that are 64 apart count as one.
    pub(crate) fn insert(&mut self, word: &str) {
        self.0 |= word
            .bytes()
            .next()
            .map_or(u64::MAX, |first| 1 << (first % 64));
    }

    /// Whether two sets have a character in common, so that words of one may be among those of the other.
    pub(crate) fn meets(self, others: FirstCharFilter) -> bool {
        self.0 & others.0 != 0
    }
}
