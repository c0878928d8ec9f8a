//! What the table says an instruction reads and writes is what its meaning
//! reads and writes: `Inst::effects` against the registers of the wave IR.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::{Class, Ds, Features, Kind, MODE, OperandSpec, PC, SCC};
use wavetank_gcn::{Chip, Field, Flags, Inst, MAX_OPERANDS, Mods, Op, Operand, Registers, decode};
use wavetank_ir::{
    Access, Block, Counter, DataReg, Half, ImageKind, MemKind, MemOp, Op as Node, Reg, Space,
    Terminator, Value,
};
use wavetank_lift::{Fidelity, Modes, fidelity, lift_block};

/// What a block of one instruction does, by its nodes.
#[derive(Default)]
struct Done {
    reads: Registers,
    writes: Registers,
    /// The registers that an index was added to.
    bases: Registers,
    /// The registers that may hold parts of the address of an image: the table
    /// has the least, the block the most that there can be.
    parts: Registers,
    indexed: bool,
    reads_memory: bool,
    writes_memory: bool,
    uses_lds: bool,
    vm: bool,
    lgkm: bool,
}

fn add(set: &mut Registers, reg: Reg) {
    match reg {
        Reg::S(n) => set.add_scalars(n, 1),
        Reg::S64(n) | Reg::Mask(n) => set.add_scalars(n, 2),
        Reg::Scc => set.add_state(SCC),
        Reg::V(n) => set.add_vectors(n as u8, 1),
        Reg::V64(n) => set.add_vectors(n as u8, 2),
        // What is noted of exceptions, and how large the LDS is, no row says.
        Reg::Hw(hwreg::TRAPSTS | hwreg::LDS_ALLOC) => {}
        Reg::Hw(_) => set.add_state(MODE),
    }
}

fn add_data(set: &mut Registers, data: Option<DataReg>, count: u8) {
    match data {
        Some(DataReg::V(n)) => set.add_vectors(n as u8, count),
        Some(DataReg::S(n)) => set.add_scalars(n, count),
        None => {}
    }
}

/// The address of an image.
fn parts(op: &Node) -> Vec<Value> {
    match op {
        Node::Mem(m) => match &m.space {
            Space::Image(image) => image.address.clone(),
            _ => vec![],
        },
        _ => vec![],
    }
}

impl Done {
    fn of(block: &Block, next: u64) -> Done {
        let mut done = Done::default();
        let parts: HashSet<Value> = block.nodes.iter().flat_map(|n| parts(&n.op)).collect();
        for (n, node) in (0..).zip(&block.nodes) {
            match node.op {
                Node::Read(reg) if parts.contains(&Value(n)) => add(&mut done.parts, reg),
                ref op => done.node(op, next),
            }
        }
        done
    }

    /// Adds what is read; what the block has written itself is no input.
    fn read(&mut self, add: impl FnOnce(&mut Registers)) {
        let mut set = Registers::default();
        add(&mut set);
        self.reads.add_all(&set.without(&self.writes));
    }

    fn node(&mut self, op: &Node, next: u64) {
        match op {
            Node::Read(reg) => self.read(|set| add(set, *reg)),
            // No register of a chip: the turn at an ordered counter.
            Node::Write {
                reg: Reg::Hw(63), ..
            } => {}
            Node::Write { reg, bytes, .. } => {
                add(&mut self.writes, *reg);
                // The other bytes stay what they were.
                if *bytes != 0b1111 {
                    add(&mut self.reads, *reg);
                }
            }
            Node::ReadIndexed { base, .. } | Node::WriteIndexed { base, .. } => {
                self.indexed = true;
                self.bases.add_vectors(*base as u8, 2);
            }
            Node::ReadIndexedS { base, .. } | Node::WriteIndexedS { base, .. } => {
                self.indexed = true;
                self.bases.add_scalars(*base, 2);
            }
            Node::Mem(access) => self.access(access),
            Node::End(end) => self.end(end, next),
            _ => {}
        }
    }

