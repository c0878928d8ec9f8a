//! Rules beyond the encoding: combinations that can be encoded, but that the instruction or the chip does not support.

use std::ops::Range;

use super::failure::{Failure, ParseError};
use super::names::M0;
use crate::codes;
use crate::decode::is_float_atomic;
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Flags, Inst, Operand, SdwaSel};
use crate::shapes::{MatrixType, Shape};
use crate::tables::{
    self, Access, Class, Ds, Features, Field, Kind, Mai, Op, OperandSpec, Sop1, Sop2, Ty, VCC, Vop2,
};

type Places<'a> = &'a [Range<usize>];

/// Rejects text that the instruction does not support on its chip.
pub(super) fn check(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    registers_of_chip(inst, places)?;
    if inst.chip >= Chip::Gfx90a {
        even_spans(inst, places)?;
    }
    match inst.form {
        Form::Smem => scalar_memory(inst, places),
        Form::Scratch => scratch_address(inst, places),
        Form::Mai | Form::MaiScaled => matrices(inst, places),
        Form::Global => global(inst, places),
        Form::Mimg => image(inst, places),
        Form::Mubuf | Form::Mtbuf => buffer(inst, places),
        Form::Ds => lds(inst, places),
        Form::Sop1 | Form::Sop2 => jump_by_register(inst, places),
        Form::Sdwa if carries_elsewhere(inst) => fail(
            place(inst, places, Field::Sdst),
            "the carry of this form goes to vcc",
        ),
        Form::Sdwa if inst.row().has(Features::WHOLE_DST) && inst.mods.sext != 0 => fail(
            place(inst, places, Field::Src0),
            "this source is no integer",
        ),
        Form::Dpp if inst.row().is_wide() && !(0x150..0x160).contains(&inst.mods.dpp_ctrl) => fail(
            &places[0],
            "operations on 64 bits take one control, row_newbcast",
        ),
        Form::Sdwa if adds_to_part(inst) => fail(
            &places[0],
            "what is added to is a whole register: write dst_sel:DWORD",
        ),
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

/// Returns the place of the operand in a field.
fn place<'a>(inst: &Inst, places: Places<'a>, field: Field) -> &'a Range<usize> {
    let specs = inst.row().operands;
    let i = specs.iter().position(|s| s.field == field);
    &places[i.unwrap_or_default()]
}

/// Checks that XNACK_MASK is used only on those gfx8 chips that retry accesses.
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

/// Checks that spans of vector registers begin at an even one, from gfx90a on (LLVM, `FeatureRequiresAlignedVGPRs`).
fn even_spans(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    for (i, span) in places.iter().enumerate().take(inst.row().operands.len()) {
        let free = inst.op == Op::Ds(Ds::DS_READ_B96_TR_B6);
        if let Operand::Vgpr(first) | Operand::Agpr(first) = inst.operands[i]
            && !free
            && first % 2 != 0
            && inst.dwords(i) > 1
        {
            return fail(span, "a span of vector registers begins at an even one");
        }
    }
    Ok(())
}

/// Checks scalar memory: it neither loads nor stores M0 and EXEC, and offsets into buffers have no sign.
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

/// Checks that scratch has one address. The code of EXEC_HI means `off`.
fn scratch_address(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    if inst.operand(Field::Saddr) == Operand::Sgpr(127) {
        let message = "exec_hi cannot be the address";
        return fail(place(inst, places, Field::Saddr), message);
    }
    let is_off = |field| inst.operand(field) == Operand::Off;
    if inst.chip >= Chip::Gfx942 {
        return Ok(());
    }
    if is_off(Field::Vaddr) == is_off(Field::Saddr) {
        let message = "scratch takes one address: a vector register, or a scalar one";
        return fail(place(inst, places, Field::Vaddr), message);
    }
    Ok(())
}

