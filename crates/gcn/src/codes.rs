//! Operand codes: which operand each code of a field names, as one table for each reading of a field.

use crate::form::Form;
use crate::inst::Operand;
use crate::layout::{Bits, Coding, Place};
use crate::numbers::sreg;
use crate::tables::{Field, Kind, OperandSpec};

/// The source code that announces a literal.
pub(crate) const LITERAL: u64 = 255;
/// The source code of the LDS dword at the address in M0.
const LDS_DIRECT: u64 = 254;
/// VCC, for short forms that imply it.
pub(crate) const VCC: Operand = Operand::Sgpr(sreg::VCC);

/// The operand of each code, or [`RESERVED`].
///
/// Fields of fewer than 9 bits repeat in the table, so that higher bits do not matter. A literal reads as zero here: its value
/// follows the instruction.
pub(crate) type Codes = [Operand; 512];

/// The operand of a code that names nothing. No field is wide enough for this number.
pub(crate) const RESERVED: Operand = Operand::Imm(i32::MIN);

/// A way of reading a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    coding: Coding,
    width: u8,
    kind: Kind,
    /// The alignment of the first register of a scalar span.
    align: u8,
    /// Whether the encoding has room for a literal.
    literal: bool,
    /// Whether the channel of an attribute is stored above its number, as in VOP3; in VINTRP it is below.
    channel_above: bool,
    /// Whether VCC is the operand if the encoding has no such field.
    implies_vcc: bool,
}

impl Reading {
    /// A reading without an operand.
    pub(crate) const NONE: Reading = Reading {
        coding: Coding::Absent,
        width: 0,
        kind: Kind::Source,
        align: 1,
        literal: false,
        channel_above: false,
        implies_vcc: false,
    };

    /// Returns how the operand of a specification is read in a form.
    pub(crate) fn new(spec: &OperandSpec, form: Form, place: Place, literal: bool) -> Reading {
        let coding = place.coding;
        let is_address = form == Form::Scratch && spec.field == Field::Saddr;
        // The low bits of the code of a pair or longer span are ignored (Vega ISA, 3.6.2).
        let align = match (coding, spec.ty.dwords()) {
            (
                Coding::Vgpr | Coding::Agpr | Coding::Vector(_) | Coding::Unsigned | Coding::Absent,
                _,
            )
            | (_, 0 | 1) => 1,
            _ if is_address => 1,
            (_, 2) => 2,
            _ => 4,
        };
        // The other kinds share a table.
        let kind = match (coding, spec.kind) {
            (Coding::Source | Coding::Sdwa(_), kind @ (Kind::Vgpr | Kind::Sgpr)) => kind,
            (Coding::Source | Coding::Sdwa(_), kind @ (Kind::Scalar | Kind::GprIdx)) => kind,
            (Coding::Source, kind @ (Kind::Agpr | Kind::Vector | Kind::Accumulator)) => kind,
            (Coding::Unsigned, Kind::Attr) => Kind::Attr,
            (Coding::Absent, Kind::Literal) => Kind::Literal,
            _ => Kind::Source,
        };
        Reading {
            coding,
            width: place.bits.1,
            kind,
            align,
            literal: literal && coding == Coding::Source,
            channel_above: form == Form::Vop3 && kind == Kind::Attr,
            implies_vcc: coding == Coding::Absent
                && matches!(spec.field, Field::Sdst | Field::CarryIn),
        }
    }

    /// Returns the table of this reading.
    pub(crate) fn codes(self) -> Codes {
        std::array::from_fn(|code| {
            let scalar_bit = code as u64 & 0x100;
            let raw = code as u64 & Bits(0, self.width).max();
            self.operand(raw, scalar_bit != 0).unwrap_or(RESERVED)
        })
    }

    /// Returns the operand of a code. The bit above an SDWA source makes it a scalar source on gfx9.
    fn operand(self, raw: u64, scalar_bit: bool) -> Option<Operand> {
        match self.coding {
            Coding::Absent if self.kind == Kind::Literal => Some(Operand::Literal(0)),
            Coding::Absent if self.implies_vcc => Some(VCC),
            Coding::Absent => Some(Operand::None),
            Coding::Vgpr => Some(Operand::Vgpr(raw as u8)),
            Coding::Agpr => Some(Operand::Agpr(raw as u8)),
            // The bit that selects AGPRs is the ninth of the code.
            Coding::Vector(_) if scalar_bit => Some(Operand::Agpr(raw as u8)),
            Coding::Vector(_) => Some(Operand::Vgpr(raw as u8)),
            Coding::Sgpr(unit) => self.scalar(raw * u64::from(unit)),
            Coding::Unsigned if self.kind == Kind::Attr && self.channel_above => {
                Some(Operand::Imm((raw << 2 & 0xff | raw >> 6) as i32))
            }
            Coding::Unsigned => Some(Operand::Imm(raw as i32)),
            // 16 bits do not fit into a table: the decoder reads them.
            Coding::Signed => Some(Operand::Imm(0)),
            Coding::Source if self.kind == Kind::GprIdx => Some(Operand::Imm(raw as i32)),
            Coding::Source => self.source(raw),
            Coding::Sdwa(Some(_)) if scalar_bit => self.source(raw).filter(|_| raw != LITERAL),
            Coding::Sdwa(_) => Some(Operand::Vgpr(raw as u8)),
            Coding::SdwaSdst if raw < 0x80 => Some(VCC),
            Coding::SdwaSdst => self.scalar(raw & 0x7f),
        }
    }

    /// Returns the operand of a source code.
    fn source(self, raw: u64) -> Option<Operand> {
        let fits = match self.kind {
            Kind::Vgpr => raw >= 256 || raw == LDS_DIRECT,
            Kind::Sgpr => raw < 128,
            Kind::Scalar => raw <= LITERAL,
            Kind::Agpr | Kind::Vector => raw >= 256,
            Kind::Accumulator => raw >= 128 && raw != LITERAL,
            _ => true,
        };
        match raw {
            _ if !fits => None,
            256.. if self.kind == Kind::Agpr => Some(Operand::Agpr(raw as u8)),
            256.. => Some(Operand::Vgpr(raw as u8)),
            LITERAL if self.literal => Some(Operand::Literal(0)),
            0..128 => self.scalar(raw),
            128..209 | 235..249 | 251..LITERAL => Some(Operand::Inline(raw as u8)),
            _ => None,
        }
    }

    /// Returns a scalar register by its code. Code 125 names no register on gfx6 to gfx9.
    fn scalar(self, raw: u64) -> Option<Operand> {
        match raw {
            125 | 128.. => None,
            code => Some(Operand::Sgpr(code as u8 & !(self.align - 1))),
        }
    }
}
