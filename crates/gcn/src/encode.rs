//! Encoding: [`Inst`] to bytes.
//!
//! `encode(decode(bytes)) == bytes`, except for bits that the hardware ignores, which decoding drops and encoding clears:
//!
//! | encoding | ignored |
//! |---|---|
//! | all | fields of operands that the instruction does not have |
//! | all | the low bits of the code of an SGPR pair or longer span |
//! | VOP3, SDWA, DPP | modifiers that the instruction does not take |
//! | VOPC in SDWA | SDST when it is VCC; VCC is written without SD |
//! | VOP3P | modifiers of a source that the instruction does not have |
//! | SMEM | the offset if a register replaces it, or if the instruction takes none; then flags, too |
//! | MUBUF, MTBUF | VADDR without OFFEN, IDXEN and ADDR64; VDATA with LDS |
//! | FLAT | SADDR of segment 0, VADDR of SCRATCH with SADDR, VDST without a result |
//! | EXP | sources that EN leaves out, the upper two with COMPR |

use thiserror::Error;

use crate::codes::{LITERAL, VCC};
use crate::decode::SCALED;
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Flags, Inst, MAX_OPERANDS, Mods, Operand};
use crate::layout::{ACC, ACC_CD, Coding, Layout, Place, SADDR_OFF, SVE};
use crate::modifiers;
use crate::plan::Plans;
use crate::tables::{Features, Field, Kind, Op, OperandSpec, Vop3p};

/// The 4, 8 or 16 bytes of an encoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Encoded {
    bytes: [u8; 16],
    len: u8,
}

impl Encoded {
    /// Returns the bytes, in memory order.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Returns the bytes for changes, such as a value that becomes known later.
    pub fn as_mut_bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// The reason why an instruction has no encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// The chip lacks the instruction in this form.
    #[error("{chip} has no {form:?} form of this instruction")]
    Form {
        /// The form that was requested.
        form: Form,
        /// The chip that was encoded for.
        chip: Chip,
    },
    /// An operand does not fit into its field.
    #[error("{field:?} cannot hold {operand:?} in this form")]
    Operand {
        /// The field of the operand.
        field: Field,
        /// The operand that does not fit.
        operand: Operand,
    },
    /// Two different literals; an instruction has room for one.
    #[error("an instruction has room for one literal, not for 0x{0:x} and 0x{1:x}")]
    Literals(u32, u32),
    /// The immediate offset does not fit.
    #[error("offset {value} is outside {min} to {max}")]
    Offset {
        /// The value of the offset.
        value: i32,
        /// The smallest offset that fits.
        min: i32,
        /// The largest offset that fits.
        max: i32,
    },
    /// A flag without a bit in the form: bits of [`Flags`].
    #[error("the form has no bit for {}", words(*.0))]
    Flags(Flags),
}

/// Encodes an instruction for the chip it names.
///
/// # Errors
///
/// [`EncodeError`] if the chip has no such form, or an operand, literal, offset or flag does not fit into it. Never panics.
///
/// ```
/// use wavetank_gcn::{Chip, Operand, decode, encode};
/// let mut inst = decode(&[0x01, 0x05, 0x0a, 0x02], Chip::Gfx900)?;
/// inst.operands[0] = Operand::Vgpr(6);
/// assert_eq!(encode(&inst)?.as_bytes(), [0x01, 0x05, 0x0c, 0x02]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(inst: &Inst) -> Result<Encoded, EncodeError> {
    let none = EncodeError::Form {
        form: inst.form,
        chip: inst.chip,
    };
    if inst.form == Form::MaiScaled {
        return scaled(inst);
    }
    let plans = Plans::of(inst.chip);
    let plan = plans.get(inst.op, inst.form).ok_or(none)?;
    let layout = plan.layout;
    let mut target = Target {
        word: plan.word,
        literal: None,
        accumulates: None,
        layout,
    };
    for (i, spec) in inst.row().operands.iter().enumerate() {
        let operand = match (inst.form, spec.field) {
            (Form::Exp, _) => export_source(inst, spec.field),
            _ => inst.operands[i],
        };
        target.operand(inst, spec, plan.place(i), operand)?;
    }
    if inst.form == Form::Scratch && inst.chip >= Chip::Gfx942 {
        let addressed = matches!(inst.operand(Field::Vaddr), Operand::Vgpr(_));
        target.word |= SVE.put(addressed.into());
    }
    target.word |= flags(inst, layout)? | offset(inst, layout)? | modifiers::write(inst);
    let len = match target.literal {
        Some(literal) => {
            target.word |= u64::from(literal) << 32;
            8
        }
        None => layout.len,
    };
    Ok(Encoded::of(target.word, 0, len))
}

