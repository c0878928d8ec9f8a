//! Generations and chips, with their names.

use std::fmt;

/// A GCN generation, which determines opcode numbers and encodings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Generation {
    /// GCN 1.0, gfx600 to gfx602 (Southern Islands).
    Gfx6,
    /// GCN 1.1, gfx700 to gfx705 (Sea Islands).
    Gfx7,
    /// GCN 1.2, gfx801 to gfx810 (Volcanic Islands).
    Gfx8,
    /// GCN 1.4, gfx900 to gfx90c (Vega).
    Gfx9,
}

macro_rules! chips {
    ($($(#[$doc:meta])* $id:ident $name:literal $gen:ident [$($alias:literal)*],)*) => {
        /// A chip: a member of a [`Generation`] with features of its own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Chip { $($(#[$doc])* $id,)* }

        impl Chip {
            /// Every chip, oldest first.
            pub const ALL: &'static [Chip] = &[$(Chip::$id,)*];

            /// Returns the generation of the chip.
            pub const fn generation(self) -> Generation {
                match self { $(Chip::$id => Generation::$gen,)* }
            }

            /// Returns the primary name in LLVM and ROCm: `gfx900`.
            pub const fn name(self) -> &'static str {
                match self { $(Chip::$id => $name,)* }
            }

            /// Returns other names of the same target: LLVM's, such as `tonga`, and the code names of its chips, such as
            /// `vega20`.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Chip::$id => &[$($alias),*],)* }
            }
        }
    };
}

chips! {
    Gfx600 "gfx600" Gfx6 ["tahiti"],
    Gfx601 "gfx601" Gfx6 ["pitcairn" "verde"],
    Gfx602 "gfx602" Gfx6 ["hainan" "oland"],
    Gfx700 "gfx700" Gfx7 ["kaveri"],
    Gfx701 "gfx701" Gfx7 ["hawaii"],
    Gfx702 "gfx702" Gfx7 [],
    Gfx703 "gfx703" Gfx7 ["kabini" "mullins"],
    Gfx704 "gfx704" Gfx7 ["bonaire"],
    Gfx705 "gfx705" Gfx7 [],
    Gfx801 "gfx801" Gfx8 ["carrizo"],
    Gfx802 "gfx802" Gfx8 ["iceland" "tonga"],
    Gfx803 "gfx803" Gfx8 ["fiji" "polaris10" "polaris11" "polaris12" "polaris"],
    Gfx805 "gfx805" Gfx8 ["tongapro"],
    Gfx810 "gfx810" Gfx8 ["stoney"],
    Gfx900 "gfx900" Gfx9 ["vega10" "vega"],
    Gfx902 "gfx902" Gfx9 ["raven"],
    Gfx904 "gfx904" Gfx9 ["vega12"],
    Gfx906 "gfx906" Gfx9 ["vega20"],
    Gfx909 "gfx909" Gfx9 ["raven2"],
    Gfx90c "gfx90c" Gfx9 ["renoir"],
}

impl Chip {
    /// Finds a chip by any of its names, in any case.
    ///
    /// ```
    /// use wavetank_gcn::Chip;
    /// assert_eq!(Chip::from_name("tonga"), Some(Chip::Gfx802));
    /// assert_eq!(Chip::from_name("Vega20"), Some(Chip::Gfx906));
    /// assert_eq!(Chip::from_name("gfx1100"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Chip> {
        Chip::ALL
            .iter()
            .copied()
            .find(|c| c.names().any(|n| n.eq_ignore_ascii_case(name)))
    }
}

impl Chip {
    /// Returns all names of the chip.
    fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
