//! Scalar memory: dwords that a whole wave accesses (Vega ISA, 7).
//!
//! The two low bits of addresses are ignored. Uniform registers past the end of the file are not written.

use wavetank_ir::{DataReg, MemKind, Rmw, Space};

use crate::access::{Context, Request};
use crate::access_log::MemoryKind;
use crate::bounds_cache::Span;
use crate::fault::Denied;
use crate::fault::MemoryFaultReason;
use crate::instrument::Recorder;
use crate::lane_moves::{Baseline, copy, copy_dwords};
use crate::operands::{uniform32, uniform64, words};
use crate::shadow::{self, Undefined};
use crate::{atomic, global};

/// The number of uniform registers.
const FILE: usize = 128;

/// The largest number of dwords of an access.
const MAX: usize = 16;

/// The place of an access: its address, and how many of its dwords are in range.
struct Place {
    address: u64,
    in_range: usize,
}

/// Access at an address in uniform registers.
///
/// # Errors
/// The access, if it is denied; registers and memory are unchanged.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
#[inline]
pub unsafe fn direct<const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    unsafe {
        let place = place(ctx, step);
        access::<INSTRUMENTED>(ctx, step, place)
    }
}

/// Returns the place of an access without a descriptor.
#[inline(always)]
unsafe fn place(ctx: &Context<'_, '_>, step: &Request) -> Place {
    // SAFETY: the wave is live.
    unsafe {
        let index = u64::from(uniform32(ctx, step.sources[1]));
        let address = uniform64(ctx, step.sources[0])
            .wrapping_add(index)
            .wrapping_add(step.op.offset as u64)
            & !3;
        let in_range = MAX;
        Place { address, in_range }
    }
}

/// Access through a buffer descriptor: dwords past its end read 0 and drop
/// writes. The stride bounds the size and is not used otherwise (7.2.1; its
/// `m_size` would be one byte for every raw buffer).
///
/// # Errors
/// The access, if it is denied; registers and memory are unchanged.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
#[inline]
pub unsafe fn buffer<const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    unsafe {
        let place = place_in_buffer(ctx, step);
        access::<INSTRUMENTED>(ctx, step, place)
    }
}

/// Returns the place of an access through a buffer descriptor.
#[inline(always)]
unsafe fn place_in_buffer(ctx: &Context<'_, '_>, step: &Request) -> Place {
    // SAFETY: the wave is live.
    unsafe {
        let words: [u32; 4] = words(ctx, &step.descriptor);
        let base = u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32;
        let stride = u64::from(words[1] >> 16 & 0x3fff);
        let size = u64::from(words[2]) * stride.max(1);
        let index = u64::from(uniform32(ctx, step.sources[1]));
        let offset = index.wrapping_add(step.op.offset as u64);
        Place {
            address: base.wrapping_add(offset) & !3,
            in_range: size.saturating_sub(offset & !3).div_ceil(4).min(16) as usize,
        }
    }
}

/// An access to the shadows of either kind: loads return the shadows of the loaded data, stores and atomics record undefined
/// bits. An access that would be denied has no effect on shadows.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
pub unsafe fn shadow(ctx: &mut Context<'_, '_>, step: &Request) {
    let op = &step.op;
    // SAFETY: the wave is live; the memory is checked first.
    unsafe {
        let place = match op.space {
            Space::ScalarBuffer { .. } => place_in_buffer(ctx, step),
            _ => place(ctx, step),
        };
        let dwords = (op.access.bytes() as usize / 4).min(MAX);
        let count = dwords.min(place.in_range);
        let span = Span {
            first: place.address,
            last: place.address,
            bytes: 4 * count as u32,
            stores: op.kind != MemKind::Load,
        };
        if count != 0 && ctx.memory.check_scalar(step.pc, step.cache, span).is_err() {
            return;
        }
        let (mut seen, mut dword) = (0, false);
        for n in 0..dwords {
            let at = shadow::at(place.address + 4 * n as u64);
            let before = if n < count { global::load32(at) } else { 0 };
            let data = if op.data.is_empty() {
                0
            } else {
                data(ctx, step, n)
            };
            let undefined = match op.kind {
                MemKind::Load => before,
                _ => data,
            };
            seen |= undefined;
            dword |= undefined == u32::MAX;
            match op.kind {
                MemKind::Store if n < count => global::store32(at, data),
                MemKind::Atomic(_) if n < count => global::store32(at, before | data),
                _ => {}
            }
            let to = (first(op.ret) & (FILE - 1)) + n;
            if op.ret.is_some() && to < FILE {
                let file = &raw mut (*ctx.uniform).shadow;
                file.cast::<u32>().add(to).write(before);
            }
        }
        if seen != 0 {
            let end = place.address + u64::from(span.bytes);
            ctx.memory.seen.borrow_mut().add(Undefined {
                pc: step.pc,
                kind: op.kind,
                lanes: 0,
                memory: MemoryKind::Global,
                address: place.address,
                within: place.address..end,
                whole: false,
                dword,
                open: true,
            });
        }
    }
}

/// Writes a uniform register if it is in the file.
#[inline(always)]
unsafe fn set_register(ctx: &mut Context<'_, '_>, first: usize, n: usize, value: u32) {
    // SAFETY: the register is in the file of a live wave.
    unsafe {
        let file = &raw mut (*ctx.uniform).s;
        if first + n < FILE {
            file.cast::<u32>().add(first + n).write(value);
        }
    }
}

/// Returns the number of the first register of a span.
#[inline(always)]
fn first(reg: Option<DataReg>) -> usize {
    match reg {
        Some(DataReg::S(n)) => n.into(),
        _ => FILE,
    }
}

