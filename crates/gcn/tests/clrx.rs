//! The CLRX dialect: what it shares with LLVM's text, what it does not, and
//! the way there and back.

use crate::common::{shared, unhex};
use proptest::prelude::*;
use wavetank_gcn::{
    Chip, Dialect, Flags, Form, Inst, ParseError, decode, encode, parse_in, print_in,
};

fn parse(text: &str, chip: Chip) -> Result<Inst, ParseError> {
    parse_in(text, chip, Dialect::Clrx)
}

fn print(inst: &Inst) -> String {
    let mut text = String::new();
    print_in(inst, Dialect::Clrx, &mut text).expect("a string takes any text");
    text
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks(4);
    words
        .map(|w| u32::from_le_bytes(w.try_into().expect("whole words")))
        .collect()
}

/// The words that a line assembles to.
fn words(text: &str, chip: Chip) -> Vec<u32> {
    let inst = parse(text, chip).unwrap_or_else(|e| panic!("{text}: {e} at {:?}", e.span));
    let encoded = encode(&inst).unwrap_or_else(|e| panic!("{text}: {e}"));
    dwords(encoded.as_bytes())
}

/// Rows come from lines on which LLVM and CLRX agree.
#[test]
fn every_shared_line_assembles_to_its_bytes() {
    for generation in 6..=9 {
        let Some(text) = shared(&format!("conformance/asm-gfx{generation}.tsv")) else {
            return;
        };
        let mut wrong = Vec::new();
        for row in text.lines().map(|l| l.split('\t').collect::<Vec<_>>()) {
            let chip = Chip::from_name(row[0]).expect("a chip");
            let found = match parse(row[3], chip) {
                Ok(inst) => encode(&inst).expect("what is parsed encodes"),
                Err(error) => {
                    wrong.push(format!(
                        "{} {}: {error} at {:?}",
                        row[0], row[3], error.span
                    ));
                    continue;
                }
            };
            if found.as_bytes() != unhex(row[1]) {
                wrong.push(format!(
                    "{} {}: {:02x?}, expected {}",
                    row[0],
                    row[3],
                    found.as_bytes(),
                    row[1]
                ));
            }
        }
        let step = wrong.len().div_ceil(60).max(1);
        let shown: Vec<&str> = wrong.iter().step_by(step).map(String::as_str).collect();
        assert!(
            wrong.is_empty(),
            "gfx{generation}: {} wrong:\n{}",
            wrong.len(),
            shown.join("\n")
        );
    }
}

/// SMEM of gfx9 can name its only register in two places; the text does not
/// say in which, and the older place is written.
fn names_register_twice(inst: &Inst) -> bool {
    inst.form == Form::Smem && inst.has(Flags::SMEM_SOFFSET) && !inst.has(Flags::SMEM_IMM)
}

/// What is printed is read back to the same bytes.
fn there_and_back(word: u64, chip: Chip) -> Result<(), TestCaseError> {
    let Ok(mut inst) = decode(&word.to_le_bytes(), chip) else {
        return Ok(());
    };
    if names_register_twice(&inst) {
        inst.mods.flags &= !Flags::SMEM_SOFFSET;
    }
    let text = print(&inst);
    match parse(&text, chip) {
        Ok(back) => {
            let bytes = |inst| encode(inst).map(|e| e.as_bytes().to_vec());
            prop_assert_eq!(bytes(&back), bytes(&inst), "{} {:#x} {}", chip, word, text);
        }
        Err(e) => prop_assert!(false, "{chip} {word:#x} {text}: {e} at {:?}", e.span),
    }
    Ok(())
}

