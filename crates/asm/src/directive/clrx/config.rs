//! The settings of a kernel: what stands in `.config`, and the 256 bytes that are made of it.
//!
//! Source: CLRX's documentation, "CLRX Assembler ROCm handling" and "… AMD Catalyst OpenCL 2.0 handling".

use wavetank_isa::Chip;
use wavetank_object::KERNEL_CODE_SIZE;

use super::super::fields::extra_sgprs;
use super::super::kernel_code::{KernelCode, field};
use super::super::{Handler, row};
use crate::assembler::{Assembler, Counts};
use crate::source::{Cursor, Wrong, first_word, wrong};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".dims", dims),
    row(".sgprsnum", sgprs),
    row(".vgprsnum", vgprs),
    row(".pgmrsrc1", rsrc1),
    row(".pgmrsrc2", rsrc2),
    row(".codeversion", |a, c| list(a, c, &["amd_code_version_major", "amd_code_version_minor"])),
    row(".machine", |a, c| list(a, c, &MACHINE)),
    row(".reserved_sgprs", |a, c| reserved(a, c, ["reserved_sgpr_first", "reserved_sgpr_count"])),
    row(".reserved_vgprs", |a, c| reserved(a, c, ["reserved_vgpr_first", "reserved_vgpr_count"])),
    row(".use_grid_workgroup_count", grid),
    row(".default_hsa_features", |a, c| set(a, c, &DEFAULTS)),
    row(".useargs", |a, c| set(a, c, &ARGUMENTS)),
    row(".usesetup", |a, c| set(a, c, &SETUP)),
    row(".usesizes", |a, c| set(a, c, &SETUP)),
    row(".useenqueue", |a, c| set(a, c, &GENERIC)),
    row(".usegeneric", |a, c| set(a, c, &GENERIC)),
];

const MACHINE: [&str; 4] = [
    "amd_machine_kind",
    "amd_machine_version_major",
    "amd_machine_version_minor",
    "amd_machine_version_stepping",
];

/// What several directives of AMD Catalyst's format stand for: the registers of HSA, in its order.
const DEFAULTS: [&str; 5] = [
    "enable_sgpr_private_segment_buffer",
    "enable_sgpr_dispatch_ptr",
    "enable_sgpr_kernarg_segment_ptr",
    "is_ptr64",
    "private_element_size",
];
const ARGUMENTS: [&str; 4] = [
    "enable_sgpr_private_segment_buffer",
    "enable_sgpr_kernarg_segment_ptr",
    "is_ptr64",
    "private_element_size",
];
const SETUP: [&str; 1] = ["enable_sgpr_dispatch_ptr"];
const GENERIC: [&str; 3] = [
    "enable_sgpr_dispatch_ptr",
    "enable_sgpr_queue_ptr",
    "enable_sgpr_flat_scratch_init",
];

/// How a directive gives the value of its field.
#[derive(Clone, Copy)]
enum How {
    /// By being there.
    Flag,
    Number,
    /// As a power of two, less so many.
    Power(u32),
}

use How::{Flag, Number, Power};

/// Directives for one field of the kernel's settings.
#[rustfmt::skip]
const FIELDS: &[(&str, &str, How)] = &[
    (".call_convention", "call_convention", Number),
    (".debug_private_segment_buffer_sgpr", "debug_private_segment_buffer_sgpr", Number),
    (".debug_wavefront_private_segment_offset_sgpr", "debug_wavefront_private_segment_offset_sgpr", Number),
    (".debugmode", "debug_mode", Flag),
    (".dx10clamp", "enable_dx10_clamp", Flag),
    (".exceptions", "enable_exception", Number),
    (".floatmode", "float_mode", Number),
    (".gds_segment_size", "gds_segment_byte_size", Number),
    (".gdssize", "gds_segment_byte_size", Number),
    (".group_segment_align", "group_segment_alignment", Power(0)),
    (".hwlocal", "workgroup_group_segment_byte_size", Number),
    (".ieeemode", "enable_ieee_mode", Flag),
    (".kernarg_segment_align", "kernarg_segment_alignment", Power(0)),
    (".kernarg_segment_size", "kernarg_segment_byte_size", Number),
    (".kernel_code_entry_offset", "kernel_code_entry_byte_offset", Number),
    (".kernel_code_prefetch_offset", "kernel_code_prefetch_byte_offset", Number),
    (".kernel_code_prefetch_size", "kernel_code_prefetch_byte_size", Number),
    (".localsize", "workgroup_group_segment_byte_size", Number),
    (".max_scratch_backing_memory", "max_scratch_backing_memory_byte_size", Number),
    (".priority", "priority", Number),
    (".private_elem_size", "private_element_size", Power(1)),
    (".private_segment_align", "private_segment_alignment", Power(0)),
    (".privmode", "priv", Flag),
    (".runtime_loader_kernel_symbol", "runtime_loader_kernel_symbol", Number),
    (".scratchbuffer", "workitem_private_segment_byte_size", Number),
    (".tgsize", "enable_sgpr_workgroup_info", Flag),
    (".use_debug_enabled", "is_debug_enabled", Flag),
    (".use_dispatch_id", "enable_sgpr_dispatch_id", Flag),
    (".use_dispatch_ptr", "enable_sgpr_dispatch_ptr", Flag),
    (".use_dynamic_call_stack", "is_dynamic_callstack", Flag),
    (".use_flat_scratch_init", "enable_sgpr_flat_scratch_init", Flag),
    (".use_kernarg_segment_ptr", "enable_sgpr_kernarg_segment_ptr", Flag),
    (".use_ordered_append_gds", "enable_ordered_append_gds", Flag),
    (".use_private_segment_buffer", "enable_sgpr_private_segment_buffer", Flag),
    (".use_private_segment_size", "enable_sgpr_private_segment_size", Flag),
    (".use_ptr64", "is_ptr64", Flag),
    (".use_queue_ptr", "enable_sgpr_queue_ptr", Flag),
    (".use_xnack_enabled", "is_xnack_enabled", Flag),
    (".userdatanum", "user_sgpr_count", Number),
    (".wavefront_sgpr_count", "wavefront_sgpr_count", Number),
    (".wavefront_size", "wavefront_size", Power(0)),
    (".workgroup_fbarrier_count", "workgroup_fbarrier_count", Number),
    (".workgroup_group_segment_size", "workgroup_group_segment_byte_size", Number),
    (".workitem_private_segment_size", "workitem_private_segment_byte_size", Number),
    (".workitem_vgpr_count", "workitem_vgpr_count", Number),
];

