//! A filter by first characters: for most lines it shows that none of their words is the name of a symbol.

/// A set of first characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FirstCharFilter(u64);

impl FirstCharFilter {
    /// The first characters of all words.
    pub const ALL: FirstCharFilter = FirstCharFilter(u64::MAX);

    /// Adds what a word begins with. Characters that are 64 apart count as one.
    pub fn insert(&mut self, word: &str) {
        self.0 |= word
            .bytes()
            .next()
            .map_or(u64::MAX, |first| 1 << (first % 64));
    }

    /// Whether words with these may be among words with those.
    pub fn meets(self, others: FirstCharFilter) -> bool {
        self.0 & others.0 != 0
    }
}
