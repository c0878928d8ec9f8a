//! The interface of templates: operands, and the registers of results.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, Fp, Op, Value};
use wavetank_lower::TooMany;

use super::vars::{MASK, Var, VarId, slot_of};
use super::{SCRATCH, Tile};
use crate::compiler::asm::{Arg, Under};
use crate::compiler::segments::{second_of, source};

impl Tile<'_, '_> {
    /// The register of a 32-bit operand, or of half of a 64-bit one.
    pub(crate) fn part(&mut self, v: Value, part: u8) -> Result<Register, TooMany> {
        let var = self.var(v, part);
        self.register(var)
    }

    /// The register of a 32-bit operand, or of a mask.
    pub(crate) fn reg(&mut self, v: Value) -> Result<Register, TooMany> {
        self.part(v, 0)
    }

    /// An operand in the form that an instruction accepts: in memory if it is there and has no later use.
    pub(crate) fn arg(&mut self, v: Value, part: u8) -> Result<Arg, TooMany> {
        let var = self.var(v, part);
        match self.vars[var].slot {
            Some(slot) if self.vars[var].register.is_none() && !self.is_live_after(var) => {
                Ok(self.memory(slot))
            }
            _ => self.register(var).map(Arg::R),
        }
    }

    /// The value of a uniform operand that is constant.
    pub(crate) fn constant(&self, v: Value) -> Option<u64> {
        match self.block.node(source(self.block, v)).op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The register for a part of the result, and its masking. The register must be written once, after all operands have been
    /// read, except by the instruction that writes it.
    pub(crate) fn result(&mut self, part: u8) -> Result<(Register, Under), TooMany> {
        let v = self.nodes[self.at];
        if let Some((first, mask)) = self.merge {
            return self.result_in(v, part, first + u16::from(part), mask);
        }
        let over = self.overwrites.and_then(|of| self.take_over(of, part));
        let var = self.new_var(None, false);
        self.bind(v, part, var);
        let register = match over {
            Some(register) => register,
            None => self.free_register(false)?,
        };
        self.put(var, register);
        Ok((register, Under::All))
    }

    /// The lanes that the current node writes, as far as they are known: the others do not matter.
    pub(crate) fn written_lanes(&mut self) -> Result<Under, TooMany> {
        match self.merge {
            Some((_, Some(mask))) => Ok(Under::Merge(self.reg(mask)?)),
            _ => Ok(Under::All),
        }
    }

    /// Computes an operation whose instructions overwrite an operand: the result takes its register if it is dead after that.
    pub(crate) fn overwriting(
        &mut self,
        operand: usize,
        template: impl FnOnce(&mut Self) -> Result<(), TooMany>,
    ) -> Result<(), TooMany> {
        self.overwrites = Some(self.args()[operand]);
        let done = template(self);
        self.overwrites = None;
        done
    }

    /// The register of an operand that is dead after this node, which loses it.
    fn take_over(&mut self, v: Value, part: u8) -> Option<Register> {
        let var = self.of.get(source(self.block, v), part)?;
        let register = self.vars[var].register?;
        if self.is_live_after(var) {
            return None;
        }
        self.drop_register(var);
        Some(register)
    }

    /// The result goes into the contents of a vector register of the wave.
    pub(super) fn result_in(
        &mut self,
        v: Value,
        part: u8,
        n: u16,
        mask: Option<Value>,
    ) -> Result<(Register, Under), TooMany> {
        let var = match mask {
            Some(_) => self.own_contents(n)?,
            None => {
                let var = self.new_var(None, false);
                let register = self.free_register(false)?;
                self.put(var, register);
                var
            }
        };
        self.hold(n, var)?;
        self.bind(v, part, var);
        let register = self.vars[var].register.expect("it was just put there");
        let under = match mask {
            Some(mask) => Under::Merge(self.reg(mask)?),
            None => Under::All,
        };
        Ok((register, under))
    }

    /// The contents of a vector register of the wave, in a register or in memory.
    pub(super) fn held_by(&mut self, n: u16) -> VarId {
        if let Some(var) = self.contents.get(&n) {
            return *var;
        }
        let slot = slot_of(n);
        // The same register may have been read before.
        let known = |var: &Var| var.slot == Some(slot) && var.register.is_some();
        match self.vars.iter().position(known) {
            Some(var) => var,
            None => self.new_var(Some(slot), false),
        }
    }

    /// Whether the contents of a vector register are live after this node for another reason than being its contents.
    pub(super) fn is_needed_beside(&self, n: u16, var: VarId) -> bool {
        let held = u32::from(self.contents.contains_key(&n));
        let is_used_later = |v: &Value| {
            let uses = self.uses.of(*v);
            uses.last().is_some_and(|at| *at > self.at)
        };
        self.vars[var].held > held || self.vars[var].values.iter().any(is_used_later)
    }

    /// The contents of a vector register of the wave, in a register that can be written.
    pub(super) fn own_contents(&mut self, n: u16) -> Result<VarId, TooMany> {
        let old = self.held_by(n);
        let from = self.register(old)?;
        let needed = self.is_needed_beside(n, old);
        let new = self.new_var(None, false);
        if needed {
            let to = self.free_register(false)?;
            self.asm.op(
                Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
                &[to.into(), from.into()],
            );
            self.put(new, to);
        } else {
            self.drop_register(old);
            self.put(new, from);
        }
        Ok(new)
    }

    /// Sets the contents of a vector register of the wave.
    pub(super) fn hold(&mut self, n: u16, var: VarId) -> Result<(), TooMany> {
        if let Some(old) = self.contents.insert(n, var) {
            self.vars[old].held -= 1;
        }
        self.vars[var].held += 1;
        // Values that are only in this memory are loaded before it is overwritten.
        let slot = Some(slot_of(n));
        for other in 0..self.vars.len() {
            if self.vars[other].slot != slot {
                continue;
            }
            let wanted = other == var || self.is_live_after(other);
            if wanted && self.vars[other].register.is_none() && !self.has_other_form(other) {
                self.register(other)?;
            }
            self.vars[other].slot = None;
        }
        Ok(())
    }

    /// The register for a mask result, and the mask that restricts it.
    pub(crate) fn result_mask(&mut self, v: Value) -> Result<(Register, Under), TooMany> {
        let var = self.new_var(None, true);
        self.bind(v, MASK, var);
        let register = self.free_register(true)?;
        self.put(var, register);
        Ok((register, self.gate.map_or(Under::All, Under::Merge)))
    }

    /// A register for this node only, for a mask or for lanes.
    pub(crate) fn spare(&mut self, mask: bool) -> Result<Register, TooMany> {
        let register = self.free_register(mask)?;
        self.pinned.push(register);
        Ok(register)
    }

    /// Moves both halves of a 64-bit result from registers of the template to its own.
    pub(crate) fn result_halves(&mut self, halves: [Register; 2]) -> Result<(), TooMany> {
        for (part, from) in halves.into_iter().enumerate() {
            let (to, under) = self.result(part as u8)?;
            let args = [to.into(), from.into()];
            self.asm
                .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
        }
        Ok(())
    }

    /// Defines the parts of the result as those of other values.
    pub(crate) fn result_is(&mut self, parts: &[(Value, u8)]) -> Result<(), TooMany> {
        if self.merge.is_none() {
            for (n, (v, part)) in parts.iter().enumerate() {
                let var = self.var(*v, *part);
                self.bind(self.this(), n as u8, var);
            }
            return Ok(());
        }
        // All are read before one is written.
        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
        for ((v, part), to) in parts.iter().zip(SCRATCH) {
            let from = self.part(*v, *part)?;
            self.asm.op(copy, &[to.into(), from.into()]);
        }
        for (n, from) in (0..parts.len()).zip(SCRATCH) {
            let (to, under) = self.result(n as u8)?;
            self.asm.under(copy, under, &[to.into(), from.into()]);
        }
        Ok(())
    }

    /// The lanes in which the result of the current node is used, if its only user is a selection, which takes another value
    /// elsewhere.
    pub(crate) fn selected_by(&self) -> Option<Value> {
        let this = self.this();
        let [at] = *self.uses.of(this) else {
            return None;
        };
        match self.block.node(self.nodes[at]).op {
            Op::Select(lanes, a, b)
                if source(self.block, a) == this && source(self.block, b) != this =>
            {
                // A later value is not computed yet.
                let known = source(self.block, lanes) < this && self.merge.is_none();
                (known && self.segments.needed[this.index()] <= self.segment).then_some(lanes)
            }
            _ => None,
        }
    }

    /// The operands of the current node.
    pub(crate) fn args(&self) -> [Value; 3] {
        let mut args = [self.this(); 3];
        let mut at = 0;
        let op = &self.block.node(self.this()).op;
        op.for_each_operand(&mut |v| {
            if at < args.len() {
                args[at] = *v;
            }
            at += 1;
        });
        args
    }

    /// The float environment of the current node.
    pub(crate) fn fp(&self) -> Fp {
        match self.block.node(self.this()).op {
            Op::Un(_, _, fp, _)
            | Op::Bin(_, _, fp, ..)
            | Op::Tern(_, _, fp, ..)
            | Op::Cmp(_, _, fp, ..)
            | Op::Cvt(_, _, _, fp, _) => fp,
            _ => Fp::default(),
        }
    }

    /// The element type of the current node.
    pub(crate) fn elem(&self) -> Elem {
        match self.block.node(self.this()).op {
            Op::Un(_, elem, ..)
            | Op::Bin(_, elem, ..)
            | Op::Tern(_, elem, ..)
            | Op::Cmp(_, elem, ..)
            | Op::Class(elem, ..) => elem,
            _ => Elem::I32,
        }
    }

    /// The current node of the block.
    pub(crate) fn this(&self) -> Value {
        self.nodes[self.at]
    }

    /// The second result of the current node, if it is used.
    pub(crate) fn second(&self) -> Option<Value> {
        let this = self.this();
        if !has_second(&self.block.node(this).op) {
            return None;
        }
        second_of(self.block, this)
    }
}

/// Whether an operation may have a second result.
fn has_second(op: &Op) -> bool {
    matches!(
        op,
        Op::AddCarry(..) | Op::SubBorrow(..) | Op::MadWide { .. } | Op::LaneFn(..)
    )
}
