//! Buffers: addresses through a descriptor (Vega ISA, 8.1 "Vector Memory Buffer Instructions").
//!
//! Accesses outside the buffer's range read 0 and drop writes. Accesses in range must be in an allocation, like any other
//! address.

use std::mem::MaybeUninit;

use wavetank_ir::{Dialect, Elements, MemKind, Space as Where};

use crate::access::{Context, Request, Source};
use crate::alignment::Alignment;
use crate::bounds_cache::Span;
use crate::element_check::{check_addresses, span};
use crate::fault::Denied;
use crate::fault::MemoryFaultReason;
use crate::lane_moves::LaneMoves;
use crate::lanes::{Lanes, all_aligned, bounds, each, over, which};
use crate::operands::{lanes32, uniform32, uniform64, words};
use crate::operation::Operation;
use crate::places::{Far, PRIVATE_STEP, Private, Split};
use crate::reach::{Offsets, Reach};
use crate::space::Space;
use crate::space::flat::{check_alignment, check_multiples, known, run_at, unsure, wide_addresses};
use crate::space::scratch::{places, run_anywhere};
use crate::space::swizzled::{Bytes, Swizzle, of_dword};

/// A buffer descriptor (V#).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The byte address, 48 bits.
    pub base: u64,
    /// Bytes from one record to the next, 14 bits; 18 with ADD_TID.
    pub stride: u64,
    /// The size in bytes or records, see `Range`.
    pub num_records: u32,
    /// Whether the lane number is added to the index.
    pub add_tid: bool,
    /// Whether elements of successive indices are adjacent.
    pub swizzle: bool,
    /// Bytes of an element of a swizzled buffer.
    pub element: u64,
    /// The number of indices whose elements are adjacent in a swizzled buffer.
    pub index_stride: u64,
    /// The data format, 0 for an unbound buffer.
    pub data_format: u8,
    /// The number format, NFMT.
    pub num_format: u8,
    /// The sources of x, y, z and w.
    pub select: [u8; 4],
}

/// The select of an instruction that specifies its own format: components that the format lacks are 0 (8.1.3 "Buffer Data").
const IDENTITY: [u8; 4] = [4, 5, 6, 7];

/// The range check of an access (8.1.5 "Range Checking").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// Scratch, which has no range check.
    Private,
    /// Addresses of 64 bits (ADDR64), without a range check or records (CLRX wiki, "GCN memory handling").
    Far,
    /// By the offset in bytes plus this number.
    Raw(u64),
    /// By the index of the record, and by the offset, which is below this bound.
    Structured(u64),
}

impl Descriptor {
    /// Decodes the four dwords of a descriptor. `format` says whether the instruction uses the data format, whose field otherwise
    /// holds stride bits 17:14 with ADD_TID (from gfx8 on).
    pub fn new(words: [u32; 4], dialect: Dialect, format: bool) -> Self {
        let [w0, w1, w2, w3] = words;
        let add_tid = w3 >> 23 & 1 != 0;
        let data_format = (w3 >> 15 & 0xf) as u8;
        let mut stride = u64::from(w1 >> 16 & 0x3fff);
        if add_tid && !format && dialect != Dialect::Strided {
            stride |= u64::from(data_format) << 14;
        }
        Descriptor {
            base: u64::from(w0) | u64::from(w1 & 0xffff) << 32,
            stride,
            num_records: w2,
            add_tid,
            swizzle: w1 >> 31 != 0,
            element: match dialect {
                Dialect::Indexed | Dialect::Summed => 4,
                Dialect::Strided | Dialect::Swizzled => 2 << (w3 >> 19 & 3),
            },
            index_stride: 8 << (w3 >> 21 & 3),
            data_format,
            num_format: (w3 >> 12 & 7) as u8,
            select: std::array::from_fn(|n| (w3 >> (3 * n) & 7) as u8),
        }
    }

    /// Returns whether the buffer is unbound: loads give 0, stores are dropped. The data format is 0 then, unless its bits belong
    /// to the stride (8.1.4, Note).
    fn unbound(&self) -> bool {
        self.data_format == 0 && !self.add_tid
    }

