//! The size of a launch: `--grid` in work-items, as in HSA and OpenCL, or `--groups`, as in HIP.

use std::io::Write;

use wavetank::Dims;

use crate::exit::{Failure, Result};

/// The size of a launch
#[derive(clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("size").args(["grid", "groups"])))]
pub(super) struct SizeOptions {
    /// The grid in work-items; work-groups at its edge may be partial
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims, requires = "block")]
    grid: Option<Dims>,
    /// The grid in work-groups, as HIP counts it: <<<4, 256>>> is --groups 4 --block 256
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims, requires = "block")]
    groups: Option<Dims>,
    /// The work-group in work-items, at most 1024 in all
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims, requires = "size")]
    block: Option<Dims>,
}

/// The work-items of a launch, and of one of its work-groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub grid: Dims,
    pub block: Dims,
}

impl SizeOptions {
    /// Whether any of the options is given.
    pub(super) fn is_given(&self) -> bool {
        self.grid.is_some() || self.groups.is_some() || self.block.is_some()
    }

    /// Returns the size, if one is given.
    ///
    /// # Errors
    /// More work-items than the type can count.
    pub(super) fn size(&self) -> Result<Option<Size>> {
        let Some(block) = self.block else {
            return Ok(None);
        };
        let grid = match (self.grid, self.groups) {
            (Some(grid), _) => grid,
            (None, Some(groups)) => items(groups, block)?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Size { grid, block }))
    }

    /// Prints a note if the grid is a part of one work-group, since it may have been intended in work-groups.
    pub(super) fn note_if_small(&self) {
        if let (Some(grid), Some(block)) = (self.grid, self.block)
            && let Some(note) = note(grid, block)
        {
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "note: {note}");
        }
    }
}

/// Returns the work-items of a grid given in work-groups.
fn items(groups: Dims, block: Dims) -> Result<Dims> {
    let (of_grid, of_group) = (groups.size(), block.size());
    let mut items = [0; 3];
    for (side, items) in items.iter_mut().enumerate() {
        let product = of_grid[side].checked_mul(of_group[side]);
        *items = product.ok_or_else(|| {
            let (groups, block) = (shown(groups), shown(block));
            Failure::usage(format!(
                "--groups {groups} of --block {block} are 2^32 work-items or more in one dimension; make one of them smaller"
            ))
        })?;
    }
    Ok(match groups.dimensions().max(block.dimensions()) {
        1 => items[0].into(),
        2 => [items[0], items[1]].into(),
        _ => items.into(),
    })
}

/// Returns the note about a grid that is smaller than one of its work-groups.
fn note(grid: Dims, block: Dims) -> Option<String> {
    let of_grid = grid.size().into_iter();
    // A size without work-items is rejected later.
    let is_part = of_grid
        .zip(block.size())
        .all(|(grid, block)| (1..=block).contains(&grid));
    if !is_part || grid.size() == block.size() {
        return None;
    }
    let whole = items(grid, block).ok()?;
    let (grid, block, whole) = (shown(grid), shown(block), shown(whole));
    Some(format!(
        "--grid counts work-items: {grid} is a part of one work-group of {block}; for {grid} groups of {block} write --grid {whole}, \
         or --groups {grid}"
    ))
}

/// Returns a size in the syntax of the options.
pub(super) fn shown(dims: Dims) -> String {
    let [x, y, z] = dims.size();
    match (y, z) {
        (1, 1) => x.to_string(),
        (y, 1) => format!("{x},{y}"),
        (y, z) => format!("{x},{y},{z}"),
    }
}

/// Parses a size, `X[,Y[,Z]]`.
fn dims(text: &str) -> Result<Dims, String> {
    let sizes: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    match sizes.as_deref() {
        Ok(&[x]) => Ok(x.into()),
        Ok(&[x, y]) => Ok([x, y].into()),
        Ok(&[x, y, z]) => Ok([x, y, z].into()),
        _ => Err("write one to three numbers below 2^32, as in 1024 or 64,64".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_to_three_numbers() {
        assert_eq!(dims("7"), Ok(Dims::from(7)));
        assert_eq!(dims("7,8"), Ok(Dims::from([7, 8])));
        assert_eq!(dims("7,8,9"), Ok(Dims::from([7, 8, 9])));
        for bad in ["", "7,", "7,8,9,10", "x", "-1", "4294967296", "1.5"] {
            assert!(dims(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn groups_are_work_items() {
        let of = |groups, block| items(dims(groups).unwrap(), dims(block).unwrap());
        assert_eq!(of("4", "256"), Ok(Dims::from(1024)));
        assert_eq!(of("4,3", "16"), Ok(Dims::from([64, 3])));
        assert_eq!(of("2", "8,4,2"), Ok(Dims::from([16, 4, 2])));
        assert!(of("16777216", "256").is_err());
    }

    #[test]
    fn only_a_part_of_one_group_is_noted() {
        let of = |grid, block| note(dims(grid).unwrap(), dims(block).unwrap());
        let text = of("4", "256").unwrap();
        assert!(
            text.contains("for 4 groups of 256 write --grid 1024, or --groups 4"),
            "{text}"
        );
        let text = of("4,4", "16,16").unwrap();
        assert!(
            text.contains("write --grid 64,64, or --groups 4,4"),
            "{text}"
        );
        for (grid, block) in [
            ("256", "256"),
            ("300", "256"),
            ("1000,4", "64,8"),
            ("1", "1"),
            ("0", "64"),
        ] {
            assert_eq!(of(grid, block), None, "{grid} {block}");
        }
    }
}
