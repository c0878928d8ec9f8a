//! Atomics on the elements of surfaces.
//!
//! Every lane is checked before anything changes. Then the lanes change their elements in ascending order: of lanes that access
//! the same element, each finds the value that the previous one has stored.

use std::mem::MaybeUninit;

use wavetank_ir::{DataReg, Dimensions, MemKind, Outside, Rmw, Space as Where, SurfaceAtomic};

use super::{Surface, SurfaceFault, Surfaces};
use crate::access::{Context, Request, Source};
use crate::atomic::{self, Words};
use crate::element_check::check_addresses;
use crate::fault::{Denied, MemoryFaultReason};
use crate::instrument::Recorder;
use crate::lanes::{Lanes, each};
use crate::operands::lanes32;
use crate::places::Far;
use crate::register_file::VECTOR_BYTES;

/// Dwords from one register to the next.
const NEXT: usize = VECTOR_BYTES / 4;

/// The result of locating the element of a lane.
enum Found {
    /// The address of an element, and the operation on it.
    Element(u64, Rmw),
    /// An element without memory.
    Absent,
    /// No element: the lane gets 0, and its store is dropped.
    Nothing,
}

/// The properties of an access that are the same for all lanes.
struct Wanted<'a> {
    element: &'a SurfaceAtomic,
    rmw: Rmw,
    bytes: u32,
}

/// The elements of all lanes.
struct AllFound {
    /// The address of each lane's element.
    address: [u64; 64],
    /// The lanes that have an element.
    inside: u64,
    /// The lanes whose element has no memory.
    absent: u64,
    /// The operations in the order of the lanes, each with the mask of the successive lanes that perform it.
    runs: Vec<(Rmw, u64)>,
}

/// Performs the surface access of a step. With `INSTRUMENTED`, it records the accesses.
///
/// # Errors
/// The denial of the first lane whose access is denied; registers and memory are unchanged then.
///
/// # Safety
/// The context is that of a live wave, and the step was lowered for it.
pub unsafe fn access<const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Denied> {
    let (Where::Surface(element), MemKind::Atomic(rmw)) = (&step.op.space, step.op.kind) else {
        unreachable!("chosen for atomics on surfaces only")
    };
    let bytes = step.op.access.bytes();
    let wanted = Wanted {
        element,
        rmw,
        bytes,
    };
    let surfaces = ctx.memory.surfaces.clone();
    // SAFETY: the wave is live.
    let found = unsafe { find(ctx, step, mask, &surfaces, &wanted)? };
    if found.inside != 0 {
        check_alignment(&found, bytes)?;
        check_addresses(ctx, step, found.inside, bytes, true, &found.address)?;
        if INSTRUMENTED {
            // SAFETY: the unit outlives the recorder, which is not kept.
            let recorder = unsafe { Recorder::new(ctx.memory, step) };
            recorder.lanes(&Far(found.address), found.inside, bytes);
        }
    }
    // SAFETY: the wave is live; the elements were checked.
    unsafe {
        match bytes {
            2 => change::<u16>(ctx, step, mask, &found, element.after),
            4 => change::<u32>(ctx, step, mask, &found, element.after),
            _ => change::<u64>(ctx, step, mask, &found, element.after),
        }
        write_absent(ctx, element.absent, mask, found.absent);
    }
    Ok(())
}

/// Finds the elements of all lanes.
///
/// # Safety
/// The wave is live.
unsafe fn find(
    ctx: &Context<'_, '_>,
    step: &Request,
    mask: u64,
    surfaces: &Surfaces,
    wanted: &Wanted<'_>,
) -> Result<AllFound, Denied> {
    // SAFETY: the wave is live, and the sources are the step's.
    let lanes = |source| unsafe { values(ctx, source) };
    let (number, level) = (lanes(step.sources[0]), lanes(step.sources[1]));
    let mut at = [[0; 64]; 3];
    for (n, at) in at.iter_mut().enumerate().take(wanted.element.at.len()) {
        *at = lanes(Source::Vector(step.address[n]));
    }
    let mut all = AllFound {
        address: [0; 64],
        inside: 0,
        absent: 0,
        runs: Vec::new(),
    };
    for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
        let number = number[lane];
        let found = element(surfaces, number, at.map(|at| at[lane]), level[lane], wanted);
        let found = found.map_err(|fault| Denied {
            lane: Some(lane as u8),
            address: 0,
            bytes: wanted.bytes,
            reason: MemoryFaultReason::Surface(fault),
        })?;
        match found {
            Found::Nothing => {}
            Found::Absent => all.absent |= 1 << lane,
            Found::Element(address, rmw) => {
                all.address[lane] = address;
                all.inside |= 1 << lane;
                match all.runs.last_mut() {
                    Some((last, lanes)) if *last == rmw => *lanes |= 1 << lane,
                    _ => all.runs.push((rmw, 1 << lane)),
                }
            }
        }
    }
    Ok(all)
}