    /// Returns whether `num_records` counts records for an instruction with or without an index; else it counts bytes.
    pub fn counts_records(&self, dialect: Dialect, idxen: bool) -> bool {
        let counts = match dialect {
            Dialect::Strided => true,
            Dialect::Swizzled => self.swizzle,
            Dialect::Indexed | Dialect::Summed => idxen,
        };
        counts && self.stride != 0
    }

    /// Returns the range check of an access. On gfx6, gfx7 and CDNA it includes the scalar offset. On gfx6 and gfx7 an offset may
    /// not cross into the next record, if the record is selected by an index or by the lane (CLRX wiki, "GCN memory handling").
    fn range(&self, dialect: Dialect, idxen: bool, soffset: u32) -> Range {
        let strided = dialect == Dialect::Strided;
        let records = self.counts_records(dialect, idxen);
        match (self.add_tid && !idxen, records) {
            (_, true) if strided && (idxen || self.add_tid) => Range::Structured(self.stride),
            (true, _) => Range::Private,
            (_, true) => Range::Structured(u64::MAX),
            _ if strided || dialect == Dialect::Summed => Range::Raw(soffset.into()),
            _ => Range::Raw(0),
        }
    }

    /// Returns the offset of a byte from the base (8.1.5 and 8.1.6).
    #[inline(always)]
    fn place(&self, index: u64, offset: u64) -> u64 {
        if !self.swizzle {
            return index.wrapping_mul(self.stride).wrapping_add(offset);
        }
        self.elements().place(index, offset)
    }

    /// Returns the arrangement of the elements of a swizzled buffer.
    #[inline(always)]
    fn elements(&self) -> Swizzle {
        Swizzle {
            stride: self.stride,
            element: self.element,
            index_stride: self.index_stride,
        }
    }

    /// Bytes from one dword of a lane to the next. A fetch is not larger than an element, except that dwords of 4-byte elements
    /// continue in the next.
    fn step(&self) -> u64 {
        if self.swizzle && self.element == 4 {
            4 * self.index_stride
        } else {
            4
        }
    }
}

/// A buffer access before its lanes are checked.
pub(crate) struct Site {
    pub descriptor: Descriptor,
    /// The base address plus the scalar offset.
    base: u64,
    /// The address that each lane adds to the base, with ADDR64.
    far: Option<[u64; 64]>,
    index: Lanes,
    offset: Lanes,
    range: Range,
    /// The constant part of the offset.
    constant: u64,
    /// Whether offsets are sums modulo 2^32.
    wraps: bool,
}

/// Returns whether offsets into private memory are sums modulo 2^32: from gfx9 on (LLVM, `privateMemoryResourceIsRangeChecked`,
/// which forbids offsets below zero for earlier chips).
fn wraps(dialect: Dialect) -> bool {
    dialect.is_of_gfx9()
}

