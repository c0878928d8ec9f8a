//! What a wave does as a whole: operations on its uniform values, in general registers of the host. What tiles, accesses and
//! the interpreter's steps need is in memory as well.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Block, Elem, Op, Reg, Rel, Terminator, Tern, Ty, Un, Value};
use wavetank_lower::{Place, Single, TooMany, register};

use crate::asm::{Arg, Asm, Label, Mem, fixed, low};
use crate::held::Held;
use crate::stages::{Stages, second_of, source};
use crate::templates::is_for_one_lane;
use crate::tile::Tile;

const A: Register = Register::RAX;
const B: Register = Register::RCX;
const C: Register = Register::RDX;

/// Whether an operation that gives no lanes has a template.
pub fn has_template(block: &Block, op: &Op) -> bool {
    match op {
        Op::ReadLane(..) | Op::ReadFirstLane(..) => true,
        _ => {
            let mut lanes = false;
            op.for_each_operand(&mut |a| lanes |= block.ty(*a).is_vector());
            !lanes && (is_scalar(block, op) || is_for_one_lane(block, op))
        }
    }
}

/// Whether compiled code takes the operands of a node from general registers, if they are there.
pub fn takes_registers(block: &Block, op: &Op) -> bool {
    let reads_lane = matches!(op, Op::ReadLane(..) | Op::ReadFirstLane(..));
    let branches = matches!(op, Op::End(Terminator::CondBranch { .. }));
    reads_lane || branches || is_scalar(block, op)
}

/// Whether general registers do it.
fn is_scalar(block: &Block, op: &Op) -> bool {
    let narrow = |v: Value| block.ty(v).bits() == 32;
    match *op {
        Op::Un(un, elem, _, _) => un_is_known(un, elem),
        Op::Bin(bin, elem, ..) => bin_is_known(bin, elem),
        Op::Tern(Tern::BfeU | Tern::BfeS, elem, ..) => matches!(elem, Elem::I32 | Elem::I64),
        Op::Cmp(rel, elem, ..) => matches!(elem, Elem::I32 | Elem::I64) && condition(rel).is_some(),
        Op::Select(cond, ..) => block.ty(cond) == Ty::U32,
        Op::AddCarry(a, _, carry) | Op::SubBorrow(a, _, carry) => {
            narrow(a) && carry.is_none_or(narrow)
        }
        Op::Read(Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc) => true,
        Op::Write {
            reg: Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc,
            ..
        } => true,
        _ => false,
    }
}

fn un_is_known(un: Un, elem: Elem) -> bool {
    match un {
        Un::Not
        | Un::CountOnes
        | Un::LeadingZeros
        | Un::LeadingSigns
        | Un::TrailingZeros
        | Un::Reverse => matches!(elem, Elem::I32 | Elem::I64),
        Un::Low | Un::High | Un::Widen | Un::WidenSigned => true,
        Un::SignExtend(bits) => bits == 8 || bits == 16,
        _ => false,
    }
}

fn bin_is_known(bin: Bin, elem: Elem) -> bool {
    match elem {
        Elem::I32 => {
            alu(bin).is_some() || shift(bin).is_some() || extreme(bin).is_some() || {
                matches!(bin, Bin::Mul | Bin::MulHiU | Bin::MulHiS | Bin::Pack)
            }
        }
        Elem::I64 => alu(bin).is_some() || shift(bin).is_some() || bin == Bin::Mul,
        _ => false,
    }
}

/// Instructions of two operands, of 32 and of 64 bits.
fn alu(bin: Bin) -> Option<[Code; 2]> {
    Some(match bin {
        Bin::Add => [Code::Add_r32_rm32, Code::Add_r64_rm64],
        Bin::Sub => [Code::Sub_r32_rm32, Code::Sub_r64_rm64],
        Bin::And => [Code::And_r32_rm32, Code::And_r64_rm64],
        Bin::Or => [Code::Or_r32_rm32, Code::Or_r64_rm64],
        Bin::Xor => [Code::Xor_r32_rm32, Code::Xor_r64_rm64],
        _ => return None,
    })
}

