//! Tests that plant each hazard once on each generation that has it, its twin with wait states, and pairs without a hazard.

use std::collections::BTreeSet;

use wavetank_gcn::Chip::{self, Gfx600, Gfx701, Gfx803, Gfx900};

use super::super::{Column, Need, rows};
use super::{found, found_in};

/// Hazards: name, generations, the documents' wait states, the first and the second instruction.
const PLANTED: &str = "
setreg-getreg         6789 2  s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0 / s_getreg_b32 s1, hwreg(HW_REG_MODE, 8, 1)
setreg-getreg         6789 2  s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 5 / s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS)
setreg-setreg         67   1  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5 / s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0
setreg-setreg         89   2  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5 / s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0
setvskip-getreg       9    2  s_setvskip s0, 3 / s_getreg_b32 s1, hwreg(HW_REG_MODE, 28, 1)
setreg-vskip-vector   6789 2  s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0 / v_mov_b32 v0, v1
setreg-vskip-vector   6789 2  s_setreg_b32 hwreg(HW_REG_MODE), s0 / ds_read_b32 v0, v1
valu-vccz-execz       6789 5  v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v2, src_vccz
valu-vccz-execz       6789 5  v_cmpx_eq_u32 vcc, v0, v1 / v_add_f32 v2, src_execz, v3
valu-sgpr-lane        6789 4  v_readfirstlane_b32 s4, v0 / v_readlane_b32 s5, v1, s4
valu-sgpr-lane        6789 4  v_cmp_eq_u32 vcc, v0, v1 / v_writelane_b32 v2, 9, vcc_hi
valu-vcc-div-fmas     6789 4  v_div_scale_f32 v0, vcc, v1, v2, v3 / v_div_fmas_f32 v4, v5, v6, v7
valu-vcc-div-fmas     6789 4  v_cmp_eq_u32 vcc, v0, v1 / v_div_fmas_f64 v[4:5], v[6:7], v[8:9], v[10:11]
wide-store-data       789  1  buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen / v_mov_b32 v3, 0
wide-store-data       789  1  buffer_store_format_xyz v[0:2], off, s[0:3], 0 / v_cvt_f64_u32 v[2:3], 0
wide-store-data       789  1  buffer_atomic_cmpswap_x2 v[0:3], off, s[0:3], 0 / v_mov_b32 v0, 0
wide-store-data       789  1  flat_store_dwordx3 v[4:5], v[0:2] / v_mov_b32 v1, 0
wide-store-data       789  1  flat_atomic_cmpswap_x2 v[4:5], v[0:3] / v_mov_b32 v1, 0
wide-store-data       78   1  image_store v[0:2], v[4:7], s[0:3] dmask:0x7 unorm r128 / v_mov_b32 v1, 0
wide-store-data       9    1  global_store_dwordx4 v[4:5], v[0:3], off / v_mov_b32 v1, 0
valu-sgpr-vmem        89   5  v_readfirstlane_b32 s2, v0 / buffer_load_dword v0, off, s[0:3], 0
valu-sgpr-vmem        89   5  v_cmp_eq_u32 s[6:7], v0, v1 / buffer_store_dword v0, off, s[0:3], s7
valu-sgpr-vmem        89   5  v_readlane_b32 s15, v0, 3 / image_load v0, v[4:7], s[8:15] dmask:0x1 unorm
valu-sgpr-vmem        9    5  v_readlane_b32 s3, v0, 3 / global_load_dword v0, v1, s[2:3]
salu-m0-message       89   1  s_mov_b32 m0, s0 / s_sendmsg sendmsg(MSG_INTERRUPT)
salu-m0-message       89   1  s_movk_i32 m0, 0x7 / ds_add_u32 v0, v1 gds
salu-m0-message       89   1  s_add_u32 m0, s0, s1 / s_ttracedata
valu-vgpr-dpp         89   2  v_mov_b32 v1, v2 / v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf
valu-vgpr-dpp         89   2  v_cvt_f64_u32 v[0:1], v2 / v_add_f32_dpp v3, v1, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
valu-vgpr-dpp         89   2  v_mov_b32 v1, v2 / v_mac_f32_dpp v3, v1, v4 row_shl:1 row_mask:0xf bank_mask:0xf
valu-exec-dpp         89   5  v_cmpx_eq_u32 vcc, v0, v1 / v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf
setreg-trapsts-rfe    89   1  s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0 / s_rfe_b64 s[2:3]
setreg-trapsts-rfe    89   1  s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 9), s0 / s_rfe_restore_b64 s[2:3], s4
salu-m0-lds           9    1  s_mov_b32 m0, s0 / ds_read_addtid_b32 v0
salu-m0-lds           9    1  s_mov_b32 m0, s0 / ds_write_addtid_b32 v0
salu-m0-lds           9    1  s_mov_b32 m0, s0 / buffer_load_dword off, s[0:3], 0 lds
salu-m0-lds           9    1  s_mov_b32 m0, s0 / buffer_store_lds_dword s[0:3], 0 lds
salu-m0-lds           9    1  s_mov_b32 m0, s0 / v_interp_p1_f32 v0, v1, attr0.x
salu-m0-lds           9    1  s_mov_b32 m0, s0 / v_mov_b32 v0, src_lds_direct
salu-m0-movrel        9    1  s_mov_b32 m0, s0 / s_movrels_b32 s1, s2
salu-m0-movrel        9    1  s_mov_b32 m0, s0 / s_movreld_b64 s[2:3], s[4:5]
valu-sgpr-smem        6    4  v_readfirstlane_b32 s2, v0 / s_load_dword s4, s[2:3], 0x0
valu-sgpr-smem        6    4  v_readfirstlane_b32 s8, v0 / s_buffer_load_dword s4, s[0:3], s8
salu-descriptor-smem  6    4  s_mov_b32 s3, 0xf000 / s_buffer_load_dword s4, s[0:3], 0x0
interp-vgpr-lane      6    1  v_interp_mov_f32 v1, p0, attr0.x / v_readlane_b32 s0, v1, 0
interp-vgpr-lane      6    1  v_interp_p1_f32 v1, v0, attr0.x / v_readfirstlane_b32 s0, v1
";

