//! Loads of scalar registers, inline if they are within the cached allocation of the instruction. All others take the slow path:
//! helpers look up the allocation, or report the fault.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::{Access, DataReg, MemKind, MemOp, Reg, SHADOW_UNIFORM, Space, Value};
use wavetank_lane_ops::Ctx;
use wavetank_lower::{Place, register};
use wavetank_memory::shadow::DISTANCE;
use wavetank_memory::{ALIAS, BoundsCache, Context, MemoryUnit};

use crate::compiler::asm::{Arg, Asm, Label, Mem, fixed};
use crate::compiler::reach::unless_between;
use crate::compiler::uniform::Uniform;

/// The host address of the load, also after it.
pub(super) const ADDRESS: Register = Register::RAX;
const OTHER: Register = Register::RCX;
const BOUNDS_CACHES: Register = Register::RDX;

/// A load of scalar registers from an address.
pub(super) struct ScalarLoad {
    address: Value,
    index: Option<Value>,
    offset: i32,
    /// The offset of the first register.
    to: u32,
    dwords: u8,
    slot: u32,
    /// Whether the load is from shadows.
    shadow: bool,
}

impl ScalarLoad {
    /// The load that an access is, if it is one.
    pub(super) fn of(op: &MemOp, pc: u64) -> Option<ScalarLoad> {
        let (Space::Scalar { address, index }, Some(DataReg::S(to)), Access::Dwords(dwords)) =
            (&op.space, op.ret, op.access)
        else {
            return None;
        };
        let sizes = [1, 2, 4, 8, 16];
        let number = usize::from(to & !SHADOW_UNIFORM);
        let fits = sizes.contains(&dwords) && number + usize::from(dwords) <= 128;
        let plain = op.kind == MemKind::Load && fits;
        let Place::Uniform(to) = register(Reg::S(to)) else {
            unreachable!("it is a uniform register");
        };
        plain.then_some(ScalarLoad {
            address: *address,
            index: *index,
            offset: i32::try_from(op.offset).ok()?,
            to,
            dwords,
            slot: (pc >> 2) as u32,
            shadow: op.shadow,
        })
    }

    /// Emits the code, which jumps to `slow` if it cannot make the load.
    pub(super) fn emit(&self, uniform: &mut Uniform<'_, '_>, slow: Label) {
        uniform.load(ADDRESS, self.address);
        if let Some(index) = self.index {
            uniform.load(OTHER, index);
            uniform
                .asm
                .op(Code::Add_r64_rm64, &[ADDRESS.into(), OTHER.into()]);
        }
        let asm = &mut *uniform.asm;
        if self.offset != 0 {
            asm.with_constant(Code::Add_rm64_imm32, ADDRESS.into(), self.offset, true);
        }
        asm.with_constant(Code::And_rm64_imm32, ADDRESS.into(), -4, true);
        check(asm, self.slot, 4 * i32::from(self.dwords), slow);
        // Clears the alias bit, for the host address.
        let alias = ALIAS.trailing_zeros() as u8;
        asm.op(Code::Btr_rm64_imm8, &[ADDRESS.into(), alias.into()]);
        if self.shadow {
            self.look(asm, slow);
        }
        let from = Mem::at(ADDRESS, 0);
        let to = Mem::at(fixed::UNIFORM, self.to);
        let (load, store, register) = match self.dwords {
            1 => (Code::Mov_r32_rm32, Code::Mov_rm32_r32, Register::ECX),
            2 => (Code::Mov_r64_rm64, Code::Mov_rm64_r64, Register::RCX),
            4 => (
                Code::VEX_Vmovdqu_xmm_xmmm128,
                Code::VEX_Vmovdqu_xmmm128_xmm,
                Register::XMM0,
            ),
            8 => (
                Code::VEX_Vmovdqu_ymm_ymmm256,
                Code::VEX_Vmovdqu_ymmm256_ymm,
                Register::YMM0,
            ),
            _ => (
                Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
                Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
                Register::ZMM0,
            ),
        };
        asm.op(load, &[register.into(), from.into()]);
        asm.op(store, &[to.into(), register.into()]);
    }

    /// Converts the address to that of the shadows, and jumps to a label if a shadow is set, which the helpers report.
    fn look(&self, asm: &mut Asm, slow: Label) {
        let bit = DISTANCE.trailing_zeros() as u8;
        asm.op(Code::Btc_rm64_imm8, &[ADDRESS.into(), bit.into()]);
        let from = |n: u32| Arg::M(Mem::at(ADDRESS, 8 * n));
        match self.dwords {
            1 => asm.op(Code::Mov_r32_rm32, &[Register::ECX.into(), from(0)]),
            _ => asm.op(Code::Mov_r64_rm64, &[OTHER.into(), from(0)]),
        }
        for n in 1..u32::from(self.dwords) / 2 {
            asm.op(Code::Or_r64_rm64, &[OTHER.into(), from(n)]);
        }
        asm.op(Code::Test_rm64_r64, &[OTHER.into(), OTHER.into()]);
        asm.jump(Code::Jne_rel32_64, slow);
    }
}

/// Jumps to `slow` unless the bounds cache of a slot contains `bytes` bytes at the address, for loads.
fn check(asm: &mut Asm, slot: u32, bytes: i32, slow: Label) {
    let unit = offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);
    let load = Code::Mov_r64_rm64;
    let at = |base, offset: usize| Arg::M(Mem::at(base, offset as u32));
    asm.op(load, &[BOUNDS_CACHES.into(), at(fixed::CTX, unit)]);
    asm.op(
        load,
        &[
            BOUNDS_CACHES.into(),
            at(BOUNDS_CACHES, MemoryUnit::BOUNDS_CACHES),
        ],
    );
    let word = |field: usize| at(BOUNDS_CACHES, MemoryUnit::bounds_cache_at(slot) + field);
    let ends = [BoundsCache::START, BoundsCache::END].map(word);
    unless_between(asm, (ADDRESS, bytes), ends, OTHER, slow);
    asm.op(load, &[OTHER.into(), word(BoundsCache::GONE)]);
    asm.op(Code::Cmp_rm8_imm8, &[Arg::M(Mem::at(OTHER, 0)), Arg::I(0)]);
    asm.jump(Code::Jne_rel32_64, slow);
}
