//! The instruction list of a block: the output of the templates for lowering to AVX2. Vector instructions are kept as requested,
//! all others encoded.

use iced_x86::{Code, Instruction, Register, RoundingControl};
use wavetank_ir::Value;

use super::operands::{Arg, Label, Under};

/// An entry of the list.
#[derive(Debug)]
pub(crate) enum Item {
    /// The start of the code of a node.
    Mark(Value),
    /// The position of a label.
    Place(Label),
    /// A jump to a label.
    Jump(Code, Label),
    /// An instruction without vector operands.
    Host(Instruction),
    /// An instruction with vector operands.
    Wide(Wide),
}

/// A vector instruction with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    pub code: Code,
    pub round: RoundingControl,
    pub under: Under,
    args: [Arg; 4],
    count: usize,
}

/// A set of halves of vector and mask registers, one bit each.
pub(crate) type Units = u128;

/// The halves of all vector registers.
pub(crate) const VECTORS: Units = (1 << 64) - 1;
/// The halves of all vector and mask registers.
pub(crate) const ALL: Units = (1 << 80) - 1;

/// The number of a half: 0 to 63 for vectors, 64 to 79 for masks.
pub(crate) type Unit = usize;

/// The halves that an instruction reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effects {
    pub reads: Units,
    pub writes: Units,
    /// Whether the instruction has no other effects.
    pub is_pure: bool,
}

/// The number of a half of a vector or mask register.
pub(crate) fn unit(register: Register, half: usize) -> Unit {
    if register.is_k() {
        return 64 + 2 * (register as usize - Register::K0 as usize) + half;
    }
    2 * vector_number(register) + half
}

fn vector_number(register: Register) -> usize {
    let first = match register {
        r if r.is_zmm() => Register::ZMM0,
        r if r.is_ymm() => Register::YMM0,
        _ => Register::XMM0,
    };
    register as usize - first as usize
}

/// Both halves of a register.
fn both(register: Register) -> Units {
    3 << unit(register, 0)
}

/// The halves of a register that an operand reads: for a short register the lower one.
fn read(register: Register) -> Units {
    if !is_vector(register) {
        return 0;
    }
    if register.is_zmm() || register.is_k() {
        both(register)
    } else {
        1 << unit(register, 0)
    }
}

/// Whether the register is a vector or a mask.
pub(crate) fn is_vector(register: Register) -> bool {
    register.is_zmm() || register.is_k() || register.is_ymm() || register.is_xmm()
}

impl Wide {
    pub(crate) fn new(code: Code, round: RoundingControl, under: Under, args: &[Arg]) -> Wide {
        let mut all = [Arg::I(0); 4];
        all[..args.len()].copy_from_slice(args);
        Wide {
            code,
            round,
            under,
            args: all,
            count: args.len(),
        }
    }

    pub(crate) fn args(&self) -> &[Arg] {
        &self.args[..self.count]
    }

    /// Whether the instruction has an operand that is a vector or a mask.
    pub(crate) fn is_vector(&self) -> bool {
        self.args().iter().any(|arg| match arg {
            Arg::R(register) => is_vector(*register),
            Arg::M(mem) | Arg::Each(mem) => mem.index.is_zmm(),
            Arg::I(_) => false,
        })
    }

    /// The register that the instruction writes.
    pub(crate) fn to(&self) -> Register {
        match self.args[0] {
            Arg::R(register) => register,
            _ => Register::None,
        }
    }

    /// The mask that restricts the instruction.
    pub(crate) fn mask(&self) -> Option<Register> {
        match self.under {
            Under::All => None,
            Under::Merge(mask) | Under::Zero(mask) => Some(mask),
        }
    }

    pub(crate) fn effects(&self) -> Effects {
        let mut reads = self.mask().map_or(0, both);
        for (n, arg) in self.args().iter().enumerate() {
            reads |= match *arg {
                Arg::R(register) if n > 0 || !self.has_result() => read(register),
                Arg::M(mem) | Arg::Each(mem) if mem.index.is_zmm() => both(mem.index),
                _ => 0,
            };
        }
        let mut writes = 0;
        if self.has_result() && is_vector(self.to()) {
            writes = both(self.to());
            let merges = matches!(self.under, Under::Merge(_)) && !self.to().is_k();
            if merges || self.changes() {
                reads |= writes;
            }
        }
        let is_pure = writes != 0;
        if matches!(self.code, GATHER | SCATTER) {
            writes |= self.mask().map_or(0, both);
        }
        Effects {
            reads,
            writes,
            is_pure,
        }
    }

    /// Whether the first operand is a result.
    fn has_result(&self) -> bool {
        !matches!(
            self.code,
            Code::VEX_Kortestw_kr_kr
                | Code::VEX_Kortestb_kr_kr
                | Code::VEX_Kortestd_kr_kr
                | Code::VEX_Kortestq_kr_kr
                | Code::VEX_Vucomiss_xmm_xmmm32
                | Code::VEX_Vucomisd_xmm_xmmm64
        )
    }

    /// Whether the old value of the result's register is an operand.
    fn changes(&self) -> bool {
        matches!(
            self.code,
            Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er
                | Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er
                | Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er
                | Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er
                | Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er
                | Code::EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfmsub231pd_zmm_k1z_zmm_zmmm512b64_er
                | Code::EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er
                | GATHER
                | SELECT
                | TERNARY
        )
    }
}

pub(crate) const GATHER: Code = Code::EVEX_Vpgatherdd_zmm_k1_vm32z;
pub(crate) const SCATTER: Code = Code::EVEX_Vpscatterdd_vm32z_k1_zmm;
const SELECT: Code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
const TERNARY: Code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;

/// The halves that a host instruction leaves undefined.
pub(crate) fn clobbers(code: Code) -> Units {
    match code {
        Code::Call_rm64 => ALL,
        Code::VEX_Vzeroupper => VECTORS,
        _ => 0,
    }
}

/// Whether a host instruction never continues at the next one.
pub(crate) fn is_end(code: Code) -> bool {
    matches!(code, Code::Jmp_rm64 | Code::Retnq)
}
