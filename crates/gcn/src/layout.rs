//! The bit layout of each encoding, for decoding and encoding alike (Vega ISA, chapter 13; the wiki seeds for gfx6 to gfx8).

use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::Flags;
use crate::tables::Field;

/// A run of bits of the 64-bit instruction word: start and width.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits(pub u8, pub u8);

impl Bits {
    /// Returns the largest value that fits.
    pub(crate) const fn max(self) -> u64 {
        (1 << self.1) - 1
    }

    /// Extracts the value from `word`.
    pub(crate) const fn get(self, word: u64) -> u64 {
        word >> self.0 & self.max()
    }

    /// Returns the value shifted into place; bits that do not fit are lost.
    pub(crate) const fn put(self, value: u64) -> u64 {
        (value & self.max()) << self.0
    }
}

/// The way in which a field names its operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// The encoding has no such field: the operand is VCC if it is a mask.
    Absent,
    /// A source code: SGPR, inline constant or literal; with 9 bits also VGPR.
    Source,
    /// An SDWA source: 8 bits, and on gfx9 a bit that makes it a scalar code.
    Sdwa(Option<u8>),
    /// The number of a VGPR.
    Vgpr,
    /// The number of an AGPR.
    Agpr,
    /// The number of a VGPR, or of an AGPR if this bit is set.
    Vector(u8),
    /// An SGPR, in units of this many registers.
    Sgpr(u8),
    /// The scalar destination of VOPC in SDWA form: bit 7 of the field marks registers other than VCC.
    SdwaSdst,
    /// A plain number, zero-extended.
    Unsigned,
    /// A plain number, sign-extended.
    Signed,
}

/// The place of a field in the word, and its coding.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub bits: Bits,
    pub coding: Coding,
}

impl Place {
    /// The place of a field that is not in the encoding.
    pub(crate) const ABSENT: Place = Place {
        bits: NOWHERE,
        coding: Coding::Absent,
    };
}

const FIELDS: usize = Field::Exp3 as usize + 1;

/// The layout of a form in a generation.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// The bits that identify the encoding.
    pub base: u64,
    /// The bits of the opcode.
    pub opcode: Bits,
    /// The length in bytes, 4 or 8, without a literal.
    pub len: u8,
    /// Whether a literal can follow.
    pub literal: bool,
    /// On/off modifiers with the number of their bit.
    pub flags: &'static [(Flags, u8)],
    /// The bits of the immediate offset; signed if `signed_offset` is set.
    pub offset: Bits,
    pub signed_offset: bool,
    places: [Place; FIELDS],
}

impl Layout {
    /// Returns the place of a field.
    pub(crate) const fn place(&self, field: Field) -> Place {
        self.places[field as usize]
    }
}

/// An empty range of bits, which reads as zero.
pub(crate) const NOWHERE: Bits = Bits(0, 0);

/// Makes the layout of a 32-bit encoding, with its identifying bits and opcode field.
const fn short(base: u32, opcode: Bits) -> Layout {
    Layout {
        base: base as u64,
        opcode,
        len: 4,
        literal: true,
        flags: &[],
        offset: NOWHERE,
        signed_offset: false,
        places: [Place::ABSENT; FIELDS],
    }
}

/// Makes the layout of a 64-bit encoding.
const fn long(base: u32, opcode: Bits) -> Layout {
    let mut layout = short(base, opcode);
    layout.len = 8;
    layout.literal = false;
    layout
}

impl Layout {
    const fn at(mut self, field: Field, start: u8, width: u8, coding: Coding) -> Layout {
        self.places[field as usize] = Place {
            bits: Bits(start, width),
            coding,
        };
        self
    }

    const fn source(self, field: Field, start: u8, width: u8) -> Layout {
        self.at(field, start, width, Coding::Source)
    }

    const fn vgpr(self, field: Field, start: u8) -> Layout {
        self.at(field, start, 8, Coding::Vgpr)
    }

