//! Tests of hazards across branches, loops and calls.

use wavetank_gcn::Chip::{self, Gfx600, Gfx900};

use super::found;

/// Returns the hazards of one rule, as pairs of the first and second instruction.
fn pairs(source: &str, chip: Chip) -> Vec<(u64, u64)> {
    let all = found(source, chip);
    let place = |f: &crate::Finding| (f.related[0].place.pc, f.at.place.pc);
    all.iter().map(place).collect()
}

#[test]
fn a_branch_is_one_wait_state() {
    let source = |between: &str| {
        format!(
            "v_readfirstlane_b32 s4, v0
             s_cbranch_scc1 far
             s_nop 3
             s_branch far
             s_nop 7
             far: {between}
             v_readlane_b32 s5, v1, s4"
        )
    };
    assert_eq!(pairs(&source("s_nop 1"), Gfx900), [(0, 24)]);
    assert_eq!(pairs(&source("s_nop 2"), Gfx900), []);
}

#[test]
fn the_shortest_path_counts() {
    // Two wait states on one path, four on the other.
    let source = "v_readfirstlane_b32 s4, v0
                  s_cbranch_scc0 long
                  s_branch end
                  long: s_nop 1
                  s_nop 0
                  end: v_readlane_b32 s5, v1, s4";
    let all = found(source, Gfx900);
    assert_eq!(all.len(), 1);
    assert!(
        all[0].message.contains(", 2 wait states after"),
        "{}",
        all[0].message
    );
}

#[test]
fn the_way_back_of_a_loop_counts() {
    // The first instruction is at a higher address than the second.
    let source = "loop: v_readlane_b32 s5, v1, s4
                  s_nop 7
                  v_readfirstlane_b32 s4, v0
                  s_cbranch_scc1 loop";
    assert_eq!(pairs(source, Gfx900), [(12, 0)]);
    // One instruction is both producer and consumer.
    let source = "loop: v_readlane_b32 s4, v1, s4
                  s_cbranch_scc1 loop";
    assert_eq!(pairs(source, Gfx900), [(0, 0)]);
}

#[test]
fn calls_take_long() {
    let source =
        |between: &str| format!("v_readfirstlane_b32 s4, v0\n{between}\nv_readlane_b32 s5, v1, s4");
    assert_eq!(pairs(&source("s_nop 0"), Gfx900).len(), 1);
    assert_eq!(pairs(&source("s_swappc_b64 s[30:31], s[2:3]"), Gfx900), []);
}

#[test]
fn the_last_write_counts() {
    let source = "v_readfirstlane_b32 s4, v0
                  s_nop 3
                  v_readfirstlane_b32 s4, v0
                  s_nop 2
                  v_readlane_b32 s5, v1, s4";
    assert_eq!(pairs(source, Gfx900), [(8, 16)]);
}

#[test]
fn a_nop_counts_by_the_bits_that_there_are() {
    // Bits 2:0 of 8 give one wait state on gfx6; bits 3:0 give nine on gfx9.
    let source = "v_readfirstlane_b32 s4, v0\ns_nop 8\nv_readlane_b32 s5, v1, s4";
    assert_eq!(pairs(source, Gfx600), [(0, 8)]);
    assert_eq!(pairs(source, Gfx900), []);
}

#[test]
fn all_hazards_of_a_pair_are_found() {
    let source = "v_cmpx_eq_u32 vcc, v0, v1
                  v_mov_b32 v2, v3
                  v_mov_b32_dpp v4, v2 row_shl:1 row_mask:0xf bank_mask:0xf";
    let rules: Vec<&str> = found(source, Gfx900).iter().map(|f| f.rule).collect();
    assert_eq!(rules, ["valu-vgpr-dpp", "valu-exec-dpp"]);
}
