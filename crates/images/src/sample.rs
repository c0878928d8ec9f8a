//! Samples of images: coordinates, levels, filters, comparison (Vega ISA, 8.2.3
//! "Image Opcodes with a Sampler").

use wavetank_ir::Image;
use wavetank_memory::for_spaces::convert::{Components, ZERO};
use wavetank_memory::for_spaces::{Recorder, words};
use wavetank_memory::lane_moves::LaneMoves;
use wavetank_memory::{Context, Request};

use crate::descriptor::ImageSampler;
use crate::operands::Refused;
use crate::surface::Surface;
use crate::texel_selection::Sampling;

/// Performs samples, gathers and queries of the level of detail. With `INSTRUMENTED`, it records the accesses.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
#[inline(always)]
pub(crate) unsafe fn access<R: LaneMoves, const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let mut results = ZERO;
    if let Some(mut surface) = surface {
        // SAFETY: the wave is live.
        let words = unsafe { words(ctx, &step.descriptor[Request::SAMPLER..]) };
        let sampler = ImageSampler::from_words(words);
        refuse_unknown(&surface, &sampler)?;
        if sampler.degamma {
            surface.format = surface.format.degamma();
        }
        let one = Sampling {
            surface,
            sampler,
            image,
            step,
            // SAFETY: the unit outlives the recorder, which is not kept.
            recorder: INSTRUMENTED.then(|| unsafe { Recorder::new(ctx.memory, step).one_by_one() }),
        };
        // For all lanes, also inactive ones: the level of a lane depends on the coordinates of its neighbours.
        let lookups = one.lookups(ctx);
        // SAFETY: the wave is live.
        results = unsafe {
            // Instrumented accesses are recorded lane by lane, so they are not made together.
            let together = (!INSTRUMENTED).then(|| one.together::<R>(ctx, &lookups, mask));
            match together.flatten() {
                Some(results) => results,
                None => one.one_by_one(ctx, &lookups, mask)?,
            }
        };
    }
    let format = surface.map(|s| s.format);
    // SAFETY: the wave is live.
    unsafe { Components::new(ctx, step, format).write::<R>(mask, &results) };
    Ok(())
}

