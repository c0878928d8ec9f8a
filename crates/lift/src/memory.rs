//! Memory instructions: each becomes one or two memory operations of the IR (`wavetank_ir::MemOp`).

mod buffer;
mod flat;
mod image;
mod lds;
pub(crate) mod lds_dma;
mod scalar;

pub(crate) use buffer::{mtbuf, mubuf};
pub(crate) use flat::flat;
pub(crate) use image::mimg;
pub(crate) use lds::ds;
pub(crate) use scalar::smem;

use wavetank_gcn::{Field, Flags, Op, Operand, Ty};
use wavetank_ir::{Access, Counter, DataReg, Half, MemKind, MemOp, Reg, Rmw, Space, Value};

use crate::block::{Flow, Lift};
use crate::operand::{FIRST_ACC, SGPRS};
use crate::value::Int;

/// The address space and the registers of a vector memory instruction, whose arm adds the kind of the access.
struct Site<'l, 'a> {
    l: &'l Lift<'a>,
    space: Space,
    offset: i64,
    /// The field of the stored data, or of the operand of an atomic.
    data: Field,
    /// The field of the second operand, if it is separate.
    data2: Option<Field>,
    /// The registers for the results.
    ret: Option<DataReg>,
    /// Whether an atomic returns the value before.
    returns: bool,
    counter: Counter,
}

impl Site<'_, '_> {
    /// A memory operation without its data.
    fn access(self, kind: MemKind, access: Access, half: Half) -> MemOp {
        let l = self.l;
        let returns = match kind {
            MemKind::Load => true,
            MemKind::Store => false,
            MemKind::Atomic(_) => self.returns,
        };
        MemOp {
            kind,
            space: self.space,
            offset: self.offset,
            access,
            half: match kind {
                MemKind::Load if l.rules().loads_clear_halves => alone(half, access),
                _ => half,
            },
            data: vec![],
            ret: self.ret.filter(|_| returns),
            mask: Some(l.exec_mask()),
            glc: l.inst.has(Flags::GLC),
            slc: l.inst.has(Flags::SLC),
            shadow: false,
            counter: self.counter,
        }
    }

    /// A load: D = MEM[ADDR].
    fn load(self, access: Access, half: Half) -> Flow {
        let l = self.l;
        l.vector_memory(self.access(MemKind::Load, access, half));
        Flow::Next
    }

    /// A store: MEM[ADDR] = DATA.
    fn store(self, access: Access, half: Half) -> Flow {
        let (l, field) = (self.l, self.data);
        let mut op = self.access(MemKind::Store, access, half);
        op.data = l.vectors(field, op.registers());
        l.b.mem(op);
        Flow::Next
    }

    /// An atomic: tmp = MEM[ADDR]; MEM[ADDR] = f(tmp, DATA); RETURN_DATA = tmp.
    fn atomic(self, rmw: Rmw, dwords: u8) -> Flow {
        let (l, field, second) = (self.l, self.data, self.data2);
        let one = u32::from(dwords);
        let mut op = self.access(MemKind::Atomic(rmw), Access::Dwords(dwords), Half::Whole);
        op.data = match second {
            Some(second) => [l.vectors(field, one), l.vectors(second, one)].concat(),
            // The second operand follows the first.
            None if rmw.needs_two() => l.vectors(field, 2 * one),
            None => l.vectors(field, one),
        };
        l.vector_memory(op);
        Flow::Next
    }
}

/// Returns the half of a load that clears the other half. A part that is zero-extended clears it anyway.
fn alone(half: Half, access: Access) -> Half {
    match (half, access) {
        (Half::Low, Access::U8 | Access::U16) => Half::Whole,
        (Half::Low, _) => Half::LowAlone,
        (Half::High, _) => Half::HighAlone,
        (half, _) => half,
    }
}

