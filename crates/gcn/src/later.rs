//! AMD's architectures after GCN, which are not executed: the names of their chips, of RDNA's instructions, and the sentence about
//! them.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend", "Processors"; the ISA manuals of CDNA 1 to 3 and of RDNA 1 to 4. The names are
//! only looked up after no chip and no instruction of GCN has been found.

use std::fmt;

use wavetank_quote::plain;

use crate::generation::product_key;

/// The sentence about chips that are not executed, which follows the name of one.
pub const EXECUTED_CHIPS: &str = "GCN and CDNA are executed up to gfx942; gfx950 is assembled and disassembled, RDNA is not supported";

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

/// Early versions of gfx942, which LLVM 15 to 19 compile for. Their caches want other bits of memory instructions.
const EARLY_GFX942: &[&str] = &["gfx940", "gfx941"];

/// Series of products, each with the number of digits after its name: an Instinct MI60 and a Radeon RX 580 are chips of GCN.
const SERIES: &[(&str, usize, LaterArchitecture)] = &[("mi", 3, Cdna), ("rx", 4, Rdna)];

/// Beginnings of the names of RDNA's instructions.
const INSTRUCTIONS: &[&str] = &[
    "v_dual_",
    "v_wmma_",
    "v_swmmac_",
    "v_add_nc_",
    "v_sub_nc_",
    "v_subrev_nc_",
    "v_add_co_ci_",
    "v_sub_co_ci_",
    "v_permlane16_b32",
    "v_permlanex16_",
    "v_permlane64_",
    "v_xor3_b32",
    "s_waitcnt_",
    "s_wait_",
    "s_delay_alu",
    "s_clause",
    "s_inst_prefetch",
    "s_subvector_loop_",
    "s_gl1_inv",
    "buffer_gl",
    "ds_load_",
    "ds_store_",
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

    /// Returns the architecture that has an instruction of this name, which neither GCN nor CDNA has.
    ///
    /// ```
    /// use wavetank_gcn::LaterArchitecture;
    /// let of = LaterArchitecture::of_instruction;
    /// assert_eq!(of("v_dual_mul_f32"), Some(LaterArchitecture::Rdna));
    /// assert_eq!(of("v_add_f23"), None);
    /// ```
    pub fn of_instruction(name: &str) -> Option<LaterArchitecture> {
        let known = INSTRUCTIONS.iter().any(|start| name.starts_with(start));
        (known || moves_bits(name)).then_some(Rdna)
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
///     wavetank_gcn::later_chip("gfx950").as_deref(),
///     Some("gfx950 is a chip of CDNA: GCN and CDNA are executed up to gfx942; gfx950 is assembled and disassembled, RDNA is not supported")
/// );
/// assert_eq!(
///     wavetank_gcn::later_chip("gfx940").as_deref(),
///     Some("gfx940 is an early version of gfx942, which no product has: compile for gfx942")
/// );
/// ```
pub fn later_chip(name: &str) -> Option<String> {
    let architecture = LaterArchitecture::of_chip(name)?;
    if EARLY_GFX942.contains(&product_key(name).as_str()) {
        return Some(format!(
            "{} is an early version of gfx942, which no product has: compile for gfx942",
            plain(name)
        ));
    }
    Some(format!(
        "{} is a chip of {architecture}: {EXECUTED_CHIPS}",
        plain(name)
    ))
}
