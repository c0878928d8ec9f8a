//! Scalar arithmetic: SOP1, SOP2, SOPK and SOPC (Vega ISA, 12.1 to 12.4). Scalar instructions that change the control flow are in
//! `control.rs`.

mod sop1;
mod sop2;
mod sopc;
mod sopk;

pub(crate) use sop1::sop1;
pub(crate) use sop2::sop2;
pub(crate) use sopc::sopc;
pub(crate) use sopk::sopk;

use crate::block::{Flow, Lift};
use crate::value::{Cond, Int};

/// The result of a scalar instruction: its destination and SCC, each if written.
pub(crate) struct Result<'a> {
    d: Option<Int<'a>>,
    scc: Option<Cond<'a>>,
}

/// Only the destination is written.
fn keep_scc(d: Int<'_>) -> Result<'_> {
    Result {
        d: Some(d),
        scc: None,
    }
}

/// SCC = (D != 0).
fn non_zero(d: Int<'_>) -> Result<'_> {
    let scc = d.non_zero();
    Result {
        d: Some(d),
        scc: Some(scc),
    }
}

/// SCC has another meaning, such as a carry.
fn with_scc<'a>((d, scc): (Int<'a>, Cond<'a>)) -> Result<'a> {
    Result {
        d: Some(d),
        scc: Some(scc),
    }
}

/// Only SCC is written.
fn only_scc(scc: Cond<'_>) -> Result<'_> {
    Result {
        d: None,
        scc: Some(scc),
    }
}

/// Writes the result back. SCC is written even if the destination is not a register (Vega ISA, 5.2).
fn write_back<'a>(l: &Lift<'a>, result: Result<'a>) -> Flow {
    if let Some(d) = result.d {
        l.write_scalar(d);
    }
    if let Some(scc) = result.scc {
        l.set_scc(scc);
    }
    Flow::Next
}
