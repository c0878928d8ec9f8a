//! An engine that compiles the wave IR to x86-64.

#![warn(missing_docs)]

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod elsewhere;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use elsewhere::{Compiled, HOT, How, Jit, Jitted, Unavailable};

/// Declares the rooms of the compiler, which are for one kind of host.
macro_rules! rooms {
    ($($room:ident)*) => {
        $(#[cfg(all(target_arch = "x86_64", target_os = "linux"))] mod $room;)*
    };
}

rooms! { asm block code_memory counts engine lanes listing memory stages templates tile uniform }

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use {
    block::How,
    engine::{Compiled, HOT, Jit, Jitted, Unavailable},
};
