//! Sources in CLRX's dialect, held to the same in LLVM's: a pair of files each.

use wavetank_asm::{Options, assemble_object};
use wavetank_isa::{Chip, Dialect};
use wavetank_link::Relocatable;

fn object(name: &str, chip: Chip, dialect: Dialect) -> Relocatable {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources/clrx");
    let source = std::fs::read_to_string(format!("{folder}/{name}")).expect("a source");
    let options = Options {
        dialect,
        version: 4,
        ..Options::new(chip)
    };
    let made = assemble_object(name, &source, &options);
    made.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

/// Compares the bytes of all sections of a pair.
fn compare(name: &str, chip: Chip) {
    let clrx = object(&format!("{name}.s"), chip, Dialect::Clrx);
    let llvm = object(&format!("{name}.llvm.s"), chip, Dialect::Llvm);
    let sections = |object: &Relocatable| {
        let sections = object.sections.iter().filter(|s| s.size > 0);
        sections
            .map(|s| (s.name.clone(), s.bytes.clone()))
            .collect::<Vec<_>>()
    };
    for (ours, theirs) in sections(&clrx).iter().zip(&sections(&llvm)) {
        assert_eq!(ours.0, theirs.0);
        for (at, (a, b)) in ours.1.chunks(4).zip(theirs.1.chunks(4)).enumerate() {
            assert_eq!(a, b, "{name}.s, {} at byte {}", ours.0, at * 4);
        }
    }
    assert_eq!(sections(&clrx), sections(&llvm), "{name}.s");
}

#[test]
fn syntax_and_data() {
    compare("syntax", Chip::Gfx803);
}

#[test]
fn registers_and_scopes() {
    compare("names", Chip::Gfx900);
}

#[test]
fn conditions_repetitions_and_macros() {
    compare("repeat", Chip::Gfx802);
}
