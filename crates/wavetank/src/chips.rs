//! The chips that are emulated, and what programs are told of each.
//!
//! Sources: AMD's product pages; the device numbers and families of Linux's `amdgpu`; the processor list of LLVM's "User
//! Guide for AMDGPU Backend". None of it changes what a kernel computes; compute units bound how many work-groups are
//! resident.

use wavetank_isa::Chip;

use crate::error::{Error, Result, names};

/// Names and sizes of an emulated chip, which programs ask for: those of its best-known product.
///
/// ```
/// use wavetank::{Chip, ChipFacts};
/// assert_eq!(ChipFacts::of(Chip::Gfx906)?.product, "AMD Radeon VII");
/// let none = ChipFacts::of(Chip::Gfx803).unwrap_err();
/// assert!(none.to_string().starts_with("gfx803 is not emulated yet"));
/// # Ok::<(), wavetank::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChipFacts {
    /// The chip.
    pub chip: Chip,
    /// A product with it.
    pub product: &'static str,
    /// The product's PCI device number.
    pub chip_id: u32,
    /// Its compute units.
    pub compute_units: u32,
    /// Shader engines.
    pub engines: u32,
    /// Shader arrays of an engine.
    pub arrays: u32,
    /// Highest clock in MHz.
    pub clock: u32,
    /// Highest clock of the memory in MHz.
    pub memory_clock: u32,
    /// Width of the memory's bus in bits.
    pub memory_bits: u32,
    /// The driver's number of the family.
    pub family: u32,
    /// The name of its instruction set in HSA.
    pub isa: &'static str,
}

/// The driver's number of Vega with memory of its own, and of Vega in a processor (`AMDGPU_FAMILY_AI`, `_RV`).
const DISCRETE: u32 = 141;
const INTEGRATED: u32 = 142;

/// One row a chip: to emulate another is another row here.
const ALL: [ChipFacts; 6] = [
    // Vega 10.
    ChipFacts {
        chip: Chip::Gfx900,
        product: "Radeon RX Vega",
        chip_id: 0x687f,
        compute_units: 64,
        engines: 4,
        arrays: 1,
        clock: 1630,
        memory_clock: 945,
        memory_bits: 2048,
        family: DISCRETE,
        isa: "amdgcn-amd-amdhsa--gfx900:xnack-",
    },
    // Raven Ridge: a Ryzen 5 2400G, with DDR4-2933.
    ChipFacts {
        chip: Chip::Gfx902,
        product: "AMD Radeon RX Vega 11 Graphics",
        chip_id: 0x15dd,
        compute_units: 11,
        engines: 1,
        arrays: 1,
        clock: 1250,
        memory_clock: 1467,
        memory_bits: 128,
        family: INTEGRATED,
        isa: "amdgcn-amd-amdhsa--gfx902:xnack-",
    },
    // Vega 12.
    ChipFacts {
        chip: Chip::Gfx904,
        product: "Radeon Pro Vega 20",
        chip_id: 0x69af,
        compute_units: 20,
        engines: 4,
        arrays: 1,
        clock: 1283,
        memory_clock: 740,
        memory_bits: 1024,
        family: DISCRETE,
        isa: "amdgcn-amd-amdhsa--gfx904:xnack-",
    },
    // Vega 20.
    ChipFacts {
        chip: Chip::Gfx906,
        product: "AMD Radeon VII",
        chip_id: 0x66af,
        compute_units: 60,
        engines: 4,
        arrays: 1,
        clock: 1801,
        memory_clock: 1000,
        memory_bits: 4096,
        family: DISCRETE,
        isa: "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-",
    },
    // Raven 2: a Ryzen 3 3200U, with DDR4-2400.
    ChipFacts {
        chip: Chip::Gfx909,
        product: "AMD Radeon Vega 3 Graphics",
        chip_id: 0x15d8,
        compute_units: 3,
        engines: 1,
        arrays: 1,
        clock: 1200,
        memory_clock: 1200,
        memory_bits: 128,
        family: INTEGRATED,
        isa: "amdgcn-amd-amdhsa--gfx909:xnack-",
    },
    // Renoir: a Ryzen 7 4700G, with DDR4-3200.
    ChipFacts {
        chip: Chip::Gfx90c,
        product: "AMD Radeon Graphics",
        chip_id: 0x1636,
        compute_units: 8,
        engines: 1,
        arrays: 1,
        clock: 2100,
        memory_clock: 1600,
        memory_bits: 128,
        family: INTEGRATED,
        isa: "amdgcn-amd-amdhsa--gfx90c:xnack-",
    },
];

/// The chips that can be emulated, those of [`ChipFacts::ALL`].
pub const SUPPORTED_CHIPS: &[Chip] = &{
    let mut chips = [ALL[0].chip; ALL.len()];
    let mut n = 0;
    while n < ALL.len() {
        chips[n] = ALL[n].chip;
        n += 1;
    }
    chips
};

/// The chip where none is named: the first of the list.
pub const DEFAULT_CHIP: Chip = ALL[0].chip;

impl ChipFacts {
    /// Every chip that is emulated, oldest first.
    pub const ALL: &'static [ChipFacts] = &ALL;

    /// What is told of a chip.
    ///
    /// # Errors
    /// [`Error::Chip`], which names those that are emulated, for a chip that is not.
    pub fn of(chip: Chip) -> Result<&'static ChipFacts> {
        ALL.iter()
            .find(|facts| facts.chip == chip)
            .ok_or_else(|| Error::Chip {
                chip,
                supported: SUPPORTED_CHIPS.to_vec(),
            })
    }

    /// The names of the chips that are emulated, as messages list them: `gfx900, gfx902, …`.
    pub fn names() -> String {
        names(SUPPORTED_CHIPS)
    }
}
