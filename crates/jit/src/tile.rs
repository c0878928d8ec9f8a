//! The registers of a tile: which values of a stage are in which registers of the host, while code for 16 lanes is made.
//!
//! Values come into registers when they are needed and leave them when nobody in the stage needs them any more, or when
//! there are none left: then the one that is needed last goes to memory. What a vector register of the wave holds is a
//! value as well; it is stored once, at the end of the stage. Where an operation is followed by the write of its result,
//! it writes into a copy of the old contents under the mask of the write.

use std::collections::{BTreeMap, HashMap};

use iced_x86::{Code, Register};
use wavetank_interp::single::{Place, Single, TooMany};
use wavetank_ir::{Block, Fp, Op, Reg, Ty, Value};
use wavetank_memory::VECTOR_BYTES;

use crate::asm::{Arg, Asm, Mem, Under, fixed};
use crate::stages::{Stages, source};
use crate::templates::{self, Template};

/// Registers for values. The other ones are for templates.
const ZMMS: usize = 28;
/// Mask registers for values, from k1 on; k7 is for templates.
const MASKS: usize = 6;

/// Registers that a template uses within itself.
pub const SCRATCH: [Register; 4] = [
    Register::ZMM28,
    Register::ZMM29,
    Register::ZMM30,
    Register::ZMM31,
];
/// The mask register that a template uses within itself.
pub const SCRATCH_MASK: Register = Register::K7;

/// Where a value is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// A lane vector.
    Lanes(u32),
    /// A dword for all lanes, behind the uniform state.
    Dword(u32),
    /// A constant for all lanes.
    Const(u32),
    /// A mask, behind the uniform state.
    Mask(u32),
    /// A constant mask.
    ConstMask(u64),
}

/// A value, or a half of one of 64 bits, within the tile.
#[derive(Debug)]
struct Var {
    register: Option<Register>,
    home: Option<Home>,
    mask: bool,
    /// The values that are this.
    values: Vec<Value>,
    /// Vector registers of the wave that are to hold it.
    held: u32,
}

type VarId = usize;

/// The part that a value as a mask is.
const MASK: u8 = 2;

/// A tile under way.
pub struct Tile<'t, 'b> {
    pub asm: &'t mut Asm,
    pub block: &'b Block,
    single: &'t mut (dyn Single + 'b),
    stages: &'t Stages,
    stage: u32,
    nodes: &'t [Value],
    /// The node that is done.
    at: usize,
    /// Where in the stage each value is used.
    uses: HashMap<Value, Vec<usize>>,
    vars: Vec<Var>,
    of: HashMap<(Value, u8), VarId>,
    /// What vector registers of the wave hold that have been written.
    contents: BTreeMap<u16, VarId>,
    used: HashMap<Register, VarId>,
    pinned: Vec<Register>,
    /// The register and the mask of the write that the operation does as well.
    merge: Option<(u16, Option<Register>)>,
    /// The mask that restricts the mask an operation computes.
    gate: Option<Register>,
}

