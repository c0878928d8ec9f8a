//! Where the lanes of an access read and write, once their addresses have been
//! checked.

use crate::global::{ALIAS, at};
use crate::lanes::{Lanes, each};
use crate::rows::{NEIGHBOURS, Rows, copy};

/// The places of 64 lanes. A lane reads and writes a `T`: a byte, two bytes, or
/// an array of dwords.
pub trait Places {
    /// Whether they belong to one thread.
    const OWNED: bool = false;

    /// How many bytes of a lane are neighbours for certain: all of a dword, or each byte may lie apart from the next (1).
    const PIECE: u32 = 4;

    /// Reads what is there, in place of what `to` points to.
    ///
    /// # Safety
    /// The lane's address has been checked for a `T`.
    unsafe fn read<R: Rows, T>(&self, lane: usize, to: *mut T);

    /// Writes what `from` points to.
    ///
    /// # Safety
    /// The lane's address has been checked for a `T`.
    unsafe fn write<R: Rows, T>(&self, lane: usize, from: *const T);

    /// Where piece `n` of what a lane accesses is, or its only `bytes` bytes, if they are in range. Pieces are dwords, or of
    /// [`PIECE`](Self::PIECE) bytes.
    fn part(&self, lane: usize, n: usize, bytes: u32) -> Option<u64>;

    /// The address of an aligned word that an atomic changes, if it is in range.
    fn cell(&self, lane: usize, bytes: u32) -> Option<u64>;

    /// The cells of lanes, and which of them have one. Others get that of the
    /// first, so that it is soon seen whether all are the same.
    #[inline(always)]
    fn cells(&self, mask: u64, bytes: u32, cells: &mut [u64; 64]) -> u64 {
        let first = self.cell(mask.trailing_zeros() as usize & 63, bytes);
        *cells = [first.unwrap_or_default(); 64];
        let mut there = 0;
        each(mask, |lane| {
            if let Some(cell) = self.cell(lane, bytes) {
                cells[lane] = cell;
                there |= 1 << lane;
            }
        });
        there
    }

    /// Where the bytes of each lane begin, if those of a lane are neighbours and all of them in range. What lanes have that are
    /// not of the mask means nothing.
    #[inline(always)]
    fn starts(&self, _mask: u64, _bytes: u32) -> Option<[u64; 64]> {
        None
    }

    /// Whether the dwords of a lane are neighbours.
    #[inline(always)]
    fn whole(&self) -> bool {
        true
    }

    /// What all of them have in common.
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Any
    }
}

/// What places have in common.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Nothing.
    Any,
    /// Each begins where that of the lane below ends; that of lane 0 is here.
    Records(u64),
    /// Dwords n of all lanes are neighbours.
    Rows {
        /// The address of lane 0's first.
        first: u64,
        /// Bytes from a dword of a lane to its next.
        step: u64,
    },
    /// Dwords at offsets from an address of the host.
    Offsets {
        /// The address.
        base: u64,
        /// 64 offsets. They may lie in a vector register.
        offset: *const u32,
        /// Bytes from a dword of a lane to its next.
        step: u64,
    },
}

/// Places given by one address a lane. Other threads may access them too.
pub trait Addresses {
    /// The address of a lane.
    ///
    /// # Safety
    /// What the places point to is alive.
    unsafe fn address(&self, lane: usize) -> u64;

    /// As [`Places::shape`].
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Any
    }
}

impl<A: Addresses> Places for A {
    #[inline(always)]
    unsafe fn read<R: Rows, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places are checked.
        unsafe { copy::<R, T>(at(self.address(lane)), to.cast()) }
    }

    #[inline(always)]
    unsafe fn write<R: Rows, T>(&self, lane: usize, from: *const T) {
        // SAFETY: the places are checked.
        unsafe { copy::<R, T>(from.cast(), at(self.address(lane))) }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, _: u32) -> Option<u64> {
        // SAFETY: the places are alive.
        Some(unsafe { self.address(lane) } + 4 * n as u64)
    }

    #[inline(always)]
    fn cell(&self, lane: usize, _: u32) -> Option<u64> {
        // SAFETY: the places are alive.
        Some(unsafe { self.address(lane) })
    }

    #[inline(always)]
    fn cells(&self, mask: u64, _: u32, cells: &mut [u64; 64]) -> u64 {
        // SAFETY: the places are alive.
        let first = unsafe { self.address(mask.trailing_zeros() as usize & 63) };
        for (lane, cell) in cells.iter_mut().enumerate() {
            // SAFETY: as before.
            let address = unsafe { self.address(lane) };
            let on = mask >> lane & 1 != 0;
            *cell = if on { address } else { first };
        }
        mask
    }

    #[inline(always)]
    fn starts(&self, _: u64, _: u32) -> Option<[u64; 64]> {
        // SAFETY: the places are alive.
        Some(std::array::from_fn(|lane| unsafe { self.address(lane) }))
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Addresses::shape(self)
    }
}

