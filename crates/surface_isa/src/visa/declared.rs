//! The declarations of a kernel, and the rules that depend on them: types and sizes of operands.

use crate::broken::broken;
use crate::visa::instruction::{Part, TypedAtomic};
use crate::visa::names::{FIRST_SURFACE, FIRST_VARIABLE};
use crate::visa::operation::Data;
use crate::visa::rules::Broken;

/// The type of a variable's elements, by its code (vISA, "Fundamental Data Types").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(u8);

/// The names in the order of the codes, and the bits of an element.
const TYPES: [(&str, u32); 16] = [
    ("ud", 32),
    ("d", 32),
    ("uw", 16),
    ("w", 16),
    ("ub", 8),
    ("b", 8),
    ("df", 64),
    ("f", 32),
    ("v", 32),
    ("vf", 32),
    ("bool", 1),
    ("uq", 64),
    ("uv", 32),
    ("q", 64),
    ("hf", 16),
    ("bf", 16),
];

impl Type {
    /// Unsigned numbers of 32 bits.
    pub const UD: Type = Type(0);
    /// Signed numbers of 32 bits.
    pub const D: Type = Type(1);

    /// Returns the type of a code; bits above the four are ignored.
    pub fn from_code(code: u8) -> Type {
        Type(code & 15)
    }

    /// Returns the type of a name, ignoring case.
    pub fn from_name(name: &str) -> Option<Type> {
        let is = |(known, _): &(&str, u32)| known.eq_ignore_ascii_case(name);
        let code = TYPES.iter().position(is)?;
        Some(Type(code as u8))
    }

    /// Returns the name in Intel's text: `ud`.
    pub fn name(self) -> &'static str {
        TYPES[usize::from(self.0)].0
    }

    /// Returns the bits of an element.
    pub fn bits(self) -> u32 {
        TYPES[usize::from(self.0)].1
    }
}

/// A general variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name, by its number among the kernel's strings.
    pub name: u32,
    /// The type of the elements.
    pub ty: Type,
    /// The code of the alignment.
    pub align: u8,
    /// The number of elements.
    pub elements: u16,
    /// The variable whose bytes this one shares, and the offset in it.
    pub alias: Option<(u32, u16)>,
}

impl Variable {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u32 {
        (u32::from(self.elements) * self.ty.bits()).div_ceil(8)
    }
}

/// A predicate, address, sampler or surface variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The name, by its number among the kernel's strings.
    pub name: u32,
    /// The number of elements.
    pub elements: u16,
}

/// The declarations of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declarations {
    /// General variables, from V32 on.
    pub variables: Vec<Variable>,
    /// Address variables, from A0 on.
    pub addresses: Vec<State>,
    /// Predicates, from P1 on.
    pub predicates: Vec<State>,
    /// Samplers, from S0 on.
    pub samplers: Vec<State>,
    /// Surfaces, from T6 on.
    pub surfaces: Vec<State>,
}

impl Declarations {
    /// Returns a variable that the kernel declares.
    pub fn variable(&self, number: u32) -> Option<&Variable> {
        let place = number.checked_sub(FIRST_VARIABLE)?;
        self.variables.get(usize::try_from(place).ok()?)
    }

    /// Checks the rules that depend on declarations: surface, predicate and variables exist, have the types of the description,
    /// and are large enough.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn check(&self, inst: &TypedAtomic) -> Result<(), Broken> {
        self.check_predicate(inst)?;
        let surfaces = usize::from(FIRST_SURFACE) + self.surfaces.len();
        if usize::from(inst.surface) >= surfaces {
            let message = format!(
                "T{} is not declared: {}",
                inst.surface,
                there_are('T', FIRST_SURFACE.into(), self.surfaces.len())
            );
            return broken(Part::Surface, message, None);
        }
        let operands = Part::OPERANDS.iter().zip(inst.operands());
        let mut used = operands.filter(|(_, raw)| raw.variable >= FIRST_VARIABLE);
        used.try_for_each(|(part, raw)| match self.variable(raw.variable) {
            Some(variable) => check_variable(inst, *part, raw.offset, variable),
            None => {
                let message = format!(
                    "V{} is not declared: {}",
                    raw.variable,
                    there_are('V', FIRST_VARIABLE as usize, self.variables.len())
                );
                broken(*part, message, None)
            }
        })
    }

    fn check_predicate(&self, inst: &TypedAtomic) -> Result<(), Broken> {
        let Some(predicate) = inst.predicate else {
            return Ok(());
        };
        let number = predicate.variable;
        let declared = usize::from(number).checked_sub(1);
        let Some(state) = declared.and_then(|place| self.predicates.get(place)) else {
            let there = there_are('P', 1, self.predicates.len());
            let message = format!("P{number} is not declared: {there}");
            return broken(Part::Predicate, message, None);
        };
        let last = inst.mask.first() + inst.channels.count();
        if u32::from(state.elements) < last {
            let message = format!(
                "P{number} has {} elements, and channels up to {} are decided by it",
                state.elements,
                last - 1
            );
            return broken(Part::Predicate, message, None);
        }
        Ok(())
    }
}

/// Returns the names that are declared, for a message.
fn there_are(letter: char, first: usize, count: usize) -> String {
    match count {
        0 => "the kernel declares none".to_owned(),
        1 => format!("the kernel declares {letter}{first}"),
        _ => format!(
            "the kernel declares {letter}{first} to {letter}{}",
            first + count - 1
        ),
    }
}

/// Returns the type that an operand must have: D for the data of IMIN and IMAX, UD for everything else (vISA, TYPED_ATOMIC).
fn expected(inst: &TypedAtomic, part: Part) -> Type {
    let data = matches!(part, Part::Src0 | Part::Src1 | Part::Dst);
    match inst.operation.row().data {
        Data::Signed if data => Type::D,
        _ => Type::UD,
    }
}

fn check_variable(
    inst: &TypedAtomic,
    part: Part,
    offset: u16,
    variable: &Variable,
) -> Result<(), Broken> {
    let (name, expected) = (part.name(), expected(inst, part));
    if variable.ty != expected {
        let message = format!(
            "{name} of {} must have type {}, and this variable has {}",
            inst.operation.row().name,
            expected.name(),
            variable.ty.name()
        );
        return broken(part, message, None);
    }
    let end = u32::from(offset) + 4 * inst.channels.count();
    if end > variable.bytes() {
        let message = format!(
            "{name} takes bytes {offset} to {} for {} channels, and the variable has {}",
            end - 1,
            inst.channels.count(),
            variable.bytes()
        );
        return broken(part, message, None);
    }
    Ok(())
}
