//! The SIMD levels of the host's processor.

use std::str::FromStr;

#[cfg(target_arch = "x86_64")]
use crate::drive::{Avx2, Avx512, Level};

/// A level of processor features that steps are compiled for. All levels compute the same bits. Hosts other than x86-64 have only
/// the baseline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// AVX-512 with its F, BW, DQ, VL and CD parts.
    Avx512,
    /// AVX2 and FMA, without AVX-512.
    Avx2,
    /// The features that every processor of the host's architecture has.
    Baseline,
}

impl Simd {
    /// Returns the best level of this processor.
    pub fn detect() -> Simd {
        #[cfg(target_arch = "x86_64")]
        {
            if Avx512::is_available() {
                return Simd::Avx512;
            }
            if Avx2::is_available() {
                return Simd::Avx2;
            }
        }
        Simd::Baseline
    }

    /// This level, or the best of this processor if it lacks the level.
    pub fn or_best(self) -> Simd {
        match (self, Simd::detect()) {
            (Simd::Avx512, best) | (Simd::Avx2, best @ Simd::Baseline) => best,
            _ => self,
        }
    }
}

/// The error for a name that is not one of a level.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a level of vector instructions; there are avx512, avx2 and baseline")]
pub struct UnknownSimd(String);

impl FromStr for Simd {
    type Err = UnknownSimd;

    fn from_str(text: &str) -> Result<Simd, UnknownSimd> {
        match text {
            "avx512" => Ok(Simd::Avx512),
            "avx2" => Ok(Simd::Avx2),
            "baseline" => Ok(Simd::Baseline),
            _ => Err(UnknownSimd(text.to_owned())),
        }
    }
}
