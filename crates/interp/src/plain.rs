//! The plain evaluator: evaluates the IR node by node.
//!
//! It does not lower or fuse operations, and caches only lifted blocks, so that it is simple enough to be trusted. It runs whole
//! kernels, slowly, and faster back ends are compared with it: from the same state, they must reach the same state. It calls the
//! same lane functions as the interpreter, so it tests lowering, and not the functions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wavetank_ir::{Block, LANES, MemOp, Node, Op, Reg, Terminator, Ty, Value};
use wavetank_translate::{Code, FrontEnd, Modes, Translator, TrapEntry};

use crate::access;
use wavetank_lane_ops::{INDEXED_SGPRS, Val, evaluate, mask_of, multiply_in};
use wavetank_lower::ROOM;
use wavetank_machine::{Backend, BlockCost, Event, Fault, Leave, Sent, SyncRequest, clock};
use wavetank_matrix::Level;
use wavetank_memory::{MemoryUnit, Uniform, VGPRS, Wave, sreg};

/// A block and its cost.
type Known = (Block, BlockCost);

/// The lifted blocks of a program, shared by the threads that run it.
pub struct PlainProgram {
    translator: Translator,
    blocks: Mutex<HashMap<(u64, Modes), Arc<Known>>>,
    count: bool,
}

impl PlainProgram {
    /// Returns a program of GCN code; `count` enables counting of instructions.
    pub fn new(code: Arc<dyn Code + Send + Sync>, count: bool) -> Self {
        PlainProgram::translated(Translator::new(code, false), count)
    }

    /// Returns a program of an instruction set other than GCN.
    pub fn of(front_end: Arc<dyn FrontEnd + Send + Sync>, count: bool) -> Self {
        PlainProgram::translated(Translator::of(front_end, false), count)
    }

    fn translated(translator: Translator, count: bool) -> Self {
        PlainProgram {
            translator,
            blocks: Mutex::default(),
            count,
        }
    }

    fn block(&self, pc: u64, modes: Modes) -> Arc<Known> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let lift = || {
            let block = self.translator.lift(pc, modes);
            let block_cost = self.translator.block_cost(&block, modes);
            Arc::new((block, block_cost))
        };
        blocks.entry((pc, modes)).or_insert_with(lift).clone()
    }
}

/// The reference evaluator on a program.
pub struct Plain<'p> {
    program: &'p PlainProgram,
    step: bool,
}

impl<'p> Plain<'p> {
    /// Returns a back end for one thread.
    pub fn new(program: &'p PlainProgram) -> Self {
        let step = false;
        Plain { program, step }
    }

    /// Returns a back end that ends a block after every instruction, so that a budget of 1 stops there.
    pub fn stepping(program: &'p PlainProgram) -> Self {
        let step = true;
        Plain { program, step }
    }
}

impl Backend for Plain<'_> {
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Leave {
        memory.enter();
        wave.make_room(ROOM);
        self.time_slice(wave, memory)
    }
}

impl Plain<'_> {
    fn time_slice(&self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Leave {
        let of_wave = |u: &Uniform| Modes::of_wave(&u.hw, u.s[usize::from(sreg::M0)]);
        let mut trap_entry = TrapEntry::default();
        let mut handling = None;
        loop {
            let u = wave.uniform();
            let modes = handling.take().unwrap_or_else(|| of_wave(u));
            let known = self.program.block(u.pc, modes);
            let (block, block_cost) = &*known;
            let mut frame = Frame {
                block,
                values: vec![None; block.nodes.len()],
                seconds: HashMap::new(),
                pc: block.pc,
                step: self.step,
                count: self.program.count,
                wave,
                memory,
            };
            if let Err(leave) = frame.run() {
                handling = trap_entry.catch(&leave, wave.uniform_mut());
                match handling {
                    Some(_) => continue,
                    None => return leave,
                }
            }
            let (uniform, vector) = wave.files();
            trap_entry.release(uniform);
            let step = BlockCost::step(block.pc);
            let block_cost = if self.step { &step } else { block_cost };
            if let Some(leave) = block_cost.charge(block_cost.edge(uniform.pc), uniform, vector) {
                return leave;
            }
        }
    }
}

