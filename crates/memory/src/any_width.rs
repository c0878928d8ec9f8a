//! Loads and stores whose width is known only at run time.
//!
//! An operation is compiled for each space and each SIMD level. Recorded accesses, accesses to shadows and those of a level that
//! few processors need are not as fast as the others: with these types, three operations are compiled for them instead of eleven,
//! and the moves of all widths are called rather than inlined into each space.

use wavetank_ir::Access;

use crate::access::{Context, Request};
use crate::lane_moves::LaneMoves;
use crate::operation::{Load, LoadPart, Operation, Store, StorePart};
use crate::places::Places;

/// A load of any width.
#[derive(Clone, Copy)]
pub enum AnyLoad<R> {
    /// A load of one dword in each lane.
    One(Load<1, R>),
    /// A load of two adjacent dwords in each lane.
    Two(Load<2, R>),
    /// A load of three adjacent dwords in each lane.
    Three(Load<3, R>),
    /// A load of four adjacent dwords in each lane.
    Four(Load<4, R>),
    /// A load of one or two bytes in each lane.
    Part(LoadPart<R>),
}

/// A store of any width.
#[derive(Clone, Copy)]
pub enum AnyStore<R> {
    /// A store of one dword in each lane.
    One(Store<1, R>),
    /// A store of two adjacent dwords in each lane.
    Two(Store<2, R>),
    /// A store of three adjacent dwords in each lane.
    Three(Store<3, R>),
    /// A store of four adjacent dwords in each lane.
    Four(Store<4, R>),
    /// A store of one or two bytes in each lane.
    Part(StorePart<R>),
}

macro_rules! any_width {
    ($any:ident, $dwords:ident, $part:ident, $stores:literal) => {
        impl<R: LaneMoves> Operation for $any<R> {
            const STORES: bool = $stores;
            type Moves = R;

            #[inline(always)]
            unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
                // SAFETY: by the caller's promise.
                unsafe {
                    match step.op.access {
                        Access::Dwords(1) => $any::One($dwords::new(ctx, step)),
                        Access::Dwords(2) => $any::Two($dwords::new(ctx, step)),
                        Access::Dwords(3) => $any::Three($dwords::new(ctx, step)),
                        Access::Dwords(_) => $any::Four($dwords::new(ctx, step)),
                        _ => $any::Part($part::new(ctx, step)),
                    }
                }
            }

            #[inline(always)]
            fn bytes(self) -> u32 {
                match self {
                    $any::One(op) => op.bytes(),
                    $any::Two(op) => op.bytes(),
                    $any::Three(op) => op.bytes(),
                    $any::Four(op) => op.bytes(),
                    $any::Part(op) => op.bytes(),
                }
            }

            /// Not inlined: one function for each kind of places serves all spaces.
            #[inline(never)]
            unsafe fn run<P: Places>(self, places: &P, mask: u64) {
                // SAFETY: by the caller's promise.
                unsafe {
                    match self {
                        $any::One(op) => op.run(places, mask),
                        $any::Two(op) => op.run(places, mask),
                        $any::Three(op) => op.run(places, mask),
                        $any::Four(op) => op.run(places, mask),
                        $any::Part(op) => op.run(places, mask),
                    }
                }
            }
        }
    };
}

any_width!(AnyLoad, Load, LoadPart, false);
any_width!(AnyStore, Store, StorePart, true);
