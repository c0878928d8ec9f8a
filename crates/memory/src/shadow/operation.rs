//! Memory operations on shadows: loads, stores and atomics at the shadows of checked places.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::Half;

use super::{Seen, Undefined, at};
use crate::access::{Context, Request};
use crate::access_log::MemoryKind;
use crate::instrument::Recorder;
use crate::lane_moves::LaneMoves;
use crate::lanes::{each, which};
use crate::operation::Operation;
use crate::places::{Places, Shape, read_bytes, read_dwords, write_bytes, write_dwords};
use crate::register_file::VECTOR_BYTES;

/// The places of the shadows of other places.
struct Moved<'p, P>(&'p P);

impl<P: Places> Places for Moved<'_, P> {
    const OWNED: bool = P::OWNED;
    const PIECE: u32 = P::PIECE;

    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        let place = |n: usize| self.part(lane, n, Self::PIECE.min(size_of::<T>() as u32));
        // SAFETY: the places are checked, and checked memory has shadows.
        unsafe {
            match Self::PIECE {
                1 => read_bytes::<R, T>(to, place),
                _ => read_dwords::<R, T>(to, place),
            }
        }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        let place = |n: usize| self.part(lane, n, Self::PIECE.min(size_of::<T>() as u32));
        // SAFETY: the places are checked, and checked memory has shadows.
        unsafe {
            match Self::PIECE {
                1 => write_bytes::<R, T>(from, place),
                _ => write_dwords::<R, T>(from, place),
            }
        }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, bytes: u32) -> Option<u64> {
        self.0.part(lane, n, bytes).map(at)
    }

    #[inline(always)]
    fn cell(&self, lane: usize, bytes: u32) -> Option<u64> {
        self.0.cell(lane, bytes).map(at)
    }

    #[inline(always)]
    fn whole(&self) -> bool {
        self.0.whole()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        match self.0.shape() {
            Shape::Any => Shape::Any,
            Shape::Records(first) => Shape::Records(at(first)),
            Shape::Rows { first, step } => Shape::Rows {
                first: at(first),
                step,
            },
            Shape::Offsets { base, offset, step } => Shape::Offsets {
                base: at(base),
                offset,
                step,
            },
        }
    }
}

/// An operation on shadows that records accesses to undefined bits.
#[derive(Clone, Copy)]
pub struct Shadowed<O> {
    op: O,
    recorder: Recorder,
    seen: *const RefCell<Seen>,
    step: *const Request,
    vector: *mut u8,
}

impl<O: Operation> Operation for Shadowed<O> {
    const STORES: bool = O::STORES;
    const ATOMIC: bool = O::ATOMIC;
    type Moves = O::Moves;

    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Shadowed {
            // SAFETY: by the caller's promise.
            op: unsafe { O::new(ctx, step) },
            // SAFETY: an operation is performed in the context that it was made for.
            recorder: unsafe { Recorder::new(ctx.memory, step) },
            seen: Rc::as_ptr(&ctx.memory.seen),
            step,
            vector: ctx.vector,
        }
    }

    #[inline(always)]
    fn bytes(self) -> u32 {
        self.op.bytes()
    }

    /// Not inlined: one function for each kind of places serves all spaces.
    #[inline(never)]
    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: by the caller's promise; checked memory has shadows.
        unsafe {
            // The result of an atomic may overwrite its operands, so these are tested first.
            if O::STORES {
                self.look(places, mask);
            }
            self.op.run(&Moved(places), mask);
            if !O::STORES {
                self.look(places, mask);
            }
        }
    }
}

impl<O: Operation> Shadowed<O> {
    /// Register `n` of the operation, in the order of the bytes in memory: of those that it stores, else of those that it loads.
    #[inline(always)]
    unsafe fn register(self, n: usize) -> Option<*const u32> {
        // SAFETY: registers of the operation, in the file of a live wave.
        unsafe {
            let step = &*self.step;
            let register = if O::STORES {
                (n < step.op.data.len()).then(|| step.data[n])
            } else {
                (n < step.op.registers() as usize).then(|| step.ret + (n * VECTOR_BYTES) as u32)
            };
            register.map(|register| {
                self.vector
                    .add(register as usize)
                    .cast::<u32>()
                    .cast_const()
            })
        }
    }

