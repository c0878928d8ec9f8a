//! Sources at random, of words that mean something: none panics; what is assembled can be written, linked, and taken apart.

use proptest::prelude::*;
use wavetank_asm::{Options, assemble_object, source_of};
use wavetank_gcn::Chip;
use wavetank_link::{Input, Relocatable, link};

/// Lines that open and close things, and some that go between.
const LINES: &[&str] = &[
    "a:",
    "b:",
    "1:",
    "s_nop 0",
    "s_branch a",
    "s_branch 1b",
    "s_branch 1f",
    "s_endpgm",
    "v_mov_b32 v0, a",
    "s_add_u32 s0, s0, b@rel32@lo+4",
    "s_getpc_b64 s[0:1]",
    ".text",
    ".data",
    ".bss",
    ".section .rodata,\"a\"",
    ".section .s,\"aMS\",@progbits,1",
    ".pushsection .text",
    ".popsection",
    ".previous",
    ".subsection 1",
    ".macro m x, y=1",
    ".macro r v:vararg",
    ".endm",
    "m 1, 2",
    "m",
    "r 1, \"q\", 3",
    ".exitm",
    ".purgem m",
    ".rept 3",
    ".irp x, 1, a",
    ".irpc x, ab",
    ".endr",
    ".if 1",
    ".if 0",
    ".ifdef a",
    ".else",
    ".elseif 1",
    ".endif",
    ".long \\x",
    ".byte \\y",
    ".set a, b",
    ".set b, 1",
    "c = a - b",
    ".globl a",
    ".weak b",
    ".hidden c",
    ".type a,@function",
    ".size a, .-a",
    ".comm d, 8, 3",
    ".lcomm e, 4",
    ".p2align 3",
    ".balign 16, 1, 3",
    ".org .+8",
    ".zero 3",
    ".fill 2, 8, 5",
    ".uleb128 b-a",
    ".sleb128 -1",
    ".long a, b-a, c",
    ".quad a",
    ".short 1b-a",
    ".asciz \"t\"",
    ".ident \"i\"",
    ".amdhsa_kernel a",
    ".amdhsa_next_free_vgpr 3",
    ".amdhsa_next_free_sgpr c",
    ".end_amdhsa_kernel",
    ".amd_kernel_code_t",
    "is_ptr64 = 1",
    ".end_amd_kernel_code_t",
    ".file 1 \"d\" \"f\"",
    ".loc 1 2 3",
    ".altmacro",
    ".amdgpu_metadata",
    "amdhsa.version: [1, 2]",
    ".end_amdgpu_metadata",
    ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"",
    "/* a",
    "*/",
    "\\",
    "\"",
    ".include \"x\"",
    ".end",
    "m \\x, \\@",
    ".long (((",
    ".long a+b*c",
    ".if a-b",
    ".error \"e\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn sources_are_assembled_or_refused(lines in prop::collection::vec(prop::sample::select(LINES), 0..24)) {
        let source = lines.join("\n");
        match assemble_object("random.s", &source, &Options::new(Chip::Gfx900)) {
            Err(errors) => prop_assert!(!errors.to_string().is_empty()),
            Ok(object) => {
                let bytes = object.write().expect("a small object");
                let again = Relocatable::read(&bytes);
                prop_assert!(again.is_ok(), "{again:?}\n{source}");
                let inputs = [Input { name: "random.s", object: &object }];
                let Ok(linked) = link(&inputs, &Default::default()) else {
                    return Ok(());
                };
                if let Ok(text) = source_of(&linked) {
                    let again = assemble_object("again.s", &text, &Options::new(Chip::Gfx900));
                    prop_assert!(again.is_ok(), "{}\n{text}\nof\n{source}", again.unwrap_err());
                }
            }
        }
    }
}
