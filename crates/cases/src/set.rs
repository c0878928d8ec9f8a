//! The instruction sets of cases, with their syntax of instructions and their names of registers.

use std::ops::Range;

use wavetank::{ChipFacts, instruction_set};
use wavetank_gcn::numbers::{LDS_BYTES, general_sgprs, lds_of_group};
use wavetank_gcn::{Chip, Generation as Gcn, Inst, decode, encode, parse};
use wavetank_ir::{Dimensions, LANES, Reg};
use wavetank_surface_isa::maxwell::{
    self, Generation, Pred, Reg as MaxwellReg, Size, operand_constraints,
};
use wavetank_surface_isa::visa::{self, Broken, Registers, TypedAtomic, Version};
use wavetank_surface_isa::{SurfaceIsa, TextError};

use crate::number::integer;
use crate::place::Target;
use crate::sizes::Sizes;
use crate::surface::{self, Declared};
use crate::value::Assignment;

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    Gcn(Chip),
    Maxwell(Generation),
    Visa(Version),
}

/// An instruction of one of the sets.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Gcn(Inst),
    /// A word that is not an instruction of the chip, and the error of decoding it.
    Word(u32, String),
    Maxwell(maxwell::Inst),
    Visa(TypedAtomic),
}

/// An instruction of a case.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub code: Code,
    /// The line of the file, from 1.
    pub number: usize,
    /// The text of the instruction.
    pub text: String,
    /// The column of the text in the line, from 1.
    pub column: usize,
}

impl Line {
    /// Reads the instructions of a part of a line.
    ///
    /// # Errors
    /// The reason for which the text is not an instruction, with the column.
    pub(crate) fn read(
        text: &str,
        line: &str,
        number: usize,
        set: Set,
    ) -> Result<Vec<Line>, String> {
        let column = column(line, distance(text, line));
        let codes = set.instructions(text, line)?;
        let lines = codes.into_iter().map(|code| Line {
            code,
            number,
            text: text.to_owned(),
            column,
        });
        Ok(lines.collect())
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Code::Gcn(inst) => inst.fmt(f),
            Code::Word(word, _) => write!(f, ".long {word:#010x}"),
            Code::Maxwell(inst) => inst.fmt(f),
            Code::Visa(inst) => inst.fmt(f),
        }
    }
}

impl Set {
    /// Returns the instruction set of a name.
    pub(crate) fn named(name: &str) -> Result<Set, String> {
        if let Some(generation) = Generation::from_name(name) {
            return Ok(Set::Maxwell(generation));
        }
        if let Some(version) = Version::from_name(name) {
            return Ok(Set::Visa(version));
        }
        let chip = instruction_set(name).map_err(|error| error.to_string())?;
        ChipFacts::executed(chip)?;
        Ok(Set::Gcn(chip))
    }

    /// Returns the maximum size of a work-group's LDS.
    pub(crate) fn lds_bytes(self) -> u32 {
        match self {
            Set::Gcn(chip) => lds_of_group(chip.generation()),
            Set::Maxwell(_) | Set::Visa(_) => LDS_BYTES,
        }
    }

    /// Returns the maximum number of a wave's SGPRs.
    pub(crate) fn sgprs(self) -> u32 {
        match self {
            Set::Gcn(chip) => general_sgprs(chip.generation()).into(),
            Set::Maxwell(_) | Set::Visa(_) => 0,
        }
    }

    /// Whether its waves have accumulation registers.
    pub(crate) fn has_accumulators(self) -> bool {
        matches!(self, Set::Gcn(chip) if chip.is_cdna())
    }

    /// Returns the sizes of a case that does not set them.
    pub(crate) fn sizes(self) -> Sizes {
        Sizes::new(self.sgprs(), self.lds_bytes())
    }

