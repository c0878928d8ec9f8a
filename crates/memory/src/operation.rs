//! Memory operations at checked lane addresses: loads, stores and atomics.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use wavetank_ir::{Access, Half, MemKind, Rmw};

use crate::access::{Context, Request};
use crate::atomic::{self, Words};
use crate::global::at;
use crate::lane_moves::{Aligned, LaneMoves, NEIGHBOURS, Records, copy, copy_dwords};
use crate::lanes::{Lanes, each};
use crate::places::{Places, Shape};
use crate::register_file::VECTOR_BYTES;

/// A load, store or atomic of a certain width.
pub trait Operation: Copy {
    /// Whether the operation changes memory.
    const STORES: bool;
    /// Whether each lane accesses one aligned cell (an atomic).
    const ATOMIC: bool = false;
    /// The implementation that moves the lanes' data.
    type Moves: LaneMoves;

    /// Returns the operation with its data and results.
    ///
    /// # Safety
    /// The context is that of a live wave, and the request was made for it.
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self;

    /// Bytes that each lane accesses.
    fn bytes(self) -> u32;

    /// Performs the operation in the active lanes, in order.
    ///
    /// # Safety
    /// The places have been checked; the wave is alive.
    unsafe fn run<P: Places>(self, places: &P, mask: u64);

    /// Performs the operation as [`run`](Self::run) does; returns the lanes whose compare-and-swap has left memory as it was.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn run_and_compare<P: Places>(self, places: &P, mask: u64) -> u64 {
        // SAFETY: by the caller's promise.
        unsafe { self.run(places, mask) };
        0
    }
}

/// Dwords from one register to the next.
const NEXT: usize = VECTOR_BYTES / 4;

/// Space for the values at the places of the lanes. Those of inactive lanes are 0.
#[inline(always)]
fn room<T>(mask: u64) -> MaybeUninit<Aligned<[T; 64]>> {
    match mask {
        u64::MAX => MaybeUninit::uninit(),
        _ => MaybeUninit::zeroed(),
    }
}

/// Returns whether overlapping places a dword apart are moved as one run of dwords. Other places are moved lane by lane.
#[inline(always)]
fn is_run<const N: usize>(first: u64, step: u64, mask: u64) -> bool {
    N > 1 && step == 4 && mask == !0 && first.is_multiple_of(4)
}

/// A load of `N` dwords.
#[derive(Clone, Copy)]
pub struct Load<const N: usize, R> {
    to: *mut u32,
    level: PhantomData<R>,
}

impl<const N: usize, R> Load<N, R> {
    /// Returns a load into `N` lane vectors, one after the other.
    pub(crate) fn at(to: *mut u32) -> Self {
        let level = PhantomData;
        Load { to, level }
    }
}

impl<const N: usize, R: LaneMoves> Operation for Load<N, R> {
    const STORES: bool = false;
    type Moves = R;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Load {
            to: ctx.v(step.ret),
            level: PhantomData,
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        4 * N as u32
    }

    /// All lanes are read before anything is written: the result may overwrite the addresses.
    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        let mut records = room::<[u32; N]>(mask);
        let p = records.as_mut_ptr().cast::<[u32; N]>();
        // SAFETY: the places are checked; N registers are in the file, and
        // do not overlap the loaded bytes.
        unsafe {
            match places.shape() {
                Shape::Records(from) if mask == !0 && N == 1 => {
                    return copy::<R, Lanes>(at(from), self.to.cast());
                }
                Shape::Records(from) if mask == !0 => copy::<R, Records<N>>(at(from), p.cast()),
                Shape::Rows { first, step } if is_run::<N>(first, step, mask) => {
                    return R::overlapping::<N>(at(first), self.to);
                }
                Shape::Rows { first, step } if N == 1 || step != 4 => {
                    for n in 0..N {
                        let (row, to) = (first + step * n as u64, self.to.add(n * NEXT));
                        match mask {
                            u64::MAX => copy::<R, Lanes>(at(row), to.cast()),
                            _ => R::gather(row, NEIGHBOURS.as_ptr(), mask, to),
                        }
                    }
                    return;
                }
                // Offsets in registers have a step of 4.
                Shape::Offsets { base, offset, step } if N == 1 || step != 4 => {
                    for n in 0..N {
                        let to = self.to.add(n * NEXT);
                        R::gather(base + step * n as u64, offset, mask, to);
                    }
                    return;
                }
                _ => each(mask, |lane| places.read::<R, [u32; N]>(lane, p.add(lane))),
            }
            R::spread(&records.assume_init_ref().0, mask, self.to);
        }
    }
}

