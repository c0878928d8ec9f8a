//! Taps: which memory accesses touch, for those who watch a wave.
//!
//! Whether a program has taps is decided when it is built, and by the type of its steps: a tapped operation is another
//! [`Operation`], and what goes lane by lane is compiled with and without. Where nobody watches, nothing is asked.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::MemKind;

use crate::access::{Context, Request};
use crate::global::ALIAS;
use crate::lanes::each;
use crate::operation::Operation;
use crate::places::{PRIVATE_STEP, Places};
use crate::touch::{Touch, Touched};
use crate::unit::MemoryUnit;

impl MemoryUnit<'_> {
    /// What tapped programs have touched since the last call, in the order in which lanes and instructions did. Bytes that a
    /// space leaves out, since they are out of range, are not among it; of an access that was denied nothing is, but the texels
    /// that an image had given before.
    pub fn take_touches(&mut self) -> Vec<Touch> {
        self.touches.take()
    }
}

/// Notes what one access touches.
#[derive(Clone, Copy)]
pub(crate) struct Tap {
    log: *const RefCell<Vec<Touch>>,
    pc: u64,
    kind: MemKind,
    /// Where the LDS, the global data share and the scratch of the wave begin, and how long they are.
    lds: (u64, u64),
    gds: (u64, u64),
    scratch: (u64, u64),
}

impl Tap {
    /// The tap of an access. It may be used as long as its memory unit is there.
    pub fn new(unit: &MemoryUnit<'_>, step: &Request) -> Tap {
        Tap {
            log: Rc::as_ptr(&unit.touches),
            pc: step.pc,
            kind: step.op.kind,
            lds: unit.lds.extent(),
            gds: unit.gds().extent(),
            scratch: unit.scratch.extent(),
        }
    }

    /// Notes what lanes access: `bytes` bytes each.
    pub fn lanes(self, places: &impl Places, mask: u64, bytes: u32) {
        let part = bytes.min(4);
        // SAFETY: the unit holds the log, and is there as `new` demands.
        let mut log = unsafe { &*self.log }.borrow_mut();
        log.reserve(mask.count_ones() as usize);
        each(mask, |lane| {
            let mut open: Option<Touch> = None;
            for n in 0..bytes.div_ceil(4) as usize {
                let Some(address) = places.part(lane, n, part) else {
                    continue;
                };
                let next = self.touch(Some(lane as u8), address, part);
                match &mut open {
                    Some(touch) if touch.is_before(&next) => touch.bytes += part,
                    _ => log.extend(open.replace(next)),
                }
            }
            log.extend(open);
        });
    }

    /// Notes that a lane, or the wave as a whole, accesses bytes.
    pub fn one(self, lane: Option<u8>, address: u64, bytes: u32) {
        let touch = self.touch(lane, address, bytes);
        // SAFETY: the unit holds the log, and is there as `new` demands.
        unsafe { &*self.log }.borrow_mut().push(touch);
    }

    fn touch(self, lane: Option<u8>, address: u64, bytes: u32) -> Touch {
        let (memory, address) = self.locate(lane, address & !ALIAS);
        Touch {
            pc: self.pc,
            kind: self.kind,
            lane,
            memory,
            address,
            bytes,
        }
    }

    /// The memory that a host address is in, and where in it.
    fn locate(self, lane: Option<u8>, address: u64) -> (Touched, u64) {
        let within = |(start, bytes): (u64, u64)| {
            let offset = address.wrapping_sub(start);
            (offset < bytes).then_some(offset)
        };
        if let Some(offset) = within(self.lds) {
            return (Touched::Lds, offset);
        }
        if let Some(offset) = within(self.gds) {
            return (Touched::Gds, offset);
        }
        match (within(self.scratch), lane) {
            // Dword d of lane l is at d * 256 + l * 4.
            (Some(at), Some(lane)) if at % PRIVATE_STEP / 4 == lane.into() => {
                (Touched::Scratch, at / PRIVATE_STEP * 4 + at % 4)
            }
            _ => (Touched::Global, address),
        }
    }
}

/// An operation that notes what it touches.
#[derive(Clone, Copy)]
pub struct Tapped<O> {
    op: O,
    tap: Tap,
}

impl<O: Operation> Operation for Tapped<O> {
    const STORES: bool = O::STORES;
    const ATOMIC: bool = O::ATOMIC;
    type Rows = O::Rows;

    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Tapped {
            // SAFETY: by the caller's promise.
            op: unsafe { O::new(ctx, step) },
            tap: Tap::new(ctx.memory, step),
        }
    }

    fn bytes(self) -> u32 {
        self.op.bytes()
    }

    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        self.tap.lanes(places, mask, self.op.bytes());
        // SAFETY: by the caller's promise.
        unsafe { self.op.run(places, mask) }
    }
}
