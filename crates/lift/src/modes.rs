//! The parts of the machine state that the meaning of an instruction depends
//! on: they are fixed for a block, so that no mode is tested in a lane.

use wavetank_ir::{Elem, Fp, HARDWARE_REGISTERS, Round};
use wavetank_isa::numbers::hwreg;
use wavetank_isa::tables::{OperandSpec, Vop2};
use wavetank_isa::{Field, Inst, Op};

use crate::rules::Rules;

/// The MODE bits (Vega ISA, 3.5 "Mode register") a block is lifted for.
///
/// `bits` is the MODE register itself, masked to what lifting depends on; with
/// VGPR indexing on, bits 35:32 hold `M0[15:12]` (source and destination enables).
/// What a wave lacks of 256 vector registers is in bits 45:40, in fours, and of
/// 128 scalar ones in bits 51:48, in eights. Bit 56 says that it has halted, bit
/// 57 that it is to trap, bit 58 that somebody looks at its exceptions, bit 59
/// that it has its turn at an ordered counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Modes {
    bits: u64,
}

impl Modes {
    /// Bits of MODE that change what instructions mean.
    const RELEVANT: u32 =
        FP_ROUND | FP_DENORM | DX10_CLAMP | IEEE | EXCP_EN | FP16_OVFL | GPR_IDX_EN | VSKIP;

    /// The modes of a wave with this MODE register and M0, and with all registers
    /// that there are.
    pub fn new(mode: u32, m0: u32) -> Modes {
        let low = u64::from(mode & Self::RELEVANT);
        let index = if mode & GPR_IDX_EN != 0 {
            u64::from(m0 >> 12 & 0xf) << 32
        } else {
            0
        };
        Modes { bits: low | index }
    }

    /// The modes of a wave, by its hardware registers and M0: MODE, how many
    /// registers it has (GPR_ALLOC: VGPR_SIZE 13:8, SGPR_SIZE 27:24), and HALT
    /// and TRAP of STATUS.
    pub fn of_wave(hw: &[u32; HARDWARE_REGISTERS], m0: u32) -> Modes {
        let alloc = u64::from(!hw[usize::from(hwreg::GPR_ALLOC)]);
        let missing = (alloc >> 8 & 0x3f) << 40 | (alloc >> 24 & 0xf) << 48;
        let status = hw[usize::from(hwreg::STATUS)];
        let stops = u64::from(status & HALT != 0) << 56 | u64::from(status & TRAP != 0) << 57;
        let turn = if hw[usize::from(HAS_TURN)] != 0 {
            IN_TURN
        } else {
            0
        };
        let Modes { bits } = Modes::new(hw[usize::from(hwreg::MODE)], m0);
        Modes {
            bits: bits | missing | stops | turn,
        }
    }

    /// STATUS.HALT: the wave gets no further.
    pub fn halted(self) -> bool {
        self.bits >> 56 & 1 == 1
    }

    /// STATUS.TRAP: the wave is to enter the trap handler.
    pub fn trapped(self) -> bool {
        self.bits >> 57 & 1 == 1
    }

    /// The same modes of a wave that has its turn at an ordered counter.
    pub fn in_turn(self) -> Modes {
        Modes {
            bits: self.bits | IN_TURN,
        }
    }

    /// Whether the wave has its turn at an ordered counter.
    pub fn has_turn(self) -> bool {
        self.bits & IN_TURN != 0
    }

    /// The same modes of a program that can see which exceptions there were.
    pub fn noting_exceptions(self) -> Modes {
        Modes {
            bits: self.bits | 1 << 58,
        }
    }

    /// Whether exceptions are noted: the program can see them, or they trap.
    pub fn notes_exceptions(self) -> bool {
        self.bits >> 58 & 1 == 1 || self.enabled_exceptions() != 0
    }

    /// EXCP_EN: the exceptions that trap, by the bits of TRAPSTS.EXCP.
    pub fn enabled_exceptions(self) -> u32 {
        (self.mode() & EXCP_EN) >> EXCP_EN.trailing_zeros()
    }

    /// How many vector registers a lane has.
    pub fn vgprs(self) -> u16 {
        256 - 4 * (self.bits >> 40 & 0x3f) as u16
    }

    /// How many scalar registers the wave has, beside those with names.
    pub fn sgprs(self) -> u16 {
        128 - 8 * (self.bits >> 48 & 0xf) as u16
    }

