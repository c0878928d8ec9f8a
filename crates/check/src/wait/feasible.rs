//! The uses of an access in flight that some wave can reach, before a wait for the access.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::accesses::Accesses;
use super::describe::Mistake;
use super::pending::{Pending, State};
use super::unused::Unused;
use crate::code::Graph;
use crate::path::{Facts, Paths, Start};

/// The nodes that use an access too early on a feasible path; `None` if the search was too long, so that all are.
type Uses = Option<BTreeSet<usize>>;

/// What searches have found out about the accesses of a graph.
pub(super) struct Feasible<'g> {
    graph: &'g Graph,
    /// The feasible paths, from the first search on.
    paths: OnceCell<Paths<'g>>,
    /// The uses of each access, by counter and address.
    known: RefCell<BTreeMap<(usize, u64), Uses>>,
    unused: Unused,
}

impl<'g> Feasible<'g> {
    pub(super) fn of(graph: &'g Graph) -> Self {
        Feasible {
            graph,
            paths: OnceCell::new(),
            known: RefCell::default(),
            unused: Unused::default(),
        }
    }

    /// Forgets what was found, since calls have other states.
    pub(super) fn forget(&mut self) {
        self.known.get_mut().clear();
    }

    fn paths(&self) -> &Paths<'g> {
        self.paths.get_or_init(|| Paths::of(self.graph))
    }

    /// Returns the use of a node that comes too early for one access in flight, if a wave comes there so.
    pub(super) fn mistake(
        &self,
        accesses: &Accesses<'_>,
        pending: &Pending,
        node: usize,
    ) -> Option<Mistake> {
        let mistake = accesses.mistake(pending, node)?;
        let matters = || self.unused.is_used(self.graph, self.paths(), pending, node);
        (!mistake.needs_use() || matters()).then_some(mistake)
    }

    /// Whether a node that uses an access in flight too early can be reached before a wait for it.
    pub(super) fn is_feasible(
        &self,
        accesses: &Accesses<'_>,
        pending: &Pending,
        node: usize,
    ) -> bool {
        let key = (pending.counter, pending.pc);
        if !self.known.borrow().contains_key(&key) {
            let uses = self.feasible_uses(accesses, pending);
            self.known.borrow_mut().insert(key, uses);
        }
        let known = self.known.borrow();
        let uses = known.get(&key).and_then(Option::as_ref);
        uses.is_none_or(|uses| uses.contains(&node))
    }

    /// Searches for the uses of an access.
    fn feasible_uses(&self, accesses: &Accesses<'_>, pending: &Pending) -> Uses {
        let starts = self.starts(accesses, pending);
        let mut uses = BTreeSet::new();
        let search = self.paths().search(starts, |state: &mut State, node| {
            let Some(in_flight) = state.get(pending) else {
                return false;
            };
            if self.mistake(accesses, &in_flight, node).is_some() {
                uses.insert(node);
                return false;
            }
            // What is issued again begins at a start of its own.
            if self.graph.nodes[node].pc == pending.pc {
                return false;
            }
            accesses.pass(state, node);
            state.keep_only(pending);
            true
        });
        search.ok().map(|()| uses)
    }

    /// Returns the places after which an access is in flight: after its issue, after calls that issue it, and at the start of a
    /// function that is called so.
    fn starts(&self, accesses: &Accesses<'_>, pending: &Pending) -> Vec<Start<State>> {
        let none = State::new(self.graph.chip.generation());
        let mut starts = Vec::new();
        let mut start = |node, facts, mut state: State| {
            state.keep_only(pending);
            if state.get(pending).is_some() {
                starts.push(Start { node, facts, state });
            }
        };
        let entry = self.graph.blocks[self.graph.entry].nodes.start;
        let calls = &accesses.calls;
        start(entry, Facts::default(), calls.before(self.graph));
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let called = &node.successors;
            let may_issue = called.calls && calls.may_issue(called.callee, pending.pc);
            if node.pc != pending.pc && !may_issue {
                continue;
            }
            let mut after = none.clone();
            accesses.pass(&mut after, index);
            for (next, facts) in self.paths().after(index) {
                start(next, facts, after.clone());
            }
        }
        starts
    }
}
