//! What the checks of a dispatch have found.

use wavetank_check::{Finding, Findings, Tool};
use wavetank_machine::Fault;
use wavetank_machine::schedule::Failure;

use super::Dispatch;
use crate::checks::{Checking, Denial, denied_access, missing_code};

impl Dispatch<'_> {
    /// All that was found, with what the dispatch has failed of.
    pub(super) fn found(&self, checking: Checking, failure: Option<&Failure>) -> Vec<Finding> {
        let mut findings = Findings::default();
        let (denials, watchers) = checking.end();
        let denials = denials.into_iter();
        denials
            .filter_map(|denial| self.denied(denial))
            .for_each(|finding| findings.add(finding));
        if let Some(failure) = failure.filter(|_| self.checks.memory()) {
            self.failed(failure)
                .into_iter()
                .for_each(|finding| findings.add(finding));
        }
        if let Some(Failure::Timeout { waves, .. }) = failure
            && self.checks.tools.has(Tool::Sync)
        {
            self.hung(waves)
                .into_iter()
                .for_each(|finding| findings.add(finding));
        }
        let place = |pc| self.kernel.module.place(pc);
        watchers.end(self.kernel.name(), &place, &mut findings);
        self.kernel
            .module
            .read(self.kernel.name(), self.checks.tools, &mut findings);
        findings.iter().cloned().collect()
    }

    /// What was denied at an instruction while waves went on.
    fn denied(&self, denial: Denial) -> Option<Finding> {
        let fault = Fault::Memory(Box::new(denial.fault));
        let told = self.explain_fault(denial.group, denial.wave, fault);
        let finding = denied_access(&told, denial.lanes)?;
        let times = denial.times;
        Some(Finding { times, ..finding })
    }

    /// What the dispatch failed of, if it is an access, or code that is not there.
    fn failed(&self, failure: &Failure) -> Option<Finding> {
        let Failure::Fault { group, wave, fault } = failure else {
            return None;
        };
        let told = self.explain_fault(*group, *wave, fault.clone());
        match fault {
            Fault::Memory(fault) => {
                let lanes = fault.lane.map_or(0, |lane| 1 << lane);
                denied_access(&told, lanes)
            }
            _ => {
                let engine = self.kernel.module.engine();
                let is_there = engine.code().has(fault.pc());
                missing_code(&told).filter(|_| !is_there)
            }
        }
    }
}
