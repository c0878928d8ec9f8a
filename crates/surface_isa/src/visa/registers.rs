//! The assignment of a kernel's variables to the registers of a wave.

use std::collections::BTreeMap;

use crate::visa::instruction::TypedAtomic;

/// Dwords of a vector register.
pub(crate) const LANES: u32 = 64;
/// The number of vector registers.
const VECTORS: u32 = 256;
/// The number of uniform registers for predicates: those below EXEC and the special registers of GCN.
const UNIFORMS: usize = 100;

/// Registers for variables. Dword n of a general variable is in lane n mod 64 of its register n / 64; a predicate has a pair of
/// uniform registers, with bit n for channel n of the thread.
///
/// ```
/// use wavetank_surface_isa::visa::{Registers, parse};
/// let inst = parse("(P2) typed_atomic.inc (8) T6 V40 V0 V0 V0 V0 V0 V33").unwrap();
/// let registers = Registers::of(&[inst]).unwrap();
/// assert_eq!((registers.variable(33), registers.variable(40)), (Some(0), Some(1)));
/// assert_eq!((registers.predicate(2), registers.variable(41)), (Some(0), None));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    variables: BTreeMap<u32, u16>,
    predicates: BTreeMap<u16, u8>,
    /// A register that is not assigned to a variable.
    pub(crate) scratch: u16,
}

impl Registers {
    /// Assigns registers to all variables that the instructions name.
    ///
    /// # Errors
    /// A sentence, if there are not enough registers.
    pub fn of(insts: &[TypedAtomic]) -> Result<Registers, String> {
        let mut dwords: BTreeMap<u32, u32> = BTreeMap::new();
        let mut predicates = BTreeMap::new();
        for inst in insts {
            for raw in inst.operands().into_iter().filter(|raw| !raw.is_null()) {
                let end = u32::from(raw.offset).div_ceil(4) + inst.channels.count();
                let most = dwords.entry(raw.variable).or_default();
                *most = end.max(*most);
            }
            if let Some(predicate) = inst.predicate {
                predicates.insert(predicate.variable, 0);
            }
        }
        let mut next = 0;
        let mut variables = BTreeMap::new();
        for (variable, dwords) in dwords {
            // One register is left for `scratch`.
            if next + dwords.div_ceil(LANES) >= VECTORS {
                return Err(format!(
                    "the variables up to V{variable} need more than {VECTORS} registers"
                ));
            }
            variables.insert(variable, next as u16);
            next += dwords.div_ceil(LANES);
        }
        if predicates.len() > UNIFORMS / 2 {
            return Err(format!(
                "{} predicates are named, and {} have a register",
                predicates.len(),
                UNIFORMS / 2
            ));
        }
        for (n, register) in predicates.values_mut().enumerate() {
            *register = 2 * n as u8;
        }
        Ok(Registers {
            variables,
            predicates,
            scratch: next as u16,
        })
    }

    /// Returns the first vector register of a general variable.
    pub fn variable(&self, number: u32) -> Option<u16> {
        self.variables.get(&number).copied()
    }

    /// Returns the first uniform register of a predicate.
    pub fn predicate(&self, number: u16) -> Option<u8> {
        self.predicates.get(&number).copied()
    }
}
