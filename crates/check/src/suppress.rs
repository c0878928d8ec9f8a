//! Suppressions: files of entries that hide known findings.
//!
//! A file has entries, separated by empty lines. An entry has one `key: pattern` a line; it hides the findings that match all of
//! its patterns. A line that begins with `#` is a comment. `docs/reference/checkers.md` describes the format.

use std::fmt;

use wavetank_object::Frame;
use wavetank_quote::plain;

use crate::finding::Finding;
use crate::pattern::Pattern;
use crate::tool::Tool;

/// The property of a finding that a pattern is matched with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    Tool,
    Rule,
    Kernel,
    Source,
}

impl Key {
    const ALL: [Key; 4] = [Key::Tool, Key::Rule, Key::Kernel, Key::Source];

    fn name(self) -> &'static str {
        match self {
            Key::Tool => "tool",
            Key::Rule => "rule",
            Key::Kernel => "kernel",
            Key::Source => "source",
        }
    }

    /// Whether one of the rules of a finding matches a pattern.
    fn fits(self, pattern: &Pattern, finding: &Finding, (tool, rule): (Tool, &str)) -> bool {
        match self {
            Key::Tool => pattern.fits(tool.name()),
            Key::Rule => pattern.fits(rule),
            Key::Kernel => pattern.fits_name(&finding.kernel),
            Key::Source => {
                let frames = &finding.at.place.source.frames;
                frames.iter().any(|frame| fits_frame(pattern, frame))
            }
        }
    }
}

/// Whether a frame matches, by its file, or by its file and line.
fn fits_frame(pattern: &Pattern, frame: &Frame) -> bool {
    let line = frame.line.map(|line| format!("{}:{line}", frame.file));
    pattern.fits(&frame.file) || line.is_some_and(|line| pattern.fits(&line))
}

/// Patterns that hide a finding which matches all of them.
type Entry = Vec<(Key, Pattern)>;

/// The suppressions of some files.
///
/// ```
/// use wavetank_check::Suppressions;
///
/// let mut known = Suppressions::default();
/// known.read("# the loads of the prologue\ntool: wait\nkernel: reduce_*\n")?;
/// let error = known.read("\nkernell: reduce").unwrap_err();
/// assert_eq!(error.line, 2);
/// # Ok::<(), wavetank_check::BadSuppression>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Suppressions {
    entries: Vec<Entry>,
}

/// The error of a malformed line in a suppression file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSuppression {
    /// The number of the line, from 1.
    pub line: usize,
    /// The error, and the way out.
    pub problem: String,
}

impl fmt::Display for BadSuppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for BadSuppression {}

