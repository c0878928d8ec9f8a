//! Rules of `hazard`: a row of the table of hazards each, in words.

use super::row::Example::Assembly;
use super::row::Rule;
use crate::hazard::{Column, Need, Row, rows};
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
    "valu-exec-mfma" "A matrix instruction, or on gfx908 `v_accvgpr_write`, follows too soon after a VALU instruction wrote EXEC."
        "v_cmpx_eq_u32 vcc, v0, v1\nv_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]";
    "valu-vgpr-mfma" "A matrix instruction, or on gfx908 `v_accvgpr_write`, reads a register too soon after a VALU instruction wrote it."
        "v_mov_b32 v2, v0\nv_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]";
    "mfma-result-c" "A matrix instruction adds to the result of another one too soon, mostly if its SrcC is not exactly the same registers."
        "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]\nv_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]";
    "mfma-result-ab" "A matrix instruction multiplies with the result of another one too soon."
        "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]\nv_mfma_f32_4x4x1f32 a[4:7], a0, v3, a[4:7]";
    "mfma-result-read" "A VALU instruction reads the result of a matrix instruction too soon; on gfx908 that is `v_accvgpr_read`."
        "v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31]\nv_accvgpr_read_b32 v4, a0";
    "mfma-result-memory" "A store, an atomic, an address or an export reads the result of a matrix instruction too soon."
        "v_mfma_f32_32x32x1f32 v[0:31], v32, v33, v[0:31]\nglobal_store_dword v[34:35], v0, off";
    "mfma-result-write" "A VALU instruction overwrites the result of a matrix instruction too soon, which may be written later."
        "v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31]\nv_accvgpr_write_b32 a0, v4";
    "mfma-c-write" "A VALU instruction overwrites the SrcC of a matrix instruction too soon, before it is read."
        "v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[32:63]\nv_accvgpr_write_b32 a32, v4";
    "accvgpr-write-read" "An AGPR is read too soon after `v_accvgpr_write` wrote it (gfx908)."
        "v_accvgpr_write_b32 a0, v0\nv_accvgpr_read_b32 v1, a0";
    "accvgpr-read-memory" "Memory is accessed with a VGPR too soon after `v_accvgpr_read` wrote it (gfx908)."
        "v_accvgpr_read_b32 v0, a0\nds_write_b32 v1, v0";
    "valu-accvgpr-memory" "Memory is accessed with a VGPR right after a move from or to an AGPR that follows the VALU instruction which wrote the VGPR (gfx908)."
        "v_mov_b32 v0, v2\nv_accvgpr_read_b32 v3, a0\nds_write_b32 v1, v0";
    "dgemm-fma-f64" "A multiply-add of doubles follows too soon after a matrix instruction of double precision, with whatever registers."
        "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]\nv_fma_f64 v[8:9], v[10:11], v[12:13], v[14:15]";
    "valu-dgemm-memory" "Memory is accessed with a register too soon after a VALU instruction wrote it, and a matrix instruction of double precision is between (gfx90a)."
        "v_mov_b32 v8, v9\nv_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]\nds_write_b32 v10, v8";
    "dot-result" "The result of a dot product is used too soon, but for a SrcC of the same operation."
        "v_dot2_f32_f16 v0, v1, v2, v3\nv_add_f32 v4, v0, v5";
    "trans-result" "A VALU instruction that is not transcendental reads the result of one that is too soon (gfx942)."
        "v_rcp_f32 v0, v1\nv_add_f32 v2, v0, v3";
    "part-result" "A VALU instruction reads a register too soon after a part of it was written, selected by SDWA or `op_sel` (gfx942)."
        "v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD\nv_add_f32 v3, v0, v4";
    "valu-sgpr-valu" "A VALU instruction reads an SGPR or VCC too soon after a VALU instruction wrote it (gfx942)."
        "v_cmp_eq_u32 vcc, v0, v1\nv_cndmask_b32 v2, v3, v4, vcc";
    "valu-exec-lane" "`v_readlane`, `v_readfirstlane` or `v_writelane` follows too soon after a VALU instruction wrote EXEC (gfx942)."
        "v_cmpx_eq_u32 vcc, v0, v1\nv_readfirstlane_b32 s0, v2";
    "valu-vgpr-lane" "`v_readlane` or `v_readfirstlane` reads a VGPR too soon after a VALU instruction wrote it (gfx942)."
        "v_mov_b32 v0, v1\nv_readfirstlane_b32 s0, v0";
    "valu-vgpr-swap" "`v_permlane16_swap` or `v_permlane32_swap` exchanges rows of a VGPR too soon after a VALU instruction wrote it (gfx950)."
        "v_mov_b32 v0, v2\nv_permlane32_swap_b32 v0, v1";
    "valu-exec-swap" "`v_permlane16_swap` or `v_permlane32_swap` follows too soon after a VALU instruction wrote EXEC (gfx950)."
        "v_cmpx_eq_u32 vcc, v2, v3\nv_permlane32_swap_b32 v0, v1";
}

