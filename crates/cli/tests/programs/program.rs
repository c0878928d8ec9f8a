//! A program's source, and what it says about its run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::execution::Run;

/// A source with the expectations that stand in its comments:
///
/// * `// Prints: TEXT`: a line of stdout has this text;
/// * `// Says: TEXT`: stderr has it;
/// * `// Ends: END`: a signal ends the program (`abort`, `terminated`, `killed`), or the fault of a kernel (`fault`), instead
///   of 0 after the line `ok NAME`;
/// * `// Options: --stats`: more options of `wavetank run`;
/// * `// Links: -lNAME`: more arguments for the compiler;
/// * `// GPUs: gfx900,gfx906`: it runs once, on these together; with several such lines once for each. Without, it runs on
///   gfx900, gfx906 and gfx90a.
pub(super) struct Program {
    pub source: PathBuf,
    pub name: String,
    pub links: Vec<String>,
    pub options: Vec<String>,
    /// The GPUs of each of its runs.
    pub gpus: Vec<String>,
    prints: Vec<String>,
    says: Vec<String>,
    end: End,
}

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Well,
    Signal(i32),
    /// By the fault of a kernel, of which the command tells.
    Fault,
}

impl Program {
    pub(super) fn read(source: &Path) -> Program {
        let text = std::fs::read_to_string(source).expect("the source is text");
        let name = source.file_stem().expect("a source has a name");
        let name = name.to_str().expect("its name is UTF-8").to_owned();
        let after = |key: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.strip_prefix("// "));
            let values = lines.filter_map(|line| line.strip_prefix(key));
            values.map(|value| value.trim().to_owned()).collect()
        };
        let end = |end: &String| match end.as_str() {
            "abort" => End::Signal(6),
            "killed" => End::Signal(9),
            "terminated" => End::Signal(15),
            "fault" => End::Fault,
            _ => panic!("{}: `{end}` is no end", source.display()),
        };
        let mut gpus = after("GPUs:");
        if gpus.is_empty() {
            gpus = ["gfx900", "gfx906", "gfx90a"].map(str::to_owned).into();
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
            end: after("Ends:").first().map_or(End::Well, end),
            name,
        }
    }

    /// The chips of all its runs, each once.
    pub(super) fn chips(&self) -> impl Iterator<Item = &str> {
        let all: BTreeSet<&str> = self.gpus.iter().flat_map(|gpus| gpus.split(',')).collect();
        all.into_iter()
    }

    /// Checks a run against what the source says.
    pub(super) fn judge(&self, run: &Run) -> Result<(), String> {
        let wrong = |what: String| Err(format!("{what}\n{run}"));
        let ok = format!("ok {}", self.name);
        let (code, signal) = match self.end {
            End::Well => (Some(0), None),
            End::Signal(signal) => (None, Some(signal)),
            End::Fault => (Some(1), None),
        };
        if (run.code, run.signal) != (code, signal) {
            return wrong(format!(
                "it is to end with {code:?}, or by signal {signal:?}"
            ));
        }
        let last = run.stderr.lines().next_back().unwrap_or_default();
        if self.end == End::Fault
            && !last.starts_with("error: a fault on the GPU ended the program: ")
        {
            return wrong("the last line does not say which fault ended it".to_owned());
        }
        if (self.end != End::Well) == (run.stdout.lines().next_back() == Some(&ok)) {
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
