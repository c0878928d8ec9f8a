//! The structure of a row of the instruction table, and the functions that rows are written with.
//!
//! The constructor functions at the end are the vocabulary of the table files:
//! `dst(F32)`, `src0(U32).sgpr()`, `row("v_min_f32", …).clamp()`.

pub(super) use super::Chips;
use super::{Features, Field, Ty};
use crate::generation::{Chip, Generation};
use crate::shapes::Shape;

/// The access to an operand: read, written or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Access {
    /// The operand is only read.
    Read,
    /// The operand is only written.
    Write,
    /// Read, then written; a partial write that keeps the other bits counts.
    ReadWrite,
    /// Written when GLC is set, absent otherwise: the separate return register
    /// of FLAT atomics.
    WriteIfGlc,
    /// Read, and replaced by the value before when GLC is set: the data
    /// register of buffer, image and scalar atomics.
    ReadWriteIfGlc,
}

impl Access {
    /// Whether the operand's old value can affect the result.
    pub const fn reads(self) -> bool {
        matches!(
            self,
            Access::Read | Access::ReadWrite | Access::ReadWriteIfGlc
        )
    }

    /// Whether the operand can be written.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Read)
    }
}

/// The operands that are allowed in a place, and their notation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Every operand that the field can name: SGPR, VGPR, inline constant, literal.
    Source,
    /// A VGPR, or a span of them. For the data of memory instructions, from gfx90a on also AGPRs.
    Vgpr,
    /// An AGPR, or a span of them.
    Agpr,
    /// A VGPR, an AGPR, or a span of either.
    Vector,
    /// The matrix that is added to: registers of the same file as the result, or an inline constant.
    Accumulator,
    /// An SGPR, or a span of them.
    Sgpr,
    /// An SGPR, M0 or an inline constant: lane selects, scalar offsets.
    Scalar,
    /// A 32-bit literal that is always present: K of v_madmk.
    Literal,
    /// A 16-bit number in hexadecimal.
    Simm16,
    /// A 16-bit number, decimal if small: s_nop, s_sleep.
    Count,
    /// A decimal 16-bit number that is left out when zero: s_endpgm.
    OptionalCount,
    /// A signed distance in dwords from the next instruction.
    Target,
    /// A hardware register with offset and size: `hwreg(HW_REG_MODE, 0, 4)`.
    Hwreg,
    /// The counters to wait for: `vmcnt(0) lgkmcnt(0)`.
    Waitcnt,
    /// A message: `sendmsg(MSG_INTERRUPT)`.
    Sendmsg,
    /// The operands that M0 indexes: `gpr_idx(SRC0,DST)`.
    GprIdx,
    /// An attribute with its channel: `attr0.x`.
    Attr,
    /// An interpolation parameter: `p10`, `p20`, `p0`.
    Param,
    /// An export target: `mrt0`, `pos0`, `param0`.
    ExportTarget,
    /// The permission bits of s_atc_probe, decimal if small.
    Probe,
}

/// One operand of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandSpec {
    /// The field of the encoding.
    pub field: Field,
    /// The type of the bits, which also determines the width.
    pub ty: Ty,
    /// Whether the operand is read or written.
    pub access: Access,
    /// The operands that are allowed.
    pub kind: Kind,
    /// Whether float constants are halves although the operand is an integer.
    pub half_constants: bool,
}

/// State outside the operands that an instruction reads or writes, as a set.
///
/// Every vector instruction reads EXEC, unless the row excludes it, and every VALU instruction reads MODE. Rows do not repeat
/// this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Implicit(pub u8);

/// The scalar condition code.
pub const SCC: Implicit = Implicit(1);
/// The vector condition code, where it is not an operand of the text.
pub const VCC: Implicit = Implicit(2);
/// The mask of active lanes.
pub const EXEC: Implicit = Implicit(4);
/// The memory register M0.
pub const M0: Implicit = Implicit(8);
/// MODE and the other hardware registers.
pub const MODE: Implicit = Implicit(16);
/// The program counter, which jumps write, and instructions that save it read.
pub const PC: Implicit = Implicit(32);

