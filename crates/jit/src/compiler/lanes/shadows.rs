//! Accesses to shadows. The shadow of memory is at the same address with one bit changed, and accesses to undefined bits are
//! reported to checkers. Helpers make the reports, so this code takes the slow path if a bit is set. Helpers repeat the access
//! from the start, which is safe for shadows.

use iced_x86::{Code, Register};
use wavetank_ir::{MemKind, Reg, Rmw, Ty, Value};
use wavetank_lane_ops::is_in_file;
use wavetank_lower::{Place, register};
use wavetank_memory::shadow::DISTANCE;
use wavetank_memory::{BoundsCache, VECTOR_BYTES};

use super::access::*;
use super::places::leave_if_any;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;

impl LaneAccess<'_> {
    /// Converts a host address to that of its shadow, if the access is to shadows.
    pub(super) fn find_shadow(&self, asm: &mut Asm, address: Register) {
        if self.op.shadow {
            let bit = DISTANCE.trailing_zeros() as u8;
            asm.op(Code::Btc_rm64_imm8, &[address.into(), bit.into()]);
        }
    }

    /// Converts the base to that of the shadow. The base may lie outside the allocation in the bounds cache, so the bit of the
    /// allocation is used.
    pub(super) fn find_shadow_of_base(&self, asm: &mut Asm) {
        if !self.op.shadow {
            return;
        }
        asm.op(LOAD, &[B.into(), self.bounds_at(BoundsCache::START)]);
        asm.set(A, DISTANCE);
        asm.op(Code::And_r64_rm64, &[B.into(), A.into()]);
        asm.op(Code::Add_r64_rm64, &[BASE.into(), A.into()]);
        for _ in 0..2 {
            asm.op(Code::Sub_r64_rm64, &[BASE.into(), B.into()]);
        }
    }

    /// Before an access to shadows: jumps to `slow` if it has undefined bits to store. Returns whether nothing remains to be
    /// done: an atomic combines its bits with those in memory.
    pub(super) fn stores_shadows(&self, u: &mut Uniform<'_, '_>, slow: Label) -> bool {
        if !self.op.shadow || self.op.kind == MemKind::Load {
            return false;
        }
        let data = self.op.data.iter();
        let places: Vec<Place> = data.map(|v| u.single.place(source(u.block, *v))).collect();
        leave_if_set(u, &places, self.mask, slow);
        self.op.kind == MemKind::Atomic(Rmw::Or)
    }

    /// After an access to shadows: jumps to `slow` if it has loaded undefined bits.
    pub(super) fn has_loaded_shadows(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        if self.op.shadow && self.op.kind == MemKind::Load {
            let dwords = 0..self.dwords();
            let places = dwords.map(|n| Place::Vector(self.to + n * VECTOR_BYTES as u32));
            leave_if_set(u, &places.collect::<Vec<_>>(), self.mask, slow);
        }
    }
}

/// Jumps to a label if a probed value is not 0 in some lanes.
pub(crate) fn leave_if_noted(u: &mut Uniform<'_, '_>, of: Value, lanes: Value, to: Label) {
    let place = u.single.place(source(u.block, of));
    match (place, u.block.ty(of)) {
        (Place::Vector(low), Ty::V64) => {
            let high = Place::Vector(low + VECTOR_BYTES as u32);
            leave_if_set(u, &[place, high], lanes, to);
        }
        (Place::Vector(_), _) => leave_if_set(u, &[place], lanes, to),
        (_, ty) => {
            u.load(A, of);
            match ty {
                Ty::Mask => {
                    u.load(B, lanes);
                    u.asm.op(Code::Test_rm64_r64, &[A.into(), B.into()]);
                }
                _ => u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]),
            }
            u.asm.jump(Code::Jne_rel32_64, to);
        }
    }
}

/// Jumps to a label if dwords are not 0 in some lanes. For a uniform dword, the lanes do not matter: the helpers test them again.
fn leave_if_set(u: &mut Uniform<'_, '_>, dwords: &[Place], lanes: Value, to: Label) {
    let mut vectors = Vec::new();
    for place in dwords {
        match *place {
            Place::Vector(at) => vectors.push(at),
            Place::Const(0) => {}
            Place::Const(_) => return u.asm.jump(Code::Jmp_rel32_64, to),
            Place::Uniform(at) => {
                let dword = Arg::M(Mem::at(fixed::UNIFORM, at));
                u.asm.with_constant(Code::Cmp_rm32_imm32, dword, 0, false);
                u.asm.jump(Code::Jne_rel32_64, to);
            }
            Place::Nowhere => unreachable!("operands are computed before their users"),
        }
    }
    if !vectors.is_empty() {
        collect(u, &vectors, lanes);
        u.asm.op(TEST, &[K.into(), OLD.into(), OLD.into()]);
        leave_if_any(u.asm, to);
    }
}

/// Combines the bits of some lanes of lane vectors in a register.
fn collect(u: &mut Uniform<'_, '_>, vectors: &[u32], lanes: Value) {
    let mask = match u.single.place(source(u.block, lanes)) {
        Place::Const(u64::MAX) => None,
        Place::Const(c) => {
            u.asm.use_constants();
            let at = u.asm.constant_row(&[c as u32, (c >> 32) as u32]);
            Some((fixed::CONSTANTS, at))
        }
        Place::Uniform(at) => Some((fixed::UNIFORM, at)),
        Place::Vector(_) | Place::Nowhere => unreachable!("masks are uniform values"),
    };
    u.asm.op(ZERO, &[OLD.into(); 3]);
    for tile in 0..4 {
        let under = match mask {
            Some((base, at)) => {
                let piece = Mem::at(base, at + 2 * tile);
                u.asm
                    .op(Code::VEX_Kmovw_kr_km16, &[ON.into(), piece.into()]);
                Under::Merge(ON)
            }
            None => Under::All,
        };
        for at in vectors {
            let here = Mem::at(fixed::VECTOR, at + 64 * tile);
            u.asm
                .under(OR, under, &[OLD.into(), OLD.into(), here.into()]);
        }
    }
}

/// The offset of result registers in the vector file, if they are in it.
pub(super) fn first_of(n: u16, count: usize) -> Option<u32> {
    match register(Reg::V(n)) {
        Place::Vector(at) if is_in_file(n.into(), count) => Some(at),
        _ => None,
    }
}
