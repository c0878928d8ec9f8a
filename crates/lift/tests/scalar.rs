//! Scalar instructions against the Vega ISA document: its worked examples, and
//! its pseudo-code written as loops over bits.

use crate::common::{PC, inst, lift_in};
use crate::uniform::{State, run};
use proptest::prelude::*;
use wavetank_gcn::tables::{Ds, Sop1, Sop2, Sopc, Sopk, Sopp};
use wavetank_gcn::{Field, Op, Operand};
use wavetank_ir::{Op as Node, Terminator};
use wavetank_lift::Modes;

const S0: usize = 10;
const S1: usize = 20;
const D: usize = 30;
const M0: usize = 124;
const EXEC: usize = 126;

/// What an instruction leaves: D as 64 bits (its neighbour untouched if it has
/// 32), SCC and EXEC.
struct Out {
    d: u64,
    scc: u32,
    exec: u64,
}

struct Machine(State);

impl Machine {
    fn new() -> Self {
        Machine(State::default())
    }

    fn scc(mut self, scc: u32) -> Self {
        self.0.scc = scc;
        self
    }

    fn exec(mut self, exec: u64) -> Self {
        self.0.set64(EXEC, exec);
        self
    }

    fn d(mut self, d: u64) -> Self {
        self.0.set64(D, d);
        self
    }

    fn run(mut self, op: impl Into<Op>, s0: u64, s1: u64) -> Out {
        self.0.set64(S0, s0);
        self.0.set64(S1, s1);
        let operands = [
            (Field::Sdst, Operand::Sgpr(D as u8)),
            (Field::Src0, Operand::Sgpr(S0 as u8)),
            (Field::Src1, Operand::Sgpr(S1 as u8)),
        ];
        let (end, _) = run(inst(op, &operands), &mut self.0);
        // The instruction after it is not there: nothing but the end of the
        // program text may end the block.
        assert!(matches!(end, Terminator::Unsupported { .. }));
        Out {
            d: self.0.s64(D),
            scc: self.0.scc,
            exec: self.0.s64(EXEC),
        }
    }
}

fn sop1(op: Sop1, s0: u64) -> (u64, u32) {
    let out = Machine::new().scc(7).run(op, s0, 0);
    (out.d, out.scc)
}

fn sop2(op: Sop2, s0: u64, s1: u64) -> (u64, u32) {
    let out = Machine::new().scc(7).run(op, s0, s1);
    (out.d, out.scc)
}

