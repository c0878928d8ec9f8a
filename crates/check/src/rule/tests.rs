//! The table against the code of the tools and their pages: each rule is there, and each example shows its rule.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wavetank_asm::assemble;
use wavetank_gcn::{Chip, Dialect};
use wavetank_object::CodeObject;

use super::{Example, Rule};
use crate::finding::Findings;
use crate::hazard::rows;
use crate::tool::{Tool, Tools};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn each_hazard_is_a_rule() {
    let rules = Rule::all().filter(|rule| rule.tool == Tool::Hazard);
    let rules: Vec<&str> = rules.map(|rule| rule.name).collect();
    let mut names: Vec<&str> = Vec::new();
    for row in rows() {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    assert_eq!(rules, names);
}

/// The page has a table of rules for each tool, whose rows begin with the names: "| `lds` |", "| `scratch`, `stack-overflow` |".
#[test]
fn the_page_on_checkers_has_the_same_rules() {
    let page = std::fs::read_to_string(root().join("docs/reference/checkers.md")).expect("a page");
    for tool in Tool::ALL {
        let (_, section) = page
            .split_once(&format!("\n## {tool}\n"))
            .expect("a section of the tool");
        let section = section.split("\n## ").next().expect("it ends");
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let names = rows.filter_map(|row| row.split('|').next());
        let names: BTreeSet<&str> = names
            .flat_map(|cell| cell.split(',').map(|name| name.trim().trim_matches('`')))
            .collect();
        let rules = Rule::all().filter(|rule| rule.tool == tool);
        assert_eq!(names, rules.map(|rule| rule.name).collect(), "{tool}");
    }
}

/// Programs of `tests/check` mark the lines of findings: `//~ race/read-write`.
#[test]
fn examples_are_parts_of_programs_that_show_the_rule() {
    for rule in Rule::all() {
        let Example::Hip(_, file) = rule.example else {
            continue;
        };
        let program = std::fs::read_to_string(root().join(file)).expect("a program");
        let name = rule.full_name();
        assert!(program.contains(&format!("//~ {name}")), "{file}: {name}");
    }
}

/// Every mark of a planted mistake names a rule of the table.
#[test]
fn marks_name_rules() {
    let mut marks = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("tests/check")).expect("a folder") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a text");
        let places = text.split("//~ ").skip(1);
        let rules = places.filter_map(|at| at.split_whitespace().next());
        // Those of one finding are joined.
        marks.extend(rules.flat_map(|rules| rules.split('+')).map(str::to_owned));
    }
    assert!(marks.len() > 20, "{marks:?}");
    for mark in marks {
        assert!(Rule::of(&mark).is_some(), "{mark}");
    }
}

/// Examples of tools that read code, as plain code on the first chip that has the instructions and the mistake.
#[test]
fn examples_in_assembly_have_the_mistake() {
    let code = [Tool::Wait, Tool::Hazard];
    let mut shown = 0;
    for rule in Rule::all().filter(|rule| code.contains(&rule.tool)) {
        let Example::Assembly(source) = rule.example else {
            panic!("{}: code alone is checked", rule.full_name());
        };
        // These need a kernel that says how many SGPRs it has.
        if rule.name.contains("vcc-alias") {
            continue;
        }
        let chips = [Chip::Gfx900, Chip::Gfx803, Chip::Gfx600];
        let mut chips = chips.iter().chain(Chip::CDNA);
        let is_found = chips.any(|chip| rules_in(source, *chip).contains(rule.name));
        assert!(is_found, "{}:\n{source}", rule.full_name());
        shown += 1;
    }
    assert!(shown > 20, "{shown}");
}

/// Returns the rules of the findings in a source, none where the chip has not all instructions.
fn rules_in(source: &str, chip: Chip) -> BTreeSet<&'static str> {
    let mut code = Vec::new();
    let whole = format!("{source}\ns_endpgm");
    let lines = assemble(&whole, chip, Dialect::Llvm, |line| {
        code.extend_from_slice(line.bytes());
    });
    if lines.is_err() {
        return BTreeSet::new();
    }
    let target = chip.name().parse().expect("a target");
    let object = CodeObject::of_code(&code, target).expect("code");
    let mut findings = Findings::default();
    crate::check_code(&object, Tools::STATIC, &mut findings);
    findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn a_page_has_all_sections() {
    for rule in Rule::all() {
        let page = rule.page();
        assert!(page.starts_with(&format!("# {}\n", rule.full_name())));
        let sections = [
            "## Why it is a mistake\n",
            "## Example\n",
            "## Limits\n",
            "## Tool\n",
        ];
        for section in sections {
            assert!(page.contains(section), "{}: {section}", rule.full_name());
        }
        assert_eq!(page.contains("## Wait states"), rule.tool == Tool::Hazard);
    }
}
