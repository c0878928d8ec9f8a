//! The code objects and sources that findings refer to.

use std::path::Path;

use super::Sources;
use crate::place::Places;

/// The context of a report.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The file with the code object, by the given name.
    pub file: &'a Path,
    /// The target of the code: `gfx906:xnack-`.
    pub target: &'a str,
    /// The code, if it is available.
    pub places: Option<&'a Places<'a>>,
    /// The source files of the code.
    pub sources: &'a Sources,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::finding::{Finding, Findings, Mark};
    use crate::host::Stack;
    use crate::tool::Tool;
    use wavetank_object::{CodeObject, Frame, open};

    /// Returns `lines.cl`, compiled with `-g`.
    pub(crate) fn lines() -> CodeObject {
        let bytes = include_bytes!("../../../object/tests/data/lines-gfx900.hsaco");
        open(bytes, None).unwrap()
    }

    /// Returns the folder with its sources.
    pub(crate) fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../object/tests/data"))
    }

    /// Returns a finding of the kernel `lines`, at distances from its entry.
    pub(crate) fn finding(object: &CodeObject, at: u64, related: u64) -> Finding {
        let entry = object.kernel("lines").unwrap().entry;
        Finding {
            tool: Tool::Wait,
            rule: "vgpr-before-load",
            kernel: "lines".into(),
            message: "v1 is read before it has been loaded".into(),
            at: Mark::at(entry + at, "v1 is read here"),
            related: vec![Mark::at(entry + related, "it is loaded here")],
            host: vec![Stack {
                label: "freed here".into(),
                frames: vec![Frame {
                    function: Some("_Z4axpyPf".into()),
                    file: "main.cpp".into(),
                    line: Some(7),
                    column: None,
                }],
            }],
            notes: vec!["1 load may be in flight".into()],
            help: Some("wait with `s_waitcnt vmcnt(0)`".into()),
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }

    /// Returns a finding with its places looked up.
    pub(crate) fn located(finding: Finding, object: &CodeObject) -> Finding {
        let mut findings = Findings::default();
        findings.add(finding);
        Places::of(object).unwrap().locate(&mut findings);
        findings.iter().next().unwrap().clone()
    }

    /// Calls `see` with the context of a code object.
    pub(crate) fn with<R>(
        object: &CodeObject,
        folder: &Path,
        see: impl FnOnce(&Scene<'_>) -> R,
    ) -> R {
        let places = Places::of(object).unwrap();
        see(&Scene {
            file: Path::new("lines.hsaco"),
            target: "gfx900",
            places: Some(&places),
            sources: &Sources::beside(folder),
        })
    }
}
