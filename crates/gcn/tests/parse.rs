//! Text to instructions, held to the shared conformance rows.

use crate::common::{ACCEPTED, shared, unhex};
use proptest::prelude::*;
use wavetank_gcn::{Chip, Dialect, encode, parse, parse_in};

/// What is wrong with a row of (cpu, bytes, canonical text, input text).
fn wrong(row: &[&str]) -> Option<String> {
    let (bytes, canonical, input) = (row[1], row[2], row[3]);
    let chip = Chip::from_name(row[0]).expect("a chip");
    let inst = match parse(input, chip) {
        Ok(inst) => inst,
        Err(error) => return Some(format!("{input}: {error} at {:?}", error.span)),
    };
    let encoded = match encode(&inst) {
        Ok(encoded) => encoded,
        Err(error) => return Some(format!("{input}: {error}")),
    };
    if encoded.as_bytes() != unhex(bytes) {
        return Some(format!(
            "{input}: {:02x?}, expected {bytes}",
            encoded.as_bytes()
        ));
    }
    let text = inst.to_string();
    (text != canonical).then(|| format!("{input}: printed {text}, expected {canonical}"))
}

#[test]
fn every_line_assembles_to_its_bytes() {
    for generation in 6..=9 {
        let Some(text) = shared(&format!("conformance/asm-gfx{generation}.tsv")) else {
            return;
        };
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
        let wrong: Vec<_> = rows.iter().filter_map(|r| wrong(r)).collect();
        assert!(
            wrong.is_empty(),
            "gfx{generation}: {} wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}

#[test]
fn every_line_to_refuse_is_refused() {
    for generation in 6..=9 {
        let Some(text) = shared(&format!("conformance/reject-gfx{generation}.tsv")) else {
            return;
        };
        let mut accepted = Vec::new();
        for (cpu, line) in text.lines().filter_map(|l| l.split_once('\t')) {
            if ACCEPTED.contains(&(cpu, line)) {
                continue;
            }
            match parse(line, Chip::from_name(cpu).expect("a chip")) {
                Ok(inst) => accepted.push(format!("{cpu} {line}: {inst}")),
                Err(error) => assert!(line.get(error.span.clone()).is_some(), "{line}: {error:?}"),
            }
        }
        assert!(
            accepted.is_empty(),
            "gfx{generation}: {} accepted:\n{}",
            accepted.len(),
            accepted.join("\n")
        );
    }
}

#[test]
fn errors_name_the_token() {
    let error = |text| parse(text, Chip::Gfx900).expect_err(text);
    let e = error("v_add_f32 v0, v1, v256");
    assert_eq!(
        (&e.span, e.message.as_str()),
        (&(18..22), "v256 is out of range: the last is v255")
    );
    let e = error("v_add_f32 v0, s0, s1");
    assert!(e.message.contains("one scalar value"), "{e}");
    let e = error("s_mov_b64 s[1:2], 0");
    assert!(e.message.contains("multiple of 2"), "{e}");
    let e = error("v_add_f32 v0, v1");
    assert!(e.message.contains("expected `,`"), "{e}");
    let e = error("v_fma_f32 v0, v1, 0x1234, v2");
    assert_eq!(
        (&e.span, e.message.as_str()),
        (&(18..24), "the literal 0x1234 has no room in this form")
    );
    let e = error("");
    assert_eq!(e.message, "expected a mnemonic");
}

/// As `llvm-mc` 14 reads them; CLRX's manual has the same under "Literals".
#[test]
fn numbers_with_a_zero_first_are_octal() {
    for (text, canonical) in [
        ("s_mov_b32 s0, 012", "s_mov_b32 s0, 10"),
        ("s_mov_b32 s0, -00017", "s_mov_b32 s0, -15"),
        ("s_mov_b32 s[010], 0", "s_mov_b32 s8, 0"),
        ("s_mov_b32 s0, 0b101", "s_mov_b32 s0, 5"),
        ("s_mov_b32 s0, 00.5", "s_mov_b32 s0, 0.5"),
        ("s_mov_b32 s0, 00000000000000000000012", "s_mov_b32 s0, 10"),
        (
            "ds_read_b32 v0, v1 offset:010",
            "ds_read_b32 v0, v1 offset:8",
        ),
    ] {
        for dialect in Dialect::ALL {
            let inst = parse_in(text, Chip::Gfx900, dialect);
            assert_eq!(inst.map(|i| i.to_string()), Ok(canonical.into()), "{text}");
        }
    }
}

#[test]
fn long_and_deep_lines_are_refused() {
    let lines = [
        "v_mov_b32 v[0:200], v1".to_string(),
        "v_mov_b32 v0, [v[0:199],v[200:255]]".to_string(),
        format!("v_mov_b32 v0, {}v1", "-".repeat(100_000)),
        format!("v_mov_b32 v0, {}v1", "neg(".repeat(100_000)),
        format!("v_mov_b32 v0, {}v1", "|".repeat(100_000)),
        format!("s_mov_b64 s[0:1], {}s0", "[".repeat(100_000)),
    ];
    for line in lines {
        assert!(parse(&line, Chip::Gfx900).is_err(), "{line:.60}");
    }
}

/// What is refused is refused for a place in the text; what is parsed encodes,
/// and its canonical text is its own canonical text. (It need not be the same
/// bytes: the hardware ignores bits that a plain number can set.)
fn consistent(text: &str, chip: Chip) -> Result<(), TestCaseError> {
    match parse(text, chip) {
        Ok(inst) => {
            prop_assert!(encode(&inst).is_ok(), "{text}: {inst:?}");
            let canonical = inst.to_string();
            let again = parse(&canonical, chip).map(|i| i.to_string());
            prop_assert_eq!(again, Ok(canonical), "{}: {:?}", text, inst);
        }
        Err(error) => prop_assert!(
            text.get(error.span.clone()).is_some(),
            "{text:?}: {error:?}"
        ),
    }
    Ok(())
}

/// Lines of every encoding, to be changed.
const LINES: &[&str] = &[
    "s_add_u32 s1, s2, 0x12345",
    "s_mov_b64 exec, -1",
    "s_cmpk_eq_u32 s1, 0xffff",
    "s_waitcnt vmcnt(3) & lgkmcnt(0)",
    "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)",
    "s_load_dwordx4 s[4:7], s[2:3], 0x10 glc",
    "v_add_f32 v1, |v2|, -s3 clamp mul:2",
    "v_cndmask_b32 v1, 0, v2, vcc",
    "v_pk_fma_f16 v1, v2, v3, 1.0 op_sel_hi:[0,1,1] neg_lo:[1,0,0]",
    "v_mov_b32_sdwa v1, sext(v2) dst_sel:BYTE_1 src0_sel:WORD_1",
    "v_add_u16 v1, v2, v3 quad_perm:[3,2,1,0] row_mask:0x3",
    "ds_swizzle_b32 v1, v2 offset:swizzle(BITMASK_PERM, \"01pip\")",
    "buffer_load_dword v1, v[2:3], s[4:7], s1 idxen offen offset:16 glc",
    "global_atomic_add v1, v[2:3], v4, off offset:-8 glc",
    "image_sample v[1:3], v[4:5], s[8:15], s[16:19] dmask:0x7 unorm",
    "exp mrt0 v1, v2, off, off done vm",
    "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31] cbsz:1 abid:2 blgp:3",
    "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0, v24, v25 op_sel:[0,1,0] cbsz:1",
    "v_bitop3_b32 v0, v1, v2, v3 bitop3:0x17",
];

/// Any chip.
fn any_chip() -> impl Strategy<Value = Chip> {
    prop::sample::select(Chip::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,60}", chip in any_chip()) {
        consistent(&text, chip)?;
    }

    #[test]
    fn mutated_lines_are_parsed_or_refused(
        line in prop::sample::select(LINES),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(&["", "-", "|", "0", "255", "[", "v", "s[", ",", " glc", "é"][..]),
        chip in any_chip(),
    ) {
        let at = at.index(line.len() + 1);
        let mutated = format!("{}{piece}{}", &line[..at], line.get(at + 1..).unwrap_or(""));
        consistent(&mutated, chip)?;
    }

    #[test]
    fn words_of_assembly_are_parsed_or_refused(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "v_add_f32", "v_mov_b32_sdwa", "s_load_dwordx4", "ds_swizzle_b32", "s_waitcnt",
                "buffer_load_dword", "global_load_dword", "exp", "image_sample", "v0", "v[1:2]",
                "s[4:7]", "vcc", "off", "-", "|", ",", "(", ")", "[", "]", ":", "offset", "0x10",
                "1.5", "vmcnt", "hwreg", "sendmsg", "clamp", "mul", "quad_perm", "neg", "glc",
                "dmask", "v_accvgpr_read_b32", "a0", "a[0:3]", "acc1", "cbsz", "sc0", "nt", "lit", "\"pp0ii\"", "swizzle", "attr0.x", "18446744073709551615", "é",
            ]),
            0..12,
        ),
        chip in any_chip(),
    ) {
        consistent(&words.join(" "), chip)?;
    }
}
