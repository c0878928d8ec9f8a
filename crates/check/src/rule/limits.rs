//! Rules of `limits`.

use super::row::Example::Assembly;
use super::row::Rule;
use crate::tool::Tool::Limits;

const FUNCTIONS: &str = "Functions have no descriptor: their registers are not compared with those of the kernels that call them.";

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Limits,
        name: "vgprs",
        finds: "An instruction names a vector register that the kernel's descriptor does not request.",
        why: "The wave gets v0 instead, or the instruction does nothing (Vega ISA, 3.6). From gfx90a on registers from ACCUM_OFFSET \
              on are AGPRs.",
        example: Assembly("v_mov_b32 v4, v3             // with .amdhsa_next_free_vgpr 4"),
        limits: FUNCTIONS,
    },
    Rule {
        tool: Limits,
        name: "agprs",
        finds: "An instruction names an accumulation register that the kernel's descriptor does not request.",
        why: "The wave has no such register. From gfx90a on VGPRs and AGPRs share one file: AGPRs begin at ACCUM_OFFSET, and end with the \
              registers of the wave; on gfx908 there are as many of them as VGPRs.",
        example: Assembly(
            "v_accvgpr_write_b32 a4, v0      // with .amdhsa_accum_offset 4 and .amdhsa_next_free_vgpr 8",
        ),
        limits: FUNCTIONS,
    },
    Rule {
        tool: Limits,
        name: "odd-tuple",
        finds: "A span of two or more vector registers begins at an odd one, on gfx90a or later.",
        why: "These chips need even ones (LLVM, FeatureRequiresAlignedVGPRs); what they do with others is not documented.",
        example: Assembly(
            ".long 0xdc548000, 0x017f0004    // global_load_dwordx2 v[1:2], v[4:5], off, which assemblers refuse",
        ),
        limits: "Code for gfx908 and for chips before CDNA may begin anywhere.",
    },
    Rule {
        tool: Limits,
        name: "sgprs",
        finds: "An instruction names a scalar register that the kernel's descriptor does not request.",
        why: "The wave gets s0 instead, or the instruction does nothing (Vega ISA, 3.6).",
        example: Assembly("s_mov_b32 s96, s0            // with .amdhsa_next_free_sgpr 8"),
        limits: FUNCTIONS,
    },
    Rule {
        tool: Limits,
        name: "scratch",
        finds: "A kernel without scratch has a SCRATCH instruction.",
        why: "There is no private memory at that address.",
        example: Assembly(
            "scratch_load_dword v0, off, s0   // with .amdhsa_private_segment_fixed_size 0",
        ),
        limits: "A kernel with a dynamic stack has scratch.",
    },
    Rule {
        tool: Limits,
        name: "flat-scratch",
        finds: "A kernel accesses scratch by FLAT_SCRATCH, and a path to the access does not set the register.",
        why: "The prologue is missing: on a chip the access goes anywhere.",
        example: Assembly(
            "// s_add_u32 flat_scratch_lo, s0, s3 and s_addc_u32 flat_scratch_hi, s1, 0 are missing\nscratch_load_dword v0, off, s2",
        ),
        limits: "The emulator does not read the register, so a run gives no hint of this mistake.",
    },
    Rule {
        tool: Limits,
        name: "lds",
        finds: "A kernel requests more LDS than a work-group can have.",
        why: "A chip cannot start it.",
        example: Assembly(
            ".amdhsa_group_segment_fixed_size 65540   // 65536 at most; on gfx6 32768",
        ),
        limits: "Dynamic LDS is known at the launch only.",
    },
    Rule {
        tool: Limits,
        name: "user-sgprs",
        finds: "A descriptor requests more user SGPRs than there are, or another number than its parts add up to.",
        why: "The wave finds its arguments in other registers than the code expects.",
        example: Assembly(
            "// .amdhsa_user_sgpr_count 2, and parts that need 6: the code reads its arguments from s[4:5]",
        ),
        limits: "Which register the code expects an argument in is not compared.",
    },
    Rule {
        tool: Limits,
        name: "no-instruction",
        finds: "Execution runs on, or branches, to a place without an instruction.",
        why: "The wave executes data, or whatever memory follows: often `s_endpgm` is missing.",
        example: Assembly("s_cbranch_scc0 100           // beyond the end of the code\ns_endpgm"),
        limits: "Data that happen to decode as an instruction count as one.",
    },
    Rule {
        tool: Limits,
        name: "no-code",
        finds: "A kernel has no code: the compiler has removed all of it.",
        why: "Compilers remove what cannot run without undefined behaviour. A chip would execute the next kernel instead, or whatever memory \
              follows.",
        example: Assembly(
            "first:                      // __global__ void first(int *p) { __builtin_unreachable(); }\n.size first, .-first\nsecond:\n    s_endpgm",
        ),
        limits: "Of a kernel that is removed in part the rest is checked as any code is.",
    },
];
