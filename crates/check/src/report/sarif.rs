//! Findings as a SARIF log, which code review services show beside the lines.
//!
//! Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; numbers are its sections.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use wavetank_object::Frame;
use wavetank_quote::{plain, readable};

use super::Scene;
use crate::finding::{Finding, Mark};
use crate::host::Stack;

/// Characters that stay unescaped in a path (RFC 3986, 3.3); a colon might end a scheme.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'+');

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log with one run (3.13, 3.14), to which findings are added.
#[derive(Default, Debug)]
pub struct Sarif {
    rules: Vec<Rule>,
    results: Vec<Outcome>,
}

#[derive(Serialize, Debug)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: ToolOfRun<'a>,
    /// The unit of column numbers. Columns of debug information count bytes and are passed on unchanged, so they are too large in
    /// lines that are not ASCII.
    column_kind: &'static str,
    results: &'a [Outcome],
}

#[derive(Serialize, Debug)]
struct ToolOfRun<'a> {
    driver: Driver<'a>,
}

/// The program that made the log (3.19).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    /// The page of the program (3.19.17), once its crate has one.
    #[serde(skip_serializing_if = "str::is_empty")]
    information_uri: &'static str,
    rules: &'a [Rule],
}

/// A kind of finding (3.49). Services require a description for each one listed.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
}

/// A finding (3.27).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<Calls>,
    occurrence_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Properties>,
}

/// Properties of a result that the format does not define (3.8).
#[derive(Serialize, Debug)]
struct Properties {
    /// The other rules that the same cause breaks.
    also: Vec<String>,
}

/// A call stack of the host program (3.44).
#[derive(Serialize, Debug)]
struct Calls {
    message: Message,
    frames: Vec<Call>,
}

/// A frame of a call stack (3.45).
#[derive(Serialize, Debug)]
struct Call {
    location: Location,
}

#[derive(Serialize, Debug)]
struct Message {
    text: String,
}

/// A location (3.28).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: Physical,
    logical_locations: Vec<Logical>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

/// A physical location (3.29).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

#[derive(Serialize, Debug)]
struct Artifact {
    uri: String,
}

/// A region of a file (3.30).
#[derive(Serialize, Debug)]
#[serde(untagged)]
enum Region {
    /// A line of text (3.30.5).
    #[serde(rename_all = "camelCase")]
    Line {
        start_line: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_column: Option<u32>,
    },
    /// Bytes of a binary file (3.30.11).
    #[serde(rename_all = "camelCase")]
    Bytes { byte_offset: u64, byte_length: u64 },
}

/// An address (3.32).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Address {
    absolute_address: u64,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fully_qualified_name: Option<String>,
}

/// A logical location, such as a function (3.33).
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Logical {
    name: String,
    decorated_name: String,
    kind: &'static str,
}

impl Sarif {
    /// Adds a finding to the log.
    pub fn add(&mut self, finding: &Finding, scene: &Scene<'_>) {
        let rule_id = format!("{}/{}", finding.tool, finding.rule);
        let known = self.rules.iter().position(|rule| rule.id == rule_id);
        let rule_index = known.unwrap_or_else(|| {
            self.rules.push(Rule {
                id: rule_id.clone(),
                short_description: message(finding.tool.finds()),
            });
            self.rules.len() - 1
        });
        let related = finding.related.iter().enumerate();
        let related = related.map(|(n, mark)| location(mark, finding, scene, Some(n + 1)));
        self.results.push(Outcome {
            rule_id,
            rule_index,
            level: "error",
            message: message(&story(finding)),
            locations: vec![location(&finding.at, finding, scene, None)],
            related_locations: related.collect(),
            stacks: finding.host.iter().map(calls).collect(),
            occurrence_count: finding.times,
            properties: (!finding.also.is_empty()).then(|| Properties {
                also: finding
                    .also
                    .iter()
                    .map(|(tool, rule)| format!("{tool}/{rule}"))
                    .collect(),
            }),
        });
    }

    /// Returns the log as JSON.
    pub fn json(&self) -> String {
        let driver = Driver {
            name: "wavetank",
            semantic_version: env!("CARGO_PKG_VERSION"),
            information_uri: env!("CARGO_PKG_REPOSITORY"),
            rules: &self.rules,
        };
        let log = Log {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [Run {
                tool: ToolOfRun { driver },
                column_kind: "unicodeCodePoints",
                results: &self.results,
            }],
        };
        // Cannot fail, because there are no maps.
        serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
    }
}

