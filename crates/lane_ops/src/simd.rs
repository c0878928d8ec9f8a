//! The levels of processor features.

use std::str::FromStr;

#[cfg(target_arch = "x86_64")]
use crate::drive::{Avx2, Avx512, Level};

/// A level of processor features the interpreter's steps are made for. All
/// levels compute the same bits. Hosts other than x86-64 have the baseline alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// AVX-512.
    Avx512,
    /// AVX2 and FMA.
    Avx2,
    /// What every processor of the host's kind has.
    Baseline,
}

impl Simd {
    /// The best level of this processor.
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

    /// This level, or the best of this processor if it does not have it.
    pub fn or_best(self) -> Simd {
        match (self, Simd::detect()) {
            (Simd::Avx512, best) | (Simd::Avx2, best @ Simd::Baseline) => best,
            _ => self,
        }
    }
}

/// A name that no level of processor features has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no level of vector instructions; there are avx512, avx2 and baseline")]
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
