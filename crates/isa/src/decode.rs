//! Bytes to [`Inst`].

use std::sync::OnceLock;

use thiserror::Error;

use crate::generation::{Chip, Generation};
use crate::inst::{Form, Inst, MAX_OPERANDS, Mods, Operand, Spelling, flag};
use crate::layout::{Coding, Layout, Place, SADDR_OFF, VOP3B_SDST, layout};
use crate::modifiers;
use crate::tables::{Field, Kind, Op, OperandSpec, feature};

/// Why bytes are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The bytes end within the instruction.
    #[error("the code ends within an instruction: {have} of {need} bytes are there")]
    Truncated {
        /// Bytes the instruction needs, as far as known.
        need: u8,
        /// Bytes that are left.
        have: u8,
    },
    /// No instruction of the chip has this opcode.
    #[error("{chip} has no instruction 0x{word:08x}")]
    Unknown {
        /// The first word.
        word: u32,
        /// The chip.
        chip: Chip,
    },
    /// A field holds a value that names nothing there.
    #[error("0x{word:08x} is no instruction of {chip}: {field:?} cannot be {value}")]
    Reserved {
        /// The first word.
        word: u32,
        /// The chip.
        chip: Chip,
        /// The field.
        field: Field,
        /// What it holds.
        value: u16,
    },
}

/// Decodes the instruction that `bytes` begin with, in memory order.
///
/// [`Inst::len`] says how many bytes it takes. Bits that the hardware ignores
/// are dropped.
///
/// # Errors
///
/// [`DecodeError`] when the bytes end too early, the chip has no such opcode
/// or an operand field holds a reserved value. Never panics.
///
/// ```
/// use wavetank_isa::{Chip, Op, decode, tables::Vop2};
/// let inst = decode(&[0x01, 0x05, 0x0a, 0x02], Chip::Gfx900)?;
/// assert_eq!(inst.op, Op::Vop2(Vop2::V_ADD_F32));
/// assert_eq!(inst.to_string(), "v_add_f32_e32 v5, v1, v2");
/// # Ok::<(), wavetank_isa::DecodeError>(())
/// ```
pub fn decode(bytes: &[u8], chip: Chip) -> Result<Inst, DecodeError> {
    let truncated = |need| DecodeError::Truncated {
        need,
        have: bytes.len().min(255) as u8,
    };
    let Some(first) = bytes.first_chunk::<4>() else {
        return Err(truncated(4));
    };
    let word = u32::from_le_bytes(*first);
    let wide = bytes.first_chunk::<8>().map(|b| u64::from_le_bytes(*b));

    let generation = chip.generation();
    let unknown = DecodeError::Unknown { word, chip };
    let (home, opcode) = classify(word, generation).ok_or(unknown)?;
    let op = Opcodes::of(chip).get(home, opcode).ok_or(unknown)?;
    let form = second_word_form(home, word, generation);
    let layout = layout(form, generation);
    if layout.len == 8 && wide.is_none() {
        return Err(truncated(8));
    }

    let mut source = Source {
        word: wide.unwrap_or(word.into()),
        has_literal: layout.literal && wide.is_some(),
        used_literal: false,
        layout,
        form,
        op,
        chip,
    };
    let mut operands = [Operand::None; MAX_OPERANDS];
    for (operand, spec) in operands.iter_mut().zip(op.row().operands) {
        *operand = source.operand(spec)?;
    }
    if source.used_literal && wide.is_none() {
        return Err(truncated(8));
    }
    let len = if source.used_literal { 8 } else { layout.len };

    let mut mods = Mods::default();
    for &(flag, bit) in layout.flags {
        mods.flags |= flag * (source.word >> bit & 1) as u32;
    }
    mods.offset = offset(source.word, layout);
    modifiers::read(source.word, form, op, generation, &mut mods);
    let mut inst = Inst {
        op,
        chip,
        form,
        len,
        operands,
        mods,
        spelling: Spelling::default(),
    };
    settle(&mut inst, &source)?;
    Ok(inst)
}

