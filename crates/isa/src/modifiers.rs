//! The modifier fields of the vector encodings: read and written side by side.
//!
//! A modifier that the instruction does not take (neg of an integer source,
//! clamp of a move) is ignored by the hardware: it reads as neutral.

use crate::generation::Generation;
use crate::inst::{DstUnused, Form, Inst, Mods, SdwaSel, flag};
use crate::layout::{Bits, DFMT, DMASK, EXP_EN, NFMT};
use crate::tables::{Field, Op, Row, feature};

// VOP3A, VOP3B
const ABS: Bits = Bits(8, 3);
const OP_SEL: Bits = Bits(11, 4);
const CLAMP_OLD: Bits = Bits(11, 1);
const CLAMP: Bits = Bits(15, 1);
const OMOD: Bits = Bits(59, 2);
const NEG: Bits = Bits(61, 3);
/// The half of the attribute that half-precision interpolation reads.
const HIGH: Bits = Bits(40, 1);
// VOP3P: NEG_HI stands where VOP3A has ABS
const OP_SEL_P: Bits = Bits(11, 3);
const OP_SEL_HI_2: Bits = Bits(14, 1);
const OP_SEL_HI: Bits = Bits(59, 2);
// SDWA
const DST_SEL: Bits = Bits(40, 3);
const DST_UNUSED: Bits = Bits(43, 2);
const SDWA_CLAMP: Bits = Bits(45, 1);
const SDWA_OMOD: Bits = Bits(46, 2);
const SDWA_SRC: [SdwaSource; 2] = [SdwaSource::at(48), SdwaSource::at(56)];
// DPP
const DPP_CTRL: Bits = Bits(40, 9);
const BOUND_CTRL: Bits = Bits(51, 1);
const DPP_NEG: [Bits; 2] = [Bits(52, 1), Bits(54, 1)];
const DPP_ABS: [Bits; 2] = [Bits(53, 1), Bits(55, 1)];
const BANK_MASK: Bits = Bits(56, 4);
const ROW_MASK: Bits = Bits(60, 4);
// DS
const OFFSET0: Bits = Bits(0, 8);
const OFFSET1: Bits = Bits(8, 8);

/// The modifiers of one SDWA source.
struct SdwaSource {
    sel: Bits,
    sext: Bits,
    neg: Bits,
    abs: Bits,
}

impl SdwaSource {
    const fn at(start: u8) -> SdwaSource {
        SdwaSource {
            sel: Bits(start, 3),
            sext: Bits(start + 3, 1),
            neg: Bits(start + 4, 1),
            abs: Bits(start + 5, 1),
        }
    }
}

/// Bit n: source n of `row` takes neg and abs.
fn negatable(row: &Row) -> u8 {
    row.operands
        .iter()
        .filter(|s| row.takes_neg(s))
        .fold(0, |mask, s| mask | source_bit(s.field))
}

/// Bit n: `row` has source n.
fn sources(row: &Row) -> u8 {
    row.operands
        .iter()
        .fold(0, |mask, s| mask | source_bit(s.field))
}

/// The bit of a source in neg, abs, op_sel and sext.
pub(crate) const fn source_bit(field: Field) -> u8 {
    match field {
        Field::Src0 => 1,
        Field::Src1 => 2,
        Field::Src2 => 4,
        _ => 0,
    }
}

/// Whether `row` is VOP3B: a VGPR and a mask are written.
pub(crate) fn is_vop3b(row: &Row) -> bool {
    let has = |field| row.operands.iter().any(|s| s.field == field);
    has(Field::Vdst) && has(Field::Sdst)
}

