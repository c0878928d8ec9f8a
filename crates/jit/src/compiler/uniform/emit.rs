//! Emission of operations on uniform values, as instructions on general registers.

use iced_x86::{Code, Register};
use wavetank_ir::{Op, Reg, Value};
use wavetank_lower::{Place, TooMany, register};

use super::code::{A, B, Uniform};
use crate::compiler::asm::{Arg, Label, Mem, fixed, low};
use crate::compiler::segments::{second_of, source};
use crate::compiler::tile::{Shared, Template, Tile};

const C: Register = Register::RDX;

/// The way in which an operation is computed for the wave as a whole, with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Emit {
    /// Reads a register of the wave.
    Read(Reg),
    /// Writes a value to a register of the wave.
    Write(Reg, Value),
    /// An operation with one operand, of 64 bits or 32.
    Un(Unary, bool, Value),
    /// An operation with two operands, of 64 bits or 32.
    Bin(Binary, bool, [Value; 2]),
    /// A bit field of a value, by its first bit and its width.
    Field {
        signed: bool,
        wide: bool,
        args: [Value; 3],
    },
    /// A comparison of integers.
    Compare {
        condition: Condition,
        wide: bool,
        args: [Value; 2],
    },
    /// One of two values, by a condition.
    Select(Value, [Value; 2]),
    /// A sum or a difference with a carry.
    Carry {
        subtract: bool,
        args: [Value; 2],
        carry: Option<Value>,
    },
    /// A lane of a value, by its number.
    ReadLane(Value, Value),
    /// The lowest active lane of a value, by a mask.
    ReadFirstLane(Value, Value),
    /// The operation on lanes, computed in one lane.
    InOneLane(Template),
}

/// An operation with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Copy,
    Not,
    CountOnes,
    LeadingZeros,
    LeadingSigns,
    TrailingZeros,
    Reverse,
    High,
    WidenSigned,
    SignExtend8,
    SignExtend16,
}

/// An operation with two operands, with its instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    /// An arithmetic or logic instruction, whose second operand may be in memory.
    Alu(Code),
    /// A shift by CL, which takes the count modulo the width.
    Shift(Code),
    /// The lower half of a product.
    Multiply(Code),
    /// The upper half of a product of 32 bits.
    MultiplyHigh { signed: bool },
    /// A minimum or maximum: the move that replaces the first operand by the second after their comparison.
    MoveIf(Code),
    /// Packs two numbers of 32 bits into one of 64.
    Pack,
}

/// The instructions for a relation of integers: the one that sets a byte, and the jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    pub set: Code,
    pub jump: Code,
}

impl Emit {
    /// Whether operands are taken from general registers.
    pub(crate) fn takes_registers(self) -> bool {
        !matches!(self, Emit::InOneLane(_))
    }
}

