//! A small evaluator of the uniform part of the IR, written from the words of
//! `wavetank_ir`: it lets the meaning of scalar instructions be compared with
//! the manual without any engine.

use wavetank_ir::{Bin, Elem, Op, Reg, Rel, Terminator, Ty, Un};
use wavetank_isa::Inst;

use crate::common::lift;

/// The uniform state of a wave.
#[derive(Clone)]
pub struct State {
    pub s: [u32; 128],
    pub scc: u32,
    pub hw: [u32; 64],
}

impl Default for State {
    fn default() -> Self {
        State {
            s: [0; 128],
            scc: 0,
            hw: [0; 64],
        }
    }
}

impl State {
    pub fn s64(&self, n: usize) -> u64 {
        u64::from(self.s[n]) | u64::from(self.s[n + 1]) << 32
    }

    pub fn set64(&mut self, n: usize, v: u64) {
        self.s[n] = v as u32;
        self.s[n + 1] = (v >> 32) as u32;
    }
}

/// Runs one instruction; how its block ends.
pub fn run(inst: Inst, state: &mut State) -> (Terminator, Option<u64>) {
    let block = lift(inst);
    let mut values = vec![0u64; block.nodes.len()];
    let mut carries = vec![0u64; block.nodes.len()];
    for (i, node) in block.nodes.iter().enumerate() {
        let get = |v: wavetank_ir::Value| values[v.index()];
        let value = match &node.op {
            Op::Inst { .. } | Op::WaitCnt(_) => 0,
            Op::Const(c) => *c,
            Op::Read(reg) => read(state, *reg),
            Op::ReadIndexedS { base, index } => {
                let n = u64::from(*base) + get(*index);
                u64::from(*state.s.get(n as usize).unwrap_or(&state.s[0]))
            }
            Op::Write { reg, value, .. } => {
                write(state, *reg, get(*value));
                0
            }
            Op::WriteIndexedS { base, index, value } => {
                let n = u64::from(*base) + get(*index);
                if let Some(s) = state.s.get_mut(n as usize) {
                    *s = get(*value) as u32;
                }
                0
            }
            Op::Un(un, elem, _, a) => unary(*un, bits(*elem), get(*a)),
            Op::Bin(bin, elem, _, a, b) => binary(*bin, bits(*elem), get(*a), get(*b)),
            Op::Cmp(rel, elem, _, a, b) => {
                let (a, b) = (get(*a), get(*b));
                let (sa, sb) = (signed(bits(*elem), a), signed(bits(*elem), b));
                u64::from(match rel {
                    Rel::Eq => a == b,
                    Rel::Ne => a != b,
                    Rel::LtU => a < b,
                    Rel::LeU => a <= b,
                    Rel::Lt => sa < sb,
                    Rel::Le => sa <= sb,
                    Rel::FLg | Rel::FOrd => panic!("a float in a scalar instruction"),
                })
            }
            Op::Select(c, a, b) => get(if get(*c) != 0 { *a } else { *b }),
            Op::AddCarry(a, b, c) => {
                let sum = get(*a) + get(*b) + c.map_or(0, get);
                carries[i] = sum >> 32;
                sum
            }
            Op::SubBorrow(a, b, c) => {
                let (a, b) = (get(*a), get(*b) + c.map_or(0, get));
                carries[i] = u64::from(b > a);
                a.wrapping_sub(b)
            }
            Op::Second(v) => carries[v.index()],
            Op::Cast(_, v) => get(*v),
            Op::End(t) => {
                let to = match t {
                    Terminator::Jump(v) => Some(get(*v)),
                    Terminator::CondBranch { cond, taken, next } => {
                        Some(if get(*cond) != 0 { *taken } else { *next })
                    }
                    Terminator::Branch(pc) => Some(*pc),
                    _ => None,
                };
                return (t.clone(), to);
            }
            op => panic!("{op:?} is not uniform"),
        };
        values[i] = match node.ty {
            Some(Ty::U32) => value & 0xffff_ffff,
            _ => value,
        };
    }
    panic!("the block has no end");
}

fn read(state: &State, reg: Reg) -> u64 {
    match reg {
        Reg::S(n) => state.s[usize::from(n)].into(),
        Reg::S64(n) | Reg::Mask(n) => state.s64(n.into()),
        Reg::Scc => state.scc.into(),
        Reg::Hw(n) => state.hw[usize::from(n)].into(),
        Reg::V(_) | Reg::V64(_) => panic!("a vector register in a scalar instruction"),
    }
}

fn write(state: &mut State, reg: Reg, v: u64) {
    match reg {
        Reg::S(n) => state.s[usize::from(n)] = v as u32,
        Reg::S64(n) | Reg::Mask(n) => state.set64(n.into(), v),
        Reg::Scc => state.scc = v as u32,
        Reg::Hw(n) => state.hw[usize::from(n)] = v as u32,
        Reg::V(_) | Reg::V64(_) => panic!("a vector register in a scalar instruction"),
    }
}

fn bits(elem: Elem) -> u32 {
    match elem {
        Elem::I16 => 16,
        Elem::I32 => 32,
        Elem::I64 => 64,
        Elem::F16 | Elem::F32 | Elem::F64 => panic!("a float in a scalar instruction"),
    }
}

fn signed(bits: u32, v: u64) -> i64 {
    (v << (64 - bits)) as i64 >> (64 - bits)
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn unary(un: Un, bits: u32, a: u64) -> u64 {
    let ones = u64::from(u32::MAX);
    let a = if matches!(un, Un::Low | Un::High) {
        a
    } else {
        a & mask(bits)
    };
    match un {
        Un::Not => !a & mask(bits),
        Un::Reverse => a.reverse_bits() >> (64 - bits),
        Un::CountOnes => a.count_ones().into(),
        Un::LeadingZeros if a == 0 => ones,
        Un::LeadingZeros => (a.leading_zeros() + bits - 64).into(),
        Un::TrailingZeros if a == 0 => ones,
        Un::TrailingZeros => a.trailing_zeros().into(),
        Un::LeadingSigns => {
            let negative = a >> (bits - 1) == 1;
            let differing = if negative { !a & mask(bits) } else { a };
            match differing {
                0 => ones,
                d => (d.leading_zeros() + bits - 64).into(),
            }
        }
        Un::SignExtend(n) => signed(n.into(), a) as u64,
        Un::Low => a & ones,
        Un::High => a >> 32,
        Un::Widen => a & ones,
        Un::WidenSigned => signed(32, a) as u64,
        un => panic!("{un:?} is not an integer operation"),
    }
}

fn binary(bin: Bin, bits: u32, a: u64, b: u64) -> u64 {
    let m = mask(bits);
    let (a, count) = (a & m, b as u32 % bits);
    let b = b & m;
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let r = match bin {
        Bin::Add => a.wrapping_add(b),
        Bin::Sub => a.wrapping_sub(b),
        Bin::Mul => a.wrapping_mul(b),
        Bin::MulHiU => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        Bin::MulHiS => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => a << count,
        Bin::Shr => a >> count,
        Bin::Sar => (sa >> count) as u64,
        Bin::MinU => a.min(b),
        Bin::MaxU => a.max(b),
        Bin::MinS => sa.min(sb) as u64,
        Bin::MaxS => sa.max(sb) as u64,
        Bin::Pack => return a | b << bits,
        bin => panic!("{bin:?} is not used by scalar instructions"),
    };
    r & m
}
