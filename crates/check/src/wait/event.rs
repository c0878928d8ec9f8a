//! Events: accesses in flight after an instruction, by counter.

use wavetank_gcn::tables::{Class, Exp, Features, Mubuf};
use wavetank_gcn::{Field, Flags, Generation, Inst, Op, Operand, Registers};

use crate::code::Node;

/// The first counter, by its place in [`WaitCounter::all`](wavetank_gcn::WaitCounter::all).
pub const VM: usize = 0;
/// The second counter, EXP_CNT.
pub const EXP: usize = 1;
/// The third counter, LGKM_CNT.
pub const LGKM: usize = 2;

/// What is counted together and done in order, if it is done in order at all (Vega ISA, 4.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Vector memory: reads and writes return in the order in which they were issued.
    Vector,
    /// LDS.
    Lds,
    /// The global data share.
    Gds,
    /// Scalar memory: out of order.
    Scalar,
    /// Messages.
    Message,
    /// Data of stores that are read late (gfx6).
    StoreData,
    /// Data that go to the global data share.
    GdsData,
    /// Exports of colors.
    Color,
    /// Exports of positions.
    Position,
    /// Exports of parameters.
    Parameter,
}

impl Kind {
    /// Whether those of the kind are done in order.
    pub fn is_in_order(self) -> bool {
        self != Kind::Scalar
    }
}

/// What an access does with LDS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LdsAccess {
    /// Whether it writes there, atomically or not; otherwise it reads.
    pub writes: bool,
}

/// One thing that an instruction leaves in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The counter that it raises.
    pub counter: usize,
    /// What it is in order with.
    pub kind: Kind,
    /// Registers that it will write.
    pub loads: Registers,
    /// Registers that it has still to read.
    pub locks: Registers,
    /// What it does with LDS.
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

/// What an instruction leaves in flight.
pub fn events(node: &Node) -> Vec<Event> {
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

/// Vector memory. FLAT raises LGKM_CNT as well, but whether its data come from there only its addresses say: that it is
/// waited for by VM_CNT is what can be asked for in any case.
fn vector(node: &Node) -> Vec<Event> {
    let inst = &node.inst;
    // They write back and invalidate, and nobody counts them (LLVM's memory model: no wait behind them).
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
    // Until gfx6, the data of stores are read late (LLVM, `vmemWriteNeedsExpWaitcnt`).
    let old = inst.chip.generation() == Generation::Gfx6;
    if old && node.effects.writes_memory && !to_lds {
        all.push(Event {
            locks: data(node),
            ..Event::new(EXP, Kind::StoreData)
        });
    }
    all
}

/// LDS and GDS.
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

/// An export reads registers, and EXEC, when it is granted (Vega ISA, 11.1).
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

/// The vector registers with the data that go to memory, and EXEC where the global data share reads it late.
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

/// Whether an instruction loads to LDS instead of registers.
pub fn loads_to_lds(inst: &Inst) -> bool {
    inst.has(Flags::LDS)
}
