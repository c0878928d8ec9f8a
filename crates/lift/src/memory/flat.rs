//! Flat memory instructions: FLAT, GLOBAL and SCRATCH (Vega ISA, 9 "Flat memory instructions" and 12.18 FLAT).

use wavetank_gcn::tables::Flat;
use wavetank_gcn::{Field, Flags, Form};
use wavetank_ir::{Access, Counter, Half, Rmw, Space};

use super::buffer::sum_in_memory;
use super::{Site, lds_dma};
use crate::block::{Flow, LATER, Lift};
use crate::value::Int;

/// Lifts a FLAT, GLOBAL or SCRATCH instruction.
pub(crate) fn flat(l: &Lift, op: Flat) -> Flow {
    use Access::*;
    use Flat::*;
    use Half::*;
    if l.inst.has(Flags::LDS) {
        return to_lds(l, op);
    }
    let at = site(l);
    let width = l.dwords(Field::Data0);
    match op {
        FLAT_LOAD_UBYTE => at.load(U8, Whole),
        FLAT_LOAD_SBYTE => at.load(I8, Whole),
        FLAT_LOAD_USHORT => at.load(U16, Whole),
        FLAT_LOAD_SSHORT => at.load(I16, Whole),
        FLAT_LOAD_UBYTE_D16 => at.load(U8, Low),
        FLAT_LOAD_UBYTE_D16_HI => at.load(U8, High),
        FLAT_LOAD_SBYTE_D16 => at.load(I8, Low),
        FLAT_LOAD_SBYTE_D16_HI => at.load(I8, High),
        FLAT_LOAD_SHORT_D16 => at.load(U16, Low),
        FLAT_LOAD_SHORT_D16_HI => at.load(U16, High),
        FLAT_LOAD_DWORD | FLAT_LOAD_DWORDX2 | FLAT_LOAD_DWORDX3 | FLAT_LOAD_DWORDX4 => {
            at.load(Dwords(l.dwords(Field::Vdst)), Whole)
        }

        FLAT_STORE_BYTE => at.store(U8, Whole),
        FLAT_STORE_BYTE_D16_HI => at.store(U8, High),
        FLAT_STORE_SHORT => at.store(U16, Whole),
        FLAT_STORE_SHORT_D16_HI => at.store(U16, High),
        FLAT_STORE_DWORD | FLAT_STORE_DWORDX2 | FLAT_STORE_DWORDX3 | FLAT_STORE_DWORDX4 => {
            at.store(Dwords(width), Whole)
        }

        FLAT_ATOMIC_SWAP | FLAT_ATOMIC_SWAP_X2 => at.atomic(Rmw::Swap, width),
        FLAT_ATOMIC_ADD | FLAT_ATOMIC_ADD_X2 => at.atomic(Rmw::Add, width),
        FLAT_ATOMIC_SUB | FLAT_ATOMIC_SUB_X2 => at.atomic(Rmw::Sub, width),
        FLAT_ATOMIC_SMIN | FLAT_ATOMIC_SMIN_X2 => at.atomic(Rmw::MinS, width),
        FLAT_ATOMIC_UMIN | FLAT_ATOMIC_UMIN_X2 => at.atomic(Rmw::MinU, width),
        FLAT_ATOMIC_SMAX | FLAT_ATOMIC_SMAX_X2 => at.atomic(Rmw::MaxS, width),
        FLAT_ATOMIC_UMAX | FLAT_ATOMIC_UMAX_X2 => at.atomic(Rmw::MaxU, width),
        FLAT_ATOMIC_AND | FLAT_ATOMIC_AND_X2 => at.atomic(Rmw::And, width),
        FLAT_ATOMIC_OR | FLAT_ATOMIC_OR_X2 => at.atomic(Rmw::Or, width),
        FLAT_ATOMIC_XOR | FLAT_ATOMIC_XOR_X2 => at.atomic(Rmw::Xor, width),
        FLAT_ATOMIC_INC | FLAT_ATOMIC_INC_X2 => at.atomic(Rmw::Inc, width),
        FLAT_ATOMIC_DEC | FLAT_ATOMIC_DEC_X2 => at.atomic(Rmw::Dec, width),
        FLAT_ATOMIC_FMIN | FLAT_ATOMIC_FMIN_X2 => at.atomic(Rmw::FMin, width),
        FLAT_ATOMIC_FMAX | FLAT_ATOMIC_FMAX_X2 => at.atomic(Rmw::FMax, width),
        FLAT_ATOMIC_ADD_F32 => at.atomic(sum_in_memory(l), width),
        FLAT_ATOMIC_ADD_F64 => at.atomic(Rmw::FAdd, width),
        FLAT_ATOMIC_MIN_F64 => at.atomic(Rmw::FMin, width),
        FLAT_ATOMIC_MAX_F64 => at.atomic(Rmw::FMax, width),
        FLAT_ATOMIC_PK_ADD_F16 => at.atomic(Rmw::PkFAdd, width),
        FLAT_ATOMIC_PK_ADD_BF16 => at.atomic(Rmw::PkBfAdd, width),
        // The data registers hold src, then cmp.
        FLAT_ATOMIC_CMPSWAP | FLAT_ATOMIC_CMPSWAP_X2 => at.atomic(Rmw::CmpSwap, width / 2),
        FLAT_ATOMIC_FCMPSWAP | FLAT_ATOMIC_FCMPSWAP_X2 => at.atomic(Rmw::FCmpSwap, width / 2),

        FLAT_LOAD_LDS_UBYTE | FLAT_LOAD_LDS_SBYTE | FLAT_LOAD_LDS_USHORT | FLAT_LOAD_LDS_SSHORT
        | FLAT_LOAD_LDS_DWORD => to_lds(l, op),
        // NotYet
        FLAT_LOAD_LDS_DWORDX3 | FLAT_LOAD_LDS_DWORDX4 => Flow::unsupported(l.inst, LATER),
    }
}

