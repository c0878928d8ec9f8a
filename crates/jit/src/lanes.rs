//! Accesses by lanes that compiled code does itself: whole dwords of LDS or of global memory.
//!
//! Where lanes go is a base of 64 bits and an index of 32 for each lane. A tile at a time, the indices are compared with the
//! ends of what may be accessed; then its lanes go to one place, to a row of dwords, or each its own way. Whatever is not so
//! (a lane outside, addresses more than 2 GiB apart) is left to the interpreter's steps: nothing has been loaded or stored
//! before all tiles have been compared.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_interp::single::{Ctx, Place};
use wavetank_ir::{Access, DataReg, Half, MemKind, MemOp, Space, Ty, Value};
use wavetank_memory::{ALIAS, Context, Lds, MemoryUnit, VECTOR_BYTES, VGPRS, Window};

use crate::asm::{Arg, Asm, Label, Mem, Under, fixed};
use crate::stages::source;
use crate::uniform::Uniform;

/// Where index 0 is.
const BASE: Register = Register::R8;
const LOW: Register = Register::R9;
const HIGH: Register = Register::R10;
const A: Register = Register::RAX;
const B: Register = Register::RCX;
const UNIT: Register = Register::RDX;

const INDEX: Register = Register::ZMM0;
const DATA: Register = Register::ZMM1;
const OLD: Register = Register::ZMM2;
const APART: Register = Register::ZMM3;
const FIRST: Register = Register::ZMM4;
const LOWEST: Register = Register::ZMM16;
const HIGHEST: Register = Register::ZMM17;
const BASE_LOW: Register = Register::ZMM18;
const BASE_HIGH: Register = Register::ZMM19;

/// The lanes that are on.
const ON: Register = Register::K1;
const K: Register = Register::K2;

const COPY: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
const SPREAD: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_r32;
const SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;

/// Predicates of VPCMPD.
const LESS: u8 = 1;
const NOT_EQUAL: u8 = 4;
const GREATER: u8 = 6;

/// Where the addresses of lanes come from.
#[derive(Clone, Copy)]
enum Addresses {
    /// Offsets in the LDS, and where that ends for this wave. What has such an end ignores low bits of its offsets.
    Lds(Value, Option<Value>),
    /// A base, and an offset for each lane.
    Index(Value, Value),
    /// An address for each lane.
    Lanes(Value),
}

/// An access.
pub struct LaneAccess<'o> {
    op: &'o MemOp,
    addresses: Addresses,
    mask: Value,
    dwords: u8,
    /// The first vector register of a load.
    to: u16,
    slot: u32,
}

impl<'o> LaneAccess<'o> {
    /// If an access is one that is done here.
    pub fn of(op: &'o MemOp, ty: impl Fn(Value) -> Ty, pc: u64) -> Option<LaneAccess<'o>> {
        let addresses = match op.space {
            Space::Lds { address, limit } => Addresses::Lds(address, limit),
            Space::Global {
                address,
                index: Some(index),
            } if ty(address) == Ty::U64 => Addresses::Index(address, index),
            Space::Global {
                address,
                index: None,
            } if ty(address) == Ty::V64 => Addresses::Lanes(address),
            // The apertures of LDS and scratch are in no allocation.
            Space::Flat { address, .. } if ty(address) == Ty::V64 => Addresses::Lanes(address),
            _ => return None,
        };
        let (Access::Dwords(dwords), Half::Whole) = (op.access, op.half) else {
            return None;
        };
        let to = match (op.kind, op.ret) {
            (MemKind::Load, Some(DataReg::V(n))) => n,
            (MemKind::Store, None) => 0,
            _ => return None,
        };
        let in_file = usize::from(to) + usize::from(dwords) <= VGPRS;
        let near = (0..1 << 20).contains(&op.offset)
            || !matches!(op.space, Space::Lds { .. }) && (-1 << 20..1 << 20).contains(&op.offset);
        (in_file && near && (1..=4).contains(&dwords)).then_some(LaneAccess {
            op,
            addresses,
            mask: op.mask?,
            dwords,
            to,
            slot: (pc >> 2) as u32,
        })
    }

    /// The code; it goes to `slow` where it cannot do the access.
    pub fn emit(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let done = u.asm.label();
        u.load(A, self.mask);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, done);
        self.base(u, slow);
        u.asm.use_constants();
        for (vector, register) in [(LOWEST, LOW), (HIGHEST, HIGH)] {
            let narrow = crate::asm::low(register);
            u.asm.op(SPREAD, &[vector.into(), narrow.into()]);
        }
        // Who faults has written nothing.
        self.tiles(u, |access, u| access.check(u, slow));
        self.tiles(u, |access, u| {
            access.index(u);
            match access.op.kind {
                MemKind::Store => access.stores(u),
                _ => access.loads(u),
            }
        });
        u.asm.op(Code::VEX_Vzeroupper, &[]);
        u.asm.place(done);
    }

