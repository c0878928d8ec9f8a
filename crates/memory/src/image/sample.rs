//! Samples of images: coordinates, levels, filters, comparison (Vega ISA, 8.2.3
//! "Image Opcodes with a Sampler").

use wavetank_ir::Image;

use super::Refused;
use super::lookup::Sampling;
use super::surface::Surface;
use crate::access::{Context, Request};
use crate::descriptor::ImageSampler;
use crate::elements::{Components, ZERO};
use crate::rows::Rows;
use crate::sources::words;
use crate::taps;

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

/// Refuses what of both is not known.
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
    use crate::access::Source;
    use crate::descriptor::{Border, ImageResource, ImageType};
    use crate::files::Wave;
    use crate::image::lookup::Lookups;
    use crate::registry::Registry;
    use crate::rows::Baseline;
    use crate::unit::MemoryUnit;
    use proptest::prelude::*;
    use wavetank_ir::{
        Access, Counter, DataReg, Half, ImageKind, Lod, MemKind, MemOp, Space, Tiling, Value,
    };

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
            let sampler = ImageSampler { mip_filter: 0, reduction: 0, ..ImageSampler::from_words(sampler) };
            let image = image(components);
            let step = request(image.clone());
            let surface = Surface::new(resource.to_words(), resource.tiling, false).unwrap().unwrap();
            let one = Sampling { surface, sampler, image: &image, step: &step, tap: None };
            let mut coordinate = || match next() % 8 {
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
