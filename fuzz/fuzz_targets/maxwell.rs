//! Any bytes as bundles and as a cubin: listed, and what is a SUATOM goes through its text back to its word; and any text as a
//! source.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_surface_isa::maxwell::{Cubin, Generation, Listing, decode, encode, form_of, parse, source};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        for error in source(text, Generation::Sm52, 100).1 {
            assert!(error.text.get(error.error.span.clone()).is_some(), "{error:?}");
        }
    }
    if let Ok(cubin) = Cubin::read(data) {
        for section in cubin.sections {
            let _ = Listing { code: section.code, generation: Generation::Sm52 }.to_string();
        }
    }
    for generation in Generation::ALL {
        let _ = Listing { code: data, generation }.to_string();
        for word in data.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_le_bytes) {
            let Ok(inst) = decode(word, generation) else { continue };
            let meant = form_of(word).map_or(0, |form| form.meant());
            assert_eq!(encode(&inst), Ok(word & meant));
            assert_eq!(parse(&inst.to_string(), generation).map(|parsed| parsed.inst), Ok(inst));
        }
    }
});