    /// The key under which a translated block is cached.
    pub fn key(self) -> u64 {
        self.bits
    }

    fn mode(self) -> u32 {
        self.bits as u32
    }

    /// The float environment of operations on this element. Single precision
    /// has its own round and denormal fields; half and double share theirs.
    pub fn fp(self, elem: Elem) -> Fp {
        let shift = if elem == Elem::F32 { 0 } else { 2 };
        let round = match self.mode() >> shift & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        };
        let denorm = self.mode() >> (4 + shift) & 3;
        Fp {
            round,
            flush_in: denorm & 1 == 0,
            flush_out: denorm & 2 == 0,
            ieee: self.ieee(),
        }
    }

    /// DX10_CLAMP: clamping turns a NaN into 0.
    pub fn dx10_clamp(self) -> bool {
        self.mode() & DX10_CLAMP != 0
    }

    /// IEEE: signaling NaNs are quieted and omod is off.
    pub fn ieee(self) -> bool {
        self.mode() & IEEE != 0
    }

    /// FP16_OVFL: half-precision overflow gives the largest finite number.
    pub fn fp16_ovfl(self) -> bool {
        self.mode() & FP16_OVFL != 0
    }

    /// VGPR indexing: which operands are indexed by `M0[7:0]` (bit 0 SRC0, bit 1
    /// SRC1, bit 2 SRC2, bit 3 DST); 0 when indexing is off.
    pub fn gpr_index(self) -> u8 {
        (self.bits >> 32 & 0xf) as u8
    }

    /// The same on the chip of an instruction, which may have no indexing.
    pub(crate) fn indexed(self, inst: &Inst) -> u8 {
        match Rules::of(inst.chip).vgpr_indexing {
            true => self.gpr_index(),
            false => 0,
        }
    }

    /// Whether VGPR indexing applies to an operand (Vega ISA, 6.6.1 "Special
    /// cases"): the addend of V_MAC goes with the destination, the second source
    /// of V_MADMK is the third of the multiply-add, and of lane moves only the
    /// vector operand takes part.
    pub(crate) fn indexes(self, inst: &Inst, spec: &OperandSpec) -> bool {
        let madmk = matches!(inst.op, Op::Vop2(Vop2::V_MADMK_F16 | Vop2::V_MADMK_F32));
        let bit = match spec.field {
            Field::Src0 => 0,
            Field::Src1 if madmk => 2,
            Field::Src1 => 1,
            Field::Src2 => 2,
            _ => 3,
        };
        self.indexed(inst) >> bit & 1 == 1
    }

    /// GPR_IDX_EN: VGPR indexing is on, whatever operands it is on for.
    pub fn gpr_index_enabled(self) -> bool {
        self.mode() & GPR_IDX_EN != 0
    }

    /// VSKIP: vector instructions are skipped.
    pub fn vskip(self) -> bool {
        self.mode() & VSKIP != 0
    }
}

/// The bit of [`Modes`] that says it.
const IN_TURN: u64 = 1 << 59;
/// FP_ROUND, 2 bits single, 2 bits half and double.
pub const FP_ROUND: u32 = 0xf;
/// FP_DENORM, 2 bits single, 2 bits half and double (bit 0 input, bit 1 output).
pub const FP_DENORM: u32 = 0xf << 4;
/// DX10_CLAMP.
pub const DX10_CLAMP: u32 = 1 << 8;
/// IEEE.
pub const IEEE: u32 = 1 << 9;
/// FP16_OVFL.
pub const FP16_OVFL: u32 = 1 << 23;
/// GPR_IDX_EN.
pub const GPR_IDX_EN: u32 = 1 << 27;
/// EXCP_EN: which exceptions of floats and integers trap.
pub const EXCP_EN: u32 = 0x7f << 12;
/// TRAP, of STATUS (Vega ISA, 3.4 "Status register").
pub const TRAP: u32 = 1 << 14;
/// HALT, of STATUS (Vega ISA, 3.4 "Status register").
pub const HALT: u32 = 1 << 13;
/// No register of a chip: 1 from when a wave has its turn at an ordered counter
/// until it has changed it. No other instruction runs meanwhile.
pub const HAS_TURN: u8 = 63;
/// VSKIP.
pub const VSKIP: u32 = 1 << 28;
