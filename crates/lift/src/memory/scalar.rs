//! Scalar memory instructions (Vega ISA, 7 "Scalar memory operations" and 12.6 SMEM).

use wavetank_gcn::tables::Smem;
use wavetank_gcn::{Field, Flags, Operand};
use wavetank_ir::{Access, Clock, Counter, DataReg, Half, MemKind, MemOp, Rmw, Space, Value};

use crate::block::{Flow, Lift};
use crate::operand::SGPRS;
use crate::value::Int;

/// Lifts an SMEM (or SMRD) instruction.
pub(crate) fn smem(l: &Lift, op: Smem) -> Flow {
    use Smem::*;
    match op {
        S_LOAD_DWORD | S_LOAD_DWORDX2 | S_LOAD_DWORDX4 | S_LOAD_DWORDX8 | S_LOAD_DWORDX16 => {
            access(l, MemKind::Load, direct(l))
        }
        S_STORE_DWORD | S_STORE_DWORDX2 | S_STORE_DWORDX4 => access(l, MemKind::Store, direct(l)),
        S_BUFFER_LOAD_DWORD
        | S_BUFFER_LOAD_DWORDX2
        | S_BUFFER_LOAD_DWORDX4
        | S_BUFFER_LOAD_DWORDX8
        | S_BUFFER_LOAD_DWORDX16 => access(l, MemKind::Load, buffer(l)),
        S_BUFFER_STORE_DWORD | S_BUFFER_STORE_DWORDX2 | S_BUFFER_STORE_DWORDX4 => {
            access(l, MemKind::Store, buffer(l))
        }
        S_SCRATCH_LOAD_DWORD | S_SCRATCH_LOAD_DWORDX2 | S_SCRATCH_LOAD_DWORDX4 => {
            access(l, MemKind::Load, scratch(l))
        }
        S_SCRATCH_STORE_DWORD | S_SCRATCH_STORE_DWORDX2 | S_SCRATCH_STORE_DWORDX4 => {
            access(l, MemKind::Store, scratch(l))
        }
        S_MEMTIME => clock(l, Clock::Cycles),
        S_MEMREALTIME => clock(l, Clock::RealTime),

        // No effect by design: there is no scalar cache, so nothing can be stale, and dirty lines may have been written back
        // before they are discarded.
        S_DCACHE_INV | S_DCACHE_WB | S_DCACHE_INV_VOL | S_DCACHE_WB_VOL | S_DCACHE_DISCARD
        | S_DCACHE_DISCARD_X2 | S_ATC_PROBE | S_ATC_PROBE_BUFFER => Flow::Next,

        S_ATOMIC_SWAP | S_ATOMIC_SWAP_X2 => access(l, MemKind::Atomic(Rmw::Swap), direct(l)),
        S_BUFFER_ATOMIC_SWAP | S_BUFFER_ATOMIC_SWAP_X2 => {
            access(l, MemKind::Atomic(Rmw::Swap), buffer(l))
        }
        S_ATOMIC_ADD | S_ATOMIC_ADD_X2 => access(l, MemKind::Atomic(Rmw::Add), direct(l)),
        S_BUFFER_ATOMIC_ADD | S_BUFFER_ATOMIC_ADD_X2 => {
            access(l, MemKind::Atomic(Rmw::Add), buffer(l))
        }
        S_ATOMIC_SUB | S_ATOMIC_SUB_X2 => access(l, MemKind::Atomic(Rmw::Sub), direct(l)),
        S_BUFFER_ATOMIC_SUB | S_BUFFER_ATOMIC_SUB_X2 => {
            access(l, MemKind::Atomic(Rmw::Sub), buffer(l))
        }
        S_ATOMIC_SMIN | S_ATOMIC_SMIN_X2 => access(l, MemKind::Atomic(Rmw::MinS), direct(l)),
        S_BUFFER_ATOMIC_SMIN | S_BUFFER_ATOMIC_SMIN_X2 => {
            access(l, MemKind::Atomic(Rmw::MinS), buffer(l))
        }
        S_ATOMIC_UMIN | S_ATOMIC_UMIN_X2 => access(l, MemKind::Atomic(Rmw::MinU), direct(l)),
        S_BUFFER_ATOMIC_UMIN | S_BUFFER_ATOMIC_UMIN_X2 => {
            access(l, MemKind::Atomic(Rmw::MinU), buffer(l))
        }
        S_ATOMIC_SMAX | S_ATOMIC_SMAX_X2 => access(l, MemKind::Atomic(Rmw::MaxS), direct(l)),
        S_BUFFER_ATOMIC_SMAX | S_BUFFER_ATOMIC_SMAX_X2 => {
            access(l, MemKind::Atomic(Rmw::MaxS), buffer(l))
        }
        S_ATOMIC_UMAX | S_ATOMIC_UMAX_X2 => access(l, MemKind::Atomic(Rmw::MaxU), direct(l)),
        S_BUFFER_ATOMIC_UMAX | S_BUFFER_ATOMIC_UMAX_X2 => {
            access(l, MemKind::Atomic(Rmw::MaxU), buffer(l))
        }
        S_ATOMIC_AND | S_ATOMIC_AND_X2 => access(l, MemKind::Atomic(Rmw::And), direct(l)),
        S_BUFFER_ATOMIC_AND | S_BUFFER_ATOMIC_AND_X2 => {
            access(l, MemKind::Atomic(Rmw::And), buffer(l))
        }
        S_ATOMIC_OR | S_ATOMIC_OR_X2 => access(l, MemKind::Atomic(Rmw::Or), direct(l)),
        S_BUFFER_ATOMIC_OR | S_BUFFER_ATOMIC_OR_X2 => {
            access(l, MemKind::Atomic(Rmw::Or), buffer(l))
        }
        S_ATOMIC_XOR | S_ATOMIC_XOR_X2 => access(l, MemKind::Atomic(Rmw::Xor), direct(l)),
        S_BUFFER_ATOMIC_XOR | S_BUFFER_ATOMIC_XOR_X2 => {
            access(l, MemKind::Atomic(Rmw::Xor), buffer(l))
        }
        S_ATOMIC_INC | S_ATOMIC_INC_X2 => access(l, MemKind::Atomic(Rmw::Inc), direct(l)),
        S_BUFFER_ATOMIC_INC | S_BUFFER_ATOMIC_INC_X2 => {
            access(l, MemKind::Atomic(Rmw::Inc), buffer(l))
        }
        S_ATOMIC_DEC | S_ATOMIC_DEC_X2 => access(l, MemKind::Atomic(Rmw::Dec), direct(l)),
        S_BUFFER_ATOMIC_DEC | S_BUFFER_ATOMIC_DEC_X2 => {
            access(l, MemKind::Atomic(Rmw::Dec), buffer(l))
        }
        S_ATOMIC_CMPSWAP | S_ATOMIC_CMPSWAP_X2 => {
            access(l, MemKind::Atomic(Rmw::CmpSwap), direct(l))
        }
        S_BUFFER_ATOMIC_CMPSWAP | S_BUFFER_ATOMIC_CMPSWAP_X2 => {
            access(l, MemKind::Atomic(Rmw::CmpSwap), buffer(l))
        }
    }
}

