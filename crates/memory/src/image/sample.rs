//! Samples of images: coordinates, levels, filters, comparison (Vega ISA, 8.2.3
//! "Image Opcodes with a Sampler").

use wavetank_ir::{Image, ImageKind, Lod};

use super::filter::{Tap, Taps, clamp_level, fixed_point, level_of, taps, taps_of_lanes};
use super::surface::Surface;
use super::{Parts, Refused, chosen, first_level};
use crate::access::{Context, Request};
use crate::descriptor::{Border, Clamp, ImageSampler, ImageType};
use crate::elements::{self, Components, Four, ZERO};
use crate::format::load;
use crate::lanes::{self, Lanes, which};
use crate::rows::Rows;
use crate::sources::words;
use crate::space::buffer::span;
use crate::taps;
use crate::window::Span;

/// What lanes ask for. Coordinates count texels.
struct Lookups {
    offsets: [Lanes; 3],
    bias: [f32; 64],
    reference: [f32; 64],
    derivatives: [[[f32; 64]; 3]; 2],
    at: [[f32; 64]; 3],
    /// The slice of an array.
    slice: Lanes,
    level: [f32; 64],
    most: [f32; 64],
}

/// What a lane asks for.
struct Lookup {
    offsets: [i32; 3],
    reference: f32,
    at: [f32; 3],
    slice: i64,
}

impl Lookups {
    /// What one of them asks for.
    fn of(&self, lane: usize) -> Lookup {
        Lookup {
            offsets: self.offsets.map(|x| x[lane] as i32),
            reference: self.reference[lane],
            at: self.at.map(|x| x[lane]),
            slice: self.slice[lane].into(),
        }
    }
}

/// How the texels of a sample are found in a direction.
enum Direction {
    /// There is none.
    None,
    /// By the slice of an array.
    Slice,
    /// The one at the coordinate.
    Nearest(Clamp),
    /// The two around it.
    Mixed(Clamp),
}

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

