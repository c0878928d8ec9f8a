//! Records that one process leaves for another, one object a line: findings with their text, and the names of checked kernels.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use wavetank_object::{Frame, Source};

use super::{Look, Scene, text};
use crate::finding::{Finding, Mark};
use crate::host::Stack;
use crate::place::Place;
use crate::tool::Tool;
use crate::work_items::WorkItems;

/// A finding that another process has left.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The finding as data.
    pub finding: Finding,
    /// The file with the code object.
    pub file: PathBuf,
    /// The target of the code.
    pub target: String,
    /// The text of the finding, with colours.
    pub text: String,
}

/// Returns the record of a running kernel, without a line end.
pub fn running(kernel: &str) -> String {
    json!({"kernel": kernel}).to_string()
}

/// Returns the kernel named by the record of a running kernel; `None` for any other text.
pub fn kernel_of(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    value["kernel"].as_str().map(str::to_owned)
}

/// Returns the record of a finding, without a line end. The text has colours.
pub fn record(finding: &Finding, scene: &Scene<'_>, look: Look) -> String {
    let look = Look {
        colours: true,
        ..look
    };
    let object = super::json(finding, scene);
    // Valid, because it was written as JSON.
    let object: Value = serde_json::from_str(&object).unwrap_or_default();
    json!({"finding": object, "text": text(finding, scene, look)}).to_string()
}

impl Record {
    /// Reads a record; `None` for any other text.
    pub fn read(line: &str) -> Option<Record> {
        let value: Value = serde_json::from_str(line).ok()?;
        let object = &value["finding"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |value: &Value| value.as_array().cloned();
        let finding = Finding {
            tool: object["tool"].as_str()?.parse().ok()?,
            rule: rule(object["rule"].as_str()?),
            kernel: text(&object["kernel"])?,
            message: text(&object["message"])?,
            at: mark(&object["at"])?,
            related: list(&object["related"])?.iter().filter_map(mark).collect(),
            host: list(&object["host"])?.iter().filter_map(stack).collect(),
            notes: list(&object["notes"])?.iter().filter_map(text).collect(),
            help: text(&object["help"]),
            address: None,
            // Records of earlier versions have none.
            also: list(&object["also"])
                .unwrap_or_default()
                .iter()
                .filter_map(also)
                .collect(),
            times: object["times"].as_u64()?,
        };
        Some(Record {
            finding,
            file: text(&object["file"])?.into(),
            target: text(&object["target"])?,
            text: text(&value["text"])?,
        })
    }
}

fn mark(value: &Value) -> Option<Mark> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let symbol = text("symbol").zip(value["offset"].as_u64());
    Some(Mark {
        place: Place {
            pc: value["pc"].as_u64()?,
            symbol,
            instruction: text("instruction"),
            source: Source {
                frames: frames(value)?,
            },
        },
        label: text("label")?,
        items: items(value),
    })
}

fn items(value: &Value) -> Option<WorkItems> {
    let id = |name: &str| serde_json::from_value(value[name].clone()).ok();
    Some(WorkItems {
        group: id("block")?,
        first: id("thread")?,
        last: id("last_thread"),
    })
}

/// Reads a tool and a rule: `race/same-store`.
fn also(value: &Value) -> Option<(Tool, &'static str)> {
    let (tool, name) = value.as_str()?.split_once('/')?;
    Some((tool.parse().ok()?, rule(name)))
}

fn stack(value: &Value) -> Option<Stack> {
    Some(Stack {
        label: value["label"].as_str()?.to_owned(),
        frames: frames(value)?,
    })
}

fn frames(value: &Value) -> Option<Vec<Frame>> {
    let number = |value: &Value| value.as_u64().and_then(|n| n.try_into().ok());
    let frame = |frame: &Value| {
        Some(Frame {
            function: frame["function"].as_str().map(str::to_owned),
            file: frame["file"].as_str()?.to_owned(),
            line: number(&frame["line"]),
            column: number(&frame["column"]),
        })
    };
    let frames = value["frames"].as_array()?.iter();
    Some(frames.filter_map(frame).collect())
}

/// Returns the name of a rule with static lifetime; there are a few dozen of them.
fn rule(name: &str) -> &'static str {
    static KNOWN: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    match known.get(name) {
        Some(name) => name,
        None => {
            let name: &'static str = Box::leak(name.into());
            known.insert(name);
            name
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::{finding, folder, lines, located, with};
    use super::*;

    #[test]
    fn what_is_left_is_what_is_read() {
        let object = lines();
        let mut finding = located(finding(&object, 0x28, 0x30), &object);
        finding.also = vec![(Tool::Race, "lanes")];
        finding.at.items = Some(WorkItems {
            group: [3, 0, 1],
            first: [70, 2, 0],
            last: None,
        });
        finding.related[0].items = finding.at.items.map(|items| WorkItems {
            last: Some([71, 2, 0]),
            ..items
        });
        for help in [None, Some("say \"please\"".to_owned())] {
            finding.help = help;
            let line = with(&object, folder(), |scene| {
                record(&finding, scene, Look::default())
            });
            assert!(!line.contains('\n'));
            let read = Record::read(&line).expect("it is a record");
            assert_eq!(read.finding, finding);
            assert_eq!(
                (read.target.as_str(), read.file),
                ("gfx900", "lines.hsaco".into())
            );
            assert!(read.text.contains("v1 is read here"), "{}", read.text);
            let half = &line[..line.len() / 2];
            assert_eq!(Record::read(half), None);
        }
        assert_eq!(Record::read("{}"), None);
    }

    #[test]
    fn kernels_that_run_are_no_findings() {
        let line = running("_Z3sumPf");
        assert_eq!(kernel_of(&line).as_deref(), Some("_Z3sumPf"));
        assert_eq!(Record::read(&line), None);
        assert_eq!(kernel_of("{}"), None);
        assert_eq!(kernel_of("a program's text"), None);
    }
}
