//! The grid of a dispatch: its work-groups, their sizes and their order.
//!
//! Sizes count work-items, as in HSA: the last work-group of a dimension may be partial.

use wavetank_ir::LANES;

use wavetank_memory::{StartRegisters, Wave};

pub use wavetank_gcn::numbers::MAX_GROUP_SIZE;

/// A grid of work-items, divided into work-groups.
///
/// ```
/// use wavetank_machine::Grid;
/// let grid = Grid::new([100, 3, 1], [64, 2, 1])?;
/// assert_eq!(grid.groups(), [2, 2, 1]);
/// let last = grid.group(3);
/// assert_eq!((last.id, last.size), ([1, 1, 0], [36, 1, 1]));
/// assert_eq!(last.waves(), 1);
/// # Ok::<(), wavetank_machine::GridError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    items: [u32; 3],
    group: [u32; 3],
    /// Work-groups in each dimension, and their number: stored, since each start of a work-group uses them.
    groups: [u32; 3],
    count: u64,
}

/// The reason why a grid cannot be dispatched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GridError {
    /// A dimension of the grid is zero.
    #[error("the grid {}x{}x{} has no work-items; every dimension must be at least 1", .0[0], .0[1], .0[2])]
    EmptyGrid([u32; 3]),
    /// A dimension of the work-group is zero.
    #[error("the work-group {}x{}x{} has no work-items; every dimension must be at least 1", .0[0], .0[1], .0[2])]
    EmptyGroup([u32; 3]),
    /// A work-group with more work-items than a chip allows.
    #[error(
        "a work-group of {}x{}x{} has {} work-items; the most is {MAX_GROUP_SIZE}",
        .0[0], .0[1], .0[2], .0.iter().map(|&n| u128::from(n)).product::<u128>()
    )]
    GroupTooLarge([u32; 3]),
    /// More work-groups than can be counted.
    #[error(
        "the grid {}x{}x{} has more than 2^63 work-groups; make it smaller or the work-groups larger",
        .0[0], .0[1], .0[2]
    )]
    TooManyGroups([u32; 3]),
}

impl Grid {
    /// A grid of `items` work-items, divided into work-groups of `group` work-items.
    ///
    /// # Errors
    /// Any of [`GridError`].
    pub fn new(items: [u32; 3], group: [u32; 3]) -> Result<Grid, GridError> {
        if items.contains(&0) {
            return Err(GridError::EmptyGrid(items));
        }
        if group.contains(&0) {
            return Err(GridError::EmptyGroup(group));
        }
        let size: u128 = group.iter().map(|&n| u128::from(n)).product();
        if size > MAX_GROUP_SIZE.into() {
            return Err(GridError::GroupTooLarge(group));
        }
        let groups: [u32; 3] = std::array::from_fn(|d| items[d].div_ceil(group[d]));
        let count: u128 = groups.iter().map(|&n| u128::from(n)).product();
        if count > 1 << 63 {
            return Err(GridError::TooManyGroups(items));
        }
        let count = count as u64;
        Ok(Grid {
            items,
            group,
            groups,
            count,
        })
    }

    /// Work-items in each dimension.
    pub fn items(&self) -> [u32; 3] {
        self.items
    }

    /// Work-items of a full work-group in each dimension.
    pub fn group_size(&self) -> [u32; 3] {
        self.group
    }

    /// Work-groups in each dimension, partial ones included.
    pub fn groups(&self) -> [u32; 3] {
        self.groups
    }

    /// The number of work-groups.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Waves of a full work-group.
    pub fn waves(&self) -> u32 {
        waves(self.group)
    }

    /// The work-group at a position in the order of starting: X varies fastest, then Y, then Z.
    pub fn group(&self, index: u64) -> Group {
        let [x, y, _] = self.groups.map(u64::from);
        // Divisions are slow, and most grids have one row.
        let id = if index < x {
            [index as u32, 0, 0]
        } else {
            [
                (index % x) as u32,
                (index / x % y) as u32,
                (index / x / y) as u32,
            ]
        };
        // At the edge of the grid the group shrinks; the position of its first item is below u32::MAX.
        let side = |d: usize| self.group[d].min(self.items[d] - id[d] * self.group[d]);
        let size = [side(0), side(1), side(2)];
        Group { index, id, size }
    }
}

