//! Decoding: bytes to [`Inst`].

use thiserror::Error;

use crate::codes::{LITERAL, RESERVED};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Flags, Inst, MAX_OPERANDS, Mods, Operand};
use crate::layout::{ACC, ACC_CD, Layout, SADDR_OFF, SVE};
use crate::modifiers::read_scales;
use crate::plan::{Plan, Plans};
use crate::tables::{
    Access, Chips, Features, Field, Kind, Mai, MaiScaled, Op, OperandSpec, Row, Vop3p,
};

/// The reason why bytes are not an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The bytes end within the instruction.
    #[error("the code ends within an instruction: {have} of {need} bytes are there")]
    Truncated {
        /// Bytes that the instruction needs, as far as known.
        need: u8,
        /// Bytes that are available.
        have: u8,
    },
    /// No instruction of the chip has this opcode.
    #[error("{chip} has no instruction 0x{word:08x}")]
    Unknown {
        /// The first dword of the instruction.
        word: u32,
        /// The chip that was decoded for.
        chip: Chip,
    },
    /// A field holds a value that names nothing in that field.
    #[error("0x{word:08x} is not an instruction of {chip}: {field:?} cannot be {value}")]
    Reserved {
        /// The first dword of the instruction.
        word: u32,
        /// The chip that was decoded for.
        chip: Chip,
        /// The field with the reserved value.
        field: Field,
        /// The value that names nothing.
        value: u16,
    },
}

/// Decodes the instruction that `bytes` begin with, in memory order.
///
/// [`Inst::len`] is the number of bytes that it takes. Bits that the hardware ignores are dropped.
///
/// # Errors
///
/// [`DecodeError`] if the bytes end too early, the chip has no such opcode, or an operand field holds a reserved value. Never
/// panics.
///
/// ```
/// use wavetank_gcn::{Chip, Op, decode, tables::Vop2};
/// let inst = decode(&[0x01, 0x05, 0x0a, 0x02], Chip::Gfx900)?;
/// assert_eq!(inst.op, Op::Vop2(Vop2::V_ADD_F32));
/// assert_eq!(inst.to_string(), "v_add_f32_e32 v5, v1, v2");
/// # Ok::<(), wavetank_gcn::DecodeError>(())
/// ```
pub fn decode(bytes: &[u8], chip: Chip) -> Result<Inst, DecodeError> {
    let have = bytes.len().min(255) as u8;
    let truncated = |need| DecodeError::Truncated { need, have };
    let Some(first) = bytes.first_chunk::<4>() else {
        return Err(truncated(4));
    };
    let word = u32::from_le_bytes(*first);
    let wide = bytes.first_chunk::<8>().map(|b| u64::from_le_bytes(*b));

    let plans = Plans::of(chip);
    let plan = plans
        .find(word)
        .ok_or(DecodeError::Unknown { word, chip })?;
    if plan.len == 8 && wide.is_none() {
        return Err(truncated(8));
    }
    let source = Source {
        word: wide.unwrap_or(word.into()),
        bytes,
        have,
        plan,
        plans,
    };
    // Filled in place, because copying it would cost more than the decoding.
    let mut decoded = Ok(plan.blank(chip));
    if let Ok(inst) = &mut decoded
        && let Err(error) = source.fill(inst)
    {
        return Err(error);
    }
    decoded
}

/// The instruction word, and the plan of its instruction.
struct Source<'a> {
    word: u64,
    /// The code from the instruction on.
    bytes: &'a [u8],
    /// Number of available code bytes; with fewer than 8, the word has 32 bits.
    have: u8,
    plan: &'static Plan,
    plans: &'static Plans,
}

fn is_literal(operand: &Operand) -> bool {
    matches!(operand, Operand::Literal(_))
}

