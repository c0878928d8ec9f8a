//! Float arithmetic: sums, products and fused multiply-adds.

use std::marker::PhantomData;

use crate::directed::Directed;
use crate::format::{Format, is_nan, nan_of};
use crate::lanes::{Env, Op2, Op3};
use crate::mode::{Mode, input, output};

/// Declares functions of format `F` in mode `M`: the value rounded to nearest, then the value rounded as the environment demands.
macro_rules! arithmetic {
    ($trait:ident, $env:ident: $($(#[$doc:meta])* $name:ident($($a:ident: $ty:ident),*) = $nearest:expr, $directed:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<F, M>(PhantomData<(F, M)>);

        impl<F: Directed, M: Mode> $trait for $name<F, M> {
            $(type $ty = F::W;)*
            type R = F::W;
            const REPAIR: bool = true;

            #[inline(always)]
            fn f($env: Env, $($a: F::W),*) -> F::W {
                $(let $a = input::<F, M>($env, $a);)*
                let r = if M::NEAREST || $env.round() == 0 {
                    $nearest
                } else {
                    $directed
                };
                output::<F, M>($env, r)
            }

            #[inline(always)]
            fn odd(r: F::W) -> bool {
                is_nan::<F>(r)
            }

            fn repair(_: Env, $($a: F::W),*, _: F::W) -> F::W {
                nan_of::<F, _>([$($a),*])
            }
        }
    )*};
}

arithmetic! { Op2, env:
    /// The sum a + b, rounded once.
    Add(a: A, b: B) = <F as Format>::add(a, b), <F as Directed>::add(env.round(), a, b);
    /// The difference a − b, rounded once.
    Sub(a: A, b: B) = <F as Format>::sub(a, b), <F as Directed>::add(env.round(), a, b ^ F::SIGN);
    /// The product a · b, rounded once.
    Mul(a: A, b: B) = <F as Format>::mul(a, b), <F as Directed>::mul(env.round(), a, b);
}

arithmetic! { Op3, env:
    /// a · b + c, rounded once.
    Fma(a: A, b: B, c: C) = <F as Format>::fma(a, b, c), <F as Directed>::fma(env.round(), a, b, c);
    /// a · b rounded, plus c rounded.
    Mad(a: A, b: B, c: C) = <F as Format>::add(output::<F, M>(env, <F as Format>::mul(a, b)), c), {
        let product = <F as Directed>::mul(env.round(), a, b);
        <F as Directed>::add(env.round(), output::<F, M>(env, product), c)
    };
}
