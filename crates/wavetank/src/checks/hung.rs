//! A dispatch that does not end, as a finding.

use std::collections::BTreeMap;

use wavetank_check::code::Successors;
use wavetank_check::{Finding, Mark, Tool, WorkItems};
use wavetank_machine::WaveState;
use wavetank_machine::schedule::HungWave;

use wavetank_translate::Code;

use super::Launched;
use super::lanes::wave_in_words;
use crate::code::ModuleCode;

/// The maximum number of listed places of other waves.
const MAX_PLACES: usize = 4;
/// The maximum number of instructions up to the back edge of a loop.
const LONGEST_LOOP: usize = 256;

impl Launched<'_> {
    /// Returns the finding of a dispatch that did not end in time. Its place is that of the most waves that could run, for which
    /// all others may wait; the places of the others are related. A dispatch whose work-groups were still ending is only slow.
    pub(super) fn hung(&self, waves: &[HungWave], done: u64) -> Option<Finding> {
        if self.goes_on {
            return None;
        }
        let mut places: BTreeMap<(bool, u64), Vec<&HungWave>> = BTreeMap::new();
        for wave in waves.iter().filter(|wave| wave.state != WaveState::Ended) {
            let waits = wave.state != WaveState::Ready;
            places.entry((waits, wave.pc)).or_default().push(wave);
        }
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_by_key(|((waits, _), waves)| (*waits, std::cmp::Reverse(waves.len())));
        let ((waits, pc), first) = places.first()?;
        let module = self.module;
        let engine = module.engine();
        let mark = |pc: u64, waits: bool, waves: &[&HungWave]| {
            let looks = (!waits).then(|| looked_at(engine.code(), pc)).flatten();
            Mark {
                place: module.place(looks.unwrap_or(pc)),
                label: doing(waits, waves, looks.is_some()),
                items: waves
                    .first()
                    .map(|wave| WorkItems::of(&wave.group, wave.wave, 0)),
            }
        };
        let others = places.iter().skip(1).take(MAX_PLACES);
        let room = self.room;
        let outside = room.outside(waves, done);
        let meets = |wave: &&HungWave| matches!(wave.state, WaveState::GlobalSync(_));
        let all_meet = places.iter().all(|(_, waves)| waves.iter().all(meets));
        let (rule, message) = match (waits, outside) {
            (true, Some(_)) if all_meet => (
                "cooperative-grid",
                "waves wait for work-groups that cannot begin before these have ended",
            ),
            (true, _) => (
                "no-end",
                "the kernel did not end in time: all its waves wait for others",
            ),
            (false, _) => (
                "no-end",
                "the kernel did not end in time: waves are still running here",
            ),
        };
        let outside = outside.map(|outside| {
            format!(
                "of {} work-groups {outside} have not begun: the chip holds {} of this kernel at once",
                room.groups, room.resident
            )
        });
        Some(Finding {
            tool: Tool::Sync,
            rule,
            kernel: self.kernel.to_owned(),
            message: message.to_owned(),
            at: mark(*pc, *waits, first),
            related: others
                .map(|((waits, pc), waves)| mark(*pc, *waits, waves))
                .collect(),
            host: Vec::new(),
            notes: [wave_in_words(&first[0].group, first[0].wave, 0)]
                .into_iter()
                .chain(outside)
                .collect(),
            help: None,
            address: None,
            also: Vec::new(),
            times: 1,
        })
    }
}

/// Returns the load by which the loop at an address waits: time slices end at back edges, before or after the branch. For a loop
/// without loads, returns its branch.
fn looked_at(code: &ModuleCode, pc: u64) -> Option<u64> {
    let inst = |at| code.inst(at).ok();
    let (mut branch, mut start) = (pc, None);
    for _ in 0..LONGEST_LOOP {
        let at = inst(branch)?;
        start = Successors::of(&at, branch)
            .target
            .filter(|target| *target <= pc);
        if start.is_some() {
            break;
        }
        branch += u64::from(at.len);
    }
    let mut at = start?;
    while at < branch {
        let here = inst(at)?;
        if here.effects().reads_memory {
            return Some(at);
        }
        at += u64::from(here.len);
    }
    Some(branch)
}

/// Describes the waves at a place.
fn doing(waits: bool, waves: &[&HungWave], in_loop: bool) -> String {
    match (waits, waves.len()) {
        (false, 1) if in_loop => "a wave loops here".to_owned(),
        (false, n) if in_loop => format!("{n} waves loop here"),
        (true, 1) => "a wave waits here".to_owned(),
        (true, n) => format!("{n} waves wait here"),
        (false, 1) => "a wave was here".to_owned(),
        (false, n) => format!("{n} waves were here"),
    }
}
