//! What instructions read and write beside their operands, where that is easily
//! got wrong. All rows are held against their meaning by `wavetank-lift`'s tests.

use wavetank_gcn::{Chip, Registers, parse};

/// Text of an instruction of gfx900, what it reads and writes, and whether registers that are chosen at run time take part.
const CASES: &[(&str, &str, &str, bool)] = &[
    // Vega ISA, 12.10: EXEC is ignored; v_readfirstlane_b32 looks for its first lane. MODE has VGPR indexing, which their
    // vector register takes part in (6.4, table of special cases).
    ("v_readlane_b32 s0, v1, s2", "s2 v1 mode", "s0", false),
    ("v_writelane_b32 v0, 7, s2", "s2 mode", "v0", false),
    (
        "v_readfirstlane_b32 s0, v1",
        "exec_lo exec_hi v1 mode",
        "s0",
        false,
    ),
    ("v_nop", "", "", false),
    ("s_nop 0", "", "", false),
    // "Arbitrary divergent control flow": forks look at the lanes, take some off, and keep the others on a stack of SGPRs, by the pointer in MODE.
    (
        "s_cbranch_g_fork s[2:3], s[4:5]",
        "s2 s3 s4 s5 exec_lo exec_hi mode",
        "exec_lo exec_hi mode pc",
        true,
    ),
    (
        "s_cbranch_i_fork s[2:3], 4",
        "s2 s3 exec_lo exec_hi mode",
        "exec_lo exec_hi mode pc",
        true,
    ),
    (
        "s_cbranch_join s2",
        "s2 exec_lo exec_hi mode",
        "exec_lo exec_hi mode pc",
        true,
    ),
    // The bit is in MODE.
    ("s_setvskip s0, s1", "s0 s1 mode", "mode", false),
    // M0[7:0] is the index, M0[15:12] what it is for; GPR_IDX_EN is in MODE.
    ("s_set_gpr_idx_on s0, 3", "s0 m0 mode", "m0 mode", false),
    ("s_set_gpr_idx_idx s0", "s0 m0", "m0", false),
    ("s_set_gpr_idx_mode 3", "m0", "m0", false),
    ("s_set_gpr_idx_off", "mode", "mode", false),
];

#[test]
fn what_is_easily_got_wrong() {
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|&(text, reads, writes, indexed)| {
            let effects = parse(text, Chip::Gfx900).expect(text).effects();
            let got = (
                effects.reads.to_string(),
                effects.writes.to_string(),
                effects.indexed,
            );
            let wanted = (reads.to_owned(), writes.to_owned(), indexed);
            (got != wanted).then(|| format!("{text}: {got:?}, not {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn registers_of_a_set_are_listed_in_order() {
    let (scalars, vectors) = ([0, 1, 63, 64, 106, 127], [0, 63, 64, 127, 128, 200, 255]);
    let mut set = Registers::default();
    scalars.iter().for_each(|&n| set.add_scalars(n, 1));
    vectors.iter().for_each(|&n| set.add_vectors(n, 1));
    assert_eq!(set.scalars().collect::<Vec<_>>(), scalars);
    assert_eq!(set.vectors().collect::<Vec<_>>(), vectors);
    for n in 0..=255 {
        assert_eq!(set.has_scalar(n), scalars.contains(&n), "{n}");
        assert_eq!(set.has_vector(n), vectors.contains(&n), "{n}");
    }
}
