//! Accesses by lanes that compiled code does itself: to LDS, to global memory, through buffer descriptors as compilers make
//! them, and to scratch.
//!
//! Mostly all lanes are on and side by side (`rows.rs`), or those of each tile go to a row or to one place (`tiles.rs`,
//! `records.rs`). If they do not:
//!
//! Where lanes go is a base of 64 bits and an index of 32 for each lane (`places.rs`; of scratch `scratch.rs`). A tile at a
//! time, the indices are compared with the ends of what may be accessed; then the lanes of a tile go to one place, to a row,
//! or each its own way: whole dwords (`dwords.rs`, `wide.rs`), bytes and halves (`parts.rs`), atomics (`atomics.rs`). Whatever is not so
//! (a lane outside, addresses more than 2 GiB apart) is left to the interpreter's steps: nothing has been loaded or stored
//! before all tiles have been compared.

mod atomics;
mod dwords;
mod parts;
mod places;
mod records;
mod rows;
mod scratch;
mod shadows;
mod tiles;
mod wide;

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::{Access, DataReg, Dialect, Elements, Half, MemKind, MemOp, Space, Ty, Value};
use wavetank_lane_ops::Ctx;
use wavetank_lower::{Place, TooMany};
use wavetank_memory::{Context, VECTOR_BYTES};

use crate::asm::{Arg, Label, Mem, fixed};
use crate::stages::source;
use crate::uniform::Uniform;
pub use shadows::leave_if_noted;

/// Where index 0 is.
const BASE: Register = Register::R8;
const LOW: Register = Register::R9;
const HIGH: Register = Register::R10;
/// Lane by lane: the index.
const A: Register = Register::RAX;
/// Lane by lane: the offset of the lane in a lane vector.
const B: Register = Register::RCX;
/// Lane by lane: the data.
const UNIT: Register = Register::RDX;
/// The lanes that are left.
const REST: Register = Register::ESI;

const INDEX: Register = Register::ZMM0;
const DATA: Register = Register::ZMM1;
const OLD: Register = Register::ZMM2;
const APART: Register = Register::ZMM3;
const FIRST: Register = Register::ZMM4;
const LOWEST: Register = Register::ZMM16;
const HIGHEST: Register = Register::ZMM17;
/// The largest offset in scratch, or where the records of a buffer end.
const LIMIT: Register = Register::ZMM20;
const BASE_LOW: Register = Register::ZMM18;
const BASE_HIGH: Register = Register::ZMM19;

/// The lanes that are on.
const ON: Register = Register::K1;
const K: Register = Register::K2;
/// The lanes whose registers get something, be it 0.
const RESULTS: Register = Register::K3;

const COPY: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
const SPREAD: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_r32;
const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const ZERO: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
const SHIFT_LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
const COMPARE_UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
const TEST: Code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
const LOAD: Code = Code::Mov_r64_rm64;

/// Predicates of VPCMPD.
const LESS: u8 = 1;
const NOT_EQUAL: u8 = 4;
const GREATER: u8 = 6;

/// Where the memory unit is in the context of steps.
const MEMORY: usize = offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);

/// Where the addresses of lanes come from.
#[derive(Clone, Copy)]
enum Addresses {
    /// Offsets in the LDS, and where that ends for this wave. What has such an end ignores low bits of its offsets.
    Lds(Value, Option<Value>),
    /// A base, and an offset for each lane.
    Index(Value, Option<Value>),
    /// An address for each lane.
    Lanes(Value),
    /// Offsets in the scratch of the lane.
    Scratch(Value),
    /// A descriptor, which says whether it is one of the two that follow.
    Buffer(Buffer),
    /// Bytes of a buffer that lie as their offsets say.
    Raw(Buffer),
    /// Scratch, by its descriptor.
    Swizzled(Buffer),
}

/// A buffer without an index.
#[derive(Clone, Copy)]
struct Buffer {
    /// The halves of the descriptor.
    resource: [Value; 2],
    soffset: Value,
    /// The lanes' offsets.
    offset: Option<Value>,
    /// Whether offsets into scratch are sums modulo 2^32: from gfx9 on.
    wraps: bool,
}

/// An access.
#[derive(Clone, Copy)]
pub struct LaneAccess<'o> {
    op: &'o MemOp,
    addresses: Addresses,
    mask: Value,
    /// How many each lane accesses.
    bytes: u32,
    /// Where results go in the vector file.
    to: u32,
    slot: u32,
    /// The lane vector of indices, where they are kept from the comparison on.
    kept: Option<u32>,
}

