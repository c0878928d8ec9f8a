//! Data share instructions, local and global (Vega ISA, 11 "Data share operations" and 12.13 LDS & GDS).

use wavetank_gcn::tables::{Ds, Features};
use wavetank_gcn::{Field, Flags};
use wavetank_ir::{
    Access, Builder, Counter, DataReg, GlobalSync, Half, Reg, Rmw, Space, Terminator, Value,
};

use super::{MemKind, MemOp, Site};
use crate::block::{Flow, LATER, Lift, NAME_ONLY};
use crate::modes::HAS_TURN;
use crate::value::{Cond, Int};

/// Lifts a DS instruction.
pub(crate) fn ds(l: &Lift, op: Ds) -> Flow {
    use Access::*;
    use Ds::*;
    use Half::*;
    let width = l.dwords(Field::Data0);
    let read = l.dwords(Field::Vdst);
    let at = || site(l);
    match op {
        DS_READ_U8 => at().load(U8, Whole),
        DS_READ_I8 => at().load(I8, Whole),
        DS_READ_U16 => at().load(U16, Whole),
        DS_READ_I16 => at().load(I16, Whole),
        DS_READ_U8_D16 => at().load(U8, Low),
        DS_READ_U8_D16_HI => at().load(U8, High),
        DS_READ_I8_D16 => at().load(I8, Low),
        DS_READ_I8_D16_HI => at().load(I8, High),
        DS_READ_U16_D16 => at().load(U16, Low),
        DS_READ_U16_D16_HI => at().load(U16, High),
        DS_READ_B32 | DS_READ_B64 | DS_READ_B96 | DS_READ_B128 => at().load(Dwords(read), Whole),
        DS_READ2_B32 | DS_READ2_B64 => both(l, MemKind::Load, read / 2, 1),
        DS_READ2ST64_B32 | DS_READ2ST64_B64 => both(l, MemKind::Load, read / 2, 64),

        DS_WRITE_B8 => at().store(U8, Whole),
        DS_WRITE_B8_D16_HI => at().store(U8, High),
        DS_WRITE_B16 => at().store(U16, Whole),
        DS_WRITE_B16_D16_HI => at().store(U16, High),
        DS_WRITE_B32 | DS_WRITE_B64 | DS_WRITE_B96 | DS_WRITE_B128 => {
            at().store(Dwords(width), Whole)
        }
        DS_WRITE2_B32 | DS_WRITE2_B64 => both(l, MemKind::Store, width, 1),
        DS_WRITE2ST64_B32 | DS_WRITE2ST64_B64 => both(l, MemKind::Store, width, 64),

        DS_ADD_U32 | DS_ADD_RTN_U32 | DS_ADD_U64 | DS_ADD_RTN_U64 => at().atomic(Rmw::Add, width),
        DS_SUB_U32 | DS_SUB_RTN_U32 | DS_SUB_U64 | DS_SUB_RTN_U64 => at().atomic(Rmw::Sub, width),
        DS_RSUB_U32 | DS_RSUB_RTN_U32 | DS_RSUB_U64 | DS_RSUB_RTN_U64 => {
            at().atomic(Rmw::RevSub, width)
        }
        DS_INC_U32 | DS_INC_RTN_U32 | DS_INC_U64 | DS_INC_RTN_U64 => at().atomic(Rmw::Inc, width),
        DS_DEC_U32 | DS_DEC_RTN_U32 | DS_DEC_U64 | DS_DEC_RTN_U64 => at().atomic(Rmw::Dec, width),
        DS_MIN_I32 | DS_MIN_RTN_I32 | DS_MIN_I64 | DS_MIN_RTN_I64 => at().atomic(Rmw::MinS, width),
        DS_MAX_I32 | DS_MAX_RTN_I32 | DS_MAX_I64 | DS_MAX_RTN_I64 => at().atomic(Rmw::MaxS, width),
        DS_MIN_U32 | DS_MIN_RTN_U32 | DS_MIN_U64 | DS_MIN_RTN_U64 => at().atomic(Rmw::MinU, width),
        DS_MAX_U32 | DS_MAX_RTN_U32 | DS_MAX_U64 | DS_MAX_RTN_U64 => at().atomic(Rmw::MaxU, width),
        DS_AND_B32 | DS_AND_RTN_B32 | DS_AND_B64 | DS_AND_RTN_B64 => at().atomic(Rmw::And, width),
        DS_OR_B32 | DS_OR_RTN_B32 | DS_OR_B64 | DS_OR_RTN_B64 => at().atomic(Rmw::Or, width),
        DS_XOR_B32 | DS_XOR_RTN_B32 | DS_XOR_B64 | DS_XOR_RTN_B64 => at().atomic(Rmw::Xor, width),
        DS_ADD_F32 | DS_ADD_RTN_F32 => at().atomic(Rmw::FAdd, width),
        DS_MIN_F32 | DS_MIN_RTN_F32 | DS_MIN_F64 | DS_MIN_RTN_F64 => at().atomic(Rmw::FMin, width),
        DS_MAX_F32 | DS_MAX_RTN_F32 | DS_MAX_F64 | DS_MAX_RTN_F64 => at().atomic(Rmw::FMax, width),
        DS_ADD_F64 | DS_ADD_RTN_F64 => at().atomic(Rmw::FAdd, width),
        DS_PK_ADD_F16 | DS_PK_ADD_RTN_F16 => at().atomic(Rmw::PkFAdd, width),
        DS_PK_ADD_BF16 | DS_PK_ADD_RTN_BF16 => at().atomic(Rmw::PkBfAdd, width),
        DS_WRXCHG_RTN_B32 | DS_WRXCHG_RTN_B64 => at().atomic(Rmw::Swap, width),
        DS_WRXCHG2_RTN_B32 | DS_WRXCHG2_RTN_B64 => both(l, MemKind::Atomic(Rmw::Swap), width, 1),
        DS_WRXCHG2ST64_RTN_B32 | DS_WRXCHG2ST64_RTN_B64 => {
            both(l, MemKind::Atomic(Rmw::Swap), width, 64)
        }
        // DATA0 is the mask, DATA1 the new bits.
        DS_MSKOR_B32 | DS_MSKOR_RTN_B32 | DS_MSKOR_B64 | DS_MSKOR_RTN_B64 => {
            at().atomic(Rmw::MaskOr, width)
        }
        DS_WRAP_RTN_B32 => at().atomic(Rmw::Wrap, width),
        DS_CONDXCHG32_RTN_B64 => at().atomic(Rmw::CondXchg, width),
        // DATA0 is the comparand and DATA1 the source, unlike in other memory.
        DS_CMPST_B32 | DS_CMPST_RTN_B32 | DS_CMPST_B64 | DS_CMPST_RTN_B64 => {
            source_first(at()).atomic(Rmw::CmpSwap, width)
        }
        DS_CMPST_F32 | DS_CMPST_RTN_F32 | DS_CMPST_F64 | DS_CMPST_RTN_F64 => {
            source_first(at()).atomic(Rmw::FCmpSwap, width)
        }

        _ if l.inst.has(Flags::GDS) && !works_on_gds(op) => {
            Flow::unsupported(l.inst, "it works on LDS only")
        }
        DS_READ_ADDTID_B32 => by_lane(l).load(Dwords(1), Whole),
        DS_WRITE_ADDTID_B32 => by_lane(l).store(Dwords(1), Whole),
        DS_APPEND => append(l, Rmw::Add),
        DS_CONSUME => append(l, Rmw::Sub),
        DS_SWIZZLE_B32 => swizzle(l),
        DS_PERMUTE_B32 => permute(l, Builder::scatter),
        DS_BPERMUTE_B32 => permute(l, Builder::permute),
        DS_NOP => Flow::Next,

        DS_GWS_INIT => global_sync(l, GlobalSync::Init),
        DS_GWS_SEMA_V => global_sync(l, GlobalSync::Signal),
        DS_GWS_SEMA_BR => global_sync(l, GlobalSync::SignalMany),
        DS_GWS_SEMA_P => global_sync(l, GlobalSync::Wait),
        DS_GWS_SEMA_RELEASE_ALL => global_sync(l, GlobalSync::Release),
        DS_GWS_BARRIER => global_sync(l, GlobalSync::Barrier),

        DS_ADD_SRC2_U32 => between(l, Rmw::Add, 1),
        DS_SUB_SRC2_U32 => between(l, Rmw::Sub, 1),
        DS_RSUB_SRC2_U32 => between(l, Rmw::RevSub, 1),
        DS_INC_SRC2_U32 => between(l, Rmw::Inc, 1),
        DS_DEC_SRC2_U32 => between(l, Rmw::Dec, 1),
        DS_MIN_SRC2_I32 => between(l, Rmw::MinS, 1),
        DS_MAX_SRC2_I32 => between(l, Rmw::MaxS, 1),
        DS_MIN_SRC2_U32 => between(l, Rmw::MinU, 1),
        DS_MAX_SRC2_U32 => between(l, Rmw::MaxU, 1),
        DS_AND_SRC2_B32 => between(l, Rmw::And, 1),
        DS_OR_SRC2_B32 => between(l, Rmw::Or, 1),
        DS_XOR_SRC2_B32 => between(l, Rmw::Xor, 1),
        DS_WRITE_SRC2_B32 => between(l, Rmw::Swap, 1),
        DS_MIN_SRC2_F32 => between(l, Rmw::FMin, 1),
        DS_MAX_SRC2_F32 => between(l, Rmw::FMax, 1),
        DS_ADD_SRC2_F32 => between(l, Rmw::FAdd, 1),
        DS_ADD_SRC2_U64 => between(l, Rmw::Add, 2),
        DS_SUB_SRC2_U64 => between(l, Rmw::Sub, 2),
        DS_RSUB_SRC2_U64 => between(l, Rmw::RevSub, 2),
        DS_INC_SRC2_U64 => between(l, Rmw::Inc, 2),
        DS_DEC_SRC2_U64 => between(l, Rmw::Dec, 2),
        DS_MIN_SRC2_I64 => between(l, Rmw::MinS, 2),
        DS_MAX_SRC2_I64 => between(l, Rmw::MaxS, 2),
        DS_MIN_SRC2_U64 => between(l, Rmw::MinU, 2),
        DS_MAX_SRC2_U64 => between(l, Rmw::MaxU, 2),
        DS_AND_SRC2_B64 => between(l, Rmw::And, 2),
        DS_OR_SRC2_B64 => between(l, Rmw::Or, 2),
        DS_XOR_SRC2_B64 => between(l, Rmw::Xor, 2),
        DS_WRITE_SRC2_B64 => between(l, Rmw::Swap, 2),
        DS_MIN_SRC2_F64 => between(l, Rmw::FMin, 2),
        DS_MAX_SRC2_F64 => between(l, Rmw::FMax, 2),

        DS_ORDERED_COUNT => ordered_count(l),

        // NotYet
        DS_CONDXCHG32_RTN_B128 => Flow::unsupported(l.inst, NAME_ONLY),
        DS_READ_B64_TR_B4 | DS_READ_B96_TR_B6 | DS_READ_B64_TR_B8 | DS_READ_B64_TR_B16 => {
            Flow::unsupported(l.inst, LATER)
        }
    }
}

