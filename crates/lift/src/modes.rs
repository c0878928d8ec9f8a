//! Modes: the machine state that the meaning of an instruction depends on. The modes are fixed for a block, so that none is
//! tested in a lane.

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::{OperandSpec, Vop2};
use wavetank_gcn::{Field, Inst, Op};
use wavetank_ir::{Elem, Fp, HARDWARE_REGISTERS, Round};

use crate::rules::Rules;

/// The MODE bits (Vega ISA, 3.5 "Mode register") that a block is lifted for.
///
/// `bits` is the MODE register itself, masked to the bits that lifting depends on; with VGPR indexing on, bits 35:32 hold
/// `M0[15:12]` (source and destination enables). The number of vector registers that a wave lacks of 256 is in bits 41:36, in
/// fours, of 128 scalar ones in bits 45:42, in eights, and of 256 accumulation registers in bits 52:46, in fours. Bits from 56 on
/// are flags, below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Modes {
    bits: u64,
}

impl Modes {
    /// The bits of MODE that change the meaning of instructions.
    const RELEVANT: u32 =
        FP_ROUND | FP_DENORM | DX10_CLAMP | IEEE | EXCP_EN | FP16_OVFL | GPR_IDX_EN | VSKIP;

    /// The modes of a wave with this MODE register and M0, and with all registers.
    #[inline]
    pub fn new(mode: u32, m0: u32) -> Modes {
        let low = u64::from(mode & Self::RELEVANT);
        let index = if mode & GPR_IDX_EN != 0 {
            u64::from(m0 >> 12 & 0xf) << 32
        } else {
            0
        };
        Modes { bits: low | index }
    }

    /// The modes of a wave, by its hardware registers and M0: MODE, the number of its registers (GPR_ALLOC: VGPR_SIZE 13:8,
    /// SGPR_SIZE 27:24; MISSING_ACC), the trap bits of STATUS, and whether TBA is that of a handler.
    #[inline]
    pub fn of_wave(hw: &[u32; HARDWARE_REGISTERS], m0: u32) -> Modes {
        let alloc = u64::from(!hw[usize::from(hwreg::GPR_ALLOC)]);
        let accumulators = u64::from(hw[usize::from(hwreg::MISSING_ACC)] & 0x7f);
        let missing = (alloc >> 8 & 0x3f) << 36 | (alloc >> 24 & 0xf) << 42 | accumulators << 46;
        let mode = hw[usize::from(hwreg::MODE)];
        let status = hw[usize::from(hwreg::STATUS)];
        let handler = match hw[usize::from(hwreg::TBA_LO)] | hw[usize::from(hwreg::TBA_HI)] {
            0 => 0,
            _ => HANDLED | u64::from(mode & (DEBUG | MEM_VIOL_EN)),
        };
        let turn = match hw[usize::from(HAS_TURN)] {
            0 => 0,
            _ => IN_TURN,
        };
        let Modes { bits } = Modes::new(mode, m0);
        Modes {
            bits: bits | missing | flags_of_status(status) | handler | turn,
        }
    }

    /// The modes in which a wave continues after a refused access: a block lifted for them enters its trap handler. `None` if the
    /// wave has no handler, is in it, or has not enabled violations (MODE.EXCP_EN).
    pub fn after_violation(self) -> Option<Modes> {
        let bits = self.bits | VIOLATES;
        self.violations_trap().then_some(Modes { bits })
    }

    /// STATUS.HALT, outside of a handler: the wave does not continue.
    pub fn halted(self) -> bool {
        self.has(HALTED)
    }

    /// STATUS.TRAP, outside of a handler: the wave is to enter the trap handler.
    pub fn trapped(self) -> bool {
        self.has(TRAPPED)
    }

    /// Whether the wave enters its handler after an access.
    pub(crate) fn violates(self) -> bool {
        self.has(VIOLATES)
    }