impl Site {
    /// Returns the descriptor and the lanes' indices and offsets.
    ///
    /// # Safety
    /// The context is that of a live wave, the step was lowered for it.
    #[inline(always)]
    pub(crate) unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        let Where::Buffer {
            dialect, format, ..
        } = step.op.space
        else {
            unreachable!("chosen for buffers only")
        };
        let [address_at, index_at, offset_at, soffset] = step.sources;
        let (mut index_room, mut offset_room) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: the wave is live.
        unsafe {
            let words = words(ctx, &step.descriptor);
            let descriptor = match format {
                Elements::Plain => Descriptor::new(words, dialect, false),
                Elements::Resource => Descriptor::new(words, dialect, true),
                Elements::Typed(data, number) => Descriptor {
                    data_format: data,
                    num_format: number,
                    select: IDENTITY,
                    ..Descriptor::new(words, dialect, true)
                },
            };
            let far = match address_at {
                Source::Vector(at) => Some(wide_addresses(ctx, at, 0)),
                Source::None | Source::Uniform(_) | Source::Const(_) => None,
            };
            let range =
                descriptor.range(dialect, index_at != Source::None, uniform32(ctx, soffset));
            Site {
                base: descriptor.base.wrapping_add(uniform32(ctx, soffset).into()),
                index: lanes32(ctx, index_at, &mut index_room)
                    .cast::<Lanes>()
                    .read(),
                offset: lanes32(ctx, offset_at, &mut offset_room)
                    .cast::<Lanes>()
                    .read(),
                range: if far.is_some() { Range::Far } else { range },
                far,
                constant: step.op.offset as u64,
                wraps: wraps(dialect) && range == Range::Private,
                descriptor,
            }
        }
    }

    /// Returns the address of each lane's first byte, and for each of `dwords` dwords the lanes for which it is in range.
    #[inline(always)]
    pub(crate) fn lanes(&self, dwords: usize) -> ([u64; 64], [u64; 4]) {
        let d = &self.descriptor;
        let records = u64::from(d.num_records);
        let (mut address, mut valid) = ([0; 64], [0; 4]);
        for lane in 0..64 {
            let tid = if d.add_tid { lane as u64 } else { 0 };
            let index = u64::from(self.index[lane]);
            let offset = self.offset(lane);
            let bytes = self.distance(lane);
            let place = match &self.far {
                Some(far) => far[lane].wrapping_add(offset),
                None => d.place(index + tid, offset),
            };
            address[lane] = self.base.wrapping_add(place);
            for (n, valid) in (0..dwords as u64).zip(&mut valid) {
                let inside = match self.range {
                    Range::Private | Range::Far => true,
                    Range::Raw(more) => bytes + more + 4 * n < records,
                    Range::Structured(bound) => index < records && offset + 4 * n < bound,
                };
                *valid |= u64::from(inside) << lane;
            }
        }
        if d.unbound() {
            valid = [0; 4];
        }
        (address, valid)
    }

    /// Returns the lanes for which all of `bytes` bytes are in range.
    pub(crate) fn whole(&self, bytes: u32) -> u64 {
        let records = u64::from(self.descriptor.num_records);
        match self.range {
            Range::Raw(more) => {
                which(|lane| self.distance(lane) + more + u64::from(bytes) <= records)
            }
            Range::Private | Range::Far | Range::Structured(_) => !0,
        }
    }

    /// Returns the offset of a lane, with the constant part.
    #[inline(always)]
    fn offset(&self, lane: usize) -> u64 {
        if self.wraps {
            self.offset[lane].wrapping_add(self.constant as u32).into()
        } else {
            u64::from(self.offset[lane]) + self.constant
        }
    }

    /// Returns the places of lanes whose bytes are located one by one. `valid` has the lanes for which each dword is in range.
    pub(crate) fn bytes(&self, valid: [u64; 4]) -> Bytes {
        let tid = |lane: usize| {
            if self.descriptor.add_tid {
                lane as u64
            } else {
                0
            }
        };
        Bytes {
            swizzle: self.descriptor.elements(),
            base: self.base,
            index: std::array::from_fn(|lane| u64::from(self.index[lane]) + tid(lane)),
            offset: std::array::from_fn(|lane| self.offset(lane)),
            valid,
        }
    }

    /// Returns whether the bytes of a swizzled buffer must be located one by one: the bytes of a lane do not lie in one element,
    /// or an atomic's word is not aligned on the host. (Only in the alignment mode that allows unaligned accesses.)
    pub(crate) fn is_apart(
        &self,
        mode: Alignment,
        mask: u64,
        (bytes, atomic): (u32, bool),
        address: &[u64; 64],
    ) -> bool {
        let d = &self.descriptor;
        let anywhere = mode == Alignment::Unaligned && self.range != Range::Far;
        if !anywhere || !d.swizzle || mask == 0 {
            return false;
        }
        let low = d.element - 1;
        let across = which(|lane| (self.offset(lane) & low) + u64::from(bytes) > d.element);
        let low = u64::from(bytes) - 1;
        let crooked = which(|lane| atomic && address[lane] & low != 0);
        mask & (across | crooked) != 0
    }

    /// Returns the distance of a lane from the base, for buffers whose range is checked in bytes.
    #[inline(always)]
    fn distance(&self, lane: usize) -> u64 {
        let offset = self.offset(lane);
        let index = u64::from(self.index[lane]);
        index
            .wrapping_mul(self.descriptor.stride)
            .wrapping_add(offset)
    }

    /// Aligns the addresses of accesses of a dword or more by the alignment mode.
    ///
    /// # Errors
    /// The denial of the first lane whose access is not allowed.
    #[inline(always)]
    pub(crate) fn align(
        &self,
        mode: Alignment,
        mask: u64,
        bytes: u32,
        address: &mut [u64; 64],
    ) -> Result<(), Denied> {
        match mode {
            // No alignment applies here: docs/reference/errata.md, "FeatureUnalignedBufferAccess".
            _ if self.range == Range::Far => {}
            Alignment::Dword if bytes == 2 => {
                for a in address {
                    *a &= !1;
                }
            }
            _ if bytes < 4 => {}
            Alignment::Strict => check_multiples(mask, bytes, 4, &Far(*address))?,
            Alignment::Unaligned => {}
            Alignment::Dword => {
                for a in address {
                    *a &= !3;
                }
            }
        }
        Ok(())
    }

    /// Checks the alignment of atomics whose dwords lie apart, by the lane's own offset.
    fn check_offsets<O: Operation>(
        &self,
        mask: u64,
        op: O,
        address: &[u64; 64],
    ) -> Result<(), Denied> {
        let align = op.bytes();
        // The bits within a dword have been checked, or are ignored.
        let low = u64::from((align - 1) & !3);
        let crooked = mask & which(|lane| self.offset(lane) & low != 0);
        if !O::ATOMIC || crooked == 0 {
            return Ok(());
        }
        let lane = crooked.trailing_zeros() as usize;
        Err(Denied {
            lane: Some(lane as u8),
            address: address[lane],
            bytes: align,
            reason: MemoryFaultReason::Misaligned { align },
        })
    }

    /// Checks one element of each lane: that it is in an allocation, and that accesses through a descriptor of scratch stay in
    /// the wave's scratch.
    pub(crate) fn check(
        &self,
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        (bytes, stores): (u32, bool),
        address: &[u64; 64],
    ) -> Result<(), Denied> {
        let scratch = &ctx.memory.scratch;
        if self.range != Range::Private || !scratch.is_base(self.descriptor.base) {
            return check_addresses(ctx, step, mask, bytes, stores, address);
        }
        if scratch.holds(span(mask, bytes, stores, address)) {
            return Ok(());
        }
        let mut denied = None;
        each(mask, |lane| {
            let a = address[lane & 63];
            if denied.is_none() && !scratch.holds(span(1 << lane, bytes, stores, address)) {
                denied = Some(scratch.denied(lane, a, bytes));
            }
        });
        denied.map_or(Ok(()), Err)
    }

    /// Checks as [`check`](Self::check) does, for bytes that are located one by one.
    pub(crate) fn check_bytes(
        &self,
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        (bytes, stores): (u32, bool),
        places: &Bytes,
    ) -> Result<(), Denied> {
        for n in 0..bytes {
            let there = mask & places.valid[n as usize / 4];
            if there == 0 {
                continue;
            }
            let address = std::array::from_fn(|lane| places.address(lane, n as usize));
            self.check(ctx, step, there, (1, stores), &address)
                .map_err(|denied| of_dword(denied, n, bytes))?;
        }
        Ok(())
    }
}

