//! The visitor of an operation's function: one `match`, many uses.
//!
//! The `match` from IR operations to functions is written once, in [`crate::int`], [`crate::float`] …; the visitor decides the
//! use of the function: it makes a vector step or a uniform step, or returns which operands can be fused.

use std::marker::PhantomData;

use crate::custom::batch;
use crate::drive::Level;
use crate::lanes::{Batch2, Batch3, Op1, Op2, Op3, Test2};
use crate::step::StepFn;

/// A visitor of the function of an operation.
///
/// `plain` and `batch` functions fuse uniform sources, `float` functions also fuse sign modifiers; `rare` ones take lane vectors
/// only, to keep the code small.
pub trait Visit {
    /// The result of the visit.
    type Out;
    /// One source, a lane vector.
    fn rare1<F: Op1>(self) -> Self::Out;
    /// One source with sign modifiers.
    fn float1<F: Op1>(self) -> Self::Out;
    /// Two sources, lane vectors only.
    fn rare2<F: Op2>(self) -> Self::Out;
    /// Two sources, possibly uniform.
    fn plain2<F: Op2>(self) -> Self::Out;
    /// Two sources with sign modifiers.
    fn float2<F: Op2>(self) -> Self::Out;
    /// Three sources, lane vectors only.
    fn rare3<F: Op3>(self) -> Self::Out;
    /// Three sources, possibly uniform.
    fn plain3<F: Op3>(self) -> Self::Out;
    /// Three sources with sign modifiers.
    fn float3<F: Op3>(self) -> Self::Out;
    /// Two sources, all lanes at once.
    fn batch2<F: Batch2>(self) -> Self::Out;
    /// Three sources, all lanes at once.
    fn batch3<F: Batch3>(self) -> Self::Out;
    /// A relation, lane vectors only.
    fn rare_test<F: Test2>(self) -> Self::Out;
    /// A relation, possibly with uniform sources.
    fn plain_test<F: Test2>(self) -> Self::Out;
    /// A relation with sign modifiers.
    fn float_test<F: Test2>(self) -> Self::Out;
}

/// The operands that can be fused into a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// Whether uniform sources can be fused.
    pub uniform: bool,
    /// Whether sign modifiers can be fused.
    pub mods: bool,
}

const NOTHING: Caps = Caps {
    uniform: false,
    mods: false,
};
const UNIFORM: Caps = Caps {
    uniform: true,
    mods: false,
};
const MODS: Caps = Caps {
    uniform: false,
    mods: true,
};
const BOTH: Caps = Caps {
    uniform: true,
    mods: true,
};

/// A visitor that returns the operands that can be fused.
pub(crate) struct AskCaps;

impl Visit for AskCaps {
    type Out = Caps;
    fn rare1<F: Op1>(self) -> Caps {
        NOTHING
    }
    fn float1<F: Op1>(self) -> Caps {
        MODS
    }
    fn rare2<F: Op2>(self) -> Caps {
        NOTHING
    }
    fn plain2<F: Op2>(self) -> Caps {
        UNIFORM
    }
    fn float2<F: Op2>(self) -> Caps {
        BOTH
    }
    fn rare3<F: Op3>(self) -> Caps {
        NOTHING
    }
    fn plain3<F: Op3>(self) -> Caps {
        UNIFORM
    }
    fn float3<F: Op3>(self) -> Caps {
        BOTH
    }
    fn batch2<F: Batch2>(self) -> Caps {
        UNIFORM
    }
    fn batch3<F: Batch3>(self) -> Caps {
        UNIFORM
    }
    fn rare_test<F: Test2>(self) -> Caps {
        NOTHING
    }
    fn plain_test<F: Test2>(self) -> Caps {
        UNIFORM
    }
    fn float_test<F: Test2>(self) -> Caps {
        BOTH
    }
}

/// Makes a vector step for given uniform sources.
pub(crate) struct VectorStep<L> {
    /// Bit n says that source n is uniform.
    pub uniform: u8,
    /// Whether sources have sign modifiers.
    pub mods: bool,
    level: PhantomData<L>,
}

impl<L: Level> VectorStep<L> {
    /// A visitor for steps with these sources.
    pub(crate) fn new(uniform: u8, mods: bool) -> Self {
        VectorStep {
            uniform,
            mods,
            level: PhantomData,
        }
    }
}

/// Selects the instance of a batch by its uniform sources.
macro_rules! batch_by_uniform {
    ($level:ident, $step:ident, $func:ident, $u:expr, [$($n:literal)*]) => {
        match if $level::FUSE { $u } else { 0 } {
            $($n => $level::custom::<batch::$step<$func, $n>>(),)*
            _ => $level::custom::<batch::$step<$func, 0>>(),
        }
    };
}

