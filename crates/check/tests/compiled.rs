//! Compilers put in all waits and wait states: there is nothing to be found in their code.

use std::path::PathBuf;

use wavetank_check::{Findings, Places, Tools, check_code};
use wavetank_object::{CodeObject, Target, open_all, targets};

use crate::common::{objects_in, shared_objects};

/// What the tools find in a code object, in words.
fn found(object: &CodeObject) -> Vec<String> {
    let mut findings = Findings::default();
    check_code(object, Tools::STATIC, &mut findings);
    if let Some(places) = Places::of(object) {
        places.locate(&mut findings);
    }
    let text = findings.iter().map(|f| {
        let related: Vec<_> = f.related.iter().map(|m| m.place.to_string()).collect();
        format!(
            "{}: {} at {}; {}",
            f.kernel,
            f.message,
            f.at.place,
            related.join(", ")
        )
    });
    text.collect()
}

#[test]
fn compiled_kernels_have_no_findings() {
    have_no_findings(&shared_objects());
}

/// But for a barrier without a fence in the source, after which other waves may see LDS as it was.
#[test]
fn compiled_kernels_of_cdna_have_no_findings() {
    let mut objects = objects_in("kernels/cdna/co");
    objects.retain(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        !name.starts_with("f64_atomics.")
    });
    have_no_findings(&objects);
}

fn have_no_findings(paths: &[PathBuf]) {
    let mut objects = 0;
    let mut wrong = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path).expect("it is there");
        let targets = targets(&bytes).expect("it is a code object, or several");
        let open =
            |target: &Target| open_all(&bytes, Some(&target.to_string())).expect("it is there");
        for object in targets.iter().flat_map(open) {
            objects += 1;
            let name = path.file_name().expect("a name").display().to_string();
            wrong.extend(found(&object).iter().map(|text| format!("{name}: {text}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "in {objects} objects {}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