    /// Returns a name that selects the instruction set.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Set::Gcn(chip) => chip.name(),
            Set::Maxwell(_) => "maxwell",
            Set::Visa(_) => "visa",
        }
    }

    /// Reads an instruction, or decodes the words after `.long`. `text` is a part of `line`, in which columns are counted.
    pub(crate) fn instructions(self, text: &str, line: &str) -> Result<Vec<Code>, String> {
        let list = text.strip_prefix(".long");
        let list = list.filter(|list| list.is_empty() || list.starts_with(char::is_whitespace));
        match (self, list) {
            (Set::Gcn(chip), Some(list)) => words(list, chip).map_err(|(part, why)| {
                let column = column(line, distance(part, line));
                format!("column {column}: {why}")
            }),
            _ => Ok(vec![self.instruction(text, line)?]),
        }
    }

    /// Reads an instruction.
    fn instruction(self, text: &str, line: &str) -> Result<Code, String> {
        // The text is a part of the line, so its offset is its column.
        let start = column(line, distance(text, line));
        let shown = |message: &str, span: &Range<usize>, snippet: String| {
            shown(text, start, message, span, &snippet)
        };
        let wrong = |e: TextError| shown(&e.message, &e.span, e.snippet(text));
        match self {
            Set::Gcn(chip) => {
                let read = parse(text, chip);
                let inst = read.map_err(|e| shown(&e.message, &e.span, e.snippet(text)))?;
                encode(&inst).map_err(|error| error.to_string())?;
                Ok(Code::Gcn(inst))
            }
            Set::Maxwell(generation) if text.starts_with('.') => {
                let (words, errors) = maxwell::source(text, generation, 1);
                if let Some(line) = errors.into_iter().next() {
                    return Err(wrong(line.error));
                }
                let word = words.first().map_or(0, |line| line.statement.word);
                let inst = maxwell::decode(word, generation);
                let inst = inst.map_err(|error| error.to_string())?;
                operand_constraints::check(&inst).map_err(|broken| format!("{inst}: {broken}"))?;
                Ok(Code::Maxwell(inst))
            }
            Set::Maxwell(generation) => generation.parse(text).map(Code::Maxwell).map_err(wrong),
            Set::Visa(version) => version.parse(text).map(Code::Visa).map_err(wrong),
        }
    }

    /// Returns the number of threads of a wave, or of channels of a thread.
    pub(crate) fn threads(self) -> usize {
        match self {
            Set::Gcn(_) => LANES,
            Set::Maxwell(_) => WARP,
            Set::Visa(_) => VISA_CHANNELS,
        }
    }

    /// Reads the name of a register, or of another place with a value.
    pub(crate) fn target(self, text: &str) -> Result<Target, String> {
        if let Some(element) = element(text)? {
            return Ok(element);
        }
        let unknown = |example: &str| {
            let what = "mem NAME, or an element of a surface such as T6[3,1]";
            Err(format!(
                "`{text}` is nothing that has a value: write {example}, exec, {what}"
            ))
        };
        if text == "exec" || text.starts_with("mem ") {
            return Target::parse(text, Gcn::Gfx9);
        }
        match self {
            Set::Gcn(chip) => gcn_place(text, chip.generation()),
            Set::Maxwell(_) => match maxwell_place(text)? {
                Some(place) => Ok(place),
                None => unknown("R2, R[4:5] for 64 bits, P0, c[0x400]"),
            },
            Set::Visa(_) => match visa_place(text) {
                Some(place) => Ok(place),
                None => unknown("V32, P1"),
            },
        }
    }

    /// Assigns registers to variables, which instructions refer to by name.
    pub(crate) fn place<'a>(
        self,
        code: &[Line],
        assignments: impl Iterator<Item = &'a mut Assignment>,
    ) -> Result<(), (usize, String)> {
        if !matches!(self, Set::Visa(_)) {
            return Ok(());
        }
        let registers = registers(code).map_err(|problem| (code[0].number, problem))?;
        for assignment in assignments {
            let unused = |name: String| {
                let problem = format!("no instruction of the case names {name}");
                Err((assignment.line, problem))
            };
            let (name, is) = match assignment.target {
                Target::Variable(n) => match registers.variable(n) {
                    Some(register) => (format!("V{n}"), vector(register, false)),
                    None => return unused(format!("V{n}")),
                },
                Target::Predicate(n) => match registers.predicate(n) {
                    Some(register) => (format!("P{n}"), mask(register)),
                    None => return unused(format!("P{n}")),
                },
                _ => continue,
            };
            assignment.target = Target::Named {
                name,
                is: is.into(),
            };
        }
        Ok(())
    }

    /// Checks the rules that involve both instructions and the surfaces that they change.
    ///
    /// # Errors
    /// The line of an instruction, and the rule that it breaks.
    pub(crate) fn check(self, code: &[Line], surfaces: &[Declared]) -> Result<(), (usize, String)> {
        let registers = registers(code).unwrap_or_default();
        for instruction in code {
            let Code::Visa(inst) = &instruction.code else {
                continue;
            };
            let wrong = |message| (instruction.number, message);
            visa::program(&[*inst], &registers)
                .map(drop)
                .map_err(wrong)?;
            let declared = surfaces
                .iter()
                .find(|declared| declared.number == u32::from(inst.surface));
            if let Some(Declared { surface, line, .. }) = declared {
                if surface.dimensions == Dimensions::Buffer {
                    let types = "1d, 1d_array, 2d, 2d_array and 3d";
                    let message =
                        format!("vISA has no surface of type 1d_buffer: there are {types}");
                    return Err((*line, message));
                }
                let bytes = surface.element.bytes();
                let fits = visa::check_surface(inst, surface.dimensions, bytes);
                fits.map_err(|broken| wrong(at_its_part(instruction, inst, broken)))?;
            }
        }
        Ok(())
    }

    /// Returns the bytes from an instruction to the next, for sets other than GCN.
    pub(crate) fn step(self) -> u64 {
        match self {
            Set::Visa(_) => Version::STEP,
            Set::Maxwell(_) | Set::Gcn(_) => Generation::STEP,
        }
    }

    /// Returns the registers with the names of the instruction set: vector registers, then pairs of uniform ones.
    pub(crate) fn names(self, code: &[Line]) -> Option<Vec<Named>> {
        match self {
            Set::Gcn(_) => None,
            Set::Maxwell(_) => {
                let predicates = (0..7).filter_map(|n| {
                    let register = maxwell::lift::predicate(Pred::new(n)?)?;
                    Some(Named::new(format!("P{n}"), Reg::Mask(register)))
                });
                Some(
                    maxwell_registers(code)
                        .into_iter()
                        .chain(predicates)
                        .collect(),
                )
            }
            Set::Visa(_) => {
                let registers = registers(code).unwrap_or_default();
                let mut names = Vec::new();
                for inst in typed_atomics(code) {
                    for raw in inst.operands() {
                        if let Some(n) = registers.variable(raw.variable) {
                            names.push(Named::new(format!("V{}", raw.variable), Reg::V(n)));
                        }
                    }
                }
                names.sort_by_key(|named| match named.register {
                    Reg::V(n) => n,
                    _ => u16::MAX,
                });
                names.dedup();
                Some(names)
            }
        }
    }
}