    const fn sgpr(self, field: Field, start: u8) -> Layout {
        self.at(field, start, 7, Coding::Sgpr(1))
    }

    const fn number(self, field: Field, start: u8, width: u8) -> Layout {
        self.at(field, start, width, Coding::Unsigned)
    }

    const fn flags(mut self, flags: &'static [(Flags, u8)]) -> Layout {
        self.flags = flags;
        self
    }

    const fn offset(mut self, bits: Bits) -> Layout {
        self.offset = bits;
        self
    }

    const fn signed_offset(mut self, bits: Bits) -> Layout {
        self.offset = bits;
        self.signed_offset = true;
        self
    }
}

/// The number of forms.
pub(crate) const FORMS: usize = Form::Exp as usize + 1;

static LAYOUTS: [[Layout; FORMS]; 6] = [
    layouts(Generation::Gfx6, Cdna::None),
    layouts(Generation::Gfx7, Cdna::None),
    layouts(Generation::Gfx8, Cdna::None),
    layouts(Generation::Gfx9, Cdna::None),
    layouts(Generation::Gfx9, Cdna::Two),
    layouts(Generation::Gfx9, Cdna::Three),
];

/// The changes of CDNA to the encodings of gfx9.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cdna {
    /// None, up to CDNA 1.
    None,
    /// CDNA 2: data in AGPRs.
    Two,
    /// CDNA 3: scratch with two addresses.
    Three,
}

/// Returns the layout of a form on a chip.
pub(crate) fn layout(form: Form, chip: Chip) -> &'static Layout {
    let version = match chip {
        Chip::Gfx90a => 4,
        Chip::Gfx942 | Chip::Gfx950 => 5,
        chip => chip.generation() as usize,
    };
    &LAYOUTS[version][form as usize]
}

/// Makes every layout of a generation, in the order of [`Form`].
const fn layouts(g: Generation, cdna: Cdna) -> [Layout; FORMS] {
    [
        sop1(),
        sop2(),
        sopk(),
        sopc(),
        sopp(),
        smem(g),
        vop1(),
        vop2(),
        vopc(),
        vop3(g),
        vop3p(),
        mai(),
        mai(),
        sdwa(g),
        dpp(),
        vintrp(g),
        ds(g, cdna),
        mubuf(g, cdna),
        mtbuf(g, cdna),
        mimg(g, cdna),
        flat(g, cdna, 0),
        flat(g, cdna, 2),
        flat(g, cdna, 1),
        exp(g),
    ]
}

/// Whether the generation is gfx6 or gfx7, which share most encodings.
const fn old(g: Generation) -> bool {
    matches!(g, Generation::Gfx6 | Generation::Gfx7)
}

const fn sop1() -> Layout {
    short(0xbe80_0000, Bits(8, 8))
        .sgpr(Field::Sdst, 16)
        .source(Field::Src0, 0, 8)
}

const fn sop2() -> Layout {
    short(0x8000_0000, Bits(23, 7))
        .sgpr(Field::Sdst, 16)
        .source(Field::Src0, 0, 8)
        .source(Field::Src1, 8, 8)
}

const fn sopk() -> Layout {
    short(0xb000_0000, Bits(23, 5))
        .sgpr(Field::Sdst, 16)
        .at(Field::Simm16, 0, 16, Coding::Signed)
}

const fn sopc() -> Layout {
    short(0xbf00_0000, Bits(16, 7))
        .source(Field::Src0, 0, 8)
        .source(Field::Src1, 8, 8)
}

const fn sopp() -> Layout {
    short(0xbf80_0000, Bits(16, 7)).at(Field::Simm16, 0, 16, Coding::Signed)
}

