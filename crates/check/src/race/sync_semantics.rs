//! Synchronization semantics of an instruction: whether its accesses acquire or release.

use rustc_hash::FxHashMap;
use wavetank_gcn::tables::{Class, EXEC, Mubuf, Sopp};
use wavetank_gcn::{Field, Flags, Form, Inst, Op, Operand, Registers, WaitCounter};

use crate::code::Successors;

/// The meaning of an instruction's accesses for the order of waves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Semantics {
    /// A load is ordered after the stores that it sees; or its result does not matter.
    pub load_is_coherent: bool,
    /// A load is coherent because its instruction says so, outside of a spin loop: it is volatile or atomic.
    pub load_is_volatile: bool,
    /// A store is visible to coherent loads.
    pub store_is_coherent: bool,
    /// Whether an atomic returns the old value, so that its wave can acquire.
    pub returns: bool,
    /// Whether the access is in a spin loop that waits for its result.
    pub spins: bool,
    /// Whether the load may be in a spin loop: unoptimized code keeps the address in scratch, so it is decided at run time.
    pub may_spin: bool,
    /// Whether `vmcnt` counts the access until it is done.
    pub is_counted: bool,
    /// For a wait: the number of accesses that may still be in flight after it.
    pub waits_for: Option<u16>,
}

impl Semantics {
    /// The semantics of an unknown instruction, which causes no findings.
    const UNKNOWN: Semantics = Semantics {
        load_is_coherent: true,
        load_is_volatile: false,
        store_is_coherent: true,
        returns: true,
        spins: false,
        may_spin: false,
        is_counted: false,
        waits_for: None,
    };
}

/// A function that returns the instruction at an address.
pub type InstAt = Box<dyn Fn(u64) -> Option<Inst> + Send>;

/// The instructions that have accessed memory, numbered in the order of appearance.
pub(super) struct SemanticsTable {
    inst_at: InstAt,
    known: FxHashMap<u64, (u16, Semantics)>,
    pcs: Vec<u64>,
}

impl SemanticsTable {
    pub(super) fn new(inst_at: InstAt) -> SemanticsTable {
        SemanticsTable {
            inst_at,
            known: FxHashMap::default(),
            pcs: Vec::new(),
        }
    }

    /// Returns the number and semantics of the instruction at an address. `None` if no numbers are left: its accesses are then
    /// ignored.
    pub(super) fn at(&mut self, pc: u64) -> Option<(u16, Semantics)> {
        if let Some(known) = self.known.get(&pc) {
            return Some(*known);
        }
        let number = u16::try_from(self.pcs.len()).ok()?;
        let kind = kind_at(pc, &self.inst_at);
        self.pcs.push(pc);
        self.known.insert(pc, (number, kind));
        Some((number, kind))
    }

    /// Marks an instruction that may spin as one that does.
    pub(super) fn spins(&mut self, pc: u64) {
        if let Some((_, kind)) = self.known.get_mut(&pc) {
            *kind = Semantics {
                load_is_coherent: true,
                spins: true,
                may_spin: false,
                ..*kind
            };
        }
    }

    /// Returns the address of an instruction by its number.
    pub(super) fn pc(&self, number: u16) -> u64 {
        self.pcs[usize::from(number)]
    }

    /// Returns the addresses of all numbered instructions.
    pub(super) fn pcs(&self) -> &[u64] {
        &self.pcs
    }
}

impl SemanticsTable {
    /// Whether a load and a store, by their numbers, are the two halves of an update: `count++`.
    pub(super) fn is_update(&self, load: u16, store: u16) -> bool {
        is_update(self.pc(load), self.pc(store), &self.inst_at)
    }

    /// Whether an L1 is written back between a write and a release, given by their numbers.
    pub(super) fn writes_back(&self, write: u16, release: u16) -> bool {
        writes_back(self.pc(write), self.pc(release), &self.inst_at)
    }
}

