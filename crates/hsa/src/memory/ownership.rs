//! The owner of the memory at an address, the library or the program, and whether a copy is possible there.

use wavetank::{Hold, Registry};

use super::address::host_address;
use super::host::{self, Access};
use super::vmem;
use crate::state::runtime;

/// A range that a copy reads or writes, and its owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub address: u64,
    pub bytes: u64,
    pub access: Access,
    /// Whether the library has mapped the range.
    pub ours: bool,
}

impl Range {
    pub(super) fn new(address: u64, bytes: u64, access: Access) -> Range {
        let address = host_address(address);
        Range {
            address,
            bytes,
            access,
            ours: is_ours(address) || vmem::reaches(address, bytes),
        }
    }

    /// Keeps memory of the library mapped. The error is a sentence without a subject.
    ///
    /// While this is held, the thread must not create another `Range` nor free memory: it would wait for itself.
    pub(super) fn hold(&self) -> Result<Option<Hold<'static>>, String> {
        if self.ours {
            hold(self.address, self.bytes, self.access).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The properties of the program's memory. The error is a sentence without a subject.
    pub(super) fn pages(&self) -> Result<host::Pages, String> {
        if self.ours {
            Ok(host::Pages {
                writable: true,
                of_file: false,
            })
        } else {
            host::pages(self.address, self.bytes, self.access)
        }
    }
}

fn registry() -> Option<&'static Registry> {
    runtime().ok().map(|r| r.registry())
}

/// Whether the library has mapped an address for its own memory, allocated or not.
pub(super) fn is_ours(address: u64) -> bool {
    registry().is_some_and(|registry| registry.owns(address))
}

/// Keeps memory of the library mapped. The error is a sentence without a subject.
pub(super) fn hold(address: u64, bytes: u64, access: Access) -> Result<Hold<'static>, String> {
    let verb = access.verb();
    let registry = registry().ok_or("the library is not initialised")?;
    registry
        .hold(address, bytes)
        .map_err(|_| match registry.find(address) {
            Some(found) => format!(
                "{verb} {bytes} bytes at {address:#x}, past the end of {} of {} bytes at {:#x}",
                found.name, found.bytes, found.address
            ),
            None => {
                format!("{verb} {bytes} bytes at {address:#x}, where memory was freed or nothing was allocated")
            }
        })
}
