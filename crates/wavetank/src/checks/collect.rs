//! Collects the findings of all checks at the end of a launch.

use std::time::Instant;

use wavetank_check::init::{fold_echoes, note_race};
use wavetank_check::{Finding, Findings, Stack, Tool, Uncompared, fold_findings};
use wavetank_machine::Fault;
use wavetank_machine::schedule::Failure;
use wavetank_memory::{MemoryFault, MemoryFaultReason};

use super::{CheckTimes, Checking, Denial, Launched, UndefinedStore, denied_access, missing_code};
use crate::error::allocation;

/// An access that misses an allocation by at most so many bytes, or by at most the allocation's own size, is reported with the host
/// stacks of that allocation.
const NEAR: u64 = 1 << 16;

/// The results of the checks of a launch.
pub(crate) struct Collected {
    pub findings: Vec<Finding>,
    /// The stores of undefined bits, for a caller that tracks which of them the host reads; with `host_reads` they are findings
    /// already.
    pub undefined_stores: Vec<UndefinedStore>,
    pub times: CheckTimes,
    /// What `race` has not compared.
    pub uncompared: Option<Uncompared>,
}

impl Launched<'_> {
    /// Ends the checks and collects their findings, with that of the failure that ended the launch.
    pub(crate) fn collect_findings(
        &self,
        checking: Checking,
        failure: Option<&Failure>,
    ) -> Collected {
        let mut findings = Findings::default();
        let failed = failure.filter(|_| self.checks.memory());
        let failed = failed.and_then(|failure| self.failed(failure, &checking));
        let compares_lanes = checking.compares_lanes;
        let (denials, watchers, follower, floats) = checking.end();
        let denials = denials.into_iter();
        denials
            .filter_map(|denial| self.denied(denial))
            .for_each(|finding| findings.add(finding));
        failed.into_iter().for_each(|finding| findings.add(finding));
        if let Some(Failure::Timeout { done, waves }) = failure
            && self.checks.tools.has(Tool::Sync)
        {
            self.hung(waves, *done)
                .into_iter()
                .for_each(|finding| findings.add(finding));
        }
        let (name, module) = (self.kernel, self.module);
        let place = |pc| module.place(pc);
        let (mut times, mut uncompared) = watchers.end(name, &place, &mut findings);
        if let Some(uncompared) = &mut uncompared
            && self.checks.tools.subgroup().is_some()
            && !compares_lanes
        {
            uncompared.without_barriers.insert(name.to_owned());
        }
        let start = Instant::now();
        if module.read(name, self.checks.tools, &mut findings) {
            times.code += start.elapsed();
        }
        let (mut stores, mut early) = (Vec::new(), Vec::new());
        if let Some(floats) = floats {
            floats.end(name, module, &mut findings);
        }
        if let Some(follower) = follower {
            early = follower.early_loads(module);
            stores = follower.end(self.given, (name, self.checks.tools), module, &mut findings);
        }
        if self.checks.host_reads {
            let added = stores.drain(..).filter_map(|store| store.finding);
            added.for_each(|finding| findings.add(finding));
        }
        let mut found: Vec<Finding> = findings.iter().cloned().collect();
        fold_findings(&mut found);
        let stored = stores.iter_mut().filter_map(|store| store.finding.as_mut());
        stored.for_each(|finding| note_race(finding, &found));
        fold_echoes(&mut found, &early);
        let stored = stores.iter_mut().filter_map(|store| store.finding.as_mut());
        let all = found.iter_mut().chain(stored);
        all.for_each(|finding| self.name_allocation(finding));
        Collected {
            findings: found,
            undefined_stores: stores,
            times,
            uncompared,
        }
    }

    /// Returns the finding of accesses that were denied at an instruction, after which waves continued.
    fn denied(&self, denial: Denial) -> Option<Finding> {
        let host = self.host(&denial.fault);
        let descriptor = denial
            .descriptor
            .filter(|_| is_of_buffer(denial.fault.reason));
        let fault = Fault::Memory(Box::new(denial.fault));
        let explained = (self.explain)(denial.group, denial.wave, fault);
        let mut finding = denied_access(&explained, denial.lanes)?;
        if let Some(descriptor) = descriptor {
            descriptor.describe(&mut finding, self.module.device().registry());
        }
        let times = denial.times;
        Some(Finding {
            times,
            host,
            ..finding
        })
    }

    /// Adds to a finding the allocation that its bytes are in, and the call that made it.
    fn name_allocation(&self, finding: &mut Finding) {
        let registry = self.module.device().registry();
        let Some((address, found)) = finding
            .address
            .take()
            .and_then(|address| Some((address, registry.find(address)?)))
        else {
            return;
        };
        let inside = address - found.address;
        let what = allocation(&found.name, found.address, found.bytes);
        let note = format!("the bytes begin at offset {inside} of {what}");
        finding.notes.insert(0, note);
        if let Some(origins) = self.origins {
            finding.host.extend(origins(found.address));
        }
    }

    /// Returns the host stacks of the allocation that an access concerns: the one at its address, a freed one, or one next to it.
    fn host(&self, fault: &MemoryFault) -> Vec<Stack> {
        let (Some(origins), Some((_, start, bytes))) = (self.origins, &fault.nearest) else {
            return Vec::new();
        };
        let before = start.saturating_sub(fault.address);
        let after = fault.address.saturating_sub(start.saturating_add(*bytes));
        if before.max(after) <= NEAR.max(*bytes) {
            origins(*start)
        } else {
            Vec::new()
        }
    }

    /// Returns the finding of the failure that ended the launch, if it is a denied access or a jump to where there is no code.
    fn failed(&self, failure: &Failure, checking: &Checking) -> Option<Finding> {
        let Failure::Fault { group, wave, fault } = failure else {
            return None;
        };
        let explained = (self.explain)(*group, *wave, fault.clone());
        match fault {
            Fault::Memory(fault) => {
                let lanes = fault.lane.map_or(0, |lane| 1 << lane);
                let host = self.host(fault);
                denied_access(&explained, lanes).map(|finding| Finding { host, ..finding })
            }
            _ => {
                let engine = self.module.engine();
                let is_there = engine.code().has(fault.pc());
                let call = checking.call_of(group, *wave);
                let call = call.map(|call| self.module.place(call));
                missing_code(&explained, call).filter(|_| !is_there)
            }
        }
    }
}

/// Returns whether an access was denied because of the state of memory (unmapped, freed, read-only). Other accesses are to
/// scratch, whose descriptor is not the program's.
fn is_of_buffer(reason: MemoryFaultReason) -> bool {
    use MemoryFaultReason::{Freed, ReadOnly, Unmapped};
    matches!(reason, Unmapped | Freed | ReadOnly)
}
