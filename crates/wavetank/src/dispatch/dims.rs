//! The size of a grid or a work-group.

/// The size of a grid or work-group in one to three dimensions, in work-items.
///
/// ```
/// use wavetank::Dims;
/// assert_eq!(Dims::from(64), Dims::from([64]));
/// assert_eq!(Dims::from([16, 8]).size(), [16, 8, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dims {
    size: [u32; 3],
    dimensions: u16,
}

impl Dims {
    /// The size in each dimension; 1 in those that were not given.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// The dimensions that were given, 1 to 3.
    pub fn dimensions(&self) -> u16 {
        self.dimensions
    }
}

impl From<u32> for Dims {
    fn from(x: u32) -> Dims {
        [x].into()
    }
}

impl From<[u32; 1]> for Dims {
    fn from([x]: [u32; 1]) -> Dims {
        Dims {
            size: [x, 1, 1],
            dimensions: 1,
        }
    }
}

impl From<[u32; 2]> for Dims {
    fn from([x, y]: [u32; 2]) -> Dims {
        Dims {
            size: [x, y, 1],
            dimensions: 2,
        }
    }
}

impl From<[u32; 3]> for Dims {
    fn from(size: [u32; 3]) -> Dims {
        Dims {
            size,
            dimensions: 3,
        }
    }
}
