//! The output of findings: to stdout, and to files.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use quick_junit::TestCase;
use wavetank_check::code::Root;
use wavetank_check::report::{Look, Record, Sarif, Scene, Sources, json, text};
use wavetank_check::{Finding, Places, Suppressions, Tool, Tools};

use wavetank_gcn::EXECUTED_CHIPS;
use wavetank_quote::plain;

use super::code::{CodeTargets, Part};
use super::end::End;
use super::junit;
use super::known::Known;
use super::wanted::Wanted;
use crate::exit::{Failure, Result};
use crate::terminal;
use crate::whole;

/// The warning about a file in which there is nothing to check.
const NOTHING: &str = "warning: nothing was checked: no symbol is a kernel, or a function with a size; in assembly, `.type NAME,@function` \
                       and `.size NAME, .-NAME` make one";

/// The report of a check, with the counts for its end.
pub(super) struct Report<'w> {
    wanted: &'w Wanted,
    tools: Tools,
    file: PathBuf,
    sources: Sources,
    look: Look,
    sarif: Sarif,
    cases: Vec<TestCase>,
    /// The printed entries for a suppression file, each once.
    entries: HashSet<String>,
    roots: usize,
    /// The number of findings of each tool.
    counts: [(Tool, usize); Tool::ALL.len()],
    printed: usize,
    /// The number of findings that are suppressed, and of those in a baseline.
    hidden: usize,
    not_new: usize,
}

