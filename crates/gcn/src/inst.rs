//! One decoded instruction: pure data, the same shape for every generation.

use bitflags::bitflags;

use crate::form::Form;
use crate::generation::Chip;
use crate::shapes::{ElementType, MatrixType};
use crate::tables::{Access, Features, Field, Op, OperandSpec, Row, Ty};

/// The number of operand slots an instruction may fill.
pub const MAX_OPERANDS: usize = 5;

/// One operand of an instruction.
///
/// The number of registers and their use are in the row's operand specification, not here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Operand {
    /// The slot is not used.
    #[default]
    None,
    /// A scalar register by its source code, 0 to 127: SGPRs, FLAT_SCRATCH,
    /// XNACK_MASK, VCC (106), TTMPs, M0 (124), EXEC (126).
    Sgpr(u8),
    /// A vector register, the first of its span.
    Vgpr(u8),
    /// An accumulation register of CDNA, the first of its span.
    Agpr(u8),
    /// An inline constant or special source by its code, 128 to 254: integers
    /// −16 to 64, ±0.5 to ±4, 1/(2π), apertures, VCCZ, EXECZ, SCC, LDS_DIRECT.
    Inline(u8),
    /// A 32-bit literal that follows the instruction.
    Literal(u32),
    /// A plain number from a field of the instruction: simm16, offset, attribute.
    Imm(i32),
    /// The operand is written `off`: no register takes part.
    Off,
}

/// SDWA selection of a part of a 32-bit register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum SdwaSel {
    Byte0,
    Byte1,
    Byte2,
    Byte3,
    Word0,
    Word1,
    #[default]
    Dword,
    Reserved,
}

impl SdwaSel {
    /// Returns the selection of a 3-bit code.
    pub const fn from_bits(bits: u8) -> SdwaSel {
        use SdwaSel::*;
        [Byte0, Byte1, Byte2, Byte3, Word0, Word1, Dword, Reserved][(bits & 7) as usize]
    }
}

/// The treatment of the destination's bits that SDWA does not select.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum DstUnused {
    #[default]
    Pad,
    Sext,
    Preserve,
    Reserved,
}

impl DstUnused {
    /// Returns the treatment of a 2-bit code.
    pub const fn from_bits(bits: u8) -> DstUnused {
        use DstUnused::*;
        [Pad, Sext, Preserve, Reserved][(bits & 3) as usize]
    }
}

bitflags! {
    /// Modifiers that are on or off.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Flags: u32 {
        /// The result is clamped.
        const CLAMP = 1 << 0;
        /// Globally coherent; on atomics: the value before is returned.
        const GLC = 1 << 1;
        /// System level coherent (SLC).
        const SLC = 1 << 2;
        /// Texture fail enable (TFE).
        const TFE = 1 << 3;
        /// LOD warning enable (LWE).
        const LWE = 1 << 4;
        /// Data is returned to LDS.
        const LDS = 1 << 5;
        /// The DS operation is on GDS.
        const GDS = 1 << 6;
        /// The buffer address takes an offset from a VGPR.
        const OFFEN = 1 << 7;
        /// The buffer address takes an index from a VGPR.
        const IDXEN = 1 << 8;
        /// A 64-bit buffer address comes from VGPRs (gfx6, gfx7).
        const ADDR64 = 1 << 9;
        /// Image address is not normalized.
        const UNORM = 1 << 10;
        /// Image resource is an array.
        const DA = 1 << 11;
        /// 128-bit image resource (gfx6 to gfx8).
        const R128 = 1 << 12;
        /// 16-bit image addresses (gfx9).
        const A16 = 1 << 13;
        /// The image data has 16 bits.
        const D16 = 1 << 14;
        /// The export is the last of its kind.
        const DONE = 1 << 15;
        /// The export is compressed: two 16-bit components a source.
        const COMPR = 1 << 16;
        /// The export carries the valid mask.
        const VM = 1 << 17;
        /// DPP: a source lane out of range reads as 0; without the flag, the destination lane is not written.
        const BOUND_CTRL = 1 << 18;
        /// Interpolation reads the high half of an attribute.
        const HIGH = 1 << 19;
        /// The scalar offset of an SMEM instruction is an immediate (IMM bit).
        const SMEM_IMM = 1 << 20;
        /// Both an immediate and an SGPR offset (SOFFSET_EN, gfx9).
        const SMEM_SOFFSET = 1 << 21;
        /// The access is non-volatile (NV, gfx9).
        const NV = 1 << 22;
        /// System coherence (SCC) of gfx90a, which is SC1 from gfx942 on. There GLC is SC0, and SLC is NT.
        const SCC = 1 << 23;
        /// Lanes without EXEC are read (FI).
        const FI = 1 << 24;
    }
}

