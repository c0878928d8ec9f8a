//! Data-flow analysis over a graph, to its fixed point.

use crate::code::Graph;

/// What is followed along paths.
pub trait Analysis {
    /// What may hold at a place.
    type State: Clone;

    /// What holds before the first instruction.
    fn start(&self) -> Self::State;

    /// Adds what may hold on another path that comes to the same place. Says whether that is anything new; it must be so
    /// only finitely often.
    fn join(&self, state: &mut Self::State, other: &Self::State) -> bool;

    /// What holds behind a node.
    fn step(&self, state: &mut Self::State, node: usize);
}

/// What holds before each block; `None` where nothing comes.
pub fn solve<A: Analysis>(graph: &Graph, analysis: &A) -> Vec<Option<A::State>> {
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

/// Shows what holds before each node that can be reached.
pub fn walk<A: Analysis>(graph: &Graph, analysis: &A, mut see: impl FnMut(&A::State, usize)) {
    for (state, block) in solve(graph, analysis).into_iter().zip(&graph.blocks) {
        let Some(mut state) = state else { continue };
        for node in block.nodes.clone() {
            see(&state, node);
            analysis.step(&mut state, node);
        }
    }
}
