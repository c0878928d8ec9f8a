//! Accesses to images (Vega ISA, 8.2 "Vector Memory Image Instructions").
//!
//! All texels are checked before a register or memory changes.

use wavetank_ir::{Half, Image, ImageKind, Lod, MemKind, Space as Where};
use wavetank_memory::for_spaces::convert::{self, Components, Four, ZERO};
use wavetank_memory::for_spaces::lanes::{Lanes, each, which};
use wavetank_memory::for_spaces::{Recorder, check_addresses, words};
use wavetank_memory::lane_moves::LaneMoves;
use wavetank_memory::operation::{Operation, ReadModifyWrite};
use wavetank_memory::places::Far;
use wavetank_memory::{Context, Request};

use crate::operands::{Parts, Refused};
use crate::sample;
use crate::surface::Surface;

/// Performs the image access of a step. With `INSTRUMENTED`, it records the accesses.
///
/// # Errors
/// The denial of the first lane whose access is denied, or a property of the image that is not supported; registers and memory
/// are unchanged then.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it, and the processor has the features of the level.
#[inline(always)]
pub unsafe fn access<R: LaneMoves, const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Refused> {
    let Where::Image(image) = &step.op.space else {
        unreachable!("chosen for images only")
    };
    // SAFETY: the wave is live.
    unsafe {
        let mut words = words(ctx, &step.descriptor);
        if image.narrow {
            words[4..].fill(0);
        }
        let surface = Surface::new(words, image.tiling, image.narrow)?;
        match image.kind {
            ImageKind::Info => info::<R>(ctx, step, image, surface, mask),
            ImageKind::Texel | ImageKind::Raw | ImageKind::RawSigned => {
                texels::<R, INSTRUMENTED>(ctx, step, image, surface, mask)
            }
            ImageKind::Sample | ImageKind::Gather | ImageKind::Lod => {
                sample::access::<R, INSTRUMENTED>(ctx, step, image, surface, mask)
            }
        }
    }
}

/// Performs loads, stores and atomics of one texel a lane.
#[inline(always)]
unsafe fn texels<R: LaneMoves, const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let mut places = Places::default();
    if let Some(surface) = &surface {
        places = Places::new(ctx, step, image, surface, mask);
        if places.inside != 0 {
            let (bytes, stores) = (surface.format.bytes(), step.op.kind != MemKind::Load);
            check_addresses(ctx, step, places.inside, bytes, stores, &places.address)?;
            if INSTRUMENTED {
                // SAFETY: the unit outlives the recorder, which is not kept.
                let recorder = unsafe { Recorder::new(ctx.memory, step) };
                recorder.lanes(&Far(places.address), places.inside, bytes);
            }
        }
    }
    // SAFETY: the wave is live; the texels were checked.
    unsafe {
        match (step.op.kind, surface) {
            (MemKind::Load, surface) => {
                let found = match &surface {
                    Some(surface) => loaded::<R>(image, surface, &places),
                    None => ZERO,
                };
                let format = surface.map(|s| s.format);
                Components::new(ctx, step, format).write::<R>(mask, &found);
            }
            (MemKind::Store, Some(s)) => store_texels::<R>(ctx, step, image, &s, &places)?,
            (MemKind::Store, None) => {}
            (MemKind::Atomic(_), _) => {
                let bytes = surface.map_or(0, |s| s.format.bytes());
                if places.inside != 0 && bytes != step.op.access.bytes() {
                    return Err(
                        format!("atomics on texels of {bytes} bytes are not defined").into(),
                    );
                }
                change_texels::<R>(ctx, step, mask, places.inside, places.address);
            }
        }
    }
    Ok(())
}

/// The locations of the lanes' texels.
struct Places {
    /// The address of the element that contains each lane's texel.
    address: [u64; 64],
    /// The lanes whose texel is inside the image.
    inside: u64,
    /// The number of each texel in its element, if elements have several texels.
    within: Option<Lanes>,
}

impl Default for Places {
    fn default() -> Self {
        Places {
            address: [0; 64],
            inside: 0,
            within: None,
        }
    }
}