/// Returns the value of each lane; 0 if the source is absent.
///
/// # Safety
/// The wave is live, and the source is one of its step.
unsafe fn values(ctx: &Context<'_, '_>, source: Source) -> Lanes {
    let mut room = MaybeUninit::uninit();
    // SAFETY: by the caller's promise; the pointer is to 64 lanes.
    unsafe { lanes32(ctx, source, &mut room).cast::<Lanes>().read() }
}

/// Finds the element of one lane.
fn element(
    surfaces: &Surfaces,
    number: u32,
    at: [u32; 3],
    level: u32,
    wanted: &Wanted<'_>,
) -> Result<Found, SurfaceFault> {
    if !surfaces.is_valid(number) {
        return Ok(Found::Nothing);
    }
    let surface = surfaces
        .get(number)
        .ok_or(SurfaceFault::Unbound { number })?;
    if !surface.enabled {
        return Ok(Found::Nothing);
    }
    if let Some(needed) = wanted
        .element
        .dimensions
        .filter(|d| *d != surface.dimensions)
    {
        let is = surface.dimensions;
        return Err(SurfaceFault::Dimensions { number, is, needed });
    }
    let rmw = match wanted.element.typed {
        false => Some(wanted.rmw),
        true if surface.element.bytes() != wanted.bytes => None,
        true => surface.element.meaning(wanted.rmw),
    };
    let rmw = rmw.ok_or(SurfaceFault::Element {
        number,
        element: surface.element,
        bytes: wanted.bytes,
    })?;
    let Some(offset) = surface.find(number, at, level, wanted)? else {
        return Ok(Found::Nothing);
    };
    Ok(if surface.has(offset, wanted.bytes) {
        Found::Element(surface.address.wrapping_add(offset), rmw)
    } else {
        Found::Absent
    })
}

impl Surface {
    /// Returns the offset of the element that a lane accesses, or `None` if the access is dropped.
    fn find(
        &self,
        number: u32,
        at: [u32; 3],
        level: u32,
        wanted: &Wanted<'_>,
    ) -> Result<Option<u64>, SurfaceFault> {
        let (element, bytes) = (wanted.element, u64::from(wanted.bytes));
        // The unit in which x counts: bytes, or the width of the access.
        let unit = if element.bytes { 1 } else { bytes };
        let levels = u64::from(self.levels);
        let outside = SurfaceFault::Outside {
            number,
            dimensions: self.dimensions,
            size: self.coordinates_of(level),
            at,
            level,
        };
        let nearest = element.outside == Outside::Nearest;
        let none = match element.outside {
            Outside::Stop => Err(outside),
            Outside::Drop | Outside::Nearest => Ok(None),
        };
        let Some(level) = within(level, levels, nearest) else {
            return none;
        };
        let row = u64::from(self.size_of(level)[0]) * u64::from(self.element.bytes());
        let counts = row.checked_sub(bytes).map_or(0, |last| last / unit + 1);
        let [_, y, z] = self.coordinates_of(level).map(u64::from);
        let [Some(x), Some(y), Some(z)] = [
            within(at[0], counts, nearest),
            within(at[1], y, nearest),
            within(at[2], z, nearest),
        ] else {
            return none;
        };
        let start = u64::from(x) * unit;
        if !start.is_multiple_of(bytes) {
            let bytes = wanted.bytes;
            return Err(SurfaceFault::Misaligned { number, x, bytes });
        }
        let ([_, y, z], layer) = self.split([0, y, z]);
        Ok(Some(self.offset([start, y.into(), z.into()], layer, level)))
    }

    /// Returns the number of elements of a level along each coordinate; layers are a coordinate too.
    pub fn coordinates_of(&self, level: u32) -> [u32; 3] {
        let [x, y, z] = self.size_of(level);
        match self.dimensions {
            Dimensions::D1Array => [x, self.layers(), 1],
            Dimensions::D2Array => [x, y, self.layers()],
            _ => [x, y, z],
        }
    }
}

/// Returns the coordinate if it is below `count`. With `nearest`, coordinates are signed, and one that is outside is clamped;
/// `None` if it is outside otherwise.
fn within(coordinate: u32, count: u64, nearest: bool) -> Option<u32> {
    match count.checked_sub(1) {
        Some(last) if nearest => {
            let at = i64::from(coordinate as i32).clamp(0, last as i64);
            Some(at as u32)
        }
        _ => (u64::from(coordinate) < count).then_some(coordinate),
    }
}

