//! Samples of images: coordinates, levels, filters, comparison (Vega ISA, 8.2.3
//! "Image Opcodes with a Sampler").

use wavetank_ir::{Image, ImageKind, Lod};

use super::filter::{Tap, clamp_level, fixed_point, level_of, taps};
use super::surface::Surface;
use super::{Parts, Refused, chosen, first_level};
use crate::access::{Context, Request};
use crate::descriptor::{Border, Clamp, ImageSampler, ImageType};
use crate::format::{Components, load};
use crate::lanes::{each, words};
use crate::taps;
use crate::window::Span;

/// What a lane asks for. Coordinates count texels.
#[derive(Clone, Copy, Default)]
struct Lookup {
    offsets: [i32; 3],
    bias: f32,
    reference: f32,
    derivatives: [[f32; 3]; 2],
    at: [f32; 3],
    /// The slice of an array.
    slice: i64,
    level: f32,
    most: f32,
}

/// Samples, gathers, and levels of detail. With `TAP` it notes what is touched.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
pub unsafe fn access<const TAP: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let mut results = [[0; 4]; 64];
    if let Some(surface) = surface {
        // SAFETY: the wave is live.
        let words = unsafe { words(ctx, &step.descriptor[Request::SAMPLER..]) };
        let sampler = ImageSampler::from_words(words);
        let one = Sampling {
            surface,
            sampler,
            image,
            step,
            tap: TAP.then(|| taps::Tap::new(ctx.memory, step)),
        };
        // All lanes, since the levels of four lanes depend on each other.
        let requests: Vec<Lookup> = (0..64).map(|lane| one.request(ctx, lane)).collect();
        for lane in (0..64).filter(|l| mask >> l & 1 != 0) {
            // SAFETY: the wave is live.
            results[lane] = unsafe { one.lane(ctx, &requests, lane)? };
        }
    }
    let number = surface.map(|s| s.format.number);
    let registers = Components::new(ctx, step, number);
    // SAFETY: the wave is live.
    each(mask, |lane| unsafe {
        registers.write(lane, results[lane & 63])
    });
    Ok(())
}

/// An instruction with its descriptors.
struct Sampling<'a> {
    surface: Surface,
    sampler: ImageSampler,
    image: &'a Image,
    step: &'a Request,
    tap: Option<taps::Tap>,
}

