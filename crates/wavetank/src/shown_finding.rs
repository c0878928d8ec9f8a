//! Findings with their reports: of a launch, and of machine code that does not run.

use std::path::Path;

use wavetank_check::report::{Look, Scene, Sources, json, text};
use wavetank_check::{Finding, Findings, Places, Tools, check_code};
use wavetank_object::{CodeObject, each_piece};

use crate::chips::ChipFacts;
use crate::error::Result;
use crate::module::Module;

/// A finding with its report in two forms. Addresses are those of the code object before it was loaded.
#[derive(Clone, Debug)]
pub struct ShownFinding {
    /// The finding.
    pub finding: Finding,
    /// The report of `wavetank check`.
    pub text: String,
    /// The report with the machine code, as with `--asm`.
    pub text_with_code: String,
    /// The finding as JSON, as `wavetank check --json` prints it.
    pub json: String,
}

impl ShownFinding {
    /// Makes the reports of a finding.
    pub fn of(finding: &Finding, scene: &Scene<'_>) -> ShownFinding {
        let with_code = Look {
            machine_code: true,
            ..Look::default()
        };
        ShownFinding {
            finding: finding.clone(),
            text: text(finding, scene, Look::default()),
            text_with_code: text(finding, scene, with_code),
            json: json(finding, scene),
        }
    }

    /// Reports the findings of a launch of a module's kernel. `file` is the name of the code object; sources are looked for beside
    /// it.
    pub fn of_launch(module: &Module, file: &Path, findings: &[Finding]) -> Vec<ShownFinding> {
        let shown = |finding| module.show(finding, file, ShownFinding::of);
        findings.iter().map(shown).collect()
    }

    /// Reads the machine code of a file without running it, and reports the findings of the static tools among `tools`. Code for
    /// chips that are not executed is left out.
    ///
    /// # Errors
    /// [`Error::Object`](crate::Error::Object) for bytes that are not a code object, bundle or host program.
    ///
    /// ```
    /// use wavetank::{ShownFinding, Tools};
    ///
    /// let file = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");
    /// let findings = ShownFinding::of_code(file, "vecadd.hsaco".as_ref(), Tools::STATIC)?;
    /// assert!(findings.is_empty());
    /// # Ok::<(), wavetank::Error>(())
    /// ```
    pub fn of_code(bytes: &[u8], file: &Path, tools: Tools) -> Result<Vec<ShownFinding>> {
        let mut all = Vec::new();
        each_piece(bytes, None, |piece| {
            if ChipFacts::execute(piece.target()) {
                all.extend(ShownFinding::of_object(&piece.read()?, file, tools));
            }
            Ok::<(), crate::Error>(())
        })?;
        Ok(all)
    }
    fn of_object(object: &CodeObject, file: &Path, tools: Tools) -> Vec<ShownFinding> {
        let mut findings = Findings::default();
        check_code(object, tools.and(Tools::STATIC), &mut findings);
        let places = Places::of(object);
        if let Some(places) = &places {
            places.locate(&mut findings);
        }
        let scene = Scene {
            file,
            target: &object.target().to_string(),
            places: places.as_ref(),
            sources: &Sources::beside(file.parent().unwrap_or(Path::new(""))),
        };
        let shown = |finding| ShownFinding::of(finding, &scene);
        findings.iter().map(shown).collect()
    }
}
