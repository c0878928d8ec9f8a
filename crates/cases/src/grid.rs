//! The changed elements of a surface, printed as a small grid.

use std::collections::BTreeSet;
use std::fmt;

use wavetank::surfaces::places;
use wavetank_memory::{Element, Surface};

/// The changed elements of a surface.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// The number of the surface.
    pub number: u32,
    /// The coordinates, size and element type of the surface: `2d 8x4 u32`.
    pub shape: String,
    /// The level, 0 for the first.
    pub level: u32,
    /// The coordinates (x, y, then z or the layer) of each changed element, and its new bits.
    pub changed: Vec<([u32; 3], u64)>,
    element: Element,
}

impl Grid {
    /// Returns the changes of a surface, a grid for each level that has any.
    pub(crate) fn of(number: u32, surface: &Surface, before: &[u64], after: &[u64]) -> Vec<Grid> {
        let pairs = places(surface).into_iter().zip(before.iter().zip(after));
        let changed = pairs.filter(|(_, (old, new))| old != new);
        let changed: Vec<_> = changed.map(|(place, (_, new))| (place, *new)).collect();
        let grid = |changed: &[((u32, [u32; 3]), u64)]| Grid {
            number,
            shape: format!("{} {}", surface.shape(), surface.element.name()),
            level: changed[0].0.0,
            changed: changed.iter().map(|((_, at), bits)| (*at, *bits)).collect(),
            element: surface.element,
        };
        changed.chunk_by(|a, b| a.0.0 == b.0.0).map(grid).collect()
    }
}

/// The maximum number of columns of a grid; wider changes are printed as a list.
const MAX: usize = 16;

impl fmt::Display for Grid {
    /// Prints the rows and columns with changed elements; a point stands for an unchanged element. Wide changes are lists.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "surface {}: {}", self.number, self.shape)?;
        match self.level {
            0 => writeln!(f)?,
            level => writeln!(f, ", level {level}")?,
        }
        let columns: BTreeSet<u32> = self.changed.iter().map(|([x, ..], _)| *x).collect();
        if columns.len() > MAX {
            for ([x, y, z], bits) in &self.changed {
                writeln!(f, "  ({x}, {y}, {z})  {}", shown(self.element, *bits))?;
            }
            return Ok(());
        }
        let slices: BTreeSet<u32> = self.changed.iter().map(|([.., z], _)| *z).collect();
        for z in &slices {
            if slices.len() > 1 || *z != 0 {
                writeln!(f, "  z {z}")?;
            }
            self.slice(f, *z, &columns)?;
        }
        Ok(())
    }
}

impl Grid {
    fn slice(&self, f: &mut fmt::Formatter<'_>, z: u32, columns: &BTreeSet<u32>) -> fmt::Result {
        let here = || self.changed.iter().filter(|([.., slice], _)| *slice == z);
        let cells = self
            .changed
            .iter()
            .map(|(_, bits)| shown(self.element, *bits));
        let heads = columns.iter().map(u32::to_string);
        let width = cells.chain(heads).map(|cell| cell.len()).max().unwrap_or(1);
        write!(f, "  y\\x ")?;
        for x in columns {
            write!(f, " {x:>width$}")?;
        }
        writeln!(f)?;
        let rows: BTreeSet<u32> = here().map(|([_, y, _], _)| *y).collect();
        for y in rows {
            write!(f, "  {y:>3} ")?;
            for x in columns {
                let cell = here().find(|([cx, cy, _], _)| (cx, cy) == (x, &y));
                let cell = cell.map_or(".".to_owned(), |(_, bits)| shown(self.element, *bits));
                write!(f, " {cell:>width$}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// An element in words: by its kind.
fn shown(element: Element, bits: u64) -> String {
    match element {
        Element::U16 | Element::U32 | Element::U64 => bits.to_string(),
        Element::S16 => (bits as i16).to_string(),
        Element::S32 => (bits as i32).to_string(),
        Element::S64 => (bits as i64).to_string(),
        Element::F16 => half::f16::from_bits(bits as u16).to_string(),
        Element::F32 => f32::from_bits(bits as u32).to_string(),
        Element::F16x2 => {
            let half = |at: u32| half::f16::from_bits((bits >> at) as u16);
            format!("{}|{}", half(16), half(0))
        }
    }
}
