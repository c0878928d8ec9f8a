//! The races that were found, each pair of instructions once.

use std::collections::HashMap;

use wavetank_memory::Touched;

use super::kind::Kinds;
use super::shadow::Slot;
use super::waves::Waves;
use crate::finding::{Finding, Findings, Mark};
use crate::tool::Tool;

/// What is said of two accesses without an order: the earlier one first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    WriteWrite,
    ReadWrite,
    WriteRead,
    /// Two stores of one instruction, of different values.
    SameStore,
}

impl Rule {
    const fn name(self) -> &'static str {
        match self {
            Rule::WriteWrite => "write-write",
            Rule::ReadWrite => "read-write",
            Rule::WriteRead => "write-read",
            Rule::SameStore => "same-store",
        }
    }
}

/// What an access does, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    Load,
    Store,
    Atomic,
}

impl Verb {
    const fn noun(self) -> &'static str {
        match self {
            Verb::Load => "load",
            Verb::Store => "store",
            Verb::Atomic => "atomic",
        }
    }

    const fn done(self) -> &'static str {
        match self {
            Verb::Load => "read",
            Verb::Store => "written",
            Verb::Atomic => "changed by an atomic",
        }
    }
}

/// Two accesses to the same bytes, and what they did.
#[derive(Clone, Copy)]
pub struct Pair {
    pub rule: Rule,
    pub memory: Touched,
    pub dword: u64,
    pub earlier: (Slot, Verb),
    pub later: (Slot, Verb),
}

/// All that were found, counted by their instructions.
#[derive(Default)]
pub struct Found {
    numbers: HashMap<(u16, u16, Rule), usize>,
    pairs: Vec<(Pair, u64)>,
}

impl Found {
    /// Adds a pair, or counts it.
    pub fn add(&mut self, pair: Pair) {
        let next = self.pairs.len();
        let key = (pair.earlier.0.pc, pair.later.0.pc, pair.rule);
        let n = *self.numbers.entry(key).or_insert(next);
        if n == next {
            self.pairs.push((pair, 0));
        }
        self.pairs[n].1 += 1;
    }

    /// Tells all of them.
    pub fn tell(&mut self, kernel: &str, waves: &Waves, kinds: &Kinds, findings: &mut Findings) {
        self.numbers.clear();
        for (pair, times) in self.pairs.drain(..) {
            let mut finding = pair.finding(waves, kinds);
            finding.kernel = kernel.to_owned();
            finding.times = times;
            findings.add(finding);
        }
    }
}

impl Pair {
    fn finding(&self, waves: &Waves, kinds: &Kinds) -> Finding {
        let ((earlier, before), (later, verb)) = (self.earlier, self.later);
        let group = |slot: Slot| waves.group(slot.wave);
        let one_group = group(earlier).first == group(later).first;
        let whole = |slot: Slot| name(slot, waves, true);
        let short = name(earlier, waves, !one_group);
        let bytes = bytes(self.memory, self.dword, earlier.mask() & later.mask());
        let (done, noun) = (verb.done(), before.noun());
        let whose = if verb == Verb::Atomic { "of" } else { "by" };
        let what = format!("{bytes} are {done} {whose} {}", whole(later));
        let message = match self.rule {
            Rule::SameStore => format!(
                "{what}, while nothing orders that behind what the same instruction stored for {short}, another value"
            ),
            _ => format!("{what}, while nothing orders that behind the {noun} of {short}"),
        };
        let mark = |slot: Slot, verb: Verb| {
            let label = format!("the {} of {}", verb.noun(), whole(slot));
            Mark::at(kinds.pc(slot.pc), label)
        };
        Finding {
            tool: Tool::Race,
            rule: self.rule.name(),
            kernel: String::new(),
            message,
            at: mark(later, verb),
            related: vec![mark(earlier, before)],
            notes: vec![
                format!("the {noun} of {} came first", whole(earlier)),
                order(self.memory, one_group),
            ],
            help: Some(help(one_group, self.rule).to_owned()),
            times: 1,
        }
    }
}

/// What orders two waves.
fn order(memory: Touched, one_group: bool) -> String {
    let coherent = match memory {
        Touched::Global => {
            ", and loads with `glc`, which come behind the stores that they see, order waves"
        }
        _ => " order waves",
    };
    match one_group {
        true => {
            format!("`s_barrier`, atomics on one address that return{coherent} of a work-group")
        }
        false => {
            format!("only atomics on one address that return{coherent} of different work-groups")
        }
    }
}

fn help(one_group: bool, rule: Rule) -> &'static str {
    match (rule, one_group) {
        (Rule::SameStore, _) => "let one of the waves store, or each to its own address",
        (_, true) => "put `s_barrier` between them, behind the wait for the earlier one",
        (_, false) => "order them with atomics or a fence, or launch twice",
    }
}

/// The wave and lane of an access.
fn name(slot: Slot, waves: &Waves, with_group: bool) -> String {
    let group = waves.group(slot.wave);
    let mut name = format!("wave {}", slot.wave - group.first);
    if with_group {
        let [x, y, z] = group.id;
        name += &format!(" of work-group ({x}, {y}, {z})");
    }
    if let Some(lane) = slot.lane.get() {
        name += &format!(", lane {lane}");
    }
    name
}

/// The bytes of a dword of a memory.
fn bytes(memory: Touched, dword: u64, mask: u8) -> String {
    let first = dword * 4 + u64::from(mask.trailing_zeros().min(3));
    let end = dword * 4 + u64::from(8 - mask.leading_zeros());
    let memory = match memory {
        Touched::Global => "global memory",
        Touched::Lds => "LDS",
        Touched::Gds => "GDS",
        Touched::Scratch => "scratch",
    };
    format!("{memory} bytes {first:#x}..{end:#x}")
}
