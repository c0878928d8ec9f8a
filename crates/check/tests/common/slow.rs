//! A machine that is as slow as it may be, and random walks on it: the walks show which waits matter.

use wavetank_check::code::Graph;
use wavetank_gcn::{Inst, Registers};

use super::random::Random;

const WALKS: usize = 30;
const STEPS: usize = 3000;

/// What is in flight on the slow machine: nothing is done before a wait demands it.
#[derive(Default)]
struct Slow {
    in_flight: Vec<InFlight>,
    /// What a barrier has let others overtake: whether it writes LDS.
    overtaken: Vec<bool>,
}

struct InFlight {
    kind: &'static str,
    loads: Registers,
    /// Whether it uses LDS, and writes there.
    lds: Option<bool>,
    /// Whether EXEC has been written since.
    other_lanes: bool,
}

/// The kind of an instruction by its name, with what the letters of a wait call it.
fn kind(name: &str) -> Option<(&'static str, &'static str)> {
    let vector = [
        "buffer_", "tbuffer_", "image_", "global_", "scratch_", "flat_",
    ];
    let scalar = [
        "s_load",
        "s_store",
        "s_buffer_",
        "s_atomic",
        "s_mem",
        "s_dcache",
        "s_scratch",
    ];
    if name.starts_with("buffer_wbinv") {
        None
    } else if scalar.iter().any(|prefix| name.starts_with(prefix)) {
        Some(("scalar", "lgkmcnt"))
    } else if name.starts_with("s_sendmsg") {
        Some(("message", "lgkmcnt"))
    } else if name.starts_with("ds_") {
        Some(("lds", "lgkmcnt"))
    } else {
        let is = vector.iter().any(|prefix| name.starts_with(prefix));
        is.then_some(("vector", "vmcnt"))
    }
}

/// The number that a wait gives a counter.
fn waited(text: &str, counter: &str) -> Option<usize> {
    let (_, rest) = text.split_once(&format!("{counter}("))?;
    rest.split(')').next()?.parse().ok()
}

impl Slow {
    /// Executes an instruction. Says whether it uses something too early.
    fn step(&mut self, inst: &Inst, alone: bool) -> bool {
        let text = inst.to_string();
        let name = text.split(' ').next().unwrap_or_default();
        if name == "s_waitcnt" {
            for (kinds, counter) in [
                (vec!["vector"], "vmcnt"),
                (vec!["lds", "scalar", "message"], "lgkmcnt"),
            ] {
                if let Some(number) = waited(&text, counter) {
                    kinds.iter().for_each(|kind| self.wait(kind, number));
                }
            }
            return false;
        }
        let effects = inst.effects();
        let own = kind(name);
        let early = self.in_flight.iter().any(|in_flight| {
            let in_order = own.is_some_and(|(kind, _)| {
                kind == in_flight.kind && kind != "scalar" && !name.starts_with("flat_")
            });
            let half = in_order && name.contains("d16");
            let reads = effects.reads.meets(&in_flight.loads) && !half;
            let writes = effects.writes.meets(&in_flight.loads) && !in_flight.other_lanes;
            reads || writes && !in_order
        });
        let lds = name.starts_with("ds_");
        let (reads, writes) = (lds && effects.reads_memory, lds && effects.writes_memory);
        let overtaken = self.overtaken.iter().any(|wrote| writes || *wrote && reads);
        let exec = effects.writes.scalars().any(|n| n >= 126);
        for in_flight in &mut self.in_flight {
            if in_flight.other_lanes {
                in_flight.loads = in_flight.loads.without(&effects.writes);
            }
            in_flight.other_lanes |= exec;
        }
        if name == "s_barrier" && !alone {
            self.overtaken
                .extend(self.in_flight.iter().filter_map(|u| u.lds));
        }
        if name.starts_with("s_swappc") {
            *self = Slow::default();
        } else if let Some((kind, _)) = own {
            self.in_flight.push(InFlight {
                kind,
                loads: effects.writes,
                lds: (reads || writes).then_some(writes),
                other_lanes: false,
            });
        }
        early || overtaken
    }

    fn wait(&mut self, kind: &str, number: usize) {
        let of_kind = self.in_flight.iter().filter(|u| u.kind == kind).count();
        let mut done = match (kind, number) {
            (_, 0) => of_kind,
            ("scalar", _) => 0,
            _ => of_kind.saturating_sub(number),
        };
        self.in_flight.retain(|u| {
            let ends = u.kind == kind && done > 0;
            done -= usize::from(ends);
            !ends
        });
    }
}

/// Whether one of several random walks through a graph uses something too early.
pub(crate) fn is_too_early(graph: &Graph, random: &mut Random) -> bool {
    (0..WALKS).any(|_| walk(graph, random))
}

/// Whether a random walk uses something too early.
fn walk(graph: &Graph, random: &mut Random) -> bool {
    let mut slow = Slow::default();
    let at = |pc: u64| graph.nodes.binary_search_by_key(&pc, |n| n.pc).ok();
    let mut node = at(graph.nodes[graph.blocks[graph.entry].nodes.start].pc);
    for _ in 0..STEPS {
        let Some(n) = node else { return false };
        let here = &graph.nodes[n];
        if slow.step(&here.inst, graph.alone) {
            return true;
        }
        let after = here.pc + u64::from(here.inst.len);
        let jumps = here
            .successors
            .target
            .filter(|_| !here.successors.next || random.below(2) == 0);
        node = match jumps {
            Some(target) => at(target),
            None if here.successors.next => at(after),
            None => None,
        };
    }
    false
}
