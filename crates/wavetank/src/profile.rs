//! Profiles: exact counts of what the waves of launches do, by kernel and instruction.

pub use crate::profiler::Profiler;
pub use wavetank_profile::model;
