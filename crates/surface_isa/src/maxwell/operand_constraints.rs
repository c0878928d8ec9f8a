//! Constraints on the operands of NVIDIA's SUATOM that a decoder does not check: sizes of an operation, alignment of registers,
//! RZ. They include that SPA 5.0 lacks packed halves.
//!
//! The disassembler prints any instruction; the assembler rejects those that break a constraint.

use crate::broken::broken;
use crate::maxwell::inst::{Dim, Handle, Inst, Mode, Op, Reg, Size};

/// The part of an instruction that breaks a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The size, or the operation if the size is omitted.
    Size,
    /// The destination.
    Rd,
    /// The coordinates.
    Ra,
    /// The data.
    Rb,
    /// The register with the handle.
    Rc,
}

/// A broken rule.
pub type Broken = crate::Broken<Part>;

/// Returns the sizes that an operation takes, as the table "Reduction Operations" lists them.
pub fn sizes(op: Op) -> &'static [Size] {
    use Size::*;
    match op {
        Op::Add => &[U32, S32, Sd32, U64, F32, F16x2],
        Op::Min | Op::Max => &[U32, S32, Sd32, U64, S64, Sd64, F16x2],
        Op::Inc | Op::Dec => &[U32],
        Op::And | Op::Or | Op::Xor => &[U32, S32, Sd32, U64],
        Op::Exch | Op::Cas => &[U32, S32, U64],
    }
}

/// Checks an instruction: an operation and its size, alignment of registers, no RZ for coordinates and handle.
///
/// # Errors
/// The first rule that is [`Broken`], from left to right.
pub fn check(inst: &Inst) -> Result<(), Broken> {
    size(inst)?;
    let data = inst.size.registers();
    registers(
        Part::Rd,
        inst.rd,
        data,
        &format!("the value before ({})", words(data)),
    )?;
    let coordinates = inst.dim.coordinates();
    if inst.ra == Reg::RZ {
        let message = "the coordinates cannot be RZ: write a register R0 to R254".to_owned();
        return broken(Part::Ra, message, None);
    }
    let whose = format!(
        "the coordinates of {} ({})",
        inst.dim.name(),
        axes(inst.dim)
    );
    registers(Part::Ra, inst.ra, coordinates, &whose)?;
    let count = inst.data_registers();
    let whose = match inst.op {
        Op::Cas => format!("the data of CAS (compare, then swap: {})", words(count)),
        _ => format!("the data ({})", words(count)),
    };
    registers(Part::Rb, inst.rb, count, &whose)?;
    match inst.handle {
        Handle::Register(Reg::RZ) => {
            let message = "the handle cannot be in RZ: write a register R0 to R254, or the index of a word in the constant \
                           bank";
            broken(Part::Rc, message.to_owned(), None)
        }
        _ => Ok(()),
    }
}

fn size(inst: &Inst) -> Result<(), Broken> {
    let sizes = sizes(inst.op).iter().filter(|s| s.is_on(inst.generation));
    if inst.mode == Mode::Formatted || sizes.clone().any(|s| *s == inst.size) {
        return Ok(());
    }
    let printed = |size: &Size| format!(".{}", size.printed(inst.generation));
    let listed: Vec<String> = sizes.map(printed).collect();
    let (op, size) = (inst.op.name(), printed(&inst.size));
    let message = format!(
        "`.{op}` does not take `{size}`: it takes {}",
        listed.join(", ")
    );
    broken(Part::Size, message, None)
}

/// Checks a group of consecutive registers: it begins at a multiple of its size, rounded up to a power of two, and ends before
/// RZ. RZ stands for zeros in all registers of a group.
fn registers(part: Part, first: Reg, count: u8, whose: &str) -> Result<(), Broken> {
    let align = count.next_power_of_two();
    let last = u16::from(first.0) + u16::from(count) - 1;
    if first == Reg::RZ || first.0.is_multiple_of(align) && last < u16::from(Reg::RZ.0) {
        return Ok(());
    }
    let message = match first.0 % align {
        0 => format!("{first} is too high for {whose}: the last of them would be RZ or beyond"),
        _ => {
            let below = first.0 - first.0 % align;
            format!(
                "{first} cannot begin {whose}: the register's number is a multiple of {align}, such as R{below}"
            )
        }
    };
    broken(part, message, None)
}

fn words(count: u8) -> String {
    match count {
        1 => "1 register".to_owned(),
        n => format!("{n} registers"),
    }
}

fn axes(dim: Dim) -> &'static str {
    match dim {
        Dim::D1 | Dim::Buffer => "x",
        Dim::D1Array => "x, index",
        Dim::D2 => "x, y",
        Dim::D2Array => "x, y, index",
        Dim::D3 => "x, y, z",
    }
}
