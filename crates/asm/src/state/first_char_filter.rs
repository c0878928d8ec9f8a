//! What words begin with: enough to see that none of a line's words is one of a source's few names.

/// A set of first characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FirstCharFilter(u64);

impl FirstCharFilter {
    /// Those of all words.
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
