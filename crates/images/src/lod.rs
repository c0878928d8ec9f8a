//! Levels of detail, and the levels of an image that a sample reads.
//!
//! Levels are counted from the base level of the resource. Only its minimum level of detail counts from the first level in
//! memory.

use wavetank_ir::Lod;

use crate::filter::{clamp_level, level_of, samples_along};
use crate::texel_selection::{Lookups, Sampling};

/// The level of detail of a lane.
pub(crate) struct Detail {
    /// The level of detail before it is limited to the bounds.
    pub asked: f32,
    /// The level of detail within the bounds.
    pub level: f32,
    /// The step along which samples are taken, in coordinates, and their number.
    pub along: ([f32; 3], u32),
}

impl Sampling<'_> {
    /// Returns the steps in coordinates from a lane to its neighbours in x and y.
    fn steps(&self, asked: &Lookups, lane: usize) -> [[f32; 3]; 2] {
        if self.image.lod == Lod::Derivatives {
            return asked.derivatives.map(|d| d.map(|d| d[lane]));
        }
        let first = lane & !3;
        [1, 2].map(|to| asked.at.map(|at| at[first | to] - at[first]))
    }

    /// Computes the level of detail of a lane.
    pub(crate) fn detail(&self, asked: &Lookups, lane: usize) -> Detail {
        let (level, along) = match self.image.lod {
            Lod::Zero => {
                return Detail {
                    asked: 0.0,
                    level: 0.0,
                    along: ([0.0; 3], 1),
                };
            }
            Lod::Explicit => (asked.level[lane], ([0.0; 3], 1)),
            Lod::Derivatives | Lod::Implicit | Lod::Bias => {
                let steps = self.steps(asked, lane);
                let first = self.surface.level(0);
                let scale: [f32; 3] = std::array::from_fn(|n| self.scale(&first, n));
                let texels = steps.map(|step| std::array::from_fn(|n| step[n] * scale[n]));
                let count = samples_along(texels, self.most_along());
                let length = |n: usize| texels[n].iter().map(|x: &f32| x * x).sum::<f32>();
                let longer = usize::from(length(1) > length(0));
                let level = level_of(texels) - (count as f32).log2();
                (level + asked.bias[lane], (steps[longer], count))
            }
        };
        let raw = level + self.sampler.lod_bias;
        Detail {
            asked: raw,
            level: self.held(asked, lane, raw),
            along,
        }
    }

    /// Returns the maximum number of samples along a step.
    fn most_along(&self) -> u32 {
        let sampler = &self.sampler;
        let one_level = sampler.needs_levels && self.surface.resource.level_count() == 1;
        let mixes = sampler.anisotropic && !one_level && !self.surface.format.is_integer();
        if mixes { 1 << sampler.most_along } else { 1 }
    }

    /// Limits a level of detail to the bounds of sampler, resource and address.
    fn held(&self, asked: &Lookups, lane: usize, level: f32) -> f32 {
        let resource = &self.surface.resource;
        let least = f32::from(resource.min_lod) / 256.0 - f32::from(resource.levels[0]);
        clamp_level(&self.sampler, level, least, asked.most[lane])
    }

    /// Limits a level of detail to the levels that exist.
    pub(crate) fn existing(&self, level: f32) -> f32 {
        let last = self.surface.resource.level_count() - 1;
        level.max(0.0).min(last as f32)
    }

    /// Returns the level that is read if levels are not mixed. The sampler selects whether the level is rounded before or after
    /// it is limited to the bounds.
    pub(crate) fn nearest(&self, asked: &Lookups, lane: usize, detail: &Detail) -> u32 {
        let level = match (self.sampler.mip_filter, self.sampler.chooses_first) {
            (0, _) => return 0,
            (_, false) => detail.level + 0.5,
            (_, true) => self.held(asked, lane, detail.asked + 0.5),
        };
        self.existing(level.floor()) as u32
    }

    /// Returns the levels that texels are read from, with their weights.
    pub(crate) fn levels(&self, asked: &Lookups, lane: usize, detail: &Detail) -> [(u32, f32); 2] {
        if self.sampler.mip_filter != 2 || self.surface.format.is_integer() {
            return [(self.nearest(asked, lane, detail), 1.0), (0, 0.0)];
        }
        let level = self.existing(detail.level);
        let (first, part) = (level.floor(), level.fract());
        [(first as u32, 1.0 - part), (first as u32 + 1, part)]
    }
}