/// One execution of a block.
struct Frame<'a, 'm> {
    block: &'a Block,
    values: Vec<Option<Val>>,
    /// The second results of operations with two.
    seconds: HashMap<Value, u64>,
    pc: u64,
    step: bool,
    count: bool,
    wave: &'a mut Wave,
    memory: &'a mut MemoryUnit<'m>,
}

impl Frame<'_, '_> {
    /// Runs to the end of the block. The error is the reason for which the wave leaves.
    fn run(&mut self) -> Result<(), Leave> {
        let block = self.block;
        for (n, node) in block.nodes.iter().enumerate() {
            let this = Value(n as u32);
            let value = match &node.op {
                Op::Inst { pc, .. } if self.step && *pc != block.pc => {
                    self.wave.uniform_mut().pc = *pc;
                    return Ok(());
                }
                Op::Inst { pc, family } => {
                    self.open(*pc, *family as usize);
                    None
                }
                Op::Write { .. } | Op::WriteIndexed { .. } | Op::WriteIndexedS { .. } => {
                    self.write(&node.op)?;
                    None
                }
                Op::Mem(op) => self.access(op)?,
                Op::Matrix(product) => {
                    multiply_in(self.wave.vectors_mut(), product, Level::Baseline);
                    None
                }
                Op::WaitCnt(_) => None,
                Op::Tally {
                    site,
                    lanes,
                    before,
                } => {
                    let [lanes, before] = [lanes, before].map(|v| self.get(*v).uniform());
                    self.memory.tally(*site, lanes, before);
                    None
                }
                Op::Probe { .. } => {
                    self.probe(&node.op);
                    None
                }
                Op::End(end) => return self.end(end),
                _ => Some(self.value(this, node)?),
            };
            self.values[n] = value;
        }
        Ok(())
    }

    /// Records the lanes in which a value is not 0.
    fn probe(&mut self, probe: &Op) {
        let Op::Probe {
            pc,
            about,
            of,
            lanes,
            shows,
        } = probe
        else {
            return;
        };
        let on = self.get(*lanes).uniform();
        let lanes_set = match (self.block.ty(*of), self.get(*of)) {
            (Ty::Mask, mask) => mask.uniform() & on,
            (_, Val::Uniform(0)) => 0,
            (_, Val::Uniform(_)) => on,
            (_, value) => {
                (0..LANES).fold(0, |set, l| set | u64::from(value.lane(l) != 0) << l) & on
            }
        };
        if lanes_set != 0 {
            let first = lanes_set.trailing_zeros() as usize;
            let shown = shows.iter().map(|v| self.get(*v).lane(first)).collect();
            self.memory.probe(*pc, *about, lanes_set, shown);
        }
    }

    fn get(&self, v: Value) -> &Val {
        self.values[v.index()]
            .as_ref()
            .expect("operands come before")
    }

    fn is_vector(&self, v: Value) -> bool {
        self.block.ty(v).is_vector()
    }

    fn unsupported(&self, what: String) -> Leave {
        let pc = self.pc;
        Fault::Unsupported { pc, what }.into()
    }

    fn open(&mut self, pc: u64, family: usize) {
        self.pc = pc;
        let lanes = self.wave.exec().count_ones();
        let uniform = self.wave.uniform_mut();
        uniform.pc = pc;
        if self.count {
            uniform.counts[family] += 1;
            uniform.lane_count += u64::from(lanes);
        }
    }

