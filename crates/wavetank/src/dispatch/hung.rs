//! A dispatch that does not end, as a finding.

use std::collections::BTreeMap;

use wavetank_check::{Finding, Mark, Tool};
use wavetank_machine::WaveState;
use wavetank_machine::schedule::HungWave;

use super::Dispatch;

/// Places of other waves that are told.
const MOST_PLACES: usize = 4;

impl Dispatch<'_> {
    /// What waves were doing when time was up: where the most of those stood that ran, which all others may wait for, and
    /// where the others did.
    pub(super) fn hung(&self, waves: &[HungWave]) -> Option<Finding> {
        let mut places: BTreeMap<(bool, u64), Vec<&HungWave>> = BTreeMap::new();
        for wave in waves.iter().filter(|wave| wave.state != WaveState::Ended) {
            let waits = wave.state != WaveState::Ready;
            places.entry((waits, wave.pc)).or_default().push(wave);
        }
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_by_key(|((waits, _), waves)| (*waits, std::cmp::Reverse(waves.len())));
        let ((waits, pc), first) = places.first()?;
        let module = &self.kernel.module;
        let mark = |pc: u64, waits: bool, waves: &[&HungWave]| Mark {
            place: module.place(pc),
            label: doing(waits, waves),
        };
        let others = places.iter().skip(1).take(MOST_PLACES);
        let message = match waits {
            true => "the kernel did not end in time: all its waves wait for others",
            false => "the kernel did not end in time: waves went on here",
        };
        Some(Finding {
            tool: Tool::Sync,
            rule: "no-end",
            kernel: self.kernel.name().to_owned(),
            message: message.to_owned(),
            at: mark(*pc, *waits, first),
            related: others
                .map(|((waits, pc), waves)| mark(*pc, *waits, waves))
                .collect(),
            notes: vec![who(first[0])],
            help: None,
            times: 1,
        })
    }
}

/// What waves do at a place, in words.
fn doing(waits: bool, waves: &[&HungWave]) -> String {
    match (waits, waves.len()) {
        (true, 1) => "a wave waits here".to_owned(),
        (true, n) => format!("{n} waves wait here"),
        (false, 1) => "a wave was here".to_owned(),
        (false, n) => format!("{n} waves were here"),
    }
}

fn who(wave: &HungWave) -> String {
    let [x, y, z] = wave.group.id;
    format!("work-group ({x}, {y}, {z}), wave {}", wave.wave)
}
