//! Any bytes as a container of vISA: refused with a place, or listed to the last byte, with instructions that have bytes and
//! text; and any text as its source.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_surface_isa::visa::container::Content;
use wavetank_surface_isa::visa::{Container, check, encode, parse, source};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        for error in source(text, 100).1 {
            assert!(error.text.get(error.error.span.clone()).is_some(), "{error:?}");
        }
    }
    let container = match Container::read(data.to_vec()) {
        Ok(container) => container,
        Err(error) => return assert!(error.offset <= data.len() && !error.message.is_empty()),
    };
    for routine in &container.routines {
        let mut at = routine.code.start;
        for item in container.items(routine) {
            assert_eq!(item.offset, at);
            at += item.length;
            if let Content::Atomic(inst) = item.content {
                let bytes = encode(&inst, container.version.ids());
                assert_eq!(bytes.as_deref(), Ok(&data[item.offset..at]));
                assert_eq!(parse(&inst.to_string()).is_ok(), check(&inst).is_ok());
            }
        }
        assert_eq!(at, routine.code.end);
    }
});
