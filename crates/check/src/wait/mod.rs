//! `wait`: registers and LDS that are used before the wait for them (Vega ISA, 4.4).
//!
//! A long-running instruction raises a counter until it is done. Each such access is followed along all paths from its issue,
//! with its age: the number of accesses of its kind issued after it. Where paths join, the smaller age counts, because it
//! requires the stricter wait. A wait for `n` completes the accesses of an age of at least `n`, if their kind is done in order. A
//! reported access counts as done from there on, so that a missing wait is one finding.

mod accesses;
mod barrier;
mod calls;
mod contents;
mod describe;
mod event;
mod feasible;
mod pending;
mod unused;
mod waits;

use std::collections::BTreeSet;

use wavetank_gcn::Field;

use crate::code::{Graph, Inlined, Node};
use crate::finding::{Finding, Findings};
use crate::flow::walk;
use calls::Calls;
use waits::Waits;

/// Returns the wrong waits of graphs, some of which may call others, for each graph.
pub(crate) fn check(graphs: &[&Graph]) -> Vec<Findings> {
    let calls_any = graphs.iter().any(|graph| graph.callees().next().is_some());
    if let Some(findings) = calls_any.then(|| check_inlined(graphs)).flatten() {
        return findings;
    }
    let mut all: Vec<Waits> = graphs.iter().map(|graph| Waits::of(graph)).collect();
    if calls_any {
        follow_calls(&mut all);
    }
    let mut findings = Vec::new();
    for waits in &all {
        let mut own = Findings::default();
        each_finding(waits, |_, finding| own.add(finding));
        findings.push(own);
    }
    findings
}

/// Returns the wrong waits as [`check`] does, by a look at each graph with all functions inlined. A wrong wait in a function is one
/// of the function. `None` if a graph cannot be inlined.
fn check_inlined(graphs: &[&Graph]) -> Option<Vec<Findings>> {
    if !Inlined::is_possible(graphs) {
        return None;
    }
    let mut findings: Vec<Findings> = graphs.iter().map(|_| Findings::default()).collect();
    for root in 0..graphs.len() {
        let Inlined { graph, origins } = Inlined::of(graphs, root)?;
        // Several calls of a function lead to the same finding.
        each_finding(&Waits::of(&graph), |node, mut finding| {
            let origin = origins[node];
            finding.kernel.clone_from(&graphs[origin].name);
            findings[origin].add_once(finding);
        });
    }
    Some(findings)
}

/// Propagates the states at calls and returns, up to the fixed point.
fn follow_calls(all: &mut [Waits]) {
    let mut calls = Calls::default();
    loop {
        let before = calls.clone();
        for waits in &mut *all {
            waits.set_calls(&calls);
            note_calls(waits, &mut calls);
        }
        if calls == before {
            return;
        }
    }
}

/// Adds a graph's states at the functions that it calls, and at its own end, and the accesses that it issues.
fn note_calls(waits: &Waits, calls: &mut Calls) {
    let graph = waits.accesses.graph;
    if graph.kernel.is_none() {
        let callees: Vec<u64> = graph.callees().collect();
        calls.issues(graph.start(), &waits.accesses.issued(), &callees);
    }
    walk(graph, waits, |state, node| {
        let Node {
            inst, successors, ..
        } = &graph.nodes[node];
        if let Some(callee) = successors.callee {
            calls.called(callee, inst.operand(Field::Sdst), state);
        }
        if successors.elsewhere && graph.kernel.is_none() {
            calls.returns(graph.start(), inst.operand(Field::Src0), state);
        }
    });
}

/// Calls `report` for each wrong wait of a graph, with the index of the node that comes too early.
fn each_finding(waits: &Waits, mut report: impl FnMut(usize, Finding)) {
    let graph = waits.accesses.graph;
    let mut reported = BTreeSet::new();
    walk(graph, waits, |state, node| {
        for (mistake, pending) in waits.mistakes(state, node).mistakes {
            if reported.insert((node, pending.pc)) {
                report(node, describe::finding(graph, node, &mistake, &pending));
            }
        }
    });
}