/// The place LDS[ADDR + OFFSET].
fn site<'l, 'a>(l: &'l Lift<'a>) -> Site<'l, 'a> {
    site_at(l, l.vector32(Field::Vaddr, 0).v)
}

/// The place LDS[address + OFFSET].
fn site_at<'l, 'a>(l: &'l Lift<'a>, address: Value) -> Site<'l, 'a> {
    let offset = l.inst.mods.offset.into();
    Site {
        l,
        space: space(l, unwrapped(l, address, offset), limit(l)),
        offset,
        data: Field::Data0,
        data2: l.vgpr(Field::Data1).map(|_| Field::Data1),
        ret: l.results(Field::Vdst),
        returns: true,
        counter: Counter::Lgkm,
    }
}

/// The space of LDS, or with GDS the window of the global data share that M0 selects.
fn space(l: &Lift, address: Value, limit: Option<Value>) -> Space {
    if l.inst.has(Flags::GDS) {
        let window = l.m0().v;
        Space::Gds { address, window }
    } else {
        Space::Lds { address, limit }
    }
}

/// The upper bound of the LDS in M0, on chips that use it.
pub(super) fn limit(l: &Lift) -> Option<Value> {
    l.rules().m0_limits_lds.then(|| l.m0().v)
}

/// The limit of flat accesses, which are aligned like those of DS: the size of the LDS only. Compilers for gfx7 and gfx8 write M0
/// before DS alone (docs/reference/errata.md, "FLAT").
pub(super) fn flat_limit(l: &Lift) -> Option<Value> {
    l.rules().m0_limits_lds.then(|| l.b.u32(u32::MAX))
}