impl<'a> Lift<'a> {
    /// Appends an access to vector memory. With TFE, for loads also with LWE, the register after its results receives a status
    /// (Vega ISA, 8.1 and 8.2): 0, since all memory is resident.
    fn vector_memory(&self, op: MemOp) {
        let status = match op.ret {
            Some(DataReg::V(first)) if self.has_status(op.kind) => {
                Some(first + op.registers() as u16)
            }
            _ => None,
        };
        let mask = op.mask;
        self.b.mem(op);
        if let Some(register) = status {
            self.b.write(Reg::V(register), self.b.u32(0), mask);
        }
    }

    /// Whether TFE or LWE is set on an instruction with a register for the status: assemblers accept the flag for FLAT, but count
    /// no register for it.
    fn has_status(&self, kind: MemKind) -> bool {
        let flags = match kind {
            MemKind::Load => Flags::TFE | Flags::LWE,
            _ => Flags::TFE,
        };
        self.inst.has(flags) && !matches!(self.inst.op, Op::Flat(_))
    }

    /// The vector registers from that of a field on, as results of an access.
    fn results(&self, field: Field) -> Option<DataReg> {
        self.vgpr(field).map(DataReg::V)
    }

    /// The values of `count` vector registers, from that of a field on. A register past the wave's last one is v0 (Vega ISA, 3.6
    /// "Out-of-Range behavior").
    fn vectors(&self, field: Field, count: u32) -> Vec<Value> {
        let first = self.vgpr(field).unwrap_or(0);
        let registers = (0..count).map(|n| self.in_range(first, n as u16));
        registers.map(|n| self.b.read(Reg::V(n))).collect()
    }

    /// The number of the vector register `n` after another, or that of v0 if the wave lacks the register. Accumulation registers
    /// do not follow the others.
    fn in_range(&self, first: u16, n: u16) -> u16 {
        let end = if first < FIRST_ACC {
            self.modes.vgprs()
        } else {
            FIRST_ACC + self.modes.accumulators()
        };
        if first + n < end { first + n } else { 0 }
    }

    /// The values of `count` scalar registers, from `first` on. A register past the wave's last one is s0, and past the end of
    /// the file 0.
    fn scalars(&self, first: u8, count: u8) -> Vec<Value> {
        let sgprs = self.modes.sgprs();
        let general = self.rules().general_sgprs;
        let register = |reg: u8| match reg {
            _ if reg < general && u16::from(reg) >= sgprs => self.b.read(Reg::S(0)),
            ..SGPRS => self.b.read(Reg::S(reg)),
            _ => self.b.u32(0),
        };
        (first..first + count).map(register).collect()
    }

    /// The `N` pairs of scalar registers of a descriptor, the lowest first; 0 past the end of the file.
    fn descriptor<const N: usize>(&self, field: Field) -> [Value; N] {
        let first = self.sgpr_code(field).unwrap_or(0);
        std::array::from_fn(|n| match first + 2 * n as u8 {
            pair @ ..SGPRS => self.sgpr64(pair).v,
            _ => self.b.u64(0),
        })
    }

    /// The first vector register of a field.
    fn vgpr(&self, field: Field) -> Option<u16> {
        match self.inst.operand(field) {
            Operand::Vgpr(n) => Some(n.into()),
            Operand::Agpr(n) => Some(FIRST_ACC + u16::from(n)),
            _ => None,
        }
    }

    /// The 32-bit vector register `n` after that of a field.
    fn vector32(&self, field: Field, n: u16) -> Int<'a> {
        let reg = self.in_range(self.vgpr(field).unwrap_or(0), n);
        Int::i32(self.b, self.b.read(Reg::V(reg)))
    }

    /// The pair of vector registers in a field.
    fn vector64(&self, field: Field) -> Int<'a> {
        let reg = self.vgpr(field).unwrap_or(0);
        match self.in_range(reg, 1) {
            0 => self.vector32(field, 0).pack(self.vector32(field, 1)),
            _ => Int::i64(self.b, self.b.read(Reg::V64(reg))),
        }
    }

    /// The width of the operand in a field, in dwords.
    pub(crate) fn dwords(&self, field: Field) -> u8 {
        let specs = self.inst.row().operands;
        let spec = specs.iter().find(|s| s.field == field);
        spec.map_or(0, |s| Ty::dwords(s.ty))
    }
}
