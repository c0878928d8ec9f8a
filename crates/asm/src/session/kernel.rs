//! A kernel of `.amdhsa_kernel`.

use wavetank_object::{DESCRIPTOR_SIZE, Target};

use crate::errors::LineError;
use crate::expression::{Expr, Values};
use crate::kernel::{Descriptor, FIELDS};
use crate::state::{Location, Place};

/// A kernel, whose descriptor is filled in at the end: newer compilers calculate its fields from symbols.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Where its descriptor stands.
    pub location: Location,
    pub fields: Vec<(&'static str, Expr, Place)>,
    pub place: Place,
}

impl Kernel {
    /// The bytes of the descriptor.
    ///
    /// # Errors
    /// Fields that are wrong or missing.
    pub fn bytes(
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
