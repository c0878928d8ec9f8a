//! The arithmetic of one element of D: which rule a chip follows for a type, and the rule on plain numbers.
//!
//! AMD's manuals do not say how products are summed. The rules here are those of microsoft/MMA-Sim (arXiv 2511.10909v2), whose
//! authors have compared them bit by bit with MI100, MI250X and MI300X. k ascends, the accumulator starts as C, and groups of
//! products are added one after the other. MODE has no part: results are rounded to the nearest, ties to even.
//!
//! Each rule stands in its file as a function on integers or single operations, which is slow and easy to compare with its source.
//! The kernels compute the same faster; tests compare them with these functions.

mod chain;
mod exact;
mod fixed_point;
mod fused;
mod integer;
mod pairwise;

use crate::number::{ElementType, Number};
use crate::shape::{Model, Shape};

/// How the products of an element of D are summed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// A fused multiply-add for each k.
    Chain,
    /// The exact sum of the accumulator and `group` products, rounded once.
    Exact {
        /// Products that are added at once.
        group: usize,
    },
    /// Denormals are zeros; products are rounded and added in pairs, and their sum to the accumulator.
    Pairwise {
        /// Products that are added before the accumulator is: 2 or 4.
        group: usize,
    },
    /// Products are truncated at a common place and summed; sum and accumulator are floored and added.
    Fused {
        /// Products that are added at once.
        group: usize,
    },
    /// As `Fused`, with products of even and of odd k truncated and summed apart.
    FusedHalves {
        /// Products that are added at once.
        group: usize,
    },
    /// Integers that wrap.
    Integer,
}

impl Rule {
    /// Returns the rule by which a chip computes a shape.
    ///
    /// ```
    /// use wavetank_matrix::{ElementType, Model, Rule, Shape};
    ///
    /// let shape = Shape::dense(16, 16, 1, ElementType::F16, ElementType::F32);
    /// assert_eq!(Rule::of(Model::Gfx90a, &shape), Rule::Pairwise { group: 4 });
    /// assert_eq!(Rule::of(Model::Gfx942, &shape), Rule::Fused { group: 8 });
    /// ```
    pub fn of(model: Model, shape: &Shape) -> Rule {
        let largest = |group: usize| shape.stored_k().clamp(1, group);
        match (model, shape.a) {
            (_, ElementType::F64 | ElementType::F32) => Rule::Chain,
            (_, ElementType::I8 | ElementType::I32) => Rule::Integer,
            // The two forms of bf16, with two and with four elements a lane, differ in this as well.
            (Model::Gfx908, _) => Rule::Exact {
                group: shape.a_elements(),
            },
            (Model::Gfx90a, _) => Rule::Pairwise {
                group: shape.a_elements(),
            },
            (Model::Gfx942, ElementType::Xf32) => Rule::Fused { group: largest(4) },
            (Model::Gfx942, ElementType::F16 | ElementType::Bf16) => {
                Rule::Fused { group: largest(8) }
            }
            (Model::Gfx942, ElementType::Fp8 | ElementType::Bf8) => {
                Rule::FusedHalves { group: largest(16) }
            }
        }
    }

    /// Computes an element of D: `acc` is the bits of C's element, `a` and `b` are those of a row of A and a column of B.
    ///
    /// If one of the two is longer, the rest of it is ignored.
    ///
    /// ```
    /// use wavetank_matrix::{ElementType, Rule};
    ///
    /// let rule = Rule::Exact { group: 4 };
    /// // 1·1 + 2·0.5, and three as the accumulator.
    /// let d = rule.dot(
    ///     ElementType::F16,
    ///     ElementType::F16,
    ///     3f32.to_bits().into(),
    ///     &[0x3c00, 0x4000, 0, 0],
    ///     &[0x3c00, 0x3800, 0, 0],
    /// );
    /// assert_eq!(d, u64::from(5f32.to_bits()));
    /// ```
    pub fn dot(
        self,
        a_type: ElementType,
        b_type: ElementType,
        acc: u64,
        a: &[u64],
        b: &[u64],
    ) -> u64 {
        let factors = a.iter().copied().zip(b.iter().copied());
        let narrow = || factors.clone().map(|(a, b)| (a as u32, b as u32));
        let decode = |(a, b)| (Number::decode(a_type, a), Number::decode(b_type, b));
        let numbers = || narrow().map(decode).collect::<Vec<_>>();
        match self {
            Rule::Chain if a_type == ElementType::F64 => chain::dot_f64(acc, factors),
            Rule::Chain => chain::dot_f32(acc as u32, narrow()).into(),
            Rule::Exact { group } => exact::dot(group, acc as u32, &numbers()).into(),
            Rule::Pairwise { group } => pairwise::dot(group, acc as u32, &numbers()).into(),
            Rule::Fused { group } => fused::dot(group, false, acc as u32, &numbers()).into(),
            Rule::FusedHalves { group } => fused::dot(group, true, acc as u32, &numbers()).into(),
            Rule::Integer => integer::dot(acc as u32, narrow()).into(),
        }
    }
}

/// Whether results are known to be those of the chip, NaNs aside. Those of sparse float shapes are not: their rule is that of the
/// dense ones, applied to the stored elements. No comparison with silicon is published.
pub fn is_established(shape: &Shape) -> bool {
    !shape.sparse || shape.a == ElementType::I8
}
