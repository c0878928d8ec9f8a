//! The list of emulated chips, and what says it again.

use std::path::Path;

use wavetank::object::Target;
use wavetank::{Chip, ChipFacts, Device};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    std::fs::read_to_string(path).expect("a document of the repository")
}

#[test]
fn documents_have_the_same_chips() {
    let running = document("docs/reference/running.md");
    let after = running.split("\n## Chips\n").nth(1).expect("its heading");
    let section = after.split("\n## ").next().unwrap_or(after);
    let rows = section.lines().filter(|line| line.starts_with("| gfx"));
    let expected = ChipFacts::every().map(|facts| {
        let ChipFacts {
            chip,
            product,
            compute_units,
            ..
        } = facts;
        let names = facts.other_names().join(", ");
        format!("| {chip} | {product} | {compute_units} | {names} |")
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let executed = format!("* Executed: {} ", ChipFacts::names());
    assert!(document("README.md").contains(&executed), "{executed}");
}

/// Every product with a row of its own is found by the name that people use, and every name of a chip finds one row.
#[test]
fn products_are_found_by_their_names() {
    // AMD's product pages: compute units of one die, or of all that are one device.
    for (name, chip, units, dies) in [
        ("MI100", Chip::Gfx908, 120, 1),
        ("mi210", Chip::Gfx90a, 104, 1),
        ("AMD Instinct MI250X", Chip::Gfx90a, 110, 1),
        ("gfx90a", Chip::Gfx90a, 110, 1),
        ("instinct mi300x", Chip::Gfx942, 304, 8),
        ("MI300A", Chip::Gfx942, 228, 6),
    ] {
        let facts = ChipFacts::named(name).expect("a product");
        let found = (facts.chip, facts.compute_units, facts.xccs);
        assert_eq!(found, (chip, units, dies), "{name}");
    }
    for facts in ChipFacts::every() {
        assert_eq!(ChipFacts::named(facts.name()), Ok(facts));
    }
    let shared = |facts: &&ChipFacts| {
        ChipFacts::every()
            .filter(|other| other.chip_id == facts.chip_id)
            .count()
            > 1
    };
    assert_eq!(ChipFacts::every().find(shared), None);
}

/// Each is a device, in the order of chips, and its instruction set is its own.
#[test]
fn every_row_is_a_chip_of_its_own() {
    let chips: Vec<Chip> = ChipFacts::ALL.iter().map(|facts| facts.chip).collect();
    assert_eq!(chips, Chip::EXECUTED);
    for facts in ChipFacts::ALL {
        let device = Device::new(facts.chip).expect("an emulated chip");
        assert_eq!(device.facts(), facts);
        let isa: Target = facts.isa.parse().expect("a target");
        assert_eq!(isa.chip, facts.chip.name());
        let same = ChipFacts::ALL
            .iter()
            .filter(|other| other.chip_id == facts.chip_id || other.product == facts.product);
        assert_eq!(same.count(), 1, "{}", facts.chip);
    }
}
