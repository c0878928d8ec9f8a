//! The variables and surfaces that vISA defines itself, by their names in Intel's text.

/// The names of V0 to V20. V21 to V31 have none.
pub(crate) const VARIABLES: [&str; 21] = [
    "%null",
    "%thread_x",
    "%thread_y",
    "%group_id_x",
    "%group_id_y",
    "%group_id_z",
    "%tsc",
    "%r0",
    "%arg",
    "%retval",
    "%sp",
    "%fp",
    "%hw_id",
    "%sr0",
    "%cr0",
    "%ce0",
    "%dbg0",
    "%color",
    "%impl_arg_buf_ptr",
    "%local_id_buf_ptr",
    "%msg0",
];

/// The names of T0 to T5.
pub(crate) const SURFACES: [&str; 6] = ["%slm", "T1", "T2", "TSS", "%bss", "%scratch"];

/// The first variable that a kernel declares.
pub const FIRST_VARIABLE: u32 = 32;
/// The first surface that a kernel declares.
pub const FIRST_SURFACE: u8 = 6;

/// Returns the printed name of a variable: `V32`, `%null`.
pub fn variable_name(number: u32) -> String {
    let known = VARIABLES.get(number as usize);
    known.map_or_else(|| format!("V{number}"), |name| (*name).to_owned())
}

/// Returns the printed name of a surface: `T6`, `%slm`.
pub fn surface_name(number: u8) -> String {
    let known = SURFACES.get(usize::from(number));
    known.map_or_else(|| format!("T{number}"), |name| (*name).to_owned())
}
