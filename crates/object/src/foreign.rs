//! Programs that other drivers of the same chips keep in formats of their own.
//!
//! Sources: the CLRX wiki, "About binary formats"; what CLRX itself looks for to tell these formats apart.

use memchr::memmem;

/// How ELF files begin.
const ELF: &[u8] = b"\x7fELF";
/// Machine numbers of programs for OpenCL 2.0, with 32 and 64 bits.
const CATALYST_2: [u16; 2] = [0xaf5a, 0xaf5b];
/// Machine numbers of programs for OpenCL 1.2: one a chip.
const CATALYST_1: std::ops::Range<u16> = 0x3f1..0x500;
/// The most kernels, and bytes of a name, that a program of Clover is taken to have.
const MOST: u32 = 4096;

/// The driver that keeps programs so; `None` where nothing shows one.
pub(crate) fn driver_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(ELF) {
        let machine = u16::from_le_bytes(*bytes.get(18..)?.first_chunk()?);
        return match machine {
            machine if CATALYST_2.contains(&machine) => Some("AMD's Catalyst (OpenCL 2.0)"),
            machine if CATALYST_1.contains(&machine) => Some("AMD's Catalyst (OpenCL 1.2)"),
            _ => None,
        };
    }
    is_of_clover(bytes).then_some("Mesa's Clover")
}

/// Whether the bytes begin with a number of kernels and the name of the first, and hold an ELF file behind.
fn is_of_clover(bytes: &[u8]) -> bool {
    let number = |at| {
        let field = bytes.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*field)).filter(|n| (1..=MOST).contains(n))
    };
    let (Some(_), Some(length)) = (number(0), number(4)) else {
        return false;
    };
    let name = bytes.get(8..8 + length as usize);
    name.is_some_and(|name| name.iter().all(u8::is_ascii_graphic))
        && memmem::find(bytes, ELF).is_some()
}
