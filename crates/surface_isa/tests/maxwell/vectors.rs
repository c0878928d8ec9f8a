//! Every vector of the conformance data, both ways.

use wavetank_surface_isa::maxwell::{FORMS, Generation, assemble, decode, encode, form_of, parse};

use crate::common::shared;

/// The vectors of a file: class, word, and text of an instruction.
fn vectors(text: &str) -> impl Iterator<Item = (&str, u64, Option<&str>)> {
    text.lines().map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [class, word, text] = columns[..] else {
            panic!("{line}: not three columns");
        };
        let word = u64::from_str_radix(word, 16).expect("a word in hexadecimal");
        (class, word, Some(text).filter(|t| *t != "!reject"))
    })
}

/// What is wrong with a vector.
fn wrong(class: &str, word: u64, text: Option<&str>, generation: Generation) -> Result<(), String> {
    let form = form_of(word).map_or("none", |form| form.name);
    if form != class {
        return Err(format!("the form is {form}"));
    }
    let Some(text) = text else {
        return match decode(word, generation) {
            Ok(inst) => Err(format!("decoded as {inst}")),
            Err(_) => Ok(()),
        };
    };
    let inst = decode(word, generation).map_err(|e| e.to_string())?;
    if inst.to_string() != text {
        return Err(format!("printed {inst}"));
    }
    let parsed = parse(text, generation).map_err(|e| format!("{e} at {:?}", e.span))?;
    if parsed.inst != inst {
        return Err(format!("parsed as {}", parsed.inst));
    }
    // Bits that count for nothing are 0 in what is encoded.
    let meant = form_of(word).map_or(0, |form| form.meant());
    match encode(&inst) {
        Ok(encoded) if encoded == word & meant => Ok(()),
        other => Err(format!("encoded as {other:x?}")),
    }
}

fn file(number: u8) {
    let Some(text) = shared(&format!("conformance/suatom-sm{number}.tsv")) else {
        return;
    };
    let generation = Generation::from_number(number).expect("a generation");
    let mut failures = Vec::new();
    let mut count = 0;
    for (class, word, text) in vectors(&text) {
        count += 1;
        if let Err(problem) = wrong(class, word, text, generation) {
            failures.push(format!("{class} {word:016x} {text:?}: {problem}"));
        }
    }
    assert!(count > 5000, "only {count} vectors");
    let shown: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} of {count} wrong:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

#[test]
fn all_vectors_of_spa_5_0() {
    file(50);
}

#[test]
fn all_vectors_of_spa_5_2() {
    file(52);
}

/// Words and texts seen where the shared data may be absent: each form at least once, and words that are none.
const SEEN: &[(u64, &str)] = &[
    (
        0xea70_0086_0047_020a,
        "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;",
    ),
    (
        0xea14_1000_1047_0302,
        "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100;",
    ),
    (
        0xea72_009b_0047_02ff,
        "SUATOM.D.3D.EXCH.S32 RZ, [R2], R4, R1;",
    ),
    (
        0xea72_0658_208a_0400,
        "@!P2 SUATOM.D.2D_ARRAY.MIN.S64 R0, [R4], R8, R12;",
    ),
    (
        0xead2_00aa_00c7_0408,
        "SUATOM.D.3D.CAS.U64 R8, [R4], R12, R1;",
    ),
    (
        0xea8c_0524_00c7_0408,
        "SUATOM.D.1D_ARRAY.CAS.S32.TRAP R8, [R4], R12, 0x52;",
    ),
    (
        0xea68_0070_8057_0401,
        "SUATOM.P.1D.DEC.IGN R1, [R4], R5, 0x7;",
    ),
    (
        0xead0_0081_00c7_0408,
        "SUATOM.D.1D.CAS.IGN P3, R8, [R4], R12, R1;",
    ),
    (
        0xebbc_0086_e0c7_0408,
        "SUATOM.D.2D.XOR.TRAP P0, R8, [R4], R12, R1;",
    ),
    (
        0xea64_3f84_6fe1_0a64,
        "@P1 SUATOM.P.1D_ARRAY.INC.TRAP R100, [R10], R254, R127;",
    ),
];

#[test]
fn known_words_and_texts() {
    for (word, text) in SEEN {
        let inst = decode(*word, Generation::Sm52).expect(text);
        assert_eq!(inst.to_string(), *text);
        let parsed = parse(text, Generation::Sm52).expect(text);
        let form = form_of(*word).expect("a form");
        assert_eq!(encode(&parsed.inst), Ok(word & form.meant()), "{text}");
    }
}

#[test]
fn each_generation_prints_halves_its_own_way() {
    // D_REG, ADD, size 4.
    let word = 0xea72_00c6_0047_020a;
    let text = |generation| decode(word, generation).map(|inst| inst.to_string());
    let both = |half: &str| Ok(format!("SUATOM.D.2D.ADD.{half} R10, [R2], R4, R1;"));
    // SPA 5.0 lacks them: what nvdisasm prints is read, and not assembled.
    assert_eq!(text(Generation::Sm50), both("INVALIDATOMICSIZE4"));
    let line = both("INVALIDATOMICSIZE4").expect("a line");
    assert!(assemble(&line, Generation::Sm50).is_err());
    assert!(parse(&line, Generation::Sm52).is_err());
    assert_eq!(text(Generation::Sm52), both("F16x2.FTZ.RN"));
    assert_eq!(text(Generation::Sm53), both("F16x2.FTZ.RN"));
    for generation in [Generation::Sm60, Generation::Sm61, Generation::Sm62] {
        assert_eq!(text(generation), both("F16x2.RN"));
    }
    // Both ways of writing it are read everywhere.
    for half in ["F16x2.FTZ.RN", "F16x2.RN"] {
        let line = format!("SUATOM.D.2D.ADD.{half} R10, [R2], R4, R1;");
        for generation in &Generation::ALL[1..] {
            let (inst, _) = assemble(&line, *generation).expect("halves");
            assert_eq!(encode(&inst), Ok(word));
        }
        assert!(assemble(&line, Generation::Sm50).is_err());
    }
}

#[test]
fn no_word_begins_like_two_forms() {
    for (n, a) in FORMS.iter().enumerate() {
        for b in &FORMS[..n] {
            let width = a.prefix_width.min(b.prefix_width);
            let same = a.prefix >> (a.prefix_width - width) == b.prefix >> (b.prefix_width - width);
            assert!(!same, "{} and {}", a.name, b.name);
        }
    }
}

#[test]
fn fields_of_a_form_do_not_overlap() {
    for form in &FORMS {
        let mut taken = u64::MAX << (64 - form.prefix_width);
        for placed in form.fields {
            assert_eq!(taken & placed.mask(), 0, "{} {:?}", form.name, placed.field);
            taken |= placed.mask();
        }
        assert_eq!(taken, form.meant());
    }
}
