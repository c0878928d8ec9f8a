//! The memory that a unit has beside the allocations of the device: LDS, the global data share, and the place of the scratch.

pub(crate) mod gds;
pub(crate) mod lds;
pub(crate) mod scratch;
