//! Published peaks of the chips: bounds that no kernel exceeds, for the roofline.
//!
//! Sources: AMD's product pages and data sheets of the named products; for the peaks of Instinct accelerators the "CDNA", "CDNA 2"
//! and "CDNA 3" white papers. For processors with graphics AMD publishes units and clock: their peak of single precision is units
//! × 64 lanes × 2 operations × clock, which is how AMD computes the others, and that of memory is the named memory on its channels.

/// The peaks of a chip's best-known product.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peaks {
    /// The chip.
    pub chip: &'static str,
    /// The product that the numbers are of.
    pub product: &'static str,
    /// Compute units.
    pub compute_units: u32,
    /// Bytes of memory in a second, in 10^9.
    pub memory: f64,
    /// Operations in a second by type, in 10^9, the vector units' first. A type that is not in the list has no published peak.
    pub operations: &'static [(&'static str, f64)],
}

/// Returns the peaks of a chip, named as `gfx900` or with features behind a colon.
pub fn peaks(chip: &str) -> Option<&'static Peaks> {
    let chip = chip.split(':').next().unwrap_or_default();
    ALL.iter().find(|peaks| peaks.chip == chip)
}

/// Every chip with published peaks, oldest first.
pub const ALL: &[Peaks] = &[
    row(
        "gfx600",
        "Radeon HD 7970",
        32,
        264.0,
        &[("f32", 3789.0), ("f64", 947.0)],
    ),
    row(
        "gfx601",
        "Radeon HD 7870",
        20,
        153.6,
        &[("f32", 2560.0), ("f64", 160.0)],
    ),
    row(
        "gfx602",
        "Radeon R7 240",
        5,
        72.0,
        &[("f32", 499.0), ("f64", 31.2)],
    ),
    row("gfx700", "A10-7850K", 8, 34.1, &[("f32", 737.0)]),
    row(
        "gfx701",
        "FirePro W9100",
        44,
        320.0,
        &[("f32", 5240.0), ("f64", 2620.0)],
    ),
    row(
        "gfx702",
        "Radeon R9 290X",
        44,
        320.0,
        &[("f32", 5632.0), ("f64", 704.0)],
    ),
    row("gfx703", "E1-2100", 2, 10.7, &[("f32", 76.8)]),
    row(
        "gfx704",
        "Radeon R7 260X",
        14,
        104.0,
        &[("f32", 1971.0), ("f64", 123.2)],
    ),
    row("gfx705", "A4 Micro-6400T", 2, 10.7, &[("f32", 89.6)]),
    row("gfx801", "FX-8800P", 8, 34.1, &[("f32", 819.2)]),
    row(
        "gfx802",
        "Radeon R9 285",
        28,
        176.0,
        &[("f32", 3290.0), ("f64", 205.6)],
    ),
    row(
        "gfx803",
        "Radeon RX 580",
        36,
        256.0,
        &[("f32", 6175.0), ("f64", 385.9), ("f16", 6175.0)],
    ),
    row(
        "gfx805",
        "FirePro W7100",
        28,
        160.0,
        &[("f32", 3297.0), ("f64", 206.1)],
    ),
    row("gfx810", "A9-9410", 3, 17.1, &[("f32", 307.2)]),
    row(
        "gfx900",
        "Radeon RX Vega 64",
        64,
        483.8,
        &[("f32", 12665.0), ("f64", 791.5), ("f16", 25330.0)],
    ),
    row(
        "gfx902",
        "Ryzen 5 2400G",
        11,
        46.9,
        &[("f32", 1760.0), ("f16", 3520.0)],
    ),
    row(
        "gfx904",
        "Radeon Pro Vega 20",
        20,
        189.4,
        &[("f32", 3284.0), ("f16", 6569.0)],
    ),
    row(
        "gfx906",
        "Radeon VII",
        60,
        1024.0,
        &[("f32", 13824.0), ("f64", 3456.0), ("f16", 27648.0)],
    ),
    row(
        "gfx909",
        "Ryzen 3 3200U",
        3,
        38.4,
        &[("f32", 460.8), ("f16", 921.6)],
    ),
    row(
        "gfx90c",
        "Ryzen 7 4700G",
        8,
        51.2,
        &[("f32", 2150.4), ("f16", 4300.8)],
    ),
    // Of single precision, half and bfloat16 the peaks of the matrix units, which are higher.
    row(
        "gfx908",
        "Instinct MI100",
        120,
        1228.8,
        &[
            ("f32", 46100.0),
            ("f64", 11500.0),
            ("f16", 184600.0),
            ("bf16", 92300.0),
        ],
    ),
    // One of the two dies.
    row(
        "gfx90a",
        "Instinct MI250X",
        110,
        1638.4,
        &[
            ("f32", 47850.0),
            ("f64", 47850.0),
            ("f16", 191500.0),
            ("bf16", 191500.0),
        ],
    ),
    row(
        "gfx942",
        "Instinct MI300X",
        304,
        5300.0,
        &[
            ("f32", 163400.0),
            ("f64", 163400.0),
            ("xf32", 653700.0),
            ("f16", 1307400.0),
            ("bf16", 1307400.0),
            ("fp8", 2614900.0),
            ("bf8", 2614900.0),
        ],
    ),
];

const fn row(
    chip: &'static str,
    product: &'static str,
    compute_units: u32,
    memory: f64,
    operations: &'static [(&'static str, f64)],
) -> Peaks {
    Peaks {
        chip,
        product,
        compute_units,
        memory,
        operations,
    }
}

impl Peaks {
    /// Returns the published peak of a type, in 10^9 operations a second.
    pub fn of(&self, operands: &str) -> Option<f64> {
        let row = self.operations.iter().find(|(name, _)| *name == operands);
        row.map(|(_, peak)| *peak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_found_with_their_features() {
        assert_eq!(peaks("gfx906:sramecc-:xnack-"), peaks("gfx906"));
        assert_eq!(peaks("gfx900").unwrap().of("f32"), Some(12665.0));
        assert_eq!(peaks("gfx900").unwrap().of("i32"), None);
        assert_eq!(peaks("gfx1100"), None);
    }
}
