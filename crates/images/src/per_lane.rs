//! Samples lane by lane.

use wavetank_ir::ImageKind;
use wavetank_memory::for_spaces::convert::{Four, ZERO};
use wavetank_memory::for_spaces::load;
use wavetank_memory::{Context, Span};

use crate::cube::across;
use crate::filter::{Mixture, Tap, taps, taps_beyond};
use crate::lod::Detail;
use crate::operands::{Refused, chosen};
use crate::surface::Level;
use crate::texel_selection::{Axis, Lookup, Lookups, Sampling};

impl Sampling<'_> {
    /// Samples for each lane.
    ///
    /// # Safety
    /// The wave is alive.
    #[inline(never)]
    pub(crate) unsafe fn one_by_one(
        &self,
        ctx: &mut Context<'_, '_>,
        asked: &Lookups,
        mask: u64,
    ) -> Result<Four, Refused> {
        let mut results = ZERO;
        for lane in (0..64).filter(|l| mask >> l & 1 != 0) {
            // SAFETY: the wave is live.
            let result = unsafe { self.lane(ctx, asked, lane)? };
            for (results, result) in results.iter_mut().zip(result) {
                results[lane] = result;
            }
        }
        Ok(results)
    }

    /// Samples for a lane.
    unsafe fn lane(
        &self,
        ctx: &mut Context<'_, '_>,
        asked: &Lookups,
        lane: usize,
    ) -> Result<[u32; 4], Refused> {
        let r = &asked.of(lane);
        let detail = &self.detail(asked, lane);
        // SAFETY: the wave is live.
        unsafe {
            match self.image.kind {
                ImageKind::Lod => {
                    let both = [self.existing(detail.level), detail.asked].map(f32::to_bits);
                    Ok(chosen([both[0], both[1], 0, 0], self.image.components))
                }
                ImageKind::Gather => {
                    let level = self.surface.level(self.nearest(asked, lane, detail));
                    self.gather(ctx, &level, r)
                }
                _ => {
                    let levels = self.levels(asked, lane, detail);
                    self.filtered(ctx, r, detail, levels)
                }
            }
        }
    }

    /// Returns the texels around a coordinate in each direction.
    fn taps(&self, level: &Level, r: &Lookup, linear: bool) -> [[Tap; 2]; 3] {
        std::array::from_fn(|n| {
            let (size, offset) = (level.size[n], r.offsets[n]);
            let at = r.at[n] * self.scale(level, n);
            match self.direction(n, linear) {
                Axis::Slice => [(Some(r.slice), 1.0), (Some(r.slice), 0.0)],
                Axis::None => [(Some(0), 1.0), (Some(0), 0.0)],
                Axis::Mixed(clamp) => taps(at, size, clamp, true, offset),
                Axis::Nearest(clamp) => taps(self.rounded(at), size, clamp, false, offset),
                Axis::Across => taps_beyond(at, offset),
            }
        })
    }

    /// Filters the texels around a place, or around several places along a step.
    unsafe fn filtered(
        &self,
        ctx: &mut Context<'_, '_>,
        r: &Lookup,
        detail: &Detail,
        levels: [(u32, f32); 2],
    ) -> Result<[u32; 4], Refused> {
        let linear = if detail.level <= 0.0 {
            self.sampler.linear_mag
        } else {
            self.sampler.linear_min
        };
        let linear = linear && !self.surface.format.is_integer();
        let (step, count) = detail.along;
        let mut mixture = Mixture::new(self.sampler.reduction);
        for n in 0..count {
            // From the middle of the first part of the step to that of the last.
            let along = (n as f32 + 0.5) / count as f32 - 0.5;
            let r = &Lookup {
                at: match count {
                    1 => r.at,
                    _ => std::array::from_fn(|n| r.at[n] + step[n] * along),
                },
                ..*r
            };
            for (level, part) in levels.into_iter().filter(|(_, part)| *part != 0.0) {
                let level = &self.surface.level(level);
                let share = part / count as f32;
                // SAFETY: the wave is live.
                unsafe { self.mix(ctx, level, r, linear, share, &mut mixture)? };
            }
        }
        Ok(chosen(mixture.components(), self.image.components))
    }

    /// Adds the texels of a level around a place to a mixture, weighted by `share`.
    unsafe fn mix(
        &self,
        ctx: &mut Context<'_, '_>,
        level: &Level,
        r: &Lookup,
        linear: bool,
        share: f32,
        mixture: &mut Mixture,
    ) -> Result<(), Refused> {
        let [xs, ys, zs] = self.taps(level, r, linear);
        for (z, wz) in zs {
            for (y, wy) in ys {
                for (x, wx) in xs {
                    let weight = wx * wy * wz * share;
                    if weight == 0.0 {
                        continue;
                    }
                    // SAFETY: the wave is live.
                    let texel = unsafe { self.texel(ctx, level, r, [x, y, z])? };
                    mixture.add(texel, weight);
                }
            }
        }
        Ok(())
    }

    /// Loads one component of four texels: lower left, lower right, upper right, upper left, where y grows downward.
    unsafe fn gather(
        &self,
        ctx: &mut Context<'_, '_>,
        level: &Level,
        r: &Lookup,
    ) -> Result<[u32; 4], Refused> {
        let [[(x0, _), (x1, _)], [(y0, _), (y1, _)], [(z, _), _]] = self.taps(level, r, true);
        let component = self.image.components.trailing_zeros().min(3) as usize;
        let mut found = [0; 4];
        for (found, (x, y)) in found
            .iter_mut()
            .zip([(x0, y1), (x1, y1), (x1, y0), (x0, y0)])
        {
            // SAFETY: the wave is live.
            *found = unsafe { self.texel(ctx, level, r, [x, y, z])?[component] };
        }
        Ok(found)
    }

    /// Loads one texel with its components selected, or the result of the comparison.
    unsafe fn texel(
        &self,
        ctx: &mut Context<'_, '_>,
        level: &Level,
        r: &Lookup,
        at: [Option<i64>; 3],
    ) -> Result<[u32; 4], Refused> {
        let place = match at {
            [Some(x), Some(y), Some(z)] if self.is_cube() => {
                let [width, height, _] = level.size;
                level.texel(across([width, height], [x, y], z), 1)
            }
            [Some(x), Some(y), Some(z)] => level.texel([x, y, z], 1),
            _ => None,
        };
        let mut components = match place {
            // SAFETY: the wave is live.
            None => unsafe { self.border(ctx, r.lane)? },
            Some((address, within)) => {
                let bytes = self.surface.format.bytes();
                let span = Span {
                    first: address,
                    last: address,
                    bytes,
                    stores: false,
                };
                if !ctx.memory.holds(self.step.cache, span) {
                    ctx.memory
                        .check_lanes(self.step.pc, 1 << r.lane, bytes, false, |_| address)?;
                }
                if let Some(recorder) = self.recorder {
                    recorder.add(Some(r.lane as u8), address, bytes);
                }
                // SAFETY: the texel has been checked.
                let element = unsafe { load(address, bytes) };
                self.surface.format.texel(element, within)
            }
        };
        if self.image.compare {
            let holds = self
                .sampler
                .compares(r.reference, f32::from_bits(components[0]));
            components = [f32::from(u8::from(holds)).to_bits(), 0, 0, 0];
        }
        Ok(self.surface.select(components))
    }
}