impl Implicit {
    /// Returns the union of both sets.
    pub const fn and(self, other: Implicit) -> Implicit {
        Implicit(self.0 | other.0)
    }

    /// Whether every register of `other` is in this set.
    pub const fn contains(self, other: Implicit) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The unit that executes an instruction, used for statistics, hazards and wait counters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Instructions of the scalar ALU.
    Salu,
    /// Branches, program end, traps.
    Branch,
    /// Messages by s_sendmsg and s_sendmsghalt.
    Message,
    /// Scalar memory: counts LGKM.
    Smem,
    /// Instructions of the vector ALU.
    Valu,
    /// Buffer and image memory: counts VM (and EXP for stores on gfx6).
    Vmem,
    /// FLAT, GLOBAL and SCRATCH: count VM, and FLAT also LGKM.
    Flat,
    /// LDS and GDS: counts LGKM.
    Lds,
    /// Interpolation: VALU that reads LDS.
    Interp,
    /// Exports, which count EXP.
    Export,
}

/// A row of the instruction table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// LLVM's mnemonic without form suffix, by [`Generation`]. FLAT rows hold the FLAT name; GLOBAL and SCRATCH replace its
    /// prefix.
    pub mnemonics: [Option<&'static str>; 4],
    /// The opcode in the home encoding, by [`Generation`].
    pub opcodes: [Option<u16>; 4],
    /// The VOP2 opcode on gfx6 and gfx7 of an instruction that is at home in VOP3.
    pub vop2: [Option<u16>; 4],
    /// The operands in the order of the text.
    pub operands: &'static [OperandSpec],
    /// Implicit state that is read.
    pub reads: Implicit,
    /// Implicit state that is written.
    pub writes: Implicit,
    /// The unit that executes the instruction.
    pub class: Class,
    /// The chips of gfx9 that have the instruction.
    pub chips: Chips,
    /// The chips of gfx9 that have it in every form. Without these forms, an instruction of VOP2 has the short one alone, and one
    /// of FLAT only those of the other segments.
    pub all_forms: Chips,
    /// The name and opcode from gfx942 on, where they differ.
    pub renamed: Option<(&'static str, u16)>,
    /// The shape of a matrix instruction.
    pub shape: Option<Shape>,
    /// Generations (bit g: generation g) in which LLVM's text rejects the instruction, although CLRX or the tables of LLVM's
    /// decoder list the opcode.
    pub unlisted: u8,
    /// Features, as bits of [`Features`].
    pub features: Features,
    /// MIMG: the fewest address registers that any image dimension needs, with 16-bit coordinates. The number read depends on the
    /// resource.
    pub addresses: u8,
}

impl Row {
    /// Whether `chip` has this instruction.
    pub const fn exists_on(&self, chip: Chip) -> bool {
        self.opcode(chip).is_some()
    }

    /// Returns the mnemonic without form suffix, if the generation has it. Chips of CDNA can have another: [`Row::name`].
    pub const fn mnemonic(&self, generation: Generation) -> Option<&'static str> {
        self.mnemonics[generation as usize]
    }

    /// Returns the mnemonic without form suffix on a chip, if its generation has the instruction.
    pub const fn name(&self, chip: Chip) -> Option<&'static str> {
        match self.renamed {
            Some((name, _)) if Chips::FROM_942.include(chip) => Some(name),
            _ => self.mnemonic(chip.generation()),
        }
    }

    /// Returns the opcode in the home encoding on a chip, if it has the instruction.
    pub const fn opcode(&self, chip: Chip) -> Option<u16> {
        if !self.chips.contain(chip) {
            return None;
        }
        match self.renamed {
            Some((_, opcode)) if Chips::FROM_942.include(chip) => Some(opcode),
            _ => self.opcodes[chip.generation() as usize],
        }
    }

    /// Whether any of the given [`Features`] is set.
    pub const fn has(&self, features: Features) -> bool {
        self.features.intersects(features)
    }

    /// Whether EXEC selects the lanes that take part.
    pub const fn reads_exec(&self) -> bool {
        let scalar = matches!(
            self.class,
            Class::Salu | Class::Branch | Class::Message | Class::Smem
        );
        self.reads.contains(EXEC) || !scalar && !self.has(Features::NO_EXEC)
    }

    /// Whether LLVM's text has the instruction on `generation`.
    pub const fn listed(&self, generation: Generation) -> bool {
        self.unlisted & (1 << generation as u8) == 0
    }

    /// Whether the source `spec` takes neg and abs.
    pub const fn takes_neg(&self, spec: &OperandSpec) -> bool {
        matches!(spec.kind, Kind::Source | Kind::Vgpr)
            && matches!(spec.field, Field::Src0 | Field::Src1 | Field::Src2)
            && (spec.ty.is_float() || self.has(Features::SRC_MODS))
    }

    /// Whether any operand is 64 bits of data: such instructions have no
    /// documented SDWA or DPP form.
    pub const fn is_wide(&self) -> bool {
        let mut i = 0;
        while i < self.operands.len() {
            if !matches!(self.operands[i].ty, Ty::Mask) && self.operands[i].ty.dwords() == 2 {
                return true;
            }
            i += 1;
        }
        false
    }
}