/// One base and a 32-bit offset a lane, which may lie in a vector register: all
/// in memory of the host that is reached from there.
pub struct Near {
    /// The base address, without [`ALIAS`].
    pub base: u64,
    /// 64 offsets.
    pub offset: *const u32,
}

impl Addresses for Near {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        // SAFETY: the offsets of 64 lanes.
        let offset = unsafe { self.offset.add(lane).read() };
        self.base.wrapping_add(offset.into())
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Offsets {
            base: self.base,
            offset: self.offset,
            step: 4,
        }
    }
}

/// An address of its own for each lane.
pub struct Far(pub [u64; 64]);

impl Addresses for Far {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.0[lane & 63]
    }
}

/// Places of successive lanes that lie side by side.
pub struct Side {
    first: u64,
    bytes: u32,
}

impl Side {
    /// The address of lane 0, and the bytes of each.
    pub fn new(first: u64, bytes: u32) -> Self {
        Side { first, bytes }
    }
}

impl Addresses for Side {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.first + u64::from(self.bytes) * lane as u64
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Records(self.first)
    }
}

/// Places of successive lanes that are a dword apart. Those of accesses of several dwords overlap.
pub struct Steps {
    /// The address of lane 0.
    pub first: u64,
}

impl Addresses for Steps {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.first + 4 * lane as u64
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Rows {
            first: self.first,
            step: 4,
        }
    }
}

/// Private memory of the lanes: their dwords n lie side by side.
pub struct Private<'a> {
    /// Where the memory begins, as the host has it.
    base: u64,
    /// Where from there a lane's first bytes are.
    offset: &'a Lanes,
    /// Whether all lanes access the same of theirs, so that the offsets are those of [`NEIGHBOURS`].
    same: bool,
}

pub use crate::on_chip::scratch::PRIVATE_STEP;

impl<'a> Private<'a> {
    /// Places at offsets from an address.
    #[inline(always)]
    pub fn new(base: u64, offset: &'a Lanes) -> Self {
        Private {
            base: base & !ALIAS,
            offset,
            same: false,
        }
    }

    /// The same of each lane; that of lane 0 begins at an address.
    #[inline(always)]
    pub fn row(first: u64) -> Self {
        Private {
            base: first & !ALIAS,
            offset: &NEIGHBOURS,
            same: true,
        }
    }

    #[inline(always)]
    fn at(&self, lane: usize, n: usize) -> u64 {
        self.base + u64::from(self.offset[lane & 63]) + PRIVATE_STEP * n as u64
    }
}

impl Places for Private<'_> {
    const OWNED: bool = true;

    #[inline(always)]
    unsafe fn read<R: Rows, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places are checked.
        unsafe { read_dwords::<R, T>(to, |n| Some(self.at(lane, n))) }
    }

    #[inline(always)]
    unsafe fn write<R: Rows, T>(&self, lane: usize, from: *const T) {
        // SAFETY: the places are checked.
        unsafe { write_dwords::<R, T>(from, |n| Some(self.at(lane, n))) }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, _: u32) -> Option<u64> {
        Some(self.at(lane, n))
    }

    #[inline(always)]
    fn cell(&self, lane: usize, _: u32) -> Option<u64> {
        Some(self.at(lane, 0))
    }

    #[inline(always)]
    fn whole(&self) -> bool {
        false
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        let (base, step) = (self.base, PRIVATE_STEP);
        match self.same {
            true => Shape::Rows { first: base, step },
            false => Shape::Offsets {
                base,
                offset: self.offset.as_ptr(),
                step,
            },
        }
    }
}

/// Dwords of a lane that lie apart, each there or out of range: buffers.
pub struct Split {
    /// The address of each lane's first dword.
    pub address: [u64; 64],
    /// Bytes from a dword of a lane to its next.
    pub step: u64,
    /// The lanes for which dword n is in range. Others read 0 and drop writes.
    pub valid: [u64; 4],
}

