//! What is done at the places of the lanes.

use wavetank_ir::{Access, Half, MemKind, Rmw};

use crate::access::{Context, Request};
use crate::files::VECTOR_BYTES;
use crate::lanes::each;
use crate::places::Places;

/// A load, store or atomic of a certain width.
pub trait Operation: Copy {
    /// Whether memory changes.
    const STORES: bool;
    /// Whether each lane accesses one aligned cell (an atomic).
    const ATOMIC: bool = false;

    /// The operation with its data and results.
    ///
    /// # Safety
    /// The context is that of a live wave, and the request was made for it.
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self;

    /// Bytes that each lane accesses.
    fn bytes(self) -> u32;

    /// Does it in the active lanes, in order.
    ///
    /// # Safety
    /// The places have been checked; the wave is alive.
    unsafe fn run<P: Places>(self, places: &P, mask: u64);
}

/// Dwords from one register to the next.
const NEXT: usize = VECTOR_BYTES / 4;

/// Loads `N` dwords.
#[derive(Clone, Copy)]
pub struct Load<const N: usize> {
    to: *mut u32,
}

impl<const N: usize> Operation for Load<N> {
    const STORES: bool = false;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Load {
            to: ctx.v(step.ret),
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        4 * N as u32
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        if N == 1
            && mask == !0
            && let Some(row) = places.row()
        {
            let from = crate::global::at::<u8>(row).cast_const();
            // SAFETY: the row has been checked; it is no register.
            unsafe { crate::global::copy_row(from, self.to.cast()) };
            return;
        }
        each(mask, |lane| {
            // All is read before anything is written: the result may go where
            // the address is.
            let mut data = [0u32; N];
            // SAFETY: the places are checked; N registers are in the file.
            unsafe {
                for n in (0..N / 2 * 2).step_by(2) {
                    let pair = places.load::<8>(lane, 4 * n as u32);
                    (data[n], data[n + 1]) = (pair as u32, (pair >> 32) as u32);
                }
                if !N.is_multiple_of(2) {
                    data[N - 1] = places.load::<4>(lane, 4 * (N - 1) as u32) as u32;
                }
                for (n, value) in data.into_iter().enumerate() {
                    self.to.add(n * NEXT + lane).write(value);
                }
            }
        });
    }
}

/// Stores `N` dwords.
#[derive(Clone, Copy)]
pub struct Store<const N: usize> {
    from: [*const u32; N],
}

impl<const N: usize> Operation for Store<N> {
    const STORES: bool = true;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Store {
            from: std::array::from_fn(|n| ctx.data(step, n)),
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        4 * N as u32
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        if N == 1
            && mask == !0
            && let Some(row) = places.row()
        {
            let to = crate::global::at::<u8>(row);
            // SAFETY: as for loads.
            unsafe { crate::global::copy_row(self.from[0].cast(), to) };
            return;
        }
        each(mask, |lane| {
            // SAFETY: the places are checked; N lane vectors are in the file.
            unsafe {
                let data = |n: usize| u64::from(self.from[n].add(lane).read());
                for n in (0..N / 2 * 2).step_by(2) {
                    places.store::<8>(lane, 4 * n as u32, data(n) | data(n + 1) << 32);
                }
                if !N.is_multiple_of(2) {
                    places.store::<4>(lane, 4 * (N - 1) as u32, data(N - 1));
                }
            }
        });
    }
}

/// Loads one byte or two.
#[derive(Clone, Copy)]
pub struct LoadPart {
    to: *mut u32,
    access: Access,
    half: Half,
}

impl Operation for LoadPart {
    const STORES: bool = false;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        LoadPart {
            to: ctx.v(step.ret),
            access: step.op.access,
            half: step.op.half,
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        self.access.bytes()
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: the places are checked.
        unsafe {
            match self.access {
                Access::U8 => self.lanes(mask, |l| places.load::<1>(l, 0) as u32),
                Access::I8 => self.lanes(mask, |l| places.load::<1>(l, 0) as i8 as u32),
                Access::I16 => self.lanes(mask, |l| places.load::<2>(l, 0) as i16 as u32),
                _ => self.lanes(mask, |l| places.load::<2>(l, 0) as u32),
            }
        }
    }
}

