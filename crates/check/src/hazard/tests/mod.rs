//! Tests of hazards: planted ones, compilers' code without any, and random bytes.

mod cdna;
mod llvm;
mod paths;
mod planted;
mod real;

use wavetank_asm::assemble;
use wavetank_gcn::{Chip, Dialect};
use wavetank_object::{CodeObject, DESCRIPTOR_SIZE, KernelDescriptor};

use crate::code::{Graph, Root};
use crate::finding::{Finding, Findings};

/// Returns the findings in a source.
pub(super) fn found(source: &str, chip: Chip) -> Vec<Finding> {
    found_in(source, chip, None)
}

/// Returns the findings in the source of a kernel with `sgprs` SGPRs.
pub(super) fn found_in(source: &str, chip: Chip, sgprs: Option<u32>) -> Vec<Finding> {
    let mut code = Vec::new();
    let source = format!("{source}\n s_endpgm");
    let lines = assemble(&source, chip, Dialect::Llvm, |line| {
        code.extend_from_slice(line.bytes());
    });
    lines.unwrap_or_else(|errors| panic!("{chip}: {source}: {errors}"));
    let target = chip.name().parse().expect("a target");
    let object = CodeObject::of_code(&code, target).expect("code");
    let root = &Root::all(&object)[0];
    let mut graph = Graph::of(&object, root).expect("a chip of GCN");
    graph.kernel = sgprs.map(|sgprs| kernel(sgprs, &object));
    let mut findings = Findings::default();
    super::check(&graph, &mut findings);
    findings.iter().cloned().collect()
}

/// Returns the descriptor of a kernel that has `sgprs` SGPRs (LLVM's guide: bits 9:6 of the dword at 48, in granules of 8 less
/// one).
fn kernel(sgprs: u32, object: &CodeObject) -> KernelDescriptor {
    let mut bytes = [0; DESCRIPTOR_SIZE];
    let rsrc1 = (sgprs / 8 - 1) << 6;
    bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
    let kernel = KernelDescriptor::decode(&bytes, object.target());
    assert_eq!(kernel.sgpr_count, sgprs);
    kernel
}
