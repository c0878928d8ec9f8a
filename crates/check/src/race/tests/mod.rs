//! Tests of launches with a race, each with its twin without.

mod barrier;
mod flags;
mod footprint;
mod lane_order;
mod lanes;
mod oracle;
mod pairs;
mod script;
