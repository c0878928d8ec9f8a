//! Tests of the functions of `element_function`: against a soft-float library,
//! against double precision, and the levels of processor features against
//! each other.

mod accuracy;
mod integers;
mod levels;
mod roots;
pub(crate) mod samples;
mod scalar;
mod soft;
mod special;
