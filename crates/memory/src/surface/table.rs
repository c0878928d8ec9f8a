//! The surfaces of a device, by number.

use std::collections::BTreeMap;

use super::Surface;

/// The surfaces of a device, by number.
///
/// ```
/// use wavetank_ir::Dimensions;
/// use wavetank_memory::{Element, Surface, Surfaces};
/// let mut surfaces = Surfaces::new();
/// let plane = Surface::new(0x1000, Dimensions::D2, [8, 4, 1], Element::U32);
/// surfaces.bind(6, plane).unwrap();
/// assert_eq!(surfaces.get(6).unwrap().bytes(), 8 * 4 * 4);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Surfaces {
    by_number: BTreeMap<u32, Surface>,
    maximum: Option<u32>,
}

impl Surfaces {
    /// Returns a table without surfaces.
    pub fn new() -> Surfaces {
        Surfaces::default()
    }

    /// Binds a surface to a number, in place of any that was bound to it.
    ///
    /// # Errors
    /// A sentence that describes the invalid property of the surface.
    pub fn bind(&mut self, number: u32, surface: Surface) -> Result<(), String> {
        surface.check()?;
        self.by_number.insert(number, surface);
        Ok(())
    }

    /// Removes the surface of a number from the table, and returns it.
    pub fn unbind(&mut self, number: u32) -> Option<Surface> {
        self.by_number.remove(&number)
    }

    /// Sets the maximum valid number. Loads by greater numbers give 0, and stores are dropped. By default every number is valid,
    /// and an access by a number without a surface stops the program.
    pub fn set_maximum(&mut self, maximum: Option<u32>) {
        self.maximum = maximum;
    }

    /// Returns whether a number is at most the maximum.
    pub fn is_valid(&self, number: u32) -> bool {
        self.maximum.is_none_or(|maximum| number <= maximum)
    }

    /// Returns the surface of a number.
    pub fn get(&self, number: u32) -> Option<&Surface> {
        self.by_number.get(&number)
    }

    /// Returns all surfaces in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Surface)> {
        self.by_number
            .iter()
            .map(|(number, surface)| (*number, surface))
    }
}
