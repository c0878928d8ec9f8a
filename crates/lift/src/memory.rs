//! Memory instructions: each becomes one or two descriptions that the memory
//! unit executes (`wavetank_ir::MemOp`).

mod buffer;
mod flat;
mod image;
mod lds;
mod scalar;
mod swizzle;
pub(crate) mod through_lds;

pub(crate) use buffer::{mtbuf, mubuf};
pub(crate) use flat::flat;
pub(crate) use image::mimg;
pub(crate) use lds::ds;
pub(crate) use scalar::smem;

use wavetank_ir::{Access, Counter, DataReg, Half, MemKind, MemOp, Reg, Rmw, Space};
use wavetank_isa::{Field, Operand, Ty, flag};

use crate::block::{Flow, Lift};
use crate::value::Int;

/// Where a vector memory instruction goes and which registers take part. What
/// it does there is what its arm adds.
struct Site<'l, 'a> {
    l: &'l Lift<'a>,
    space: Space,
    offset: i64,
    data: Option<DataReg>,
    data2: Option<DataReg>,
    ret: Option<DataReg>,
    /// Whether an atomic returns the value before.
    returns: bool,
    counter: Counter,
}

impl Site<'_, '_> {
    fn emit(self, kind: MemKind, access: Access, half: Half) -> Flow {
        let l = self.l;
        l.b.mem(MemOp {
            kind,
            space: self.space,
            offset: self.offset,
            access,
            half,
            data: self.data,
            data2: self.data2,
            ret: self.ret,
            mask: Some(l.exec_mask()),
            glc: l.inst.has(flag::GLC),
            slc: l.inst.has(flag::SLC),
            counter: self.counter,
        });
        Flow::Next
    }

    /// D = MEM[ADDR]
    fn load(self, access: Access, half: Half) -> Flow {
        let site = Site {
            data: None,
            data2: None,
            ..self
        };
        site.emit(MemKind::Load, access, half)
    }

    /// MEM[ADDR] = DATA
    fn store(self, access: Access, half: Half) -> Flow {
        let site = Site {
            data2: None,
            ret: None,
            ..self
        };
        site.emit(MemKind::Store, access, half)
    }

    /// tmp = MEM[ADDR]; MEM[ADDR] = f(tmp, DATA); RETURN_DATA = tmp
    fn atomic(self, rmw: Rmw, dwords: u8) -> Flow {
        let site = Site {
            ret: self.ret.filter(|_| self.returns),
            ..self
        };
        site.emit(MemKind::Atomic(rmw), Access::Dwords(dwords), Half::Whole)
    }
}

impl<'a> Lift<'a> {
    /// The vector registers from the one in a field on, as data of an access.
    fn data(&self, field: Field) -> Option<DataReg> {
        self.vgpr(field).map(DataReg::V)
    }

    /// The first vector register of a field.
    fn vgpr(&self, field: Field) -> Option<u16> {
        match self.inst.operand(field) {
            Operand::Vgpr(n) => Some(n.into()),
            _ => None,
        }
    }

    /// The 32-bit vector register in a field plus `n`.
    fn vector32(&self, field: Field, n: u16) -> Int<'a> {
        let reg = self.vgpr(field).unwrap_or(0) + n;
        Int::i32(self.b, self.b.read(Reg::V(reg)))
    }

    /// The pair of vector registers in a field.
    fn vector64(&self, field: Field) -> Int<'a> {
        let reg = self.vgpr(field).unwrap_or(0);
        Int::i64(self.b, self.b.read(Reg::V64(reg)))
    }

    /// The width of the operand in a field, in dwords.
    fn dwords(&self, field: Field) -> u8 {
        let specs = self.inst.row().operands;
        let spec = specs.iter().find(|s| s.field == field);
        spec.map_or(0, |s| Ty::dwords(s.ty))
    }
}
