//! A case under the tools that look for mistakes.

use std::path::Path;

use wavetank::front_end::FaultKind;
use wavetank::{Device, Module};
use wavetank_check::report::Scene;
use wavetank_check::{Finding, Place, Tool, Tools};
use wavetank_object::{Frame, Source};

use crate::fault::{Expected, Stopped};
use crate::launched::CaseCode;
use crate::run::Run;
use crate::{Case, ExecError};

/// What tools have found in a case.
pub struct Checked {
    module: Module,
    /// What they have found.
    pub findings: Vec<Finding>,
    /// Where each instruction stands in the code, and its line and column in the file.
    lines: Vec<(u64, u32, u32)>,
}

impl Case {
    /// Runs the instructions once more, under tools, as those of one work-group; `run` is what came of them without. Waves go on
    /// after accesses that are refused. What the case expects to stop it is no finding. To `init` what the case does not set is
    /// undefined in registers, LDS and scratch, although it is 0.
    ///
    /// Of other instruction sets than GCN nothing is known: `None`.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn check(&self, tools: Tools, run: &Run) -> Result<Option<Checked>, ExecError> {
        let Some(chip) = self.chip() else {
            return Ok(None);
        };
        let device = Device::builder(chip).threads(1).build();
        let device = device.map_err(ExecError::of)?;
        let code = CaseCode::of(self, chip);
        let module = device.load_code(&code.bytes).map_err(ExecError::of)?;
        let stopped = run.stopped();
        let tools = match stopped.map(|stopped| stopped.kind) {
            // It would not end here, either.
            Some(FaultKind::Endless) => tools.and(Tools::STATIC),
            _ => tools,
        };
        let findings = self.found(tools, &module, code.handler)?;
        let is_mistake = |finding: &Finding| !self.means(finding, stopped);
        Ok(Some(Checked {
            findings: findings.into_iter().filter(is_mistake).collect(),
            lines: code.lines,
            module,
        }))
    }

    /// Whether the case means what was found, which stopped it so without tools.
    fn means(&self, finding: &Finding, stopped: Option<&Stopped>) -> bool {
        let is_met = |(expected, _): &(Expected, usize)| expected.failure(stopped).is_none();
        let stopped = stopped.map(|stopped| stopped.kind);
        let expected = stopped.filter(|_| self.fault.as_ref().is_some_and(is_met));
        match (finding.tool, finding.rule) {
            // Where it did not stop so, it named an address of its code, which is another one here.
            (Tool::Memory, "code") => {
                stopped != Some(FaultKind::Instruction) || expected == stopped
            }
            (Tool::Memory, _) => expected == Some(FaultKind::Memory),
            (Tool::Limits, "no-instruction") => {
                expected == Some(FaultKind::Instruction) || !self.handler.is_empty()
            }
            _ => false,
        }
    }
}

impl Checked {
    /// Shows a finding, as [`Module::show`] does. Its places are lines of the file of cases, if there is one.
    pub fn show<R>(
        &self,
        finding: &Finding,
        file: Option<&Path>,
        see: impl FnOnce(&Finding, &Scene<'_>) -> R,
    ) -> R {
        let frame = |place: &Place| {
            let (_, line, column) = self.lines.iter().find(|(at, ..)| *at == place.pc)?;
            Some(Frame {
                function: None,
                file: file?.to_string_lossy().into_owned(),
                line: Some(*line),
                column: Some(*column),
            })
        };
        let locate = |place: Place| {
            let frames = frame(&place).into_iter().collect();
            let source = Source { frames };
            Place { source, ..place }
        };
        let shown_as = file.unwrap_or(Path::new("the instructions"));
        self.module.show_with(finding, shown_as, locate, see)
    }
}