impl<'o> LaneAccess<'o> {
    /// If an access is one that is done here.
    pub fn of(op: &'o MemOp, ty: impl Fn(Value) -> Ty, pc: u64) -> Option<LaneAccess<'o>> {
        let addresses = addresses(op, ty)?;
        let private = matches!(addresses, Addresses::Scratch(_));
        match (op.access, op.half, op.kind) {
            (Access::Dwords(1..=2), Half::Whole, MemKind::Atomic(rmw)) => {
                let pure = !private && atomics::is_known(rmw, op);
                pure.then_some(())?;
            }
            (_, _, MemKind::Atomic(_)) | (_, Half::Each, _) => return None,
            (Access::Dwords(1..=4), Half::Whole, _) => {}
            (Access::Dwords(_), ..) => return None,
            _ => {}
        }
        let to = match (op.kind, op.ret) {
            (MemKind::Load | MemKind::Atomic(_), Some(DataReg::V(n))) => {
                shadows::first_of(n, op.registers() as usize)?
            }
            (MemKind::Store | MemKind::Atomic(_), None) => 0,
            _ => return None,
        };
        let bytes = op.access.bytes();
        let signed = !matches!(op.space, Space::Lds { .. } | Space::Buffer { .. });
        let lowest = if signed { -1 << 20 } else { 0 };
        let near = (lowest..1 << 20).contains(&op.offset);
        near.then_some(LaneAccess {
            op,
            addresses,
            mask: op.mask?,
            bytes,
            to,
            slot: (pc >> 2) as u32,
            kept: None,
        })
    }

    /// The code; it goes to `slow` where it cannot do the access.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub fn emit(mut self, u: &mut Uniform<'_, '_>, slow: Label) -> Result<(), TooMany> {
        let done = u.asm.label();
        u.load(A, self.mask);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, done);
        if self.stores_shadows(u, slow) {
            u.asm.place(done);
            return Ok(());
        }
        if self.keeps() {
            self.kept = Some(u.single.vector(u.stage)?);
        }
        u.asm.use_constants();
        if let Addresses::Buffer(buffer) = self.addresses {
            self.by_descriptor(u, buffer, slow);
        } else {
            self.at_addresses(u, slow);
        }
        self.has_loaded_shadows(u, slow);
        u.asm.place(done);
        Ok(())
    }

    fn at_addresses(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        if self.in_one_row(u) {
            return self.private_rows(u, slow);
        }
        let done = u.asm.label();
        // Of LDS, groups read more often what is not one row, and where it is, the tiles take little longer.
        let planes = self.planes(u);
        if !(planes.is_some() && matches!(self.addresses, Addresses::Lds(..))) {
            self.rows(u, done);
        }
        self.base(u, slow);
        if let Some(planes) = planes {
            self.in_tiles(u, planes, slow);
            return u.asm.place(done);
        }
        self.records_at_one_place(u, done);
        for (vector, register) in [(LOWEST, LOW), (HIGHEST, HIGH)] {
            let narrow = crate::asm::low(register);
            u.asm.op(SPREAD, &[vector.into(), narrow.into()]);
        }
        if self.bytes < 4 && self.op.kind == MemKind::Load && !self.is_private() {
            self.last_dword(u, slow);
        }
        // Who faults has written nothing.
        self.tiles(u, |access, u| access.check(u, slow));
        self.tiles(u, |access, u| {
            access.index(u);
            match access.op.kind {
                MemKind::Load if access.bytes < 4 => access.load_parts(u),
                MemKind::Load => access.loads(u),
                MemKind::Store if access.bytes < 4 => access.store_parts(u),
                MemKind::Store => access.stores(u),
                MemKind::Atomic(rmw) => access.changes(u, rmw),
            }
        });
        u.asm.place(done);
    }

    fn dwords(&self) -> u32 {
        self.bytes.div_ceil(4)
    }

    /// Whether lanes beyond the records of a buffer are left out, and read 0. Those of atomics are left to the steps.
    fn leaves_out(&self) -> bool {
        let atomic = matches!(self.op.kind, MemKind::Atomic(_));
        matches!(self.addresses, Addresses::Raw(_)) && !atomic
    }

    /// Whether dwords of a lane are as far apart as the rows of scratch.
    fn is_private(&self) -> bool {
        matches!(
            self.addresses,
            Addresses::Scratch(_) | Addresses::Swizzled(_)
        )
    }

    /// Whether indices go to memory: lanes are taken one by one, or it takes long to find them.
    fn keeps(&self) -> bool {
        let singly = match self.op.kind {
            MemKind::Load => self.bytes > 4,
            MemKind::Store => self.bytes != 4,
            MemKind::Atomic(_) => true,
        };
        let scratch = matches!(self.addresses, Addresses::Scratch(_) | Addresses::Buffer(_));
        singly || scratch
    }

    /// A loop over the tiles that have a lane which is on.
    fn tiles(&self, u: &mut Uniform<'_, '_>, body: impl FnOnce(&Self, &mut Uniform<'_, '_>)) {
        let (again, next) = (u.asm.label(), u.asm.label());
        u.asm.set(fixed::TILE, 0);
        u.asm.set(fixed::PIECE, 0);
        u.asm.place(again);
        let on = self.on(u);
        u.asm.op(Code::VEX_Kmovw_kr_km16, &[ON.into(), on.into()]);
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[ON.into(), ON.into()]);
        u.asm.jump(Code::Je_rel32_64, next);
        body(self, u);
        u.asm.place(next);
        let steps = [(fixed::PIECE, 2), (fixed::TILE, 64)];
        for (register, by) in steps {
            u.asm
                .with_constant(Code::Add_rm64_imm32, register.into(), by, true);
        }
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        u.asm.jump(Code::Jne_rel32_64, again);
    }

    /// Where the mask of a tile is.
    fn on(&self, u: &mut Uniform<'_, '_>) -> Mem {
        let mask = source(u.block, self.mask);
        match u.single.place(mask) {
            Place::Uniform(at) => Mem::sum(fixed::UNIFORM, fixed::PIECE, at),
            Place::Const(c) => {
                let at = u.asm.constant_row(&[c as u32, (c >> 32) as u32]);
                Mem::sum(fixed::CONSTANTS, fixed::PIECE, at)
            }
            Place::Vector(_) | Place::Nowhere => unreachable!("masks are uniform values"),
        }
    }

    /// A loop over the lanes of a tile that are on, in their order. The body finds the index and the offset of the lane.
    fn each_lane(&self, u: &mut Uniform<'_, '_>, body: impl FnOnce(&Self, &mut Uniform<'_, '_>)) {
        let (again, none) = (u.asm.label(), u.asm.label());
        let kept = self.kept.expect("what goes lane by lane keeps its indices");
        u.asm.op(Code::VEX_Kmovw_r32_kr, &[REST.into(), ON.into()]);
        if self.leaves_out() {
            u.asm.op(Code::Test_rm32_r32, &[REST.into(), REST.into()]);
            u.asm.jump(Code::Je_rel32_64, none);
        }
        u.asm.place(again);
        let narrow = crate::asm::low(B);
        u.asm
            .op(Code::Tzcnt_r32_rm32, &[narrow.into(), REST.into()]);
        u.asm.op(Code::Shl_rm32_imm8, &[narrow.into(), 2.into()]);
        u.asm
            .op(Code::Add_r64_rm64, &[B.into(), fixed::TILE.into()]);
        let index = Mem::sum(fixed::VECTOR, B, kept);
        u.asm.op(Code::Movsxd_r64_rm32, &[A.into(), index.into()]);
        body(self, u);
        u.asm
            .op(Code::VEX_Blsr_r32_rm32, &[REST.into(), REST.into()]);
        u.asm.jump(Code::Jne_rel32_64, again);
        u.asm.place(none);
    }
}

