//! Buffer instructions (Vega ISA, 8.1 "Vector memory buffer instructions", 12.14 MUBUF and 12.15 MTBUF).

use wavetank_gcn::tables::{Mtbuf, Mubuf};
use wavetank_gcn::{Field, Flags};
use wavetank_ir::{Access, Counter, Elements, Half, Rmw, Space};

use super::{Site, lds_dma};
use crate::block::{Flow, Lift};

/// Lifts a MUBUF instruction.
pub(crate) fn mubuf(l: &Lift, op: Mubuf) -> Flow {
    use Access::*;
    use Half::*;
    use Mubuf::*;
    if l.inst.has(Flags::LDS) {
        return to_lds(l, op);
    }
    let width = l.dwords(Field::Vdata);
    let at = || site(l, Elements::Plain);
    match op {
        BUFFER_LOAD_UBYTE => at().load(U8, Whole),
        BUFFER_LOAD_SBYTE => at().load(I8, Whole),
        BUFFER_LOAD_USHORT => at().load(U16, Whole),
        BUFFER_LOAD_SSHORT => at().load(I16, Whole),
        BUFFER_LOAD_UBYTE_D16 => at().load(U8, Low),
        BUFFER_LOAD_UBYTE_D16_HI => at().load(U8, High),
        BUFFER_LOAD_SBYTE_D16 => at().load(I8, Low),
        BUFFER_LOAD_SBYTE_D16_HI => at().load(I8, High),
        BUFFER_LOAD_SHORT_D16 => at().load(U16, Low),
        BUFFER_LOAD_SHORT_D16_HI => at().load(U16, High),
        BUFFER_LOAD_DWORD | BUFFER_LOAD_DWORDX2 | BUFFER_LOAD_DWORDX3 | BUFFER_LOAD_DWORDX4 => {
            at().load(Dwords(width), Whole)
        }
        BUFFER_LOAD_FORMAT_X
        | BUFFER_LOAD_FORMAT_XY
        | BUFFER_LOAD_FORMAT_XYZ
        | BUFFER_LOAD_FORMAT_XYZW => formatted(l, |s| s.load(Dwords(width), Whole)),

        BUFFER_STORE_BYTE => at().store(U8, Whole),
        BUFFER_STORE_BYTE_D16_HI => at().store(U8, High),
        BUFFER_STORE_SHORT => at().store(U16, Whole),
        BUFFER_STORE_SHORT_D16_HI => at().store(U16, High),
        BUFFER_STORE_DWORD | BUFFER_STORE_DWORDX2 | BUFFER_STORE_DWORDX3 | BUFFER_STORE_DWORDX4 => {
            at().store(Dwords(width), Whole)
        }
        BUFFER_STORE_FORMAT_X
        | BUFFER_STORE_FORMAT_XY
        | BUFFER_STORE_FORMAT_XYZ
        | BUFFER_STORE_FORMAT_XYZW => formatted(l, |s| s.store(Dwords(width), Whole)),

        BUFFER_ATOMIC_SWAP | BUFFER_ATOMIC_SWAP_X2 => at().atomic(Rmw::Swap, width),
        BUFFER_ATOMIC_ADD | BUFFER_ATOMIC_ADD_X2 => at().atomic(Rmw::Add, width),
        BUFFER_ATOMIC_SUB | BUFFER_ATOMIC_SUB_X2 => at().atomic(Rmw::Sub, width),
        BUFFER_ATOMIC_RSUB | BUFFER_ATOMIC_RSUB_X2 => at().atomic(Rmw::RevSub, width),
        BUFFER_ATOMIC_SMIN | BUFFER_ATOMIC_SMIN_X2 => at().atomic(Rmw::MinS, width),
        BUFFER_ATOMIC_UMIN | BUFFER_ATOMIC_UMIN_X2 => at().atomic(Rmw::MinU, width),
        BUFFER_ATOMIC_SMAX | BUFFER_ATOMIC_SMAX_X2 => at().atomic(Rmw::MaxS, width),
        BUFFER_ATOMIC_UMAX | BUFFER_ATOMIC_UMAX_X2 => at().atomic(Rmw::MaxU, width),
        BUFFER_ATOMIC_AND | BUFFER_ATOMIC_AND_X2 => at().atomic(Rmw::And, width),
        BUFFER_ATOMIC_OR | BUFFER_ATOMIC_OR_X2 => at().atomic(Rmw::Or, width),
        BUFFER_ATOMIC_XOR | BUFFER_ATOMIC_XOR_X2 => at().atomic(Rmw::Xor, width),
        BUFFER_ATOMIC_INC | BUFFER_ATOMIC_INC_X2 => at().atomic(Rmw::Inc, width),
        BUFFER_ATOMIC_DEC | BUFFER_ATOMIC_DEC_X2 => at().atomic(Rmw::Dec, width),
        BUFFER_ATOMIC_FMIN | BUFFER_ATOMIC_FMIN_X2 => at().atomic(Rmw::FMin, width),
        BUFFER_ATOMIC_FMAX | BUFFER_ATOMIC_FMAX_X2 => at().atomic(Rmw::FMax, width),
        // The data registers hold src, then cmp.
        BUFFER_ATOMIC_CMPSWAP | BUFFER_ATOMIC_CMPSWAP_X2 => at().atomic(Rmw::CmpSwap, width / 2),
        BUFFER_ATOMIC_FCMPSWAP | BUFFER_ATOMIC_FCMPSWAP_X2 => at().atomic(Rmw::FCmpSwap, width / 2),

        // No effect by design: there is no vector L1 cache, so nothing can be stale.
        BUFFER_WBINVL1 | BUFFER_WBINVL1_VOL | BUFFER_WBINVL1_SC => Flow::Next,
        BUFFER_WBL2 | BUFFER_INVL2 | BUFFER_INV => Flow::Next,

        BUFFER_ATOMIC_ADD_F32 => at().atomic(sum_in_memory(l), width),
        BUFFER_ATOMIC_ADD_F64 => at().atomic(Rmw::FAdd, width),
        BUFFER_ATOMIC_MIN_F64 => at().atomic(Rmw::FMin, width),
        BUFFER_ATOMIC_MAX_F64 => at().atomic(Rmw::FMax, width),
        BUFFER_ATOMIC_PK_ADD_F16 => at().atomic(Rmw::PkFAdd, width),
        BUFFER_ATOMIC_PK_ADD_BF16 => at().atomic(Rmw::PkBfAdd, width),

        BUFFER_LOAD_FORMAT_D16_X => formatted(l, |s| s.load(Dwords(1), components(l))),
        BUFFER_LOAD_FORMAT_D16_XY => formatted(l, |s| s.load(Dwords(2), components(l))),
        BUFFER_LOAD_FORMAT_D16_XYZ => formatted(l, |s| s.load(Dwords(3), components(l))),
        BUFFER_LOAD_FORMAT_D16_XYZW => formatted(l, |s| s.load(Dwords(4), components(l))),
        BUFFER_LOAD_FORMAT_D16_HI_X => formatted(l, |s| s.load(Dwords(1), High)),
        BUFFER_STORE_FORMAT_D16_X => formatted(l, |s| s.store(Dwords(1), components(l))),
        BUFFER_STORE_FORMAT_D16_XY => formatted(l, |s| s.store(Dwords(2), components(l))),
        BUFFER_STORE_FORMAT_D16_XYZ => formatted(l, |s| s.store(Dwords(3), components(l))),
        BUFFER_STORE_FORMAT_D16_XYZW => formatted(l, |s| s.store(Dwords(4), components(l))),
        BUFFER_STORE_FORMAT_D16_HI_X => formatted(l, |s| s.store(Dwords(1), High)),

        BUFFER_STORE_LDS_DWORD => lds_dma::store(l, at()),
    }
}

