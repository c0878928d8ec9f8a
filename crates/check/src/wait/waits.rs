//! The data-flow analysis of accesses in flight, and the search for uses that come too early.

use super::accesses::Accesses;
use super::calls::Calls;
use super::describe::Mistake;
use super::feasible::Feasible;
use super::pending::{Pending, State};
use crate::code::Graph;
use crate::flow::Analysis;

/// The analysis of a graph.
pub(super) struct Waits<'g> {
    /// The graph with its accesses.
    pub accesses: Accesses<'g>,
    feasible: Feasible<'g>,
}

/// The uses of a node that come too early.
#[derive(Default)]
pub(super) struct EarlyUses {
    /// Those that are mistakes, each with the access in flight.
    pub mistakes: Vec<(Mistake, Pending)>,
    /// The accesses that are in flight there on no feasible path.
    infeasible: Vec<Pending>,
}

impl<'g> Waits<'g> {
    /// Prepares the analysis of a graph.
    pub(super) fn of(graph: &'g Graph) -> Self {
        Waits {
            accesses: Accesses::of(graph),
            feasible: Feasible::of(graph),
        }
    }

    /// Changes the states at the functions that are called.
    pub(super) fn set_calls(&mut self, calls: &Calls) {
        if self.accesses.calls != *calls {
            self.accesses.calls = calls.clone();
            self.feasible.forget();
        }
    }

    /// Returns the uses of a node that come too early, each with an access in flight: for each counter the youngest one, whose
    /// wait covers all.
    pub(super) fn mistakes(&self, state: &State, node: usize) -> EarlyUses {
        let mut uses = EarlyUses::default();
        if !self.accesses.may_be_mistake(state, node) {
            return uses;
        }
        for pending in state.all() {
            let Some(mistake) = self.feasible.mistake(&self.accesses, pending, node) else {
                continue;
            };
            if !self.feasible.is_feasible(&self.accesses, pending, node) {
                uses.infeasible.push(*pending);
                continue;
            }
            let mut found = uses.mistakes.iter_mut();
            match found.find(|(_, p)| p.counter == pending.counter) {
                Some(known) if known.1.age <= pending.age => {}
                Some(known) => *known = (mistake, *pending),
                None => uses.mistakes.push((mistake, *pending)),
            }
        }
        for (mistake, pending) in &mut uses.mistakes {
            mistake.wait = state.wait_for(pending);
        }
        uses
    }
}

impl Analysis for Waits<'_> {
    type State = State;

    fn start(&self) -> State {
        self.accesses.calls.before(self.accesses.graph)
    }

    fn join(&self, state: &mut State, other: &State) -> bool {
        state.join(other)
    }

    fn step(&self, state: &mut State, node: usize) {
        let uses = self.mistakes(state, node);
        // No wave has these in flight here.
        uses.infeasible.iter().for_each(|p| state.remove(p));
        // Reported accesses count as done.
        for (mistake, pending) in uses.mistakes {
            state.wait(pending.counter, mistake.wait);
        }
        self.accesses.pass(state, node);
    }
}