/// A store of `N` dwords.
#[derive(Clone, Copy)]
pub struct Store<const N: usize, R> {
    data: [*const u32; N],
    level: PhantomData<R>,
}

impl<const N: usize, R> Store<N, R> {
    /// Returns a store of `N` lane vectors.
    pub(crate) fn of(data: [*const u32; N]) -> Self {
        let level = PhantomData;
        Store { data, level }
    }
}

impl<const N: usize, R: LaneMoves> Operation for Store<N, R> {
    const STORES: bool = true;
    type Moves = R;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Store {
            data: std::array::from_fn(|n| ctx.data(step, n)),
            level: PhantomData,
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        4 * N as u32
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: the places are checked; the registers are in the file, and
        // do not overlap the stored bytes.
        unsafe {
            match places.shape() {
                Shape::Records(to) if mask == !0 && N == 1 => {
                    copy::<R, Lanes>(self.data[0].cast(), at(to));
                }
                Shape::Records(to) if mask == !0 => R::interleave(self.data, at(to)),
                Shape::Rows { first, step } if is_run::<N>(first, step, mask) => {
                    self.run_of_dwords(first);
                }
                Shape::Rows { first, step } if N == 1 || step != 4 => {
                    for (n, from) in self.data.into_iter().enumerate() {
                        let row = first + step * n as u64;
                        match mask {
                            u64::MAX => copy::<R, Lanes>(from.cast(), at(row)),
                            _ => R::scatter(row, NEIGHBOURS.as_ptr(), mask, from),
                        }
                    }
                }
                // The dwords of a lane are apart, so no two lanes share one.
                Shape::Offsets { base, offset, step } if N == 1 || step != 4 => {
                    for (n, from) in self.data.into_iter().enumerate() {
                        R::scatter(base + step * n as u64, offset, mask, from);
                    }
                }
                _ => {
                    let records = R::collect(self.data);
                    each(mask, |lane| {
                        places.write::<R, [u32; N]>(lane, &raw const records.0[lane]);
                    });
                }
            }
        }
    }
}

impl<const N: usize, R: LaneMoves> Store<N, R> {
    /// Stores at places a dword apart from `first` on. Each dword that several lanes store keeps the value of the highest lane,
    /// since later lanes overwrite earlier ones: it is that lane's first dword. Only lane 63 leaves its other dwords.
    ///
    /// # Safety
    /// The places are checked.
    #[inline(always)]
    unsafe fn run_of_dwords(self, first: u64) {
        // Up to three dwords of the first vector and three of the others end the run, after the last multiple of 16 in it.
        let cut = (first % 16) as usize / 4;
        let body = 4 * (64 - cut);
        let mut tail = [0; 6];
        // SAFETY: by the caller's promise; the registers are in the file.
        unsafe {
            copy_dwords::<R>(self.data[0].cast(), at(first), first, body);
            for (n, dword) in tail.iter_mut().enumerate().take(cut) {
                *dword = self.data[0].add(64 - cut + n).read();
            }
            for (n, from) in self.data.into_iter().skip(1).enumerate() {
                tail[cut + n] = from.add(63).read();
            }
            let end = first + body as u64;
            copy_dwords::<R>(tail.as_ptr().cast(), at(end), end, 4 * (cut + N - 1));
        }
    }
}

/// A load of one byte or two.
#[derive(Clone, Copy)]
pub struct LoadPart<R> {
    to: *mut u32,
    access: Access,
    half: Half,
    level: PhantomData<R>,
}

impl<R> LoadPart<R> {
    /// Returns a load into a lane vector.
    pub(crate) fn at(to: *mut u32, access: Access) -> Self {
        LoadPart {
            to,
            access,
            half: Half::Whole,
            level: PhantomData,
        }
    }
}

impl<R: LaneMoves> Operation for LoadPart<R> {
    const STORES: bool = false;
    type Moves = R;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        LoadPart {
            to: ctx.v(step.ret),
            access: step.op.access,
            half: step.op.half,
            level: PhantomData,
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
                Access::U8 => self.extend(&parts::<R, u8>(places, mask), mask, u32::from),
                Access::I8 => self.extend(&parts::<R, u8>(places, mask), mask, |x| x as i8 as u32),
                Access::I16 => {
                    self.extend(&parts::<R, u16>(places, mask), mask, |x| x as i16 as u32);
                }
                _ => self.extend(&parts::<R, u16>(places, mask), mask, u32::from),
            }
        }
    }
}