/// A register under the name of its instruction set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub register: Reg,
    /// Whether the register holds two halves.
    pub halves: bool,
}

impl Named {
    fn new(name: String, register: Reg) -> Named {
        Named {
            name,
            register,
            halves: false,
        }
    }
}

/// Returns the registers of Maxwell: pairs where an instruction returns 64 bits, halves where it returns those.
fn maxwell_registers(code: &[Line]) -> Vec<Named> {
    let results = code.iter().filter_map(|line| match &line.code {
        Code::Maxwell(inst) if inst.rd != MaxwellReg::RZ => Some((u16::from(inst.rd.0), inst.size)),
        _ => None,
    });
    let results: Vec<(u16, Size)> = results.collect();
    let mut names = Vec::new();
    let mut n = 0;
    while n < u16::from(MaxwellReg::RZ.0) {
        let size = results
            .iter()
            .find(|(rd, _)| *rd == n)
            .map(|(_, size)| *size);
        let named = if size.is_some_and(|size| size.registers() == 2) {
            Named::new(format!("R[{n}:{}]", n + 1), Reg::V64(n))
        } else {
            Named::new(format!("R{n}"), Reg::V(n))
        };
        n += if matches!(named.register, Reg::V64(_)) {
            2
        } else {
            1
        };
        names.push(Named {
            halves: size == Some(Size::F16x2),
            ..named
        });
    }
    names
}

