//! Untyped buffers (Vega ISA, 8.1 "Vector memory buffer instructions" and
//! 12.14 MUBUF).

use wavetank_ir::{Access, Counter, Half, Rmw, Space};
use wavetank_isa::tables::Mubuf;
use wavetank_isa::{Field, flag};

use super::Site;
use crate::block::{Flow, Lift};

/// Lifts a MUBUF instruction.
pub(crate) fn mubuf(l: &Lift, op: Mubuf) -> Flow {
    use Access::*;
    use Half::*;
    use Mubuf::*;
    for (modifier, why) in [
        (flag::LDS, "loads into LDS are not executed yet"),
        (flag::TFE, "texture fail enable is not executed yet"),
        (flag::ADDR64, "64-bit buffer addresses are not executed yet"),
    ] {
        if l.inst.has(modifier) {
            return Flow::unsupported(l.inst, why);
        }
    }
    let width = l.dwords(Field::Vdata);
    let at = |format| site(l, format);
    match op {
        BUFFER_LOAD_UBYTE => at(false).load(U8, Whole),
        BUFFER_LOAD_SBYTE => at(false).load(I8, Whole),
        BUFFER_LOAD_USHORT => at(false).load(U16, Whole),
        BUFFER_LOAD_SSHORT => at(false).load(I16, Whole),
        BUFFER_LOAD_UBYTE_D16 => at(false).load(U8, Low),
        BUFFER_LOAD_UBYTE_D16_HI => at(false).load(U8, High),
        BUFFER_LOAD_SBYTE_D16 => at(false).load(I8, Low),
        BUFFER_LOAD_SBYTE_D16_HI => at(false).load(I8, High),
        BUFFER_LOAD_SHORT_D16 => at(false).load(U16, Low),
        BUFFER_LOAD_SHORT_D16_HI => at(false).load(U16, High),
        BUFFER_LOAD_DWORD | BUFFER_LOAD_DWORDX2 | BUFFER_LOAD_DWORDX3 | BUFFER_LOAD_DWORDX4 => {
            at(false).load(Dwords(width), Whole)
        }
        BUFFER_LOAD_FORMAT_X
        | BUFFER_LOAD_FORMAT_XY
        | BUFFER_LOAD_FORMAT_XYZ
        | BUFFER_LOAD_FORMAT_XYZW => at(true).load(Dwords(width), Whole),

        BUFFER_STORE_BYTE => at(false).store(U8, Whole),
        BUFFER_STORE_BYTE_D16_HI => at(false).store(U8, High),
        BUFFER_STORE_SHORT => at(false).store(U16, Whole),
        BUFFER_STORE_SHORT_D16_HI => at(false).store(U16, High),
        BUFFER_STORE_DWORD | BUFFER_STORE_DWORDX2 | BUFFER_STORE_DWORDX3 | BUFFER_STORE_DWORDX4 => {
            at(false).store(Dwords(width), Whole)
        }
        BUFFER_STORE_FORMAT_X
        | BUFFER_STORE_FORMAT_XY
        | BUFFER_STORE_FORMAT_XYZ
        | BUFFER_STORE_FORMAT_XYZW => at(true).store(Dwords(width), Whole),

        BUFFER_ATOMIC_SWAP | BUFFER_ATOMIC_SWAP_X2 => at(false).atomic(Rmw::Swap, width),
        BUFFER_ATOMIC_ADD | BUFFER_ATOMIC_ADD_X2 => at(false).atomic(Rmw::Add, width),
        BUFFER_ATOMIC_SUB | BUFFER_ATOMIC_SUB_X2 => at(false).atomic(Rmw::Sub, width),
        BUFFER_ATOMIC_RSUB | BUFFER_ATOMIC_RSUB_X2 => at(false).atomic(Rmw::RevSub, width),
        BUFFER_ATOMIC_SMIN | BUFFER_ATOMIC_SMIN_X2 => at(false).atomic(Rmw::MinS, width),
        BUFFER_ATOMIC_UMIN | BUFFER_ATOMIC_UMIN_X2 => at(false).atomic(Rmw::MinU, width),
        BUFFER_ATOMIC_SMAX | BUFFER_ATOMIC_SMAX_X2 => at(false).atomic(Rmw::MaxS, width),
        BUFFER_ATOMIC_UMAX | BUFFER_ATOMIC_UMAX_X2 => at(false).atomic(Rmw::MaxU, width),
        BUFFER_ATOMIC_AND | BUFFER_ATOMIC_AND_X2 => at(false).atomic(Rmw::And, width),
        BUFFER_ATOMIC_OR | BUFFER_ATOMIC_OR_X2 => at(false).atomic(Rmw::Or, width),
        BUFFER_ATOMIC_XOR | BUFFER_ATOMIC_XOR_X2 => at(false).atomic(Rmw::Xor, width),
        BUFFER_ATOMIC_INC | BUFFER_ATOMIC_INC_X2 => at(false).atomic(Rmw::Inc, width),
        BUFFER_ATOMIC_DEC | BUFFER_ATOMIC_DEC_X2 => at(false).atomic(Rmw::Dec, width),
        BUFFER_ATOMIC_FMIN | BUFFER_ATOMIC_FMIN_X2 => at(false).atomic(Rmw::FMin, width),
        BUFFER_ATOMIC_FMAX | BUFFER_ATOMIC_FMAX_X2 => at(false).atomic(Rmw::FMax, width),
        // The data registers hold src, then cmp.
        BUFFER_ATOMIC_CMPSWAP | BUFFER_ATOMIC_CMPSWAP_X2 => {
            at(false).atomic(Rmw::CmpSwap, width / 2)
        }
        BUFFER_ATOMIC_FCMPSWAP | BUFFER_ATOMIC_FCMPSWAP_X2 => {
            at(false).atomic(Rmw::FCmpSwap, width / 2)
        }

        // No effect by design: there is no vector L1 cache that could be stale.
        BUFFER_WBINVL1 | BUFFER_WBINVL1_VOL | BUFFER_WBINVL1_SC => Flow::Next,

        // NotYet
        BUFFER_LOAD_FORMAT_D16_X
        | BUFFER_LOAD_FORMAT_D16_XY
        | BUFFER_LOAD_FORMAT_D16_XYZ
        | BUFFER_LOAD_FORMAT_D16_XYZW
        | BUFFER_LOAD_FORMAT_D16_HI_X
        | BUFFER_STORE_FORMAT_D16_X
        | BUFFER_STORE_FORMAT_D16_XY
        | BUFFER_STORE_FORMAT_D16_XYZ
        | BUFFER_STORE_FORMAT_D16_XYZW
        | BUFFER_STORE_FORMAT_D16_HI_X => {
            Flow::unsupported(l.inst, "16-bit buffer formats are not executed yet")
        }
        BUFFER_STORE_LDS_DWORD => Flow::unsupported(l.inst, "stores from LDS are not executed yet"),
    }
}

/// The descriptor, and the index and offset registers that IDXEN and OFFEN
/// enable; with both, the index comes first.
fn site<'l, 'a>(l: &'l Lift<'a>, format: bool) -> Site<'l, 'a> {
    let (idxen, offen) = (l.inst.has(flag::IDXEN), l.inst.has(flag::OFFEN));
    let index = idxen.then(|| l.vector32(Field::Vaddr, 0).v);
    let offset = offen.then(|| l.vector32(Field::Vaddr, idxen.into()).v);
    let data = l.data(Field::Vdata);
    Site {
        l,
        space: Space::Buffer {
            resource: l.sgpr_code(Field::Srsrc).unwrap_or(0),
            index,
            offset,
            soffset: l.scalar(Field::Soffset).v,
            format,
        },
        offset: l.inst.mods.offset.into(),
        data,
        data2: None,
        ret: data,
        returns: l.inst.has(flag::GLC),
        counter: Counter::Vm,
    }
}
