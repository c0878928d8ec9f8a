//! Vector clocks: for each wave, the time up to which it is ordered after every other wave.
//!
//! A [`Time`] is the number of an instruction that accessed memory, in the order of execution of the whole launch. A single
//! number thus orders all accesses, and a clock holds for each wave the last time that happens before.
//!
//! A launch has many thousand waves, and in a scan with look-back wave n acquires the clocks of all waves before it. A clock is
//! therefore a persistent tree: copies share equal parts, and joining two clocks costs as much as they differ.

use std::sync::Arc;

/// A point of time in a launch; 0 is before everything.
pub(super) type Time = u32;

/// The number of waves in a leaf.
pub(super) const CHUNK: u32 = 16;

/// For each wave, the last time that happens before.
#[derive(Clone, Default)]
pub(super) struct VectorClock {
    /// The time of all waves without a later entry.
    floor: Time,
    tree: Option<Tree>,
}

/// A tree over waves in the order of their numbers, in chunks. A branch splits at the highest bit in which chunks differ, so the
/// shape is determined by the contents (Okasaki and Gill, "Fast Mergeable Integer Maps").
#[derive(Clone)]
enum Tree {
    Leaf(Arc<Leaf>),
    Branch(Arc<Branch>),
}

struct Leaf {
    chunk: u32,
    times: [Time; CHUNK as usize],
}

struct Branch {
    /// The bits above `bit`, which all chunks below have in common.
    prefix: u32,
    bit: u32,
    latest: Time,
    halves: [Tree; 2],
}

/// The number of nodes that may be visited before clocks are simplified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fuel(pub u32);

impl Fuel {
    const MAX: u32 = 1 << 20;

    /// The maximum amount of fuel.
    pub(super) const FULL: Fuel = Fuel(Fuel::MAX);

    /// The amount added for each access to a dword.
    pub(super) const EACH: u32 = 8;

    /// Adds fuel for `nodes` visits, up to the maximum.
    pub(super) fn earn(&mut self, nodes: u32) {
        self.0 = self.0.saturating_add(nodes).min(Fuel::MAX);
    }

    fn burn(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel::FULL
    }
}

impl VectorClock {
    /// Returns the last time of a wave that happens before.
    pub(super) fn of(&self, wave: u32) -> Time {
        let Some(mut tree) = self.tree.as_ref() else {
            return self.floor;
        };
        let chunk = wave / CHUNK;
        loop {
            match tree {
                Tree::Branch(branch) => tree = &branch.halves[usize::from(chunk & branch.bit != 0)],
                Tree::Leaf(leaf) if leaf.chunk == chunk => {
                    return leaf.times[(wave % CHUNK) as usize].max(self.floor);
                }
                Tree::Leaf(_) => return self.floor,
            }
        }
    }

    /// Returns the clock with a time of one more wave.
    pub(super) fn with(&self, wave: u32, time: Time, fuel: &mut Fuel) -> VectorClock {
        if self.of(wave) >= time {
            return self.clone();
        }
        let mut times = [0; CHUNK as usize];
        times[(wave % CHUNK) as usize] = time;
        let chunk = wave / CHUNK;
        let tree = Tree::Leaf(Arc::new(Leaf { chunk, times }));
        let tree = Some(tree);
        self.join(&VectorClock { floor: 0, tree }, fuel)
    }

    /// Returns the union of both clocks. When the fuel is used up, the result contains more: everything before the latest time in
    /// either.
    pub(super) fn join(&self, other: &VectorClock, fuel: &mut Fuel) -> VectorClock {
        let floor = self.floor.max(other.floor);
        let tree = match (&self.tree, &other.tree) {
            (Some(a), Some(b)) => match a.join(b, fuel) {
                Some(tree) => Some(tree),
                None => return VectorClock::all_before(floor.max(a.latest()).max(b.latest())),
            },
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        };
        // Entries below the floor are redundant.
        let tree = tree.filter(|tree| tree.latest() > floor);
        VectorClock { floor, tree }
    }

