//! Messages: the place they mark, what they say, and the way out.

use wavetank_gcn::{Chip, Dialect, EXECUTED_CHIPS, Generation, LaterArchitecture, Op, parse_in};

/// (chip, line, the text that is marked, a part of the message, a part of the
/// help; nothing where none is known).
const ERRORS: &[(&str, &str, &str, &str, &str)] = &[
    // Names that changed.
    (
        "gfx900",
        "v_add_f23 v0, 1.0, v1",
        "v_add_f23",
        "not an instruction of gfx900",
        "did you mean `v_add_f32`?",
    ),
    (
        "gfx803",
        "v_add_u32 v0, v1, v2",
        "v1",
        "expected a scalar register",
        "`v_add_u32` without carry exists from gfx9; on gfx803 write `v_add_u32 v0, vcc, v1, v2`",
    ),
    (
        "tahiti",
        "v_sub_i32 v0, v1, v2",
        "v1",
        "expected a scalar register",
        "on gfx600 write `v_sub_i32 v0, vcc, v1, v2`",
    ),
    (
        "gfx803",
        "v_subrev_u32 v0, v1, v2",
        "v1",
        "expected a scalar register",
        "`v_subrev_u32` without carry exists from gfx9; on gfx803 write `v_subrev_u32 v0, vcc, v1, v2`",
    ),
    (
        "gfx803",
        "v_subrev_u32 v0, s1, v2",
        "",
        "",
        "`v_subrev_u32` without carry exists from gfx9; on gfx803 write `v_subrev_u32 v0, vcc, s1, v2`",
    ),
    (
        "gfx803",
        "v_add_u32 v0, 1, v2",
        "",
        "",
        "on gfx803 write `v_add_u32 v0, vcc, 1, v2`",
    ),
    (
        "tahiti",
        "v_sub_i32 v0, vcc_lo, v2",
        "",
        "",
        "write `v_sub_i32 v0, vcc, vcc_lo, v2`",
    ),
    (
        "gfx803",
        "v_add_u32 v0, vcc, v1",
        "",
        "expected `,` and another operand",
        "`v_add_u32` takes 4 operands",
    ),
    (
        "gfx900",
        "v_add_u32 v0, vcc, v1, v2",
        "",
        "",
        "with carry it is called `v_add_co_u32` on gfx900",
    ),
    (
        "gfx900",
        "v_addc_u32 v0, vcc, v1, v2, vcc",
        "v_addc_u32",
        "other chips have",
        "on gfx900 it is called `v_addc_co_u32`",
    ),
    (
        "tahiti",
        "v_addc_co_u32 v0, vcc, v1, v2, vcc",
        "v_addc_co_u32",
        "other chips have",
        "on gfx600 it is called `v_addc_u32`",
    ),
    // Who has it.
    (
        "tahiti",
        "buffer_atomic_rsub v0, v1, s[4:7], 0 offen",
        "buffer_atomic_rsub",
        "the llvm dialect has no `buffer_atomic_rsub`; gfx600 has",
        "`--dialect clrx` assembles it; cases of `exec` take its words after `.long`",
    ),
    (
        "gfx900",
        "buffer_atomic_rsub v0, v1, s[4:7], 0 offen",
        "buffer_atomic_rsub",
        "gfx900 has no `buffer_atomic_rsub`; other chips have",
        "it exists on gfx6 alone, in the clrx dialect",
    ),
    (
        "fiji",
        "s_buffer_atomic_add s4, s[24:27], 0x4",
        "s_buffer_atomic_add",
        "the llvm dialect has no `s_buffer_atomic_add`; gfx803 has",
        "`--dialect clrx`",
    ),
    (
        "gfx900",
        "v_fmac_f32 v0, v1, v2",
        "v_fmac_f32",
        "gfx900 has no `v_fmac_f32`",
        "gfx906, gfx908, gfx90a, gfx942 and gfx950 have it",
    ),
    (
        "gfx900",
        "v_dot2_f32_f16 v0, v1, v2, v3",
        "v_dot2_f32_f16",
        "gfx900 has no",
        "gfx906, gfx908, gfx90a, gfx942 and gfx950 have it",
    ),
    (
        "gfx906",
        "v_mad_mix_f32 v0, v1, v2, v3",
        "v_mad_mix_f32",
        "gfx906 has no",
        "gfx900, gfx902, gfx909 and gfx90c have it",
    ),
    (
        "tahiti",
        "flat_load_dword v0, v[1:2]",
        "flat_load_dword",
        "gfx600 has no",
        "it exists from gfx7 on",
    ),
    (
        "gfx803",
        "global_load_dword v0, v[1:2], off",
        "global_load_dword",
        "no form",
        "",
    ),
    (
        "gfx900",
        "v_lshl_b32 v0, v1, v2",
        "v_lshl_b32",
        "gfx900 has no",
        "it exists up to gfx7",
    ),
    (
        "gfx900",
        "v_add_f64_sdwa v[0:1], v[2:3], v[4:5]",
        "v_add_f64_sdwa",
        "no form",
        "leave out `_sdwa`",
    ),
    // Operands.
    (
        "gfx900",
        "v_add_f32 v0, v1, v256",
        "v256",
        "out of range: the last is v255",
        "",
    ),
    (
        "gfx900",
        "s_mov_b32 s102, 0",
        "s102",
        "out of range: the last is s101",
        "",
    ),
    (
        "gfx900",
        "s_mov_b64 s[1:2], 0",
        "s[1:2]",
        "multiple of 2",
        "",
    ),
    (
        "gfx900",
        "s_load_dwordx4 s[2:5], s[0:1], 0",
        "s[2:5]",
        "multiple of 4",
        "",
    ),
    (
        "gfx900",
        "s_mov_b64 s0, 0",
        "s0",
        "expected 2 registers, found 1",
        "",
    ),
    (
        "gfx900",
        "v_add_f32 v0, s0, s1",
        "s1",
        "one scalar value",
        "move one of them",
    ),
    (
        "gfx900",
        "v_fma_f32 v0, v1, 0x1234, v2",
        "0x1234",
        "the literal 0x1234 has no room",
        "move it to a register",
    ),
    (
        "gfx900",
        "v_add_f32 v0, v1",
        "",
        "expected `,` and another operand",
        "`v_add_f32` takes 3 operands",
    ),
    (
        "gfx900",
        "v_mov_b32 s0, v1",
        "s0",
        "expected a vector register",
        "",
    ),
    (
        "gfx900",
        "s_movk_i32 s0, 0x10000",
        "0x10000",
        "65536 is outside -32768 to 65535",
        "",
    ),
    // Offsets of scalar loads.
    (
        "tahiti",
        "s_load_dword s0, s[2:3], 256",
        "256",
        "the offset is outside 0 to 255 dwords",
        "",
    ),
    (
        "gfx704",
        "s_load_dword s0, s[2:3], -5",
        "-5",
        "outside 0 to 4294967295 dwords",
        "",
    ),
    (
        "gfx803",
        "s_load_dword s0, s[2:3], 0x100000",
        "0x100000",
        "the offset is outside 0 to 1048575 bytes",
        "",
    ),
    (
        "gfx900",
        "s_load_dword s0, s[2:3], -0x100001",
        "-0x100001",
        "the offset is outside -1048576 to 1048575 bytes",
        "",
    ),
    (
        "gfx900",
        "s_buffer_load_dword s0, s[4:7], -4",
        "-4",
        "the offset is outside 0 to 1048575 bytes",
        "",
    ),
    // Literals that are written as such.
    ("gfx900", "v_mov_b32 v0, lit(", "", "expected a number", ""),
    (
        "gfx900",
        "v_mov_b32 v0, lit(v1)",
        "v1",
        "expected a number",
        "",
    ),
    ("gfx900", "v_mov_b32 v0, lit(1", "", "expected `)`", ""),
    (
        "gfx900",
        "s_load_dword s0, s[2:3], lit(4)",
        "lit",
        "expected an offset or a scalar register",
        "",
    ),
    // What would be another instruction than the line says.
    (
        "gfx900",
        "v_add_f32_e64 v0, |-v1|, v2",
        "-",
        "this cannot stand within `|…|`",
        "",
    ),
    (
        "gfx900",
        "v_add_f32_e64 v0, ||v1||, v2",
        "|",
        "this cannot stand within `|…|`",
        "",
    ),
    (
        "gfx900",
        "buffer_load_dword v5, v0, s[8:11], s3 offset:4",
        "v0",
        "no register is an address: write `off`",
        "",
    ),
    (
        "gfx600",
        "tbuffer_load_format_x v5, v0, s[8:11], 4 format:[BUF_DATA_FORMAT_32]",
        "v0",
        "no register is an address",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32_dpp v0, v1 quad_perm:[01,2,3]",
        "[01,2,3]",
        "the list has 3 source lanes: write four, one for each lane",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32_dpp v0, s1 quad_perm:[0,1,2,3]",
        "s1",
        "",
        "",
    ),
    ("gfx900", "s_mov_b32 s0, 08", "", "expected", ""),
    // Modifiers.
    (
        "gfx900",
        "ds_read_b32 v0, v1 offset:65536",
        "offset:65536",
        "offset 65536 is outside 0 to 65535",
        "",
    ),
    (
        "gfx900",
        "buffer_load_dword v0, off, s[4:7], s0 offset:4096",
        "offset:4096",
        "outside 0 to 4095",
        "",
    ),
    (
        "gfx900",
        "global_load_dword v0, v[1:2], off offset:-4097",
        "offset:-4097",
        "outside -4096 to 4095",
        "",
    ),
    (
        "gfx900",
        "flat_load_dword v0, v[1:2] offset:-1",
        "offset:-1",
        "outside 0 to 4095",
        "",
    ),
    (
        "gfx900",
        "global_load_dword v0, v[1:2], off gcl",
        "gcl",
        "`gcl` is not a modifier",
        "did you mean `glc`?",
    ),
    (
        "gfx900",
        "v_add_f32_e64 v0, v1, v2 clmap",
        "clmap",
        "is not a modifier",
        "did you mean `clamp`?",
    ),
    (
        "gfx900",
        "v_add_f32_e64 v0, v1, v2 glc",
        "glc",
        "takes no `glc`",
        "",
    ),
    (
        "gfx900",
        "v_add_f32_e64 v0, v1, v2 clamp clamp",
        "clamp",
        "twice",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32_dpp v0, v1 row_shl:16",
        "16",
        "row_shl does not take 16",
        "",
    ),
    (
        "gfx900",
        "s_waitcnt vmcnt(64)",
        "64",
        "64 is outside 0 to 63",
        "",
    ),
    (
        "gfx900",
        "v_add",
        "v_add",
        "not an instruction of gfx900",
        "names that begin so: v_add_co_u32, v_add_f16, v_add_f32",
    ),
    (
        "gfx900",
        "x: s_branch x",
        "x",
        "`x` is a label",
        "labels work in `asm`",
    ),
    (
        "gfx900",
        "v_add_f32 v0, v1, v2, v3",
        "v3",
        "`v_add_f32` takes 3 operands",
        "",
    ),
    // Flags that are said not to be set.
    (
        "gfx900",
        "buffer_load_dword v0, off, s[4:7], s0 noglcc",
        "noglcc",
        "`noglcc` is not a modifier",
        "did you mean `noglc`?",
    ),
    (
        "gfx900",
        "buffer_load_dword v0, off, s[4:7], s0 glc noglc",
        "noglc",
        "`noglc` stands beside its like",
        "",
    ),
    (
        "gfx900",
        "buffer_load_dword v0, off, s[4:7], s0 noglc glc",
        "glc",
        "`glc` stands here twice",
        "",
    ),
    (
        "gfx900",
        "v_add_f32_e64 v0, v1, v2 noglc",
        "noglc",
        "`noglc` is not a modifier",
        "",
    ),
    // Values.
    (
        "gfx900",
        "v_mov_b32_dpp v0, v1 row_bcast",
        "row_bcast",
        "`row_bcast` needs a value: `row_bcast:…`",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32_dpp v0, v1 row_shl: -1 row_mask:0x1",
        "-1",
        "-1 is outside 0 to 63",
        "",
    ),
    (
        "gfx900",
        "ds_read_b32 v0, v1 offset: 65536",
        "offset: 65536",
        "offset 65536 is outside 0 to 65535",
        "",
    ),
];

