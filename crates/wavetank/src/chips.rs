//! The chips that are emulated, and the properties of each that programs can query.
//!
//! Sources: AMD's product pages; the device numbers and families of Linux's `amdgpu`; the processor list of LLVM's "User Guide
//! for AMDGPU Backend". None of these properties changes the results of a kernel; compute units limit the number of resident
//! work-groups.

use wavetank_gcn::{Chip, Generation, later_chip, product_key};
use wavetank_object::Target;
use wavetank_quote::plain;

use crate::error::names;

/// Names and sizes of an emulated chip, which programs ask for: those of its best-known product.
///
/// ```
/// use wavetank::{Chip, ChipFacts};
/// assert_eq!(ChipFacts::of(Chip::Gfx906).product, "AMD Radeon VII");
/// assert!(ChipFacts::of(Chip::Gfx803).has_queues());
/// assert!(!ChipFacts::of(Chip::Gfx600).has_queues());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChipFacts {
    /// The chip.
    pub chip: Chip,
    /// A product with it.
    pub product: &'static str,
    /// The product's PCI device number.
    pub chip_id: u32,
    /// The number of compute units.
    pub compute_units: u32,
    /// The number of shader engines.
    pub engines: u32,
    /// The number of shader arrays of an engine.
    pub arrays: u32,
    /// Highest clock in MHz.
    pub clock: u32,
    /// Highest clock of the memory in MHz.
    pub memory_clock: u32,
    /// Width of the memory's bus in bits.
    pub memory_bits: u32,
    /// The driver's number of the family.
    pub family: u32,
    /// The number of dies that compute (XCCs), over which work-groups are dealt out.
    pub xccs: u32,
    /// The sizes of the caches in KiB: L1 of a compute unit, L2 of a die, and the memory-side cache (MALL), 0 for none.
    pub caches: [u32; 3],
    /// The name of its instruction set in HSA.
    pub isa: &'static str,
}

/// The driver's numbers of families (`AMDGPU_FAMILY_SI`, `_CI`, `_KV`, `_VI`, `_CZ`, `_AI`, `_RV`): chips with memory of
/// their own, and those in a processor.
const SOUTHERN: u32 = 110;
const SEA: u32 = 120;
const SEA_INTEGRATED: u32 = 125;
const VOLCANIC: u32 = 130;
const VOLCANIC_INTEGRATED: u32 = 135;
const VEGA: u32 = 141;
const VEGA_INTEGRATED: u32 = 142;

/// The caches of Vega (AMD's Vega white paper). Chips before it are given the same: no known program reads theirs.
const VEGA_CACHES: [u32; 3] = [16, 4 << 10, 0];

