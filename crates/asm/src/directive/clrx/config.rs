//! Directives of `.config`, the settings of a kernel.
//!
//! Source: CLRX's documentation, "CLRX Assembler ROCm handling" and "… AMD Catalyst OpenCL 2.0 handling".

use crate::kernel::KernelCode;
use crate::session::program::{Config, GRID_COUNTS};
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, first_word, syntax_error};

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

/// The user SGPRs that several directives of AMD Catalyst's format enable, in the order of HSA.
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

/// The way in which a directive gives the value of its field.
#[derive(Clone, Copy)]
enum How {
    /// The directive sets it to 1.
    Flag,
    Number,
    /// The base-2 logarithm of the operand, less this number.
    Power(u32),
}

use How::{Flag, Number, Power};

/// Rows of directive and field, for directives that set one field of the kernel's settings.
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

/// Returns the rows of the directives that set one field.
pub(super) fn fields() -> impl Iterator<Item = Handler> {
    FIELDS.iter().map(|(name, ..)| row(name, one))
}

/// Handles a directive that sets one field.
pub(super) fn one(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
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
        Number => a.asm.number(&mut cursor)?,
        Power(less) => {
            let number = a.asm.count(&mut cursor)?;
            let least = 1 << less;
            if number.is_power_of_two() && number >= least {
                i64::from(number.trailing_zeros() - less)
            } else {
                let message = format!("{number} is not a power of two from {least} on");
                return Err(syntax_error(place, message));
            }
        }
    };
    cursor.end()?;
    KernelCode::check(name, value).map_err(|why| syntax_error(place, why))?;
    a.program.config(&cursor)?.put(name, value);
    Ok(())
}

pub(super) fn sgprs(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    number(a, cursor, |config, n| config.sgprs = Some(n))
}

pub(super) fn vgprs(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    number(a, cursor, |config, n| config.vgprs = Some(n))
}

pub(super) fn rsrc1(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    number(a, cursor, |config, n| config.rsrc1 = Some(n))
}

pub(super) fn rsrc2(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    number(a, cursor, |config, n| config.rsrc2 = Some(n))
}

fn number(
    a: &mut Session<'_>,
    mut cursor: Cursor<'_>,
    put: fn(&mut Config, i64),
) -> Result<(), SyntaxError> {
    let value = a.asm.count(&mut cursor)?;
    cursor.end()?;
    put(a.program.config(&cursor)?, value as i64);
    Ok(())
}

/// Reads `.machine KIND, MAJOR, MINOR, STEPPING` and its like: one field for each operand.
fn list(
    a: &mut Session<'_>,
    mut cursor: Cursor<'_>,
    names: &[&'static str],
) -> Result<(), SyntaxError> {
    for (n, name) in names.iter().enumerate() {
        if n > 0 {
            cursor.expect_comma()?;
        }
        let place = cursor.span();
        let value = a.asm.number(&mut cursor)?;
        KernelCode::check(name, value).map_err(|why| syntax_error(place, why))?;
        a.program.config(&cursor)?.put(name, value);
    }
    cursor.end()
}

/// Reads `.reserved_sgprs FIRST, LAST`.
fn reserved(
    a: &mut Session<'_>,
    mut cursor: Cursor<'_>,
    [start, count]: [&'static str; 2],
) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let first = a.asm.count(&mut cursor)?;
    cursor.expect_comma()?;
    let last = a.asm.count(&mut cursor)?;
    cursor.end()?;
    if last < first || last > 255 {
        return Err(syntax_error(
            place,
            "there should be the first and the last register",
        ));
    }
    let config = a.program.config(&cursor)?;
    config.put(start, first as i64);
    config.put(count, (last - first) as i64 + 1);
    Ok(())
}

/// Sets flags. Elements of scratch get a size of four bytes, if that field is among them.
fn set(a: &mut Session<'_>, cursor: Cursor<'_>, names: &[&'static str]) -> Result<(), SyntaxError> {
    cursor.end()?;
    let config = a.program.config(&cursor)?;
    names.iter().for_each(|name| config.put(name, 1));
    Ok(())
}

/// Reads `.dims xyz`, or `.dims xy, x` for the dimensions of work-groups and those of work-items.
pub(super) fn dims(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let groups = dimensions(&mut cursor)?;
    let items = if cursor.comma() {
        dimensions(&mut cursor)?
    } else {
        groups
    };
    cursor.end()?;
    a.program.config(&cursor)?.dims = Some((groups, items));
    Ok(())
}

fn grid(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let mask = dimensions(&mut cursor)?;
    cursor.end()?;
    let config = a.program.config(&cursor)?;
    for (bit, name) in GRID_COUNTS.iter().enumerate() {
        config.put(name, (mask >> bit & 1).into());
    }
    Ok(())
}

fn dimensions(cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    let mut mask = 0;
    for letter in cursor.piece().chars() {
        mask |= match letter.to_ascii_lowercase() {
            'x' => 1,
            'y' => 2,
            'z' => 4,
            _ => {
                return Err(syntax_error(
                    place,
                    "there should be dimensions: x, xy or xyz",
                ));
            }
        };
    }
    Ok(mask)
}