/// The form the first word has, and its opcode there.
fn classify(word: u32, generation: Generation) -> Option<(Form, u16)> {
    let old = generation < Generation::Gfx8;
    let form = if word >> 31 == 0 {
        match word >> 25 {
            0x3f => Form::Vop1,
            0x3e => Form::Vopc,
            _ => Form::Vop2,
        }
    } else if word >> 30 == 0b10 {
        match word >> 23 & 0x7f {
            0x7f => Form::Sopp,
            0x7e => Form::Sopc,
            0x7d => Form::Sop1,
            op if op >> 5 == 0b11 => Form::Sopk,
            _ => Form::Sop2,
        }
    } else {
        match (word >> 26 & 0xf, old) {
            (0b0000 | 0b0001, true) => Form::Smem,
            (0b0000, false) => Form::Smem,
            (0b0001, false) => Form::Exp,
            (0b0010, true) => Form::Vintrp,
            (0b0100, _) if word >> 23 == 0x1a7 && !old => Form::Vop3p,
            (0b0100, _) => Form::Vop3,
            (0b0101, false) => Form::Vintrp,
            (0b0110, _) => Form::Ds,
            (0b0111, _) => match (word >> 14 & 3, generation) {
                (_, Generation::Gfx6) => return None,
                (1, Generation::Gfx9) => Form::Scratch,
                (2, Generation::Gfx9) => Form::Global,
                (3, Generation::Gfx9) => return None,
                _ => Form::Flat,
            },
            (0b1000, _) => Form::Mubuf,
            (0b1010, _) => Form::Mtbuf,
            (0b1100, _) => Form::Mimg,
            (0b1110, true) => Form::Exp,
            _ => return None,
        }
    };
    let opcode = layout(form, generation).opcode.get(word.into());
    Some((form, opcode as u16))
}

/// SRC0 of a VOP1, VOP2 or VOPC that says a modifier word follows.
pub(crate) const SDWA: u32 = 249;
pub(crate) const DPP: u32 = 250;

/// SDWA or DPP where SRC0 of the home form says so.
fn second_word_form(home: Form, word: u32, generation: Generation) -> Form {
    let short = matches!(home, Form::Vop1 | Form::Vop2 | Form::Vopc);
    match word & 0x1ff {
        SDWA if short && generation >= Generation::Gfx8 => Form::Sdwa,
        DPP if short && generation >= Generation::Gfx8 => Form::Dpp,
        _ => home,
    }
}

/// The instructions of a chip by form and opcode.
struct Opcodes {
    ops: Vec<Option<Op>>,
}

/// Opcodes a form has room for: the largest, VOP3, has ten bits.
const ROOM: usize = 1 << 10;

impl Opcodes {
    /// The table of a chip, made at first use.
    fn of(chip: Chip) -> &'static Opcodes {
        static TABLES: [OnceLock<Opcodes>; Chip::ALL.len()] =
            [const { OnceLock::new() }; Chip::ALL.len()];
        TABLES[chip as usize].get_or_init(|| Opcodes::new(chip))
    }

    fn new(chip: Chip) -> Opcodes {
        let mut ops = vec![None; ROOM * (Form::Exp as usize + 1)];
        for op in Op::all() {
            let mut enter = |form: Form, opcode: Option<u16>| {
                if let Some(opcode) = opcode {
                    ops[form as usize * ROOM + opcode as usize] = Some(op);
                }
            };
            enter(op.home(), op.opcode(chip));
            enter(Form::Vop3, op.vop3(chip));
            enter(Form::Vop2, op.vop2(chip));
            if matches!(op, Op::Flat(_)) && chip.generation() == Generation::Gfx9 {
                enter(Form::Global, op.opcode(chip));
                enter(Form::Scratch, op.scratch(chip));
            }
        }
        Opcodes { ops }
    }

    fn get(&self, form: Form, opcode: u16) -> Option<Op> {
        self.ops[form as usize * ROOM + (opcode as usize & (ROOM - 1))]
    }
}

/// The word and what is needed to read operands from it.
struct Source {
    word: u64,
    has_literal: bool,
    used_literal: bool,
    layout: &'static Layout,
    form: Form,
    op: Op,
    chip: Chip,
}

/// The source code that says a literal follows.
pub(crate) const LITERAL: u64 = 255;
/// VCC where a short form implies it.
pub(crate) const VCC: Operand = Operand::Sgpr(106);

impl Source {
    fn reserved(&self, field: Field, value: u64) -> DecodeError {
        DecodeError::Reserved {
            word: self.word as u32,
            chip: self.chip,
            field,
            value: value as u16,
        }
    }

