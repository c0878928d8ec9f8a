//! Calls a chosen function on one lane.

use wavetank_ir::{Bin, Cvt, Elem, Fp, Op, Rel, Tern, Un, Value};

use wavetank_lane_ops::internals::{
    Batch2, Batch3, Env, Op1, Op2, Op3, Test2, Visit, Word, visit_function,
};

/// One lane of a chosen function; operands that it lacks are ignored, and a
/// relation gives 0 or 1.
pub(crate) type Lane = fn(Env, [u64; 3]) -> u64;

fn lane1<F: Op1>(env: Env, [a, ..]: [u64; 3]) -> u64 {
    F::f(env, F::A::from_u64(a)).to_u64()
}

fn lane2<F: Op2>(env: Env, [a, b, _]: [u64; 3]) -> u64 {
    let (a, b) = (F::A::from_u64(a), F::B::from_u64(b));
    let r = F::f(env, a, b);
    if F::REPAIR && F::odd(r) {
        return F::repair(env, a, b, r).to_u64();
    }
    r.to_u64()
}

fn lane3<F: Op3>(env: Env, [a, b, c]: [u64; 3]) -> u64 {
    let (a, b, c) = (F::A::from_u64(a), F::B::from_u64(b), F::C::from_u64(c));
    let r = F::f(env, a, b, c);
    if F::REPAIR && F::odd(r) {
        return F::repair(env, a, b, c, r).to_u64();
    }
    r.to_u64()
}

fn lane_test<F: Test2>(env: Env, [a, b, _]: [u64; 3]) -> u64 {
    F::f(env, F::A::from_u64(a), F::B::from_u64(b)).into()
}

/// Visits to get a [`Lane`].
pub(crate) struct OneLane;

macro_rules! visit {
    ($($lane:ident $trait:ident: $($name:ident)*;)*) => {$($(
        fn $name<F: $trait>(self) -> Lane {
            $lane::<F>
        }
    )*)*};
}

impl Visit for OneLane {
    type Out = Lane;
    visit! {
        lane1 Op1: rare1 float1;
        lane2 Op2: rare2 plain2 float2;
        lane3 Op3: rare3 plain3 float3;
        lane2 Batch2: batch2;
        lane3 Batch3: batch3;
        lane_test Test2: rare_test plain_test float_test;
    }
}

/// A value: functions are chosen without any.
const V: Value = Value(0);

pub(crate) fn env(fp: Fp) -> Env {
    Env(Env::pack(fp))
}

pub(crate) fn un(op: Un, elem: Elem, fp: Fp, a: u64) -> u64 {
    visit_function(&Op::Un(op, elem, fp, V), OneLane).expect("the operation exists")(
        env(fp),
        [a, 0, 0],
    )
}

pub(crate) fn bin(op: Bin, elem: Elem, fp: Fp, a: u64, b: u64) -> u64 {
    visit_function(&Op::Bin(op, elem, fp, V, V), OneLane).expect("the operation exists")(
        env(fp),
        [a, b, 0],
    )
}

pub(crate) fn tern(op: Tern, elem: Elem, fp: Fp, args: [u64; 3]) -> u64 {
    visit_function(&Op::Tern(op, elem, fp, V, V, V), OneLane).expect("the operation exists")(
        env(fp),
        args,
    )
}

pub(crate) fn cmp(rel: Rel, elem: Elem, fp: Fp, a: u64, b: u64) -> bool {
    visit_function(&Op::Cmp(rel, elem, fp, V, V), OneLane).expect("the relation exists")(
        env(fp),
        [a, b, 0],
    ) != 0
}

pub(crate) fn class(elem: Elem, a: u64, classes: u32) -> bool {
    let f = visit_function(&Op::Class(elem, V, V), OneLane).expect("floats have classes");
    f(env(Fp::default()), [a, classes.into(), 0]) != 0
}

pub(crate) fn cvt(op: Cvt, from: Elem, to: Elem, fp: Fp, a: u64) -> u64 {
    visit_function(&Op::Cvt(op, from, to, fp, V), OneLane).expect("the conversion exists")(
        env(fp),
        [a, 0, 0],
    )
}