    /// Evaluates an operation with one result.
    fn value(&mut self, this: Value, node: &Node) -> Result<Val, Leave> {
        if let Some(value) = self.arithmetic(node) {
            return value.ok_or_else(|| {
                self.unsupported(format!("{:?} is not defined for its element", node.op))
            });
        }
        if let Some(value) = self.wide(this, node) {
            return Ok(value);
        }
        Ok(match &node.op {
            Op::Const(c) => Val::Uniform(*c),
            Op::Read(reg) => read(self.wave, *reg),
            Op::ReadIndexed { base, index } => {
                let n = u64::from(*base).wrapping_add(self.get(*index).uniform()) as u32;
                let n = if (n as usize) < VGPRS { n as u16 } else { 0 };
                read(self.wave, Reg::V(n))
            }
            Op::ReadIndexedS { base, index } => {
                let n = u64::from(*base).wrapping_add(self.get(*index).uniform()) as u32;
                let n = if n < INDEXED_SGPRS { n as u8 } else { 0 };
                read(self.wave, Reg::S(n))
            }
            Op::Second(of) => Val::Uniform(self.seconds[of]),
            Op::Cast(_, v) => self.get(*v).clone(),
            Op::Select(cond, a, b) => {
                let lanes = self.block.ty(*cond) == Ty::Mask;
                let (cond, a, b) = (self.get(*cond).uniform(), self.get(*a), self.get(*b));
                let vector = node.ty.is_some_and(Ty::is_vector);
                let on = |l: usize| {
                    if lanes && vector {
                        cond >> l & 1 != 0
                    } else {
                        cond != 0
                    }
                };
                Val::each(vector, |l| if on(l) { a.lane(l) } else { b.lane(l) })
            }
            Op::Clock(clock) => Val::Uniform(clock::now(*clock)),
            op => self
                .cross_lane(op)
                .ok_or_else(|| self.unsupported(format!("{op:?} cannot be evaluated")))?,
        })
    }

    /// Evaluates an operation whose function depends on the element type. The outer `None` stands for another operation, the
    /// inner one for a missing function.
    fn arithmetic(&self, node: &Node) -> Option<Option<Val>> {
        let mut args = [const { Val::Uniform(0) }; 3];
        let mut operands = Vec::with_capacity(3);
        node.op.for_each_operand(&mut |v| operands.push(*v));
        let vector = match node.op {
            Op::Un(..) | Op::Bin(..) | Op::Tern(..) | Op::Cvt(..) => {
                node.ty.is_some_and(Ty::is_vector)
            }
            Op::Cmp(..) | Op::Class(..) => operands.iter().any(|v| self.is_vector(*v)),
            _ => return None,
        };
        for (arg, v) in args.iter_mut().zip(operands) {
            *arg = self.get(v).clone();
        }
        Some(evaluate(&node.op, vector, args))
    }

    /// Evaluates an operation with two results.
    fn wide(&mut self, this: Value, node: &Node) -> Option<Val> {
        let ty = node.ty?;
        let vector = ty.is_vector();
        let narrow = |v: u64| {
            if ty.bits() == 32 {
                u64::from(v as u32)
            } else {
                v
            }
        };
        let (value, second) = match &node.op {
            Op::AddCarry(a, b, carry) | Op::SubBorrow(a, b, carry) => {
                let subtract = matches!(node.op, Op::SubBorrow(..));
                let carry = carry.map_or(0, |c| self.get(c).uniform());
                let carry = |l: usize| {
                    if vector {
                        carry >> l & 1
                    } else {
                        u64::from(carry != 0)
                    }
                };
                let (a, b) = (self.get(*a), self.get(*b));
                let limit = 1u128 << ty.bits();
                let result = |l: usize| {
                    let [a, b, c] =
                        [narrow(a.lane(l)), narrow(b.lane(l)), carry(l)].map(u128::from);
                    if subtract {
                        a + limit - b - c
                    } else {
                        a + b + c
                    }
                };
                // Without a borrow, the added limit is still in the result.
                let flag = |l: usize| (result(l) >= limit) != subtract;
                (
                    Val::each(vector, |l| narrow(result(l) as u64)),
                    mask_of(vector, flag),
                )
            }
            Op::MadWide { signed, args } => {
                let [a, b, c] = args.map(|v| self.get(v).clone());
                let product = |l: usize| match signed {
                    true => (i64::from(a.lane(l) as i32) * i64::from(b.lane(l) as i32)) as u64,
                    false => u64::from(a.lane(l) as u32) * u64::from(b.lane(l) as u32),
                };
                let flag = |l: usize| !signed && product(l).checked_add(c.lane(l)).is_none();
                let sum = |l: usize| product(l).wrapping_add(c.lane(l));
                (Val::each(vector, sum), mask_of(vector, flag))
            }
            Op::LaneFn(function, args) => {
                let args: Vec<_> = args.iter().map(|a| self.get(*a)).collect();
                let arg = |n: usize, l: usize| args.get(n).map_or(0, |a| a.lane(l));
                let call = |l: usize| (function.call)(std::array::from_fn(|n| arg(n, l)));
                (
                    Val::each(vector, |l| narrow(call(l).0)),
                    mask_of(vector, |l| call(l).1),
                )
            }
            _ => return None,
        };
        self.seconds.insert(this, second);
        Some(value)
    }

