//! Samples of all lanes at once, for images without a choice of level.

use wavetank_ir::{ImageKind, Lod};
use wavetank_memory::Context;
use wavetank_memory::for_spaces::convert::{self, Four, ZERO};
use wavetank_memory::for_spaces::lanes::{self, Lanes, which};
use wavetank_memory::for_spaces::span;
use wavetank_memory::lane_moves::LaneMoves;

use crate::descriptor::Clamp;
use crate::filter::{Taps, taps_of_lanes};
use crate::surface::Level;
use crate::texel_selection::{Axis, Lookups, Sampling};

/// Adds weighted texels to the sums of the lanes of a mask.
#[inline(always)]
fn add(sum: &mut [[f32; 64]; 4], mask: u64, texels: &Four, weight: &[f32; 64]) {
    let on = lanes::spread(mask);
    for (sum, texels) in sum.iter_mut().zip(texels) {
        for lane in 0..64 {
            let more = sum[lane] + f32::from_bits(texels[lane]) * weight[lane];
            let bits = more.to_bits() & on[lane] | sum[lane].to_bits() & !on[lane];
            sum[lane] = f32::from_bits(bits);
        }
    }
}

impl Sampling<'_> {
    /// Returns whether all lanes mix texels of one level in the same way.
    #[inline(always)]
    fn is_even(&self) -> bool {
        let (image, sampler) = (self.image, &self.sampler);
        let one_level = sampler.mip_filter == 0 || self.surface.resource.level_count() == 1;
        let one_filter = sampler.linear_mag == sampler.linear_min && !sampler.anisotropic;
        image.kind == ImageKind::Sample
            && !image.compare
            && sampler.reduction == 0
            && self.surface.format.has_fields()
            && (image.lod == Lod::Zero || one_level && one_filter)
    }

    /// Samples for all lanes at once. Returns `None`, and the caller samples lane by lane, if the result depends on the level of
    /// detail or a comparison, or if a texel cannot be located in this way.
    ///
    /// # Safety
    /// The wave is alive.
    #[inline(always)]
    pub(crate) unsafe fn together<R: LaneMoves>(
        &self,
        ctx: &mut Context<'_, '_>,
        asked: &Lookups,
        mask: u64,
    ) -> Option<Four> {
        if !self.is_even() {
            return None;
        }
        let level = self.surface.level(0);
        let linear = self.sampler.linear_mag && !self.surface.format.is_integer();
        let [xs, ys, zs] = self.taps_of_lanes(&level, asked, mask, linear)?;
        let (mut sum, mut whole, mut done) = ([[0f32; 64]; 4], ZERO, 0);
        for z in &zs {
            for y in &ys {
                for x in &xs {
                    let weight = |lane| x.weight[lane] * y.weight[lane] * z.weight[lane];
                    let weight: [f32; 64] = std::array::from_fn(weight);
                    let wanted = mask & !done & which(|lane| weight[lane] != 0.0);
                    if wanted == 0 {
                        continue;
                    }
                    let there = wanted & x.there & y.there & z.there;
                    let at = [x.index, y.index, z.index];
                    // SAFETY: the wave is live.
                    let texels = unsafe { self.texels::<R>(ctx, &level, &at, wanted, there)? };
                    let full = wanted & which(|lane| weight[lane] == 1.0);
                    whole = convert::blend(full, &texels, &whole);
                    add(&mut sum, wanted, &texels, &weight);
                    done |= full;
                }
            }
        }
        let sum = sum.map(|sum| sum.map(f32::to_bits));
        let found = convert::blend(done, &whole, &sum);
        Some(convert::chosen(&found, self.image.components))
    }

    /// Loads one texel for each lane of `wanted`, with its components selected; lanes whose texel is in the border get the border
    /// color.
    #[inline(always)]
    unsafe fn texels<R: LaneMoves>(
        &self,
        ctx: &mut Context<'_, '_>,
        level: &Level,
        at: &[Lanes; 3],
        wanted: u64,
        there: u64,
    ) -> Option<Four> {
        let format = self.surface.format;
        let (address, inside) = level.texels(at, 1);
        let there = there & inside;
        let span = span(there, format.bytes(), false, &address);
        if there != 0 && !ctx.memory.holds(self.step.cache, span) {
            return None;
        }
        // SAFETY: the texels have been checked.
        let dwords = unsafe { convert::fetch::<R>(format.bytes(), there, &address) };
        let mut components = format.unpack_lanes(&dwords);
        if there != wanted {
            let border = self.fixed_border()?.map(|component| [component; 64]);
            components = convert::blend(there, &components, &border);
        }
        Some(self.surface.select_lanes(&components))
    }

    /// Returns the texels around the coordinates of all lanes in each direction: two where they are mixed, otherwise one. `None`
    /// if one is too far away, or on another face.
    #[inline(always)]
    fn taps_of_lanes(
        &self,
        level: &Level,
        asked: &Lookups,
        mask: u64,
        linear: bool,
    ) -> Option<[[Taps; 2]; 3]> {
        let nothing = || Taps {
            there: 0,
            weight: [0.0; 64],
            ..Taps::whole([0; 64])
        };
        let mut found = [(); 3].map(|()| [Taps::whole([0; 64]), nothing()]);
        for (n, found) in found.iter_mut().enumerate() {
            let (offset, size) = (&asked.offsets[n], level.size[n]);
            let scale = self.scale(level, n);
            let at = asked.at[n].map(|x| x * scale);
            match self.direction(n, linear) {
                Axis::Slice => found[0].index = asked.slice,
                Axis::None => {}
                Axis::Mixed(clamp) => {
                    *found = taps_of_lanes(&at, mask, size, clamp, true, offset)?;
                }
                Axis::Nearest(clamp) => {
                    let at = at.map(|x| self.rounded(x));
                    *found = taps_of_lanes(&at, mask, size, clamp, false, offset)?;
                }
                Axis::Across => {
                    let most = size as f32 - 0.5;
                    let within = which(|lane| (0.5..=most).contains(&at[lane]));
                    let moved = self.image.offsets;
                    if moved || mask & !within != 0 {
                        return None;
                    }
                    *found = taps_of_lanes(&at, mask, size, Clamp::LastTexel, true, offset)?;
                }
            }
        }
        Some(found)
    }
}
