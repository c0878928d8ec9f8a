//! Rules of `hazard`: a row of the table of hazards each, in words.

use super::row::Example::Assembly;
use super::row::Rule;
use crate::hazard::ROWS;
use crate::tool::Tool::Hazard;

const WHY: &str = "The chip does not wait by itself: the second instruction may see the state from before the first one. Each instruction is \
                   a wait state, and `s_nop N` is N + 1.";
const LIMITS: &str = "Code is followed along all paths without running it, and the smallest distance counts. Where the manuals and compilers \
                      differ, only the number that all of them require is required. Registers that M0 chooses are not seen.";

macro_rules! rules {
    ($($name:literal $finds:literal $example:literal;)*) => {
        pub(super) const RULES: &[Rule] = &[$(Rule {
            tool: Hazard,
            name: $name,
            finds: $finds,
            why: WHY,
            example: Assembly($example),
            limits: LIMITS,
        },)*];
    };
}

rules! {
    "setreg-getreg" "`s_getreg` reads a hardware register too soon after `s_setreg` wrote it."
        "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\ns_getreg_b32 s1, hwreg(HW_REG_MODE, 8, 1)";
    "setreg-setreg" "`s_setreg` writes a hardware register too soon after `s_setreg` wrote it."
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0";
    "setvskip-getreg" "`s_getreg` reads VSKIP from MODE too soon after `s_setvskip` set it."
        "s_setvskip s0, 3\ns_getreg_b32 s1, hwreg(HW_REG_MODE, 28, 1)";
    "setreg-vskip-vector" "A vector instruction follows too soon after `s_setreg` wrote MODE.vskip, which skips it or not."
        "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0\nv_mov_b32 v0, v1";
    "valu-vccz-execz" "A VALU instruction reads VCCZ or EXECZ too soon after a VALU instruction wrote VCC or EXEC."
        "v_cmp_eq_u32 vcc, v0, v1\nv_mov_b32 v2, src_vccz";
    "valu-sgpr-lane" "`v_readlane` or `v_writelane` takes its lane from an SGPR too soon after a VALU instruction wrote it."
        "v_readfirstlane_b32 s4, v0\nv_readlane_b32 s5, v1, s4";
    "valu-vcc-div-fmas" "`v_div_fmas` reads VCC too soon after a VALU instruction wrote it."
        "v_div_scale_f32 v0, vcc, v1, v2, v3\nv_div_fmas_f32 v4, v5, v6, v7";
    "wide-store-data" "A VALU instruction writes the data registers of a store of more than 64 bits too soon after it."
        "buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen\nv_mov_b32 v3, 0";
    "valu-sgpr-vmem" "A vector memory instruction reads an SGPR too soon after a VALU instruction wrote it."
        "v_readfirstlane_b32 s2, v0\nbuffer_load_dword v0, off, s[0:3], 0";
    "salu-m0-message" "GDS, `s_sendmsg` or `s_ttracedata` reads M0 too soon after a SALU instruction wrote it."
        "s_mov_b32 m0, s0\ns_sendmsg sendmsg(MSG_INTERRUPT)";
    "valu-vgpr-dpp" "An instruction reads a VGPR with DPP too soon after a VALU instruction wrote it."
        "v_mov_b32 v1, v2\nv_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf";
    "valu-exec-dpp" "An instruction uses DPP too soon after a VALU instruction wrote EXEC."
        "v_cmpx_eq_u32 vcc, v0, v1\nv_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf";
    "valu-vcc-alias" "A VALU instruction reads VCC as an SGPR too soon after a VALU instruction wrote it by name, or the other way round."
        "v_cmp_eq_u32 vcc, v0, v1\nv_mov_b32 v2, s14          // VCC of a kernel with 16 SGPRs";
    "setreg-trapsts-rfe" "`s_rfe` returns from a trap too soon after `s_setreg` wrote TRAPSTS."
        "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\ns_rfe_b64 s[2:3]";
    "salu-m0-lds" "An instruction that takes an LDS address from M0 follows too soon after a SALU instruction wrote M0."
        "s_mov_b32 m0, s0\nds_read_addtid_b32 v0";
    "salu-m0-movrel" "`s_movrel` reads M0 too soon after a SALU instruction wrote it."
        "s_mov_b32 m0, s0\ns_movrels_b32 s1, s2";
    "salu-vcc-alias-branch" "A branch on VCCZ follows too soon after a SALU instruction wrote VCC as an SGPR."
        "s_mov_b32 s14, 0              // VCC of a kernel with 16 SGPRs\ns_cbranch_vccz 1\ns_nop 0";
    "valu-sgpr-smem" "A scalar memory instruction reads an SGPR too soon after a VALU instruction wrote it."
        "v_readfirstlane_b32 s4, v0\ns_load_dword s6, s[4:5], 0x0";
    "salu-descriptor-smem" "`s_buffer_load` reads its descriptor too soon after a SALU instruction wrote it."
        "s_mov_b32 s4, s0\ns_buffer_load_dword s8, s[4:7], 0x0";
    "interp-vgpr-lane" "`v_readlane` or `v_readfirstlane` reads a VGPR too soon after an interpolation wrote it."
        "v_interp_p1_f32 v0, v1, attr0.x\nv_readfirstlane_b32 s0, v0";
}

/// Returns the wait states of a rule on each generation, and their source.
pub(super) fn wait_states(name: &str) -> String {
    let row = ROWS.iter().find(|row| row.name == name);
    let row = row.expect("each rule is a row of the table");
    let needs = row.needs.map(|need| match need {
        0 => "–".to_owned(),
        need => need.to_string(),
    });
    let source = row.source;
    format!(
        "| gfx6 | gfx7 | gfx8 | gfx9 |\n|---|---|---|---|\n| {} |\n\nSource: {source}.",
        needs.join(" | ")
    )
}
