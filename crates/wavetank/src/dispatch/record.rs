//! The description of a dispatch for its capture.

use std::path::Path;

use wavetank_capture::Launch;
use wavetank_machine::gcn;

use super::Dispatch;
use crate::capture::{Recording, packet};
use crate::error::{Error, Result};

impl Dispatch<'_> {
    /// Begins to record the launch.
    ///
    /// # Errors
    /// [`Error::Capture`] if the file cannot be written, or the kernel starts with registers that a capture does not have.
    pub(super) fn record(
        &self,
        path: &Path,
        number: u64,
        launch: &gcn::Launch,
    ) -> Result<Recording> {
        if launch.user.words.is_some() {
            return Err(Error::Capture {
                path: path.to_owned(),
                problem: "it cannot have a kernel whose registers a driver fills".to_owned(),
            });
        }
        let device = self.kernel.module().device();
        let launch = Launch {
            made_by: concat!("wavetank ", env!("CARGO_PKG_VERSION")).to_owned(),
            chip: device.chip().name().to_owned(),
            product: Some(device.facts().product.to_owned()),
            kernel: self.kernel.name().to_owned(),
            number,
            grid: self.grid.size(),
            block: self.block.size(),
            packet: packet(launch),
            module: self.kernel.module().address(),
            cooperative: self.cooperative,
            border_colors: self.border_colors,
            trap_handler: self
                .trap_handler
                .map(|handler| [handler.code, handler.memory]),
            schedule: device.schedule().to_string(),
            strict: device.inner.strict,
            counters: Vec::new(),
            allocations: Vec::new(),
        };
        Recording::begin(path, &self.kernel, launch)
    }
}