/// Buffer accesses without format conversion.
pub struct Buffer;

impl Space for Buffer {
    #[inline(always)]
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        // SAFETY: the wave is live; places are checked before use.
        unsafe {
            if let Some(plain) = Plain::new(ctx, step) {
                if plain.is_linear() {
                    if let Some((base, limit)) = plain.raw(ctx.memory.alignment, step, op.bytes()) {
                        let offset = plain.offset.unwrap_or(ZEROS.as_ptr());
                        if known(ctx, step, mask, op, base, offset, limit) {
                            return Ok(());
                        }
                        if O::Moves::within(offset, mask, limit) {
                            return unsure(ctx, step, mask, op, base, offset);
                        }
                    }
                } else if !O::ATOMIC
                    && let Some(base) = plain.private()
                    && run_private(ctx, mask, op, &plain, base, step.op.offset as u32)
                {
                    return Ok(());
                }
            }
            general(ctx, step, mask, op)
        }
    }
}

/// The offsets of lanes without an offset register.
static ZEROS: Lanes = [0; 64];

/// Runs an operation on the lanes' private memory, if the wave owns all of it. Returns whether it did.
#[inline(always)]
unsafe fn run_private<O: Operation>(
    ctx: &Context<'_, '_>,
    mask: u64,
    op: O,
    plain: &Plain,
    base: u64,
    constant: u32,
) -> bool {
    // From the first dword of the first lane to the last dword of the last.
    let dwords = u64::from(op.bytes().div_ceil(4));
    let span = |first: u64, last: u64| Span {
        first,
        last: last + (dwords - 1) * PRIVATE_STEP,
        bytes: op.bytes().min(4),
        stores: O::STORES,
    };
    // SAFETY: the wave is live; the memory that it owns is mapped.
    unsafe {
        let Some(offsets) = plain.offset else {
            let first = base + u64::from(constant / 4) * PRIVATE_STEP + u64::from(constant % 4);
            let inside = constant % 4 + op.bytes().min(4) <= 4;
            if inside && ctx.memory.scratch.holds(span(first, first + 252)) {
                op.run(&Private::row(first), mask);
                return true;
            }
            return !inside && run_anywhere(ctx, mask, op, base, &[constant; 64]);
        };
        let offsets = offsets.cast::<Lanes>().read();
        // If sums do not wrap, one that exceeds 32 bits is outside every scratch.
        let offsets = if plain.wraps {
            over(&offsets, |offset| offset.wrapping_add(constant))
        } else {
            over(&offsets, |offset| offset.saturating_add(constant))
        };
        let Some(offset) = places(&offsets, mask, op) else {
            return run_anywhere(ctx, mask, op, base, &offsets);
        };
        let (min, max) = bounds(offset.as_ptr(), mask);
        let inside = ctx
            .memory
            .scratch
            .holds(span(base + u64::from(min), base + u64::from(max)));
        if inside {
            let offset = &offset;
            op.run(&Private::new(base, offset), mask);
        }
        inside
    }
}

