//! Accesses to scratch: dword `d` of lane `l` is at `256 * d + 4 * l` from the base of the wave, so lanes at the same offset are
//! in a row.

use iced_x86::Code;
use wavetank_ir::{MemKind, Value};
use wavetank_lower::Place;
use wavetank_memory::{ALIAS, MemoryUnit, VECTOR_BYTES};

use super::access::*;
use super::places::{add_constant, ends_to_32_bits, leave_if_any};
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed, low};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The first offset whose place does not fit a 32-bit index.
const FAR: i32 = 1 << 24;
/// The swizzle bit in the low half of a descriptor.
const SWIZZLE: u8 = 63;
/// ADD_TID, and an index stride of 64, in the high half.
const ADD_TID: u8 = 32 + 23;
const SCRATCH_BITS: u64 = 0b111 << (32 + 21);
/// The data format in the high half: 0 for an unbound buffer.
const DATA_FORMAT: u64 = 0xf << (32 + 15);

impl LaneAccess<'_> {
    /// Selects by the descriptor: a buffer is linear bytes or scratch, as far as compiled code supports it.
    pub(super) fn by_descriptor(&self, u: &mut Uniform<'_, '_>, buffer: Buffer, slow: Label) {
        let (private, done) = (u.asm.label(), u.asm.label());
        u.load(A, buffer.resource[0]);
        u.load(B, buffer.resource[1]);
        u.asm.op(Code::Bt_rm64_imm8, &[A.into(), SWIZZLE.into()]);
        u.asm.jump(Code::Jb_rel32_64, private);
        u.asm.op(Code::Bt_rm64_imm8, &[B.into(), ADD_TID.into()]);
        u.asm.jump(Code::Jb_rel32_64, slow);
        u.asm.set(A, DATA_FORMAT);
        u.asm.op(Code::Test_rm64_r64, &[B.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, slow);
        let addresses = Addresses::Raw(buffer);
        LaneAccess { addresses, ..*self }.at_addresses(u, None, slow);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(private);
        if let MemKind::Atomic(_) = self.op.kind {
            u.asm.jump(Code::Jmp_rel32_64, slow);
        } else {
            u.asm.set(A, SCRATCH_BITS);
            u.asm.op(Code::And_r64_rm64, &[B.into(), A.into()]);
            u.asm.op(Code::Cmp_r64_rm64, &[B.into(), A.into()]);
            u.asm.jump(Code::Jne_rel32_64, slow);
            let addresses = Addresses::Swizzled(buffer);
            LaneAccess { addresses, ..*self }.at_addresses(u, None, slow);
        }
        u.asm.place(done);
    }

    /// Computes the base of scratch, and the bounds of its offsets.
    pub(super) fn scratch_base(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        self.own_scratch(u.asm, slow);
        u.asm
            .op(LOAD, &[BASE.into(), at(UNIT, MemoryUnit::SCRATCH_BASE)]);
        self.last_offset(u.asm, slow);
        u.asm.set(A, FAR as u64);
        u.asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
        u.asm.op(Code::Cmovg_r64_rm64, &[HIGH.into(), A.into()]);
        let narrow = low(HIGH);
        u.asm.op(SPREAD, &[LIMIT.into(), narrow.into()]);
        u.asm.set(LOW, 0);
        u.asm.set(HIGH, i32::MAX as u64);
        self.find_host(u.asm);
    }

    /// Computes the base of a scratch descriptor, and the bounds of the wave's scratch.
    pub(super) fn swizzled_base(&self, u: &mut Uniform<'_, '_>, buffer: Buffer, slow: Label) {
        self.swizzled_ends(u, buffer, slow);
        let last = (self.dwords() as i32 - 1) * VECTOR_BYTES as i32 + self.bytes.min(4) as i32;
        add_constant(u.asm, HIGH, -last);
        ends_to_32_bits(u.asm, slow);
        u.asm.set(A, FAR as u64);
        let narrow = low(A);
        u.asm.op(SPREAD, &[LIMIT.into(), narrow.into()]);
        self.find_host(u.asm);
    }

    /// Computes the base of a scratch descriptor, a multiple of 4, and the start and end of the wave's scratch.
    fn swizzled_ends(&self, u: &mut Uniform<'_, '_>, buffer: Buffer, slow: Label) {
        self.buffer_base(u, buffer);
        self.own_scratch(u.asm, slow);
        let asm = &mut *u.asm;
        asm.with_constant(Code::Test_rm64_imm32, BASE.into(), 3, true);
        asm.jump(Code::Jne_rel32_64, slow);
        asm.op(LOAD, &[LOW.into(), at(UNIT, MemoryUnit::SCRATCH_BASE)]);
        let narrow = low(HIGH);
        let bytes = at(UNIT, MemoryUnit::SCRATCH_BYTES);
        asm.op(Code::Mov_r32_rm32, &[narrow.into(), bytes]);
        // One row for each dword that a lane accesses, also in part.
        add_constant(asm, HIGH, 3);
        asm.op(Code::Shr_rm64_imm8, &[HIGH.into(), 2.into()]);
        asm.op(Code::Shl_rm64_imm8, &[HIGH.into(), 8.into()]);
        asm.op(Code::Add_r64_rm64, &[HIGH.into(), LOW.into()]);
    }

    /// Loads the memory unit, if its scratch exists.
    fn own_scratch(&self, asm: &mut Asm, slow: Label) {
        asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        asm.op(LOAD, &[B.into(), at(UNIT, MemoryUnit::SCRATCH_GONE)]);
        asm.op(Code::Cmp_rm8_imm8, &[at(B, 0), 0.into()]);
        asm.jump(Code::Jne_rel32_64, slow);
    }

    /// Converts the base to a host address.
    fn find_host(&self, asm: &mut Asm) {
        let alias = ALIAS.trailing_zeros() as u8;
        asm.op(Code::Btr_rm64_imm8, &[BASE.into(), alias.into()]);
        self.find_shadow(asm, BASE);
    }

    /// Computes the last offset that a lane may access.
    fn last_offset(&self, asm: &mut Asm, slow: Label) {
        let narrow = low(HIGH);
        let bytes = at(UNIT, MemoryUnit::SCRATCH_BYTES);
        asm.op(Code::Mov_r32_rm32, &[narrow.into(), bytes]);
        asm.with_constant(Code::Sub_rm64_imm32, HIGH.into(), self.bytes as i32, true);
        asm.jump(Code::Jl_rel32_64, slow);
    }

    /// Computes the indices of a tile; jumps to `slow` for offsets that are too far or not aligned to dwords.
    pub(super) fn private_index(
        &self,
        u: &mut Uniform<'_, '_>,
        offset: Option<Value>,
        slow: Label,
    ) {
        match offset {
            Some(offset) => lanes(u, INDEX, offset, 0),
            None => u.asm.op(ZERO, &[INDEX.into(); 3]),
        }
        // If sums wrap, the sum is checked. If they do not, the offset itself is checked: one whose sum would wrap is out of
        // range.
        let wraps = match self.addresses {
            Addresses::Swizzled(buffer) => buffer.wraps,
            _ => true,
        };
        if !wraps {
            self.check_offset(u.asm, slow);
        }
        if self.op.offset != 0 {
            let constant = Arg::Each(u.asm.constant(self.op.offset as u32));
            u.asm.op(ADD, &[INDEX.into(), INDEX.into(), constant]);
        }
        if wraps {
            self.check_offset(u.asm, slow);
        }
        let across = match self.bytes {
            1 => 0,
            2 => 1,
            _ => 3,
        };
        if across != 0 {
            let across = Arg::Each(u.asm.constant(across));
            u.asm
                .under(TEST, Under::Merge(ON), &[K.into(), INDEX.into(), across]);
            leave_if_any(u.asm, slow);
        }
        let parts = Arg::Each(u.asm.constant(3));
        u.asm.op(AND, &[DATA.into(), INDEX.into(), parts]);
        u.asm.op(SUB, &[INDEX.into(), INDEX.into(), DATA.into()]);
        u.asm
            .op(SHIFT_LEFT, &[INDEX.into(), INDEX.into(), 6.into()]);
        u.asm.op(ADD, &[INDEX.into(), INDEX.into(), DATA.into()]);
        let numbers: [u32; 64] = std::array::from_fn(|lane| 4 * lane as u32);
        let numbers = u.asm.constant_row(&numbers);
        let numbers = Mem::sum(fixed::CONSTANTS, fixed::TILE, numbers);
        u.asm.op(ADD, &[INDEX.into(), INDEX.into(), numbers.into()]);
    }

    fn check_offset(&self, asm: &mut Asm, slow: Label) {
        let args = [K.into(), INDEX.into(), LIMIT.into(), GREATER.into()];
        asm.under(COMPARE_UNSIGNED, Under::Merge(ON), &args);
        leave_if_any(asm, slow);
    }

    /// Whether all lanes access the same offset, in whole dwords.
    pub(super) fn in_one_row(&self, u: &Uniform<'_, '_>) -> bool {
        let same = match self.addresses {
            Addresses::Scratch(address) => {
                let place = u.single.place(source(u.block, address));
                !matches!(place, Place::Vector(_))
            }
            Addresses::Swizzled(buffer) => buffer.offset.is_none() && self.op.offset % 4 == 0,
            _ => false,
        };
        same && self.bytes.is_multiple_of(4)
    }

    /// Emits an access at the same offset in all lanes, as rows.
    pub(super) fn private_rows(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        match self.addresses {
            Addresses::Scratch(address) => self.scratch_row(u, slow, |u| u.load(A, address)),
            Addresses::Swizzled(buffer) => {
                self.swizzled_ends(u, buffer, slow);
                add_constant(u.asm, BASE, self.op.offset as i32 * 64);
                self.is_swizzled_row(u.asm, slow);
            }
            _ => unreachable!("others have no rows of the wave"),
        }
        self.move_rows(u);
    }

    /// Makes the access as rows if all lanes are on and happen to have the same offset, and jumps to `done`. Else the code after
    /// it continues.
    pub(super) fn rows_at_one_offset(&self, u: &mut Uniform<'_, '_>, slow: Label, done: Label) {
        let Some(offsets) = self.offsets_of_rows(u) else {
            return;
        };
        let (general, narrow) = (u.asm.label(), low(A));
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, general);
        if_one_offset(u.asm, offsets, general);
        let first = Mem::at(fixed::VECTOR, offsets);
        let load = |u: &mut Uniform<'_, '_>| {
            u.asm.op(Code::Mov_r32_rm32, &[narrow.into(), first.into()]);
        };
        if let Addresses::Swizzled(buffer) = self.addresses {
            self.swizzled_ends(u, buffer, slow);
            load(u);
            let offset = self.op.offset as i32;
            u.asm
                .with_constant(Code::Add_rm32_imm32, narrow.into(), offset, false);
            u.asm
                .with_constant(Code::Cmp_rm64_imm32, A.into(), FAR, true);
            u.asm.jump(Code::Ja_rel32_64, slow);
            self.add_row(u.asm, slow);
            self.is_swizzled_row(u.asm, slow);
        } else {
            self.scratch_row(u, slow, load);
        }
        self.move_rows(u);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(general);
    }

    /// The place of the lanes' offsets in the vector file, if whole dwords are accessed there.
    fn offsets_of_rows(&self, u: &Uniform<'_, '_>) -> Option<u32> {
        let offset = match self.addresses {
            Addresses::Scratch(address) => address,
            Addresses::Swizzled(buffer) if buffer.wraps => buffer.offset?,
            _ => return None,
        };
        match u.single.place(source(u.block, offset)) {
            Place::Vector(at) if self.bytes.is_multiple_of(4) => Some(at),
            _ => None,
        }
    }

    /// Moves all rows, whose base is known.
    fn move_rows(&self, u: &mut Uniform<'_, '_>) {
        self.find_host(u.asm);
        let mask = self.on(u);
        for tile in 0..4 {
            // The mask and the number of the tile are constants here.
            let (base, offset) = (mask.base, mask.offset as u32 + 2 * tile);
            let on = Mem::at(base, offset);
            u.asm.op(Code::VEX_Kmovw_kr_km16, &[ON.into(), on.into()]);
            for n in 0..self.dwords() {
                self.move_row(u, n, 64 * tile);
            }
        }
    }

    /// Computes the base of the row at the offset that `load` gives.
    fn scratch_row(
        &self,
        u: &mut Uniform<'_, '_>,
        slow: Label,
        load: impl FnOnce(&mut Uniform<'_, '_>),
    ) {
        self.scratch_base_only(u.asm, slow);
        self.last_offset(u.asm, slow);
        load(u);
        let narrow = low(A);
        let offset = self.op.offset as i32;
        u.asm
            .with_constant(Code::Add_rm32_imm32, narrow.into(), offset, false);
        u.asm.op(Code::Cmp_r64_rm64, &[A.into(), HIGH.into()]);
        u.asm.jump(Code::Jg_rel32_64, slow);
        self.add_row(u.asm, slow);
    }

    /// Adds the place of the row at an offset to the base; jumps to `slow` unless it is a multiple of 4.
    fn add_row(&self, asm: &mut Asm, slow: Label) {
        asm.with_constant(Code::Test_rm64_imm32, A.into(), 3, true);
        asm.jump(Code::Jne_rel32_64, slow);
        asm.op(Code::Shl_rm64_imm8, &[A.into(), 6.into()]);
        asm.op(Code::Add_r64_rm64, &[BASE.into(), A.into()]);
    }

    fn scratch_base_only(&self, asm: &mut Asm, slow: Label) {
        self.own_scratch(asm, slow);
        asm.op(LOAD, &[BASE.into(), at(UNIT, MemoryUnit::SCRATCH_BASE)]);
    }

    /// Jumps to `slow` unless the rows from the base on are in the wave's scratch.
    fn is_swizzled_row(&self, asm: &mut Asm, slow: Label) {
        asm.op(Code::Cmp_r64_rm64, &[BASE.into(), LOW.into()]);
        asm.jump(Code::Jb_rel32_64, slow);
        let bytes = self.dwords() as i32 * VECTOR_BYTES as i32;
        asm.with_constant(Code::Sub_rm64_imm32, HIGH.into(), bytes, true);
        asm.op(Code::Cmp_r64_rm64, &[BASE.into(), HIGH.into()]);
        asm.jump(Code::Ja_rel32_64, slow);
    }

    /// Moves a tile of a dword of all lanes. Rows are loaded and stored as a whole: all of a row belongs to the wave.
    fn move_row(&self, u: &mut Uniform<'_, '_>, n: u32, tile: u32) {
        let memory = Mem::at(BASE, n * VECTOR_BYTES as u32 + tile);
        let (code, from, to) = match self.op.kind {
            MemKind::Load => {
                let register = self.to + n * VECTOR_BYTES as u32 + tile;
                (COPY, memory, Mem::at(fixed::VECTOR, register))
            }
            _ => {
                let data = source(u.block, self.op.data[n as usize]);
                let (code, from) = match u.single.place(data) {
                    Place::Vector(at) => (COPY, Mem::at(fixed::VECTOR, at + tile)),
                    Place::Uniform(at) => (BROADCAST, Mem::at(fixed::UNIFORM, at)),
                    Place::Const(c) => (BROADCAST, u.asm.constant(c as u32)),
                    Place::Nowhere => unreachable!("data are computed before they are stored"),
                };
                (code, from, memory)
            }
        };
        u.asm.op(COPY, &[OLD.into(), to.into()]);
        u.asm
            .under(code, Under::Merge(ON), &[OLD.into(), from.into()]);
        u.asm.op(STORE, &[to.into(), OLD.into()]);
    }
}

/// Jumps to a label unless all lanes have the offset of the first one.
fn if_one_offset(asm: &mut Asm, offsets: u32, other: Label) {
    let tile = |n: u32| Mem::at(fixed::VECTOR, offsets + 64 * n);
    asm.op(BROADCAST, &[FIRST.into(), tile(0).into()]);
    asm.op(SUB, &[OLD.into(), FIRST.into(), tile(0).into()]);
    for n in 1..4 {
        asm.op(SUB, &[APART.into(), FIRST.into(), tile(n).into()]);
        asm.op(OR, &[OLD.into(), OLD.into(), APART.into()]);
    }
    asm.op(TEST, &[K.into(), OLD.into(), OLD.into()]);
    leave_if_any(asm, other);
}