/// Lifts an MTBUF instruction, which contains its format.
pub(crate) fn mtbuf(l: &Lift, op: Mtbuf) -> Flow {
    use Access::Dwords;
    use Half::Whole;
    use Mtbuf::*;
    let elements = Elements::Typed(l.inst.mods.dfmt, l.inst.mods.nfmt);
    let at = || site(l, elements);
    match op {
        TBUFFER_LOAD_FORMAT_X => at().load(Dwords(1), Whole),
        TBUFFER_LOAD_FORMAT_XY => at().load(Dwords(2), Whole),
        TBUFFER_LOAD_FORMAT_XYZ => at().load(Dwords(3), Whole),
        TBUFFER_LOAD_FORMAT_XYZW => at().load(Dwords(4), Whole),
        TBUFFER_STORE_FORMAT_X => at().store(Dwords(1), Whole),
        TBUFFER_STORE_FORMAT_XY => at().store(Dwords(2), Whole),
        TBUFFER_STORE_FORMAT_XYZ => at().store(Dwords(3), Whole),
        TBUFFER_STORE_FORMAT_XYZW => at().store(Dwords(4), Whole),
        TBUFFER_LOAD_FORMAT_D16_X => at().load(Dwords(1), components(l)),
        TBUFFER_LOAD_FORMAT_D16_XY => at().load(Dwords(2), components(l)),
        TBUFFER_LOAD_FORMAT_D16_XYZ => at().load(Dwords(3), components(l)),
        TBUFFER_LOAD_FORMAT_D16_XYZW => at().load(Dwords(4), components(l)),
        TBUFFER_STORE_FORMAT_D16_X => at().store(Dwords(1), components(l)),
        TBUFFER_STORE_FORMAT_D16_XY => at().store(Dwords(2), components(l)),
        TBUFFER_STORE_FORMAT_D16_XYZ => at().store(Dwords(3), components(l)),
        TBUFFER_STORE_FORMAT_D16_XYZW => at().store(Dwords(4), components(l)),
    }
}

