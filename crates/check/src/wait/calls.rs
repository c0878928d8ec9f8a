//! Accesses in flight at calls and returns of functions that are not inlined.

use std::collections::{BTreeMap, BTreeSet};

use wavetank_gcn::Operand;

use super::pending::State;
use crate::code::Graph;

/// The states at calls and returns, by the address of the function. A call of an unknown function leaves nothing in flight:
/// compilers wait at the start of a function, and before it returns (LLVM's calling convention).
#[derive(Clone, PartialEq, Default)]
pub(super) struct Calls {
    before: BTreeMap<u64, State>,
    after: BTreeMap<u64, State>,
    /// The registers in which calls pass the return address.
    links: BTreeMap<u64, Vec<Operand>>,
    /// The addresses of the accesses that functions issue, with those of the functions that they call.
    issued: BTreeMap<u64, BTreeSet<u64>>,
}

impl Calls {
    /// Returns the accesses that may be in flight at the start of a kernel or function.
    pub(super) fn before(&self, graph: &Graph) -> State {
        self.look_up(&self.before, graph, Some(graph.start()))
    }

    /// Returns the accesses that may be in flight after a call.
    pub(super) fn after(&self, graph: &Graph, callee: Option<u64>) -> State {
        self.look_up(&self.after, graph, callee)
    }

    /// Whether a call may issue the access at an address.
    pub(super) fn may_issue(&self, callee: Option<u64>, pc: u64) -> bool {
        let issued = callee.and_then(|callee| self.issued.get(&callee));
        issued.is_some_and(|issued| issued.contains(&pc))
    }

    fn look_up(&self, known: &BTreeMap<u64, State>, graph: &Graph, at: Option<u64>) -> State {
        let state = at.and_then(|at| known.get(&at)).cloned();
        state.unwrap_or_else(|| State::new(graph.chip.generation()))
    }

    /// Adds a call of a function, with a state, and with the register of the return address.
    pub(super) fn called(&mut self, function: u64, link: Operand, state: &State) {
        join(&mut self.before, function, state);
        let links = self.links.entry(function).or_default();
        if !links.contains(&link) {
            links.push(link);
        }
    }

    /// Adds accesses that a function issues itself, and functions that it calls.
    pub(super) fn issues(&mut self, function: u64, own: &[u64], callees: &[u64]) {
        let of = |callee: &u64| self.issued.get(callee).cloned().unwrap_or_default();
        let called: Vec<u64> = callees.iter().flat_map(of).collect();
        let issued = self.issued.entry(function).or_default();
        issued.extend(own.iter().chain(&called));
    }

    /// Adds a jump of a function to an address in a register, with a state. If calls do not pass the return address in that
    /// register, the jump is a tail call of an unknown function, which waits itself.
    pub(super) fn returns(&mut self, function: u64, to: Operand, state: &State) {
        let links = self.links.get(&function);
        if links.is_some_and(|links| links.contains(&to)) {
            join(&mut self.after, function, state);
        }
    }
}

fn join(known: &mut BTreeMap<u64, State>, at: u64, state: &State) {
    match known.get_mut(&at) {
        Some(known) => {
            known.join(state);
        }
        None => {
            known.insert(at, state.clone());
        }
    }
}
