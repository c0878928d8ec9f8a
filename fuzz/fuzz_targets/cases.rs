//! Any text as a file of cases: refused with its line, or run on both engines, which reach the same state.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wavetank_cases::{Engine, parse_file};

fuzz_target!(|text: &str| {
    let cases = match parse_file(text) {
        Ok(cases) => cases,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for case in cases.iter().take(8) {
        let [fast, slow] = [Engine::Interpreter, Engine::Plain].map(|engine| case.run(engine));
        match (fast, slow) {
            (Ok(fast), Ok(slow)) if !reads_the_clock(case) => {
                assert!(fast.same_as(&slow), "{text}");
            }
            (Ok(_), Ok(_)) => {}
            (Err(fast), Err(slow)) => assert_eq!(fast.line, slow.line, "{fast}, {slow}"),
            (fast, slow) => panic!("{:?}, {:?}", fast.map(drop), slow.map(drop)),
        }
    }
});

/// Whether two runs may differ.
fn reads_the_clock(case: &wavetank_cases::Case) -> bool {
    let text = |inst: &wavetank_gcn::Inst| inst.to_string();
    case.instructions()
        .any(|inst| text(inst).contains("time") || text(inst).contains("s_getreg"))
}
