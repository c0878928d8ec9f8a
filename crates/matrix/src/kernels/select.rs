//! The kernel of an instruction, at a level of processor features.

use super::chain::{Bytes, Chain};
use super::double::Doubles;
use super::driver::{Dense, Job, Product, Sparse};
use super::exact::{Plain, Split};
use super::fused::{Fused, FusedHalves, WideFused};
use super::pairwise::{FlushedPairs, Pairs};
use crate::arithmetic::Rule;
use crate::instruction::Matrix;
use crate::level::Level;
use crate::number::ElementType;
use crate::operands::Registers;
use crate::shape::LANES;

/// Adds the product to D; `false`, and D as it was, if no kernel accepts the operands. A and B have been permuted.
pub(crate) fn accumulate(
    level: Level,
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    index: Option<&[u32; LANES]>,
    d: &mut Registers,
) -> bool {
    let mut job = Job {
        instruction,
        a,
        b,
        index,
        d,
    };
    match level.or_best() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => run::<Avx512>(&mut job),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => run::<Avx2>(&mut job),
        _ => run::<Baseline>(&mut job),
    }
}

/// Tries kernels in order, the fastest first.
fn run<F: Features>(job: &mut Job<'_>) -> bool {
    let shape = *job.instruction.shape();
    let key = (shape.m, shape.stored_k(), shape.a_elements());
    // The kernel of a shape: rows of D, stored columns of A, elements a lane.
    macro_rules! dense {
        ($kernel:ty: $(($m:literal, $k:literal, $e:literal))*) => {
            match key {
                $(($m, $k, $e) => F::run(Dense::<$kernel, $m, $k, $e>::new(job)),)*
                _ => false,
            }
        };
    }
    macro_rules! sparse {
        ($kernel:ty: $(($m:literal, $k:literal, $e:literal, $b:literal))*) => {
            match key {
                $(($m, $k, $e) => F::run(Sparse::<$kernel, $m, $k, $e, $b>::new(job)),)*
                _ => false,
            }
        };
    }
    macro_rules! fours {
        ($kernel:ident $(<$g:literal>)?) => {
            dense!($kernel<$($g,)? 4>: (32, 4, 4) (16, 4, 4) (4, 4, 4))
                || dense!($kernel<$($g,)? 8>: (32, 8, 4))
                || dense!($kernel<$($g,)? 16>: (16, 16, 4))
        };
    }
    macro_rules! twos {
        ($kernel:ident<$g:literal>) => {
            dense!($kernel<$g, 2>: (32, 2, 2) (16, 2, 2) (4, 2, 2))
                || dense!($kernel<$g, 4>: (32, 4, 2))
                || dense!($kernel<$g, 8>: (16, 8, 2))
        };
    }
    macro_rules! each_four {
        ($kernel:ty) => {
            dense!($kernel: (32, 4, 4) (16, 4, 4) (4, 4, 4) (32, 8, 4) (16, 16, 4))
        };
    }
    macro_rules! each_two {
        ($kernel:ty) => {
            dense!($kernel: (32, 2, 2) (16, 2, 2) (4, 2, 2) (32, 4, 2) (16, 8, 2))
        };
    }
    match (job.instruction.rule(), shape.sparse) {
        (Rule::Chain, _) if shape.a == ElementType::F64 => F::run(Doubles(job)),
        (Rule::Chain, _) => {
            dense!(Chain<1>: (32, 1, 1) (16, 1, 1) (4, 1, 1))
                || dense!(Chain<2>: (32, 2, 1))
                || dense!(Chain<4>: (16, 4, 1))
        }
        (Rule::Integer, false) => fours!(Bytes) || dense!(Bytes<16>: (32, 16, 8) (16, 32, 8)),
        (Rule::Integer, true) => sparse!(Bytes<16>: (32, 16, 8, 16) (16, 32, 8, 16)),
        (Rule::Exact { group: 4 }, _) => fours!(Plain<4>) || each_four!(Split<4>),
        (Rule::Exact { .. }, _) => twos!(Plain<2>) || each_two!(Split<2>),
        (Rule::Pairwise { group: 4 }, _) => fours!(Pairs<4>) || each_four!(FlushedPairs<4>),
        (Rule::Pairwise { .. }, _) => twos!(Pairs<2>) || each_two!(FlushedPairs<2>),
        (Rule::Fused { group: 4 }, false) => {
            dense!(Fused<4>: (32, 4, 4) (16, 4, 4) (4, 4, 4) (32, 4, 2) (16, 8, 2))
                || dense!(WideFused<4>: (32, 4, 4) (16, 4, 4) (4, 4, 4) (32, 4, 2) (16, 8, 2))
        }
        (Rule::Fused { .. }, false) => {
            dense!(Fused<8>: (32, 8, 4) (16, 16, 4)) || dense!(WideFused<8>: (32, 8, 4) (16, 16, 4))
        }
        (Rule::Fused { .. }, true) => {
            sparse!(Fused<8>: (32, 8, 4, 8) (16, 16, 4, 8))
                || sparse!(WideFused<8>: (32, 8, 4, 8) (16, 16, 4, 8))
        }
        (Rule::FusedHalves { .. }, false) => dense!(FusedHalves<16>: (32, 16, 8) (16, 32, 8)),
        (Rule::FusedHalves { .. }, true) => {
            sparse!(FusedHalves<16>: (32, 16, 8, 16) (16, 32, 8, 16))
        }
    }
}

/// A level of processor features, for which products are instantiated. They are run only where `Level::or_best` has found the level.
trait Features {
    fn run<P: Product>(product: P) -> bool;
}

macro_rules! features {
    ($(#[$doc:meta])* $name:ident $features:literal) => {
        $(#[$doc])*
        #[cfg(target_arch = "x86_64")]
        struct $name;

        #[cfg(target_arch = "x86_64")]
        impl Features for $name {
            fn run<P: Product>(product: P) -> bool {
                #[target_feature(enable = $features)]
                fn with_features<P: Product>(product: P) -> bool {
                    product.run()
                }
                // SAFETY: `accumulate` chooses a level that the processor has.
                unsafe { with_features(product) }
            }
        }
    };
}

features!(
    /// Sixteen 32-bit lanes at a time.
    Avx512 "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
features!(
    /// Eight 32-bit lanes at a time.
    Avx2 "avx2,fma"
);

/// What every processor of the host's architecture has.
struct Baseline;

impl Features for Baseline {
    fn run<P: Product>(product: P) -> bool {
        product.run()
    }
}
