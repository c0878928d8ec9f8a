//! Any text in either dialect, for the chip that the first byte names: an
//! instruction that has bytes and a text that stays, or an error with a place in
//! the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_gcn::{Chip, Dialect, encode, parse, parse_in};

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let chip = Chip::all().nth(usize::from(first) % Chip::all().count());
    let chip = chip.expect("the remainder is below their number");
    for dialect in Dialect::ALL {
        match parse_in(text, chip, dialect) {
            Ok(inst) => assert!(encode(&inst).is_ok(), "{text}: {inst:?}"),
            Err(error) => assert!(text.get(error.span.clone()).is_some(), "{error:?}"),
        }
    }
    if let Ok(inst) = parse(text, chip) {
        let canonical = inst.to_string();
        let again = parse(&canonical, chip).map(|i| i.to_string());
        assert_eq!(again, Ok(canonical));
    }
});
