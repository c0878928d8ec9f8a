//! Output of kernels: descriptors as directives.

use wavetank_object::{DESCRIPTOR_SIZE, KERNEL_CODE_SIZE};

use super::Writer;
use super::names::written;
use super::parts::{KernelAt, Part};
use crate::kernel::{descriptor_fields, kernel_code_fields};

impl Writer<'_> {
    /// Returns the lines of a kernel's directives, or `None` if they would not make the same bytes.
    pub(super) fn kernel(&self, part: &Part<'_>, kernel: &KernelAt) -> Option<Vec<String>> {
        let start = kernel.at as usize;
        let bytes = &part.bytes[start..start + kernel.size as usize];
        match &kernel.code {
            Some(code) => self.descriptor(bytes, code, kernel.distance),
            None => self.kernel_code(bytes),
        }
    }

    fn descriptor(&self, bytes: &[u8], code: &str, distance: i64) -> Option<Vec<String>> {
        let bytes = <&[u8; DESCRIPTOR_SIZE]>::try_from(bytes).ok()?;
        // The directive computes the distance to the code itself.
        let entry = i64::from_le_bytes([16, 17, 18, 19, 20, 21, 22, 23].map(|n: usize| bytes[n]));
        let mut rest = *bytes;
        rest[16..24].fill(0);
        let fields = descriptor_fields(&rest, &self.target).filter(|_| entry == distance)?;
        let mut lines = vec![format!(".amdhsa_kernel {}", written(code))];
        lines.extend(
            fields
                .iter()
                .map(|(name, value)| format!("\t.amdhsa_{name} {value}")),
        );
        lines.push(".end_amdhsa_kernel".to_owned());
        Some(lines)
    }

    fn kernel_code(&self, bytes: &[u8]) -> Option<Vec<String>> {
        let bytes = <&[u8; KERNEL_CODE_SIZE]>::try_from(bytes).ok()?;
        let fields = kernel_code_fields(bytes, self.chip)?;
        let mut lines = vec![".amd_kernel_code_t".to_owned()];
        lines.extend(
            fields
                .iter()
                .map(|(name, value)| format!("\t{name} = {value}")),
        );
        lines.push(".end_amd_kernel_code_t".to_owned());
        Some(lines)
    }
}
