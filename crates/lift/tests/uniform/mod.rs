//! The uniform part of the IR, by its own evaluator of integers: it lets the meaning of scalar instructions be compared with
//! the manual without any engine.

use wavetank_gcn::Inst;
use wavetank_ir::evaluate::{add_carry, sub_borrow};
use wavetank_ir::{Op, Reg, Terminator, Ty};

use crate::common::lift;

/// Scalar instructions of GCN know no floats.
const INTEGERS: &str = "a float in a scalar instruction";

/// The uniform state of a wave.
#[derive(Clone)]
pub(crate) struct State {
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
    pub(crate) fn s64(&self, n: usize) -> u64 {
        u64::from(self.s[n]) | u64::from(self.s[n + 1]) << 32
    }

    pub(crate) fn set64(&mut self, n: usize, v: u64) {
        self.s[n] = v as u32;
        self.s[n + 1] = (v >> 32) as u32;
    }
}

/// Runs one instruction; how its block ends.
pub(crate) fn run(inst: Inst, state: &mut State) -> (Terminator, Option<u64>) {
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
            Op::Un(un, elem, _, a) => un.evaluate(*elem, get(*a)).expect(INTEGERS),
            Op::Bin(bin, elem, _, a, b) => bin.evaluate(*elem, get(*a), get(*b)).expect(INTEGERS),
            Op::Cmp(rel, elem, _, a, b) => rel
                .evaluate(*elem, get(*a), get(*b))
                .expect(INTEGERS)
                .into(),
            Op::Select(c, a, b) => get(if get(*c) != 0 { *a } else { *b }),
            Op::AddCarry(a, b, c) => {
                let (sum, carry) = add_carry(get(*a), get(*b), c.map_or(0, get) != 0);
                carries[i] = carry.into();
                sum
            }
            Op::SubBorrow(a, b, c) => {
                let (difference, borrow) = sub_borrow(get(*a), get(*b), c.map_or(0, get) != 0);
                carries[i] = borrow.into();
                difference
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
