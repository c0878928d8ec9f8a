//! The relocations of AMD GPUs (`R_AMDGPU_*`), which define how a place is changed when addresses are known.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Relocation Records". S is the symbol's address, A the addend, P the address
//! of the place, G the symbol's entry in the global offset table, B the load address of the object.

/// Declares relocation types with their names.
macro_rules! relocations {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        $($(#[$doc])* pub const $name: u32 = $number;)*

        /// Returns the name of a relocation type in LLVM's spelling.
        pub fn name(kind: u32) -> String {
            match kind {
                $($number => concat!("R_AMDGPU_", stringify!($name)).to_owned(),)*
                other => format!("{other}"),
            }
        }
    };
}

relocations! {
    /// No change of the place.
    NONE = 0,
    /// Lower 32 bits of S + A.
    ABS32_LO = 1,
    /// Upper 32 bits of S + A.
    ABS32_HI = 2,
    /// S + A, in 64 bits.
    ABS64 = 3,
    /// S + A − P, in 32 bits.
    REL32 = 4,
    /// S + A − P, in 64 bits.
    REL64 = 5,
    /// S + A, in 32 bits.
    ABS32 = 6,
    /// G + A − P, in 32 bits.
    GOTPCREL = 7,
    /// Lower 32 bits of G + A − P.
    GOTPCREL32_LO = 8,
    /// Upper 32 bits of G + A − P.
    GOTPCREL32_HI = 9,
    /// Lower 32 bits of S + A − P.
    REL32_LO = 10,
    /// Upper 32 bits of S + A − P.
    REL32_HI = 11,
    /// B + A, in 64 bits, applied by a loader.
    RELATIVE64 = 13,
    /// (S + A − P − 4) / 4, in 16 bits: the distance of a branch.
    REL16 = 14,
}