/// Performs an access. With `INSTRUMENTED` it is recorded.
unsafe fn access<const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    place: Place,
) -> Result<(), Denied> {
    let op = &step.op;
    let dwords = (op.access.bytes() as usize / 4).min(MAX);
    let count = dwords.min(place.in_range);
    let whole = count == dwords;
    // SAFETY: the wave is live; the memory is checked first.
    unsafe {
        if count != 0 {
            let span = Span {
                first: place.address,
                last: place.address,
                bytes: 4 * count as u32,
                stores: op.kind != MemKind::Load,
            };
            ctx.memory.check_scalar(step.pc, step.cache, span)?;
            // An atomic that is not all in range has no effect.
            if INSTRUMENTED && (whole || !matches!(op.kind, MemKind::Atomic(_))) {
                Recorder::new(ctx.memory, step).whole(span.first, span.bytes);
            }
        }
        let memory = global::at::<u8>(place.address);
        match op.kind {
            MemKind::Load => {
                let to = first(op.ret);
                if !whole || to + dwords > FILE {
                    load_in_part(ctx, to, dwords, (place.address, count));
                    return Ok(());
                }
                let file = (&raw mut (*ctx.uniform).s).cast::<u32>().add(to);
                match dwords {
                    1 => file.write(global::load32(place.address)),
                    _ => transfer(memory, file.cast(), place.address, dwords),
                }
            }
            MemKind::Store => match count {
                1 => global::store32(place.address, data(ctx, step, 0)),
                _ => store(ctx, &step.data[..count], place.address),
            },
            MemKind::Atomic(rmw) => {
                let before = if whole {
                    atomic(ctx, step, rmw, place.address, dwords)?
                } else {
                    0
                };
                if op.ret.is_some() {
                    for n in 0..dwords {
                        let value = (before >> (32 * n)) as u32;
                        set_register(ctx, first(op.ret), n, value);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Copies dwords between guest memory and the registers as [`copy_dwords`] does. An aligned access of 2, 4 or 8 dwords takes the
/// fewest possible moves. The function is not inlined: single dwords are the most frequent.
///
/// # Safety
/// The contract of [`copy_dwords`].
#[inline(never)]
unsafe fn transfer(from: *const u8, to: *mut u8, guest: u64, dwords: usize) {
    let aligned = |by: u64| guest.is_multiple_of(by);
    // SAFETY: by the caller's promise.
    unsafe {
        match dwords {
            2 if aligned(8) => copy::<Baseline, u64>(from, to),
            4 if aligned(16) => copy::<Baseline, u128>(from, to),
            8 if aligned(16) => {
                copy::<Baseline, u128>(from, to);
                copy::<Baseline, u128>(from.add(16), to.add(16));
            }
            _ => copy_dwords::<Baseline>(from, to, guest, 4 * dwords),
        }
    }
}

/// Loads the dwords in range, and zeros for the others, into the registers that exist.
///
/// # Safety
/// The dwords at the address may be read, and the wave is live.
#[cold]
unsafe fn load_in_part(
    ctx: &mut Context<'_, '_>,
    to: usize,
    dwords: usize,
    (address, count): (u64, usize),
) {
    let mut values = [0; MAX];
    // SAFETY: by the caller's promise.
    unsafe {
        let file = values.as_mut_ptr().cast();
        copy_dwords::<Baseline>(global::at(address), file, address, 4 * count);
        for (n, value) in values.into_iter().enumerate().take(dwords) {
            set_register(ctx, to, n, value);
        }
    }
}

/// Stores the dwords at these offsets in the uniform state, which are adjacent unless an operand is not a register.
///
/// # Safety
/// As many dwords at the address may be written, and the wave is live.
#[inline(never)]
unsafe fn store(ctx: &Context<'_, '_>, offsets: &[u32], address: u64) {
    let memory = global::at(address);
    // SAFETY: by the caller's promise.
    unsafe {
        if let Some(first) = offsets.first()
            && offsets.windows(2).all(|pair| pair[1] == pair[0] + 4)
        {
            return transfer(ctx.u(*first), memory, address, offsets.len());
        }
        let mut values = [0; MAX];
        for (value, offset) in values.iter_mut().zip(offsets) {
            *value = ctx.u::<u32>(*offset).read();
        }
        let from = values.as_ptr().cast();
        copy_dwords::<Baseline>(from, memory, address, 4 * offsets.len());
    }
}

/// Dword `n` of the data.
///
/// # Safety
/// The context is that of a live wave, and the request was made for it.
#[inline(always)]
unsafe fn data(ctx: &Context<'_, '_>, step: &Request, n: usize) -> u32 {
    // SAFETY: the offset is in the uniform state.
    unsafe { ctx.u::<u32>(step.data[n]).read() }
}

/// Changes one dword or two; the comparand follows the new value.
unsafe fn atomic(
    ctx: &Context<'_, '_>,
    step: &Request,
    rmw: Rmw,
    address: u64,
    dwords: usize,
) -> Result<u64, Denied> {
    let bytes = 4 * dwords as u32;
    if !address.is_multiple_of(bytes.into()) {
        return Err(Denied {
            lane: None,
            address,
            bytes,
            reason: MemoryFaultReason::Misaligned { align: bytes },
        });
    }
    // A single operand is used twice.
    let second = if step.op.data.len() > dwords {
        dwords
    } else {
        0
    };
    // SAFETY: the caller has checked the memory.
    unsafe {
        let word = |n| data(ctx, step, n);
        if dwords == 1 {
            return Ok(atomic::shared32(address, rmw, word(0), word(second)).into());
        }
        let pair = |n| u64::from(word(n)) | u64::from(word(n + 1)) << 32;
        Ok(atomic::shared64(address, rmw, pair(0), pair(second)))
    }
}
