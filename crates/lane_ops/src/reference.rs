//! The reference evaluator: operations lane by lane, slow and simple.

use wavetank_ir::{LANES, Op};

use crate::element_function;
use crate::lanes::{Batch2, Batch3, Env, Op1, Op2, Op3, Test2, Word};
use crate::visit::Visit;

/// A value: one for the wave, or one a lane.
#[derive(Clone)]
pub enum Val {
    /// One value for the wave.
    Uniform(u64),
    /// One value for each lane.
    Lanes(Box<[u64; LANES]>),
}

impl Val {
    /// Returns the value of a lane.
    pub fn lane(&self, lane: usize) -> u64 {
        match self {
            Val::Uniform(v) => *v,
            Val::Lanes(v) => v[lane],
        }
    }

    /// Returns the value of the wave, or that of lane 0 of a lane vector, which the verifier excludes.
    pub fn uniform(&self) -> u64 {
        self.lane(0)
    }

    /// Returns a lane vector from the values of each lane, or a uniform value from that of lane 0.
    pub fn each(vector: bool, f: impl Fn(usize) -> u64) -> Val {
        if vector {
            Val::Lanes(Box::new(std::array::from_fn(f)))
        } else {
            Val::Uniform(f(0))
        }
    }
}

/// Returns a mask from the results of each lane, or 0 or 1 for a uniform value.
pub fn mask_of(vector: bool, f: impl Fn(usize) -> bool) -> u64 {
    let lanes = if vector { LANES } else { 1 };
    (0..lanes).fold(0, |mask, lane| mask | u64::from(f(lane)) << lane)
}

/// Evaluates an operation that has a function of one element: in each lane, or once if it is not on lane vectors. Operands that
/// it lacks are ignored; a relation gives a mask. `None` if there is no such function.
pub fn evaluate(op: &Op, vector: bool, args: [Val; 3]) -> Option<Val> {
    let env = element_function::environment(op);
    element_function::visit_function(op, Eval { env, vector, args })
}

/// Applies a function to its operands, lane by lane.
struct Eval {
    env: Env,
    vector: bool,
    args: [Val; 3],
}

impl Eval {
    fn arg<W: Word>(&self, n: usize, lane: usize) -> W {
        W::from_u64(self.args[n].lane(lane))
    }

    fn one<F: Op1>(&self) -> Val {
        Val::each(self.vector, |l| F::f(self.env, self.arg(0, l)).to_u64())
    }

    fn two<F: Op2>(&self) -> Val {
        Val::each(self.vector, |l| {
            let (a, b) = (self.arg(0, l), self.arg(1, l));
            let r = F::f(self.env, a, b);
            let odd = F::REPAIR && F::odd(r);
            if odd { F::repair(self.env, a, b, r) } else { r }.to_u64()
        })
    }

    fn three<F: Op3>(&self) -> Val {
        Val::each(self.vector, |l| {
            let (a, b, c) = (self.arg(0, l), self.arg(1, l), self.arg(2, l));
            let r = F::f(self.env, a, b, c);
            let odd = F::REPAIR && F::odd(r);
            if odd {
                F::repair(self.env, a, b, c, r)
            } else {
                r
            }
            .to_u64()
        })
    }

    fn test<F: Test2>(&self) -> Val {
        let test = |l: usize| F::f(self.env, self.arg(0, l), self.arg(1, l));
        Val::Uniform(mask_of(self.vector, test))
    }
}

macro_rules! evaluate {
    ($($name:ident $bound:ident $how:ident,)*) => {
        impl Visit for Eval {
            type Out = Val;
            $(fn $name<F: $bound>(self) -> Val {
                self.$how::<F>()
            })*
        }
    };
}

evaluate! {
    rare1 Op1 one, float1 Op1 one,
    rare2 Op2 two, plain2 Op2 two, float2 Op2 two,
    rare3 Op3 three, plain3 Op3 three, float3 Op3 three,
    batch2 Batch2 two, batch3 Batch3 three,
    rare_test Test2 test, plain_test Test2 test, float_test Test2 test,
}
