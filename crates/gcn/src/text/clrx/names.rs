//! Names that differ between CLRX and LLVM.

use crate::generation::Generation;
use crate::inst::{DstUnused, SdwaSel};

/// Returns CLRX's name of an instruction of a generation, where it differs from LLVM's.
///
/// Integer compares are `lg` and `tru` in CLRX, not `ne` and `t`.
pub(super) fn mnemonic(llvm: &'static str, generation: Generation) -> Name {
    let renamed = match (llvm, generation) {
        ("v_qsad_pk_u16_u8", Generation::Gfx6) => Some("v_qsad_u8"),
        ("v_mqsad_pk_u16_u8", Generation::Gfx6) => Some("v_mqsad_u8"),
        ("buffer_wbinvl1_vol", Generation::Gfx7) => Some("buffer_wbinvl1_sc"),
        _ => None,
    };
    if let Some(name) = renamed {
        return Name([name, "", ""]);
    }
    for prefix in ["v_cmp_", "v_cmpx_"] {
        let rest = llvm.strip_prefix(prefix).unwrap_or_default();
        if let Some(ty) = rest.strip_prefix("ne_") {
            return Name([prefix, "lg_", ty]);
        }
        if let Some(ty) = rest.strip_prefix("t_") {
            return Name([prefix, "tru_", ty]);
        }
    }
    Name([llvm, "", ""])
}

/// Pairs of names of an instruction with carry: LLVM has the first up to gfx7, the second on gfx8; CLRX has both.
const TWINS: [(&str, &str); 3] = [
    ("v_add_i32", "v_add_u32"),
    ("v_sub_i32", "v_sub_u32"),
    ("v_subrev_i32", "v_subrev_u32"),
];

/// Returns the other name of an instruction, if it has two.
pub(super) fn twin(llvm: &str, generation: Generation) -> Option<&'static str> {
    TWINS.iter().find_map(|(old, new)| match generation {
        Generation::Gfx6 | Generation::Gfx7 => (*old == llvm).then_some(*new),
        Generation::Gfx8 => (*new == llvm).then_some(*old),
        Generation::Gfx9 => None,
    })
}

/// A name made of up to three pieces.
#[derive(Clone, Copy)]
pub(super) struct Name(pub [&'static str; 3]);

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// Hardware registers: number, name, first generation.
pub(in crate::text) const HWREGS: [(u8, &str, Generation); 19] = [
    (1, "mode", Generation::Gfx6),
    (2, "status", Generation::Gfx6),
    (3, "trapsts", Generation::Gfx6),
    (4, "hw_id", Generation::Gfx6),
    (5, "gpr_alloc", Generation::Gfx6),
    (6, "lds_alloc", Generation::Gfx6),
    (7, "ib_sts", Generation::Gfx6),
    (8, "pc_lo", Generation::Gfx6),
    (9, "pc_hi", Generation::Gfx6),
    (10, "inst_dw0", Generation::Gfx6),
    (11, "inst_dw1", Generation::Gfx6),
    (12, "ib_dbg0", Generation::Gfx6),
    (13, "ib_dbg1", Generation::Gfx8),
    (14, "flush_ib", Generation::Gfx9),
    (15, "sh_mem_bases", Generation::Gfx9),
    (16, "sq_shader_tba_lo", Generation::Gfx9),
    (17, "sq_shader_tba_hi", Generation::Gfx9),
    (18, "sq_shader_tma_lo", Generation::Gfx9),
    (19, "sq_shader_tma_hi", Generation::Gfx9),
];

/// Messages: number, name, first generation.
pub(in crate::text) const MESSAGES: [(u8, &str, Generation); 12] = [
    (1, "interrupt", Generation::Gfx6),
    (2, "gs", Generation::Gfx6),
    (3, "gs_done", Generation::Gfx6),
    (4, "savewave", Generation::Gfx8),
    (5, "stall_wave_gen", Generation::Gfx9),
    (6, "halt_waves", Generation::Gfx9),
    (7, "ordered_ps_done", Generation::Gfx9),
    (8, "early_prim_dealloc", Generation::Gfx9),
    (9, "gs_alloc_req", Generation::Gfx9),
    (10, "get_doorbell", Generation::Gfx9),
    (15, "sysmsg", Generation::Gfx6),
    // A second name of message 15.
    (15, "system", Generation::Gfx6),
];

/// Operations of a message, by number.
pub(in crate::text) const MESSAGE_OPS: [&str; 4] = ["nop", "cut", "emit", "emit_cut"];

/// SDWA selections: first the names that are printed, then other accepted ones.
pub(super) const SELS: [(&str, SdwaSel); 24] = [
    ("byte0", SdwaSel::Byte0),
    ("byte1", SdwaSel::Byte1),
    ("byte2", SdwaSel::Byte2),
    ("byte3", SdwaSel::Byte3),
    ("word0", SdwaSel::Word0),
    ("word1", SdwaSel::Word1),
    ("dword", SdwaSel::Dword),
    ("invalid", SdwaSel::Reserved),
    ("byte_0", SdwaSel::Byte0),
    ("byte_1", SdwaSel::Byte1),
    ("byte_2", SdwaSel::Byte2),
    ("byte_3", SdwaSel::Byte3),
    ("word_0", SdwaSel::Word0),
    ("word_1", SdwaSel::Word1),
    ("b0", SdwaSel::Byte0),
    ("b1", SdwaSel::Byte1),
    ("b2", SdwaSel::Byte2),
    ("b3", SdwaSel::Byte3),
    ("w0", SdwaSel::Word0),
    ("w1", SdwaSel::Word1),
    ("dw", SdwaSel::Dword),
    ("sdwa_dword", SdwaSel::Dword),
    ("sdwa_word_0", SdwaSel::Word0),
    ("sdwa_word_1", SdwaSel::Word1),
];

/// SDWA treatments of the rest of the destination: first the names that are printed, then other accepted ones.
pub(super) const UNUSED: [(&str, DstUnused); 7] = [
    ("pad", DstUnused::Pad),
    ("sext", DstUnused::Sext),
    ("preserve", DstUnused::Preserve),
    ("invalid", DstUnused::Reserved),
    ("unused_pad", DstUnused::Pad),
    ("unused_sext", DstUnused::Sext),
    ("unused_preserve", DstUnused::Preserve),
];

/// Data formats of MTBUF by code.
pub(in crate::text) const DATA_FORMATS: [&str; 16] = [
    "invalid",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "reserved_15",
];

/// Number formats of MTBUF by code.
pub(in crate::text) const NUMBER_FORMATS: [&str; 8] = [
    "unorm",
    "snorm",
    "uscaled",
    "sscaled",
    "uint",
    "sint",
    "snorm_ogl",
    "float",
];