/// As above, in CLRX's syntax.
const CLRX_ERRORS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "gfx900",
        "v_mov_b32 v0, v1 row_shl:16 row_mask:15",
        "16",
        "row_shl does not take 16",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32 v0, v1 row_bcast: 3+4",
        "3+4",
        "row_bcast does not take 7",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32 v0, v1 row_bcast",
        "row_bcast",
        "row_bcast does not take 1",
        "",
    ),
    (
        "gfx900",
        "v_mov_b32 v0, v1 row_mask:-1",
        "-1",
        "-1 is outside 0 to 15",
        "",
    ),
    (
        "gfx900",
        "v_add_f23 v0, v1, v2",
        "v_add_f23",
        "not an instruction of gfx900",
        "did you mean `v_add_f32`?",
    ),
    (
        "gfx900",
        "v_mov_b32 v0, v1 quad_perm:[0,1,2]",
        "[0,1,2]",
        "the list has 3 source lanes: write four, one for each lane",
        "",
    ),
];

#[test]
fn only_slips_are_taken_for_other_names() {
    let help = |line: &str, dialect| parse_in(line, Chip::Gfx900, dialect).expect_err(line).help;
    for dialect in [Dialect::Llvm, Dialect::Clrx] {
        for far in ["v_foo v0", "v_div_f32 v0, v1, v2", "v_quux_b32 v0", "zap"] {
            assert_eq!(help(far, dialect), None, "{far}");
        }
        for (slip, name) in [
            ("v_ad_f32", "v_add_f32"),
            ("v_addf32", "v_add_f32"),
            ("v_mul_f_32", "v_mul_f32"),
            ("v_lshlrev_b23", "v_lshlrev_b32"),
            ("s_bariers", "s_barrier"),
        ] {
            let meant = Some(format!("did you mean `{name}`?"));
            assert_eq!(help(slip, dialect), meant, "{slip}");
        }
        for (later, architecture) in [
            ("v_dual_mul_f32 v0, v1, v2", "RDNA"),
            ("global_load_b32 v0, v1, s[0:1]", "RDNA"),
        ] {
            let sentence = format!("it is an instruction of {architecture}: {EXECUTED_CHIPS}");
            assert_eq!(help(later, dialect), Some(sentence), "{later}");
        }
        let owners = help("v_mfma_f32_32x32x1f32 a[0:31], v0, v1, 0", dialect);
        let all = "chips of CDNA have it: gfx908, gfx90a, gfx942 and gfx950";
        assert_eq!(owners.as_deref(), Some(all));
    }
}