/// The modifiers of an instruction beside its operands.
///
/// Fields that an encoding lacks hold their neutral value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mods {
    /// Modifiers that are on or off.
    pub flags: Flags,
    /// Bit n: source n is negated (for VOP3P: the low half).
    pub neg: u8,
    /// Bit n: the absolute value of source n is taken (for VOP3P: neg_hi).
    pub abs: u8,
    /// Output modifier: 0 none, 1 ×2, 2 ×4, 3 ÷2.
    pub omod: u8,
    /// Bit n: source n is taken from the high half; bit 3: the result is written to the high half.
    pub op_sel: u8,
    /// VOP3P: bit n: the high result takes the high half of source n.
    pub op_sel_hi: u8,
    /// SDWA: the selected part of each source.
    pub src_sel: [SdwaSel; 2],
    /// SDWA: bit n: source n is sign-extended.
    pub sext: u8,
    /// SDWA: the selected part of the destination.
    pub dst_sel: SdwaSel,
    /// SDWA: the treatment of the unselected bits of the destination.
    pub dst_unused: DstUnused,
    /// DPP control (9 bits).
    pub dpp_ctrl: u16,
    /// DPP row mask (4 bits).
    pub row_mask: u8,
    /// DPP bank mask (4 bits).
    pub bank_mask: u8,
    /// Image channel mask, or the export enable mask.
    pub dmask: u8,
    /// Data format of MTBUF.
    pub dfmt: u8,
    /// Number format of MTBUF.
    pub nfmt: u8,
    /// Immediate offset: MUBUF, MTBUF, FLAT, GLOBAL and SCRATCH offset, SMEM
    /// offset, DS 16-bit offset (or offset0 of the two-address forms).
    pub offset: i32,
    /// DS: the second offset of the two-address forms.
    pub offset1: u8,
    /// Matrix instructions: CBSZ, the binary logarithm of the blocks that share one block of A, or the type of A.
    pub cbsz: u8,
    /// Matrix instructions: ABID, the block of A that is shared, or a set of indices.
    pub abid: u8,
    /// Matrix instructions: BLGP, the pattern of lanes from which B is read, or the type of B.
    pub blgp: u8,
    /// The truth table of v_bitop3_b32.
    pub bitop3: u8,
    /// Matrix instructions with scales: the VGPRs that hold the scales of A and of B.
    pub scales: [u8; 2],
}

/// The choice among texts that have the same bytes.
///
/// The choice is not part of the bytes, so all spellings are equal; a decoded instruction has the default one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelling {
    /// MIMG: the address registers as written; 0 for as many as any resource needs.
    pub addresses: u8,
    /// Bit n: operand n is a 16-bit integer that was written as an inline float, not as its bits.
    pub floats: u8,
}

impl PartialEq for Spelling {
    fn eq(&self, _: &Spelling) -> bool {
        true
    }
}

impl Eq for Spelling {}

/// One decoded or parsed instruction. `operands` are in the order of `row().operands`, which is the order in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The operation of the instruction.
    pub op: Op,
    /// The chip it was decoded, or parsed, for.
    pub chip: Chip,
    /// The encoding of the instruction.
    pub form: Form,
    /// The length in bytes: 4, 8, or 16 for a matrix instruction with scales.
    pub len: u8,
    /// Operands, in the order of the row.
    pub operands: [Operand; MAX_OPERANDS],
    /// The modifiers beside the operands.
    pub mods: Mods,
    /// The spelling of the text, where the bytes do not determine it.
    pub spelling: Spelling,
}

