//! Float environments as types, so that the common ones need no test in a lane.

use crate::format::Format;
use crate::lanes::Env;

/// The part of the environment that is known at compile time.
pub(crate) trait Mode: 'static {
    /// Whether rounding is to nearest.
    const NEAREST: bool;
    /// Returns whether denormal operands are read as zero.
    fn flush_in(env: Env) -> bool;
    /// Returns whether denormal results become zero.
    fn flush_out(env: Env) -> bool;
}

/// To nearest, with denormals kept.
pub(crate) struct Exact;

/// To nearest, with denormal operands and results flushed.
pub(crate) struct Flush;

/// The environment of the step, tested at run time.
pub(crate) struct Dynamic;

impl Mode for Exact {
    const NEAREST: bool = true;
    #[inline(always)]
    fn flush_in(_: Env) -> bool {
        false
    }
    #[inline(always)]
    fn flush_out(_: Env) -> bool {
        false
    }
}

impl Mode for Flush {
    const NEAREST: bool = true;
    #[inline(always)]
    fn flush_in(_: Env) -> bool {
        true
    }
    #[inline(always)]
    fn flush_out(_: Env) -> bool {
        true
    }
}

impl Mode for Dynamic {
    const NEAREST: bool = false;
    #[inline(always)]
    fn flush_in(env: Env) -> bool {
        env.flush_in()
    }
    #[inline(always)]
    fn flush_out(env: Env) -> bool {
        env.flush_out()
    }
}

/// Returns an operand, flushed if the environment flushes inputs.
#[inline(always)]
pub(crate) fn input<F: Format, M: Mode>(env: Env, a: F::W) -> F::W {
    flush::<F>(M::flush_in(env), F::clean(a))
}

/// Returns a result, flushed if the environment flushes outputs.
#[inline(always)]
pub(crate) fn output<F: Format, M: Mode>(env: Env, r: F::W) -> F::W {
    flush::<F>(M::flush_out(env), r)
}

#[inline(always)]
fn flush<F: Format>(on: bool, a: F::W) -> F::W {
    if on & (a & F::EXPONENT == F::ZERO) {
        a & F::SIGN
    } else {
        a
    }
}
