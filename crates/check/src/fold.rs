//! Joins the findings of one cause: a reader mends a cause once, so it is one finding, and its other rules are named in it.
//!
//! An update without an atomic, `bins[i]++`, loads too early, loads too late, and stores other values than its neighbours: up to five
//! rules at one line. Findings are joined only where nothing else can be meant:
//!
//! * Races of which all accesses are in one line, if the columns of one are among those of the other. `a[i] = b[j], b[i] = a[j]` in
//!   one line stays two races, since their accesses have no column in common.
//! * Races of one rule that share one access, if the other accesses are in one line, as the three loads of `a[i] + a[i + 1] + a[i + 2]`.
//!
//! Pairs with other lines stay apart: a barrier that orders one of them need not order the next.

use wavetank_object::{Frame, Source};

use crate::finding::{Finding, Mark};
use crate::tool::Tool;

/// The rules of races that an update without an atomic breaks; the most telling one first.
const RULES: [&str; 5] = [
    "write-read",
    "read-write",
    "write-write",
    "same-store",
    "lanes",
];

/// Joins findings of one cause. `finding` returns the finding in an item of the list, and `joined` is called with the item that stays
/// and the one that goes.
pub fn fold<T>(
    items: &mut Vec<T>,
    finding: impl Fn(&T) -> &Finding,
    mut joined: impl FnMut(&mut T, T),
) {
    let mut kept: Vec<T> = Vec::new();
    for item in items.drain(..) {
        let same = |known: &&mut T| is_one_cause(finding(known), finding(&item));
        match kept.iter_mut().find(same) {
            Some(known) if rank(finding(&item)) < rank(finding(known)) => {
                let other = std::mem::replace(known, item);
                joined(known, other);
            }
            Some(known) => joined(known, item),
            None => kept.push(item),
        }
    }
    *items = kept;
}

/// Joins findings of one cause, of which each has the rules and the count of those that it stands for.
pub fn fold_findings(findings: &mut Vec<Finding>) {
    fold(
        findings,
        |finding| finding,
        |known, other| known.take(&other),
    );
}

impl Finding {
    /// Takes the rules and the count of another finding of the same cause.
    pub fn take(&mut self, other: &Finding) {
        for rule in other.rules() {
            if !self.rules().any(|known| known == rule) {
                self.also.push(rule);
            }
        }
        self.also.sort_by_key(|(_, rule)| place_of(rule));
        self.times += other.times;
    }
}

/// Returns the position of a rule among those of an update; other rules come last.
fn place_of(rule: &str) -> usize {
    let place = RULES.iter().position(|known| *known == rule);
    place.unwrap_or(RULES.len())
}

fn rank(finding: &Finding) -> usize {
    place_of(finding.rule)
}

/// Whether two findings have one cause.
fn is_one_cause(one: &Finding, other: &Finding) -> bool {
    let is_race = |finding: &Finding| finding.tool == Tool::Race && rank(finding) < RULES.len();
    if !is_race(one) || !is_race(other) || one.kernel != other.kernel {
        return false;
    }
    let (Some(first), Some(second)) = (accesses(one), accesses(other)) else {
        return false;
    };
    let (mut lines, mut others) = (lines(&first), lines(&second));
    let is_in = |some: &[&Source], all: &[&Source]| some.iter().all(|access| all.contains(access));
    let in_one_line = lines.iter().chain(&others).all(|line| *line == lines[0]);
    if in_one_line && (is_in(&first, &second) || is_in(&second, &first)) {
        return true;
    }
    // A load that comes too early and one that comes too late are one mistake.
    let is_pair = |rule: &str| matches!(rule, "write-read" | "read-write");
    let same_rule = one.rule == other.rule || is_pair(one.rule) && is_pair(other.rule);
    lines.sort_unstable();
    others.sort_unstable();
    same_rule && lines == others && first.iter().any(|access| second.contains(access))
}

/// Returns the accesses of a race by their sources; `None` if a line is not known.
fn accesses(finding: &Finding) -> Option<Vec<&Source>> {
    let marks = [&finding.at].into_iter().chain(&finding.related);
    let sources: Vec<&Source> = marks.map(|mark: &Mark| &mark.place.source).collect();
    let has_line = |source: &&Source| source.own().is_some_and(|frame| frame.line.is_some());
    sources.iter().all(has_line).then_some(sources)
}