impl Inst {
    /// Returns the table row of this instruction.
    #[inline]
    pub fn row(&self) -> &'static Row {
        self.op.row()
    }

    /// Returns the operand in `field`, or `Operand::None`.
    #[inline]
    pub fn operand(&self, field: Field) -> Operand {
        let specs = self.row().operands;
        specs
            .iter()
            .position(|s| s.field == field)
            .map_or(Operand::None, |i| self.operands[i])
    }

    /// Stores `operand` in the slot of `field`.
    pub(crate) fn set(&mut self, field: Field, operand: Operand) {
        let specs = self.row().operands;
        if let Some(i) = specs.iter().position(|s| s.field == field) {
            self.operands[i] = operand;
        }
    }

    /// Returns the instruction with another number in its 16-bit field, if it has one: the distance of a branch.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, parse};
    /// let inst = parse("s_branch 0", Chip::Gfx900)?.with_simm16(7);
    /// assert_eq!(inst.to_string(), "s_branch 7");
    /// # Ok::<(), wavetank_gcn::ParseError>(())
    /// ```
    pub fn with_simm16(mut self, number: u16) -> Inst {
        self.set(Field::Simm16, Operand::Imm(number.into()));
        self
    }

    /// Returns the instruction with another literal, if it has one.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, parse};
    /// let inst = parse("s_mov_b32 s0, 0x1234", Chip::Gfx900)?.with_literal(0x5678);
    /// assert_eq!(inst.to_string(), "s_mov_b32 s0, 0x5678");
    /// # Ok::<(), wavetank_gcn::ParseError>(())
    /// ```
    pub fn with_literal(mut self, number: u32) -> Inst {
        for operand in &mut self.operands {
            if let Operand::Literal(literal) = operand {
                *literal = number;
            }
        }
        self
    }

    /// Whether any of the given modifiers is set.
    #[inline]
    pub fn has(&self, flags: Flags) -> bool {
        self.mods.flags.intersects(flags)
    }

    /// Returns the number of consecutive registers that operand `i` spans. It follows from the operand's type or, for addresses
    /// and data of buffers and images, from the modifiers. Immediates, and slots after the row's operands, span none.
    #[inline]
    pub fn dwords(&self, i: usize) -> u8 {
        let Some(spec) = self.row().operands.get(i) else {
            return 0;
        };
        match (self.form, spec.field) {
            (Form::Mubuf | Form::Mtbuf, Field::Vaddr) => {
                let both = self.has(Flags::OFFEN) && self.has(Flags::IDXEN);
                if both || self.has(Flags::ADDR64) {
                    2
                } else {
                    1
                }
            }
            (Form::Mimg, Field::Vaddr) => self.row().addresses.max(self.spelling.addresses),
            (Form::Global, Field::Vaddr) => {
                if self.operand(Field::Saddr) == Operand::Off {
                    2
                } else {
                    1
                }
            }
            (Form::Scratch, Field::Vaddr | Field::Saddr) => 1,
            (Form::Mai | Form::MaiScaled, Field::Src0 | Field::Src1) => self.matrix_dwords(spec),
            (Form::Mimg, Field::Vdata) => self.image_data() + u8::from(self.has(Flags::TFE)),
            (Form::Mubuf | Form::Mtbuf, Field::Vdata) => {
                self.buffer_data(spec.ty) + u8::from(self.has(Flags::TFE))
            }
            _ => spec.ty.dwords(),
        }
    }

    /// Returns the number of registers of A or B. CBSZ and BLGP can choose their types.
    fn matrix_dwords(&self, spec: &OperandSpec) -> u8 {
        match self.row().shape {
            Some(shape) if shape.a == MatrixType::F8f6f4 => {
                let widest = MatrixType::Executed(ElementType::Fp8);
                if spec.field == Field::Src0 {
                    shape.a_dwords(shape.a.chosen(self.mods.cbsz).unwrap_or(widest))
                } else {
                    shape.b_dwords(shape.b.chosen(self.mods.blgp).unwrap_or(widest))
                }
            }
            _ => spec.ty.dwords(),
        }
    }

    /// Returns the number of consecutive registers that operand `i` reaches: those of [`dwords`](Self::dwords), and for loads the
    /// status register of LWE without TFE. Compilers reserve a register for it (LLVM's code generator, `lwe`), and assemblers do
    /// not count it.
    pub fn reach(&self, i: usize) -> u8 {
        let alone = self.has(Flags::LWE) && !self.has(Flags::TFE);
        let spec = self.row().operands.get(i);
        let loaded = spec.is_some_and(|s| s.field == Field::Vdata && s.access == Access::Write);
        self.dwords(i) + u8::from(alone && loaded)
    }

    /// Whether 16-bit components are packed in pairs: on gfx9, and on gfx810 of gfx8.
    fn packs_d16(&self) -> bool {
        self.chip >= Chip::Gfx810
    }

    /// Returns the number of data registers of an image instruction: one for each component in DMASK, four for a gather.
    fn image_data(&self) -> u8 {
        let components = if self.row().has(Features::GATHER) {
            4
        } else {
            self.mods.dmask.count_ones().max(1) as u8
        };
        if self.has(Flags::D16) && self.packs_d16() {
            components.div_ceil(2)
        } else {
            components
        }
    }

    /// Returns the number of data registers of a buffer instruction; rows give the packed number.
    fn buffer_data(&self, ty: Ty) -> u8 {
        match self.row().mnemonic(self.chip.generation()) {
            // Unpacked, one register for each of x, y, z and w at the end of the name.
            Some(name) if self.row().has(Features::D16) && !self.packs_d16() => {
                name.rsplit('_').next().map_or(1, str::len) as u8
            }
            _ => ty.dwords(),
        }
    }
}
