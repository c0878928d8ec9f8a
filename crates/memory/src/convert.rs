//! Conversion of the elements of formatted buffers and images, for all lanes at once: moving them, extracting and inserting their
//! components. [`format`](crate::format) defines the elements.
//!
//! The loops are plain, so that the compiler vectorizes them for the SIMD level that they are inlined into.

use wavetank_ir::{Access, Half};

use crate::access::{Context, Request};
use crate::format::{Format, Number};
use crate::lane_moves::LaneMoves;
use crate::lanes::{self, Lanes, over};
use crate::operation::{Load, LoadPart, Operation, Store, StorePart};
use crate::space::flat::run_at;

/// Four values of each lane: the dwords of an element, or its components.
pub type Four = [Lanes; 4];

/// Four zeros for each lane.
pub const ZERO: Four = [[0; 64]; 4];

/// The places of the lanes' elements.
pub trait Found {
    /// Runs an operation at the places.
    ///
    /// # Safety
    /// The elements have been checked, and the data of the operation is alive.
    unsafe fn run<O: Operation>(&self, mask: u64, op: O);
}

impl Found for [u64; 64] {
    #[inline(always)]
    unsafe fn run<O: Operation>(&self, mask: u64, op: O) {
        // SAFETY: by the caller's promise.
        unsafe { run_at(mask, op, self) }
    }
}

/// Reads the elements of the lanes of the mask; for other lanes the result is 0.
///
/// # Safety
/// The elements have been checked; an element has 1, 2, 4, 8, 12 or 16 bytes.
#[inline(always)]
pub unsafe fn fetch<R: LaneMoves>(bytes: u32, mask: u64, found: &impl Found) -> Four {
    let mut dwords = ZERO;
    let to = dwords.as_mut_ptr().cast::<u32>();
    // SAFETY: by the caller's promise; there is room for four dwords of each lane.
    unsafe {
        match bytes {
            _ if mask == 0 => {}
            1 => found.run(mask, LoadPart::<R>::at(to, Access::U8)),
            2 => found.run(mask, LoadPart::<R>::at(to, Access::U16)),
            4 => found.run(mask, Load::<1, R>::at(to)),
            8 => found.run(mask, Load::<2, R>::at(to)),
            12 => found.run(mask, Load::<3, R>::at(to)),
            _ => found.run(mask, Load::<4, R>::at(to)),
        }
    }
    dwords
}

/// Writes the elements of the lanes of the mask, in order.
///
/// # Safety
/// As for [`fetch`].
#[inline(always)]
pub unsafe fn put<R: LaneMoves>(bytes: u32, mask: u64, found: &impl Found, dwords: &Four) {
    let [x, y, z, w] = [0, 1, 2, 3].map(|n| dwords[n].as_ptr());
    // SAFETY: by the caller's promise.
    unsafe {
        match bytes {
            _ if mask == 0 => {}
            1 | 2 => found.run(mask, StorePart::<R>::of(x, bytes)),
            4 => found.run(mask, Store::<1, R>::of([x])),
            8 => found.run(mask, Store::<2, R>::of([x, y])),
            12 => found.run(mask, Store::<3, R>::of([x, y, z])),
            _ => found.run(mask, Store::<4, R>::of([x, y, z, w])),
        }
    }
}

/// Runs an expression with the number as a constant, so that its loops are specialized for it.
macro_rules! number {
    ($number:expr, $constant:ident => $do:expr) => {
        number!($number, $constant => $do, Unorm Snorm SnormOgl Uscaled Sscaled Uint Sint Float Srgb)
    };
    ($number:expr, $constant:ident => $do:expr, $($name:ident)*) => {
        match $number {
            $(Number::$name => {
                const $constant: Number = Number::$name;
                $do
            })*
        }
    };
}

