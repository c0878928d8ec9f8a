//! The parts of the machine state that the meaning of an instruction depends
//! on: they are fixed for a block, so that no mode is tested in a lane.

use wavetank_ir::{Elem, Fp, Round};

/// The MODE bits (Vega ISA, 3.5 "Mode register") a block is lifted for.
///
/// `bits` is the MODE register itself, masked to what lifting depends on; with
/// VGPR indexing on, bits 63:32 hold `M0[15:12]` (source and destination enables).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Modes {
    bits: u64,
}

impl Modes {
    /// Bits of MODE that change what instructions mean.
    const RELEVANT: u32 = FP_ROUND | FP_DENORM | DX10_CLAMP | IEEE | FP16_OVFL | GPR_IDX_EN | VSKIP;

    /// The modes of a wave with this MODE register and M0.
    pub fn new(mode: u32, m0: u32) -> Modes {
        let low = u64::from(mode & Self::RELEVANT);
        let index = if mode & GPR_IDX_EN != 0 {
            u64::from(m0 >> 12 & 0xf) << 32
        } else {
            0
        };
        Modes { bits: low | index }
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
        (self.bits >> 32) as u8
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
/// VSKIP.
pub const VSKIP: u32 = 1 << 28;
