//! Code for uniform values: loads, stores, and register use.

use iced_x86::{Code, Register};
use wavetank_ir::{Block, Reg, Value};
use wavetank_lower::{Place, Single, TooMany, register};

use crate::compiler::asm::{Arg, Asm, Mem, fixed, low};
use crate::compiler::gpr_alloc::GprAlloc;
use crate::compiler::segments::{Segments, source};

/// The registers that operations use; the result is in the first one.
pub(super) const A: Register = Register::RAX;
pub(super) const B: Register = Register::RCX;

/// The emitter of code for uniform values.
pub(crate) struct Uniform<'t, 'b> {
    pub asm: &'t mut Asm,
    pub block: &'b Block,
    pub single: &'t mut (dyn Single + 'b),
    pub segments: &'t Segments,
    pub gprs: &'t mut GprAlloc,
    pub segment: u32,
}

impl Uniform<'_, '_> {
    /// Loads a value of the wave into a register.
    pub(crate) fn load(&mut self, register: Register, v: Value) {
        let v = source(self.block, v);
        let wide = self.block.ty(v).bits() == 64;
        if let Some(held) = self.gprs.find(v) {
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

    /// An operand in the form that an instruction accepts; a constant is loaded into the register.
    pub(super) fn arg(&mut self, register: Register, v: Value) -> Arg {
        let v = source(self.block, v);
        let wide = self.block.ty(v).bits() == 64;
        if let Some(held) = self.gprs.find(v) {
            return Arg::R(if wide { held } else { low(held) });
        }
        if let Place::Uniform(at) = self.single.place(v) {
            return Arg::M(Mem::at(fixed::UNIFORM, at));
        }
        self.load(register, v);
        Arg::R(if wide { register } else { low(register) })
    }

    pub(super) fn copy(&mut self, to: Register, from: Register, wide: bool) {
        if wide {
            self.asm.op(Code::Mov_r64_rm64, &[to.into(), from.into()]);
        } else {
            let (to, from) = (low(to), low(from));
            self.asm.op(Code::Mov_r32_rm32, &[to.into(), from.into()]);
        }
    }

    pub(super) fn load_from(&mut self, register: Register, from: Mem, wide: bool) {
        let (code, register) = if wide {
            (Code::Mov_r64_rm64, register)
        } else {
            (Code::Mov_r32_rm32, low(register))
        };
        self.asm.op(code, &[register.into(), from.into()]);
    }

    pub(super) fn store_to(&mut self, to: Mem, register: Register, wide: bool) {
        let (code, register) = if wide {
            (Code::Mov_rm64_r64, register)
        } else {
            (Code::Mov_rm32_r32, low(register))
        };
        self.asm.op(code, &[to.into(), register.into()]);
    }

    /// Defines the value of a node as the content of the first register.
    pub(crate) fn result(&mut self, v: Value) -> Result<(), TooMany> {
        self.result_from(v, A)
    }

    pub(super) fn result_from(&mut self, v: Value, from: Register) -> Result<(), TooMany> {
        if let Some(reg) = self.segments.into[v.index()] {
            self.single.put(v, reg);
            self.gprs.has_slot(v);
            self.store_value(register(reg), v, from);
        } else if self.gprs.is_stored(v) {
            let place = self.single.claim(v, self.segment)?;
            self.store_value(place, v, from);
        }
        if self.gprs.is_needed(v) {
            self.hold(v, from)?;
        }
        Ok(())
    }

    pub(super) fn store_value(&mut self, place: Place, v: Value, from: Register) {
        if let Place::Uniform(at) = place {
            let wide = self.block.ty(v).bits() == 64;
            self.store_to(Mem::at(fixed::UNIFORM, at), from, wide);
        }
    }

    /// Keeps a value in a register.
    pub(super) fn hold(&mut self, v: Value, from: Register) -> Result<(), TooMany> {
        let (register, unspilled) = self.gprs.take();
        for other in unspilled {
            self.spill(register, other)?;
        }
        let wide = self.block.ty(v).bits() == 64;
        self.copy(register, from, wide);
        self.gprs.put(register, vec![v]);
        Ok(())
    }

    /// Spills a value from its register.
    pub(super) fn spill(&mut self, from: Register, v: Value) -> Result<(), TooMany> {
        let place = self.single.claim(v, self.segment)?;
        self.store_value(place, v, from);
        self.gprs.has_slot(v);
        Ok(())
    }

    /// Clears registers that the following code changes: all, or only those in which tiles gather masks.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(crate) fn forget(&mut self, all: bool) -> Result<(), TooMany> {
        for (register, v) in self.gprs.forget(all) {
            self.spill(register, v)?;
        }
        Ok(())
    }

    pub(super) fn store_register(&mut self, reg: Reg, from: Register) {
        if let Place::Uniform(at) = register(reg) {
            let wide = reg.ty().bits() == 64;
            self.store_to(Mem::at(fixed::UNIFORM, at), from, wide);
        }
    }
}
