//! Places: the memory that the lanes of an access read and write, once their addresses have been checked.

use crate::global::{ALIAS, at};
use crate::lane_moves::{LaneMoves, NEIGHBOURS, copy};
use crate::lanes::{Lanes, each};

/// The places of 64 lanes. A lane reads and writes a `T`: a byte, two bytes, or
/// an array of dwords.
pub trait Places {
    /// Whether only one thread accesses the memory.
    const OWNED: bool = false;

    /// Bytes of a lane that are certainly adjacent: those of a dword (4), or none (1).
    const PIECE: u32 = 4;

    /// Reads the value of a lane to `to`.
    ///
    /// # Safety
    /// The lane's address has been checked for a `T`.
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T);

    /// Writes the value of a lane from `from`.
    ///
    /// # Safety
    /// The lane's address has been checked for a `T`.
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T);

    /// Returns the address of piece `n` of a lane's access, or of its only `bytes` bytes, if they are in range. A piece is a
    /// dword, or has [`PIECE`](Self::PIECE) bytes.
    fn part(&self, lane: usize, n: usize, bytes: u32) -> Option<u64>;

    /// Returns the address of an aligned word that an atomic changes, if it is in range.
    fn cell(&self, lane: usize, bytes: u32) -> Option<u64>;

    /// Fills in the address of each lane's cell, and returns the lanes that have one. The other lanes get the address of the
    /// first, so that equality of all addresses is found quickly.
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

    /// Returns the start address of each lane, if the bytes of each lane are adjacent and all in range. The values of lanes
    /// outside the mask have no meaning.
    #[inline(always)]
    fn starts(&self, _mask: u64, _bytes: u32) -> Option<[u64; 64]> {
        None
    }

    /// Returns whether the dwords of a lane are adjacent.
    #[inline(always)]
    fn whole(&self) -> bool {
        true
    }

    /// Returns the layout of all lanes together.
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Any
    }
}

/// The layout of the places of all lanes together.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A separate address for each lane, without a common layout.
    Any,
    /// Each lane begins where the lane below ends (AoS); the address is that of lane 0.
    Records(u64),
    /// Dwords n of all lanes are adjacent (SoA).
    Rows {
        /// The address of lane 0's first dword.
        first: u64,
        /// Bytes from a dword of a lane to its next.
        step: u64,
    },
    /// Dwords at 32-bit offsets from a host address.
    Offsets {
        /// The host address that the offsets are added to.
        base: u64,
        /// The address of 64 offsets, which may lie in a vector register.
        offset: *const u32,
        /// Bytes from a dword of a lane to its next.
        step: u64,
    },
}

/// Places with one address a lane. Other threads may access them too.
pub trait Addresses {
    /// Returns the address of a lane.
    ///
    /// # Safety
    /// The memory that the places point to is alive.
    unsafe fn address(&self, lane: usize) -> u64;

    /// Returns the layout of all lanes, as in [`Places::shape`].
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Any
    }
}

impl<A: Addresses> Places for A {
    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places are checked.
        unsafe { copy::<R, T>(at(self.address(lane)), to.cast()) }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
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
            // SAFETY: the places are alive.
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

/// One base and a 32-bit offset a lane, which may lie in a vector register: all in host memory that offsets from the base reach.
pub struct Near {
    /// The base address, without [`ALIAS`].
    pub base: u64,
    /// The offsets of 64 lanes.
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

/// A separate address for each lane.
pub struct Far(pub [u64; 64]);

impl Addresses for Far {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.0[lane & 63]
    }
}

/// Places of successive lanes that are adjacent (AoS).
pub struct Side {
    first: u64,
    bytes: u32,
}

impl Side {
    /// Places that start at the address of lane 0, with `bytes` bytes each.
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

/// Places of successive lanes that are a dword apart, so that accesses of several dwords overlap.
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

/// Private memory of the lanes (SoA): dwords n of all lanes are adjacent.
pub struct Private<'a> {
    /// The host address of the memory.
    base: u64,
    /// The offset of each lane's first bytes.
    offset: &'a Lanes,
    /// Whether all lanes access the same offset of their memory, so that the offsets are those of [`NEIGHBOURS`].
    same: bool,
}

pub use crate::on_chip::scratch::PRIVATE_STEP;

impl<'a> Private<'a> {
    /// Places at offsets from a base address.
    #[inline(always)]
    pub fn new(base: u64, offset: &'a Lanes) -> Self {
        Private {
            base: base & !ALIAS,
            offset,
            same: false,
        }
    }

    /// Returns the same dwords in the memory of each lane; those of lane 0 begin at `first`.
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
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places are checked.
        unsafe { read_dwords::<R, T>(to, |n| Some(self.at(lane, n))) }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
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
        if self.same {
            Shape::Rows { first: base, step }
        } else {
            Shape::Offsets {
                base,
                offset: self.offset.as_ptr(),
                step,
            }
        }
    }
}

/// Dwords of a lane that lie apart, each of them in range or not: buffers.
pub struct Split {
    /// The address of each lane's first dword.
    pub address: [u64; 64],
    /// Bytes from a dword of a lane to its next.
    pub step: u64,
    /// The lanes for which dword n is in range. Other lanes read 0 and drop writes.
    pub valid: [u64; 4],
}

impl Split {
    /// Returns the start address of a lane's access, if its dwords are adjacent and all in range.
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
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places in range are checked.
        unsafe {
            match self.start::<T>(lane) {
                Some(from) => copy::<R, T>(at(from), to.cast()),
                None => read_dwords::<R, T>(to, |n| self.part(lane, n, 4)),
            }
        }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        // SAFETY: the places in range are checked.
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

/// Reads a `T` by dwords: dword n, or a smaller part, is at `place(n)`, or is 0.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn read_dwords<R: LaneMoves, T>(
    to: *mut T,
    place: impl Fn(usize) -> Option<u64>,
) {
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

/// Reads a `T` by bytes: byte n is at `place(n)`, or is 0.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn read_bytes<R: LaneMoves, T>(to: *mut T, place: impl Fn(usize) -> Option<u64>) {
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

/// Writes a `T` by bytes: byte n goes to `place(n)`, or is dropped.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn write_bytes<R: LaneMoves, T>(
    from: *const T,
    place: impl Fn(usize) -> Option<u64>,
) {
    for n in 0..size_of::<T>() {
        let Some(to) = place(n) else { continue };
        // SAFETY: the places are checked; the bytes are those of the `T`.
        unsafe { copy::<R, u8>(from.cast::<u8>().wrapping_add(n), at(to)) };
    }
}

/// Writes a `T` by dwords: dword n, or a smaller part, goes to `place(n)`, or is dropped.
///
/// # Safety
/// The places are checked.
#[inline(always)]
pub(crate) unsafe fn write_dwords<R: LaneMoves, T>(
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
