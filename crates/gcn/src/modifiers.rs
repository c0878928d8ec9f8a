//! The modifier fields of the vector encodings, with reading and writing side by side.
//!
//! A modifier that the instruction does not take (neg of an integer source,
//! clamp of a move) is ignored by the hardware: it reads as neutral.

use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, Flags, Inst, Mods, SdwaSel};
use crate::layout::{Bits, DFMT, DMASK, EXP_EN, NFMT, NOWHERE};
use crate::shapes::ElementType;
use crate::tables::{Features, Field, Op, Row, Ty};

// Fields of VOP3A and VOP3B.
const ABS: Bits = Bits(8, 3);
const OP_SEL: Bits = Bits(11, 4);
const CLAMP_OLD: Bits = Bits(11, 1);
const CLAMP: Bits = Bits(15, 1);
const OMOD: Bits = Bits(59, 2);
const NEG: Bits = Bits(61, 3);
/// The half of the attribute that half-precision interpolation reads.
const HIGH: Bits = Bits(40, 1);
/// The parts of a truth table, the highest bits first.
const BITOP3: [Bits; 3] = [OMOD, ABS, NEG];
// Fields of lane swaps.
const FI: Bits = Bits(11, 1);
const BOUND: Bits = Bits(12, 1);
// Fields of VOP3P. NEG_HI is in the place of VOP3A's ABS.
const OP_SEL_P: Bits = Bits(11, 3);
const OP_SEL_HI_2: Bits = Bits(14, 1);
const OP_SEL_HI: Bits = Bits(59, 2);
// Fields of VOP3P-MAI. BLGP is in the place of NEG.
const CBSZ: Bits = Bits(8, 3);
const ABID: Bits = Bits(11, 4);
// Fields of SDWA.
const DST_SEL: Bits = Bits(40, 3);
const DST_UNUSED: Bits = Bits(43, 2);
const SDWA_CLAMP: Bits = Bits(45, 1);
const SDWA_OMOD: Bits = Bits(46, 2);
const SDWA_SRC: [SdwaSource; 2] = [SdwaSource::at(48), SdwaSource::at(56)];
// Fields of DPP.
const DPP_CTRL: Bits = Bits(40, 9);
const BOUND_CTRL: Bits = Bits(51, 1);
const DPP_NEG: [Bits; 2] = [Bits(52, 1), Bits(54, 1)];
const DPP_ABS: [Bits; 2] = [Bits(53, 1), Bits(55, 1)];
const BANK_MASK: Bits = Bits(56, 4);
const ROW_MASK: Bits = Bits(60, 4);
// Fields of DS.
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

/// Returns the sources that take neg and abs: bit n is source n of `row`.
fn negatable(row: &Row) -> u8 {
    row.operands
        .iter()
        .filter(|s| row.takes_neg(s))
        .fold(0, |mask, s| mask | source_bit(s.field))
}

/// Returns the sources that are pairs of numbers, whose sign SDWA does not change.
fn packed(row: &Row) -> u8 {
    let pairs = row.operands.iter().filter(|s| s.ty == Ty::V2F16);
    pairs.fold(0, |mask, s| mask | source_bit(s.field))
}

/// Returns the sources of `row`: bit n is source n.
fn sources(row: &Row) -> u8 {
    row.operands
        .iter()
        .fold(0, |mask, s| mask | source_bit(s.field))
}

/// Returns the bit of a source in neg, abs, op_sel and sext.
pub(crate) const fn source_bit(field: Field) -> u8 {
    match field {
        Field::Src0 => 1,
        Field::Src1 => 2,
        Field::Src2 => 4,
        _ => 0,
    }
}

/// Whether `row` is VOP3B, which writes a VGPR and a mask.
pub(crate) fn is_vop3b(row: &Row) -> bool {
    let has = |field| row.operands.iter().any(|s| s.field == field);
    has(Field::Vdst) && has(Field::Sdst)
}

