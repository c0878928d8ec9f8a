//! Names of registers and numbers in pseudo-code.

use wavetank_gcn::Generation;
use wavetank_ir::Reg;

use super::lane_pattern::LanePattern;

/// A file of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum File {
    Vector,
    Scalar,
}

/// The registers of an operand, with its name.
struct Span {
    file: File,
    first: u16,
    count: u16,
    name: &'static str,
}

/// Names of registers and numbers. Other registers have the names of assembly text.
#[derive(Default)]
pub(super) struct Names {
    spans: Vec<Span>,
    numbers: Vec<(u64, &'static str)>,
    /// The pattern by which the instruction moves values between lanes, if it has one.
    pub(super) pattern: Option<LanePattern>,
    /// The generation: on gfx7 FLAT_SCRATCH has the place that XNACK_MASK has in later ones, and gfx6 has neither.
    pub(super) generation: Option<Generation>,
    /// The name of the bit by which an atomic returns what was in memory: `GLC`, or another.
    pub(super) returns: &'static str,
}

/// Registers with names of their own (Vega ISA, 4.1 and table 4).
const SPECIAL: [(u16, [&str; 3]); 4] = [
    (102, FLAT_SCRATCH),
    (104, ["XNACK_MASK_LO", "XNACK_MASK_HI", "XNACK_MASK"]),
    (106, ["VCC_LO", "VCC_HI", "VCC"]),
    (126, ["EXEC_LO", "EXEC_HI", "EXEC"]),
];
const FLAT_SCRATCH: [&str; 3] = ["FLAT_SCRATCH_LO", "FLAT_SCRATCH_HI", "FLAT_SCRATCH"];
const M0: u16 = 124;
/// Hardware registers by number (Vega ISA, table 14).
const HARDWARE: [&str; 4] = ["HWREG[0]", "MODE", "STATUS", "TRAPSTS"];

impl Names {
    /// Names the registers of an operand.
    pub(super) fn add(&mut self, file: File, first: u8, count: u8, name: &'static str) {
        self.spans.push(Span {
            file,
            first: first.into(),
            count: count.max(1).into(),
            name,
        });
    }

    /// Gives a number a name.
    pub(super) fn call(&mut self, number: u64, name: &'static str) {
        self.numbers.push((number, name));
    }

    /// Returns the name of a number, if it has one.
    pub(super) fn number(&self, number: u64) -> Option<&'static str> {
        let found = self.numbers.iter().find(|(n, _)| *n == number);
        found.map(|(_, name)| *name)
    }

    /// Returns the name of a register.
    pub(super) fn register(&self, reg: Reg) -> String {
        match reg {
            Reg::S(n) => self.span(File::Scalar, n.into(), 1),
            Reg::S64(n) | Reg::Mask(n) => self.span(File::Scalar, n.into(), 2),
            Reg::V(n) => self.span(File::Vector, n, 1),
            Reg::V64(n) => self.span(File::Vector, n, 2),
            Reg::Scc => "SCC".to_owned(),
            Reg::Hw(n) => match HARDWARE.get(usize::from(n)) {
                Some(name) => (*name).to_owned(),
                None => format!("HWREG[{n}]"),
            },
        }
    }

    /// Returns the names of a pair of special scalar registers.
    fn special(&self, first: u16) -> Option<[&'static str; 3]> {
        match (self.generation, first) {
            (Some(Generation::Gfx6), 102 | 104) | (Some(Generation::Gfx7), 102) => None,
            (Some(Generation::Gfx7), 104) => Some(FLAT_SCRATCH),
            _ => {
                let special = SPECIAL.iter().find(|(n, _)| first == *n);
                special.map(|(_, names)| *names)
            }
        }
    }

    /// Returns the name of consecutive registers.
    pub(super) fn span(&self, file: File, first: u16, count: u16) -> String {
        let inside = |s: &&Span| s.file == file && (s.first..s.first + STRIDE).contains(&first);
        if let Some(span) = self.spans.iter().find(inside) {
            let at = first - span.first;
            return match count {
                _ if at == 0 && count >= span.count => span.name.to_owned(),
                1 => format!("{}[{at}]", span.name),
                _ => format!("{}[{}:{at}]", span.name, at + count - 1),
            };
        }
        let special = self.special(first & !1).filter(|_| file == File::Scalar);
        match (special, file) {
            (Some(names), _) if count == 2 => names[2].to_owned(),
            (Some(names), _) => names[usize::from(first & 1)].to_owned(),
            (None, File::Scalar) if first == M0 => "M0".to_owned(),
            (None, file) => plain(if file == File::Vector { 'v' } else { 's' }, first, count),
        }
    }
}

/// The largest number of registers of an operand.
const STRIDE: u16 = 16;

/// Returns the name of registers in assembly text.
fn plain(file: char, first: u16, count: u16) -> String {
    match count {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_operand_have_their_place() {
        let mut names = Names::default();
        names.add(File::Vector, 32, 4, "D");
        assert_eq!(names.span(File::Vector, 32, 4), "D");
        assert_eq!(names.register(Reg::V(33)), "D[1]");
        assert_eq!(names.register(Reg::V64(34)), "D[3:2]");
        assert_eq!(names.register(Reg::V64(2)), "v[2:3]");
    }

    #[test]
    fn special_registers_have_their_names() {
        let names = Names::default();
        assert_eq!(names.register(Reg::EXEC), "EXEC");
        assert_eq!(names.register(Reg::S(107)), "VCC_HI");
        assert_eq!(names.register(Reg::S(124)), "M0");
        assert_eq!(names.register(Reg::S64(102)), "FLAT_SCRATCH");
        // CLRX wiki, "GCN operands": FLAT_SCRATCH is at 104 on gfx7, and not on gfx6.
        let on = |generation, n| {
            let names = Names {
                generation: Some(generation),
                ..Names::default()
            };
            names.register(Reg::S(n))
        };
        assert_eq!(on(Generation::Gfx6, 103), "s103");
        assert_eq!(on(Generation::Gfx7, 102), "s102");
        assert_eq!(on(Generation::Gfx7, 105), "FLAT_SCRATCH_HI");
        assert_eq!(on(Generation::Gfx8, 105), "XNACK_MASK_HI");
    }
}
