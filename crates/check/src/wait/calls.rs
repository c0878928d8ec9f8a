//! What is under way where functions are called, and where they return.

use std::collections::BTreeMap;

use super::pending::State;
use crate::code::Graph;

/// By the address of the function. A call of what is not known leaves nothing under way: compilers wait at the start of a
/// function, and before it returns (LLVM's calling convention).
#[derive(Clone, PartialEq, Default)]
pub struct Calls {
    before: BTreeMap<u64, State>,
    behind: BTreeMap<u64, State>,
}

impl Calls {
    /// What may be under way at the start of a kernel or function.
    pub fn before(&self, graph: &Graph) -> State {
        self.look_up(&self.before, graph, Some(graph.start()))
    }

    /// What may be under way behind a call.
    pub fn behind(&self, graph: &Graph, callee: Option<u64>) -> State {
        self.look_up(&self.behind, graph, callee)
    }

    fn look_up(&self, known: &BTreeMap<u64, State>, graph: &Graph, at: Option<u64>) -> State {
        let state = at.and_then(|at| known.get(&at)).cloned();
        state.unwrap_or_else(|| State::new(graph.chip.generation()))
    }

    /// A function is called where this may be under way.
    pub fn called(&mut self, function: u64, state: &State) {
        join(&mut self.before, function, state);
    }

    /// A function returns where this may be under way.
    pub fn returns(&mut self, function: u64, state: &State) {
        join(&mut self.behind, function, state);
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
