//! Prepares a finding of a launch for a report: maps its addresses back to the code object, and adds sources and lines.

use std::path::Path;

use wavetank_check::report::{Scene, Sources};
use wavetank_check::{Finding, Place, Places};

use crate::module::Module;

impl Module {
    /// Calls `see`, usually with [`text`](wavetank_check::report::text) or [`json`](wavetank_check::report::json) in it, with a
    /// finding of a launch and the context that a report needs. Addresses are those of the code object before it was loaded.
    /// `file` is the name of the code object; sources are looked for beside it.
    ///
    /// ```no_run
    /// use wavetank::check::report::{Look, text};
    /// # fn show(kernel: &wavetank::Kernel, report: &wavetank::Report) {
    /// for finding in &report.findings {
    ///     let shown = kernel.module().show(finding, "k.hsaco".as_ref(), |finding, scene| {
    ///         text(finding, scene, Look::default())
    ///     });
    ///     eprintln!("{shown}");
    /// }
    /// # }
    /// ```
    pub fn show<R>(
        &self,
        finding: &Finding,
        file: &Path,
        see: impl FnOnce(&Finding, &Scene<'_>) -> R,
    ) -> R {
        self.show_with(finding, file, |place| place, see)
    }

    /// As [`show`](Self::show), with a resolver that may refine each location.
    pub fn show_with<R>(
        &self,
        finding: &Finding,
        file: &Path,
        refine: impl Fn(Place) -> Place,
        see: impl FnOnce(&Finding, &Scene<'_>) -> R,
    ) -> R {
        let finding = finding.moved(|pc| {
            refine(Place {
                pc: self.address_at_rest(pc),
                ..self.place(pc)
            })
        });
        let folder = file.parent().unwrap_or(Path::new(""));
        let places = Places::of(self.object());
        let scene = Scene {
            file,
            target: &self.object().target().to_string(),
            places: places.as_ref(),
            sources: &Sources::beside(folder),
        };
        see(&finding, &scene)
    }
}
