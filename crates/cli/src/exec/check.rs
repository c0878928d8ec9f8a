//! `exec --check`: what is wrong with the instructions themselves.

use std::path::Path;

use wavetank::exec::Case;
use wavetank::object::CodeObject;
use wavetank_check::report::{Look, Scene, Sources, text};
use wavetank_check::{Findings, Places, Tool, Tools, check_code};
use wavetank_isa::{encode, parse};

use crate::terminal;

/// The tools that have something to say of instructions without a descriptor.
const TOOLS: Tools = Tools::of(&[Tool::Wait, Tool::Hazard]);

/// What is found in the instructions of a case, each as people read it. Of other instruction sets than GCN nothing is known.
pub fn findings(case: &Case, file: &Path) -> Vec<String> {
    let Some(object) = code_of(case) else {
        return Vec::new();
    };
    let mut findings = Findings::default();
    check_code(&object, TOOLS, &mut findings);
    let places = Places::of(&object);
    if let Some(places) = &places {
        places.tell(&mut findings);
    }
    let scene = Scene {
        file,
        target: &object.target().to_string(),
        places: places.as_ref(),
        sources: &Sources::default(),
    };
    let look = Look {
        // They are dropped where stderr is no terminal.
        colours: true,
        columns: terminal::columns(),
    };
    findings.iter().map(|f| text(f, &scene, look)).collect()
}

/// The instructions as code that ends behind them.
fn code_of(case: &Case) -> Option<CodeObject> {
    let chip = case.chip()?;
    let end = parse("s_endpgm", chip).ok()?;
    let mut code = Vec::new();
    for inst in case.instructions().chain([&end]) {
        code.extend_from_slice(encode(inst).ok()?.as_bytes());
    }
    CodeObject::of_code(&code, chip.name().parse().ok()?).ok()
}
