//! The inputs to the metadata text and the CAL notes of a kernel.

use crate::session::program::Settings;

/// The properties of a kernel that its metadata contains.
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) product: usize,
    pub(super) wide: bool,
    pub(super) has_constants: bool,
    pub(super) settings: Settings,
    /// The resource number of each argument.
    pub(super) resources: Vec<u32>,
    pub(super) driver: i64,
    pub(super) identity: usize,
    pub(super) local: u32,
    pub(super) scratch: u32,
    pub(super) group: Option<[u32; 3]>,
    pub(super) vgprs: u32,
    pub(super) sgprs: u32,
    pub(super) most_sgprs: u32,
    pub(super) float_mode: u32,
    pub(super) ieee_mode: u32,
    pub(super) rsrc2: u32,
}