/// The immediate part of the offset in bytes, and the scalar register that is
/// added.
fn offset<'a>(l: &Lift<'a>) -> (i64, Option<Int<'a>>) {
    let unit = l.rules().scalar_offset_unit;
    let immediate = i64::from(l.inst.mods.offset) * unit;
    match l.inst.operand(Field::Soffset) {
        Operand::Sgpr(code) => (immediate, Some(l.sgpr(code))),
        Operand::Imm(units) => (i64::from(units) * unit, None),
        Operand::Literal(units) => (i64::from(units) * unit, None),
        _ => (immediate, None),
    }
}

/// A place at an SGPR pair plus offsets.
fn direct(l: &Lift) -> (Space, i64) {
    let (offset, index) = offset(l);
    let address = l.scalar(Field::Sbase).v;
    let index = index.map(|i| i.v);
    (Space::Scalar { address, index }, offset)
}

/// A place like that of a direct access, with the scalar offset in units of 64 bytes.
fn scratch(l: &Lift) -> (Space, i64) {
    let (offset, index) = offset(l);
    let base = l.scalar(Field::Sbase);
    let address: Value = match index {
        Some(index) => (base + (index.widen() << 6)).v,
        None => base.v,
    };
    let space = Space::Scalar {
        address,
        index: None,
    };
    (space, offset)
}

/// A place through a descriptor in four SGPRs, with an unsigned immediate: only accesses without a descriptor have a signed one
/// (Vega ISA, 13.2 SMEM).
fn buffer(l: &Lift) -> (Space, i64) {
    let (offset, index) = offset(l);
    let offset = if l.rules().signed_scalar_offset {
        offset & 0xf_ffff
    } else {
        offset
    };
    let resource = l.descriptor(Field::Sbase);
    let index = index.map(|i| i.v);
    (Space::ScalarBuffer { resource, index }, offset)
}

/// An access to memory with the scalar registers of the data operand. An access whose registers do not exist has no effect (Vega
/// ISA, 7.4).
///
/// An atomic returns the value before in its data registers if GLC is set; the data of a compare-and-swap are src, then cmp.
fn access(l: &Lift, kind: MemKind, (space, offset): (Space, i64)) -> Flow {
    let field = match kind {
        MemKind::Load => Field::Sdst,
        MemKind::Store | MemKind::Atomic(_) => Field::Sdata,
    };
    let span = l.dwords(field);
    let Some(first) = l.sgpr_code(field).filter(|&c| c + span <= SGPRS) else {
        return Flow::Next;
    };
    let glc = l.inst.has(Flags::GLC);
    let reg = Some(DataReg::S(first));
    let (read, ret, dwords) = match kind {
        MemKind::Load => (0, reg, span),
        MemKind::Store => (span, None, span),
        MemKind::Atomic(Rmw::CmpSwap) => (span, reg.filter(|_| glc), span / 2),
        MemKind::Atomic(_) => (span, reg.filter(|_| glc), span),
    };
    l.b.mem(MemOp {
        kind,
        space,
        offset,
        access: Access::Dwords(dwords),
        half: Half::Whole,
        data: l.scalars(first, read),
        ret,
        mask: None,
        glc,
        slc: false,
        shadow: false,
        counter: Counter::Lgkm,
    });
    Flow::Next
}

/// Reads a clock into D.
fn clock(l: &Lift, clock: Clock) -> Flow {
    l.write_scalar(Int::i64(l.b, l.b.clock(clock)));
    Flow::Next
}
