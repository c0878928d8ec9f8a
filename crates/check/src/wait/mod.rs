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

use std::cell::RefCell;
use std::collections::BTreeSet;

use wavetank_gcn::Field;

use crate::code::{Graph, Node};
use crate::finding::Findings;
use crate::flow::walk;
use calls::Calls;
use waits::Waits;

/// Adds the wrong waits of graphs, some of which may call others.
pub(crate) fn check(graphs: &[Graph], findings: &mut Findings) {
    let mut all: Vec<Waits> = graphs.iter().map(Waits::of).collect();
    let calls_any = |graph: &Graph| {
        graph
            .nodes
            .iter()
            .any(|node| node.successors.callee.is_some())
    };
    if graphs.iter().any(calls_any) {
        follow_calls(&mut all);
    }
    for waits in &all {
        add_all(waits, findings);
    }
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
        let callees = graph.nodes.iter().filter_map(|node| node.successors.callee);
        let callees: Vec<u64> = callees.collect();
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

/// Adds the wrong waits of one graph.
fn add_all(waits: &Waits, findings: &mut Findings) {
    let reported = RefCell::new(BTreeSet::new());
    walk(waits.accesses.graph, waits, |state, node| {
        for (mistake, pending) in waits.mistakes(state, node).mistakes {
            if reported.borrow_mut().insert((node, pending.pc)) {
                findings.add(describe::finding(
                    waits.accesses.graph,
                    node,
                    &mistake,
                    &pending,
                ));
            }
        }
    });
}
