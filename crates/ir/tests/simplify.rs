//! Simplified blocks do what they did: an evaluator of uniform operations,
//! written from their documentation alone, runs random blocks before and
//! after, and compares the registers at the end and at every memory access.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wavetank_ir::{
    Access, Bin, Block, Builder, Counter, DataReg, Elem, Family, Fp, Half, MemKind, MemOp, Op,
    Options, Reg, Rel, Space, Span, Terminator, Ty, Un, Value, simplify, verify,
};

/// Uniform registers 0 to 255, and SCC at 256.
type State = Vec<u32>;
const SCC: usize = 256;

/// The state at every point where it must be exact.
fn run(block: &Block, mut s: State) -> Vec<State> {
    let mut v: BTreeMap<usize, u64> = BTreeMap::new();
    let mut seen = Vec::new();
    for (i, node) in block.nodes.iter().enumerate() {
        let (before, seen_before) = (s.clone(), seen.len());
        let get = |x: Value| v[&x.index()];
        let pair = |s: &State, n: u8| {
            let n = usize::from(n);
            u64::from(s[n]) | u64::from(s[n + 1]) << 32
        };
        let result = match &node.op {
            Op::Const(c) => *c,
            Op::Read(Reg::S(n)) => s[usize::from(*n)].into(),
            Op::Read(Reg::S64(n) | Reg::Mask(n)) => pair(&s, *n),
            Op::Read(Reg::Scc) => s[SCC].into(),
            Op::ReadIndexedS { base, index } => {
                let at = u64::from(*base) + get(*index);
                s[if at < 256 { at as usize } else { 0 }].into()
            }
            Op::WriteIndexedS { base, index, value } => {
                let at = u64::from(*base) + get(*index);
                if at < 256 {
                    s[at as usize] = get(*value) as u32;
                }
                0
            }
            Op::Write { reg, value, .. } => {
                let x = get(*value);
                match *reg {
                    Reg::S(n) => s[usize::from(n)] = x as u32,
                    Reg::S64(n) | Reg::Mask(n) => {
                        s[usize::from(n)] = x as u32;
                        s[usize::from(n) + 1] = (x >> 32) as u32;
                    }
                    Reg::Scc => s[SCC] = x as u32,
                    _ => unreachable!("no vector registers here"),
                }
                0
            }
            Op::Un(Un::Not, e, _, a) if *e == Elem::I32 => (!get(*a) as u32).into(),
            Op::Un(Un::Not, _, _, a) => !get(*a),
            Op::Un(Un::Low, _, _, a) => (get(*a) as u32).into(),
            Op::Un(Un::High, _, _, a) => get(*a) >> 32,
            Op::Un(Un::Widen, _, _, a) => get(*a),
            Op::Bin(op, Elem::I32, _, a, b) => bin32(*op, get(*a) as u32, get(*b) as u32),
            Op::Bin(op, _, _, a, b) => bin64(*op, get(*a), get(*b)),
            Op::Cmp(rel, _, _, a, b) => {
                let (a, b) = (get(*a) as u32, get(*b) as u32);
                u64::from(match rel {
                    Rel::Eq => a == b,
                    Rel::Ne => a != b,
                    Rel::LtU => a < b,
                    Rel::LeU => a <= b,
                    Rel::Lt => (a as i32) < b as i32,
                    _ => a as i32 <= b as i32,
                })
            }
            Op::Select(c, a, b) => get(if get(*c) != 0 { *a } else { *b }),
            Op::AddCarry(a, b, c) => (get(*a) + get(*b) + c.map_or(0, get)) as u32 as u64,
            Op::Second(of) => match &block.nodes[of.index()].op {
                Op::AddCarry(a, b, c) => (get(*a) + get(*b) + c.map_or(0, get)) >> 32,
                other => unreachable!("{other}"),
            },
            Op::Cast(_, a) => get(*a),
            Op::Mem(m) => {
                seen.push(s.clone());
                if let Some(DataReg::S(n)) = m.ret {
                    // What is loaded depends on the place in the program only.
                    for k in 0..m.access.bytes() as usize / 4 {
                        s[usize::from(n) + k] = 0x1000 + seen.len() as u32;
                    }
                }
                0
            }
            Op::End(Terminator::CondBranch { cond, taken, next }) => {
                s.push(if get(*cond) != 0 { *taken } else { *next } as u32);
                seen.push(s.clone());
                0
            }
            Op::End(Terminator::Branch(to)) => {
                s.push(*to as u32);
                seen.push(s.clone());
                0
            }
            Op::Inst { .. } => 0,
            other => unreachable!("not generated: {other}"),
        };
        v.insert(i, result);
        let changed = (0..=SCC).filter(|&n| s[n] != before[n]);
        assert_eq!(undeclared(&node.op, changed), None, "{}", node.op);
        let seen_now = seen.len() != seen_before;
        assert_eq!(node.op.effects().observes_state, seen_now, "{}", node.op);
    }
    seen
}