impl Source<'_> {
    /// Fills in operands and modifiers.
    #[inline]
    fn fill(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        self.operands(inst)?;
        self.modifiers(&mut inst.mods);
        resolve(inst, self)
    }

    #[inline]
    fn operands(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let (mut reserved, mut literal) = (false, false);
        // Slots after the operands of the row read as none: a loop of fixed length needs no prediction.
        for (i, operand) in inst.operands.iter_mut().enumerate() {
            *operand = self.plans.operand(self.plan, i, self.word);
            reserved |= *operand == RESERVED;
            literal |= is_literal(operand);
        }
        if reserved {
            return Err(self.reserved(inst.chip));
        }
        if literal {
            self.put_literal(inst)?;
        }
        if let Some(i) = self.plan.simm16 {
            inst.operands[usize::from(i)] = Operand::Imm((self.word as u16 as i16).into());
        }
        Ok(())
    }

    /// Returns the error of a reserved code in an operand field.
    #[cold]
    fn reserved(&self, chip: Chip) -> DecodeError {
        let is_reserved = |i: &usize| self.plans.operand(self.plan, *i, self.word) == RESERVED;
        let at = (0..MAX_OPERANDS).find(is_reserved).unwrap_or_default();
        DecodeError::Reserved {
            word: self.word as u32,
            chip,
            field: self.plan.op.row().operands[at].field,
            value: self.plan.code(at, self.word),
        }
    }

    #[inline]
    fn modifiers(&self, mods: &mut Mods) {
        let layout = self.plan.layout;
        mods.offset = offset(self.word, layout);
        for &(flag, bit) in layout.flags {
            // Branch-free, because the set flags are unpredictable.
            let set = flag.bits() * (self.word >> bit & 1) as u32;
            mods.flags |= Flags::from_bits_retain(set);
        }
        self.plan.taken.read(self.word, self.plan.form, mods);
    }

    /// Fails if the code ends after the first dword.
    fn need_second_word(&self) -> Result<(), DecodeError> {
        let (need, have) = (8, self.have);
        if have < need {
            Err(DecodeError::Truncated { need, have })
        } else {
            Ok(())
        }
    }

    /// Sets literal operands to the value that follows the first dword.
    fn put_literal(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        self.need_second_word()?;
        let literal = Operand::Literal((self.word >> 32) as u32);
        for operand in inst.operands.iter_mut().filter(|o| is_literal(o)) {
            *operand = literal;
        }
        inst.len = 8;
        Ok(())
    }
}

fn sign_extend(raw: u64, width: u8) -> i32 {
    let shift = 32 - u32::from(width);
    ((raw as u32) << shift) as i32 >> shift
}

/// Returns the immediate offset.
fn offset(word: u64, layout: &Layout) -> i32 {
    let raw = layout.offset.get(word);
    if layout.signed_offset {
        sign_extend(raw, layout.offset.1)
    } else {
        raw as i32
    }
}