/// Whether `buffer_wbinvl1` is on the straight path from a write to a release, or directly before the release. GCC's releases
/// have nothing else.
fn writes_back(write: u64, release: u64, inst_at: &InstAt) -> bool {
    use Mubuf::{BUFFER_WBINVL1, BUFFER_WBINVL1_SC, BUFFER_WBINVL1_VOL};
    let is_one = |inst: &Inst| match inst.op {
        Op::Mubuf(op) => matches!(op, BUFFER_WBINVL1 | BUFFER_WBINVL1_SC | BUFFER_WBINVL1_VOL),
        _ => false,
    };
    let next_to = inst_at(release.wrapping_sub(8));
    if next_to.is_some_and(|inst| inst.len == 8 && is_one(&inst)) {
        return true;
    }
    let mut at = write;
    for _ in 0..FARTHEST_RELEASE {
        let Some(inst) = inst_at(at).filter(|_| at < release) else {
            return false;
        };
        if is_one(&inst) {
            return true;
        }
        at += u64::from(inst.len);
    }
    false
}

/// Limit of the instructions between a write and its release.
const FARTHEST_RELEASE: usize = 1024;

/// Whether a store that follows a load on a straight path has the same address.
fn is_update(load: u64, store: u64, inst_at: &InstAt) -> bool {
    let Some(first) = inst_at(load) else {
        return false;
    };
    let address = address_of(&first);
    let place = |inst: &Inst| (inst.form, inst.mods.offset);
    let mut at = load + u64::from(first.len);
    // The result of a load may overwrite its address.
    let mut moved = first.effects().writes.meets(&address);
    for _ in 0..LONGEST_LOOP {
        let Some(inst) = inst_at(at).filter(|_| at <= store && !moved) else {
            return false;
        };
        let effects = inst.effects();
        if at == store {
            return address.without(&effects.reads).is_empty() && place(&inst) == place(&first);
        }
        moved = effects.writes.meets(&address);
        at += u64::from(inst.len);
    }
    false
}

fn kind_at(pc: u64, inst_at: &InstAt) -> Semantics {
    let Some(inst) = inst_at(pc) else {
        return Semantics::UNKNOWN;
    };
    let has = |flags| inst.mods.flags.intersects(flags);
    let written = inst.effects().writes;
    let spins = spins(pc, &inst, inst_at);
    let load_is_coherent = has(Flags::GLC | Flags::SCC) || spins || guesses(pc, &inst, inst_at);
    Semantics {
        // GLC bypasses the L1 of a compute unit (Vega ISA, 8.1.10 "GLC bit explained"): compilers emit it for volatile and atomic
        // loads. From gfx942 on, scopes beyond a work-group have SC1 (LLVM's guide, "Memory Model gfx942"). A load that spins is one of
        // these where all waves share the memory, and needs no bit.
        load_is_coherent,
        load_is_volatile: has(Flags::GLC | Flags::SCC) && !spins,
        store_is_coherent: has(Flags::GLC | Flags::SLC | Flags::SCC),
        returns: written.scalars().next().is_some() || written.vectors().next().is_some(),
        spins,
        may_spin: !load_is_coherent && may_spin(pc, &inst, inst_at),
        is_counted: matches!(inst.row().class, Class::Vmem | Class::Flat),
        waits_for: waits_for(&inst),
    }
}

/// Returns the number of accesses to vector memory that may be in flight after an instruction, if it waits for them.
fn waits_for(inst: &Inst) -> Option<u16> {
    let [vm, ..] = WaitCounter::all(inst.chip.generation());
    match (inst.op, inst.operand(Field::Simm16)) {
        (Op::Sopp(Sopp::S_WAITCNT), Operand::Imm(bits)) => Some(vm.get(bits as u16)),
        _ => None,
    }
}

/// Limits of a spin loop's length in instructions, in optimized and unoptimized code.
const LONGEST_LOOP: usize = 64;
const LONGEST_PLAIN_LOOP: usize = 512;

/// Whether an access is in a loop with a constant address and without other writes of the wave. Then only other waves can change
/// its result. Compilers move plain loads out of such loops, so this one must be volatile or atomic.
fn spins(pc: u64, access: &Inst, inst_at: &InstAt) -> bool {
    let Some((head, end)) = loop_around(pc, access, LONGEST_LOOP, inst_at) else {
        return false;
    };
    let mut around = Vec::new();
    let mut at = head;
    while at <= end {
        let Some(inst) = inst_at(at) else {
            return false;
        };
        let effects = inst.effects();
        if effects.indexed || at != pc && effects.writes_memory || Successors::of(&inst, at).calls {
            return false;
        }
        if at != pc {
            around.push(inst);
        }
        at += u64::from(inst.len);
    }
    stays(&address_of(access), &access.effects().writes, around)
}

