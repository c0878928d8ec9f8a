//! Register counts: the highest registers that instructions name.

use wavetank_gcn::Inst;
use wavetank_gcn::numbers::{flat_scratch, general_sgprs, sreg};

/// One more than the highest register of each kind that instructions name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub vgprs: u32,
    pub agprs: u32,
    pub sgprs: u32,
    /// Whether VCC and FLAT_SCRATCH, which are allocated after the SGPRs, are named.
    pub vcc: bool,
    pub flat_scratch: bool,
}

/// Counts that the assembler keeps while it appends instructions.
#[derive(Debug, Default)]
pub(crate) struct CountsKept {
    /// The counts of the whole source, if they are requested.
    pub source: Option<Counts>,
    /// The counts of each kernel of CLRX.
    pub kernels: Vec<Counts>,
    /// The kernels that the code belongs to.
    pub owners: Vec<usize>,
}

impl Counts {
    /// Returns the counts of one instruction.
    pub(crate) fn of(inst: &Inst) -> Counts {
        let mut counts = Counts::default();
        counts.add(inst);
        counts
    }

    /// Takes the maximum with other counts.
    pub(crate) fn join(&mut self, others: Counts) {
        self.vgprs = self.vgprs.max(others.vgprs);
        self.agprs = self.agprs.max(others.agprs);
        self.sgprs = self.sgprs.max(others.sgprs);
        self.vcc |= others.vcc;
        self.flat_scratch |= others.flat_scratch;
    }

    /// Counts the registers of an instruction.
    pub(crate) fn add(&mut self, inst: &Inst) {
        let effects = inst.effects();
        let generation = inst.chip.generation();
        for registers in [&effects.reads, &effects.writes] {
            let behind = |last: Option<u8>| last.map_or(0, |last| u32::from(last) + 1);
            self.vgprs = self.vgprs.max(behind(registers.vectors().max()));
            self.agprs = self.agprs.max(behind(registers.accumulators().max()));
            for scalar in registers.scalars() {
                let beside = |pair: u8| scalar & !1 == pair;
                match scalar {
                    _ if scalar < general_sgprs(generation) => {
                        self.sgprs = self.sgprs.max(u32::from(scalar) + 1);
                    }
                    // VCC and FLAT_SCRATCH are not counted as SGPRs: they are reserved by name.
                    _ if beside(sreg::VCC) => self.vcc = true,
                    _ if flat_scratch(generation).is_some_and(beside) => self.flat_scratch = true,
                    _ => {}
                }
            }
        }
    }
}