/// Hazards with VCC by two names, in a kernel of 32 SGPRs: VCC is s30 and s31 as well.
const ALIASED: &str = "
valu-vcc-alias        6789 1  v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v2, s31
valu-vcc-alias        6789 1  v_readfirstlane_b32 s30, v0 / v_mov_b32 v2, vcc_lo
salu-vcc-alias-branch 9    1  s_mov_b64 s[30:31], 0 / s_cbranch_vccz 0
";

/// Pairs that look like a hazard and are not: generations, SGPRs of the kernel, instructions.
const INNOCENT: &str = "
# LLVM: not before gfx8, and not before gfx9.
67   -   v_readfirstlane_b32 s2, v0 / buffer_load_dword v0, off, s[0:3], 0
67   -   s_mov_b32 m0, s0 / s_sendmsg sendmsg(MSG_INTERRUPT)
678  -   s_mov_b32 m0, s0 / s_movrels_b32 s1, s2
789  -   v_readfirstlane_b32 s2, v0 / s_load_dword s4, s[2:3], 0x0
# gfx6 has no such store hazard; elsewhere an SGPR as offset, 64 bits, 256 bits of resource, or another register.
6    -   buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen / v_mov_b32 v3, 0
6789 -   buffer_store_dwordx4 v[0:3], v9, s[0:3], s4 offen / v_mov_b32 v3, 0
6789 -   buffer_store_dwordx2 v[0:1], v9, s[0:3], 0 offen / v_mov_b32 v1, 0
6789 -   buffer_load_dwordx4 v[0:3], v9, s[0:3], 0 offen / v_mov_b32 v1, 0
6789 -   image_store v[0:3], v[4:7], s[0:7] dmask:0xf unorm / v_mov_b32 v1, 0
789  -   flat_store_dwordx4 v[4:5], v[0:3] / v_mov_b32 v4, 0
# What SALU writes is waited for, and other registers do not matter.
6789 -   s_mov_b32 s4, 1 / v_readlane_b32 s5, v1, s4
6789 -   v_readfirstlane_b32 s6, v0 / v_readlane_b32 s5, v1, s4
6789 -   v_cmp_eq_u32 s[2:3], v0, v1 / v_div_fmas_f32 v4, v5, v6, v7
89   -   v_readfirstlane_b32 s2, v0 / s_mov_b32 s2, 0 / buffer_load_dword v0, off, s[0:3], 0
89   -   v_cmpx_eq_u32 vcc, v0, v1 / buffer_load_dword v0, off, s[0:3], 0
# Other hardware registers, other bits of MODE.
6789 -   s_setreg_b32 hwreg(HW_REG_MODE), s0 / s_getreg_b32 s1, hwreg(HW_REG_STATUS)
6789 -   s_setreg_b32 hwreg(HW_REG_MODE, 0, 28), s0 / v_mov_b32 v0, v1
6789 -   s_setvskip s0, 3 / s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 8)
# LDS without GDS does not look at M0 on gfx9, and branches by VCCZ wait for VCC by themselves.
6789 -   s_mov_b32 m0, -1 / ds_read_b32 v0, v1
6789 32  v_cmp_eq_u32 vcc, v0, v1 / s_cbranch_vccz 0
# VCC by its own name both times, as a carry, by an SGPR that it is not, or that the code cannot name.
6789 32  v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v0, vcc_lo
6789 32  v_readfirstlane_b32 s30, v0 / v_mov_b32 v0, s30
6789 32  v_cmp_eq_u32 s[30:31], v0, v1 / v_cndmask_b32 v0, v1, v2, vcc
6789 32  v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v0, s29
6789 48  v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v0, s30
6789 -   v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v0, s30
6789 32  s_mov_b64 vcc, 0 / s_cbranch_vccz 0
89   112 v_cmp_eq_u32 vcc, v0, v1 / v_mov_b32 v0, s101
";

