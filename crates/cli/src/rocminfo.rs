//! The output of ROCm's `rocminfo` (5.2) for the emulated GPUs, reduced to the parts that are used with an emulator. The original
//! looks for the kernel driver first. Programs that use it to find the names of chips (`rocm_agent_enumerator`, build scripts)
//! would then find none.

use std::fmt::Write;

use wavetank::ChipFacts;
use wavetank::numbers::{LDS_BYTES, MAX_GROUP_SIZE, SIMDS_PER_UNIT, waves_per_unit};

/// The widths in columns of a label, and of the value after it.
const LABEL: usize = 25;
const VALUE: usize = 35;

/// Returns the report of the host and some GPUs, each with its memory in bytes.
pub(crate) fn report(cpu: &str, threads: usize, gpus: &[(&ChipFacts, u64)]) -> String {
    let mut page = Page::default();
    page.text += "ROCk module is loaded\n";
    page.title("HSA System Attributes");
    page.line(0, "Runtime Version:", "1.1");
    page.line(0, "System Timestamp Freq.:", "1000.000000MHz");
    let longest = format!("{} (0x{:X}) (timestamp count)", u64::MAX, u64::MAX);
    page.line(0, "Sig. Max Wait Duration:", &longest);
    page.line(0, "Machine Model:", "LARGE");
    page.line(0, "System Endianness:", "LITTLE");
    page.text.push('\n');
    page.title("HSA Agents");
    page.cpu(cpu, threads);
    for (n, (facts, memory)) in gpus.iter().enumerate() {
        page.gpu(n, facts, *memory);
    }
    page.text += "*** Done ***\n";
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// Appends a line. Writing to a string does not fail.
    fn line(&mut self, level: usize, label: &str, value: &str) {
        let indent = 2 * level;
        let _ = writeln!(self.text, "{:indent$}{label:LABEL$}{value:VALUE$}", "");
    }

    fn title(&mut self, title: &str) {
        let rule = "=".repeat(title.len());
        let _ = writeln!(self.text, "{rule:LABEL$}\n{title:LABEL$}\n{rule:LABEL$}");
    }

    fn agent(&mut self, number: usize) {
        let rule = "*******";
        let title = format!("Agent {number}");
        let _ = writeln!(self.text, "{rule:LABEL$}\n{title:LABEL$}\n{rule:LABEL$}");
    }

    fn cpu(&mut self, name: &str, threads: usize) {
        self.agent(1);
        for (label, value) in [
            ("Name:", name),
            ("Uuid:", "CPU-XX"),
            ("Marketing Name:", name),
            ("Vendor Name:", "CPU"),
            ("Feature:", "None specified"),
            ("Profile:", "FULL_PROFILE"),
            ("Float Round Mode:", "NEAR"),
            ("Queue Type:", "MULTI"),
            ("Node:", "0"),
            ("Device Type:", "CPU"),
            ("Internal Node ID:", "0"),
            ("Compute Unit:", &threads.to_string()),
            ("Features:", "None"),
        ] {
            self.line(1, label, value);
        }
    }

    fn gpu(&mut self, n: usize, facts: &ChipFacts, memory: u64) {
        self.agent(n + 2);
        let node = (n + 1).to_string();
        for (label, value) in [
            ("Name:", facts.chip.name()),
            ("Marketing Name:", facts.product),
            ("Vendor Name:", "AMD"),
            ("Feature:", "KERNEL_DISPATCH"),
            ("Profile:", "BASE_PROFILE"),
            ("Float Round Mode:", "NEAR"),
            ("Queue Type:", "MULTI"),
            ("Node:", &node),
            ("Device Type:", "GPU"),
            ("Chip ID:", &both(facts.chip_id)),
            ("Cacheline Size:", &both(64u32)),
            ("Max Clock Freq. (MHz):", &facts.clock.to_string()),
            ("Internal Node ID:", &node),
            ("Compute Unit:", &facts.compute_units.to_string()),
            ("SIMDs per CU:", &SIMDS_PER_UNIT.to_string()),
            ("Shader Engines:", &facts.engines.to_string()),
            ("Shader Arrs. per Eng.:", &facts.arrays.to_string()),
            ("Features:", "KERNEL_DISPATCH"),
            ("Fast F16 Operation:", "TRUE"),
            ("Wavefront Size:", &both(64u32)),
        ] {
            self.line(1, label, value);
        }
        self.sides(1, "Workgroup Max Size", MAX_GROUP_SIZE);
        let waves = waves_per_unit(facts.chip);
        self.line(1, "Max Waves Per CU:", &both(waves));
        self.line(1, "Max Work-item Per CU:", &both(64 * waves));
        self.sides(1, "Grid Max Size", u32::MAX);
        self.line(1, "Pool Info:", "");
        self.pool(1, "GLOBAL; FLAGS: COARSE GRAINED", memory >> 10, true);
        self.pool(2, "GROUP", u64::from(LDS_BYTES >> 10), false);
        self.line(1, "ISA Info:", "");
        self.line(2, "ISA 1", "");
        for (label, value) in [
            ("Name:", facts.isa),
            ("Machine Models:", "HSA_MACHINE_MODEL_LARGE"),
            ("Profiles:", "HSA_PROFILE_BASE"),
            ("Default Rounding Mode:", "NEAR"),
            ("Fast f16:", "TRUE"),
        ] {
            self.line(3, label, value);
        }
        self.sides(3, "Workgroup Max Size", MAX_GROUP_SIZE);
        self.sides(3, "Grid Max Size", u32::MAX);
    }

    /// Appends a limit, and that of each dimension.
    fn sides(&mut self, level: usize, label: &str, most: u32) {
        self.line(level, &format!("{label}:"), &both(most));
        self.line(level, &format!("{label} per Dimension:"), "");
        for side in ["x", "y", "z"] {
            self.line(level + 1, side, &both(most));
        }
    }

    fn pool(&mut self, number: usize, segment: &str, kibibytes: u64, allocatable: bool) {
        self.line(2, &format!("Pool {number}"), "");
        self.line(3, "Segment:", segment);
        self.line(3, "Size:", &format!("{} KB", both(kibibytes)));
        let allocatable = if allocatable { "TRUE" } else { "FALSE" };
        self.line(3, "Allocatable:", allocatable);
    }
}

/// Returns a number in decimal and in hexadecimal.
fn both(n: impl Into<u64>) -> String {
    let n = n.into();
    format!("{n}({n:#x})")
}