/// A load to LDS, which only some instructions can be.
fn to_lds(l: &Lift, op: Mubuf) -> Flow {
    use Mubuf::*;
    let at = || site(l, Elements::Plain);
    match op {
        BUFFER_LOAD_UBYTE => lds_dma::load(l, at(), Access::U8),
        BUFFER_LOAD_SBYTE => lds_dma::load(l, at(), Access::I8),
        BUFFER_LOAD_USHORT => lds_dma::load(l, at(), Access::U16),
        BUFFER_LOAD_SSHORT => lds_dma::load(l, at(), Access::I16),
        BUFFER_LOAD_DWORD => lds_dma::load(l, at(), Access::Dwords(1)),
        BUFFER_LOAD_FORMAT_X => formatted(l, |site| lds_dma::load(l, site, Access::Dwords(1))),
        BUFFER_STORE_LDS_DWORD => lds_dma::store(l, at()),
        _ => Flow::unsupported(l.inst, "its data cannot go to LDS"),
    }
}

/// The sum of floats in memory, which flushes denormals on some chips.
pub(super) fn sum_in_memory(l: &Lift) -> Rmw {
    if l.rules().sums_in_memory_flush {
        Rmw::FAddFtz
    } else {
        Rmw::FAdd
    }
}

/// The arrangement of 16-bit components in registers.
pub(super) fn components(l: &Lift) -> Half {
    if l.rules().halves_packed {
        Half::Low
    } else {
        Half::Each
    }
}

/// An access with conversion by the format of the descriptor.
fn formatted<'l, 'a>(l: &'l Lift<'a>, access: impl FnOnce(Site<'l, 'a>) -> Flow) -> Flow {
    access(site(l, Elements::Resource))
}

/// The place of an access: a buffer, or with ADDR64 and without a format global memory.
fn site<'l, 'a>(l: &'l Lift<'a>, elements: Elements) -> Site<'l, 'a> {
    Site {
        l,
        space: match elements {
            Elements::Plain if l.inst.has(Flags::ADDR64) => global(l),
            _ => buffer(l, elements),
        },
        offset: l.inst.mods.offset.into(),
        data: Field::Vdata,
        data2: None,
        ret: l.results(Field::Vdata),
        returns: l.inst.has(Flags::GLC),
        counter: Counter::Vm,
    }
}

/// ADDR64 of gfx6 and gfx7: the 48-bit base of the descriptor plus a 64-bit address from VADDR. The size is not checked:
/// compilers leave it 0.
fn global(l: &Lift) -> Space {
    let resource = l.sgpr_code(Field::Srsrc).unwrap_or(0);
    let base = l.sgpr64(resource) & 0xffff_ffff_ffff;
    let scalar = base + l.scalar(Field::Soffset).widen();
    Space::Global {
        address: (l.vector64(Field::Vaddr) + scalar).v,
        index: None,
    }
}

/// The descriptor, with the index and offset registers that IDXEN and OFFEN enable; with both, the index comes first. With
/// ADDR64, there is an address instead.
fn buffer(l: &Lift, format: Elements) -> Space {
    let (idxen, offen) = (l.inst.has(Flags::IDXEN), l.inst.has(Flags::OFFEN));
    let index = idxen.then(|| l.vector32(Field::Vaddr, 0).v);
    let offset = offen.then(|| l.vector32(Field::Vaddr, idxen.into()).v);
    Space::Buffer {
        resource: l.descriptor(Field::Srsrc),
        dialect: l.rules().buffer_dialect,
        address: l
            .inst
            .has(Flags::ADDR64)
            .then(|| l.vector64(Field::Vaddr).v),
        index,
        offset,
        soffset: l.scalar(Field::Soffset).v,
        format,
    }
}