/// Denies the access if an element is not aligned to its size.
fn check_alignment(found: &AllFound, bytes: u32) -> Result<(), Denied> {
    let mut lanes = (0..64).filter(|lane| found.inside >> lane & 1 != 0);
    match lanes.find(|lane| !found.address[*lane].is_multiple_of(bytes.into())) {
        None => Ok(()),
        Some(lane) => Err(Denied {
            lane: Some(lane as u8),
            address: found.address[lane],
            bytes,
            reason: MemoryFaultReason::Misaligned { align: bytes },
        }),
    }
}

/// A word that holds an element.
trait Word: Copy + Default {
    /// The number of dwords of a word.
    const DWORDS: usize;

    fn from_dwords(dwords: [u32; 2]) -> Self;
    fn to_dwords(self) -> [u32; 2];
    fn modify(rmw: Rmw, old: Self, data: Self, data2: Self) -> Self;

    /// # Safety
    /// The words are aligned, mapped and writable.
    unsafe fn change(words: &Words<'_, Self>, rmw: Rmw, before: &mut [Self; 64]);
}

macro_rules! word {
    ($word:ident, $dwords:literal, $modify:ident) => {
        impl Word for $word {
            const DWORDS: usize = $dwords;

            fn from_dwords([low, high]: [u32; 2]) -> Self {
                (u64::from(low) | u64::from(high) << 32) as $word
            }

            fn to_dwords(self) -> [u32; 2] {
                let bits = u64::from(self);
                [bits as u32, (bits >> 32) as u32]
            }

            fn modify(rmw: Rmw, old: Self, data: Self, data2: Self) -> Self {
                atomic::$modify(rmw, old, data, data2)
            }

            unsafe fn change(words: &Words<'_, Self>, rmw: Rmw, before: &mut [Self; 64]) {
                // SAFETY: by the caller's promise.
                unsafe { words.change(rmw, before) }
            }
        }
    };
}

word!(u16, 1, modify16);
word!(u32, 1, modify32);
word!(u64, 2, modify64);

/// Changes the elements, and writes their previous values to the lanes.
///
/// # Safety
/// The wave is live, and the elements are checked.
unsafe fn change<W: Word>(
    ctx: &Context<'_, '_>,
    step: &Request,
    mask: u64,
    found: &AllFound,
    after: bool,
) {
    // An operation with one operand uses it as both.
    let second = if step.op.data.len() > W::DWORDS {
        W::DWORDS
    } else {
        0
    };
    // SAFETY: the registers are in the file.
    let operand = |first: usize| unsafe {
        let dword = |n: usize| ctx.data(step, first + n).cast::<Lanes>().read();
        let (low, high) = (dword(0), dword(W::DWORDS - 1));
        std::array::from_fn::<W, 64, _>(|lane| W::from_dwords([low[lane], high[lane]]))
    };
    let (data, data2) = (operand(0), operand(second));
    let mut result = [W::default(); 64];
    for &(rmw, lanes) in &found.runs {
        let first = found.address[lanes.trailing_zeros() as usize & 63];
        let mut words = Words {
            cell: [first; 64],
            mask: lanes,
            owned: false,
            data: &data,
            data2: &data2,
        };
        each(lanes, |lane| words.cell[lane] = found.address[lane]);
        let mut before = [W::default(); 64];
        // SAFETY: the elements are checked.
        unsafe { W::change(&words, rmw, &mut before) };
        each(lanes, |lane| {
            result[lane] = if after {
                W::modify(rmw, before[lane], data[lane], data2[lane])
            } else {
                before[lane]
            };
        });
    }
    if step.op.ret.is_some() {
        let to = ctx.v(step.ret);
        each(mask, |lane| {
            let dwords = result[lane].to_dwords();
            for (n, dword) in dwords.into_iter().enumerate().take(W::DWORDS) {
                // SAFETY: the registers are in the file.
                unsafe { to.add(NEXT * n + lane).write(dword) };
            }
        });
    }
}

/// Writes to `to` which active lanes have an element without memory.
///
/// # Safety
/// The wave is live, and vector registers are in the file.
unsafe fn write_absent(ctx: &Context<'_, '_>, to: Option<DataReg>, mask: u64, absent: u64) {
    match to {
        None => {}
        Some(DataReg::V(n)) => {
            let lanes = ctx.v(VECTOR_BYTES as u32 * u32::from(n));
            // SAFETY: the register is in the file.
            each(mask, |lane| unsafe {
                lanes.add(lane).write((absent >> lane) as u32 & 1);
            });
        }
        Some(DataReg::S(n)) => {
            // SAFETY: the wave is live.
            let s = unsafe { &mut (*ctx.uniform).s };
            for (half, s) in s.iter_mut().skip(n.into()).take(2).enumerate() {
                let (mask, absent) = ((mask >> (32 * half)) as u32, (absent >> (32 * half)) as u32);
                *s = *s & !mask | absent;
            }
        }
    }
}