macro_rules! by_uniform {
    ($level:ident, $f:ident, $func:ident, $u:expr, $mods:literal, [$($n:literal)*]) => {
        match $u {
            $($n => $level::$f::<$func, $n, $mods>(),)*
            _ => $level::$f::<$func, 0, $mods>(),
        }
    };
}

impl<L: Level> Visit for VectorStep<L> {
    type Out = StepFn;
    fn rare1<F: Op1>(self) -> StepFn {
        L::op1::<F, false>()
    }
    fn float1<F: Op1>(self) -> StepFn {
        if self.mods {
            L::op1::<F, true>()
        } else {
            L::op1::<F, false>()
        }
    }
    fn rare2<F: Op2>(self) -> StepFn {
        L::op2::<F, 0, false>()
    }
    fn plain2<F: Op2>(self) -> StepFn {
        if !L::FUSE {
            return L::op2::<F, 0, false>();
        }
        by_uniform!(L, op2, F, self.uniform, false, [1 2])
    }
    fn float2<F: Op2>(self) -> StepFn {
        match (L::FUSE, self.mods) {
            (false, _) => L::op2::<F, 0, false>(),
            (_, false) => by_uniform!(L, op2, F, self.uniform, false, [1 2]),
            (_, true) => by_uniform!(L, op2, F, self.uniform, true, [1 2]),
        }
    }
    fn rare3<F: Op3>(self) -> StepFn {
        L::op3::<F, 0, false>()
    }
    fn plain3<F: Op3>(self) -> StepFn {
        if !L::FUSE {
            return L::op3::<F, 0, false>();
        }
        by_uniform!(L, op3, F, self.uniform, false, [1 2 3 4 5 6])
    }
    fn float3<F: Op3>(self) -> StepFn {
        match (L::FUSE, self.mods) {
            (false, _) => L::op3::<F, 0, false>(),
            (_, false) => by_uniform!(L, op3, F, self.uniform, false, [1 2 3 4 5 6]),
            (_, true) => by_uniform!(L, op3, F, self.uniform, true, [1 2 3 4 5 6]),
        }
    }
    fn batch2<F: Batch2>(self) -> StepFn {
        batch_by_uniform!(L, Two, F, self.uniform, [1 2])
    }
    fn batch3<F: Batch3>(self) -> StepFn {
        batch_by_uniform!(L, Three, F, self.uniform, [1 2 3 4 5 6])
    }
    fn rare_test<F: Test2>(self) -> StepFn {
        L::test2::<F, 0, false>()
    }
    fn plain_test<F: Test2>(self) -> StepFn {
        if !L::FUSE {
            return L::test2::<F, 0, false>();
        }
        by_uniform!(L, test2, F, self.uniform, false, [1 2])
    }
    fn float_test<F: Test2>(self) -> StepFn {
        match (L::FUSE, self.mods) {
            (false, _) => L::test2::<F, 0, false>(),
            (_, false) => by_uniform!(L, test2, F, self.uniform, false, [1 2]),
            (_, true) => by_uniform!(L, test2, F, self.uniform, true, [1 2]),
        }
    }
}

/// Makes a uniform step of an operation.
pub(crate) struct UniformStep<L>(PhantomData<L>);

impl<L> UniformStep<L> {
    /// A visitor that makes uniform steps.
    pub(crate) fn new() -> Self {
        UniformStep(PhantomData)
    }
}

impl<L: Level> Visit for UniformStep<L> {
    type Out = StepFn;
    fn rare1<F: Op1>(self) -> StepFn {
        L::uniform1::<F>()
    }
    fn float1<F: Op1>(self) -> StepFn {
        L::uniform1::<F>()
    }
    fn rare2<F: Op2>(self) -> StepFn {
        L::uniform2::<F>()
    }
    fn plain2<F: Op2>(self) -> StepFn {
        L::uniform2::<F>()
    }
    fn float2<F: Op2>(self) -> StepFn {
        L::uniform2::<F>()
    }
    fn rare3<F: Op3>(self) -> StepFn {
        L::uniform3::<F>()
    }
    fn plain3<F: Op3>(self) -> StepFn {
        L::uniform3::<F>()
    }
    fn float3<F: Op3>(self) -> StepFn {
        L::uniform3::<F>()
    }
    fn batch2<F: Batch2>(self) -> StepFn {
        L::uniform2::<F>()
    }
    fn batch3<F: Batch3>(self) -> StepFn {
        L::uniform3::<F>()
    }
    fn rare_test<F: Test2>(self) -> StepFn {
        L::uniform_test2::<F>()
    }
    fn plain_test<F: Test2>(self) -> StepFn {
        L::uniform_test2::<F>()
    }
    fn float_test<F: Test2>(self) -> StepFn {
        L::uniform_test2::<F>()
    }
}
