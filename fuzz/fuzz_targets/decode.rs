//! Any bytes, for the chip that the first byte names: an instruction that
//! encodes to itself, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_gcn::{Chip, decode, encode};

fuzz_target!(|data: &[u8]| {
    let Some((&first, bytes)) = data.split_first() else {
        return;
    };
    let chip = Chip::all().nth(usize::from(first) % Chip::all().count());
    let chip = chip.expect("the remainder is below their number");
    let Ok(inst) = decode(bytes, chip) else {
        return;
    };
    assert!(usize::from(inst.len) <= bytes.len());
    assert!(!inst.to_string().is_empty());
    let encoded = encode(&inst).expect("what decodes encodes");
    assert_eq!(decode(encoded.as_bytes(), chip), Ok(inst));
});