/// User SGPRs that fields take (LLVM's "User Guide for AMDGPU Backend", "Initial Kernel Execution State").
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

/// Fields that Mesa's drivers have known before LLVM 4.0.
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

/// What the `.config` of a kernel says.
#[derive(Debug, Default)]
pub(super) struct Config {
    fields: Vec<(&'static str, i64)>,
    /// Dimensions of which work-groups and work-items know their number: x is 1, y 2, z 4.
    dims: Option<(u32, u32)>,
    sgprs: Option<i64>,
    vgprs: Option<i64>,
    rsrc1: Option<i64>,
    rsrc2: Option<i64>,
    /// What stands before the code of a kernel for Mesa, where that differs.
    hsa: Option<Box<Config>>,
    /// Bytes of the arguments that `.arg` has declared.
    pub arguments: u64,
}

/// The rows of the directives for one field.
pub(super) fn fields() -> impl Iterator<Item = Handler> {
    FIELDS.iter().map(|(name, ..)| row(name, one))
}

/// A directive for one field.
pub(super) fn one(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let text = cursor.text();
    let word = first_word(text);
    let word = word.to_ascii_lowercase().replacen(".hsa_", ".", 1);
    let found = FIELDS.iter().find(|row| row.0 == word);
    let Some((_, name, how)) = found else {
        return Ok(());
    };
    let place = cursor.at()..text.len();
    let value = match how {
        Flag => 1,
        Number => a.number(&mut cursor)?,
        Power(less) => {
            let number = a.count(&mut cursor)?;
            let least = 1 << less;
            match number.is_power_of_two() && number >= least {
                true => i64::from(number.trailing_zeros() - less),
                false => {
                    let message = format!("{number} is no power of two from {least} on");
                    return Err(wrong(place, message));
                }
            }
        }
    };
    cursor.end()?;
    KernelCode::check(name, value).map_err(|why| wrong(place, why))?;
    a.program.config(&cursor)?.put(name, value);
    Ok(())
}

pub(super) fn sgprs(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    number(a, cursor, |config, n| config.sgprs = Some(n))
}

pub(super) fn vgprs(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    number(a, cursor, |config, n| config.vgprs = Some(n))
}

pub(super) fn rsrc1(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    number(a, cursor, |config, n| config.rsrc1 = Some(n))
}

pub(super) fn rsrc2(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    number(a, cursor, |config, n| config.rsrc2 = Some(n))
}

fn number(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    put: fn(&mut Config, i64),
) -> Result<(), Wrong> {
    let value = a.count(&mut cursor)?;
    cursor.end()?;
    put(a.program.config(&cursor)?, value as i64);
    Ok(())
}

/// `.machine KIND, MAJOR, MINOR, STEPPING`: a field for each operand.
fn list(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    names: &[&'static str],
) -> Result<(), Wrong> {
    for (n, name) in names.iter().enumerate() {
        if n > 0 {
            cursor.expect_comma()?;
        }
        let place = cursor.span();
        let value = a.number(&mut cursor)?;
        KernelCode::check(name, value).map_err(|why| wrong(place, why))?;
        a.program.config(&cursor)?.put(name, value);
    }
    cursor.end()
}

/// `.reserved_sgprs FIRST, LAST`
fn reserved(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    [start, count]: [&'static str; 2],
) -> Result<(), Wrong> {
    let place = cursor.at()..cursor.text().len();
    let first = a.count(&mut cursor)?;
    cursor.expect_comma()?;
    let last = a.count(&mut cursor)?;
    cursor.end()?;
    if last < first || last > 255 {
        return Err(wrong(
            place,
            "there should be the first and the last register",
        ));
    }
    let config = a.program.config(&cursor)?;
    config.put(start, first as i64);
    config.put(count, (last - first) as i64 + 1);
    Ok(())
}

/// Sets flags; elements of scratch have four bytes then, if their size is among them.
fn set(a: &mut Assembler<'_>, cursor: Cursor<'_>, names: &[&'static str]) -> Result<(), Wrong> {
    cursor.end()?;
    let config = a.program.config(&cursor)?;
    names.iter().for_each(|name| config.put(name, 1));
    Ok(())
}

/// `.dims xyz`, or those of work-groups and those of work-items: `.dims xy, x`.
pub(super) fn dims(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let groups = dimensions(&mut cursor)?;
    let items = match cursor.comma() {
        true => dimensions(&mut cursor)?,
        false => groups,
    };
    cursor.end()?;
    a.program.config(&cursor)?.dims = Some((groups, items));
    Ok(())
}

fn grid(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let mask = dimensions(&mut cursor)?;
    cursor.end()?;
    let config = a.program.config(&cursor)?;
    for (bit, (name, _)) in USER_SGPRS[7..].iter().enumerate() {
        config.put(name, (mask >> bit & 1).into());
    }
    Ok(())
}

fn dimensions(cursor: &mut Cursor<'_>) -> Result<u32, Wrong> {
    let place = cursor.span();
    let mut mask = 0;
    for letter in cursor.piece().chars() {
        mask |= match letter.to_ascii_lowercase() {
            'x' => 1,
            'y' => 2,
            'z' => 4,
            _ => return Err(wrong(place, "there should be dimensions: x, xy or xyz")),
        };
    }
    Ok(mask)
}

impl Config {
    pub fn put(&mut self, name: &'static str, value: i64) {
        self.fields.retain(|(other, _)| *other != name);
        self.fields.push((name, value));
    }

    /// The value of a field, 0 where nothing is said.
    pub fn value(&self, name: &str) -> i64 {
        let found = self.fields.iter().find(|(other, _)| *other == name);
        found.map_or(0, |(_, value)| *value)
    }

    /// The settings for what stands before the code of a kernel for Mesa.
    pub fn for_hsa(&mut self) -> &mut Config {
        self.hsa.get_or_insert_with(Box::default)
    }

    /// A setting that Mesa's drivers know from LLVM 4.0 on only.
    pub fn needs_hsa(&self) -> Option<&'static str> {
        let newer = self.fields.iter().find(|(name, _)| !OLD.contains(name));
        let newer = newer.map(|(name, _)| *name);
        newer.or(self.hsa.as_ref().map(|_| ".hsa_…"))
    }

    /// Says how many user SGPRs there are, where nothing else does.
    pub fn default_users(&mut self, users: i64) {
        if !self.is_said("user_sgpr_count") {
            self.put("user_sgpr_count", users);
        }
    }

    /// The settings with those that differ before the code.
    pub fn with_overrides(mut self) -> Config {
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

    /// COMPUTE_PGM_RSRC1 and 2.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn words(&self, counts: &Counts, chip: Chip) -> Result<[u32; 2], String> {
        Ok(self.code(counts, chip)?.words())
    }

    fn is_said(&self, name: &str) -> bool {
        self.fields.iter().any(|(other, _)| *other == name)
    }

    /// User SGPRs.
    fn users(&self) -> i64 {
        if self.is_said("user_sgpr_count") {
            return self.value("user_sgpr_count");
        }
        let users = USER_SGPRS.iter().filter(|(name, _)| self.value(name) != 0);
        users.map(|(_, count)| count).sum::<i64>().min(16)
    }

    /// SGPRs and VGPRs that the code names, or that are said.
    pub fn named(&self, counts: &Counts) -> (i64, i64) {
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

    /// SGPRs and VGPRs of a wave: those that are said, or as many as the code names and the start of the kernel fills.
    pub fn registers(&self, counts: &Counts, chip: Chip) -> (i64, i64) {
        let (major, _, _) = crate::isa_version(chip);
        let flat = self.value("enable_sgpr_flat_scratch_init") != 0 || counts.flat_scratch;
        let xnack = self.value("is_xnack_enabled") != 0;
        let most = if major >= 8 { 102 } else { 104 };
        let (named, vgprs) = self.named(counts);
        let all = named + extra_sgprs(major, true, flat, xnack);
        (self.sgprs.unwrap_or(all.min(most)), vgprs)
    }

    fn dimensions(&self) -> (u32, u32) {
        let said = self.rsrc2.unwrap_or(0) as u32;
        self.dims
            .unwrap_or((said >> 7 & 7, (1 << (said >> 11 & 3)) & 6))
    }

    /// The bytes in front of the code.
    ///
    /// # Errors
    /// A sentence on registers that there are not.
    pub fn bytes(&self, counts: &Counts, chip: Chip) -> Result<[u8; KERNEL_CODE_SIZE], String> {
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
        // What stands here is added to the words that are given.
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

/// How many more numbers a work-item knows than the one of x.
fn spread(items: u32) -> u32 {
    match items {
        4.. => 2,
        2.. => 1,
        _ => 0,
    }
}