/// Checks the operands of a matrix instruction: on gfx908, C is not a constant.
fn matrices(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let source = inst.operands[1];
    let plain = matches!(source, Operand::Vgpr(_) | Operand::Inline(..=248));
    if inst.op == Op::Mai(Mai::V_ACCVGPR_WRITE_B32) && inst.chip == Chip::Gfx908 && !plain {
        return fail(
            &places[1],
            "on this chip a vector register or a constant is written",
        );
    }
    // LLVM, `validateMFMA`: a wide result is C itself, or apart from it.
    let is_checked = |shape: &Shape| !shape.sparse && shape.a != MatrixType::F8f6f4;
    let shape = inst.row().shape.filter(is_checked);
    let wide = shape.is_some_and(|shape| shape.d_dwords() > 4);
    if let (Operand::Vgpr(d), Operand::Vgpr(c)) | (Operand::Agpr(d), Operand::Agpr(c)) =
        (inst.operands[0], inst.operands[3])
        && wide
        && d != c
        && d.abs_diff(c) < inst.dwords(0)
    {
        return fail(&places[3], "C overlaps the result, and is not the result");
    }
    for (i, spec) in inst.row().operands.iter().enumerate() {
        let constant = matches!(inst.operands[i], Operand::Inline(_));
        if spec.kind == Kind::Accumulator && constant && inst.chip == Chip::Gfx908 {
            return fail(&places[i], "on this chip C is in accumulation registers");
        }
    }
    Ok(())
}

/// Checks the channels of a gather or an atomic, and that packed formats have no 16-bit data (Vega ISA, 8.2 "Vector memory image
/// instructions").
fn image(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    let name = row.name(inst.chip).unwrap_or_default();
    let mask = inst.mods.dmask;
    let atomic = name.starts_with("image_atomic");
    // One value has nothing to compare with, and four are too many.
    let unfit = if name.contains("cmpswap") { 1 } else { 15 };
    let no_halves = ["_pck", "_get_resinfo", "_get_lod"];
    let message = if row.has(Features::GATHER) && mask.count_ones() != 1 {
        "a gather names one channel by dmask"
    } else if atomic && (!matches!(mask, 1 | 3 | 15) || mask == unfit && !inst.has(Flags::TFE)) {
        "an atomic works on one or two values of one component: dmask is 0x1 or 0x3, of a compare and swap 0x3 or 0xf"
    } else if inst.has(Flags::D16) && (atomic || no_halves.iter().any(|n| name.contains(n))) {
        "the instruction has no d16"
    } else {
        return Ok(());
    };
    fail(&places[0], message)
}

/// The error of a float atomic that shall return the value before.
const RETURNS_NOTHING: &str = "on this chip a float atomic returns nothing: leave out glc";

/// Checks the address of a global access, and that float atomics of gfx908 return nothing.
fn global(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    if inst.chip == Chip::Gfx908 && inst.has(Flags::GLC) && is_float_atomic(inst.row()) {
        return fail(&places[0], RETURNS_NOTHING);
    }
    if inst.chip == Chip::Gfx950 && inst.operand(Field::Saddr) == Operand::Sgpr(126) {
        let message = "exec cannot be the address";
        return fail(place(inst, places, Field::Saddr), message);
    }
    Ok(())
}

/// Checks address and flags of buffer instructions. TFE is for loads to registers: other data has no failure to report.
fn buffer(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    let data = row.operands.iter().find(|s| s.field == Field::Vdata);
    let stores = data.is_some_and(|s| !s.access.writes() || s.access == Access::ReadWriteIfGlc);
    let addressed = inst.has(Flags::OFFEN | Flags::IDXEN | Flags::ADDR64);
    if addressed && !row.operands.iter().any(|s| s.field == Field::Vaddr) {
        return fail(
            &places[0],
            "the instruction takes no address from vector registers",
        );
    }
    if !addressed && matches!(inst.operand(Field::Vaddr), Operand::Vgpr(_)) {
        return fail(
            place(inst, places, Field::Vaddr),
            "without offen, idxen and addr64 no register is an address: write `off`",
        );
    }
    let loads = row.has(Features::LDS | Features::LDS_ONLY)
        || row.has(Features::LDS_950) && inst.chip == Chip::Gfx950;
    if inst.chip == Chip::Gfx908 && inst.has(Flags::GLC) && is_float_atomic(row) {
        return fail(&places[0], RETURNS_NOTHING);
    }
    if inst.has(Flags::LDS) && !loads {
        return fail(&places[0], "the instruction does not load to LDS");
    }
    if inst.has(Flags::ADDR64) && inst.has(Flags::OFFEN | Flags::IDXEN) {
        return fail(
            &places[0],
            "`addr64` is the whole address: leave out offen and idxen",
        );
    }
    if inst.form == Form::Mtbuf {
        return Ok(());
    }
    if !inst.has(Flags::TFE) || !stores && !inst.has(Flags::LDS) {
        return Ok(());
    }
    fail(&places[0], "`tfe` is for loads to registers")
}

