//! Deduplication of races, with one for each pair of instructions, and their messages.

use std::collections::{HashMap, HashSet};

use wavetank_memory::MemoryKind;

use super::in_flight::Release;
use super::slot::{Lane, Slot};
use super::sync_semantics::SemanticsTable;
use super::waves::{LoadsAgain, Waves};
use crate::finding::{Finding, Findings, Mark};
use crate::tool::Tool;
use crate::work_items::WorkItems;

/// The kind of conflict of two accesses, the earlier one first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rule {
    WriteWrite,
    ReadWrite,
    WriteRead,
    /// Stores of different values by one instruction in two waves.
    SameStore,
    /// Stores of different values by lanes of one instruction.
    Lanes,
}

impl Rule {
    const fn name(self) -> &'static str {
        match self {
            Rule::WriteWrite => "write-write",
            Rule::ReadWrite => "read-write",
            Rule::WriteRead => "write-read",
            Rule::SameStore => "same-store",
            Rule::Lanes => "lanes",
        }
    }
}

/// The action of an access, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    Load,
    Store,
    Atomic,
    /// A compare-and-swap that has failed.
    Compare,
}

impl Verb {
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Verb::Load => "load",
            Verb::Store => "store",
            Verb::Atomic => "atomic",
            Verb::Compare => "compare-and-swap",
        }
    }

    pub(super) const fn done(self) -> &'static str {
        match self {
            Verb::Load => "read",
            Verb::Store => "written",
            Verb::Atomic => "changed by an atomic",
            Verb::Compare => "compared by an atomic",
        }
    }
}

/// A conflict of two accesses to the same bytes.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub rule: Rule,
    pub memory: MemoryKind,
    pub dword: u64,
    pub earlier: (Slot, Verb),
    pub later: (Slot, Verb),
    /// The release that ordered the later access while the earlier one was still in flight.
    pub release: Option<Release>,
}

/// All conflicts, counted by their instructions.
#[derive(Default)]
pub(super) struct Dedup {
    numbers: HashMap<(u16, u16, Rule, Option<u16>), usize>,
    pairs: Vec<(Pair, u64)>,
    /// Plain loads that are guesses, by the number of their instruction.
    guesses: HashSet<u16>,
    /// Loads that may be in a spin loop, with the strongest evidence of any wave.
    spins: HashMap<u16, LoadsAgain>,
}

impl Dedup {
    /// Adds a pair, or counts it if it is present.
    pub(super) fn add(&mut self, pair: Pair) {
        let next = self.pairs.len();
        let release = pair.release.map(|release| release.pc);
        let key = (pair.earlier.0.pc, pair.later.0.pc, pair.rule, release);
        let n = *self.numbers.entry(key).or_insert(next);
        if n == next {
            self.pairs.push((pair, 0));
        }
        self.pairs[n].1 += 1;
    }

    /// Marks a load as a guess: an atomic of the same wave then tests the value, so that a wrong guess is harmless.
    pub(super) fn guesses(&mut self, load: u16) {
        self.guesses.insert(load);
    }

    /// Records evidence on a load that may be in a spin loop.
    pub(super) fn may_spin(&mut self, load: u16, again: LoadsAgain) {
        let known = self.spins.entry(load).or_insert(again);
        *known = again.max(*known);
    }

    /// Removes conflicts of loads that spin, as far as known: other waves are supposed to change the value.
    fn forget_spins(&mut self) {
        let mut spins = std::mem::take(&mut self.spins);
        spins.retain(|_, again| *again != LoadsAgain::Works);
        self.pairs.retain(|(pair, _)| {
            let waits =
                |(slot, verb): (Slot, Verb)| verb == Verb::Load && spins.contains_key(&slot.pc);
            !waits(pair.earlier) && !waits(pair.later)
        });
    }

    /// Removes conflicts between a guess and atomics of other waves.
    fn forget_guesses(&mut self) {
        let guesses = std::mem::take(&mut self.guesses);
        self.pairs.retain(|(pair, _)| {
            let is_guess =
                |(slot, verb): (Slot, Verb)| verb == Verb::Load && guesses.contains(&slot.pc);
            let is_atomic = |(_, verb): (Slot, Verb)| verb == Verb::Atomic;
            let (a, b) = (pair.earlier, pair.later);
            !(is_guess(a) && is_atomic(b) || is_guess(b) && is_atomic(a))
        });
    }

    /// Adds all conflicts as findings.
    pub(super) fn report(
        &mut self,
        kernel: &str,
        waves: &Waves,
        kinds: &SemanticsTable,
        findings: &mut Findings,
    ) {
        self.numbers.clear();
        self.forget_guesses();
        self.forget_spins();
        self.forget_written_back(kinds);
        self.count_updates_once(kinds);
        for (pair, times) in self.pairs.drain(..) {
            let mut finding = match pair.rule {
                Rule::Lanes => pair.of_lanes(waves, kinds),
                _ => pair.finding(waves, kinds),
            };
            finding.kernel = kernel.to_owned();
            finding.times = times;
            findings.add(finding);
        }
    }

