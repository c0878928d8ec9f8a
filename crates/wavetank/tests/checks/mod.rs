//! Checks of launches.

mod cases;
mod hung;
mod launches;
mod lds;
mod memory;
mod stages;
mod watchers;
