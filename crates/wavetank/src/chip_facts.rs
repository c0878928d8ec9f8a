//! What programs are told of a chip. Sources: AMD's product pages, and LLVM's list of processors.

use wavetank_isa::Chip;

/// Names and sizes of a chip that programs ask for; none of them changes what a kernel computes.
///
/// ```
/// use wavetank::{Chip, ChipFacts};
/// assert_eq!(ChipFacts::of(Chip::Gfx906).product, "AMD Radeon VII");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChipFacts {
    /// A product with the chip.
    pub product: &'static str,
    /// Its PCI device number.
    pub chip_id: u32,
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

impl ChipFacts {
    /// What is told of a chip.
    pub fn of(chip: Chip) -> ChipFacts {
        let vega10 = ChipFacts {
            product: "Radeon RX Vega",
            chip_id: 0x687f,
            engines: 4,
            arrays: 1,
            clock: 1630,
            memory_clock: 945,
            memory_bits: 2048,
            family: 141,
            isa: "amdgcn-amd-amdhsa--gfx900:xnack-",
        };
        match chip {
            Chip::Gfx906 => ChipFacts {
                product: "AMD Radeon VII",
                chip_id: 0x66af,
                clock: 1801,
                memory_clock: 1000,
                memory_bits: 4096,
                isa: "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-",
                ..vega10
            },
            Chip::Gfx904 => ChipFacts {
                product: "Radeon Pro Vega 20",
                chip_id: 0x69af,
                isa: "amdgcn-amd-amdhsa--gfx904:xnack-",
                ..vega10
            },
            Chip::Gfx902 | Chip::Gfx909 | Chip::Gfx90c => ChipFacts {
                product: "AMD Radeon Vega Graphics",
                chip_id: 0x15dd,
                engines: 1,
                family: 142,
                isa: match chip {
                    Chip::Gfx902 => "amdgcn-amd-amdhsa--gfx902:xnack-",
                    Chip::Gfx909 => "amdgcn-amd-amdhsa--gfx909:xnack-",
                    _ => "amdgcn-amd-amdhsa--gfx90c:xnack-",
                },
                ..vega10
            },
            _ => vega10,
        }
    }
}