impl<'w> Report<'w> {
    pub(super) fn new(wanted: &'w Wanted, file: &Path, tools: Tools) -> Report<'w> {
        let file = if file == Path::new("-") {
            PathBuf::from("stdin")
        } else {
            file.to_owned()
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        Report {
            wanted,
            tools,
            sources: Sources::beside(folder),
            file,
            look: Look {
                colours: terminal::colours(),
                columns: terminal::columns(),
                machine_code: wanted.asm,
                stacks: wanted.stacks,
            },
            sarif: Sarif::default(),
            cases: Vec::new(),
            entries: HashSet::new(),
            roots: 0,
            counts: Tool::ALL.map(|tool| (tool, 0)),
            printed: 0,
            hidden: 0,
            not_new: 0,
        }
    }

    /// The checked file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether a finding in a file is shown. One that is known is counted.
    pub(super) fn is_shown(&mut self, known: &Known, finding: &Finding, file: &Path) -> bool {
        if known.suppressions.hide(finding) {
            self.hidden += 1;
        } else if known.baseline.has(finding, file) {
            self.not_new += 1;
        } else {
            return true;
        }
        false
    }

    /// Adds the findings in a kernel or function; returns the text to print.
    pub(super) fn add(
        &mut self,
        part: &Part,
        root: &Root<'_>,
        places: &Places<'_>,
        findings: &[&Finding],
    ) -> String {
        let scene = Scene {
            file: &self.file,
            target: &part.target,
            places: Some(places),
            sources: &self.sources,
        };
        if self.wanted.junit.is_some() {
            let case = junit::case(root.name, self.tools, findings, &scene);
            self.cases.push(case);
        }
        let mut out = String::new();
        for finding in findings {
            count(&mut self.counts, finding.tool);
            if self.wanted.sarif.is_some() {
                self.sarif.add(finding, &scene);
            }
            if self.wanted.gen_suppressions {
                out += &entries(&mut self.entries, finding);
            } else if self.wanted.json {
                out += &(json(finding, &scene) + "\n");
            } else if self.printed < self.wanted.max() {
                out += &(text(finding, &scene, self.look) + "\n");
                self.printed += 1;
            }
        }
        self.roots += 1;
        out
    }

    /// Adds the findings in the kernels of a program; returns the text to print.
    pub(super) fn add_program(&mut self, records: &[Record]) -> Vec<String> {
        let mut out = Vec::new();
        for record in records {
            let Record {
                finding,
                file,
                target,
                text,
            } = record;
            let scene = Scene {
                file,
                target,
                places: None,
                sources: &self.sources,
            };
            if self.wanted.sarif.is_some() {
                self.sarif.add(finding, &scene);
            }
            if self.wanted.gen_suppressions {
                out.push(entries(&mut self.entries, finding));
            } else if self.wanted.json {
                out.push(json(finding, &scene) + "\n");
            } else if self.printed < self.wanted.max() {
                out.push(format!("{}\n\n", text.trim_end()));
                self.printed += 1;
            }
            count(&mut self.counts, finding.tool);
        }
        if self.wanted.junit.is_some() {
            let findings: Vec<&Finding> = records.iter().map(|r| &r.finding).collect();
            let target = records.first().map_or("", |record| &record.target);
            let scene = Scene {
                file: &self.file,
                target,
                places: None,
                sources: &self.sources,
            };
            let case = junit::case("kernels", self.tools, &findings, &scene);
            self.cases.push(case);
        }
        out
    }

    /// Returns the text of a note, which is not a finding: a line for people, or an object; nothing among entries for suppressions.
    pub(super) fn note(&self, sentence: &str) -> String {
        if self.wanted.gen_suppressions {
            String::new()
        } else if self.wanted.json {
            format!("{}\n", serde_json::json!({"note": sentence}))
        } else {
            format!("note: {sentence}\n")
        }
    }

    /// Writes the report files.
    pub(super) fn write(&mut self) -> Result {
        if let Some(path) = &self.wanted.sarif {
            let written = whole::write(path, self.sarif.json());
            written.map_err(|error| Failure::file("write", path, error))?;
        }
        match &self.wanted.junit {
            Some(path) => crate::junit::add(path, std::mem::take(&mut self.cases)),
            None => Ok(()),
        }
    }

    /// Returns the end of the check.
    pub(super) fn end(&self, code: &CodeTargets) -> End {
        let checked = match self.roots {
            1 => "1 kernel or function".to_owned(),
            n => format!("{n} kernels and functions"),
        };
        let targets = code.checked.join(", ");
        let mut end = self.end_of(&format!("{checked} for {targets}"), &code.left_out);
        if self.roots == 0 {
            end.lines.push(NOTHING.to_owned());
        }
        end
    }

    /// Returns the end of a check of a program.
    pub(super) fn end_of_program(&self, name: &str, ran: &BTreeSet<String>) -> End {
        let none = if ran.is_empty() {
            ", which ran none"
        } else {
            ""
        };
        self.end_of(&format!("the kernels of `{}`{none}", plain(name)), &[])
    }

    fn end_of(&self, checked: &str, left_out: &[String]) -> End {
        let found = self.counts.iter().map(|(_, count)| count).sum();
        let mut lines = Vec::new();
        if self.wanted.is_read() && self.printed < found {
            let more = found - self.printed;
            lines.push(format!("{more} more {}: --max shows more", findings(more)));
        }
        if !left_out.is_empty() {
            let targets = left_out.join(", ");
            lines.push(format!(
                "left out: the code for {targets}: {EXECUTED_CHIPS}"
            ));
        }
        lines.push(format!("checked {checked}: {}", self.sum(found)));
        match self.hidden {
            0 => {}
            1 => lines.push("1 finding was suppressed".to_owned()),
            n => lines.push(format!("{n} findings were suppressed")),
        }
        match self.not_new {
            0 => {}
            1 => lines.push("1 finding is not new: the baseline has it".to_owned()),
            n => lines.push(format!("{n} findings are not new: the baseline has them")),
        }
        let code = match found {
            0 => 0,
            _ => self.wanted.error_exitcode,
        };
        End {
            lines,
            code,
            program: None,
        }
    }

    /// Returns the sum: `2 findings (wait 1, hazard 1)`.
    fn sum(&self, found: usize) -> String {
        if found == 0 {
            return "no findings".to_owned();
        }
        let counts = self.counts.iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(tool, n)| format!("{tool} {n}")).collect();
        format!("{found} {} ({})", findings(found), counts.join(", "))
    }
}

/// Counts a finding of a tool.
fn count(counts: &mut [(Tool, usize)], tool: Tool) {
    if let Some((_, count)) = counts.iter_mut().find(|(t, _)| *t == tool) {
        *count += 1;
    }
}

fn findings(count: usize) -> &'static str {
    if count == 1 { "finding" } else { "findings" }
}

