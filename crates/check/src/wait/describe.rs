//! Messages of the findings of `wait`.

use wavetank_gcn::{Registers, WaitCounter};

use super::event::{Kind, LdsAccess};
use super::pending::Pending;
use crate::code::Graph;
use crate::finding::{Finding, Mark};
use crate::tool::Tool;

/// A use that comes too early.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    what: What,
    registers: Registers,
    /// The counter value to wait for.
    pub wait: u16,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A read of registers before they are loaded.
    Read,
    /// A read of LDS that has no contents except those that are being loaded.
    ReadOfLds,
    /// A write to registers that a load will overwrite.
    Overwritten,
    /// A write to registers that are still to be read.
    Source,
    /// A barrier at which other waves continue.
    PassedOn(LdsAccess),
}

impl Mistake {
    fn new(what: What, registers: Registers) -> Mistake {
        Mistake {
            what,
            registers,
            wait: 0,
        }
    }

    /// Makes the mistake of reading registers that have not been loaded yet.
    pub(super) fn read(registers: Registers) -> Mistake {
        Mistake::new(What::Read, registers)
    }

    /// Makes the mistake of reading LDS that has not been loaded yet.
    pub(super) fn read_of_lds() -> Mistake {
        Mistake::new(What::ReadOfLds, Registers::default())
    }

    /// Makes the mistake of writing registers that a load will overwrite.
    pub(super) fn overwritten(registers: Registers) -> Mistake {
        Mistake::new(What::Overwritten, registers)
    }

    /// Makes the mistake of writing registers that have not been read yet.
    pub(super) fn source(registers: Registers) -> Mistake {
        Mistake::new(What::Source, registers)
    }

    /// Whether it is a mistake only if the result of the access is used.
    pub(super) fn needs_use(&self) -> bool {
        matches!(self.what, What::PassedOn(access) if !access.writes)
    }

    /// Makes the mistake of a barrier that lets other waves use LDS too early.
    pub(super) fn passed_on(access: LdsAccess) -> Mistake {
        Mistake::new(What::PassedOn(access), Registers::default())
    }
}

/// Returns the finding about a node and an access in flight.
pub(super) fn finding(graph: &Graph, node: usize, mistake: &Mistake, pending: &Pending) -> Finding {
    let node = &graph.nodes[node];
    let name = mnemonic(&node.inst.to_string());
    let in_flight = thing(pending.kind, mistake.what);
    let registers = list(&mistake.registers);
    let (rule, message, label) = match mistake.what {
        What::Read => (
            "read-before-load",
            format!("`{name}` reads {registers} while {in_flight} into it is in flight"),
            format!("{registers} is read here"),
        ),
        What::ReadOfLds => (
            "read-before-load",
            format!(
                "`{name}` reads LDS while {in_flight} to LDS is in flight, and nothing else has filled LDS"
            ),
            "LDS is read here".to_owned(),
        ),
        What::Overwritten => (
            "write-before-load",
            format!(
                "`{name}` writes {registers} while {in_flight} into it is in flight, which may complete later"
            ),
            format!("{registers} is written here"),
        ),
        What::Source => (
            "write-before-store",
            format!("`{name}` writes {registers} while {in_flight} that reads it is in flight"),
            format!("{registers} is written here"),
        ),
        What::PassedOn(access) if access.writes => (
            "barrier-before-write",
            format!("`{name}` lets other waves go on while {in_flight} to LDS is in flight"),
            "others may see LDS as it was before".to_owned(),
        ),
        What::PassedOn(_) => (
            "barrier-before-read",
            format!("`{name}` lets other waves go on while {in_flight} is in flight"),
            "others may overwrite what is still to be read".to_owned(),
        ),
    };
    let counter = WaitCounter::all(graph.chip.generation())[pending.counter];
    Finding {
        tool: Tool::Wait,
        rule,
        kernel: graph.name.clone(),
        message,
        at: Mark::at(node.pc, label),
        related: vec![Mark::at(pending.pc, format!("{in_flight} begins here"))],
        host: Vec::new(),
        notes: vec![why(pending)],
        help: Some(format!(
            "`s_waitcnt {}({})` between them would do",
            counter.name, mistake.wait
        )),
        address: None,
        also: Vec::new(),
        times: 1,
    }
}

/// Returns the reason for the counter value of the wait.
fn why(pending: &Pending) -> String {
    if !pending.kind.is_in_order() {
        return "scalar memory completes in any order: only a wait for 0 proves that one of several is done"
            .to_owned();
    }
    match pending.age {
        0 => "nothing of its kind was issued since".to_owned(),
        1 => "one of its kind was issued since, and is done after it".to_owned(),
        age => format!("{age} of its kind were issued since, and are done after it"),
    }
}

/// Returns the access in flight, in words.
fn thing(kind: Kind, what: What) -> &'static str {
    let stores = matches!(what, What::PassedOn(LdsAccess { writes: true }));
    match kind {
        Kind::Vector if stores => "a load",
        Kind::Vector | Kind::Scalar | Kind::Gds => "a load",
        Kind::Lds if stores => "a store",
        Kind::Lds => "a read of LDS",
        Kind::Message => "a message",
        Kind::StoreData | Kind::GdsData => "a store",
        Kind::Color | Kind::Position | Kind::Parameter => "an export",
    }
}

/// Returns the mnemonic of an instruction.
fn mnemonic(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Returns the first few registers of a set, for a sentence.
fn list(registers: &Registers) -> String {
    const MAX: usize = 4;
    let text = registers.to_string();
    let names: Vec<&str> = text.split(' ').collect();
    match names.as_slice() {
        [names @ .., last] if names.len() < MAX && !names.is_empty() => {
            format!("{} and {last}", names.join(", "))
        }
        [one] => (*one).to_owned(),
        names => format!(
            "{} and {} more",
            names[..MAX - 1].join(", "),
            names.len() + 1 - MAX
        ),
    }
}
