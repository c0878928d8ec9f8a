//! Register allocation for a tile: the vector and mask registers that hold the values of a segment, while code for 16 lanes is
//! emitted.
//!
//! A value is loaded when it is needed, and its register is free after its last use in the segment. If there is no free register,
//! the value whose next use is farthest is spilled. The contents of a vector register of the wave are a value as well; they are
//! stored once, at the end of the segment. If an operation is followed by the write of its result, it writes into a copy of the
//! old contents under the mask of the write.

mod derived;
mod flushed;
mod maps;
mod operands;
mod pairs;
mod registers;
mod vars;

use std::collections::{BTreeMap, HashMap};

use iced_x86::{Code, Register};
use wavetank_ir::{Block, Op, Reg, SHADOW_VECTOR, Tern, Ty, Value};
use wavetank_lower::{Place, Single, TooMany, register};
use wavetank_memory::VECTOR_BYTES;
use wavetank_translate::RegisterSet;

use crate::compiler::asm::{Arg, Asm, Under};
use crate::compiler::gpr_alloc::{self, GprAlloc};
use crate::compiler::segments::{Segments, source};
use maps::{Parts, Used, Uses};
pub(super) use vars::{Derived, Widened};
use vars::{MASK, Pair, Slot, Var, VarId, slot_of};

/// The number of vector registers for values. The other ones are for templates.
const ZMMS: usize = 28;
/// The number of mask registers for values, from k1 on; k7 is for templates.
const MASKS: usize = 6;

/// The vector registers that a template uses internally.
pub(super) const SCRATCH: [Register; 4] = [
    Register::ZMM28,
    Register::ZMM29,
    Register::ZMM30,
    Register::ZMM31,
];
/// The mask register that a template uses internally.
pub(super) const SCRATCH_MASK: Register = Register::K7;

/// The table of VPTERNLOGD that selects bits of the second operand where the third has ones, else of the first.
const CHOOSE: u8 = 0xd8;

/// A mask of all lanes, which is complete in a general register after all tiles: each tile shifts its part in.
pub(super) struct Gathered {
    /// The general register of the mask.
    pub register: Register,
    /// The offsets in the uniform state to store the whole mask at.
    pub slots: Vec<u32>,
    /// The values that the mask represents.
    pub values: Vec<Value>,
    var: VarId,
}

/// Emits the code of the current node, for one tile.
pub(super) type Template = fn(&mut Tile<'_, '_>) -> Result<(), TooMany>;

/// The parts of the compiler that code for tiles uses.
pub(super) struct Shared<'t, 'b> {
    pub asm: &'t mut Asm,
    pub block: &'b Block,
    pub single: &'t mut (dyn Single + 'b),
    pub segments: &'t Segments,
    pub gprs: &'t mut GprAlloc,
    /// The number of the segment.
    pub segment: u32,
}

/// A tile that is being compiled.
pub(super) struct Tile<'t, 'b> {
    pub asm: &'t mut Asm,
    pub block: &'b Block,
    single: &'t mut (dyn Single + 'b),
    segments: &'t Segments,
    gprs: &'t mut GprAlloc,
    segment: u32,
    nodes: &'t [Value],
    /// The template of each node of the block that a tile computes.
    templates: &'t [Option<Template>],
    /// The position of the current node.
    at: usize,
    /// The positions in the segment at which each value is used.
    uses: Uses,
    /// The reads of each register that nodes of the segment use.
    reads: HashMap<Reg, Vec<Value>>,
    vars: Vec<Var>,
    of: Parts,
    /// The contents of the wave's vector registers that have been written.
    contents: BTreeMap<u16, VarId>,
    /// 64-bit values that have been packed, or computed in packed form.
    pairs: Vec<Pair>,
    /// Planes that were packed for this node.
    stale: Vec<VarId>,
    /// The values with a spill slot for lanes.
    spilled: Vec<VarId>,
    /// Spill slots whose values are dead.
    free_slots: Vec<u32>,
    used: Used,
    pinned: Vec<Register>,
    /// The register and the mask of the write that the operation also performs.
    merge: Option<(u16, Option<Value>)>,
    /// The operand whose registers the result may take.
    overwrites: Option<Value>,
    /// The mask that restricts the mask result of an operation.
    gate: Option<Register>,
    gathered: Vec<Gathered>,
    /// Whether the host reads denormals of single precision as zeros.
    pub reads_zeros: bool,
    /// Registers of the wave that are dead after the segment.
    pub dead: RegisterSet,
}

