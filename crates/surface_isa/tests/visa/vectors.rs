//! What Intel's own reader prints of bytes, and the forms of the description: bytes to text and back.

use wavetank_surface_isa::visa::{Ids, Operation, Raw, decode, encode, parse};

/// The bytes of hexadecimal digits; what is no digit is left out.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("two digits")
    };
    digits.chunks(2).map(pair).collect()
}

/// Text that Intel's reader printed for bytes, and those bytes.
const READ: [(&str, &str); 3] = [
    (
        "typed_atomic.add (M1, 8) T6 V32.0 V33.0 %null.0 %null.0 V36.0 %null.0 V38.0",
        "73 00 03 0000 06  20000000 0000  21000000 0000  00000000 0000  00000000 0000
         24000000 0000  00000000 0000  26000000 0000",
    ),
    (
        "(!P1) typed_atomic.cmpxchg (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 V36.0 V37.0 V38.0",
        "73 07 03 0180 06  20000000 0000  21000000 0000  22000000 0000  23000000 0000
         24000000 0000  25000000 0000  26000000 0000",
    ),
    (
        "(P2.all) typed_atomic.add.16 (M1_NM, 16) T7 V32.32 V33.0 V34.0 V35.0 V36.0 %null.0 V38.0",
        "73 20 84 0240 07  20000000 2000  21000000 0000  22000000 0000  23000000 0000
         24000000 0000  00000000 0000  26000000 0000",
    ),
];

#[test]
fn what_intels_reader_reads() {
    for (text, hex) in READ {
        let bytes = bytes(hex);
        assert_eq!(bytes.len(), 48);
        let inst = decode(&bytes, Ids::Wide).expect(text);
        assert_eq!(inst.to_string(), text);
        assert_eq!(parse(text).expect(text), inst);
        assert_eq!(encode(&inst, Ids::Wide).expect(text), bytes);
    }
}

#[test]
fn before_3_4_numbers_have_16_bits() {
    let old = bytes(
        "73 07 03 0180 06  2000 0000  2100 0000  2200 0000  2300 0000  2400 0000  2500 0000  2600 0000",
    );
    let inst = parse(READ[1].0).expect("an instruction");
    assert_eq!(decode(&old, Ids::Narrow).expect("an instruction"), inst);
    assert_eq!(encode(&inst, Ids::Narrow).expect("it fits"), old);
    let mut inst = inst;
    inst.lod = Raw::new(65536, 0);
    let error = encode(&inst, Ids::Narrow).expect_err("17 bits");
    assert!(error.to_string().starts_with("LOD is V65536"), "{error}");
}

/// The codes of the description's "Op", and its names in capitals; FADD and FSUB follow them.
const OPERATIONS: [(u8, &str); 19] = [
    (0b00000, "ADD"),
    (0b00001, "SUB"),
    (0b00010, "INC"),
    (0b00011, "DEC"),
    (0b00100, "MIN"),
    (0b00101, "MAX"),
    (0b00110, "XCHG"),
    (0b00111, "CMPXCHG"),
    (0b01000, "AND"),
    (0b01001, "OR"),
    (0b01010, "XOR"),
    (0b01011, "IMIN"),
    (0b01100, "IMAX"),
    (0b01101, "PREDEC"),
    (0b10000, "FMAX"),
    (0b10001, "FMIN"),
    (0b10010, "FCMPWR"),
    (0b10011, "FADD"),
    (0b10100, "FSUB"),
];

#[test]
fn every_operation_of_the_description_in_its_spelling() {
    assert_eq!(Operation::all().count(), OPERATIONS.len());
    for (code, name) in OPERATIONS {
        let sources = match name {
            "INC" | "DEC" | "PREDEC" => "V0 V0",
            "CMPXCHG" | "FCMPWR" => "V36 V37",
            _ => "V36 V0",
        };
        for (word, bit) in [("", 0), (".16", 1 << 5)] {
            let text =
                format!("(P1) TYPED_ATOMIC.{name}{word} (8) T6 V32 V33 V34 V35 {sources} V38");
            let inst = parse(&text).expect(&text);
            let bytes = encode(&inst, Ids::Wide).expect(&text);
            assert_eq!(bytes[..6], [0x73, code | bit, 3, 1, 0, 6], "{text}");
            let printed = inst.to_string();
            assert_eq!(parse(&printed).expect(&printed), inst);
            // Intel's parser accepts lower case only, and its own names of IMIN and IMAX.
            let intel = match name {
                "IMIN" => "minsint".to_owned(),
                "IMAX" => "maxsint".to_owned(),
                name => name.to_lowercase(),
            };
            let begin = format!("(P1) typed_atomic.{intel}{word} (M1, 8) T6 V32.0");
            assert!(printed.starts_with(&begin), "{printed}");
        }
    }
}

