//! Occupancy: the number of waves that a chip holds at once.
//!
//! Source: Vega ISA, 3.6 "GPRs and LDS"; AMD's GCN occupancy rules. The sizes are those of `wavetank_gcn::numbers`.

use wavetank_gcn::Chip;
use wavetank_gcn::numbers::{
    GROUPS_PER_UNIT, LDS_BYTES, SIMDS_PER_UNIT, lds_granule, sgprs_per_simd, vgpr_granule,
    vgprs_per_lane, waves_per_simd,
};

/// The resources of a compute unit that a kernel uses.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// The chip.
    pub chip: Chip,
    /// Vector registers of a lane: where one file has them, accumulation registers too.
    pub vgprs: u32,
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// LDS of a work-group in bytes.
    pub lds_bytes: u32,
    /// Waves of a work-group.
    pub waves_per_group: u32,
}

impl Occupancy {
    /// Work-groups that a compute unit holds; at least one, since one must always be able to run.
    pub fn groups_per_unit(&self) -> u32 {
        let bounds = self.bounds().map(|(_, groups)| groups);
        bounds.into_iter().fold(u32::MAX, u32::min).max(1)
    }

    /// The resource that is exhausted first.
    pub fn limit(&self) -> OccupancyLimit {
        let bounds = self.bounds().into_iter();
        // Of equal bounds the first.
        let least = bounds.min_by_key(|(_, groups)| *groups);
        least.map_or(OccupancyLimit::Waves, |(limit, _)| limit)
    }

    /// Work-groups that fit by each resource.
    fn bounds(&self) -> [(OccupancyLimit, u32); 5] {
        let generation = self.chip.generation();
        let (sgprs, granule) = sgprs_per_simd(generation);
        let vgprs = self.vgprs.max(1).next_multiple_of(vgpr_granule(self.chip));
        let by_vgprs = vgprs_per_lane(self.chip) / vgprs;
        let by_sgprs = sgprs / self.sgprs.max(1).next_multiple_of(granule);
        let groups = |waves_per_simd| SIMDS_PER_UNIT * waves_per_simd / self.waves_per_group.max(1);
        let by_lds = match self.lds_bytes {
            0 => u32::MAX,
            bytes => LDS_BYTES / bytes.next_multiple_of(lds_granule(generation)),
        };
        let by_slots = match self.waves_per_group {
            0 | 1 => u32::MAX,
            _ => GROUPS_PER_UNIT,
        };
        [
            (OccupancyLimit::Waves, groups(waves_per_simd(self.chip))),
            (OccupancyLimit::Vgprs, groups(by_vgprs)),
            (OccupancyLimit::Sgprs, groups(by_sgprs)),
            (OccupancyLimit::Lds, by_lds),
            (OccupancyLimit::Groups, by_slots),
        ]
    }
}

/// A resource of a compute unit that limits the number of its waves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OccupancyLimit {
    /// The slots for waves: no kernel can have more.
    Waves,
    /// VGPRs.
    Vgprs,
    /// SGPRs.
    Sgprs,
    /// LDS.
    Lds,
    /// The slots for work-groups.
    Groups,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(vgprs: u32, sgprs: u32, lds_bytes: u32, waves_per_group: u32) -> u32 {
        let chip = Chip::Gfx900;
        Occupancy {
            chip,
            vgprs,
            sgprs,
            lds_bytes,
            waves_per_group,
        }
        .groups_per_unit()
    }

    /// The well-known steps of the GCN occupancy table: 24 VGPRs for 10 waves, 28 for 9, 84 for 3, 128 for 2, 256 for 1.
    #[test]
    fn vgprs_limit_waves() {
        for (vgprs, waves) in [
            (24, 10),
            (25, 9),
            (28, 9),
            (32, 8),
            (84, 3),
            (128, 2),
            (129, 1),
            (256, 1),
        ] {
            assert_eq!(groups(vgprs, 16, 0, 1), 4 * waves, "{vgprs} VGPRs");
        }
    }

    /// 80 SGPRs for 10 waves, 96 for 8, 102 (+ extra) for 7.
    #[test]
    fn sgprs_limit_waves() {
        for (sgprs, waves) in [(80, 10), (96, 8), (112, 7)] {
            assert_eq!(groups(8, sgprs, 0, 1), 4 * waves, "{sgprs} SGPRs");
        }
    }

    #[test]
    fn the_limit_is_named() {
        let limit = |vgprs, sgprs, lds_bytes, waves_per_group| {
            let chip = Chip::Gfx900;
            Occupancy {
                chip,
                vgprs,
                sgprs,
                lds_bytes,
                waves_per_group,
            }
            .limit()
        };
        assert_eq!(limit(24, 80, 0, 4), OccupancyLimit::Waves);
        assert_eq!(limit(32, 80, 0, 4), OccupancyLimit::Vgprs);
        assert_eq!(limit(24, 96, 0, 4), OccupancyLimit::Sgprs);
        assert_eq!(limit(24, 80, 8192, 4), OccupancyLimit::Lds);
        assert_eq!(limit(24, 80, 0, 2), OccupancyLimit::Groups);
        // A group of 16 waves leaves room for two, whether a SIMD holds 8 waves or 10.
        assert_eq!(limit(32, 80, 0, 16), OccupancyLimit::Waves);
    }

    #[test]
    fn lds_and_slots_limit_groups() {
        assert_eq!(groups(8, 16, 65536, 1), 1);
        assert_eq!(groups(8, 16, 32769, 1), 1);
        assert_eq!(groups(8, 16, 16384, 4), 4);
        assert_eq!(groups(8, 16, 0, 2), 16);
        assert_eq!(groups(256, 16, 0, 16), 1);
    }
}
