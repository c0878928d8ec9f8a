//! Operands of a surface atomic (NVIDIA's SUATOM, Intel's TYPED_ATOMIC) that other atomics do not have.

use crate::form_memory::List;
use crate::mem::DataReg;
use crate::table::parts;
use crate::types::Value;

/// The dimensions of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dimensions {
    /// A line with coordinate x.
    D1,
    /// A line with coordinate x that may be longer than signed coordinates reach.
    Buffer,
    /// An array of lines: x, and the index of a layer.
    D1Array,
    /// A plane with coordinates x and y.
    D2,
    /// An array of planes: x, y, and the index of a layer.
    D2Array,
    /// A volume with coordinates x, y and z.
    D3,
}

impl Dimensions {
    /// The number of coordinates of an element, including the index of its layer.
    pub const fn coordinates(self) -> usize {
        match self {
            Dimensions::D1 | Dimensions::Buffer => 1,
            Dimensions::D1Array | Dimensions::D2 => 2,
            Dimensions::D2Array | Dimensions::D3 => 3,
        }
    }

    /// Whether the last coordinate is the index of a layer.
    pub const fn is_array(self) -> bool {
        matches!(self, Dimensions::D1Array | Dimensions::D2Array)
    }

    /// The name in the text form, as in `2d_array`.
    pub const fn name(self) -> &'static str {
        self.text()
    }
}

/// The effect of an access at coordinates outside the surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outside {
    /// The access reads 0, and its write is dropped.
    #[default]
    Drop,
    /// The access goes to the nearest element. Only in this mode are coordinates signed; else a negative one is outside because
    /// it is large.
    Nearest,
    /// The access stops the wave, and has no effect in any lane.
    Stop,
}

parts! {
    /// An access to one element of a surface for each lane, which is read, modified and written.
    ///
    /// Surfaces are in a table of the device, by number. Disabled surfaces, and numbers above the largest one in use, read 0 and
    /// drop writes.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SurfaceAtomic {
        by name:
        /// The number of the surface in the table: a `U32`, or a `V32` if each lane may use another one.
        pub number: Value,
        /// The coordinates, `V32` or `U32`: x, y, z or the index of a layer. If `dimensions` is absent, the surface determines
        /// how many there are, and missing ones are 0.
        pub at: Vec<Value> as List,
        /// The level, `V32` or `U32`; without it, the first.
        pub level: Option<Value>,
        /// The required dimensions of the surface, if they are specified.
        pub dimensions: Option<Dimensions>,
        /// Whether x counts bytes. Else it counts units of the access width, whatever the elements of the surface are.
        pub bytes: bool,
        /// Whether the elements of the surface must have the width of the access, and determine the operation: sums, minimum and
        /// maximum of unsigned integers become those of signed integers or floats if the elements are such.
        pub typed: bool,
        /// The effect of an access without an element.
        pub outside: Outside,
        /// Whether the result is the value after the change.
        pub after: bool,
        /// The active lanes in which the surface has no memory for the element (so the access reads 0 and drops writes): a 1 in a
        /// vector register, or a bit in the mask that is in a pair of uniform registers.
        pub absent: Option<DataReg>,
    }
}

impl SurfaceAtomic {
    /// The largest number of coordinates of an element.
    pub const MAX: usize = 3;

    /// The element at coordinates of a surface, with all other fields at their defaults.
    pub fn new(number: Value, at: Vec<Value>) -> SurfaceAtomic {
        SurfaceAtomic {
            number,
            at,
            level: None,
            dimensions: None,
            bytes: false,
            typed: false,
            outside: Outside::Drop,
            after: false,
            absent: None,
        }
    }
}