impl Encoded {
    /// Returns the first `len` bytes of two words.
    fn of(first: u64, second: u64, len: u8) -> Encoded {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&first.to_le_bytes());
        bytes[8..].copy_from_slice(&second.to_le_bytes());
        Encoded { bytes, len }
    }

    /// Returns the first eight bytes as a word.
    fn word(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.bytes;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

/// Encodes a matrix instruction with scales: the scales, then the matrices, whose ABID says that there are scales.
#[cold]
fn scaled(inst: &Inst) -> Result<Encoded, EncodeError> {
    let without = SCALED.iter().find(|(_, op)| inst.op == Op::MaiScaled(*op));
    let Some((without, _)) = without else {
        return Err(EncodeError::Form {
            form: inst.form,
            chip: inst.chip,
        });
    };
    let mut matrices = Inst {
        op: Op::Mai(*without),
        form: Form::Mai,
        ..*inst
    };
    matrices.mods.abid |= 1;
    let mut scales = Inst {
        op: Op::Vop3p(Vop3p::V_MFMA_LD_SCALE_B32),
        form: Form::Vop3p,
        operands: [Operand::None; MAX_OPERANDS],
        mods: Mods {
            flags: inst.mods.flags,
            op_sel_hi: 7,
            ..Mods::default()
        },
        ..*inst
    };
    for (operand, number) in scales.operands.iter_mut().zip(inst.mods.scales) {
        *operand = Operand::Vgpr(number);
    }
    let every = modifiers::write_scales(&Mods {
        op_sel: 7,
        op_sel_hi: 7,
        ..Mods::default()
    });
    let scales = encode(&scales)?.word() & !every | modifiers::write_scales(&inst.mods);
    Ok(Encoded::of(scales, encode(&matrices)?.word(), 16))
}

/// Returns the operand of an export's source field: with COMPR the first two fields hold the pairs.
fn export_source(inst: &Inst, field: Field) -> Operand {
    let either = |a, b| match inst.operand(a) {
        Operand::Off => inst.operand(b),
        operand => operand,
    };
    match (inst.has(Flags::COMPR), field) {
        (true, Field::Exp0) => either(Field::Exp0, Field::Exp1),
        (true, Field::Exp1) => either(Field::Exp2, Field::Exp3),
        (true, Field::Exp2 | Field::Exp3) => Operand::Off,
        _ => inst.operand(field),
    }
}

/// Returns the words for flags in assembly text.
fn words(flags: Flags) -> String {
    let words: Vec<_> = flags
        .iter_names()
        .map(|(name, _)| name.to_lowercase())
        .collect();
    words.join(" and ")
}

/// Returns the bits of the flags.
fn flags(inst: &Inst, layout: &Layout) -> Result<u64, EncodeError> {
    let mut rest = inst.mods.flags;
    let mut word = 0;
    for &(flag, bit) in layout.flags {
        word |= u64::from(rest.contains(flag)) << bit;
        rest -= flag;
    }
    // Flags that are stored with the other modifiers of their form.
    rest -= match inst.form {
        Form::Vop3 if inst.row().has(Features::FETCHES_INACTIVE) => Flags::BOUND_CTRL | Flags::FI,
        Form::Vop3 => Flags::CLAMP | Flags::HIGH,
        Form::Vop3p | Form::Sdwa => Flags::CLAMP,
        Form::Dpp => Flags::BOUND_CTRL,
        _ => Flags::empty(),
    };
    if rest.is_empty() {
        Ok(word)
    } else {
        Err(EncodeError::Flags(rest))
    }
}

/// Returns the bits of the immediate offset.
fn offset(inst: &Inst, layout: &Layout) -> Result<u64, EncodeError> {
    let value = inst.mods.offset;
    let has_register = inst.form == Form::Smem && !inst.has(Flags::SMEM_IMM);
    let two = inst.row().has(crate::tables::Features::TWO_OFFSETS);
    let limit = match layout.offset.max() as i32 {
        _ if has_register => 0,
        _ if two => 255,
        max => max,
    };
    let (min, max) = if layout.signed_offset {
        (-(limit / 2) - limit % 2, limit / 2)
    } else {
        (0, limit)
    };
    if value < min || value > max {
        return Err(EncodeError::Offset { value, min, max });
    }
    if has_register {
        Ok(0)
    } else {
        Ok(layout.offset.put(value as u64))
    }
}

/// The instruction word that is being built.
struct Target {
    word: u64,
    literal: Option<u32>,
    /// Whether the operands that share one bit are in AGPRs.
    accumulates: Option<bool>,
    layout: &'static Layout,
}

impl Target {
    /// Records the literal that follows the instruction.
    fn literal(&mut self, value: u32) -> Result<(), EncodeError> {
        match self.literal {
            Some(other) if other != value => Err(EncodeError::Literals(other, value)),
            _ => {
                self.literal = Some(value);
                Ok(())
            }
        }
    }

    /// Stores an operand in its field.
    fn operand(
        &mut self,
        inst: &Inst,
        spec: &OperandSpec,
        Place { bits, coding }: Place,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let wrong = EncodeError::Operand {
            field: spec.field,
            operand,
        };
        if spec.kind == Kind::Literal && inst.form != Form::Vop3 {
            let Operand::Literal(value) = operand else {
                return Err(wrong);
            };
            return self.literal(value);
        }
        if inst.form == Form::Smem && spec.field == Field::Soffset {
            return self.smem_offset(inst, operand);
        }
        let raw = match (coding, operand) {
            (Coding::Absent, Operand::None | VCC) => return Ok(()),
            (Coding::Absent, _) => return Err(wrong),
            (_, Operand::Off) if spec.field == Field::Saddr => SADDR_OFF,
            (_, Operand::Off | Operand::None) if may_be_absent(inst.form, spec.field) => 0,
            (Coding::SdwaSdst, VCC) => 0,
            (Coding::SdwaSdst, Operand::Sgpr(code)) => 0x80 | u64::from(code),
            (Coding::Vgpr, operand) if inst.form == Form::Mai => {
                self.matrix(inst, spec, operand).ok_or(wrong)?
            }
            (Coding::Source, Operand::Vgpr(_) | Operand::Agpr(_)) if inst.form == Form::Mai => {
                256 + self.matrix(inst, spec, operand).ok_or(wrong)?
            }
            (Coding::Vgpr, Operand::Vgpr(number)) => number.into(),
            (Coding::Agpr, Operand::Agpr(number)) => number.into(),
            (Coding::Source, Operand::Agpr(number)) if spec.kind == Kind::Agpr => {
                256 + u64::from(number)
            }
            (Coding::Vector(bit), Operand::Vgpr(_) | Operand::Agpr(_)) => {
                let (number, accumulates) = vector(operand).ok_or(wrong)?;
                if !self.share(accumulates) {
                    return Err(wrong);
                }
                self.word |= u64::from(accumulates) << bit;
                number
            }
            (Coding::Sgpr(unit), Operand::Sgpr(code)) if code % unit == 0 => (code / unit).into(),
            (Coding::Unsigned, Operand::Imm(value)) if spec.kind == Kind::Attr => {
                attribute(inst.form, value)
            }
            (Coding::Unsigned, Operand::Imm(value)) => u64::from(value as u32),
            (Coding::Signed, Operand::Imm(value)) => {
                // 16 bits, signed or not: both notations occur.
                let fits = (-0x8000..=0xffff).contains(&value);
                if !fits {
                    return Err(wrong);
                }
                u64::from(value as u16)
            }
            (Coding::Source, Operand::Imm(value)) if spec.kind == Kind::GprIdx => {
                u64::from(value as u32)
            }
            (Coding::Sdwa(_), Operand::Vgpr(number)) => number.into(),
            (Coding::Sdwa(Some(bit)), Operand::Sgpr(code) | Operand::Inline(code)) => {
                self.word |= 1 << bit;
                code.into()
            }
            (Coding::Source, _) => self.source(operand, wrong)?,
            _ => return Err(wrong),
        };
        if raw > bits.max() {
            return Err(wrong);
        }
        self.word |= bits.put(raw);
        Ok(())
    }

    /// Returns the number of a register of a matrix instruction, and sets the bit that selects its file.
    fn matrix(&mut self, inst: &Inst, spec: &OperandSpec, operand: Operand) -> Option<u64> {
        let (number, accumulates) = vector(operand)?;
        let bit = match (spec.kind, spec.field) {
            (Kind::Vector, Field::Src0) => ACC.0,
            (Kind::Vector, Field::Src1) => ACC.0 + 1,
            (Kind::Vector | Kind::Accumulator, _) => {
                // On gfx908, C and D are in AGPRs.
                let always = inst.chip == Chip::Gfx908;
                if !self.share(accumulates) || always && !accumulates {
                    return None;
                }
                self.word |= ACC_CD.put(u64::from(accumulates && !always));
                return Some(number);
            }
            (Kind::Agpr, _) => return accumulates.then_some(number),
            _ => return (!accumulates).then_some(number),
        };
        self.word |= u64::from(accumulates) << bit;
        Some(number)
    }

    /// Whether an operand can be in the file of the others that share its bit.
    fn share(&mut self, accumulates: bool) -> bool {
        *self.accumulates.get_or_insert(accumulates) == accumulates
    }

    /// Returns the source code of an operand.
    fn source(&mut self, operand: Operand, wrong: EncodeError) -> Result<u64, EncodeError> {
        match operand {
            Operand::Sgpr(code @ 0..=127) | Operand::Inline(code @ 128..=254) => Ok(code.into()),
            Operand::Vgpr(number) => Ok(256 + u64::from(number)),
            Operand::Literal(value) if self.layout.literal => {
                self.literal(value)?;
                Ok(LITERAL)
            }
            _ => Err(wrong),
        }
    }

    /// Stores the register of a scalar memory offset.
    fn smem_offset(&mut self, inst: &Inst, operand: Operand) -> Result<(), EncodeError> {
        let old = inst.chip.generation() < Generation::Gfx8;
        let alone = !inst.has(Flags::SMEM_IMM);
        match operand {
            Operand::None if !alone && !inst.has(Flags::SMEM_SOFFSET) => {}
            Operand::Sgpr(code @ 0..128) if inst.has(Flags::SMEM_SOFFSET) => {
                self.word |= u64::from(code) << 57;
            }
            Operand::Sgpr(code @ 0..128) if alone => {
                self.word |= u64::from(code) << if old { 0 } else { 32 };
            }
            Operand::Literal(value) if alone && inst.chip.generation() == Generation::Gfx7 => {
                self.word |= LITERAL;
                self.literal(value)?;
            }
            _ => {
                return Err(EncodeError::Operand {
                    field: Field::Soffset,
                    operand,
                });
            }
        }
        Ok(())
    }
}

/// Returns the number of a vector register, and whether it is an AGPR.
fn vector(operand: Operand) -> Option<(u64, bool)> {
    match operand {
        Operand::Vgpr(number) => Some((number.into(), false)),
        Operand::Agpr(number) => Some((number.into(), true)),
        _ => None,
    }
}

/// Whether the operand of this field is optional.
fn may_be_absent(form: Form, field: Field) -> bool {
    match form {
        Form::Mubuf | Form::Mtbuf => matches!(field, Field::Vaddr | Field::Vdata),
        Form::Flat | Form::Global | Form::Scratch => matches!(field, Field::Vaddr | Field::Vdst),
        Form::Exp => true,
        _ => false,
    }
}

/// Returns the code of attribute and channel: VOP3 has the channel above the attribute, VINTRP below.
fn attribute(form: Form, value: i32) -> u64 {
    let value = u64::from(value as u32);
    match form {
        Form::Vop3 if value < 256 => value >> 2 | (value & 3) << 6,
        _ => value,
    }
}
