//! The settings of a kernel, and the 256-byte header made from them.
//!
//! Source: CLRX's documentation, "CLRX Assembler ROCm handling" and "… AMD Catalyst OpenCL 2.0 handling".

use wavetank_gcn::Chip;
use wavetank_object::KERNEL_CODE_SIZE;

use crate::assembler::Counts;
use crate::kernel::{KernelCode, extra_sgprs, field};

/// Fields with the user SGPRs that they take (LLVM's "User Guide for AMDGPU Backend", "Initial Kernel Execution State").
const USER_SGPRS: [(&str, i64); 10] = [
    ("enable_sgpr_private_segment_buffer", 4),
    ("enable_sgpr_dispatch_ptr", 2),
    ("enable_sgpr_queue_ptr", 2),
    ("enable_sgpr_kernarg_segment_ptr", 2),
    ("enable_sgpr_dispatch_id", 2),
    ("enable_sgpr_flat_scratch_init", 2),
    ("enable_sgpr_private_segment_size", 1),
    ("enable_sgpr_grid_workgroup_count_x", 1),
    ("enable_sgpr_grid_workgroup_count_y", 1),
    ("enable_sgpr_grid_workgroup_count_z", 1),
];

/// Fields for the number of work-groups of a grid, one for each dimension.
pub(crate) const GRID_COUNTS: [&str; 3] = [
    "enable_sgpr_grid_workgroup_count_x",
    "enable_sgpr_grid_workgroup_count_y",
    "enable_sgpr_grid_workgroup_count_z",
];

/// Fields that Mesa's drivers before LLVM 4.0 support.
const OLD: [&str; 11] = [
    "debug_mode",
    "enable_dx10_clamp",
    "enable_exception",
    "enable_ieee_mode",
    "enable_sgpr_workgroup_info",
    "float_mode",
    "priority",
    "priv",
    "user_sgpr_count",
    "workgroup_group_segment_byte_size",
    "workitem_private_segment_byte_size",
];

/// The settings in a kernel's `.config`.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub fields: Vec<(&'static str, i64)>,
    /// Bit masks of the dimensions in which ids of work-groups and of work-items are passed: x is 1, y 2, z 4.
    pub dims: Option<(u32, u32)>,
    pub sgprs: Option<i64>,
    pub vgprs: Option<i64>,
    pub rsrc1: Option<i64>,
    pub rsrc2: Option<i64>,
    /// Settings of the header before a kernel's code for Mesa, where they differ.
    pub hsa: Option<Box<Config>>,
    /// Bytes of the arguments that `.arg` directives have declared.
    pub arguments: u64,
}

impl Config {
    pub(crate) fn put(&mut self, name: &'static str, value: i64) {
        self.fields.retain(|(other, _)| *other != name);
        self.fields.push((name, value));
    }

    /// Returns the value of a field, or 0 if it is not set.
    pub(crate) fn value(&self, name: &str) -> i64 {
        let found = self.fields.iter().find(|(other, _)| *other == name);
        found.map_or(0, |(_, value)| *value)
    }

    /// Returns the settings of the header before a kernel's code for Mesa.
    pub(crate) fn for_hsa(&mut self) -> &mut Config {
        self.hsa.get_or_insert_with(Box::default)
    }

