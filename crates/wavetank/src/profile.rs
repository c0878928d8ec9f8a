//! Profiles: exact counts of what the waves of launches do ([profile.md](https://docs.rs/wavetank)).

pub use crate::profiler::Profiler;
pub use wavetank_profile::model;
