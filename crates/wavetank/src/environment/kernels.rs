//! The settings of kernels in environment variables.

use std::ffi::OsString;

use wavetank_interp::Simd;
use wavetank_machine::Schedule;

use crate::backend::EngineChoice;

use super::{WrongSetting, variable, yes_or_no};

/// The most threads that can be requested.
const MAX_THREADS: usize = 1024;

/// The settings of kernels in environment variables. A variable that is not set or empty has no effect.
///
/// [`DeviceBuilder`](crate::DeviceBuilder) takes from here the settings that its caller does not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct KernelSettings {
    /// `WAVETANK_SIMD`: the maximum level of the host's vector instructions.
    pub simd: Option<Simd>,
    /// `WAVETANK_ENGINE`: the engine of kernels.
    pub engine: Option<EngineChoice>,
    /// `WAVETANK_PERF`: whether Linux' `perf` gets the names of compiled code.
    pub perf: Option<bool>,
    /// `WAVETANK_THREADS`: the threads that run work-groups.
    pub threads: Option<usize>,
    /// `WAVETANK_SCHEDULE`: the schedule of a work-group's waves.
    pub schedule: Option<Schedule>,
    /// `WAVETANK_STRICT`: whether an access beyond the LDS of a kernel, or a load past the end of memory, is a fault.
    pub strict: Option<bool>,
    /// `WAVETANK_STACK`: the additional stack of a work-item in bytes.
    pub stack: Option<u32>,
}

impl KernelSettings {
    /// Reads the environment.
    ///
    /// # Errors
    /// The first variable whose value is not valid.
    pub fn from_env() -> Result<KernelSettings, WrongSetting> {
        KernelSettings::read(&|name| std::env::var_os(name))
    }

    /// Returns the settings in variables that `value` returns.
    ///
    /// # Errors
    /// The first variable whose value is not valid.
    pub fn read(value: &dyn Fn(&str) -> Option<OsString>) -> Result<KernelSettings, WrongSetting> {
        Ok(KernelSettings {
            simd: variable(value, "WAVETANK_SIMD", named)?,
            engine: variable(value, "WAVETANK_ENGINE", named)?,
            perf: variable(value, "WAVETANK_PERF", yes_or_no)?,
            threads: variable(value, "WAVETANK_THREADS", threads)?,
            schedule: variable(value, "WAVETANK_SCHEDULE", named)?,
            strict: variable(value, "WAVETANK_STRICT", yes_or_no)?,
            stack: variable(value, "WAVETANK_STACK", stack)?,
        })
    }
}

/// Parses one of several names.
fn named<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem: T::Err| problem.to_string())
}

fn stack(text: &str) -> Result<u32, String> {
    let bytes = text.parse();
    bytes.map_err(|_| format!("{text:?} is not a number of bytes below 2^32"))
}

fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok();
    let threads = threads.filter(|n| (1..=MAX_THREADS).contains(n));
    threads.ok_or_else(|| {
        format!("`{text}` is not a number of threads; write one from 1 to {MAX_THREADS}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_from_1_to_1024() {
        assert_eq!(threads("1"), Ok(1));
        assert_eq!(threads("1024"), Ok(1024));
        for bad in ["0", "1025", "-1", "two", " 1"] {
            let sentence = threads(bad).unwrap_err();
            assert!(
                sentence.starts_with(&format!("`{bad}` is no")),
                "{sentence}"
            );
        }
    }
}
