//! Lowering of accesses at separate places: gathers, and loops over the lanes.

use iced_x86::{Code, Instruction, OpKind, Register};

use super::frame;
use super::lowering::Lowering;
use super::per_half::{at_offset, copied, unless_all};
use super::row::Row;
use super::state::{Form, LOAD, STORE};
use crate::compiler::asm::inst_list::{Wide, unit};
use crate::compiler::asm::{Arg, Mem};

/// The general registers that a recipe may borrow.
const GENERAL: [Register; 6] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::RBP,
];

/// VPGATHERDD, which clears its mask.
pub(super) fn gather(l: &mut Lowering, wide: &Wide, _: Row) {
    let (Arg::M(from), Some(k)) = (wide.args()[1], wide.mask()) else {
        return l.refuse();
    };
    for half in 0..2 {
        let to = l.copy_of(unit(wide.to(), half));
        let index = l.have(unit(from.index, half));
        let mask = l.mask(k, Form::Dwords, half);
        let mask = copied(l, mask);
        let from = Mem { index, ..from };
        let args = [to.into(), from.into(), mask.into()];
        l.asm.op(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, &args);
        l.bind(unit(wide.to(), half), to);
        l.next_half();
    }
}

/// An access to the dword of a row on the stack, by the lane's number.
fn dword_of(
    code: Code,
    register: Register,
    lane: Register,
    row: u32,
    is_load: bool,
) -> Instruction {
    let mut instruction = Instruction::new();
    instruction.set_code(code);
    let (register_at, memory_at) = if is_load { (0, 1) } else { (1, 0) };
    instruction.set_op_kind(register_at, OpKind::Register);
    instruction.set_op_register(register_at, register);
    instruction.set_op_kind(memory_at, OpKind::Memory);
    instruction.set_memory_base(Register::RSP);
    instruction.set_memory_index(lane);
    instruction.set_memory_index_scale(4);
    instruction.set_memory_displ_size(1);
    instruction.set_memory_displacement64(row.into());
    instruction
}

impl Lowering<'_> {
    /// Stores both halves of an operand to a row on the stack.
    fn store_row(&mut self, from: Arg, row: u32) {
        for half in 0..2 {
            let from = self.half_register(from, Form::Dwords, half);
            let to = Mem::at(Register::RSP, row + 32 * half as u32);
            self.asm.op(STORE, &[to.into(), from.into()]);
        }
        self.next_half();
    }

    /// A loop over the lanes of a mask, in order. The body finds the lane's number in the first of three general registers, which
    /// do not overlap those of an address, and may change the other two. Vector assignments must not change in the loop.
    fn by_lanes(&mut self, k: Register, address: Mem, body: impl FnOnce(&mut Self, [Register; 3])) {
        let free = |r: &&Register| ![address.base, address.index].contains(r);
        let free: Vec<Register> = GENERAL.iter().filter(free).copied().collect();
        let kept = |n: usize| Mem::at(Register::RSP, frame::BORROWED + 8 * n as u32);
        for (n, register) in free[..4].iter().enumerate() {
            let args = [kept(n).into(), (*register).into()];
            self.asm.op(Code::Mov_rm64_r64, &args);
        }
        let [bits, lane] = [free[0], free[1]].map(crate::compiler::asm::low);
        let (again, done) = (self.asm.label(), self.asm.label());
        self.bits_of(k, bits);
        self.asm
            .op(Code::Test_rm32_r32, &[bits.into(), bits.into()]);
        self.asm.jump(Code::Je_rel32_64, done);
        self.asm.place(again);
        self.asm
            .op(Code::Tzcnt_r32_rm32, &[lane.into(), bits.into()]);
        body(self, [free[1], free[2], free[3]]);
        self.asm
            .op(Code::VEX_Blsr_r32_rm32, &[bits.into(), bits.into()]);
        self.asm.jump(Code::Jne_rel32_64, again);
        self.asm.place(done);
        for (n, register) in free[..4].iter().enumerate() {
            let args = [(*register).into(), kept(n).into()];
            self.asm.op(Code::Mov_r64_rm64, &args);
        }
    }

    /// The address of a lane's part in a row of bytes or words.
    fn part_of(&mut self, row: Mem, lane: Register, to: Register, bytes: u8) -> Mem {
        self.asm.op(Code::Lea_r64_m, &[to.into(), row.into()]);
        for _ in 0..bytes {
            self.asm.op(Code::Add_r64_rm64, &[to.into(), lane.into()]);
        }
        Mem::at(to, 0)
    }
}

