//! The values from which the text and the notes of a kernel are made.

use crate::session::program::Settings;

/// The values of a kernel that its text and its notes show.
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
