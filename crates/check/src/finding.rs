//! Findings: location, message, and related locations.

use std::collections::HashMap;

use wavetank_object::Frame;

use crate::host::Stack;
use crate::place::{Place, Places};
use crate::tool::{Tool, Tools};
use crate::work_items::WorkItems;

/// A mistake in a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The tool that reports the finding.
    pub tool: Tool,
    /// The kind of mistake, by a short and stable name: `vgpr-before-load`.
    pub rule: &'static str,
    /// The kernel or function; empty for a mistake of the host program.
    pub kernel: String,
    /// The mistake in a sentence without a full stop.
    pub message: String,
    /// The place where the mistake has its effect, with a few words.
    pub at: Mark,
    /// Other related places, the oldest first.
    pub related: Vec<Mark>,
    /// Earlier calls of the host program that are related, the oldest first.
    pub host: Vec<Stack>,
    /// Further facts, such as waves and values, as sentences without a full stop.
    pub notes: Vec<String>,
    /// A way to correct the mistake.
    pub help: Option<String>,
    /// The address in global memory of the bytes that it is about, if their allocation is to be named. The library replaces it by a
    /// note about the allocation.
    pub address: Option<u64>,
    /// The other rules that the same cause breaks, each with its tool ([`fold`](crate::fold)).
    pub also: Vec<(Tool, &'static str)>,
    /// The number of occurrences.
    pub times: u64,
}

/// A place in code, with a few words about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// The place in the code.
    pub place: Place,
    /// The event at the place, in a few words.
    pub label: String,
    /// The work-items of the event, if they are known.
    pub items: Option<WorkItems>,
}

impl Mark {
    /// Makes a mark from an address, whose place is looked up later.
    pub fn at(pc: u64, label: impl Into<String>) -> Mark {
        Mark {
            place: Place::at(pc),
            label: label.into(),
            items: None,
        }
    }

    /// Returns the mark with the work-items of its event.
    pub fn by(self, items: WorkItems) -> Mark {
        Mark {
            items: Some(items),
            ..self
        }
    }

    /// Returns the label with the work-items, in the words of HIP or of OpenCL.
    pub fn words(&self, of_opencl: bool) -> String {
        let items = self.items.map(|items| items.words(of_opencl));
        match (self.label.as_str(), items) {
            (label, None) => label.to_owned(),
            ("", Some(items)) => items,
            (label, Some(items)) => format!("{label}: {items}"),
        }
    }
}

