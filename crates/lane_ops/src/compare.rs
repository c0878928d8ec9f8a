//! Relations of floats, and the test of a float's class.

use std::marker::PhantomData;

use crate::format::{Format, is_nan};
use crate::lanes::{Env, Test2};
use crate::mode::{Mode, input};

/// Declares relations of format `F` in mode `M`.
macro_rules! relations {
    ($($(#[$doc:meta])* $name:ident($a:ident, $b:ident) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<F, M>(PhantomData<(F, M)>);

        impl<F: Format, M: Mode> Test2 for $name<F, M> {
            type A = F::W;
            type B = F::W;
            #[inline(always)]
            fn f(env: Env, a: F::W, b: F::W) -> bool {
                let ($a, $b) = (input::<F, M>(env, a), input::<F, M>(env, b));
                $body
            }
        }
    )*};
}

relations! {
    /// Ordered and equal: false for NaNs.
    Eq(a, b) = F::eq(a, b);
    /// Unordered or unequal: true for NaNs.
    Ne(a, b) = !F::eq(a, b);
    /// Ordered and less: false for NaNs.
    Lt(a, b) = F::lt(a, b);
    /// Ordered and less or equal: false for NaNs.
    Le(a, b) = F::le(a, b);
    /// Ordered and unequal: false for NaNs.
    Lg(a, b) = F::lt(a, b) | F::lt(b, a);
    /// Both operands are numbers.
    Ordered(a, b) = !F::unordered(a, b);
}

/// Whether the class of a float is in a bit set (Vega ISA, V_CMP_CLASS_F32): signaling NaN, quiet NaN, −∞, −normal, −denormal,
/// −0, +0, +denormal, +normal, +∞. Denormals are never flushed.
pub(crate) struct Class<F>(PhantomData<F>);

impl<F: Format> Test2 for Class<F> {
    type A = F::W;
    type B = u32;

    #[inline(always)]
    fn f(_: Env, a: F::W, b: u32) -> bool {
        let a = F::clean(a);
        let magnitude = a & !F::SIGN;
        let distance = if magnitude == F::ZERO {
            0
        } else if magnitude & F::EXPONENT == F::ZERO {
            1
        } else if magnitude < F::EXPONENT {
            2
        } else {
            3
        };
        let negative = a & F::SIGN != F::ZERO;
        let number = if negative { 5 - distance } else { 6 + distance };
        let nan = u32::from(a & F::QUIET != F::ZERO);
        let class = if is_nan::<F>(a) { nan } else { number };
        b >> class & 1 != 0
    }
}
