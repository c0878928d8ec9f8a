//! The meaning of a TYPED_ATOMIC: an atomic on elements of a surface, in wave IR.
//!
//! Lane n is channel n of the instruction, which may be another channel of the thread. EXEC has the channels of the thread that
//! control flow leaves enabled.

use wavetank_ir::{
    Access, Bin, Block, Builder, Counter, DataReg, Elem, Fp, Half, MemKind, MemOp, Reg, Rel, Rmw,
    Space, SurfaceAtomic, Value,
};

use crate::lift_block::lift_block;
use crate::visa::instruction::{Combine, Raw, TypedAtomic};
use crate::visa::operation::Operation;
use crate::visa::registers::{LANES, Registers};
use crate::visa::rules::check;

/// Bytes from an instruction of a [`program`] to the next.
pub const STEP: u64 = 64;

/// Returns consecutive instructions as the blocks of a front end: the first is at address 0, each [`STEP`] after the previous
/// one, and then the program ends.
///
/// # Errors
/// A sentence that names the instruction that cannot be lifted, and the reason.
pub fn program(
    insts: &[TypedAtomic],
    registers: &Registers,
) -> Result<impl Fn(u64, usize) -> Block + Send + Sync + use<>, String> {
    for inst in insts {
        lift(&Builder::new(0), inst, registers).map_err(|why| format!("{inst}: {why}"))?;
    }
    let (insts, registers) = (insts.to_vec(), registers.clone());
    Ok(move |pc: u64, most: usize| {
        lift_block(&insts, STEP, pc, most, |inst, b| lift(b, inst, &registers))
    })
}

/// Appends the operations of an instruction to a block.
///
/// # Errors
/// A sentence that names the broken rule, or the variable or predicate without a register.
pub fn lift(b: &Builder, inst: &TypedAtomic, registers: &Registers) -> Result<(), String> {
    check(inst).map_err(|broken| broken.message)?;
    let lift = Lift { b, inst, registers };
    let mask = lift.mask()?;
    let (rmw, data, after) = lift.operation()?;
    let coordinates = [inst.u, inst.v, inst.r];
    let coordinates = coordinates.into_iter().filter(|raw| !raw.is_null());
    let at = coordinates.map(|raw| lift.operand(raw));
    let element = SurfaceAtomic {
        level: if inst.lod.is_null() {
            None
        } else {
            Some(lift.operand(inst.lod)?)
        },
        after,
        ..SurfaceAtomic::new(
            b.u32(inst.surface.into()),
            at.collect::<Result<_, String>>()?,
        )
    };
    let dst = lift.destination()?;
    b.mem(MemOp {
        kind: MemKind::Atomic(rmw),
        space: Space::Surface(element),
        access: if inst.word {
            Access::U16
        } else {
            Access::Dwords(1)
        },
        counter: Counter::Vm,
        offset: 0,
        half: Half::Whole,
        data,
        ret: dst.as_ref().map(|dst| DataReg::V(dst.result)),
        mask: Some(b.cast(wavetank_ir::Ty::Mask, mask)),
        glc: dst.is_some(),
        slc: false,
        shadow: false,
    });
    if let Some(dst) = dst {
        lift.put(&dst, mask);
    }
    Ok(())
}

struct Lift<'l> {
    b: &'l Builder,
    inst: &'l TypedAtomic,
    registers: &'l Registers,
}

/// The destination of the results.
struct Destination {
    /// The register for the results, in the lanes of the channels.
    result: u16,
    /// The register and lane of the destination's first element, if the results must be moved there.
    moved: Option<(u16, u32)>,
}

