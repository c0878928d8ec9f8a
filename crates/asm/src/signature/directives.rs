//! Directives made from signatures: the descriptor of a kernel and its metadata.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Kernel Descriptor", "Code Object V5 Metadata", "Initial Kernel Execution
//! State".

use std::fmt::{self, Write as _};

use wavetank_gcn::Chip;
use wavetank_gcn::numbers::{MAX_GROUP_SIZE, SIMDS_PER_UNIT, vgpr_granule, vgprs_per_lane};
use wavetank_object::Target;

use super::{Kind, Signature};

/// The resources that the code needs, and its target.
#[derive(Clone, Debug)]
pub(crate) struct Needs<'a> {
    pub target: &'a Target,
    /// The version of the code object, from 3 on.
    pub version: u8,
    pub vgprs: u32,
    /// Accumulation registers, which are allocated with the VGPRs.
    pub agprs: u32,
    pub sgprs: u32,
    pub vcc: bool,
    pub flat_scratch: bool,
    /// The number of SGPRs reserved after the others.
    pub extra_sgprs: u32,
}

impl Needs<'_> {
    /// The chip that has the instructions of the target.
    fn chip(&self) -> Chip {
        Chip::from_name(self.target.instructions()).unwrap_or(Chip::Gfx900)
    }

    /// Returns the registers that a wave is given for so many VGPRs and the accumulation registers: these follow in the same file
    /// from gfx90a on, and are in a file of their own, which is as large, on gfx908.
    fn vector_registers(&self, vgprs: u32) -> u32 {
        match self.agprs {
            0 => vgprs,
            agprs if self.target.has_one_vector_file() => accum_offset(vgprs) + agprs,
            agprs => vgprs.max(agprs),
        }
    }
}

/// Returns where accumulation registers begin in the file that they share with VGPRs.
fn accum_offset(vgprs: u32) -> u32 {
    vgprs.max(1).next_multiple_of(4)
}

/// The number of lanes of a wave.
const WAVE: u32 = 64;

/// Returns the directives of kernels, in LLVM's dialect.
pub(crate) fn directives(kernels: &[Signature], needs: &Needs<'_>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, kernels, needs);
    text
}

fn write(out: &mut String, kernels: &[Signature], needs: &Needs<'_>) -> fmt::Result {
    for kernel in kernels {
        kernel.descriptor(needs, out)?;
    }
    writeln!(out, ".amdgpu_metadata\n---\namdhsa.version:\n  - 1")?;
    writeln!(
        out,
        "  - {}\namdhsa.kernels:",
        needs.version.clamp(3, 5) - 3
    )?;
    for kernel in kernels {
        kernel.metadata(needs, out)?;
    }
    if needs.version >= 4 {
        writeln!(out, "amdhsa.target: amdgcn-amd-amdhsa--{}", needs.target)?;
    }
    writeln!(out, "...\n.end_amdgpu_metadata")
}

impl Signature {
    /// Returns the number of SGPRs set when a wave begins: the address of the arguments, and the ids of the work-group.
    fn first_sgprs(&self) -> u32 {
        2 + u32::from(self.dimensions)
    }

    fn descriptor(&self, needs: &Needs<'_>, out: &mut String) -> fmt::Result {
        let name = &self.name;
        writeln!(out, ".globl {name}\n.type {name}, @function")?;
        writeln!(
            out,
            ".section .rodata, \"a\"\n.p2align 6\n.amdhsa_kernel {name}"
        )?;
        let vgprs = self.vgprs(needs);
        let fields: [(&str, u32); 12] = [
            ("group_segment_fixed_size", self.lds.0),
            ("kernarg_size", self.block_size()),
            ("user_sgpr_kernarg_segment_ptr", 1),
            ("system_sgpr_workgroup_id_x", 1),
            ("system_sgpr_workgroup_id_y", (self.dimensions >= 2).into()),
            ("system_sgpr_workgroup_id_z", (self.dimensions >= 3).into()),
            ("system_vgpr_workitem_id", u32::from(self.dimensions) - 1),
            ("next_free_vgpr", needs.vector_registers(vgprs)),
            ("accum_offset", accum_offset(vgprs)),
            ("next_free_sgpr", self.sgprs(needs)),
            ("reserve_vcc", needs.vcc.into()),
            ("reserve_flat_scratch", needs.flat_scratch.into()),
        ];
        // Where the chip has no such field, it reserves no registers for it.
        let target = needs.target;
        let fields = fields.iter().filter(|(field, _)| match *field {
            "reserve_flat_scratch" => target.major() >= 7 && !target.has_architected_scratch(),
            "accum_offset" => target.has_one_vector_file(),
            _ => true,
        });
        for (field, value) in fields {
            writeln!(out, "  .amdhsa_{field} {value}")?;
        }
        writeln!(out, ".end_amdhsa_kernel\n.text")
    }

