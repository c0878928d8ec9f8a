//! The effects of an instruction: the registers, state, memory and counters that it reads and writes.
//!
//! Effects follow from the row, the operands and the modifiers. Effects that depend on the mode of the wave are left out: the
//! registers to which VGPR indexing moves an operand, and the scratch base of FLAT and SCRATCH.

use std::fmt;

use crate::form::Form;
use crate::generation::Generation;
use crate::inst::{DstUnused, Flags, Inst, Operand, SdwaSel};
use crate::tables::{
    Access, Class, EXEC, Features, Field, Implicit, Kind, M0, MODE, OperandSpec, PC, SCC, Ty, VCC,
};

/// Codes of VCC, M0 and EXEC among scalar registers (Vega ISA, 13.1).
const VCC_LO: u8 = 106;
const M0_CODE: u8 = 124;
const EXEC_LO: u8 = 126;

/// A set of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Registers {
    scalars: u128,
    vectors: [u64; 4],
    accumulators: [u64; 4],
    state: Implicit,
}

impl Registers {
    /// Adds `count` scalar registers from a source code on.
    pub fn add_scalars(&mut self, first: u8, count: u8) {
        for n in (first..128).take(count.into()) {
            self.scalars |= 1 << n;
        }
    }

    /// Adds `count` vector registers from `first` on.
    pub fn add_vectors(&mut self, first: u8, count: u8) {
        for n in (first..=255).take(count.into()) {
            self.vectors[usize::from(n / 64)] |= 1 << (n % 64);
        }
    }

    /// Adds `count` accumulation registers from `first` on.
    pub fn add_accumulators(&mut self, first: u8, count: u8) {
        for n in (first..=255).take(count.into()) {
            self.accumulators[usize::from(n / 64)] |= 1 << (n % 64);
        }
    }

    /// Adds named state. VCC, EXEC and M0 are added as scalar registers.
    pub fn add_state(&mut self, state: Implicit) {
        for (name, first, count) in [(VCC, VCC_LO, 2), (EXEC, EXEC_LO, 2), (M0, M0_CODE, 1)] {
            if state.contains(name) {
                self.add_scalars(first, count);
            }
        }
        for name in [SCC, MODE, PC] {
            if state.contains(name) {
                self.state = self.state.and(name);
            }
        }
    }

    /// Adds the registers and state of another set.
    pub fn add_all(&mut self, other: &Registers) {
        self.scalars |= other.scalars;
        for n in 0..4 {
            self.vectors[n] |= other.vectors[n];
            self.accumulators[n] |= other.accumulators[n];
        }
        self.state = self.state.and(other.state);
    }

    /// Returns the scalar registers of the set by source code: SGPRs, VCC, TTMPs, M0, EXEC.
    pub fn scalars(&self) -> impl Iterator<Item = u8> {
        let mut set = self.scalars;
        std::iter::from_fn(move || {
            let n = (set != 0).then(|| set.trailing_zeros() as u8)?;
            set &= set - 1;
            Some(n)
        })
    }

    /// Returns the vector registers of the set.
    pub fn vectors(&self) -> impl Iterator<Item = u8> {
        numbers(self.vectors)
    }

    /// Returns the accumulation registers of the set.
    pub fn accumulators(&self) -> impl Iterator<Item = u8> {
        numbers(self.accumulators)
    }

    /// Whether a scalar register is in the set, by source code.
    pub fn has_scalar(&self, n: u8) -> bool {
        self.scalars
            .checked_shr(n.into())
            .is_some_and(|set| set & 1 == 1)
    }

    /// Whether a vector register is in the set.
    pub fn has_vector(&self, n: u8) -> bool {
        self.vectors[usize::from(n / 64)] >> (n % 64) & 1 == 1
    }

    /// Returns SCC, MODE and PC, as far as they are in the set.
    pub fn state(&self) -> Implicit {
        self.state
    }

    /// Returns the difference: the registers and state of this set that `other` does not contain.
    pub fn without(&self, other: &Registers) -> Registers {
        Registers {
            scalars: self.scalars & !other.scalars,
            vectors: std::array::from_fn(|i| self.vectors[i] & !other.vectors[i]),
            accumulators: std::array::from_fn(|i| self.accumulators[i] & !other.accumulators[i]),
            state: Implicit(self.state.0 & !other.state.0),
        }
    }

    /// Returns the union of both sets.
    pub fn or(&self, other: &Registers) -> Registers {
        let mut all = *self;
        all.add_all(other);
        all
    }

    /// Returns the intersection of both sets.
    pub fn both(&self, other: &Registers) -> Registers {
        self.without(&self.without(other))
    }