    /// Whether the wave has a trap handler.
    pub fn has_handler(self) -> bool {
        self.has(HANDLED)
    }

    /// STATUS.PRIV: the wave is in its handler.
    pub fn privileged(self) -> bool {
        self.has(PRIVILEGED)
    }

    /// STATUS.TRAP_EN = 0: S_TRAP has no effect, and exceptions do not trap.
    pub fn traps_ignored(self) -> bool {
        self.has(IGNORED)
    }

    /// Whether an instruction may make the wave enter a handler.
    pub(crate) fn may_enter(self) -> bool {
        self.has_handler() && !self.has(IGNORED | PRIVILEGED)
    }

    /// MODE.DEBUG: the wave enters its handler after each instruction.
    pub(crate) fn single_steps(self) -> bool {
        self.may_enter() && self.mode() & DEBUG != 0
    }

    /// EXCP_EN of memory violations: the wave enters its handler after one.
    pub(crate) fn violations_trap(self) -> bool {
        self.may_enter() && self.mode() & MEM_VIOL_EN != 0
    }

    /// Whether one of these flags is set.
    fn has(self, flags: u64) -> bool {
        self.bits & flags != 0
    }

    /// These modes for a wave that has its turn at an ordered counter.
    pub fn in_turn(self) -> Modes {
        Modes {
            bits: self.bits | IN_TURN,
        }
    }

    /// Whether the wave has its turn at an ordered counter.
    pub fn has_turn(self) -> bool {
        self.bits & IN_TURN != 0
    }

    /// These modes for a program that can observe the raised exceptions.
    pub fn noting_exceptions(self) -> Modes {
        Modes {
            bits: self.bits | NOTED,
        }
    }

    /// Whether exceptions are recorded: the program can observe them, or they trap.
    pub fn notes_exceptions(self) -> bool {
        self.has(NOTED) || self.enabled_exceptions() != 0
    }

    /// EXCP_EN: the exceptions that trap, by the bits of TRAPSTS.EXCP. In a handler none does.
    pub fn enabled_exceptions(self) -> u32 {
        if self.has(IGNORED | PRIVILEGED) {
            0
        } else {
            (self.mode() & EXCP_EN) >> EXCP_EN.trailing_zeros()
        }
    }

    /// The number of vector registers of a lane.
    pub fn vgprs(self) -> u16 {
        256 - 4 * (self.bits >> 36 & 0x3f) as u16
    }

    /// The number of scalar registers of the wave, beside those with names.
    pub fn sgprs(self) -> u16 {
        128 - 8 * (self.bits >> 42 & 0xf) as u16
    }

    /// The number of accumulation registers of a lane.
    pub fn accumulators(self) -> u16 {
        256 - 4 * (self.bits >> 46 & 0x7f).min(64) as u16
    }

    fn mode(self) -> u32 {
        self.bits as u32
    }

    /// The float environment of operations on an element type. Single precision has its own round and denormal fields; half and
    /// double share theirs.
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

    /// IEEE: signaling NaNs become quiet, and OMOD is off.
    pub fn ieee(self) -> bool {
        self.mode() & IEEE != 0
    }

    /// FP16_OVFL: half-precision overflow gives the largest finite number.
    pub fn fp16_ovfl(self) -> bool {
        self.mode() & FP16_OVFL != 0
    }

    /// VGPR indexing: the operands that are indexed by `M0[7:0]` (bit 0 SRC0, bit 1 SRC1, bit 2 SRC2, bit 3 DST); 0 if indexing
    /// is off.
    pub fn gpr_index(self) -> u8 {
        (self.bits >> 32 & 0xf) as u8
    }

    /// The indexed operands on the chip of an instruction, which may have no indexing.
    pub(crate) fn indexed(self, inst: &Inst) -> u8 {
        if Rules::of(inst.chip).vgpr_indexing {
            self.gpr_index()
        } else {
            0
        }
    }