/// Where an access goes, if compiled code may be able to do it.
fn addresses(op: &MemOp, ty: impl Fn(Value) -> Ty) -> Option<Addresses> {
    Some(match op.space {
        Space::Lds { address, limit } => Addresses::Lds(address, limit),
        Space::Global { address, index } if ty(address) == Ty::U64 => {
            Addresses::Index(address, index)
        }
        Space::Global {
            address,
            index: None,
        } if ty(address) == Ty::V64 => Addresses::Lanes(address),
        // The apertures of LDS and scratch are in no allocation.
        Space::Flat { address, .. } if ty(address) == Ty::V64 => Addresses::Lanes(address),
        Space::Scratch { address } => Addresses::Scratch(address),
        Space::Buffer {
            resource,
            dialect: dialect @ (Dialect::Swizzled | Dialect::Indexed),
            address: None,
            index: None,
            offset,
            soffset,
            format: Elements::Plain,
        } => Addresses::Buffer(Buffer {
            resource,
            soffset,
            offset,
            wraps: dialect == Dialect::Indexed,
        }),
        _ => return None,
    })
}

fn at(base: Register, offset: usize) -> Arg {
    Arg::M(Mem::at(base, offset as u32))
}

/// A tile of a value, or of its high half.
fn lanes(u: &mut Uniform<'_, '_>, to: Register, v: Value, part: u32) {
    let (code, from) = match u.single.place(source(u.block, v)) {
        Place::Vector(at) => {
            let at = at + part * VECTOR_BYTES as u32;
            (COPY, Mem::sum(fixed::VECTOR, fixed::TILE, at))
        }
        Place::Uniform(at) => (BROADCAST, Mem::at(fixed::UNIFORM, at + 4 * part)),
        Place::Const(c) => (BROADCAST, u.asm.constant((c >> (32 * part)) as u32)),
        Place::Nowhere => unreachable!("operands are computed before their users"),
    };
    u.asm.op(code, &[to.into(), from.into()]);
}

/// A dword of the lane that a loop over lanes is at.
fn lane(u: &mut Uniform<'_, '_>, to: Register, v: Value) {
    let from = match u.single.place(source(u.block, v)) {
        Place::Vector(at) => Mem::sum(fixed::VECTOR, B, at),
        Place::Uniform(at) => Mem::at(fixed::UNIFORM, at),
        Place::Const(c) => return u.asm.set(to, c & 0xffff_ffff),
        Place::Nowhere => unreachable!("operands are computed before their users"),
    };
    let to = crate::asm::low(to);
    u.asm.op(Code::Mov_r32_rm32, &[to.into(), from.into()]);
}
