//! `init` while a launch runs: the shadows that it needs, the uses of undefined bits by waves, and their findings.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use wavetank_check::init::{Carried, EarlyLoad, Sink, Story, Use, is_computed};
use wavetank_check::{Extra, Finding, Findings, Mark, Place, Tools, code_of};
use wavetank_gcn::Registers;
use wavetank_gcn::tables::{MODE, PC, SCC};
use wavetank_ir::MemKind;
use wavetank_machine::gcn::Launch;
use wavetank_machine::{Group, Prepared, Site, StartWave};
use wavetank_memory::{MemoryKind, ProbeHit, Registry, Undefined, Wave};

use super::first::{First, add};
use crate::module::Module;

/// A start of waves with shadows.
pub(crate) struct Shadowed<'a> {
    start: &'a dyn StartWave,
    /// The registers that are initialized at the start.
    given: &'a Registers,
    /// The shadows of uniform registers.
    uniform: [u32; 128],
    /// The number of vector registers of a wave.
    vgprs: usize,
}

impl<'a> Shadowed<'a> {
    /// Returns a start of waves with shadows: the registers in `given` are initialized, and all others are undefined.
    pub(crate) fn new(start: &'a dyn StartWave, given: &'a Registers, vgprs: usize) -> Self {
        let shadow = |n: usize| if given.has_scalar(n as u8) { 0 } else { !0 };
        Shadowed {
            start,
            given,
            uniform: std::array::from_fn(shadow),
            vgprs,
        }
    }
}

/// The first scalar register of the system: the base of scratch, XNACK, those of trap handlers.
const SYSTEM: u8 = 102;

/// VCC and M0, which are not initialized when a wave starts (LLVM, "User Guide for AMDGPU Backend", initial kernel execution
/// state).
const NOT_GIVEN: [u8; 3] = [106, 107, 124];

impl StartWave for Shadowed<'_> {
    fn start(&self, wave: &mut Wave, site: &Site<'_>, prepared: &mut Prepared) {
        self.start.start(wave, site, prepared);
        wave.start_shadows(
            &self.uniform,
            self.given.state().contains(SCC),
            |n| self.given.has_vector(n as u8),
            self.vgprs,
        );
    }
}

/// Returns the registers that are initialized when a wave of a kernel starts.
pub(crate) fn given_by(launch: &Launch) -> Registers {
    let mut given = given_by_system();
    given.add_scalars(0, launch.given_sgprs() as u8);
    given.add_vectors(0, launch.ids() as u8);
    given
}

/// Returns the registers that are initialized when any wave starts.
pub(crate) fn given_by_system() -> Registers {
    let mut given = Registers::default();
    let scalars = (SYSTEM..128).filter(|n| !NOT_GIVEN.contains(n));
    scalars.for_each(|n| given.add_scalars(n, 1));
    given.add_state(MODE.and(PC));
    given
}

/// A store of undefined bits to global memory.
#[derive(Clone, PartialEq, Debug)]
pub struct UndefinedStore {
    /// The bytes from the first place to the last.
    pub within: Range<u64>,
    /// The finding, if the host reads the bytes; `None` if they are a copy of uninitialized memory.
    pub finding: Option<Finding>,
}

/// The uses, loads and stores of undefined bits in a launch.
#[derive(Default)]
struct All {
    hits: BTreeMap<(u64, u8), First<u64>>,
    loads: BTreeMap<u64, First<Undefined>>,
    stores: BTreeMap<u64, First<Undefined>>,
}

/// The records of a dispatch about undefined bits, made by its threads.
#[derive(Default)]
pub(crate) struct Follower(Mutex<All>);

