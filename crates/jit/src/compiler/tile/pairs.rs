//! 64-bit values in the form of instructions on qwords.
//!
//! In memory, and for operations on halves, such a value is two *planes*: the low dwords of 16 lanes, and the high ones.
//! Instructions on qwords need it *packed*: eight lanes in each of two registers. Each form is converted to the other when an
//! instruction needs it; results of such instructions stay packed until the planes are stored.

use iced_x86::{Code, Register};
use wavetank_ir::Value;
use wavetank_lower::TooMany;

use super::Tile;
use super::vars::{Pair, Slot, VarId, slot_of};
use crate::compiler::asm::{Mem, Under, fixed};
use crate::compiler::segments::source;

/// The part number of a mask's upper eight lanes.
const UPPER: u8 = 3;
/// The part number of a mask's inverse.
const INVERSE: u8 = 4;

const COPY: Code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;

impl Tile<'_, '_> {
    /// Whether the value is in a register or in memory.
    pub(super) fn is_there(&self, var: VarId) -> bool {
        self.vars[var].register.is_some() || self.vars[var].slot.is_some()
    }

    fn are_there(&self, vars: [VarId; 2]) -> bool {
        vars.into_iter().all(|var| self.is_there(var))
    }

    /// Whether its other form is in a register or in memory.
    pub(super) fn has_other_form(&self, var: VarId) -> bool {
        self.pairs.iter().any(|pair| {
            let of_planes = pair.packed.contains(&var) && self.are_there(pair.planes);
            of_planes || pair.planes.contains(&var) && self.are_there(pair.packed)
        })
    }

    /// The pair that it can be converted from: planes from the packed form, or the packed form from planes.
    fn other_form(&self, var: VarId) -> Option<(Pair, bool)> {
        let packed = self.pairs.iter().find(|pair| pair.packed.contains(&var));
        let planes = |pair: &&Pair| pair.planes.contains(&var) && self.are_there(pair.packed);
        match packed {
            Some(pair) => Some((*pair, true)),
            None => self.pairs.iter().find(planes).map(|pair| (*pair, false)),
        }
    }

    /// The planes of a packed half.
    pub(super) fn planes_of(&self, var: VarId) -> Option<[VarId; 2]> {
        let pair = self.pairs.iter().find(|pair| pair.packed.contains(&var))?;
        Some(pair.planes)
    }

    /// Converts a value from its other form.
    pub(super) fn convert(&mut self, var: VarId) -> Result<Register, TooMany> {
        let (pair, of_planes) = self.other_form(var).expect("it is here or there");
        let (from, made) = if of_planes {
            (pair.planes, pair.packed)
        } else {
            (pair.packed, pair.planes)
        };
        let high = u32::from(var == made[1]);
        let [a, b] = [self.register(from[0])?, self.register(from[1])?];
        // The dwords of b have numbers from 16 on.
        let dwords: [u32; 16] = std::array::from_fn(|n| match (of_planes, n as u32) {
            (true, n) => 8 * high + n / 2 + 16 * (n % 2),
            (false, n) => 2 * n + high,
        });
        let dwords = Mem::at(fixed::CONSTANTS, self.asm.constant_row(&dwords));
        let to = self.free_register(false)?;
        self.asm.op(
            Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            &[to.into(), dwords.into()],
        );
        self.asm.op(
            Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32,
            &[to.into(), a.into(), b.into()],
        );
        self.put(var, to);
        Ok(to)
    }

    /// The registers of a 64-bit operand: lanes 0 to 7, and 8 to 15.
    pub(crate) fn packed(&mut self, v: Value) -> Result<[Register; 2], TooMany> {
        let planes = [self.var(v, 0), self.var(v, 1)];
        let packed = self.pack(planes);
        let registers = [self.register(packed[0])?, self.register(packed[1])?];
        // Later users of the planes convert them back.
        self.stale.extend(planes);
        Ok(registers)
    }

    /// The packed form of planes, which may not be computed yet.
    fn pack(&mut self, planes: [VarId; 2]) -> [VarId; 2] {
        if let Some(pair) = self.pairs.iter().find(|pair| pair.planes == planes) {
            return pair.packed;
        }
        let packed = match planes.map(|plane| self.vars[plane].slot) {
            [Some(Slot::Dword(low)), Some(Slot::Dword(high))] if high == low + 4 => {
                [self.new_var(Some(Slot::Qword(low)), false); 2]
            }
            [Some(Slot::Const(low)), Some(Slot::Const(high))] => {
                let c = u64::from(low) | u64::from(high) << 32;
                [self.new_var(Some(Slot::WideConst(c)), false); 2]
            }
            _ => [self.new_var(None, false), self.new_var(None, false)],
        };
        self.pairs.push(Pair { planes, packed });
        packed
    }

    /// Whether a value is in packed form only.
    pub(crate) fn is_packed(&mut self, v: Value) -> bool {
        let planes = [self.var(v, 0), self.var(v, 1)];
        let elsewhere = planes.iter().any(|plane| self.is_there(*plane));
        !elsewhere && self.pairs.iter().any(|pair| pair.planes == planes)
    }

    /// Writes a packed value to two vector registers of the wave.
    pub(super) fn write_packed(
        &mut self,
        n: u16,
        value: Value,
        mask: Value,
    ) -> Result<(), TooMany> {
        let from = self.packed(value)?;
        let unders = self.halves_of(mask)?.map(Under::Merge);
        let (to, planes) = self.own_packed(n)?;
        for ((to, from), under) in to.into_iter().zip(from).zip(unders) {
            self.asm.under(COPY, under, &[to.into(), from.into()]);
        }
        self.hold(n, planes[0])?;
        self.hold(n + 1, planes[1])
    }

