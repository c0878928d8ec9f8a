//! A program's source, and what it says about its run.

use std::path::{Path, PathBuf};

use super::execution::Run;

/// A source with the expectations that stand in its comments:
///
/// * `// Prints: TEXT`: a line of stdout has this text;
/// * `// Says: TEXT`: stderr has it;
/// * `// Ends: SIGNAL` (`abort`, `terminated`, `killed`): a signal ends the program, instead of 0 after the line `ok NAME`;
/// * `// Options: --stats`: more options of `wavetank run`;
/// * `// Links: -lNAME`: more arguments for the compiler;
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
    /// The signal that ends it.
    signal: Option<i32>,
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
        let signal = |end: &String| match end.as_str() {
            "abort" => 6,
            "killed" => 9,
            "terminated" => 15,
            _ => panic!("{}: `{end}` is no end", source.display()),
        };
        let mut gpus = after("GPUs:");
        if gpus.is_empty() {
            gpus = ["gfx900", "gfx906"].map(str::to_owned).into();
        }
        let words = |key: &str| -> Vec<String> {
            let lines = after(key);
            let words = lines.iter().flat_map(|line| line.split_whitespace());
            words.map(str::to_owned).collect()
        };
        Program {
            source: source.to_owned(),
            links: words("Links:"),
            gpus,
            prints: after("Prints:"),
            says: after("Says:"),
            options: words("Options:"),
            signal: after("Ends:").first().map(signal),
            name,
        }
    }

    /// Checks a run against what the source says.
    pub fn judge(&self, run: &Run) -> Result<(), String> {
        let wrong = |what: String| Err(format!("{what}\n{run}"));
        let ok = format!("ok {}", self.name);
        if run.signal != self.signal {
            return wrong(format!("it did not end by signal {:?}", self.signal));
        }
        if self.signal.is_none() && run.code != Some(0) {
            return wrong("it failed".to_owned());
        }
        if self.signal.is_some() == (run.stdout.lines().next_back() == Some(&ok)) {
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
