//! Kernels of `.amdhsa_kernel`, kept until their descriptors can be made.

use wavetank_object::{DESCRIPTOR_SIZE, Target};

use crate::errors::LineError;
use crate::expression::{Expr, Values};
use crate::kernel::{Descriptor, FIELDS};
use crate::state::{Location, Place};

/// A kernel whose descriptor is filled in at the end, because newer compilers compute its fields from symbols.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The location of the descriptor.
    pub location: Location,
    pub fields: Vec<(&'static str, Expr, Place)>,
    pub place: Place,
}

impl Kernel {
    /// Returns the bytes of the descriptor.
    ///
    /// # Errors
    /// Wrong or missing fields.
    pub(crate) fn bytes(
        &self,
        values: Values<'_>,
        target: &Target,
    ) -> Result<[u8; DESCRIPTOR_SIZE], Box<LineError>> {
        let mut descriptor = Descriptor::new(target);
        for (name, expr, place) in &self.fields {
            let value = values
                .number(expr)
                .map_err(|why| Box::new(place.line_error(why)))?;
            let field = FIELDS.iter().find(|field| field.name == *name);
            if let Some(field) = field {
                descriptor
                    .set(field, value)
                    .map_err(|why| Box::new(place.line_error(why)))?;
            }
        }
        descriptor
            .finish(target)
            .map_err(|why| Box::new(self.place.line_error(why)))
    }
}
