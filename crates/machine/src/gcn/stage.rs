//! The start state of a wave of a graphics stage, or of a compute wave with given registers.
//!
//! The registers that fixed-function hardware would initialise are data here, since they differ between stages, drivers and
//! generations. EXEC, the hardware registers and the zeroed registers are as in [`Launch`].

use wavetank_ir::LANES;

use super::start::Launch;
use crate::dispatch::{Prepared, Site, StartWave};
use wavetank_memory::{StartRegisters, Wave, hwreg, sreg};

/// STATUS.EXPORT_RDY: room for exports has been allocated (Vega ISA, 3.4 "Status register").
const EXPORT_RDY: u32 = 1 << 8;

/// The start data for the waves of a stage.
#[derive(Clone, Debug)]
pub struct StageLaunch {
    /// The code, and the registers and LDS of a wave. The fields for user data and scratch are not used.
    pub launch: Launch,
    /// Items of a full work-group.
    pub group_items: u32,
    /// The values of the SGPRs from s0 on that are equal in all waves.
    pub shared: Vec<u32>,
    /// The SGPRs after those: for each a value for every wave, in the order of their numbers in the grid.
    pub own: Vec<Vec<u32>>,
    /// The initial value of M0.
    pub m0: u32,
    /// The VGPRs from v0 on: for each a value for every item of the grid, or one for all of them.
    pub inputs: Vec<Vec<u32>>,
}

impl StartWave for StageLaunch {
    fn start(&self, wave: &mut Wave, site: &Site<'_>, _: &mut Prepared) {
        let (s, mut hw) = (self.scalars(site), self.launch.hardware(site));
        hw[usize::from(hwreg::STATUS)] |= EXPORT_RDY;
        wave.start(&StartRegisters { s, hw }, &[], self.launch.vgprs as usize);
        wave.index = site.index;
        wave.uniform_mut().pc = self.launch.entry;
        wave.set_s64(sreg::EXEC, site.group.exec(site.index));
        let first =
            site.group.index as usize * self.group_items as usize + site.index as usize * LANES;
        for (n, values) in self.inputs.iter().enumerate() {
            let lanes = wave.vgpr_mut(n);
            match values.as_slice() {
                [one] => lanes.fill(*one),
                values => {
                    let values = values.get(first..).unwrap_or_default();
                    for (lane, value) in lanes.iter_mut().zip(values) {
                        *lane = *value;
                    }
                }
            }
        }
    }
}

impl StageLaunch {
    fn scalars(&self, site: &Site<'_>) -> [u32; 128] {
        let waves = self.group_items.div_ceil(LANES as u32) as usize;
        let number = site.group.index as usize * waves + site.index as usize;
        let own = self.own.iter().map(|values| values[number]);
        let mut s = [0; 128];
        for (register, value) in s.iter_mut().zip(self.shared.iter().copied().chain(own)) {
            *register = value;
        }
        s[usize::from(sreg::M0)] = self.m0;
        s
    }
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::Chip;

    use super::*;
    use crate::dispatch::Grid;
    use crate::gcn::UserData;

    /// 130 items in groups of 128: three waves, the last of two items.
    #[test]
    fn registers_go_by_wave_and_item() {
        let stage = StageLaunch {
            launch: Launch {
                chip: Chip::Gfx900,
                xccs: 1,
                entry: 0x1000,
                rsrc1: 0,
                rsrc2: 0,
                vgprs: 8,
                acc_vgprs: 0,
                live_in: None,
                sgprs: 96,
                lds_bytes: 0,
                scratch_wave_bytes: 0,
                trap_handler: None,
                user: UserData::default(),
            },
            group_items: 128,
            shared: vec![5, 6],
            own: vec![vec![10, 11, 12]],
            m0: 99,
            inputs: vec![(100..230).collect(), vec![7]],
        };
        let grid = Grid::new([130, 1, 1], [128, 1, 1]).unwrap();
        let started = |group, index| {
            let mut wave = Wave::new(0);
            wave.uniform_mut().s[3] = 1;
            wave.vgpr_mut(2)[0] = 1;
            let site = Site {
                group: &grid.group(group),
                index,
                scratch: 0,
                unit: 0,
                slot: 0,
            };
            stage.start(&mut wave, &site, &mut Prepared::default());
            wave
        };
        let wave = started(0, 1);
        assert_eq!(wave.uniform().s[..4], [5, 6, 11, 0]);
        assert_eq!(wave.uniform().s[usize::from(sreg::M0)], 99);
        assert_eq!((wave.vgpr(0)[0], wave.vgpr(0)[63]), (164, 227));
        assert_eq!(wave.vgpr(1), &[7; LANES]);
        assert_eq!(wave.vgpr(2), &[0; LANES]);
        assert_eq!(
            wave.uniform().hw[usize::from(hwreg::STATUS)] & EXPORT_RDY,
            EXPORT_RDY
        );
        let last = started(1, 0);
        assert_eq!(last.uniform().s[2], 12);
        assert_eq!(last.exec(), 3);
        assert_eq!(last.vgpr(0)[..3], [228, 229, 0]);
    }
}
