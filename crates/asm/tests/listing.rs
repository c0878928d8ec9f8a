//! Listings of code objects, which assemble to the same code again.

use proptest::prelude::*;
use wavetank_asm::{Listing, assemble, hex_line};
use wavetank_gcn::{Chip, Dialect, decode, encode};
use wavetank_object::{CodeObject, Lines};

const VECADD: &[u8] = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");

fn text(listing: &Listing<'_>, dialect: Dialect) -> String {
    let mut text = Vec::new();
    let written = listing.write(dialect, &mut text);
    written.expect("a vector takes everything");
    String::from_utf8(text).expect("listings are text")
}

fn code(source: &str, chip: Chip) -> Vec<u8> {
    let mut code = Vec::new();
    let done = assemble(source, chip, Dialect::Llvm, |line| {
        code.extend_from_slice(line.bytes());
    });
    assert_eq!(done, Ok(()));
    code
}

#[test]
fn the_code_of_an_object_assembles_again() {
    let object = CodeObject::parse(VECADD).expect("a code object");
    let listing = Listing::of(&object).expect("it is for gfx900");
    let listed = text(&listing, Dialect::Llvm);
    assert!(listed.starts_with("vecadd:\n\ts_load_dword"), "{listed}");
    assert!(
        listed.contains("s_cbranch_execz L0") && listed.contains("\nL0:\n"),
        "{listed}"
    );
    let segment = object.segments().iter().find(|s| s.executable);
    let segment = segment.expect("there is code");
    let start = segment.file_offset as usize;
    let bytes = &VECADD[start..start + segment.file_size as usize];
    assert_eq!(code(&listed, listing.chip()), bytes);
}

#[test]
fn what_is_no_instruction_is_shown_as_words() {
    let bytes = [0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x80, 0xbf, 0x01, 0x02];
    let listed = text(&Listing::raw(&bytes, Chip::Gfx900), Dialect::Llvm);
    let lines: Vec<String> = listed
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            ".long 0xFFFFFFFF // 000000000000: FFFFFFFF",
            "s_nop 0 // 000000000004: BF800000",
            ".long 0x201 // 000000000008: 00000201",
        ]
    );
}

/// The full lines are compared with LLVM's symbolizer by the tests of `Lines`.
#[test]
fn lines_of_source_stand_between_instructions() {
    let bytes = include_bytes!("../../object/tests/data/lines-gfx900.hsaco");
    let object = CodeObject::parse(bytes).expect("a code object");
    let listing = Listing::of(&object).expect("it is for gfx900");
    let plain = text(&listing, Dialect::Llvm);
    let lines = Lines::of(&object).expect("it is compiled with -g");
    let listed = text(&listing.with_lines(lines), Dialect::Llvm);
    let shown: Vec<&str> = listed
        .lines()
        .map(|line| line.split("  ").next().unwrap_or(line))
        .collect();
    let first = [
        "lines:",
        "\t// lines.cl:6:18",
        "\ts_load_dword s6, s[4:5], 0x10",
        "\ts_load_dwordx4 s[0:3], s[4:5], 0x0",
        "\t// lines.cl",
    ];
    assert_eq!(shown[..5], first);
    let stored = shown
        .iter()
        .position(|line| line.contains("global_store"))
        .expect("a store");
    assert_eq!(
        shown[stored - 1],
        "\t// lines.h:6:9 in `store`, inlined at lines.h:10:5 in `put`, inlined at lines.cl:10:5"
    );
    // Comments are all there is more, and it is a source.
    let without: Vec<&str> = listed
        .lines()
        .filter(|line| !line.starts_with("\t//"))
        .collect();
    assert_eq!(without, plain.lines().collect::<Vec<_>>());
    assert_eq!(code(&listed, Chip::Gfx900), code(&plain, Chip::Gfx900));
}

/// Words that are instructions whose encoding is theirs alone.
fn plain_code(words: &[u32], chip: Chip) -> Vec<u8> {
    let mut code = Vec::new();
    for pair in words.windows(2) {
        let bytes: Vec<u8> = pair.iter().flat_map(|w| w.to_le_bytes()).collect();
        let Ok(inst) = decode(&bytes, chip) else {
            continue;
        };
        let own = &bytes[..inst.len.into()];
        let again = wavetank_gcn::parse(&inst.to_string(), chip);
        let again = again.ok().and_then(|inst| encode(&inst).ok());
        if again.is_some_and(|e| e.as_bytes() == own) {
            code.extend_from_slice(own);
        }
    }
    code
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_code_assembles_again(
        words in prop::collection::vec(prop_oneof![any::<u32>(), 0xbf80_0000u32..0xbf90_0010, 0xbf82_0000u32..0xbf82_0040], 2..40),
        chip in prop::sample::select(Chip::all().collect::<Vec<_>>()),
    ) {
        let bytes = plain_code(&words, chip);
        let listed = text(&Listing::raw(&bytes, chip), Dialect::Llvm);
        prop_assert_eq!(code(&listed, chip), bytes, "{}", listed);
    }

    #[test]
    fn any_bytes_are_listed(bytes in prop::collection::vec(any::<u8>(), 0..100), chip in prop::sample::select(Chip::all().collect::<Vec<_>>())) {
        for dialect in Dialect::ALL {
            let listed = text(&Listing::raw(&bytes, chip), dialect);
            let shown: usize = listed.lines().filter_map(|l| l.split_once(": ")).map(|(_, w)| w.len().div_ceil(9)).sum();
            prop_assert_eq!(shown, bytes.len().div_ceil(4), "{}", listed);
        }
    }

    #[test]
    fn any_source_is_assembled_or_refused(source in "(s_nop|s_branch|a|1|:|b|;|//|/\\*|\\*/|#|\"|\\+4| |\n|é){0,30}") {
        for dialect in Dialect::ALL {
            if let Err(errors) = assemble(&source, Chip::Gfx900, dialect, |_| {}) {
                prop_assert!(!errors.0.is_empty());
                let count = source.lines().count();
                prop_assert!(errors.0.iter().all(|e| (1..=count).contains(&e.number)), "{}", errors);
            }
        }
    }

    #[test]
    fn any_line_of_hexadecimal_is_text_or_an_error(line in "[0-9a-fx ,\\[\\]é]{0,40}") {
        let mut out = String::new();
        let done = hex_line(&line, Chip::Gfx803, Dialect::Llvm, &mut out);
        prop_assert!(done.is_ok() || out.is_empty());
    }
}

#[test]
fn megabytes_of_zeros_come_to_an_end() {
    let bytes = vec![0; 8 << 20];
    let listing = Listing::raw(&bytes, Chip::Gfx900);
    let written = listing.write(Dialect::Llvm, &mut std::io::sink());
    written.expect("a sink takes everything");
}