/// A load to LDS, which only some instructions can be.
fn to_lds(l: &Lift, op: Flat) -> Flow {
    use Flat::*;
    match op {
        FLAT_LOAD_UBYTE | FLAT_LOAD_LDS_UBYTE => lds_dma::load(l, site(l), Access::U8),
        FLAT_LOAD_SBYTE | FLAT_LOAD_LDS_SBYTE => lds_dma::load(l, site(l), Access::I8),
        FLAT_LOAD_USHORT | FLAT_LOAD_LDS_USHORT => lds_dma::load(l, site(l), Access::U16),
        FLAT_LOAD_SSHORT | FLAT_LOAD_LDS_SSHORT => lds_dma::load(l, site(l), Access::I16),
        FLAT_LOAD_DWORD | FLAT_LOAD_LDS_DWORD => lds_dma::load(l, site(l), Access::Dwords(1)),
        _ => Flow::unsupported(l.inst, "its data cannot go to LDS"),
    }
}

/// The place of an access, by segment. With SADDR, a GLOBAL address is the scalar base plus an unsigned 32-bit offset from VADDR,
/// and a SCRATCH offset is the sum of those of VADDR and SADDR that it has: one of them, up to CDNA 2.
fn site<'l, 'a>(l: &'l Lift<'a>) -> Site<'l, 'a> {
    let saddr = l.sgpr_code(Field::Saddr);
    let (space, counter) = match (l.inst.form, saddr) {
        (Form::Scratch, base) => {
            let vector = l.vgpr(Field::Vaddr).map(|_| l.vector32(Field::Vaddr, 0));
            let address = match (vector, base.map(|base| l.sgpr(base))) {
                (Some(vector), Some(scalar)) if l.rules().scratch_offsets_add => vector + scalar,
                (vector, scalar) => scalar.or(vector).unwrap_or(Int::const32(l.b, 0)),
            };
            (Space::Scratch { address: address.v }, Counter::Vm)
        }
        (Form::Global, None) => {
            let address = l.vector64(Field::Vaddr).v;
            let index = None;
            (Space::Global { address, index }, Counter::Vm)
        }
        (Form::Global, Some(base)) => {
            let address = l.sgpr64(base).v;
            let index = Some(l.vector32(Field::Vaddr, 0).v);
            (Space::Global { address, index }, Counter::Vm)
        }
        _ => {
            let address = l.vector64(Field::Vaddr).v;
            let limit = super::lds::flat_limit(l);
            (Space::Flat { address, limit }, Counter::Both)
        }
    };
    // The 13-bit offset is signed, but FLAT ignores its top bit.
    let offset = match l.inst.form {
        Form::Flat => l.inst.mods.offset & 0xfff,
        _ => l.inst.mods.offset,
    };
    Site {
        l,
        space,
        offset: offset.into(),
        data: Field::Data0,
        data2: None,
        ret: l.results(Field::Vdst),
        returns: l.inst.has(Flags::GLC),
        counter,
    }
}
