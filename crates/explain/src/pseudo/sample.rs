//! Sample instructions that show the meaning of a row: each operand is in registers of its own.

use wavetank_gcn::tables::{Access, Features, Kind, OperandSpec};
use wavetank_gcn::{
    Chip, Field, Flags, Form, Generation, Inst, MAX_OPERANDS, Mods, Op, Operand, Spelling, Ty,
};

use super::block::NEXT;
use super::names::{File, Names};
use crate::cache_bits::returning_bit;

/// The distance of registers from one operand to the next, at least as many as any spans.
const STRIDE: usize = 16;
/// The code of VCC among the scalar registers (Vega ISA, 4.1).
const VCC: u8 = 106;
/// The sample's SIMM16, a number that shows whether its sign is extended.
const SIMM16: i32 = 0x9234;
/// The sample's distance of a branch.
const DISTANCE: i32 = 0x1234;
/// The sample's literal K, whose halves differ.
const K: u32 = 0x1357_2468;
/// The sample's two offsets of a DS instruction, and the one of other instructions.
const OFFSETS: [u8; 2] = [0x11, 0x2b];
const OFFSET: i32 = 0x310;
/// The sample's address, which is far from any other number.
pub(super) const PC: u64 = 0x5a5a_0000_0000;

/// Returns the names of a row's operands, in its order: `D`, `S0`, `ADDR` and so on.
pub fn operand_names(op: Op) -> Vec<&'static str> {
    let operands = op.row().operands;
    operands.iter().map(|spec| name(op, spec.field)).collect()
}

fn name(op: Op, field: Field) -> &'static str {
    let has = |field| op.row().operands.iter().any(|spec| spec.field == field);
    match field {
        Field::Vdst => "D",
        Field::Sdst if has(Field::Vdst) => "VCC",
        Field::Sdst => "D",
        Field::Src0 => "S0",
        Field::Src1 => "S1",
        Field::Src2 => "S2",
        Field::CarryIn => "VCC",
        Field::Literal => "K",
        Field::Simm16 => "SIMM16",
        Field::Sbase => "BASE",
        Field::Sdata | Field::Vdata => "DATA",
        Field::Soffset => "SOFFSET",
        Field::Vaddr => "ADDR",
        Field::Data0 if !has(Field::Data1) => "DATA",
        Field::Data0 => "DATA0",
        Field::Data1 => "DATA1",
        Field::Saddr => "SADDR",
        Field::Srsrc => "RSRC",
        Field::Ssamp => "SAMP",
        Field::Attr => "ATTR",
        Field::Param => "PARAM",
        Field::Target => "TARGET",
        Field::Exp0 => "E0",
        Field::Exp1 => "E1",
        Field::Exp2 => "E2",
        Field::Exp3 => "E3",
    }
}

/// The place of the scalar base of a GLOBAL or SCRATCH instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// There is none: SADDR is `off`.
    Off,
    /// It is in SADDR.
    Scalar,
}

/// Returns the sample of a row on a chip, with the names of its registers and numbers.
pub(super) fn sample(op: Op, chip: Chip) -> (Inst, Names) {
    segment_sample(op, op.home(), Base::Off, chip)
}

/// Returns the sample of a row in a form: its own, or GLOBAL or SCRATCH with or without a scalar base.
pub(super) fn segment_sample(op: Op, form: Form, base: Base, chip: Chip) -> (Inst, Names) {
    let mut names = Names::default();
    names.returns = returning_bit(chip);
    let mut operands = [Operand::None; MAX_OPERANDS];
    let vector = is_vector(op);
    for (i, (slot, spec)) in operands.iter_mut().zip(op.row().operands).enumerate() {
        *slot = match spec.field {
            Field::Saddr if base == Base::Scalar => Operand::Sgpr((STRIDE * (i + 1)) as u8),
            // The address of SCRATCH is in one of the two; from gfx942 on it is the sum of those that are there.
            Field::Vaddr
                if form == Form::Scratch && base == Base::Scalar && chip < Chip::Gfx942 =>
            {
                Operand::Off
            }
            _ => operand(i, spec, vector),
        };
        let name = name(op, spec.field);
        match *slot {
            Operand::Vgpr(n) => names.add(File::Vector, n, width(op, form, base, spec), name),
            Operand::Sgpr(VCC) => {}
            Operand::Sgpr(n) => names.add(File::Scalar, n, width(op, form, base, spec), name),
            _ => {}
        }
    }
    let inst = Inst {
        op,
        chip,
        form,
        len: 4,
        operands,
        mods: mods(op, chip),
        spelling: Spelling::default(),
    };
    name_numbers(&mut names, &inst);
    (inst, names)
}