    /// Whether both are the identical object, which a join returns if it adds nothing.
    pub(super) fn same(&self, other: &VectorClock) -> bool {
        let same_tree = match (&self.tree, &other.tree) {
            (Some(a), Some(b)) => a.is(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_tree && self.floor == other.floor
    }

    /// Returns the clock that contains everything of all waves up to a time.
    pub(super) fn all_before(floor: Time) -> VectorClock {
        VectorClock { floor, tree: None }
    }
}

impl Tree {
    fn latest(&self) -> Time {
        match self {
            Tree::Leaf(leaf) => leaf.times.into_iter().max().unwrap_or(0),
            Tree::Branch(branch) => branch.latest,
        }
    }

    /// Returns the bits that all chunks have in common.
    fn prefix(&self) -> u32 {
        match self {
            Tree::Leaf(leaf) => leaf.chunk,
            Tree::Branch(branch) => branch.prefix,
        }
    }

    /// Returns the bit at which the tree splits; 0 for a leaf.
    fn bit(&self) -> u32 {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Branch(branch) => branch.bit,
        }
    }

    fn is(&self, other: &Tree) -> bool {
        match (self, other) {
            (Tree::Leaf(a), Tree::Leaf(b)) => Arc::ptr_eq(a, b),
            (Tree::Branch(a), Tree::Branch(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns the larger time of each wave. If one tree already contains the other, it is returned itself, so that sharing is
    /// kept.
    fn join(&self, other: &Tree, fuel: &mut Fuel) -> Option<Tree> {
        if self.is(other) {
            return Some(self.clone());
        }
        fuel.burn()?;
        match (self, other) {
            (Tree::Leaf(a), Tree::Leaf(b)) if a.chunk == b.chunk => {
                let times = std::array::from_fn(|n| a.times[n].max(b.times[n]));
                if times == a.times {
                    return Some(self.clone());
                }
                if times == b.times {
                    return Some(other.clone());
                }
                let chunk = a.chunk;
                Some(Tree::Leaf(Arc::new(Leaf { chunk, times })))
            }
            (Tree::Branch(a), Tree::Branch(b)) if (a.prefix, a.bit) == (b.prefix, b.bit) => {
                let low = a.halves[0].join(&b.halves[0], fuel)?;
                let high = a.halves[1].join(&b.halves[1], fuel)?;
                let same =
                    |branch: &Branch| low.is(&branch.halves[0]) && high.is(&branch.halves[1]);
                if same(a) {
                    return Some(self.clone());
                }
                if same(b) {
                    return Some(other.clone());
                }
                Some(branch(a.bit, low, high))
            }
            (Tree::Branch(a), _) if a.holds(other) => a.join_half(self, other, fuel),
            (_, Tree::Branch(b)) if b.holds(self) => b.join_half(other, self, fuel),
            _ => Some(apart(self, other)),
        }
    }
}

impl Branch {
    /// Whether the chunks of a tree belong into one of the halves.
    fn holds(&self, other: &Tree) -> bool {
        other.bit() < self.bit && other.prefix() & !(2 * self.bit - 1) == self.prefix
    }

    /// Joins a tree that belongs into one of the halves. `whole` is this branch itself.
    fn join_half(&self, whole: &Tree, other: &Tree, fuel: &mut Fuel) -> Option<Tree> {
        let n = usize::from(other.prefix() & self.bit != 0);
        let half = self.halves[n].join(other, fuel)?;
        if half.is(&self.halves[n]) {
            return Some(whole.clone());
        }
        let mut halves = self.halves.clone();
        halves[n] = half;
        let [low, high] = halves;
        Some(branch(self.bit, low, high))
    }
}

fn branch(bit: u32, low: Tree, high: Tree) -> Tree {
    Tree::Branch(Arc::new(Branch {
        prefix: low.prefix() & !(2 * bit - 1),
        bit,
        latest: low.latest().max(high.latest()),
        halves: [low, high],
    }))
}

/// Returns the join of two trees whose ranges of chunks are disjoint.
fn apart(a: &Tree, b: &Tree) -> Tree {
    let bit = 1 << (a.prefix() ^ b.prefix()).ilog2();
    let (low, high) = match b.prefix() & bit {
        0 => (b, a),
        _ => (a, b),
    };
    branch(bit, low.clone(), high.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn knowledge(entries: &[(u32, Time)]) -> VectorClock {
        let mut fuel = Fuel::FULL;
        let start = VectorClock::default();
        entries.iter().fold(start, |known, &(wave, time)| {
            known.with(wave, time, &mut fuel)
        })
    }

    fn larger(entries: &[(u32, Time)]) -> HashMap<u32, Time> {
        let mut map = HashMap::new();
        for &(wave, time) in entries {
            let known: &mut Time = map.entry(wave).or_default();
            *known = time.max(*known);
        }
        map
    }

    proptest! {
        #[test]
        fn a_join_has_the_larger_of_both(
            a in proptest::collection::vec((0u32..3000, 1u32..50), 0..60),
            b in proptest::collection::vec((0u32..3000, 1u32..50), 0..60),
            floor in 0u32..20,
        ) {
            let floor = VectorClock::all_before(floor);
            let mut fuel = Fuel::FULL;
            let joined = knowledge(&a).join(&knowledge(&b), &mut fuel).join(&floor, &mut fuel);
            let all = larger(&[a, b].concat());
            for wave in 0..3000 {
                let expected = all.get(&wave).copied().unwrap_or(0).max(floor.floor);
                prop_assert_eq!(joined.of(wave), expected);
            }
        }
    }

    #[test]
    fn a_join_shares_what_one_has_already() {
        let mut fuel = Fuel::FULL;
        let entries: Vec<_> = (0..10_000).map(|wave| (wave * 7, 1)).collect();
        let big = knowledge(&entries);
        let bigger = big.with(35_000, 9, &mut fuel);
        let before = fuel;
        let joined = bigger.join(&big, &mut fuel);
        // One path from the root to a leaf, and its neighbours, among 5000 leaves.
        assert!(before.0 - fuel.0 < 30, "{}", before.0 - fuel.0);
        assert_eq!(joined.of(35_000), 9);
    }

    #[test]
    fn without_fuel_more_is_known() {
        let (a, b) = (knowledge(&[(3, 5), (90, 7)]), knowledge(&[(4, 6), (91, 2)]));
        let joined = a.join(&b, &mut Fuel(1));
        assert_eq!((joined.of(3), joined.of(12345)), (7, 7));
    }
}