/// The modifiers that an instruction takes in a form, prepared for decoding.
pub(crate) struct Taken {
    /// The bits of these modifiers; the hardware ignores the others.
    bits: u64,
    /// Bit n: source n exists.
    pub sources: u8,
    /// The place of CLAMP and OP_SEL in VOP3.
    clamp: Bits,
    op_sel: Bits,
    /// SDWA: whether a part of the destination is selected.
    selects_dst: bool,
    /// SDWA: whether the destination is written as a whole.
    whole_dst: bool,
    /// VOP3: whether bits have a meaning of their own.
    special: bool,
    /// VOP3P-MAI: whether NEG stands in the place of BLGP.
    negates_matrices: bool,
    /// DS: whether there are two offsets of 8 bits.
    two_offsets: bool,
}

impl Taken {
    pub(crate) fn new(op: Op, form: Form, chip: Chip) -> Taken {
        let (row, generation) = (op.row(), chip.generation());
        Taken {
            bits: match form {
                Form::Vop3 => vop3_bits(row, chip),
                Form::Vop3p => vop3p_bits(row),
                Form::Mai => mai_bits(row),
                Form::Sdwa => sdwa_bits(op, generation),
                Form::Dpp => dpp_bits(row),
                _ => u64::MAX,
            },
            sources: sources(row),
            clamp: clamp_bit(generation),
            op_sel: op_sel_bits(row, chip),
            selects_dst: selects_dst(op, generation),
            negates_matrices: negates_matrices(row, chip),
            whole_dst: row.has(Features::WHOLE_DST),
            special: row.has(Features::BITOP3 | Features::FETCHES_INACTIVE),
            two_offsets: form == Form::Ds && row.has(Features::TWO_OFFSETS),
        }
    }