impl Places {
    /// Locates the texels of the lanes of a mask.
    #[inline(always)]
    fn new(
        ctx: &Context<'_, '_>,
        step: &Request,
        image: &Image,
        surface: &Surface,
        mask: u64,
    ) -> Self {
        let mut parts = Parts::new(ctx, step, image);
        let mut at = [[0; 64]; 3];
        for coordinate in &mut at[..surface.dimensions()] {
            *coordinate = parts.integer();
        }
        if image.array && surface.dimensions() < 3 {
            let slice = parts.integer();
            if surface.is_array() {
                at[2] = slice;
            }
        }
        let mut there = mask;
        let samples = surface.resource.samples();
        if samples > 1 {
            let sample = parts.integer();
            let slices = surface.level(0).size[2];
            there &= which(|lane| sample[lane] < samples && at[2][lane] < slices);
            at[2] = std::array::from_fn(|lane| {
                at[2][lane].wrapping_mul(samples).wrapping_add(sample[lane])
            });
        }
        let level = (image.lod == Lod::Explicit).then(|| parts.integer());
        Places::of_levels(surface, &at, there, level.as_ref())
    }

    /// Locates texels in the first level, or each in its own level.
    #[inline(always)]
    fn of_levels(surface: &Surface, at: &[Lanes; 3], there: u64, level: Option<&Lanes>) -> Self {
        let samples = surface.resource.samples();
        let first = surface.level(0);
        let several = surface.format.extent() != [0, 0];
        let within = several.then(|| first.within(at));
        let (mut address, mut inside) = first.texels(at, samples);
        if let Some(level) = level {
            inside &= which(|lane| level[lane] == 0);
            for n in 1..surface.resource.level_count() {
                let here = there & which(|lane| level[lane] == n);
                if here == 0 {
                    continue;
                }
                let (found, within) = surface.level(n).texels(at, samples);
                inside |= here & within;
                each(here, |lane| address[lane] = found[lane]);
            }
        }
        Places {
            address,
            inside: inside & there,
            within,
        }
    }
}

/// Loads the texels of the lanes; a texel outside the image is 0.
#[inline(always)]
unsafe fn loaded<R: LaneMoves>(image: &Image, surface: &Surface, places: &Places) -> Four {
    let (bytes, inside) = (surface.format.bytes(), places.inside);
    // SAFETY: the texels were checked.
    let dwords = unsafe { convert::fetch::<R>(bytes, inside, &places.address) };
    match image.kind {
        ImageKind::Texel => {
            let components = match &places.within {
                Some(within) => surface.format.texel_lanes(&dwords, within),
                None => surface.format.unpack_lanes(&dwords),
            };
            let found = surface.select_lanes(&components);
            convert::blend(inside, &convert::chosen(&found, image.components), &ZERO)
        }
        ImageKind::RawSigned => sign_extended(&dwords, bytes),
        _ => dwords,
    }
}

/// Sign-extends elements to dwords.
#[inline(always)]
fn sign_extended(dwords: &Four, bytes: u32) -> Four {
    let unused = 32 - 8 * bytes.min(4);
    let last = bytes.div_ceil(4) as usize - 1;
    std::array::from_fn(|n| match n {
        _ if n < last => dwords[n],
        _ if n == last => dwords[n].map(|x| ((x << unused) as i32 >> unused) as u32),
        _ => dwords[last].map(|x| ((x << unused) as i32 >> 31) as u32),
    })
}

#[inline(always)]
unsafe fn store_texels<R: LaneMoves>(
    ctx: &Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: &Surface,
    places: &Places,
) -> Result<(), String> {
    let format = surface.format;
    if image.kind == ImageKind::Texel && !format.is_written() {
        let [data, _] = surface.resource.format;
        return Err(format!(
            "stores to images of data format {data} are not defined: their elements have several texels"
        ));
    }
    let in_order = step.op.half != Half::Whole;
    // SAFETY: the wave is live; the texels were checked.
    unsafe {
        let given = Components::new(ctx, step, Some(format)).read();
        let dwords = match image.kind {
            ImageKind::Texel => {
                let given = if in_order {
                    given
                } else {
                    convert::spread(&given, image.components)
                };
                format.pack_lanes(&convert::unselect(surface.resource.select, &given))
            }
            _ => given,
        };
        convert::put::<R>(format.bytes(), places.inside, &places.address, &dwords);
    }
    Ok(())
}

