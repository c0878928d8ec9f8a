//! The outcome of a stage: exports and messages of its waves.

use wavetank_ir::LANES;
use wavetank_machine::schedule::Message;
use wavetank_machine::{Exported, Sent};

use super::{ExportTarget, Stage};
use crate::report::Report;

/// The result of running a stage.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The stage.
    pub stage: Stage,
    /// The exports by work-group and wave, those of a wave in the order of execution.
    pub exports: Vec<Exported>,
    /// The messages in the same order, such as the emitted vertices and cuts of a geometry shader.
    pub messages: Vec<Message>,
    /// The report of the run.
    pub report: Report,
    pub(super) items: usize,
    pub(super) group_items: usize,
    /// Waves of each work-group.
    pub(super) waves: Vec<u32>,
}

impl Outcome {
    /// The items of the grid that sent component `n` (0 to 3: x or red, y, z, w) to a target: the bits that each sent last,
    /// of 16 bits where the export was compressed, or `None` for one that sent nothing.
    pub fn values(&self, target: ExportTarget, n: usize) -> Vec<Option<u32>> {
        let mut values = vec![None; self.items];
        for exported in self.exports.iter().filter(|e| e.export.target == target.0) {
            let first =
                exported.group.index as usize * self.group_items + exported.wave as usize * LANES;
            let there = values.iter_mut().skip(first).take(LANES);
            let sent = &exported.export;
            for (lane, value) in there
                .enumerate()
                .filter(|(lane, _)| sent.lanes >> lane & 1 == 1)
            {
                *value = sent.component(n, lane).or(*value);
            }
        }
        values
    }

    /// Returns the missing or invalid exports, from the view of the fixed-function hardware after the stage (Vega ISA, 10
    /// "Exporting Pixel and Vertex Data"), a sentence for each. Every wave of pixels must export, the last time with `done`, and
    /// once with `vm`. Every wave of vertices must export a position, the last time with `done`. No other stage exports.
    pub fn complaints(&self) -> Vec<String> {
        let stage = self.stage;
        let strange = |e: &&Exported| !stage.exports_to(ExportTarget(e.export.target));
        let mut all: Vec<String> = self
            .exports
            .iter()
            .filter(strange)
            .map(|e| {
                let target = ExportTarget(e.export.target);
                let place = place(e.group.index, e.wave);
                format!("{place} exports to {target}, which {stage} does not have")
            })
            .collect();
        let groups = self.waves.iter().enumerate();
        let waves =
            groups.flat_map(|(group, count)| (0..*count).map(move |wave| (group as u64, wave)));
        for (group, wave) in waves {
            if let Some(problem) = self.missing(group, wave) {
                all.push(format!("{} {problem}", place(group, wave)));
            }
        }
        all
    }

    /// Returns the exports that a wave lacks.
    fn missing(&self, group: u64, wave: u32) -> Option<&'static str> {
        let own = |e: &&Exported| (e.group.index, e.wave) == (group, wave);
        let counts = |target: u8| match self.stage {
            Stage::Pixel => ExportTarget(target).is_of_pixels(),
            _ => matches!(target, 12..=15),
        };
        let start = self
            .exports
            .partition_point(|e| (e.group.index, e.wave) < (group, wave));
        let own = self.exports[start..].iter().take_while(own);
        let sent: Vec<&Sent> = own
            .map(|e| &e.export)
            .filter(|e| counts(e.target))
            .collect();
        let last_is_done = sent.last().map(|last| last.done);
        match (self.stage, last_is_done) {
            (Stage::Pixel, None) => {
                Some("ends without an export: it has to make one, with `done` and `vm`")
            }
            (Stage::Vertex, None) => {
                Some("ends without a position: it has to export pos0, with `done`")
            }
            (Stage::Pixel | Stage::Vertex, Some(false)) => {
                Some("ends, and its last export lacks `done`")
            }
            (Stage::Pixel, Some(true)) if sent.iter().all(|e| !e.valid_mask) => {
                Some("ends, and none of its exports has `vm`")
            }
            _ => None,
        }
    }
}

fn place(group: u64, wave: u32) -> String {
    format!("work-group {group}, wave {wave}")
}
