//! Words that were retired stay away: the table at the end of `docs/reference/glossary.md` has them.
//!
//! An entry in backquotes is a name, and is looked for as it is written. Another entry is a word: it is looked for in
//! comments and among the words that names are made of (`block_cost`, `BlockCost`), in lower case.

use std::fs;
use std::path::{Path, PathBuf};

/// The heading of the table.
const HEADING: &str = "\n## Retired words\n";

/// The entries of the table's first column: names, and words.
#[derive(Default, Debug, PartialEq, Eq)]
struct Retired {
    names: Vec<String>,
    words: Vec<String>,
}

impl Retired {
    fn read(page: &str) -> Retired {
        let mut retired = Retired::default();
        let table = page.split_once(HEADING).map_or("", |(_, rest)| rest);
        let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
        // The first row is the head.
        for entry in rows
            .skip(1)
            .filter_map(|row| row.split(" | ").next())
            .flat_map(|entries| entries.split(", "))
        {
            match entry.strip_prefix('`').and_then(|e| e.strip_suffix('`')) {
                Some(name) => retired.names.push(name.to_owned()),
                None => retired.words.push(entry.to_owned()),
            }
        }
        retired
    }

    /// The entries that a line of code has.
    fn found_in<'r>(&'r self, line: &str) -> Vec<&'r str> {
        let (code, comment) = parts(line);
        let names: Vec<&str> = identifiers(&code).collect();
        let is_used = |name: &&String| {
            if name.contains("::") {
                code.contains(name.as_str())
            } else {
                names.contains(&name.as_str())
            }
        };
        let words: Vec<String> = (names.iter().copied())
            .chain(identifiers(comment))
            .flat_map(words_of)
            .collect();
        let is_said = |word: &&String| {
            let wanted: Vec<&str> = word.split(' ').collect();
            words.windows(wanted.len()).any(|some| some == wanted)
        };
        let names = self.names.iter().filter(is_used);
        names
            .chain(self.words.iter().filter(is_said))
            .map(String::as_str)
            .collect()
    }
}

/// The code of a line without what is quoted in it, and its comment.
fn parts(line: &str) -> (String, &str) {
    let mut code = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            // A character in quotes is no quotation.
            '"' if !line[..at].ends_with('\'') => quoted = !quoted,
            '/' if !quoted && line[at..].starts_with("//") => return (code, &line[at..]),
            _ if !quoted => code.push(c),
            _ => {}
        }
    }
    (code, "")
}

/// The names in a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !inside(c)).filter(|s| !s.is_empty())
}

/// The words that a name is made of, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && !before.is_uppercase() {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The Rust files below a folder.
fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

#[test]
fn no_retired_word_comes_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page =
        fs::read_to_string(root.join("docs/reference/glossary.md")).expect("the page is there");
    let retired = Retired::read(&page);
    assert!(
        retired.names.len() > 5 && retired.words.len() > 2,
        "{retired:?}"
    );
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates")).expect("the folder of crates") {
        sources(&entry.expect("an entry").path().join("src"), &mut files);
    }
    let mut found = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a source is text");
        for (n, line) in text.lines().enumerate() {
            for entry in retired.found_in(line) {
                found.push(format!("{}:{}: {entry}", path.display(), n + 1));
            }
        }
    }
    assert!(
        found.is_empty(),
        "see the end of docs/reference/glossary.md:\n{}",
        found.join("\n")
    );
}

#[test]
fn retired_words_are_found() {
    let page = format!(
        "# Page\n{HEADING}\n| retired | now |\n|---|---|\n| toll, tolls | cost |\n| `Seen`, `Op::Old`, under way | known |\n"
    );
    let retired = Retired::read(&page);
    assert_eq!(retired.names, ["Seen", "Op::Old"]);
    assert_eq!(retired.words, ["toll", "tolls", "under way"]);
    let found = |line: &str| retired.found_in(line).join(" ");
    assert_eq!(found("let toll_of = Toll::new();"), "toll");
    assert_eq!(found("f(); // what is under way"), "under way");
    assert_eq!(found("fn is_under_way() -> Seen {"), "Seen under way");
    assert_eq!(
        found("Op::Old { .. } | Op::New | Way::Old => {}"),
        "Op::Old"
    );
    // Neither other names, nor parts of words, nor texts.
    assert_eq!(found("let seen = atoll(\"a toll // of Seen\");"), "");
    assert_eq!(found("// Seen under the way"), "");
}