    /// Removes writes that are written back before the release. Other conflicts of the same pair of instructions are joined.
    fn forget_written_back(&mut self, kinds: &SemanticsTable) {
        let mut kept: Vec<(Pair, u64)> = Vec::new();
        for (pair, times) in self.pairs.drain(..) {
            let write = pair.earlier.0.pc;
            if (pair.release).is_some_and(|release| kinds.writes_back(write, release.pc)) {
                continue;
            }
            let what = |pair: &Pair| (pair.earlier.0.pc, pair.later.0.pc, pair.rule);
            match kept
                .iter_mut()
                .find(|(other, _)| what(other) == what(&pair))
            {
                Some((_, count)) => *count += times,
                None => kept.push((pair, times)),
            }
        }
        self.pairs = kept;
    }

    /// Joins the conflicts of `bins[i]++` without an atomic, which loads too early and so stores a wrong value. This is one
    /// mistake: the store is counted with the load.
    fn count_updates_once(&mut self, kinds: &SemanticsTable) {
        let loads: Vec<(usize, Pair)> = (self.pairs.iter().map(|(pair, _)| *pair).enumerate())
            .filter(|(_, pair)| pair.rule == Rule::WriteRead)
            .collect();
        let load_of = |store: &Pair| {
            let of_stores = matches!(store.rule, Rule::SameStore | Rule::WriteWrite);
            let is_its = |(_, load): &&(usize, Pair)| {
                // A load by the wave as a whole has its address in other registers.
                let at_one_place = (load.memory, load.dword) == (store.memory, store.dword)
                    && kinds.pc(load.later.0.pc) < kinds.pc(store.later.0.pc);
                load.earlier.0.pc == store.earlier.0.pc
                    && (at_one_place || kinds.is_update(load.later.0.pc, store.later.0.pc))
            };
            let found = loads.iter().find(is_its).filter(|_| of_stores);
            found.map(|(n, _)| *n)
        };
        let loads: Vec<_> = self.pairs.iter().map(|(pair, _)| load_of(pair)).collect();
        for (n, load) in loads.iter().enumerate() {
            if let Some(load) = *load {
                self.pairs[load].1 += self.pairs[n].1;
            }
        }
        let mut loads = loads.iter();
        self.pairs
            .retain(|_| loads.next().is_none_or(Option::is_none));
    }
}

impl Pair {
    /// Returns the finding about a store whose lanes overwrite each other.
    fn of_lanes(&self, waves: &Waves, kinds: &SemanticsTable) -> Finding {
        let ((first, _), (last, _)) = (self.earlier, self.later);
        let bytes = bytes(self.memory, self.dword, last.mask());
        let lane = |slot: Slot| slot.lane.get().unwrap_or_default();
        let (of, first, last) = (
            name(last.on(last.mask(), Lane::SEVERAL), waves, true),
            lane(first),
            lane(last),
        );
        Finding {
            tool: Tool::Race,
            rule: self.rule.name(),
            kernel: String::new(),
            message: format!(
                "data race: {bytes} are written by lanes {first} and {last} of {of} at once, with different values"
            ),
            at: Mark::at(kinds.pc(self.later.0.pc), format!("the store of {of}"))
                .by(items(self.earlier.0, waves)),
            related: vec![],
            notes: ["it is not defined which value stays; here it is that of the last lane"]
                .into_iter()
                .chain((self.memory == MemoryKind::Global).then_some(NO_CHOICE))
                .map(str::to_owned)
                .collect(),
            host: Vec::new(),
            help: Some("let one of the lanes store, or each to its own address".to_owned()),
            address: address(self.memory, self.dword, self.later.0.mask()),
            also: Vec::new(),
            times: 1,
        }
    }

    /// Whether a wave loads and stores one place by the two instructions: `bins[i]++`.
    fn is_update(&self, kinds: &SemanticsTable) -> bool {
        let (earlier, later) = (self.earlier.0.pc, self.later.0.pc);
        match self.rule {
            Rule::ReadWrite => kinds.is_update(earlier, later),
            Rule::WriteRead => kinds.is_update(later, earlier),
            Rule::WriteWrite | Rule::SameStore | Rule::Lanes => false,
        }
    }

