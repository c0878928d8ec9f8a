//! An access by lanes: its parts, the registers and instructions of its code, and the loops over tiles and lanes.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::{MemKind, MemOp, Rmw, Value};
use wavetank_lane_ops::Ctx;
use wavetank_lower::Place;
use wavetank_memory::{Context, VECTOR_BYTES};

use crate::compiler::asm::{Arg, Mem, fixed, low};
use crate::compiler::recorded::Recorded;
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The address of index 0.
pub(super) const BASE: Register = Register::R8;
pub(super) const LOW: Register = Register::R9;
pub(super) const HIGH: Register = Register::R10;
/// In loops over lanes: the index.
pub(super) const A: Register = Register::RAX;
/// In loops over lanes: the offset of the lane in a lane vector.
pub(super) const B: Register = Register::RCX;
/// In loops over lanes: the data.
pub(super) const UNIT: Register = Register::RDX;
/// The mask of the lanes that remain.
pub(super) const REST: Register = Register::ESI;

pub(super) const INDEX: Register = Register::ZMM0;
pub(super) const DATA: Register = Register::ZMM1;
pub(super) const OLD: Register = Register::ZMM2;
pub(super) const APART: Register = Register::ZMM3;
pub(super) const FIRST: Register = Register::ZMM4;
pub(super) const LOWEST: Register = Register::ZMM16;
pub(super) const HIGHEST: Register = Register::ZMM17;
/// The largest offset in scratch, or the end of a buffer's records.
pub(super) const LIMIT: Register = Register::ZMM20;
pub(super) const BASE_LOW: Register = Register::ZMM18;
pub(super) const BASE_HIGH: Register = Register::ZMM19;

/// The mask of active lanes.
pub(super) const ON: Register = Register::K1;
pub(super) const K: Register = Register::K2;
/// The lanes whose result registers are written, possibly with 0.
pub(super) const RESULTS: Register = Register::K3;

pub(super) const COPY: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
pub(super) const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
pub(super) const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
pub(super) const SPREAD: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_r32;
pub(super) const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
pub(super) const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
pub(super) const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
pub(super) const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
pub(super) const PERMUTE: Code = Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;
pub(super) const ZERO: Code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
pub(super) const SHIFT_LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
pub(super) const SHIFT_RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
pub(super) const COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
pub(super) const COMPARE_UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
pub(super) const TEST: Code = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
pub(super) const LOAD: Code = Code::Mov_r64_rm64;
pub(super) const STORE_64: Code = Code::Mov_rm64_r64;

/// Predicates of VPCMPD, numbered as in Intel's manual.
pub(super) const LESS: u8 = 1;
pub(super) const NOT_EQUAL: u8 = 4;
pub(super) const GREATER: u8 = 6;

/// The offset of the memory unit in the context of helpers.
pub(super) const MEMORY: usize =
    offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);

/// The source of the lanes' addresses.
#[derive(Clone, Copy)]
pub(super) enum Addresses {
    /// Offsets in the LDS, and its end for this wave. An access with such a limit ignores low bits of its offsets.
    Lds(Value, Option<Value>),
    /// A base, and an offset for each lane.
    Index(Value, Option<Value>),
    /// An address for each lane.
    Lanes(Value),
    /// Offsets in the scratch of each lane.
    Scratch(Value),
    /// A descriptor; at run time it is one of the two kinds that follow.
    Buffer(Buffer),
    /// A buffer whose bytes are at their offsets.
    Raw(Buffer),
    /// Scratch through a descriptor.
    Swizzled(Buffer),
}

/// A buffer without an index.
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    /// The two halves of the descriptor.
    pub(super) resource: [Value; 2],
    pub(super) soffset: Value,
    /// The lanes' offsets, unless all are 0.
    pub(super) offset: Option<Value>,
    /// Whether offsets into scratch are sums modulo 2^32: from gfx9 on.
    pub(super) wraps: bool,
    /// Whether the scalar offset counts in the range check.
    pub(super) summed: bool,
}

/// An access of all lanes.
#[derive(Clone, Copy)]
pub(crate) struct LaneAccess<'o> {
    pub(super) op: &'o MemOp,
    pub(super) addresses: Addresses,
    pub(super) mask: Value,
    /// The number of bytes that each lane accesses.
    pub(super) bytes: u32,
    /// The offset of the results in the vector file.
    pub(super) to: u32,
    pub(super) slot: u32,
    /// The lane vector that keeps the indices from the check on, if they are kept.
    pub(super) kept: Option<u32>,
    /// The recording of the access, if it is recorded.
    pub(super) recorded: Option<Recorded>,
}

impl LaneAccess<'_> {
    pub(super) fn dwords(&self) -> u32 {
        self.bytes.div_ceil(4)
    }

    /// Whether lanes beyond the records of a buffer are left out, and read 0. Such lanes of atomics are left to helpers.
    pub(super) fn leaves_out(&self) -> bool {
        let atomic = matches!(self.op.kind, MemKind::Atomic(_));
        matches!(self.addresses, Addresses::Raw(_)) && !atomic
    }

    /// Whether the access changes memory or not, depending on what is there. Helpers record which.
    pub(super) fn may_fail(&self) -> bool {
        matches!(self.op.kind, MemKind::Atomic(Rmw::CmpSwap | Rmw::FCmpSwap))
    }

    /// Whether the dwords of a lane are as far apart as the rows of scratch.
    pub(super) fn is_private(&self) -> bool {
        matches!(
            self.addresses,
            Addresses::Scratch(_) | Addresses::Swizzled(_)
        )
    }

    /// Whether indices are kept in memory: the lanes are accessed one by one, or computing the indices is slow.
    pub(super) fn keeps(&self) -> bool {
        let singly = match self.op.kind {
            MemKind::Load => self.bytes > 4,
            MemKind::Store => self.bytes != 4,
            MemKind::Atomic(_) => true,
        };
        let scratch = matches!(self.addresses, Addresses::Scratch(_) | Addresses::Buffer(_));
        singly || scratch
    }

    /// A loop over the tiles that have an active lane.
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

    /// The place of a tile's mask.
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

    /// The same as [`each_lane`](Self::each_lane), for short bodies: without a loop where all lanes are active, mostly.
    pub(super) fn each_lane_in_turn(
        &self,
        u: &mut Uniform<'_, '_>,
        body: impl Fn(&Self, &mut Uniform<'_, '_>),
    ) {
        let (some, done) = (u.asm.label(), u.asm.label());
        let kept = self.kept.expect("what goes lane by lane keeps its indices");
        u.asm.op(Code::VEX_Kmovw_r32_kr, &[REST.into(), ON.into()]);
        u.asm
            .with_constant(Code::Cmp_rm32_imm32, REST.into(), 0xffff, false);
        u.asm.jump(Code::Jne_rel32_64, some);
        for lane in 0..16 {
            let offset = Mem::at(fixed::TILE, 4 * lane);
            u.asm.op(Code::Lea_r64_m, &[B.into(), offset.into()]);
            let index = Mem::sum(fixed::VECTOR, fixed::TILE, kept + 4 * lane);
            u.asm.op(Code::Movsxd_r64_rm32, &[A.into(), index.into()]);
            body(self, u);
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(some);
        self.each_lane(u, body);
        u.asm.place(done);
    }

    /// A loop over the active lanes of a tile, in order. The body finds the index and the offset of the lane.
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

/// Loads a tile of a value, or of its high half.
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

/// Loads a dword of the current lane in a loop over lanes.
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
