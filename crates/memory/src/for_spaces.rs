//! The parts of a space that another crate adds, such as images: its operands, the check of its addresses, the records of its
//! accesses, and elements of all lanes.
//!
//! The access itself is a [`Request`](crate::Request) in a [`Context`](crate::Context); data are moved by an
//! [`operation`](crate::operation) at [`places`](crate::places).

pub use crate::element_check::{check_addresses, span};
pub use crate::format::{Extent, Format, load, single_of_half};
pub use crate::instrument::{OneByOne, Recorder};
pub use crate::operands::words;
pub use crate::surface::linear;

/// Properties that all active lanes share, computed by plain loops that the compiler vectorizes.
pub mod lanes {
    pub use crate::lanes::{Lanes, each, spread, which};
}

/// Conversion of elements for all lanes at once: moving them, extracting and inserting their components.
pub mod convert {
    pub use crate::convert::{
        Components, Found, Four, ZERO, blend, chosen, fetch, put, select, spread, unselect,
    };
}