    fn access(&mut self, m: &MemOp) {
        let whole = (m.access.bytes() as u8).div_ceil(4);
        let packed = matches!(m.access, Access::Dwords(_)) && m.half == Half::Low;
        let count = if packed { whole.div_ceil(2) } else { whole };
        add_data(&mut self.writes, m.ret, count);
        if m.half != Half::Whole && !packed {
            add_data(&mut self.reads, m.ret, count);
        }
        // What a resource says of itself is no memory.
        let info = matches!(&m.space, Space::Image(i) if matches!(i.kind, ImageKind::Info | ImageKind::Lod));
        self.uses_lds |= matches!(m.space, Space::Lds { .. });
        self.reads_memory |= m.kind != MemKind::Store && !info;
        self.writes_memory |= m.kind != MemKind::Load;
        self.vm |= matches!(m.counter, Counter::Vm | Counter::Both);
        self.lgkm |= matches!(m.counter, Counter::Lgkm | Counter::Both);
    }

    fn end(&mut self, end: &Terminator, next: u64) {
        match end {
            Terminator::Branch(to) if *to == next => {}
            Terminator::Branch(_) | Terminator::CondBranch { .. } | Terminator::Jump(_) => {
                self.writes.add_state(PC);
            }
            _ => {}
        }
    }
}

/// What the table says more, or less, than the meaning: empty if they agree.
fn differences(inst: &Inst, done: &Done) -> Vec<String> {
    let declared = inst.effects();
    let mut all = Vec::new();
    let mut say = |what: &str, set: Registers| {
        if !set.is_empty() {
            all.push(format!("{what} {set}"));
        }
    };
    // What goes through LDS and is no instruction of LDS counts as LDS does
    // (lift/src/memory/through_lds.rs).
    let through_lds = done.uses_lds && !matches!(inst.row().class, Class::Lds | Class::Flat);
    say("reads unsaid:", done.reads.without(&declared.reads));
    say("writes unsaid:", done.writes.without(&declared.writes));
    // What jumps keep of the program counter, and the modes of the vector ALU,
    // are constants of a block (lift/src/modes.rs).
    let mut constant = Registers::default();
    constant.add_state(PC);
    if matches!(inst.row().class, Class::Valu | Class::Interp) {
        constant.add_state(MODE);
    }
    let seen = |set: Registers| set.without(&done.bases).without(&constant);
    let reads = seen(declared.reads.without(&done.reads).without(&done.parts));
    // Trap temporaries are written with privileges only, which no wave here has.
    let mut privileged = Registers::default();
    privileged.add_scalars(108, 16);
    let writes = declared.writes.without(&done.writes).without(&done.bases);
    let writes = writes.without(&privileged);
    // Of what is not done to the bit, the row may say more; so may it of the
    // status that TFE requests: it stands after the data, which stores and atomics read.
    let class = fidelity(inst.op, inst.chip);
    let whole = matches!(class, Fidelity::Exact(_) | Fidelity::Unshown);
    if whole && !inst.has(Flags::TFE) {
        say("does not read:", reads);
    }
    if whole {
        say("does not write:", writes);
    }
    for (what, declared, done, counts) in [
        ("indexes", declared.indexed, done.indexed, true),
        (
            "reads memory",
            declared.reads_memory,
            done.reads_memory,
            true,
        ),
        (
            "writes memory",
            declared.writes_memory,
            done.writes_memory,
            true,
        ),
        // Operations between lanes and global synchronization are waited for
        // as on hardware, and done at once here.
        ("counts VM", declared.counters.vm, done.vm, false),
        (
            "counts LGKM",
            declared.counters.lgkm,
            done.lgkm && !through_lds,
            false,
        ),
    ] {
        if done && !declared || declared && !done && counts && whole {
            all.push(format!("{what}: {declared}, but {done}"));
        }
    }
    all
}

/// The instructions of the corpus of gfx9 (crates/gcn/tests/corpus): the first
/// line of each in each form with each set of modifiers.
fn lines() -> Vec<(String, Inst)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn/tests/corpus");
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for file in ["asm-gfx9.tsv", "layout-gfx9.tsv"] {
        let text = fs::read_to_string(format!("{folder}/{file}")).expect("the corpus");
        for line in text.lines() {
            let mut columns = line.split('\t');
            let chip = columns.next().and_then(Chip::from_name).expect("a chip");
            let inst = decode(&bytes(columns.next().expect("bytes")), chip).expect(line);
            if seen.insert((inst.op, inst.form, inst.mods)) {
                all.push((line.to_owned(), inst));
            }
        }
    }
    all
}

