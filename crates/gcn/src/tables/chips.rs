//! Sets of chips of gfx9, which have different instructions. The chips of an older generation have the same ones.

use bitflags::bitflags;

use crate::generation::Chip;

bitflags! {
    /// A set of chips of gfx9.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Chips: u16 {
        #[allow(missing_docs)]
        const GFX900 = 1 << 0;
        #[allow(missing_docs)]
        const GFX902 = 1 << 1;
        #[allow(missing_docs)]
        const GFX904 = 1 << 2;
        #[allow(missing_docs)]
        const GFX906 = 1 << 3;
        #[allow(missing_docs)]
        const GFX909 = 1 << 4;
        #[allow(missing_docs)]
        const GFX90C = 1 << 5;
        #[allow(missing_docs)]
        const GFX908 = 1 << 6;
        #[allow(missing_docs)]
        const GFX90A = 1 << 7;
        #[allow(missing_docs)]
        const GFX942 = 1 << 8;
        #[allow(missing_docs)]
        const GFX950 = 1 << 9;

        /// No chip.
        const NONE = 0;
        /// Every chip.
        const ALL = (1 << 10) - 1;
        /// CDNA 3 and its successor.
        const FROM_942 = Self::GFX942.bits() | Self::GFX950.bits();
        /// CDNA 2 and its successors.
        const FROM_90A = Self::GFX90A.bits() | Self::FROM_942.bits();
        /// CDNA.
        const FROM_908 = Self::GFX908.bits() | Self::FROM_90A.bits();
        /// gfx906 and CDNA, which have dot products.
        const FROM_906 = Self::GFX906.bits() | Self::FROM_908.bits();
        /// The chips without CDNA.
        const VEGA = Self::ALL.bits() & !Self::FROM_908.bits();
        /// The chips before CDNA 2.
        const BEFORE_90A = Self::ALL.bits() & !Self::FROM_90A.bits();
        /// The chips before CDNA 3.
        const BEFORE_942 = Self::ALL.bits() & !Self::FROM_942.bits();
        /// The chips before gfx950.
        const BEFORE_950 = Self::ALL.bits() & !Self::GFX950.bits();
        /// The chips of CDNA 1 and 2.
        const CDNA_1_2 = Self::GFX908.bits() | Self::GFX90A.bits();
        /// The chips whose mixed-precision multiply-add is fused.
        const FMA_MIX = Self::GFX904.bits() | Self::FROM_906.bits();
        /// The chips whose mixed-precision multiply-add rounds twice: gfx900, gfx902, gfx909, gfx90c.
        const MAD_MIX = Self::ALL.bits() & !Self::FMA_MIX.bits();
    }
}

impl Chips {
    /// Returns the set of one chip; of a chip before gfx9, the empty one.
    const fn of(chip: Chip) -> Chips {
        match chip {
            Chip::Gfx900 => Chips::GFX900,
            Chip::Gfx902 => Chips::GFX902,
            Chip::Gfx904 => Chips::GFX904,
            Chip::Gfx906 => Chips::GFX906,
            Chip::Gfx909 => Chips::GFX909,
            Chip::Gfx90c => Chips::GFX90C,
            Chip::Gfx908 => Chips::GFX908,
            Chip::Gfx90a => Chips::GFX90A,
            Chip::Gfx942 => Chips::GFX942,
            Chip::Gfx950 => Chips::GFX950,
            _ => Chips::NONE,
        }
    }

    /// Whether `chip` is in the set.
    pub const fn include(self, chip: Chip) -> bool {
        self.intersects(Chips::of(chip))
    }

    /// Whether `chip` is in the set, or a chip of an older generation.
    pub const fn contain(self, chip: Chip) -> bool {
        self.contains(Chips::of(chip))
    }
}