    /// Whether the sets have a register or state in common.
    pub fn meets(&self, other: &Registers) -> bool {
        !self.both(other).is_empty()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == Registers::default()
    }

    /// Adds the `count` registers of an operand from its first on, or the state that the operand names.
    pub fn add(&mut self, operand: Operand, count: u8) {
        match operand {
            Operand::Sgpr(n) => self.add_scalars(n, count),
            Operand::Vgpr(n) => self.add_vectors(n, count),
            Operand::Agpr(n) => self.add_accumulators(n, count),
            // VCCZ, EXECZ, SCC, LDS_DIRECT (Vega ISA, 13.1).
            Operand::Inline(251) => self.add_state(VCC),
            Operand::Inline(252) => self.add_state(EXEC),
            Operand::Inline(253) => self.add_state(SCC),
            Operand::Inline(254) => self.add_state(M0),
            _ => {}
        }
    }
}

/// Returns the numbers of the bits of a set.
fn numbers(mut sets: [u64; 4]) -> impl Iterator<Item = u8> {
    let mut part = 0;
    std::iter::from_fn(move || {
        part += sets[part..].iter().position(|set| *set != 0)?;
        let n = 64 * part as u8 + sets[part].trailing_zeros() as u8;
        sets[part] &= sets[part] - 1;
        Some(n)
    })
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [(SCC, "scc"), (MODE, "mode"), (PC, "pc")];
        let state = named.iter().filter(|(s, _)| self.state.contains(*s));
        let scalars = self.scalars().map(|n| match n {
            106 => "vcc_lo".to_owned(),
            107 => "vcc_hi".to_owned(),
            124 => "m0".to_owned(),
            126 => "exec_lo".to_owned(),
            127 => "exec_hi".to_owned(),
            n => format!("s{n}"),
        });
        let vectors = self.vectors().map(|n| format!("v{n}"));
        let accumulators = self.accumulators().map(|n| format!("a{n}"));
        let all = scalars.chain(vectors).chain(accumulators);
        let all: Vec<String> = all.chain(state.map(|(_, name)| name.to_string())).collect();
        f.write_str(&all.join(" "))
    }
}

/// The counters that an instruction raises until it is done (Vega ISA, 4.4
/// "Manually inserted wait states").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counters {
    /// Whether VM_CNT is raised.
    pub vm: bool,
    /// Whether LGKM_CNT is raised.
    pub lgkm: bool,
    /// Whether EXP_CNT is raised.
    pub exp: bool,
}

/// The registers, memory and counters that an instruction uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Registers whose old value can affect the result.
    pub reads: Registers,
    /// Registers that the instruction can change.
    pub writes: Registers,
    /// Whether registers selected at run time take part: by an index in M0, or on the stack of forks.
    pub indexed: bool,
    /// Whether the instruction reads memory: global, LDS or GDS.
    pub reads_memory: bool,
    /// Whether the instruction writes memory.
    pub writes_memory: bool,
    /// The wait counters that are raised until the instruction is done.
    pub counters: Counters,
}

impl Inst {
    /// Returns the effects of the instruction.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, parse};
    /// let inst = parse("v_addc_co_u32 v0, vcc, v1, v2, vcc", Chip::Gfx900).unwrap();
    /// let effects = inst.effects();
    /// assert_eq!(effects.reads.to_string(), "vcc_lo vcc_hi exec_lo exec_hi v1 v2 mode");
    /// assert_eq!(effects.writes.to_string(), "vcc_lo vcc_hi v0");
    /// let effects = parse("s_load_dwordx2 s[0:1], s[4:5], 0x8", Chip::Gfx900).unwrap().effects();
    /// assert_eq!(effects.reads.to_string(), "s4 s5");
    /// assert!(effects.reads_memory && !effects.writes_memory && effects.counters.lgkm);
    /// ```
    pub fn effects(&self) -> Effects {
        let row = self.row();
        let mut effects = Effects {
            indexed: row.has(Features::INDEXED),
            counters: self.counters(),
            ..Effects::default()
        };
        effects
            .reads
            .add_state(row.reads.and(self.preserved_state()));
        effects.writes.add_state(row.writes);
        for i in 0..row.operands.len() {
            let (reads, writes) = self.accesses(i);
            let (operand, count) = (self.operands[i], self.reach(i));
            if reads {
                effects.reads.add(operand, count);
                // LDS_DIRECT, and attributes, which are in LDS.
                let in_lds = operand == Operand::Inline(254);
                effects.reads_memory |= in_lds || row.operands[i].kind == Kind::Attr;
            }
            if writes {
                let compares = row.has(Features::COMPARES);
                effects
                    .writes
                    .add(operand, if compares { count / 2 } else { count });
            }
        }
        if self.form == Form::MaiScaled {
            for number in self.mods.scales {
                effects.reads.add_vectors(number, 1);
            }
        }
        let (reads, writes) = self.memory();
        effects.reads_memory |= reads;
        effects.writes_memory |= writes;
        effects
    }