/// A buffer without an index, as compilers use most of them.
struct Plain {
    /// The two halves of the descriptor.
    words: [u64; 2],
    soffset: u32,
    /// Whether the scalar offset counts in the range check.
    summed: bool,
    /// The lanes' offsets, unless all are 0.
    offset: Option<*const u32>,
    /// Whether offsets into private memory are sums modulo 2^32.
    wraps: bool,
}

impl Plain {
    const SWIZZLE: u64 = 1 << 63;
    const DATA_FORMAT: u64 = 0xf << (32 + 15);
    const INDEX_STRIDE_64: u64 = 3 << (32 + 21);
    const ADD_TID: u64 = 1 << (32 + 23);

    #[inline(always)]
    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Option<Self> {
        let (Where::Buffer { dialect, .. }, [Source::None, Source::None, offset, soffset]) =
            (&step.op.space, step.sources)
        else {
            return None;
        };
        let offset = match offset {
            Source::None => None,
            Source::Vector(at) => Some(ctx.v(at).cast_const()),
            Source::Uniform(_) | Source::Const(_) => return None,
        };
        // In the other dialects, a buffer without index and swizzle is checked in bytes.
        if *dialect == Dialect::Strided {
            return None;
        }
        // SAFETY: the wave is live.
        unsafe {
            Some(Plain {
                words: [0, 1].map(|n| uniform64(ctx, step.descriptor[n])),
                soffset: uniform32(ctx, soffset),
                summed: *dialect == Dialect::Summed,
                offset,
                wraps: wraps(*dialect),
            })
        }
    }

    /// Returns the address that offsets are relative to.
    #[inline(always)]
    fn base(&self) -> u64 {
        (self.words[0] & 0xffff_ffff_ffff) + u64::from(self.soffset)
    }