/// Every instruction of gfx900 with a register of its own in each place.
fn plain() -> Vec<(String, Inst)> {
    let chip = Chip::Gfx900;
    let exist = Op::all().filter(|op| op.row().exists_on(chip));
    let made = exist.map(|op| {
        let mut operands = [Operand::None; MAX_OPERANDS];
        for (i, spec) in op.row().operands.iter().enumerate() {
            operands[i] = operand(spec, i as u8, op.row().class == Class::Valu);
        }
        let inst = Inst {
            op,
            chip,
            form: op.home(),
            len: 4,
            operands,
            mods: Mods {
                // Compare-and-swap takes two components.
                dmask: if op.row().has(Features::COMPARES) {
                    3
                } else {
                    1
                },
                op_sel_hi: 7,
                // Buffers take the address register that is there.
                flags: match op {
                    Op::Mubuf(_) | Op::Mtbuf(_) if has_address(op) => Flags::OFFEN,
                    _ => Flags::empty(),
                },
                ..Mods::default()
            },
            spelling: Default::default(),
        };
        (format!("{op:?}"), inst)
    });
    made.collect()
}

fn has_address(op: Op) -> bool {
    let operands = op.row().operands;
    operands.iter().any(|spec| spec.field == Field::Vaddr)
}

fn operand(spec: &OperandSpec, place: u8, vector: bool) -> Operand {
    match spec.kind {
        Kind::Source if vector => Operand::Vgpr(16 * place + 16),
        Kind::Vgpr => Operand::Vgpr(16 * place + 16),
        _ if spec.field == Field::Saddr => Operand::Off,
        Kind::Source | Kind::Sgpr | Kind::Scalar => Operand::Sgpr(16 * place + 16),
        Kind::Literal => Operand::Literal(4),
        // The whole of MODE.
        Kind::Hwreg => Operand::Imm(31 << 11 | 1),
        Kind::Target => Operand::Imm(4),
        _ => Operand::Imm(0),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// The block of an instruction at address 0, unless it is refused.
fn meaning(inst: Inst) -> Option<Block> {
    let code = |pc| match pc {
        0 => Ok(inst),
        _ => Err(String::new()),
    };
    let data = inst.op.row().operands.iter().zip(inst.operands);
    let privileged = |(spec, operand): (&OperandSpec, Operand)| {
        spec.access.writes() && matches!(operand, Operand::Sgpr(108..124))
    };
    // Scalar loads to trap temporaries are not executed.
    if inst.row().class == Class::Smem && data.into_iter().any(privileged) {
        return None;
    }
    // What it does when its turn has come.
    let modes = match inst.op {
        Op::Ds(Ds::DS_ORDERED_COUNT) => Modes::default().in_turn(),
        _ => Modes::default(),
    };
    let block = lift_block(&code, 0, modes);
    match &block.nodes.last()?.op {
        Node::End(Terminator::Unsupported { what }) if !what.is_empty() => None,
        _ => Some(block),
    }
}

#[test]
fn effects_are_those_of_the_meaning() {
    let mut wrong: BTreeMap<Op, String> = BTreeMap::new();
    let mut lifted = 0;
    for (line, inst) in plain().into_iter().chain(lines()) {
        let Some(block) = meaning(inst) else {
            continue;
        };
        lifted += 1;
        let done = Done::of(&block, inst.len.into());
        let differences = differences(&inst, &done);
        if !differences.is_empty() {
            let text = format!("{line}: {}", differences.join("; "));
            wrong.entry(inst.op).or_insert(text);
        }
    }
    let lines: Vec<String> = wrong.into_values().collect();
    assert!(
        lines.is_empty(),
        "{} wrong:\n{}",
        lines.len(),
        lines.join("\n")
    );
    assert!(lifted > 5000, "only {lifted} instructions were lifted");
}
