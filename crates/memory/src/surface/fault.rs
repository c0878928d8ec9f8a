//! Surface faults: the reasons for which an access to a surface is denied.

use std::fmt;

use wavetank_ir::Dimensions;

use super::Element;

/// The reason for which a lane cannot access an element of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFault {
    /// No surface is bound to the number.
    Unbound {
        /// The number of the surface.
        number: u32,
    },
    /// The dimensions of the access are not those of the surface.
    Dimensions {
        /// The number of the surface.
        number: u32,
        /// The dimensions of the surface.
        is: Dimensions,
        /// The dimensions of the access.
        needed: Dimensions,
    },
    /// The elements do not support the operation, or have another size.
    Element {
        /// The number of the surface.
        number: u32,
        /// The type of the surface's elements.
        element: Element,
        /// The width of the access in bytes.
        bytes: u32,
    },
    /// The coordinates are outside of the surface, and the access is one that stops the program then.
    Outside {
        /// The number of the surface.
        number: u32,
        /// The dimensions of the surface.
        dimensions: Dimensions,
        /// The number of elements along each coordinate, at the level.
        size: [u32; 3],
        /// The coordinates of the access; x counts bytes or elements, as in the instruction.
        at: [u32; 3],
        /// The level of the access.
        level: u32,
    },
    /// The coordinate x counts bytes, and is not a multiple of the width of the access.
    Misaligned {
        /// The number of the surface.
        number: u32,
        /// The coordinate x, in bytes.
        x: u32,
        /// The width of the access in bytes.
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
                    "surface {number}, whose elements are {name}, which do not support this operation of {bytes} bytes"
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
                    "byte {x} of a row of surface {number}, which is not a multiple of {bytes}"
                )
            }
        }
    }
}