/// The address, changed so that its sum with the offset is out of range if the address is, on chips that demand that.
fn unwrapped(l: &Lift, address: Value, offset: i64) -> Value {
    if l.rules().lds_sums_wrap || offset == 0 {
        address
    } else {
        // Beyond every LDS, and small enough that the sum does not wrap.
        Int::i32(l.b, address).min_u(0xffff_0000).v
    }
}

/// Whether an instruction other than a plain load, store or atomic is defined for the global data share.
fn works_on_gds(op: Ds) -> bool {
    matches!(op, Ds::DS_APPEND | Ds::DS_CONSUME | Ds::DS_NOP) || op.row().has(Features::GDS_ONLY)
}

/// The place LDS[M0[15:0] + OFFSET + 4 · lane].
fn by_lane<'l, 'a>(l: &'l Lift<'a>) -> Site<'l, 'a> {
    let lane = Int::i32(l.b, l.b.lane_id());
    site_at(l, ((lane << 2) + (l.m0() & 0xffff)).v)
}

/// Swaps the operands of a compare-and-store: the new value first, then the comparand.
fn source_first<'l, 'a>(site: Site<'l, 'a>) -> Site<'l, 'a> {
    Site {
        data: Field::Data1,
        data2: Some(Field::Data0),
        ..site
    }
}