/// Samples, gathers, and levels of detail. With `TAP` it notes what is touched.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
#[inline(always)]
pub unsafe fn access<R: Rows, const TAP: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let mut results = ZERO;
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
        let lookups = one.lookups(ctx);
        // SAFETY: the wave is live.
        results = unsafe {
            // What is touched is told in the order of the lanes.
            let together = (!TAP).then(|| one.together::<R>(ctx, &lookups, mask));
            match together.flatten() {
                Some(results) => results,
                None => one.one_by_one(ctx, &lookups, mask)?,
            }
        };
    }
    let number = surface.map(|s| s.format.number);
    // SAFETY: the wave is live.
    unsafe { Components::new(ctx, step, number).write::<R>(mask, &results) };
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
    /// Reads the lanes' addresses: offset, bias, comparand, derivatives, body.
    #[inline(always)]
    fn lookups(&self, ctx: &Context<'_, '_>) -> Lookups {
        let (image, surface) = (self.image, &self.surface);
        let mut parts = Parts::new(ctx, self.step, image);
        let mut r = Lookups {
            offsets: [[0; 64]; 3],
            bias: [0.0; 64],
            reference: [0.0; 64],
            derivatives: [[[0.0; 64]; 3]; 2],
            at: [[0.0; 64]; 3],
            slice: [0; 64],
            level: [0.0; 64],
            most: [f32::INFINITY; 64],
        };
        if image.offsets {
            let word = parts.whole();
            // Three signed numbers of 6 bits.
            r.offsets = [0, 8, 16].map(|at| word.map(|w| ((w << (26 - at)) as i32 >> 26) as u32));
        }
        if image.lod == Lod::Bias {
            r.bias = parts.float();
            parts.align();
        }
        if image.compare {
            r.reference = parts.whole().map(f32::from_bits);
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
            r.slice = parts.float().map(|index| self.slice(index));
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
    fn slice(&self, index: f32) -> u32 {
        let index = index.round_ties_even() as i64;
        let index = match self.surface.resource.kind {
            ImageType::Cube => index.div_euclid(8) * 6 + index.rem_euclid(8),
            _ if !self.surface.is_array() => 0,
            _ => index,
        };
        index.clamp(0, i64::from(self.surface.size()[2]) - 1) as u32
    }

    /// Makes coordinates and derivatives count texels.
    #[inline(always)]
    fn scale(&self, r: &mut Lookups) {
        if self.surface.resource.kind == ImageType::Cube {
            // Faces reach from 1 to 2, as V_CUBESC and its likes are used.
            for at in &mut r.at[..2] {
                *at = at.map(|x| x - 1.0);
            }
        } else if self.image.unnormalized || self.sampler.unnormalized {
            return;
        }
        for (n, size) in self.surface.size().into_iter().enumerate() {
            r.at[n] = r.at[n].map(|x| x * size as f32);
            for derivative in &mut r.derivatives {
                derivative[n] = derivative[n].map(|x| x * size as f32);
            }
        }
    }

    /// The level of detail that a lane asks for, before it is clamped.
    fn level(&self, r: &Lookups, lane: usize) -> f32 {
        let level = match self.image.lod {
            Lod::Zero => return 0.0,
            Lod::Explicit => r.level[lane],
            Lod::Derivatives => level_of(r.derivatives.map(|d| d.map(|d| d[lane]))),
            Lod::Implicit | Lod::Bias => {
                let first = lane & !3;
                let step = |to: usize| r.at.map(|at| at[first | to] - at[first]);
                level_of([step(1), step(2)]) + r.bias[lane]
            }
        };
        level + self.sampler.lod_bias
    }

    /// What all lanes get, if it does not depend on a level, nothing is compared, and the instruction knows where all of it
    /// is.
    ///
    /// # Safety
    /// The wave is alive.
    #[inline(always)]
    unsafe fn together<R: Rows>(
        &self,
        ctx: &mut Context<'_, '_>,
        asked: &Lookups,
        mask: u64,
    ) -> Option<Four> {
        let (image, sampler) = (self.image, &self.sampler);
        let same = sampler.mip_filter == 0 && sampler.linear_mag == sampler.linear_min;
        let first = self.surface.resource.levels[0] == 0;
        if image.kind != ImageKind::Sample
            || image.compare
            || !first
            || image.lod != Lod::Zero && !same
        {
            return None;
        }
        let linear = sampler.linear_mag && !self.surface.format.is_integer();
        let [xs, ys, zs] = self.taps_of_lanes(asked, mask, linear)?;
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
                    let texels = unsafe { self.texels::<R>(ctx, &at, wanted, there)? };
                    let full = wanted & which(|lane| weight[lane] == 1.0);
                    whole = elements::blend(full, &texels, &whole);
                    add(&mut sum, wanted, &texels, &weight);
                    done |= full;
                }
            }
        }
        let sum = sum.map(|sum| sum.map(f32::to_bits));
        let found = elements::blend(done, &whole, &sum);
        Some(elements::chosen(&found, image.components))
    }

    /// The components of a texel of each lane, selected: of those that want one, some in the border.
    #[inline(always)]
    unsafe fn texels<R: Rows>(
        &self,
        ctx: &mut Context<'_, '_>,
        at: &[Lanes; 3],
        wanted: u64,
        there: u64,
    ) -> Option<Four> {
        let format = self.surface.format;
        let (address, inside) = self.surface.texels(at);
        let there = there & inside;
        let span = span(there, format.bytes(), false, &address);
        if there != 0 && !ctx.memory.holds(self.step.cache, span) {
            return None;
        }
        // SAFETY: the texels have been checked.
        let dwords = unsafe { elements::fetch::<R>(format.bytes(), there, &address) };
        let mut components = format.unpack_lanes(&dwords);
        if there != wanted {
            let border = self.border().ok()?.map(|component| [component; 64]);
            components = elements::blend(there, &components, &border);
        }
        Some(self.surface.select_lanes(&components))
    }

    /// The texels around the coordinates of all lanes in each direction: two where they are mixed, otherwise one.
    #[inline(always)]
    fn taps_of_lanes(&self, asked: &Lookups, mask: u64, linear: bool) -> Option<[[Taps; 2]; 3]> {
        let size = self.surface.size();
        let nothing = || Taps {
            there: 0,
            weight: [0.0; 64],
            ..Taps::whole([0; 64])
        };
        let mut found = [(); 3].map(|()| [Taps::whole([0; 64]), nothing()]);
        for (n, found) in found.iter_mut().enumerate() {
            let offset = &asked.offsets[n];
            match self.direction(n, linear) {
                Direction::Slice => found[0].index = asked.slice,
                Direction::None => {}
                Direction::Mixed(clamp) => {
                    *found = taps_of_lanes(&asked.at[n], mask, size[n], clamp, true, offset)?;
                }
                Direction::Nearest(clamp) => {
                    let at = asked.at[n].map(|x| self.rounded(x));
                    *found = taps_of_lanes(&at, mask, size[n], clamp, false, offset)?;
                }
            }
        }
        Some(found)
    }

    /// What the lanes get, lane by lane.
    #[inline(never)]
    unsafe fn one_by_one(
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

    /// What a lane gets.
    unsafe fn lane(
        &self,
        ctx: &mut Context<'_, '_>,
        asked: &Lookups,
        lane: usize,
    ) -> Result<[u32; 4], Refused> {
        let r = &asked.of(lane);
        let raw = self.level(asked, lane);
        let levels = self.surface.resource.level_count();
        let least = f32::from(self.surface.resource.min_lod) / 256.0;
        let level = match self.image.lod {
            Lod::Zero => 0.0,
            _ => clamp_level(&self.sampler, raw, least, asked.most[lane]),
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
        let size = self.surface.size();
        std::array::from_fn(|n| match self.direction(n, linear) {
            Direction::Slice => [(Some(r.slice), 1.0), (Some(r.slice), 0.0)],
            Direction::None => [(Some(0), 1.0), (Some(0), 0.0)],
            Direction::Mixed(clamp) => taps(r.at[n], size[n], clamp, true, r.offsets[n]),
            Direction::Nearest(clamp) => {
                let place = self.rounded(r.at[n]);
                taps(place, size[n], clamp, false, r.offsets[n])
            }
        })
    }

    /// How texels are found in a direction; `linear` is for those within a plane.
    #[inline(always)]
    fn direction(&self, n: usize, linear: bool) -> Direction {
        let dimensions = self.surface.dimensions();
        if n >= dimensions {
            return if n == 2 {
                Direction::Slice
            } else {
                Direction::None
            };
        }
        let clamp = match self.surface.resource.kind {
            ImageType::Cube => Clamp::LastTexel,
            _ => self.sampler.clamp[n],
        };
        let linear = match (n, self.sampler.z_filter) {
            (2, 1..) => self.sampler.z_filter == 2,
            _ => linear,
        };
        match linear {
            true => Direction::Mixed(clamp),
            false => Direction::Nearest(clamp),
        }
    }

    /// The coordinate where one texel is taken.
    #[inline(always)]
    fn rounded(&self, coordinate: f32) -> f32 {
        match self.sampler.truncates {
            true => coordinate,
            false => fixed_point(coordinate),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Source;
    use crate::descriptor::ImageResource;
    use crate::files::Wave;
    use crate::registry::Registry;
    use crate::rows::Baseline;
    use crate::unit::MemoryUnit;
    use proptest::prelude::*;
    use wavetank_ir::{Access, Counter, DataReg, Half, MemKind, MemOp, Space, Value};

    /// A sample of an image whose descriptors are handed over.
    fn request(image: Image) -> Request {
        Request {
            op: MemOp {
                kind: MemKind::Load,
                space: Space::Image(image),
                offset: 0,
                access: Access::Dwords(4),
                half: Half::Whole,
                data: Vec::new(),
                ret: Some(DataReg::V(0)),
                mask: None,
                glc: false,
                slc: false,
                counter: Counter::Vm,
            },
            pc: 0,
            cache: 0,
            sources: [Source::None; 4],
            descriptor: [Source::None; 6],
            address: [0; Image::MOST_ADDRESS],
            data: [0; MemOp::MOST_DATA],
            ret: 0,
            mask: 0,
        }
    }

    fn image(components: u8) -> Image {
        Image {
            kind: ImageKind::Sample,
            resource: [Value(0); 4],
            sampler: None,
            address: Vec::new(),
            lod: Lod::Zero,
            components,
            clamp: false,
            compare: false,
            offsets: false,
            unnormalized: false,
            array: false,
            short: false,
        }
    }

    const KINDS: [ImageType; 5] = [
        ImageType::D1,
        ImageType::D2,
        ImageType::D3,
        ImageType::Cube,
        ImageType::D2Array,
    ];

    /// Data and number formats: normalized, integers, floats, sRGB, of 1 to 16 bytes.
    const FORMATS: [[u8; 2]; 9] = [
        [10, 0],
        [10, 9],
        [10, 4],
        [1, 0],
        [5, 1],
        [16, 0],
        [12, 7],
        [4, 5],
        [13, 4],
    ];

    proptest! {
        /// Lanes get together what they get one by one.
        #[test]
        fn together_is_one_by_one(
            kind in 0usize..5, format in 0usize..9, sampler: [u32; 4], components in 1u8..16, seed: u64, mask: u64,
            size in [1u32..20, 1u32..20, 1u32..5],
        ) {
            let registry = Registry::new();
            let texels = registry.allocate("texels", 1 << 16, 4096).unwrap().address;
            let mut state = seed | 1;
            let mut next = move || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state >> 32) as u32
            };
            // Halves that are numbers: what comes of two NaNs is not said.
            let contents: Vec<u8> = (0..1 << 15).flat_map(|_| (next() as u16 & 0xbbff).to_le_bytes()).collect();
            registry.write(texels, &contents).unwrap();
            // As many faces or slices as there are, one depth elsewhere.
            let resource = ImageResource {
                select: std::array::from_fn(|_| [0, 1, 4, 5, 6, 7][next() as usize % 6]),
                ..ImageResource::plain(KINDS[kind], texels, FORMATS[format], size, 24)
            };
            let sampler = ImageSampler { mip_filter: 0, ..ImageSampler::from_words(sampler) };
            let image = image(components);
            let step = request(image.clone());
            let surface = Surface::new(resource.to_words()).unwrap().unwrap();
            let one = Sampling { surface, sampler, image: &image, step: &step, tap: None };
            let mut coordinate = || match next() % 8 {
                0 => (next() % 64) as f32 / 2.0 - 8.0,
                1 => [f32::NAN, -0.0, f32::INFINITY][next() as usize % 3],
                _ => (next() % 40_000) as f32 / 1000.0 - 10.0,
            };
            let at: [[f32; 64]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| coordinate()));
            let far = (0..64).any(|lane| mask >> lane & 1 != 0 && at.iter().any(|at| at[lane].is_infinite()));
            let slice = std::array::from_fn(|lane| lane as u32 % surface.size()[2]);
            let none = [0.0; 64];
            let asked = Lookups {
                offsets: [[1; 64], [!0; 64], [0; 64]],
                bias: none, reference: none, derivatives: [[none; 3]; 2], at, slice, level: none, most: none,
            };
            let mut wave = Wave::new(0);
            let (uniform, vector) = wave.raw();
            let mut memory = MemoryUnit::new(&registry);
            let mut ctx = Context { uniform, vector: vector.cast(), memory: &mut memory };
            // SAFETY: the wave is live.
            let (together, singly) = unsafe {
                (one.together::<Baseline>(&mut ctx, &asked, mask), one.one_by_one(&mut ctx, &asked, mask))
            };
            let Some(together) = together else {
                prop_assert!(far || sampler.border == Border::Table);
                return Ok(());
            };
            let singly = singly.unwrap_or_else(|_| panic!("refused"));
            for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                for n in 0..4 {
                    prop_assert_eq!(together[n][lane], singly[n][lane], "lane {} component {}", lane, n);
                }
            }
        }
    }
}