/// One row a chip, in the order of [`Chip::EXECUTED`].
const ALL: [ChipFacts; Chip::EXECUTED.len()] = [
    // Tahiti: a Radeon HD 7970.
    ChipFacts {
        chip: Chip::Gfx600,
        product: "AMD Radeon HD 7900 Series",
        chip_id: 0x6798,
        compute_units: 32,
        engines: 2,
        arrays: 2,
        clock: 925,
        memory_clock: 1375,
        memory_bits: 384,
        family: SOUTHERN,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx600",
    },
    // Pitcairn: a Radeon HD 7870.
    ChipFacts {
        chip: Chip::Gfx601,
        product: "AMD Radeon HD 7800 Series",
        chip_id: 0x6818,
        compute_units: 20,
        engines: 2,
        arrays: 2,
        clock: 1000,
        memory_clock: 1200,
        memory_bits: 256,
        family: SOUTHERN,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx601",
    },
    // Oland: a Radeon R7 240.
    ChipFacts {
        chip: Chip::Gfx602,
        product: "AMD Radeon R7 240",
        chip_id: 0x6613,
        compute_units: 5,
        engines: 1,
        arrays: 1,
        clock: 780,
        memory_clock: 1125,
        memory_bits: 128,
        family: SOUTHERN,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx602",
    },
    // Kaveri: an A10-7850K, with DDR3-2133.
    ChipFacts {
        chip: Chip::Gfx700,
        product: "AMD Radeon R7 Graphics",
        chip_id: 0x130f,
        compute_units: 8,
        engines: 1,
        arrays: 1,
        clock: 720,
        memory_clock: 1067,
        memory_bits: 128,
        family: SEA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx700",
    },
    // Hawaii for workstations: a FirePro W9100.
    ChipFacts {
        chip: Chip::Gfx701,
        product: "AMD FirePro W9100",
        chip_id: 0x67a0,
        compute_units: 44,
        engines: 4,
        arrays: 1,
        clock: 930,
        memory_clock: 1250,
        memory_bits: 512,
        family: SEA,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx701",
    },
    // Hawaii: a Radeon R9 290X.
    ChipFacts {
        chip: Chip::Gfx702,
        product: "AMD Radeon R9 290X",
        chip_id: 0x67b0,
        compute_units: 44,
        engines: 4,
        arrays: 1,
        clock: 1000,
        memory_clock: 1250,
        memory_bits: 512,
        family: SEA,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx702",
    },
    // Kabini: an E1-2100, with DDR3-1333.
    ChipFacts {
        chip: Chip::Gfx703,
        product: "AMD Radeon HD 8210",
        chip_id: 0x9834,
        compute_units: 2,
        engines: 1,
        arrays: 1,
        clock: 300,
        memory_clock: 667,
        memory_bits: 64,
        family: SEA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx703",
    },
    // Bonaire: a Radeon R7 260X.
    ChipFacts {
        chip: Chip::Gfx704,
        product: "AMD Radeon R7 260X",
        chip_id: 0x6658,
        compute_units: 14,
        engines: 2,
        arrays: 1,
        clock: 1100,
        memory_clock: 1625,
        memory_bits: 128,
        family: SEA,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx704",
    },
    // Mullins: an A4 Micro-6400T, with DDR3L-1333.
    ChipFacts {
        chip: Chip::Gfx705,
        product: "AMD Radeon R3 Graphics",
        chip_id: 0x9850,
        compute_units: 2,
        engines: 1,
        arrays: 1,
        clock: 350,
        memory_clock: 667,
        memory_bits: 64,
        family: SEA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx705",
    },
    // Carrizo: an FX-8800P, with DDR3-2133.
    ChipFacts {
        chip: Chip::Gfx801,
        product: "AMD FX-8800P Radeon R7",
        chip_id: 0x9874,
        compute_units: 8,
        engines: 1,
        arrays: 1,
        clock: 800,
        memory_clock: 1067,
        memory_bits: 128,
        family: VOLCANIC_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx801:xnack-",
    },
    // Tonga: a Radeon R9 285.
    ChipFacts {
        chip: Chip::Gfx802,
        product: "AMD Radeon R9 285",
        chip_id: 0x6939,
        compute_units: 28,
        engines: 4,
        arrays: 1,
        clock: 918,
        memory_clock: 1375,
        memory_bits: 256,
        family: VOLCANIC,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx802",
    },
    // Polaris 10: a Radeon RX 580.
    ChipFacts {
        chip: Chip::Gfx803,
        product: "Radeon RX 580 Series",
        chip_id: 0x67df,
        compute_units: 36,
        engines: 4,
        arrays: 1,
        clock: 1340,
        memory_clock: 2000,
        memory_bits: 256,
        family: VOLCANIC,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx803",
    },
    // Tonga for workstations: a FirePro W7100.
    ChipFacts {
        chip: Chip::Gfx805,
        product: "AMD FirePro W7100",
        chip_id: 0x692b,
        compute_units: 28,
        engines: 4,
        arrays: 1,
        clock: 920,
        memory_clock: 1400,
        memory_bits: 256,
        family: VOLCANIC,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx805",
    },
    // Stoney: an A9-9410, with DDR4-2133.
    ChipFacts {
        chip: Chip::Gfx810,
        product: "AMD Radeon R5 Graphics",
        chip_id: 0x98e4,
        compute_units: 3,
        engines: 1,
        arrays: 1,
        clock: 800,
        memory_clock: 1067,
        memory_bits: 64,
        family: VOLCANIC_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx810:xnack-",
    },
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
        family: VEGA,
        xccs: 1,
        caches: VEGA_CACHES,
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
        family: VEGA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
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
        family: VEGA,
        xccs: 1,
        caches: VEGA_CACHES,
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
        family: VEGA,
        xccs: 1,
        caches: VEGA_CACHES,
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
        family: VEGA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
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
        family: VEGA_INTEGRATED,
        xccs: 1,
        caches: VEGA_CACHES,
        isa: "amdgcn-amd-amdhsa--gfx90c:xnack-",
    },
    // CDNA 1.
    ChipFacts {
        chip: Chip::Gfx908,
        product: "AMD Instinct MI100",
        chip_id: 0x738c,
        compute_units: 120,
        engines: 8,
        arrays: 1,
        clock: 1502,
        memory_clock: 1200,
        memory_bits: 4096,
        family: VEGA,
        xccs: 1,
        caches: [16, 8 << 10, 0],
        isa: "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-",
    },
    // CDNA 2: one die of an MI250X.
    ChipFacts {
        chip: Chip::Gfx90a,
        product: "AMD Instinct MI250X",
        chip_id: 0x7408,
        compute_units: 110,
        engines: 8,
        arrays: 1,
        clock: 1700,
        memory_clock: 1600,
        memory_bits: 4096,
        family: VEGA,
        xccs: 1,
        caches: [16, 8 << 10, 0],
        isa: "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
    },
    // CDNA 3: all dies of an MI300X as one device.
    ChipFacts {
        chip: Chip::Gfx942,
        product: "AMD Instinct MI300X",
        chip_id: 0x74a1,
        compute_units: 304,
        engines: 32,
        arrays: 1,
        clock: 2100,
        memory_clock: 1300,
        memory_bits: 8192,
        family: VEGA,
        xccs: 8,
        caches: [32, 4 << 10, 256 << 10],
        isa: "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-",
    },
];

