//! The list of emulated chips, and what says it again.

use std::path::Path;

use wavetank::object::Target;
use wavetank::{Chip, ChipFacts, DEFAULT_CHIP, Device, SUPPORTED_CHIPS};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    std::fs::read_to_string(path).expect("a document of the repository")
}

#[test]
fn documents_have_the_same_chips() {
    let running = document("docs/running.md");
    let after = running.split("\n## Chips\n").nth(1).expect("its heading");
    let section = after.split("\n## ").next().unwrap_or(after);
    let rows = section.lines().filter(|line| line.starts_with("| gfx"));
    let expected = ChipFacts::ALL.iter().map(|facts| {
        let ChipFacts {
            chip,
            product,
            compute_units,
            ..
        } = facts;
        format!("| {chip} | {product} | {compute_units} |")
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let executed = format!("* Executed: {} ", ChipFacts::names());
    assert!(document("README.md").contains(&executed), "{executed}");
}

/// Each is a device, in the order of chips, and its instruction set is its own.
#[test]
fn every_row_is_a_chip_of_its_own() {
    assert!(SUPPORTED_CHIPS.is_sorted());
    assert_eq!(SUPPORTED_CHIPS[0], DEFAULT_CHIP);
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

/// One without a row is a sentence, and no other chip's facts.
#[test]
fn other_chips_are_refused() {
    for &chip in Chip::ALL {
        if SUPPORTED_CHIPS.contains(&chip) {
            continue;
        }
        let expected = format!("{chip} is not emulated yet; {} are", ChipFacts::names());
        assert_eq!(ChipFacts::of(chip).unwrap_err().to_string(), expected);
        assert_eq!(Device::new(chip).err().unwrap().to_string(), expected);
    }
}