/// Returns the mistake, the further facts, and the help, as sentences.
fn story(finding: &Finding) -> String {
    let also = finding.also();
    let sentences = [&finding.message].into_iter().chain(&finding.notes);
    let sentences = sentences.chain(&also).chain(&finding.help);
    let sentences: Vec<String> = sentences.map(|s| format!("{}.", capital(s))).collect();
    sentences.join(" ")
}

/// Capitalizes the first letter of a text, unless the first word is a name: `v1`, `s_waitcnt`.
fn capital(text: &str) -> Cow<'_, str> {
    let word = text.split(' ').next().unwrap_or_default();
    let is_word = (word.len() > 1 || word == "a") && word.bytes().all(|b| b.is_ascii_lowercase());
    if is_word {
        Cow::Owned(text[..1].to_ascii_uppercase() + &text[1..])
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a message. Braces are doubled, because a single one stands for an argument (3.11.5).
fn message(text: &str) -> Message {
    let text = plain(text).to_string();
    Message {
        text: text.replace('{', "{{").replace('}', "}}"),
    }
}

fn calls(stack: &Stack) -> Calls {
    let call = |frame: &Frame| Call {
        location: Location {
            id: None,
            physical_location: in_source(frame),
            logical_locations: frame.function.iter().map(|name| logical(name)).collect(),
            message: None,
        },
    };
    Calls {
        message: message(&stack.label),
        frames: stack.frames.iter().map(call).collect(),
    }
}

fn logical(name: &str) -> Logical {
    Logical {
        name: readable(name),
        decorated_name: name.to_owned(),
        kind: "function",
    }
}

fn location(mark: &Mark, finding: &Finding, scene: &Scene<'_>, id: Option<usize>) -> Location {
    let symbol = mark.place.symbol.as_ref();
    let inlined = mark.place.source.own();
    let of_host = inlined.and_then(|frame| frame.function.as_ref());
    let known = of_host.filter(|_| finding.is_of_host());
    let name = symbol.map_or(known.unwrap_or(&finding.kernel), |(name, _)| name);
    Location {
        id,
        physical_location: physical(mark, scene),
        logical_locations: vec![logical(name)],
        message: Some(mark.words(finding.is_of_opencl()))
            .filter(|words| !words.is_empty())
            .map(|words| message(&words)),
    }
}

/// Returns the source line, or else the address in the code object.
fn physical(mark: &Mark, scene: &Scene<'_>) -> Physical {
    let place = &mark.place;
    if let Some(frame) = place.source.own().filter(|f| f.line.is_some()) {
        return in_source(frame);
    }
    let symbol = place.symbol.as_ref();
    Physical {
        artifact_location: artifact(scene.file),
        // The address says where in the file it is; services want a region, too.
        region: whole(scene.file),
        address: Some(Address {
            absolute_address: place.pc,
            kind: "instruction",
            fully_qualified_name: symbol.map(|(name, offset)| format!("{name}+{offset:#x}")),
        }),
    }
}

/// Returns the place of a mark in a text: the file with the line, or with the function and the distance from its start, or with the
/// address.
pub(super) fn place_of(mark: &Mark, file: &Path) -> String {
    let place = &mark.place;
    if let Some(frame) = place.source.own()
        && let Some(line) = frame.line
    {
        return format!("{}:{line}", artifact(Path::new(&frame.file)).uri);
    }
    let file = artifact(file).uri;
    match &place.symbol {
        Some((name, offset)) => format!("{file} {name}+{offset:#x}"),
        None => format!("{file} {}", place.pc),
    }
}

/// Returns all bytes of a file, if it can be read.
fn whole(file: &Path) -> Option<Region> {
    let about = std::fs::metadata(file).ok()?;
    Some(Region::Bytes {
        byte_offset: 0,
        byte_length: about.len(),
    })
}

/// Returns a source line, or a file if the line is unknown.
fn in_source(frame: &Frame) -> Physical {
    Physical {
        artifact_location: artifact(Path::new(&frame.file)),
        region: frame.line.map(|start_line| Region::Line {
            start_line,
            start_column: frame.column,
        }),
        address: None,
    }
}

/// Returns the URI of a file (3.4.3). It is relative if the file is below the current folder: only such files belong to a
/// checkout.
fn artifact(path: &Path) -> Artifact {
    artifact_in(path, std::env::current_dir().ok().as_deref())
}

fn artifact_in(path: &Path, folder: Option<&Path>) -> Artifact {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let path = match folder {
        Some(folder) if climbs => direct(&folder.join(path)),
        _ => direct(path),
    };
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
    let path = below.unwrap_or(&path);
    let text = path.to_string_lossy();
    let encoded = utf8_percent_encode(&text, IN_PATH);
    let scheme = if path.is_absolute() { "file://" } else { "" };
    Artifact {
        uri: format!("{scheme}{encoded}"),
    }
}

/// Returns a path without `.`, and without `..` where the folder before it is known.
fn direct(path: &Path) -> PathBuf {
    let mut direct = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // There is nothing above the root.
            Component::ParentDir if direct.file_name().is_some() || direct.has_root() => {
                direct.pop();
            }
            part => direct.push(part),
        }
    }
    direct
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::{finding, folder, lines, located, with};
    use super::*;
    use serde_json::{Value, json};

    fn log(findings: &[Finding]) -> Value {
        let object = lines();
        let mut sarif = Sarif::default();
        with(&object, folder(), |scene| {
            findings.iter().for_each(|f| sarif.add(f, scene));
        });
        serde_json::from_str(&sarif.json()).unwrap()
    }

    #[test]
    fn a_log_has_what_the_schema_requires() {
        let empty = log(&[]);
        assert_eq!(empty["version"], "2.1.0");
        let run = &empty["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "wavetank");
        assert_eq!(run["results"], json!([]));
    }

    #[test]
    fn places_are_lines_or_addresses() {
        let object = lines();
        let plain = finding(&object, 0x34, 0x28);
        let located = located(plain.clone(), &object);
        let log = log(&[located, plain]);
        let run = &log["runs"][0];
        assert_eq!(
            run["tool"]["driver"]["rules"],
            json!([{"id": "wait/vgpr-before-load", "shortDescription": {"text":
                "Registers and LDS that are used before the wait for them"}}])
        );
        let [first, second] = [0, 1].map(|n| &run["results"][n]);
        let call = &first["stacks"][0]["frames"][0]["location"];
        assert_eq!(
            call["physicalLocation"],
            json!({"artifactLocation": {"uri": "main.cpp"}, "region": {"startLine": 7}})
        );
        assert!(call.get("message").is_none(), "nothing is to say of it");
        assert_eq!(first["level"], "error");
        assert_eq!(
            first["locations"][0]["physicalLocation"],
            json!({"artifactLocation": {"uri": "lines.h"},
                "region": {"startLine": 11, "startColumn": 17}})
        );
        let entry = object.kernel("lines").unwrap().entry;
        assert_eq!(
            second["relatedLocations"][0]["physicalLocation"],
            json!({"artifactLocation": {"uri": "lines.hsaco"},
                "address": {"absoluteAddress": entry + 0x28, "kind": "instruction"}})
        );
        assert_eq!(second["ruleIndex"], 0);
    }

    #[test]
    fn texts_and_paths_are_escaped() {
        assert_eq!(message("f{lambda}\x1b").text, "f{{lambda}}\\u{{1b}}");
        let uri = |path: &str| artifact_in(Path::new(path), Some(Path::new("/h/k"))).uri;
        assert_eq!(uri("a:b c%.co"), "a%3Ab%20c%25.co");
        assert_eq!(uri("/k/é.co"), "file:///k/%C3%A9.co");
        assert_eq!(uri("/h/k/./src/a.hip"), "src/a.hip");
        assert_eq!(uri("./a.out"), "a.out");
        assert_eq!(uri("/h/kk/a.hip"), "file:///h/kk/a.hip");
        assert_eq!(uri("../other/a.hip"), "file:///h/other/a.hip");
        assert_eq!(uri("../../../a.hip"), "file:///a.hip");
        assert_eq!(uri("../k/sub/../a.hip"), "a.hip");
        assert_eq!(capital("two loads"), "Two loads");
        assert_eq!(capital("a load"), "A load");
        assert_eq!(capital("v1 is read"), "v1 is read");
        assert_eq!(capital("s_nop 0"), "s_nop 0");
        assert_eq!(capital(""), "");
    }

    #[test]
    fn a_file_whose_lines_are_not_known_is_a_region() {
        let file = std::env::temp_dir().join(format!("wavetank-region-{}", std::process::id()));
        std::fs::write(&file, [0; 77]).unwrap();
        let object = lines();
        let mut sarif = Sarif::default();
        with(&object, folder(), |scene| {
            let scene = Scene {
                file: &file,
                ..*scene
            };
            sarif.add(&finding(&object, 0x34, 0x28), &scene);
        });
        let log: Value = serde_json::from_str(&sarif.json()).unwrap();
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"], json!({"byteOffset": 0, "byteLength": 77}));
        std::fs::remove_file(&file).unwrap();
    }
}
