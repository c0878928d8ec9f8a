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
    /// GCN 1.4, gfx900 to gfx90c (Vega), and CDNA, gfx908 to gfx950, which extends it.
    Gfx9,
}

macro_rules! chips {
    ($($(#[$doc:meta])* $id:ident $name:literal $gen:ident [$($alias:literal)*] [$($product:literal)*],)*) => {
        /// A chip: a member of a [`Generation`] with features of its own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Chip { $($(#[$doc])* $id,)* }

        impl Chip {
            /// Every chip in the order of declaration: [`Chip::GCN`], then [`Chip::CDNA`].
            const DECLARED: &'static [Chip] = &[$(Chip::$id,)*];

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

            /// Returns products with the chip, without the words AMD, Radeon, FirePro and Instinct: `RX 580`.
            ///
            /// Sources: LLVM's "User Guide for AMDGPU Backend", "Processors"; AMD's product pages.
            pub const fn products(self) -> &'static [&'static str] {
                match self { $(Chip::$id => &[$($product),*],)* }
            }
        }
    };
}

chips! {
    Gfx600 "gfx600" Gfx6 ["tahiti"]
        ["HD 7990" "HD 7970" "HD 7950" "HD 7870 XT" "R9 280X" "R9 280" "W9000" "W8000"],
    Gfx601 "gfx601" Gfx6 ["pitcairn" "verde"]
        ["HD 7870" "HD 7850" "HD 7770" "HD 7750" "R9 270X" "R9 270" "R7 265" "R7 250X"],
    Gfx602 "gfx602" Gfx6 ["hainan" "oland"]
        ["HD 8570" "R7 240" "R7 250"],
    Gfx700 "gfx700" Gfx7 ["kaveri"]
        ["A10-7850K" "FX-7600P"],
    Gfx701 "gfx701" Gfx7 ["hawaii"]
        ["W9100" "W8100" "S9150" "S9170"],
    Gfx702 "gfx702" Gfx7 []
        ["R9 290X" "R9 290" "R9 390X" "R9 390" "R9 295X2"],
    Gfx703 "gfx703" Gfx7 ["kabini" "mullins"]
        ["HD 8210" "E1-2100" "A4-5000"],
    Gfx704 "gfx704" Gfx7 ["bonaire"]
        ["R7 260X" "R7 260" "HD 7790" "HD 8770" "R7 360"],
    Gfx705 "gfx705" Gfx7 []
        ["A4 Micro-6400T" "R3 Graphics"],
    Gfx801 "gfx801" Gfx8 ["carrizo"]
        ["FX-8800P" "A10-8700P"],
    Gfx802 "gfx802" Gfx8 ["iceland" "tonga"]
        ["R9 285" "R9 380" "R9 380X" "R9 385"],
    Gfx803 "gfx803" Gfx8 ["fiji" "polaris10" "polaris11" "polaris12" "polaris"]
        ["RX 580" "RX 590" "RX 570" "RX 560" "RX 550" "RX 480" "RX 470" "RX 460" "R9 Fury X" "R9 Fury" "R9 Nano" "S9300 x2" "MI6" "MI8" "WX 7100"],
    Gfx805 "gfx805" Gfx8 ["tongapro"]
        ["W7100" "S7150" "S7100"],
    Gfx810 "gfx810" Gfx8 ["stoney"]
        ["A9-9410" "R5 Graphics"],
    Gfx900 "gfx900" Gfx9 ["vega10" "vega"]
        ["RX Vega" "RX Vega 64" "RX Vega 56" "Vega 64" "Vega 56" "Vega Frontier Edition" "MI25" "WX 9100"],
    Gfx902 "gfx902" Gfx9 ["raven"]
        ["RX Vega 11 Graphics" "Ryzen 5 2400G" "Ryzen 3 2200G" "Vega 11" "Vega 8"],
    Gfx904 "gfx904" Gfx9 ["vega12"]
        ["Pro Vega 20" "Pro Vega 16"],
    Gfx906 "gfx906" Gfx9 ["vega20"]
        ["Radeon VII" "Pro VII" "MI50" "MI60" "Pro Vega II"],
    Gfx909 "gfx909" Gfx9 ["raven2"]
        ["Vega 3 Graphics" "Ryzen 3 3200U"],
    Gfx90c "gfx90c" Gfx9 ["renoir"]
        ["Ryzen 7 4700G" "Ryzen 5 4600G" "Ryzen 7 5700G" "Ryzen 5 5600G"],
    Gfx908 "gfx908" Gfx9 ["arcturus"]
        ["MI100"],
    Gfx90a "gfx90a" Gfx9 ["aldebaran"]
        ["MI210" "MI250" "MI250X"],
    Gfx942 "gfx942" Gfx9 []
        ["MI300X" "MI300A" "MI325X"],
    Gfx950 "gfx950" Gfx9 []
        ["MI350X" "MI355X"],
}

impl Chip {
    /// The number of chips, whose numbers (`chip as usize`) are below it.
    pub(crate) const COUNT: usize = Chip::DECLARED.len();

    /// Every chip of GCN, oldest first.
    pub const GCN: &'static [Chip] = Chip::DECLARED.split_at(Chip::COUNT - 4).0;

    /// Every chip whose code is executed: those of GCN, then those of CDNA but gfx950.
    pub const EXECUTED: &'static [Chip] = Chip::DECLARED.split_at(Chip::COUNT - 1).0;

    /// The chips of CDNA, oldest first. The last one, gfx950, is assembled and disassembled, not executed.
    pub const CDNA: &'static [Chip] = Chip::DECLARED.split_at(Chip::COUNT - 4).1;

    /// Returns every chip, the executed ones first.
    ///
    /// ```
    /// use wavetank_gcn::Chip;
    /// assert!(Chip::all().any(|chip| chip == Chip::Gfx90a));
    /// ```
    pub fn all() -> impl Iterator<Item = Chip> {
        Chip::DECLARED.iter().copied()
    }

    /// Whether the chip is one of CDNA ([`Chip::CDNA`]).
    pub const fn is_cdna(self) -> bool {
        self as usize >= Chip::Gfx908 as usize
    }
}

impl Chip {
    /// Finds a chip by any of its names, or by a product, in any case. Blanks and the words AMD, Radeon, FirePro and Instinct may be
    /// left out of a product.
    ///
    /// ```
    /// use wavetank_gcn::Chip;
    /// assert_eq!(Chip::from_name("tonga"), Some(Chip::Gfx802));
    /// assert_eq!(Chip::from_name("Vega20"), Some(Chip::Gfx906));
    /// assert_eq!(Chip::from_name("Radeon RX 580"), Some(Chip::Gfx803));
    /// assert_eq!(Chip::from_name("mi50"), Some(Chip::Gfx906));
    /// assert_eq!(Chip::from_name("MI250X"), Some(Chip::Gfx90a));
    /// assert_eq!(Chip::from_name("gfx1100"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Chip> {
        let has_name = |chip: &Chip| chip.names().any(|n| n.eq_ignore_ascii_case(name));
        Chip::all().find(has_name).or_else(|| {
            let key = product_key(name);
            let has_product = |chip: &Chip| chip.products().iter().any(|p| product_key(p) == key);
            Chip::all().find(has_product)
        })
    }
}

impl Chip {
    /// Returns all names of the chip.
    fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }
}

/// Returns the letters and digits of a product's name in lower case, without the words that people leave out.
pub fn product_key(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let is_meant = |word: &&str| !matches!(*word, "amd" | "radeon" | "firepro" | "instinct");
    words.filter(is_meant).collect()
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
