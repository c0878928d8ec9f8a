//! An access by lanes: its parts, the registers and instructions that its code uses, and the loops over tiles and lanes.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::{MemKind, MemOp, Value};
use wavetank_lane_ops::Ctx;
use wavetank_lower::Place;
use wavetank_memory::{Context, VECTOR_BYTES};

use crate::compiler::asm::{Arg, Mem, fixed, low};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// Where index 0 is.
pub(super) const BASE: Register = Register::R8;
pub(super) const LOW: Register = Register::R9;
pub(super) const HIGH: Register = Register::R10;
/// Lane by lane: the index.
pub(super) const A: Register = Register::RAX;
/// Lane by lane: the offset of the lane in a lane vector.
pub(super) const B: Register = Register::RCX;
/// Lane by lane: the data.
pub(super) const UNIT: Register = Register::RDX;
/// The lanes that are left.
pub(super) const REST: Register = Register::ESI;

pub(super) const INDEX: Register = Register::ZMM0;
pub(super) const DATA: Register = Register::ZMM1;
pub(super) const OLD: Register = Register::ZMM2;
pub(super) const APART: Register = Register::ZMM3;
pub(super) const FIRST: Register = Register::ZMM4;
pub(super) const LOWEST: Register = Register::ZMM16;
pub(super) const HIGHEST: Register = Register::ZMM17;
/// The largest offset in scratch, or where the records of a buffer end.
pub(super) const LIMIT: Register = Register::ZMM20;
pub(super) const BASE_LOW: Register = Register::ZMM18;
pub(super) const BASE_HIGH: Register = Register::ZMM19;

/// The lanes that are on.
pub(super) const ON: Register = Register::K1;
pub(super) const K: Register = Register::K2;
/// The lanes whose registers get something, be it 0.
pub(super) const RESULTS: Register = Register::K3;

pub(super) const COPY: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
pub(super) const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
pub(super) const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
pub(super) const SPREAD: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_r32;
pub(super) const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
pub(super) const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
pub(super) const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
pub(super) const ZERO: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
pub(super) const SHIFT_LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
pub(super) const SHIFT_RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
pub(super) const COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
pub(super) const COMPARE_UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
pub(super) const TEST: Code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
pub(super) const LOAD: Code = Code::Mov_r64_rm64;

/// Predicates of VPCMPD.
pub(super) const LESS: u8 = 1;
pub(super) const NOT_EQUAL: u8 = 4;
pub(super) const GREATER: u8 = 6;

/// Where the memory unit is in the context of helpers.
pub(super) const MEMORY: usize =
    offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);

/// Where the addresses of lanes come from.
#[derive(Clone, Copy)]
pub(super) enum Addresses {
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
pub(super) struct Buffer {
    /// The halves of the descriptor.
    pub(super) resource: [Value; 2],
    pub(super) soffset: Value,
    /// The lanes' offsets.
    pub(super) offset: Option<Value>,
    /// Whether offsets into scratch are sums modulo 2^32: from gfx9 on.
    pub(super) wraps: bool,
}

/// An access.
#[derive(Clone, Copy)]
pub struct LaneAccess<'o> {
    pub(super) op: &'o MemOp,
    pub(super) addresses: Addresses,
    pub(super) mask: Value,
    /// How many each lane accesses.
    pub(super) bytes: u32,
    /// Where results go in the vector file.
    pub(super) to: u32,
    pub(super) slot: u32,
    /// The lane vector of indices, where they are kept from the comparison on.
    pub(super) kept: Option<u32>,
}

impl LaneAccess<'_> {
    pub(super) fn dwords(&self) -> u32 {
        self.bytes.div_ceil(4)
    }

    /// Whether lanes beyond the records of a buffer are left out, and read 0. Those of atomics are left to the helpers.
    pub(super) fn leaves_out(&self) -> bool {
        let atomic = matches!(self.op.kind, MemKind::Atomic(_));
        matches!(self.addresses, Addresses::Raw(_)) && !atomic
    }

    /// Whether dwords of a lane are as far apart as the rows of scratch.
    pub(super) fn is_private(&self) -> bool {
        matches!(
            self.addresses,
            Addresses::Scratch(_) | Addresses::Swizzled(_)
        )
    }

    /// Whether indices go to memory: lanes are taken one by one, or it takes long to find them.
    pub(super) fn keeps(&self) -> bool {
        let singly = match self.op.kind {
            MemKind::Load => self.bytes > 4,
            MemKind::Store => self.bytes != 4,
            MemKind::Atomic(_) => true,
        };
        let scratch = matches!(self.addresses, Addresses::Scratch(_) | Addresses::Buffer(_));
        singly || scratch
    }

    /// A loop over the tiles that have a lane which is on.
    pub(super) fn tiles(
        &self,
        u: &mut Uniform<'_, '_>,
        body: impl FnOnce(&Self, &mut Uniform<'_, '_>),
    ) {
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
        let strides = [(fixed::PIECE, 2), (fixed::TILE, 64)];
        for (register, by) in strides {
            u.asm
                .with_constant(Code::Add_rm64_imm32, register.into(), by, true);
        }
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        u.asm.jump(Code::Jne_rel32_64, again);
    }

    /// Where the mask of a tile is.
    pub(super) fn on(&self, u: &mut Uniform<'_, '_>) -> Mem {
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
    pub(super) fn each_lane(
        &self,
        u: &mut Uniform<'_, '_>,
        body: impl FnOnce(&Self, &mut Uniform<'_, '_>),
    ) {
        let (again, none) = (u.asm.label(), u.asm.label());
        let kept = self.kept.expect("what goes lane by lane keeps its indices");
        u.asm.op(Code::VEX_Kmovw_r32_kr, &[REST.into(), ON.into()]);
        if self.leaves_out() {
            u.asm.op(Code::Test_rm32_r32, &[REST.into(), REST.into()]);
            u.asm.jump(Code::Je_rel32_64, none);
        }
        u.asm.place(again);
        let narrow = low(B);
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

pub(super) fn at(base: Register, offset: usize) -> Arg {
    Arg::M(Mem::at(base, offset as u32))
}

/// A tile of a value, or of its high half.
pub(super) fn lanes(u: &mut Uniform<'_, '_>, to: Register, v: Value, part: u32) {
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
pub(super) fn lane(u: &mut Uniform<'_, '_>, to: Register, v: Value) {
    let from = match u.single.place(source(u.block, v)) {
        Place::Vector(at) => Mem::sum(fixed::VECTOR, B, at),
        Place::Uniform(at) => Mem::at(fixed::UNIFORM, at),
        Place::Const(c) => return u.asm.set(to, c & 0xffff_ffff),
        Place::Nowhere => unreachable!("operands are computed before their users"),
    };
    let to = low(to);
    u.asm.op(Code::Mov_r32_rm32, &[to.into(), from.into()]);
}
