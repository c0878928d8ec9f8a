//! The levels of processor features that kernels are compiled for.

use std::sync::LazyLock;

/// A level of processor features. All levels compute the same bits.
///
/// ```
/// use wavetank_matrix::Level;
///
/// // A level that the processor lacks is replaced by its best.
/// assert_eq!(Level::Avx512.or_best() == Level::Avx512, Level::detect() == Level::Avx512);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// AVX-512 with its F, BW, DQ and VL parts.
    Avx512,
    /// AVX2 and FMA, without AVX-512.
    Avx2,
    /// The features that every processor of the host's architecture has.
    Baseline,
}

impl Level {
    /// Returns the best level of this processor.
    pub fn detect() -> Level {
        // One load, instead of one for each feature.
        static BEST: LazyLock<Level> = LazyLock::new(Level::best);
        *BEST
    }

    fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected;

            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                return Level::Avx512;
            }
            if avx2 {
                return Level::Avx2;
            }
        }
        Level::Baseline
    }

    /// Returns this level, or the best of this processor if it lacks the level.
    pub fn or_best(self) -> Level {
        match (self, Level::detect()) {
            (Level::Avx512, best) | (Level::Avx2, best @ Level::Baseline) => best,
            _ => self,
        }
    }
}
