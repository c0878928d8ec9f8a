//! Waits are taken out of compiled kernels. Whether one mattered is decided by walking along random paths on a machine that
//! is as slow as it may be; each that mattered has to be found.

use wavetank_check::code::{Graph, Root};
use wavetank_check::{Findings, Tool, Tools, check_root};
use wavetank_object::CodeObject;

use crate::common::random::Random;
use crate::common::shared_objects;
use crate::common::slow::is_too_early;

/// `s_nop 0` takes the place of a wait.
const NOP: u32 = 0xbf80_0000;
/// One wait in so many is taken out.
const ONE_IN: u64 = 5;

/// The code object with a wait taken out.
fn without(object: &CodeObject, pc: u64) -> CodeObject {
    let mut segments = object.segments().iter();
    let segment =
        segments.find(|s| s.executable && (s.address..s.address + s.file_size).contains(&pc));
    let segment = segment.expect("code stands in a segment");
    let at = (pc - segment.address + segment.file_offset) as usize;
    let mut bytes = object.bytes().to_vec();
    bytes[at..at + 4].copy_from_slice(&NOP.to_le_bytes());
    CodeObject::parse(&bytes).expect("only an instruction is another")
}

#[test]
fn waits_that_are_taken_out_are_found() {
    let mut random = Random::new(16);
    let (mut mattered, mut missed) = (0, Vec::new());
    for path in shared_objects() {
        let bytes = std::fs::read(&path).expect("it is there");
        let Ok(object) = CodeObject::parse(&bytes) else {
            continue;
        };
        for root in Root::all(&object) {
            let graph = Graph::of(&object, &root).expect("GCN");
            let is_wait =
                |n: &&wavetank_check::code::Node| n.inst.to_string().starts_with("s_waitcnt");
            for node in graph.nodes.iter().filter(is_wait) {
                if random.below(ONE_IN) != 0 {
                    continue;
                }
                let other = without(&object, node.pc);
                let mut roots = Root::all(&other).into_iter();
                let root = roots.find(|r| r.entry == root.entry).expect("the same");
                let graph = Graph::of(&other, &root).expect("GCN");
                if !is_too_early(&graph, &mut random) {
                    continue;
                }
                mattered += 1;
                let mut findings = Findings::default();
                check_root(&other, &root, Tools::of(&[Tool::Wait]), &mut findings);
                if findings.is_empty() {
                    missed.push(format!("{} {} {:#x}", path.display(), root.name, node.pc));
                }
            }
        }
    }
    eprintln!("{mattered} waits that mattered were taken out");
    assert!(
        missed.is_empty(),
        "{} of {mattered}: {missed:#?}",
        missed.len()
    );
}