/// Whether registers have the same values at each execution of an access in a loop. `written` are the registers that the access
/// writes, `others` the other instructions. This holds if the registers are not written, or always recomputed from values that do
/// not change.
fn stays(registers: &Registers, written: &Registers, mut others: Vec<Inst>) -> bool {
    let all = |insts: &[Inst]| {
        let writes = insts.iter().map(|inst| inst.effects().writes);
        writes.fold(Registers::default(), |all, writes| all.or(&writes))
    };
    let mut anew = Registers::default();
    loop {
        let changing = all(&others).or(written);
        let before = others.len();
        others.retain(|inst| {
            let effects = inst.effects();
            let reads = effects.reads.without(&lanes_on());
            let is_same = !effects.reads_memory && !reads.meets(&changing);
            if is_same {
                anew = anew.or(&effects.writes);
            }
            !is_same
        });
        if others.len() == before {
            break;
        }
    }
    let own = written.without(&anew);
    !all(&others).or(&own).meets(registers)
}

/// Returns EXEC, which only selects the active lanes.
fn lanes_on() -> Registers {
    let mut exec = Registers::default();
    exec.add_state(EXEC);
    exec
}

/// Whether a load is in a loop of unoptimized code, whose variables are in scratch, addressed by the resource in s[0:3] (AMDGPU
/// usage, "Private Segment Buffer").
fn may_spin(pc: u64, load: &Inst, inst_at: &InstAt) -> bool {
    let is_variable =
        |inst: &Inst| inst.form == Form::Mubuf && inst.operand(Field::Srsrc) == Operand::Sgpr(0);
    let around = loop_around(pc, load, LONGEST_PLAIN_LOOP, inst_at);
    let Some((head, end)) = around.filter(|_| load.form != Form::Mubuf) else {
        return false;
    };
    let mut at = head;
    while at <= end {
        match inst_at(at) {
            Some(inst) if is_variable(&inst) => return true,
            Some(inst) => at += u64::from(inst.len),
            None => return false,
        }
    }
    false
}

/// Whether a load gives the comparand of a compare-and-swap soon afterwards, or decides whether it is executed, so that a wrong
/// value is harmless. Programs write atomics that the chip does not have in this way, often with a plain load. A copy of the loaded
/// value may be compared anywhere; a value that is computed from it, and a condition, only at the place of the load.
fn guesses(pc: u64, load: &Inst, inst_at: &InstAt) -> bool {
    let address = address_of(load);
    let place = |inst: &Inst| (inst.form == Form::Ds, inst.mods.offset);
    let mut value = Derived::of(load.effects().writes);
    let mut moved = false;
    let mut at = pc + u64::from(load.len);
    for _ in 0..LONGEST_LOOP {
        let Some(inst) = inst_at(at) else {
            return false;
        };
        let effects = inst.effects();
        if compares(&inst)
            && let Some(with) = compared(&inst)
        {
            let reads_all = address.without(&effects.reads).is_empty();
            let same = !moved && reads_all && place(&inst) == place(load);
            let depends = with.meets(&value.computed) || value.decides;
            if same && depends || with.without(&value.copies).is_empty() {
                return true;
            }
        }
        moved |= effects.writes.meets(&address);
        value.pass(&inst);
        if moved && value.copies.is_empty() {
            return false;
        }
        // At a conditional branch, the fall-through path is followed.
        let successors = Successors::of(&inst, at);
        at = match (successors.next, successors.target) {
            (true, _) => at + u64::from(inst.len),
            (false, Some(target)) => target,
            (false, None) => return false,
        };
    }
    false
}

/// The registers that depend on a loaded value along a path.
struct Derived {
    /// Unchanged copies of the value.
    copies: Registers,
    /// The copies, and results that are computed from them.
    computed: Registers,
    /// Whether the path, or the set of active lanes, depends on the value.
    decides: bool,
}

impl Derived {
    fn of(loaded: Registers) -> Derived {
        Derived {
            copies: loaded,
            computed: loaded,
            decides: false,
        }
    }

