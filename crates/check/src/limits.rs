//! `limits`: use of registers, LDS, user data or code beyond the descriptor's request or the chip's resources.
//!
//! Accesses to registers beyond the wave's own use v0 or s0, or have no effect (Vega ISA, 3.6 "Out-of-range behavior").

use wavetank_gcn::numbers::{flat_scratch, general_sgprs, unites_vector_files};
use wavetank_gcn::tables::Ds;
use wavetank_gcn::{Chip, Form, Generation, Operand};
use wavetank_object::KernelDescriptor;

use crate::code::{Graph, Node};
use crate::finding::{Finding, Findings, Mark};
use crate::tool::Tool;

/// Limit of the user SGPRs of a wave (LLVM, "AMDGPU", initial kernel execution state).
const USER_SGPRS: u32 = 16;

/// Adds the findings about limits in a graph.
pub(crate) fn check(graph: &Graph, findings: &mut Findings) {
    for (from, to) in &graph.strays {
        findings.add(stray(graph, *from, *to));
    }
    if unites_vector_files(graph.chip) {
        odd_tuples(graph, findings);
    }
    if let Some(kernel) = &graph.kernel {
        descriptor(graph, kernel, findings);
        registers(graph, kernel, findings);
    }
}

/// Returns the LDS limit of a work-group (Vega ISA, 1.2; 32 KiB on gfx6, 160 KiB on gfx950: LLVM, `AMDGPU.td`).
fn most_lds(chip: Chip) -> u32 {
    match (chip, chip.generation()) {
        (Chip::Gfx950, _) => 160 << 10,
        (_, Generation::Gfx6) => 32 << 10,
        (_, Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9) => 64 << 10,
    }
}

/// Returns the finding about code that runs into bytes that are not an instruction.
fn stray(graph: &Graph, from: u64, to: u64) -> Finding {
    Finding {
        help: Some("end it with `s_endpgm`, or with a branch".to_owned()),
        ..finding(
            graph,
            "no-instruction",
            format!("execution goes on at {to:#x}, where no instruction stands"),
            Mark::at(from, "the last instruction before"),
        )
    }
}

/// Adds requests of the descriptor that exceed the chip's resources.
fn descriptor(graph: &Graph, kernel: &KernelDescriptor, findings: &mut Findings) {
    let entry = graph.start();
    let (lds, most) = (kernel.group_segment_fixed_size, most_lds(graph.chip));
    let mut demands = Vec::new();
    if lds > most {
        let chip = graph.chip.name();
        demands.push((
            "lds",
            format!("it demands {lds} bytes of LDS; a work-group of {chip} has at most {most}"),
        ));
    }
    let users: u32 = kernel.user_sgprs().map(|(user, _)| user.registers()).sum();
    let users = users + kernel.preloaded_arguments().len() as u32;
    let count = kernel.rsrc2.user_sgpr_count;
    if count > USER_SGPRS {
        demands.push((
            "user-sgprs",
            format!("it demands {count} user SGPRs; there are at most {USER_SGPRS}"),
        ));
    } else if users > count {
        demands.push((
            "user-sgprs",
            format!("what it demands in user SGPRs takes {users} of them, and it has {count}"),
        ));
    }
    for (rule, problem) in demands {
        let message = format!("the descriptor cannot be met: {problem}");
        findings.add(finding(
            graph,
            rule,
            message,
            Mark::at(entry, "the kernel begins here"),
        ));
    }
}

/// Adds uses of registers and scratch that the descriptor does not request: the first place of each kind.
fn registers(graph: &Graph, kernel: &KernelDescriptor, findings: &mut Findings) {
    let mut reported = Vec::new();
    for node in &graph.nodes {
        let wrong = [
            vector_beyond(node, kernel),
            accumulator_beyond(node, kernel),
            scalar_beyond(node, kernel),
            scratch_beyond(node, kernel),
        ];
        for Beyond {
            rule,
            what,
            has,
            help,
        } in wrong.into_iter().flatten()
        {
            if reported.contains(&rule) {
                continue;
            }
            reported.push(rule);
            let message = format!("{what} is used, and the kernel has {has}");
            let at = Mark::at(node.pc, format!("{what} is used here"));
            findings.add(Finding {
                help: Some(help),
                ..finding(graph, rule, message, at)
            });
        }
    }
}

/// A use of a resource that the kernel does not have.
struct Beyond {
    rule: &'static str,
    what: String,
    has: String,
    help: String,
}

impl Beyond {
    fn register(rule: &'static str, what: String, number: u32, has: u32, kind: &str) -> Beyond {
        Beyond {
            rule,
            what,
            has: format!("{has} {kind}"),
            help: format!("let the descriptor ask for {} of them", number + 1),
        }
    }
}

/// Returns the use of a VGPR beyond the kernel's own, if there is one. Where both kinds are in one file, VGPRs end where AGPRs begin.
fn vector_beyond(node: &Node, kernel: &KernelDescriptor) -> Option<Beyond> {
    let used = node.effects.reads.or(&node.effects.writes);
    let last = used.vectors().max().map(u32::from)?;
    let of_agprs = if unites_vector_files(node.inst.chip) {
        kernel.acc_vgpr_count
    } else {
        0
    };
    let has = kernel.vgpr_count - of_agprs;
    (last >= has).then(|| Beyond::register("vgprs", format!("v{last}"), last, has, "VGPRs"))
}

