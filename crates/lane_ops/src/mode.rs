//! Float environments as types: the common ones cost nothing in a lane.

use crate::format::Format;
use crate::lanes::Env;

/// What a function knows of its environment when it is compiled.
pub trait Mode: 'static {
    /// Rounding is to nearest.
    const NEAREST: bool;
    /// Denormal operands are read as zero.
    fn flush_in(env: Env) -> bool;
    /// Denormal results become zero.
    fn flush_out(env: Env) -> bool;
}

/// To nearest, denormals kept.
pub struct Exact;

/// To nearest, denormals flushed on the way in and out.
pub struct Flush;

/// Whatever the step says.
pub struct Dynamic;

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

/// An operand as the operation sees it.
#[inline(always)]
pub fn input<F: Format, M: Mode>(env: Env, a: F::W) -> F::W {
    flush::<F>(M::flush_in(env), F::clean(a))
}

/// A result as the environment wants it.
#[inline(always)]
pub fn output<F: Format, M: Mode>(env: Env, r: F::W) -> F::W {
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