/// Refuses properties of image and sampler that are not supported.
fn refuse_unknown(surface: &Surface, sampler: &ImageSampler) -> Result<(), String> {
    if surface.resource.kind.is_sampled() {
        return Err("an image with several samples a texel has no filter: it is loaded".into());
    }
    match sampler.reduction {
        0..3 => Ok(()),
        mode => Err(format!("filter mode {mode} of its sampler is reserved")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{Border, Clamp, ImageResource, ImageType};
    use crate::texel_selection::Lookups;
    use proptest::prelude::*;
    use wavetank_ir::{
        Access, Counter, DataReg, Half, ImageKind, Lod, MemKind, MemOp, Space, Tiling, Value,
    };
    use wavetank_memory::lane_moves::Baseline;
    use wavetank_memory::{MemoryUnit, Registry, Source, Wave};

    /// Returns a sample of an image whose descriptors are constants.
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
                shadow: false,
                counter: Counter::Vm,
            },
            pc: 0,
            cache: 0,
            sources: [Source::None; 4],
            descriptor: [Source::None; 6],
            address: [0; Image::MAX_ADDRESS],
            data: [0; MemOp::MAX_DATA],
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
            tiling: Tiling::Swizzled,
            narrow: false,
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

    /// Texels of one component by level and place, as rows of levels hold them: docs/reference/images.md.
    struct Model {
        size: [i64; 2],
        levels: i64,
        texels: Vec<f32>,
    }

    impl Model {
        /// Returns the number of rows of the first `levels` levels.
        fn rows(&self, levels: i64) -> i64 {
            let mut height = self.size[1];
            (0..levels).fold(0, |rows, _| {
                let all = rows + height;
                height = (height + 1) / 2;
                all
            })
        }

        fn sides(&self, level: i64) -> [i64; 2] {
            self.size.map(|n| (n >> level).max(1))
        }

        fn texel(&self, level: i64, [x, y]: [i64; 2]) -> f64 {
            // 64 texels of 4 bytes a row: no image here is wider.
            self.texels[(64 * (self.rows(level) + y) + x) as usize].into()
        }

        /// Returns the texels around a place, with their weights; the image repeats, or ends at its edges.
        fn around(
            &self,
            level: i64,
            place: [f64; 2],
            linear: bool,
            wraps: bool,
        ) -> Vec<(f64, f64)> {
            let sides = self.sides(level);
            let of = |n: usize| {
                let at = place[n] * sides[n] as f64;
                let (first, part) = if linear {
                    ((at - 0.5).floor(), (at - 0.5).rem_euclid(1.0))
                } else {
                    // The rounding to 1/256 is in the table of errata.
                    (((at * 256.0).round_ties_even() / 256.0).floor(), 0.0)
                };
                let index = |i: i64| {
                    if wraps {
                        i.rem_euclid(sides[n])
                    } else {
                        i.clamp(0, sides[n] - 1)
                    }
                };
                [
                    (index(first as i64), 1.0 - part),
                    (index(first as i64 + 1), part),
                ]
            };
            let [xs, ys] = [0, 1].map(of);
            let all = ys.into_iter().flat_map(|y| xs.map(|x| (x, y)));
            all.map(|((x, a), (y, b))| (self.texel(level, [x, y]), a * b))
                .collect()
        }

        /// Returns the sample at a place and level of detail.
        fn sample(&self, sampler: &ImageSampler, place: [f64; 2], lod: f64, first: i64) -> f64 {
            let [least, most] = sampler.lod.map(f64::from);
            let lod = (lod + f64::from(sampler.lod_bias)).max(least).min(most);
            let linear = if lod <= 0.0 {
                sampler.linear_mag
            } else {
                sampler.linear_min
            };
            let last = (self.levels - 1 - first) as f64;
            let there = lod.clamp(0.0, last);
            let parts = match sampler.mip_filter {
                0 => [(0.0, 1.0), (0.0, 0.0)],
                2 => [
                    (there.floor(), 1.0 - there.fract()),
                    (there.floor() + 1.0, there.fract()),
                ],
                _ => [((lod + 0.5).floor().clamp(0.0, last), 1.0), (0.0, 0.0)],
            };
            let wraps = sampler.clamp[0] == Clamp::Wrap;
            let weighted: Vec<_> = parts
                .into_iter()
                .filter(|(_, part)| *part != 0.0)
                .flat_map(|(level, part)| {
                    let texels = self.around(first + level as i64, place, linear, wraps);
                    texels
                        .into_iter()
                        .map(move |(texel, weight)| (texel, weight * part))
                })
                .filter(|(_, weight)| *weight != 0.0)
                .collect();
            let values = weighted.iter().map(|(texel, _)| *texel);
            match sampler.reduction {
                1 => values.fold(f64::INFINITY, f64::min),
                2 => values.fold(f64::NEG_INFINITY, f64::max),
                _ => weighted.iter().map(|(texel, weight)| texel * weight).sum(),
            }
        }
    }

    proptest! {
        /// Compares samples of planes, at levels of detail that lanes give, with a model that has no registers, addresses or
        /// single precision.
        #[test]
        fn levels_are_as_the_page_on_images_says(
            size in [1i64..40, 1i64..12], levels in 1i64..5, base in 0i64..4, filters in 0u32..4, mip_filter in 0u8..3,
            reduction in 0u8..3, wraps: bool, bounds in [0u32..0x300, 0u32..0x500], bias in -200i32..200, seed: u64,
        ) {
            let base = base.min(levels - 1);
            let mut state = seed | 1;
            let mut next = move || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state >> 32) as u32
            };
            let texels = (0..64 * 64).map(|_| (next() % 1000) as f32 / 1000.0).collect();
            let model = Model { size, levels, texels };
            let registry = Registry::new();
            let memory = registry.allocate("texels", 1 << 14, 4096).unwrap().address;
            let bytes: Vec<u8> = model.texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
            registry.write(memory, &bytes).unwrap();
            let [width, height] = size.map(|n| n as u32);
            let pitch = if levels == 1 { 64 } else { model.rows(levels) as u32 };
            let resource = ImageResource {
                levels: [base as u8, levels as u8 - 1],
                last_in_memory: levels as u8 - 1,
                ..ImageResource::plain(ImageType::D2, memory, [4, 7], [width, height, 1], pitch)
            };
            let clamp = if wraps { Clamp::Wrap } else { Clamp::LastTexel };
            let sampler = ImageSampler {
                clamp: [clamp; 3], linear_mag: filters & 1 != 0, linear_min: filters & 2 != 0, mip_filter, reduction,
                lod: bounds.map(|n| n as f32 / 256.0), lod_bias: bias as f32 / 256.0, ..ImageSampler::default()
            };
            let image = Image { lod: Lod::Explicit, ..image(1) };
            let step = request(image.clone());
            let surface = Surface::new(resource.to_words(), resource.tiling, false).unwrap().unwrap();
            let one = Sampling { surface, sampler, image: &image, step: &step, recorder: None };
            let mut places = |range: u32| std::array::from_fn(|_| (next() % range) as f32 / 1024.0 - 1.0);
            let none = [0.0; 64];
            let asked = Lookups {
                offsets: [[0; 64]; 3], bias: none, reference: none, derivatives: [[none; 3]; 2],
                at: [places(3072), places(3072), none], slice: [0; 64], level: places(6144),
                most: [f32::INFINITY; 64],
            };
            let mut wave = Wave::new(0);
            let (uniform, vector) = wave.raw();
            let mut memory = MemoryUnit::new(&registry);
            let mut ctx = Context { uniform, vector: vector.cast(), memory: &mut memory };
            // SAFETY: the wave is live.
            let (together, singly) = unsafe {
                (one.together::<Baseline>(&mut ctx, &asked, !0), one.one_by_one(&mut ctx, &asked, !0))
            };
            let singly = singly.unwrap_or_else(|_| panic!("refused"));
            for lane in 0..64 {
                let place = [0, 1].map(|n| f64::from(asked.at[n][lane]));
                let want = model.sample(&sampler, place, asked.level[lane].into(), base);
                let got = f64::from(f32::from_bits(singly[0][lane]));
                prop_assert!((got - want).abs() < 1e-5, "lane {}: {}, not {}", lane, got, want);
                if let Some(together) = &together {
                    prop_assert_eq!(together[0][lane], singly[0][lane]);
                }
            }
        }
    }

    proptest! {
        /// Samples of all lanes at once are those of each lane.
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
            // Halves without NaNs: the result of two NaNs is not specified.
            let contents: Vec<u8> = (0..1 << 15).flat_map(|_| (next() as u16 & 0xbbff).to_le_bytes()).collect();
            registry.write(texels, &contents).unwrap();
            // All faces or slices; a depth of one otherwise.
            let resource = ImageResource {
                select: std::array::from_fn(|_| [0, 1, 4, 5, 6, 7][next() as usize % 6]),
                ..ImageResource::plain(KINDS[kind], texels, FORMATS[format], size, 24)
            };
            let sampler = ImageSampler { mip_filter: 0, reduction: 0, ..ImageSampler::from_words(sampler) };
            let image = image(components);
            let step = request(image.clone());
            let surface = Surface::new(resource.to_words(), resource.tiling, false).unwrap().unwrap();
            let one = Sampling { surface, sampler, image: &image, step: &step, recorder: None };
            let wild = next() % 4 == 0;
            let mut coordinate = || match next() % 8 {
                1 if !wild => 0.5,
                0 => (next() % 64) as f32 / 2.0 - 8.0,
                1 => [f32::NAN, -0.0, f32::INFINITY][next() as usize % 3],
                _ => (next() % 40_000) as f32 / 1000.0 - 10.0,
            };
            let at: [[f32; 64]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| coordinate()));
            let far = (0..64).any(|lane| mask >> lane & 1 != 0 && at.iter().any(|at| at[lane].is_infinite()));
            let slice = std::array::from_fn(|lane| lane as u32 % surface.level(0).size[2]);
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
                let across = one.is_cube() && sampler.linear_mag && !sampler.faces_apart;
                prop_assert!(far || across || matches!(sampler.border, Border::Table(_)));
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
