//! Events: accesses in flight after an instruction, by counter.

use wavetank_gcn::tables::{Class, Exp, Features, Mubuf};
use wavetank_gcn::{Field, Flags, Generation, Inst, Op, Operand, Registers};

use crate::code::Node;

/// The index of VM_CNT in [`WaitCounter::all`](wavetank_gcn::WaitCounter::all).
pub(super) const VM: usize = 0;
/// The index of EXP_CNT.
pub(super) const EXP: usize = 1;
/// The index of LGKM_CNT.
pub(super) const LGKM: usize = 2;

/// A kind of accesses that are counted together and, except for scalar memory, done in order (Vega ISA, 4.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// Vector memory, whose reads and writes return in the order of issue.
    Vector,
    /// LDS, the local data share.
    Lds,
    /// The global data share.
    Gds,
    /// Scalar memory, which returns out of order.
    Scalar,
    /// Messages, `s_sendmsg`.
    Message,
    /// Data of stores, read late from registers (gfx6).
    StoreData,
    /// Data for the global data share, read late from registers.
    GdsData,
    /// Exports of colors to render targets.
    Color,
    /// Exports of vertex positions.
    Position,
    /// Exports of vertex parameters.
    Parameter,
}

impl Kind {
    /// Whether accesses of the kind are done in order.
    pub(super) fn is_in_order(self) -> bool {
        self != Kind::Scalar
    }
}

/// An access to LDS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LdsAccess {
    /// Whether the access writes, atomically or not; otherwise it reads.
    pub writes: bool,
}

/// An access that an instruction leaves in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Event {
    /// The index of the counter that it raises.
    pub counter: usize,
    /// The kind of access, which determines the order.
    pub kind: Kind,
    /// Registers that the access will write.
    pub loads: Registers,
    /// Registers that the access has yet to read.
    pub locks: Registers,
    /// The access to LDS, if it is one.
    pub lds: Option<LdsAccess>,
}

impl Event {
    fn new(counter: usize, kind: Kind) -> Event {
        Event {
            counter,
            kind,
            loads: Registers::default(),
            locks: Registers::default(),
            lds: None,
        }
    }
}

/// Returns the accesses that an instruction leaves in flight.
pub(super) fn events(node: &Node) -> Vec<Event> {
    match node.inst.row().class {
        Class::Vmem | Class::Flat => vector(node),
        Class::Lds => shared(node),
        Class::Smem => vec![Event {
            loads: node.effects.writes,
            ..Event::new(LGKM, Kind::Scalar)
        }],
        Class::Message => vec![Event::new(LGKM, Kind::Message)],
        Class::Export => export(node).into_iter().collect(),
        Class::Salu | Class::Branch | Class::Valu | Class::Interp => Vec::new(),
    }
}

/// Returns the accesses of vector memory. FLAT also raises LGKM_CNT, but only the addresses determine whether its data come from
/// LDS; so only the wait for VM_CNT, which is needed in any case, is checked.
fn vector(node: &Node) -> Vec<Event> {
    let inst = &node.inst;
    // These write back and invalidate, and are not counted (LLVM's memory model has no wait after them).
    let uncounted = [
        Mubuf::BUFFER_WBINVL1,
        Mubuf::BUFFER_WBINVL1_SC,
        Mubuf::BUFFER_WBINVL1_VOL,
    ];
    if uncounted.iter().any(|op| inst.op == Op::Mubuf(*op)) {
        return Vec::new();
    }
    let to_lds = loads_to_lds(inst);
    let mut all = vec![Event {
        loads: node.effects.writes,
        lds: to_lds.then_some(LdsAccess { writes: true }),
        ..Event::new(VM, Kind::Vector)
    }];
    // On gfx6, the data of stores are read late (LLVM, `vmemWriteNeedsExpWaitcnt`).
    let old = inst.chip.generation() == Generation::Gfx6;
    if old && node.effects.writes_memory && !to_lds {
        all.push(Event {
            locks: data(node),
            ..Event::new(EXP, Kind::StoreData)
        });
    }
    all
}

/// Returns the accesses of LDS and GDS.
fn shared(node: &Node) -> Vec<Event> {
    let inst = &node.inst;
    let global = inst.has(Flags::GDS);
    if inst.row().operands.is_empty() && inst.row().has(Features::NO_MEMORY) && !global {
        return Vec::new();
    }
    let effects = &node.effects;
    let accesses = effects.reads_memory || effects.writes_memory;
    let access = LdsAccess {
        writes: effects.writes_memory,
    };
    let mut all = vec![Event {
        loads: effects.writes,
        lds: (accesses && !global).then_some(access),
        ..Event::new(LGKM, if global { Kind::Gds } else { Kind::Lds })
    }];
    if global {
        all.push(Event {
            locks: data(node),
            ..Event::new(EXP, Kind::GdsData)
        });
    }
    all
}

/// Returns the access of an export, which reads registers and EXEC when it is granted (Vega ISA, 11.1).
fn export(node: &Node) -> Option<Event> {
    let Op::Exp(Exp::EXP) = node.inst.op else {
        return None;
    };
    let Operand::Imm(target) = node.inst.operand(Field::Target) else {
        return None;
    };
    let kind = match target {
        12..=15 => Kind::Position,
        32.. => Kind::Parameter,
        _ => Kind::Color,
    };
    Some(Event {
        locks: node.effects.reads,
        ..Event::new(EXP, kind)
    })
}

/// Returns the vector registers with the data of a store, and EXEC if the global data share reads it late.
fn data(node: &Node) -> Registers {
    let inst = &node.inst;
    let mut registers = Registers::default();
    for (i, spec) in inst.row().operands.iter().enumerate() {
        let is_data = matches!(spec.field, Field::Vdata | Field::Data0 | Field::Data1);
        let is_address = spec.field == Field::Vaddr && inst.has(Flags::GDS);
        if (is_data || is_address) && inst.accesses(i).0 {
            registers.add(inst.operands[i], inst.reach(i));
        }
    }
    if inst.has(Flags::GDS) {
        registers.add_state(wavetank_gcn::tables::EXEC);
    }
    registers
}

/// Whether an instruction is one of LDS.
pub(super) fn is_lds(inst: &Inst) -> bool {
    inst.row().class == Class::Lds && !inst.has(Flags::GDS)
}

/// Whether an instruction loads to LDS instead of registers.
pub(super) fn loads_to_lds(inst: &Inst) -> bool {
    inst.has(Flags::LDS)
}

/// Returns the operand of an instruction like `s_waitcnt`.
pub(super) fn immediate(inst: &Inst) -> u16 {
    match inst.operand(Field::Simm16) {
        Operand::Imm(bits) => bits as u16,
        _ => u16::MAX,
    }
}