/// Shifts by CL, which take the count modulo the width.
fn shift(bin: Bin) -> Option<[Code; 2]> {
    Some(match bin {
        Bin::Shl => [Code::Shl_rm32_CL, Code::Shl_rm64_CL],
        Bin::Shr => [Code::Shr_rm32_CL, Code::Shr_rm64_CL],
        Bin::Sar => [Code::Sar_rm32_CL, Code::Sar_rm64_CL],
        _ => return None,
    })
}

/// The move that replaces the first operand by the second.
fn extreme(bin: Bin) -> Option<Code> {
    Some(match bin {
        Bin::MinU => Code::Cmova_r32_rm32,
        Bin::MaxU => Code::Cmovb_r32_rm32,
        Bin::MinS => Code::Cmovg_r32_rm32,
        Bin::MaxS => Code::Cmovl_r32_rm32,
        _ => return None,
    })
}

/// The instruction that sets a byte where a relation holds.
fn condition(rel: Rel) -> Option<Code> {
    Some(match rel {
        Rel::Eq => Code::Sete_rm8,
        Rel::Ne => Code::Setne_rm8,
        Rel::Lt => Code::Setl_rm8,
        Rel::Le => Code::Setle_rm8,
        Rel::LtU => Code::Setb_rm8,
        Rel::LeU => Code::Setbe_rm8,
        _ => return None,
    })
}

/// The jump that is taken where a relation holds that has a condition.
fn jump(rel: Rel) -> Code {
    match rel {
        Rel::Eq => Code::Je_rel32_64,
        Rel::Ne => Code::Jne_rel32_64,
        Rel::Lt => Code::Jl_rel32_64,
        Rel::Le => Code::Jle_rel32_64,
        Rel::LtU => Code::Jb_rel32_64,
        Rel::LeU => Code::Jbe_rel32_64,
        _ => unreachable!("it has no condition"),
    }
}

/// Code for uniform values.
pub struct Uniform<'t, 'b> {
    pub asm: &'t mut Asm,
    pub block: &'b Block,
    pub single: &'t mut (dyn Single + 'b),
    pub stages: &'t Stages,
    pub held: &'t mut Held,
    pub stage: u32,
}

