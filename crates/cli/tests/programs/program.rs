//! A program's source, and what it says about its run.

use std::path::{Path, PathBuf};

use crate::execution::Run;

/// A source with the expectations that stand in its comments:
///
/// * `// Prints: TEXT`: a line of stdout has this text;
/// * `// Says: TEXT`: stderr has it;
/// * `// Ends: abort`: the program is aborted, instead of ending with 0 and the line `ok NAME`;
/// * `// Links: -lNAME`: more arguments for the compiler;
/// * `// Options: --strict`: more options for `wavetank run`;
/// * `// GPUs: gfx900,gfx906`: it runs once, on these, instead of once on each.
pub struct Program {
    pub source: PathBuf,
    pub name: String,
    pub links: Vec<String>,
    pub options: Vec<String>,
    /// The GPUs of each of its runs.
    pub gpus: Vec<String>,
    prints: Vec<String>,
    says: Vec<String>,
    aborts: bool,
}

impl Program {
    pub fn read(source: &Path) -> Program {
        let text = std::fs::read_to_string(source).expect("the source is text");
        let name = source.file_stem().expect("a source has a name");
        let name = name.to_str().expect("its name is UTF-8").to_owned();
        let after = |key: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.strip_prefix("// "));
            let values = lines.filter_map(|line| line.strip_prefix(key));
            values.map(|value| value.trim().to_owned()).collect()
        };
        let ends = after("Ends:");
        assert!(
            ends.iter().all(|end| end == "abort"),
            "{}: a program `Ends: abort` or well",
            source.display()
        );
        let mut gpus = after("GPUs:");
        if gpus.is_empty() {
            gpus = ["gfx900", "gfx906"].map(str::to_owned).into();
        }
        let words = |key| -> Vec<String> {
            let lines = after(key);
            let words = lines.iter().flat_map(|line| line.split_whitespace());
            words.map(str::to_owned).collect()
        };
        Program {
            source: source.to_owned(),
            links: words("Links:"),
            options: words("Options:"),
            gpus,
            prints: after("Prints:"),
            says: after("Says:"),
            aborts: !ends.is_empty(),
            name,
        }
    }

    /// Checks a run against what the source says.
    pub fn judge(&self, run: &Run) -> Result<(), String> {
        const SIGABRT: i32 = 6;
        let wrong = |what: String| Err(format!("{what}\n{run}"));
        let ok = format!("ok {}", self.name);
        if self.aborts && run.signal != Some(SIGABRT) {
            return wrong("it was not aborted".to_owned());
        }
        if !self.aborts && run.code != Some(0) {
            return wrong("it failed".to_owned());
        }
        if self.aborts == (run.stdout.lines().next_back() == Some(&ok)) {
            return wrong(format!("its last line is to be `{ok}` if it ends well"));
        }
        for text in &self.prints {
            if !run.stdout.lines().any(|line| line.contains(text)) {
                return wrong(format!("it did not print `{text}`"));
            }
        }
        match self.says.iter().find(|text| !run.stderr.contains(*text)) {
            Some(text) => wrong(format!("it did not say `{text}` on stderr")),
            None => Ok(()),
        }
    }
}
