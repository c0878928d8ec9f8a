//! AMD's architectures after GCN, which are not supported: the names of their chips and instructions, and the sentence about them.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend", "Processors"; the ISA manuals of CDNA 1 to 3 and of RDNA 1 to 4. The names are
//! only looked up after no chip and no instruction of GCN has been found.

use std::fmt;

use wavetank_quote::plain;

use crate::generation::product_key;

/// The sentence about chips that are not supported, which follows the name of one.
pub const ONLY_GCN: &str = "CDNA and RDNA are not supported yet, only GCN is (gfx600 to gfx90c)";

/// An architecture after GCN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterArchitecture {
    /// gfx908 to gfx950: Instinct MI100 to MI355X.
    Cdna,
    /// gfx1010 to gfx1201: Radeon RX 5000 to RX 9000.
    Rdna,
}

use LaterArchitecture::{Cdna, Rdna};

/// Beginnings of chip names, in LLVM and in Linux.
const CHIPS: &[(&str, LaterArchitecture)] = &[
    ("gfx908", Cdna),
    ("gfx90a", Cdna),
    ("gfx94", Cdna),
    ("gfx95", Cdna),
    ("arcturus", Cdna),
    ("aldebaran", Cdna),
    ("gfx10", Rdna),
    ("gfx11", Rdna),
    ("gfx120", Rdna),
    ("gfx12generic", Rdna),
    ("navi", Rdna),
];

/// Series of products, each with the number of digits after its name: an Instinct MI60 and a Radeon RX 580 are chips of GCN.
const SERIES: &[(&str, usize, LaterArchitecture)] = &[("mi", 3, Cdna), ("rx", 4, Rdna)];

/// Beginnings of instruction names that GCN does not have.
const INSTRUCTIONS: &[(&str, LaterArchitecture)] = &[
    ("v_mfma_", Cdna),
    ("v_smfmac_", Cdna),
    ("v_accvgpr_", Cdna),
    ("v_pk_add_f32", Cdna),
    ("v_pk_fma_f32", Cdna),
    ("v_pk_mul_f32", Cdna),
    ("v_pk_mov_b32", Cdna),
    ("v_pk_fmac_f16", Cdna),
    ("v_dot2c_", Cdna),
    ("v_dot4c_", Cdna),
    ("v_dot8c_", Cdna),
    ("v_dot2_f32_bf16", Cdna),
    ("v_mov_b64", Cdna),
    ("v_lshl_add_u64", Cdna),
    ("v_bitop3_", Cdna),
    ("v_prng_", Cdna),
    ("v_ashr_pk_", Cdna),
    ("v_cvt_scalef32_", Cdna),
    ("v_cvt_sr_", Cdna),
    ("v_cvt_pk_bf", Cdna),
    ("v_cvt_pk_fp8", Cdna),
    ("v_cvt_pk_f32_", Cdna),
    ("v_cvt_f32_bf", Cdna),
    ("v_cvt_f32_fp8", Cdna),
    ("v_permlane16_swap_", Cdna),
    ("v_permlane32_swap_", Cdna),
    ("buffer_wbl2", Cdna),
    ("buffer_invl2", Cdna),
    ("buffer_atomic_add_f", Cdna),
    ("buffer_atomic_max_f64", Cdna),
    ("buffer_atomic_min_f64", Cdna),
    ("buffer_atomic_pk_add_", Cdna),
    ("flat_atomic_add_f", Cdna),
    ("flat_atomic_max_f64", Cdna),
    ("flat_atomic_min_f64", Cdna),
    ("flat_atomic_pk_add_", Cdna),
    ("global_atomic_add_f", Cdna),
    ("global_atomic_max_f64", Cdna),
    ("global_atomic_min_f64", Cdna),
    ("global_atomic_pk_add_", Cdna),
    ("global_load_lds_", Cdna),
    ("scratch_load_lds_", Cdna),
    ("ds_pk_add_", Cdna),
    ("ds_add_f64", Cdna),
    ("ds_add_rtn_f64", Cdna),
    ("ds_read_b64_tr_", Cdna),
    ("ds_read_b96_tr_", Cdna),
    ("v_dual_", Rdna),
    ("v_wmma_", Rdna),
    ("v_swmmac_", Rdna),
    ("v_add_nc_", Rdna),
    ("v_sub_nc_", Rdna),
    ("v_subrev_nc_", Rdna),
    ("v_add_co_ci_", Rdna),
    ("v_sub_co_ci_", Rdna),
    ("v_permlane16_", Rdna),
    ("v_permlanex16_", Rdna),
    ("v_permlane64_", Rdna),
    ("v_xor3_b32", Rdna),
    ("s_waitcnt_", Rdna),
    ("s_wait_", Rdna),
    ("s_delay_alu", Rdna),
    ("s_clause", Rdna),
    ("s_inst_prefetch", Rdna),
    ("s_subvector_loop_", Rdna),
    ("s_gl1_inv", Rdna),
    ("buffer_gl", Rdna),
    ("ds_load_", Rdna),
    ("ds_store_", Rdna),
];

