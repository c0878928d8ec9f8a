//! The fields of `amd_kernel_code_t`, the 256 bytes before the code of a kernel of code object version 2.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", table "AMD Kernel Code", and "Code Object V2 Kernel Assembler
//! Directives".

use wavetank_gcn::Chip;
use wavetank_object::KERNEL_CODE_SIZE;

/// A field: its name, the byte offset of its dword or smaller unit, the first bit, and the bit count.
pub(crate) type Field = (&'static str, usize, u32, u32);

const RSRC1: usize = 48;
const RSRC2: usize = 52;
const PROPERTIES: usize = 56;

#[rustfmt::skip]
pub(crate) const FIELDS: &[Field] = &[
    ("amd_code_version_major", 0, 0, 32),
    ("amd_kernel_code_version_major", 0, 0, 32),
    ("amd_code_version_minor", 4, 0, 32),
    ("amd_kernel_code_version_minor", 4, 0, 32),
    ("amd_machine_kind", 8, 0, 16),
    ("amd_machine_version_major", 10, 0, 16),
    ("amd_machine_version_minor", 12, 0, 16),
    ("amd_machine_version_stepping", 14, 0, 16),
    ("kernel_code_entry_byte_offset", 16, 0, 64),
    ("kernel_code_prefetch_byte_offset", 24, 0, 64),
    ("kernel_code_prefetch_byte_size", 32, 0, 64),
    ("max_scratch_backing_memory_byte_size", 40, 0, 64),
    ("compute_pgm_rsrc1_vgprs", RSRC1, 0, 6),
    ("granulated_workitem_vgpr_count", RSRC1, 0, 6),
    ("compute_pgm_rsrc1_sgprs", RSRC1, 6, 4),
    ("granulated_wavefront_sgpr_count", RSRC1, 6, 4),
    ("compute_pgm_rsrc1_priority", RSRC1, 10, 2),
    ("priority", RSRC1, 10, 2),
    ("compute_pgm_rsrc1_float_mode", RSRC1, 12, 8),
    ("float_mode", RSRC1, 12, 8),
    ("compute_pgm_rsrc1_priv", RSRC1, 20, 1),
    ("priv", RSRC1, 20, 1),
    ("compute_pgm_rsrc1_dx10_clamp", RSRC1, 21, 1),
    ("enable_dx10_clamp", RSRC1, 21, 1),
    ("compute_pgm_rsrc1_debug_mode", RSRC1, 22, 1),
    ("debug_mode", RSRC1, 22, 1),
    ("compute_pgm_rsrc1_ieee_mode", RSRC1, 23, 1),
    ("enable_ieee_mode", RSRC1, 23, 1),
    ("compute_pgm_rsrc2_scratch_en", RSRC2, 0, 1),
    ("enable_sgpr_private_segment_wave_byte_offset", RSRC2, 0, 1),
    ("compute_pgm_rsrc2_user_sgpr", RSRC2, 1, 5),
    ("user_sgpr_count", RSRC2, 1, 5),
    ("enable_trap_handler", RSRC2, 6, 1),
    ("compute_pgm_rsrc2_tgid_x_en", RSRC2, 7, 1),
    ("enable_sgpr_workgroup_id_x", RSRC2, 7, 1),
    ("compute_pgm_rsrc2_tgid_y_en", RSRC2, 8, 1),
    ("enable_sgpr_workgroup_id_y", RSRC2, 8, 1),
    ("compute_pgm_rsrc2_tgid_z_en", RSRC2, 9, 1),
    ("enable_sgpr_workgroup_id_z", RSRC2, 9, 1),
    ("compute_pgm_rsrc2_tg_size_en", RSRC2, 10, 1),
    ("enable_sgpr_workgroup_info", RSRC2, 10, 1),
    ("compute_pgm_rsrc2_tidig_comp_cnt", RSRC2, 11, 2),
    ("enable_vgpr_workitem_id", RSRC2, 11, 2),
    ("compute_pgm_rsrc2_excp_en_msb", RSRC2, 13, 2),
    ("enable_exception_msb", RSRC2, 13, 2),
    ("compute_pgm_rsrc2_lds_size", RSRC2, 15, 9),
    ("granulated_lds_size", RSRC2, 15, 9),
    ("compute_pgm_rsrc2_excp_en", RSRC2, 24, 7),
    ("enable_exception", RSRC2, 24, 7),
    ("enable_sgpr_private_segment_buffer", PROPERTIES, 0, 1),
    ("enable_sgpr_dispatch_ptr", PROPERTIES, 1, 1),
    ("enable_sgpr_queue_ptr", PROPERTIES, 2, 1),
    ("enable_sgpr_kernarg_segment_ptr", PROPERTIES, 3, 1),
    ("enable_sgpr_dispatch_id", PROPERTIES, 4, 1),
    ("enable_sgpr_flat_scratch_init", PROPERTIES, 5, 1),
    ("enable_sgpr_private_segment_size", PROPERTIES, 6, 1),
    ("enable_sgpr_grid_workgroup_count_x", PROPERTIES, 7, 1),
    ("enable_sgpr_grid_workgroup_count_y", PROPERTIES, 8, 1),
    ("enable_sgpr_grid_workgroup_count_z", PROPERTIES, 9, 1),
    ("enable_wavefront_size32", PROPERTIES, 10, 1),
    ("enable_ordered_append_gds", PROPERTIES, 16, 1),
    ("private_element_size", PROPERTIES, 17, 2),
    ("is_ptr64", PROPERTIES, 19, 1),
    ("is_dynamic_callstack", PROPERTIES, 20, 1),
    ("is_debug_enabled", PROPERTIES, 21, 1),
    ("is_xnack_enabled", PROPERTIES, 22, 1),
    ("workitem_private_segment_byte_size", 60, 0, 32),
    ("workgroup_group_segment_byte_size", 64, 0, 32),
    ("gds_segment_byte_size", 68, 0, 32),
    ("kernarg_segment_byte_size", 72, 0, 64),
    ("workgroup_fbarrier_count", 80, 0, 32),
    ("wavefront_sgpr_count", 84, 0, 16),
    ("workitem_vgpr_count", 86, 0, 16),
    ("reserved_vgpr_first", 88, 0, 16),
    ("reserved_vgpr_count", 90, 0, 16),
    ("reserved_sgpr_first", 92, 0, 16),
    ("reserved_sgpr_count", 94, 0, 16),
    ("debug_wavefront_private_segment_offset_sgpr", 96, 0, 16),
    ("debug_private_segment_buffer_sgpr", 98, 0, 16),
    ("kernarg_segment_alignment", 100, 0, 8),
    ("group_segment_alignment", 101, 0, 8),
    ("private_segment_alignment", 102, 0, 8),
    ("wavefront_size", 103, 0, 8),
    ("call_convention", 104, 0, 32),
    ("runtime_loader_kernel_symbol", 120, 0, 64),
];

/// Fields of later chips, which compilers write as 0 for every chip.
pub(crate) const LATER: [&str; 3] = [
    "enable_wgp_mode",
    "enable_mem_ordered",
    "enable_fwd_progress",
];

/// Whether a value fits into a field. Fields of 32 and 64 bits also take negative values: `call_convention = -1`.
fn fits(value: i64, bits: u32) -> bool {
    bits == 64
        || (bits == 32 && (-(1 << 31)..1 << 32).contains(&value))
        || (0..1 << bits).contains(&value)
}

fn put(bytes: &mut [u8; KERNEL_CODE_SIZE], (_, byte, first, count): Field, value: i64) {
    let size = (first + count).div_ceil(8) as usize;
    let place = &mut bytes[byte..byte + size];
    let old = place
        .iter()
        .rev()
        .fold(0u128, |word, byte| word << 8 | u128::from(*byte));
    let mask = (u128::MAX >> (128 - count)) << first;
    let new = old & !mask | (value as u64 as u128) << first & mask;
    place.copy_from_slice(&new.to_le_bytes()[..size]);
}

/// Returns the field of a name.
pub(crate) fn field(name: &str) -> Option<Field> {
    FIELDS.iter().find(|field| field.0 == name).copied()
}

/// The bytes before a kernel's code, while their fields are being set.
pub(crate) struct KernelCode([u8; KERNEL_CODE_SIZE]);

impl KernelCode {
    /// Returns the default values for a kernel of a chip.
    pub(crate) fn new(chip: Chip) -> Self {
        let mut code = KernelCode([0; KERNEL_CODE_SIZE]);
        let (major, minor, stepping) = crate::isa_version(chip);
        for (name, value) in [
            ("amd_code_version_major", 1),
            ("amd_code_version_minor", 2),
            ("amd_machine_kind", 1),
            ("amd_machine_version_major", major.into()),
            ("amd_machine_version_minor", minor.into()),
            ("amd_machine_version_stepping", stepping.into()),
            ("kernel_code_entry_byte_offset", KERNEL_CODE_SIZE as i64),
            ("kernarg_segment_alignment", 4),
            ("group_segment_alignment", 4),
            ("private_segment_alignment", 4),
            ("wavefront_size", 6),
            ("call_convention", -1),
        ] {
            code.set(name, value);
        }
        code
    }

    /// Sets a field to a value.
    pub(crate) fn put(&mut self, field: Field, value: i64) {
        put(&mut self.0, field, value);
    }

    /// Sets a field, found by name.
    pub(crate) fn set(&mut self, name: &str, value: i64) {
        if let Some(field) = field(name) {
            put(&mut self.0, field, value);
        }
    }

    /// Returns the value of a field.
    pub(crate) fn get(&self, name: &str) -> i64 {
        let Some((_, byte, first, count)) = field(name) else {
            return 0;
        };
        let size = (first + count).div_ceil(8) as usize;
        let bytes = self.0[byte..byte + size].iter().rev();
        let word = bytes.fold(0u128, |word, byte| word << 8 | u128::from(*byte));
        (word >> first & (u128::MAX >> (128 - count))) as i64
    }

    /// Sets COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC2.
    pub(crate) fn set_words(&mut self, rsrc1: u32, rsrc2: u32) {
        self.0[RSRC1..RSRC1 + 4].copy_from_slice(&rsrc1.to_le_bytes());
        self.0[RSRC2..RSRC2 + 4].copy_from_slice(&rsrc2.to_le_bytes());
    }

    /// Returns COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC2.
    pub(crate) fn words(&self) -> [u32; 2] {
        [RSRC1, RSRC2].map(|at| {
            let bytes = &self.0[at..at + 4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        })
    }

    /// Checks that a value fits into a field.
    ///
    /// # Errors
    /// A sentence about a value that does not fit.
    pub(crate) fn check(name: &str, value: i64) -> Result<(), String> {
        match field(name) {
            Some(field) if !fits(value, field.3) => Err(format!(
                "`{name}` has {} bits, too few for {value}",
                field.3
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn bytes(self) -> [u8; KERNEL_CODE_SIZE] {
        self.0
    }
}

/// Returns the fields that differ from their defaults, with the values that reproduce these bytes; `None` if no fields do.
pub(crate) fn kernel_code_fields(
    bytes: &[u8; KERNEL_CODE_SIZE],
    chip: Chip,
) -> Option<Vec<(&'static str, i64)>> {
    let code = KernelCode(*bytes);
    let mut made = KernelCode::new(chip);
    let mut values = Vec::new();
    for (name, ..) in FIELDS {
        let value = code.get(name);
        if value != made.get(name) {
            made.set(name, value);
            values.push((*name, value));
        }
    }
    (made.bytes() == *bytes).then_some(values)
}