/// Returns a second sample for DS instructions between two places, which read their offset in another way if bit 15 is set.
pub(super) fn other(op: Op, chip: Chip) -> Option<(Inst, Names)> {
    if !is_between(op) {
        return None;
    }
    let (mut inst, names) = sample(op, chip);
    inst.mods.offset |= 0x8000;
    Some((inst, names))
}

/// Returns the lines for both readings of the offset.
pub(super) fn either(distance_in_offset: &[String], in_address: &[String]) -> Vec<String> {
    cases("if OFFSET[15] == 0:", distance_in_offset, in_address)
}

/// Returns the lines for an address in a vector register, and for one with a scalar base.
pub(super) fn without_and_with_base(without: &[String], with: &[String]) -> Vec<String> {
    cases("if SADDR is off:", without, with)
}

/// Returns lines for a condition, and for all else.
fn cases(condition: &str, then: &[String], other: &[String]) -> Vec<String> {
    let indented = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| format!("  {line}")).collect()
    };
    [
        vec![condition.to_owned()],
        indented(then),
        vec!["else:".to_owned()],
        indented(other),
    ]
    .concat()
}

/// Whether both operands are in LDS.
fn is_between(op: Op) -> bool {
    let mut names = op.row().mnemonics.iter().flatten();
    op.home() == Form::Ds && names.any(|name| name.contains("_src2_"))
}

/// Whether sources can be vector registers.
fn is_vector(op: Op) -> bool {
    use Form::*;
    !matches!(op.home(), Sop1 | Sop2 | Sopk | Sopc | Sopp | Smem)
}

fn operand(i: usize, spec: &OperandSpec, vector: bool) -> Operand {
    let vgpr = Operand::Vgpr((STRIDE * (i + 2)) as u8);
    let sgpr = Operand::Sgpr((STRIDE * (i + 1)) as u8);
    match spec.kind {
        _ if spec.field == Field::Saddr => Operand::Off,
        _ if vector && spec.ty == Ty::Mask && i > 0 => Operand::Sgpr(VCC),
        Kind::Vgpr | Kind::Agpr | Kind::Vector | Kind::Accumulator => vgpr,
        Kind::Source if vector => vgpr,
        Kind::Source | Kind::Sgpr | Kind::Scalar => sgpr,
        Kind::Literal => Operand::Literal(K),
        Kind::Simm16 => Operand::Imm(SIMM16),
        Kind::Target => Operand::Imm(DISTANCE),
        _ => Operand::Imm(0),
    }
}

/// Returns the number of registers of an operand in the sample.
fn width(op: Op, form: Form, base: Base, spec: &OperandSpec) -> u8 {
    match (form, spec.field) {
        // Beside a scalar base, the vector register is an offset.
        (Form::Global, Field::Vaddr) if base == Base::Scalar => 1,
        (Form::Scratch, Field::Vaddr | Field::Saddr) => 1,
        (Form::Mubuf | Form::Mtbuf, Field::Vaddr) => 2,
        (Form::Mimg, Field::Vdata) => mask(op).count_ones() as u8,
        _ => spec.ty.dwords(),
    }
}

/// Returns the component mask of an image instruction's sample.
fn mask(op: Op) -> u8 {
    let atomic = op.row().operands[0].access == Access::ReadWriteIfGlc;
    let wide = op.row().operands[0].ty.dwords() == 2;
    match () {
        () if op.row().has(Features::GATHER) => 1,
        () if atomic && wide => 3,
        () if atomic => 1,
        () => 0xf,
    }
}

