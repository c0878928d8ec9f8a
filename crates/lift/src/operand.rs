//! Scalar operands: fetching sources, writing results, SCC, EXEC and M0 (Vega ISA, 5.2 "Scalar ALU operands").
//!
//! Vector operands, which can also be scalar registers, are fetched in `vector/operand.rs`.

use wavetank_gcn::numbers::sreg::RESERVED;
use wavetank_gcn::numbers::{APERTURE_LIMIT, PRIVATE_BASE, SHARED_BASE};
use wavetank_gcn::{Field, Operand, Ty};
use wavetank_ir::{Reg, Value};

use crate::block::Lift;
use crate::value::{Cond, Int};

pub(crate) use wavetank_gcn::numbers::hwreg as hw;
pub(crate) use wavetank_gcn::numbers::sreg::{EXEC, M0, VCC};

/// The bits of TRAPSTS.EXCP that float and integer operations raise.
pub(crate) const EXCP: u32 = 0x7f;
/// The number of scalar registers that a destination can name.
pub(crate) const SGPRS: u8 = 128;

/// The number of the first accumulation register among the vector registers of the IR.
pub(crate) const FIRST_ACC: u16 = 256;

/// An index that is out of range from any register.
pub(crate) const FAR: u32 = 1 << 16;

// EXEC is the only GCN register that the IR refers to.
const _: () = assert!(EXEC == Reg::EXEC_LO);

/// The source codes of the first and last byte of the apertures of LDS and scratch.
const APERTURES_FIRST: u8 = 235;
const APERTURES_LAST: u8 = 238;
/// The source code of 1/(2π).
const INVERSE_TWO_PI: u8 = 248;

/// The bits of an inline constant or an aperture in an operand of type `ty`, in the low bits; `None` for codes that are registers
/// or reserved.
///
/// A float constant has the format of the operand; 16-bit integers use the low half of the single-precision one. An aperture is
/// 64 bits wide; a 32-bit operand reads its low half, which is why compilers use a 64-bit move.
pub(crate) fn inline_bits(code: u8, ty: Ty) -> Option<u64> {
    let wide = ty.dwords() == 2;
    let half = matches!(ty, Ty::F16 | Ty::V2F16);
    let bits = match code {
        128..=192 => u64::from(code - 128),
        193..=208 => -i64::from(code - 192) as u64,
        235 => SHARED_BASE,
        236 => SHARED_BASE + APERTURE_LIMIT,
        237 => PRIVATE_BASE,
        238 => PRIVATE_BASE + APERTURE_LIMIT,
        240..=247 => {
            let magnitude = [0.5, 1.0, 2.0, 4.0][usize::from(code - 240) / 2];
            let x: f64 = if code & 1 == 1 { -magnitude } else { magnitude };
            match (wide, half) {
                (true, _) => x.to_bits(),
                (_, false) => u64::from((x as f32).to_bits()),
                // The constants are powers of two: the top bits of the exponent are the same in all formats.
                (_, true) => {
                    let exponent = (x.abs().log2() as i64 + 15) as u64;
                    u64::from(x < 0.0) << 15 | exponent << 10
                }
            }
        }
        INVERSE_TWO_PI => match (wide, half) {
            (true, _) => 0x3fc4_5f30_6dc9_c882,
            (_, false) => 0x3e22_f983,
            (_, true) => 0x3118,
        },
        _ => return None,
    };
    Some(if wide { bits } else { bits & 0xffff_ffff })
}

/// A 32-bit literal in an operand of type `ty` (Vega ISA, 6.2 "Literal
/// expansion to 64 bits").
pub(crate) fn literal_bits(literal: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(literal) << 32,
        Ty::I64 => literal as i32 as i64 as u64,
        _ => u64::from(literal),
    }
}

impl<'a> Lift<'a> {
    /// Whether a code of 128 and above can be read as a scalar source.
    pub(crate) fn is_readable(&self, code: u8) -> bool {
        match code {
            APERTURES_FIRST..=APERTURES_LAST => self.rules().apertures,
            INVERSE_TWO_PI => self.rules().inverse_two_pi,
            251..=253 => true,
            _ => inline_bits(code, Ty::B32).is_some(),
        }
    }

    /// The type of the operand that a field holds.
    fn ty(&self, field: Field) -> Ty {
        let specs = self.inst.row().operands;
        let spec = specs.iter().find(|s| s.field == field);
        spec.map_or(Ty::B32, |s| s.ty)
    }