    /// The literal that follows the first word; zero when the bytes end, which
    /// the caller reports.
    fn literal(&mut self) -> Operand {
        self.used_literal = true;
        Operand::Literal((self.word >> 32) as u32)
    }

    /// The operand in the place of `spec`.
    fn operand(&mut self, spec: &OperandSpec) -> Result<Operand, DecodeError> {
        if spec.kind == Kind::Literal {
            return Ok(self.literal());
        }
        let Place { bits, coding } = place(self.layout, self.form, self.op, spec);
        let raw = bits.get(self.word);
        let operand = match coding {
            Coding::Absent if matches!(spec.field, Field::Sdst | Field::CarryIn) => VCC,
            Coding::Absent => Operand::None,
            Coding::Vgpr => Operand::Vgpr(raw as u8),
            Coding::Sgpr(unit) => self.scalar(spec, raw * u64::from(unit))?,
            Coding::Unsigned if spec.kind == Kind::Attr && self.form == Form::Vop3 => {
                // VOP3 has the channel above the attribute, VINTRP below.
                Operand::Imm((raw << 2 & 0xff | raw >> 6) as i32)
            }
            Coding::Unsigned => Operand::Imm(raw as i32),
            Coding::Signed => Operand::Imm(sign_extend(raw, bits.1)),
            Coding::Source if spec.kind == Kind::GprIdx => Operand::Imm(raw as i32),
            Coding::Source => self.source(spec, raw)?,
            Coding::Sdwa(Some(bit)) if self.word >> bit & 1 != 0 => match raw {
                LITERAL => return Err(self.reserved(spec.field, raw)),
                _ => self.source(spec, raw)?,
            },
            Coding::Sdwa(_) => Operand::Vgpr(raw as u8),
            Coding::SdwaSdst if raw < 0x80 => VCC,
            Coding::SdwaSdst => self.scalar(spec, raw & 0x7f)?,
        };
        Ok(operand)
    }

    /// A source code.
    fn source(&mut self, spec: &OperandSpec, raw: u64) -> Result<Operand, DecodeError> {
        let fits = match spec.kind {
            Kind::Vgpr => raw >= 256 || raw == LDS_DIRECT,
            Kind::Sgpr => raw < 128,
            Kind::Scalar => raw <= LITERAL,
            _ => true,
        };
        match raw {
            _ if !fits => Err(self.reserved(spec.field, raw)),
            256.. => Ok(Operand::Vgpr(raw as u8)),
            LITERAL if self.layout.literal => Ok(self.literal()),
            0..128 => self.scalar(spec, raw),
            128..209 | 235..249 | 251..LITERAL => Ok(Operand::Inline(raw as u8)),
            _ => Err(self.reserved(spec.field, raw)),
        }
    }

    /// A scalar register. Code 125 names none on gfx6 to gfx9; the low bits of
    /// the code of a pair or a longer span are ignored (Vega ISA, 3.6.2).
    fn scalar(&self, spec: &OperandSpec, raw: u64) -> Result<Operand, DecodeError> {
        let is_address = self.form == Form::Scratch && spec.field == Field::Saddr;
        let aligned = match spec.ty.dwords() {
            0 | 1 => raw,
            _ if is_address => raw,
            2 => raw & !1,
            _ => raw & !3,
        };
        match aligned {
            _ if raw == 125 || raw > 127 => Err(self.reserved(spec.field, raw)),
            code => Ok(Operand::Sgpr(code as u8)),
        }
    }
}

/// The source code of the dword that M0 addresses in LDS.
const LDS_DIRECT: u64 = 254;

/// Where the operand of `spec` stands, and how: a row can put a scalar where
/// its encoding has a VGPR (v_readlane_b32, v_readfirstlane_b32).
pub(crate) fn place(layout: &Layout, form: Form, op: Op, spec: &OperandSpec) -> Place {
    if form == Form::Vop3 && spec.field == Field::Sdst && modifiers::is_vop3b(op.row()) {
        return VOP3B_SDST;
    }
    let place = layout.place(spec.field);
    match (place.coding, spec.kind) {
        (Coding::Vgpr, Kind::Sgpr) => Place {
            coding: Coding::Sgpr(1),
            ..place
        },
        (Coding::Vgpr, Kind::Scalar) => Place {
            coding: Coding::Source,
            ..place
        },
        (Coding::Sgpr(_), Kind::Probe) => Place {
            coding: Coding::Unsigned,
            ..place
        },
        _ => place,
    }
}