/// A row of a table of planted hazards.
struct Planted {
    name: &'static str,
    chips: Vec<Chip>,
    need: usize,
    first: &'static str,
    second: &'static str,
}

/// Returns a chip for each of the generations.
fn chips(digits: &str) -> Vec<Chip> {
    let all = [('6', Gfx600), ('7', Gfx701), ('8', Gfx803), ('9', Gfx900)];
    let chips = all.into_iter().filter(|(digit, _)| digits.contains(*digit));
    chips.map(|(_, chip)| chip).collect()
}

/// Returns the next word of a line, and the rest after it.
fn word(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(' ').expect("another word");
    (word, rest.trim())
}

fn planted(table: &'static str) -> Vec<Planted> {
    let lines = table.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (name, line) = word(line);
            let (generations, line) = word(line);
            let (need, line) = word(line);
            let (first, second) = line.split_once(" / ").expect("two instructions");
            Planted {
                name,
                chips: chips(generations),
                need: need.parse().expect("wait states"),
                first,
                second,
            }
        })
        .collect()
}

/// Returns a pair of instructions, with code of `states` wait states in between.
fn pair(planted: &Planted, states: usize) -> String {
    let between = match states {
        0 => String::new(),
        n => format!("s_nop {}", n - 1),
    };
    format!("{}\n{between}\n{}", planted.first, planted.second)
}

/// Returns the address of a source's last line.
fn start_of_second(source: &str, chip: Chip) -> u64 {
    let lines: Vec<&str> = source.lines().filter(|line| !line.is_empty()).collect();
    let before = &lines[..lines.len() - 1];
    let length = |line: &&str| u64::from(wavetank_gcn::parse(line, chip).expect(line).len);
    before.iter().map(length).sum()
}

/// Plants a hazard with every number of wait states from none to enough.
fn plant(planted: &Planted, chip: Chip, sgprs: Option<u32>) {
    let &Planted { name, need, .. } = planted;
    for states in 0..need {
        let source = pair(planted, states);
        let all = found_in(&source, chip, sgprs);
        let got: Vec<(&str, u64, u64)> = all
            .iter()
            .map(|f| (f.rule, f.related[0].place.pc, f.at.place.pc))
            .collect();
        let wanted = [(name, 0, start_of_second(&source, chip))];
        assert_eq!(got, wanted, "{chip}:\n{source}");
        let help = all[0].help.clone().unwrap_or_default();
        let nop = format!("`s_nop {}`", need - states - 1);
        assert!(help.contains(&nop), "{chip}:\n{source}\n{help}");
    }
    let source = pair(planted, need);
    assert_eq!(found_in(&source, chip, sgprs), [], "{chip}:\n{source}");
}

#[test]
fn planted_hazards_are_found() {
    for (table, sgprs) in [(PLANTED, None), (ALIASED, Some(32))] {
        for planted in planted(table) {
            for &chip in &planted.chips {
                plant(&planted, chip, sgprs);
            }
        }
    }
}

#[test]
fn every_row_is_planted_on_every_generation_that_has_it() {
    let rows = rows().flat_map(|row| {
        let has = |chip: &Chip| row.need(Column::of(*chip)) != Need::Never;
        let chips = chips("6789").into_iter().filter(has);
        chips.map(|chip| (row.name, chip))
    });
    let planted = [PLANTED, ALIASED].into_iter().flat_map(planted);
    let planted = planted.flat_map(|p| p.chips.into_iter().map(move |chip| (p.name, chip)));
    let (rows, planted): (BTreeSet<_>, BTreeSet<_>) = (rows.collect(), planted.collect());
    assert_eq!(rows, planted);
}

#[test]
fn what_is_no_hazard_is_not_found() {
    let lines = INNOCENT.lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (generations, line) = word(line);
        let (sgprs, line) = word(line);
        let source = line.replace(
            " / ", "
",
        );
        for chip in chips(generations) {
            let found = found_in(&source, chip, sgprs.parse().ok());
            assert_eq!(
                found,
                [],
                "{chip}:
{source}"
            );
        }
    }
}

#[test]
fn a_finding_has_the_path_to_it() {
    let all = found(
        "v_cmp_eq_u32 s[4:5], v0, v1\ns_mov_b32 s0, 0\nv_readlane_b32 s6, v1, s4",
        Gfx900,
    );
    let [finding] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(
        finding.message,
        "`v_readlane_b32` takes its lane from s4, 1 wait state after a VALU instruction wrote it; it needs 4 wait \
         states between"
    );
    assert_eq!(finding.at.label, "takes its lane from s4");
    assert_eq!(finding.related[0].label, "writes s4");
    let help = finding.help.as_deref().unwrap_or_default();
    assert!(help.starts_with("insert `s_nop 2` before it"), "{help}");
    assert!(finding.notes[0].starts_with("Vega ISA, 4.5"));
}
