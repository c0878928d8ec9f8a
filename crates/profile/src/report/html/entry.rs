//! A kernel of the page.

use crate::advice::Advice;
use crate::figures::Figures;
use crate::model::Kernel;

/// A kernel with its figures and advice.
pub(super) struct Entry<'p> {
    /// The place in the profile.
    pub number: usize,
    pub kernel: &'p Kernel,
    pub figures: Figures,
    pub advice: Vec<&'p Advice>,
}

impl Entry<'_> {
    /// Returns the address of the kernel's part of the page.
    pub(super) fn anchor(&self) -> String {
        format!("k{}", self.number)
    }
}