    /// Evaluates an operation that moves values between lanes.
    fn cross_lane(&self, op: &Op) -> Option<Val> {
        Some(match op {
            Op::NonZero(v) => Val::Uniform(mask_of(true, |l| self.get(*v).lane(l) as u32 != 0)),
            Op::LanesBelow { high } => {
                let shift = if *high { 32 } else { 0 };
                Val::each(true, |l| u64::from((((1u64 << l) - 1) >> shift) as u32))
            }
            Op::LaneId => Val::each(true, |l| l as u64),
            Op::ReadLane(v, index) => {
                let lane = self.get(*index).uniform() as usize % LANES;
                Val::Uniform(self.get(*v).lane(lane))
            }
            Op::ReadFirstLane(v, lanes) => {
                let lowest = self.get(*lanes).uniform().trailing_zeros() as usize % LANES;
                Val::Uniform(self.get(*v).lane(lowest))
            }
            Op::Shuffle(v, table) => {
                let v = self.get(*v);
                Val::each(true, |l| {
                    if table[l] < 64 {
                        v.lane(table[l].into())
                    } else {
                        0
                    }
                })
            }
            Op::ShuffleMask(v, table) => {
                let v = self.get(*v).uniform();
                Val::Uniform(mask_of(true, |l| table[l] < 64 && v >> table[l] & 1 != 0))
            }
            Op::Permute { value, index, mask } => {
                let (value, index, mask) = (
                    self.get(*value),
                    self.get(*index),
                    self.get(*mask).uniform(),
                );
                let from = |l: usize| index.lane(l) as usize / 4 % LANES;
                Val::each(true, |l| {
                    if mask >> from(l) & 1 != 0 {
                        value.lane(from(l))
                    } else {
                        0
                    }
                })
            }
            Op::Scatter { value, index, mask } => {
                let (value, index, mask) = (
                    self.get(*value),
                    self.get(*index),
                    self.get(*mask).uniform(),
                );
                let mut out = Box::new([0; LANES]);
                for l in (0..LANES).filter(|l| mask >> l & 1 != 0) {
                    out[index.lane(l) as usize / 4 % LANES] = value.lane(l);
                }
                Val::Lanes(out)
            }
            _ => return None,
        })
    }