impl Suppressions {
    /// Adds the entries of a text.
    ///
    /// # Errors
    /// A line that is not `key: pattern`, or whose key its entry already has.
    pub fn read(&mut self, text: &str) -> Result<(), BadSuppression> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut open = false;
        for (n, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                open = false;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let bad = |problem| BadSuppression {
                line: n + 1,
                problem,
            };
            let (key, pattern) = pair(line).map_err(bad)?;
            if !open {
                entries.push(Vec::new());
                open = true;
            }
            let Some(entry) = entries.last_mut() else {
                continue;
            };
            if entry.iter().any(|(known, _)| *known == key) {
                let name = key.name();
                return Err(bad(format!(
                    "this entry has `{name}` twice; an empty line parts entries"
                )));
            }
            entry.push((key, Pattern::new(pattern)));
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// Whether entries hide a finding, whose places have been filled in. Of a finding with several rules each is hidden by an entry:
    /// an entry for a harmless one of them must not hide the others.
    pub fn hide(&self, finding: &Finding) -> bool {
        let is_hidden = |of: (Tool, &'static str)| {
            let fits = |entry: &Entry| entry.iter().all(|(key, p)| key.fits(p, finding, of));
            self.entries.iter().any(fits)
        };
        finding.rules().all(is_hidden)
    }

    /// Returns the entries that hide a finding, and others of the same rules in the same kernel and source file: one for each rule.
    pub fn entries_for(finding: &Finding) -> Vec<String> {
        let entry = |of| Suppressions::entry(finding, of);
        finding.rules().map(entry).collect()
    }

    fn entry(finding: &Finding, (tool, rule): (Tool, &'static str)) -> String {
        let frame = finding.at.place.source.own();
        let values = [
            (Key::Tool, Some(tool.name())),
            (Key::Rule, Some(rule)),
            (Key::Kernel, Some(finding.kernel.as_str())),
            (Key::Source, frame.map(|frame| frame.file.as_str())),
        ];
        let values = values.iter().filter_map(|(key, v)| Some((key, (*v)?)));
        let lines = values.filter(|(_, value)| !value.is_empty());
        lines
            .map(|(key, value)| format!("{}: {}\n", key.name(), pattern_for(value)))
            .collect()
    }
}

/// Parses the key and the pattern of a line.
fn pair(line: &str) -> Result<(Key, &str), String> {
    let names = Key::ALL.map(Key::name).join(", ");
    let Some((name, pattern)) = line.split_once(':') else {
        let line = plain(line);
        return Err(format!(
            "`{line}` is not of the form `key: pattern`; the keys are {names}"
        ));
    };
    let (name, pattern) = (name.trim_end(), pattern.trim_start());
    let Some(key) = Key::ALL.into_iter().find(|key| key.name() == name) else {
        let name = plain(name);
        return Err(format!("`{name}` is not a key; there are {names}"));
    };
    if pattern.is_empty() {
        Err(format!("`{name}` has no pattern; `*` fits all"))
    } else {
        Ok((key, pattern))
    }
}

/// Returns a pattern for a text: characters that a line cannot hold become `?`.
fn pattern_for(text: &str) -> String {
    let (start, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
    let stays = |at: usize, c: char| {
        let shown = plain(c.encode_utf8(&mut [0; 4])).to_string();
        (start..end).contains(&at) && shown.chars().eq([c])
    };
    let chars = text.char_indices();
    chars
        .map(|(at, c)| if stays(at, c) { c } else { '?' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Mark;
    use wavetank_object::Source;

    fn finding(kernel: &str, file: Option<&str>) -> Finding {
        let mut at = Mark::at(4, "");
        let frames = file.map(|file| Frame {
            function: None,
            file: file.to_owned(),
            line: Some(7),
            column: None,
        });
        at.place.source = Source {
            frames: frames.into_iter().collect(),
        };
        Finding {
            tool: Tool::Wait,
            rule: "vgpr-before-load",
            kernel: kernel.to_owned(),
            message: String::new(),
            at,
            related: vec![],
            host: Vec::new(),
            notes: vec![],
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    fn hides(text: &str, finding: &Finding) -> bool {
        let mut known = Suppressions::default();
        known.read(text).unwrap();
        known.hide(finding)
    }

    #[test]
    fn all_patterns_of_an_entry_fit() {
        let found = finding("_Z4axpyPf", Some("src/a.cl"));
        for text in [
            "tool: wait",
            "tool:wait\n  rule : vgpr-*\nkernel: _Z4*\nsource: src/?.cl",
            "kernel: axpy(float*)",
            "kernel: axpy*",
            "source: *a.cl:7",
            "tool: race\n\n# or\n\ntool: *",
            "kernel: axpy",
        ] {
            assert!(hides(text, &found), "{text}");
        }
        for text in [
            "",
            "# tool: wait",
            "tool: wait\nkernel: b*",
            "tool: wait\n# here\nrule: sgpr*",
            "kernel: axp",
            "source: *a.cl:8",
            "source: a.cl",
            "rule: VGPR-*",
        ] {
            assert!(!hides(text, &found), "{text}");
        }
        assert!(!hides("source: *", &finding("k", None)));
    }

    #[test]
    fn a_wrong_entry_is_reported() {
        let problem = |text| {
            let error = Suppressions::default().read(text).unwrap_err();
            error.to_string()
        };
        let keys = "tool, rule, kernel, source";
        assert_eq!(
            problem("\n# x\nwait"),
            format!("line 3: `wait` is not of the form `key: pattern`; the keys are {keys}")
        );
        assert_eq!(
            problem("Tool\x1b: wait"),
            format!("line 1: `Tool\\u{{1b}}` is not a key; there are {keys}")
        );
        assert_eq!(
            problem("tool:  "),
            "line 1: `tool` has no pattern; `*` fits all"
        );
        assert!(problem("tool: a\n#\ntool: b").starts_with("line 3: this entry has `tool` twice"));
    }

    #[test]
    fn entries_hide_what_they_are_made_for() {
        for (kernel, file) in [
            ("vecadd", Some("a.cl")),
            ("_Z4axpyPf", None),
            (" a\nb: \x1b# ", Some("#\r")),
            ("*?", Some("é 1")),
        ] {
            let found = finding(kernel, file);
            let entry = Suppressions::entries_for(&found).concat();
            assert!(hides(&entry, &found), "{entry}");
            let keys = 3 + usize::from(file.is_some());
            assert_eq!(entry.lines().count(), keys, "{entry}");
            assert!(!hides(&entry, &finding("other kernel", file)) || kernel == "*?");
        }
    }

    #[test]
    fn each_rule_of_a_finding_is_hidden_by_itself() {
        let mut found = finding("k", Some("a.cl"));
        found.also = vec![(Tool::Race, "lanes"), (Tool::Init, "exec")];
        let entries = Suppressions::entries_for(&found);
        assert_eq!(entries.len(), 3);
        assert!(hides(&entries.join("\n"), &found));
        for n in 0..3 {
            let mut some = entries.clone();
            some.remove(n);
            assert!(!hides(&some.join("\n"), &found), "{some:?}");
        }
        assert!(hides("kernel: k", &found) && !hides("tool: wait", &found));
    }
}