    /// Frees the registers of planes that have been packed.
    pub(super) fn drop_stale(&mut self) {
        for var in std::mem::take(&mut self.stale) {
            if self.vars[var].slot.is_some() || self.has_other_form(var) {
                self.drop_register(var);
            }
        }
    }

    /// The registers for a packed result, with their masking. Each must be written once, after all operands have been read.
    pub(crate) fn result_packed(&mut self) -> Result<[(Register, Under); 2], TooMany> {
        let v = self.this();
        let Some((n, mask)) = self.merge else {
            let (registers, planes) = match self.overwrites.and_then(|of| self.take_over_packed(of))
            {
                Some(taken) => taken,
                None => self.new_packed()?,
            };
            self.bind(v, 0, planes[0]);
            self.bind(v, 1, planes[1]);
            return Ok(registers.map(|r| (r, Under::All)));
        };
        let (registers, planes) = match mask {
            Some(_) => self.own_packed(n)?,
            None => self.new_packed()?,
        };
        for (part, plane) in planes.into_iter().enumerate() {
            self.hold(n + part as u16, plane)?;
            self.bind(v, part as u8, plane);
        }
        let unders = match mask {
            Some(mask) => self.halves_of(mask)?.map(Under::Merge),
            None => [Under::All; 2],
        };
        Ok([(registers[0], unders[0]), (registers[1], unders[1])])
    }

    /// The registers of a packed operand that is dead after this node, for the packed form of new planes.
    fn take_over_packed(&mut self, v: Value) -> Option<([Register; 2], [VarId; 2])> {
        let v = source(self.block, v);
        let planes = [self.of.get(v, 0)?, self.of.get(v, 1)?];
        let packed = self.pairs.iter().find(|pair| pair.planes == planes)?.packed;
        if packed[0] == packed[1] || packed.iter().any(|var| self.is_live_after(*var)) {
            return None;
        }
        let registers = [
            self.vars[packed[0]].register?,
            self.vars[packed[1]].register?,
        ];
        let planes = [self.new_var(None, false), self.new_var(None, false)];
        for ((old, new), register) in packed.into_iter().zip(self.pack(planes)).zip(registers) {
            self.drop_register(old);
            self.put(new, register);
        }
        Some((registers, planes))
    }

    /// A packed value in new registers, with its planes, which are not computed yet.
    fn new_packed(&mut self) -> Result<([Register; 2], [VarId; 2]), TooMany> {
        let planes = [self.new_var(None, false), self.new_var(None, false)];
        let packed = self.pack(planes);
        let mut registers = [Register::None; 2];
        for (var, register) in packed.into_iter().zip(&mut registers) {
            *register = self.free_register(false)?;
            self.put(var, *register);
        }
        Ok((registers, planes))
    }

    /// The packed contents of two vector registers of the wave, in registers that can be written.
    fn own_packed(&mut self, n: u16) -> Result<([Register; 2], [VarId; 2]), TooMany> {
        let old = self.held_pair(n);
        let needed = self.is_needed_beside(n, old[0]) || self.is_needed_beside(n + 1, old[1]);
        let packed = self.pack(old);
        let from = [self.register(packed[0])?, self.register(packed[1])?];
        if needed || from[0] == from[1] {
            self.stale.extend(old);
            let (to, planes) = self.new_packed()?;
            for (to, from) in to.into_iter().zip(from) {
                self.asm.op(COPY, &[to.into(), from.into()]);
            }
            return Ok((to, planes));
        }
        let planes = [self.new_var(None, false), self.new_var(None, false)];
        for ((old, new), register) in packed.into_iter().zip(self.pack(planes)).zip(from) {
            self.drop_register(old);
            self.put(new, register);
        }
        Ok((from, planes))
    }

    /// The contents of two vector registers of the wave: planes that have been packed already, if there are such.
    fn held_pair(&mut self, n: u16) -> [VarId; 2] {
        let held = [n, n + 1].map(|n| self.contents.get(&n).copied());
        let is_held = |plane: VarId, at: usize| match held[at] {
            Some(var) => plane == var,
            None => self.vars[plane].slot == Some(slot_of(n + at as u16)),
        };
        let known = self
            .pairs
            .iter()
            .find(|pair| is_held(pair.planes[0], 0) && is_held(pair.planes[1], 1));
        match known {
            Some(pair) => pair.planes,
            None => [self.held_by(n), self.held_by(n + 1)],
        }
    }

    /// The mask register of the lanes that a mask leaves out.
    pub(super) fn inverse_of(&mut self, mask: Value) -> Result<Register, TooMany> {
        let on = self.reg(mask)?;
        let mask = source(self.block, mask);
        if let Some(var) = self.of.get(mask, INVERSE) {
            return self.register(var);
        }
        let var = self.new_var(None, true);
        let register = self.free_register(true)?;
        self.asm
            .op(Code::VEX_Knotw_kr_kr, &[register.into(), on.into()]);
        self.bind(mask, INVERSE, var);
        self.put(var, register);
        Ok(register)
    }

    /// The mask registers of lanes 0 to 7, in the lowest bits, and of 8 to 15.
    pub(crate) fn halves_of(&mut self, mask: Value) -> Result<[Register; 2], TooMany> {
        let low = self.reg(mask)?;
        let mask = source(self.block, mask);
        let high = match self.of.get(mask, UPPER) {
            Some(var) => self.register(var)?,
            None => {
                let var = self.new_var(None, true);
                let register = self.free_register(true)?;
                let args = [register.into(), low.into(), 8.into()];
                self.asm.op(Code::VEX_Kshiftrw_kr_kr_imm8, &args);
                self.bind(mask, UPPER, var);
                self.put(var, register);
                register
            }
        };
        Ok([low, high])
    }
}
