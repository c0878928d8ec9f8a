//! The instruction table, with one row for each instruction and one file for each encoding.
//!
//! Each file corresponds to a section of the ISA manual. A row has the operation, its name, its opcode on gfx6, gfx7, gfx8 and
//! gfx9, and its operands in the order of the text. A file generates one enum; [`Op`] is any of them. The forms promoted to VOP3,
//! SDWA and DPP follow from the home row: [`Op::vop3`], [`Op::sdwa`], [`Op::dpp`].

mod chips;
mod feature;
mod row;

use crate::form::Form;
use crate::generation::{Chip, Generation};

pub use chips::Chips;
pub use feature::Features;
pub use row::{Access, Class, EXEC, Implicit, Kind, M0, MODE, OperandSpec, PC, Row, SCC, VCC};

/// The field of the encoding that holds an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Field {
    /// Vector destination: VDST.
    Vdst,
    /// Scalar destination: SDST of SOP*, VOP3b, VOPC in VOP3 or SDWA form,
    /// VCC where the short form implies it, SMEM data of loads.
    Sdst,
    /// First source: SRC0, SSRC0.
    Src0,
    /// Second source: SRC1, VSRC1, SSRC1.
    Src1,
    /// Third source: SRC2.
    Src2,
    /// The carry-in or condition mask: VCC in short forms, SRC2 in VOP3.
    CarryIn,
    /// The literal K of v_madmk, v_madak, v_fmamk, v_fmaak; the 32-bit
    /// immediate of s_setreg_imm32_b32.
    Literal,
    /// SOPK, SOPP: the 16-bit immediate (branch target, hwreg, waitcnt …).
    Simm16,
    /// SMEM: base address or resource.
    Sbase,
    /// SMEM: data that is stored, or loaded and replaced.
    Sdata,
    /// SMEM, MUBUF, MTBUF: scalar offset.
    Soffset,
    /// Address VGPR(s): VADDR, ADDR of DS and FLAT.
    Vaddr,
    /// Data VGPR(s) of MUBUF, MTBUF, MIMG; source of a store, destination of
    /// a load.
    Vdata,
    /// First data operand of DS; DATA of FLAT, GLOBAL, SCRATCH.
    Data0,
    /// Second data operand of DS.
    Data1,
    /// Scalar base of GLOBAL and SCRATCH.
    Saddr,
    /// Buffer or image resource: the first of 4 or 8 SGPRs.
    Srsrc,
    /// Image sampler: the first of 4 SGPRs.
    Ssamp,
    /// VINTRP: attribute number and channel (`attr0.x`), 4·attr + channel.
    Attr,
    /// VINTRP: parameter (p10, p20, p0) of v_interp_mov_f32.
    Param,
    /// Target of an export.
    Target,
    /// Source 0 of an export; the others follow.
    Exp0,
    #[allow(missing_docs)]
    Exp1,
    #[allow(missing_docs)]
    Exp2,
    #[allow(missing_docs)]
    Exp3,
}

/// The type of an operand's bits, which determines its width, the meaning of constants and the accepted modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Ty {
    B8,
    B16,
    B32,
    B64,
    B96,
    B128,
    B192,
    B256,
    B512,
    B1024,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    /// 24-bit integers in a 32-bit register.
    U24,
    I24,
    F16,
    F32,
    F64,
    /// The upper half of a single.
    Bf16,
    /// Packed pairs of 16 bits (VOP3P).
    V2F16,
    V2I16,
    V2U16,
    V2Bf16,
    /// Packed pairs of singles (VOP3P).
    V2F32,
    /// Four doubles (VOP3P-MAI).
    V4F64,
    /// A 64-bit lane mask in two SGPRs.
    Mask,
    /// An immediate, which is not a register.
    Imm,
}

/// Generates the enum of an encoding, and its rows.
macro_rules! family {
    ($(#[$doc:meta])* $family:ident: $class:ident { $($op:ident = $row:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        #[repr(u16)]
        pub enum $family { $($op,)* }

        pub(super) static ROWS: [Row; $family::ALL.len()] = [$($row.or_class(Class::$class),)*];

        impl $family {
            /// Every instruction of the encoding, in the order of the table.
            pub const ALL: &'static [$family] = &[$($family::$op,)*];

            /// Returns the table row of the instruction.
            #[inline]
            pub fn row(self) -> &'static Row {
                &ROWS[self as usize]
            }
        }
    };
}

/// Joins the encodings into [`Op`].
macro_rules! encodings {
    ($($family:ident $file:ident $form:ident,)*) => {
        $(pub use $file::$family;)*

        /// An operation, independent of the generation: an encoding, and an instruction in it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Op { $($family($family),)* }

        impl Op {
            /// Returns the table row of the operation.
            #[inline]
            pub fn row(self) -> &'static Row {
                // Arms that only select a table compile to a look-up, not to a jump.
                let (rows, number) = match self {
                    $(Op::$family(op) => ($file::ROWS.as_slice(), op as usize),)*
                };
                &rows[number]
            }

            /// Returns the form that the table's opcodes are for.
            pub const fn home(self) -> Form {
                match self { $(Op::$family(_) => Form::$form,)* }
            }

            /// Returns an index that is unique to the operation and below [`Op::INDICES`].
            #[inline]
            pub(crate) const fn index(self) -> usize {
                let (family, number) = match self {
                    $(Op::$family(op) => (Form::$form, op as usize),)*
                };
                family as usize * FAMILY_ROOM + number
            }

            /// Returns every instruction, encoding by encoding.
            pub fn all() -> impl Iterator<Item = Op> {
                std::iter::empty()$(.chain($family::ALL.iter().map(|&op| Op::$family(op))))*
            }
        }

        $(impl From<$family> for Op {
            fn from(op: $family) -> Op {
                Op::$family(op)
            }
        })*
    };
}