fn sign_extend(raw: u64, width: u8) -> i32 {
    let shift = 32 - u32::from(width);
    ((raw as u32) << shift) as i32 >> shift
}

/// The immediate offset.
fn offset(word: u64, layout: &Layout) -> i32 {
    let raw = layout.offset.get(word);
    if layout.signed_offset {
        sign_extend(raw, layout.offset.1)
    } else {
        raw as i32
    }
}

/// What depends on more than one field: operands that modifiers remove.
fn settle(inst: &mut Inst, source: &Source) -> Result<(), DecodeError> {
    match inst.form {
        Form::Smem => smem_offset(inst, source),
        Form::Mubuf | Form::Mtbuf => {
            if !inst.has(flag::OFFEN | flag::IDXEN | flag::ADDR64) {
                inst.set(Field::Vaddr, Operand::Off);
            }
            if inst.has(flag::LDS) {
                inst.set(Field::Vdata, Operand::None);
            }
            Ok(())
        }
        Form::Flat | Form::Global | Form::Scratch => {
            flat_address(inst, source);
            Ok(())
        }
        Form::Exp => {
            export_sources(inst);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The register of a scalar memory offset: beside an immediate, or instead of
/// one (Vega ISA, 13.1.6 SMEM).
fn smem_offset(inst: &mut Inst, source: &Source) -> Result<(), DecodeError> {
    let Some(spec) = inst
        .row()
        .operands
        .iter()
        .find(|s| s.field == Field::Soffset)
    else {
        inst.mods.offset = 0;
        inst.mods.flags = 0;
        return Ok(());
    };
    // Probes and discards move no data that GLC could speak of.
    if spec_of_data(inst).is_none() {
        inst.mods.flags &= !flag::GLC;
    }
    let old = inst.chip.generation() < Generation::Gfx8;
    let register = if inst.has(flag::SMEM_SOFFSET) {
        source.word >> 57
    } else if inst.has(flag::SMEM_IMM) {
        return Ok(());
    } else if old {
        inst.mods.offset as u64
    } else {
        source.word >> 32 & 0x7f
    };
    if !inst.has(flag::SMEM_IMM) {
        inst.mods.offset = 0;
    }
    // gfx7 takes a literal offset in dwords.
    if old && register == LITERAL && inst.chip.generation() == Generation::Gfx7 {
        if !source.has_literal {
            return Err(DecodeError::Truncated { need: 8, have: 4 });
        }
        inst.len = 8;
        inst.set(Field::Soffset, Operand::Literal((source.word >> 32) as u32));
        return Ok(());
    }
    let register = source.scalar(spec, register)?;
    inst.set(Field::Soffset, register);
    Ok(())
}

/// The register operand of SMEM that is loaded, stored or exchanged.
fn spec_of_data(inst: &Inst) -> Option<&'static OperandSpec> {
    let is_data =
        |s: &&OperandSpec| matches!(s.field, Field::Sdst | Field::Sdata) && s.kind != Kind::Probe;
    inst.row().operands.iter().find(is_data)
}

/// Which registers make a FLAT, GLOBAL or SCRATCH address, and whether the
/// instruction returns data to a VGPR.
fn flat_address(inst: &mut Inst, source: &Source) {
    if inst.form != Form::Flat {
        if source.word >> 48 & SADDR_OFF == SADDR_OFF {
            inst.set(Field::Saddr, Operand::Off);
        } else if inst.form == Form::Scratch {
            inst.set(Field::Vaddr, Operand::Off);
        }
    } else {
        inst.set(Field::Saddr, Operand::None);
    }
    let row = inst.row();
    if !row.has(feature::LDS) {
        inst.mods.flags &= !flag::LDS;
    }
    if inst.has(flag::LDS) || row.has(feature::NO_SCRATCH) && !inst.has(flag::GLC) {
        inst.set(Field::Vdst, Operand::None);
    }
}

/// An export names only the sources that are enabled; a compressed one has
/// two, each of which holds a pair of components.
fn export_sources(inst: &mut Inst) {
    if inst.has(flag::COMPR) {
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