impl Sampling<'_> {
    /// Reads a lane's address: offset, bias, comparand, derivatives, body.
    fn request(&self, ctx: &Context<'_, '_>, lane: usize) -> Lookup {
        let (image, surface) = (self.image, &self.surface);
        let mut parts = Parts::new(ctx, self.step, image, lane);
        let mut r = Lookup {
            most: f32::INFINITY,
            ..Lookup::default()
        };
        if image.offsets {
            let word = parts.whole();
            // Three signed numbers of 6 bits.
            r.offsets = [0, 8, 16].map(|at| (word << (26 - at)) as i32 >> 26);
        }
        if image.lod == Lod::Bias {
            r.bias = parts.float();
            parts.align();
        }
        if image.compare {
            r.reference = f32::from_bits(parts.whole());
        }
        let dimensions = surface.dimensions();
        if image.lod == Lod::Derivatives {
            for derivative in &mut r.derivatives {
                for d in &mut derivative[..dimensions] {
                    *d = parts.float();
                }
                parts.align();
            }
        }
        for x in &mut r.at[..dimensions] {
            *x = parts.float();
        }
        if image.array && dimensions < 3 {
            r.slice = self.slice(parts.float());
        }
        if image.lod == Lod::Explicit {
            r.level = parts.float();
        }
        if image.clamp {
            r.most = parts.float();
        }
        self.scale(&mut r);
        r
    }

    /// The slice of an array: the nearest that there is. The face of a cube is
    /// 8 · slice + face here, and 6 · slice + face in memory.
    fn slice(&self, index: f32) -> i64 {
        let index = index.round_ties_even() as i64;
        let index = match self.surface.resource.kind {
            ImageType::Cube => index.div_euclid(8) * 6 + index.rem_euclid(8),
            _ if !self.surface.is_array() => 0,
            _ => index,
        };
        index.clamp(0, i64::from(self.surface.size()[2]) - 1)
    }

    /// Makes coordinates and derivatives count texels.
    fn scale(&self, r: &mut Lookup) {
        if self.surface.resource.kind == ImageType::Cube {
            // Faces reach from 1 to 2, as V_CUBESC and its likes are used.
            r.at[0] -= 1.0;
            r.at[1] -= 1.0;
        } else if self.image.unnormalized || self.sampler.unnormalized {
            return;
        }
        for (n, size) in self.surface.size().into_iter().enumerate() {
            r.at[n] *= size as f32;
            for derivative in &mut r.derivatives {
                derivative[n] *= size as f32;
            }
        }
    }

    /// The level of detail that a lane asks for, before it is clamped.
    fn level(&self, requests: &[Lookup], lane: usize) -> f32 {
        let r = &requests[lane];
        let level = match self.image.lod {
            Lod::Zero => return 0.0,
            Lod::Explicit => r.level,
            Lod::Derivatives => level_of(r.derivatives),
            Lod::Implicit | Lod::Bias => {
                let first = &requests[lane & !3].at;
                let step = |to: usize| {
                    let to = &requests[lane & !3 | to].at;
                    std::array::from_fn(|n| to[n] - first[n])
                };
                level_of([step(1), step(2)]) + r.bias
            }
        };
        level + self.sampler.lod_bias
    }

    /// What a lane gets.
    unsafe fn lane(
        &self,
        ctx: &mut Context<'_, '_>,
        requests: &[Lookup],
        lane: usize,
    ) -> Result<[u32; 4], Refused> {
        let r = &requests[lane];
        let raw = self.level(requests, lane);
        let levels = self.surface.resource.level_count();
        let least = f32::from(self.surface.resource.min_lod) / 256.0;
        let level = match self.image.lod {
            Lod::Zero => 0.0,
            _ => clamp_level(&self.sampler, raw, least, r.most),
        };
        if self.image.kind == ImageKind::Lod {
            let both = [level.clamp(0.0, (levels - 1) as f32), raw];
            let both = [both[0].to_bits(), both[1].to_bits(), 0, 0];
            return Ok(chosen(both, self.image.components));
        }
        if self.sampler.mip_filter != 0 {
            let nearest = level.clamp(0.0, (levels - 1) as f32);
            // Mixing two levels reads the next one as soon as it has a weight.
            let deepest = match self.sampler.mip_filter {
                2 => nearest.ceil(),
                _ => nearest.round_ties_even(),
            };
            first_level(&self.surface.resource, deepest as u32)?;
        } else {
            first_level(&self.surface.resource, 0)?;
        }
        // SAFETY: the wave is live.
        unsafe {
            if self.image.kind == ImageKind::Gather {
                self.gather(ctx, r, lane)
            } else {
                self.filtered(ctx, r, lane, level)
            }
        }
    }

    /// The texels around a coordinate in each direction.
    fn taps(&self, r: &Lookup, linear: bool) -> [[Tap; 2]; 3] {
        let dimensions = self.surface.dimensions();
        let size = self.surface.size();
        let linear_z = match self.sampler.z_filter {
            0 => linear,
            filter => filter == 2,
        };
        std::array::from_fn(|n| {
            if n == 2 && dimensions < 3 {
                return [(Some(r.slice), 1.0), (Some(r.slice), 0.0)];
            }
            if n >= dimensions {
                return [(Some(0), 1.0), (Some(0), 0.0)];
            }
            let clamp = match self.surface.resource.kind {
                ImageType::Cube => Clamp::LastTexel,
                _ => self.sampler.clamp[n],
            };
            let linear = if n == 2 { linear_z } else { linear };
            let place = match linear || self.sampler.truncates {
                true => r.at[n],
                false => fixed_point(r.at[n]),
            };
            taps(place, size[n], clamp, linear, r.offsets[n])
        })
    }

    /// The weighted sum of the texels around a place.
    unsafe fn filtered(
        &self,
        ctx: &mut Context<'_, '_>,
        r: &Lookup,
        lane: usize,
        level: f32,
    ) -> Result<[u32; 4], Refused> {
        let magnified = level <= 0.0;
        let linear = match magnified {
            true => self.sampler.linear_mag,
            false => self.sampler.linear_min,
        };
        let exact = self.surface.format.is_integer();
        let [xs, ys, zs] = self.taps(r, linear && !exact);
        let mut sum = [0f32; 4];
        for (z, wz) in zs {
            for (y, wy) in ys {
                for (x, wx) in xs {
                    let weight = wx * wy * wz;
                    if weight == 0.0 {
                        continue;
                    }
                    // SAFETY: the wave is live.
                    let texel = unsafe { self.texel(ctx, r, lane, [x, y, z])? };
                    if weight == 1.0 {
                        return Ok(chosen(texel, self.image.components));
                    }
                    for (sum, value) in sum.iter_mut().zip(texel) {
                        *sum += f32::from_bits(value) * weight;
                    }
                }
            }
        }
        Ok(chosen(sum.map(f32::to_bits), self.image.components))
    }

    /// One component of four texels: lower left, lower right, upper right,
    /// upper left, where y grows downward.
    unsafe fn gather(
        &self,
        ctx: &mut Context<'_, '_>,
        r: &Lookup,
        lane: usize,
    ) -> Result<[u32; 4], Refused> {
        let [[(x0, _), (x1, _)], [(y0, _), (y1, _)], [(z, _), _]] = self.taps(r, true);
        let component = self.image.components.trailing_zeros().min(3) as usize;
        let mut found = [0; 4];
        for (found, (x, y)) in found
            .iter_mut()
            .zip([(x0, y1), (x1, y1), (x1, y0), (x0, y0)])
        {
            // SAFETY: the wave is live.
            *found = unsafe { self.texel(ctx, r, lane, [x, y, z])?[component] };
        }
        Ok(found)
    }

    /// The components of one texel, selected; with a comparison its result.
    unsafe fn texel(
        &self,
        ctx: &mut Context<'_, '_>,
        r: &Lookup,
        lane: usize,
        at: [Option<i64>; 3],
    ) -> Result<[u32; 4], Refused> {
        let place = match at {
            [Some(x), Some(y), Some(z)] => self.surface.texel([x, y, z]),
            _ => None,
        };
        let mut components = match place {
            None => self.border()?,
            Some(address) => {
                let bytes = self.surface.format.bytes();
                let span = Span {
                    first: address,
                    last: address,
                    bytes,
                    stores: false,
                };
                if !ctx.memory.holds(self.step.cache, span) {
                    ctx.memory
                        .check_lanes(1 << lane, bytes, false, |_| address)?;
                }
                if let Some(tap) = self.tap {
                    tap.one(Some(lane as u8), address, bytes);
                }
                // SAFETY: the texel has been checked.
                self.surface.format.unpack(unsafe { load(address, bytes) })
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

    fn border(&self) -> Result<[u32; 4], Refused> {
        let one = self.surface.format.one();
        match self.sampler.border {
            Border::TransparentBlack => Ok([0; 4]),
            Border::OpaqueBlack => Ok([0, 0, 0, one]),
            Border::OpaqueWhite => Ok([one; 4]),
            Border::Table => Err("border colors from a table are not executed yet"
                .to_owned()
                .into()),
        }
    }
}