impl Format {
    /// Returns the components of elements of one texel; absent ones are 0.
    #[inline(always)]
    pub fn unpack_lanes(self, dwords: &Four) -> Four {
        if !self.has_fields() {
            return self.texel_lanes(dwords, &[0; 64]);
        }
        let mut components = ZERO;
        for (n, (number, at, width)) in self.parts() {
            let (dword, shift) = (&dwords[at as usize / 32], at % 32);
            components[n] = match width {
                32 => *dword,
                _ => {
                    let bias = self.bias(width);
                    let raw = |x: u32| x >> shift & ((1 << width) - 1) ^ bias;
                    number!(number, NUMBER => dword.map(|x| NUMBER.decode(raw(x), width)))
                }
            };
        }
        components
    }

    /// [`Format::texel`] for all lanes.
    #[inline(never)]
    pub fn texel_lanes(self, dwords: &Four, texel: &Lanes) -> Four {
        let mut components = ZERO;
        for lane in 0..64 {
            let element = (0..4)
                .map(|n| u128::from(dwords[n][lane]) << (32 * n))
                .sum();
            let found = self.texel(element, texel[lane]);
            (0..4).for_each(|n| components[n][lane] = found[n]);
        }
        components
    }

    /// Packs components into elements.
    #[inline(always)]
    pub fn pack_lanes(self, components: &Four) -> Four {
        let mut dwords = ZERO;
        if !self.has_fields() {
            for lane in 0..64 {
                let element = self.pack(std::array::from_fn(|n| components[n][lane]));
                (0..4).for_each(|n| dwords[n][lane] = (element >> (32 * n)) as u32);
            }
            return dwords;
        }
        for (n, (number, at, width)) in self.parts() {
            let (dword, shift) = (&mut dwords[at as usize / 32], at % 32);
            let values = &components[n];
            match width {
                32 => *dword = *values,
                _ => {
                    let (most, bias) = ((1 << width) - 1, self.bias(width));
                    number!(number, NUMBER => for lane in 0..64 {
                        dword[lane] |= (NUMBER.encode(values[lane], width) & most ^ bias) << shift;
                    });
                }
            }
        }
        dwords
    }
}

/// Returns the components that the destination selects of a resource choose (8.1.8: 0, 1, R, G, B or A).
#[inline(always)]
pub fn select(selects: [u8; 4], components: &Four, one: u32) -> Four {
    selects.map(|select| match select {
        1 => [one; 64],
        4..=7 => components[usize::from(select) - 4],
        _ => [0; 64],
    })
}

/// Returns the components that a store's registers go to: the inverse of [`select`].
#[inline(always)]
pub fn unselect(selects: [u8; 4], given: &Four) -> Four {
    let mut out = ZERO;
    for (select, values) in selects.into_iter().zip(given) {
        if let 4..=7 = select {
            out[usize::from(select) - 4] = *values;
        }
    }
    out
}

/// Returns the components that DMASK chooses, in the order of the registers.
#[inline(always)]
pub fn chosen(components: &Four, mask: u8) -> Four {
    let mut chosen = components
        .iter()
        .enumerate()
        .filter(|(n, _)| mask >> n & 1 != 0);
    std::array::from_fn(|_| chosen.next().map_or([0; 64], |(_, values)| *values))
}

/// Returns the inverse of [`chosen`]: components outside the mask are 0.
#[inline(always)]
pub fn spread(given: &Four, mask: u8) -> Four {
    let mut given = given.iter();
    std::array::from_fn(|n| match mask >> n & 1 {
        0 => [0; 64],
        _ => given.next().copied().unwrap_or([0; 64]),
    })
}

/// Takes the lanes of the mask from `on` and the others from `off`.
#[inline(always)]
pub fn blend(mask: u64, on: &Four, off: &Four) -> Four {
    let bits = lanes::spread(mask);
    let mut out = ZERO;
    for n in 0..4 {
        for lane in 0..64 {
            out[n][lane] = on[n][lane] & bits[lane] | off[n][lane] & !bits[lane];
        }
    }
    out
}

/// The registers that the components of an access come from or go to.
pub struct Components {
    from: [*const u32; 4],
    to: *mut u32,
    count: usize,
    /// Components in whole registers, or in 16 bits: two a register, one in the low half of each, or one in the high half.
    half: Half,
    number: Number,
}

