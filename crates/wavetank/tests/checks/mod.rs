//! Checks of launches.

mod hung;
mod launches;
mod lds;
mod memory;
mod stages;
mod watchers;