/// The third cache bit, SCC of gfx90a and SC1 of gfx942, which CLRX's own chips lack: it keeps LLVM's first name.
#[test]
fn the_third_cache_bit_comes_back() {
    for (chip, bit) in [(Chip::Gfx90a, "scc"), (Chip::Gfx942, "sc1")] {
        for line in [
            "buffer_load_dword v1, off, s[4:7], s0",
            "tbuffer_load_format_x v1, off, s[4:7], s0",
            "global_load_dword v1, v[2:3], off",
            "flat_load_dword v1, v[2:3]",
        ] {
            let inst = wavetank_gcn::parse(&format!("{line} {bit}"), chip).expect(line);
            let text = print(&inst);
            assert!(text.ends_with(" scc"), "{text}");
            let back = parse(&text, chip).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(encode(&back), encode(&inst), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn any_words_come_back(word in any::<u64>(), chip in prop::sample::select(Chip::GCN)) {
        there_and_back(word, chip)?;
    }

    /// SRC0 of a VOP1, VOP2 or VOPC says that SDWA or DPP follows.
    #[test]
    fn any_modified_words_come_back(
        word in any::<u64>(),
        marker in 0xf9u64..=0xfa,
        chip in prop::sample::select(Chip::GCN),
    ) {
        there_and_back(word & !0x8000_01ff | marker, chip)?;
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,60}", chip in prop::sample::select(Chip::GCN)) {
        if let Err(error) = parse(&text, chip) {
            prop_assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
        }
    }

    #[test]
    fn words_of_assembly_are_parsed_or_refused(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "V_ADD_F32", "v_mov_b32", "s_load_dword", "s_waitcnt", "s_sendmsg", "s_branch",
                "image_load", "tbuffer_load_format_x", "v0", "v[1:2]", "s[4:7]", "vcc", "lit", "(",
                ")", "[", "]", "-", "~", "|", "&", "<<", ",", ":", "abs", "sext", "dst_sel", "byte0",
                "format", "8_8", "sint", "0x7fffffffffffffff", "1.5h", "vmcnt", "gs", "emit", "cut",
                "vop3", "sdwa", "quad_perm", "dmask", "offset", "hwreg", "mode", "é", ".L8_0",
            ]),
            0..12,
        ),
        chip in prop::sample::select(Chip::GCN),
    ) {
        let text = words.join(" ");
        if let Err(error) = parse(&text, chip) {
            prop_assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
        }
    }
}

#[test]
fn long_and_deep_lines_are_refused() {
    for piece in ["-", "neg(", "|", "(", "~", "abs(", "1+(", "["] {
        let line = format!("v_mov_b32 v0, {}v1", piece.repeat(100_000));
        assert!(parse(&line, Chip::Gfx900).is_err(), "{line:.60}");
    }
}

