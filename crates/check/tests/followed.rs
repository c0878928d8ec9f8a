//! What follows undefined bits, and watches floats, is a block as others are, whatever is followed.

use std::sync::Arc;

use wavetank_check::float::watch;
use wavetank_check::init::follow;
use wavetank_gcn::{Chip, Inst, decode};
use wavetank_ir::{Block, Options, simplify, verify};
use wavetank_object::{SymbolKind, open};
use wavetank_translate::{Modes, Translator};

use crate::common::random::Random;
use crate::common::shared_objects;

/// Follows the block that begins at an address of some code.
fn holds(code: &[u8], chip: Chip, pc: u64) {
    let bytes = code.to_vec();
    let code = move |pc: u64| -> Result<Inst, String> {
        let rest = usize::try_from(pc).ok().and_then(|pc| bytes.get(pc..));
        decode(rest.unwrap_or_default(), chip).map_err(|error| error.to_string())
    };
    let translator = Translator::new(Arc::new(code), false);
    let block = translator.block(pc, Modes::new(0xf0, 0));
    let both = |block: &Block| follow(&watch(block));
    let passes: [&dyn Fn(&Block) -> Block; 3] = [&follow, &watch, &both];
    for block in [block.whole, block.simple] {
        // Compares of 64 bits with SDWA, of which nothing says what they are, are lifted to no block.
        if verify(&block).is_err() {
            continue;
        }
        for pass in passes {
            let mut followed = pass(&block);
            let verified = verify(&followed);
            assert!(
                verified.is_ok(),
                "{chip:?}: {verified:?}\n{block}\n{followed}"
            );
            simplify(&mut followed, Options::default());
            let verified = verify(&followed);
            assert!(
                verified.is_ok(),
                "{chip:?}, simplified: {verified:?}\n{block}"
            );
        }
    }
}

#[test]
fn compiled_blocks_can_be_followed() {
    for path in shared_objects() {
        let bytes = std::fs::read(&path).expect("it is there");
        let Ok(object) = open(&bytes, None) else {
            // One for several chips.
            continue;
        };
        let target = object.target().to_string();
        let chip = Chip::GCN.iter().find(|chip| target.contains(chip.name()));
        let Some(chip) = chip else { continue };
        let code = object.segments().iter().find(|s| s.executable);
        let Some(code) = code else { continue };
        let start = code.file_offset as usize;
        let data = &object.bytes()[start..start + code.file_size as usize];
        let functions = object.symbols().iter();
        for function in functions.filter(|s| s.kind == SymbolKind::Function) {
            let mut pc = function.address - code.address;
            let end = pc + function.size;
            while pc < end {
                holds(data, *chip, pc);
                // Where the next block may begin does not matter much.
                pc += 64;
            }
        }
    }
}

#[test]
fn every_instruction_can_be_followed() {
    let mut random = Random::new(7);
    for chip in [
        Chip::Gfx600,
        Chip::Gfx700,
        Chip::Gfx803,
        Chip::Gfx900,
        Chip::Gfx906,
    ] {
        for _ in 0..20_000 {
            let words: Vec<u8> = (0..16).map(|_| random.below(256) as u8).collect();
            if decode(&words, chip).is_ok() {
                holds(&words, chip, 0);
            }
        }
    }
}