    /// Returns the number of VGPRs: those of the code, and those set when a wave begins.
    fn vgprs(&self, needs: &Needs<'_>) -> u32 {
        needs.vgprs.max(self.dimensions.into())
    }

    fn sgprs(&self, needs: &Needs<'_>) -> u32 {
        needs.sgprs.max(self.first_sgprs())
    }

    fn metadata(&self, needs: &Needs<'_>, out: &mut String) -> fmt::Result {
        let name = &self.name;
        let vgprs = needs.vector_registers(self.vgprs(needs));
        // Without the tag, YAML would read a name such as `n` as a truth value.
        writeln!(out, "  - .name: !str {name}\n    .symbol: !str {name}.kd")?;
        for (field, value) in [
            ("group_segment_fixed_size", self.lds.0),
            ("private_segment_fixed_size", 0),
            ("kernarg_segment_size", self.block_size()),
            ("kernarg_segment_align", self.block_align()),
            (
                "max_flat_workgroup_size",
                largest_group(needs.chip(), vgprs),
            ),
            ("sgpr_count", self.sgprs(needs) + needs.extra_sgprs),
            ("sgpr_spill_count", 0),
            ("vgpr_count", vgprs),
            ("vgpr_spill_count", 0),
            ("wavefront_size", WAVE),
        ] {
            writeln!(out, "    .{field}: {value}")?;
        }
        if needs.agprs > 0 {
            writeln!(out, "    .agpr_count: {}", needs.agprs)?;
        }
        if self.parameters.is_empty() {
            writeln!(out, "    .args: []")
        } else {
            self.arguments(out)
        }
    }

    fn arguments(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "    .args:")?;
        for (parameter, offset) in self.placed() {
            let (name, size) = (&parameter.name, parameter.size());
            let known = parameter.scalar.known;
            writeln!(out, "      - .name: !str {name}")?;
            writeln!(out, "        .offset: {offset}\n        .size: {size}")?;
            match parameter.kind {
                Kind::Value => {
                    writeln!(
                        out,
                        "        .value_kind: by_value\n        .type_name: {known}"
                    )?;
                }
                Kind::Global { constant } => {
                    writeln!(out, "        .value_kind: global_buffer")?;
                    writeln!(
                        out,
                        "        .address_space: global\n        .type_name: '{known}*'"
                    )?;
                    if constant {
                        writeln!(out, "        .is_const: true")?;
                    }
                }
                Kind::Local => {
                    writeln!(out, "        .value_kind: dynamic_shared_pointer")?;
                    writeln!(
                        out,
                        "        .address_space: local\n        .type_name: '{known}*'"
                    )?;
                    writeln!(out, "        .pointee_align: {}", parameter.scalar.size)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the work-items of the largest work-group: all its waves are on one compute unit, whose waves share the VGPRs of its
/// SIMDs.
fn largest_group(chip: Chip, vgprs: u32) -> u32 {
    let granules = vgprs.max(1).next_multiple_of(vgpr_granule(chip));
    let waves = SIMDS_PER_UNIT * (vgprs_per_lane(chip) / granules).max(1);
    (waves * WAVE).min(MAX_GROUP_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_of_a_group_fit_on_a_compute_unit() {
        // LLVM, `getNumWavesPerEUWithNumVGPRs`: 4 waves have 64 VGPRs each, 3 have 84, 2 have 128.
        let counts = [1, 64, 65, 84, 85, 128, 129, 256];
        let sizes = counts.map(|count| largest_group(Chip::Gfx900, count));
        assert_eq!(sizes, [1024, 1024, 768, 768, 512, 512, 256, 256]);
        // A file of 512 in blocks of 8.
        let sizes = [128, 129, 168, 169, 256, 512].map(|count| largest_group(Chip::Gfx90a, count));
        assert_eq!(sizes, [1024, 768, 768, 512, 512, 256]);
    }
}