impl Follower {
    /// Adds the records of a wave's time slice.
    pub(crate) fn add(
        &self,
        group: Group,
        wave: u32,
        (hits, undefined): (Vec<ProbeHit>, Vec<Undefined>),
    ) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ProbeHit {
            pc,
            about,
            lanes,
            times,
            ..
        } in hits
        {
            add(
                all.hits.entry((pc, about)),
                First {
                    group,
                    wave,
                    times,
                    what: lanes,
                },
                |_, _| (),
            );
        }
        for what in undefined {
            let all = &mut *all;
            let places = match what.kind {
                MemKind::Load => &mut all.loads,
                MemKind::Store | MemKind::Atomic(_) => &mut all.stores,
            };
            let new = First {
                group,
                wave,
                times: 1,
                what,
            };
            add(places.entry(new.what.pc), new, |known, new| {
                known.join(&new);
            });
        }
    }

    /// Returns the loads of undefined bytes of global memory that have all been written by the end of the launch.
    pub(crate) fn early_loads(&self, module: &Module) -> Vec<EarlyLoad> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let registry = module.device().inner.memory.registry();
        let is_early = |load: &&Undefined| {
            let bytes = load.within.end - load.within.start;
            load.memory == MemoryKind::Global
                && matches!(registry.first_undefined(load.within.start, bytes), Ok(None))
        };
        let loads = all.loads.values().map(|first| &first.what);
        let early = loads.filter(is_early).map(|load| EarlyLoad {
            pc: load.pc,
            within: load.within.clone(),
        });
        early.collect()
    }

    /// Adds the findings of the launch, and returns the stores that the host may read.
    pub(crate) fn end(
        self,
        given: &Registers,
        (kernel, tools): (&str, Tools),
        module: &Module,
        findings: &mut Findings,
    ) -> Vec<UndefinedStore> {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let registry = module.device().inner.memory.registry();
        let rest = |pc| module.address_at_rest(pc);
        let stored_by = |place: &Undefined| {
            let holds = |store: &&First<Undefined>| {
                store.what.memory == place.memory && store.what.within.contains(&place.address)
            };
            let stores = all.stores.values().filter(holds);
            stores.map(|store| rest(store.what.pc)).collect::<Vec<_>>()
        };
        let carried = |load: &First<Undefined>| {
            let stored_by = stored_by(&load.what);
            Carried {
                pc: rest(load.what.pc),
                memory: place(&load.what, registry, !stored_by.is_empty()),
                stored_by,
            }
        };
        let story = Story {
            kernel: kernel.to_owned(),
            graphs: code_of(module.object(), kernel),
            given: *given,
            loads: all.loads.values().map(carried).collect(),
        };
        let describe = |of: Use| {
            let finding = story.describe(&of);
            finding.moved(|pc| module.place(module.address_of(pc)))
        };
        let uses = all.hits.iter().map(|((pc, about), first)| Use {
            pc: rest(*pc),
            sink: Sink::ALL.get(usize::from(*about)).copied(),
            actor: first.actor(first.what),
            items: first.items(first.what),
            times: first.times,
        });
        for (decider, of) in story.mistakes(uses) {
            let ways = decider
                .into_iter()
                .flat_map(|pc| [pc].into_iter().chain(story.before(pc)));
            let places = ways
                .take(NEAR)
                .map(|pc| module.place(module.address_of(pc)));
            findings.add(in_a_line(describe(of), places));
        }
        if tools.has_extra(Extra::Reads) {
            let loads = all.loads.values().filter(|load| is_read(&load.what));
            for load in loads {
                let pc = rest(load.what.pc);
                if !story.is_first(pc, &stored_by(&load.what)) {
                    continue;
                }
                let of = Use {
                    pc,
                    sink: None,
                    actor: load.actor(load.what.lanes),
                    items: load.items(load.what.lanes),
                    times: load.times,
                };
                let finding = story.describe_read(&of, &place(&load.what, registry, false));
                findings.add(finding.moved(|pc| module.place(module.address_of(pc))));
            }
        }
        let stores = all.stores.values().filter(|store| {
            let Undefined { memory, within, .. } = &store.what;
            let bytes = within.end - within.start;
            *memory == MemoryKind::Global
                && matches!(registry.first_undefined(within.start, bytes), Ok(Some(_)))
        });
        stores
            .map(|store| {
                let pc = rest(store.what.pc);
                let finding = || {
                    describe(Use {
                        pc,
                        sink: None,
                        actor: store.actor(store.what.lanes),
                        items: store.items(store.what.lanes),
                        times: store.times,
                    })
                };
                UndefinedStore {
                    within: store.what.within.clone(),
                    finding: is_meant(&store.what, registry, || is_computed(&story, pc))
                        .then(finding),
                }
            })
            .collect()
    }
}

/// Whether a load of undefined bits is one of the rule `read`. Compilers save registers to scratch that have no value yet.
fn is_read(load: &Undefined) -> bool {
    load.dword && matches!(load.memory, MemoryKind::Global | MemoryKind::Lds)
}

/// The maximum number of instructions that are searched for a line of source.
const NEAR: usize = 16;

/// Moves a finding whose place has no line of source to the first of `decider` that has one: compilers give no line to many
/// instructions that only move masks.
fn in_a_line(mut finding: Finding, mut decider: impl Iterator<Item = Place>) -> Finding {
    let has_line = |place: &Place| {
        let first = place.source.own();
        first.is_some_and(|frame| frame.line.is_some())
    };
    if !has_line(&finding.at.place)
        && let Some(place) = decider.find(has_line)
    {
        let label = "undefined bits are compared here".to_owned();
        let items = finding.at.items;
        let mark = Mark {
            place,
            label,
            items,
        };
        let at = std::mem::replace(&mut finding.at, mark);
        finding.related.push(at);
    }
    finding
}

/// Returns whether stored undefined bits are more than a gap of a structure: most of a computed dword, or more adjacent bytes
/// than a gap has.
fn is_meant(store: &Undefined, registry: &Registry, is_computed: impl Fn() -> bool) -> bool {
    let end = store.within.end.min(store.address + LONGEST_GAP);
    let is_undefined = |at| matches!(registry.first_undefined(at, 1), Ok(Some(_)));
    store.open && is_computed() || store.whole && (store.address..end).all(is_undefined)
}

/// The length in bytes that gaps of structures do not reach.
const LONGEST_GAP: u64 = 64;

/// Describes the memory of an access.
fn place(of: &Undefined, registry: &Registry, stored: bool) -> String {
    let suffix = |why: &str| {
        if stored {
            String::new()
        } else {
            format!(", which {why}")
        }
    };
    let at = of.address;
    match of.memory {
        MemoryKind::Lds => {
            let uninitialized = suffix("no work-item of the work-group has written");
            format!("LDS at offset {at:#x}{uninitialized}")
        }
        MemoryKind::Gds => format!("the global data share at offset {at:#x}"),
        MemoryKind::Scratch => {
            let uninitialized = suffix("the work-item has not written");
            format!("scratch at offset {at:#x}{uninitialized}")
        }
        MemoryKind::Global => {
            let uninitialized = suffix("has not been written");
            match registry.find(at) {
                Some(there) => {
                    let offset = at - there.address;
                    format!("byte {offset} of {}{uninitialized}", there.name)
                }
                None => format!("{at:#x}{uninitialized}"),
            }
        }
    }
}
