//! The DWARF units of an assembly source (`.debug_info`, `.debug_abbrev`): one for each section of code, with the line table that
//! they share, by which debuggers find it. Source: DWARF 4, 3.1.1 "Normal and Partial Compilation Unit Entries", 7.5.

use crate::state::leb;

/// `DW_LANG_Mips_Assembler`, which stands for assembly of any machine.
const LANGUAGE: u16 = 0x8001;
const PRODUCER: &str = concat!("wavetank ", env!("CARGO_PKG_VERSION"));

/// The attributes of a unit with their forms, in their order.
const ATTRIBUTES: [(u8, u8); 6] = [
    // DW_AT_stmt_list, DW_FORM_sec_offset
    (0x10, 0x17),
    // DW_AT_low_pc, DW_FORM_addr
    (0x11, 0x01),
    // DW_AT_high_pc, DW_FORM_data8: the size
    (0x12, 0x07),
    // DW_AT_name, DW_FORM_string
    (0x03, 0x08),
    // DW_AT_producer, DW_FORM_string
    (0x25, 0x08),
    // DW_AT_language, DW_FORM_data2
    (0x13, 0x05),
];

/// The bytes of a unit, and the offsets that wait for addresses.
pub(super) struct Unit {
    pub bytes: Vec<u8>,
    /// The offset of the abbreviations' offset.
    pub abbreviations: u64,
    /// The offset of the line table's offset.
    pub lines: u64,
    /// The offset of the address at which the code begins.
    pub start: u64,
}

impl Unit {
    /// Returns the unit of a section with so many bytes of code.
    pub(super) fn new(name: &str, size: u64) -> Unit {
        // The length, which is filled in below; version 4.
        let mut bytes = vec![0, 0, 0, 0, 4, 0];
        let abbreviations = bytes.len() as u64;
        bytes.extend([0; 4]);
        // The size of addresses, and the number of the abbreviation.
        bytes.extend([8, 1]);
        let lines = bytes.len() as u64;
        bytes.extend([0; 4]);
        let start = bytes.len() as u64;
        bytes.extend([0; 8]);
        bytes.extend(size.to_le_bytes());
        for text in [name, PRODUCER] {
            bytes.extend(text.bytes().filter(|byte| *byte != 0));
            bytes.push(0);
        }
        bytes.extend(LANGUAGE.to_le_bytes());
        let length = (bytes.len() - 4) as u32;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        Unit {
            bytes,
            abbreviations,
            lines,
            start,
        }
    }

    /// Returns the abbreviations of all units: number 1, `DW_TAG_compile_unit` without children.
    pub(super) fn abbreviations() -> Vec<u8> {
        let mut bytes = vec![1, 0x11, 0];
        for (attribute, form) in ATTRIBUTES {
            bytes.extend(leb(attribute.into(), false, 0));
            bytes.push(form);
        }
        bytes.extend([0, 0, 0]);
        bytes
    }
}
