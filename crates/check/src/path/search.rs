//! Searches along the feasible paths of a graph.

use std::collections::BTreeSet;

use wavetank_gcn::tables::{SCC, Sopp};

use super::effect::Effect;
use super::facts::Facts;
use super::predicate::Outcome;
use crate::code::{Block, Graph};

/// The most sets of facts that are kept apart at the start of a block, for each state of what is searched.
const MAX_VARIANTS: usize = 8;

/// The most instructions that a search visits.
const MAX_VISITS: usize = 1 << 20;

/// The place where a search begins, and the state there.
pub(crate) struct Start<S> {
    /// The index of the first node that is visited.
    pub node: usize,
    pub facts: Facts,
    pub state: S,
}

/// A search that has visited more instructions than it may.
pub(crate) struct TooLong;

/// The feasible paths of a graph.
pub(crate) struct Paths<'g> {
    graph: &'g Graph,
    /// The effect of each node on facts.
    effects: Vec<Option<Effect>>,
    /// For each block, whether SCC is live at its start.
    reads_scc: Vec<bool>,
    /// The facts at the start of each block on the paths from the entry, each set apart; `None` if these are too many paths.
    at_blocks: Option<Vec<Vec<Facts>>>,
}

/// The states that have reached the start of a block, each with its facts.
type Reached<S> = Vec<(S, Facts)>;