impl Uniform<'_, '_> {
    /// Makes the code of a node that has a template.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub fn node(&mut self, v: Value) -> Result<(), TooMany> {
        let op = &self.block.node(v).op;
        match *op {
            _ if !is_scalar(self.block, op) && is_for_one_lane(self.block, op) => {
                self.in_one_lane(v)
            }
            Op::Read(reg) => {
                if let Place::Uniform(at) = register(reg) {
                    let wide = reg.ty().bits() == 64;
                    self.load_from(A, Mem::at(fixed::UNIFORM, at), wide);
                }
                self.result(v)
            }
            Op::Write { reg, value, .. } => {
                self.write(reg, value);
                Ok(())
            }
            Op::Un(un, elem, _, a) => {
                self.un(un, elem, a);
                self.result(v)
            }
            Op::Bin(bin, elem, _, a, b) => {
                self.bin(bin, elem, a, b);
                self.result(v)
            }
            Op::Tern(tern, elem, _, a, b, c) => {
                self.field(tern == Tern::BfeS, elem == Elem::I64, [a, b, c]);
                self.result(v)
            }
            Op::Cmp(rel, elem, _, a, b) => {
                self.compare(rel, elem == Elem::I64, a, b);
                self.result(v)
            }
            Op::Select(cond, a, b) => {
                self.select(cond, a, b);
                self.result(v)
            }
            Op::ReadLane(value, index) => {
                self.load(A, index);
                self.lane(value);
                self.result(v)
            }
            // That of no lane at all is 64, and modulo that the first.
            Op::ReadFirstLane(value, mask) => {
                self.load(A, mask);
                self.asm.op(Code::Tzcnt_r64_rm64, &[A.into(), A.into()]);
                self.lane(value);
                self.result(v)
            }
            Op::AddCarry(a, b, carry) => self.carry(v, [a, b], carry, false),
            Op::SubBorrow(a, b, carry) => self.carry(v, [a, b], carry, true),
            _ => unreachable!("it has no template"),
        }
    }

    /// The operation on lanes, of which there is one.
    fn in_one_lane(&mut self, v: Value) -> Result<(), TooMany> {
        self.asm.use_constants();
        self.asm.set(fixed::TILE, 0);
        let (stages, held) = (self.stages, &mut *self.held);
        let parts = Tile::alone(
            self.asm,
            self.block,
            self.single,
            stages,
            held,
            self.stage,
            &v,
        )?;
        let lowest =
            |register: Register| Register::XMM0 + (register as u32 - Register::ZMM0 as u32);
        let moved = Code::EVEX_Vmovd_rm32_xmm;
        match parts[..] {
            [mask] if mask.is_k() => {
                let args = [low(A).into(), mask.into()];
                self.asm.op(Code::VEX_Kmovw_r32_kr, &args);
                self.asm
                    .with_constant(Code::And_rm32_imm32, low(A).into(), 1, false);
            }
            [all] => self.asm.op(moved, &[low(A).into(), lowest(all).into()]),
            [first, second] => {
                for (to, from) in [(A, first), (B, second)] {
                    self.asm.op(moved, &[low(to).into(), lowest(from).into()]);
                }
                self.asm.op(Code::Shl_rm64_imm8, &[B.into(), 32.into()]);
                self.asm.op(Code::Or_r64_rm64, &[A.into(), B.into()]);
            }
            _ => unreachable!("a value has one part or two"),
        }
        self.result(v)
    }

    /// The value of the lane whose number is in the first register, modulo 64.
    fn lane(&mut self, value: Value) {
        let Place::Vector(at) = self.single.place(source(self.block, value)) else {
            return self.load(A, value);
        };
        self.asm
            .with_constant(Code::And_rm32_imm32, low(A).into(), 63, false);
        self.asm.op(Code::Shl_rm64_imm8, &[A.into(), 2.into()]);
        self.load_from(A, Mem::sum(fixed::VECTOR, A, at), false);
    }

    /// Loads a value of the wave.
    pub fn load(&mut self, register: Register, v: Value) {
        let v = source(self.block, v);
        let wide = self.block.ty(v).bits() == 64;
        if let Some(held) = self.held.find(v) {
            return self.copy(register, held, wide);
        }
        match self.single.place(v) {
            Place::Uniform(at) => self.load_from(register, Mem::at(fixed::UNIFORM, at), wide),
            Place::Const(c) => self
                .asm
                .set(register, if wide { c } else { c & 0xffff_ffff }),
            Place::Vector(_) | Place::Nowhere => unreachable!("it is a value of the wave"),
        }
    }

    /// An operand as an instruction takes it; a constant comes to a register.
    fn arg(&mut self, register: Register, v: Value) -> Arg {
        let v = source(self.block, v);
        let wide = self.block.ty(v).bits() == 64;
        if let Some(held) = self.held.find(v) {
            return Arg::R(if wide { held } else { low(held) });
        }
        if let Place::Uniform(at) = self.single.place(v) {
            return Arg::M(Mem::at(fixed::UNIFORM, at));
        }
        self.load(register, v);
        Arg::R(if wide { register } else { low(register) })
    }

    fn copy(&mut self, to: Register, from: Register, wide: bool) {
        match wide {
            true => self.asm.op(Code::Mov_r64_rm64, &[to.into(), from.into()]),
            false => {
                let (to, from) = (low(to), low(from));
                self.asm.op(Code::Mov_r32_rm32, &[to.into(), from.into()]);
            }
        }
    }

    fn load_from(&mut self, register: Register, from: Mem, wide: bool) {
        let (code, register) = match wide {
            true => (Code::Mov_r64_rm64, register),
            false => (Code::Mov_r32_rm32, low(register)),
        };
        self.asm.op(code, &[register.into(), from.into()]);
    }

    fn store_to(&mut self, to: Mem, register: Register, wide: bool) {
        let (code, register) = match wide {
            true => (Code::Mov_rm64_r64, register),
            false => (Code::Mov_rm32_r32, low(register)),
        };
        self.asm.op(code, &[to.into(), register.into()]);
    }

    /// The value in the first register is that of a node.
    pub fn result(&mut self, v: Value) -> Result<(), TooMany> {
        self.result_from(v, A)
    }

    fn result_from(&mut self, v: Value, from: Register) -> Result<(), TooMany> {
        if let Some(reg) = self.stages.into[v.index()] {
            self.single.put(v, reg);
            self.held.has_place(v);
            self.store_value(register(reg), v, from);
        } else if self.held.is_stored(v) {
            let place = self.single.claim(v, self.stage)?;
            self.store_value(place, v, from);
        }
        if self.held.is_needed(v) {
            self.hold(v, from)?;
        }
        Ok(())
    }

    fn store_value(&mut self, place: Place, v: Value, from: Register) {
        if let Place::Uniform(at) = place {
            let wide = self.block.ty(v).bits() == 64;
            self.store_to(Mem::at(fixed::UNIFORM, at), from, wide);
        }
    }

    /// Keeps a value in a register of its own.
    fn hold(&mut self, v: Value, from: Register) -> Result<(), TooMany> {
        let (register, homeless) = self.held.take();
        for other in homeless {
            self.give_place(register, other)?;
        }
        let wide = self.block.ty(v).bits() == 64;
        self.copy(register, from, wide);
        self.held.put(register, vec![v]);
        Ok(())
    }

    /// Stores a value that no place has yet.
    fn give_place(&mut self, from: Register, v: Value) -> Result<(), TooMany> {
        let place = self.single.claim(v, self.stage)?;
        self.store_value(place, v, from);
        self.held.has_place(v);
        Ok(())
    }

    /// What comes next changes registers: all, or those alone in which tiles gather masks.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub fn forget(&mut self, all: bool) -> Result<(), TooMany> {
        for (register, v) in self.held.forget(all) {
            self.give_place(register, v)?;
        }
        Ok(())
    }

    fn write(&mut self, reg: Reg, value: Value) {
        let held = self.held.find(source(self.block, value));
        let from = held.unwrap_or(A);
        if held.is_none() {
            self.load(A, value);
        }
        // What a relation gives is 0 or 1.
        let relation = matches!(self.block.node(source(self.block, value)).op, Op::Cmp(..));
        if reg == Reg::Scc && !relation {
            self.truth_of(from);
            return self.store_register(reg, A);
        }
        self.store_register(reg, from);
    }

    fn store_register(&mut self, reg: Reg, from: Register) {
        if let Place::Uniform(at) = register(reg) {
            let wide = reg.ty().bits() == 64;
            self.store_to(Mem::at(fixed::UNIFORM, at), from, wide);
        }
    }

    /// 1 for what is not 0.
    fn truth_of(&mut self, register: Register) {
        self.test(register);
        self.set_if(Code::Setne_rm8);
    }

    fn test(&mut self, register: Register) {
        let register = low(register);
        self.asm
            .op(Code::Test_rm32_r32, &[register.into(), register.into()]);
    }

    /// 1 or 0 in the first register, by the flags.
    fn set_if(&mut self, code: Code) {
        self.asm.op(code, &[Register::AL.into()]);
        self.asm.op(
            Code::Movzx_r32_rm8,
            &[Register::EAX.into(), Register::AL.into()],
        );
    }

    fn un(&mut self, un: Un, elem: Elem, a: Value) {
        let wide = elem == Elem::I64;
        self.load(A, a);
        let (x, rax) = (Register::EAX, Register::RAX);
        match un {
            Un::Not if wide => self.asm.op(Code::Not_rm64, &[rax.into()]),
            Un::Not => self.asm.op(Code::Not_rm32, &[x.into()]),
            Un::CountOnes if wide => {
                self.asm
                    .op(Code::Popcnt_r64_rm64, &[rax.into(), rax.into()]);
            }
            Un::CountOnes => self.asm.op(Code::Popcnt_r32_rm32, &[x.into(), x.into()]),
            Un::LeadingZeros => self.count(Code::Lzcnt_r64_rm64, wide),
            Un::TrailingZeros => self.count(Code::Tzcnt_r64_rm64, wide),
            Un::LeadingSigns => {
                self.extend(wide);
                // What differs from the sign.
                self.asm.op(Code::Mov_r64_rm64, &[B.into(), A.into()]);
                self.asm.op(Code::Sar_rm64_imm8, &[B.into(), 63.into()]);
                self.asm.op(Code::Xor_r64_rm64, &[A.into(), B.into()]);
                self.count(Code::Lzcnt_r64_rm64, wide);
            }
            Un::Reverse => self.reverse(wide),
            Un::High => self.asm.op(Code::Shr_rm64_imm8, &[rax.into(), 32.into()]),
            Un::WidenSigned => self.asm.op(Code::Movsxd_r64_rm32, &[rax.into(), x.into()]),
            Un::SignExtend(8) => {
                self.asm
                    .op(Code::Movsx_r32_rm8, &[x.into(), Register::AL.into()]);
            }
            Un::SignExtend(_) => {
                self.asm
                    .op(Code::Movsx_r32_rm16, &[x.into(), Register::AX.into()]);
            }
            // What is narrower has zeros above; what is wider loses them where it is stored.
            _ => {}
        }
    }

    /// 32 bits become 64, with their sign.
    fn extend(&mut self, wide: bool) {
        if !wide {
            self.asm
                .op(Code::Movsxd_r64_rm32, &[A.into(), low(A).into()]);
        }
    }

    /// Counts zeros; where there is nothing else, which the carry says, the result is all ones.
    fn count(&mut self, code: Code, wide: bool) {
        self.asm.set(B, u64::from(u32::MAX));
        self.asm.op(code, &[A.into(), A.into()]);
        if !wide && code == Code::Lzcnt_r64_rm64 {
            // This keeps the carry.
            let above = Mem {
                base: A,
                index: Register::None,
                offset: -32,
            };
            self.asm.op(Code::Lea_r64_m, &[A.into(), above.into()]);
        }
        self.asm.op(Code::Cmovb_r64_rm64, &[A.into(), B.into()]);
    }

    /// Bits in reverse order: neighbours change places, then pairs, fours and bytes.
    fn reverse(&mut self, wide: bool) {
        let groups = [
            (1, 0x5555_5555_5555_5555),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
        ];
        for (bits, lower) in groups {
            let args = [B.into(), A.into()];
            self.asm.op(Code::Mov_r64_rm64, &args);
            self.asm.op(Code::Shr_rm64_imm8, &[B.into(), Arg::I(bits)]);
            self.asm.set(C, lower);
            self.asm.op(Code::And_r64_rm64, &[A.into(), C.into()]);
            self.asm.op(Code::And_r64_rm64, &[B.into(), C.into()]);
            self.asm.op(Code::Shl_rm64_imm8, &[A.into(), Arg::I(bits)]);
            self.asm.op(Code::Or_r64_rm64, &[A.into(), B.into()]);
        }
        self.asm.op(Code::Bswap_r64, &[A.into()]);
        if !wide {
            self.asm.op(Code::Shr_rm64_imm8, &[A.into(), 32.into()]);
        }
    }

    /// Bits [b, b + c), modulo the width; the sign above if it is signed, and nothing of no bits.
    fn field(&mut self, signed: bool, wide: bool, [a, b, c]: [Value; 3]) {
        let at = usize::from(wide);
        let sized = |register: Register| if wide { register } else { low(register) };
        let (x, y) = (sized(A), sized(C));
        let cl: Arg = Register::CL.into();
        self.load(A, a);
        self.load(B, b);
        let down = if signed { Bin::Sar } else { Bin::Shr };
        let [up, down] = [Bin::Shl, down].map(|bin| shift(bin).expect("it is one")[at]);
        self.asm.op(down, &[x.into(), cl]);
        self.load(B, c);
        // All ones if there are bits.
        let width = if wide { 63 } else { 31 };
        self.asm
            .with_constant(Code::And_rm32_imm32, low(B).into(), width, false);
        self.asm.op(Code::Mov_r64_rm64, &[C.into(), B.into()]);
        let negate = [Code::Neg_rm32, Code::Neg_rm64][at];
        self.asm.op(negate, &[y.into()]);
        let borrow = [Code::Sbb_r32_rm32, Code::Sbb_r64_rm64][at];
        self.asm.op(borrow, &[y.into(), y.into()]);
        let and = alu(Bin::And).expect("it is one")[at];
        self.asm.op(and, &[x.into(), y.into()]);
        // Up to the top and down again.
        self.asm.op(Code::Neg_rm32, &[low(B).into()]);
        self.asm.op(up, &[x.into(), cl]);
        self.asm.op(down, &[x.into(), cl]);
    }

    fn bin(&mut self, bin: Bin, elem: Elem, a: Value, b: Value) {
        let wide = elem == Elem::I64;
        self.load(A, a);
        let x = if wide { A } else { low(A) };
        if let Some(codes) = alu(bin) {
            let b = self.arg(B, b);
            return self.asm.op(codes[usize::from(wide)], &[x.into(), b]);
        }
        self.load(B, b);
        let y = if wide { B } else { low(B) };
        let args: [Arg; 2] = [x.into(), y.into()];
        if let Some(codes) = shift(bin) {
            self.asm
                .op(codes[usize::from(wide)], &[x.into(), Register::CL.into()]);
        } else if let Some(code) = extreme(bin) {
            self.asm.op(Code::Cmp_r32_rm32, &args);
            self.asm.op(code, &args);
        } else {
            self.product(bin, wide, &args);
        }
    }

    /// Products, and the pair.
    fn product(&mut self, bin: Bin, wide: bool, args: &[Arg]) {
        let wide_args = [A.into(), B.into()];
        let high = [A.into(), 32.into()];
        match bin {
            Bin::Mul if wide => self.asm.op(Code::Imul_r64_rm64, args),
            Bin::Mul => self.asm.op(Code::Imul_r32_rm32, args),
            Bin::Pack => {
                self.asm.op(Code::Shl_rm64_imm8, &[B.into(), 32.into()]);
                self.asm.op(Code::Or_r64_rm64, &wide_args);
            }
            Bin::MulHiS => {
                for register in [A, B] {
                    let args = [register.into(), low(register).into()];
                    self.asm.op(Code::Movsxd_r64_rm32, &args);
                }
                self.asm.op(Code::Imul_r64_rm64, &wide_args);
                self.asm.op(Code::Shr_rm64_imm8, &high);
            }
            // Both have zeros above.
            _ => {
                self.asm.op(Code::Imul_r64_rm64, &wide_args);
                self.asm.op(Code::Shr_rm64_imm8, &high);
            }
        }
    }

    fn compare(&mut self, rel: Rel, wide: bool, a: Value, b: Value) {
        self.flags(wide, a, b);
        self.set_if(condition(rel).expect("what has a template has a condition"));
    }

    fn flags(&mut self, wide: bool, a: Value, b: Value) {
        self.load(A, a);
        let b = self.arg(B, b);
        match wide {
            true => self.asm.op(Code::Cmp_r64_rm64, &[A.into(), b]),
            false => self.asm.op(Code::Cmp_r32_rm32, &[low(A).into(), b]),
        }
    }

    /// Jumps where a value is not 0: by the flags of a relation, if it is one that nobody else needs.
    pub fn jump_if(&mut self, cond: Value, to: Label) {
        let node = &self.block.node(source(self.block, cond)).op;
        match *node {
            Op::Cmp(rel, elem, _, a, b)
                if self.stages.in_branch == Some(source(self.block, cond)) =>
            {
                self.flags(elem == Elem::I64, a, b);
                self.asm.jump(jump(rel), to);
            }
            _ => {
                self.load(A, cond);
                self.test(A);
                self.asm.jump(Code::Jne_rel32_64, to);
            }
        }
    }

    fn select(&mut self, cond: Value, a: Value, b: Value) {
        self.load(C, cond);
        self.load(A, a);
        self.load(B, b);
        self.test(C);
        self.asm.op(Code::Cmove_r64_rm64, &[A.into(), B.into()]);
    }

    /// A sum or a difference of 32 bits, computed in 64; bit 32 is what is carried or borrowed.
    fn carry(
        &mut self,
        v: Value,
        [a, b]: [Value; 2],
        carry: Option<Value>,
        subtract: bool,
    ) -> Result<(), TooMany> {
        let code = match subtract {
            true => Code::Sub_r64_rm64,
            false => Code::Add_r64_rm64,
        };
        if let Some(carry) = carry {
            self.load(A, carry);
            self.truth_of(A);
            self.asm.op(Code::Mov_r64_rm64, &[C.into(), A.into()]);
        }
        self.load(A, a);
        self.load(B, b);
        self.asm.op(code, &[A.into(), B.into()]);
        if carry.is_some() {
            self.asm.op(code, &[A.into(), C.into()]);
        }
        self.result(v)?;
        let Some(second) = second_of(self.block, v) else {
            return Ok(());
        };
        self.asm.op(Code::Shr_rm64_imm8, &[A.into(), 32.into()]);
        self.asm
            .with_constant(Code::And_rm32_imm32, low(A).into(), 1, false);
        self.result(second)
    }
}