/// The modifiers that `word` holds beside flags and offset of the layout.
pub(crate) fn read(word: u64, form: Form, op: Op, generation: Generation, mods: &mut Mods) {
    let row = op.row();
    match form {
        Form::Vop3 => read_vop3(word, row, generation, mods),
        Form::Vop3p => read_vop3p(word, row, mods),
        Form::Sdwa => read_sdwa(word, op, generation, mods),
        Form::Dpp => read_dpp(word, row, mods),
        Form::Ds if row.has(feature::TWO_OFFSETS) => {
            mods.offset = OFFSET0.get(word) as i32;
            mods.offset1 = OFFSET1.get(word) as u8;
        }
        Form::Mtbuf => {
            mods.dfmt = DFMT.get(word) as u8;
            mods.nfmt = NFMT.get(word) as u8;
        }
        Form::Mimg => mods.dmask = DMASK.get(word) as u8,
        Form::Exp => mods.dmask = EXP_EN.get(word) as u8,
        _ => {}
    }
}

/// What [`read`] reads, in place.
pub(crate) fn write(inst: &Inst) -> u64 {
    let mods = &inst.mods;
    match inst.form {
        Form::Vop3 => write_vop3(inst),
        Form::Vop3p => write_vop3p(mods, sources(inst.row())),
        Form::Sdwa => write_sdwa(inst),
        Form::Dpp => write_dpp(mods),
        Form::Ds if inst.row().has(feature::TWO_OFFSETS) => OFFSET1.put(mods.offset1.into()),
        Form::Mtbuf => DFMT.put(mods.dfmt.into()) | NFMT.put(mods.nfmt.into()),
        Form::Mimg => DMASK.put(mods.dmask.into()),
        Form::Exp => EXP_EN.put(mods.dmask.into()),
        _ => 0,
    }
}

fn clamp_bit(generation: Generation) -> Bits {
    if generation < Generation::Gfx8 {
        CLAMP_OLD
    } else {
        CLAMP
    }
}

fn read_vop3(word: u64, row: &Row, generation: Generation, mods: &mut Mods) {
    let vop3b = is_vop3b(row);
    let negatable = negatable(row);
    mods.neg = NEG.get(word) as u8 & negatable;
    if !vop3b {
        mods.abs = ABS.get(word) as u8 & negatable;
    }
    if row.has(feature::OMOD) {
        mods.omod = OMOD.get(word) as u8;
    }
    if row.has(feature::OP_SEL) && generation == Generation::Gfx9 {
        mods.op_sel = OP_SEL.get(word) as u8 & (sources(row) | 8);
    }
    if row.has(feature::HALF_ATTR) && HIGH.get(word) != 0 {
        mods.flags |= flag::HIGH;
    }
    // Bit 11 is part of SDST in VOP3B of gfx6 and gfx7, which cannot clamp.
    let can_clamp = row.has(feature::CLAMP) && !(vop3b && generation < Generation::Gfx8);
    if can_clamp && clamp_bit(generation).get(word) != 0 {
        mods.flags |= flag::CLAMP;
    }
}

fn write_vop3(inst: &Inst) -> u64 {
    let mods = &inst.mods;
    let mut word = NEG.put(mods.neg.into()) | OMOD.put(mods.omod.into());
    word |= HIGH.put(inst.has(flag::HIGH).into());
    if !is_vop3b(inst.row()) {
        word |= ABS.put(mods.abs.into()) | OP_SEL.put(mods.op_sel.into());
    }
    word | clamp_bit(inst.chip.generation()).put(inst.has(flag::CLAMP).into())
}

fn read_vop3p(word: u64, row: &Row, mods: &mut Mods) {
    let sources = sources(row);
    mods.neg = NEG.get(word) as u8 & sources;
    mods.abs = ABS.get(word) as u8 & sources;
    mods.op_sel = OP_SEL_P.get(word) as u8 & sources;
    mods.op_sel_hi = (OP_SEL_HI.get(word) | OP_SEL_HI_2.get(word) << 2) as u8 & sources;
    if CLAMP.get(word) != 0 {
        mods.flags |= flag::CLAMP;
    }
}

fn write_vop3p(mods: &Mods, sources: u8) -> u64 {
    // Assemblers set OP_SEL_HI of a third source that is not there.
    let op_sel_hi = mods.op_sel_hi | !sources & 4;
    NEG.put(mods.neg.into())
        | ABS.put(mods.abs.into())
        | OP_SEL_P.put(mods.op_sel.into())
        | OP_SEL_HI.put(op_sel_hi.into())
        | OP_SEL_HI_2.put(u64::from(op_sel_hi) >> 2)
        | CLAMP.put((mods.flags & flag::CLAMP != 0).into())
}

