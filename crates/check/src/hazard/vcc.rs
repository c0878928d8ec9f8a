//! The alias of VCC among SGPRs, which are the last ones of the allocation.

use wavetank_gcn::Generation;
use wavetank_gcn::numbers::{general_sgprs, sgprs_per_simd, sreg};
use wavetank_object::KernelDescriptor;

/// The SGPR that is the low half of VCC, if instructions can name it.
///
/// VCC is the last two SGPRs of a wave's allocation, in any case: FLAT_SCRATCH and XNACK_MASK come before it (Vega ISA, 3.6 "SGPR
/// Allocation and storage"; CLRX wiki, "GCN Kernel Machine State"). In a wave with more SGPRs than can be named, VCC is after
/// those, and has only its own name.
#[derive(Clone, Copy, Debug)]
pub(super) struct VccAlias(Option<u8>);

impl VccAlias {
    /// Returns the alias in a kernel. In a function it depends on the caller, which determines the number of SGPRs.
    pub(super) fn of(kernel: Option<&KernelDescriptor>, generation: Generation) -> VccAlias {
        let (_, granule) = sgprs_per_simd(generation);
        let end = kernel.and_then(|k| k.sgpr_count.checked_next_multiple_of(granule));
        let low = end.and_then(|end| u8::try_from(end.checked_sub(2)?).ok());
        VccAlias(low.filter(|low| *low < general_sgprs(generation) - 1))
    }

    /// The alias in a kernel whose VCC is also a pair of SGPRs.
    pub(super) fn at(low: u8) -> VccAlias {
        VccAlias(Some(low))
    }

    /// Returns the other code of a register that has two.
    pub(super) fn other(self, number: u8) -> Option<u8> {
        let low = self.0?;
        let other = |from: u8, to: u8| {
            let half = number.checked_sub(from).filter(|half| *half < 2)?;
            Some(to + half)
        };
        other(sreg::VCC, low).or_else(|| other(low, sreg::VCC))
    }
}