/// One work-group of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The position in the order of starting.
    pub index: u64,
    /// The id in each dimension.
    pub id: [u32; 3],
    /// Work-items in each dimension: fewer than a full group's at the edge of the grid.
    pub size: [u32; 3],
}

impl Group {
    /// The number of waves.
    #[inline]
    pub fn waves(&self) -> u32 {
        waves(self.size)
    }

    /// The mask of a wave's lanes that have a work-item.
    pub fn exec(&self, wave: u32) -> u64 {
        let items = items(self.size);
        match items.saturating_sub(wave * LANES as u32) {
            0 => 0,
            n @ 1..64 => (1 << n) - 1,
            _ => !0,
        }
    }
}

fn waves(size: [u32; 3]) -> u32 {
    items(size).div_ceil(LANES as u32)
}

fn items([x, y, z]: [u32; 3]) -> u32 {
    x * y * z
}

/// The place of a wave: the data that differ from wave to wave.
pub struct Site<'a> {
    /// The work-group of the wave.
    pub group: &'a Group,
    /// The number of the wave in the work-group.
    pub index: u32,
    /// Guest address of the work-group's scratch.
    pub scratch: u64,
    /// The number of the worker that runs it, as that of the chip's compute unit.
    pub unit: u32,
    /// The slot of its work-group among those resident on the worker.
    pub slot: u32,
}

/// The launch rules of a front end: they put waves into their start state.
pub trait StartWave: Sync {
    /// Sets every register that the program may read, and the PC.
    fn start(&self, wave: &mut Wave, site: &Site<'_>, prepared: &mut Prepared);
}

/// Start states that one thread keeps for the waves that it starts.
#[derive(Default)]
pub struct Prepared {
    /// The ids of work-items in the lanes.
    pub ids: WorkItemIds,
    /// The registers of the waves at one place.
    pub starts: Starts,
}

/// The initial uniform registers of the waves of a group, without those that identify the group: kept between groups of the
/// same size and place.
#[derive(Default)]
pub struct Starts {
    /// The scratch, unit, slot and group size that the registers are valid for.
    of: Option<(u64, u32, u32, [u32; 3])>,
    /// The initial registers of each wave.
    waves: Vec<StartRegisters>,
}

impl Starts {
    /// The initial registers of a wave. `make` computes those of each wave if the place or the size has changed.
    #[inline]
    pub fn wave(
        &mut self,
        site: &Site<'_>,
        make: impl Fn(u32) -> StartRegisters,
    ) -> &StartRegisters {
        let of = (site.scratch, site.unit, site.slot, site.group.size);
        if self.of != Some(of) {
            self.waves.clear();
            self.waves.extend((0..site.group.waves()).map(make));
            self.of = Some(of);
        }
        &self.waves[site.index as usize]
    }
}

/// The ids of the work-items of a group, by wave and lane, kept between groups of one size.
#[derive(Default)]
pub struct WorkItemIds {
    size: [u32; 3],
    waves: Vec<[[u32; LANES]; 3]>,
    /// The dimensions that `packed` has.
    dimensions: usize,
    /// The ids of each lane in one number.
    packed: Vec<[u32; LANES]>,
}

impl WorkItemIds {
    /// The ids in X, Y and Z of the lanes of a wave. Lanes without a work-item have ids past the end of the group.
    #[inline]
    pub fn wave(&mut self, size: [u32; 3], wave: u32) -> &[[u32; LANES]; 3] {
        if self.size != size {
            self.find(size);
        }
        &self.waves[wave as usize]
    }

    /// The ids of the lanes of a wave in the first `dimensions`: X in bits 9:0, Y in 19:10, Z in 29:20.
    #[inline]
    pub fn packed(&mut self, size: [u32; 3], wave: u32, dimensions: usize) -> &[u32; LANES] {
        if self.size != size || self.dimensions != dimensions {
            self.dimensions = dimensions;
            self.find(size);
        }
        &self.packed[wave as usize]
    }