/// A register that changed although the effects of the operation lack it.
fn undeclared(op: &Op, mut changed: impl Iterator<Item = usize>) -> Option<usize> {
    let writes = op.effects().writes;
    changed.find(|&n| {
        let reg = u8::try_from(n).map_or(Reg::Scc, Reg::S);
        !writes.overlap(Span::of(reg))
    })
}

fn bin32(op: Bin, a: u32, b: u32) -> u64 {
    let r = match op {
        Bin::Add => a.wrapping_add(b),
        Bin::Sub => a.wrapping_sub(b),
        Bin::Mul => a.wrapping_mul(b),
        Bin::MulHiU => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Bin::MulHiS => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => a.wrapping_shl(b),
        Bin::Shr => a.wrapping_shr(b),
        Bin::Sar => (a as i32).wrapping_shr(b) as u32,
        Bin::MinU => a.min(b),
        Bin::MaxS => (a as i32).max(b as i32) as u32,
        Bin::AddSatU => a.saturating_add(b),
        Bin::SubSatU => a.saturating_sub(b),
        Bin::AddSatS => (a as i32).saturating_add(b as i32) as u32,
        Bin::SubSatS => (a as i32).saturating_sub(b as i32) as u32,
        Bin::Pack => return u64::from(a) | u64::from(b) << 32,
        other => unreachable!("not generated: {other:?}"),
    };
    r.into()
}

fn bin64(op: Bin, a: u64, b: u64) -> u64 {
    match op {
        Bin::Add => a.wrapping_add(b),
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => a.wrapping_shl(b as u32),
        Bin::Sar => (a as i64).wrapping_shr(b as u32) as u64,
        other => unreachable!("not generated: {other:?}"),
    }
}

const BIN32: [Bin; 18] = [
    Bin::Add,
    Bin::Sub,
    Bin::Mul,
    Bin::MulHiU,
    Bin::MulHiS,
    Bin::And,
    Bin::Or,
    Bin::Xor,
    Bin::Shl,
    Bin::Shr,
    Bin::Sar,
    Bin::MinU,
    Bin::MaxS,
    Bin::AddSatU,
    Bin::SubSatU,
    Bin::AddSatS,
    Bin::SubSatS,
    Bin::Pack,
];
const BIN64: [Bin; 6] = [Bin::Add, Bin::And, Bin::Or, Bin::Xor, Bin::Shl, Bin::Sar];
const RELS: [Rel; 6] = [Rel::Eq, Rel::Ne, Rel::LtU, Rel::LeU, Rel::Lt, Rel::Le];
/// Constants that identities and edge cases live on.
const CONSTS: [u64; 8] = [0, 1, 31, 32, 64, 0x8000_0000, u32::MAX as u64, u64::MAX];