#[test]
fn masks_sizes_and_predicates() {
    let sizes = [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16)];
    for (mask, name) in (0u8..16).map(|m| (m, 1 + m % 8)) {
        for (code, count) in sizes {
            let suffix = if mask < 8 { "" } else { "_NM" };
            let text = format!(
                "typed_atomic.inc (M{name}{suffix}, {count}) T6 V32.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0"
            );
            let mut bytes = vec![0; 48];
            bytes[..6].copy_from_slice(&[0x73, 2, mask << 4 | code, 0, 0, 6]);
            bytes[6] = 32;
            let inst = decode(&bytes, Ids::Wide).expect(&text);
            assert_eq!(inst.to_string(), text);
            // A thread has 32 channels; M8 begins at 28.
            let fits = u32::from(name - 1) * 4 + count <= 32;
            assert_eq!(parse(&text).is_ok(), fits, "{text}");
        }
    }
    let predicates = [
        ("P1", 0x0001),
        ("!P4095", 0x8fff),
        ("P2.any", 0x2002),
        ("!P3.any", 0xa003),
        ("P2.all", 0x4002),
        ("!P3.all", 0xc003),
    ];
    for (name, word) in predicates {
        let text = format!(
            "({name}) typed_atomic.dec (M2, 8) T6 V32.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0"
        );
        let inst = parse(&text).expect(&text);
        let bytes = encode(&inst, Ids::Wide).expect(&text);
        assert_eq!(bytes[3..5], u16::to_le_bytes(word), "{text}");
        assert_eq!(decode(&bytes, Ids::Wide).expect(&text).to_string(), text);
    }
}

#[test]
fn bytes_that_are_none_are_refused_with_the_place() {
    let good = bytes(READ[0].1);
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = good.clone();
        changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        decode(&bytes, Ids::Wide)
            .expect_err("no TYPED_ATOMIC")
            .to_string()
    };
    let cases: [(&[(usize, u8)], &str); 10] = [
        (
            &[(0, 0x72)],
            "byte 0: opcode 0x72 is not TYPED_ATOMIC (0x73)",
        ),
        (
            &[(1, 14)],
            "byte 1: 14 is not an operation: there are 0 (add) to 13 (predec) and 16 (fmax) to 20 (fsub)",
        ),
        (&[(1, 15)], "byte 1: 15 is not an operation"),
        (&[(1, 21)], "byte 1: 21 is not an operation"),
        (
            &[(1, 0x40)],
            "byte 1: bits 7–6 of the operation (0x40) must be 0",
        ),
        (
            &[(2, 5)],
            "byte 2: 5 is not an execution size: there are 0 (1 channel) to 4 (16 channels)",
        ),
        (
            &[(2, 0x0b)],
            "byte 2: bit 3 of the execution size (0x0b) must be 0",
        ),
        (
            &[(4, 0x10)],
            "byte 3: bit 12 of the predicate (0x1000) must be 0",
        ),
        (
            &[(3, 1), (4, 0x60)],
            "byte 4: the predicate (0x6001) is both `any` (bit 13) and `all` (bit 14)",
        ),
        (
            &[(4, 0x80)],
            "byte 3: the predicate (0x8000) names no variable",
        ),
    ];
    for (changes, sentence) in cases {
        let error = with(changes);
        assert!(error.starts_with(sentence), "{error}");
    }
    let error = decode(&good[..40], Ids::Wide)
        .expect_err("too short")
        .to_string();
    assert_eq!(
        error,
        "byte 40: the bytes end here, and a TYPED_ATOMIC has 48 (8 are missing)"
    );
    assert!(decode(&[], Ids::Narrow).is_err());
}
