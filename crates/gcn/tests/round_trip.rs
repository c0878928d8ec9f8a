//! Decoding, printing and encoding there and back.

use crate::common::examples;
use proptest::prelude::*;
use wavetank_gcn::{Chip, decode, encode};

/// Every row encodes to the bytes it was decoded from.
fn rows_encode(generation: u8) {
    let examples = examples(generation);
    let mut failures = Vec::new();
    for e in &examples {
        let Ok(inst) = decode(&e.bytes, e.chip) else {
            failures.push(format!("{} {:02x?} does not decode", e.chip, e.bytes));
            continue;
        };
        match encode(&inst) {
            Ok(encoded) if encoded.as_bytes() == e.bytes => {}
            Ok(other)
                if IGNORED
                    .iter()
                    .any(|i| i.explains(&e.bytes, other.as_bytes())) => {}
            other => failures.push(format!(
                "{} {:02x?} {}: {other:02x?}",
                e.chip, e.bytes, e.text
            )),
        }
    }
    let step = failures.len().div_ceil(20).max(1);
    let shown: Vec<&str> = failures.iter().step_by(step).map(String::as_str).collect();
    let shown = shown.join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} rows:\n{shown}",
        failures.len(),
        examples.len()
    );
}

/// Bits of an encoding that rows set and the hardware ignores.
struct Ignored {
    /// Which bits of the first word identify the encoding, and their value.
    encoding: (u32, u32),
    /// The bits, of both words.
    bits: u64,
}

const IGNORED: [Ignored; 4] = [
    // VOP3P with two sources: OP_SEL_HI of the third, which assemblers set.
    Ignored {
        encoding: (0xff80_0000, 0xd380_0000),
        bits: 1 << 14,
    },
    // SMEM on gfx8: bit 14, which gfx9 made SOFFSET_EN, and the bit above the
    // 20 of the offset.
    Ignored {
        encoding: (0xfc00_0000, 0xc000_0000),
        bits: 1 << 14 | 1 << 52,
    },
    // SMEM on gfx9: the immediate offset where only a register counts, beside
    // SOFFSET and around the register that stands in its place.
    Ignored {
        encoding: (0xfc02_4000, 0xc000_4000),
        bits: 0x1f_ffff << 32,
    },
    Ignored {
        encoding: (0xfc02_4000, 0xc000_0000),
        bits: 0x1f_ff80 << 32,
    },
];

impl Ignored {
    fn explains(&self, bytes: &[u8], ours: &[u8]) -> bool {
        let word = |b: &[u8]| {
            b.iter()
                .rev()
                .fold(0u64, |w, &byte| w << 8 | u64::from(byte))
        };
        let [theirs, ours] = [word(bytes), word(ours)];
        let (mask, value) = self.encoding;
        theirs as u32 & mask == value && (theirs ^ ours) & !self.bits == 0
    }
}

#[test]
fn gfx9_rows_encode() {
    rows_encode(9);
}

#[test]
fn gfx8_rows_encode() {
    rows_encode(8);
}

#[test]
fn gfx7_rows_encode() {
    rows_encode(7);
}

#[test]
fn gfx6_rows_encode() {
    rows_encode(6);
}

/// Any chip.
fn chip() -> impl Strategy<Value = Chip> {
    prop::sample::select(Chip::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    /// Any two words: what decodes also prints, and encodes to words that
    /// decode to the same instruction.
    #[test]
    fn any_words(word in any::<u64>(), chip in chip()) {
        let bytes = word.to_le_bytes();
        if let Ok(inst) = decode(&bytes, chip) {
            // A line has room for 256 bytes.
            prop_assert!((1..200).contains(&inst.to_string().len()), "{inst}");
            let encoded = encode(&inst);
            prop_assert!(encoded.is_ok(), "{inst}: {encoded:?}");
            let again = decode(encoded.unwrap().as_bytes(), chip);
            prop_assert_eq!(Ok(inst), again);
        }
    }

    /// Any matrix instruction of CDNA, with scales or without.
    #[test]
    fn any_matrices(first in any::<u64>(), second in any::<u64>(), chip in chip()) {
        let scales = first & !0xffff_ffff | 0xd3ac_0000 | first & 0x7fff;
        let matrices = second & !0xffff_ffff | 0xd380_0000 | second & 0x7f_ffff;
        for words in [[scales, matrices], [matrices, scales]] {
            let bytes = words.map(u64::to_le_bytes).concat();
            if let Ok(inst) = decode(&bytes, chip) {
                let encoded = encode(&inst);
                prop_assert!(encoded.is_ok(), "{inst}: {encoded:?}");
                prop_assert_eq!(Ok(inst), decode(encoded.unwrap().as_bytes(), chip));
            }
        }
    }

    /// Bytes that end anywhere: an instruction within them, or an error.
    #[test]
    fn any_length(bytes in prop::collection::vec(any::<u8>(), 0..9), chip in chip()) {
        if let Ok(inst) = decode(&bytes, chip) {
            prop_assert!(usize::from(inst.len) <= bytes.len());
        }
    }
}
