//! Accesses between memory and LDS that bypass the registers (Vega ISA, 8.1.7 "Memory Buffer Load to LDS").
//!
//! In these accesses, lane n uses dword M0[15:0] + OFFSET + 4 · n of LDS.

use wavetank_ir::{Access, Counter, Half, MemKind, MemOp, Reg, Space, Value};

use super::Site;
use crate::block::{Flow, Lift};
use crate::operand::hw;
use crate::value::{Cond, Int};

/// LDS = MEM, extended to a dword a lane. Lanes whose place is outside the LDS of the work-group have no effect (Vega ISA, 8.1
/// "Clamping Rules").
pub(super) fn load<'l, 'a>(l: &'l Lift<'a>, site: Site<'l, 'a>, access: Access) -> Flow {
    let place = place(l);
    let data = l.b.load(MemOp {
        ret: None,
        mask: Some(legal(l)),
        ..site.access(MemKind::Load, access, Half::Whole)
    });
    l.b.mem(MemOp {
        kind: MemKind::Store,
        data: vec![data],
        ..place
    });
    Flow::Next
}

/// MEM = LDS, a dword a lane.
pub(super) fn store<'l, 'a>(l: &'l Lift<'a>, site: Site<'l, 'a>) -> Flow {
    let data = l.b.load(place(l));
    l.b.mem(MemOp {
        data: vec![data],
        ..site.access(MemKind::Store, Access::Dwords(1), Half::Whole)
    });
    Flow::Next
}

/// The dword that each active lane reads at its LDS address.
pub(crate) fn read<'a>(l: &Lift<'a>, address: Int<'a>) -> Int<'a> {
    Int::i32(l.b, l.b.load(dword(address.v, 0, l.exec_mask())))
}

/// The dword at a uniform LDS address, whatever EXEC is.
pub(crate) fn read_uniform<'a>(l: &Lift<'a>, address: Int<'a>) -> Int<'a> {
    let all = l.b.mask(u64::MAX);
    let lanes = l.b.load(dword(address.v, 0, all));
    Int::i32(l.b, l.b.read_first_lane(lanes, all))
}

/// A load of the dword of each lane.
fn place(l: &Lift) -> MemOp {
    dword(address(l).v, offset(l), l.exec_mask())
}

/// The part of OFFSET that applies to LDS too.
fn offset(l: &Lift) -> i64 {
    if l.rules().offset_counts_in_lds {
        l.inst.mods.offset.into()
    } else {
        0
    }
}

/// The LDS address of each lane's dword, without OFFSET.
fn address<'a>(l: &Lift<'a>) -> Int<'a> {
    let lane = Int::i32(l.b, l.b.lane_id());
    (lane << 2) + (l.m0() & 0xffff)
}

/// The active lanes whose dword is in the allocated LDS: LDS_ALLOC has its size in 20:12, in units of 64 dwords.
fn legal(l: &Lift) -> Value {
    let allocated = Int::i32(l.b, l.b.read(Reg::Hw(hw::LDS_ALLOC)));
    let bytes = ((allocated >> 12) & 0x1ff) << 8;
    let last = address(l) + (offset(l) + 3) as u64;
    let exec = Cond::new(l.b, l.exec_mask());
    (last.lt_u(bytes) & exec).v
}

/// A load of a dword of LDS a lane.
fn dword(address: Value, offset: i64, mask: Value) -> MemOp {
    MemOp {
        kind: MemKind::Load,
        space: Space::Lds {
            address,
            limit: None,
        },
        offset,
        access: Access::Dwords(1),
        half: Half::Whole,
        data: vec![],
        ret: None,
        mask: Some(mask),
        glc: false,
        slc: false,
        shadow: false,
        counter: Counter::Lgkm,
    }
}
