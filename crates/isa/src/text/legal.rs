//! What an encoding could hold, and the instruction or the chip does not have.

use std::ops::Range;

use super::names::M0;
use super::parse::{Failure, ParseError};
use crate::codes;
use crate::generation::{Chip, Generation};
use crate::inst::{Form, Inst, Operand, flag};
use crate::tables::{self, Class, Field, Kind, Op, Sop1, Ty, VCC, feature};

type Places<'a> = &'a [Range<usize>];

/// Refuses what the instruction cannot do on its chip.
pub(super) fn check(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    registers_of_chip(inst, places)?;
    match inst.form {
        Form::Smem => scalar_memory(inst, places),
        Form::Scratch => scratch_address(inst, places),
        Form::Mimg => image(inst, places),
        Form::Mubuf => buffer(inst, places),
        Form::Sop1 => jump_by_register(inst, places),
        _ if inst.row().class == Class::Valu => {
            integer_clamp(inst, places)?;
            scalar_values(inst, places)
        }
        _ => Ok(()),
    }
}

fn fail(span: &Range<usize>, message: &str) -> Result<(), Failure> {
    Err(Box::new(ParseError {
        span: span.clone(),
        message: message.into(),
        help: None,
    }))
}

/// Where the operand of a field stands.
fn place<'a>(inst: &Inst, places: Places<'a>, field: Field) -> &'a Range<usize> {
    let specs = inst.row().operands;
    let i = specs.iter().position(|s| s.field == field);
    &places[i.unwrap_or_default()]
}

/// XNACK_MASK is a register of those gfx8 chips that retry accesses.
fn registers_of_chip(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let retries = matches!(inst.chip, Chip::Gfx801 | Chip::Gfx810);
    if inst.chip.generation() != Generation::Gfx8 || retries {
        return Ok(());
    }
    let mut operands = inst.operands.iter().zip(places);
    match operands.find(|(o, _)| matches!(o, Operand::Sgpr(104 | 105))) {
        Some((_, span)) => fail(span, "this chip has no xnack_mask"),
        None => Ok(()),
    }
}

/// Scalar memory neither loads nor stores M0 and EXEC, and offsets into buffers
/// have no sign.
fn scalar_memory(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    for field in [Field::Sdst, Field::Sdata] {
        if matches!(inst.operand(field), Operand::Sgpr(M0 | 126 | 127)) {
            let message = "scalar memory neither loads nor stores m0 and exec";
            return fail(place(inst, places, field), message);
        }
    }
    let specs = inst.row().operands;
    let resource = specs
        .iter()
        .any(|s| s.field == Field::Sbase && s.ty == Ty::B128);
    if resource && inst.mods.offset < 0 {
        let message = "the offset into a buffer has no sign";
        return fail(place(inst, places, Field::Soffset), message);
    }
    Ok(())
}

/// Scratch takes one address. The code of EXEC_HI means `off`.
fn scratch_address(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    if inst.operand(Field::Saddr) == Operand::Sgpr(127) {
        let message = "exec_hi cannot be the address";
        return fail(place(inst, places, Field::Saddr), message);
    }
    let is_off = |field| inst.operand(field) == Operand::Off;
    if is_off(Field::Vaddr) == is_off(Field::Saddr) {
        let message = "scratch takes one address: a vector register, or a scalar one";
        return fail(place(inst, places, Field::Vaddr), message);
    }
    Ok(())
}

/// The channels that a gather or an atomic can name, and data of 16 bits, which
/// packed formats do not have (Vega ISA, 8.2 "Vector memory image
/// instructions").
fn image(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    let name = row.mnemonic(inst.chip.generation()).unwrap_or_default();
    let mask = inst.mods.dmask;
    let message = if row.has(feature::GATHER) && mask.count_ones() != 1 {
        "a gather names one channel by dmask"
    } else if name.starts_with("image_atomic") && !matches!(mask, 1 | 3 | 15) {
        "the dmask of an atomic is 0x1, 0x3 or 0xf"
    } else if name.contains("_pck") && inst.has(flag::D16) {
        "packed formats have no d16"
    } else {
        return Ok(());
    };
    fail(&places[0], message)
}

/// What goes to LDS, or is stored, has no failure to report.
fn buffer(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    let data = row.operands.iter().find(|s| s.field == Field::Vdata);
    let stores = data.is_some_and(|s| !s.access.writes());
    if !inst.has(flag::TFE) || !stores && !inst.has(flag::LDS) {
        return Ok(());
    }
    fail(&places[0], "`tfe` is for loads to registers")
}

/// Jumps and joins take a register.
fn jump_by_register(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let jumps = matches!(inst.op, Op::Sop1(Sop1::S_CBRANCH_JOIN | Sop1::S_SETPC_B64));
    match inst.operands[0] {
        Operand::Literal(_) | Operand::Inline(..=248) if jumps => {
            fail(&places[0], "expected a scalar register")
        }
        _ => Ok(()),
    }
}

/// Integers cannot be clamped before gfx8.
fn integer_clamp(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let mut specs = inst.row().operands.iter();
    let old = inst.chip.generation() < Generation::Gfx8;
    if old && inst.has(flag::CLAMP) && !specs.any(|s| s.ty.is_float()) {
        return fail(&places[0], "integers are clamped from gfx8 on");
    }
    Ok(())
}

/// A vector instruction reads one scalar value at most: a register, a special
/// source or a literal (Vega ISA, 6.2 "Instruction inputs"). M0 as the number
/// of a lane does not count.
fn scalar_values(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    // What is read beside the operands: by v_div_fmas, by v_movreld.
    let mut read = if row.reads.contains(VCC) {
        Some((codes::VCC, 2))
    } else if row.reads.contains(tables::M0) {
        Some((Operand::Sgpr(M0), 1))
    } else {
        None
    };
    for (i, spec) in row.operands.iter().enumerate() {
        let operand = inst.operands[i];
        let scalar = match operand {
            Operand::Sgpr(M0) => spec.kind != Kind::Scalar,
            Operand::Sgpr(_) => spec.access.reads(),
            Operand::Inline(code) => matches!(code, 235..=239 | 251..=253),
            Operand::Literal(_) => true,
            _ => false,
        };
        let this = match operand {
            Operand::Sgpr(_) => (operand, inst.dwords(i)),
            _ => (operand, 1),
        };
        if !scalar || read == Some(this) {
            continue;
        }
        if read.is_some() {
            return Err(Box::new(ParseError {
                span: places[i].clone(),
                message: "a vector instruction reads one scalar value at most".into(),
                help: Some("move one of them to a vector register first".into()),
            }));
        }
        read = Some(this);
    }
    Ok(())
}
