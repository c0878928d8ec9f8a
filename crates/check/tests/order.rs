//! The order of findings, which does not depend on threads and on calls.

use wavetank_asm::{Options, assemble_object};
use wavetank_check::{Findings, Tools, check_code};
use wavetank_gcn::Chip;
use wavetank_link::{Input, link};
use wavetank_object::CodeObject;

/// Returns a function with a missing wait and a missing wait state.
fn function(name: &str, call: &str) -> String {
    format!(
        ".globl {name}\n.type {name},@function\n{name}:\n\
         global_load_dword v2, v[0:1], off\n\
         v_add_f32 v3, 1.0, v2\n\
         v_readfirstlane_b32 s4, v0\n\
         v_readlane_b32 s5, v1, s4\n\
         {call}\n\
         s_setpc_b64 s[30:31]\n\
         .size {name}, .-{name}\n"
    )
}

#[test]
fn findings_come_by_tool_and_address() {
    // The first calls the last but one, so that they are checked together.
    let calls = ["s_call_b64 s[34:35], d", "", "", "", ""];
    let names = ["a", "b", "c", "d", "e"];
    let source: String = names
        .iter()
        .zip(calls)
        .map(|(n, call)| function(n, call))
        .collect();
    let object = assemble_object("order.s", &source, &Options::new(Chip::Gfx900)).expect("valid");
    let input = Input {
        name: "order.s",
        object: &object,
    };
    let linked = link(&[input], &Default::default()).expect("it can be linked");
    let object = CodeObject::parse(&linked).expect("a code object");
    let expected: Vec<String> = ["wait", "hazard"]
        .iter()
        .flat_map(|tool| names.map(|name| format!("{tool} {name}")))
        .collect();
    for _ in 0..8 {
        let mut findings = Findings::default();
        check_code(&object, Tools::STATIC, &mut findings);
        let found = findings.iter().map(|f| format!("{} {}", f.tool, f.kernel));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