/// Other products with one of these chips, which differ from its best-known one in more than the name.
const PRODUCTS: [ChipFacts; 3] = [
    // The only die of an MI210.
    ChipFacts {
        product: "AMD Instinct MI210",
        chip_id: 0x740f,
        compute_units: 104,
        ..*ChipFacts::of(Chip::Gfx90a)
    },
    // One die of an MI250.
    ChipFacts {
        product: "AMD Instinct MI250",
        chip_id: 0x740c,
        compute_units: 104,
        ..*ChipFacts::of(Chip::Gfx90a)
    },
    // Six dies that compute, beside three of processors.
    ChipFacts {
        product: "AMD Instinct MI300A",
        chip_id: 0x74a0,
        compute_units: 228,
        engines: 24,
        xccs: 6,
        ..*ChipFacts::of(Chip::Gfx942)
    },
];

/// The chip where none is named.
pub const DEFAULT_CHIP: Chip = Chip::Gfx900;

impl ChipFacts {
    /// Every chip, oldest first.
    pub const ALL: &'static [ChipFacts] = &ALL;

    /// Other products with one of these chips, which have a row of their own: `MI210`.
    pub const PRODUCTS: &'static [ChipFacts] = &PRODUCTS;

    /// Every row: the chips, each followed by its other products.
    pub fn every() -> impl DoubleEndedIterator<Item = &'static ChipFacts> {
        let others = |chip| PRODUCTS.iter().filter(move |other| other.chip == chip);
        ALL.iter()
            .flat_map(move |facts| std::iter::once(facts).chain(others(facts.chip)))
    }

    /// The names by which `--gpu` finds this row, except that of the chip.
    pub fn other_names(&self) -> Vec<&'static str> {
        let products = self.chip.products().iter().copied();
        let products = products.filter(|name| ChipFacts::named(name) == Ok(self));
        let aliases: &[_] = if self.is_product() {
            &[]
        } else {
            self.chip.aliases()
        };
        aliases.iter().copied().chain(products).collect()
    }

    /// The shortest name that [`named`](Self::named) finds this row by: that of the chip, or `MI210`.
    pub fn name(&self) -> &'static str {
        let name = self.chip.name();
        if self.is_product() {
            self.other_names().first().copied().unwrap_or(name)
        } else {
            name
        }
    }

    /// Whether this is a row of [`PRODUCTS`](Self::PRODUCTS).
    fn is_product(&self) -> bool {
        PRODUCTS.contains(self)
    }

    /// The properties of a chip that programs can query.
    ///
    /// # Panics
    /// The chip is not one of [`Chip::EXECUTED`].
    pub const fn of(chip: Chip) -> &'static ChipFacts {
        &ALL[chip as usize]
    }

    /// The properties of a chip, if it is executed.
    ///
    /// # Errors
    /// A sentence about a chip that is not one of [`Chip::EXECUTED`].
    pub fn executed(chip: Chip) -> Result<&'static ChipFacts, String> {
        let refused = || later_chip(chip.name()).unwrap_or_default();
        ALL.get(chip as usize).ok_or_else(refused)
    }

    /// The facts of a product that has a row of its own, or else of a chip, by any name that [`Chip::from_name`] takes.
    ///
    /// ```
    /// use wavetank::ChipFacts;
    /// assert_eq!(ChipFacts::named("mi210")?.compute_units, 104);
    /// assert_eq!(ChipFacts::named("gfx90a")?.compute_units, 110);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// A sentence about a name that is not one of an emulated chip.
    pub fn named(name: &str) -> Result<&'static ChipFacts, String> {
        let unknown = || {
            format!(
                "`{}` is not a GPU that is emulated; there are {}",
                plain(name),
                ChipFacts::names()
            )
        };
        let key = product_key(name);
        let product = PRODUCTS
            .iter()
            .find(|facts| product_key(facts.product) == key);
        if let Some(product) = product {
            return Ok(product);
        }
        match Chip::from_name(name) {
            Some(chip) => ChipFacts::executed(chip),
            None => Err(later_chip(name).unwrap_or_else(unknown)),
        }
    }

    /// The facts of a chip by a name that [`named`](Self::named) takes, after which features may follow as in a target ID:
    /// `gfx90a:xnack-`.
    ///
    /// # Errors
    /// A sentence about a name that is not one of an emulated chip, or about features with which it is not emulated.
    pub fn of_target(text: &str) -> Result<&'static ChipFacts, String> {
        let (name, features) = text.split_at(text.find(':').unwrap_or(text.len()));
        let facts = ChipFacts::named(name)?;
        facts.check_features(features)?;
        Ok(facts)
    }

    /// Checks that the chip is emulated with features such as `:sramecc+:xnack-`.
    pub(crate) fn check_features(&self, features: &str) -> Result<(), String> {
        let chip = self.chip;
        let requested = format!("{chip}{features}");
        let requested: Target = requested.parse().map_err(|_| {
            let requested = requested.escape_debug();
            format!(
                "`{requested}` is not a target; after the chip come features such as xnack-, and for `run` its memory, as in {chip}:8G"
            )
        })?;
        match self.isa.parse::<Target>() {
            Ok(emulated) if !emulated.serves(&requested) => {
                Err(format!("`{requested}` is not emulated; {emulated} is"))
            }
            _ => Ok(()),
        }
    }

    /// Whether an emulated chip executes code for a target.
    pub fn execute(target: &Target) -> bool {
        let serves = |chip: &Chip| chip.name().parse().is_ok_and(|own| target.serves(&own));
        Chip::EXECUTED.iter().any(serves)
    }

    /// Whether there is a runtime of HSA for it: its processors take packets of queues, from gfx7 on. Kernels for older
    /// ones are launched with the library or with `wavetank launch`.
    pub fn has_queues(&self) -> bool {
        self.chip.generation() > Generation::Gfx6
    }

    /// The names of the chips, as messages list them: `gfx600, gfx601, …`.
    pub fn names() -> String {
        names(Chip::EXECUTED)
    }
}
