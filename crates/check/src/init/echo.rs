//! Findings that may be no more than the echo of a data race: the load came before the store of another wave.

use super::describe::LOADED;
use crate::finding::Finding;
use crate::tool::Tool;

/// Adds a note to a finding whose undefined bits come from a load that is one end of a data race among others that were found.
///
/// The finding is kept. The same load may also have read bytes that no wave writes at all, which is a mistake of its own: a race
/// is reported with one pair of accesses, and what was undefined as one range for all waves, so nothing shows that each undefined
/// byte was also raced for.
pub fn note_race(finding: &mut Finding, found: &[Finding]) {
    let loads = finding.related.iter().filter(|mark| mark.label == LOADED);
    let load = loads.map(|mark| mark.place.pc).next();
    let Some(load) = load.filter(|_| finding.tool == Tool::Init) else {
        return;
    };
    let has_load = |race: &&Finding| {
        let mut marks = race.related.iter().chain([&race.at]);
        race.tool == Tool::Race && marks.any(|mark| mark.place.pc == load)
    };
    if let Some(race) = found.iter().find(has_load) {
        finding.notes.push(format!(
            "the load is one end of a data race ({}/{}): if it only came too early, this goes away with the race",
            race.tool, race.rule
        ));
    }
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
}