    /// Records an access to undefined bits, if one of the operation's registers is not 0 in some lanes.
    #[inline(always)]
    unsafe fn look(self, places: &impl Places, mask: u64) {
        // SAFETY: by the caller's promise.
        unsafe {
            let lanes = self.undefined(mask);
            if lanes != 0 {
                self.see(places, lanes, mask);
            }
        }
    }

    /// Returns the lanes in which one of the operation's registers is not 0, so has undefined bits.
    #[inline(always)]
    unsafe fn undefined(self, mask: u64) -> u64 {
        let mut all = [0u32; 64];
        let mut n = 0;
        // SAFETY: by the caller's promise.
        while let Some(lanes) = unsafe { self.register(n) } {
            for (lane, all) in all.iter_mut().enumerate() {
                // SAFETY: a register has as many lanes.
                *all |= unsafe { lanes.add(lane).read() };
            }
            n += 1;
        }
        // Mostly all bits are defined.
        match all.iter().fold(0, |any, lane| any | lane) {
            0 => 0,
            _ => which(|lane| all[lane] != 0) & mask,
        }
    }

    /// Records the undefined bits that lanes have accessed.
    #[cold]
    unsafe fn see<P: Places>(self, places: &P, lanes: u64, mask: u64) {
        let bytes = self.op.bytes();
        let piece = bytes.min(P::PIECE);
        let mut seen: Option<Undefined> = None;
        let (mut start, mut end) = (u64::MAX, 0);
        let bits = u32::MAX >> (32 - 8 * bytes.min(4));
        let (mut open, mut dword) = (false, false);
        let mut whole = lanes == mask && lanes.count_ones() > 1;
        each(lanes, |lane| {
            // SAFETY: by the caller's promise.
            let undefined = unsafe { self.of_lane(lane) };
            whole &= undefined.iter().all(|dword| dword & bits == bits);
            let most = |dword: &u32| 4 * (dword & bits).count_ones() > 3 * bits.count_ones();
            open |= undefined.iter().any(most);
            dword |= undefined.contains(&u32::MAX);
            for n in 0..bytes.div_ceil(piece) {
                let Some(address) = places.part(lane, n as usize, piece) else {
                    continue;
                };
                let part = match P::PIECE {
                    1 => self.of_byte(&undefined, n),
                    _ => undefined[n as usize],
                };
                let record = self.recorder.record(Some(lane as u8), address, piece);
                // A number, not a structure with gaps.
                dword |= bytes == 4
                    && record.memory == MemoryKind::Global
                    && undefined[0].to_le_bytes().contains(&u8::MAX);
                start = start.min(record.address);
                end = end.max(record.address + u64::from(record.bytes));
                if part != 0 && seen.is_none() {
                    seen = Some(Undefined {
                        pc: record.pc,
                        kind: record.kind,
                        lanes,
                        memory: record.memory,
                        address: record.address + u64::from(part.trailing_zeros() / 8),
                        within: 0..0,
                        whole: false,
                        dword: false,
                        open: false,
                    });
                }
            }
        });
        if let Some(seen) = seen {
            // SAFETY: the context's unit owns the records, and outlives the operation.
            unsafe { &*self.seen }.borrow_mut().add(Undefined {
                within: start..end,
                whole,
                dword,
                open,
                ..seen
            });
        }
    }

    /// Returns the undefined bits of byte `n` in memory, from those of the lane's dwords.
    fn of_byte(self, undefined: &[u32], n: u32) -> u32 {
        // SAFETY: the request outlives the operation.
        let high = unsafe { &*self.step }.op.half == Half::High;
        let shift = if high { 16 } else { 0 } + n % 4 * 8;
        undefined[n as usize / 4] >> shift & 0xff
    }

    /// Returns the undefined bits of a lane's dwords.
    unsafe fn of_lane(self, lane: usize) -> Vec<u32> {
        // SAFETY: by the caller's promise; a register has as many lanes.
        unsafe {
            let registers = (0..).map_while(|n| self.register(n));
            registers.map(|lanes| lanes.add(lane).read()).collect()
        }
    }
}
