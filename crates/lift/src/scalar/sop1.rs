//! Scalar operations with one source (Vega ISA, 12.3 SOP1).

use wavetank_gcn::Field;
use wavetank_gcn::tables::Sop1;
use wavetank_ir::Reg;

use super::{Result, keep_scc, non_zero, write_back};
use crate::block::{Flow, Lift, NAME_ONLY};
use crate::control;
use crate::operand::M0;
use crate::traps;
use crate::value::Int;

/// Lifts a SOP1 instruction.
pub(crate) fn sop1(l: &Lift, op: Sop1) -> Flow {
    use Sop1::*;
    let s = l.scalar(Field::Src0);
    let d = || l.scalar(Field::Sdst);
    let result = match op {
        S_MOV_B32 | S_MOV_B64 => keep_scc(s),
        S_CMOV_B32 | S_CMOV_B64 => keep_scc(l.scc().select(s, d())),
        S_NOT_B32 | S_NOT_B64 => non_zero(!s),
        S_BREV_B32 | S_BREV_B64 => keep_scc(s.reverse()),
        S_WQM_B32 | S_WQM_B64 => non_zero(quads(s) * 0xf),
        S_QUADMASK_B32 | S_QUADMASK_B64 => non_zero(gather_quads(quads(s))),
        S_BITREPLICATE_B64_B32 => keep_scc(spread_bits(s.widen()) * 3),
        S_BCNT0_I32_B32 | S_BCNT0_I32_B64 => non_zero((!s).count_ones()),
        S_BCNT1_I32_B32 | S_BCNT1_I32_B64 => non_zero(s.count_ones()),
        S_FF0_I32_B32 | S_FF0_I32_B64 => keep_scc((!s).trailing_zeros()),
        S_FF1_I32_B32 | S_FF1_I32_B64 => keep_scc(s.trailing_zeros()),
        S_FLBIT_I32_B32 | S_FLBIT_I32_B64 => keep_scc(s.leading_zeros()),
        S_FLBIT_I32 | S_FLBIT_I32_I64 => keep_scc(s.leading_signs()),
        S_SEXT_I32_I8 => keep_scc(s.sign_extend(8)),
        S_SEXT_I32_I16 => keep_scc(s.sign_extend(16)),
        S_ABS_I32 => non_zero(s.lt_s(0).select(-s, s)),
        S_BITSET0_B32 | S_BITSET0_B64 => {
            let d = d();
            keep_scc(d & !(d.constant(1) << s))
        }
        S_BITSET1_B32 | S_BITSET1_B64 => {
            let d = d();
            keep_scc(d | (d.constant(1) << s))
        }

        S_AND_SAVEEXEC_B64 => save_exec(l, |exec| s & exec),
        S_OR_SAVEEXEC_B64 => save_exec(l, |exec| s | exec),
        S_XOR_SAVEEXEC_B64 => save_exec(l, |exec| s ^ exec),
        S_ANDN2_SAVEEXEC_B64 => save_exec(l, |exec| s & !exec),
        S_ORN2_SAVEEXEC_B64 => save_exec(l, |exec| s | !exec),
        S_NAND_SAVEEXEC_B64 => save_exec(l, |exec| !(s & exec)),
        S_NOR_SAVEEXEC_B64 => save_exec(l, |exec| !(s | exec)),
        S_XNOR_SAVEEXEC_B64 => save_exec(l, |exec| !(s ^ exec)),
        S_ANDN1_SAVEEXEC_B64 => save_exec(l, |exec| !s & exec),
        S_ORN1_SAVEEXEC_B64 => save_exec(l, |exec| !s | exec),
        S_ANDN1_WREXEC_B64 => write_exec(l, |exec| !s & exec),
        S_ANDN2_WREXEC_B64 => write_exec(l, |exec| s & !exec),

        S_MOVRELS_B32 => keep_scc(relative_source(l, 0)),
        S_MOVRELS_B64 => keep_scc(relative_source(l, 0).pack(relative_source(l, 1))),
        S_MOVRELD_B32 => return relative_destination(l, &[s]),
        S_MOVRELD_B64 => return relative_destination(l, &[s.low(), s.high()]),
        S_SET_GPR_IDX_IDX => {
            let m0 = (l.m0() & !0xff) | (s & 0xff);
            l.b.write(Reg::S(M0), m0.v, None);
            return Flow::Next;
        }

        S_GETPC_B64 => keep_scc(Int::const64(l.b, l.next())),
        S_SETPC_B64 => return control::jump(s),
        S_SWAPPC_B64 => return control::call(l, s),
        S_RFE_B64 => return traps::return_from_exception(l, s),
        S_CBRANCH_JOIN => return control::join(l, s),
        // NotYet
        S_MOV_REGRD_B32 | S_MOV_FED_B32 => {
            return Flow::unsupported(l.inst, NAME_ONLY);
        }
    };
    write_back(l, result)
}

