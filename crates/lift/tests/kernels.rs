//! Whole kernels of real compilers: every block that control can reach is
//! lifted, and the verifier accepts it.

use std::collections::{BTreeMap, BTreeSet};

use wavetank_gcn::tables::Sop1;
use wavetank_gcn::{Chip, Inst, decode};
use wavetank_ir::{Block, Op, Terminator, verify};
use wavetank_lift::{Modes, lift_block};
use wavetank_object::{CodeObject, Image, SymbolKind};

struct Program {
    image: Image,
    chip: Chip,
}

impl Program {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        let offset = pc.checked_sub(self.image.base).unwrap_or(u64::MAX);
        let bytes = self.image.bytes.get(offset as usize..).unwrap_or(&[]);
        decode(bytes, self.chip).map_err(|e| e.to_string())
    }
}

/// Where a block goes on, as far as it is a constant; a call returns after
/// itself.
fn successors(program: &Program, block: &Block) -> Vec<u64> {
    let call = block.nodes.iter().rev().find_map(|n| match n.op {
        Op::Inst { pc, .. } => Some(pc),
        _ => None,
    });
    match block.nodes.last().map(|n| &n.op) {
        Some(Op::End(Terminator::Branch(pc))) => vec![*pc],
        Some(Op::End(Terminator::CondBranch { taken, next, .. })) => vec![*taken, *next],
        Some(Op::End(
            Terminator::Barrier { next }
            | Terminator::Sleep { next }
            | Terminator::GlobalSync { next, .. }
            | Terminator::Export { next, .. }
            | Terminator::Trap { next, .. }
            | Terminator::Message { next, .. },
        )) => vec![*next],
        Some(Op::End(Terminator::Jump(_))) => call
            .filter(|&pc| {
                program
                    .inst(pc)
                    .is_ok_and(|i| i.op == Sop1::S_SWAPPC_B64.into())
            })
            .map(|pc| pc + 4)
            .into_iter()
            .collect(),
        _ => vec![],
    }
}

/// Lifts all that can be reached, and counts what is not supported.
fn lift_all(program: &Program, entries: Vec<u64>) -> (usize, BTreeMap<String, usize>) {
    let mut unsupported = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open = entries;
    while let Some(pc) = open.pop() {
        if !seen.insert(pc) {
            continue;
        }
        let block = lift_block(&|pc| program.inst(pc), pc, Modes::new(0x2f0, 0));
        assert_eq!(verify(&block), Ok(()), "block at {pc:#x}");
        if let Some(Op::End(Terminator::Unsupported { what })) = block.nodes.last().map(|n| &n.op) {
            let name = what.split([' ', ':']).next().unwrap_or_default();
            *unsupported.entry(name.to_string()).or_default() += 1;
        }
        open.extend(successors(program, &block));
    }
    (seen.len(), unsupported)
}

/// Nothing that these kernels use is missing but images and the barrier across
/// work-groups; and nothing that is reached fails to decode.
#[test]
fn compiled_kernels() {
    let Some(files) = crate::shared::files("kernels/co", "hsaco") else {
        return;
    };
    let (mut blocks, mut missing) = (0, BTreeMap::new());
    for path in files {
        let bytes = std::fs::read(&path).expect("a listed file can be read");
        let object = CodeObject::parse(&bytes).expect("a code object");
        let chip = Chip::from_name(&object.target().chip).expect("a GCN chip");
        let image = object.load_image(0x1000_0000).expect("an image");
        let functions = object
            .symbols()
            .iter()
            .filter(|s| s.kind == SymbolKind::Function)
            .map(|s| s.address);
        let kernels = object.kernels().iter().map(|k| k.entry);
        let entries = kernels
            .chain(functions)
            .map(|a| image.address_of(a))
            .collect();
        let (count, unsupported) = lift_all(&Program { image, chip }, entries);
        blocks += count;
        for (name, n) in unsupported {
            *missing.entry(name).or_insert(0) += n;
        }
    }
    eprintln!("{blocks} blocks; not supported: {missing:?}");
    assert!(blocks > 1000, "only {blocks} blocks");
    missing.retain(|name, _| !name.starts_with("image_") && name != "ds_gws_barrier");
    assert!(missing.is_empty(), "not supported: {missing:?}");
}
