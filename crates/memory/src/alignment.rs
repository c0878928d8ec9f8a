//! Alignment modes: the effect of an unaligned access in each mode of the chip.

use wavetank_gcn::Generation;

/// The alignment mode of a chip (`SH_MEM_CONFIG.ALIGNMENT_MODE`), which its driver chooses. The mode applies to buffer accesses
/// of a dword or more at an address that is not a multiple of 4.
///
/// In the other modes, smaller accesses may be at any address. Atomics must be aligned to their width in every mode; with a
/// swizzled buffer, in the last two modes. LDS, flat and scratch accesses ignore the mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Alignment {
    /// The access is made at the unaligned address. In a swizzled buffer, each byte is at the place of its own offset, also for
    /// atomics (docs/reference/errata.md).
    Unaligned,
    /// The two low bits of the address are ignored (Vega ISA, 8.1 "Alignment"); for 16 bits, the lowest bit (CLRX wiki, "GCN
    /// memory handling").
    Dword,
    /// Unaligned accesses are memory violations (Vega ISA, 3.10 "Memory Violations").
    Strict,
}

impl Alignment {
    /// Returns the mode that Linux's driver sets for ROCm. The mode exists from gfx7 on; gfx6 supports only `Dword`.
    pub fn of(generation: Generation) -> Self {
        match generation {
            Generation::Gfx6 => Alignment::Dword,
            Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => Alignment::Unaligned,
        }
    }
}
