//! Bundles to listings and back.

use proptest::prelude::*;
use wavetank_surface_isa::maxwell::{
    Bundle, Generation, Listing, Slot, assemble, decode, encode, form_of, operand_constraints,
    shown, source,
};

use crate::isa::errors_have_a_place;

/// Two bundles: stores, SUATOMs and words that are none.
pub(crate) fn bundles() -> Vec<u8> {
    let text = "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req_6 &rd0 &wr1 ?stall4.yield;
        .word 0xe30000000007000f ?stall15;
        // A comment alone.
        SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;

        .word 0x50b0000000070f00";
    let (lines, errors) = source(text, Generation::Sm52, 10);
    assert_eq!(errors, []);
    let words: Vec<_> = lines.iter().map(|line| line.statement).collect();
    Bundle::pack(&words)
}

#[test]
fn bundles_have_offsets_and_marks() {
    let code = bundles();
    assert_eq!(code.len(), 2 * Bundle::SIZE);
    let generation = Generation::Sm52;
    let listing = Listing {
        code: &code,
        generation,
    }
    .to_string();
    let expected = [
        (
            "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req_6 &rd0 &wr1 ?stall4.yield;",
            "0008: ea7000860047020a",
        ),
        (
            ".word 0xe30000000007000f ?stall15;",
            "0010: e30000000007000f",
        ),
        (
            "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100;",
            "0018: ea14100010470302",
        ),
        (".word 0x50b0000000070f00;", "0028: 50b0000000070f00"),
        (".word 0x50b0000000070f00;", "0030: 50b0000000070f00"),
        (".word 0x50b0000000070f00;", "0038: 50b0000000070f00"),
    ];
    assert_eq!(listing.lines().count(), expected.len());
    for (n, (line, (text, comment))) in listing.lines().zip(expected).enumerate() {
        let (left, right) = line.split_once(" // ").expect("a comment");
        assert_eq!((left.trim(), right), (text, comment));
        let offset = usize::from_str_radix(&right[..4], 16);
        assert_eq!(offset, Ok(Bundle::offset(n)));
    }
}

#[test]
fn what_is_not_a_bundle_is_refused() {
    let mut code = bundles();
    code.truncate(35);
    code[7] |= 0x80;
    let generation = Generation::Sm52;
    let listing = Listing {
        code: &code,
        generation,
    }
    .to_string();
    assert!(
        listing.starts_with("// 0000: bit 63 of the control word"),
        "{listing}"
    );
    assert!(
        listing.ends_with("// 0020: 3 bytes are not a bundle: e0 07 00\n"),
        "{listing}"
    );
}

proptest! {
    /// What keeps the rules comes back, but for bits that count for nothing.
    #[test]
    fn listings_are_sources(words in prop::collection::vec(any::<[u64; 4]>(), 0..6), sm in 0..6usize) {
        let generation = Generation::ALL[sm];
        let code: Vec<u8> = words.iter().flat_map(|[control, a, b, c]| {
            // Every second word is near a SUATOM.
            let bundle = Bundle { control: control & (u64::MAX >> 1), words: [*a, 0xea << 56 | b >> 8, *c] };
            bundle.to_bytes()
        }).collect();
        let listing = Listing { code: &code, generation }.to_string();
        for (n, line) in listing.lines().enumerate() {
            let word = u64::from_str_radix(&line[line.len() - 16..], 16).expect("the word");
            let bytes = &code[Bundle::offset(n)..][..8];
            prop_assert_eq!(word.to_le_bytes(), bytes);
            let (lines, errors) = source(line, generation, 1);
            let broken = decode(word, generation).is_ok_and(|inst| operand_constraints::check(&inst).is_err());
            prop_assert_eq!(errors.is_empty(), !broken, "{}", line);
            if let [line] = lines[..] {
                let inst = decode(word, generation).is_ok();
                let meant = form_of(word).filter(|_| inst).map_or(u64::MAX, |form| form.meant());
                let bundle: [u8; 32] = code[n / 3 * 32..][..32].try_into().expect("a bundle");
                let control = Bundle::of_bytes(&bundle).controls()[n % 3];
                let Slot { word: read, control: marks } = line.statement;
                prop_assert_eq!((read, marks), (word & meant, control));
            }
        }
    }

    #[test]
    fn no_source_panics(text in "(\\PC{0,40}\n){0,4}") {
        errors_have_a_place(Generation::Sm52, &text)?;
    }
}

#[test]
fn errors_stop_at_their_limit() {
    let text = "EXIT;\n".repeat(9);
    assert_eq!(source(&text, Generation::Sm52, 3).1.len(), 3);
    let (lines, errors) = source(
        "\nSUATOM.D.2D.ADD R0, [R3], R4, R1;\n.byte 3\n.word 12\n.word",
        Generation::Sm52,
        9,
    );
    assert_eq!(lines, []);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(
        messages[0].starts_with("line 2, column 22: R3 cannot begin the coordinates"),
        "{messages:?}"
    );
    assert!(
        messages[1].starts_with("line 3, column 2: expected `.word`"),
        "{messages:?}"
    );
    assert!(
        messages[2].starts_with("line 4, column 7: expected 64 bits"),
        "{messages:?}"
    );
    assert!(
        messages[3].starts_with("line 5, column 6: expected 64 bits"),
        "{messages:?}"
    );
}

#[test]
fn words_are_shown_as_the_generation_reads_them() {
    let (inst, control) =
        assemble("SUATOM.D.1D.ADD P1, R0, [R1], R4, R2;", Generation::Sm52).expect("a line");
    let word = encode(&inst).expect("a word");
    assert_eq!(shown(word, control, Generation::Sm52), inst.to_string());
    assert_eq!(
        shown(word, control, Generation::Sm50),
        format!(".word {word:#x};")
    );
}
