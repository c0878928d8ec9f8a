//! How true each instruction is to the ISA document: a class that tools print.
//!
//! The class is of the instruction without modifiers, as [`unsupported`] sees
//! it. What is not said to be otherwise gives the bits of the document.

use wavetank_isa::tables::{Ds, Exp, Mimg, Mubuf, Smem, Sop1, Sopk, Sopp, Vintrp, Vop1, Vop3};
use wavetank_isa::{Chip, Field, Op};

use crate::unsupported;

/// What can be relied on when an instruction is executed.
#[derive(Clone, PartialEq, Debug)]
pub enum Fidelity {
    /// Every bit is what the document says.
    Exact,
    /// Within this many units in the last place of the exact result, where the
    /// document grants 1. Hardware may round otherwise.
    WithinUlp(f32),
    /// Not what hardware does, and how.
    Approximate(&'static str),
    /// Executed, and changes nothing by design, and why that is right.
    NoEffect(&'static str),
    /// It stops the kernel, and why.
    Unsupported(String),
}

impl Fidelity {
    /// The name of the class: `exact`, `within ULP`, `approximate`, `no
    /// effect`, `unsupported`.
    pub fn class(&self) -> &'static str {
        match self {
            Fidelity::Exact => "exact",
            Fidelity::WithinUlp(_) => "within ULP",
            Fidelity::Approximate(_) => "approximate",
            Fidelity::NoEffect(_) => "no effect",
            Fidelity::Unsupported(_) => "unsupported",
        }
    }
}

/// The class of an instruction on a chip.
///
/// ```
/// use wavetank_isa::tables::{Sopp, Vop1, Vop2};
/// use wavetank_isa::{Chip, Op};
/// use wavetank_lift::{Fidelity, fidelity};
/// let on_vega = |op: Op| fidelity(op, Chip::Gfx900);
/// assert_eq!(on_vega(Vop2::V_ADD_F32.into()), Fidelity::Exact);
/// assert!(matches!(on_vega(Vop1::V_SIN_F32.into()), Fidelity::WithinUlp(ulp) if ulp < 1.0));
/// assert!(matches!(on_vega(Sopp::S_SETPRIO.into()), Fidelity::NoEffect(_)));
/// assert!(matches!(on_vega(Vop1::V_RCP_CLAMP_F32.into()), Fidelity::Unsupported(_)));
/// ```
pub fn fidelity(op: impl Into<Op>, chip: Chip) -> Fidelity {
    let op = op.into();
    if !op.row().exists_on(chip) {
        return Fidelity::Unsupported(format!("it does not exist on {}", chip.name()));
    }
    if let Some(why) = unsupported(op, chip) {
        return Fidelity::Unsupported(why);
    }
    match op {
        Op::Sopp(op) => sopp(op),
        Op::Sop1(op) => sop1(op),
        Op::Sopk(op) => sopk(op),
        Op::Smem(op) => smem(op),
        Op::Vop1(op) => vop1(op),
        Op::Vop3(op) => vop3(op),
        Op::Ds(op) => ds(op),
        Op::Mubuf(op) => mubuf(op),
        Op::Sop2(_) | Op::Sopc(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vop3p(_) => Fidelity::Exact,
        Op::Flat(_) | Op::Mtbuf(_) => Fidelity::Exact,
        Op::Exp(Exp::EXP) => {
            Fidelity::Approximate("given to whoever taps exports; without one the kernel stops")
        }
        Op::Vintrp(Vintrp::V_INTERP_MOV_F32) => Fidelity::Exact,
        Op::Vintrp(_) => interpolation(),
        Op::Mimg(op) => mimg(op),
    }
}

fn sopp(op: Sopp) -> Fidelity {
    use Fidelity::*;
    use Sopp::*;
    match op {
        S_NOP | S_SETPRIO => NoEffect("time and priority are not modelled"),
        S_WAKEUP => NoEffect("a sleeping wave is woken by the scheduler anyway"),
        S_INCPERFLEVEL | S_DECPERFLEVEL | S_TTRACEDATA => {
            NoEffect("there are no performance counters and no thread trace")
        }
        S_WAITCNT => NoEffect("memory accesses are done when their instruction is"),
        S_SLEEP => Approximate("other waves run first; how long it sleeps is not modelled"),
        S_SENDMSG | S_SENDMSGHALT => Approximate("the message is given to the host program"),
        S_TRAP => Approximate("traps are handled by the host, not by a trap handler"),
        S_SETHALT => Approximate("no debugger could resume the wave: to halt stops the kernel"),
        S_SETKILL => Approximate("the wave ends at once"),
        S_ENDPGM
        | S_ENDPGM_SAVED
        | S_ENDPGM_ORDERED_PS_DONE
        | S_BRANCH
        | S_CBRANCH_SCC0
        | S_CBRANCH_SCC1
        | S_CBRANCH_VCCZ
        | S_CBRANCH_VCCNZ
        | S_CBRANCH_EXECZ
        | S_CBRANCH_EXECNZ
        | S_CBRANCH_CDBGSYS
        | S_CBRANCH_CDBGUSER
        | S_CBRANCH_CDBGSYS_OR_USER
        | S_CBRANCH_CDBGSYS_AND_USER
        | S_BARRIER
        | S_ICACHE_INV
        | S_SET_GPR_IDX_OFF
        | S_SET_GPR_IDX_MODE => Exact,
    }
}

fn sop1(op: Sop1) -> Fidelity {
    match op {
        Sop1::S_RFE_B64 => Fidelity::Approximate("it jumps: there is no privileged mode to leave"),
        _ => Fidelity::Exact,
    }
}

fn sopk(op: Sopk) -> Fidelity {
    use Fidelity::Approximate;
    match op {
        Sopk::S_GETREG_B32 => {
            Approximate("STATUS, TRAPSTS and HW_ID show what is modelled: no exceptions, no SIMDs")
        }
        Sopk::S_SETREG_B32 | Sopk::S_SETREG_IMM32_B32 => {
            Approximate("only MODE and TRAPSTS are written, as without privileges")
        }
        _ => Fidelity::Exact,
    }
}

fn smem(op: Smem) -> Fidelity {
    use Fidelity::*;
    use Smem::*;
    match op {
        S_DCACHE_INV | S_DCACHE_INV_VOL | S_DCACHE_WB | S_DCACHE_WB_VOL | S_DCACHE_DISCARD
        | S_DCACHE_DISCARD_X2 => NoEffect("there is no scalar cache that could be stale"),
        S_ATC_PROBE | S_ATC_PROBE_BUFFER => NoEffect("there is no address translation to warm"),
        S_MEMTIME => Approximate("the clock of the host, not of a shader engine"),
        S_MEMREALTIME => Approximate("the clock of the host, in units of 10 ns"),
        _ => Exact,
    }
}

fn vop1(op: Vop1) -> Fidelity {
    use Fidelity::*;
    use Vop1::*;
    match op {
        // Rounded correctly, see the tests of accuracy in wavetank-interp.
        V_RCP_F64 | V_SQRT_F64 | V_RCP_CLAMP_F64 => WithinUlp(0.5),
        V_RSQ_F64 | V_RSQ_CLAMP_F64 => WithinUlp(1.0),
        V_EXP_F32 | V_LOG_F32 | V_RCP_F32 | V_RCP_IFLAG_F32 | V_RSQ_F32 | V_SQRT_F32
        | V_SIN_F32 | V_COS_F32 | V_LOG_CLAMP_F32 | V_RCP_CLAMP_F32 | V_RSQ_CLAMP_F32
        | V_RCP_LEGACY_F32 | V_RSQ_LEGACY_F32 => WithinUlp(0.5001),
        V_EXP_F16 | V_LOG_F16 | V_RCP_F16 | V_RSQ_F16 | V_SQRT_F16 | V_SIN_F16 | V_COS_F16 => {
            WithinUlp(0.51)
        }
        V_EXP_LEGACY_F32 => Approximate("as V_EXP_F32: no document gives its legacy rules"),
        V_LOG_LEGACY_F32 => Approximate("as V_LOG_F32: no document gives its legacy rules"),
        V_CLREXCP => NoEffect("exception flags are not collected"),
        V_MOV_FED_B32 | V_MOV_PRSV_B32 | V_WRITELANE_REGWR_B32 => {
            Approximate("no document says what it does")
        }
        V_NOP
        | V_MOV_B32
        | V_SWAP_B32
        | V_READFIRSTLANE_B32
        | V_MOVRELS_B32
        | V_MOVRELD_B32
        | V_MOVRELSD_B32
        | V_CVT_F64_I32
        | V_CVT_F32_I32
        | V_CVT_F16_I16
        | V_CVT_F64_U32
        | V_CVT_F32_U32
        | V_CVT_F16_U16
        | V_CVT_I32_F64
        | V_CVT_I32_F32
        | V_CVT_I16_F16
        | V_CVT_U32_F64
        | V_CVT_U32_F32
        | V_CVT_U16_F16
        | V_CVT_F32_F64
        | V_CVT_F32_F16
        | V_CVT_F64_F32
        | V_CVT_F16_F32
        | V_CVT_RPI_I32_F32
        | V_CVT_FLR_I32_F32
        | V_CVT_OFF_F32_I4
        | V_CVT_F32_UBYTE0
        | V_CVT_F32_UBYTE1
        | V_CVT_F32_UBYTE2
        | V_CVT_F32_UBYTE3
        | V_CVT_NORM_I16_F16
        | V_CVT_NORM_U16_F16
        | V_SAT_PK_U8_I16
        | V_TRUNC_F16
        | V_TRUNC_F32
        | V_TRUNC_F64
        | V_CEIL_F16
        | V_CEIL_F32
        | V_CEIL_F64
        | V_RNDNE_F16
        | V_RNDNE_F32
        | V_RNDNE_F64
        | V_FLOOR_F16
        | V_FLOOR_F32
        | V_FLOOR_F64
        | V_FRACT_F16
        | V_FRACT_F32
        | V_FRACT_F64
        | V_FREXP_EXP_I16_F16
        | V_FREXP_EXP_I32_F32
        | V_FREXP_EXP_I32_F64
        | V_FREXP_MANT_F16
        | V_FREXP_MANT_F32
        | V_FREXP_MANT_F64
        | V_NOT_B32
        | V_BFREV_B32
        | V_FFBH_U32
        | V_FFBL_B32
        | V_FFBH_I32
        | V_SCREEN_PARTITION_4SE_B32 => Exact,
    }
}

fn vop3(op: Vop3) -> Fidelity {
    match op {
        Vop3::V_READLANE_REGRD_B32 => Fidelity::Approximate("no document says what it does"),
        Vop3::V_INTERP_P1LL_F16
        | Vop3::V_INTERP_P1LV_F16
        | Vop3::V_INTERP_P2_F16
        | Vop3::V_INTERP_P2_LEGACY_F16 => interpolation(),
        _ => Fidelity::Exact,
    }
}

fn interpolation() -> Fidelity {
    Fidelity::Approximate("product and sum are rounded one after the other")
}

fn ds(op: Ds) -> Fidelity {
    match op {
        Ds::DS_NOP => Fidelity::NoEffect("time is not modelled"),
        _ => Fidelity::Exact,
    }
}

fn mimg(op: Mimg) -> Fidelity {
    if op.row().operands.iter().any(|s| s.field == Field::Ssamp) {
        Fidelity::Approximate(
            "weights in single precision; linear images of one level, others stop the kernel",
        )
    } else {
        Fidelity::Approximate("exact on linear images of one level; others stop the kernel")
    }
}

fn mubuf(op: Mubuf) -> Fidelity {
    use Mubuf::*;
    match op {
        BUFFER_WBINVL1 | BUFFER_WBINVL1_VOL | BUFFER_WBINVL1_SC => {
            Fidelity::NoEffect("there is no vector L1 cache that could be stale")
        }
        _ => Fidelity::Exact,
    }
}

#[cfg(test)]
mod tests {
    use wavetank_isa::Ty;

    use super::*;

    /// Every class tells the truth about what execution does: what lifts to
    /// nothing has no effect, what is refused is unsupported, and nothing else.
    #[test]
    fn classes_agree_with_the_meanings() {
        for op in Op::all() {
            let class = fidelity(op, Chip::Gfx900);
            let exists = op.row().exists_on(Chip::Gfx900);
            let refused = !exists || unsupported(op, Chip::Gfx900).is_some();
            assert_eq!(matches!(class, Fidelity::Unsupported(_)), refused, "{op:?}");
        }
    }

    /// The table of the transcendentals says no more than the tests of accuracy
    /// show: nothing that is exact has a name of theirs.
    #[test]
    fn transcendentals_are_not_called_exact() {
        let names = [
            "_EXP_F", "_LOG_F", "_RCP_", "_RSQ_", "_SQRT_", "_SIN_", "_COS_",
        ];
        for op in Vop1::ALL {
            let name = format!("{op:?}");
            if names.iter().any(|n| name.contains(n)) && !name.contains("FREXP") {
                let class = vop1(*op);
                assert!(!matches!(class, Fidelity::Exact), "{name}");
                let double = op.row().operands.iter().any(|s| s.ty == Ty::F64);
                if let Fidelity::WithinUlp(ulp) = class {
                    assert!(ulp <= if double { 1.0 } else { 0.51 }, "{name}: {ulp}");
                }
            }
        }
    }
}