/// Performs atomics. A lane outside the image changes nothing, and gets 0.
#[inline(always)]
unsafe fn change_texels<R: LaneMoves>(
    ctx: &Context<'_, '_>,
    step: &Request,
    mask: u64,
    inside: u64,
    address: [u64; 64],
) {
    // SAFETY: the wave is live.
    unsafe {
        ReadModifyWrite::<R>::new(ctx, step).run(&Far(address), inside);
        if step.op.ret.is_some() {
            Components::new(ctx, step, None).write::<R>(mask & !inside, &ZERO);
        }
    }
}

/// Performs IMAGE_GET_RESINFO: width, height, depth or slices, and levels.
unsafe fn info<R: LaneMoves>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let level = Parts::new(ctx, step, image).integer();
    let info = level.map(|level| surface.map_or([0; 4], |s| info_of(&s, level)));
    let info = std::array::from_fn(|n| info.map(|info| info[n]));
    let chosen = convert::chosen(&info, image.components);
    // SAFETY: the wave is live.
    unsafe { Components::new(ctx, step, None).write::<R>(mask, &chosen) };
    Ok(())
}

fn info_of(surface: &Surface, level: u32) -> [u32; 4] {
    let levels = surface.resource.level_count();
    if level >= levels {
        return [0, 0, 0, levels];
    }
    let [width, height, depth] = surface.level(level).size;
    [width, height, depth, levels]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{ImageResource, ImageType};
    use crate::operands::chosen;
    use proptest::prelude::*;
    use wavetank_ir::{Access, Counter, DataReg, MemOp, Tiling, Value};
    use wavetank_memory::lane_moves::Baseline;
    use wavetank_memory::{MemoryUnit, Registry, Source, Wave};

    /// The size of the texels in bytes.
    const BYTES: usize = 1 << 14;
    /// The first register of stored data, after the coordinates; [`TO`] is that of loaded data.
    const DATA: usize = 4;
    const TO: usize = 8;

    /// An access to texels whose descriptor is a constant.
    fn request(image: Image, kind: MemKind, resource: &ImageResource) -> Request {
        let at = |register: usize| (256 * register) as u32;
        let words = resource.to_words();
        let part = |n: usize| u64::from(words[2 * n]) | u64::from(words[2 * n + 1]) << 32;
        let mut address = [0; Image::MAX_ADDRESS];
        let mut data = [0; MemOp::MAX_DATA];
        (0..3).for_each(|n| address[n] = at(n));
        (0..4).for_each(|n| data[n] = at(DATA + n));
        Request {
            op: MemOp {
                kind,
                space: Where::Image(image),
                offset: 0,
                access: Access::Dwords(4),
                half: Half::Whole,
                data: Vec::new(),
                ret: (kind == MemKind::Load).then_some(DataReg::V(TO as u16)),
                mask: None,
                glc: false,
                slc: false,
                shadow: false,
                counter: Counter::Vm,
            },
            pc: 0,
            cache: 0,
            sources: [Source::None; 4],
            descriptor: std::array::from_fn(|n| match n {
                0..4 => Source::Const(part(n)),
                _ => Source::None,
            }),
            address,
            data,
            ret: at(TO),
            mask: 0,
        }
    }

    proptest! {
        /// Loads and stores of texels, against one lane after the other.
        #[test]
        fn texels_lane_by_lane(
            kind in 0usize..4, format in 0usize..8, what in 0usize..3, short: bool, stores: bool, components in 1u8..16,
            seed: u64, mask: u64,
        ) {
            let kind = [ImageType::D1, ImageType::D2, ImageType::D3, ImageType::D2Array][kind];
            let format = [[10, 0], [10, 9], [1, 5], [5, 3], [4, 4], [11, 7], [13, 5], [14, 4]][format];
            let what = [ImageKind::Texel, ImageKind::Raw, ImageKind::RawSigned][what];
            let registry = Registry::new();
            let texels = registry.allocate("texels", BYTES as u64, 4096).unwrap().address;
            let mut state = seed | 1;
            let mut next = move || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state >> 32) as u32
            };
            let mut memory: Vec<u8> = (0..BYTES).map(|_| next() as u8).collect();
            registry.write(texels, &memory).unwrap();
            let resource = ImageResource {
                select: std::array::from_fn(|_| [0, 1, 4, 5, 6, 7][next() as usize % 6]),
                ..ImageResource::plain(kind, texels, format, [9, 7, 5], 16)
            };
            let surface = Surface::new(resource.to_words(), resource.tiling, false).unwrap().unwrap();
            let dimensions = surface.dimensions();
            let parts = if kind == ImageType::D2Array { 3 } else { dimensions };
            let mut at = [[0i64; 3]; 64];
            let mut wave = Wave::new(0);
            for (lane, at) in at.iter_mut().enumerate() {
                let coordinates: [u32; 3] = std::array::from_fn(|_| next() % 10);
                for n in 0..parts {
                    at[n] = coordinates[n].into();
                    if short { wave.vgpr_mut(n / 2)[lane] |= coordinates[n] << (16 * (n % 2)) } else { wave.vgpr_mut(n)[lane] = coordinates[n] }
                }
                (DATA..TO + 4).for_each(|n| wave.vgpr_mut(n)[lane] = next() & 0xbfff_ffff);
            }
            let image = Image {
                kind: what, resource: [Value(0); 4], sampler: None, address: Vec::new(), lod: Lod::Zero, components,
                clamp: false, compare: false, offsets: false, unnormalized: false,
                array: kind == ImageType::D2Array, short, tiling: Tiling::Swizzled, narrow: false,
            };
            let step = request(image, if stores { MemKind::Store } else { MemKind::Load }, &resource);
            let bytes = surface.format.bytes() as usize;
            let mut want: Four = std::array::from_fn(|n| *wave.vgpr(TO + n));
            for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                let place = surface.level(0).texel(at[lane], 1).map(|(place, _)| (place - texels) as usize);
                let given: [u32; 4] = std::array::from_fn(|n| wave.vgpr(DATA + n)[lane]);
                if stores {
                    let mut left = given.into_iter();
                    let spread = std::array::from_fn(|n| {
                        if components >> n & 1 != 0 { left.next().unwrap() } else { 0 }
                    });
                    let element = match what {
                        ImageKind::Texel => surface.format.element(resource.select, spread).to_le_bytes().to_vec(),
                        _ => given.into_iter().flat_map(u32::to_le_bytes).collect(),
                    };
                    if let Some(place) = place {
                        memory[place..place + bytes].copy_from_slice(&element[..bytes]);
                    }
                    continue;
                }
                let found = place.map_or([0; 4], |place| {
                    let signed = what == ImageKind::RawSigned && memory[place + bytes - 1] & 0x80 != 0;
                    let mut element = [if signed { 0xff } else { 0 }; 16];
                    element[..bytes].copy_from_slice(&memory[place..place + bytes]);
                    let dword = |n: usize| u32::from_le_bytes(element[4 * n..4 * n + 4].try_into().unwrap());
                    match what {
                        ImageKind::Texel => {
                            let unpacked = surface.format.texel(u128::from_le_bytes(element), 0);
                            chosen(surface.select(unpacked), components)
                        }
                        _ => std::array::from_fn(dword),
                    }
                });
                (0..4).for_each(|n| want[n][lane] = found[n]);
            }
            let mut unit = MemoryUnit::new(&registry);
            let (uniform, vector) = wave.raw();
            let mut ctx = Context { uniform, vector: vector.cast(), memory: &mut unit };
            // SAFETY: the wave is live, and every processor has the level.
            let result = unsafe { access::<Baseline, false>(&mut ctx, &step, mask) };
            prop_assert!(result.is_ok());
            for (n, want) in want.iter().enumerate() {
                prop_assert_eq!(wave.vgpr(TO + n), want, "register {}", n);
            }
            let mut got = vec![0; BYTES];
            registry.read(texels, &mut got).unwrap();
            prop_assert!(got == memory);
        }
    }
}