/// Returns whether SDWA has a carry other than VCC; it has a mask operand only in compares.
fn carries_elsewhere(inst: &Inst) -> bool {
    let carry = inst.operand(Field::Sdst);
    inst.op.home() == Form::Vop2 && !matches!(carry, Operand::None | codes::VCC)
}

/// Returns whether an SDWA instruction would accumulate into a part of a register.
fn adds_to_part(inst: &Inst) -> bool {
    let adds = |s: &OperandSpec| s.field == Field::Vdst && s.access == Access::ReadWrite;
    inst.mods.dst_sel != SdwaSel::Dword
        && inst.op != Op::Vop2(Vop2::V_PK_FMAC_F16)
        && inst.row().operands.iter().any(adds)
}

/// Checks that permutations of lanes stay within LDS.
fn lds(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let permutes = matches!(inst.op, Op::Ds(Ds::DS_PERMUTE_B32 | Ds::DS_BPERMUTE_B32));
    let address = inst.operands[0];
    if inst.chip >= Chip::Gfx90a
        && let Operand::Vgpr(number) | Operand::Agpr(number) = address
        && inst.row().has(Features::GDS_ONLY)
        && number % 2 != 0
    {
        return fail(
            &places[0],
            "synchronization takes an even register on this chip",
        );
    }
    if permutes && inst.has(Flags::GDS) {
        return fail(&places[0], "lanes are permuted without GDS");
    }
    Ok(())
}

/// Checks that jumps, joins and relative moves take registers.
fn jump_by_register(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    use Sop1::*;
    let sources: &[usize] = match inst.op {
        Op::Sop1(S_CBRANCH_JOIN | S_SETPC_B64 | S_RFE_B64) => &[0],
        Op::Sop1(S_MOVRELS_B32 | S_MOVRELS_B64) => &[1],
        Op::Sop2(Sop2::S_CBRANCH_G_FORK) => &[0, 1],
        _ => &[],
    };
    // Forks take constants. Apertures are registers of two dwords, and condition bits are registers of one.
    let fork = matches!(inst.op, Op::Sop2(_));
    for &i in sources {
        let wide = inst.dwords(i) == 2;
        match inst.operands[i] {
            Operand::Inline(_) if fork => {}
            Operand::Inline(235..=238) if wide && inst.chip != Chip::Gfx950 => {}
            Operand::Inline(249..) if !wide => {}
            Operand::Literal(_) | Operand::Inline(_) => {
                return fail(&places[i], "expected a scalar register");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the most address registers that an image instruction can read: those of a cube or an array of three coordinates, their
/// gradients, and one for each addition in its name (Vega ISA, 8.2.4 "Image address").
pub(super) fn most_addresses(inst: &Inst) -> u8 {
    let name = inst.row().name(inst.chip);
    let words = name.unwrap_or_default().split('_').skip(2);
    let more = words.fold(3, |most, word| match word {
        "d" | "cd" => most + 6,
        "b" | "c" | "o" | "cl" | "l" => most + 1,
        _ => most,
    });
    more.max(4)
}

/// Checks that integers are not clamped before gfx8.
fn integer_clamp(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let mut specs = inst.row().operands.iter();
    let old = inst.chip.generation() < Generation::Gfx8;
    let is_float = |s: &OperandSpec| s.field == Field::Vdst && s.ty.is_float();
    if old && inst.has(Flags::CLAMP) && !specs.any(is_float) {
        return fail(&places[0], "integers are clamped from gfx8 on");
    }
    Ok(())
}

/// Checks that a vector instruction reads at most one scalar value: a register, a special source or a literal (Vega ISA, 6.2
/// "Instruction inputs"). M0 as the number of a lane does not count.
fn scalar_values(inst: &Inst, places: Places<'_>) -> Result<(), Failure> {
    let row = inst.row();
    // Registers read beside the operands: by v_div_fmas, by v_movreld.
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
            Operand::Sgpr(M0) if spec.kind == Kind::Scalar => spec.field != Field::Src1,
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