impl<'g> Paths<'g> {
    pub(crate) fn of(graph: &'g Graph) -> Paths<'g> {
        let mut paths = Paths {
            graph,
            effects: effects_of(graph),
            reads_scc: reads_scc(graph),
            at_blocks: None,
        };
        let entry = Start {
            node: graph.blocks[graph.entry].nodes.start,
            facts: Facts::default(),
            state: (),
        };
        let reached = paths.search_blocks(vec![entry], |(), _| true);
        let facts_of = |reached: Reached<()>| reached.into_iter().map(|(_, facts)| facts).collect();
        paths.at_blocks = (reached.ok()).map(|all| all.into_iter().map(facts_of).collect());
        paths
    }

    /// Returns the nodes that may follow a node on the paths from the entry, each with the facts there.
    pub(crate) fn after(&self, node: usize) -> Vec<(usize, Facts)> {
        let index = self.block_of(node);
        let block = &self.graph.blocks[index];
        let mut all = match &self.at_blocks {
            Some(at_blocks) => at_blocks[index].clone(),
            None => vec![Facts::default()],
        };
        for effect in self.effects[block.nodes.start..=node].iter().flatten() {
            all.iter_mut().for_each(|facts| facts.step(effect));
        }
        if node + 1 < block.nodes.end {
            return all.into_iter().map(|facts| (node + 1, facts)).collect();
        }
        let edges = all.iter().flat_map(|facts| {
            let to = |next: &usize| {
                let facts = self.facts_on_edge(facts, block, *next)?;
                Some((self.graph.blocks[*next].nodes.start, facts))
            };
            block.next.iter().filter_map(to)
        });
        edges.collect()
    }

    /// Visits the nodes of all feasible paths from the starts on, each with the state before it, which it changes to the state
    /// after it. A path ends where `visit` returns false.
    ///
    /// # Errors
    /// If there are too many instructions to visit.
    pub(crate) fn search<S: Clone + PartialEq>(
        &self,
        starts: Vec<Start<S>>,
        visit: impl FnMut(&mut S, usize) -> bool,
    ) -> Result<(), TooLong> {
        self.search_blocks(starts, visit).map(drop)
    }

    /// Searches, and returns what has reached each block.
    fn search_blocks<S: Clone + PartialEq>(
        &self,
        starts: Vec<Start<S>>,
        mut visit: impl FnMut(&mut S, usize) -> bool,
    ) -> Result<Vec<Reached<S>>, TooLong> {
        let mut reached = vec![Vec::new(); self.graph.blocks.len()];
        let mut visits = 0;
        let mut open = starts;
        // A start at the head of a block is a path that reaches the block.
        for start in &open {
            let block = self.block_of(start.node);
            if self.graph.blocks[block].nodes.start == start.node {
                reached[block].push((start.state.clone(), start.facts.clone()));
            }
        }
        while let Some(mut path) = open.pop() {
            let block = &self.graph.blocks[self.block_of(path.node)];
            visits += block.nodes.end - path.node;
            if visits > MAX_VISITS {
                return Err(TooLong);
            }
            if !self.pass_block(&mut path, block, &mut visit) {
                continue;
            }
            for &next in &block.next {
                let Some(facts) = self.facts_on_edge(&path.facts, block, next) else {
                    continue;
                };
                if let Some(facts) = add(&mut reached[next], &path.state, facts) {
                    let node = self.graph.blocks[next].nodes.start;
                    let state = path.state.clone();
                    open.push(Start { node, facts, state });
                }
            }
        }
        Ok(reached)
    }

    /// Visits the nodes from a path's own to the end of the block. Returns whether the path goes on.
    fn pass_block<S>(
        &self,
        path: &mut Start<S>,
        block: &Block,
        visit: &mut impl FnMut(&mut S, usize) -> bool,
    ) -> bool {
        (path.node..block.nodes.end).all(|node| {
            let goes_on = visit(&mut path.state, node);
            if let Some(effect) = &self.effects[node] {
                path.facts.step(effect);
            }
            goes_on
        })
    }

    /// Returns the facts on the edge from a block to a next one; `None` if no wave takes it.
    fn facts_on_edge(&self, facts: &Facts, block: &Block, next: usize) -> Option<Facts> {
        let last = &self.graph.nodes[block.nodes.end - 1];
        let start = self.graph.nodes[self.graph.blocks[next].nodes.start].pc;
        let is_taken = last.successors.target == Some(start);
        let branches_if = [Sopp::S_CBRANCH_SCC0, Sopp::S_CBRANCH_SCC1]
            .iter()
            .position(|op| last.inst.op == (*op).into());
        let mut facts = facts.clone();
        // A branch to the next instruction says nothing.
        if block.next.len() == 2 {
            let is_possible = match (branches_if, Outcome::of_branch(&last.inst)) {
                (Some(scc), _) => facts.assume_scc((scc == 1) == is_taken),
                (None, Some(outcome)) if is_taken => facts.assume_outcome(outcome),
                (None, Some(outcome)) => facts.assume_outcome(outcome.opposite()),
                (None, None) => true,
            };
            if !is_possible {
                return None;
            }
        }
        if !self.reads_scc[next] {
            facts.forget_scc();
        }
        Some(facts)
    }

    /// Returns the index of the block of a node.
    fn block_of(&self, node: usize) -> usize {
        let blocks = &self.graph.blocks;
        blocks.partition_point(|block| block.nodes.start <= node) - 1
    }
}

/// Returns the effect of each node on facts.
fn effects_of(graph: &Graph) -> Vec<Option<Effect>> {
    let mut effects: Vec<Option<Effect>> = graph.nodes.iter().map(Effect::of).collect();
    let compared = effects.iter().flatten().flat_map(Effect::compared);
    let compared: BTreeSet<u8> = compared.collect();
    for effect in effects.iter_mut().flatten() {
        effect.keep_difference(|register| compared.contains(&register));
    }
    effects
}

/// Returns for each block whether SCC is live at its start. Facts about a dead SCC would keep paths apart for nothing.
fn reads_scc(graph: &Graph) -> Vec<bool> {
    // Whether the first instruction of a block that has to do with SCC reads it.
    let first_use = |block: &Block| {
        graph.nodes[block.nodes.clone()].iter().find_map(|node| {
            let reads = node.effects.reads.state().contains(SCC);
            let writes = node.effects.writes.state().contains(SCC);
            (reads || writes || node.successors.calls).then_some(reads)
        })
    };
    let uses: Vec<Option<bool>> = graph.blocks.iter().map(first_use).collect();
    let mut live: Vec<bool> = uses.iter().map(|reads| *reads == Some(true)).collect();
    loop {
        let mut changed = false;
        for (n, block) in graph.blocks.iter().enumerate().rev() {
            let is_passed = uses[n].is_none() && block.next.iter().any(|next| live[*next]);
            changed |= is_passed && !live[n];
            live[n] |= is_passed;
        }
        if !changed {
            return live;
        }
    }
}

/// Adds a state with its facts to those that have reached a block. Returns the facts to go on with; `None` if a path with them has
/// been followed.
///
/// If there are too many sets of facts, the new one is joined to the last: paths with fewer facts are more paths, so none is lost.
fn add<S: Clone + PartialEq>(reached: &mut Reached<S>, state: &S, facts: Facts) -> Option<Facts> {
    let same = |(known, _): &&(S, Facts)| known == state;
    if reached
        .iter()
        .filter(same)
        .any(|(_, known)| known.follow_from(&facts))
    {
        return None;
    }
    if reached.iter().filter(same).count() < MAX_VARIANTS {
        reached.push((state.clone(), facts.clone()));
        return Some(facts);
    }
    let (_, last) = reached.iter_mut().rfind(|(known, _)| known == state)?;
    last.keep_common(&facts);
    Some(last.clone())
}
