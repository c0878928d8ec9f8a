//! The types at the end of instruction names, in words.

/// The noun for values of a type, with its article.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noun {
    article: &'static str,
    one: &'static str,
}

const NOUNS: [(&str, &str, &str); 20] = [
    ("f16", "a", "half-precision float"),
    ("f32", "a", "single-precision float"),
    ("f64", "a", "double-precision float"),
    ("i8", "a", "signed byte"),
    ("u8", "an", "unsigned byte"),
    ("i16", "a", "signed 16-bit integer"),
    ("u16", "an", "unsigned 16-bit integer"),
    ("i24", "a", "signed 24-bit integer"),
    ("u24", "an", "unsigned 24-bit integer"),
    ("i32", "a", "signed 32-bit integer"),
    ("u32", "an", "unsigned 32-bit integer"),
    ("i64", "a", "signed 64-bit integer"),
    ("u64", "an", "unsigned 64-bit integer"),
    ("b8", "a", "byte"),
    ("b16", "a", "16-bit word"),
    ("b32", "a", "32-bit word"),
    ("b64", "a", "64-bit word"),
    ("b96", "a", "96-bit word"),
    ("b128", "a", "128-bit word"),
    ("x2", "a", "64-bit integer"),
];

impl Noun {
    /// Returns the noun of the type at the end of a name, such as `f32`.
    pub(super) fn of(ty: &str) -> Option<Noun> {
        let found = NOUNS.iter().find(|(name, ..)| *name == ty);
        found.map(|(_, article, one)| Noun { article, one })
    }

    /// Returns one value in words: `a 32-bit word`.
    pub(super) fn one(self) -> String {
        format!("{} {}", self.article, self.one)
    }

    /// Returns several values in words: `32-bit words`.
    pub(super) fn several(self) -> String {
        format!("{}s", self.one)
    }
}

/// Returns a sentence with its placeholders filled with a noun: `{a}`, `{A}` at the beginning, and `{s}`.
pub(super) fn filled(sentence: &str, noun: Noun) -> String {
    let one = noun.one();
    let capital = format!("A{}", &one[1..]);
    let text = sentence.replace("{a}", &one).replace("{A}", &capital);
    text.replace("{s}", &noun.several())
}