    fn write(&mut self, op: &Op) -> Result<(), Leave> {
        let sum = |base: u64, index: Value| base.wrapping_add(self.get(index).uniform()) as u32;
        let (reg, value, lanes, bytes) = match *op {
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            } => (reg, value, mask, bytes),
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => match sum(base.into(), index) {
                n if (n as usize) < VGPRS => (Reg::V(n as u16), value, Some(mask), 0xf),
                _ => return Ok(()),
            },
            Op::WriteIndexedS { base, index, value } => match sum(base.into(), index) {
                n if n < INDEXED_SGPRS => (Reg::S(n as u8), value, None, 0xf),
                _ => return Ok(()),
            },
            _ => return Err(self.unsupported(format!("{op:?} is not a write"))),
        };
        let lanes = lanes.map_or(!0, |m| self.get(m).uniform());
        let value = self.get(value).clone();
        write(self.wave, reg, &value, lanes, bytes);
        Ok(())
    }

    /// Makes a memory access. Returns its result if that does not go to registers.
    fn access(&mut self, op: &MemOp) -> Result<Option<Val>, Leave> {
        let (values, pc) = (&self.values, self.pc);
        let get = |v: Value| values[v.index()].as_ref().expect("operands come before");
        access::perform(op, pc, get, self.wave, self.memory)
    }

    fn end(&mut self, end: &Terminator) -> Result<(), Leave> {
        let pc = self.pc;
        let (next, leave): (u64, Option<Leave>) = match end {
            Terminator::Branch(next) => (*next, None),
            Terminator::CondBranch { cond, taken, next } => {
                match self.get(*cond).uniform() as u32 {
                    0 => (*next, None),
                    _ => (*taken, None),
                }
            }
            Terminator::Jump(to) => (self.get(*to).uniform(), None),
            Terminator::Barrier { next } => (*next, Some(Leave::Barrier(pc))),
            Terminator::Sleep { next } => (*next, Some(Leave::Sleep(pc))),
            Terminator::GlobalSync {
                op,
                resource,
                value,
                next,
            } => {
                let request = SyncRequest {
                    op: *op,
                    resource: self.get(*resource).uniform() as u8,
                    value: self.get(*value).uniform() as u32,
                };
                (*next, Some(Event::GlobalSync { pc, request }.into()))
            }
            Terminator::Export { export, next } => {
                let lanes = |v| {
                    let value = self.get(v);
                    Box::new(std::array::from_fn(|l| value.lane(l) as u32))
                };
                let data = export.sources.map(|v| v.map(lanes));
                let mask = self.get(export.mask).uniform();
                let sent = Sent::new(export, mask, data);
                (*next, Some(Event::Export { pc, sent }.into()))
            }
            Terminator::Message { message, next } => {
                let message = *message;
                (*next, Some(Event::Message { pc, message }.into()))
            }
            Terminator::Breakpoint { pc, block } => {
                let (pc, block) = (*pc, *block);
                (pc, Some(Event::Breakpoint { pc, block }.into()))
            }
            Terminator::Trap { id, .. } => {
                let id = *id;
                return Err(Fault::Trap { pc, id }.into());
            }
            Terminator::EndProgram => (pc, Some(Leave::End(pc))),
            Terminator::Unsupported { what } => return Err(self.unsupported(what.to_string())),
        };
        self.wave.uniform_mut().pc = next;
        leave.map_or(Ok(()), Err)
    }
}

fn read(wave: &Wave, reg: Reg) -> Val {
    let uniform = wave.uniform();
    match reg {
        Reg::S(n) => Val::Uniform(uniform.s[usize::from(n)].into()),
        Reg::S64(n) | Reg::Mask(n) => Val::Uniform(wave.s64(n)),
        Reg::Scc => Val::Uniform(uniform.scc.into()),
        Reg::Hw(n) => Val::Uniform(uniform.hw[usize::from(n)].into()),
        Reg::V(n) => Val::each(true, |l| wave.vgpr(n.into())[l].into()),
        Reg::V64(n) => {
            let (low, high) = (wave.vgpr(n.into()), wave.vgpr(usize::from(n) + 1));
            Val::each(true, |l| u64::from(low[l]) | u64::from(high[l]) << 32)
        }
    }
}

fn write(wave: &mut Wave, reg: Reg, value: &Val, lanes: u64, bytes: u8) {
    match reg {
        Reg::S(n) => wave.uniform_mut().s[usize::from(n)] = value.uniform() as u32,
        Reg::S64(n) | Reg::Mask(n) => wave.set_s64(n, value.uniform()),
        Reg::Scc => wave.uniform_mut().scc = u32::from(value.uniform() as u32 != 0),
        Reg::Hw(n) => wave.uniform_mut().hw[usize::from(n)] = value.uniform() as u32,
        Reg::V(n) => write_lanes(wave, n.into(), lanes, bytes, |l| value.lane(l) as u32),
        Reg::V64(n) => {
            write_lanes(wave, n.into(), lanes, bytes, |l| value.lane(l) as u32);
            let high = |l: usize| (value.lane(l) >> 32) as u32;
            write_lanes(wave, usize::from(n) + 1, lanes, bytes, high);
        }
    }
}

fn write_lanes(wave: &mut Wave, n: usize, lanes: u64, bytes: u8, value: impl Fn(usize) -> u32) {
    let written = (0..4).fold(0u32, |m, b| {
        m | (u32::from(bytes >> b & 1) * (0xff << (8 * b)))
    });
    let register = wave.vgpr_mut(n);
    for (l, old) in register
        .iter_mut()
        .enumerate()
        .filter(|(l, _)| lanes >> l & 1 != 0)
    {
        *old = *old & !written | value(l) & written;
    }
}