    /// The scalar source in a field, 32 or 64 bits by its type.
    pub(crate) fn scalar(&self, field: Field) -> Int<'a> {
        self.scalar_operand(self.inst.operand(field), self.ty(field))
    }

    /// The value of a scalar source with a given type.
    pub(crate) fn scalar_operand(&self, operand: Operand, ty: Ty) -> Int<'a> {
        let wide = ty.dwords() == 2;
        let constant = |bits: u64| {
            if wide {
                Int::const64(self.b, bits)
            } else {
                Int::const32(self.b, bits as u32)
            }
        };
        let flag = |f: Cond<'a>| if wide { f.as_int().widen() } else { f.as_int() };
        match operand {
            Operand::Sgpr(code) if wide => self.sgpr64(code),
            Operand::Sgpr(code) => self.sgpr(code),
            Operand::Inline(251) => flag(self.sgpr64(VCC).eq(0)),
            Operand::Inline(252) => flag(self.sgpr64(EXEC).eq(0)),
            Operand::Inline(253) => flag(self.scc()),
            // Unreadable codes were refused before.
            Operand::Inline(code) => constant(inline_bits(code, ty).unwrap_or(0)),
            Operand::Literal(v) => constant(literal_bits(v, ty)),
            Operand::Imm(v) => constant(v as u32 as u64),
            Operand::Vgpr(_) | Operand::Agpr(_) | Operand::None | Operand::Off => constant(0),
        }
    }

    /// A scalar register; a code that is not a register reads s0.
    pub(crate) fn sgpr(&self, code: u8) -> Int<'a> {
        let code = if code == RESERVED { 0 } else { code };
        Int::i32(self.b, self.b.read(Reg::S(code)))
    }

    /// An index relative to a register. If the wave has no register there (from `most` on), the result is an index that is out of
    /// range in the IR too (Vega ISA, 3.6 "Out-of-Range behavior").
    pub(crate) fn index_within(&self, first: u16, index: Int<'a>, most: u16) -> Int<'a> {
        if most >= 256 {
            return index;
        }
        let inside = (index + u64::from(first)).lt_u(u64::from(most));
        inside.select(index, Int::const32(self.b, FAR))
    }

    /// A pair of scalar registers. Pairs are even-aligned (Vega ISA, 3.6.2).
    pub(crate) fn sgpr64(&self, code: u8) -> Int<'a> {
        let code = if code == RESERVED { 0 } else { code };
        Int::i64(self.b, self.b.read(Reg::S64(code & !1)))
    }

    /// The first register of an operand, if it is scalar.
    pub(crate) fn sgpr_code(&self, field: Field) -> Option<u8> {
        match self.inst.operand(field) {
            Operand::Sgpr(code) => Some(code),
            _ => None,
        }
    }

    /// Writes the scalar destination, a pair if the value has 64 bits. A code that is not a register is not written (Vega ISA,
    /// 5.2).
    pub(crate) fn write_scalar(&self, value: Int<'a>) {
        let Some(code) = self.sgpr_code(Field::Sdst) else {
            return;
        };
        match (code, value.bits()) {
            (RESERVED, _) => {}
            (_, 64) => self.b.write(Reg::S64(code & !1), value.v, None),
            _ => self.b.write(Reg::S(code), value.v, None),
        }
    }

    /// The scalar condition code.
    pub(crate) fn scc(&self) -> Cond<'a> {
        Cond::new(self.b, self.b.read(Reg::Scc))
    }

    /// Writes the scalar condition code.
    pub(crate) fn set_scc(&self, scc: Cond<'a>) {
        self.b.write(Reg::Scc, scc.v, None);
    }

    /// EXEC as 64 bits.
    pub(crate) fn exec(&self) -> Int<'a> {
        self.sgpr64(EXEC)
    }

    /// Writes all 64 bits of EXEC.
    pub(crate) fn set_exec(&self, exec: Int<'a>) {
        self.b.write(Reg::S64(EXEC), exec.v, None);
    }

    /// EXEC as a lane mask.
    pub(crate) fn exec_mask(&self) -> Value {
        self.b.read(Reg::EXEC)
    }

    /// M0 as 32 bits.
    pub(crate) fn m0(&self) -> Int<'a> {
        self.sgpr(M0)
    }

    /// The 16-bit immediate, not extended.
    pub(crate) fn simm16(&self) -> u16 {
        match self.inst.operand(Field::Simm16) {
            Operand::Imm(v) => v as u16,
            _ => 0,
        }
    }

    /// The target of a branch: SIMM16 dwords from the next instruction.
    pub(crate) fn target(&self) -> u64 {
        let distance = i64::from(self.simm16() as i16) * 4;
        self.next().wrapping_add_signed(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vega ISA, 5.2, table of scalar sources, and the errata of codes 241 to 247 and of the 64-bit 1/(2 pi).
    #[test]
    fn inline_constants() {
        assert_eq!(inline_bits(128, Ty::B32), Some(0));
        assert_eq!(inline_bits(192, Ty::B64), Some(64));
        assert_eq!(inline_bits(193, Ty::B32), Some(0xffff_ffff));
        assert_eq!(inline_bits(208, Ty::B64), Some(-16i64 as u64));
        for (code, x) in (240..).zip([0.5f64, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0]) {
            assert_eq!(inline_bits(code, Ty::F64), Some(x.to_bits()));
            assert_eq!(
                inline_bits(code, Ty::B32),
                Some((x as f32).to_bits().into())
            );
        }
        let halves = [
            0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400,
        ];
        for (code, bits) in (240..).zip(halves) {
            assert_eq!(inline_bits(code, Ty::F16), Some(bits));
        }
        for code in (209..=234).chain([239, 249, 250, 251, 254, 255]) {
            assert_eq!(inline_bits(code, Ty::B32), None, "{code}");
        }
    }

    /// Vega ISA, 6.2 "Literal expansion to 64 bits".
    #[test]
    fn literals() {
        assert_eq!(literal_bits(0x8000_0000, Ty::F64), 0x8000_0000_0000_0000);
        assert_eq!(literal_bits(0x8000_0000, Ty::U64), 0x8000_0000);
        assert_eq!(literal_bits(0x8000_0000, Ty::I64), 0xffff_ffff_8000_0000);
    }
}
