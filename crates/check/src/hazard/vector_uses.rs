//! The uses of vector registers by second instructions of hazards.

use wavetank_gcn::tables::Class;
use wavetank_gcn::{Chip, Field, Form, Inst};

use super::consumer::Consumer;
use super::matrix::{
    FIRST_AGPR, MatrixKind, Span, is_matrix, is_of_matrix_unit, reads_as_c, reads_as_factor,
    reads_as_source,
};
use super::producer::has_vector;
use super::valu::{is_fma_f64, is_transcendental, reads_lane, swaps_rows};
use crate::code::Node;

/// Whether an instruction uses a vector register in a way; `None` if the way is not a use of vector registers.
pub(super) fn is(consumer: Consumer, node: &Node, number: u16) -> Option<bool> {
    let (inst, class) = (&node.inst, node.inst.row().class);
    let reads = || has_vector(&node.effects.reads, number);
    let writes = || has_vector(&node.effects.writes, number);
    let valu = class == Class::Valu;
    let is_c_of = |is_kind: fn(MatrixKind) -> bool| {
        MatrixKind::of(inst).is_some_and(is_kind) && reads_as_c(inst, number)
    };
    Some(match consumer {
        Consumer::WritesVector => (valu || class == Class::Interp) && writes(),
        Consumer::ReadsAsDpp => reads_from_lanes(inst, number),
        Consumer::ReadsLane => reads_lane(inst) && reads(),
        // On gfx908 writes of AGPRs have rows of their own.
        Consumer::ReadsInMatrix => {
            let counts = inst.chip != Chip::Gfx908 || number < FIRST_AGPR;
            counts && is_of_matrix_unit(inst) && reads()
        }
        Consumer::ReadsAsXdlC => is_c_of(|kind| kind == MatrixKind::Xdl),
        Consumer::ReadsAsSgemmC => is_c_of(|kind| kind == MatrixKind::Sgemm),
        Consumer::ReadsAsDgemmC => is_c_of(MatrixKind::is_dgemm),
        Consumer::ReadsAsFactor => reads_as_factor(inst, number),
        Consumer::ReadsInValu => valu && !is_matrix(inst) && reads(),
        Consumer::WritesInValu => valu && !is_matrix(inst) && writes(),
        Consumer::ReadsInMemory => is_memory(class) && reads(),
        Consumer::IsFmaF64 => is_fma_f64(inst),
        Consumer::ReadsAsSource => valu && reads_as_source(inst, number),
        Consumer::ReadsAsPlainSource => {
            valu && !is_transcendental(inst) && reads_as_source(inst, number)
        }
        Consumer::SwapsRows => swaps_rows(inst) && reads(),
        _ => return None,
    })
}

/// Whether an instruction reads a vector register of other lanes with DPP: only the first source goes that way (Vega ISA, 13
/// "DPP"). LLVM keeps other sources at a distance, too (`docs/reference/errata.md`).
fn reads_from_lanes(inst: &Inst, number: u16) -> bool {
    let first = || Span::in_field(inst, Field::Src0);
    inst.form == Form::Dpp && first().is_some_and(|first| first.numbers().contains(&number))
}

fn is_memory(class: Class) -> bool {
    matches!(
        class,
        Class::Vmem | Class::Flat | Class::Lds | Class::Export
    )
}