/// Lines that mean something else in the two dialects: the chip, the line, and
/// its words in CLRX's (facts/gcn-text.md, "CLRX dialect against LLVM's") and
/// in LLVM's, if LLVM takes the line.
type Difference = (Chip, &'static str, &'static [u32], Option<&'static [u32]>);

const DIFFERENCES: [Difference; 7] = [
    // One channel of an image, or none.
    (
        Chip::Gfx900,
        "image_load v1, v[2:3], s[8:15] unorm",
        &[0xf000_1100, 0x0002_0102],
        Some(&[0xf000_1000, 0x0002_0102]),
    ),
    // The rest of the destination: filled with zeros, or kept.
    (
        Chip::Gfx803,
        "v_mov_b32_sdwa v1, v2 src0_sel:WORD_1",
        &[0x7e02_02f9, 0x0005_0602],
        Some(&[0x7e02_02f9, 0x0005_1602]),
    ),
    // A compare on gfx8 selects the whole of a destination that it has not.
    (
        Chip::Gfx803,
        "v_cmp_eq_u32 vcc, v1, v2 src0_sel:WORD_1 src1_sel:DWORD",
        &[0x7d94_04f9, 0x0605_0601],
        Some(&[0x7d94_04f9, 0x0605_0001]),
    ),
    // Sources of a mixed multiplication: half precision, or single.
    (
        Chip::Gfx900,
        "v_mad_mix_f32 v1, v2, v3, v4",
        &[0xd3a0_4001, 0x1c12_0702],
        Some(&[0xd3a0_0001, 0x0412_0702]),
    ),
    // 0.1 is 0x3fb99999_9999999a.
    (
        Chip::Gfx900,
        "v_cvt_f32_f64 v1, 0.1",
        &[0x7e02_1eff, 0x3fb9_999a],
        Some(&[0x7e02_1eff, 0x3fb9_9999]),
    ),
    // An address in the code, or a distance in words.
    (
        Chip::Gfx900,
        "s_branch 16",
        &[0xbf82_0003],
        Some(&[0xbf82_0010]),
    ),
    // Names in capitals.
    (Chip::Gfx600, "S_MOV_B32 S1, VCC_LO", &[0xbe81_036a], None),
];

#[test]
fn the_dialects_differ_where_they_should() {
    for (chip, line, clrx, llvm) in DIFFERENCES {
        assert_eq!(words(line, chip), clrx, "{line}");
        let other = parse_in(line, chip, Dialect::Llvm).ok().map(|inst| {
            let encoded = encode(&inst).expect("what is parsed encodes");
            dwords(encoded.as_bytes())
        });
        assert_eq!(other.as_deref(), llvm, "{line}");
    }
}

/// Lines in CLRX's syntax, by what its documentation says of them (GcnIsa:
/// GcnOperands, GcnSdwaDpp, GcnInstrsSopk, GcnInstrsSopp, GcnInstrsVop3), with
/// words composed from the encodings of the Vega ISA, chapter 13.
const LINES: [(Chip, &str, &[u32]); 39] = [
    (Chip::Gfx900, "v_mov_b32 v[1], s[2]", &[0x7e02_0202]),
    (Chip::Gfx900, "s_mov_b64 s[1+1:3], s[2*2:5]", &[0xbe82_0104]),
    (Chip::Gfx900, "s_mov_b32 s1, lit(5)", &[0xbe81_00ff, 5]),
    (Chip::Gfx900, "s_mov_b32 s1, 2+3", &[0xbe81_0085]),
    (
        Chip::Gfx900,
        "s_mov_b32 s1, 0x3f800000",
        &[0xbe81_00ff, 0x3f80_0000],
    ),
    (Chip::Gfx900, "s_mov_b32 s1, 1.0", &[0xbe81_00f2]),
    (Chip::Gfx900, "v_mov_b32 v1, 1.5h", &[0x7e02_02ff, 0x3e00]),
    (Chip::Gfx900, "v_mov_b32 v1, lds", &[0x7e02_02fe]),
    (
        Chip::Gfx900,
        "v_mov_b32 v1, v2 vop3",
        &[0xd141_0001, 0x0000_0102],
    ),
    (
        Chip::Gfx900,
        "v_add_f32 v1, -abs(v2), v3",
        &[0xd101_0101, 0x2002_0702],
    ),
    (
        Chip::Gfx900,
        "v_add_f32 v1, neg(abs(v2)), v3",
        &[0xd101_0101, 0x2002_0702],
    ),
    (
        Chip::Gfx900,
        "v_mov_b32 v1, v2 sdwa",
        &[0x7e02_02f9, 0x0006_0602],
    ),
    (
        Chip::Gfx803,
        "v_xor_b32 v1,v2,v3 dst_sel:byte_1 src0_sel:byte1 src1_sel:word1",
        &[0x2a02_06f9, 0x0501_0102],
    ),
    (
        Chip::Gfx803,
        "v_xor_b32 v1,v2,v3 dst_sel:b1 src0_sel:b1 src1_sel:w1",
        &[0x2a02_06f9, 0x0501_0102],
    ),
    (
        Chip::Gfx803,
        "v_xor_b32 v1,v2,v3 dst_sel:b1 src0_sel:b1 src1_sel:w1 dst_unused:preserve",
        &[0x2a02_06f9, 0x0501_1102],
    ),
    (
        Chip::Gfx803,
        "v_xor_b32 v1,sext(v2),v3",
        &[0x2a02_06f9, 0x060e_0602],
    ),
    (
        Chip::Gfx803,
        "v_mov_b32 v1, v2 row_shr:3 bound_ctrl",
        &[0x7e02_02fa, 0xff09_1302],
    ),
    (
        Chip::Gfx803,
        "v_mov_b32 v1, v2 wave_shl bank_mask:3",
        &[0x7e02_02fa, 0xf301_3002],
    ),
    (
        Chip::Gfx803,
        "v_mov_b32 v1, v2 row_mask:1",
        &[0x7e02_02fa, 0x1f00_e402],
    ),
    (
        Chip::Gfx600,
        "s_getreg_b32 s1, hwreg(trapsts, 3, 10)",
        &[0xb901_48c3],
    ),
    (
        Chip::Gfx900,
        "s_getreg_b32 s1, hwreg(HWREG_STATUS, 0, 32)",
        &[0xb881_f802],
    ),
    (
        Chip::Gfx900,
        "s_waitcnt vmcnt(1) & lgkmcnt(2)",
        &[0xbf8c_0271],
    ),
    (Chip::Gfx900, "s_waitcnt 0x70 | (3<<8)", &[0xbf8c_0370]),
    (
        Chip::Gfx900,
        "s_sendmsg sendmsg(gs_done, emit-cut, 1)",
        &[0xbf90_0133],
    ),
    (Chip::Gfx900, "s_sendmsg sendmsg(system)", &[0xbf90_000f]),
    (Chip::Gfx900, "s_cbranch_scc0 .L168_0", &[0xbf84_0029]),
    (Chip::Gfx600, "v_cmp_tru_i32 vcc, v1, v2", &[0x7d0e_0501]),
    (
        Chip::Gfx600,
        "v_qsad_u8 v[1:2], v[3:4], v5, v[6:7]",
        &[0xd2e4_0001, 0x041a_0b03],
    ),
    (
        Chip::Gfx803,
        "tbuffer_load_format_x v1, v2, s[4:7], s3 offen format:[8_8,sint]",
        &[0xea98_1000, 0x0301_0102],
    ),
    (Chip::Gfx900, "s_mov_b32 s1, -.5", &[0xbe81_00f1]),
    (Chip::Gfx900, "s_mov_b32 s1, @7", &[0xbe81_0087]),
    (
        Chip::Gfx803,
        "v_mov_b32 v1, v2 dst_sel:@1 dst_un:@2",
        &[0x7e02_02f9, 0x0006_1102],
    ),
    (Chip::Gfx803, "v_add_i32 v1, vcc, v2, v3", &[0x3202_0702]),
    (Chip::Gfx600, "v_add_u32 v1, vcc, v2, v3", &[0x4a02_0702]),
    (Chip::Gfx704, "v_subrev_u32 v1, vcc, v2, v3", &[0x4e02_0702]),
    (
        Chip::Gfx803,
        "v_mov_b32 v1, v2 row_hmirror bound_ctrl:0:0",
        &[0x7e02_02fa, 0xff01_4102],
    ),
    (
        Chip::Gfx803,
        "v_madmk_f32 v1, s2, v3, s4 vop3",
        &[0xd117_0001, 0x0012_0602],
    ),
    (
        Chip::Gfx900,
        "s_load_dword s1, s[2:3], s4 offset:0x1ffff8 glc:1 nv:0",
        &[0xc003_4041, 0x081f_fff8],
    ),
    (
        Chip::Gfx900,
        "global_load_dword v1, v2, s[4:5] inst_offset:-8 nv",
        &[0xdc50_9ff8, 0x0184_0002],
    ),
];

#[test]
fn lines_of_the_syntax_assemble() {
    for (chip, line, expected) in LINES {
        assert_eq!(words(line, chip), expected, "{line}");
    }
}

#[test]
fn errors_name_the_token() {
    let error = |text| parse(text, Chip::Gfx900).expect_err(text);
    let e = error("v_add_f23 v0, v1, v2");
    assert_eq!(e.span, 0..9);
    assert_eq!(e.help.as_deref(), Some("did you mean `v_add_f32`?"));
    let e = error("buffer_atomic_rsub v0, v1, s[4:7], 0 offen");
    assert_eq!(
        (e.message.as_str(), e.help.as_deref()),
        (
            "gfx900 has no `buffer_atomic_rsub`; other chips have",
            Some("it exists on gfx6 alone")
        )
    );
    let e = error("v_addc_u32 v0, vcc, v1, v2, vcc");
    assert_eq!(
        e.help.as_deref(),
        Some("on gfx900 it is called `v_addc_co_u32`")
    );
    let e = error("v_mov_b32 v0, v1 dst_sel:byte9");
    assert_eq!(e.span, 25..30);
    let e = error("s_branch 6");
    assert!(e.message.contains("aligned"), "{e}");
    let e = error("s_waitcnt vmcnt(64)");
    assert_eq!(
        (&e.span, e.message.as_str()),
        (&(16..18), "64 is outside 0 to 63")
    );
}