impl Uniform<'_, '_> {
    /// Emits the code of a node.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(crate) fn node(&mut self, v: Value, emit: Emit) -> Result<(), TooMany> {
        match emit {
            Emit::InOneLane(template) => return self.in_one_lane(v, template),
            Emit::Write(reg, value) => {
                self.write(reg, value);
                return Ok(());
            }
            Emit::Carry {
                subtract,
                args,
                carry,
            } => return self.carry(v, args, carry, subtract),
            Emit::Read(reg) => {
                if let Place::Uniform(at) = register(reg) {
                    let wide = reg.ty().bits() == 64;
                    self.load_from(A, Mem::at(fixed::UNIFORM, at), wide);
                }
            }
            Emit::Un(un, wide, a) => self.un(un, wide, a),
            Emit::Bin(bin, wide, args) => self.bin(bin, wide, args),
            Emit::Field { signed, wide, args } => self.field(signed, wide, args),
            Emit::Compare {
                condition,
                wide,
                args: [a, b],
            } => {
                self.flags(wide, a, b);
                self.set_if(condition.set);
            }
            Emit::Select(cond, args) => self.select(cond, args),
            Emit::ReadLane(value, index) => {
                self.load(A, index);
                self.lane(value);
            }
            // The number of the lowest lane of an empty mask is 64, which reads lane 0.
            Emit::ReadFirstLane(value, mask) => {
                self.load(A, mask);
                self.asm.op(Code::Tzcnt_r64_rm64, &[A.into(), A.into()]);
                self.lane(value);
            }
        }
        self.result(v)
    }

    /// Emits the operation on lanes for one lane.
    fn in_one_lane(&mut self, v: Value, template: Template) -> Result<(), TooMany> {
        self.asm.use_constants();
        self.asm.set(fixed::TILE, 0);
        let shared = Shared {
            asm: self.asm,
            block: self.block,
            single: self.single,
            segments: self.segments,
            gprs: self.gprs,
            segment: self.segment,
        };
        let parts = Tile::alone(shared, &v, template)?;
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

    /// Loads the value of the lane whose number is in the first register, modulo 64.
    fn lane(&mut self, value: Value) {
        let Place::Vector(at) = self.single.place(source(self.block, value)) else {
            return self.load(A, value);
        };
        self.asm
            .with_constant(Code::And_rm32_imm32, low(A).into(), 63, false);
        self.asm.op(Code::Shl_rm64_imm8, &[A.into(), 2.into()]);
        self.load_from(A, Mem::sum(fixed::VECTOR, A, at), false);
    }

    fn write(&mut self, reg: Reg, value: Value) {
        let held = self.gprs.find(source(self.block, value));
        let from = held.unwrap_or(A);
        if held.is_none() {
            self.load(A, value);
        }
        // The result of a relation is 0 or 1.
        let relation = matches!(self.block.node(source(self.block, value)).op, Op::Cmp(..));
        if reg == Reg::Scc && !relation {
            self.truth_of(from);
            return self.store_register(reg, A);
        }
        self.store_register(reg, from);
    }

    /// Sets a register to 1 if it is not 0.
    fn truth_of(&mut self, register: Register) {
        self.test(register);
        self.set_if(Code::Setne_rm8);
    }

    fn test(&mut self, register: Register) {
        let register = low(register);
        self.asm
            .op(Code::Test_rm32_r32, &[register.into(), register.into()]);
    }

    /// Sets the first register to 1 or 0, by the flags.
    fn set_if(&mut self, code: Code) {
        self.asm.op(code, &[Register::AL.into()]);
        self.asm.op(
            Code::Movzx_r32_rm8,
            &[Register::EAX.into(), Register::AL.into()],
        );
    }

    fn un(&mut self, un: Unary, wide: bool, a: Value) {
        self.load(A, a);
        let (x, rax) = (Register::EAX, Register::RAX);
        match un {
            Unary::Not if wide => self.asm.op(Code::Not_rm64, &[rax.into()]),
            Unary::Not => self.asm.op(Code::Not_rm32, &[x.into()]),
            Unary::CountOnes if wide => {
                self.asm
                    .op(Code::Popcnt_r64_rm64, &[rax.into(), rax.into()]);
            }
            Unary::CountOnes => self.asm.op(Code::Popcnt_r32_rm32, &[x.into(), x.into()]),
            Unary::LeadingZeros => self.count(Code::Lzcnt_r64_rm64, wide),
            Unary::TrailingZeros => self.count(Code::Tzcnt_r64_rm64, wide),
            Unary::LeadingSigns => {
                self.extend(wide);
                // The bits that differ from the sign.
                self.asm.op(Code::Mov_r64_rm64, &[B.into(), A.into()]);
                self.asm.op(Code::Sar_rm64_imm8, &[B.into(), 63.into()]);
                self.asm.op(Code::Xor_r64_rm64, &[A.into(), B.into()]);
                self.count(Code::Lzcnt_r64_rm64, wide);
            }
            Unary::Reverse => self.reverse(wide),
            Unary::High => self.asm.op(Code::Shr_rm64_imm8, &[rax.into(), 32.into()]),
            Unary::WidenSigned => self.asm.op(Code::Movsxd_r64_rm32, &[rax.into(), x.into()]),
            Unary::SignExtend8 => {
                self.asm
                    .op(Code::Movsx_r32_rm8, &[x.into(), Register::AL.into()]);
            }
            Unary::SignExtend16 => {
                self.asm
                    .op(Code::Movsx_r32_rm16, &[x.into(), Register::AX.into()]);
            }
            // A narrower value has zeros above; a wider one is truncated when it is stored.
            Unary::Copy => {}
        }
    }

    /// Sign-extends 32 bits to 64.
    fn extend(&mut self, wide: bool) {
        if !wide {
            self.asm
                .op(Code::Movsxd_r64_rm32, &[A.into(), low(A).into()]);
        }
    }

    /// Counts zeros; for 0, which the carry flag reports, the result is all ones.
    fn count(&mut self, code: Code, wide: bool) {
        self.asm.set(B, u64::from(u32::MAX));
        self.asm.op(code, &[A.into(), A.into()]);
        if !wide && code == Code::Lzcnt_r64_rm64 {
            // This instruction preserves the carry flag.
            let above = Mem {
                base: A,
                index: Register::None,
                offset: -32,
            };
            self.asm.op(Code::Lea_r64_m, &[A.into(), above.into()]);
        }
        self.asm.op(Code::Cmovb_r64_rm64, &[A.into(), B.into()]);
    }

    /// Reverses the bits: swaps adjacent ones, then pairs, fours and bytes.
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

    /// Bits [b, b + c), modulo the width, sign-extended if signed; an empty field gives 0.
    fn field(&mut self, signed: bool, wide: bool, [a, b, c]: [Value; 3]) {
        let sized = |register: Register| if wide { register } else { low(register) };
        let code = |codes: [Code; 2]| codes[usize::from(wide)];
        let (x, y) = (sized(A), sized(C));
        let cl: Arg = Register::CL.into();
        self.load(A, a);
        self.load(B, b);
        let up = code([Code::Shl_rm32_CL, Code::Shl_rm64_CL]);
        let down = if signed {
            code([Code::Sar_rm32_CL, Code::Sar_rm64_CL])
        } else {
            code([Code::Shr_rm32_CL, Code::Shr_rm64_CL])
        };
        self.asm.op(down, &[x.into(), cl]);
        self.load(B, c);
        // All ones if the field is not empty.
        let width = if wide { 63 } else { 31 };
        self.asm
            .with_constant(Code::And_rm32_imm32, low(B).into(), width, false);
        self.asm.op(Code::Mov_r64_rm64, &[C.into(), B.into()]);
        self.asm
            .op(code([Code::Neg_rm32, Code::Neg_rm64]), &[y.into()]);
        let borrow = code([Code::Sbb_r32_rm32, Code::Sbb_r64_rm64]);
        self.asm.op(borrow, &[y.into(), y.into()]);
        let and = code([Code::And_r32_rm32, Code::And_r64_rm64]);
        self.asm.op(and, &[x.into(), y.into()]);
        // Shifts up to the top, and down again.
        self.asm.op(Code::Neg_rm32, &[low(B).into()]);
        self.asm.op(up, &[x.into(), cl]);
        self.asm.op(down, &[x.into(), cl]);
    }

    fn bin(&mut self, bin: Binary, wide: bool, [a, b]: [Value; 2]) {
        self.load(A, a);
        let x = if wide { A } else { low(A) };
        if let Binary::Alu(code) = bin {
            let b = self.arg(B, b);
            return self.asm.op(code, &[x.into(), b]);
        }
        self.load(B, b);
        let y = if wide { B } else { low(B) };
        let args: [Arg; 2] = [x.into(), y.into()];
        match bin {
            Binary::Alu(code) | Binary::Multiply(code) => self.asm.op(code, &args),
            Binary::Shift(code) => self.asm.op(code, &[x.into(), Register::CL.into()]),
            Binary::MoveIf(code) => {
                self.asm.op(Code::Cmp_r32_rm32, &args);
                self.asm.op(code, &args);
            }
            Binary::Pack => {
                self.asm.op(Code::Shl_rm64_imm8, &[B.into(), 32.into()]);
                self.asm.op(Code::Or_r64_rm64, &[A.into(), B.into()]);
            }
            Binary::MultiplyHigh { signed } => self.multiply_high(signed),
        }
    }

    /// The upper half of a 32-bit product, whose factors have zeros above.
    fn multiply_high(&mut self, signed: bool) {
        if signed {
            for register in [A, B] {
                let args = [register.into(), low(register).into()];
                self.asm.op(Code::Movsxd_r64_rm32, &args);
            }
        }
        self.asm.op(Code::Imul_r64_rm64, &[A.into(), B.into()]);
        self.asm.op(Code::Shr_rm64_imm8, &[A.into(), 32.into()]);
    }

    fn flags(&mut self, wide: bool, a: Value, b: Value) {
        self.load(A, a);
        let b = self.arg(B, b);
        if wide {
            self.asm.op(Code::Cmp_r64_rm64, &[A.into(), b]);
        } else {
            self.asm.op(Code::Cmp_r32_rm32, &[low(A).into(), b]);
        }
    }

    /// Jumps if a value is not 0: by the flags of the comparison that computes it, if the branch is its only user.
    pub(crate) fn jump_if(&mut self, cond: Value, comparison: Option<Emit>, to: Label) {
        match comparison {
            Some(Emit::Compare {
                condition,
                wide,
                args: [a, b],
            }) => {
                self.flags(wide, a, b);
                self.asm.jump(condition.jump, to);
            }
            _ => {
                self.load(A, cond);
                self.test(A);
                self.asm.jump(Code::Jne_rel32_64, to);
            }
        }
    }

    fn select(&mut self, cond: Value, [a, b]: [Value; 2]) {
        self.load(C, cond);
        self.load(A, a);
        self.load(B, b);
        self.test(C);
        self.asm.op(Code::Cmove_r64_rm64, &[A.into(), B.into()]);
    }

    /// A sum or a difference of 32 bits, computed in 64; bit 32 is the carry or borrow.
    fn carry(
        &mut self,
        v: Value,
        [a, b]: [Value; 2],
        carry: Option<Value>,
        subtract: bool,
    ) -> Result<(), TooMany> {
        let code = if subtract {
            Code::Sub_r64_rm64
        } else {
            Code::Add_r64_rm64
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