impl<'t, 'b> Tile<'t, 'b> {
    /// The tile of a stage.
    pub fn new(
        asm: &'t mut Asm,
        block: &'b Block,
        single: &'t mut (dyn Single + 'b),
        stages: &'t Stages,
        stage: u32,
    ) -> Tile<'t, 'b> {
        let nodes = &stages.list[stage as usize].tile[..];
        let mut uses: HashMap<Value, Vec<usize>> = HashMap::new();
        for (at, v) in nodes.iter().enumerate() {
            crate::stages::operands(block, *v, &mut |a| uses.entry(a).or_default().push(at));
        }
        Tile {
            asm,
            block,
            single,
            stages,
            stage,
            nodes,
            at: 0,
            uses,
            vars: Vec::new(),
            of: HashMap::new(),
            contents: BTreeMap::new(),
            used: HashMap::new(),
            pinned: Vec::new(),
            merge: None,
            gate: None,
        }
    }

    /// Makes the code of a tile.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub fn run(mut self) -> Result<(), TooMany> {
        while let Some(v) = self.nodes.get(self.at) {
            self.node(*v)?;
            self.at += 1;
            self.pinned.clear();
            self.release();
        }
        self.store_contents()
    }

    fn node(&mut self, v: Value) -> Result<(), TooMany> {
        let op = &self.block.node(v).op;
        self.asm.mark(v);
        match *op {
            Op::Read(reg) => self.read(v, reg),
            Op::Write {
                reg, value, mask, ..
            } => self.write(reg, value, mask),
            _ => {
                let template = templates::vector(self.block, op).expect("a tile has templates alone");
                self.compute(v, template)
            }
        }
    }

    // Values and where they are.

    fn is_mask(&self, v: Value) -> bool {
        self.block.ty(v) == Ty::Mask
    }

    fn new_var(&mut self, home: Option<Home>, mask: bool) -> VarId {
        self.vars.push(Var {
            register: None,
            home,
            mask,
            values: Vec::new(),
            held: 0,
        });
        self.vars.len() - 1
    }

    fn bind(&mut self, v: Value, part: u8, var: VarId) {
        self.of.insert((v, part), var);
        self.vars[var].values.push(v);
    }

    /// The part of a value: one that was computed in this tile, or where it is in memory.
    fn var(&mut self, v: Value, part: u8) -> VarId {
        // The same 64 bits may be a mask to one and a number to another.
        let mask = self.is_mask(v);
        let part = if mask { MASK } else { part };
        let v = source(self.block, v);
        if let Some(var) = self.of.get(&(v, part)) {
            return *var;
        }
        let high = u32::from(part);
        let home = match self.single.place(v) {
            Place::Vector(at) => Home::Lanes(at + high * VECTOR_BYTES as u32),
            Place::Uniform(at) if mask => Home::Mask(at),
            Place::Uniform(at) => Home::Dword(at + 4 * high),
            Place::Const(c) if mask => Home::ConstMask(c),
            Place::Const(c) => Home::Const((c >> (32 * high)) as u32),
            Place::Nowhere => unreachable!("operands are computed before their users"),
        };
        let var = self.new_var(Some(home), mask);
        self.bind(v, part, var);
        var
    }

    /// Where the stage needs it next.
    fn next_use(&self, var: VarId) -> Option<usize> {
        let of = |v: &Value| {
            let uses = self.uses.get(v)?;
            uses.iter().copied().find(|at| *at >= self.at)
        };
        self.vars[var].values.iter().filter_map(of).min()
    }

    /// Whether it is needed behind this node, or to be stored.
    fn is_live_after(&self, var: VarId) -> bool {
        let of = |v: &Value| {
            let uses = self.uses.get(v);
            uses.is_some_and(|uses| uses.last().is_some_and(|at| *at > self.at))
        };
        self.vars[var].held > 0 || self.vars[var].values.iter().any(of)
    }

    /// Gives back the registers of what is not needed any more.
    fn release(&mut self) {
        let live = |var: VarId| self.vars[var].held > 0 || self.next_use(var).is_some();
        let dead: Vec<VarId> = self.used.values().copied().filter(|v| !live(*v)).collect();
        for var in dead {
            self.drop_register(var);
        }
    }

    fn drop_register(&mut self, var: VarId) {
        if let Some(register) = self.vars[var].register.take() {
            self.used.remove(&register);
        }
    }

    fn put(&mut self, var: VarId, register: Register) {
        self.vars[var].register = Some(register);
        self.used.insert(register, var);
        self.pinned.push(register);
    }

    /// A register that is free, or becomes free: what is needed last goes to memory.
    fn free_register(&mut self, mask: bool) -> Result<Register, TooMany> {
        let registers: Vec<Register> = match mask {
            true => (0..MASKS).map(|n| Register::K1 + n as u32).collect(),
            false => (0..ZMMS).map(|n| Register::ZMM0 + n as u32).collect(),
        };
        let free = registers.iter().find(|r| !self.used.contains_key(r) && !self.pinned.contains(r));
        if let Some(register) = free {
            return Ok(*register);
        }
        let candidates = registers.iter().filter(|r| !self.pinned.contains(r));
        let farthest = candidates.max_by_key(|r| self.next_use(self.used[r]).unwrap_or(usize::MAX));
        let register = *farthest.expect("no template pins all registers");
        let var = self.used[&register];
        self.save(var)?;
        self.drop_register(var);
        Ok(register)
    }

    /// Sees to it that memory has it.
    fn save(&mut self, var: VarId) -> Result<(), TooMany> {
        if self.vars[var].home.is_some() {
            return Ok(());
        }
        let register = self.vars[var].register.expect("it is here or there");
        let home = match self.vars[var].mask {
            true => Home::Mask(self.single.uniform(self.stage)?),
            false => Home::Lanes(self.single.vector(self.stage)?),
        };
        self.store(home, register);
        self.vars[var].home = Some(home);
        Ok(())
    }

    fn memory(&mut self, home: Home) -> Arg {
        match home {
            Home::Lanes(at) => Arg::M(Mem::sum(fixed::VECTOR, fixed::TILE, at)),
            Home::Dword(at) => Arg::Each(Mem::at(fixed::UNIFORM, at)),
            Home::Const(c) => Arg::Each(self.asm.constant(c)),
            Home::Mask(at) => Arg::M(Mem::sum(fixed::UNIFORM, fixed::PIECE, at)),
            Home::ConstMask(c) => {
                let at = self.asm.constant_row(&[c as u32, (c >> 32) as u32]);
                Arg::M(Mem::sum(fixed::CONSTANTS, fixed::PIECE, at))
            }
        }
    }

    fn store(&mut self, home: Home, register: Register) {
        let to = self.memory(home);
        let code = match home {
            Home::Mask(_) => Code::VEX_Kmovw_m16_kr,
            _ => Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        };
        self.asm.op(code, &[to, register.into()]);
    }

    fn load(&mut self, home: Home, register: Register) {
        let from = self.memory(home);
        let (code, from) = match (home, from) {
            (Home::Const(0), _) => {
                let zero = [register.into(); 3];
                return self.asm.op(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &zero);
            }
            (Home::Mask(_) | Home::ConstMask(_), _) => (Code::VEX_Kmovw_kr_km16, from),
            (_, Arg::Each(mem)) => (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, Arg::M(mem)),
            _ => (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, from),
        };
        self.asm.op(code, &[register.into(), from]);
    }

    /// The register of a part of a value, loaded if it is not there.
    fn register(&mut self, var: VarId) -> Result<Register, TooMany> {
        if let Some(register) = self.vars[var].register {
            self.pinned.push(register);
            return Ok(register);
        }
        let register = self.free_register(self.vars[var].mask)?;
        let home = self.vars[var].home.expect("it is here or there");
        self.load(home, register);
        self.put(var, register);
        Ok(register)
    }

    // What templates use.

    /// The register of an operand of 32 bits, or of a half of one of 64.
    pub fn part(&mut self, v: Value, part: u8) -> Result<Register, TooMany> {
        let var = self.var(v, part);
        self.register(var)
    }

    /// The register of an operand of 32 bits, or of a mask.
    pub fn reg(&mut self, v: Value) -> Result<Register, TooMany> {
        self.part(v, 0)
    }

    /// An operand as an instruction takes it: in memory if it is there and needed no more.
    pub fn arg(&mut self, v: Value, part: u8) -> Result<Arg, TooMany> {
        let var = self.var(v, part);
        if self.vars[var].register.is_none() && !self.is_live_after(var) {
            let home = self.vars[var].home.expect("it is here or there");
            return Ok(self.memory(home));
        }
        self.register(var).map(Arg::R)
    }

    /// The value of a uniform operand that is constant.
    pub fn constant(&self, v: Value) -> Option<u64> {
        match self.block.node(source(self.block, v)).op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The register for a part of the result, and how to write it: once, when all operands have been read, but for the
    /// instruction that writes it.
    pub fn result(&mut self, part: u8) -> Result<(Register, Under), TooMany> {
        let v = self.nodes[self.at];
        if let Some((first, mask)) = self.merge {
            return self.result_in(v, part, first + u16::from(part), mask);
        }
        let var = self.new_var(None, false);
        self.bind(v, part, var);
        let register = self.free_register(false)?;
        self.put(var, register);
        Ok((register, Under::All))
    }

    /// The result goes into what a vector register of the wave holds.
    fn result_in(
        &mut self,
        v: Value,
        part: u8,
        n: u16,
        mask: Option<Register>,
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
        Ok((register, mask.map_or(Under::All, Under::Merge)))
    }

    /// What a vector register of the wave holds, in a register that can be written.
    fn own_contents(&mut self, n: u16) -> Result<VarId, TooMany> {
        let old = match self.contents.get(&n) {
            Some(var) => *var,
            None => {
                let home = Home::Lanes(u32::from(n) * VECTOR_BYTES as u32);
                // The same may have been read.
                let known = |var: &Var| var.home == Some(home) && var.register.is_some();
                match self.vars.iter().position(known) {
                    Some(var) => var,
                    None => self.new_var(Some(home), false),
                }
            }
        };
        let from = self.register(old)?;
        let held = u32::from(self.contents.contains_key(&n));
        let needed = self.vars[old].held > held || {
            let behind = |v: &Value| {
                let uses = self.uses.get(v);
                uses.is_some_and(|uses| uses.last().is_some_and(|at| *at > self.at))
            };
            self.vars[old].values.iter().any(behind)
        };
        let new = self.new_var(None, false);
        if needed {
            let to = self.free_register(false)?;
            self.asm
                .op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &[to.into(), from.into()]);
            self.put(new, to);
        } else {
            self.drop_register(old);
            self.put(new, from);
        }
        Ok(new)
    }

    /// A vector register of the wave is to hold this.
    fn hold(&mut self, n: u16, var: VarId) -> Result<(), TooMany> {
        if let Some(old) = self.contents.insert(n, var) {
            self.vars[old].held -= 1;
        }
        self.vars[var].held += 1;
        // Who needs what is there in memory must have it before it is overwritten.
        let home = Some(Home::Lanes(u32::from(n) * VECTOR_BYTES as u32));
        for other in 0..self.vars.len() {
            if self.vars[other].home != home {
                continue;
            }
            if self.vars[other].register.is_none() && (other == var || self.is_live_after(other)) {
                self.register(other)?;
            }
            self.vars[other].home = None;
        }
        Ok(())
    }

    /// The register for the mask that is the result, and the mask that restricts it.
    pub fn result_mask(&mut self, v: Value) -> Result<(Register, Under), TooMany> {
        let var = self.new_var(None, true);
        self.bind(v, MASK, var);
        let register = self.free_register(true)?;
        self.put(var, register);
        Ok((register, self.gate.map_or(Under::All, Under::Merge)))
    }

    /// Moves both halves of a result of 64 bits from registers of the template to where they belong.
    pub fn result_halves(&mut self, halves: [Register; 2]) -> Result<(), TooMany> {
        for (part, from) in halves.into_iter().enumerate() {
            let (to, under) = self.result(part as u8)?;
            let args = [to.into(), from.into()];
            self.asm
                .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
        }
        Ok(())
    }

    /// The parts of the result are those of other values.
    pub fn result_is(&mut self, parts: &[(Value, u8)]) -> Result<(), TooMany> {
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

    /// The operands of the node that is done.
    pub fn args(&self) -> [Value; 3] {
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

    /// The environment of a float operation.
    pub fn fp(&self) -> Fp {
        match self.block.node(self.this()).op {
            Op::Un(_, _, fp, _)
            | Op::Bin(_, _, fp, ..)
            | Op::Tern(_, _, fp, ..)
            | Op::Cmp(_, _, fp, ..)
            | Op::Cvt(_, _, _, fp, _) => fp,
            _ => Fp::default(),
        }
    }

    /// The node that is done.
    pub fn this(&self) -> Value {
        self.nodes[self.at]
    }

    /// The second result of the node that is done, if anybody wants it.
    pub fn second(&self) -> Option<Value> {
        let this = self.this();
        let nodes = self.block.nodes.iter();
        let at = nodes.clone().position(|n| matches!(n.op, Op::Second(of) if of == this));
        at.map(|n| Value(n as u32))
    }

    // Nodes.

    fn read(&mut self, v: Value, reg: Reg) -> Result<(), TooMany> {
        let (first, parts) = match reg {
            Reg::V(n) => (n, 1),
            Reg::V64(n) => (n, 2),
            _ => unreachable!("tiles read vector registers"),
        };
        for part in 0..parts {
            let n = first + u16::from(part);
            let home = Home::Lanes(u32::from(n) * VECTOR_BYTES as u32);
            let var = match self.contents.get(&n) {
                Some(var) => *var,
                None => self.new_var(Some(home), false),
            };
            self.bind(v, part, var);
        }
        if self.stages.copied[v.index()] {
            self.store_result(v)?;
        }
        Ok(())
    }

    /// Stores a value that later stages need.
    fn store_result(&mut self, v: Value) -> Result<(), TooMany> {
        if self.stages.needed[v.index()] <= self.stage {
            return Ok(());
        }
        let place = self.single.claim(v, self.stage)?;
        let parts = if self.block.ty(v) == Ty::V64 { 2 } else { 1 };
        for part in 0..parts {
            let home = match place {
                Place::Vector(at) => Home::Lanes(at + u32::from(part) * VECTOR_BYTES as u32),
                Place::Uniform(at) => Home::Mask(at),
                _ => unreachable!("a claim is memory"),
            };
            let var = self.var(v, part);
            let register = self.register(var)?;
            self.store(home, register);
            self.vars[var].home.get_or_insert(home);
        }
        Ok(())
    }

    fn compute(&mut self, v: Value, template: Template) -> Result<(), TooMany> {
        let (merge, gate) = (self.write_behind(v), self.gate_behind(v));
        if let Some((n, mask)) = merge {
            let mask = mask.map(|m| self.reg(m)).transpose()?;
            self.merge = Some((n, mask));
        }
        if let Some((_, by)) = gate {
            self.gate = Some(self.reg(by)?);
        }
        template(self)?;
        if let Some(second) = self.second()
            && self.of.contains_key(&(second, MASK))
        {
            self.store_result(second)?;
        }
        if self.merge.take().is_some() {
            self.at += 1;
            return Ok(());
        }
        if let (Some((and, _)), Some(_)) = (gate, self.gate.take()) {
            let var = self.of[&(v, MASK)];
            self.bind(and, MASK, var);
            self.at += 1;
            return self.store_result(and);
        }
        if self.block.node(v).ty.is_some() {
            self.store_result(v)?;
        }
        Ok(())
    }

    /// Whether this value is used by the next node alone.
    fn is_only_for_next(&self, v: Value) -> bool {
        let alone = self.uses.get(&v).is_some_and(|uses| *uses == [self.at + 1]);
        alone && self.stages.needed[v.index()] <= self.stage
    }

    /// The write that comes next, if it is what the value is for: its register and its mask.
    fn write_behind(&self, v: Value) -> Option<(u16, Option<Value>)> {
        let next = self.nodes.get(self.at + 1)?;
        let (reg, mask) = match self.block.node(*next).op {
            Op::Write {
                reg, value, mask, ..
            } if value == v && self.is_only_for_next(v) => (reg, mask?),
            _ => return None,
        };
        let mask = (self.constant(mask) != Some(u64::MAX)).then_some(mask);
        match (reg, self.block.ty(v)) {
            (Reg::V(n), Ty::V32) | (Reg::V64(n), Ty::V64) => Some((n, mask)),
            _ => None,
        }
    }

    /// The `and` that comes next, if it is what the mask of a compare is for, and the other mask.
    fn gate_behind(&self, v: Value) -> Option<(Value, Value)> {
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
                let register = self.reg(mask)?;
                self.store(Home::Mask(4 * u32::from(n)), register);
                return Ok(());
            }
            _ => unreachable!("tiles write vectors and masks"),
        };
        let mask = mask.filter(|m| self.constant(*m) != Some(u64::MAX));
        let registers = first..first + parts;
        let Some(mask) = mask else {
            return self.write_all(registers, value);
        };
        let mask = self.reg(mask)?;
        // Both halves are found before one is written.
        let halves = [
            self.arg(value, 0)?,
            self.arg(value, (parts - 1) as u8)?,
        ];
        for (n, from) in registers.zip(halves) {
            let new = self.own_contents(n)?;
            let to = self.vars[new].register.expect("it was just put there");
            let (code, from) = match from {
                Arg::Each(mem) => (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, Arg::M(mem)),
                from => (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, from),
            };
            self.asm.under(code, Under::Merge(mask), &[to.into(), from]);
            self.hold(n, new)?;
        }
        Ok(())
    }

    /// A write to all lanes: the registers hold the value itself.
    fn write_all(&mut self, registers: std::ops::Range<u16>, value: Value) -> Result<(), TooMany> {
        let vars: Vec<VarId> = (0..registers.len())
            .map(|part| self.var(value, part as u8))
            .collect();
        for var in &vars {
            self.register(*var)?;
        }
        for (n, var) in registers.zip(vars) {
            self.hold(n, var)?;
        }
        Ok(())
    }

    /// Stores what vector registers of the wave are to hold.
    fn store_contents(&mut self) -> Result<(), TooMany> {
        for (n, var) in std::mem::take(&mut self.contents) {
            let register = self.register(var)?;
            self.store(Home::Lanes(u32::from(n) * VECTOR_BYTES as u32), register);
            self.pinned.clear();
        }
        Ok(())
    }
}