/// Resolves operands that depend on more than one field: modifiers can remove them.
fn resolve(inst: &mut Inst, source: &Source<'_>) -> Result<(), DecodeError> {
    match inst.form {
        Form::Smem => smem_offset(inst, source),
        Form::Mubuf | Form::Mtbuf => {
            if inst.chip.is_cdna() {
                buffer_of_cdna(inst);
            }
            if !inst.has(Flags::OFFEN | Flags::IDXEN | Flags::ADDR64) {
                inst.set(Field::Vaddr, Operand::Off);
            }
            if inst.has(Flags::LDS) {
                inst.set(Field::Vdata, Operand::None);
            }
            Ok(())
        }
        Form::Flat | Form::Global | Form::Scratch => {
            flat_address(inst, source);
            Ok(())
        }
        Form::Ds => {
            // From gfx90a on, only synchronization has GDS.
            if inst.chip >= Chip::Gfx90a && !inst.row().has(Features::GDS_ONLY) {
                inst.mods.flags -= Flags::GDS;
            }
            Ok(())
        }
        Form::Vop3p if inst.op == Op::Vop3p(Vop3p::V_MFMA_LD_SCALE_B32) => {
            scaled(inst, source);
            Ok(())
        }
        // Dot products of registers as wholes, from gfx942 on.
        Form::Vop3p if inst.chip >= Chip::Gfx942 && is_whole_dot(inst.op) => {
            (inst.mods.op_sel, inst.mods.op_sel_hi) = (0, 7);
            Ok(())
        }
        Form::Exp => {
            export_sources(inst);
            Ok(())
        }
        Form::Mai => {
            accumulators(inst, source.word);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Reads the register of a scalar memory offset, which is added to an immediate or replaces it (Vega ISA, 13.1.6 SMEM).
fn smem_offset(inst: &mut Inst, source: &Source<'_>) -> Result<(), DecodeError> {
    let specs = inst.row().operands;
    if !specs.iter().any(|s| s.field == Field::Soffset) {
        inst.mods.offset = 0;
        inst.mods.flags = Flags::empty();
        return Ok(());
    }
    // Probes and discards move no data, so GLC has no meaning for them.
    if spec_of_data(inst).is_none() {
        inst.mods.flags -= Flags::GLC;
    }
    let old = inst.chip.generation() < Generation::Gfx8;
    let register = if inst.has(Flags::SMEM_SOFFSET) {
        source.word >> 57
    } else if inst.has(Flags::SMEM_IMM) {
        return Ok(());
    } else if old {
        inst.mods.offset as u64
    } else {
        source.word >> 32 & 0x7f
    };
    if !inst.has(Flags::SMEM_IMM) {
        inst.mods.offset = 0;
    }
    // On gfx7 the literal is an offset in dwords.
    if old && register == LITERAL && inst.chip.generation() == Generation::Gfx7 {
        source.need_second_word()?;
        inst.len = 8;
        inst.set(Field::Soffset, Operand::Literal((source.word >> 32) as u32));
        return Ok(());
    }
    if register > 127 || register == 125 {
        return Err(DecodeError::Reserved {
            word: source.word as u32,
            chip: inst.chip,
            field: Field::Soffset,
            value: register as u16,
        });
    }
    inst.set(Field::Soffset, Operand::Sgpr(register as u8));
    Ok(())
}

/// Returns the register operand of SMEM that is loaded, stored or exchanged.
fn spec_of_data(inst: &Inst) -> Option<&'static OperandSpec> {
    let is_data =
        |s: &&OperandSpec| matches!(s.field, Field::Sdst | Field::Sdata) && s.kind != Kind::Probe;
    inst.row().operands.iter().find(is_data)
}

/// Resolves the address registers of FLAT, GLOBAL or SCRATCH, and whether the instruction returns data to a VGPR.
fn flat_address(inst: &mut Inst, source: &Source<'_>) {
    if inst.form != Form::Flat {
        if source.word >> 48 & SADDR_OFF == SADDR_OFF {
            inst.set(Field::Saddr, Operand::Off);
        } else if inst.form == Form::Scratch && inst.chip < Chip::Gfx942 {
            inst.set(Field::Vaddr, Operand::Off);
        }
        if inst.form == Form::Scratch && inst.chip >= Chip::Gfx942 && SVE.get(source.word) == 0 {
            inst.set(Field::Vaddr, Operand::Off);
        }
    } else {
        inst.set(Field::Saddr, Operand::None);
    }
    let row = inst.row();
    if !row.has(Features::LDS) {
        inst.mods.flags -= Flags::LDS;
    }
    if inst.chip == Chip::Gfx90a && is_float_atomic(row) {
        inst.mods.flags -= Flags::SCC;
    }
    if inst.has(Flags::LDS) || row.has(Features::NO_SCRATCH) && !inst.has(Flags::GLC) {
        inst.set(Field::Vdst, Operand::None);
    }
}

/// The instructions that multiply matrices, and the same with scales.
pub(crate) const SCALED: [(Mai, MaiScaled); 2] = [
    (
        Mai::V_MFMA_F32_16X16X128_F8F6F4,
        MaiScaled::V_MFMA_SCALE_F32_16X16X128_F8F6F4,
    ),
    (
        Mai::V_MFMA_F32_32X32X64_F8F6F4,
        MaiScaled::V_MFMA_SCALE_F32_32X32X64_F8F6F4,
    ),
];

/// Joins scales with the matrix instruction that follows and says by bit 0 of ABID that it uses them. Without one, the scales
/// remain an instruction.
#[cold]
fn scaled(scales: &mut Inst, source: &Source<'_>) {
    let Some(Ok(matrices)) = source
        .bytes
        .get(8..16)
        .map(|rest| decode(rest, scales.chip))
    else {
        return;
    };
    let joined = SCALED.iter().find(|(op, _)| matrices.op == Op::Mai(*op));
    let [a, b] = [scales.operands[0], scales.operands[1]];
    let (Some((_, joined)), [Operand::Vgpr(a), Operand::Vgpr(b)]) = (joined, [a, b]) else {
        return;
    };
    if matrices.mods.abid & 1 == 0 {
        return;
    }
    let mut joined = Inst {
        op: Op::MaiScaled(*joined),
        form: Form::MaiScaled,
        len: 16,
        ..matrices
    };
    joined.mods.abid &= !1;
    joined.mods.scales = [a, b];
    read_scales(source.word, &mut joined.mods);
    *scales = joined;
}

/// Whether an operation is a dot product of bytes or parts of bytes.
fn is_whole_dot(op: Op) -> bool {
    use Vop3p::*;
    let Op::Vop3p(op) = op else { return false };
    matches!(
        op,
        V_DOT4_I32_I8 | V_DOT4_U32_U8 | V_DOT8_I32_I4 | V_DOT8_U32_U4
    )
}

/// Drops the bits that instructions without operands, and float atomics of gfx90a, ignore.
fn buffer_of_cdna(inst: &mut Inst) {
    let row = inst.row();
    if row.operands.is_empty() {
        inst.mods.flags &= taken_caches(row, inst.chip);
        inst.mods.offset = 0;
    }
    if is_float_atomic(row) && inst.chip == Chip::Gfx90a {
        inst.mods.flags -= Flags::SCC;
    }
}

/// Returns the cache bits that an instruction without operands takes.
fn taken_caches(row: &Row, chip: Chip) -> Flags {
    if row.has(Features::CACHES) && chip >= Chip::Gfx942 {
        Flags::GLC | Flags::SCC
    } else {
        Flags::empty()
    }
}

/// Whether a row is a float atomic of CDNA: on gfx90a it has no SCC (LLVM), and on gfx908 it returns nothing.
pub(crate) fn is_float_atomic(row: &Row) -> bool {
    let float = |s: &OperandSpec| {
        s.ty.is_float() && matches!(s.access, Access::WriteIfGlc | Access::ReadWriteIfGlc)
    };
    row.chips != Chips::ALL && row.operands.iter().any(float)
}

/// Resolves the operands of a matrix instruction that are in AGPRs. On gfx908, C and D always are.
fn accumulators(inst: &mut Inst, word: u64) {
    let specs = inst.row().operands;
    let result = inst.chip == Chip::Gfx908 || ACC_CD.get(word) != 0;
    let sources = ACC.get(word);
    for (operand, spec) in inst.operands.iter_mut().zip(specs) {
        let accumulates = match (spec.kind, spec.field) {
            (Kind::Vector, Field::Src0) => sources & 1 != 0,
            (Kind::Vector, Field::Src1) => sources & 2 != 0,
            (Kind::Vector | Kind::Accumulator, _) => result,
            _ => false,
        };
        if let (true, Operand::Vgpr(number)) = (accumulates, *operand) {
            *operand = Operand::Agpr(number);
        }
    }
}

/// Keeps only the enabled sources of an export; a compressed one has two, each of which holds a pair of components.
fn export_sources(inst: &mut Inst) {
    if inst.has(Flags::COMPR) {
        let [low, high] = [inst.operand(Field::Exp0), inst.operand(Field::Exp1)];
        inst.set(Field::Exp1, low);
        inst.set(Field::Exp2, high);
        inst.set(Field::Exp3, high);
    }
    for (n, field) in [Field::Exp0, Field::Exp1, Field::Exp2, Field::Exp3]
        .into_iter()
        .enumerate()
    {
        if inst.mods.dmask >> n & 1 == 0 {
            inst.set(field, Operand::Off);
        }
    }
}
