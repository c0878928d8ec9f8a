//! Accesses between memory and LDS that go around the registers (Vega ISA,
//! 8.1.7 "Memory Buffer Load to LDS").
//!
//! For accesses of memory, lane n uses dword M0[15:0] + OFFSET + 4 · n of LDS. The data are borrowed a
//! register, whose own value is put back. Only the state of a store that faults
//! shows them there.

use wavetank_ir::{Access, Counter, DataReg, Half, MemKind, MemOp, Reg, Space, Value};

use super::Site;
use crate::block::{Flow, Lift};
use crate::value::Int;

/// The register that is borrowed.
const DATA: u16 = 0;

/// LDS = MEM, extended to a dword a lane.
pub(super) fn load<'l, 'a>(l: &'l Lift<'a>, site: Site<'l, 'a>, access: Access) -> Flow {
    borrow(l, |address| {
        let to_register = Site {
            ret: Some(DataReg::V(DATA)),
            ..site
        };
        to_register.load(access, Half::Whole);
        emit(l, address, MemKind::Store);
    })
}

/// MEM = LDS, a dword a lane.
pub(super) fn store<'l, 'a>(l: &'l Lift<'a>, site: Site<'l, 'a>) -> Flow {
    borrow(l, |address| {
        emit(l, address, MemKind::Load);
        let from_register = Site {
            data: Some(DataReg::V(DATA)),
            ..site
        };
        from_register.store(Access::Dwords(1), Half::Whole);
    })
}

/// The dword that each active lane reads at its LDS address plus `offset`.
pub(crate) fn read<'a>(l: &Lift<'a>, address: Int<'a>, offset: i64) -> Int<'a> {
    read_by(l, address, offset, l.exec_mask())
}

/// The dword at a uniform LDS address, whatever EXEC is.
pub(crate) fn read_uniform<'a>(l: &Lift<'a>, address: Int<'a>) -> Int<'a> {
    let all = l.b.mask(u64::MAX);
    let lanes = read_by(l, address, 0, all);
    Int::i32(l.b, l.b.read_first_lane(lanes.v, all))
}

fn read_by<'a>(l: &Lift<'a>, address: Int<'a>, offset: i64, mask: Value) -> Int<'a> {
    let own = l.b.read(Reg::V(DATA));
    emit_at(l, address.v, offset, MemKind::Load, mask);
    let data = l.b.read(Reg::V(DATA));
    l.b.write(Reg::V(DATA), own, Some(mask));
    Int::i32(l.b, data)
}

/// Does `f` at the LDS address of each lane and restores the borrowed register.
fn borrow(l: &Lift, f: impl FnOnce(Value)) -> Flow {
    let lane = Int::i32(l.b, l.b.lane_id());
    let address = (lane << 2) + (l.m0() & 0xffff);
    let own = l.b.read(Reg::V(DATA));
    f(address.v);
    l.b.write(Reg::V(DATA), own, Some(l.exec_mask()));
    Flow::Next
}

fn emit(l: &Lift, address: Value, kind: MemKind) {
    let offset = l.inst.mods.offset.into();
    emit_at(l, address, offset, kind, l.exec_mask());
}

fn emit_at(l: &Lift, address: Value, offset: i64, kind: MemKind, mask: Value) {
    let reg = Some(DataReg::V(DATA));
    let loads = kind == MemKind::Load;
    l.b.mem(MemOp {
        kind,
        space: Space::Lds { address },
        offset,
        access: Access::Dwords(1),
        half: Half::Whole,
        data: reg.filter(|_| !loads),
        data2: None,
        ret: reg.filter(|_| loads),
        mask: Some(mask),
        glc: false,
        slc: false,
        counter: Counter::Lgkm,
    });
}