/// Makes the layout of scalar memory. SMRD has 8 bits of offset in dwords, SMEM 20 or 21 bits in bytes. The register that is part
/// of the offset is decoded separately: see `decode::smem_offset`.
const fn smem(g: Generation) -> Layout {
    if old(g) {
        return short(0xc000_0000, Bits(22, 5))
            .sgpr(Field::Sdst, 15)
            .at(Field::Sbase, 9, 6, Coding::Sgpr(2))
            .flags(&[(Flags::SMEM_IMM, 8)])
            .offset(Bits(0, 8));
    }
    let layout = long(0xc000_0000, Bits(18, 8))
        .sgpr(Field::Sdst, 6)
        .sgpr(Field::Sdata, 6)
        .at(Field::Sbase, 0, 6, Coding::Sgpr(2));
    match g {
        Generation::Gfx9 => layout
            .flags(&[
                (Flags::SMEM_SOFFSET, 14),
                (Flags::NV, 15),
                (Flags::GLC, 16),
                (Flags::SMEM_IMM, 17),
            ])
            .signed_offset(Bits(32, 21)),
        _ => layout
            .flags(&[(Flags::GLC, 16), (Flags::SMEM_IMM, 17)])
            .offset(Bits(32, 20)),
    }
}

const fn vop1() -> Layout {
    short(0x7e00_0000, Bits(9, 8))
        .vgpr(Field::Vdst, 17)
        .source(Field::Src0, 0, 9)
}

const fn vop2() -> Layout {
    short(0, Bits(25, 6))
        .vgpr(Field::Vdst, 17)
        .source(Field::Src0, 0, 9)
        .vgpr(Field::Src1, 9)
}

const fn vopc() -> Layout {
    short(0x7c00_0000, Bits(17, 8))
        .source(Field::Src0, 0, 9)
        .vgpr(Field::Src1, 9)
}

/// Makes the layout of VOP3A. VOP3B has SDST in place of ABS and OP_SEL, see [`VOP3B_SDST`].
const fn vop3(g: Generation) -> Layout {
    long(0xd000_0000, if old(g) { Bits(17, 9) } else { Bits(16, 10) })
        .vgpr(Field::Vdst, 0)
        .at(Field::Sdst, 0, 8, Coding::Sgpr(1))
        .source(Field::Src0, 32, 9)
        .source(Field::Src1, 41, 9)
        .source(Field::Src2, 50, 9)
        .source(Field::CarryIn, 50, 9)
        .number(Field::Attr, 32, 8)
        .number(Field::Param, 41, 9)
}

/// SDST of VOP3B, where VDST is a VGPR.
pub(crate) const VOP3B_SDST: Place = Place {
    bits: Bits(8, 7),
    coding: Coding::Sgpr(1),
};

const fn vop3p() -> Layout {
    long(0xd380_0000, Bits(16, 7))
        .vgpr(Field::Vdst, 0)
        .source(Field::Src0, 32, 9)
        .source(Field::Src1, 41, 9)
        .source(Field::Src2, 50, 9)
}

/// Makes the layout of VOP3P-MAI. The bits that select AGPRs ([`ACC_CD`], [`ACC`]) are read with the operands.
const fn mai() -> Layout {
    vop3p()
}

/// Matrix instructions: whether C and D are in AGPRs, from gfx90a on.
pub(crate) const ACC_CD: Bits = Bits(15, 1);
/// Matrix instructions: whether A is in AGPRs, and whether B is.
pub(crate) const ACC: Bits = Bits(59, 2);

/// Makes the layout of SDWA's second word; the first is that of the home form.
const fn sdwa(g: Generation) -> Layout {
    let (s0, s1) = match g {
        Generation::Gfx9 => (Some(55), Some(63)),
        _ => (None, None),
    };
    let layout = long(0, NOWHERE)
        .vgpr(Field::Vdst, 17)
        .at(Field::Src0, 32, 8, Coding::Sdwa(s0))
        .at(Field::Src1, 9, 8, Coding::Sdwa(s1));
    match g {
        Generation::Gfx9 => layout.at(Field::Sdst, 40, 8, Coding::SdwaSdst),
        _ => layout,
    }
}

