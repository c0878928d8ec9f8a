//! Findings as JSON, one object a line.

use serde::Serialize;
use wavetank_object::Frame;

use super::Scene;
use crate::finding::{Finding, Mark};
use crate::host::Stack;

/// The JSON object of a finding. Names and paths are unchanged from the file.
#[derive(Serialize)]
struct Object<'a> {
    tool: &'static str,
    rule: &'static str,
    also: Vec<String>,
    file: &'a str,
    target: &'a str,
    kernel: &'a str,
    message: &'a str,
    at: Place<'a>,
    related: Vec<Place<'a>>,
    host: Vec<Calls<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    times: u64,
}

#[derive(Serialize)]
struct Place<'a> {
    pc: u64,
    symbol: Option<&'a str>,
    offset: Option<u64>,
    instruction: Option<&'a str>,
    frames: Vec<Line<'a>>,
    label: &'a str,
    block: Option<[u32; 3]>,
    thread: Option<[u32; 3]>,
    last_thread: Option<[u32; 3]>,
}

/// A call stack of the host program.
#[derive(Serialize)]
struct Calls<'a> {
    label: &'a str,
    frames: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
}

/// Returns a finding as a JSON object, without a line end.
pub fn json(finding: &Finding, scene: &Scene<'_>) -> String {
    let object = Object {
        tool: finding.tool.name(),
        rule: finding.rule,
        also: finding
            .also
            .iter()
            .map(|(tool, rule)| format!("{tool}/{rule}"))
            .collect(),
        file: &scene.file.to_string_lossy(),
        target: scene.target,
        kernel: &finding.kernel,
        message: &finding.message,
        at: place(&finding.at),
        related: finding.related.iter().map(place).collect(),
        host: finding.host.iter().map(calls).collect(),
        notes: &finding.notes,
        help: finding.help.as_deref(),
        times: finding.times,
    };
    // Cannot fail, because there are no maps.
    serde_json::to_string(&object).unwrap_or_default()
}

fn place(mark: &Mark) -> Place<'_> {
    let place = &mark.place;
    let symbol = place.symbol.as_ref();
    Place {
        pc: place.pc,
        symbol: symbol.map(|(name, _)| name.as_str()),
        offset: symbol.map(|(_, offset)| *offset),
        instruction: place.instruction.as_deref(),
        frames: place.source.frames.iter().map(line).collect(),
        label: &mark.label,
        block: mark.items.map(|items| items.group),
        thread: mark.items.map(|items| items.first),
        last_thread: mark.items.and_then(|items| items.last),
    }
}

fn calls(stack: &Stack) -> Calls<'_> {
    Calls {
        label: &stack.label,
        frames: stack.frames.iter().map(line).collect(),
    }
}

fn line(frame: &Frame) -> Line<'_> {
    Line {
        file: &frame.file,
        line: frame.line,
        column: frame.column,
        function: frame.function.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::{finding, folder, lines, located, with};
    use serde_json::{Value, json};

    /// Places as `llvm-objdump-14 -d` prints them, lines of `lines.cl`.
    #[test]
    fn a_finding_is_an_object() {
        let object = lines();
        let finding = located(finding(&object, 0x28, 0x30), &object);
        let text = with(&object, folder(), |scene| super::json(&finding, scene));
        assert!(!text.contains('\n'));
        let value: Value = serde_json::from_str(&text).unwrap();
        let entry = object.kernel("lines").unwrap().entry;
        let frame = json!({"file": "lines.cl", "line": 9, "column": 22, "function": "lines"});
        assert_eq!(
            value["at"],
            json!({"pc": entry + 0x28, "symbol": "lines", "offset": 0x28,
                "instruction": "global_load_dword v1, v0, s[2:3]", "frames": [frame],
                "label": "v1 is read here", "block": null, "thread": null, "last_thread": null})
        );
        let call = json!({"file": "main.cpp", "line": 7, "column": null, "function": "_Z4axpyPf"});
        assert_eq!(
            value["host"],
            json!([{"label": "freed here", "frames": [call]}])
        );
        assert_eq!(value["related"][0]["frames"].as_array().unwrap().len(), 2);
        let known = ["tool", "rule", "file", "target", "kernel", "times"].map(|key| &value[key]);
        let expected = json!([
            "wait",
            "vgpr-before-load",
            "lines.hsaco",
            "gfx900",
            "lines",
            1
        ]);
        assert_eq!(json!(known), expected);
    }
}