    /// Whether VGPR indexing applies to an operand (Vega ISA, 6.6.1 "Special cases"): the addend of V_MAC is indexed like the
    /// destination, the second source of V_MADMK is the third of the multiply-add, and in lane moves only the vector operand is
    /// indexed.
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

    /// GPR_IDX_EN: VGPR indexing is on, for any operands.
    pub fn gpr_index_enabled(self) -> bool {
        self.mode() & GPR_IDX_EN != 0
    }

    /// VSKIP: vector instructions are skipped.
    pub fn vskip(self) -> bool {
        self.mode() & VSKIP != 0
    }
}

/// The flags for the bits of the wave's STATUS. In a handler, HALT and TRAP are ignored (Vega ISA, 3.4 "Status register").
fn flags_of_status(status: u32) -> u64 {
    let flag = |on: bool, flag: u64| if on { flag } else { 0 };
    let privileged = status & PRIV != 0;
    let ignored = status & TRAP_EN == 0;
    flag(status & HALT != 0 && !privileged, HALTED)
        | flag(status & TRAP != 0 && !privileged && !ignored, TRAPPED)
        | flag(privileged, PRIVILEGED)
        | flag(ignored, IGNORED)
}

/// The wave has halted.
const HALTED: u64 = 1 << 56;
/// The wave is about to enter its trap handler.
const TRAPPED: u64 = 1 << 57;
/// The program observes float exceptions.
const NOTED: u64 = 1 << 58;
/// The wave has a trap handler.
const HANDLED: u64 = 1 << 59;
/// The wave is in its trap handler.
const PRIVILEGED: u64 = 1 << 60;
/// Traps are disabled by STATUS.TRAP_EN.
const IGNORED: u64 = 1 << 61;
/// The wave is about to enter its trap handler after a refused access.
const VIOLATES: u64 = 1 << 62;
/// The wave has its turn at an ordered counter.
const IN_TURN: u64 = 1 << 63;

/// FP_ROUND, 2 bits single, 2 bits half and double.
pub(crate) const FP_ROUND: u32 = 0xf;
/// FP_DENORM, 2 bits single, 2 bits half and double (bit 0 input, bit 1 output).
pub(crate) const FP_DENORM: u32 = 0xf << 4;
/// DX10_CLAMP, a bit of MODE.
pub(crate) const DX10_CLAMP: u32 = 1 << 8;
/// IEEE, a bit of MODE.
pub(crate) const IEEE: u32 = 1 << 9;
/// FP16_OVFL, a bit of MODE.
pub(crate) const FP16_OVFL: u32 = 1 << 23;
/// GPR_IDX_EN, a bit of MODE.
pub(crate) const GPR_IDX_EN: u32 = 1 << 27;
/// EXCP_EN: the float and integer exceptions that trap.
pub(crate) const EXCP_EN: u32 = 0x7f << 12;
/// The bit of EXCP_EN for memory violations.
const MEM_VIOL_EN: u32 = 1 << 20;
/// DEBUG: a wave with a trap handler is single-stepped.
const DEBUG: u32 = 1 << 11;
/// PRIV, of STATUS (Vega ISA, 3.4 "Status register").
pub(crate) const PRIV: u32 = 1 << 5;
/// TRAP_EN, of STATUS (Vega ISA, 3.4 "Status register").
const TRAP_EN: u32 = 1 << 6;
/// TRAP, of STATUS (Vega ISA, 3.4 "Status register").
pub(crate) const TRAP: u32 = 1 << 14;
/// HALT, of STATUS (Vega ISA, 3.4 "Status register").
pub(crate) const HALT: u32 = 1 << 13;
/// A register that chips do not have: 1 from the time when a wave has its turn at an ordered counter until it has changed the
/// counter. No other instruction runs in between.
pub(crate) const HAS_TURN: u8 = 63;
/// VSKIP, a bit of MODE.
pub(crate) const VSKIP: u32 = 1 << 28;