/// The number of threads in a warp of Maxwell.
const WARP: usize = 32;
/// The number of channels of a vISA thread.
const VISA_CHANNELS: usize = 32;

/// Returns the SUATOMs of a case.
pub(super) fn suatoms(code: &[Line]) -> Vec<maxwell::Inst> {
    let insts = code.iter().filter_map(|line| match &line.code {
        Code::Maxwell(inst) => Some(*inst),
        Code::Gcn(_) | Code::Word(..) | Code::Visa(_) => None,
    });
    insts.collect()
}

/// Returns the TYPED_ATOMICs of a case.
pub(super) fn typed_atomics(code: &[Line]) -> Vec<TypedAtomic> {
    let insts = code.iter().filter_map(|line| match &line.code {
        Code::Visa(inst) => Some(*inst),
        Code::Gcn(_) | Code::Word(..) | Code::Maxwell(_) => None,
    });
    insts.collect()
}

fn registers(code: &[Line]) -> Result<Registers, String> {
    Registers::of(&typed_atomics(code))
}

fn vector(register: u16, wide: bool) -> Target {
    let register = register.into();
    Target::Vector { register, wide }
}

fn mask(register: u8) -> Target {
    let (register, wide) = (register.into(), true);
    Target::Scalar { register, wide }
}

/// Decodes a list of words: numbers, hexadecimal or decimal, separated by commas. The error has the wrong part of the list, and
/// the reason.
fn words(list: &str, chip: Chip) -> Result<Vec<Code>, (&str, String)> {
    let word = |text: &'_ str| {
        let bits = integer(text).and_then(|n| u32::try_from(n).ok());
        bits.ok_or_else(|| match text.split_whitespace().count() {
            0 => "a word is missing: write `.long 0x7e000280, 0xbf810000`".into(),
            1 => format!("`{text}` is not a word of 32 bits: write `.long 0x7e000280, 0xbf810000`"),
            _ => format!("a comma is missing between the words `{text}`"),
        })
    };
    let words = list.split(',').map(|text| {
        let text = text.trim();
        word(text).map_err(|why| (text, why))
    });
    let words: Vec<u32> = words.collect::<Result<_, _>>()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut codes = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let code = match decode(&bytes[4 * at..], chip) {
            Ok(inst) => Code::Gcn(inst),
            Err(error) => Code::Word(words[at], error.to_string()),
        };
        at += match &code {
            Code::Gcn(inst) => usize::from(inst.len) / 4,
            _ => 1,
        };
        codes.push(code);
    }
    Ok(codes)
}

/// Returns the error of a broken rule, with the part of the line that breaks it.
fn at_its_part(line: &Line, inst: &TypedAtomic, broken: Broken) -> String {
    match visa::parse_with_parts(&line.text) {
        Ok((_, places)) => {
            let error = places.error(broken);
            let snippet = error.snippet(&line.text);
            shown(
                &line.text,
                line.column,
                &error.message,
                &error.span,
                &snippet,
            )
        }
        Err(_) => format!("{inst}: {broken}"),
    }
}

/// Returns an error with its column and the text; `first` is the column of the text.
fn shown(text: &str, first: usize, message: &str, span: &Range<usize>, snippet: &str) -> String {
    let column = first + column(text, span.start) - 1;
    format!("column {column}: {message}\n{snippet}")
}

/// Returns the offset of a part of a line in bytes.
fn distance(part: &str, line: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize)
}

/// Returns the column of a byte of a line, from 1.
fn column(line: &str, byte: usize) -> usize {
    1 + line.get(..byte).unwrap_or(line).chars().count()
}