    fn finding(&self, waves: &Waves, kinds: &SemanticsTable) -> Finding {
        let ((earlier, before), (later, verb)) = (self.earlier, self.later);
        let group = |slot: Slot| waves.group(slot.wave);
        let one_group = group(earlier).first == group(later).first;
        let whole = |slot: Slot| name(slot, waves, true);
        let one_wave = earlier.wave == later.wave;
        let short = match earlier.lane.get().filter(|_| one_wave) {
            Some(lane) => format!("lane {lane} of the same wave"),
            None => name(earlier, waves, !one_group),
        };
        let bytes = bytes(self.memory, self.dword, earlier.mask() & later.mask());
        let (done, noun) = (verb.done(), before.noun());
        let whose = match verb {
            Verb::Atomic | Verb::Compare => "of",
            Verb::Load | Verb::Store => "by",
        };
        let what = format!("data race: {bytes} are {done} {whose} {}", whole(later));
        let message = match (self.release, self.rule) {
            (Some(_), _) => format!(
                "{what} after a release by {short}, whose {noun} to these bytes was in flight"
            ),
            (None, Rule::SameStore) => format!(
                "{what}, unordered with the same instruction of {short}, which stores another value"
            ),
            (None, _) => format!("{what}, unordered with the {noun} of {short}"),
        };
        let mark = |slot: Slot, verb: Verb| {
            let label = format!("the {} of {}", verb.noun(), name(slot, waves, false));
            Mark::at(kinds.pc(slot.pc), label).by(items(slot, waves))
        };
        let mut first = mark(earlier, before);
        if self.release.is_none() {
            first.label += ", which came first";
        }
        let release = self.release.map(|release| {
            let name = name(earlier.on(0, Lane::SEVERAL), waves, true);
            let label = format!("{name} releases others here");
            Mark::at(kinds.pc(release.pc), label)
        });
        Finding {
            tool: Tool::Race,
            rule: self.rule.name(),
            kernel: String::new(),
            message,
            at: mark(later, verb),
            related: [first].into_iter().chain(release).collect(),
            host: Vec::new(),
            notes: match self.release {
                Some(_) => vec![IN_FLIGHT.to_owned()],
                None if one_wave => vec![ONE_WAVE.to_owned()],
                None => Vec::new(),
            },
            help: Some(match self.release {
                Some(_) => WAIT.to_owned(),
                None if self.is_update(kinds) => UPDATE.to_owned(),
                None => help(one_group, self.rule).to_owned(),
            }),
            address: address(self.memory, self.dword, self.later.0.mask()),
            also: Vec::new(),
            times: 1,
        }
    }
}

/// A note on lanes whose values are not read again.
const NO_CHOICE: &str =
    "no lane of the wave reads it later, as programs do that choose a lane this way";

/// A note on the order of lanes that are compared on request.
const ONE_WAVE: &str = "lanes of a wave are in step on this chip, and need not be on another: there they are ordered by `__syncthreads()` and \
                        `__syncwarp()`, of which the second leaves no trace in machine code";

/// The reason why a release does not order these writes, and the help for it.
const IN_FLIGHT: &str = "on another compute unit, the writes of a wave may become visible in another order, unless it waits in between";
/// The help for an update of two steps.
const UPDATE: &str = "make the update atomic, for instance with `atomicAdd`, so that no other one comes between its load and its store";
const WAIT: &str = "put a release fence before the release: `__threadfence()`, in machine code `s_waitcnt vmcnt(0)`";

fn help(one_group: bool, rule: Rule) -> &'static str {
    match (rule, one_group) {
        (Rule::SameStore, _) => {
            "let one of the waves store, or each to its own address; this is harmless if the source has an `atomicExch` whose result is not used"
        }
        (_, true) => {
            "add `__syncthreads()` (`barrier()` in OpenCL, `s_barrier` in assembly) between the two"
        }
        (_, false) => {
            "make both atomic, order them by an atomic flag with `__threadfence()` before it, or divide the kernel into two launches"
        }
    }
}

/// Returns the wave and lane of an access, in words.
pub(super) fn name(slot: Slot, waves: &Waves, with_group: bool) -> String {
    let group = waves.group(slot.wave);
    let mut name = format!("wave {}", slot.wave - group.first);
    if with_group {
        let [x, y, z] = group.group.id;
        name += &format!(" of work-group ({x}, {y}, {z})");
    }
    if let Some(lane) = slot.lane.get() {
        name += &format!(", lane {lane}");
    }
    name
}

/// Returns the work-item of an access, or those of the wave.
pub(super) fn items(slot: Slot, waves: &Waves) -> WorkItems {
    let of = waves.group(slot.wave);
    let lane = slot.lane.get().map_or(0, |lane| 1 << lane);
    WorkItems::of(&of.group, slot.wave - of.first, lane)
}

/// Returns the address of bytes of a dword in global memory.
fn address(memory: MemoryKind, dword: u64, mask: u8) -> Option<u64> {
    (memory == MemoryKind::Global).then_some(first_byte(dword, mask))
}

fn first_byte(dword: u64, mask: u8) -> u64 {
    dword * 4 + u64::from(mask.trailing_zeros().min(3))
}

/// Returns the bytes of a dword in a memory, in words.
fn bytes(memory: MemoryKind, dword: u64, mask: u8) -> String {
    let first = first_byte(dword, mask);
    let end = dword * 4 + u64::from(8 - mask.leading_zeros());
    let memory = match memory {
        MemoryKind::Global => "global memory",
        MemoryKind::Lds => "LDS",
        MemoryKind::Gds => "GDS",
        MemoryKind::Scratch => "scratch",
    };
    format!("{memory} bytes {first:#x}..{end:#x}")
}