/// The columns of GCN, and those of CDNA.
const COLUMNS: [(Column, &str); 8] = [
    (Column::Gfx6, "gfx6"),
    (Column::Gfx7, "gfx7"),
    (Column::Gfx8, "gfx8"),
    (Column::Vega, "gfx9"),
    (Column::Gfx908, "gfx908"),
    (Column::Gfx90a, "gfx90a"),
    (Column::Gfx942, "gfx942"),
    (Column::Gfx950, "gfx950"),
];

/// Returns the wait states of a rule on each generation, and on each chip of CDNA if it is one of CDNA, with their sources.
pub(super) fn wait_states(name: &str) -> String {
    let (gcn, cdna) = COLUMNS.split_at(4);
    let is_of_cdna =
        |row: &&Row| row.need(Column::Vega) == Need::Never && row.need(Column::Gfx6) == Need::Never;
    let own = rows().filter(|row| row.name == name);
    let (of_cdna, of_gcn): (Vec<&Row>, Vec<&Row>) = own.partition(is_of_cdna);
    let parts = [table(&of_gcn, gcn), table(&of_cdna, cdna)];
    let tables: Vec<String> = parts.into_iter().flatten().collect();
    tables.join("\n\n")
}

/// Returns a table of rows, and the sources after it; `None` for no rows. Several rows have the two instructions in front.
fn table(rows: &[&Row], columns: &[(Column, &str)]) -> Option<String> {
    let cells = |texts: &[String]| format!("| {} |", texts.join(" | "));
    let names = columns.iter().map(|(_, name)| (*name).to_owned());
    let mut header: Vec<String> = names.collect();
    let line = |row: &&Row| -> Vec<String> {
        let needs = columns.iter().map(|(column, _)| row.need(*column));
        needs.map(|need| need.to_string()).collect()
    };
    let mut lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    match rows {
        [] => return None,
        [_] => {}
        _ => {
            header.splice(0..0, ["first".to_owned(), "second".to_owned()]);
            for (row, line) in rows.iter().zip(&mut lines) {
                let (first, uses) = row.parts();
                line.splice(0..0, [first.to_owned(), uses.replace("{}", "it")]);
            }
        }
    }
    let rule = format!("|{}", "---|".repeat(header.len()));
    let lines = lines.iter().map(|line| cells(line));
    let lines: Vec<String> = [cells(&header), rule].into_iter().chain(lines).collect();
    let mut needs = rows.iter().flat_map(|row| row.needs);
    let note = if needs.any(|need| need.to_string().contains('P')) {
        "\n\nP is the number of passes of the first instruction."
    } else {
        ""
    };
    let mut sources: Vec<&str> = rows.iter().map(|row| row.source).collect();
    sources.dedup();
    let (lines, sources) = (lines.join("\n"), sources.join("; "));
    Some(format!("{lines}{note}\n\nSource: {sources}."))
}