/// The two-address forms: DATA0 at OFFSET0 and DATA1 at OFFSET1, in units of `stride` elements of `dwords` each. Address and data
/// are read once, before the first result may overwrite them. Two stores to one place are one store of DATA0 (CDNA 3 ISA,
/// 11.3.1).
fn both(l: &Lift, kind: MemKind, dwords: u8, stride: i64) -> Flow {
    let unit = i64::from(dwords) * 4 * stride;
    let address = l.vector32(Field::Vaddr, 0).v;
    let operand = |field| match kind {
        MemKind::Load => vec![],
        MemKind::Store | MemKind::Atomic(_) => l.vectors(field, dwords.into()),
    };
    let data = [Field::Data0, Field::Data1].map(operand);
    let offsets = [l.inst.mods.offset, l.inst.mods.offset1.into()];
    let places = match kind {
        MemKind::Store if offsets[0] == offsets[1] => 1,
        _ => 2,
    };
    let mut parts: Vec<_> = (0..places).zip(data.into_iter().zip(offsets)).collect();
    // A failed access can be repeated as long as the address is intact: a load that overwrites it comes last.
    let hides = |first: u16| {
        l.vgpr(Field::Vaddr)
            .is_some_and(|at| (first..first + u16::from(dwords)).contains(&at))
    };
    if kind == MemKind::Load && l.vgpr(Field::Vdst).is_some_and(hides) {
        parts.reverse();
    }
    for (n, (data, offset)) in parts {
        let ret = l.vgpr(Field::Vdst);
        let site = Site {
            offset: i64::from(offset) * unit,
            ret: ret.map(|v| DataReg::V(v + n * u16::from(dwords))),
            ..site_at(l, address)
        };
        l.b.mem(MemOp {
            data,
            ..site.access(kind, Access::Dwords(dwords), Half::Whole)
        });
    }
    Flow::Next
}

/// ds_append and ds_consume: one lane adds or subtracts the number of active lanes at M0[15:0] + OFFSET; all lanes receive the
/// value before. M0 is not a limit then (docs/reference/errata.md).
fn append(l: &Lift, rmw: Rmw) -> Flow {
    let base = if l.inst.has(Flags::GDS) {
        Int::const32(l.b, 0)
    } else {
        l.m0() & 0xffff
    };
    let place = space(l, base.v, None);
    once(
        l,
        place,
        l.inst.mods.offset.into(),
        rmw,
        l.exec().count_ones().v,
    );
    Flow::Next
}

