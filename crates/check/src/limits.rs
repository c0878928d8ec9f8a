//! More registers, LDS, user data or code than the descriptor asks for and the chip has.
//!
//! A wave that uses registers beyond its own gets v0 or s0 instead, or does nothing (Vega ISA, 3.6 "Out-of-range behavior").

use wavetank_isa::numbers::{flat_scratch, general_sgprs};
use wavetank_isa::{Form, Generation};
use wavetank_object::KernelDescriptor;

use crate::code::{Graph, Node};
use crate::finding::{Finding, Findings, Mark};
use crate::tool::Tool;

/// The most SGPRs that a wave starts with (LLVM, "AMDGPU", initial kernel execution state).
const USER_SGPRS: u32 = 16;

/// Adds what is beyond limits in a graph.
pub fn check(graph: &Graph, findings: &mut Findings) {
    for (from, to) in &graph.strays {
        findings.add(stray(graph, *from, *to));
    }
    if let Some(kernel) = &graph.kernel {
        descriptor(graph, kernel, findings);
        registers(graph, kernel, findings);
    }
}

/// The LDS that a work-group can have (Vega ISA, 1.2; 32 KiB on gfx6: LLVM, `AMDGPU.td`).
fn most_lds(generation: Generation) -> u32 {
    match generation {
        Generation::Gfx6 => 32 << 10,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => 64 << 10,
    }
}

/// Code that runs into what is no instruction.
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

/// What the descriptor demands that the chip has not.
fn descriptor(graph: &Graph, kernel: &KernelDescriptor, findings: &mut Findings) {
    let entry = graph.start();
    let (lds, most) = (
        kernel.group_segment_fixed_size,
        most_lds(graph.chip.generation()),
    );
    let mut demands = Vec::new();
    if lds > most {
        let chip = graph.chip.name();
        demands.push((
            "lds",
            format!("it demands {lds} bytes of LDS; a work-group of {chip} has at most {most}"),
        ));
    }
    let users: u32 = kernel.user_sgprs().map(|(user, _)| user.registers()).sum();
    let told = kernel.rsrc2.user_sgpr_count;
    if told > USER_SGPRS {
        demands.push((
            "user-sgprs",
            format!("it demands {told} user SGPRs; there are at most {USER_SGPRS}"),
        ));
    } else if users > told {
        demands.push((
            "user-sgprs",
            format!("what it demands in user SGPRs takes {users} of them, and it has {told}"),
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

/// Registers and scratch that the descriptor does not ask for: the first place of each.
fn registers(graph: &Graph, kernel: &KernelDescriptor, findings: &mut Findings) {
    let generation = graph.chip.generation();
    let special = flat_scratch(generation).unwrap_or(general_sgprs(generation));
    let beyond = |node: &Node| -> Option<(&'static str, String, u32, u32)> {
        let sets = [&node.effects.reads, &node.effects.writes];
        let vector = sets
            .iter()
            .flat_map(|set| set.vectors())
            .max()
            .map(u32::from);
        let scalars = sets.iter().flat_map(|set| set.scalars());
        let scalar = scalars.filter(|n| *n < special).max().map(u32::from);
        match (vector, scalar) {
            (Some(v), _) if v >= kernel.vgpr_count => {
                Some(("vgprs", format!("v{v}"), kernel.vgpr_count, v))
            }
            (_, Some(s)) if s >= kernel.sgpr_count => {
                Some(("sgprs", format!("s{s}"), kernel.sgpr_count, s))
            }
            _ => None,
        }
    };
    let mut told = Vec::new();
    for node in &graph.nodes {
        if let Some((rule, name, has, number)) = beyond(node)
            && !told.contains(&rule)
        {
            told.push(rule);
            let message = format!(
                "{name} is used, and the kernel has {has} {}",
                rule_in_words(rule)
            );
            let help = format!("let the descriptor ask for {} of them", number + 1);
            findings.add(Finding {
                help: Some(help),
                ..finding(
                    graph,
                    rule,
                    message,
                    Mark::at(node.pc, format!("{name} is used here")),
                )
            });
        }
        if node.inst.form == Form::Scratch && has_no_scratch(kernel) && !told.contains(&"scratch") {
            told.push("scratch");
            let message = "scratch is used, and the kernel has none".to_owned();
            findings.add(Finding {
                help: Some(
                    "let the descriptor ask for it (`private_segment_fixed_size`)".to_owned(),
                ),
                ..finding(
                    graph,
                    "scratch",
                    message,
                    Mark::at(node.pc, "scratch is used here"),
                )
            });
        }
    }
}

fn rule_in_words(rule: &str) -> &'static str {
    match rule {
        "vgprs" => "VGPRs",
        _ => "SGPRs",
    }
}

fn has_no_scratch(kernel: &KernelDescriptor) -> bool {
    kernel.private_segment_fixed_size == 0 && !kernel.uses_dynamic_stack
}

fn finding(graph: &Graph, rule: &'static str, message: String, at: Mark) -> Finding {
    Finding {
        tool: Tool::Limits,
        rule,
        kernel: graph.name.clone(),
        message,
        at,
        related: Vec::new(),
        notes: Vec::new(),
        help: None,
        times: 1,
    }
}