impl<'t, 'b> Tile<'t, 'b> {
    /// The tile of a segment. `reads_zeros` says that the host reads denormals of single precision as zeros in it.
    pub(super) fn new(
        shared: Shared<'t, 'b>,
        templates: &'t [Option<Template>],
        reads_zeros: bool,
    ) -> Tile<'t, 'b> {
        let nodes = &shared.segments.list[shared.segment as usize].tile[..];
        Tile {
            reads_zeros,
            templates,
            ..Tile::of_nodes(shared, nodes)
        }
    }

    fn of_nodes(shared: Shared<'t, 'b>, nodes: &'t [Value]) -> Tile<'t, 'b> {
        let block = shared.block;
        let uses = Uses::new(block, nodes);
        let mut reads: HashMap<Reg, Vec<Value>> = HashMap::new();
        for v in uses.values() {
            if let Op::Read(reg) = block.node(v).op {
                reads.entry(reg).or_default().push(v);
            }
        }
        Tile {
            asm: shared.asm,
            block,
            single: shared.single,
            segments: shared.segments,
            gprs: shared.gprs,
            segment: shared.segment,
            nodes,
            templates: &[],
            at: 0,
            uses,
            reads,
            vars: Vec::new(),
            of: Parts::new(block.nodes.len()),
            contents: BTreeMap::new(),
            pairs: Vec::new(),
            stale: Vec::new(),
            spilled: Vec::new(),
            free_slots: Vec::new(),
            used: Used::new(),
            pinned: Vec::new(),
            merge: None,
            overwrites: None,
            gate: None,
            gathered: Vec::new(),
            reads_zeros: false,
            dead: RegisterSet::default(),
        }
    }

