//! Any text as a source, for the chip and dialect that the first byte names: every wrong line is told with a place in it,
//! or there are bytes, whose listing assembles to them again. What makes an object is written, linked, and taken apart.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_asm::{Listing, Options, assemble, assemble_object, source_of};
use wavetank_gcn::{Chip, Dialect};

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let chip = Chip::all().nth(usize::from(first) % Chip::all().count());
    let chip = chip.expect("the remainder is below their number");
    objects(text, chip);
    for dialect in Dialect::ALL {
        let mut code = Vec::new();
        let add = |line: &wavetank_asm::Line| code.extend_from_slice(line.bytes());
        if let Err(errors) = assemble(text, chip, dialect, add) {
            assert!(!errors.to_string().is_empty());
            continue;
        }
        let mut listing = Vec::new();
        let written = Listing::raw(&code, chip).write(dialect, &mut listing);
        written.expect("memory takes everything");
        assert!(std::str::from_utf8(&listing).is_ok());
    }
});

fn objects(text: &str, chip: Chip) {
    let object = match assemble_object("fuzz.s", text, &Options::new(chip)) {
        Ok(object) => object,
        Err(errors) => return assert!(!errors.to_string().is_empty()),
    };
    let Ok(bytes) = object.write() else {
        return;
    };
    assert!(wavetank_link::Relocatable::read(&bytes).is_ok());
    let inputs = [wavetank_link::Input {
        name: "fuzz.s",
        object: &object,
    }];
    if let Ok(linked) = wavetank_link::link(&inputs, &wavetank_link::Options::default())
        && let Ok(source) = source_of(&linked)
    {
        assert!(assemble_object("again.s", &source, &Options::new(chip)).is_ok());
    }
}