impl Lift<'_> {
    /// Returns a bit for each channel.
    fn all(&self) -> u64 {
        (1 << self.inst.channels.count()) - 1
    }

    fn bits(&self, op: Bin, a: Value, b: Value) -> Value {
        self.b.bin(op, Elem::I64, Fp::default(), a, b)
    }

    /// Selects the bits of this instruction's channels from those of the thread; the first one becomes bit 0.
    fn own(&self, register: u8) -> Value {
        let b = self.b;
        let thread = b.read(Reg::S64(register));
        let own = match self.inst.mask.first() {
            0 => thread,
            first => self.bits(Bin::Shr, thread, b.u32(first)),
        };
        self.bits(Bin::And, own, b.u64(self.all()))
    }

    /// Returns the mask of the enabled channels (vISA, "Predication").
    fn mask(&self) -> Result<Value, String> {
        let b = self.b;
        let on = if self.inst.mask.no_mask() {
            b.u64(self.all())
        } else {
            self.own(Reg::EXEC_LO)
        };
        let Some(predicate) = self.inst.predicate else {
            return Ok(on);
        };
        let register = self.registers.predicate(predicate.variable);
        let register =
            register.ok_or_else(|| format!("P{} has no register", predicate.variable))?;
        let own = self.own(register);
        let (all, none) = (b.u64(self.all()), b.u64(0));
        let compared = |rel, with| {
            let holds = b.cmp(rel, Elem::I64, Fp::default(), own, with);
            b.select(holds, all, none)
        };
        let combined = match predicate.combine {
            Combine::Each => own,
            Combine::Any => compared(Rel::Ne, none),
            Combine::All => compared(Rel::Eq, all),
        };
        let decided = if predicate.inverse {
            self.bits(Bin::Xor, combined, all)
        } else {
            combined
        };
        Ok(self.bits(Bin::And, on, decided))
    }

    /// Returns the operation, its operands, and whether the new value is returned.
    fn operation(&self) -> Result<(Rmw, Vec<Value>, bool), String> {
        let (b, inst) = (self.b, self.inst);
        let src0 = || self.operand(inst.src0);
        let src1 = || self.operand(inst.src1);
        let one = |rmw| Ok((rmw, vec![src0()?], false));
        let sign = if inst.word { 1 << 15 } else { 1 << 31 };
        match inst.operation {
            Operation::Add => one(Rmw::Add),
            Operation::Sub => one(Rmw::Sub),
            Operation::Inc => Ok((Rmw::Add, vec![b.u32(1)], false)),
            Operation::Dec => Ok((Rmw::Sub, vec![b.u32(1)], false)),
            Operation::PreDec => Ok((Rmw::Sub, vec![b.u32(1)], true)),
            Operation::Min => one(Rmw::MinU),
            Operation::Max => one(Rmw::MaxU),
            Operation::IMin => one(Rmw::MinS),
            Operation::IMax => one(Rmw::MaxS),
            Operation::Xchg => one(Rmw::Swap),
            // new = (old == src1) ? src0 : old
            Operation::CmpXchg => Ok((Rmw::CmpSwap, vec![src0()?, src1()?], false)),
            Operation::And => one(Rmw::And),
            Operation::Or => one(Rmw::Or),
            Operation::Xor => one(Rmw::Xor),
            Operation::FMax => one(Rmw::FMaxNum),
            Operation::FMin => one(Rmw::FMinNum),
            // new = (src0 == old) ? src1 : old
            Operation::FCmpWr => Ok((Rmw::FCmpSwap, vec![src1()?, src0()?], false)),
            Operation::FAdd => one(Rmw::FAdd),
            Operation::FSub => {
                let negative = b.bin(Bin::Xor, Elem::I32, Fp::default(), src0()?, b.u32(sign));
                Ok((Rmw::FAdd, vec![negative], false))
            }
        }
    }

    /// Returns the register and the lane of the first element of an operand. `check` has verified that the operand begins with an
    /// element.
    fn place(&self, raw: Raw) -> Result<(u16, u32), String> {
        let first = self.registers.variable(raw.variable);
        let first = first.ok_or_else(|| format!("V{} has no register", raw.variable))?;
        let dword = u32::from(raw.offset) / 4;
        Ok((first + (dword / LANES) as u16, dword % LANES))
    }

    /// Returns the elements of an operand, each in the lane of its channel.
    fn operand(&self, raw: Raw) -> Result<Value, String> {
        let (register, lane) = self.place(raw)?;
        let b = self.b;
        let value = b.read(Reg::V(register));
        if lane == 0 {
            return Ok(value);
        }
        let count = self.inst.channels.count();
        // The elements in the first register, then those in the next one; a shuffle from a lane that does not exist gives 0.
        let low = b.shuffle(value, moved(count, |n| Some(lane + n)));
        if lane + count <= LANES {
            return Ok(low);
        }
        let next = b.read(Reg::V(register + 1));
        let high = b.shuffle(next, moved(count, |n| (lane + n).checked_sub(LANES)));
        Ok(b.bin(Bin::Or, Elem::I32, Fp::default(), low, high))
    }

    fn destination(&self) -> Result<Option<Destination>, String> {
        if self.inst.dst.is_null() {
            return Ok(None);
        }
        let (register, lane) = self.place(self.inst.dst)?;
        Ok(Some(match lane {
            0 => Destination {
                result: register,
                moved: None,
            },
            _ => Destination {
                result: self.registers.scratch,
                moved: Some((register, lane)),
            },
        }))
    }

    /// Moves the results of the channels in a mask to the place of their variable.
    fn put(&self, dst: &Destination, mask: Value) {
        let Some((register, lane)) = dst.moved else {
            return;
        };
        let b = self.b;
        let count = self.inst.channels.count();
        let result = b.read(Reg::V(dst.result));
        let to = |register: u16, table: Box<[u8; 64]>, mask: Value| {
            let value = b.shuffle(result, table);
            b.write(
                Reg::V(register),
                value,
                Some(b.cast(wavetank_ir::Ty::Mask, mask)),
            );
        };
        let channel = |from: u32| move |n: u32| (n + from).checked_sub(lane).filter(|n| *n < count);
        let here = self.bits(Bin::Shl, mask, b.u32(lane));
        to(register, moved(LANES, channel(0)), here);
        if lane + count > LANES {
            let next = self.bits(Bin::Shr, mask, b.u32(LANES - lane));
            to(register + 1, moved(LANES, channel(LANES)), next);
        }
    }
}

/// Returns a table of lanes for a shuffle: each of the first `count` lanes takes the lane that a function returns, the others
/// take none.
fn moved(count: u32, from: impl Fn(u32) -> Option<u32>) -> Box<[u8; 64]> {
    Box::new(std::array::from_fn(|n| {
        let lane = (n < count as usize).then(|| from(n as u32)).flatten();
        lane.map_or(u8::MAX, |lane| lane as u8)
    }))
}