    fn find(&mut self, size: [u32; 3]) {
        self.size = size;
        self.waves = (0..waves(size)).map(|w| ids(size, w)).collect();
        let pack = |ids: &[[u32; LANES]; 3]| {
            std::array::from_fn(|lane| {
                let parts = ids[..self.dimensions].iter().zip([0, 10, 20]);
                parts.fold(0, |all, (id, shift)| all | id[lane] << shift)
            })
        };
        self.packed = self.waves.iter().map(pack).collect();
    }
}

/// The ids in X, Y and Z of the lanes of a wave, counted without a division a lane.
fn ids(size: [u32; 3], wave: u32) -> [[u32; LANES]; 3] {
    let first = wave * LANES as u32;
    if size[1] == 1 && size[2] == 1 && first + LANES as u32 <= size[0] {
        let x = std::array::from_fn(|lane| first + lane as u32);
        return [x, [0; LANES], [0; LANES]];
    }
    let (mut x, row) = (first % size[0], first / size[0]);
    let (mut y, mut z) = (row % size[1], row / size[1]);
    let mut ids = [[0; LANES]; 3];
    let [xs, ys, zs] = &mut ids;
    for ((in_x, in_y), in_z) in xs.iter_mut().zip(ys).zip(zs) {
        (*in_x, *in_y, *in_z) = (x, y, z);
        x += 1;
        if x == size[0] {
            (x, y) = (0, y + 1);
        }
        if y == size[1] {
            (y, z) = (0, z + 1);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every work-item of the grid runs exactly once, counted by active lanes.
        #[test]
        fn lanes_cover_the_grid(
            items in prop::array::uniform3(1u32..40),
            group in prop::array::uniform3(1u32..10),
        ) {
            let grid = Grid::new(items, group).unwrap();
            let mut seen = vec![0u8; items.iter().product::<u32>() as usize];
            let mut ids = WorkItemIds::default();
            for g in (0..grid.count()).map(|n| grid.group(n)) {
                for w in 0..g.waves() {
                    let lanes = ids.wave(g.size, w);
                    prop_assert_ne!(g.exec(w), 0);
                    for l in (0..LANES).filter(|l| g.exec(w) >> l & 1 != 0) {
                        let at: [u32; 3] = std::array::from_fn(|d| g.id[d] * group[d] + lanes[d][l]);
                        seen[((at[2] * items[1] + at[1]) * items[0] + at[0]) as usize] += 1;
                    }
                }
            }
            prop_assert!(seen.iter().all(|&n| n == 1));
        }
    }

    proptest! {
        /// Also those of lanes without a work-item.
        #[test]
        fn ids_are_quotients_and_remainders(
            size in prop_oneof![prop::array::uniform3(1u32..11), (1u32..1025).prop_map(|x| [x, 1, 1])],
        ) {
            let mut ids = WorkItemIds::default();
            for wave in 0..waves(size) {
                let [x, y, z] = ids.wave(size, wave);
                for lane in 0..LANES {
                    let item = wave * LANES as u32 + lane as u32;
                    let want = [item % size[0], item / size[0] % size[1], item / size[0] / size[1]];
                    prop_assert_eq!([x[lane], y[lane], z[lane]], want);
                }
            }
        }
    }

    #[test]
    fn wrong_grids_are_refused() {
        let text = |items, group| Grid::new(items, group).unwrap_err().to_string();
        assert_eq!(
            text([0, 1, 1], [1, 1, 1]),
            "the grid 0x1x1 has no work-items; every dimension must be at least 1"
        );
        assert_eq!(
            text([1, 1, 1], [1025, 1, 1]),
            "a work-group of 1025x1x1 has 1025 work-items; the most is 1024"
        );
        assert!(text([1, 1, 1], [u32::MAX, u32::MAX, 2]).contains("the most is 1024"));
        assert!(text([1, 1, 1], [1, 0, 1]).contains("work-group 1x0x1"));
        assert!(text([u32::MAX; 3], [1, 1, 1]).contains("2^63"));
        // The largest grid in one dimension does not overflow at its edge.
        let grid = Grid::new([u32::MAX, 1, 1], [1024, 1, 1]).unwrap();
        assert_eq!(grid.group(grid.count() - 1).size, [1023, 1, 1]);
    }
}