/// Makes the layout of DPP's second word; the first is that of the home form.
const fn dpp() -> Layout {
    long(0, NOWHERE)
        .vgpr(Field::Vdst, 17)
        .vgpr(Field::Src0, 32)
        .vgpr(Field::Src1, 9)
}

const fn vintrp(g: Generation) -> Layout {
    let mut layout = short(if old(g) { 0xc800_0000 } else { 0xd400_0000 }, Bits(16, 2))
        .vgpr(Field::Vdst, 18)
        .vgpr(Field::Src1, 0)
        .number(Field::Param, 0, 8)
        .number(Field::Attr, 8, 8);
    layout.literal = false;
    layout
}

const fn ds(g: Generation, cdna: Cdna) -> Layout {
    let layout = long(0xd800_0000, if old(g) { Bits(18, 8) } else { Bits(17, 8) })
        .flags(if old(g) {
            &[(Flags::GDS, 17)]
        } else {
            &[(Flags::GDS, 16)]
        })
        .offset(Bits(0, 16))
        .vgpr(Field::Vaddr, 32);
    let data = data(cdna, 25);
    layout
        .at(Field::Data0, 40, 8, data)
        .at(Field::Data1, 48, 8, data)
        .at(Field::Vdst, 56, 8, data)
}

/// Returns the coding of the data of a memory instruction: from CDNA 2 on, a bit chooses AGPRs.
const fn data(cdna: Cdna, bit: u8) -> Coding {
    match cdna {
        Cdna::None => Coding::Vgpr,
        _ => Coding::Vector(bit),
    }
}

/// Makes the common layout of MUBUF and MTBUF.
const fn buffer(base: u32, opcode: Bits, cdna: Cdna) -> Layout {
    long(base, opcode)
        .offset(Bits(0, 12))
        .vgpr(Field::Vaddr, 32)
        .at(Field::Vdata, 40, 8, data(cdna, 55))
        .at(Field::Srsrc, 48, 5, Coding::Sgpr(4))
        .source(Field::Soffset, 56, 8)
}

const fn mubuf(g: Generation, cdna: Cdna) -> Layout {
    buffer(0xe000_0000, Bits(18, 7), cdna).flags(if !matches!(cdna, Cdna::None) {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::SCC, 15),
            (Flags::LDS, 16),
            (Flags::SLC, 17),
        ]
    } else if old(g) {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::ADDR64, 15),
            (Flags::LDS, 16),
            (Flags::SLC, 54),
            (Flags::TFE, 55),
        ]
    } else {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::LDS, 16),
            (Flags::SLC, 17),
            (Flags::TFE, 55),
        ]
    })
}

const fn mtbuf(g: Generation, cdna: Cdna) -> Layout {
    let opcode = if old(g) { Bits(16, 3) } else { Bits(15, 4) };
    buffer(0xe800_0000, opcode, cdna).flags(if !matches!(cdna, Cdna::None) {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::SCC, 53),
            (Flags::SLC, 54),
        ]
    } else if old(g) {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::ADDR64, 15),
            (Flags::SLC, 54),
            (Flags::TFE, 55),
        ]
    } else {
        &[
            (Flags::OFFEN, 12),
            (Flags::IDXEN, 13),
            (Flags::GLC, 14),
            (Flags::SLC, 54),
            (Flags::TFE, 55),
        ]
    })
}

/// The data and number format of MTBUF.
pub(crate) const DFMT: Bits = Bits(19, 4);
pub(crate) const NFMT: Bits = Bits(23, 3);