impl Ty {
    /// Whether the type is a floating-point number, or a pair of them.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Ty::F16 | Ty::Bf16 | Ty::F32 | Ty::F64 | Ty::V2F16 | Ty::V2Bf16 | Ty::V2F32
        )
    }

    /// Returns the width of constants in 32-bit registers. For several numbers, it is that of one of them.
    pub(crate) const fn constant_dwords(self) -> u8 {
        match self {
            Ty::V2F32 => 1,
            Ty::V4F64 => 2,
            ty => ty.dwords(),
        }
    }

    /// Returns the width in 32-bit registers; immediates have none.
    pub const fn dwords(self) -> u8 {
        match self {
            Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 | Ty::V2F32 | Ty::Mask => 2,
            Ty::B96 => 3,
            Ty::B128 => 4,
            Ty::B256 => 8,
            Ty::B192 => 6,
            Ty::V4F64 => 8,
            Ty::B512 => 16,
            Ty::B1024 => 32,
            Ty::Imm => 0,
            _ => 1,
        }
    }
}

// The functions that the table files use.

/// No opcode in this generation.
pub(super) const __: u16 = u16::MAX;

const fn option(opcode: u16) -> Option<u16> {
    if opcode == __ { None } else { Some(opcode) }
}

const fn options([a, b, c, d]: [u16; 4]) -> [Option<u16>; 4] {
    [option(a), option(b), option(c), option(d)]
}

/// Makes a row with the same name in every generation that lists an opcode.
///
/// A float result can be clamped and scaled, and a float source makes the result clampable, unless the row excludes this.
pub(super) const fn row(
    name: &'static str,
    opcodes: [u16; 4],
    operands: &'static [OperandSpec],
) -> Row {
    let opcodes = options(opcodes);
    let mut mnemonics = [None; 4];
    let mut g = 0;
    while g < 4 {
        if opcodes[g].is_some() {
            mnemonics[g] = Some(name);
        }
        g += 1;
    }
    let mut features = Features::empty();
    let mut i = 0;
    while i < operands.len() {
        if matches!(operands[i].ty, Ty::F16 | Ty::F32 | Ty::F64) {
            features = features.union(match operands[i].field {
                Field::Vdst => Features::CLAMP.union(Features::OMOD),
                _ => Features::CLAMP,
            });
        }
        i += 1;
    }
    Row {
        mnemonics,
        opcodes,
        vop2: [None; 4],
        operands,
        reads: Implicit(0),
        writes: Implicit(0),
        class: Class::Salu,
        chips: Chips::ALL,
        all_forms: Chips::ALL,
        renamed: None,
        shape: None,
        unlisted: 0,
        features,
        addresses: 0,
    }
}

