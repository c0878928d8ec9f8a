//! Data-flow analysis over a control flow graph, to its fixed point.

use crate::code::Graph;

/// A forward data-flow problem.
pub(crate) trait Analysis {
    /// The facts that may hold at a place.
    type State: Clone;

    /// Returns the state before the first instruction.
    fn start(&self) -> Self::State;

    /// Adds the state of another path that reaches the same place; returns whether it is new. This must be the case only finitely
    /// often.
    fn join(&self, state: &mut Self::State, other: &Self::State) -> bool;

    /// Changes the state from before a node to after it.
    fn step(&self, state: &mut Self::State, node: usize);
}

/// Returns the state before each block; `None` for unreachable ones.
pub(crate) fn solve<A: Analysis>(graph: &Graph, analysis: &A) -> Vec<Option<A::State>> {
    let mut states: Vec<Option<A::State>> = vec![None; graph.blocks.len()];
    let mut open = std::collections::BTreeSet::from([graph.entry]);
    states[graph.entry] = Some(analysis.start());
    while let Some(block) = open.pop_first() {
        let Some(mut state) = states[block].clone() else {
            continue;
        };
        for node in graph.blocks[block].nodes.clone() {
            analysis.step(&mut state, node);
        }
        for &next in &graph.blocks[block].next {
            let changed = match &mut states[next] {
                Some(known) => analysis.join(known, &state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if changed {
                open.insert(next);
            }
        }
    }
    states
}

/// Visits the state before each reachable node.
pub(crate) fn walk<A: Analysis>(
    graph: &Graph,
    analysis: &A,
    mut see: impl FnMut(&A::State, usize),
) {
    for (state, block) in solve(graph, analysis).into_iter().zip(&graph.blocks) {
        let Some(mut state) = state else { continue };
        for node in block.nodes.clone() {
            see(&state, node);
            analysis.step(&mut state, node);
        }
    }
}
