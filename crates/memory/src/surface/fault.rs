//! Surface faults: the reasons for which a lane has no element.

use std::fmt;

use wavetank_ir::Dimensions;

use super::Element;

/// Why a lane has no element of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFault {
    /// No surface has the number.
    Unbound {
        /// The number.
        number: u32,
    },
    /// The access is to surfaces of other dimensions.
    Dimensions {
        /// The surface.
        number: u32,
        /// Its dimensions.
        is: Dimensions,
        /// What the access is to.
        needed: Dimensions,
    },
    /// The elements are not such that this can be done.
    Element {
        /// The surface.
        number: u32,
        /// Its elements.
        element: Element,
        /// Bytes that are accessed.
        bytes: u32,
    },
    /// An element that does not exist, where that stops a program.
    Outside {
        /// The surface.
        number: u32,
        /// Its dimensions.
        dimensions: Dimensions,
        /// Its elements along each coordinate, at the level.
        size: [u32; 3],
        /// The coordinates; x in bytes or in what is accessed.
        at: [u32; 3],
        /// The level.
        level: u32,
    },
    /// x counts bytes, and is no multiple of those that are accessed.
    Misaligned {
        /// The surface.
        number: u32,
        /// x.
        x: u32,
        /// Bytes that are accessed.
        bytes: u32,
    },
}

impl fmt::Display for SurfaceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SurfaceFault::Unbound { number } => {
                write!(f, "surface {number}, which is not bound")
            }
            SurfaceFault::Dimensions { number, is, needed } => {
                let (is, needed) = (is.name(), needed.name());
                write!(f, "surface {number} as {needed}, which is {is}")
            }
            SurfaceFault::Element {
                number,
                element,
                bytes,
            } => {
                let name = element.name();
                write!(
                    f,
                    "surface {number}, whose elements are {name}: there is no such operation of {bytes} bytes on them"
                )
            }
            SurfaceFault::Outside {
                number,
                dimensions,
                size,
                at,
                level,
            } => {
                let n = dimensions.coordinates();
                let list = |numbers: &[u32; 3], by: &str| {
                    let numbers: Vec<String> = numbers[..n].iter().map(u32::to_string).collect();
                    numbers.join(by)
                };
                // Coordinates are signed in the program.
                let signed: Vec<String> = at[..n].iter().map(|&c| (c as i32).to_string()).collect();
                write!(
                    f,
                    "({}) of surface {number}, level {level}, which is {} {}",
                    signed.join(", "),
                    dimensions.name(),
                    list(&size, "x")
                )
            }
            SurfaceFault::Misaligned { number, x, bytes } => {
                write!(
                    f,
                    "byte {x} of a row of surface {number}, which is no multiple of {bytes}"
                )
            }
        }
    }
}