impl Row {
    /// Sets the names by generation, where they differ.
    pub(super) const fn names(mut self, names: [&'static str; 4]) -> Row {
        let mut g = 0;
        while g < 4 {
            if self.opcodes[g].is_some() {
                self.mnemonics[g] = Some(names[g]);
            }
            g += 1;
        }
        self
    }

    const fn with(mut self, features: Features) -> Row {
        self.features = self.features.union(features);
        self
    }

    const fn without(mut self, features: Features) -> Row {
        self.features = self.features.difference(features);
        self
    }

    pub(super) const fn reads(mut self, state: Implicit) -> Row {
        self.reads = state;
        self
    }

    pub(super) const fn writes(mut self, state: Implicit) -> Row {
        self.writes = state;
        self
    }

    pub(super) const fn class(mut self, class: Class) -> Row {
        self.class = class;
        self
    }

    /// Sets the class of the family, unless the row has one of its own.
    pub(super) const fn or_class(mut self, class: Class) -> Row {
        if matches!(self.class, Class::Salu) {
            self.class = class;
        }
        self
    }

    pub(super) const fn on(mut self, chips: Chips) -> Row {
        self.chips = chips;
        self
    }

    /// Sets the chips of gfx9 that have every form of the instruction.
    pub(super) const fn all_forms_on(mut self, chips: Chips) -> Row {
        self.all_forms = chips;
        self
    }

    /// Sets the name and the opcode from gfx942 on.
    pub(super) const fn named_942(mut self, name: &'static str, opcode: u16) -> Row {
        self.renamed = Some((name, opcode));
        self
    }

    /// Sets the shape of a matrix instruction.
    pub(super) const fn shape(mut self, shape: Shape) -> Row {
        self.shape = Some(shape);
        self
    }

    /// Marks generations in which LLVM's text rejects the instruction.
    pub(super) const fn unlisted<const N: usize>(mut self, generations: [u8; N]) -> Row {
        let mut i = 0;
        while i < N {
            self.unlisted |= 1 << (generations[i] - 6);
            i += 1;
        }
        self
    }

    /// Sets the VOP2 opcodes of an instruction that is at home in VOP3.
    pub(super) const fn vop2(mut self, opcodes: [u16; 4]) -> Row {
        self.vop2 = options(opcodes);
        self
    }

    pub(super) const fn addresses(mut self, count: u8) -> Row {
        self.addresses = count;
        self
    }

    pub(super) const fn clamp(self) -> Row {
        self.with(Features::CLAMP)
    }

    pub(super) const fn no_clamp(self) -> Row {
        self.without(Features::CLAMP)
    }

    pub(super) const fn omod(self) -> Row {
        self.with(Features::OMOD)
    }

    pub(super) const fn no_omod(self) -> Row {
        self.without(Features::OMOD)
    }

    pub(super) const fn op_sel(self) -> Row {
        self.with(Features::OP_SEL)
    }

    pub(super) const fn src_mods(self) -> Row {
        self.with(Features::SRC_MODS)
    }

    pub(super) const fn no_vop3(self) -> Row {
        self.with(Features::NO_VOP3)
    }

    pub(super) const fn no_sdwa(self) -> Row {
        self.with(Features::NO_SDWA)
    }

    pub(super) const fn no_sdwa_gfx9(self) -> Row {
        self.with(Features::NO_SDWA_GFX9)
    }

    pub(super) const fn no_dpp(self) -> Row {
        self.with(Features::NO_DPP)
    }

    pub(super) const fn no_suffix(self) -> Row {
        self.with(Features::NO_SUFFIX)
    }

    pub(super) const fn two_offsets(self) -> Row {
        self.with(Features::TWO_OFFSETS)
    }

    pub(super) const fn gds_only(self) -> Row {
        self.with(Features::GDS_ONLY)
    }

    pub(super) const fn lds(self) -> Row {
        self.with(Features::LDS)
    }

    pub(super) const fn lds_only(self) -> Row {
        self.with(Features::LDS_ONLY)
    }

    pub(super) const fn d16(self) -> Row {
        self.with(Features::D16)
    }

    pub(super) const fn gather(self) -> Row {
        self.with(Features::GATHER)
    }

    pub(super) const fn no_exec(self) -> Row {
        self.with(Features::NO_EXEC)
    }

    pub(super) const fn indexed(self) -> Row {
        self.with(Features::INDEXED)
    }

    pub(super) const fn no_memory(self) -> Row {
        self.with(Features::NO_MEMORY)
    }

    pub(super) const fn updates(self) -> Row {
        self.with(Features::UPDATES)
    }

    pub(super) const fn compares(self) -> Row {
        self.with(Features::COMPARES)
    }

    pub(super) const fn constant(self) -> Row {
        self.with(Features::CONSTANT)
    }

    pub(super) const fn keeps_half(self) -> Row {
        self.with(Features::KEEPS_HALF)
    }

    pub(super) const fn half_attr(self) -> Row {
        self.with(Features::HALF_ATTR)
    }

    pub(super) const fn wide_sdwa(self) -> Row {
        self.with(Features::WIDE_SDWA)
    }

    pub(super) const fn bitop3(self) -> Row {
        self.with(Features::BITOP3)
    }

    pub(super) const fn op_sel_byte(self) -> Row {
        self.with(Features::OP_SEL_BYTE)
    }

    pub(super) const fn op_sel_950(self) -> Row {
        self.with(Features::OP_SEL_950)
    }

    pub(super) const fn whole_dst(self) -> Row {
        self.with(Features::WHOLE_DST)
    }

    pub(super) const fn lds_950(self) -> Row {
        self.with(Features::LDS_950)
    }

    pub(super) const fn caches(self) -> Row {
        self.with(Features::CACHES)
    }

    pub(super) const fn fetches_inactive(self) -> Row {
        self.with(Features::FETCHES_INACTIVE)
    }

    pub(super) const fn selects_only(self) -> Row {
        self.with(Features::SELECTS_ONLY)
    }

    pub(super) const fn no_scratch(self) -> Row {
        self.with(Features::NO_SCRATCH)
    }
}

impl OperandSpec {
    /// Returns the type that determines the format of inline float constants.
    pub const fn constant_ty(&self) -> Ty {
        if self.half_constants {
            Ty::F16
        } else {
            self.ty
        }
    }