/// A block from random numbers: each step makes one operation of values that
/// are there, over few registers, so that they overlap.
fn build(steps: &[[u8; 4]]) -> Block {
    let b = Builder::new(0);
    b.inst(0, Family::Salu);
    let mut pool = vec![
        b.u32(1),
        b.u64(u64::MAX),
        b.mask(u64::MAX),
        b.read(Reg::Scc),
    ];
    for &[kind, x, y, z] in steps {
        let pick = |n: u8, ty: Ty| {
            let fit: Vec<Value> = pool.iter().copied().filter(|&v| b.ty(v) == ty).collect();
            // Recent values are likelier, so that chains grow.
            fit[fit.len() - 1 - usize::from(n) % fit.len().min(6)]
        };
        let (reg, fp) = (y % 4, Fp::default());
        let made = match kind % 19 {
            0 => b.u32(CONSTS[usize::from(x % 7)] as u32),
            1 => b.u64(CONSTS[usize::from(x % 8)]),
            2 => b.mask(CONSTS[usize::from(x % 8)]),
            3 => b.read(Reg::S(reg)),
            4 => b.read(Reg::S64(reg)),
            5 => b.read(Reg::Mask(reg)),
            6 => b.read(Reg::Scc),
            7 => {
                b.write(Reg::S(reg), pick(x, Ty::U32), None);
                continue;
            }
            8 => {
                b.write(Reg::S64(reg), pick(x, Ty::U64), None);
                continue;
            }
            9 => {
                b.write(Reg::Mask(reg), pick(x, Ty::Mask), None);
                continue;
            }
            10 => {
                let rel = RELS[usize::from(z % 6)];
                let (l, r) = (pick(x, Ty::U32), pick(y, Ty::U32));
                let less = b.cmp(rel, Elem::I32, fp, l, r);
                b.write(Reg::Scc, less, None);
                less
            }
            11 => {
                let op = BIN32[usize::from(z) % BIN32.len()];
                b.bin(op, Elem::I32, fp, pick(x, Ty::U32), pick(y, Ty::U32))
            }
            12 => {
                let op = BIN64[usize::from(z) % BIN64.len()];
                b.bin(op, Elem::I64, fp, pick(x, Ty::U64), pick(y, Ty::U64))
            }
            13 => {
                let op = [Bin::And, Bin::Or, Bin::Xor][usize::from(z % 3)];
                b.bin(op, Elem::I64, fp, pick(x, Ty::Mask), pick(y, Ty::Mask))
            }
            14 => match z % 5 {
                0 => b.un(Un::Not, Elem::I32, fp, pick(x, Ty::U32)),
                1 => b.un(Un::Not, Elem::I64, fp, pick(x, Ty::Mask)),
                2 => b.un(Un::Low, Elem::I64, fp, pick(x, Ty::U64)),
                3 => b.un(Un::High, Elem::I64, fp, pick(x, Ty::U64)),
                _ => b.un(Un::Widen, Elem::I32, fp, pick(x, Ty::U32)),
            },
            15 => {
                let cond = b.read(Reg::Scc);
                let (sum, carry) = b.add_carry(pick(x, Ty::U32), pick(y, Ty::U32), Some(cond));
                b.write(Reg::Scc, carry, None);
                sum
            }
            16 => b.select(b.read(Reg::Scc), pick(x, Ty::U32), pick(y, Ty::U32)),
            17 if z % 2 == 0 => b.read_indexed_s(reg, b.u32((x % 4).into())),
            17 => {
                b.write_indexed_s(reg, b.u32((x % 4).into()), pick(z, Ty::U32));
                continue;
            }
            _ => {
                b.inst(4, Family::Smem);
                b.mem(MemOp {
                    kind: MemKind::Load,
                    space: Space::Scalar {
                        address: pick(x, Ty::U64),
                        index: None,
                    },
                    offset: 0,
                    access: Access::Dwords(1 + z % 2),
                    half: Half::Whole,
                    data: vec![],
                    ret: Some(DataReg::S(reg)),
                    mask: None,
                    glc: false,
                    slc: false,
                    shadow: false,
                    counter: Counter::Lgkm,
                });
                continue;
            }
        };
        pool.push(made);
    }
    let cond = b.cmp(
        Rel::Ne,
        Elem::I32,
        Fp::default(),
        b.read(Reg::Scc),
        b.u32(0),
    );
    b.end(Terminator::CondBranch {
        cond,
        taken: 0x20,
        next: 8,
    });
    b.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_state_is_exact_where_it_must_be(
        steps in prop::collection::vec(any::<[u8; 4]>(), 0..60),
        start in prop::collection::vec(any::<u32>(), 6),
        scc in 0..2u32,
        keep_dead_writes: bool,
    ) {
        let before = build(&steps);
        prop_assert_eq!(verify(&before), Ok(()));
        let mut after = before.clone();
        simplify(&mut after, Options { keep_dead_writes });
        prop_assert_eq!(verify(&after), Ok(()), "{}", after);
        let mut state = vec![7; 257];
        state[..6].copy_from_slice(&start);
        state[SCC] = scc;
        prop_assert_eq!(run(&before, state.clone()), run(&after, state), "{}{}", before, after);
        let writes = |b: &Block| b.nodes.iter().filter(|n| n.op.has_effect()).count();
        if keep_dead_writes {
            prop_assert_eq!(writes(&before), writes(&after));
        }
        // What is simple stays as it is.
        let mut again = after.clone();
        simplify(&mut again, Options { keep_dead_writes });
        prop_assert_eq!(again.to_string(), after.to_string());
    }
}
