//! Formatted buffers: buffers whose elements are converted (Vega ISA, 8.1.3 "Buffer Data").

use wavetank_ir::MemKind;

use crate::access::{Context, Request};
use crate::convert::{self, Components, Found};
use crate::fault::Denied;
use crate::format::Format;
use crate::instrument::Recorder;
use crate::lane_moves::LaneMoves;
use crate::operation::Operation;
use crate::places::Far;
use crate::space::buffer::{Descriptor, Site};
use crate::space::swizzled::Bytes;

/// Performs a load or store with conversion, of `access` dwords as components. An element is in range as a whole or not at all.
///
/// # Errors
/// A lane whose access is denied; registers and memory are unchanged.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it, and the processor has the features of the level.
#[inline(always)]
pub unsafe fn access<R: LaneMoves, const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    let site = unsafe { Site::new(ctx, step) };
    let d = site.descriptor;
    let format = Format::new(d.data_format, d.num_format);
    let (mut address, valid) = site.lanes(1);
    let bytes = format.map_or(0, Format::bytes);
    let stores = step.op.kind != MemKind::Load;
    // A reserved format has the effect of an unbound buffer.
    let inside = match format {
        Some(_) => mask & valid[0] & site.whole(bytes),
        None => 0,
    };
    let mode = ctx.memory.alignment;
    site.align(mode, inside, bytes, &mut address)?;
    if site.is_apart(mode, inside, (bytes, false), &address) {
        let places = site.bytes([inside; 4]);
        site.check_bytes(ctx, step, inside, (bytes, stores), &places)?;
        if INSTRUMENTED {
            // SAFETY: the unit outlives the recorder, which is not kept.
            let recorder = unsafe { Recorder::new(ctx.memory, step) };
            recorder.lanes(&places, inside, bytes);
        }
        // SAFETY: the elements were checked.
        unsafe { convert::<R>(ctx, step, (mask, inside), (&d, format), &places) };
        return Ok(());
    }
    if inside != 0 {
        site.check(ctx, step, inside, (bytes, stores), &address)?;
        if INSTRUMENTED {
            // SAFETY: the unit outlives the recorder, which is not kept.
            let recorder = unsafe { Recorder::new(ctx.memory, step) };
            recorder.lanes(&Far(address), inside, bytes);
        }
    }
    // SAFETY: the elements were checked.
    unsafe { convert::<R>(ctx, step, (mask, inside), (&d, format), &address) };
    Ok(())
}

impl Found for Bytes {
    #[inline(always)]
    unsafe fn run<O: Operation>(&self, mask: u64, op: O) {
        // SAFETY: by the caller's promise.
        unsafe { op.run(self, mask) }
    }
}

/// Moves the elements of the lanes in range.
///
/// # Safety
/// The elements have been checked, and the wave is alive.
#[inline(always)]
unsafe fn convert<R: LaneMoves>(
    ctx: &Context<'_, '_>,
    step: &Request,
    (mask, inside): (u64, u64),
    (d, format): (&Descriptor, Option<Format>),
    found: &impl Found,
) {
    let bytes = format.map_or(0, Format::bytes);
    let stores = step.op.kind != MemKind::Load;
    let components = Components::new(ctx, step, format);
    // SAFETY: the registers are in the file; the elements were checked.
    unsafe {
        match format {
            Some(f) if stores => {
                let given = convert::unselect(d.select, &components.read());
                convert::put::<R>(bytes, inside, found, &f.pack_lanes(&given));
            }
            None if stores => {}
            _ => {
                let dwords = convert::fetch::<R>(bytes, inside, found);
                let found = match format {
                    Some(f) => f.unpack_lanes(&dwords),
                    None => convert::ZERO,
                };
                let one = format.map_or(0, Format::one);
                components.write::<R>(mask, &convert::select(d.select, &found, one));
            }
        }
    }
}
