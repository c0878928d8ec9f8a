//! Findings that are no more than the echo of a data race: the load came before the store of another wave.

use std::ops::Range;

use super::describe::LOADED;
use crate::finding::Finding;
use crate::tool::Tool;

/// A load of undefined bytes of global memory that were all written later in the launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlyLoad {
    /// The address of the instruction.
    pub pc: u64,
    /// The bytes from the first place to the last.
    pub within: Range<u64>,
}

/// Joins the findings of undefined bits with the races that caused them, or adds a note to them.
///
/// The load is one end of such a race. If `early` says that all undefined bytes which it read were written later, and the race is
/// about some of them, the load only came too early: the race then has the rule of the other finding, which goes. Otherwise that
/// finding stays, with a note: the load may also have read bytes that no wave writes at all, which is a mistake of its own. Of LDS
/// nothing is known at the end of a launch.
pub fn fold_echoes(findings: &mut Vec<Finding>, early: &[EarlyLoad]) {
    let mut n = 0;
    while n < findings.len() {
        let Some((race, load)) = race_of(&findings[n], findings) else {
            n += 1;
            continue;
        };
        let about = findings[race].address;
        let is_early = |known: &EarlyLoad| {
            known.pc == load && about.is_some_and(|address| known.within.contains(&address))
        };
        if early.iter().any(is_early) {
            let echo = findings.remove(n);
            let race = if race > n { race - 1 } else { race };
            findings[race].notes.push(format!(
                "the load came too early, so the value is undefined ({}/{}): {}, at {}",
                echo.tool,
                echo.rule,
                echo.message,
                place(&echo)
            ));
            findings[race].also.push((echo.tool, echo.rule));
        } else {
            let note = note(&findings[race]);
            findings[n].notes.push(note);
            n += 1;
        }
    }
}

/// Adds a note to a finding whose undefined bits come from a load that is one end of a race among those that were found.
pub fn note_race(finding: &mut Finding, found: &[Finding]) {
    if let Some((race, _)) = race_of(finding, found) {
        finding.notes.push(note(&found[race]));
    }
}

fn note(race: &Finding) -> String {
    format!(
        "the load is one end of a data race ({}/{}): if it only came too early, this goes away with the race",
        race.tool, race.rule
    )
}

/// Returns the line of a finding, or its instruction.
fn place(finding: &Finding) -> String {
    let place = &finding.at.place;
    match place.source.own() {
        Some(frame) => frame.to_string(),
        None => place.to_string(),
    }
}

/// Returns the race of which the load of undefined bits is one end, by its position, with the address of the load.
fn race_of(finding: &Finding, found: &[Finding]) -> Option<(usize, u64)> {
    let mut loads = finding.related.iter().filter(|mark| mark.label == LOADED);
    let load = loads
        .next()
        .filter(|_| finding.tool == Tool::Init)?
        .place
        .pc;
    let has_load = |race: &Finding| {
        let mut marks = race.related.iter().chain([&race.at]);
        race.tool == Tool::Race && marks.any(|mark| mark.place.pc == load)
    };
    Some((found.iter().position(has_load)?, load))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Mark;

    fn finding(tool: Tool, at: u64, related: (u64, &str)) -> Finding {
        Finding {
            tool,
            rule: "read-write",
            kernel: "k".to_owned(),
            message: String::new(),
            at: Mark::at(at, "here"),
            related: vec![Mark::at(related.0, related.1)],
            host: Vec::new(),
            notes: Vec::new(),
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    #[test]
    fn only_the_load_of_a_race_is_noted() {
        let notes = |mut of: Finding, other: Finding| {
            note_race(&mut of, &[other]);
            of.notes
        };
        let race = |load: u64| finding(Tool::Race, 8, (load, "the load"));
        let init = || finding(Tool::Init, 40, (16, LOADED));
        let told = notes(init(), race(16));
        assert!(told[0].contains("(race/read-write)"), "{told:?}");
        assert_eq!(notes(init(), finding(Tool::Race, 16, (8, ""))).len(), 1);
        assert!(notes(init(), race(24)).is_empty());
        // Another tool at the same load, another mark, and another tool's finding.
        assert!(notes(init(), finding(Tool::Memory, 16, (16, ""))).is_empty());
        assert!(notes(finding(Tool::Init, 40, (16, "stored")), race(16)).is_empty());
        assert!(notes(finding(Tool::Sync, 40, (16, LOADED)), race(16)).is_empty());
    }

    #[test]
    fn only_bytes_that_were_written_later_are_an_echo() {
        let rules = |address: Option<u64>, early: &[EarlyLoad]| {
            let mut race = finding(Tool::Race, 8, (16, "the load"));
            race.address = address;
            let mut findings = vec![finding(Tool::Init, 40, (16, LOADED)), race];
            fold_echoes(&mut findings, early);
            let rules = findings
                .iter()
                .map(|f| f.rules().map(|(tool, _)| tool).collect());
            rules.collect::<Vec<Vec<Tool>>>()
        };
        let apart = [vec![Tool::Init], vec![Tool::Race]];
        let early = |pc, within| EarlyLoad { pc, within };
        assert_eq!(
            rules(Some(64), &[early(16, 60..80)]),
            [[Tool::Race, Tool::Init]]
        );
        assert_eq!(rules(Some(64), &[]), apart);
        assert_eq!(rules(Some(64), &[early(24, 60..80)]), apart);
        assert_eq!(rules(Some(80), &[early(16, 60..80)]), apart);
        assert_eq!(rules(None, &[early(16, 60..80)]), apart);
    }
}
