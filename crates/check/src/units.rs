//! Units of static checks: kernels and functions that calls connect, checked together, and the units side by side on all processors.
//!
//! The graph of a kernel takes some fifty times the size of its code, so a unit is dropped before its thread takes the next.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use wavetank_object::CodeObject;

use crate::code::{Graph, Root};
use crate::finding::{Finding, Findings};
use crate::parallel::map_in_parallel;
use crate::tool::{Tool, Tools};
use crate::{hazard, limits, prologue, wait};

/// The rank of a finding: the check that made it, the number of calls between its graph and the root that led there, and the index
/// of that root.
type Rank = (usize, usize, usize);

/// The code of a kernel or function in a unit.
pub(crate) struct Member {
    pub graph: Graph,
    /// The number of calls from a root to it.
    depth: usize,
    /// The index of that root.
    root: usize,
}

/// Adds the findings in kernels and functions of a code object.
pub(crate) fn check_all(
    object: &CodeObject,
    roots: &[Root<'_>],
    tools: Tools,
    findings: &mut Findings,
) {
    let entries: HashSet<u64> = roots.iter().map(|root| root.entry).collect();
    let first = map_in_parallel(roots.len(), |n| {
        First::of(object, (n, &roots[n]), &entries, tools)
    });
    let units = units(roots, &first);
    let later = map_in_parallel(units.len(), |n| {
        check(&members(object, roots, &units[n]), tools)
    });
    let first = first.into_iter().flat_map(|first| first.found);
    add_ranked(first.chain(later.into_iter().flatten()).collect(), findings);
}

/// Adds the findings in a kernel or function, and in the functions that it is known to call.
pub(crate) fn check_one(
    object: &CodeObject,
    root: &Root<'_>,
    tools: Tools,
    findings: &mut Findings,
) {
    add_ranked(check(&members_of(object, root), tools), findings);
}

/// Returns the code of a kernel or function, and of the functions that it is known to call.
pub(crate) fn members_of(object: &CodeObject, root: &Root<'_>) -> Vec<Member> {
    members(object, std::slice::from_ref(root), &[0])
}

/// Adds findings in the order of their ranks.
fn add_ranked(mut found: Vec<(Rank, Finding)>, findings: &mut Findings) {
    found.sort_by_key(|(rank, _)| *rank);
    found
        .into_iter()
        .for_each(|(_, finding)| findings.add(finding));
}

/// The first look at a root.
struct First {
    /// The findings, if it is a unit alone: a kernel without calls.
    found: Vec<(Rank, Finding)>,
    /// Otherwise, the addresses of the functions that it calls, and of those that these call, up to other roots.
    callees: Option<BTreeSet<u64>>,
}

impl First {
    fn of(
        object: &CodeObject,
        (index, root): (usize, &Root<'_>),
        roots: &HashSet<u64>,
        tools: Tools,
    ) -> First {
        let mut first = First {
            found: Vec::new(),
            callees: None,
        };
        let Some(graph) = Graph::of(object, root) else {
            return first;
        };
        if graph.kernel.is_some() && graph.callees().next().is_none() {
            let (depth, root) = (0, index);
            first.found = check(&[Member { graph, depth, root }], tools);
        } else {
            first.callees = Some(callees(object, &graph, roots));
        }
        first
    }
}

/// Returns the functions that a graph calls, and those that these call, up to roots.
fn callees(object: &CodeObject, graph: &Graph, roots: &HashSet<u64>) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    let mut open: Vec<u64> = graph.callees().collect();
    while let Some(entry) = open.pop() {
        if all.insert(entry) && !roots.contains(&entry) {
            let graph = Graph::of(object, &callee_at(object, entry, &graph.name));
            open.extend(graph.iter().flat_map(Graph::callees));
        }
    }
    all
}

/// Returns the units of roots that are not units alone, in the order of their first roots, each as the indices of its roots.
fn units(roots: &[Root<'_>], first: &[First]) -> Vec<Vec<usize>> {
    // For each root, the unit that it is in; and for each address, the root that has led there first.
    let mut unit_of: Vec<usize> = (0..roots.len()).collect();
    let mut known: BTreeMap<u64, usize> = BTreeMap::new();
    let calls = first.iter().enumerate();
    for (n, callees) in calls.filter_map(|(n, first)| Some((n, first.callees.as_ref()?))) {
        for entry in callees.iter().chain([&roots[n].entry]) {
            let other = *known.entry(*entry).or_insert(n);
            let (a, b) = (find(&mut unit_of, n), find(&mut unit_of, other));
            unit_of[a.max(b)] = a.min(b);
        }
    }
    let mut units: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for n in (0..roots.len()).filter(|n| first[*n].callees.is_some()) {
        units.entry(find(&mut unit_of, n)).or_default().push(n);
    }
    units.into_values().collect()
}

/// Returns the representative of a set, by a union-find with halved paths.
fn find(parents: &mut [usize], mut n: usize) -> usize {
    while parents[n] != n {
        parents[n] = parents[parents[n]];
        n = parents[n];
    }
    n
}

/// Returns the function at an address. A callee without a symbol has the name of its caller.
fn callee_at<'o>(object: &'o CodeObject, entry: u64, caller: &'o str) -> Root<'o> {
    let unnamed = Root {
        name: caller,
        entry,
        kernel: None,
    };
    Root::at(object, entry).unwrap_or(unnamed)
}

/// Returns the code of roots, and of the functions that they are known to call.
fn members(object: &CodeObject, roots: &[Root<'_>], unit: &[usize]) -> Vec<Member> {
    let of_root = |&root: &usize| {
        let (graph, depth) = (Graph::of(object, &roots[root])?, 0);
        Some(Member { graph, depth, root })
    };
    let mut members: Vec<Member> = unit.iter().filter_map(of_root).collect();
    let mut known: BTreeSet<u64> = members.iter().map(|member| member.graph.start()).collect();
    let mut next = 0;
    while let Some(Member { graph, depth, root }) = members.get(next) {
        let new = graph.callees().filter(|at| known.insert(*at));
        let graphs = new.filter_map(|at| Graph::of(object, &callee_at(object, at, &graph.name)));
        let (depth, root) = (depth + 1, *root);
        let new: Vec<Member> = graphs.map(|graph| Member { graph, depth, root }).collect();
        members.extend(new);
        next += 1;
    }
    members
}

/// Runs the static tools among `tools` over a unit.
fn check(members: &[Member], tools: Tools) -> Vec<(Rank, Finding)> {
    let mut found = Vec::new();
    let mut add = |check: usize, member: &Member, findings: Findings| {
        let rank = (check, member.depth, member.root);
        found.extend(findings.into_iter().map(|finding| (rank, finding)));
    };
    if tools.has(Tool::Wait) {
        let graphs: Vec<&Graph> = members.iter().map(|member| &member.graph).collect();
        let findings = wait::check(&graphs);
        let each = members.iter().zip(findings);
        each.for_each(|(member, findings)| add(0, member, findings));
    }
    type Check = fn(&Graph, &mut Findings);
    let others: [(Tool, Check); 3] = [
        (Tool::Hazard, hazard::check),
        (Tool::Limits, limits::check),
        (Tool::Limits, prologue::check),
    ];
    for (n, (tool, check)) in others.into_iter().enumerate() {
        for member in members.iter().filter(|_| tools.has(tool)) {
            let mut findings = Findings::default();
            check(&member.graph, &mut findings);
            add(1 + n, member, findings);
        }
    }
    found
}
