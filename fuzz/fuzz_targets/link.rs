//! Any bytes as an object file: refused in a sentence, or read, and then written and linked, alone and with itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_link::{Input, Options, Relocatable, link};

/// Rooms above this are linked in other tests: they would only cost time here.
const MOST: u64 = 16 << 20;

fuzz_target!(|data: &[u8]| {
    let object = match Relocatable::read(data) {
        Ok(object) => object,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let file = object.write().expect("what is read is written");
    assert!(Relocatable::read(&file).is_ok());
    if object.sections.iter().any(|section| section.size > MOST) {
        return;
    }
    let input = Input {
        name: "a.o",
        object: &object,
    };
    for inputs in [&[input][..], &[input, input]] {
        for (allow_undefined, text_relocations) in [(false, false), (true, false), (true, true)] {
            let options = Options {
                allow_undefined,
                text_relocations,
            };
            if let Err(error) = link(inputs, &options) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
});