impl LaterArchitecture {
    /// Returns the architecture of a chip, by its name in LLVM, its code name or a product.
    ///
    /// ```
    /// use wavetank_gcn::LaterArchitecture;
    /// assert_eq!(LaterArchitecture::of_chip("gfx90a"), Some(LaterArchitecture::Cdna));
    /// assert_eq!(LaterArchitecture::of_chip("RX 7900 XTX"), Some(LaterArchitecture::Rdna));
    /// assert_eq!(LaterArchitecture::of_chip("gfx906"), None);
    /// assert_eq!(LaterArchitecture::of_chip("RX 580"), None);
    /// ```
    pub fn of_chip(name: &str) -> Option<LaterArchitecture> {
        let name = product_key(name);
        let is_of = |series: &str, digits| {
            let number = name.strip_prefix(series).unwrap_or_default();
            number.bytes().take_while(u8::is_ascii_digit).count() == digits
        };
        let by_name = CHIPS.iter().find(|(start, _)| name.starts_with(start));
        let by_name = by_name.map(|(_, architecture)| *architecture);
        let series = || {
            SERIES
                .iter()
                .find(|(series, digits, _)| is_of(series, *digits))
        };
        by_name.or_else(|| series().map(|(_, _, architecture)| *architecture))
    }

    /// Returns the architecture that has an instruction of this name, which GCN does not have.
    ///
    /// ```
    /// use wavetank_gcn::LaterArchitecture;
    /// let of = LaterArchitecture::of_instruction;
    /// assert_eq!(of("v_mfma_f32_32x32x1f32"), Some(LaterArchitecture::Cdna));
    /// assert_eq!(of("v_dual_mul_f32"), Some(LaterArchitecture::Rdna));
    /// assert_eq!(of("v_add_f23"), None);
    /// ```
    pub fn of_instruction(name: &str) -> Option<LaterArchitecture> {
        let mut rows = INSTRUCTIONS.iter();
        let row = rows.find(|(start, _)| name.starts_with(start));
        let row = row.map(|(_, architecture)| *architecture);
        row.or_else(|| moves_bits(name).then_some(Rdna))
    }
}

/// Whether a name is that of a load or store of RDNA 3, which counts bits: `global_load_b32`.
fn moves_bits(name: &str) -> bool {
    let size = name.split_once("_load_").or(name.split_once("_store_"));
    let bits = size.and_then(|(_, size)| size.strip_prefix('b'));
    bits.is_some_and(|bits| bits.starts_with(|c: char| c.is_ascii_digit()))
}

impl fmt::Display for LaterArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cdna => "CDNA",
            Rdna => "RDNA",
        })
    }
}

/// Returns the sentence about a chip of a later architecture; `None` for other names.
///
/// ```
/// assert_eq!(
///     wavetank_gcn::later_chip("gfx90a").as_deref(),
///     Some("gfx90a is a chip of CDNA: CDNA and RDNA are not supported yet, only GCN is (gfx600 to gfx90c)")
/// );
/// ```
pub fn later_chip(name: &str) -> Option<String> {
    let architecture = LaterArchitecture::of_chip(name)?;
    Some(format!(
        "{} is a chip of {architecture}: {ONLY_GCN}",
        plain(name)
    ))
}
