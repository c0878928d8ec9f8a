//! Any bytes, for the chip that the first byte names: the text of what they
//! decode to, where the assembler takes it, comes back as a text that stays.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_gcn::{Chip, decode, encode, parse};

fuzz_target!(|data: &[u8]| {
    let Some((&first, bytes)) = data.split_first() else {
        return;
    };
    let chip = Chip::all().nth(usize::from(first) % Chip::all().count());
    let chip = chip.expect("the remainder is below their number");
    let Ok(inst) = decode(bytes, chip) else {
        return;
    };
    // docs/reference/round-trip.md says what is shown and refused.
    let Ok(back) = parse(&inst.to_string(), chip) else {
        return;
    };
    assert_eq!((back.op, back.chip), (inst.op, chip));
    let text = back.to_string();
    let encoded = encode(&back).expect("what parses encodes");
    let again = decode(encoded.as_bytes(), chip).expect("what encodes decodes");
    assert_eq!(again, back);
    assert_eq!(parse(&text, chip).map(|i| i.to_string()), Ok(text));
});