    /// Returns whether bytes are at their offsets from the base, and the buffer is bound.
    #[inline(always)]
    fn is_linear(&self) -> bool {
        let [low, high] = self.words;
        low & Self::SWIZZLE == 0 && high & Self::ADD_TID == 0 && high & Self::DATA_FORMAT != 0
    }

    /// Returns the base and the range of offsets at which all bytes of a linear buffer are in range. `None` if there are none, or
    /// if an alignment mode changes the addresses.
    #[inline(always)]
    unsafe fn raw(
        &self,
        alignment: Alignment,
        step: &Request,
        bytes: u32,
    ) -> Option<(u64, Offsets)> {
        let constant = step.op.offset as u64;
        let records = u64::from(self.words[1] as u32);
        let records = if self.summed {
            records.saturating_sub(self.soffset.into())
        } else {
            records
        };
        let limit = Reach::new(0, records, bytes)?.from(constant)?;
        let base = self.base() + constant;
        // SAFETY: the lanes' offsets.
        let straight = || unsafe { self.offset.is_none_or(|lanes| all_aligned(lanes)) };
        let there =
            alignment == Alignment::Unaligned || bytes < 4 || base.is_multiple_of(4) && straight();
        there.then_some((base, limit))
    }

    /// Returns the base of scratch if the descriptor is that of scratch in the form that compilers use.
    #[inline(always)]
    fn private(&self) -> Option<u64> {
        let wanted = Self::ADD_TID | Self::INDEX_STRIDE_64;
        let [low, high] = self.words;
        let is = low & Self::SWIZZLE != 0 && high & wanted == wanted;
        (is && self.base().is_multiple_of(4)).then_some(self.base())
    }
}

/// Runs an operation on any buffer: computes the address and range of each lane.
#[inline(never)]
unsafe fn general<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
) -> Result<(), Denied> {
    let dwords = op.bytes().div_ceil(4) as usize;
    // SAFETY: the wave is live.
    let site = unsafe { Site::new(ctx, step) };
    let (mut address, mut valid) = site.lanes(dwords);
    let present = mask & valid.iter().fold(0, |a, v| a | v);
    let mode = ctx.memory.alignment;
    site.align(mode, present, op.bytes(), &mut address)?;
    if matches!(step.op.kind, MemKind::Atomic(_)) {
        // All bytes of a lane are in range, or none.
        let whole = site.whole(op.bytes());
        valid = [valid[..dwords].iter().fold(whole, |a, v| a & v); 4];
    }
    let together = match site.descriptor.step() {
        4 => op.bytes(),
        _ => op.bytes().min(4),
    };
    if site.is_apart(mode, present, (together, O::ATOMIC), &address) {
        let places = site.bytes(valid);
        site.check_bytes(ctx, step, mask, (op.bytes(), O::STORES), &places)?;
        // SAFETY: the wave is live; the places in range are checked.
        unsafe { op.run(&places, mask) };
        return Ok(());
    }
    let places = Split {
        address,
        step: site.descriptor.step(),
        valid,
    };
    check(ctx, step, mask, op, &site, &places)?;
    let whole = places.step == 4 && places.valid[..dwords].iter().all(|v| mask & !v == 0);
    // SAFETY: the wave is live; the places in range are checked.
    unsafe {
        if whole {
            run_at(mask, op, &places.address);
        } else {
            op.run(&places, mask);
        }
    }
    Ok(())
}

/// Checks the dwords that are in range.
fn check<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    site: &Site,
    places: &Split,
) -> Result<(), Denied> {
    let element = (op.bytes().min(4), O::STORES);
    for n in 0..op.bytes().div_ceil(4) as usize {
        let mask = mask & places.valid[n];
        if mask == 0 {
            continue;
        }
        let address = places
            .address
            .map(|a| a.wrapping_add(places.step * n as u64));
        site.check(ctx, step, mask, element, &address)?;
    }
    let there = mask & places.valid[0];
    match places.step {
        4 => check_alignment(there, op, &Far(places.address)),
        _ if ctx.memory.alignment == Alignment::Unaligned => Ok(()),
        _ => site.check_offsets(there, op, &places.address),
    }
}