// Declared after the macro `family`, which each of these modules uses.
mod ds;
mod exp;
mod flat;
mod mai;
mod mai_scaled;
mod mimg;
mod mtbuf;
mod mubuf;
mod smem;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod vintrp;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;

encodings! {
    Sop1 sop1 Sop1,
    Sop2 sop2 Sop2,
    Sopk sopk Sopk,
    Sopc sopc Sopc,
    Sopp sopp Sopp,
    Smem smem Smem,
    Vop1 vop1 Vop1,
    Vop2 vop2 Vop2,
    Vopc vopc Vopc,
    Vop3 vop3 Vop3,
    Vop3p vop3p Vop3p,
    Mai mai Mai,
    MaiScaled mai_scaled MaiScaled,
    Vintrp vintrp Vintrp,
    Ds ds Ds,
    Mubuf mubuf Mubuf,
    Mtbuf mtbuf Mtbuf,
    Mimg mimg Mimg,
    Flat flat Flat,
    Exp exp Exp,
}

/// A limit above the number of instructions in any family.
const FAMILY_ROOM: usize = 1 << 9;

impl Op {
    /// The limit of [`Op::index`].
    pub(crate) const INDICES: usize = FAMILY_ROOM * Form::ALL.len();

    /// Returns the opcode in the home encoding on `chip`.
    pub fn opcode(self, chip: Chip) -> Option<u16> {
        self.row().opcode(chip)
    }

    /// Returns the VOP3 opcode: the operation's own, or that of the promoted form (Vega ISA, 13.3.5 VOP3A: VOPC + 0, VOP2 +
    /// 0x100, VOP1 + 0x140, VINTRP + 0x270; gfx6 and gfx7 place VOP1 at + 0x180 and have no promoted VINTRP). Every VOP1 and VOP2
    /// has one in the encoding; LLVM's text lacks some, see [`Op::lists_vop3`].
    pub fn vop3(self, chip: Chip) -> Option<u16> {
        let opcode = self.opcode(chip)?;
        let old = chip.generation() < Generation::Gfx8;
        if matches!(self, Op::Vop2(_)) && !self.row().all_forms.contain(chip) {
            return None;
        }
        let base = match self {
            Op::Vop3(_) | Op::Vopc(_) => 0,
            Op::Vop2(_) => 0x100,
            Op::Vop1(_) => {
                if old {
                    0x180
                } else {
                    0x140
                }
            }
            Op::Vintrp(_) if !old => 0x270,
            _ => return None,
        };
        Some(base + opcode)
    }

    /// Whether LLVM's text has a VOP3 form on `chip`.
    pub fn lists_vop3(self, chip: Chip) -> bool {
        let promoted = !matches!(self, Op::Vop3(_) | Op::Vopc(_));
        // v_readlane and v_writelane of gfx6 and gfx7 have no suffix to distinguish forms, and only the short form.
        let short = matches!(self, Op::Vop3(_))
            && self.row().has(Features::NO_SUFFIX)
            && self.vop2(chip).is_some();
        self.vop3(chip).is_some() && !short && !(promoted && self.row().has(Features::NO_VOP3))
    }

    /// Returns the VOP2 opcode: the operation's own, or the short form of an instruction that later moved to VOP3.
    pub fn vop2(self, chip: Chip) -> Option<u16> {
        match self {
            Op::Vop2(_) => self.opcode(chip),
            _ => self.row().vop2[chip.generation() as usize],
        }
    }

    /// Returns the SCRATCH opcode of a FLAT instruction. Atomics have none.
    pub fn scratch(self, chip: Chip) -> Option<u16> {
        let missing = self.row().has(Features::NO_SCRATCH) || self.home() != Form::Flat;
        if missing { None } else { self.opcode(chip) }
    }

    /// Whether a FLAT instruction has the FLAT form on `chip`, beside those of other segments.
    pub fn flat(self, chip: Chip) -> bool {
        self.home() == Form::Flat && self.row().all_forms.contain(chip)
    }

    /// Whether LLVM's text has an SDWA form on `chip`.
    pub fn sdwa(self, chip: Chip) -> bool {
        let row = self.row();
        let refused = match chip.generation() {
            Generation::Gfx6 | Generation::Gfx7 => return false,
            Generation::Gfx8 => Features::NO_SDWA,
            Generation::Gfx9 => Features::NO_SDWA | Features::NO_SDWA_GFX9,
        };
        matches!(self, Op::Vop1(_) | Op::Vop2(_) | Op::Vopc(_))
            && row.exists_on(chip)
            && !row.has(refused)
            && row.all_forms.contain(chip)
            && (!row.is_wide() || row.has(Features::WIDE_SDWA))
    }

    /// Whether LLVM's text has a DPP form on `chip`.
    pub fn dpp(self, chip: Chip) -> bool {
        let row = self.row();
        chip.generation() >= Generation::Gfx8
            && matches!(self, Op::Vop1(_) | Op::Vop2(_))
            && row.exists_on(chip)
            && !row.has(Features::NO_DPP)
            && row.all_forms.contain(chip)
            && (!row.is_wide() || chip >= Chip::Gfx90a)
    }
}