    /// Emits the code of one node with uniform operands. Returns the registers with the parts of its result in the lowest lane;
    /// for a relation the mask.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(super) fn alone(
        shared: Shared<'t, 'b>,
        node: &'t Value,
        template: Template,
    ) -> Result<Vec<Register>, TooMany> {
        let (v, block) = (*node, shared.block);
        let mut tile = Tile::of_nodes(shared, std::slice::from_ref(node));
        template(&mut tile)?;
        let parts: &[u8] = match block.ty(v).bits() {
            _ if tile.of.get(v, MASK).is_some() => &[MASK],
            64 => &[0, 1],
            _ => &[0],
        };
        let register = |part: &u8| {
            let var = tile.of.get(v, *part).expect("its template bound it");
            tile.register(var)
        };
        parts.iter().map(register).collect()
    }

    /// Emits the code of a tile. Returns the masks that are in registers after the last tile.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(super) fn run(mut self) -> Result<Vec<Gathered>, TooMany> {
        while let Some(v) = self.nodes.get(self.at) {
            self.node(*v)?;
            self.at += 1;
            self.pinned.clear();
            self.drop_stale();
            self.release();
        }
        self.store_contents()?;
        Ok(self.gathered)
    }

    fn node(&mut self, v: Value) -> Result<(), TooMany> {
        let op = &self.block.node(v).op;
        self.asm.mark(v);
        match *op {
            Op::Read(reg) => self.read(v, reg),
            Op::Write {
                reg: Reg::V(n),
                value,
                mask,
                bytes,
            } if bytes != 0xf => self.write_bytes(n, value, mask, bytes),
            Op::Write {
                reg, value, mask, ..
            } => self.write(reg, value, mask),
            _ => {
                let template = self.templates[v.index()].expect("tiles have templates alone");
                self.compute(v, template)
            }
        }
    }

    fn read(&mut self, v: Value, reg: Reg) -> Result<(), TooMany> {
        let (first, parts) = match reg {
            Reg::V(n) => (n, 1),
            Reg::V64(n) => (n, 2),
            _ => unreachable!("tiles read vector registers"),
        };
        for part in 0..parts {
            let n = first + u16::from(part);
            let slot = slot_of(n);
            let var = match self.contents.get(&n) {
                Some(var) => *var,
                None => self.new_var(Some(slot), false),
            };
            self.bind(v, part, var);
        }
        if self.segments.copied[v.index()] {
            self.store_result(v)?;
        }
        Ok(())
    }

    /// Stores a value that later segments need.
    fn store_result(&mut self, v: Value) -> Result<(), TooMany> {
        if self.segments.needed[v.index()] <= self.segment {
            return Ok(());
        }
        if self.is_mask(v) {
            return self.keep_mask(v);
        }
        let place = self.single.claim(v, self.segment)?;
        let parts = if self.block.ty(v) == Ty::V64 { 2 } else { 1 };
        for part in 0..parts {
            let slot = match place {
                Place::Vector(at) => Slot::Lanes(at + u32::from(part) * VECTOR_BYTES as u32),
                _ => unreachable!("a claim is memory"),
            };
            let var = self.var(v, part);
            let register = self.register(var)?;
            self.store(slot, register);
            self.vars[var].slot.get_or_insert(slot);
        }
        Ok(())
    }

    /// Keeps a mask that later segments need.
    fn keep_mask(&mut self, v: Value) -> Result<(), TooMany> {
        let var = self.var(v, MASK);
        let stored = self.gprs.is_stored(v);
        let at = match self.gather(var)? {
            Some(at) => {
                self.gathered[at].values.push(v);
                (!stored).then_some(at)
            }
            None => None,
        };
        if at.is_some() {
            return Ok(());
        }
        self.gprs.has_slot(v);
        let Place::Uniform(place) = self.single.claim(v, self.segment)? else {
            unreachable!("a mask is a uniform value");
        };
        self.store_mask(var, place)
    }

    /// Stores a mask; with all lanes if all tiles are done.
    fn store_mask(&mut self, var: VarId, place: u32) -> Result<(), TooMany> {
        match self.gather(var)? {
            Some(at) => self.gathered[at].slots.push(place),
            None => {
                let register = self.register(var)?;
                self.store(Slot::Mask(place), register);
            }
        }
        Ok(())
    }

    /// The general register in which a mask is gathered, if there is one. A mask stored in pieces would stall a load of the whole
    /// mask until all pieces have arrived.
    fn gather(&mut self, var: VarId) -> Result<Option<usize>, TooMany> {
        let known = self.gathered.iter().position(|mask| mask.var == var);
        let Some(register) = gpr_alloc::MASKS.get(self.gathered.len()).copied() else {
            return Ok(known);
        };
        if known.is_some() {
            return Ok(known);
        }
        let (eax, from) = (Register::EAX, self.register(var)?);
        self.asm
            .op(Code::VEX_Kmovw_r32_kr, &[eax.into(), from.into()]);
        let args = [register.into(), Register::RAX.into(), 16.into()];
        self.asm.op(Code::Shrd_rm64_r64_imm8, &args);
        self.gathered.push(Gathered {
            register,
            slots: Vec::new(),
            values: Vec::new(),
            var,
        });
        Ok(Some(self.gathered.len() - 1))
    }

    fn compute(&mut self, v: Value, template: Template) -> Result<(), TooMany> {
        let (merge, gate) = (self.write_after(v), self.gate_after(v));
        let merged_after = merge.and_then(|(n, mask)| Some((n, mask?)));
        let merged_after = merged_after.filter(|(n, _)| self.is_merged_after(*n, v));
        if let Some((n, mask)) = merge.filter(|_| merged_after.is_none()) {
            if let Some(mask) = mask {
                self.reg(mask)?;
            }
            self.merge = Some((n, mask));
        }
        if let Some((_, by)) = gate {
            self.gate = Some(self.reg(by)?);
        }
        template(self)?;
        if let Some(second) = self.second()
            && self.of.get(second, MASK).is_some()
        {
            self.store_result(second)?;
        }
        if let Some((n, mask)) = merged_after {
            self.merge_old(n, v, mask)?;
            self.at += 1;
            return Ok(());
        }
        if self.merge.take().is_some() {
            self.at += 1;
            return Ok(());
        }
        if let (Some((and, _)), Some(_)) = (gate, self.gate.take()) {
            let var = self.of.get(v, MASK).expect("its template bound it");
            self.bind(and, MASK, var);
            self.at += 1;
            return self.store_result(and);
        }
        if self.block.node(v).ty.is_some() {
            self.store_result(v)?;
        }
        Ok(())
    }

    /// Whether only the next node uses this value.
    fn is_only_for_next(&self, v: Value) -> bool {
        let alone = self.uses.of(v) == [self.at + 1];
        alone && self.segments.needed[v.index()] <= self.segment
    }

    /// The register and mask of the write that follows, if it is the user of the value.
    fn write_after(&self, v: Value) -> Option<(u16, Option<Value>)> {
        let next = self.nodes.get(self.at + 1)?;
        let (reg, mask) = match self.block.node(*next).op {
            Op::Write {
                reg,
                value,
                mask,
                bytes: 0xf,
            } if value == v && self.is_only_for_next(v) => (reg, mask?),
            _ => return None,
        };
        let mask = (self.constant(mask) != Some(u64::MAX)).then_some(mask);
        match (reg, self.block.ty(v)) {
            (Reg::V(n), Ty::V32) | (Reg::V64(n), Ty::V64) => Some((n, mask)),
            _ => None,
        }
    }

    /// The `and` that follows, if it is the user of a compare's mask, and its other mask.
    fn gate_after(&self, v: Value) -> Option<(Value, Value)> {
        let next = *self.nodes.get(self.at + 1)?;
        let compares = matches!(self.block.node(v).op, Op::Cmp(..));
        match self.block.node(next).op {
            Op::Bin(wavetank_ir::Bin::And, _, _, a, b) if compares && self.is_only_for_next(v) => {
                let other = if source(self.block, a) == v { b } else { a };
                (source(self.block, other) != v).then_some((next, other))
            }
            _ => None,
        }
    }

    fn write(&mut self, reg: Reg, value: Value, mask: Option<Value>) -> Result<(), TooMany> {
        let (first, parts) = match reg {
            Reg::V(n) => (n, 1),
            Reg::V64(n) => (n, 2),
            Reg::S64(n) | Reg::Mask(n) => {
                let mask = source(self.block, value);
                let var = self.var(mask, 0);
                let Place::Uniform(at) = register(Reg::Mask(n)) else {
                    unreachable!("it is a uniform register");
                };
                return self.store_mask(var, at);
            }
            _ => unreachable!("tiles write vectors and masks"),
        };
        let mask = mask.filter(|m| self.constant(*m) != Some(u64::MAX));
        let registers = first..first + parts;
        let Some(mask) = mask else {
            return self.write_all(registers, value);
        };
        if parts == 2 && self.is_packed(value) {
            return self.write_packed(first, value, mask);
        }
        let mask = self.reg(mask)?;
        // Both halves are found before one is written. If the lower one overwrites the higher one, that is copied.
        let mut halves = [self.arg(value, 0)?, self.arg(value, (parts - 1) as u8)?];
        for (n, part) in registers.zip(0..) {
            let new = self.own_contents(n)?;
            let to = self.vars[new].register.expect("it was just put there");
            if part == 0 && parts == 2 && halves[1] == Arg::R(to) {
                let (copy, code) = (SCRATCH[0], Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512);
                self.asm.op(code, &[copy.into(), to.into()]);
                halves[1] = copy.into();
            }
            let from = halves[part];
            let (code, from) = match from {
                Arg::Each(mem) => (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, Arg::M(mem)),
                from => (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, from),
            };
            self.asm.under(code, Under::Merge(mask), &[to.into(), from]);
            self.hold(n, new)?;
        }
        Ok(())
    }

    /// Whether a result is computed in all lanes, and merged with the old contents of its register after that: its instructions
    /// overwrite an operand, and the old contents are in memory alone.
    fn is_merged_after(&self, first: u16, v: Value) -> bool {
        let parts = (self.block.ty(v).bits() / 32) as u16;
        let in_a_register = |n: u16| {
            let slot = Some(slot_of(n));
            let held = |var: &Var| var.slot == slot && var.register.is_some();
            self.contents.contains_key(&n) || self.vars.iter().any(held)
        };
        let overwrites = matches!(self.block.node(v).op, Op::Tern(Tern::Fma, ..));
        overwrites && !(first..first + parts).any(in_a_register)
    }

    /// Writes a value that has no other use to vector registers of the wave, whose old contents are in memory: the lanes that a
    /// mask leaves out are loaded into it.
    fn merge_old(&mut self, first: u16, value: Value, mask: Value) -> Result<(), TooMany> {
        let off = self.inverse_of(mask)?;
        let parts = (self.block.ty(value).bits() / 32) as u8;
        for part in 0..parts {
            self.part(value, part)?;
        }
        for (n, part) in (first..).zip(0..parts) {
            let var = self.var(value, part);
            let register = self.register(var)?;
            let old = self.memory(slot_of(n));
            let code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            self.asm
                .under(code, Under::Merge(off), &[register.into(), old]);
            self.drop_register(var);
            let new = self.new_var(None, false);
            self.put(new, register);
            self.hold(n, new)?;
        }
        Ok(())
    }

    /// Writes some bytes of each lane.
    fn write_bytes(
        &mut self,
        n: u16,
        value: Value,
        mask: Option<Value>,
        bytes: u8,
    ) -> Result<(), TooMany> {
        let mask = mask.filter(|m| self.constant(*m) != Some(u64::MAX));
        let under = match mask {
            Some(mask) => Under::Merge(self.reg(mask)?),
            None => Under::All,
        };
        let from = self.reg(value)?;
        let old = self.held_by(n);
        let new = self.own_contents(n)?;
        let halves = [old, self.var(value, 0), new];
        self.keep_halves(n, halves, mask, bytes);
        let to = self.vars[new].register.expect("it was just put there");
        let written = (0..4).fold(0, |bits, byte| match bytes >> byte & 1 {
            0 => bits,
            _ => bits | 0xff << (8 * byte),
        });
        let written = Arg::Each(self.asm.constant(written));
        let args = [to.into(), from.into(), written, CHOOSE.into()];
        let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
        self.asm.under(code, under, &args);
        self.hold(n, new)
    }

    /// Writes to all lanes: the wave's registers take the value itself.
    fn write_all(&mut self, registers: std::ops::Range<u16>, value: Value) -> Result<(), TooMany> {
        let vars: Vec<VarId> = (0..registers.len())
            .map(|part| self.var(value, part as u8))
            .collect();
        for var in &vars {
            if !self.has_other_form(*var) {
                self.register(*var)?;
            }
        }
        for (n, var) in registers.zip(vars) {
            self.hold(n, var)?;
        }
        Ok(())
    }

    /// Stores the new contents of vector registers of the wave that are live.
    fn store_contents(&mut self) -> Result<(), TooMany> {
        for (n, var) in std::mem::take(&mut self.contents) {
            // The shadow of a dead register is dead.
            if self.dead.has(n & !SHADOW_VECTOR) {
                continue;
            }
            // It may have been stored there to free its register.
            if self.vars[var].slot != Some(slot_of(n)) {
                let register = self.register(var)?;
                self.store(slot_of(n), register);
                self.pinned.clear();
            }
        }
        Ok(())
    }
}