/// Returns the modifiers of the sample: all parts of an address, and the returned value of an atomic.
fn mods(op: Op, chip: Chip) -> Mods {
    let mut mods = Mods::default();
    let accesses = op.row().operands.iter().map(|spec| spec.access);
    let mut accesses =
        accesses.filter(|a| matches!(a, Access::WriteIfGlc | Access::ReadWriteIfGlc));
    mods.flags.set(Flags::GLC, accesses.next().is_some());
    let addressed = op.row().operands.iter().any(|s| s.field == Field::Vaddr);
    mods.flags.set(Flags::GDS, op.row().has(Features::GDS_ONLY));
    mods.flags.set(Flags::LDS, op.row().has(Features::LDS_ONLY));
    match op.home() {
        Form::Ds if op.row().has(Features::TWO_OFFSETS) => {
            mods.offset = i32::from(OFFSETS[0]);
            mods.offset1 = OFFSETS[1];
        }
        Form::Ds => mods.offset = OFFSET,
        Form::Mubuf | Form::Mtbuf => {
            mods.offset = OFFSET;
            mods.flags.set(Flags::OFFEN | Flags::IDXEN, addressed);
        }
        Form::Flat if chip.generation() == Generation::Gfx9 => mods.offset = OFFSET,
        Form::Mimg => mods.dmask = mask(op),
        Form::Exp => mods.dmask = 0xf,
        Form::Vop3p => mods.op_sel_hi = 0b111,
        _ => {}
    }
    // Mixed precision takes halves if op_sel_hi is set: it is 0 in the sample.
    if is_mixed(op) {
        mods.op_sel_hi = 0;
    }
    mods
}

/// Whether the sources of an operation can have single or half precision.
fn is_mixed(op: Op) -> bool {
    let mut names = op.row().mnemonics.iter().flatten();
    names.any(|name| name.contains("_mix"))
}

/// Returns the lines of a row for all modifiers: in the sample, sources of mixed precision are single.
pub(super) fn of_all_modifiers(op: Op, lines: Vec<String>) -> Vec<String> {
    if !is_mixed(op) {
        return lines;
    }
    let mixed = |line: String| {
        (0..3).fold(line, |line, n| {
            line.replace(&format!("S{n}.f32"), &format!("mixed(S{n})"))
        })
    };
    lines.into_iter().map(mixed).collect()
}

/// Names the numbers of the sample.
fn name_numbers(names: &mut Names, inst: &Inst) {
    let next = PC + u64::from(inst.len);
    names.call(next, NEXT);
    names.call(next.wrapping_add_signed(4 * i64::from(DISTANCE)), "TARGET");
    names.call(u64::from(K), "K");
    names.call(u64::from(K & 0xffff), "K");
    let signed = i64::from(SIMM16 as i16);
    names.call(SIMM16 as u64, "SIMM16.u16");
    names.call(u64::from(signed as u32), "SIMM16.i16");
    names.call(signed as u64, "SIMM16.i16");
    names.call(OFFSET as u64, "OFFSET");
    let scaled = if is_between(inst.op) {
        "4 * sext(OFFSET[14:0])"
    } else {
        "4 * OFFSET"
    };
    names.call(4 * OFFSET as u64, scaled);
    if !inst.row().has(Features::TWO_OFFSETS) {
        return;
    }
    for (number, text) in OFFSETS.iter().zip([
        [
            "OFFSET0",
            "4 * OFFSET0",
            "8 * OFFSET0",
            "256 * OFFSET0",
            "512 * OFFSET0",
        ],
        [
            "OFFSET1",
            "4 * OFFSET1",
            "8 * OFFSET1",
            "256 * OFFSET1",
            "512 * OFFSET1",
        ],
    ]) {
        for (scale, text) in [1, 4, 8, 256, 512].into_iter().zip(text) {
            names.call(scale * u64::from(*number), text);
        }
    }
}