/// Returns the values at the places; 0 for inactive lanes.
///
/// # Safety
/// The places are checked, and zero is a `T`.
#[inline(always)]
unsafe fn parts<R: LaneMoves, T>(places: &impl Places, mask: u64) -> [T; 64] {
    let mut parts = room::<T>(mask);
    let p = parts.as_mut_ptr().cast::<T>();
    // SAFETY: the places are checked.
    unsafe {
        match places.shape() {
            Shape::Records(from) if mask == !0 => copy::<R, [T; 64]>(at(from), p.cast()),
            _ => each(mask, |lane| places.read::<R, T>(lane, p.add(lane))),
        }
        parts.assume_init().0
    }
}

impl<R: LaneMoves> LoadPart<R> {
    /// Writes the extended parts into the register, or into half of it.
    #[inline(always)]
    unsafe fn extend<T: Copy>(self, parts: &[T; 64], mask: u64, extend: impl Fn(T) -> u32) {
        let (keep, shift) = match self.half {
            Half::Whole | Half::Each => (0, 0),
            Half::Low => (0xffff_0000, 0),
            Half::High => (0x0000_ffff, 16),
            Half::LowAlone => (0, 0),
            Half::HighAlone => (0, 16),
        };
        // A byte that is sign-extended into the low half alone has 16 bits.
        let kept = match self.half {
            Half::LowAlone => 0xffff,
            _ => !keep,
        };
        // SAFETY: the register is in the file.
        unsafe {
            let before = self.to.cast::<Lanes>().read();
            let mut records = [[0]; 64];
            for lane in 0..64 {
                records[lane] = [before[lane] & keep | extend(parts[lane]) << shift & kept];
            }
            R::spread(&records, mask, self.to);
        }
    }
}

/// A store of one byte or two.
#[derive(Clone, Copy)]
pub struct StorePart<R> {
    data: *const u32,
    bytes: u32,
    shift: u32,
    level: PhantomData<R>,
}

impl<R> StorePart<R> {
    /// Returns a store of the low bytes of a lane vector.
    pub(crate) fn of(data: *const u32, bytes: u32) -> Self {
        StorePart {
            data,
            bytes,
            shift: 0,
            level: PhantomData,
        }
    }
}

impl<R: LaneMoves> Operation for StorePart<R> {
    const STORES: bool = true;
    type Moves = R;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        StorePart {
            data: ctx.data(step, 0),
            bytes: step.op.access.bytes(),
            shift: if step.op.half == Half::High { 16 } else { 0 },
            level: PhantomData,
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
            match self.bytes {
                1 => self.cut(places, mask, |x| x as u8),
                _ => self.cut(places, mask, |x| x as u16),
            }
        }
    }
}

impl<R: LaneMoves> StorePart<R> {
    /// Stores the part that `cut` takes of the register.
    #[inline(always)]
    unsafe fn cut<T: Copy>(self, places: &impl Places, mask: u64, cut: impl Fn(u32) -> T) {
        // SAFETY: the places are checked; the register is in the file.
        unsafe {
            let data = self.data.cast::<Lanes>().read();
            let parts = data.map(|x| cut(x >> self.shift));
            match places.shape() {
                Shape::Records(to) if mask == !0 => {
                    copy::<R, [T; 64]>(parts.as_ptr().cast(), at(to));
                }
                _ => each(mask, |lane| {
                    places.write::<R, T>(lane, &raw const parts[lane]);
                }),
            }
        }
    }
}

/// A read-modify-write of one dword, or two.
#[derive(Clone, Copy)]
pub struct ReadModifyWrite<R> {
    rmw: Rmw,
    bytes: u32,
    /// The dwords of both operands.
    data: [*const u32; 2],
    data2: [*const u32; 2],
    /// The register for the values before, if they are returned.
    to: Option<*mut u32>,
    level: PhantomData<R>,
}

