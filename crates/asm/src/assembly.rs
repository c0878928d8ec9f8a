//! The result of an assembly: an object, and the file that a driver expects around it.

use wavetank_link::Relocatable;
use wavetank_object::catalyst;
use wavetank_object::clover::{self, Listed};

/// The result of assembling a source.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The object, in the form that a linker reads.
    pub object: Relocatable,
    /// The container around it, for drivers with a format of their own.
    pub container: Option<Container>,
}

/// A file around an object, which a driver reads.
#[derive(Clone, Debug)]
pub enum Container {
    /// A program of Mesa's Clover.
    Clover {
        /// The kernels that the program lists.
        kernels: Vec<Listed>,
        /// The version of Mesa: 170000 is 17.0.0.
        mesa: u64,
    },
    /// A program of AMD's Catalyst, whose contents all come from the source.
    Catalyst(Box<catalyst::Program>),
}

impl Container {
    /// Writes the file around an object.
    ///
    /// # Errors
    /// Objects that are too large for the container.
    pub fn write(&self, object: &[u8]) -> wavetank_object::Result<Vec<u8>> {
        match self {
            Container::Clover { kernels, mesa } => clover::program(kernels, object, *mesa),
            Container::Catalyst(program) => Ok(program.write()),
        }
    }
}