/// Returns the entries that hide a finding, each with an empty line after it, without those that are already known.
fn entries(known: &mut HashSet<String>, finding: &Finding) -> String {
    let entries = Suppressions::entries_for(finding).into_iter();
    let new = entries.filter(|entry| known.insert(entry.clone()));
    new.map(|entry| entry + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank::object::open;
    use wavetank_check::{Findings, Mark};

    const LINES: &[u8] = include_bytes!("../../../object/tests/data/lines-gfx900.hsaco");

    fn wanted() -> Wanted {
        Wanted {
            max: None,
            asm: false,
            stacks: false,
            json: false,
            sarif: None,
            junit: None,
            gen_suppressions: false,
            error_exitcode: 1,
        }
    }

    fn finding(tool: Tool, pc: u64) -> Finding {
        Finding {
            tool,
            rule: "vgpr-before-load",
            kernel: "lines".into(),
            message: format!("{tool} at {pc:#x}"),
            at: Mark::at(pc, "here"),
            related: vec![],
            host: Vec::new(),
            notes: vec![],
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    /// Returns the printed text for findings of the kernel `lines`, the last lines, the exit code, and the cases.
    fn report_of(
        wanted: &Wanted,
        hidden: usize,
        tools: &[Tool],
    ) -> (String, Vec<String>, u8, String) {
        let object = open(LINES, None).unwrap();
        let entry = object.kernel("lines").unwrap().entry;
        let part = Part {
            object,
            target: "gfx900".into(),
        };
        let places = Places::of(&part.object).unwrap();
        let mut findings = Findings::default();
        for (n, tool) in tools.iter().enumerate() {
            findings.add(finding(*tool, entry + 8 * n as u64));
        }
        places.locate(&mut findings);
        let all: Vec<&Finding> = findings.iter().collect();
        let mut report = Report::new(wanted, Path::new("lines.co"), Tools::STATIC);
        let root = &Root::all(&part.object)[0];
        report.hidden = hidden;
        let text = report.add(&part, root, &places, &all);
        let mut junit = quick_junit::Report::new("");
        let mut suite = quick_junit::TestSuite::new("");
        suite.add_test_cases(std::mem::take(&mut report.cases));
        junit.add_test_suite(suite);
        let code = CodeTargets {
            checked: vec![part.target],
            left_out: vec!["gfx1030".into()],
        };
        let end = report.end(&code);
        (text, end.lines, end.code, junit.to_string().unwrap())
    }

    const WAIT_WAIT_HAZARD: [Tool; 3] = [Tool::Wait, Tool::Wait, Tool::Hazard];

    #[test]
    fn findings_are_counted() {
        let (text, lines, code, _) = report_of(&wanted(), 1, &WAIT_WAIT_HAZARD);
        assert_eq!(text.matches("error[wait/vgpr-before-load]: ").count(), 2);
        assert_eq!(text.matches("error[hazard/vgpr-before-load]: ").count(), 1);
        assert!(
            text.contains("--> lines+0x8 in lines.co (gfx900)\n"),
            "{text}"
        );
        let expected = [
            "left out: the code for gfx1030: GCN and CDNA are executed up to gfx942; gfx950 is assembled and disassembled, RDNA is not supported",
            "checked 1 kernel or function for gfx900: 3 findings (wait 2, hazard 1)",
            "1 finding was suppressed",
        ];
        assert_eq!((lines, code), (expected.map(str::to_owned).to_vec(), 1));
        let (text, lines, code, _) = report_of(&wanted(), 3, &[]);
        let last = ["no findings", "3 findings were suppressed"];
        assert!(
            lines[1].ends_with(last[0]) && lines[2] == last[1],
            "{lines:?}"
        );
        assert_eq!((text.as_str(), code), ("", 0));
    }

    #[test]
    fn the_most_and_the_code_are_as_asked() {
        let wanted = Wanted {
            max: Some(1),
            error_exitcode: 9,
            ..wanted()
        };
        let (text, lines, code, _) = report_of(&wanted, 0, &WAIT_WAIT_HAZARD);
        assert_eq!((text.matches("error[").count(), code), (1, 9));
        assert_eq!(lines[0], "2 more findings: --max shows more");
    }

    #[test]
    fn json_is_an_object_a_line() {
        let wanted = Wanted {
            json: true,
            max: Some(0),
            ..wanted()
        };
        let (text, lines, ..) = report_of(&wanted, 0, &WAIT_WAIT_HAZARD);
        let values = text.lines().map(serde_json::from_str);
        let values: Vec<serde_json::Value> = values.map(Result::unwrap).collect();
        let tools: Vec<_> = values.iter().map(|value| &value["tool"]).collect();
        assert_eq!(tools, ["wait", "wait", "hazard"]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn equal_entries_are_made_once() {
        let wanted = Wanted {
            gen_suppressions: true,
            ..wanted()
        };
        let (text, ..) = report_of(&wanted, 0, &WAIT_WAIT_HAZARD);
        let entry = |tool| {
            format!("tool: {tool}\nrule: vgpr-before-load\nkernel: lines\nsource: lines.cl\n\n")
        };
        assert_eq!(text, entry("wait") + &entry("hazard"));
    }

    #[test]
    fn kernels_are_cases() {
        let wanted = Wanted {
            junit: Some("x".into()),
            ..wanted()
        };
        let (.., cases) = report_of(&wanted, 0, &WAIT_WAIT_HAZARD);
        for part in [
            "name=\"lines in lines.co (wait, hazard, limits)\" classname=\"gfx900\"",
            "<failure message=\"wait at 0x1800, and 2 more\" type=\"wait/vgpr-before-load\">error[wait/",
        ] {
            assert!(cases.contains(part), "{cases}");
        }
        let (.., cases) = report_of(&wanted, 0, &[]);
        assert!(!cases.contains("<failure"), "{cases}");
    }
}
