//! Surfaces with memory of their own, which instruction sets other than GCN access.

use thiserror::Error;
use wavetank_memory::{Registry, RegistryError, Surface, Surfaces};

/// The reason for which a surface cannot be made or read, or a warp stopped.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SurfaceError {
    /// The surface is not valid.
    #[error("surface {number}: {problem}")]
    Wrong {
        /// The number of the surface.
        number: u32,
        /// A sentence that describes the invalid property.
        problem: String,
    },
    /// No surface has the number.
    #[error("there is no surface {number}: bind one to that number first")]
    Unbound {
        /// The number that has no surface.
        number: u32,
    },
    /// The host has no memory for the surface.
    #[error("surface {number}: {problem}")]
    Memory {
        /// The number of the surface.
        number: u32,
        /// The error of the memory.
        problem: RegistryError,
    },
    /// An instruction stopped the warp.
    #[error("{0}")]
    Stopped(String),
}

/// Surfaces with their memory, bound to numbers.
///
/// Elements are listed level by level, with x first, then y, then z or layers. The bits of each are in a `u64`.
#[derive(Default)]
pub struct Bound {
    table: Surfaces,
}

impl Bound {
    /// Allocates memory for a surface, which replaces its address, binds it to a number, and sets its elements. Elements that are
    /// not given are 0.
    ///
    /// # Errors
    /// If the surface is not valid, has fewer elements than are given, or there is no memory for it.
    pub fn bind(
        &mut self,
        registry: &Registry,
        number: u32,
        surface: Surface,
        elements: &[u64],
    ) -> Result<(), SurfaceError> {
        let wrong = |problem| SurfaceError::Wrong { number, problem };
        let surface = Surface {
            address: 0,
            ..surface
        };
        surface.check().map_err(wrong)?;
        let places = places(&surface);
        if elements.len() > places.len() {
            let (given, there) = (elements.len(), places.len());
            return Err(wrong(format!("{given} elements do not go into {there}")));
        }
        let memory = |problem| SurfaceError::Memory { number, problem };
        let name = format!("surface {number}");
        let made = registry
            .allocate(&name, surface.bytes(), 512)
            .map_err(memory)?;
        let width = surface.element.bytes() as usize;
        for ((level, place), element) in places.iter().zip(elements) {
            let at = made.address + surface.element_offset_in(*level, *place);
            registry
                .write(at, &element.to_le_bytes()[..width])
                .map_err(memory)?;
        }
        let address = made.address;
        self.table
            .bind(number, Surface { address, ..surface })
            .map_err(wrong)
    }

    /// Reads the elements of a surface.
    pub fn elements(&self, registry: &Registry, number: u32) -> Option<Vec<u64>> {
        let surface = self.table.get(number)?;
        let width = surface.element.bytes() as usize;
        let read = |(level, place): &(u32, [u32; 3])| {
            let mut bytes = [0; 8];
            let at = surface.address + surface.element_offset_in(*level, *place);
            registry.read(at, &mut bytes[..width]).ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        places(surface).iter().map(read).collect()
    }

    /// Returns the table for waves.
    pub fn table(&mut self) -> &mut Surfaces {
        &mut self.table
    }
}

/// Returns the level and the coordinates of each element of a surface, in their order.
pub fn places(surface: &Surface) -> Vec<(u32, [u32; 3])> {
    let levels = 0..surface.levels;
    let of = |level| coordinates(surface, level).map(move |place| (level, place));
    levels.flat_map(of).collect()
}

/// Returns the coordinates of the elements of a level, in their order.
pub fn coordinates(surface: &Surface, level: u32) -> impl Iterator<Item = [u32; 3]> + use<> {
    let [width, height, depth] = surface.coordinates_of(level);
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}