impl LoadPart {
    /// Writes the values of the lanes to the register, or to half of it.
    #[inline(always)]
    unsafe fn lanes(self, mask: u64, value: impl Fn(usize) -> u32) {
        let (keep, shift) = match self.half {
            Half::Whole => (0, 0),
            Half::Low => (0xffff_0000, 0),
            Half::High => (0x0000_ffff, 16),
        };
        each(mask, |lane| {
            // SAFETY: the register is in the file.
            unsafe {
                let to = self.to.add(lane);
                to.write(to.read() & keep | value(lane) << shift & !keep);
            }
        });
    }
}

/// Stores one byte or two.
#[derive(Clone, Copy)]
pub struct StorePart {
    from: *const u32,
    bytes: u32,
    shift: u32,
}

impl Operation for StorePart {
    const STORES: bool = true;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        StorePart {
            from: ctx.data(step, 0),
            bytes: step.op.access.bytes(),
            shift: if step.op.half == Half::High { 16 } else { 0 },
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        self.bytes
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        each(mask, |lane| {
            // SAFETY: the places are checked; the register is in the file.
            unsafe {
                let value = u64::from(self.from.add(lane).read() >> self.shift);
                if self.bytes == 1 {
                    places.store::<1>(lane, 0, value);
                } else {
                    places.store::<2>(lane, 0, value);
                }
            }
        });
    }
}

/// Reads, modifies and writes one dword, or two.
#[derive(Clone, Copy)]
pub struct ReadModifyWrite {
    rmw: Rmw,
    bytes: u32,
    /// Low and high dword of the first operand, and of the second.
    data: [*const u32; 4],
    /// Where the values before go, if anywhere.
    to: Option<*mut u32>,
}

impl Operation for ReadModifyWrite {
    const STORES: bool = true;
    const ATOMIC: bool = true;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        let op = &step.op;
        let MemKind::Atomic(rmw) = op.kind else {
            unreachable!("chosen for atomics only")
        };
        let dwords = op.access.bytes() as usize / 4;
        // Where there is one operand only, it is used twice.
        let second = if op.data.len() > dwords { dwords } else { 0 };
        let data = |n: usize| ctx.data(step, n);
        ReadModifyWrite {
            rmw,
            bytes: op.access.bytes(),
            data: [0, dwords - 1, second, second + dwords - 1].map(data),
            to: op.ret.map(|_| ctx.v(step.ret)),
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        self.bytes
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: the places are checked.
        unsafe {
            if self.bytes == 4 {
                each(mask, |lane| self.lane32(places, lane));
            } else {
                each(mask, |lane| self.lane64(places, lane));
            }
        }
    }
}

impl ReadModifyWrite {
    #[inline(always)]
    unsafe fn lane32<P: Places>(self, places: &P, lane: usize) {
        // SAFETY: the places are checked; the registers are in the file.
        unsafe {
            let [a, _, b, _] = self.data.map(|p| p.add(lane).read());
            let before = places.rmw32(lane, self.rmw, a, b);
            if let Some(to) = self.to {
                to.add(lane).write(before);
            }
        }
    }

    #[inline(always)]
    unsafe fn lane64<P: Places>(self, places: &P, lane: usize) {
        // SAFETY: the places are checked; the registers are in the file.
        unsafe {
            let data = self.data.map(|p| u64::from(p.add(lane).read()));
            let (a, b) = (data[0] | data[1] << 32, data[2] | data[3] << 32);
            let before = places.rmw64(lane, self.rmw, a, b);
            if let Some(to) = self.to {
                to.add(lane).write(before as u32);
                to.add(NEXT + lane).write((before >> 32) as u32);
            }
        }
    }
}