/// Returns the use of an AGPR beyond the kernel's own, if there is one.
fn accumulator_beyond(node: &Node, kernel: &KernelDescriptor) -> Option<Beyond> {
    let used = node.effects.reads.or(&node.effects.writes);
    let last = used.accumulators().max().map(u32::from)?;
    let has = kernel.acc_vgpr_count;
    (last >= has).then(|| Beyond::register("agprs", format!("a{last}"), last, has, "AGPRs"))
}

/// Adds the instructions with spans of vector registers that begin at an odd one (LLVM, `FeatureRequiresAlignedVGPRs`). Assemblers
/// refuse them.
fn odd_tuples(graph: &Graph, findings: &mut Findings) {
    let free = |node: &Node| node.inst.op == Ds::DS_READ_B96_TR_B6.into();
    for node in graph.nodes.iter().filter(|node| !free(node)) {
        let inst = &node.inst;
        let odd = inst.operands.iter().enumerate().find_map(|(i, operand)| {
            let (file, first) = match operand {
                Operand::Vgpr(first) => ('v', u32::from(*first)),
                Operand::Agpr(first) => ('a', u32::from(*first)),
                _ => return None,
            };
            let count = u32::from(inst.dwords(i));
            let last = first + count.saturating_sub(1);
            (count > 1 && first % 2 == 1).then(|| format!("{file}[{first}:{last}]"))
        });
        let Some(odd) = odd else { continue };
        findings.add(Finding {
            help: Some("let the span begin at an even register".to_owned()),
            ..finding(
                graph,
                "odd-tuple",
                format!(
                    "{odd} begins at an odd register; {} needs even ones",
                    graph.chip.name()
                ),
                Mark::at(node.pc, format!("{odd} is used here")),
            )
        });
    }
}

/// Returns the use of an SGPR beyond the kernel's own, if there is one. Registers with names (VCC, M0, EXEC, …) do not count.
fn scalar_beyond(node: &Node, kernel: &KernelDescriptor) -> Option<Beyond> {
    let generation = node.inst.chip.generation();
    let named = flat_scratch(generation).unwrap_or(general_sgprs(generation));
    let used = node.effects.reads.or(&node.effects.writes);
    let last = used.scalars().filter(|n| *n < named).max();
    let (last, has) = (last.map(u32::from)?, kernel.sgpr_count);
    (last >= has).then(|| Beyond::register("sgprs", format!("s{last}"), last, has, "SGPRs"))
}

fn scratch_beyond(node: &Node, kernel: &KernelDescriptor) -> Option<Beyond> {
    let none = has_no_scratch(kernel) && node.inst.form == Form::Scratch;
    none.then(|| Beyond {
        rule: "scratch",
        what: "scratch".to_owned(),
        has: "none".to_owned(),
        help: "let the descriptor ask for it (`private_segment_fixed_size`)".to_owned(),
    })
}

pub(crate) fn has_no_scratch(kernel: &KernelDescriptor) -> bool {
    kernel.private_segment_fixed_size == 0 && !kernel.uses_dynamic_stack
}

pub(crate) fn finding(graph: &Graph, rule: &'static str, message: String, at: Mark) -> Finding {
    Finding {
        tool: Tool::Limits,
        rule,
        kernel: graph.name.clone(),
        message,
        at,
        related: Vec::new(),
        host: Vec::new(),
        notes: Vec::new(),
        help: None,
        address: None,
        also: Vec::new(),
        times: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Root;
    use wavetank_object::open;

    /// Bytes that no assembler writes: `v_add_f64` and `global_load_dwordx2` into v[1:2], as gfx908 has them, and `s_endpgm`.
    #[test]
    fn odd_spans_are_found_where_chips_need_even_ones() {
        let odd: [u32; 5] = [
            0xd280_0001,
            0x0002_0902,
            0xdc54_8000,
            0x017f_0004,
            0xbf81_0000,
        ];
        let mut even = odd;
        (even[0], even[3]) = (0xd280_0002, 0x027f_0004);
        let found = |words: &[u32], chip: &str| {
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let object =
                wavetank_object::CodeObject::of_code(&code, chip.parse().expect("a target"));
            let object = object.expect("code");
            let graph = Graph::of(&object, &Root::all(&object)[0]).expect("code");
            let mut findings = Findings::default();
            check(&graph, &mut findings);
            let places: Vec<_> = findings.iter().map(|f| (f.rule, f.at.place.pc)).collect();
            places
        };
        for chip in ["gfx90a", "gfx942"] {
            assert_eq!(
                found(&odd, chip),
                [("odd-tuple", 0), ("odd-tuple", 8)],
                "{chip}"
            );
            assert_eq!(found(&even, chip), [], "{chip}");
        }
        for chip in ["gfx900", "gfx908"] {
            assert_eq!(found(&odd, chip), [], "{chip}");
        }
    }

    /// A descriptor that no assembler writes.
    #[test]
    fn user_sgprs_are_held_against_their_number() {
        let bytes = include_bytes!("../../object/tests/data/lines-gfx900.hsaco");
        let object = open(bytes, None).expect("a code object");
        let root = Root::of(&object, "lines").expect("its kernel");
        let found = |count: Option<u32>| {
            let mut graph = Graph::of(&object, &root).expect("code");
            let kernel = graph.kernel.as_mut().expect("a kernel");
            kernel.rsrc2.user_sgpr_count = count.unwrap_or(kernel.rsrc2.user_sgpr_count);
            let mut findings = Findings::default();
            check(&graph, &mut findings);
            let rules: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
            rules
        };
        assert_eq!(found(None), [""; 0]);
        assert_eq!(found(Some(17)), ["user-sgprs"]);
        assert_eq!(found(Some(1)), ["user-sgprs"]);
    }
}
