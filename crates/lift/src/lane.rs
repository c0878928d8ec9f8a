//! The lanes that a DPP instruction reads and writes (Vega ISA, 13.3.9 DPP).

use wavetank_ir::LANES;

/// The table entry for a lane without a source.
pub(crate) const NO_LANE: u8 = 255;

/// The source lane of each lane for a DPP_CTRL, [`NO_LANE`] if it is out of range; `None` for reserved values.
pub(crate) fn dpp_sources(ctrl: u16) -> Option<Box<[u8; LANES]>> {
    let n = usize::from(ctrl & 15);
    let select = |f: &dyn Fn(usize) -> Option<usize>| {
        Some(Box::new(std::array::from_fn(|lane| {
            f(lane).map_or(NO_LANE, |source| source as u8)
        })))
    };
    match ctrl {
        // quad_perm
        0x000..=0x0ff => {
            select(&|lane| Some(lane & !3 | usize::from(ctrl >> (2 * (lane & 3)) & 3)))
        }
        // row_shl
        0x101..=0x10f => select(&|lane| ((lane & 15) + n < 16).then_some(lane + n)),
        // row_shr
        0x111..=0x11f => select(&|lane| (lane & 15 >= n).then(|| lane - n)),
        // row_ror
        0x121..=0x12f => select(&|lane| Some(lane & !15 | (lane + 16 - n) & 15)),
        // wave_shl, wave_rol, wave_shr, wave_ror
        0x130 => select(&|lane| (lane < LANES - 1).then_some(lane + 1)),
        0x134 => select(&|lane| Some((lane + 1) % LANES)),
        0x138 => select(&|lane| lane.checked_sub(1)),
        0x13c => select(&|lane| Some((lane + LANES - 1) % LANES)),
        // row_mirror, row_half_mirror
        0x140 => select(&|lane| Some(lane ^ 15)),
        0x141 => select(&|lane| Some(lane ^ 7)),
        // row_bcast:15, row_bcast:31
        0x142 => select(&|lane| (lane & !15).checked_sub(1)),
        0x143 => select(&|lane| (lane & !31).checked_sub(1)),
        // row_newbcast (LLVM, `DppCtrl`; gfx90a and later)
        0x150..=0x15f => select(&|lane| Some(lane & !15 | n)),
        _ => None,
    }
}

/// The lanes that ROW_MASK and BANK_MASK leave enabled.
pub(crate) fn dpp_enabled(row_mask: u8, bank_mask: u8) -> u64 {
    (0..LANES)
        .filter(|lane| row_mask >> (lane / 16) & 1 == 1 && bank_mask >> (lane / 4 % 4) & 1 == 1)
        .fold(0, |mask, lane| mask | 1 << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(ctrl: u16, lane: usize) -> u8 {
        dpp_sources(ctrl).expect("a known pattern")[lane]
    }

    /// The formulas of the table "DPP_CTRL Enumeration" at some lanes.
    #[test]
    fn patterns() {
        assert_eq!([4, 5, 6, 7].map(|l| source(0b00_01_10_11, l)), [7, 6, 5, 4]);
        assert_eq!(
            [0, 14, 15, 16].map(|l| source(0x101, l)),
            [1, 15, NO_LANE, 17]
        );
        assert_eq!(
            [0, 3, 19, 63].map(|l| source(0x113, l)),
            [NO_LANE, 0, 16, 60]
        );
        assert_eq!([0, 1, 16, 47].map(|l| source(0x121, l)), [15, 0, 31, 46]);
        assert_eq!([0, 63].map(|l| source(0x130, l)), [1, NO_LANE]);
        assert_eq!([0, 63].map(|l| source(0x134, l)), [1, 0]);
        assert_eq!([0, 63].map(|l| source(0x138, l)), [NO_LANE, 62]);
        assert_eq!([0, 63].map(|l| source(0x13c, l)), [63, 62]);
        assert_eq!([0, 20].map(|l| source(0x140, l)), [15, 27]);
        assert_eq!([0, 20].map(|l| source(0x141, l)), [7, 19]);
        assert_eq!(
            [15, 16, 31, 32, 63].map(|l| source(0x142, l)),
            [NO_LANE, 15, 15, 31, 47]
        );
        assert_eq!([31, 32, 63].map(|l| source(0x143, l)), [NO_LANE, 31, 31]);
    }

    #[test]
    fn reserved_patterns() {
        for ctrl in [0x100, 0x110, 0x120, 0x131, 0x13f, 0x144, 0x1ff] {
            assert!(dpp_sources(ctrl).is_none(), "{ctrl:#x}");
        }
    }

    /// The lists of disabled lanes in the table "DPP Fields".
    #[test]
    fn masks() {
        assert_eq!(dpp_enabled(0xf, 0xf), u64::MAX);
        assert_eq!(dpp_enabled(0xe, 0xf), !0xffff);
        assert_eq!(dpp_enabled(0xf, 0b0111), 0x0fff_0fff_0fff_0fff);
        assert_eq!(dpp_enabled(0xf, 0b1110), 0xfff0_fff0_fff0_fff0);
    }
}
