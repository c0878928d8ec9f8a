//! `init` while a launch runs: the shadows that it needs, what waves have seen of undefined bits, and what is told of it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use wavetank_check::init::{Carried, Decides, Story, Use};
use wavetank_check::{Finding, Findings, code_of};
use wavetank_ir::MemKind;
use wavetank_isa::Registers;
use wavetank_machine::gcn::Launch;
use wavetank_machine::{Group, Prepared, Site, StartWave};
use wavetank_memory::{Noted, Registry, Touched, Undefined, Wave};

use super::first::{First, add};
use crate::module::Module;

/// Waves that begin with shadows.
pub(crate) struct Shadowed<'l>(pub &'l Launch);

/// Scalar registers from here on are those of the system: the base of scratch, XNACK, those of trap handlers.
const SYSTEM: u8 = 102;

/// VCC and M0, which hold nothing when a wave starts (LLVM, "User Guide for AMDGPU Backend", initial kernel execution state).
const NOT_GIVEN: [u8; 3] = [106, 107, 124];

impl StartWave for Shadowed<'_> {
    fn start(&self, wave: &mut Wave, site: &Site<'_>, prepared: &mut Prepared) {
        self.0.start(wave, site, prepared);
        wave.start_shadows(|n| is_given(self.0, n), self.0.ids());
    }
}

fn is_given(launch: &Launch, n: u8) -> bool {
    usize::from(n) < launch.given_sgprs() || n >= SYSTEM && !NOT_GIVEN.contains(&n)
}

/// The registers that a wave begins with.
fn given(launch: &Launch) -> Registers {
    let mut given = Registers::default();
    let scalars = (0..128).filter(|n| is_given(launch, *n));
    scalars.for_each(|n| given.add_scalars(n, 1));
    given.add_vectors(0, launch.ids() as u8);
    given.add_state(wavetank_isa::tables::MODE.and(wavetank_isa::tables::PC));
    given
}

/// A store of undefined bits to global memory.
#[derive(Clone, PartialEq, Debug)]
pub struct UndefinedStore {
    /// The bytes from the first place to the last.
    pub within: Range<u64>,
    /// What there is to say, if the host reads them.
    pub finding: Finding,
}

/// What waves of a launch have seen.
#[derive(Default)]
struct All {
    noted: BTreeMap<(u64, u8), First<u64>>,
    loads: BTreeMap<u64, First<Undefined>>,
    stores: BTreeMap<u64, First<Undefined>>,
}

/// What the threads of a dispatch have seen.
#[derive(Default)]
pub(crate) struct Follower(Mutex<All>);

impl Follower {
    /// A wave has had a turn.
    pub fn add(&self, group: Group, wave: u32, (noted, undefined): (Vec<Noted>, Vec<Undefined>)) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Noted {
            pc,
            about,
            lanes,
            times,
            ..
        } in noted
        {
            add(
                all.noted.entry((pc, about)),
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
                known.join(&new)
            });
        }
    }

    /// The launch is over: adds findings to what has been found, and gives the stores that the host may read.
    pub fn end(
        self,
        launch: &Launch,
        kernel: &str,
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
            all.stores
                .values()
                .find(holds)
                .map(|store| rest(store.what.pc))
        };
        let carried = |load: &First<Undefined>| {
            let stored_by = stored_by(&load.what);
            Carried {
                pc: rest(load.what.pc),
                memory: place(&load.what, registry, stored_by.is_some()),
                gaps: load.what.gaps,
                stored_by,
            }
        };
        let story = Story {
            kernel: kernel.to_owned(),
            graphs: code_of(module.object(), kernel),
            given: given(launch),
            loads: all.loads.values().map(carried).collect(),
        };
        let told = |of: Use| {
            let finding = story.tell(&of);
            finding.moved(|pc| module.place(module.address_of(pc)))
        };
        for ((pc, about), first) in &all.noted {
            let decides = Decides::ALL.get(usize::from(*about)).copied();
            findings.add(told(Use {
                pc: rest(*pc),
                decides,
                who: first.who(first.what),
                times: first.times,
            }));
        }
        let stores = all.stores.values().filter(|store| {
            let Undefined {
                memory,
                within,
                gaps,
                pc,
                ..
            } = &store.what;
            let bytes = within.end - within.start;
            *memory == Touched::Global
                && !(*gaps && story.copies_gaps(rest(*pc)))
                && matches!(registry.first_undefined(within.start, bytes), Ok(Some(_)))
        });
        stores
            .map(|store| UndefinedStore {
                within: store.what.within.clone(),
                finding: told(Use {
                    pc: rest(store.what.pc),
                    decides: None,
                    who: store.who(store.what.lanes),
                    times: store.times,
                }),
            })
            .collect()
    }
}

/// What was loaded from, in words.
fn place(of: &Undefined, registry: &Registry, stored: bool) -> String {
    let nobody = |who: &str| match stored {
        true => String::new(),
        false => format!(", which {who}"),
    };
    let at = of.address;
    match of.memory {
        Touched::Lds => {
            let nobody = nobody("no work-item of the work-group has written");
            format!("LDS at offset {at:#x}{nobody}")
        }
        Touched::Gds => format!("the global data share at offset {at:#x}"),
        Touched::Scratch => {
            let nobody = nobody("the work-item has not written");
            format!("scratch at offset {at:#x}{nobody}")
        }
        Touched::Global => {
            let nobody = nobody("nobody has written");
            match registry.find(at) {
                Some(there) => {
                    let offset = at - there.address;
                    format!("byte {offset} of {}{nobody}", there.name)
                }
                None => format!("{at:#x}{nobody}"),
            }
        }
    }
}
