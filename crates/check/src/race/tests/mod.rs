//! Launches with a race, and beside each its twin without.

mod barrier;
mod flags;
mod footprint;
mod lanes;
mod oracle;
mod pairs;
mod script;