/// The examples of 12.1 and 12.3; SCC stays 7 where it is not written.
#[test]
fn worked_examples() {
    use Sop1::*;
    for (s0, s1, d) in [
        (0x0000_0002, 0x0000_0005, 0x0000_0003),
        (0xffff_ffff, 0x0000_0000, 0x0000_0001),
        (0x8000_0000, 0x0000_0000, 0x8000_0000),
        (0x8000_0000, 0x0000_0001, 0x7fff_ffff),
        (0x8000_0000, 0xffff_ffff, 0x7fff_ffff),
        (0x8000_0000, 0xffff_fffe, 0x7fff_fffe),
    ] {
        assert_eq!(sop2(Sop2::S_ABSDIFF_I32, s0, s1), (d, 1), "{s0:#x} {s1:#x}");
    }
    let minus_one = 0xffff_ffff;
    for (op, s0, d, scc) in [
        (S_ABS_I32, 0x0000_0001, 0x0000_0001, 1),
        (S_ABS_I32, 0x7fff_ffff, 0x7fff_ffff, 1),
        (S_ABS_I32, 0x8000_0000, 0x8000_0000, 1),
        (S_ABS_I32, 0x8000_0001, 0x7fff_ffff, 1),
        (S_ABS_I32, 0x8000_0002, 0x7fff_fffe, 1),
        (S_ABS_I32, 0xffff_ffff, 0x0000_0001, 1),
        (S_BCNT0_I32_B32, 0x0000_0000, 32, 1),
        (S_BCNT0_I32_B32, 0xcccc_cccc, 16, 1),
        (S_BCNT0_I32_B32, 0xffff_ffff, 0, 0),
        (S_BCNT1_I32_B32, 0x0000_0000, 0, 0),
        (S_BCNT1_I32_B32, 0xcccc_cccc, 16, 1),
        (S_BCNT1_I32_B32, 0xffff_ffff, 32, 1),
        (S_FF0_I32_B32, 0xaaaa_aaaa, 0, 7),
        (S_FF0_I32_B32, 0x5555_5555, 1, 7),
        (S_FF0_I32_B32, 0x0000_0000, 0, 7),
        (S_FF0_I32_B32, 0xffff_ffff, minus_one, 7),
        (S_FF1_I32_B32, 0xaaaa_aaaa, 1, 7),
        (S_FF1_I32_B32, 0x5555_5555, 0, 7),
        (S_FF1_I32_B32, 0x0000_0000, minus_one, 7),
        (S_FF1_I32_B32, 0xffff_ffff, 0, 7),
        (S_FLBIT_I32_B32, 0x0000_0000, minus_one, 7),
        (S_FLBIT_I32_B32, 0x0000_cccc, 16, 7),
        (S_FLBIT_I32_B32, 0xffff_3333, 0, 7),
        (S_FLBIT_I32_B32, 0x7fff_ffff, 1, 7),
        (S_FLBIT_I32_B32, 0x8000_0000, 0, 7),
        (S_FLBIT_I32, 0x0000_0000, minus_one, 7),
        (S_FLBIT_I32, 0x0000_cccc, 16, 7),
        (S_FLBIT_I32, 0xffff_3333, 16, 7),
        (S_FLBIT_I32, 0x7fff_ffff, 1, 7),
        (S_FLBIT_I32, 0x8000_0000, 1, 7),
        (S_FLBIT_I32, 0xffff_ffff, minus_one, 7),
    ] {
        assert_eq!(sop1(op, s0), (d, scc), "{op:?} {s0:#x}");
    }
}

fn bit(v: u64, i: u32) -> u64 {
    v >> i & 1
}

/// The pseudo-code of 12.3 for `bits` bits.
fn manual_sop1(op: Sop1, s: u64, bits: u32) -> u64 {
    use Sop1::*;
    let minus_one = u64::from(u32::MAX);
    let s = s & (u64::MAX >> (64 - bits));
    let first = |found: &dyn Fn(u32) -> bool, from: u32| {
        (from..bits)
            .find(|&i| found(i))
            .map_or(minus_one, u64::from)
    };
    match op {
        S_WQM_B32 | S_WQM_B64 => (0..bits)
            .map(|i| u64::from(s >> (i & !3) & 0xf != 0) << i)
            .sum(),
        S_QUADMASK_B32 | S_QUADMASK_B64 => (0..bits / 4)
            .map(|i| u64::from(s >> (i * 4) & 0xf != 0) << i)
            .sum(),
        S_BREV_B32 | S_BREV_B64 => (0..bits).map(|i| bit(s, bits - 1 - i) << i).sum(),
        S_BCNT0_I32_B64 => (0..bits).map(|i| 1 - bit(s, i)).sum(),
        S_BCNT1_I32_B64 => (0..bits).map(|i| bit(s, i)).sum(),
        S_FF0_I32_B64 => first(&|i| bit(s, i) == 0, 0),
        S_FF1_I32_B64 => first(&|i| bit(s, i) == 1, 0),
        S_FLBIT_I32_B64 => first(&|i| bit(s, bits - 1 - i) == 1, 0),
        S_FLBIT_I32_I64 => first(&|i| bit(s, bits - 1 - i) != bit(s, bits - 1), 1),
        S_BITREPLICATE_B64_B32 => (0..32).map(|i| (bit(s, i) * 3) << (i * 2)).sum(),
        S_SEXT_I32_I8 => u64::from(s as u8 as i8 as i32 as u32),
        S_SEXT_I32_I16 => u64::from(s as u16 as i16 as i32 as u32),
        op => panic!("{op:?} is not written here"),
    }
}

