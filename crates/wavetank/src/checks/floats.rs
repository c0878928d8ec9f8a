//! `float` while a launch runs: the float events that programs record, and their findings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use wavetank_check::code::{Graph, Root};
use wavetank_check::float::{Event, Seen, describe, inside_divisions};
use wavetank_check::{Findings, code_of};
use wavetank_machine::Group;
use wavetank_memory::ProbeHit;
use wavetank_object::CodeObject;

use super::first::{First, add};
use crate::module::Module;

/// The float events of a dispatch by instruction, recorded by its threads.
#[derive(Default)]
pub(crate) struct Floats(Mutex<BTreeMap<(u64, u8), First<ProbeHit>>>);

impl Floats {
    /// Moves the float events of a wave's time slice out of its probe hits.
    pub(crate) fn add(&self, group: Group, wave: u32, hits: &mut Vec<ProbeHit>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for what in hits.extract_if(.., |hit| Event::of_probe(hit.about).is_some()) {
            let entry = all.entry((what.pc, what.about));
            let new = First {
                group,
                wave,
                times: what.times,
                what,
            };
            add(entry, new, |_, _| ());
        }
    }

    /// Adds the findings of the launch.
    pub(crate) fn end(self, kernel: &str, module: &Module, findings: &mut Findings) {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut code = Code::of(module.object(), kernel);
        for ((pc, about), first) in &all {
            let Some((event, elem)) = Event::of_probe(*about) else {
                continue;
            };
            let pc = module.address_at_rest(*pc);
            if code.is_inside_division(pc) {
                continue;
            }
            let seen = Seen {
                pc,
                event,
                elem,
                operands: first.what.shown.clone(),
                actor: first.actor(first.what.lanes),
                items: first.items(first.what.lanes),
                times: first.times,
            };
            let finding = describe(&seen, kernel, &code.graphs);
            findings.add(finding.moved(|pc| module.place(module.address_of(pc))));
        }
    }
}

/// The code of a launch, read as needed.
struct Code<'o> {
    object: &'o CodeObject,
    graphs: Vec<Graph>,
    /// The instructions that are steps of divisions.
    divisions: BTreeSet<u64>,
}

impl<'o> Code<'o> {
    fn of(object: &'o CodeObject, kernel: &str) -> Code<'o> {
        let graphs = code_of(object, kernel);
        Code {
            object,
            divisions: graphs.iter().flat_map(inside_divisions).collect(),
            graphs,
        }
    }

    /// Returns whether the instruction at an address is a step of a division.
    fn is_inside_division(&mut self, pc: u64) -> bool {
        let known = |graph: &Graph| graph.node_at(pc).is_some();
        if !self.graphs.iter().any(known)
            && let Some(function) = self.function(pc)
        {
            // The function is called by an address from memory, so the kernel's graph lacks it.
            self.divisions.extend(inside_divisions(&function));
            self.graphs.push(function);
        }
        self.divisions.contains(&pc)
    }

    fn function(&self, pc: u64) -> Option<Graph> {
        let (_, offset) = self.object.symbol_at(pc)?;
        let root = Root::at(self.object, pc - offset)?;
        Graph::of(self.object, &root)
    }
}
