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
    /// A table without surfaces.
    pub fn new() -> Surfaces {
        Surfaces::default()
    }

    /// Gives a surface a number, in place of any that had it.
    ///
    /// # Errors
    /// A sentence that says what of the surface cannot be.
    pub fn bind(&mut self, number: u32, surface: Surface) -> Result<(), String> {
        surface.check()?;
        self.by_number.insert(number, surface);
        Ok(())
    }

    /// Takes a number away from its surface.
    pub fn unbind(&mut self, number: u32) -> Option<Surface> {
        self.by_number.remove(&number)
    }

    /// Sets the greatest number that is valid. What is accessed by greater ones gives 0, and drops what is written. At first
    /// every number is valid, and one without a surface stops a program.
    pub fn set_maximum(&mut self, maximum: Option<u32>) {
        self.maximum = maximum;
    }

    /// Whether a number may have a surface.
    pub fn is_valid(&self, number: u32) -> bool {
        self.maximum.is_none_or(|maximum| number <= maximum)
    }

    /// The surface of a number.
    pub fn get(&self, number: u32) -> Option<&Surface> {
        self.by_number.get(&number)
    }

    /// All surfaces, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Surface)> {
        self.by_number
            .iter()
            .map(|(number, surface)| (*number, surface))
    }
}
