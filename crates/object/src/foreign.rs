//! Detection of programs in the formats of other drivers for the same chips.
//!
//! Sources: the CLRX wiki, "About binary formats"; the fields by which CLRX itself distinguishes these formats.

/// The first bytes of an ELF file.
const ELF: &[u8] = b"\x7fELF";
/// Machine numbers of programs for OpenCL 2.0, with 32 and 64 bits.
const CATALYST_2: [u16; 2] = [0xaf5a, 0xaf5b];
/// Machine numbers of programs for OpenCL 1.2, one for each chip; those of GCN are [read](crate::catalyst).
const CATALYST_1: std::ops::Range<u16> = 0x3f1..0x500;

/// Returns the driver that has programs of this format; `None` if it is not recognized.
pub(crate) fn driver_of(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(ELF) {
        return None;
    }
    match u16::from_le_bytes(*bytes.get(18..)?.first_chunk()?) {
        machine if CATALYST_2.contains(&machine) => Some("AMD's Catalyst (OpenCL 2.0)"),
        machine if CATALYST_1.contains(&machine) => Some("AMD's Catalyst (OpenCL 1.2)"),
        _ => None,
    }
}
