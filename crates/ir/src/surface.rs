//! Descriptions of changes of surfaces: what of a memory operation only they
//! have.

use crate::form_memory::List;
use crate::mem::DataReg;
use crate::table::parts;
use crate::types::Value;

/// The coordinates of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dimensions {
    /// A line: x.
    D1,
    /// A line that may be longer than coordinates with a sign reach: x.
    Buffer,
    /// Lines: x, and the index of a layer.
    D1Array,
    /// A plane: x and y.
    D2,
    /// Planes: x, y, and the index of a layer.
    D2Array,
    /// A volume: x, y and z.
    D3,
}

impl Dimensions {
    /// How many coordinates an element has, with the index of its layer.
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

    /// The name, as in `2d_array`.
    pub const fn name(self) -> &'static str {
        self.text()
    }
}

/// What an access does at coordinates that a surface does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outside {
    /// The access gives 0, and its write is dropped.
    #[default]
    Drop,
    /// It goes to the nearest element that there is. Only here have coordinates
    /// a sign; else a negative one is outside because it is large.
    Nearest,
    /// The access stops the wave, and has no effect in any lane.
    Stop,
}

parts! {
    /// One element of a surface for each lane, to be read, modified and written.
    ///
    /// Surfaces stand in a table of the device, by number. Those that are disabled, and those of numbers above the greatest
    /// one that the table may use, give 0 and drop what is written.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SurfaceElement {
        by name:
        /// The number of the surface in the table: a `U32`, or a `V32` where each
        /// lane may have one of its own.
        pub number: Value,
        /// The coordinates, `V32` or `U32`: x, y, z or the index of a layer. Where
        /// nothing says how many there are, the surface does, and those that are
        /// missing are 0.
        pub at: Vec<Value> as List,
        /// The level, `V32` or `U32`; the first if there is none.
        pub level: Option<Value>,
        /// What the surface must be, if that is said.
        pub dimensions: Option<Dimensions>,
        /// x counts bytes. Else it counts what is accessed, whatever the elements
        /// of the surface are.
        pub bytes: bool,
        /// The elements of the surface must be as wide as what is accessed, and say
        /// what is done there: sums, minimum and maximum of unsigned integers are
        /// of signed ones or floats where the elements are such.
        pub typed: bool,
        /// What is done where there is no element.
        pub outside: Outside,
        /// What comes back is the value after the change.
        pub after: bool,
        /// What the active lanes get in which the surface has no memory for the
        /// element (which gives 0 and drops what is written): a 1 in a vector
        /// register, or a bit in the mask that is in a pair of uniform ones.
        pub absent: Option<DataReg>,
    }
}

impl SurfaceElement {
    /// The most coordinates that an element has.
    pub const MAX: usize = 3;

    /// The element at coordinates of a surface, with nothing else said of it.
    pub fn new(number: Value, at: Vec<Value>) -> SurfaceElement {
        SurfaceElement {
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