/// Numbers with long runs of equal bits, where the mistakes are.
fn word() -> impl Strategy<Value = u64> {
    let run = (any::<u64>(), 0u32..64, any::<bool>()).prop_map(|(v, n, ones)| {
        let low = v & (u64::MAX >> n);
        if ones { low | !(u64::MAX >> n) } else { low }
    });
    prop_oneof![
        any::<u64>(),
        run,
        Just(0),
        Just(u64::MAX),
        any::<u32>().prop_map(u64::from)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_source(s in word()) {
        use Sop1::*;
        for (op, bits) in [
            (S_WQM_B32, 32), (S_WQM_B64, 64), (S_QUADMASK_B32, 32), (S_QUADMASK_B64, 64),
            (S_BREV_B32, 32), (S_BREV_B64, 64), (S_BCNT0_I32_B64, 64), (S_BCNT1_I32_B64, 64),
            (S_FF0_I32_B64, 64), (S_FF1_I32_B64, 64), (S_FLBIT_I32_B64, 64),
            (S_FLBIT_I32_I64, 64), (S_BITREPLICATE_B64_B32, 32), (S_SEXT_I32_I8, 32),
            (S_SEXT_I32_I16, 32),
        ] {
            prop_assert_eq!(sop1(op, s).0, manual_sop1(op, s, bits), "{:?}({:#x})", op, s);
        }
    }

    /// Bit fields of 12.1, bit by bit; a field that reaches past the top of the
    /// register is filled as a shift fills it.
    #[test]
    fn bit_fields(s in word(), offset in 0u32..80, width in 0u32..128) {
        let s1 = u64::from(offset & 0x3f | width << 16);
        for (op, bits, extend) in [
            (Sop2::S_BFE_U32, 32, false), (Sop2::S_BFE_I32, 32, true),
            (Sop2::S_BFE_U64, 64, false), (Sop2::S_BFE_I64, 64, true),
        ] {
            let s = s & (u64::MAX >> (64 - bits));
            let fill = if extend { bit(s, bits - 1) } else { 0 };
            let shifted = |i: u32| {
                let from = i + offset % 64 % bits;
                if from < bits { bit(s, from) } else { fill }
            };
            let d: u64 = (0..bits).map(|i| {
                let inside = if i < width { shifted(i) } else if extend && width > 0 { shifted(width - 1) } else { 0 };
                inside << i
            }).sum();
            prop_assert_eq!(sop2(op, s, s1), (d, u32::from(d != 0)), "{:?}", op);
        }
    }

    #[test]
    fn sums(a: u32, b: u32, scc in 0u32..2) {
        use Sop2::*;
        let (wa, wb, c) = (u64::from(a), u64::from(b), u64::from(scc));
        let carried = |op| {
            let out = Machine::new().scc(scc).run(op, wa, wb);
            (out.d, out.scc)
        };
        let split = |sum: u64| (sum & 0xffff_ffff, (sum >> 32) as u32);
        prop_assert_eq!(carried(S_ADD_U32), split(wa + wb));
        prop_assert_eq!(carried(S_ADDC_U32), split(wa + wb + c));
        prop_assert_eq!(carried(S_SUB_U32), (u64::from(a.wrapping_sub(b)), u32::from(b > a)));
        prop_assert_eq!(
            carried(S_SUBB_U32),
            (u64::from(a.wrapping_sub(b).wrapping_sub(scc)), u32::from(wb + c > wa))
        );
        let (ia, ib) = (a as i32, b as i32);
        let (d, overflow) = ia.overflowing_add(ib);
        prop_assert_eq!(carried(S_ADD_I32), (u64::from(d as u32), u32::from(overflow)));
        let (d, overflow) = ia.overflowing_sub(ib);
        prop_assert_eq!(carried(S_SUB_I32), (u64::from(d as u32), u32::from(overflow)));
        for (op, n) in [(S_LSHL1_ADD_U32, 1), (S_LSHL2_ADD_U32, 2), (S_LSHL3_ADD_U32, 3), (S_LSHL4_ADD_U32, 4)] {
            let sum = (wa << n) + wb;
            prop_assert_eq!(carried(op), (sum & 0xffff_ffff, u32::from(sum >> 32 != 0)));
        }
        let keeps = |op| sop2(op, wa, wb);
        prop_assert_eq!(keeps(S_MUL_I32), (u64::from(a.wrapping_mul(b)), 7));
        prop_assert_eq!(keeps(S_MUL_HI_U32), ((wa * wb) >> 32, 7));
        let high = ((i64::from(ia) * i64::from(ib)) >> 32) as u32;
        prop_assert_eq!(keeps(S_MUL_HI_I32), (u64::from(high), 7));
        prop_assert_eq!(keeps(S_MIN_I32), (u64::from(ia.min(ib) as u32), u32::from(ia < ib)));
        prop_assert_eq!(keeps(S_MAX_I32), (u64::from(ia.max(ib) as u32), u32::from(ia > ib)));
        prop_assert_eq!(keeps(S_MIN_U32), (u64::from(a.min(b)), u32::from(a < b)));
        prop_assert_eq!(keeps(S_MAX_U32), (u64::from(a.max(b)), u32::from(a > b)));
        prop_assert_eq!(keeps(S_PACK_LL_B32_B16).0, u64::from(b << 16 | a & 0xffff));
        prop_assert_eq!(keeps(S_PACK_LH_B32_B16).0, u64::from(b & 0xffff_0000 | a & 0xffff));
        prop_assert_eq!(keeps(S_PACK_HH_B32_B16).0, u64::from(b & 0xffff_0000 | a >> 16));
    }

    #[test]
    fn logic_and_shifts(a in word(), b in word()) {
        use Sop2::*;
        let count = (b & 63) as u32;
        for (op, d) in [
            (S_AND_B64, a & b), (S_OR_B64, a | b), (S_XOR_B64, a ^ b), (S_ANDN2_B64, a & !b),
            (S_ORN2_B64, a | !b), (S_NAND_B64, !(a & b)), (S_NOR_B64, !(a | b)),
            (S_XNOR_B64, !(a ^ b)), (S_LSHL_B64, a << count), (S_LSHR_B64, a >> count),
            (S_ASHR_I64, (a as i64 >> count) as u64),
            (S_LSHL_B32, u64::from((a as u32) << (b & 31))),
            (S_LSHR_B32, u64::from(a as u32 >> (b & 31))),
            (S_ASHR_I32, u64::from((a as i32 >> (b & 31)) as u32)),
        ] {
            prop_assert_eq!(sop2(op, a, b), (d, u32::from(d != 0)), "{:?}", op);
        }
        let ones = |n: u64| if n == 0 { 0 } else { u64::MAX >> (64 - n) };
        prop_assert_eq!(sop2(S_BFM_B64, a, b), (ones(a & 63) << (b & 63), 7));
        prop_assert_eq!(sop2(S_BFM_B32, a, b), (ones(a & 31) << (b & 31) & 0xffff_ffff, 7));
    }

    /// D = EXEC; EXEC = f(S0, EXEC); SCC = (EXEC != 0).
    #[test]
    fn save_exec(s in word(), exec in word()) {
        use Sop1::*;
        for (op, new) in [
            (S_AND_SAVEEXEC_B64, s & exec), (S_OR_SAVEEXEC_B64, s | exec),
            (S_XOR_SAVEEXEC_B64, s ^ exec), (S_ANDN2_SAVEEXEC_B64, s & !exec),
            (S_ORN2_SAVEEXEC_B64, s | !exec), (S_NAND_SAVEEXEC_B64, !(s & exec)),
            (S_NOR_SAVEEXEC_B64, !(s | exec)), (S_XNOR_SAVEEXEC_B64, !(s ^ exec)),
            (S_ANDN1_SAVEEXEC_B64, !s & exec), (S_ORN1_SAVEEXEC_B64, !s | exec),
        ] {
            let out = Machine::new().exec(exec).run(op, s, 0);
            prop_assert_eq!((out.d, out.exec, out.scc), (exec, new, u32::from(new != 0)));
        }
        for (op, new) in [(S_ANDN1_WREXEC_B64, !s & exec), (S_ANDN2_WREXEC_B64, s & !exec)] {
            let out = Machine::new().exec(exec).run(op, s, 0);
            prop_assert_eq!((out.d, out.exec, out.scc), (new, new, u32::from(new != 0)));
        }
    }

    #[test]
    fn compares(a: u32, b: u32, same: bool, n in 0u64..64, wide: u64) {
        use Sopc::*;
        let b = if same { a } else { b };
        let scc = |op, a: u64, b: u64| Machine::new().scc(7).run(op, a, b).scc == 1;
        let (ia, ib, wa, wb) = (a as i32, b as i32, u64::from(a), u64::from(b));
        for (op, holds) in [
            (S_CMP_EQ_I32, a == b), (S_CMP_LG_I32, a != b), (S_CMP_GT_I32, ia > ib),
            (S_CMP_GE_I32, ia >= ib), (S_CMP_LT_I32, ia < ib), (S_CMP_LE_I32, ia <= ib),
            (S_CMP_EQ_U32, a == b), (S_CMP_LG_U32, a != b), (S_CMP_GT_U32, a > b),
            (S_CMP_GE_U32, a >= b), (S_CMP_LT_U32, a < b), (S_CMP_LE_U32, a <= b),
            (S_CMP_EQ_U64, a == b), (S_CMP_LG_U64, a != b),
            (S_BITCMP0_B32, a >> (b & 31) & 1 == 0), (S_BITCMP1_B32, a >> (b & 31) & 1 == 1),
        ] {
            prop_assert_eq!(scc(op, wa, wb), holds, "{:?}", op);
        }
        prop_assert_eq!(scc(S_BITCMP0_B64, wide, n), wide >> n & 1 == 0);
        prop_assert_eq!(scc(S_BITCMP1_B64, wide, n), wide >> n & 1 == 1);
    }
}

/// The sequences of 12.3: m0 = 10, s7 + 10 = s17, s5 + 10 = s15.
#[test]
fn relative_moves() {
    let mut state = State::default();
    state.s[M0] = 10;
    state.s[7] = 70;
    state.s[17] = 170;
    let operands = [
        (Field::Sdst, Operand::Sgpr(5)),
        (Field::Src0, Operand::Sgpr(7)),
    ];
    run(inst(Sop1::S_MOVRELS_B32, &operands), &mut state);
    assert_eq!(state.s[5], 170);
    run(inst(Sop1::S_MOVRELD_B32, &operands), &mut state);
    assert_eq!((state.s[15], state.s[5]), (70, 170));
}

#[test]
fn conditional_moves() {
    for scc in [0, 1] {
        let select = |a, b| if scc == 1 { a } else { b };
        let out = Machine::new()
            .scc(scc)
            .d(5)
            .run(Sop1::S_CMOV_B64, 9 << 40, 0);
        assert_eq!((out.d, out.scc), (select(9 << 40, 5), scc));
        let out = Machine::new().scc(scc).run(Sop2::S_CSELECT_B64, 1 << 50, 2);
        assert_eq!((out.d, out.scc), (select(1 << 50, 2), scc));
    }
    let out = Machine::new().d(0b1010).run(Sop1::S_BITSET0_B32, 33, 0);
    assert_eq!(out.d, 0b1000);
    let out = Machine::new().d(0b1010).run(Sop1::S_BITSET1_B64, 40, 0);
    assert_eq!(out.d, 1 << 40 | 0b1010);
}

/// 12.2: SIMM16 is signed or not as the name says.
#[test]
fn constants_of_16_bits() {
    let run16 = |op: Sopk, d: u32, simm16: u16| {
        let mut state = State::default();
        state.s[D] = d;
        let operands = [
            (Field::Sdst, Operand::Sgpr(D as u8)),
            (Field::Simm16, Operand::Imm(i32::from(simm16 as i16))),
        ];
        run(inst(op, &operands), &mut state);
        (state.s[D], state.scc)
    };
    assert_eq!(run16(Sopk::S_MOVK_I32, 0, 0x8000), (0xffff_8000, 0));
    assert_eq!(
        run16(Sopk::S_CMPK_EQ_I32, 0xffff_8000, 0x8000),
        (0xffff_8000, 1)
    );
    assert_eq!(run16(Sopk::S_CMPK_EQ_U32, 0x8000, 0x8000), (0x8000, 1));
    assert_eq!(run16(Sopk::S_CMPK_LT_I32, 0, 0xffff), (0, 0));
    assert_eq!(run16(Sopk::S_CMPK_LT_U32, 0, 0xffff), (0, 1));
    assert_eq!(run16(Sopk::S_ADDK_I32, 0x7fff_ffff, 1), (0x8000_0000, 1));
    assert_eq!(run16(Sopk::S_ADDK_I32, 5, 0xfffb), (0, 0));
    assert_eq!(run16(Sopk::S_MULK_I32, 7, 0xffff), (-7i32 as u32, 0));
}

/// 12.5: PC = PC + signext(SIMM16 · 4) + 4.
#[test]
fn branches() {
    let go = |op: Sopp, simm16: i32, state: &mut State| {
        run(inst(op, &[(Field::Simm16, Operand::Imm(simm16))]), state).1
    };
    let mut state = State::default();
    assert_eq!(go(Sopp::S_BRANCH, -1, &mut state), Some(PC));
    assert_eq!(
        go(Sopp::S_BRANCH, 0x7fff, &mut state),
        Some(PC + 4 + 0x1fffc)
    );
    let (taken, next) = (Some(PC + 4 + 40), Some(PC + 4));
    for (vcc, exec, scc) in [(0u64, 1u64 << 63, 0), (1 << 40, 0, 1)] {
        state.set64(106, vcc);
        state.set64(EXEC, exec);
        state.scc = scc;
        let choose = |c: bool| if c { taken } else { next };
        assert_eq!(go(Sopp::S_CBRANCH_SCC0, 10, &mut state), choose(scc == 0));
        assert_eq!(go(Sopp::S_CBRANCH_SCC1, 10, &mut state), choose(scc == 1));
        assert_eq!(go(Sopp::S_CBRANCH_VCCZ, 10, &mut state), choose(vcc == 0));
        assert_eq!(go(Sopp::S_CBRANCH_VCCNZ, 10, &mut state), choose(vcc != 0));
        assert_eq!(go(Sopp::S_CBRANCH_EXECZ, 10, &mut state), choose(exec == 0));
        assert_eq!(
            go(Sopp::S_CBRANCH_EXECNZ, 10, &mut state),
            choose(exec != 0)
        );
    }
}

/// 12.3: swappc saves the address of the next instruction; the source is read
/// before the destination is written. Jumping to 0 is legal.
#[test]
fn calls() {
    let mut state = State::default();
    state.set64(S0, 0xabcd_0000_1234);
    let same = [
        (Field::Sdst, Operand::Sgpr(S0 as u8)),
        (Field::Src0, Operand::Sgpr(S0 as u8)),
    ];
    let (_, to) = run(inst(Sop1::S_SWAPPC_B64, &same), &mut state);
    assert_eq!((to, state.s64(S0)), (Some(0xabcd_0000_1234), PC + 4));
    state.set64(S0, 0);
    let (end, to) = run(inst(Sop1::S_SETPC_B64, &same), &mut state);
    assert!(matches!(end, Terminator::Jump(_)));
    assert_eq!(to, Some(0));
}

/// 5.10: SIMM16 = {size − 1, offset, register}; writing MODE ends the block.
#[test]
fn hardware_registers() {
    let simm16 = |id: i32, offset: i32, size: i32| {
        (
            Field::Simm16,
            Operand::Imm((size - 1) << 11 | offset << 6 | id),
        )
    };
    let sdst = (Field::Sdst, Operand::Sgpr(D as u8));
    let mut state = State::default();
    state.hw[1] = 0x1234_5678;
    run(
        inst(Sopk::S_GETREG_B32, &[sdst, simm16(1, 4, 8)]),
        &mut state,
    );
    assert_eq!(state.s[D], 0x67);
    run(
        inst(Sopk::S_GETREG_B32, &[sdst, simm16(1, 0, 32)]),
        &mut state,
    );
    assert_eq!(state.s[D], 0x1234_5678);
    state.s[D] = 0xabc;
    let (_, to) = run(
        inst(Sopk::S_SETREG_B32, &[sdst, simm16(1, 4, 8)]),
        &mut state,
    );
    assert_eq!((state.hw[1], to), (0x1234_5bc8, Some(PC + 4)));
    // HW_ID is read only.
    run(
        inst(Sopk::S_SETREG_B32, &[sdst, simm16(4, 0, 32)]),
        &mut state,
    );
    assert_eq!(state.hw[4], 0);
}

/// 4.8: fork when lanes disagree, run the smaller part first, join twice.
#[test]
fn fork_and_join() {
    let mut state = State::default();
    state.set64(EXEC, 0b1111);
    state.set64(S0, 0b0001);
    state.set64(S1, 0x9000);
    let operands = [
        (Field::Src0, Operand::Sgpr(S0 as u8)),
        (Field::Src1, Operand::Sgpr(S1 as u8)),
    ];
    // One lane passes: it jumps first, the three others are saved.
    let (_, to) = run(inst(Sop2::S_CBRANCH_G_FORK, &operands), &mut state);
    assert_eq!((to, state.s64(EXEC)), (Some(0x9000), 0b0001));
    assert_eq!((state.s64(0), state.s64(2)), (0b1110, PC + 4));
    assert_eq!(state.hw[1] >> 29, 1);
    // The first to join gives way to the other part, the second goes on.
    state.set64(S0, 0);
    let (_, to) = run(inst(Sop1::S_CBRANCH_JOIN, &operands), &mut state);
    assert_eq!(
        (to, state.s64(EXEC), state.hw[1] >> 29),
        (Some(PC + 4), 0b1110, 0)
    );
    let (_, to) = run(inst(Sop1::S_CBRANCH_JOIN, &operands), &mut state);
    assert_eq!(
        (to, state.s64(EXEC), state.hw[1] >> 29),
        (Some(PC + 4), 0b1110, 0)
    );
}

/// 5.2 and 6.2: constants, literals and the codes above the registers.
#[test]
fn sources() {
    let mov = |op: Sop1, source: Operand, state: &mut State| {
        let operands = [(Field::Sdst, Operand::Sgpr(D as u8)), (Field::Src0, source)];
        run(inst(op, &operands), state);
        state.s64(D)
    };
    let mut state = State::default();
    use Operand::{Inline, Literal};
    use Sop1::{S_FLBIT_I32_I64, S_MOV_B32, S_MOV_B64};
    assert_eq!(mov(S_MOV_B64, Inline(193), &mut state), u64::MAX);
    assert_eq!(mov(S_MOV_B64, Inline(242), &mut state), 1f64.to_bits());
    assert_eq!(mov(S_MOV_B64, Inline(235), &mut state), 1 << 48);
    assert_eq!(mov(S_MOV_B64, Inline(237), &mut state), 2 << 48);
    assert_eq!(
        mov(S_MOV_B64, Literal(0x8000_0000), &mut state),
        0x8000_0000
    );
    assert_eq!(mov(S_MOV_B64, Inline(252), &mut state), 1);
    state.set64(EXEC, 1);
    state.scc = 1;
    assert_eq!(mov(S_MOV_B64, Inline(251), &mut state), 1);
    assert_eq!(mov(S_MOV_B64, Inline(252), &mut state), 0);
    assert_eq!(mov(S_MOV_B64, Inline(253), &mut state), 1);
    // A signed 64-bit source extends the sign of its literal: 33 equal bits.
    assert_eq!(mov(S_FLBIT_I32_I64, Literal(0x8000_0000), &mut state), 33);
    state.set64(D, 0);
    assert_eq!(
        mov(S_MOV_B32, Inline(247), &mut state),
        u64::from((-4f32).to_bits())
    );
    // A code that names no register reads s0.
    state.s[0] = 77;
    assert_eq!(mov(S_MOV_B32, Operand::Sgpr(125), &mut state), 77);
}

/// 3.5 and 12.4: blocks are lifted for fixed modes, so that whatever changes
/// them ends the block; under VSKIP vector instructions do nothing.
#[test]
fn modes_end_blocks() {
    let (gpr_idx_en, vskip) = (1 << 27, 1 << 28);
    let ends = |inst, mode| {
        let block = lift_in(inst, Modes::new(mode, 0));
        match &block.nodes.last().expect("a terminator").op {
            Node::End(Terminator::Branch(to)) => *to == PC + 4,
            _ => false,
        }
    };
    let to_m0 = inst(
        Sop1::S_MOV_B32,
        &[
            (Field::Sdst, Operand::Sgpr(M0 as u8)),
            (Field::Src0, Operand::Sgpr(1)),
        ],
    );
    assert!(!ends(to_m0, 0));
    assert!(ends(to_m0, gpr_idx_en));
    for op in [Sopp::S_SET_GPR_IDX_OFF, Sopp::S_SET_GPR_IDX_MODE] {
        assert!(ends(
            inst(op, &[(Field::Simm16, Operand::Imm(1))]),
            gpr_idx_en
        ));
    }
    let operands = [
        (Field::Src0, Operand::Inline(129)),
        (Field::Src1, Operand::Imm(9)),
    ];
    let mut state = State::default();
    state.s[M0] = 0xffff_ffff;
    run(inst(Sopc::S_SET_GPR_IDX_ON, &operands), &mut state);
    assert_eq!((state.s[M0], state.hw[1]), (0xffff_9f01, gpr_idx_en));
    let operands = [
        (Field::Src0, Operand::Inline(129)),
        (Field::Src1, Operand::Inline(128)),
    ];
    let (_, to) = run(inst(Sopc::S_SETVSKIP, &operands), &mut state);
    assert_eq!((state.hw[1], to), (gpr_idx_en | vskip, Some(PC + 4)));
    let read = inst(
        Ds::DS_READ_B32,
        &[
            (Field::Vdst, Operand::Vgpr(1)),
            (Field::Vaddr, Operand::Vgpr(2)),
        ],
    );
    let accesses = |mode| {
        let block = lift_in(read, Modes::new(mode, 0));
        block
            .nodes
            .iter()
            .filter(|n| matches!(n.op, Node::Mem(_)))
            .count()
    };
    assert_eq!((accesses(0), accesses(vskip)), (1, 0));
}
