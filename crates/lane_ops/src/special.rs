//! Custom steps as data: an engine names the step and the kinds of its operands.

use wavetank_ir::Op;

use crate::custom::carry::{AddCarry, MadWide, UniformAddCarry, UniformMadWide};
use crate::custom::lane_call::Call;
use crate::custom::matrix::Product;
use crate::custom::tally::Tally;
use crate::custom::{cross, moves, probe};
use crate::drive::{Avx2, Avx512, Baseline, Level};
use crate::simd::Simd;
use crate::step::StepFn;

/// A step with a body of its own. Values are `wide` if they have 64 bits. Bit n of a `uniform` says that source n is a uniform
/// value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are explained once, above")]
pub enum Special {
    /// Spreads a uniform value over all lanes.
    Splat { wide: bool },
    /// A copy of a lane vector.
    Copy { wide: bool },
    /// A copy of a uniform value.
    UniformCopy { wide: bool },
    /// 1 for a uniform value that is not 0.
    Truth,
    /// Writes the bytes of 32-bit lanes that the step's flags select, from a lane vector or a `uniform` value.
    WriteBytes { uniform: bool },
    /// `mask ? a : b` in each lane; source 0 is the mask.
    Select { wide: bool, uniform: u8 },
    /// `condition ? a : b` of uniform values.
    UniformSelect { wide: bool },
    /// Reads a vector register by an index.
    ReadIndexed,
    /// Reads a uniform register by an index.
    ReadIndexedS,
    /// Writes a vector register by an index, from a lane vector or a `uniform` value.
    WriteIndexed { uniform: bool },
    /// Writes a uniform register by an index.
    WriteIndexedS,
    /// The lanes below each lane, as the low or the high half of a mask.
    LanesBelow { high: bool },
    /// The number of each lane.
    LaneId,
    /// Permutes lanes by a table; `in_row` promises that it stays within rows of sixteen.
    Shuffle { in_row: bool },
    /// Permutes the bits of a mask by a table.
    ShuffleMask,
    /// Fetches for each lane the value of another lane.
    Permute { uniform: u8 },
    /// Sends the value of each lane to another lane.
    Scatter { uniform: u8 },
    /// The value of one lane.
    ReadLane,
    /// The value of the first lane of a mask.
    ReadFirstLane,
    /// Calls a lane function of the front end.
    LaneCall,
    /// Multiplies matrices.
    Matrix,
    /// Reports the lanes of a vector that are not 0.
    ProbeLanes { wide: bool },
    /// Reports the lanes of a mask.
    ProbeMask,
    /// Reports a uniform value that is not 0.
    ProbeUniform { wide: bool },
    /// Counts an execution of a site.
    Tally,
    /// A sum, or with `subtract` a difference, that returns the carries; with `carry` it also takes carries.
    Sum {
        subtract: bool,
        carry: bool,
        uniform: u8,
    },
    /// A sum with carry of uniform values.
    UniformSum { subtract: bool, carry: bool },
    /// A product of 32-bit values plus a 64-bit value.
    MadWide { signed: bool, uniform: u8 },
    /// A product plus a 64-bit value, both of uniform values.
    UniformMadWide { signed: bool },
}

impl Special {
    /// Returns the step of a sum with carry or a wide multiply-add on lane vectors, with some sources `uniform`.
    pub fn wide(op: &Op, uniform: u8) -> Special {
        match Special::uniform_wide(op) {
            Special::UniformSum { subtract, carry } => Special::Sum {
                subtract,
                carry,
                uniform: uniform & 3,
            },
            Special::UniformMadWide { signed } => Special::MadWide { signed, uniform },
            other => other,
        }
    }

    /// Returns the step of a sum with carry or a wide multiply-add on uniform values.
    pub fn uniform_wide(op: &Op) -> Special {
        let sum = |subtract, carry: bool| Special::UniformSum { subtract, carry };
        match op {
            Op::AddCarry(_, _, carry) => sum(false, carry.is_some()),
            Op::SubBorrow(_, _, carry) => sum(true, carry.is_some()),
            Op::MadWide { signed, .. } => Special::UniformMadWide { signed: *signed },
            op => unreachable!("{op} has one result"),
        }
    }
}

/// Returns the step function at a level.
pub fn special_step(simd: Simd, special: Special) -> StepFn {
    match simd {
        Simd::Avx512 => at_level::<Avx512>(special),
        Simd::Avx2 => at_level::<Avx2>(special),
        Simd::Baseline => at_level::<Baseline>(special),
    }
}

/// Selects the instance of a step by its uniform operands.
macro_rules! by_operands {
    ($u:expr, [$($n:literal)*], |$U:ident| $make:expr) => {
        match $u {
            $($n => { const $U: u8 = $n; $make })*
            _ => { const $U: u8 = 0; $make }
        }
    };
}

