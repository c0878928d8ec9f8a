//! The header of a container, and the tables of its routines (vISA, "The Virtual ISA Object Format").

use std::ops::Range;

use super::cursor::{Cursor, Result, fail};
use super::routine::{Binary, FileVariable, Input, Kind, MAGIC, Routine};
use crate::visa::declared::{Declarations, State, Type, Variable};
use crate::visa::instruction::{Ids, Version};

/// The maximum number of kernels in a container.
const KERNELS: u16 = 512;
/// The version from which names of routines have lengths of 16 bits.
const LONG_NAMES: Version = Version::new(3, 7);
/// The version from which the number of inputs has 32 bits.
const MANY_INPUTS: Version = Version::new(3, 5);

/// The contents of a container: version, variables of the file, routines.
type Read = (Version, Vec<FileVariable>, Vec<Routine>);

pub(super) fn read(bytes: &[u8]) -> Result<Read> {
    let mut at = Cursor::new(bytes, 0..bytes.len());
    if at.take(4, "the magic number `CISA`")? != MAGIC {
        return fail(0, "this is not a vISA container, which begins with `CISA`");
    }
    let version = Version::new(at.u8("the version")?, at.u8("the version")?);
    if version < Version::FIRST {
        let message = format!(
            "version {version} is not read: containers are known from {} on",
            Version::FIRST
        );
        return fail(4, message);
    }
    let (variables, heads) = heads(&mut at, version)?;
    let mut left = bytes.len();
    let mut routines = Vec::new();
    for head in heads {
        // Routines must not overlap, so that no more is read than the file has.
        let Some(rest) = left.checked_sub(head.body.len()) else {
            let message = "the routines have more bytes than the file, so some overlap";
            return fail(head.body.start, message);
        };
        left = rest;
        routines.push(routine(bytes, head, version)?);
    }
    Ok((version, variables, routines))
}

/// The header's entry for a routine.
struct Head {
    name: String,
    kind: Kind,
    body: Range<usize>,
    binaries: Vec<Binary>,
}

fn heads(at: &mut Cursor<'_>, version: Version) -> Result<(Vec<FileVariable>, Vec<Head>)> {
    let count = at.u16("the number of kernels")?;
    if count > KERNELS {
        let message = format!("there are {count} kernels, and a container has {KERNELS} at most");
        return fail(at.at - 2, message);
    }
    let kernels = (0..count).map(|_| head(at, version, Kind::Kernel));
    let mut heads = kernels.collect::<Result<Vec<Head>>>()?;
    let mut variables = Vec::new();
    for _ in 0..at.u16("the number of variables of the file")? {
        variables.push(file_variable(at, version)?);
    }
    let functions = at.u16("the number of functions")?;
    for _ in 0..functions {
        heads.push(head(at, version, Kind::Function)?);
    }
    Ok((variables, heads))
}

fn name(at: &mut Cursor<'_>, version: Version) -> Result<String> {
    let length = if version >= LONG_NAMES {
        usize::from(at.u16("the length of a name")?)
    } else {
        usize::from(at.u8("the length of a name")?)
    };
    let name = at.take(length, "a name")?;
    Ok(String::from_utf8_lossy(name).into_owned())
}

fn head(at: &mut Cursor<'_>, version: Version, kind: Kind) -> Result<Head> {
    if kind == Kind::Function {
        at.u8("the linkage of a function")?;
    }
    let name = name(at, version)?;
    let place = at.at;
    let start = at.u32("the place of a routine")? as usize;
    let size = at.u32("the size of a routine")? as usize;
    if kind == Kind::Kernel {
        at.u32("the place of a kernel's inputs")?;
    }
    // Relocations of variables, then of functions, with two numbers each.
    for _ in 0..2 {
        let count = usize::from(at.u16("the number of relocations")?);
        at.take(4 * count, "relocations")?;
    }
    let mut binaries = Vec::new();
    if kind == Kind::Kernel {
        for _ in 0..at.u8("the number of binaries")? {
            binaries.push(binary(at)?);
        }
    }
    let body = at.within(start, size, place)?;
    Ok(Head {
        name,
        kind,
        body,
        binaries,
    })
}

fn binary(at: &mut Cursor<'_>) -> Result<Binary> {
    let platform = at.u8("the chip of a binary")?;
    let place = at.at;
    let (start, size) = (at.u32("the place of a binary")?, at.u32("its size")?);
    at.within(start as usize, size as usize, place)?;
    Ok(Binary { platform, size })
}

fn file_variable(at: &mut Cursor<'_>, version: Version) -> Result<FileVariable> {
    let linkage = at.u8("the linkage of a variable")?;
    let name = name(at, version)?;
    // As for a routine's variable: the type in the lower half of a byte, the alignment in the upper half, then the number of
    // elements.
    let properties = at.u8("the type of a variable")?;
    let elements = at.u16("the number of elements of a variable")?;
    let count = at.u8("the number of attributes")?;
    attributes(at, version.ids(), count.into())?;
    Ok(FileVariable {
        name,
        linkage,
        ty: Type::from_code(properties),
        align: properties >> 4,
        elements,
    })
}

