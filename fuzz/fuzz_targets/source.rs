//! Any text as a source, for the chip and dialect that the first byte names: every wrong line is told with a place in it,
//! or there are bytes, whose listing assembles to them again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_asm::{Listing, assemble};
use wavetank_isa::{Chip, Dialect};

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let chip = Chip::ALL[usize::from(first) % Chip::ALL.len()];
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