/// Selects the instance for 64 or 32 bits.
macro_rules! by_width {
    ($wide:expr, |$W:ident| $make:expr) => {
        if $wide {
            type $W = u64;
            $make
        } else {
            type $W = u32;
            $make
        }
    };
}

fn at_level<L: Level>(special: Special) -> StepFn {
    match special {
        Special::Splat { wide } => by_width!(wide, |W| L::custom::<moves::Splat<W>>()),
        Special::Copy { wide } => by_width!(wide, |W| L::op1::<moves::Copy<W>, false>()),
        Special::UniformCopy { wide } => by_width!(wide, |W| L::uniform1::<moves::Copy<W>>()),
        Special::Truth => L::uniform1::<moves::Truth>(),
        Special::WriteBytes { uniform: true } => L::custom::<moves::WriteBytes<1>>(),
        Special::WriteBytes { uniform: false } => L::custom::<moves::WriteBytes<0>>(),
        Special::Select { wide, uniform } => by_width!(wide, |W| {
            by_operands!(uniform, [2 4 6], |U| L::custom::<moves::Select<W, U>>())
        }),
        Special::UniformSelect { wide } => {
            by_width!(wide, |W| L::custom::<moves::UniformSelect<W>>())
        }
        Special::ReadIndexed => L::custom::<moves::ReadIndexed>(),
        Special::ReadIndexedS => L::custom::<moves::ReadIndexedS>(),
        Special::WriteIndexed { uniform: true } => L::custom::<moves::WriteIndexed<2>>(),
        Special::WriteIndexed { uniform: false } => L::custom::<moves::WriteIndexed<0>>(),
        Special::WriteIndexedS => L::custom::<moves::WriteIndexedS>(),
        Special::LanesBelow { high: true } => L::custom::<cross::LanesBelow<true>>(),
        Special::LanesBelow { high: false } => L::custom::<cross::LanesBelow<false>>(),
        Special::LaneId => L::custom::<cross::LaneId>(),
        Special::Shuffle { in_row: true } => L::custom::<cross::Shuffle<true>>(),
        Special::Shuffle { in_row: false } => L::custom::<cross::Shuffle<false>>(),
        Special::ShuffleMask => L::custom::<cross::ShuffleMask>(),
        Special::Permute { uniform } => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<cross::Permute<U>>())
        }
        Special::Scatter { uniform } => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<cross::Scatter<U>>())
        }
        Special::ReadLane => L::custom::<cross::ReadLane>(),
        Special::ReadFirstLane => L::custom::<cross::ReadFirstLane>(),
        Special::LaneCall => L::custom::<Call>(),
        Special::Matrix => L::custom::<Product>(),
        Special::ProbeLanes { wide } => by_width!(wide, |W| L::custom::<probe::Lanes<W>>()),
        Special::Tally => L::custom::<Tally>(),
        Special::ProbeMask => L::custom::<probe::Mask>(),
        Special::ProbeUniform { wide } => by_width!(wide, |W| L::custom::<probe::Uniform<W>>()),
        Special::Sum {
            subtract,
            carry,
            uniform,
        } => sum::<L>(subtract, carry, uniform),
        Special::UniformSum { subtract, carry } => uniform_sum::<L>(subtract, carry),
        Special::MadWide { signed, uniform } => mad_wide::<L>(signed, uniform),
        Special::UniformMadWide { signed: true } => L::custom::<UniformMadWide<true>>(),
        Special::UniformMadWide { signed: false } => L::custom::<UniformMadWide<false>>(),
    }
}

fn sum<L: Level>(subtract: bool, carry: bool, uniform: u8) -> StepFn {
    match (subtract, carry) {
        (false, false) => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<AddCarry<false, false, U>>())
        }
        (false, true) => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<AddCarry<false, true, U>>())
        }
        (true, false) => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<AddCarry<true, false, U>>())
        }
        (true, true) => {
            by_operands!(uniform, [1 2 3], |U| L::custom::<AddCarry<true, true, U>>())
        }
    }
}

fn uniform_sum<L: Level>(subtract: bool, carry: bool) -> StepFn {
    match (subtract, carry) {
        (false, false) => L::custom::<UniformAddCarry<false, false>>(),
        (false, true) => L::custom::<UniformAddCarry<false, true>>(),
        (true, false) => L::custom::<UniformAddCarry<true, false>>(),
        (true, true) => L::custom::<UniformAddCarry<true, true>>(),
    }
}

fn mad_wide<L: Level>(signed: bool, uniform: u8) -> StepFn {
    if signed {
        by_operands!(uniform, [1 2 3 4 5 6], |U| L::custom::<MadWide<true, U>>())
    } else {
        by_operands!(uniform, [1 2 3 4 5 6], |U| L::custom::<MadWide<false, U>>())
    }
}