    /// Follows the value through an instruction.
    fn pass(&mut self, inst: &Inst) {
        let (effects, exec) = (inst.effects(), lanes_on());
        let reads = effects.reads.without(&exec);
        let depends = reads.meets(&self.computed);
        let copies = is_copy(inst, &self.copies);
        self.copies = self.copies.without(&effects.writes);
        if copies {
            self.copies = self.copies.or(&effects.writes);
        }
        self.computed = self.computed.without(&effects.writes);
        if depends {
            self.computed = self.computed.or(&effects.writes);
            let branches = matches!(inst.form, Form::Sopp);
            self.decides |= branches || effects.writes.meets(&exec);
        }
    }
}

/// Returns the comparand registers of a compare-and-swap: the first data of LDS instructions, the upper half of the data of
/// others (Vega ISA, 12.13 DS_CMPST_B32 and 12.15 BUFFER_ATOMIC_CMPSWAP).
fn compared(inst: &Inst) -> Option<Registers> {
    let data = [Field::Vdata, Field::Data0, Field::Sdata];
    let specs = inst.row().operands;
    let n = specs.iter().position(|spec| data.contains(&spec.field))?;
    let count = inst.dwords(n);
    let (skipped, count) = match inst.form {
        Form::Ds => (0, count),
        _ => (count / 2, count / 2),
    };
    let first = match inst.operands[n] {
        Operand::Vgpr(first) => Operand::Vgpr(first.checked_add(skipped)?),
        Operand::Sgpr(first) => Operand::Sgpr(first.checked_add(skipped)?),
        _ => return None,
    };
    let mut with = Registers::default();
    with.add(first, count);
    Some(with)
}

/// Whether an instruction copies one of some registers unchanged.
fn is_copy(inst: &Inst, from: &Registers) -> bool {
    let names = inst.row().mnemonics;
    let moves = |name: &&str| name.starts_with("v_mov_b32") || name.starts_with("s_mov_b");
    let whole = matches!(inst.form, Form::Vop1 | Form::Sop1);
    let mut source = Registers::default();
    source.add(inst.operands[1], inst.dwords(1));
    whole
        && names.iter().flatten().any(moves)
        && source.without(from).is_empty()
        && source.meets(from)
}

/// Whether an instruction is a compare-and-swap, which its name shows.
fn compares(inst: &Inst) -> bool {
    let names = inst.row().mnemonics;
    let compares = |name: &&str| name.contains("cmpswap") || name.contains("cmpst");
    names.iter().flatten().any(compares)
}

/// Returns the innermost contiguous loop around an instruction: the addresses of its first and last instruction.
fn loop_around(pc: u64, inst: &Inst, most: usize, inst_at: &InstAt) -> Option<(u64, u64)> {
    let mut at = pc + u64::from(inst.len);
    for _ in 0..most {
        let inst = inst_at(at)?;
        let successors = Successors::of(&inst, at);
        if let Some(head) = successors.target.filter(|target| *target <= pc) {
            return Some((head, at));
        }
        if !successors.next {
            return None;
        }
        at += u64::from(inst.len);
    }
    None
}

