//! Feasible paths: searches of a control flow graph that follow no two branches which contradict each other.
//!
//! A data-flow analysis joins the states of all paths, so it also sees those that no wave takes: a loop that is skipped if a
//! counter is 0, after a prologue that is skipped if the same counter is 0. A search along single paths keeps what their branches
//! say about scalar registers ([`Facts`]), and stops where that leaves no value. It costs more, so it only decides about what the
//! data-flow analysis has found.

mod condition;
mod effect;
mod facts;
mod predicate;
mod residue;
mod search;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use facts::Facts;
pub(crate) use search::{Paths, Start};
