//! The relocations of AMD GPUs (`R_AMDGPU_*`): how a place is changed when addresses are known.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Relocation Records". S is the symbol's address, A the addend, P the
//! address of the place, G the symbol's entry in the global offset table, B the address that the object is loaded at.

/// Declares relocations with their names.
macro_rules! relocations {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        $($(#[$doc])* pub const $name: u32 = $number;)*

        /// The name of a relocation as LLVM writes it.
        pub fn name(kind: u32) -> String {
            match kind {
                $($number => concat!("R_AMDGPU_", stringify!($name)).to_owned(),)*
                other => format!("{other}"),
            }
        }
    };
}

relocations! {
    /// Nothing.
    NONE = 0,
    /// Lower 32 bits of S + A.
    ABS32_LO = 1,
    /// Upper 32 bits of S + A.
    ABS32_HI = 2,
    /// S + A, 64 bits.
    ABS64 = 3,
    /// S + A − P, 32 bits.
    REL32 = 4,
    /// S + A − P, 64 bits.
    REL64 = 5,
    /// S + A, 32 bits.
    ABS32 = 6,
    /// G + A − P, 32 bits.
    GOTPCREL = 7,
    /// Lower 32 bits of G + A − P.
    GOTPCREL32_LO = 8,
    /// Upper 32 bits of G + A − P.
    GOTPCREL32_HI = 9,
    /// Lower 32 bits of S + A − P.
    REL32_LO = 10,
    /// Upper 32 bits of S + A − P.
    REL32_HI = 11,
    /// B + A, 64 bits: what a loader does.
    RELATIVE64 = 13,
    /// (S + A − P − 4) / 4, 16 bits: the distance of a branch.
    REL16 = 14,
}