/// Returns the lines of accesses that concern the author, without their columns.
fn lines(accesses: &[&Source]) -> Vec<Option<Frame>> {
    let line = |source: &&Source| {
        let own = source.own().cloned();
        own.map(|frame| Frame {
            column: None,
            ..frame
        })
    };
    accesses.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a race whose accesses are at these lines and columns of one file, the later one first.
    fn race(rule: &'static str, accesses: &[(u32, u32)]) -> Finding {
        let mark = |(line, column): &(u32, u32)| {
            let mut mark = Mark::at(u64::from(line * 100 + column), "");
            mark.place.source.frames.push(Frame {
                function: Some("k".to_owned()),
                file: "k.hip".to_owned(),
                line: Some(*line),
                column: Some(*column),
            });
            mark
        };
        let mut marks = accesses.iter().map(mark);
        let at = marks.next().expect("a race has a place");
        Finding {
            kernel: "k".to_owned(),
            related: marks.collect(),
            ..Finding::new(Tool::Race, rule, rule, at)
        }
    }

    /// Returns the rules of each finding that is left, and how often it was found.
    fn left(mut findings: Vec<Finding>) -> Vec<(String, u64)> {
        fold_findings(&mut findings);
        let rules = |finding: &Finding| {
            let names: Vec<&str> = finding.rules().map(|(_, rule)| rule).collect();
            (names.join(" "), finding.times)
        };
        findings.iter().map(rules).collect()
    }

    #[test]
    fn an_update_without_an_atomic_is_one_finding() {
        // `bins[bin] = bins[bin] + 1`
        let (load, store) = ((10, 17), (10, 5));
        let all = [
            race("lanes", &[store]),
            race("same-store", &[store, store]),
            race("read-write", &[store, load]),
            race("write-read", &[load, store]),
        ];
        let one = ("write-read read-write same-store lanes".to_owned(), 4);
        assert_eq!(left(all.to_vec()), std::slice::from_ref(&one));
        assert_eq!(left(all.iter().rev().cloned().collect()), [one]);
    }

    #[test]
    fn loads_of_one_line_are_one_finding() {
        let store = (8, 9);
        let loads = [(9, 4), (9, 12), (9, 20)];
        let of = |load| race("read-write", &[store, load]);
        let one = vec![("read-write".to_owned(), 3)];
        assert_eq!(left(loads.map(of).to_vec()), one);
        // `part[i] = part[i + 1] + part[i + 2]`
        let in_the_line = [(9, 15), (9, 29)].map(|load| race("read-write", &[(9, 5), load]));
        assert_eq!(left(in_the_line.to_vec()), [("read-write".to_owned(), 2)]);
    }

    #[test]
    fn what_may_be_another_mistake_stays_a_finding() {
        let apart = |findings: Vec<Finding>| {
            let count = findings.len();
            assert_eq!(left(findings.clone()).len(), count, "{findings:?}");
        };
        // Two arrays in one line, and one array in other lines.
        let [a, b] = [[(5, 1), (5, 20)], [(5, 9), (5, 30)]];
        apart(vec![race("write-read", &a), race("read-write", &b)]);
        apart(vec![
            race("write-read", &[(9, 4), (8, 9)]),
            race("write-read", &[(11, 4), (8, 9)]),
        ]);
        // Two lines that store to two arrays, and load from them.
        apart(vec![
            race("write-read", &[(9, 4), (8, 9)]),
            race("write-read", &[(9, 12), (8, 20)]),
        ]);
        // Stores that differ are not the load that comes too early.
        apart(vec![
            race("write-read", &[(9, 4), (8, 9)]),
            race("same-store", &[(8, 9), (8, 9)]),
        ]);
        let mut other = race("lanes", &[(5, 1)]);
        other.kernel = "other".to_owned();
        apart(vec![race("write-read", &a), other]);
        let mut unknown = race("lanes", &[(5, 1)]);
        unknown.at.place.source.frames[0].line = None;
        apart(vec![race("write-read", &a), unknown]);
        let mut of_init = race("lanes", &[(5, 1)]);
        of_init.tool = Tool::Init;
        apart(vec![race("write-read", &a), of_init]);
    }
}