/// VPSCATTERDD, which stores lanes in order.
pub(super) fn scatter(l: &mut Lowering, wide: &Wide, _: Row) {
    let (Arg::M(to), Some(k)) = (wide.args()[0], wide.mask()) else {
        return l.refuse();
    };
    let [places, data] = frame::ROWS;
    l.store_row(Arg::R(to.index), places);
    l.store_row(wide.args()[1], data);
    let base = Mem {
        index: Register::None,
        ..to
    };
    l.by_lanes(k, base, |l, [lane, place, dword]| {
        let dword = crate::compiler::asm::low(dword);
        let (wide, narrow) = (Code::Movsxd_r64_rm32, Code::Mov_r32_rm32);
        l.asm.as_it_is(&dword_of(wide, place, lane, places, true));
        l.asm.as_it_is(&dword_of(narrow, dword, lane, data, true));
        let to = Mem {
            index: place,
            ..base
        };
        l.asm.op(Code::Mov_rm32_r32, &[to.into(), dword.into()]);
    });
}

/// VPMOVDW and VPMOVDB to memory, for the lanes of a mask.
pub(super) fn masked_narrowing_store(l: &mut Lowering, wide: &Wide, to: Mem, bytes: u8) {
    let k = wide.mask().expect("it has a mask");
    let [_, data] = frame::ROWS;
    l.store_row(wide.args()[1], data);
    l.by_lanes(k, to, |l, [lane, at, dword]| {
        let narrow = crate::compiler::asm::low(dword);
        l.asm
            .as_it_is(&dword_of(Code::Mov_r32_rm32, narrow, lane, data, true));
        let place = l.part_of(to, lane, at, bytes);
        let number = dword as u32 - Register::RAX as u32;
        let (code, part) = match bytes {
            1 => (Code::Mov_rm8_r8, byte_register(dword)),
            _ => (Code::Mov_rm16_r16, Register::AX + number),
        };
        l.asm.op(code, &[place.into(), part.into()]);
    });
}

/// The lowest byte of a general register.
fn byte_register(register: Register) -> Register {
    match register {
        Register::RAX => Register::AL,
        Register::RCX => Register::CL,
        Register::RDX => Register::DL,
        Register::RSI => Register::SIL,
        Register::RDI => Register::DIL,
        _ => Register::BPL,
    }
}

/// VPMOVZXBD and similar loads from memory: inactive lanes are not read.
pub(super) fn masked_extending_load(l: &mut Lowering, wide: &Wide, row: Row) {
    let (Arg::M(from), Some(k)) = (wide.args()[1], wide.mask()) else {
        return l.refuse();
    };
    let (load, bytes) = match row.code {
        Code::VEX_Vpmovzxbd_ymm_xmmm64 => (Code::Movzx_r32_rm8, 1),
        Code::VEX_Vpmovsxbd_ymm_xmmm64 => (Code::Movsx_r32_rm8, 1),
        Code::VEX_Vpmovzxwd_ymm_xmmm128 => (Code::Movzx_r32_rm16, 2),
        Code::VEX_Vpmovsxwd_ymm_xmmm128 => (Code::Movsx_r32_rm16, 2),
        _ => return l.refuse(),
    };
    let masks = [0, 1].map(|half| l.mask(k, Form::Dwords, half));
    let halves = [l.temp(), l.temp()];
    // The registers of one path are allocated before the paths part.
    let room = [(); 3].map(|()| l.temp());
    for temp in room {
        l.drop_temp(temp);
    }
    let (some, done) = (l.asm.label(), l.asm.label());
    unless_all(l, masks, some);
    for (n, to) in halves.into_iter().enumerate() {
        let part = at_offset(from, 8 * n * usize::from(bytes));
        l.asm.op(row.code, &[to.into(), part.into()]);
    }
    l.asm.jump(Code::Jmp_rel32_64, done);
    l.asm.place(some);
    one_by_one(l, k, from, (load, bytes));
    for (half, to) in halves.into_iter().enumerate() {
        let row = Mem::at(Register::RSP, frame::ROWS[1] + 32 * half as u32);
        l.asm.op(LOAD, &[to.into(), row.into()]);
    }
    l.asm.place(done);
    l.write_both(wide, row.form, halves);
}

/// Loads the parts of a mask's lanes to a row on the stack, one by one.
fn one_by_one(l: &mut Lowering, k: Register, from: Mem, (load, bytes): (Code, u8)) {
    l.by_lanes(k, from, |l, [lane, at, dword]| {
        let narrow = crate::compiler::asm::low(dword);
        let place = l.part_of(from, lane, at, bytes);
        l.asm.op(load, &[narrow.into(), place.into()]);
        let store = Code::Mov_rm32_r32;
        let to = dword_of(store, narrow, lane, frame::ROWS[1], false);
        l.asm.as_it_is(&to);
    });
}