impl Split {
    /// Where what a lane accesses begins, if its dwords are neighbours and all in range.
    #[inline(always)]
    fn start<T>(&self, lane: usize) -> Option<u64> {
        let dwords = const { size_of::<T>().div_ceil(4) };
        let valid = self.valid.iter().take(dwords);
        let all = valid.fold(!0, |lanes, valid| lanes & valid) >> lane & 1 != 0;
        (all && (self.step == 4 || dwords == 1)).then_some(self.address[lane & 63])
    }
}

impl Places for Split {
    #[inline(always)]
    unsafe fn read<R: Rows, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places are checked, for what is in range.
        unsafe {
            match self.start::<T>(lane) {
                Some(from) => copy::<R, T>(at(from), to.cast()),
                None => read_dwords::<R, T>(to, |n| self.part(lane, n, 4)),
            }
        }
    }

    #[inline(always)]
    unsafe fn write<R: Rows, T>(&self, lane: usize, from: *const T) {
        // SAFETY: the places are checked, for what is in range.
        unsafe {
            match self.start::<T>(lane) {
                Some(to) => copy::<R, T>(from.cast(), at(to)),
                None => write_dwords::<R, T>(from, |n| self.part(lane, n, 4)),
            }
        }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, _: u32) -> Option<u64> {
        let valid = self.valid[n & 3] >> lane & 1 != 0;
        valid.then(|| self.address[lane & 63] + self.step * n as u64)
    }

    #[inline(always)]
    fn cell(&self, lane: usize, _: u32) -> Option<u64> {
        self.part(lane, 0, 4)
    }

    #[inline(always)]
    fn starts(&self, mask: u64, bytes: u32) -> Option<[u64; 64]> {
        let valid = self.valid.iter().take(bytes.div_ceil(4) as usize);
        let all = valid.fold(mask, |lanes, valid| lanes & valid) == mask;
        let whole = self.step == 4 || bytes <= 4;
        (all && whole && bytes <= 16).then_some(self.address)
    }

    #[inline(always)]
    fn whole(&self) -> bool {
        self.step == 4
    }
}

/// Reads a `T` of which dword n, or what is smaller, is at `place(n)`, or is 0.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn read_dwords<R: Rows, T>(to: *mut T, place: impl Fn(usize) -> Option<u64>) {
    let bytes = size_of::<T>();
    for n in 0..bytes.div_ceil(4) {
        let to = to.cast::<u8>().wrapping_add(4 * n);
        // SAFETY: the places are checked; the bytes are those of the `T`.
        unsafe {
            match (place(n), bytes) {
                (Some(from), 1) => copy::<R, u8>(at(from), to),
                (Some(from), 2) => copy::<R, u16>(at(from), to),
                (Some(from), _) => copy::<R, u32>(at(from), to),
                (None, _) => to.write_bytes(0, bytes.min(4)),
            }
        }
    }
}

/// Reads a `T` of which byte n is at `place(n)`, or is 0.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn read_bytes<R: Rows, T>(to: *mut T, place: impl Fn(usize) -> Option<u64>) {
    for n in 0..size_of::<T>() {
        let to = to.cast::<u8>().wrapping_add(n);
        // SAFETY: the places are checked; the bytes are those of the `T`.
        unsafe {
            match place(n) {
                Some(from) => copy::<R, u8>(at(from), to),
                None => to.write(0),
            }
        }
    }
}

/// Writes a `T` of which byte n belongs to `place(n)`, or is dropped.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn write_bytes<R: Rows, T>(from: *const T, place: impl Fn(usize) -> Option<u64>) {
    for n in 0..size_of::<T>() {
        let Some(to) = place(n) else { continue };
        // SAFETY: the places are checked; the bytes are those of the `T`.
        unsafe { copy::<R, u8>(from.cast::<u8>().wrapping_add(n), at(to)) };
    }
}

/// Writes a `T` of which dword n, or what is smaller, belongs to `place(n)`, or
/// is dropped.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn write_dwords<R: Rows, T>(
    from: *const T,
    place: impl Fn(usize) -> Option<u64>,
) {
    let bytes = size_of::<T>();
    for n in 0..bytes.div_ceil(4) {
        let from = from.cast::<u8>().wrapping_add(4 * n);
        let Some(to) = place(n) else { continue };
        // SAFETY: the places are checked; the bytes are those of the `T`.
        unsafe {
            match bytes {
                1 => copy::<R, u8>(from, at(to)),
                2 => copy::<R, u16>(from, at(to)),
                _ => copy::<R, u32>(from, at(to)),
            }
        }
    }
}