impl<R: LaneMoves> Operation for ReadModifyWrite<R> {
    const STORES: bool = true;
    const ATOMIC: bool = true;
    type Moves = R;

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        let op = &step.op;
        let MemKind::Atomic(rmw) = op.kind else {
            unreachable!("chosen for atomics only")
        };
        let dwords = op.access.bytes() as usize / 4;
        // A single operand is used twice.
        let second = if op.data.len() > dwords { dwords } else { 0 };
        let pair = |first: usize| [first, first + dwords - 1].map(|n| ctx.data(step, n));
        ReadModifyWrite {
            rmw,
            bytes: op.access.bytes(),
            data: pair(0),
            data2: pair(second),
            to: op.ret.map(|_| ctx.v(step.ret)),
            level: PhantomData,
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        self.bytes
    }

    #[inline(always)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: by the caller's promise.
        unsafe { self.run_and_compare(places, mask) };
    }

    #[inline(always)]
    unsafe fn run_and_compare<P: Places>(self, places: &P, mask: u64) -> u64 {
        let mut cell = [0; 64];
        let there = places.cells(mask, self.bytes, &mut cell);
        // SAFETY: the places are checked; the registers are in the file, and
        // written when all is done.
        unsafe {
            if self.bytes == 4 && P::PIECE < 4 {
                let before = self.bytewise(places, there);
                self.result(&before.map(|before| [before]), mask);
                // Private memory of the lane.
                return 0;
            }
            if self.bytes == 4 {
                let words = Words {
                    cell,
                    mask: there,
                    owned: P::OWNED,
                    data: &*self.data[0].cast::<Lanes>(),
                    data2: &*self.data2[0].cast::<Lanes>(),
                };
                let mut before = [0; 64];
                words.change(self.rmw, &mut before);
                // The result may overwrite the operands.
                let failed = words.failed(self.rmw, &before);
                self.result(&before.map(|before| [before]), mask);
                return failed;
            }
            let words = Words {
                cell,
                mask: there,
                owned: P::OWNED,
                data: &wide(R::collect(self.data).0),
                data2: &wide(R::collect(self.data2).0),
            };
            let mut before = [0; 64];
            if places.whole() {
                words.change(self.rmw, &mut before);
            } else {
                self.apart(places, &words, &mut before);
            }
            self.result(&before.map(|b| [b as u32, (b >> 32) as u32]), mask);
            words.failed(self.rmw, &before)
        }
    }
}

/// Pairs of dwords as 64-bit words.
#[inline(always)]
fn wide(pairs: Records<2>) -> [u64; 64] {
    pairs.map(|[low, high]| u64::from(low) | u64::from(high) << 32)
}

impl<R: LaneMoves> ReadModifyWrite<R> {
    /// Changes dwords whose bytes lie apart. Such dwords are private memory of the lane, so no atomic is needed; the host has
    /// none for separate bytes.
    #[inline(never)]
    unsafe fn bytewise<P: Places>(self, places: &P, there: u64) -> Lanes {
        let mut before = [0; 64];
        each(there, |lane| {
            // SAFETY: the places are checked; the registers are in the file.
            unsafe {
                let [data, data2] = [self.data, self.data2].map(|of| of[0].add(lane).read());
                let mut old = 0u32;
                places.read::<R, u32>(lane, &raw mut old);
                let new = atomic::modify32(self.rmw, old, data, data2);
                places.write::<R, u32>(lane, &raw const new);
                before[lane] = old;
            }
        });
        before
    }

    /// Changes words whose dwords lie apart, in private memory of the lane.
    unsafe fn apart<P: Places>(self, places: &P, words: &Words<'_, u64>, result: &mut [u64; 64]) {
        each(words.mask, |lane| {
            let mut before = [0u32; 2];
            // SAFETY: the places are checked.
            unsafe { places.read::<R, [u32; 2]>(lane, &raw mut before) };
            let old = u64::from(before[0]) | u64::from(before[1]) << 32;
            let new = atomic::modify64(self.rmw, old, words.data[lane], words.data2[lane]);
            let after = [new as u32, (new >> 32) as u32];
            // SAFETY: the places are checked.
            unsafe { places.write::<R, [u32; 2]>(lane, &raw const after) };
            result[lane] = old;
        });
    }

    /// Writes the values before to the result register.
    #[inline(always)]
    unsafe fn result<const N: usize>(self, before: &Records<N>, mask: u64) {
        if let Some(to) = self.to {
            // SAFETY: the registers are in the file.
            unsafe { R::spread(before, mask, to) };
        }
    }
}