/// A name that GCN has is never said to be one of a later architecture.
#[test]
fn instructions_of_later_architectures_are_not_those_of_gcn() {
    for row in Op::all().map(Op::row) {
        for generation in [
            Generation::Gfx6,
            Generation::Gfx7,
            Generation::Gfx8,
            Generation::Gfx9,
        ] {
            if let Some(name) = row.mnemonic(generation) {
                assert_eq!(LaterArchitecture::of_instruction(name), None, "{name}");
            }
        }
    }
}

#[test]
fn each_product_is_of_one_chip() {
    for chip in Chip::all() {
        for product in chip.products() {
            assert_eq!(Chip::from_name(product), Some(chip), "{product}");
            let later = LaterArchitecture::of_chip(product);
            assert_eq!(later.is_some(), Chip::CDNA.contains(&chip), "{product}");
        }
    }
    for (name, chip) in [
        ("RX 580", Chip::Gfx803),
        ("rx580", Chip::Gfx803),
        ("AMD Radeon RX-580", Chip::Gfx803),
        ("radeon-vii", Chip::Gfx906),
        ("Instinct MI25", Chip::Gfx900),
        ("Instinct MI100", Chip::Gfx908),
        ("MI300X", Chip::Gfx942),
    ] {
        assert_eq!(Chip::from_name(name), Some(chip), "{name}");
    }
    for name in ["", "radeon", "RX 5800", "RX 7900 XTX", "gfx1100"] {
        assert_eq!(Chip::from_name(name), None, "{name}");
    }
}

#[test]
fn messages_mark_the_place_and_say_the_way_out() {
    check(ERRORS, Dialect::Llvm);
    check(CLRX_ERRORS, Dialect::Clrx);
}

fn check(errors: &[(&str, &str, &str, &str, &str)], dialect: Dialect) {
    let mut wrong = Vec::new();
    for (chip, line, marked, message, help) in errors {
        let chip = Chip::from_name(chip).expect("a chip");
        let Err(error) = parse_in(line, chip, dialect) else {
            wrong.push(format!("{line}: parsed"));
            continue;
        };
        let span = &line[error.span.clone()];
        let said = error.help.clone().unwrap_or_default();
        let right = error.message.contains(message) && said.contains(help);
        if !right || !marked.is_empty() && span != *marked {
            wrong.push(format!("{line}: `{span}`: {error}; help: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