impl Components {
    /// Returns the components of an access, as many as it has dwords.
    pub fn new(ctx: &Context<'_, '_>, step: &Request, format: Option<Format>) -> Self {
        Components {
            from: std::array::from_fn(|n| ctx.data(step, n)),
            to: ctx.v(step.ret),
            count: (step.op.access.bytes() as usize / 4).min(4),
            half: step.op.half,
            number: format.map_or(Number::Float, |format| format.number),
        }
    }

    /// Returns the components of all lanes; 0 for those that the access lacks.
    ///
    /// # Safety
    /// The wave is alive.
    #[inline(always)]
    pub unsafe fn read(&self) -> Four {
        let mut components = ZERO;
        for (n, component) in components.iter_mut().enumerate().take(self.count) {
            let (register, shift) = match self.half {
                Half::Whole | Half::Each => (n, 0),
                Half::Low | Half::LowAlone => (n / 2, 16 * (n % 2)),
                Half::High | Half::HighAlone => (0, 16),
            };
            // SAFETY: a lane vector of the file.
            let values = unsafe { self.from[register].cast::<Lanes>().read() };
            *component = match self.half {
                Half::Whole => values,
                _ => values.map(|x| self.number.widen((x >> shift) as u16)),
            };
        }
        components
    }

    /// Writes the components of the lanes of the mask.
    ///
    /// # Safety
    /// The wave is alive.
    #[inline(always)]
    pub unsafe fn write<R: LaneMoves>(&self, mask: u64, components: &Four) {
        let mut n = 0;
        while n < self.count {
            let here = &components[n];
            let narrow = |values: &Lanes| over(values, |x| u32::from(self.number.narrow(x)));
            // SAFETY: lane vectors of the file.
            unsafe {
                let before = |register: usize| self.to.add(64 * register).cast::<Lanes>().read();
                let (register, values, next) = match self.half {
                    Half::Whole => (n, *here, n + 1),
                    Half::Each => (n, narrow(here), n + 1),
                    Half::Low | Half::LowAlone => {
                        let pair = n + 1 < self.count;
                        let high = if pair {
                            narrow(&components[n + 1])
                        } else if self.half == Half::Low {
                            before(n / 2).map(|x| x >> 16)
                        } else {
                            [0; 64]
                        };
                        (n / 2, join(&narrow(here), &high), n + 2)
                    }
                    Half::High => (0, join(&before(0), &narrow(here)), n + 1),
                    Half::HighAlone => (0, join(&[0; 64], &narrow(here)), n + 1),
                };
                let records = values.map(|x| [x]);
                R::spread(&records, mask, self.to.add(64 * register));
                n = next;
            }
        }
    }
}

/// Packs the low halves of `low`, and of `high` above them.
#[inline(always)]
fn join(low: &Lanes, high: &Lanes) -> Lanes {
    std::array::from_fn(|lane| low[lane] & 0xffff | high[lane] << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The functions for all lanes agree with those for one.
        #[test]
        fn lanes_are_as_one(data in 1u8..60, number in 0u8..14, seed: u64, few: bool) {
            let Some(format) = Format::image(data, number) else { return Ok(()) };
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let value = (state >> 32) as u32;
                // Numbers around 1 are more interesting than numbers that are all clamped.
                if few { (value >> 9 | 0x3f00_0000) ^ value << 31 } else { value }
            };
            let values: Four = std::array::from_fn(|_| std::array::from_fn(|_| next()));
            let unpacked = format.unpack_lanes(&values);
            let packed = format.pack_lanes(&values);
            for lane in 0..64 {
                let of = |four: &Four| std::array::from_fn(|n| four[n][lane]);
                let dword = |n: usize| u128::from(values[n][lane]) << (32 * n);
                let element = (0..4).map(dword).sum::<u128>() & (!0 >> (128 - 8 * format.bytes()));
                prop_assert_eq!(of(&unpacked), format.unpack(element));
                let want = format.pack(of(&values));
                prop_assert_eq!(of(&packed), std::array::from_fn(|n| (want >> (32 * n)) as u32));
            }
        }
    }
}
