//! Register allocation within a tile: next uses, spills and loads.

use iced_x86::{Code, Register};
use wavetank_ir::{Op, Reg, SHADOW_VECTOR, Ty, Value};
use wavetank_lower::{Place, TooMany};
use wavetank_memory::VECTOR_BYTES;

use super::vars::{MASK, Slot, Var, VarId, slot_of};
use super::{MASKS, Tile, ZMMS};
use crate::compiler::asm::{Arg, Mem, fixed};
use crate::compiler::segments::source;

impl Tile<'_, '_> {
    pub(super) fn is_mask(&self, v: Value) -> bool {
        self.block.ty(v) == Ty::Mask
    }

    pub(super) fn new_var(&mut self, slot: Option<Slot>, mask: bool) -> VarId {
        self.vars.push(Var {
            register: None,
            slot,
            mask,
            values: Vec::new(),
            held: 0,
            flushed: None,
            derived: Vec::new(),
        });
        self.vars.len() - 1
    }

    pub(super) fn bind(&mut self, v: Value, part: u8, var: VarId) {
        self.of.insert(v, part, var);
        self.vars[var].values.push(v);
    }

    /// A part of a value, computed in this tile or in memory.
    pub(super) fn var(&mut self, v: Value, part: u8) -> VarId {
        // The same 64 bits may be a mask for one user and a number for another.
        let mask = self.is_mask(v);
        let part = if mask { MASK } else { part };
        let v = source(self.block, v);
        if let Some(var) = self.of.get(v, part) {
            return var;
        }
        let high = u32::from(part);
        let slot = match self.single.place(v) {
            Place::Vector(at) => Slot::Lanes(at + high * VECTOR_BYTES as u32),
            Place::Uniform(at) if mask => Slot::Mask(at),
            Place::Uniform(at) => Slot::Dword(at + 4 * high),
            Place::Const(c) if mask => Slot::ConstMask(c),
            Place::Const(c) => Slot::Const((c >> (32 * high)) as u32),
            Place::Nowhere => unreachable!("operands are computed before their users"),
        };
        let var = self.new_var(Some(slot), mask);
        self.bind(v, part, var);
        if let Op::Read(reg) = self.block.node(v).op
            && !mask
            && !self.segments.copied[v.index()]
        {
            self.bind_reads(v, reg, part, var);
        }
        var
    }

    /// Binds other reads of an unchanged register to the same value. Reads after a write in this segment are separate nodes of
    /// it, and are bound at their turn.
    fn bind_reads(&mut self, known: Value, reg: Reg, part: u8, var: VarId) {
        let segments = self.segments;
        let same = |v: &Value| {
            let in_place =
                !segments.copied[v.index()] && segments.tile[v.index()] != Some(self.segment);
            *v != known && in_place && self.of.get(*v, part).is_none()
        };
        let reads = self.reads.get(&reg).into_iter().flatten().copied();
        let reads: Vec<Value> = reads.filter(same).collect();
        for v in reads {
            self.bind(v, part, var);
        }
    }

    /// The position of its next use in the segment.
    pub(super) fn next_use(&self, var: VarId) -> Option<usize> {
        let of = |v: &Value| {
            let uses = self.uses.of(*v);
            uses.get(uses.partition_point(|at| *at < self.at)).copied()
        };
        let values = |var: VarId| self.vars[var].values.iter();
        match self.planes_of(var) {
            Some([low, high]) => values(low).chain(values(high)).filter_map(of).min(),
            None => values(var).filter_map(of).min(),
        }
    }

    /// Whether it is live after this node, or has to be stored.
    pub(super) fn is_live_after(&self, var: VarId) -> bool {
        let of = |v: &Value| {
            let uses = self.uses.of(*v);
            uses.last().is_some_and(|at| *at > self.at)
        };
        let is_live = |var: VarId| self.vars[var].held > 0 || self.vars[var].values.iter().any(of);
        match self.planes_of(var) {
            Some(planes) => planes.into_iter().any(is_live),
            None => is_live(var),
        }
    }

    /// Frees the registers and spill slots of values that are dead.
    pub(super) fn release(&mut self) {
        let held = |var: VarId| match self.planes_of(var) {
            Some([low, high]) => self.vars[low].held + self.vars[high].held > 0,
            None => self.vars[var].held > 0,
        };
        let live = |var: VarId| held(var) || self.next_use(var).is_some();
        let dead: Vec<VarId> = self.used.vars().filter(|v| !live(*v)).collect();
        let (kept, ended) = self.spilled.iter().partition(|var| live(**var));
        for var in dead {
            self.drop_register(var);
        }
        self.free_slots(kept, ended);
    }

    /// Frees the spill slots of values that are dead.
    fn free_slots(&mut self, kept: Vec<VarId>, ended: Vec<VarId>) {
        self.spilled = kept;
        for var in ended {
            if let Some(Slot::Lanes(at)) = self.vars[var].slot.take() {
                self.free_slots.push(at);
            }
        }
    }