/// A change of a counter once for the wave: the lowest active lane makes it, and returns the value before for all.
fn once(l: &Lift, space: Space, offset: i64, rmw: Rmw, data: Value) {
    let exec = l.exec();
    let lowest = (exec & -exec).as_mask().v;
    let Some(vdst) = l.vgpr(Field::Vdst) else {
        return;
    };
    l.b.mem(MemOp {
        kind: MemKind::Atomic(rmw),
        space,
        offset,
        access: Access::Dwords(1),
        half: Half::Whole,
        data: vec![data],
        ret: Some(DataReg::V(vdst)),
        mask: Some(lowest),
        glc: false,
        slc: false,
        shadow: false,
        counter: Counter::Lgkm,
    });
    let before = l.b.read_first_lane(l.b.read(Reg::V(vdst)), lowest);
    l.b.write(Reg::V(vdst), before, Some(l.exec_mask()));
}

/// ds_ordered_count: when the waves with lower numbers have had their turns at the counter, adds to it, or swaps it, and passes
/// the turn on. In OFFSET, bits 7:2 are the counter, 8 passes the turn on, 9 says that the wave is done, 11:10 are the packer,
/// 13:12 the operation (LLVM, `ds.ordered.add`). M0[15:0] is the number of the wave; the counter is in GDS at M0[31:16] +
/// OFFSET[7:0].
///
/// It is lifted twice: first as the wait for the turn, which returns here with the mode in which the rest is done.
fn ordered_count(l: &Lift) -> Flow {
    let offset = l.inst.mods.offset;
    let rmw = match offset >> 12 & 3 {
        0 => Rmw::Add,
        1 => Rmw::Swap,
        _ => return Flow::unsupported(l.inst, "bits 13:12 of its offset name no operation"),
    };
    let sync = |op, next| {
        let counter = (offset >> 10 & 3) << 6 | offset >> 2 & 63;
        Flow::End(Terminator::GlobalSync {
            op,
            resource: l.b.u32(counter as u32),
            value: (l.m0() & 0xffff).v,
            next,
        })
    };
    let has_turn = |yes| l.b.write(Reg::Hw(HAS_TURN), l.b.u32(yes), None);
    if !l.modes.has_turn() {
        has_turn(1);
        return sync(GlobalSync::Turn, l.pc);
    }
    let place = Space::Gds {
        address: l.b.u32(0),
        window: (l.m0() | 0xffff).v,
    };
    let data = l.vgpr(Field::Vaddr).unwrap_or(0);
    let data = l.b.read_first_lane(l.b.read(Reg::V(data)), l.exec_mask());
    once(l, place, i64::from(offset & 0xfc), rmw, data);
    has_turn(0);
    match offset >> 8 & 3 {
        0 => Flow::End(Terminator::Branch(l.next())),
        1 => sync(GlobalSync::Pass, l.next()),
        _ => sync(GlobalSync::Last, l.next()),
    }
}

/// Selects lanes by a fixed pattern; an inactive source lane gives 0.
fn swizzle(l: &Lift) -> Flow {
    let rotates = l.rules().swizzle_rotates;
    let table = Box::new(pattern(l.inst.mods.offset as u16, rotates));
    let exec = l.exec_mask();
    let moved = l.b.shuffle(l.vector32(Field::Vaddr, 0).v, table.clone());
    let valid = Cond::new(l.b, l.b.shuffle_mask(exec, table));
    write_vector(l, valid.select(Int::i32(l.b, moved), 0).v)
}

/// The source lane of each lane, by the 16-bit offset of the instruction.
///
/// Bit 15 clear: within 32 lanes, source = ((lane & and) | or) ^ xor. Bit 15 set: any lane of the same four. With `rotates`, from
/// 0xc000 on: rotation within 32 lanes, where lanes keep the bits in the mask; from 0xe000 on: the order of a fast Fourier
/// transform, with the bits above the mask reversed.
fn pattern(offset: u16, rotates: bool) -> [u8; 64] {
    let field = |shift: u32| (offset >> shift & 31) as u8;
    let source = |lane: u8| -> u8 {
        match offset {
            0xe000.. if rotates => {
                let mask = field(0);
                let reversed = lane.reverse_bits() >> 3;
                (reversed >> mask.count_ones()) | (lane & mask)
            }
            0xc000.. if rotates => {
                let mask = field(0);
                let by = if offset & 0x400 != 0 {
                    field(5).wrapping_neg()
                } else {
                    field(5)
                };
                (lane & mask) | (lane.wrapping_add(by) & !mask)
            }
            0x8000.. => (lane & 0x1c) | (offset >> (2 * (lane & 3)) & 3) as u8,
            _ => ((lane & field(0)) | field(5)) ^ field(10),
        }
    };
    std::array::from_fn(|n| {
        let lane = n as u8;
        (lane & 32) | (source(lane & 31) & 31)
    })
}

