//! Accesses to images (Vega ISA, 8.2 "Vector Memory Image Instructions").
//!
//! Texels are looked at lane by lane; all of them are checked before a register
//! or memory changes.

mod filter;
mod sample;
mod surface;

use wavetank_ir::{Image, ImageKind, Lod, MemKind, Space as Where};

use crate::access::{Context, Request};
use crate::descriptor::{ImageResource, ImageType};
use crate::format::{Components, HALF, load, store, unselect};
use crate::lanes::{each, words};
use crate::operation::{Operation, ReadModifyWrite};
use crate::places::Far;
use crate::rows::Baseline;
use crate::space::buffer::check_addresses;
use crate::taps::Tap;
use crate::unit::Denied;
use surface::Surface;

/// Why an access to an image was refused.
pub enum Refused {
    /// An address.
    Denied(Denied),
    /// Something of its resource or sampler, as a sentence.
    Unsupported(String),
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        Refused::Denied(denied)
    }
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Refused::Unsupported(why)
    }
}

/// The access of a step to an image. With `TAP` it notes what is touched.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
pub unsafe fn access<const TAP: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Refused> {
    let Where::Image(image) = &step.op.space else {
        unreachable!("chosen for images only")
    };
    // SAFETY: the wave is live.
    unsafe {
        let surface = Surface::new(words(ctx, &step.descriptor))?;
        match image.kind {
            ImageKind::Info => info(ctx, step, image, surface, mask),
            ImageKind::Texel | ImageKind::Raw | ImageKind::RawSigned => {
                texels::<TAP>(ctx, step, image, surface, mask)
            }
            ImageKind::Sample | ImageKind::Gather | ImageKind::Lod => {
                sample::access::<TAP>(ctx, step, image, surface, mask)
            }
        }
    }
}

/// The parts of a lane's address, one after the other.
pub(crate) struct Parts<'a> {
    file: *const u32,
    dwords: &'a [u32; Image::MOST_ADDRESS],
    lane: usize,
    /// The dword that comes next, and whether its low half has been taken.
    at: usize,
    half: bool,
    short: bool,
}

impl<'a> Parts<'a> {
    /// The address of a lane below 64 of a live wave.
    pub fn new(ctx: &Context<'_, '_>, step: &'a Request, image: &Image, lane: usize) -> Self {
        Parts {
            file: ctx.v(0),
            dwords: &step.address,
            lane,
            at: 0,
            half: false,
            short: image.short,
        }
    }

    /// Goes on at a whole dword.
    pub fn align(&mut self) {
        self.at += usize::from(self.half);
        self.half = false;
    }

    /// The next whole dword.
    pub fn whole(&mut self) -> u32 {
        self.align();
        let lanes = self.dwords[self.at] as usize / size_of::<u32>();
        self.at += 1;
        // SAFETY: it is in the file of a live wave, as `new` demands.
        unsafe { self.file.add(lanes + self.lane).read() }
    }

    /// The next 16 bits.
    fn short(&mut self) -> u32 {
        if !self.half {
            let low = self.whole() & 0xffff;
            (self.at, self.half) = (self.at - 1, true);
            return low;
        }
        self.half = false;
        self.whole() >> 16
    }

    /// The next part as an integer.
    pub fn integer(&mut self) -> u32 {
        match self.short {
            true => self.short(),
            false => self.whole(),
        }
    }

    /// The next part as a float.
    pub fn float(&mut self) -> f32 {
        f32::from_bits(match self.short {
            true => HALF.decode(self.short()),
            false => self.whole(),
        })
    }
}

/// Loads, stores and atomics of one texel a lane.
unsafe fn texels<const TAP: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let (mut address, mut inside) = ([0; 64], 0);
    if let Some(surface) = &surface {
        for lane in (0..64).filter(|l| mask >> l & 1 != 0) {
            if let Some(texel) = texel_of_lane(ctx, step, image, surface, lane)? {
                address[lane] = texel;
                inside |= 1 << lane;
            }
        }
        if inside != 0 {
            let (bytes, stores) = (surface.format.bytes(), step.op.kind != MemKind::Load);
            check_addresses(ctx, step.cache, inside, bytes, stores, &address)?;
            if TAP {
                Tap::new(ctx.memory, step).lanes(&Far(address), inside, bytes);
            }
        }
    }
    // SAFETY: the wave is live; the texels were checked.
    unsafe {
        match (step.op.kind, surface) {
            (MemKind::Load, _) => load_texels(ctx, step, image, surface, mask, inside, &address),
            (MemKind::Store, Some(s)) => store_texels(ctx, step, image, &s, inside, &address),
            (MemKind::Store, None) => {}
            (MemKind::Atomic(_), _) => {
                let bytes = surface.map_or(0, |s| s.format.bytes());
                if inside != 0 && bytes != step.op.access.bytes() {
                    return Err(
                        format!("atomics on texels of {bytes} bytes are not defined").into(),
                    );
                }
                change_texels(ctx, step, mask, inside, address);
            }
        }
    }
    Ok(())
}

