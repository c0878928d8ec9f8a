//! Fidelity: how exactly each instruction follows the ISA document, as a class that tools print.
//!
//! The class is that of the instruction without modifiers, as for [`unsupported`]. Deviations are listed here; exact instructions
//! are proved by a case or a test, which `shown` names. The other instructions are executed, but no test of this crate proves
//! them: the library adds the project's cases.

mod shown;

use wavetank_gcn::shapes::ElementType;
use wavetank_gcn::tables::{Ds, Exp, Mai, Mimg, Mubuf, Smem, Sopk, Sopp, Vintrp, Vop1, Vop3};
use wavetank_gcn::{Chip, Field, Op};

use crate::unsupported;

/// The class of an instruction: how far its results can be relied on.
#[derive(Clone, PartialEq, Debug)]
pub enum Fidelity {
    /// Every bit is as the document specifies, proved by a file of cases (`tests/isa/several/vector.wt`) or a test
    /// (`soft::scaling_rounds_once`). The cases fail for every similar meaning in its place, which tests of the library ensure.
    Exact(&'static str),
    /// Executed by the document; no test proves it bit for bit.
    Unshown,
    /// Within this many units in the last place of the exact result, where the document allows 1. Hardware may round otherwise.
    WithinUlp(f32),
    /// Different from hardware, with a description of the difference.
    Approximate(&'static str),
    /// Executed without any effect by design, with the reason why that is right.
    NoEffect(&'static str),
    /// Not supported: it stops the kernel, for this reason.
    Unsupported(String),
}

impl Fidelity {
    /// The name of the class: `exact`, `unshown`, `within ULP`, `approximate`,
    /// `no effect`, `unsupported`.
    pub fn class(&self) -> &'static str {
        match self {
            Fidelity::Exact(_) => "exact",
            Fidelity::Unshown => "unshown",
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
/// use wavetank_gcn::tables::{Sopp, Vop1, Vop2};
/// use wavetank_gcn::{Chip, Op};
/// use wavetank_lift::{Fidelity, fidelity};
/// let on_vega = |op: Op| fidelity(op, Chip::Gfx900);
/// assert!(matches!(on_vega(Vop2::V_MUL_F32.into()), Fidelity::Exact(test) if test.starts_with("soft::")));
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
    deviation(op).unwrap_or_else(|| shown::by(op).map_or(Fidelity::Unshown, Fidelity::Exact))
}

/// The class of an instruction that deviates from the document, by design or by necessity.
fn deviation(op: Op) -> Option<Fidelity> {
    match op {
        Op::Sopp(op) => sopp(op),
        Op::Sopk(op) => sopk(op),
        Op::Smem(op) => smem(op),
        Op::Vop1(op) => vop1(op),
        Op::Vop3(op) => vop3(op),
        Op::Ds(op) => ds(op),
        Op::Mubuf(op) => mubuf(op),
        Op::Sop1(_) | Op::Sop2(_) | Op::Sopc(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vop3p(_) => None,
        Op::Flat(_) | Op::Mtbuf(_) => None,
        Op::Exp(Exp::EXP) => Some(Fidelity::Approximate(
            "given to whoever taps exports; without one the kernel stops",
        )),
        Op::Mai(op) => mai(op),
        Op::MaiScaled(_) => None,
        Op::Vintrp(Vintrp::V_INTERP_MOV_F32) => None,
        Op::Vintrp(_) => Some(interpolation()),
        Op::Mimg(op) => Some(mimg(op)),
    }
}

fn mai(op: Mai) -> Option<Fidelity> {
    let shape = op.row().shape?;
    let integers = shape.d == ElementType::I32;
    let sum = if shape.sparse {
        "the order of its sums is not published: that of the dense products is used"
    } else {
        "its sums are as published; the payload of NaNs is not"
    };
    (!integers).then_some(Fidelity::Approximate(sum))
}

fn sopp(op: Sopp) -> Option<Fidelity> {
    use Fidelity::*;
    use Sopp::*;
    Some(match op {
        S_NOP | S_SETPRIO => NoEffect("time and priority are not modelled"),
        S_WAKEUP => NoEffect("a sleeping wave is woken by the scheduler anyway"),
        S_INCPERFLEVEL | S_DECPERFLEVEL | S_TTRACEDATA => {
            NoEffect("there are no performance counters and no thread trace")
        }
        S_WAITCNT => NoEffect("memory accesses are done when their instruction is"),
        S_SLEEP => Approximate("other waves run first; how long it sleeps is not modelled"),
        S_SENDMSG => Approximate("the message is given to the host program"),
        S_TRAP => Approximate("where no trap handler is installed the kernel stops"),
        S_SETHALT => Approximate("no debugger could resume the wave: to halt stops the kernel"),
        S_SENDMSGHALT => {
            Approximate("the message is given to the host program, then the kernel stops")
        }
        S_SETKILL => Approximate("the wave ends at once"),
        S_ICACHE_INV => Approximate(
            "a launch compares decoded code with memory and translates anew; code that is \
             rewritten within a running kernel is not seen",
        ),
        _ => return None,
    })
}

fn sopk(op: Sopk) -> Option<Fidelity> {
    use Fidelity::Approximate;
    Some(match op {
        Sopk::S_GETREG_B32 => Approximate(
            "STATUS, TRAPSTS, HW_ID and XCC_ID show what is modelled: no passes of exceptions, no SIMDs; work-groups are dealt \
             out to the dies in turn",
        ),
        Sopk::S_SETREG_B32 | Sopk::S_SETREG_IMM32_B32 => Approximate(
            "MODE and TRAPSTS are written; in a trap handler some of STATUS, TBA and TMA",
        ),
        _ => return None,
    })
}

fn smem(op: Smem) -> Option<Fidelity> {
    use Fidelity::*;
    use Smem::*;
    Some(match op {
        S_DCACHE_INV | S_DCACHE_INV_VOL | S_DCACHE_WB | S_DCACHE_WB_VOL | S_DCACHE_DISCARD
        | S_DCACHE_DISCARD_X2 => NoEffect("there is no scalar cache that could be stale"),
        S_ATC_PROBE | S_ATC_PROBE_BUFFER => NoEffect("there is no address translation to warm"),
        S_MEMTIME => Approximate("the clock of the host, not of a shader engine"),
        S_MEMREALTIME => Approximate("the clock of the host, in units of 10 ns"),
        _ => return None,
    })
}

fn vop1(op: Vop1) -> Option<Fidelity> {
    use Fidelity::*;
    use Vop1::*;
    Some(match op {
        // Correctly rounded; see the tests of accuracy in wavetank-interp.
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
        V_NOP => NoEffect("time is not modelled"),
        _ => return None,
    })
}

fn vop3(op: Vop3) -> Option<Fidelity> {
    Some(match op {
        Vop3::V_INTERP_P1LL_F16
        | Vop3::V_INTERP_P1LV_F16
        | Vop3::V_INTERP_P2_F16
        | Vop3::V_INTERP_P2_LEGACY_F16 => interpolation(),
        _ => return None,
    })
}

fn interpolation() -> Fidelity {
    Fidelity::Approximate("product and sum are rounded one after the other")
}

fn ds(op: Ds) -> Option<Fidelity> {
    Some(match op {
        Ds::DS_ORDERED_COUNT => Fidelity::Approximate(
            "what it adds, the counters and the bits of its offset are as compilers use them; documents have half of it",
        ),
        Ds::DS_NOP => Fidelity::NoEffect("time is not modelled"),
        Ds::DS_CONDXCHG32_RTN_B64 => Fidelity::Approximate(
            "bit 31 of each dword: store the lower 31 bits; documents say \"conditional write exchange\" only",
        ),
        _ => return None,
    })
}

fn mimg(op: Mimg) -> Fidelity {
    if op.row().operands.iter().any(|s| s.field == Field::Ssamp) {
        Fidelity::Approximate(
            "weights in single precision; the order of tiles is chosen here; images compressed by DCC stop the kernel",
        )
    } else {
        Fidelity::Approximate(
            "exact on linear images; the order of tiles is chosen here; images compressed by DCC stop the kernel",
        )
    }
}

fn mubuf(op: Mubuf) -> Option<Fidelity> {
    use Mubuf::*;
    Some(match op {
        BUFFER_WBINVL1 | BUFFER_WBINVL1_VOL | BUFFER_WBINVL1_SC => {
            Fidelity::NoEffect("there is no vector L1 cache that could be stale")
        }
        BUFFER_WBL2 | BUFFER_INVL2 | BUFFER_INV => {
            Fidelity::NoEffect("there are no caches that could be stale")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::Ty;
    use wavetank_ir::{Op as Node, Terminator};

    use super::*;
    use crate::coverage::alone;

    fn everything() -> impl Iterator<Item = (Op, Chip)> {
        Op::all().flat_map(|op| Chip::EXECUTED.iter().map(move |chip| (op, *chip)))
    }

    /// Whether the instruction alone lifts to nodes without effects.
    fn changes_nothing(op: Op, chip: Chip) -> bool {
        use Node::{Const, End, Inst, Read, WaitCnt};
        let block = alone(op, chip);
        block.nodes.iter().all(|node| match &node.op {
            Inst { .. } | Const(_) | Read(_) | WaitCnt(_) => true,
            End(end) => matches!(end, Terminator::Unsupported { .. }),
            _ => false,
        })
    }

    /// Every class agrees with the execution: refused instructions, and no others, are unsupported. Instructions without effect
    /// lift to nothing, and those that lift to nothing are not called exact.
    #[test]
    fn classes_agree_with_the_meanings() {
        for (op, chip) in everything() {
            let class = fidelity(op, chip);
            let refused = !op.row().exists_on(chip) || unsupported(op, chip).is_some();
            assert_eq!(matches!(class, Fidelity::Unsupported(_)), refused, "{op:?}");
            let nothing = !refused && changes_nothing(op, chip);
            match class {
                Fidelity::NoEffect(_) => assert!(nothing, "{op:?} on {chip}"),
                // The effect depends on the immediate: s_sethalt 0.
                Fidelity::Approximate(_) => {}
                class => assert!(!nothing, "{op:?} on {chip}: {class:?}"),
            }
        }
    }

    /// Every arm is for an instruction that some chip executes. (The arm of images covers all of them.)
    #[test]
    fn every_deviation_is_executed_somewhere() {
        let deviates = |op: &Op| deviation(*op).is_some() && !matches!(op, Op::Mimg(_));
        let of_gfx950 = |op: &Op| !Chip::EXECUTED.iter().any(|chip| op.row().exists_on(*chip));
        for op in Op::all().filter(deviates).filter(|op| !of_gfx950(op)) {
            let executed =
                |chip: &Chip| op.row().exists_on(*chip) && unsupported(op, *chip).is_none();
            assert!(Chip::EXECUTED.iter().any(executed), "{op:?}");
        }
    }

    /// The table of transcendentals claims no more than the tests of accuracy prove: no exact instruction has one of their names.
    #[test]
    fn transcendentals_are_not_called_exact() {
        let names = [
            "_EXP_F", "_LOG_F", "_RCP_", "_RSQ_", "_SQRT_", "_SIN_", "_COS_",
        ];
        for op in Vop1::ALL {
            let name = format!("{op:?}");
            if names.iter().any(|n| name.contains(n)) && !name.contains("FREXP") {
                let class = vop1(*op);
                assert!(class.is_some(), "{name}");
                let double = op.row().operands.iter().any(|s| s.ty == Ty::F64);
                if let Some(Fidelity::WithinUlp(ulp)) = class {
                    assert!(ulp <= if double { 1.0 } else { 0.51 }, "{name}: {ulp}");
                }
            }
        }
    }
}