impl Finding {
    /// Returns a finding that occurred once, of which nothing else is known. A watcher may leave the kernel empty, and the places
    /// without lines: the library fills them in.
    pub fn new(tool: Tool, rule: &'static str, message: impl Into<String>, at: Mark) -> Finding {
        Finding {
            tool,
            rule,
            kernel: String::new(),
            message: message.into(),
            at,
            related: Vec::new(),
            host: Vec::new(),
            notes: Vec::new(),
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    /// Returns the rules that the finding breaks, its own first, each with its tool.
    pub fn rules(&self) -> impl Iterator<Item = (Tool, &'static str)> {
        [(self.tool, self.rule)]
            .into_iter()
            .chain(self.also.iter().copied())
    }

    /// Returns the sentence about the other rules of the same tool; `None` if there are none. Those of another tool have a note.
    pub fn also(&self) -> Option<String> {
        let own = self.also.iter().filter(|(tool, _)| *tool == self.tool);
        let names: Vec<String> = own.map(|(tool, rule)| format!("{tool}/{rule}")).collect();
        let names = match names.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        Some(format!("the same mistake breaks {names}, too"))
    }

    /// Returns the finding with new places: `place` returns the one at an address.
    pub fn moved(&self, place: impl Fn(u64) -> Place) -> Finding {
        let mut finding = self.clone();
        let Finding { at, related, .. } = &mut finding;
        for mark in related.iter_mut().chain([at]) {
            mark.place = place(mark.place.pc);
        }
        finding
    }

    /// Whether the mistake is in the host program, outside of kernels.
    pub fn is_of_host(&self) -> bool {
        self.kernel.is_empty()
    }

    /// Whether the kernel is one of OpenCL: its source is named so, or it is not known and the name is not mangled, as those of HIP are.
    pub fn is_of_opencl(&self) -> bool {
        match self.at.place.source.own() {
            Some(frame) => frame.file.ends_with(".cl"),
            None => !self.kernel.is_empty() && !self.kernel.starts_with("_Z"),
        }
    }

    /// Whether another finding is the same mistake at the same places. Places are compared by source lines, because an unrolled
    /// loop has many instructions for each line. Findings of static tools are compared by instructions.
    pub fn is_same(&self, other: &Finding) -> bool {
        self.key() == other.key()
    }

    /// Returns the key by which findings are compared.
    fn key(&self) -> Key {
        let lines = !Tools::STATIC.has(self.tool);
        let at = |mark: &Mark| match mark.place.source.frames.as_slice() {
            frames @ [first, ..] if lines && first.line.is_some() => At::Source(frames.to_vec()),
            _ => At::Pc(mark.place.pc),
        };
        let places = [&self.at].into_iter().chain(&self.related);
        let mut places: Vec<At> = places.map(at).collect();
        // If a barrier is missing, a load may come too early or too late; both count as one mistake.
        let rule = match (self.tool, self.rule) {
            (Tool::Race, "read-write" | "write-read") => {
                places.sort_unstable();
                "write-read"
            }
            (_, rule) => rule,
        };
        (self.tool, rule, self.kernel.clone(), places)
    }
}

/// A place as it is compared between findings.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum At {
    Pc(u64),
    /// The frames, innermost first.
    Source(Vec<Frame>),
}

type Key = (Tool, &'static str, String, Vec<At>);

/// A list of findings in which equal ones are counted.
#[derive(Default, Debug)]
pub struct Findings {
    all: Vec<Finding>,
    known: HashMap<Key, usize>,
}

impl Findings {
    /// Adds a finding, or counts it if an equal one is present.
    pub fn add(&mut self, finding: Finding) {
        match self.known.get(&finding.key()) {
            Some(&n) => self.all[n].times += finding.times,
            None => {
                self.known.insert(finding.key(), self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// Adds a finding, if no equal one is present.
    pub(crate) fn add_once(&mut self, finding: Finding) {
        if !self.known.contains_key(&finding.key()) {
            self.add(finding);
        }
    }

    /// Returns the findings, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.all.iter()
    }

    /// Returns the findings for changes, such as details of their places.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.all.iter_mut()
    }

    /// Returns the number of different findings.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl Places<'_> {
    /// Fills in the places of findings, of which only addresses are set.
    pub fn locate(&self, findings: &mut Findings) {
        for finding in findings.iter_mut() {
            let Finding { at, related, .. } = finding;
            for mark in related.iter_mut().chain([at]) {
                mark.place = self.place(mark.place.pc);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(pc: u64) -> Finding {
        Finding {
            tool: Tool::Wait,
            rule: "r",
            kernel: "k".into(),
            message: String::new(),
            at: Mark::at(pc, ""),
            related: vec![Mark::at(0, "")],
            host: Vec::new(),
            notes: vec![],
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    #[test]
    fn equal_findings_are_counted() {
        let mut findings = Findings::default();
        for pc in [4, 8, 4, 4] {
            findings.add(finding(pc));
        }
        let times: Vec<u64> = findings.iter().map(|f| f.times).collect();
        assert_eq!(times, [3, 1]);
    }

    #[test]
    fn a_race_is_one_in_both_orders() {
        let times = |tool, rules: [&'static str; 2]| {
            let mut findings = Findings::default();
            for (rule, (at, other)) in rules.into_iter().zip([(4, 8), (8, 4)]) {
                let mut finding = finding(at);
                (finding.tool, finding.rule) = (tool, rule);
                finding.related.push(Mark::at(other, ""));
                findings.add(finding);
            }
            findings.iter().map(|f| f.times).collect::<Vec<_>>()
        };
        assert_eq!(times(Tool::Race, ["read-write", "write-read"]), [2]);
        assert_eq!(times(Tool::Race, ["write-write", "write-read"]), [1, 1]);
        assert_eq!(times(Tool::Init, ["read-write", "write-read"]), [1, 1]);
    }

    #[test]
    fn lines_of_source_are_one_place_for_what_runs() {
        let at = |tool: Tool, pc, line| {
            let mut finding = finding(pc);
            finding.tool = tool;
            finding.at.place.source.frames.push(Frame {
                function: None,
                file: "a.cl".to_owned(),
                line,
                column: None,
            });
            finding
        };
        let times = |tool| {
            let mut findings = Findings::default();
            for (pc, line) in [
                (4, Some(7)),
                (8, Some(7)),
                (12, Some(8)),
                (16, None),
                (20, None),
            ] {
                findings.add(at(tool, pc, line));
            }
            findings.iter().map(|f| f.times).collect::<Vec<_>>()
        };
        assert_eq!(times(Tool::Race), [2, 1, 1, 1]);
        assert_eq!(times(Tool::Wait), [1; 5]);
    }
}