/// Returns the registers that address an access. Other registers that it reads are data.
fn address_of(access: &Inst) -> Registers {
    let (reads, written) = (access.effects().reads, access.effects().writes);
    let exec = lanes_on();
    // Data that the result overwrites.
    let operands = 0..access.row().operands.len();
    let reused = operands
        .into_iter()
        .any(|n| access.accesses(n) == (true, true));
    if reused {
        reads.without(&exec).without(&written)
    } else {
        reads.without(&exec)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use wavetank_gcn::{Chip, parse};

    use super::*;

    /// Returns consecutive instructions from 0x100 on.
    fn code(lines: &[&str]) -> InstAt {
        code_for(lines, Chip::Gfx900)
    }

    fn code_for(lines: &[&str], chip: Chip) -> InstAt {
        let mut at = HashMap::new();
        let mut pc = 0x100;
        for line in lines {
            let inst = parse(line, chip).unwrap();
            at.insert(pc, inst);
            pc += u64::from(inst.len);
        }
        Box::new(move |pc| at.get(&pc).copied())
    }

    fn kind(lines: &[&str]) -> Semantics {
        kind_at(0x100, &code(lines))
    }

    #[test]
    fn flags_say_what_is_coherent() {
        let plain = kind(&["global_load_dword v0, v[2:3], off"]);
        assert!(!plain.load_is_coherent && !plain.spins);
        assert!(kind(&["global_load_dword v0, v[2:3], off glc"]).load_is_coherent);
        assert!(kind(&["s_load_dword s0, s[2:3], 0x0 glc"]).load_is_coherent);
        assert!(!kind(&["global_load_dword v0, v[2:3], off slc"]).load_is_coherent);
        assert!(kind(&["global_store_dword v[2:3], v0, off slc"]).store_is_coherent);
        assert!(!kind(&["global_store_dword v[2:3], v0, off"]).store_is_coherent);
        assert_eq!(kind(&[]), Semantics::UNKNOWN);
    }

    /// LLVM's guide, "Memory Model gfx942": atomic accesses of agent scope have SC1.
    #[test]
    fn scopes_of_gfx942_are_coherent() {
        let kind = |line: &str| kind_at(0x100, &code_for(&[line], Chip::Gfx942));
        for (bits, is_coherent) in [
            ("", false),
            (" sc0", true),
            (" sc1", true),
            (" sc0 sc1", true),
        ] {
            let load = kind(&format!("global_load_dword v0, v[2:3], off{bits}"));
            assert_eq!(load.load_is_coherent, is_coherent, "{bits}");
            let store = kind(&format!("global_store_dword v[2:3], v0, off{bits}"));
            assert_eq!(store.store_is_coherent, is_coherent, "{bits}");
        }
    }

    #[test]
    fn some_atomics_return() {
        assert!(!kind(&["global_atomic_add v[2:3], v0, off"]).returns);
        assert!(kind(&["global_atomic_add v1, v[2:3], v0, off glc"]).returns);
        assert!(!kind(&["ds_add_u32 v0, v1"]).returns);
        assert!(kind(&["ds_add_rtn_u32 v2, v0, v1"]).returns);
        assert!(kind(&["s_atomic_add s0, s[2:3], 0x0 glc"]).returns);
        assert!(!kind(&["s_atomic_add s0, s[2:3], 0x0"]).returns);
        assert!(kind(&["buffer_atomic_cmpswap v[0:1], off, s[4:7], 0 glc"]).returns);
    }

    #[test]
    fn waits_say_what_they_leave_in_flight() {
        assert_eq!(kind(&["s_waitcnt vmcnt(0) lgkmcnt(0)"]).waits_for, Some(0));
        assert_eq!(kind(&["s_waitcnt vmcnt(17)"]).waits_for, Some(17));
        assert_eq!(kind(&["s_waitcnt lgkmcnt(0)"]).waits_for, Some(63));
        assert_eq!(kind(&["s_nop 0"]).waits_for, None);
        for (text, is_counted) in [
            ("global_store_dword v[2:3], v0, off", true),
            ("flat_load_dword v0, v[2:3]", true),
            ("buffer_store_dword v0, off, s[4:7], 0", true),
            ("ds_write_b32 v0, v1", false),
            ("s_load_dword s0, s[2:3], 0x0", false),
        ] {
            assert_eq!(kind(&[text]).is_counted, is_counted, "{text}");
        }
    }

    #[test]
    fn loops_that_wait_differ_from_those_that_work() {
        let waits = [
            "ds_read_b32 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            "v_cmp_ne_u32_e32 vcc, 0, v1",
            "s_cbranch_vccz 65531",
        ];
        assert!(kind(&waits).spins);
        // The address advances.
        let mut walks = waits;
        walks[1] = "v_add_u32_e32 v0, 4, v0";
        assert!(!kind(&walks).spins);
        // The address is recomputed from values that are constant, or that change.
        let moved = |from: &str| {
            let moved = format!("v_mov_b32_e32 v0, {from}");
            let back = "s_cbranch_vccz 65530";
            kind_at(
                0x104,
                &code(&[
                    &moved,
                    "ds_read_b32 v0, v0",
                    waits[1],
                    "v_cmp_ne_u32_e32 vcc, 0, v0",
                    back,
                ]),
            )
        };
        assert!(moved("s11").spins && moved("v1").spins);
        assert!(!moved("vcc_lo").spins && !moved("v0").spins);
        // The loop has a store, too.
        let stores = [
            waits[0],
            "ds_write_b32 v2, v1",
            waits[2],
            "s_cbranch_vccz 65530",
        ];
        assert!(!kind(&stores).spins);
        // Not a loop: the branch goes forward, or to the instruction after the load.
        let mut goes_on = waits;
        goes_on[3] = "s_cbranch_vccz 1";
        assert!(!kind(&goes_on).spins);
        let mut after_load = waits;
        after_load[3] = "s_cbranch_vccz 65533";
        assert!(!kind(&after_load).spins);
        let lock = [
            "global_atomic_cmpswap v0, v[2:3], v[4:5], off glc",
            "s_waitcnt vmcnt(0)",
            "v_cmp_eq_u32_e32 vcc, 0, v0",
            "s_cbranch_vccz 65531",
        ];
        assert!(kind(&lock).spins);
    }

    #[test]
    fn code_that_is_not_optimised_may_wait() {
        let loop_of = |second: &str| {
            let kind = kind(&["ds_read_b32 v1, v0", second, "s_cbranch_vccz 65531"]);
            (kind.spins, kind.may_spin)
        };
        assert_eq!(
            loop_of("buffer_load_dword v0, off, s[0:3], s33"),
            (false, true)
        );
        // Another buffer, which does not hold variables.
        assert_eq!(
            loop_of("buffer_load_dword v0, off, s[4:7], s33"),
            (false, false)
        );
        assert_eq!(loop_of("v_add_u32_e64 v0, v0, 4"), (false, false));
        assert!(
            !kind(&[
                "ds_read_b32 v1, v0",
                "buffer_load_dword v0, off, s[0:3], s33"
            ])
            .may_spin
        );
    }

    #[test]
    fn gcc_writes_back_before_it_lets_others_go_on() {
        // Each instruction has 8 bytes.
        let next_to = [
            "global_store_dword v1, v0, s[12:13]",
            "buffer_wbinvl1_vol",
            "global_store_dword v1, v0, s[14:15] glc",
        ];
        assert!(writes_back(0x100, 0x110, &code(&next_to)));
        assert!(!writes_back(0x108 + 8, 0x100, &code(&next_to)));
        // In another function, only an adjacent write-back counts.
        assert!(writes_back(0x5000, 0x110, &code(&next_to)));
        let before = [next_to[0], next_to[1], next_to[0], next_to[2]];
        assert!(writes_back(0x100, 0x118, &code(&before)));
        assert!(!writes_back(0x5000, 0x118, &code(&before)));
        let without = [next_to[0], next_to[0], next_to[2]];
        assert!(!writes_back(0x100, 0x110, &code(&without)));
    }

    #[test]
    fn an_update_loads_and_stores_at_one_address() {
        let update = |lines: &[&str]| {
            let inst_at = code(lines);
            let lengths = lines.iter().rev().skip(1);
            let lengths = lengths.map(|line| u64::from(parse(line, Chip::Gfx900).unwrap().len));
            is_update(0x100, 0x100 + lengths.sum::<u64>(), &inst_at)
        };
        let global = [
            "global_load_dword v2, v[0:1], off offset:4",
            "v_add_u32_e32 v2, 1, v2",
            "global_store_dword v[0:1], v2, off offset:4",
        ];
        assert!(update(&global));
        assert!(update(&[
            "ds_read_b32 v2, v0",
            "v_add_u32_e32 v2, 1, v2",
            "ds_write_b32 v0, v2",
        ]));
        for (n, other) in [
            (0, "global_load_dword v2, v[0:1], off"),
            (0, "global_load_dword v2, v[3:4], off offset:4"),
            (0, "global_load_dword v0, v[0:1], off offset:4"),
            (1, "v_add_u32_e32 v0, 1, v2"),
        ] {
            let mut not = global;
            not[n] = other;
            assert!(!update(&not), "{other}");
        }
    }

    #[test]
    fn what_a_compare_and_swap_compares_with_is_a_guess() {
        // Other registers hold the same address, and the loaded value is copied.
        let guess = [
            "flat_load_dword v1, v[0:1]",
            "v_mov_b32_e32 v2, s4",
            "v_mov_b32_e32 v3, s5",
            "v_mov_b32_e32 v5, v1",
            "v_add_f32_e32 v4, 1.0, v5",
            "flat_atomic_cmpswap v4, v[2:3], v[4:5] glc",
        ];
        assert!(kind(&guess).load_is_coherent);
        for (n, other) in [
            (3, "v_add_u32_e32 v5, 1, v1"),
            (3, "v_mov_b32_e32 v5, v2"),
            (4, "v_mov_b32_e32 v5, 0"),
            // The loaded value is the one that is stored.
            (5, "flat_atomic_cmpswap v4, v[2:3], v[5:6] glc"),
            (5, "flat_atomic_swap v4, v[2:3], v5 glc"),
        ] {
            let mut not = guess;
            not[n] = other;
            assert!(!kind(&not).load_is_coherent, "{other}");
        }
        for whole in [
            [
                "s_load_dword s8, s[2:3], 0x0",
                "v_mov_b32_e32 v1, s8",
                "global_atomic_cmpswap v0, v[2:3], v[0:1], off glc",
            ],
            [
                "flat_load_dwordx2 v[2:3], v[0:1]",
                "v_mov_b32_e32 v0, s2",
                "flat_atomic_cmpswap_x2 v[0:1], v[5:6], v[0:3] glc",
            ],
            [
                "ds_read_b32 v2, v0",
                "v_mov_b32_e32 v0, s2",
                "ds_cmpst_rtn_b32 v3, v0, v2, v1",
            ],
            [
                "buffer_load_dword v1, v2, s[4:7], 0 offen",
                "v_mov_b32_e32 v2, v3",
                "buffer_atomic_cmpswap v[0:1], v2, s[4:7], 0 offen glc",
            ],
        ] {
            assert!(kind(&whole).load_is_coherent, "{whole:?}");
        }
    }

    #[test]
    fn a_load_before_a_compare_and_swap_is_a_guess() {
        let guess = [
            "global_load_dword v2, v0, s[2:3] offset:4",
            "s_waitcnt vmcnt(0)",
            "v_add_f32_e32 v1, 1.0, v2",
            "global_atomic_cmpswap v1, v0, v[1:2], s[2:3] offset:4 glc",
        ];
        assert!(kind(&guess).load_is_coherent);
        for (n, other) in [
            // Something else is compared: another place, another address, another operation.
            (0, "global_load_dword v3, v0, s[2:3]"),
            (0, "global_load_dword v3, v0, s[4:5] offset:4"),
            (2, "s_endpgm"),
            (3, "global_atomic_swap v1, v0, v2, s[2:3] offset:4 glc"),
        ] {
            let mut not = guess;
            not[n] = other;
            assert!(!kind(&not).load_is_coherent, "{other}");
        }
        // The other side of a branch, with the same registers.
        let branch = [
            guess[0],
            "s_andn2_saveexec_b64 s[0:1], s[0:1]",
            "v_mov_b32_e32 v2, 0",
            guess[3],
        ];
        assert!(!kind(&branch).load_is_coherent);
        // A test of the loaded value, and what is computed from it.
        for decides in [
            &[
                "v_cmp_eq_u32_e32 vcc, 0, v2",
                "s_and_saveexec_b64 s[0:1], vcc",
                branch[2],
            ][..],
            &["v_cmp_eq_u32_e32 vcc, 0, v2", "s_cbranch_vccz 7", branch[2]],
            &["v_and_b32_e32 v2, 0xff, v2"],
            &["v_mov_b32_e32 v3, v2", "v_or_b32_e32 v2, 1, v3"],
        ] {
            let guess = [&[guess[0]], decides, &[guess[3]]].concat();
            assert!(kind(&guess).load_is_coherent, "{guess:?}");
            let elsewhere = "global_atomic_cmpswap v1, v0, v[1:2], s[4:5] offset:4 glc";
            let not = [&guess[..guess.len() - 1], &[elsewhere]].concat();
            assert!(!kind(&not).load_is_coherent, "{not:?}");
        }
        let jump = [
            "ds_read_b32 v2, v0",
            "s_branch 1",
            "s_endpgm",
            "ds_cmpst_rtn_b32 v3, v0, v2, v1",
        ];
        assert!(kind(&jump).load_is_coherent);
        assert!(kind(&["ds_read_b32 v2, v0", "ds_cmpst_rtn_b32 v3, v0, v2, v1"]).load_is_coherent);
    }
}