    fn bytes(&self) -> i32 {
        4 * i32::from(self.dwords)
    }

    /// The base, and the smallest and the largest index that may be accessed.
    fn base(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let unit = offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);
        let load = Code::Mov_r64_rm64;
        let offset = self.op.offset as i32;
        match self.addresses {
            Addresses::Lds(_, limit) => {
                let lds = |field| Arg::M(Mem::at(UNIT, (MemoryUnit::LDS + field) as u32));
                u.asm.op(load, &[UNIT.into(), at(fixed::CTX, unit)]);
                u.asm.op(load, &[BASE.into(), lds(Lds::BASE)]);
                u.asm
                    .with_constant(Code::Add_rm64_imm32, BASE.into(), offset, true);
                let high = crate::asm::low(HIGH);
                u.asm.op(Code::Mov_r32_rm32, &[high.into(), lds(Lds::BYTES)]);
                if let Some(limit) = limit {
                    u.load(A, limit);
                    u.asm.op(Code::Cmp_r64_rm64, &[A.into(), HIGH.into()]);
                    u.asm.op(Code::Cmovb_r64_rm64, &[HIGH.into(), A.into()]);
                }
                let room = offset + self.bytes();
                u.asm
                    .with_constant(Code::Sub_rm64_imm32, HIGH.into(), room, true);
                u.asm.jump(Code::Jl_rel32_64, slow);
                u.asm.set(LOW, 0);
            }
            Addresses::Index(base, _) => {
                u.load(BASE, base);
                self.window(u.asm, unit, slow);
                // Indices have no sign.
                let zero = A;
                u.asm.set(zero, 0);
                u.asm.op(Code::Cmp_r64_rm64, &[LOW.into(), zero.into()]);
                u.asm.op(Code::Cmovl_r64_rm64, &[LOW.into(), zero.into()]);
            }
            Addresses::Lanes(address) => {
                self.first_address(u, address);
                self.window(u.asm, unit, slow);
            }
        }
    }

    /// The base is the address of the first lane that is on, by the mask in the first register.
    fn first_address(&self, u: &mut Uniform<'_, '_>, address: Value) {
        let [low, high] = planes(u, address);
        u.asm.op(Code::Bsf_r64_rm64, &[A.into(), A.into()]);
        u.asm.op(Code::Shl_rm64_imm8, &[A.into(), 2.into()]);
        for (register, plane) in [(BASE, low), (B, high)] {
            let register = crate::asm::low(register);
            let from = Mem::sum(fixed::VECTOR, A, plane);
            u.asm
                .op(Code::Mov_r32_rm32, &[register.into(), from.into()]);
        }
        let spread = [(BASE_LOW, BASE), (BASE_HIGH, B)];
        for (vector, register) in spread {
            let register = crate::asm::low(register);
            u.asm.op(SPREAD, &[vector.into(), register.into()]);
        }
        u.asm.op(Code::Shl_rm64_imm8, &[B.into(), 32.into()]);
        u.asm.op(Code::Or_r64_rm64, &[BASE.into(), B.into()]);
    }

    /// The offset is added to the base; indices end where the allocation does that the window of the slot is on.
    fn window(&self, asm: &mut Asm, unit: usize, slow: Label) {
        let load = Code::Mov_r64_rm64;
        let window = |field| at(UNIT, MemoryUnit::window_at(self.slot) + field);
        let end = match self.op.kind {
            MemKind::Store => Window::STORE_END,
            _ => Window::END,
        };
        let offset = self.op.offset as i32;
        asm.with_constant(Code::Add_rm64_imm32, BASE.into(), offset, true);
        asm.op(load, &[UNIT.into(), at(fixed::CTX, unit)]);
        asm.op(load, &[UNIT.into(), at(UNIT, MemoryUnit::WINDOWS)]);
        asm.op(load, &[B.into(), window(Window::GONE)]);
        asm.op(Code::Cmp_rm8_imm8, &[at(B, 0), 0.into()]);
        asm.jump(Code::Jne_rel32_64, slow);
        asm.op(load, &[LOW.into(), window(Window::START)]);
        asm.op(load, &[HIGH.into(), window(end)]);
        asm.with_constant(Code::Sub_rm64_imm32, HIGH.into(), self.bytes(), true);
        for limit in [LOW, HIGH] {
            asm.op(Code::Sub_r64_rm64, &[limit.into(), BASE.into()]);
        }
        // Index 0 lies far below or above what may be accessed, or both ends are brought to 32 bits.
        asm.set(A, i32::MAX as u64);
        asm.op(Code::Cmp_r64_rm64, &[LOW.into(), A.into()]);
        asm.jump(Code::Jg_rel32_64, slow);
        asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
        asm.op(Code::Cmovg_r64_rm64, &[HIGH.into(), A.into()]);
        asm.set(A, i64::from(i32::MIN) as u64);
        asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
        asm.jump(Code::Jl_rel32_64, slow);
        asm.op(Code::Cmp_r64_rm64, &[LOW.into(), A.into()]);
        asm.op(Code::Cmovl_r64_rm64, &[LOW.into(), A.into()]);
        // Where the host has it: all of one allocation has the bit or has it not.
        asm.op(load, &[B.into(), window(Window::START)]);
        asm.set(A, ALIAS);
        asm.op(Code::And_r64_rm64, &[B.into(), A.into()]);
        asm.op(Code::Sub_r64_rm64, &[BASE.into(), B.into()]);
    }

    /// A loop over the tiles that have a lane which is on.
    fn tiles(&self, u: &mut Uniform<'_, '_>, body: impl FnOnce(&Self, &mut Uniform<'_, '_>)) {
        let (again, next) = (u.asm.label(), u.asm.label());
        u.asm.set(fixed::TILE, 0);
        u.asm.set(fixed::PIECE, 0);
        u.asm.place(again);
        let mask = source(u.block, self.mask);
        let on = match u.single.place(mask) {
            Place::Uniform(at) => Mem::sum(fixed::UNIFORM, fixed::PIECE, at),
            Place::Const(c) => {
                let at = u.asm.constant_row(&[c as u32, (c >> 32) as u32]);
                Mem::sum(fixed::CONSTANTS, fixed::PIECE, at)
            }
            Place::Vector(_) | Place::Nowhere => unreachable!("masks are uniform values"),
        };
        u.asm
            .op(Code::VEX_Kmovw_kr_km16, &[ON.into(), on.into()]);
        u.asm
            .op(Code::VEX_Kortestw_kr_kr, &[ON.into(), ON.into()]);
        u.asm.jump(Code::Je_rel32_64, next);
        body(self, u);
        u.asm.place(next);
        let steps = [(fixed::PIECE, 2), (fixed::TILE, 64)];
        for (register, by) in steps {
            u.asm
                .with_constant(Code::Add_rm64_imm32, register.into(), by, true);
        }
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        u.asm.jump(Code::Jne_rel32_64, again);
    }

    /// The indices of a tile.
    fn index(&self, u: &mut Uniform<'_, '_>) {
        match self.addresses {
            Addresses::Lds(index, _) | Addresses::Index(_, index) => lanes(u, INDEX, index, 0),
            Addresses::Lanes(address) => {
                lanes(u, INDEX, address, 0);
                let args = [INDEX.into(), INDEX.into(), BASE_LOW.into()];
                u.asm.op(SUB, &args);
            }
        }
    }

    /// The indices of a tile, all of lanes that may access what is there, or else it goes to `slow`.
    fn check(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        self.index(u);
        let leave = |u: &mut Uniform<'_, '_>| {
            u.asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
            u.asm.jump(Code::Jne_rel32_64, slow);
        };
        if let Addresses::Lanes(address) = self.addresses {
            // The high halves differ by the sign of the index.
            lanes(u, OLD, address, 0);
            lanes(u, APART, address, 1);
            let borrow = [K.into(), OLD.into(), BASE_LOW.into(), LESS.into()];
            u.asm
                .op(Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, &borrow);
            let args = [APART.into(), APART.into(), BASE_HIGH.into()];
            u.asm.op(SUB, &args);
            let one = Arg::Each(u.asm.constant(1));
            let args = [APART.into(), APART.into(), one];
            u.asm.under(SUB, Under::Merge(K), &args);
            let args = [OLD.into(), INDEX.into(), 31.into()];
            u.asm.op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &args);
            let args = [K.into(), APART.into(), OLD.into(), NOT_EQUAL.into()];
            u.asm.under(COMPARE, Under::Merge(ON), &args);
            leave(u);
        }
        for (end, beyond) in [(LOWEST, LESS), (HIGHEST, GREATER)] {
            let args = [K.into(), INDEX.into(), end.into(), beyond.into()];
            u.asm.under(COMPARE, Under::Merge(ON), &args);
            leave(u);
        }
        // Records that overlap in part would have to be stored lane by lane.
        let apart = self.op.kind == MemKind::Store && self.dwords > 1;
        if apart || matches!(self.addresses, Addresses::Lds(_, Some(_))) {
            let size = (self.bytes() as u32).next_power_of_two();
            let low = Arg::Each(u.asm.constant(size - 1));
            let narrow = crate::asm::low(BASE);
            match self.addresses {
                Addresses::Lds(..) => {
                    let offset = u.asm.constant(self.op.offset as u32);
                    u.asm.op(BROADCAST, &[OLD.into(), offset.into()]);
                }
                _ => u.asm.op(SPREAD, &[OLD.into(), narrow.into()]),
            }
            let args = [OLD.into(), OLD.into(), INDEX.into()];
            u.asm.op(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, &args);
            let args = [K.into(), OLD.into(), low];
            u.asm.under(
                Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
                Under::Merge(ON),
                &args,
            );
            leave(u);
        }
    }

    /// How far each index is from that of the first lane. It need not be on: if the others are where it says that they
    /// are, so would it be. The first index is in the first register.
    fn apart(&self, asm: &mut Asm) {
        let xmm = Register::XMM0;
        let eax = crate::asm::low(A);
        asm.op(Code::VEX_Vmovd_rm32_xmm, &[eax.into(), xmm.into()]);
        asm.op(Code::Movsxd_r64_rm32, &[A.into(), eax.into()]);
        asm.op(BROADCAST, &[FIRST.into(), xmm.into()]);
        let args = [APART.into(), INDEX.into(), FIRST.into()];
        asm.op(SUB, &args);
    }

    /// Goes to a label if all lanes that are on stand in a row of dwords.
    fn if_row(&self, asm: &mut Asm, row: Label) {
        let numbers: [u32; 16] = std::array::from_fn(|lane| 4 * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let args = [K.into(), APART.into(), numbers.into(), NOT_EQUAL.into()];
        asm.under(COMPARE, Under::Merge(ON), &args);
        asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
        asm.jump(Code::Je_rel32_64, row);
    }

    fn loads(&self, u: &mut Uniform<'_, '_>) {
        let (row, same, done) = (u.asm.label(), u.asm.label(), u.asm.label());
        self.apart(u.asm);
        if self.dwords == 1 {
            self.if_row(u.asm, row);
        }
        let args = [K.into(), APART.into(), APART.into()];
        u.asm.under(
            Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
            Under::Merge(ON),
            &args,
        );
        u.asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
        u.asm.jump(Code::Je_rel32_64, same);
        for n in 0..self.dwords {
            // The mask is used up.
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
            let from = Mem::sum(BASE, INDEX, 4 * u32::from(n));
            u.asm.under(
                Code::EVEX_Vpgatherdd_zmm_k1_vm32z,
                Under::Merge(K),
                &[DATA.into(), from.into()],
            );
            self.keep(u.asm, n);
        }
        u.asm.jump(Code::Jmp_rel32_64, done);
        if self.dwords == 1 {
            u.asm.place(row);
            let from = Mem::sum(BASE, A, 0);
            u.asm
                .under(COPY, Under::Zero(ON), &[DATA.into(), from.into()]);
            self.keep(u.asm, 0);
            u.asm.jump(Code::Jmp_rel32_64, done);
        }
        u.asm.place(same);
        for n in 0..self.dwords {
            let from = Mem::sum(BASE, A, 4 * u32::from(n));
            u.asm.op(BROADCAST, &[DATA.into(), from.into()]);
            self.keep(u.asm, n);
        }
        u.asm.place(done);
    }

    /// A dword goes to its register, which is stored whole: it will be read whole soon.
    fn keep(&self, asm: &mut Asm, n: u8) {
        let at = (usize::from(self.to) + usize::from(n)) * VECTOR_BYTES;
        let register = Mem::sum(fixed::VECTOR, fixed::TILE, at as u32);
        asm.op(COPY, &[OLD.into(), register.into()]);
        asm.under(COPY, Under::Merge(ON), &[OLD.into(), DATA.into()]);
        asm.op(STORE, &[register.into(), OLD.into()]);
    }

    fn stores(&self, u: &mut Uniform<'_, '_>) {
        let (row, done) = (u.asm.label(), u.asm.label());
        if self.dwords == 1 {
            lanes(u, DATA, self.op.data[0], 0);
            self.apart(u.asm);
            self.if_row(u.asm, row);
        }
        for n in 0..self.dwords {
            lanes(u, DATA, self.op.data[usize::from(n)], 0);
            // Lanes are stored in their order.
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[K.into(), ON.into()]);
            let to = Mem::sum(BASE, INDEX, 4 * u32::from(n));
            u.asm.under(
                Code::EVEX_Vpscatterdd_vm32z_k1_zmm,
                Under::Merge(K),
                &[to.into(), DATA.into()],
            );
        }
        if self.dwords == 1 {
            u.asm.jump(Code::Jmp_rel32_64, done);
            u.asm.place(row);
            let to = Mem::sum(BASE, A, 0);
            u.asm
                .under(STORE, Under::Merge(ON), &[to.into(), DATA.into()]);
        }
        u.asm.place(done);
    }
}

fn at(base: Register, offset: usize) -> Arg {
    Arg::M(Mem::at(base, offset as u32))
}

/// The offsets of the halves of lanes of 64 bits.
fn planes(u: &Uniform<'_, '_>, v: Value) -> [u32; 2] {
    match u.single.place(v) {
        Place::Vector(at) => [at, at + VECTOR_BYTES as u32],
        _ => unreachable!("lane vectors are in the vector file"),
    }
}

/// A tile of a value, or of its high half.
fn lanes(u: &mut Uniform<'_, '_>, to: Register, v: Value, part: u32) {
    let (code, from) = match u.single.place(source(u.block, v)) {
        Place::Vector(at) => {
            let at = at + part * VECTOR_BYTES as u32;
            (COPY, Mem::sum(fixed::VECTOR, fixed::TILE, at))
        }
        Place::Uniform(at) => (BROADCAST, Mem::at(fixed::UNIFORM, at + 4 * part)),
        Place::Const(c) => (BROADCAST, u.asm.constant((c >> (32 * part)) as u32)),
        Place::Nowhere => unreachable!("operands are computed before their users"),
    };
    u.asm.op(code, &[to.into(), from.into()]);
}
