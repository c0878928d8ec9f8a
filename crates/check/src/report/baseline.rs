//! A baseline: the findings of an earlier run, so that only new ones count.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::Record;
use super::sarif::place_of;
use crate::finding::Finding;

/// The findings of earlier runs, by their rules and places. Lines are compared, not columns, and wording may have changed.
///
/// ```
/// use wavetank_check::report::Baseline;
///
/// let mut baseline = Baseline::default();
/// baseline.read(r#"{"version": "2.1.0", "runs": [{"results": []}]}"#)?;
/// assert!(baseline.read("a text").is_err());
/// # Ok::<(), wavetank_check::report::NotABaseline>(())
/// ```
#[derive(Default, Debug)]
pub struct Baseline {
    known: HashSet<Key>,
}

/// A rule with its tool, and the place of the finding.
type Key = (String, String);

/// The error of a text that has no findings in a known form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotABaseline;

impl fmt::Display for NotABaseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this is neither a SARIF log nor the output of --json; `wavetank check --sarif FILE` writes one",
        )
    }
}

impl std::error::Error for NotABaseline {}

impl Baseline {
    /// Adds the findings of a SARIF log, or of the output of `check --json`, an object a line.
    ///
    /// # Errors
    /// Any other text. An empty one is the output of a run without findings.
    pub fn read(&mut self, text: &str) -> Result<(), NotABaseline> {
        if let Ok(log) = serde_json::from_str::<Value>(text)
            && let Some(runs) = log["runs"].as_array()
        {
            let results = runs.iter().filter_map(|run| run["results"].as_array());
            let keys = results.flatten().filter_map(keys_of_result);
            self.known.extend(keys.flatten());
            return Ok(());
        }
        let is_note = |line: &str| {
            let value = serde_json::from_str(line);
            value.is_ok_and(|value: Value| value["note"].is_string())
        };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if is_note(line) {
                continue;
            }
            let record = format!("{{\"finding\":{line},\"text\":\"\"}}");
            let record = Record::read(&record).ok_or(NotABaseline)?;
            self.known.extend(keys(&record.finding, &record.file));
        }
        Ok(())
    }

    /// Whether a finding in a file was there: one of its rules was broken at its place.
    pub fn has(&self, finding: &Finding, file: &Path) -> bool {
        keys(finding, file).any(|key| self.known.contains(&key))
    }
}

/// Returns a key for each rule of a finding.
fn keys(finding: &Finding, file: &Path) -> impl Iterator<Item = Key> {
    let place = place_of(&finding.at, file);
    finding
        .rules()
        .map(move |(tool, rule)| (format!("{tool}/{rule}"), place.clone()))
}

/// Returns a key for each rule of a result of SARIF; `None` if it is not one of ours.
fn keys_of_result(result: &Value) -> Option<Vec<Key>> {
    let physical = &result["locations"][0]["physicalLocation"];
    let file = physical["artifactLocation"]["uri"].as_str()?;
    let line = physical["region"]["startLine"].as_u64();
    let address = &physical["address"];
    let place = match (line, address["fullyQualifiedName"].as_str()) {
        (Some(line), _) => format!("{file}:{line}"),
        (None, Some(name)) => format!("{file} {name}"),
        (None, None) => format!("{file} {}", address["absoluteAddress"].as_u64()?),
    };
    let also = result["properties"]["also"]
        .as_array()
        .into_iter()
        .flatten();
    let rules = [&result["ruleId"]].into_iter().chain(also);
    let rules = rules.filter_map(Value::as_str);
    Some(rules.map(|rule| (rule.to_owned(), place.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::{finding, folder, lines, located, with};
    use super::super::{Sarif, json};
    use super::*;
    use crate::tool::Tool;

    /// Returns the baseline of some findings, by way of SARIF and of JSON.
    fn baselines(findings: &[Finding]) -> [Baseline; 2] {
        let object = lines();
        let (mut sarif, mut text) = (Sarif::default(), String::new());
        with(&object, folder(), |scene| {
            for finding in findings {
                sarif.add(finding, scene);
                text += &(json(finding, scene) + "\n");
            }
        });
        [sarif.json(), text].map(|text| {
            let mut baseline = Baseline::default();
            baseline.read(&text).expect("findings");
            baseline
        })
    }

    #[test]
    fn findings_of_an_earlier_run_are_known_in_both_forms() {
        let object = lines();
        let plain = finding(&object, 0x34, 0x28);
        let mut of_line = located(plain.clone(), &object);
        of_line.also = vec![(Tool::Race, "lanes")];
        let file = Path::new("lines.hsaco");
        for baseline in baselines(&[of_line.clone(), plain.clone()]) {
            assert!(baseline.has(&of_line, file) && baseline.has(&plain, file));
            // Another column, wording or count is the same finding, and so is another rule of the same cause.
            let mut same = of_line.clone();
            same.at.place.source.frames[0].column = None;
            (same.message, same.times) = ("other words".to_owned(), 7);
            assert!(baseline.has(&same, file));
            (same.tool, same.rule, same.also) = (Tool::Race, "lanes", Vec::new());
            assert!(baseline.has(&same, file));
            // Another line, rule, instruction or file is another finding.
            let mut other = of_line.clone();
            other.at.place.source.frames[0].line = Some(12);
            assert!(!baseline.has(&other, file));
            let mut other = plain.clone();
            other.rule = "write-before-load";
            assert!(!baseline.has(&other, file));
            assert!(!baseline.has(&finding(&object, 0x38, 0x28), file));
            assert!(!baseline.has(&plain, Path::new("other.hsaco")));
        }
        for baseline in baselines(&[]) {
            assert!(!baseline.has(&plain, file));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["{}", "[]", "checked 3 kernels", "{\"runs\": 1}"] {
            assert_eq!(Baseline::default().read(text), Err(NotABaseline), "{text}");
        }
    }
}