    /// Reads the modifiers in `word`, except for the flags and offset of the layout.
    #[inline]
    pub(crate) fn read(&self, word: u64, form: Form, mods: &mut Mods) {
        let word = word & self.bits;
        match form {
            Form::Vop3 => self.read_vop3(word, mods),
            Form::Vop3p => read_vop3p(word, mods),
            Form::Mai => self.read_mai(word, mods),
            Form::Sdwa => self.read_sdwa(word, mods),
            Form::Dpp => read_dpp(word, mods),
            Form::Ds if self.two_offsets => {
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

    fn read_vop3(&self, word: u64, mods: &mut Mods) {
        if self.special {
            return self.read_special(word, mods);
        }
        mods.neg = NEG.get(word) as u8;
        mods.abs = ABS.get(word) as u8;
        mods.omod = OMOD.get(word) as u8;
        mods.op_sel = self.op_sel.get(word) as u8;
        mods.flags.set(Flags::CLAMP, self.clamp.get(word) != 0);
        mods.flags.set(Flags::HIGH, HIGH.get(word) != 0);
    }

    /// Reads the truth table of v_bitop3, or the bits that lane swaps have in the place of op_sel.
    #[cold]
    fn read_special(&self, word: u64, mods: &mut Mods) {
        let [high, middle, low] = BITOP3.map(|part| part.get(word) as u8);
        mods.bitop3 = high << 6 | middle << 3 | low;
        mods.op_sel = self.op_sel.get(word) as u8;
        if self.op_sel == NOWHERE {
            mods.flags.set(Flags::FI, FI.get(word) != 0);
            mods.flags.set(Flags::BOUND_CTRL, BOUND.get(word) != 0);
        }
    }

    fn read_mai(&self, word: u64, mods: &mut Mods) {
        mods.cbsz = CBSZ.get(word) as u8;
        mods.abid = ABID.get(word) as u8;
        let last = NEG.get(word) as u8;
        if self.negates_matrices {
            mods.neg = last;
        } else {
            mods.blgp = last;
        }
    }

    fn read_sdwa(&self, word: u64, mods: &mut Mods) {
        for (n, source) in SDWA_SRC.iter().enumerate() {
            if self.sources >> n & 1 != 0 {
                mods.src_sel[n] = SdwaSel::from_bits(source.sel.get(word) as u8);
            }
            mods.neg |= (source.neg.get(word) as u8) << n;
            mods.abs |= (source.abs.get(word) as u8) << n;
            mods.sext |= (source.sext.get(word) as u8) << n;
        }
        mods.flags.set(Flags::CLAMP, SDWA_CLAMP.get(word) != 0);
        if self.selects_dst {
            if !self.whole_dst {
                mods.dst_sel = SdwaSel::from_bits(DST_SEL.get(word) as u8);
                mods.dst_unused = DstUnused::from_bits(DST_UNUSED.get(word) as u8);
            }
            mods.omod = SDWA_OMOD.get(word) as u8;
        }
    }
}

/// Returns the modifiers that an instruction takes in a form, with their names, except for the flags and offset of the layout.
pub(crate) fn placed_modifiers(op: Op, form: Form, chip: Chip) -> Vec<(&'static str, Bits)> {
    let taken = Taken::new(op, form, chip);
    let [s0, s1] = SDWA_SRC;
    let all = match form {
        Form::Vop3 => vec![
            ("abs", ABS),
            ("op_sel", taken.op_sel),
            ("clamp", taken.clamp),
            ("high", HIGH),
            ("omod", OMOD),
            ("neg", NEG),
        ]
        .into_iter()
        .filter(|_| !taken.special)
        .chain(placed_specials(op.row(), taken.op_sel))
        .collect(),
        Form::Vop3p => vec![
            ("neg_hi", ABS),
            ("op_sel", OP_SEL_P),
            ("op_sel_hi2", OP_SEL_HI_2),
            ("clamp", CLAMP),
            ("op_sel_hi", OP_SEL_HI),
            ("neg", NEG),
        ],
        Form::Mai => vec![
            ("cbsz", CBSZ),
            ("abid", ABID),
            (
                if taken.negates_matrices {
                    "neg"
                } else {
                    "blgp"
                },
                NEG,
            ),
        ],
        Form::Sdwa => vec![
            ("dst_sel", DST_SEL),
            ("dst_unused", DST_UNUSED),
            ("clamp", SDWA_CLAMP),
            ("omod", SDWA_OMOD),
            ("src0_sel", s0.sel),
            ("sext0", s0.sext),
            ("neg0", s0.neg),
            ("abs0", s0.abs),
            ("src1_sel", s1.sel),
            ("sext1", s1.sext),
            ("neg1", s1.neg),
            ("abs1", s1.abs),
        ],
        Form::Dpp => vec![
            ("dpp_ctrl", DPP_CTRL),
            ("bound_ctrl", BOUND_CTRL),
            ("neg0", DPP_NEG[0]),
            ("abs0", DPP_ABS[0]),
            ("neg1", DPP_NEG[1]),
            ("abs1", DPP_ABS[1]),
            ("bank_mask", BANK_MASK),
            ("row_mask", ROW_MASK),
        ],
        Form::Ds if taken.two_offsets => vec![("offset0", OFFSET0), ("offset1", OFFSET1)],
        Form::Mtbuf => vec![("dfmt", DFMT), ("nfmt", NFMT)],
        Form::Mimg => vec![("dmask", DMASK)],
        Form::Exp => vec![("en", EXP_EN)],
        _ => Vec::new(),
    };
    let ignored = |bits: &Bits| bits.put(bits.max()) & taken.bits == 0;
    all.into_iter().filter(|(_, bits)| !ignored(bits)).collect()
}

/// Returns the modifiers of the VOP3 form of `row` that only few instructions have.
fn placed_specials(row: &Row, op_sel: Bits) -> Vec<(&'static str, Bits)> {
    let [high, middle, low] = BITOP3;
    if row.has(Features::BITOP3) {
        vec![
            ("bitop3_hi", high),
            ("bitop3_mid", middle),
            ("bitop3_lo", low),
            ("op_sel", op_sel),
        ]
    } else if row.has(Features::FETCHES_INACTIVE) {
        vec![("fi", FI), ("bound_ctrl", BOUND)]
    } else {
        Vec::new()
    }
}

/// Reads the modifiers of the scales of a matrix instruction, which are in the first word.
pub(crate) fn read_scales(word: u64, mods: &mut Mods) {
    mods.op_sel = OP_SEL_P.get(word) as u8;
    mods.op_sel_hi = (OP_SEL_HI.get(word) | OP_SEL_HI_2.get(word) << 2) as u8;
}

/// Returns the modifiers of the scales of a matrix instruction, as the bits of the first word.
pub(crate) fn write_scales(mods: &Mods) -> u64 {
    OP_SEL_P.put(mods.op_sel.into())
        | OP_SEL_HI.put(mods.op_sel_hi.into())
        | OP_SEL_HI_2.put(u64::from(mods.op_sel_hi) >> 2)
}

/// Returns the bits that [`read`] reads, in place.
pub(crate) fn write(inst: &Inst) -> u64 {
    let mods = &inst.mods;
    match inst.form {
        Form::Vop3 => write_vop3(inst),
        Form::Vop3p => write_vop3p(mods, sources(inst.row())),
        Form::Mai => write_mai(inst),
        Form::Sdwa => write_sdwa(inst),
        Form::Dpp => write_dpp(mods),
        Form::Ds if inst.row().has(Features::TWO_OFFSETS) => OFFSET1.put(mods.offset1.into()),
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

/// Returns the place of OP_SEL in the VOP3 form of `row`, if it takes op_sel.
fn op_sel_bits(row: &Row, chip: Chip) -> Bits {
    if takes_op_sel(row, chip) {
        OP_SEL
    } else {
        NOWHERE
    }
}

/// Whether the VOP3 form of `row` takes op_sel.
pub(crate) fn takes_op_sel(row: &Row, chip: Chip) -> bool {
    let always = row.has(Features::OP_SEL) && chip.generation() == Generation::Gfx9;
    always || row.has(Features::OP_SEL_950) && chip == Chip::Gfx950
}

/// Returns the bits of OP_SEL that mean something to `row`: those of the sources, and of the destination.
fn op_sel_mask(row: &Row) -> u64 {
    if row.has(Features::OP_SEL_BYTE) {
        OP_SEL.max()
    } else {
        (sources(row) | 8).into()
    }
}

fn vop3_bits(row: &Row, chip: Chip) -> u64 {
    if row.has(Features::BITOP3) {
        let table = BITOP3
            .iter()
            .fold(0, |bits, part| bits | part.put(part.max()));
        return table | op_sel_bits(row, chip).put(OP_SEL.max());
    }
    let generation = chip.generation();
    let vop3b = is_vop3b(row);
    let negatable = negatable(row).into();
    let if_has = |feature, bits: u64| if row.has(feature) { bits } else { 0 };
    let mut taken = NEG.put(negatable) | op_sel_bits(row, chip).put(op_sel_mask(row));
    if !vop3b {
        taken |= ABS.put(negatable);
    }
    taken |= if_has(Features::OMOD, OMOD.put(OMOD.max()));
    taken |= if_has(Features::HALF_ATTR, HIGH.put(1));
    taken |= if_has(Features::FETCHES_INACTIVE, FI.put(1) | BOUND.put(1));
    // Bit 11 belongs to SDST in VOP3B of gfx6 and gfx7, which cannot clamp.
    if row.has(Features::OP_SEL_950) && chip == Chip::Gfx950 {
        taken |= CLAMP.put(1);
    }
    if !(vop3b && generation < Generation::Gfx8) {
        taken |= if_has(Features::CLAMP, clamp_bit(generation).put(1));
    }
    taken
}

fn write_vop3(inst: &Inst) -> u64 {
    let mods = &inst.mods;
    if inst.row().has(Features::BITOP3) {
        let table = mods.bitop3;
        let [high, middle, low] = BITOP3;
        let table =
            high.put((table >> 6).into()) | middle.put((table >> 3).into()) | low.put(table.into());
        return table | OP_SEL.put(mods.op_sel.into());
    }
    let mut word = NEG.put(mods.neg.into()) | OMOD.put(mods.omod.into());
    word |= FI.put(inst.has(Flags::FI).into()) | BOUND.put(inst.has(Flags::BOUND_CTRL).into());
    word |= HIGH.put(inst.has(Flags::HIGH).into());
    if !is_vop3b(inst.row()) {
        word |= ABS.put(mods.abs.into()) | OP_SEL.put(mods.op_sel.into());
    }
    word | clamp_bit(inst.chip.generation()).put(inst.has(Flags::CLAMP).into())
}

fn vop3p_bits(row: &Row) -> u64 {
    let sources = sources(row).into();
    if row.has(Features::SELECTS_ONLY) {
        return OP_SEL_P.put(sources) | OP_SEL_HI.put(sources);
    }
    NEG.put(sources)
        | ABS.put(sources)
        | OP_SEL_P.put(sources)
        | OP_SEL_HI.put(sources)
        | OP_SEL_HI_2.put(sources >> 2)
        | CLAMP.put(1)
}

fn read_vop3p(word: u64, mods: &mut Mods) {
    mods.neg = NEG.get(word) as u8;
    mods.abs = ABS.get(word) as u8;
    mods.op_sel = OP_SEL_P.get(word) as u8;
    mods.op_sel_hi = (OP_SEL_HI.get(word) | OP_SEL_HI_2.get(word) << 2) as u8;
    mods.flags.set(Flags::CLAMP, CLAMP.get(word) != 0);
}

fn write_vop3p(mods: &Mods, sources: u8) -> u64 {
    // Assemblers set OP_SEL_HI of a missing third source.
    let op_sel_hi = mods.op_sel_hi | !sources & 4;
    NEG.put(mods.neg.into())
        | ABS.put(mods.abs.into())
        | OP_SEL_P.put(mods.op_sel.into())
        | OP_SEL_HI.put(op_sel_hi.into())
        | OP_SEL_HI_2.put(u64::from(op_sel_hi) >> 2)
        | CLAMP.put(mods.flags.contains(Flags::CLAMP).into())
}

/// Whether an instruction on matrices of doubles negates them, from gfx942 on.
pub(crate) fn negates_matrices(row: &Row, chip: Chip) -> bool {
    let doubles = row.shape.is_some_and(|shape| shape.d == ElementType::F64);
    doubles && chip >= Chip::Gfx942
}

fn mai_bits(row: &Row) -> u64 {
    match row.shape {
        Some(_) => CBSZ.put(CBSZ.max()) | ABID.put(ABID.max()) | NEG.put(NEG.max()),
        // Moves.
        None => 0,
    }
}

fn write_mai(inst: &Inst) -> u64 {
    let (row, mods) = (inst.row(), &inst.mods);
    if row.shape.is_none() {
        // Assemblers set OP_SEL_HI.
        return OP_SEL_HI.put(OP_SEL_HI.max()) | OP_SEL_HI_2.put(1);
    }
    let last = if negates_matrices(row, inst.chip) {
        mods.neg
    } else {
        mods.blgp
    };
    CBSZ.put(mods.cbsz.into()) | ABID.put(mods.abid.into()) | NEG.put(last.into())
}

/// Whether the SDWA form of `op` is SDWA-B of gfx9, which has SDST in the place of DST_SEL, OMOD and CLAMP.
fn is_sdwa_b(op: Op, generation: Generation) -> bool {
    matches!(op, Op::Vopc(_)) && generation == Generation::Gfx9
}

/// Whether the SDWA form of `op` selects a part of its destination.
fn selects_dst(op: Op, generation: Generation) -> bool {
    sources(op.row()) != 0 && !is_sdwa_b(op, generation)
}

fn sdwa_bits(op: Op, generation: Generation) -> u64 {
    let row = op.row();
    let all = |bits: Bits| bits.put(bits.max());
    let mut taken = 0;
    for (n, source) in SDWA_SRC.iter().enumerate() {
        if sources(row) >> n & 1 == 0 {
            continue;
        }
        taken |= all(source.sel);
        // Integers take sext; floats take neg and abs.
        taken |= match negatable(row) >> n & 1 {
            _ if packed(row) >> n & 1 != 0 => 0,
            0 => all(source.sext),
            _ => all(source.neg) | all(source.abs),
        };
    }
    if is_sdwa_b(op, generation) {
        return taken;
    }
    if sources(row) != 0 {
        taken |= all(SDWA_CLAMP);
    }
    if row.has(Features::OMOD) && generation == Generation::Gfx9 {
        taken |= all(SDWA_OMOD);
    }
    if row.has(Features::WHOLE_DST) {
        return taken;
    }
    taken | all(DST_SEL) | all(DST_UNUSED)
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
    if !selects_dst(inst.op, inst.chip.generation()) {
        return word;
    }
    word | DST_SEL.put(mods.dst_sel as u64)
        | DST_UNUSED.put(mods.dst_unused as u64)
        | SDWA_CLAMP.put(inst.has(Flags::CLAMP).into())
        | SDWA_OMOD.put(mods.omod.into())
}

fn dpp_bits(row: &Row) -> u64 {
    let negatable = negatable(row);
    let mut taken = DPP_CTRL.put(DPP_CTRL.max()) | BOUND_CTRL.put(1);
    taken |= BANK_MASK.put(BANK_MASK.max()) | ROW_MASK.put(ROW_MASK.max());
    for n in 0..2 {
        let bit = (negatable >> n & 1).into();
        taken |= DPP_NEG[n].put(bit) | DPP_ABS[n].put(bit);
    }
    taken
}

fn read_dpp(word: u64, mods: &mut Mods) {
    for n in 0..2 {
        mods.neg |= (DPP_NEG[n].get(word) as u8) << n;
        mods.abs |= (DPP_ABS[n].get(word) as u8) << n;
    }
    mods.dpp_ctrl = DPP_CTRL.get(word) as u16;
    mods.bank_mask = BANK_MASK.get(word) as u8;
    mods.row_mask = ROW_MASK.get(word) as u8;
    mods.flags.set(Flags::BOUND_CTRL, BOUND_CTRL.get(word) != 0);
}

fn write_dpp(mods: &Mods) -> u64 {
    let mut word = DPP_CTRL.put(mods.dpp_ctrl.into())
        | BANK_MASK.put(mods.bank_mask.into())
        | ROW_MASK.put(mods.row_mask.into())
        | BOUND_CTRL.put(mods.flags.contains(Flags::BOUND_CTRL).into());
    for n in 0..2 {
        let bit = |mask: u8| u64::from(mask >> n & 1);
        word |= DPP_NEG[n].put(bit(mods.neg)) | DPP_ABS[n].put(bit(mods.abs));
    }
    word
}

/// Whether `op` is a mixed-precision instruction. There, op_sel_hi marks a source of half precision, so the default is none;
/// neg_hi is an absolute value.
pub(crate) fn is_mix(op: Op) -> bool {
    use crate::tables::Vop3p::*;
    matches!(
        op,
        Op::Vop3p(
            V_MAD_MIX_F32
                | V_MAD_MIXLO_F16
                | V_MAD_MIXHI_F16
                | V_FMA_MIX_F32
                | V_FMA_MIXLO_F16
                | V_FMA_MIXHI_F16
        )
    )
}
