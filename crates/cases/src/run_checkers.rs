//! The findings of tools in a case.

use std::path::Path;

use wavetank::front_end::FaultKind;
use wavetank::{Device, Module};
use wavetank_check::report::Scene;
use wavetank_check::{Finding, Place, Tool, Tools};
use wavetank_object::{Frame, Source};

use crate::checked_run::EncodedCase;
use crate::expected_fault::{ExpectedFault, Stopped};
use crate::run::Run;
use crate::{Case, ExecError};

/// The findings of tools in a case.
pub struct Checked {
    module: Module,
    /// The findings, without those that the case expects.
    pub findings: Vec<Finding>,
    /// The offset of each instruction in the code, with its line and column in the file.
    lines: Vec<(u64, u32, u32)>,
}

impl Case {
    /// Runs the instructions again, with tools, in one work-group; `run` is the result without tools. Waves continue after
    /// refused accesses. The fault that the case expects is not a finding. To `init`, registers, LDS and scratch that the case
    /// does not set are undefined, although they are 0.
    ///
    /// Returns `None` for instruction sets other than GCN, which the tools do not support.
    ///
    /// # Errors
    /// If there is no memory for the run.
    pub fn check(&self, tools: Tools, run: &Run) -> Result<Option<Checked>, ExecError> {
        let Some(chip) = self.chip() else {
            return Ok(None);
        };
        let device = Device::builder(chip).threads(1).build();
        let device = device.map_err(ExecError::of)?;
        let code = EncodedCase::of(self, chip);
        let module = device.load_code(&code.bytes).map_err(ExecError::of)?;
        let stopped = run.stopped();
        let tools = match stopped.map(|stopped| stopped.kind) {
            // With tools, the case would not end either.
            Some(FaultKind::Endless) => tools.and(Tools::STATIC),
            _ => tools,
        };
        let findings = self.find_mistakes(tools, &module, code.handler)?;
        let is_mistake = |finding: &Finding| !self.is_expected(finding, stopped);
        Ok(Some(Checked {
            findings: findings.into_iter().filter(is_mistake).collect(),
            lines: code.lines,
            module,
        }))
    }

    /// Returns whether the finding is the fault that the case expects, and that stopped it in the run without tools.
    fn is_expected(&self, finding: &Finding, stopped: Option<&Stopped>) -> bool {
        let is_met = |(expected, _): &(ExpectedFault, usize)| expected.failure(stopped).is_none();
        let stopped = stopped.map(|stopped| stopped.kind);
        let expected = stopped.filter(|_| self.fault.as_ref().is_some_and(is_met));
        match (finding.tool, finding.rule) {
            // A case that stopped for another reason without tools has jumped to an absolute address of its code, which is at
            // another address here.
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