    /// Returns a setting that Mesa's drivers support only from LLVM 4.0 on, if there is one.
    pub(crate) fn needs_hsa(&self) -> Option<&'static str> {
        let newer = self.fields.iter().find(|(name, _)| !OLD.contains(name));
        let newer = newer.map(|(name, _)| *name);
        newer.or(self.hsa.as_ref().map(|_| ".hsa_…"))
    }

    /// Sets the number of user SGPRs, unless another setting determines it.
    pub(crate) fn default_users(&mut self, users: i64) {
        if !self.is_said("user_sgpr_count") {
            self.put("user_sgpr_count", users);
        }
    }

    /// Returns the settings, with the values that differ in the header.
    pub(crate) fn with_overrides(mut self) -> Config {
        let Some(hsa) = self.hsa.take() else {
            return self;
        };
        for (name, value) in &hsa.fields {
            self.put(name, *value);
        }
        Config {
            dims: hsa.dims.or(self.dims),
            sgprs: hsa.sgprs.or(self.sgprs),
            vgprs: hsa.vgprs.or(self.vgprs),
            rsrc1: hsa.rsrc1.or(self.rsrc1),
            rsrc2: hsa.rsrc2.or(self.rsrc2),
            ..self
        }
    }

    /// Returns the values of COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC2.
    ///
    /// # Errors
    /// The errors of [`bytes`](Self::bytes).
    pub(crate) fn words(&self, counts: &Counts, chip: Chip) -> Result<[u32; 2], String> {
        Ok(self.code(counts, chip)?.words())
    }

    fn is_said(&self, name: &str) -> bool {
        self.fields.iter().any(|(other, _)| *other == name)
    }

    /// Returns the number of user SGPRs.
    fn users(&self) -> i64 {
        if self.is_said("user_sgpr_count") {
            return self.value("user_sgpr_count");
        }
        let users = USER_SGPRS.iter().filter(|(name, _)| self.value(name) != 0);
        users.map(|(_, count)| count).sum::<i64>().min(16)
    }

    /// Returns the SGPRs and VGPRs that the code names, or that are set.
    pub(crate) fn named(&self, counts: &Counts) -> (i64, i64) {
        let (groups, items) = self.dimensions();
        let scratch = i64::from(self.value("workitem_private_segment_byte_size") != 0);
        let info = self.value("enable_sgpr_workgroup_info");
        let filled = self.users() + i64::from(groups.count_ones()) + scratch + info;
        let ids = 1 + i64::from(spread(items));
        (
            self.sgprs.unwrap_or(filled.max(counts.sgprs.into())),
            self.vgprs.unwrap_or(ids.max(counts.vgprs.into())),
        )
    }

    /// Returns the SGPRs and VGPRs of a wave: the ones set, or as many as the code names and the start of the kernel fills.
    pub(crate) fn registers(&self, counts: &Counts, chip: Chip) -> (i64, i64) {
        let (major, _, _) = crate::isa_version(chip);
        let flat = self.value("enable_sgpr_flat_scratch_init") != 0 || counts.flat_scratch;
        let xnack = self.value("is_xnack_enabled") != 0;
        let most = if major >= 8 { 102 } else { 104 };
        let (named, vgprs) = self.named(counts);
        let all = named + extra_sgprs(major, true, flat, xnack);
        (self.sgprs.unwrap_or(all.min(most)), vgprs)
    }

    fn dimensions(&self) -> (u32, u32) {
        let word = self.rsrc2.unwrap_or(0) as u32;
        self.dims
            .unwrap_or((word >> 7 & 7, (1 << (word >> 11 & 3)) & 6))
    }

    /// Returns the bytes before the code.
    ///
    /// # Errors
    /// A sentence about registers that the chip does not have.
    pub(crate) fn bytes(
        &self,
        counts: &Counts,
        chip: Chip,
    ) -> Result<[u8; KERNEL_CODE_SIZE], String> {
        Ok(self.code(counts, chip)?.bytes())
    }

    fn code(&self, counts: &Counts, chip: Chip) -> Result<KernelCode, String> {
        let (sgprs, vgprs) = self.registers(counts, chip);
        if !(0..=256).contains(&vgprs) || !(0..=104).contains(&sgprs) {
            return Err(format!(
                "a wave has 104 SGPRs and 256 VGPRs at most, not {sgprs} and {vgprs}"
            ));
        }
        let (groups, items) = self.dimensions();
        let (major, ..) = crate::isa_version(chip);
        let local = self.value("workgroup_group_segment_byte_size") as u64;
        let granule = if major < 7 { 256 } else { 512 };
        let mut code = KernelCode::new(chip);
        let scratch = self.value("workitem_private_segment_byte_size") != 0;
        let [rsrc1, rsrc2] = [self.rsrc1, self.rsrc2].map(|word| word.unwrap_or(0) as u32);
        code.set_words(rsrc1, rsrc2 & 0xffff_e440);
        for (name, value) in [
            ("amd_code_version_minor", 0),
            ("call_convention", 0),
            ("kernarg_segment_byte_size", self.arguments as i64),
            ("wavefront_sgpr_count", sgprs.max(1)),
            ("workitem_vgpr_count", vgprs.max(1)),
        ] {
            code.set(name, value);
        }
        // Computed values are combined with the given words.
        for (name, value) in [
            ("granulated_workitem_vgpr_count", (vgprs.max(1) - 1) / 4),
            ("granulated_wavefront_sgpr_count", (sgprs.max(1) - 1) / 8),
            (
                "float_mode",
                if self.is_said("float_mode") { 0 } else { 0xc0 },
            ),
            (
                "enable_sgpr_private_segment_wave_byte_offset",
                scratch.into(),
            ),
            ("user_sgpr_count", self.users()),
            ("enable_sgpr_workgroup_id_x", (groups & 1).into()),
            ("enable_sgpr_workgroup_id_y", (groups >> 1 & 1).into()),
            ("enable_sgpr_workgroup_id_z", (groups >> 2 & 1).into()),
            ("enable_vgpr_workitem_id", spread(items).into()),
            ("granulated_lds_size", local.div_ceil(granule) as i64),
        ] {
            code.set(name, value | code.get(name));
        }
        for (name, value) in &self.fields {
            let before = match field(name) {
                Some((_, byte, ..)) if (48..56).contains(&byte) => code.get(name),
                _ => 0,
            };
            code.set(name, value | before);
        }
        Ok(code)
    }
}

/// Returns the number of work-item ids in addition to x.
fn spread(items: u32) -> u32 {
    match items {
        4.. => 2,
        2.. => 1,
        _ => 0,
    }
}
