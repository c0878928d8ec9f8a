//! The metadata of code object version 2, which is YAML.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Code Object V2 Metadata".

use std::fmt::{Display, Write};

use wavetank_gcn::Chip;

use crate::session::program::{Kernel, KernelMetadata, Metadata, quoted};

/// Keys of a kernel's map `Attrs`.
const ATTRIBUTES: [&str; 4] = [
    "ReqdWorkGroupSize",
    "WorkGroupSizeHint",
    "VecTypeHint",
    "RuntimeHandle",
];
/// Keys directly in the map of a kernel. A key of neither list goes into `CodeProps`.
const KERNEL_KEYS: [&str; 3] = ["SymbolName", "Language", "LanguageVersion"];

/// Returns the metadata of a source as text.
pub(super) fn text_of(metadata: &Metadata, kernels: &[Kernel], chip: Chip) -> String {
    let (major, minor) = metadata.version.unwrap_or((1, 0));
    let mut out = format!("---\nVersion: [ {major}, {minor} ]\n");
    if !metadata.printfs.is_empty() {
        out.push_str("Printf:\n");
        for line in &metadata.printfs {
            put(&mut out, "  - ", "", line);
        }
    }
    out.push_str("Kernels:\n");
    for kernel in kernels {
        kernel_text(&mut out, kernel, chip);
    }
    out.push_str("...\n");
    out
}

fn kernel_text(out: &mut String, kernel: &Kernel, chip: Chip) {
    let KernelMetadata { entries, arguments } = &kernel.metadata;
    put(out, "  - ", "Name: ", quoted(&kernel.name));
    let entry_of = |key: &str| entries.iter().find(|(other, _)| *other == key);
    if entry_of("SymbolName").is_none() {
        put(
            out,
            "    ",
            "SymbolName: ",
            quoted(&format!("{}@kd", kernel.name)),
        );
    }
    let group = |out: &mut String, indent: &str, is_one: &dyn Fn(&str) -> bool| {
        for (key, value) in entries.iter().filter(|(key, _)| is_one(key)) {
            put(out, indent, &format!("{key}: "), value);
        }
    };
    group(out, "    ", &|key| KERNEL_KEYS.contains(&key));
    if ATTRIBUTES.iter().any(|key| entry_of(key).is_some()) {
        out.push_str("    Attrs:\n");
        group(out, "      ", &|key| ATTRIBUTES.contains(&key));
    }
    if !arguments.is_empty() {
        out.push_str("    Args:\n");
    }
    for argument in arguments {
        for (n, (key, value)) in argument.iter().enumerate() {
            let indent = if n == 0 { "      - " } else { "        " };
            put(out, indent, &format!("{key}: "), value);
        }
    }
    let Some(config) = &kernel.config else {
        return;
    };
    out.push_str("    CodeProps:\n");
    let (sgprs, vgprs) = config.registers(&kernel.counts, chip);
    let arguments = config.arguments as i64;
    for (key, value) in [
        (
            "KernargSegmentSize",
            arguments.max(config.value("kernarg_segment_byte_size")),
        ),
        (
            "GroupSegmentFixedSize",
            config.value("workgroup_group_segment_byte_size"),
        ),
        (
            "PrivateSegmentFixedSize",
            config.value("workitem_private_segment_byte_size"),
        ),
        ("KernargSegmentAlign", 16),
        ("WavefrontSize", 64),
        ("NumSGPRs", sgprs),
        ("NumVGPRs", vgprs),
        ("MaxFlatWorkGroupSize", 256),
    ] {
        if entry_of(key).is_none() {
            put(out, "      ", &format!("{key}: "), value);
        }
    }
    group(out, "      ", &|key| {
        !ATTRIBUTES.contains(&key) && !KERNEL_KEYS.contains(&key)
    });
}

fn put(out: &mut String, indent: &str, key: &str, value: impl Display) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{indent}{key}{value}");
}