fn attributes(at: &mut Cursor<'_>, ids: Ids, count: usize) -> Result<()> {
    for _ in 0..count {
        at.id(ids, "the name of an attribute")?;
        let size = at.u8("the size of an attribute")?;
        at.take(size.into(), "an attribute")?;
    }
    Ok(())
}

fn routine(bytes: &[u8], head: Head, version: Version) -> Result<Routine> {
    let ids = version.ids();
    let at = &mut Cursor::new(bytes, head.body.clone());
    let mut strings = Vec::new();
    for _ in 0..at.id(ids, "the number of strings")? {
        strings.push(at.string()?);
    }
    at.id(ids, "the name of a routine")?;
    let mut declarations = Declarations::default();
    for _ in 0..at.id(ids, "the number of variables")? {
        declarations.variables.push(variable(at, ids)?);
    }
    declarations.addresses = many(at, ids, "the number of addresses")?;
    declarations.predicates = many(at, ids, "the number of predicates")?;
    let labels = at.u16("the number of labels")?;
    for _ in 0..labels {
        at.id(ids, "the name of a label")?;
        at.u8("the kind of a label")?;
        let count = at.u8("the number of attributes")?;
        attributes(at, ids, count.into())?;
    }
    declarations.samplers = few(at, ids, "the number of samplers")?;
    declarations.surfaces = few(at, ids, "the number of surfaces")?;
    few(at, ids, "the number of VME variables")?;
    let inputs = match head.kind {
        Kind::Kernel => inputs(at, version)?,
        Kind::Function => Vec::new(),
    };
    let place = at.at;
    let size = at.u32("the size of the code")? as usize;
    let entry = at.u32("the place of the code")? as usize;
    if head.kind == Kind::Function {
        at.take(2, "the sizes of arguments and result")?;
    }
    let count = at.u16("the number of attributes")?;
    attributes(at, ids, count.into())?;
    let start = head.body.start.saturating_add(entry);
    let code = start..start.saturating_add(size);
    if code.end > head.body.end || code.start < at.at {
        let message = format!(
            "the code is bytes {:#x} to {:#x}, and the routine has {:#x} to {:#x} for it",
            code.start, code.end, at.at, head.body.end
        );
        return fail(place, message);
    }
    Ok(Routine {
        name: head.name,
        kind: head.kind,
        declarations,
        labels,
        inputs,
        binaries: head.binaries,
        code,
        strings,
    })
}

fn variable(at: &mut Cursor<'_>, ids: Ids) -> Result<Variable> {
    let name = at.id(ids, "the name of a variable")?;
    let bits = at.u8("the type of a variable")?;
    let elements = at.u16("the number of elements")?;
    let alias = at.id(ids, "the alias of a variable")?;
    let offset = at.u16("the place in an alias")?;
    at.u8("the scope of an alias")?;
    let count = at.u8("the number of attributes")?;
    attributes(at, ids, count.into())?;
    Ok(Variable {
        name,
        ty: Type::from_code(bits),
        align: bits >> 4,
        elements,
        alias: (alias != 0).then_some((alias, offset)),
    })
}

/// Reads variables, with a count of up to 65535.
fn many(at: &mut Cursor<'_>, ids: Ids, what: &str) -> Result<Vec<State>> {
    (0..at.u16(what)?).map(|_| state(at, ids)).collect()
}

/// Reads variables, with a count of up to 255.
fn few(at: &mut Cursor<'_>, ids: Ids, what: &str) -> Result<Vec<State>> {
    (0..at.u8(what)?).map(|_| state(at, ids)).collect()
}

fn state(at: &mut Cursor<'_>, ids: Ids) -> Result<State> {
    let name = at.id(ids, "the name of a variable")?;
    let elements = at.u16("the number of elements")?;
    let count = at.u8("the number of attributes")?;
    attributes(at, ids, count.into())?;
    Ok(State { name, elements })
}

fn inputs(at: &mut Cursor<'_>, version: Version) -> Result<Vec<Input>> {
    let count = if version >= MANY_INPUTS {
        at.u32("the number of inputs")?
    } else {
        at.u8("the number of inputs")?.into()
    };
    let mut inputs = Vec::new();
    for _ in 0..count {
        let kind = at.u8("the kind of an input")?;
        inputs.push(Input {
            class: ['V', 'S', 'T', '?'][usize::from(kind & 3)],
            number: at.id(version.ids(), "the variable of an input")?,
            offset: at.u16("the place of an input")?,
            size: at.u16("the size of an input")?,
        });
    }
    Ok(inputs)
}
