//! Unaligned accesses: what they do in each mode of the chip.

use wavetank_gcn::Generation;

/// The alignment mode of a chip (`SH_MEM_CONFIG.ALIGNMENT_MODE`), which its
/// driver chooses: what buffer accesses of a dword or more do at an address
/// that is no multiple of 4.
///
/// Smaller accesses may be anywhere in the other modes, and atomics must be aligned to their
/// width, in every mode; of swizzled buffers in the last two. LDS, flat and
/// scratch addresses do not look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Alignment {
    /// They are made there. Of a swizzled buffer each byte is where its own
    /// offset says, atomics too (docs/errata.md).
    Unaligned,
    /// The two low bits of the address are ignored (Vega ISA, 8.1
    /// "Alignment"), of 16 bits the lowest (CLRX wiki, "GCN memory handling").
    Dword,
    /// Unaligned accesses are memory violations (Vega ISA, 3.10 "Memory Violations").
    Strict,
}

impl Alignment {
    /// The mode that Linux's driver sets for ROCm. It is there from gfx7 on;
    /// gfx6 knows dwords only.
    pub fn of(generation: Generation) -> Self {
        match generation {
            Generation::Gfx6 => Alignment::Dword,
            Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => Alignment::Unaligned,
        }
    }
}