/// The address of the texel of a lane; `None` outside the image.
fn texel_of_lane(
    ctx: &Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: &Surface,
    lane: usize,
) -> Result<Option<u64>, String> {
    let mut parts = Parts::new(ctx, step, image, lane);
    let mut at = [0; 3];
    for coordinate in &mut at[..surface.dimensions()] {
        *coordinate = parts.integer().into();
    }
    if image.array && surface.dimensions() < 3 {
        let slice = parts.integer();
        at[2] = if surface.is_array() { slice.into() } else { 0 };
    }
    if image.lod == Lod::Explicit {
        let level = parts.integer();
        if level >= surface.resource.level_count() {
            return Ok(None);
        }
        first_level(&surface.resource, level)?;
    }
    Ok(surface.texel(at))
}

/// Refuses every level but the first in memory.
pub(crate) fn first_level(resource: &ImageResource, level: u32) -> Result<(), String> {
    match level + u32::from(resource.levels[0]) {
        0 => Ok(()),
        n => Err(format!(
            "level {n} of an image is not executed yet, only the first"
        )),
    }
}

/// The components that DMASK chooses, in the order of the registers.
pub(crate) fn chosen(components: [u32; 4], mask: u8) -> [u32; 4] {
    let mut chosen = (0..4).filter(|n| mask >> n & 1 != 0);
    std::array::from_fn(|_| chosen.next().map_or(0, |n| components[n]))
}

unsafe fn load_texels(
    ctx: &Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
    inside: u64,
    address: &[u64; 64],
) {
    let number = surface.map(|s| s.format.number);
    let registers = Components::new(ctx, step, number);
    each(mask, |lane| {
        // SAFETY: the wave is live.
        unsafe {
            let texel = surface
                .filter(|_| inside >> lane & 1 != 0)
                .map_or([0; 4], |s| {
                    let bytes = s.format.bytes();
                    let element = load(address[lane & 63], bytes);
                    match image.kind {
                        ImageKind::Texel => {
                            chosen(s.select(s.format.unpack(element)), image.components)
                        }
                        ImageKind::RawSigned => dwords(sign_extended(element, bytes)),
                        _ => dwords(element),
                    }
                });
            registers.write(lane, texel);
        }
    });
}

fn dwords(element: u128) -> [u32; 4] {
    std::array::from_fn(|n| (element >> (32 * n)) as u32)
}

fn sign_extended(element: u128, bytes: u32) -> u128 {
    let unused = 128 - 8 * bytes;
    ((element << unused) as i128 >> unused) as u128
}

unsafe fn store_texels(
    ctx: &Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: &Surface,
    inside: u64,
    address: &[u64; 64],
) {
    let format = surface.format;
    let registers = Components::new(ctx, step, Some(format.number));
    let in_order = step.op.half != wavetank_ir::Half::Whole;
    each(inside, |lane| {
        // SAFETY: the wave is live.
        unsafe {
            let given = registers.read(lane);
            let element = match image.kind {
                ImageKind::Texel if in_order => {
                    format.pack(unselect(surface.resource.select, given))
                }
                ImageKind::Texel => {
                    let spread = spread(given, image.components);
                    format.pack(unselect(surface.resource.select, spread))
                }
                _ => (0..4).fold(0, |e, n| e | u128::from(given[n]) << (32 * n)),
            };
            store(address[lane & 63], element, format.bytes());
        }
    });
}

/// The inverse of `chosen`: what is not chosen is 0.
fn spread(given: [u32; 4], mask: u8) -> [u32; 4] {
    let mut given = given.into_iter();
    std::array::from_fn(|n| match mask >> n & 1 {
        0 => 0,
        _ => given.next().unwrap_or(0),
    })
}

/// Atomics. Outside the image nothing changes and 0 comes back.
unsafe fn change_texels(
    ctx: &Context<'_, '_>,
    step: &Request,
    mask: u64,
    inside: u64,
    address: [u64; 64],
) {
    // SAFETY: the wave is live.
    unsafe {
        ReadModifyWrite::<Baseline>::new(ctx, step).run(&Far(address), inside);
        if step.op.ret.is_some() {
            let registers = Components::new(ctx, step, None);
            each(mask & !inside, |lane| registers.write(lane, [0; 4]));
        }
    }
}

/// IMAGE_GET_RESINFO: width, height, depth or slices, and levels.
unsafe fn info(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    image: &Image,
    surface: Option<Surface>,
    mask: u64,
) -> Result<(), Refused> {
    let registers = Components::new(ctx, step, None);
    each(mask, |lane| {
        let level = Parts::new(ctx, step, image, lane).integer();
        let info = surface.map_or([0; 4], |s| info_of(&s, level));
        // SAFETY: the wave is live.
        unsafe { registers.write(lane, chosen(info, image.components)) };
    });
    Ok(())
}

fn info_of(surface: &Surface, level: u32) -> [u32; 4] {
    let levels = surface.resource.level_count();
    if level >= levels {
        return [0, 0, 0, levels];
    }
    let [width, height, depth] = surface.size();
    let half = |n: u32| (n >> level).max(1);
    let depth = match surface.resource.kind {
        ImageType::D3 => half(depth),
        _ => depth,
    };
    [half(width), half(height), depth, levels]
}
