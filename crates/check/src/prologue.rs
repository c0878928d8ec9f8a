//! `limits`: missing prologues of kernels that use FLAT_SCRATCH without setting it.
//!
//! A wave starts with the inputs of FLAT_SCRATCH in user SGPRs (FLAT_SCRATCH_INIT). The kernel has to add them and set the
//! register before it accesses scratch (LLVM, "AMDGPU", "Flat Scratch"). Functions inherit the register from the kernel that
//! calls them, and scratch through buffers does not need it.

use wavetank_gcn::numbers::{flat_scratch, has_architected_flat_scratch};
use wavetank_gcn::{Form, Generation};
use wavetank_object::{KernelDescriptor, UserSgpr};

use crate::code::{Graph, Node};
use crate::finding::{Finding, Findings, Mark};
use crate::flow::{Analysis, walk};
use crate::limits::{finding, has_no_scratch};

/// Adds the first access that uses FLAT_SCRATCH with its initial value.
pub(crate) fn check(graph: &Graph, findings: &mut Findings) {
    let generation = graph.chip.generation();
    let (Some(kernel), Some(register)) = (&graph.kernel, flat_scratch(generation)) else {
        return;
    };
    // From gfx942 on, waves start with the register set.
    if has_architected_flat_scratch(graph.chip) {
        return;
    }
    let access = |node: &Node| goes_by_flat_scratch(node, kernel);
    if has_no_scratch(kernel) || !graph.nodes.iter().any(access) {
        return;
    }
    let mut first = None;
    walk(graph, &Unset { graph, register }, |unset, node| {
        let node = &graph.nodes[node];
        if *unset != 0 && access(node) {
            first = Some(first.map_or(node.pc, |pc: u64| pc.min(node.pc)));
        }
    });
    let Some(pc) = first else { return };
    let message = "scratch is reached by FLAT_SCRATCH, which the kernel has not set".to_owned();
    findings.add(Finding {
        help: Some(help(generation).to_owned()),
        ..finding(
            graph,
            "flat-scratch",
            message,
            Mark::at(pc, "this access goes by FLAT_SCRATCH"),
        )
    });
}

/// Whether a node accesses scratch by FLAT_SCRATCH: SCRATCH instructions always do, FLAT ones if the kernel requests the inputs.
fn goes_by_flat_scratch(node: &Node, kernel: &KernelDescriptor) -> bool {
    let has_inputs = || {
        let mut users = kernel.user_sgprs();
        users.any(|(user, _)| user == UserSgpr::FlatScratchInit)
    };
    match node.inst.form {
        Form::Scratch => true,
        Form::Flat => has_inputs(),
        _ => false,
    }
}

/// Returns the way in which compilers set the register.
fn help(generation: Generation) -> &'static str {
    match generation {
        Generation::Gfx9 => {
            "add the wave's offset to FLAT_SCRATCH_INIT at the start: `s_add_u32 flat_scratch_lo, …`, \
             `s_addc_u32 flat_scratch_hi, …, 0`"
        }
        Generation::Gfx6 | Generation::Gfx7 | Generation::Gfx8 => {
            "set it at the start: flat_scratch_lo to the second dword of FLAT_SCRATCH_INIT, flat_scratch_hi to the wave's \
             offset and the first dword, in units of 256 bytes (`s_lshr_b32 flat_scratch_hi, …, 8`)"
        }
    }
}

/// The analysis of FLAT_SCRATCH's halves that may not have been written.
struct Unset<'g> {
    graph: &'g Graph,
    /// The code of the lower half.
    register: u8,
}

impl Analysis for Unset<'_> {
    type State = u8;

    fn start(&self) -> u8 {
        0b11
    }

    fn join(&self, state: &mut u8, other: &u8) -> bool {
        let before = *state;
        *state |= other;
        *state != before
    }

    fn step(&self, state: &mut u8, node: usize) {
        for n in self.graph.nodes[node].effects.writes.scalars() {
            if let Some(half @ (0 | 1)) = n.checked_sub(self.register) {
                *state &= !(1 << half);
            }
        }
    }
}
