//! Work-items as programmers count them: by the work-group, and by the place in it.

use wavetank_ir::LANES;
use wavetank_machine::Group;

/// Work-items of one wave: `blockIdx` and `threadIdx` of HIP, `get_group_id` and `get_local_id` of OpenCL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkItems {
    /// The work-group.
    pub group: [u32; 3],
    /// The first work-item, by its place in the work-group.
    pub first: [u32; 3],
    /// The last work-item, if there are several without a gap.
    pub last: Option<[u32; 3]>,
}

impl WorkItems {
    /// Returns the work-items in some lanes of a wave; those of the whole wave if the mask is empty.
    ///
    /// ```
    /// use wavetank_check::WorkItems;
    /// use wavetank_machine::Grid;
    ///
    /// let group = Grid::new([64, 8, 1], [16, 8, 1])?.group(3);
    /// let items = WorkItems::of(&group, 1, 1 << 20);
    /// assert_eq!(items.words(false), "block (3,0,0) thread (4,5,0)");
    /// assert_eq!(items.words(true), "work-group (3,0,0) local id (4,5,0)");
    /// # Ok::<(), wavetank_machine::GridError>(())
    /// ```
    pub fn of(group: &Group, wave: u32, lanes: u64) -> WorkItems {
        let all = group.exec(wave);
        let lanes = if lanes & all == 0 { all } else { lanes & all };
        let (first, last) = (
            lanes.trailing_zeros() % 64,
            63 - lanes.leading_zeros().min(63),
        );
        let has_no_gap = lanes.count_ones() == last - first + 1;
        let item = |lane| item(group.size, wave * LANES as u32 + lane);
        WorkItems {
            group: group.id,
            first: item(first),
            last: (has_no_gap && last > first).then(|| item(last)),
        }
    }

    /// Returns the work-items in the words of HIP, or in those of OpenCL.
    pub fn words(&self, of_opencl: bool) -> String {
        let words = if of_opencl {
            ("work-group", "local id", "local ids")
        } else {
            ("block", "thread", "threads")
        };
        let (group, item, items) = words;
        let id = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let (at, first) = (id(self.group), id(self.first));
        match self.last {
            None => format!("{group} {at} {item} {first}"),
            Some(last) => format!("{group} {at} {items} {first} to {}", id(last)),
        }
    }
}

/// Returns the place of a work-item in a work-group of this size: X varies fastest. A group at the edge of the grid is numbered by
/// its own size, as its waves are.
fn item([x, y, _]: [u32; 3], number: u32) -> [u32; 3] {
    let (x, y) = (x.max(1), y.max(1));
    [number % x, number / x % y, number / x / y]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_machine::Grid;

    #[test]
    fn work_items_are_counted_as_by_programmers() {
        let grid = Grid::new([20, 9, 4], [8, 6, 2]).expect("a grid");
        // The last group in both dimensions has 4 x 3 x 2 work-items.
        let group = grid.group(grid.count() - 1);
        assert_eq!((group.id, group.size), ([2, 1, 1], [4, 3, 2]));
        let of = |lanes| {
            let items = WorkItems::of(&group, 0, lanes);
            (items.first, items.last)
        };
        assert_eq!(of(1), ([0, 0, 0], None));
        assert_eq!(of(1 << 23), ([3, 2, 1], None));
        assert_eq!(of(1 << 12), ([0, 0, 1], None));
        assert_eq!(of(0b1110), ([1, 0, 0], Some([3, 0, 0])));
        assert_eq!(of(0b1010), ([1, 0, 0], None));
        // The wave as a whole, without lanes that have no work-item.
        assert_eq!(of(0), ([0, 0, 0], Some([3, 2, 1])));
        assert_eq!(of(!0), ([0, 0, 0], Some([3, 2, 1])));
        let group = Grid::new([256, 1, 1], [128, 1, 1])
            .expect("a grid")
            .group(1);
        let second = WorkItems::of(&group, 1, 0);
        assert_eq!(
            second.words(false),
            "block (1,0,0) threads (64,0,0) to (127,0,0)"
        );
    }
}
