//! The instructions that hooks are called at.

use std::ops::Range;
use std::sync::Arc;

use wavetank_check::Pattern;
use wavetank_ir::{MemKind, Node, Op, Terminator};
use wavetank_memory::{AccessRecord, MemoryKind};
use wavetank_translate::{Breakpoints, Code};

use crate::code::ModuleCode;

/// The instructions that a hook is called at: by address, mnemonic and kind.
///
/// ```
/// use wavetank::hooks::Places;
/// // All loads from global memory, and the exponential.
/// let places = Places::all().mnemonic("global_load*").mnemonic("v_exp_f32");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// Device addresses; without any, all code.
    ranges: Vec<Range<u64>>,
    /// Patterns of mnemonics; without any, all instructions.
    mnemonics: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Any,
    Barrier,
    End,
    Access(Kinds),
}

/// Kinds of accesses: loads, stores, atomic operations. Without any, all.
type Kinds = [bool; 3];

/// Whether a kind of access is among some.
fn is_among(kinds: Kinds, kind: MemKind) -> bool {
    let number = match kind {
        MemKind::Load => 0,
        MemKind::Store => 1,
        MemKind::Atomic(_) => 2,
    };
    kinds[number] || kinds == [false; 3]
}

impl Places {
    /// All instructions.
    pub fn all() -> Places {
        Places::of(Kind::Any)
    }

    /// Barriers of a work-group.
    pub fn barriers() -> Places {
        Places::of(Kind::Barrier)
    }

    /// Instructions that end a wave.
    pub fn ends() -> Places {
        Places::of(Kind::End)
    }

    fn of(kind: Kind) -> Places {
        let (ranges, mnemonics) = (Vec::new(), Vec::new());
        Places {
            ranges,
            mnemonics,
            kind,
        }
    }

    /// Only the instructions in a range of device addresses, as of a [symbol](crate::Module::symbol); with several ranges, those
    /// of any.
    pub fn within(mut self, range: Range<u64>) -> Places {
        self.ranges.push(range);
        self
    }

    /// Only the instructions with a mnemonic, in which `*` stands for any characters and `?` for one; with several mnemonics,
    /// those of any. The suffix of the encoding (`_e32`) may be left out.
    pub fn mnemonic(mut self, pattern: &str) -> Places {
        self.mnemonics.push(pattern.to_owned());
        self
    }
}

/// The accesses that a hook is called for: by kind, memory and address.
#[derive(Clone, PartialEq, Debug)]
pub struct Accesses {
    places: Places,
    kinds: Kinds,
    memories: Vec<MemoryKind>,
    addresses: Option<Range<u64>>,
}

impl Accesses {
    /// All accesses of all instructions.
    pub fn all() -> Accesses {
        Accesses::at(Places::all())
    }

    /// The accesses of some instructions.
    pub fn at(places: Places) -> Accesses {
        Accesses {
            places,
            kinds: [false; 3],
            memories: Vec::new(),
            addresses: None,
        }
    }

    /// Only loads; with [`stores`](Self::stores) or [`atomics`](Self::atomics), these too.
    pub fn loads(self) -> Accesses {
        self.kind(0)
    }

    /// Only stores; with [`loads`](Self::loads) or [`atomics`](Self::atomics), these too.
    pub fn stores(self) -> Accesses {
        self.kind(1)
    }

    /// Only atomic operations; with [`loads`](Self::loads) or [`stores`](Self::stores), these too.
    pub fn atomics(self) -> Accesses {
        self.kind(2)
    }

    fn kind(mut self, kind: usize) -> Accesses {
        self.kinds[kind] = true;
        self
    }

    /// Only accesses to a memory; with several, to any of them.
    pub fn memory(mut self, memory: MemoryKind) -> Accesses {
        self.memories.push(memory);
        self
    }

    /// Only accesses that touch a byte of a range: of addresses of global memory, or of offsets in another memory.
    pub fn within(mut self, range: Range<u64>) -> Accesses {
        self.addresses = Some(range);
        self
    }

    /// The instructions that may make such accesses.
    pub(crate) fn places(&self) -> Places {
        Places {
            kind: Kind::Access(self.kinds),
            ..self.places.clone()
        }
    }

    /// Whether the hook is called for an access.
    pub(crate) fn include(&self, access: &AccessRecord) -> bool {
        let touches = |range: &Range<u64>| {
            access.address < range.end && access.address + u64::from(access.bytes) > range.start
        };
        is_among(self.kinds, access.kind)
            && (self.memories.is_empty() || self.memories.contains(&access.memory))
            && self.addresses.as_ref().is_none_or(touches)
    }
}

/// The places of hooks, in the code of a module.
pub(crate) struct Filter {
    code: Arc<ModuleCode>,
    places: Vec<(Places, Vec<Pattern>)>,
}

impl Filter {
    pub(crate) fn new(code: Arc<ModuleCode>, places: &[Places]) -> Filter {
        let with_patterns = |places: &Places| {
            let patterns = places.mnemonics.iter();
            let patterns = patterns.map(|text| Pattern::new(text)).collect();
            (places.clone(), patterns)
        };
        let places = places.iter().map(with_patterns).collect();
        Filter { code, places }
    }

    /// The numbers of the places that an instruction is among. `nodes` are its meaning.
    pub(crate) fn at(&self, pc: u64, nodes: &[Node]) -> Vec<usize> {
        let all = self.places.iter().enumerate();
        all.filter(|(_, (places, patterns))| {
            places.kind.includes(nodes)
                && (places.ranges.is_empty() || places.ranges.iter().any(|r| r.contains(&pc)))
                && (patterns.is_empty() || self.is_called(pc, patterns))
        })
        .map(|(number, _)| number)
        .collect()
    }

    /// Whether the mnemonic of the instruction at an address fits one of the patterns.
    fn is_called(&self, pc: u64, patterns: &[Pattern]) -> bool {
        let Ok(inst) = self.code.inst(pc) else {
            return false;
        };
        let text = inst.to_string();
        let mnemonic = text.split(' ').next().unwrap_or(&text);
        let mut suffixes = ["_e32", "_e64", "_sdwa", "_dpp"].into_iter();
        let short = suffixes.find_map(|suffix| mnemonic.strip_suffix(suffix));
        let fits = |pattern: &Pattern| {
            pattern.fits(mnemonic) || short.is_some_and(|short| pattern.fits(short))
        };
        patterns.iter().any(fits)
    }
}

impl Breakpoints for Filter {
    fn stops(&self, pc: u64, nodes: &[Node]) -> bool {
        !self.at(pc, nodes).is_empty()
    }
}

impl Kind {
    fn includes(self, nodes: &[Node]) -> bool {
        let mut ops = nodes.iter().map(|node| &node.op);
        match self {
            Kind::Any => true,
            Kind::Barrier => ops.any(|op| matches!(op, Op::End(Terminator::Barrier { .. }))),
            Kind::End => ops.any(|op| matches!(op, Op::End(Terminator::EndProgram))),
            Kind::Access(kinds) => {
                ops.any(|op| matches!(op, Op::Mem(op) if is_among(kinds, op.kind)))
            }
        }
    }
}