/// The lowest bit of each group of four: whether any bit of the group is set.
fn quads(s: Int<'_>) -> Int<'_> {
    let pairs = s | (s >> 1);
    (pairs | (pairs >> 2)) & 0x1111_1111_1111_1111
}

/// Moves bits 0, 4, 8, … together, halving the gaps at each step.
fn gather_quads(x: Int<'_>) -> Int<'_> {
    let x = (x | (x >> 3)) & 0x0303_0303_0303_0303;
    let x = (x | (x >> 6)) & 0x000f_000f_000f_000f;
    let x = (x | (x >> 12)) & 0x0000_00ff_0000_00ff;
    if x.bits() == 64 {
        (x | (x >> 24)) & 0xffff
    } else {
        x
    }
}

/// Moves bit n of the low 32 to bit 2n.
fn spread_bits(x: Int<'_>) -> Int<'_> {
    let x = (x | (x << 16)) & 0x0000_ffff_0000_ffff;
    let x = (x | (x << 8)) & 0x00ff_00ff_00ff_00ff;
    let x = (x | (x << 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let x = (x | (x << 2)) & 0x3333_3333_3333_3333;
    (x | (x << 1)) & 0x5555_5555_5555_5555
}

/// D = EXEC; EXEC = f(EXEC); SCC = (EXEC != 0).
///
/// EXEC is written last, so if it is the destination too, it holds the new mask.
fn save_exec<'a>(l: &Lift<'a>, f: impl Fn(Int<'a>) -> Int<'a>) -> Result<'a> {
    let old = l.exec();
    let new = f(old);
    l.write_scalar(old);
    l.set_exec(new);
    Result {
        d: None,
        scc: Some(new.non_zero()),
    }
}

/// EXEC = f(EXEC); D = EXEC; SCC = (EXEC != 0).
fn write_exec<'a>(l: &Lift<'a>, f: impl Fn(Int<'a>) -> Int<'a>) -> Result<'a> {
    let new = f(l.exec());
    l.set_exec(new);
    non_zero(new)
}

/// SGPR[SRC0 + n + M0], or s0 if the wave has no such register.
fn relative_source<'a>(l: &Lift<'a>, n: u8) -> Int<'a> {
    let base = l.sgpr_code(Field::Src0).unwrap_or(0).saturating_add(n);
    let index = relative(l, base);
    Int::i32(l.b, l.b.read_indexed_s(base, index.v))
}

/// SGPR[DST + n + M0] = words[n], if the wave has such registers.
fn relative_destination<'a>(l: &Lift<'a>, words: &[Int<'a>]) -> Flow {
    let base = l.sgpr_code(Field::Sdst).unwrap_or(0);
    for (n, word) in (0..).zip(words) {
        let base = base.saturating_add(n);
        l.b.write_indexed_s(base, relative(l, base).v, word.v);
    }
    Flow::Next
}

/// M0 as an index relative to a register. Every wave has the registers with names.
fn relative<'a>(l: &Lift<'a>, base: u8) -> Int<'a> {
    match base {
        _ if base < l.rules().general_sgprs => l.index_within(base.into(), l.m0(), l.modes.sgprs()),
        _ => l.m0(),
    }
}