const fn mimg(g: Generation, cdna: Cdna) -> Layout {
    long(0xf000_0000, Bits(18, 7))
        .vgpr(Field::Vaddr, 32)
        .at(Field::Vdata, 40, 8, data(cdna, 16))
        .at(Field::Srsrc, 48, 5, Coding::Sgpr(4))
        .at(Field::Ssamp, 53, 5, Coding::Sgpr(4))
        .flags(match g {
            Generation::Gfx6 | Generation::Gfx7 => &[
                (Flags::UNORM, 12),
                (Flags::GLC, 13),
                (Flags::DA, 14),
                (Flags::R128, 15),
                (Flags::TFE, 16),
                (Flags::LWE, 17),
                (Flags::SLC, 25),
            ],
            Generation::Gfx8 => &[
                (Flags::UNORM, 12),
                (Flags::GLC, 13),
                (Flags::DA, 14),
                (Flags::R128, 15),
                (Flags::TFE, 16),
                (Flags::LWE, 17),
                (Flags::SLC, 25),
                (Flags::D16, 63),
            ],
            Generation::Gfx9 if !matches!(cdna, Cdna::None) => &[
                (Flags::SCC, 7),
                (Flags::UNORM, 12),
                (Flags::GLC, 13),
                (Flags::DA, 14),
                (Flags::A16, 15),
                (Flags::LWE, 17),
                (Flags::SLC, 25),
                (Flags::D16, 63),
            ],
            Generation::Gfx9 => &[
                (Flags::UNORM, 12),
                (Flags::GLC, 13),
                (Flags::DA, 14),
                (Flags::A16, 15),
                (Flags::TFE, 16),
                (Flags::LWE, 17),
                (Flags::SLC, 25),
                (Flags::D16, 63),
            ],
        })
}

/// The channel mask DMASK of MIMG.
pub(crate) const DMASK: Bits = Bits(8, 4);

/// Makes the layout of FLAT in a segment: 0 is FLAT, 1 is SCRATCH, 2 is GLOBAL. The last two exist from gfx9 on.
const fn flat(g: Generation, cdna: Cdna, segment: u32) -> Layout {
    let layout = long(0xdc00_0000 | segment << 14, Bits(18, 7))
        .vgpr(Field::Vaddr, 32)
        .at(Field::Data0, 40, 8, data(cdna, 55))
        .at(Field::Vdst, 56, 8, data(cdna, 55));
    match g {
        Generation::Gfx9 => {
            let layout = layout.flags(match cdna {
                Cdna::None => &[
                    (Flags::LDS, 13),
                    (Flags::GLC, 16),
                    (Flags::SLC, 17),
                    (Flags::NV, 55),
                ],
                Cdna::Two => &[
                    (Flags::LDS, 13),
                    (Flags::GLC, 16),
                    (Flags::SLC, 17),
                    (Flags::SCC, 25),
                ],
                Cdna::Three => &[(Flags::GLC, 16), (Flags::SLC, 17), (Flags::SCC, 25)],
            });
            if segment == 0 {
                layout.offset(Bits(0, 12))
            } else {
                layout.signed_offset(Bits(0, 13)).sgpr(Field::Saddr, 48)
            }
        }
        _ => layout.flags(&[(Flags::GLC, 16), (Flags::SLC, 17), (Flags::TFE, 55)]),
    }
}

/// SCRATCH from gfx942 on: whether VADDR is a part of the address.
pub(crate) const SVE: Bits = Bits(13, 1);

/// The code of SADDR without a scalar base.
pub(crate) const SADDR_OFF: u64 = 0x7f;

const fn exp(g: Generation) -> Layout {
    long(if old(g) { 0xf800_0000 } else { 0xc400_0000 }, NOWHERE)
        .flags(&[(Flags::COMPR, 10), (Flags::DONE, 11), (Flags::VM, 12)])
        .number(Field::Target, 4, 6)
        .vgpr(Field::Exp0, 32)
        .vgpr(Field::Exp1, 40)
        .vgpr(Field::Exp2, 48)
        .vgpr(Field::Exp3, 56)
}

/// The enable mask of EXP.
pub(crate) const EXP_EN: Bits = Bits(0, 4);