/// Reads a place of GCN; `wave 1` before it selects a single wave.
fn gcn_place(text: &str, generation: Gcn) -> Result<Target, String> {
    let Some(of_wave) = text.strip_prefix("wave ") else {
        return Target::parse(text, generation);
    };
    let parts = of_wave.trim_start().split_once(' ');
    let read = parts.and_then(|(wave, place)| Some((wave.parse().ok()?, place.trim())));
    let (wave, place) = read.ok_or_else(|| format!("`{text}`: write `wave 1 v0`"))?;
    let is = Target::parse(place, generation)?.into();
    Ok(Target::OfWave { wave, is })
}

/// Reads a place of Maxwell: `R2`, `R[4:5]`, `P0`, `c[0x400]`.
fn maxwell_place(text: &str) -> Result<Option<Target>, String> {
    let named = |is: Target| Target::Named {
        name: text.to_owned(),
        is: is.into(),
    };
    if let Some(inner) = text.strip_prefix("c[").and_then(|t| t.strip_suffix(']')) {
        let offset = integer(inner).filter(|n| (0..CONSTANTS as i64).contains(n) && n % 4 == 0);
        let offset = offset.ok_or_else(|| {
            format!("`{text}`: the constant bank has offsets that are multiples of 4 below {CONSTANTS:#x}")
        })?;
        let offset = offset as usize;
        return Ok(Some(Target::Constant { offset }));
    }
    if let Some(number) = text.strip_prefix('P') {
        let pred = number.parse().ok().and_then(Pred::new);
        return Ok(pred
            .and_then(maxwell::lift::predicate)
            .map(|register| named(mask(register))));
    }
    let Some(number) = text.strip_prefix('R') else {
        return Ok(None);
    };
    let pair = number.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    let (first, wide) = match pair.and_then(|n| n.split_once(':')) {
        Some((first, last)) => match (first.trim().parse::<u16>(), last.trim().parse::<u16>()) {
            (Ok(first), Ok(last)) if first.checked_add(1) == Some(last) => (first, true),
            _ => return Ok(None),
        },
        None => match number.parse() {
            Ok(n) => (n, false),
            Err(_) => return Ok(None),
        },
    };
    if first + u16::from(wide) > 254 {
        return Err(format!("`{text}` is out of range: the last is R254"));
    }
    Ok(Some(named(vector(first, wide))))
}

/// Reads a place of vISA: `V32`, `P1`.
fn visa_place(text: &str) -> Option<Target> {
    if let Some(number) = text.strip_prefix('V') {
        return number.parse().ok().map(Target::Variable);
    }
    text.strip_prefix('P')?.parse().ok().map(Target::Predicate)
}

/// Reads a surface or an element of one: `T6`, `surface 6`, `T6[3,1]`, `T6 level 1[3,1]`.
fn element(text: &str) -> Result<Option<Target>, String> {
    let named = text.strip_prefix("surface ").map(str::trim);
    let numbered = || {
        text.strip_prefix('T')
            .filter(|t| t.starts_with(|c: char| c.is_ascii_digit()))
    };
    let Some(rest) = named.or_else(|| numbered().map(|_| text)) else {
        return Ok(None);
    };
    let (number, at) = match rest.split_once('[') {
        None => (rest, None),
        Some((number, at)) => {
            let wrong = || format!("`{text}`: write an element as in T6[3,1]");
            let at = at.strip_suffix(']').ok_or_else(wrong)?;
            let at: Option<Vec<u32>> = at.split(',').map(|n| n.trim().parse().ok()).collect();
            let at = at
                .filter(|at| (1..=3).contains(&at.len()))
                .ok_or_else(wrong)?;
            let mut place = [0; 3];
            place[..at.len()].copy_from_slice(&at);
            (number, Some(place))
        }
    };
    let (number, level) = match number.split_once(" level ") {
        None => (number, 0),
        Some((number, level)) => {
            let wrong = || format!("`{text}`: write a level as in T6 level 1, or T6 level 1[3,1]");
            (number, level.trim().parse().map_err(|_| wrong())?)
        }
    };
    let number = surface::number(number.trim())?;
    Ok(Some(Target::Element { number, level, at }))
}

/// The size of a case's constant bank in bytes.
pub(crate) const CONSTANTS: usize = 0x8000;