/// Moves between lanes selected by (ADDR + OFFSET) / 4 modulo 64.
fn permute(l: &Lift, by: fn(&Builder, Value, Value, Value) -> Value) -> Flow {
    let data = l.vector32(Field::Data0, 0).v;
    let index = l.vector32(Field::Vaddr, 0) + l.inst.mods.offset as u64;
    write_vector(l, by(l.b, data, index.v, l.exec_mask()))
}

/// MEM[A] = MEM[A] op MEM[B] with B = A + 4 · distance, both aligned to the width (GCN wiki, "DS instructions"). The distance is
/// the lower 15 bits of the offset, or the bits of A above its own 17.
fn between(l: &Lift, rmw: Rmw, dwords: u8) -> Flow {
    let address = l.vector32(Field::Vaddr, 0);
    let offset = l.inst.mods.offset as u32;
    let (a, distance) = if offset & 0x8000 != 0 {
        (address & 0x1_ffff, address.sar(17))
    } else {
        let signed = ((offset << 17) as i32 >> 17) as u32;
        (address, Int::const32(l.b, signed))
    };
    let a = a & !u64::from(4 * dwords - 1);
    let b = a + (distance << 2);
    l.b.mem(MemOp {
        kind: MemKind::Atomic(rmw),
        space: Space::LdsPair {
            address: a.v,
            other: b.v,
            limit: limit(l),
        },
        offset: 0,
        access: Access::Dwords(dwords),
        half: Half::Whole,
        data: vec![],
        ret: None,
        mask: Some(l.exec_mask()),
        glc: false,
        slc: false,
        shadow: false,
        counter: Counter::Lgkm,
    });
    Flow::Next
}

/// Global wave synchronization: resource M0[21:16] + OFFSET0, with the data of
/// the first active lane. The base of the process's share of the resources,
/// which the manual adds, is 0 here.
fn global_sync(l: &Lift, op: GlobalSync) -> Flow {
    let resource = ((l.m0() >> 16) + l.inst.mods.offset as u64) & 63;
    let value = match l.vgpr(Field::Vaddr) {
        Some(data) => l.b.read_first_lane(l.b.read(Reg::V(data)), l.exec_mask()),
        None => l.b.u32(0),
    };
    Flow::End(Terminator::GlobalSync {
        op,
        resource: resource.v,
        value,
        next: l.next(),
    })
}

/// Writes VDST in the active lanes.
fn write_vector(l: &Lift, value: Value) -> Flow {
    if let Some(vdst) = l.vgpr(Field::Vdst) {
        l.b.write(Reg::V(vdst), value, Some(l.exec_mask()));
    }
    Flow::Next
}

#[cfg(test)]
mod tests {
    use super::pattern;

    /// The GCN wiki's operation listing of DS_SWIZZLE_B32.
    #[test]
    fn bit_masks_and_quads() {
        for offset in [
            0x1f_u16, 0x041f, 0x7c1f, 0x03e0, 0x001c, 0x5555, 0x80e4, 0x801b, 0x80b1,
        ] {
            let expected: Vec<u8> = (0..64u32)
                .map(|lane| {
                    let offset = u32::from(offset);
                    let source = if offset & 0x8000 != 0 {
                        (lane & 0x3c) + (offset >> (2 * (lane & 3)) & 3)
                    } else {
                        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10);
                        (lane & 32) + ((((lane & 31) & and) | or) ^ xor)
                    };
                    source as u8
                })
                .collect();
            assert_eq!(pattern(offset, true)[..], expected, "{offset:#x}");
        }
    }

    /// Examples of AMD's ISA documents: inputs {1, 2, … 0x20} of 32 lanes.
    #[test]
    fn fourier_and_rotation() {
        let outputs = |offset| {
            pattern(offset, true)[..8]
                .iter()
                .map(|l| l + 1)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            outputs(0xe000),
            [0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d]
        );
        assert_eq!(outputs(0xe010), [0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf]);
        assert_eq!(outputs(0xe01f), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(outputs(0xc020), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(outputs(0xc420), [0x20, 1, 2, 3, 4, 5, 6, 7]);
    }
}