/// Whether the SDWA form of `op` has SDST where others have DST_SEL, OMOD and
/// CLAMP: SDWA-B of gfx9.
fn is_sdwa_b(op: Op, generation: Generation) -> bool {
    matches!(op, Op::Vopc(_)) && generation == Generation::Gfx9
}

fn read_sdwa(word: u64, op: Op, generation: Generation, mods: &mut Mods) {
    let row = op.row();
    let (sources, negatable) = (sources(row), negatable(row));
    for (n, source) in SDWA_SRC.iter().enumerate() {
        let bit = 1 << n;
        if sources & bit == 0 {
            continue;
        }
        mods.src_sel[n] = SdwaSel::from_bits(source.sel.get(word) as u8);
        // Integers extend their sign, floats take neg and abs.
        if negatable & bit != 0 {
            mods.neg |= (source.neg.get(word) as u8) << n;
            mods.abs |= (source.abs.get(word) as u8) << n;
        } else {
            mods.sext |= (source.sext.get(word) as u8) << n;
        }
    }
    if is_sdwa_b(op, generation) {
        return;
    }
    if row.has(feature::CLAMP) && SDWA_CLAMP.get(word) != 0 {
        mods.flags |= flag::CLAMP;
    }
    if sources == 0 {
        return;
    }
    mods.dst_sel = SdwaSel::from_bits(DST_SEL.get(word) as u8);
    mods.dst_unused = DstUnused::from_bits(DST_UNUSED.get(word) as u8);
    if row.has(feature::OMOD) && generation == Generation::Gfx9 {
        mods.omod = SDWA_OMOD.get(word) as u8;
    }
}

fn write_sdwa(inst: &Inst) -> u64 {
    let mods = &inst.mods;
    let sources = sources(inst.row());
    let mut word = 0;
    for (n, source) in SDWA_SRC.iter().enumerate() {
        let bit = |mask: u8| u64::from(mask >> n & 1);
        if sources >> n & 1 != 0 {
            word |= source.sel.put(mods.src_sel[n] as u64);
        }
        word |= source.sext.put(bit(mods.sext));
        word |= source.neg.put(bit(mods.neg)) | source.abs.put(bit(mods.abs));
    }
    if is_sdwa_b(inst.op, inst.chip.generation()) || sources == 0 {
        return word;
    }
    word | DST_SEL.put(mods.dst_sel as u64)
        | DST_UNUSED.put(mods.dst_unused as u64)
        | SDWA_CLAMP.put(inst.has(flag::CLAMP).into())
        | SDWA_OMOD.put(mods.omod.into())
}

fn read_dpp(word: u64, row: &Row, mods: &mut Mods) {
    let negatable = negatable(row);
    for n in 0..2 {
        mods.neg |= (DPP_NEG[n].get(word) as u8) << n & negatable;
        mods.abs |= (DPP_ABS[n].get(word) as u8) << n & negatable;
    }
    mods.dpp_ctrl = DPP_CTRL.get(word) as u16;
    mods.bank_mask = BANK_MASK.get(word) as u8;
    mods.row_mask = ROW_MASK.get(word) as u8;
    if BOUND_CTRL.get(word) != 0 {
        mods.flags |= flag::BOUND_CTRL;
    }
}

fn write_dpp(mods: &Mods) -> u64 {
    let mut word = DPP_CTRL.put(mods.dpp_ctrl.into())
        | BANK_MASK.put(mods.bank_mask.into())
        | ROW_MASK.put(mods.row_mask.into())
        | BOUND_CTRL.put((mods.flags & flag::BOUND_CTRL != 0).into());
    for n in 0..2 {
        let bit = |mask: u8| u64::from(mask >> n & 1);
        word |= DPP_NEG[n].put(bit(mods.neg)) | DPP_ABS[n].put(bit(mods.abs));
    }
    word
}