    pub(super) const fn read(mut self) -> OperandSpec {
        self.access = Access::Read;
        self
    }

    /// Makes the operand read and written.
    pub(super) const fn rmw(mut self) -> OperandSpec {
        self.access = Access::ReadWrite;
        self
    }

    /// Makes the operand the data register of an atomic: with GLC, it is a separate return register, or the source that is
    /// replaced.
    pub(super) const fn if_glc(mut self) -> OperandSpec {
        self.access = match self.access {
            Access::ReadWrite => Access::ReadWriteIfGlc,
            _ => Access::WriteIfGlc,
        };
        self
    }

    pub(super) const fn vgpr(mut self) -> OperandSpec {
        self.kind = Kind::Vgpr;
        self
    }

    pub(super) const fn agpr(mut self) -> OperandSpec {
        self.kind = Kind::Agpr;
        self
    }

    pub(super) const fn vector(mut self) -> OperandSpec {
        self.kind = Kind::Vector;
        self
    }

    pub(super) const fn accumulator(mut self) -> OperandSpec {
        self.kind = Kind::Accumulator;
        self
    }

    pub(super) const fn scalar(mut self) -> OperandSpec {
        self.kind = Kind::Scalar;
        self
    }

    /// "S1 has a format of f16 since floating point literal constants are interpreted as 16 bit value for this opcode" (Vega
    /// ISA, V_LDEXP_F16 and V_CMP_CLASS_F16).
    pub(super) const fn half_constants(mut self) -> OperandSpec {
        self.half_constants = true;
        self
    }
}

/// Declares the functions for operands that a table file can use.
macro_rules! operands {
    ($($(#[$doc:meta])* $name:ident($($ty:ident)?) = $field:ident, $fixed:expr, $access:ident, $kind:ident;)*) => {
        $(
            $(#[$doc])*
            pub(super) const fn $name($($ty: Ty)?) -> OperandSpec {
                OperandSpec {
                    field: Field::$field,
                    ty: $fixed,
                    access: Access::$access,
                    kind: Kind::$kind,
                    half_constants: false,
                }
            }
        )*
    };
}

operands! {
    // Operands of the vector ALU.
    dst(ty)        = Vdst,    ty,       Write, Vgpr;
    /// A scalar destination in the VDST field: v_readlane_b32.
    sgpr_dst(ty)   = Vdst,    ty,       Write, Sgpr;
    /// The mask a carry or a compare writes: VCC in the short forms.
    mask_out()     = Sdst,    Ty::Mask, Write, Sgpr;
    /// The mask a carry or a select reads: VCC in the short forms.
    mask_in()      = CarryIn, Ty::Mask, Read,  Sgpr;
    src0(ty)       = Src0,    ty,       Read,  Source;
    src1(ty)       = Src1,    ty,       Read,  Source;
    src2(ty)       = Src2,    ty,       Read,  Source;
    literal(ty)    = Literal, ty,       Read,  Literal;
    attr()         = Attr,    Ty::Imm,  Read,  Attr;
    param()        = Param,   Ty::Imm,  Read,  Param;
    // Operands of the scalar ALU and of control instructions.
    sdst(ty)       = Sdst,    ty,       Write, Sgpr;
    simm16()       = Simm16,  Ty::Imm,  Read,  Simm16;
    count()        = Simm16,  Ty::Imm,  Read,  Count;
    optional()     = Simm16,  Ty::Imm,  Read,  OptionalCount;
    target()       = Simm16,  Ty::Imm,  Read,  Target;
    hwreg()        = Simm16,  Ty::Imm,  Read,  Hwreg;
    waitcnt()      = Simm16,  Ty::Imm,  Read,  Waitcnt;
    sendmsg()      = Simm16,  Ty::Imm,  Read,  Sendmsg;
    gpr_idx()      = Simm16,  Ty::Imm,  Read,  GprIdx;
    /// The index mask of s_set_gpr_idx_on, which is in SSRC1.
    gpr_idx_src1() = Src1,    Ty::Imm,  Read,  GprIdx;
    // Operands of scalar memory.
    sbase(ty)      = Sbase,   ty,       Read,  Sgpr;
    sdata(ty)      = Sdata,   ty,       Read,  Sgpr;
    probe()        = Sdata,   Ty::Imm,  Read,  Probe;
    soffset()      = Soffset, Ty::U32,  Read,  Scalar;
    // Operands of vector memory, LDS and export.
    vdata(ty)      = Vdata,   ty,       Write, Vgpr;
    vaddr()        = Vaddr,   Ty::B32,  Read,  Vgpr;
    vaddr64()      = Vaddr,   Ty::B64,  Read,  Vgpr;
    data0(ty)      = Data0,   ty,       Read,  Vgpr;
    data1(ty)      = Data1,   ty,       Read,  Vgpr;
    saddr()        = Saddr,   Ty::B64,  Read,  Sgpr;
    srsrc(ty)      = Srsrc,   ty,       Read,  Sgpr;
    ssamp()        = Ssamp,   Ty::B128, Read,  Sgpr;
    export_target() = Target, Ty::Imm,  Read,  ExportTarget;
    exp0()         = Exp0,    Ty::B32,  Read,  Vgpr;
    exp1()         = Exp1,    Ty::B32,  Read,  Vgpr;
    exp2()         = Exp2,    Ty::B32,  Read,  Vgpr;
    exp3()         = Exp3,    Ty::B32,  Read,  Vgpr;
}