    /// Returns state that is read by whole classes of instructions and not repeated in the rows.
    fn preserved_state(&self) -> Implicit {
        let row = self.row();
        let mut state = Implicit::default();
        if row.reads_exec() {
            state = state.and(EXEC);
        }
        // MODE holds rounding, denormals and VGPR indexing (Vega ISA, 3.5 and 6.4).
        if matches!(row.class, Class::Valu | Class::Interp) && !row.operands.is_empty() {
            state = state.and(MODE);
        }
        // M0 holds the GDS range, the LDS address of loads to LDS, and until gfx8 the size of LDS (Vega ISA, 8.1.8 and 10.3; GCN3
        // ISA, 10.1).
        let old_lds = row.class == Class::Lds && self.chip.generation() < Generation::Gfx9;
        if self.has(Flags::GDS | Flags::LDS) || old_lds && self.memory() != (false, false) {
            state = state.and(M0);
        }
        state
    }

    /// Whether operand `i` of the row is read, and whether it is written.
    ///
    /// # Panics
    /// If the row has no operand `i`.
    pub fn accesses(&self, i: usize) -> (bool, bool) {
        let spec = &self.row().operands[i];
        let glc = self.has(Flags::GLC);
        let (reads, writes) = match spec.access {
            Access::Read => (!self.row().has(Features::CONSTANT), false),
            Access::Write => (self.keeps_part(spec), true),
            Access::ReadWrite => (true, true),
            Access::WriteIfGlc => (false, glc),
            Access::ReadWriteIfGlc => (true, glc),
        };
        // With LDS, nothing is returned to registers.
        let to_lds = self.has(Flags::LDS) && spec.field == Field::Vdata;
        (reads && !to_lds, writes && !to_lds)
    }

    /// Whether the destination keeps some of its bits (Vega ISA, 13.3.8 SDWA and 12.10 V_MAD_F16).
    fn keeps_part(&self, spec: &OperandSpec) -> bool {
        let part = self.form == Form::Sdwa
            && self.mods.dst_sel != SdwaSel::Dword
            && self.mods.dst_unused == DstUnused::Preserve;
        let narrow = matches!(spec.ty, Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16);
        let high = self.form == Form::Vop3 && self.mods.op_sel & 8 != 0;
        let gfx9 = self.chip.generation() == Generation::Gfx9;
        let half = narrow && (high || gfx9 && self.row().has(Features::KEEPS_HALF));
        spec.field == Field::Vdst && (part || half && self.form != Form::Sdwa)
    }

    /// Returns whether the instruction reads memory, and whether it writes any.
    fn memory(&self) -> (bool, bool) {
        let row = self.row();
        let accesses = matches!(
            row.class,
            Class::Smem | Class::Vmem | Class::Flat | Class::Lds
        );
        if !accesses || row.has(Features::NO_MEMORY) {
            return (false, false);
        }
        let updates = row.has(Features::UPDATES);
        let loads = |spec: &OperandSpec| spec.access.writes();
        let stores = |spec: &OperandSpec| {
            let data = matches!(spec.field, Field::Sdata | Field::Vdata | Field::Data0);
            data && matches!(spec.access, Access::Read | Access::ReadWriteIfGlc)
        };
        (
            updates || row.operands.iter().any(loads),
            updates || self.has(Flags::LDS) || row.operands.iter().any(stores),
        )
    }

    /// Returns the counters of the instruction's class. Writing back a cache and doing nothing are not counted (LLVM, memory
    /// model of the AMDGPU guide).
    fn counters(&self) -> Counters {
        let row = self.row();
        let class = row.class;
        let gds = self.has(Flags::GDS);
        let idle = row.operands.is_empty() && row.has(Features::NO_MEMORY) && !gds;
        let vector = matches!(class, Class::Vmem | Class::Flat) && !idle;
        // On gfx6, the data of stores are read late (LLVM, `vmemWriteNeedsExpWaitcnt`).
        let late = self.chip.generation() == Generation::Gfx6 && !self.has(Flags::LDS);
        Counters {
            vm: vector,
            lgkm: matches!(class, Class::Smem | Class::Message)
                || class == Class::Lds && !idle
                || self.form == Form::Flat,
            exp: class == Class::Export || gds || late && vector && self.memory().1,
        }
    }
}