    /// A slot for lanes: one that was freed, or another one.
    fn spill_slot(&mut self, var: VarId) -> Result<Slot, TooMany> {
        let at = match self.free_slots.pop() {
            Some(at) => at,
            None => self.single.vector(self.segment)?,
        };
        self.spilled.push(var);
        Ok(Slot::Lanes(at))
    }

    pub(super) fn drop_register(&mut self, var: VarId) {
        if let Some(register) = self.vars[var].register.take() {
            self.used.set(register, None);
        }
    }

    pub(super) fn put(&mut self, var: VarId, register: Register) {
        self.vars[var].register = Some(register);
        self.used.set(register, Some(var));
        self.pinned.push(register);
    }

    /// A free register. If there is none, the value whose next use is farthest is spilled.
    pub(super) fn free_register(&mut self, mask: bool) -> Result<Register, TooMany> {
        let (first, count) = if mask {
            (Register::K1, MASKS)
        } else {
            (Register::ZMM0, ZMMS)
        };
        let registers = (0..count as u32).map(|n| first + n);
        let mut candidates = registers.filter(|r| !self.pinned.contains(r));
        let free = candidates.clone().find(|r| self.used.get(*r).is_none());
        if let Some(register) = free {
            return Ok(register);
        }
        let first = candidates.next().expect("no template pins all registers");
        let next_use = |register: Register| {
            let var = self.used.get(register).expect("no register is free");
            self.next_use(var).unwrap_or(usize::MAX)
        };
        let mut farthest = (first, next_use(first));
        for register in candidates {
            let next = next_use(register);
            if next >= farthest.1 {
                farthest = (register, next);
            }
        }
        let (register, _) = farthest;
        let var = self.used.get(register).expect("no register is free");
        self.save(var)?;
        self.drop_register(var);
        Ok(register)
    }

    /// Spills a value, unless it is in memory.
    pub(super) fn save(&mut self, var: VarId) -> Result<(), TooMany> {
        if self.vars[var].slot.is_some() || self.has_other_form(var) {
            return Ok(());
        }
        let register = self.vars[var].register.expect("it is here or there");
        // What a register of the wave contains goes there: nothing else is in that memory any more.
        let own = self
            .contents
            .iter()
            .find(|(n, held)| **held == var && !self.dead.has(**n & !SHADOW_VECTOR));
        let slot = if let Some((n, _)) = own {
            slot_of(*n)
        } else if self.vars[var].mask {
            Slot::Mask(self.single.uniform(self.segment)?)
        } else {
            self.spill_slot(var)?
        };
        self.store(slot, register);
        self.vars[var].slot = Some(slot);
        Ok(())
    }

    pub(super) fn memory(&mut self, slot: Slot) -> Arg {
        match slot {
            Slot::Lanes(at) => Arg::M(Mem::sum(fixed::VECTOR, fixed::TILE, at)),
            Slot::Dword(at) => Arg::Each(Mem::at(fixed::UNIFORM, at)),
            Slot::Const(c) => Arg::Each(self.asm.constant(c)),
            Slot::Qword(at) => Arg::Each(Mem::at(fixed::UNIFORM, at)),
            Slot::WideConst(c) => Arg::Each(self.asm.wide_constant(c)),
            Slot::Mask(at) => Arg::M(Mem::sum(fixed::UNIFORM, fixed::PIECE, at)),
            Slot::ConstMask(c) => {
                let at = self.asm.constant_row(&[c as u32, (c >> 32) as u32]);
                Arg::M(Mem::sum(fixed::CONSTANTS, fixed::PIECE, at))
            }
        }
    }

    pub(super) fn store(&mut self, slot: Slot, register: Register) {
        let to = self.memory(slot);
        let code = match slot {
            Slot::Mask(_) => Code::VEX_Kmovw_m16_kr,
            _ => Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        };
        self.asm.op(code, &[to, register.into()]);
    }

    pub(super) fn load(&mut self, slot: Slot, register: Register) {
        let from = self.memory(slot);
        let (code, from) = match (slot, from) {
            (Slot::Const(0) | Slot::WideConst(0), _) => {
                let zero = [register.into(); 3];
                return self.asm.op(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &zero);
            }
            (Slot::Mask(_) | Slot::ConstMask(_), _) => (Code::VEX_Kmovw_kr_km16, from),
            (Slot::Qword(_) | Slot::WideConst(_), Arg::Each(mem)) => {
                (Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, Arg::M(mem))
            }
            (_, Arg::Each(mem)) => (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, Arg::M(mem)),
            _ => (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, from),
        };
        self.asm.op(code, &[register.into(), from]);
    }

    /// The register of a part of a value, loaded if it is not there.
    pub(super) fn register(&mut self, var: VarId) -> Result<Register, TooMany> {
        if let Some(register) = self.vars[var].register {
            self.pinned.push(register);
            return Ok(register);
        }
        let Some(slot) = self.vars[var].slot else {
            return self.convert(var);
        };
        let register = self.free_register(self.vars[var].mask)?;
        self.load(slot, register);
        self.put(var, register);
        Ok(register)
    }
}
