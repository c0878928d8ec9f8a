//! The places of an access's lanes: the base, the indices, and the bounds that these are compared with.

use iced_x86::{Code, Register};
use wavetank_ir::{MemKind, Value};
use wavetank_lower::Place;
use wavetank_memory::{ALIAS, Alignment, BoundsCache, Lds, MemoryUnit, VECTOR_BYTES};

use super::access::*;
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed, low};
use crate::compiler::uniform::Uniform;

impl LaneAccess<'_> {
    /// Computes the base, and the smallest and the largest index in bounds.
    pub(super) fn base(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let offset = self.op.offset as i32;
        match self.addresses {
            Addresses::Lds(_, limit) => self.lds(u, limit, slow),
            Addresses::Index(base, _) => {
                u.load(BASE, base);
                add_constant(u.asm, BASE, offset);
                self.bounds(u.asm, slow);
                not_below_zero(u.asm);
            }
            Addresses::Lanes(address) => {
                self.first_address(u, address);
                add_constant(u.asm, BASE, offset);
                self.bounds(u.asm, slow);
            }
            Addresses::Raw(buffer) => {
                self.buffer_base(u, buffer);
                add_constant(u.asm, BASE, offset);
                self.bounds(u.asm, slow);
                not_below_zero(u.asm);
                self.records(u, buffer, slow);
            }
            Addresses::Scratch(_) => self.scratch_base(u, slow),
            Addresses::Swizzled(buffer) => self.swizzled_base(u, buffer, slow),
            Addresses::Buffer(_) => unreachable!("its descriptor says which it is"),
        }
    }

    fn lds(&self, u: &mut Uniform<'_, '_>, limit: Option<Value>, slow: Label) {
        let offset = self.op.offset as i32;
        let lds = |field| Arg::M(Mem::at(UNIT, (MemoryUnit::LDS + field) as u32));
        u.asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        u.asm.op(LOAD, &[BASE.into(), lds(Lds::BASE)]);
        self.find_shadow(u.asm, BASE);
        add_constant(u.asm, BASE, offset);
        let high = low(HIGH);
        u.asm
            .op(Code::Mov_r32_rm32, &[high.into(), lds(Lds::BYTES)]);
        if let Some(limit) = limit {
            u.load(A, limit);
            u.asm.op(Code::Cmp_r64_rm64, &[A.into(), HIGH.into()]);
            u.asm.op(Code::Cmovb_r64_rm64, &[HIGH.into(), A.into()]);
        }
        let room = offset + self.bytes as i32;
        u.asm
            .with_constant(Code::Sub_rm64_imm32, HIGH.into(), room, true);
        u.asm.jump(Code::Jl_rel32_64, slow);
        u.asm.set(LOW, 0);
    }

    /// Sets the base to the address of the first active lane.
    fn first_address(&self, u: &mut Uniform<'_, '_>, address: Value) {
        let [low, high] = planes(u, address);
        u.load(A, self.mask);
        u.asm.op(Code::Bsf_r64_rm64, &[A.into(), A.into()]);
        u.asm.op(Code::Shl_rm64_imm8, &[A.into(), 2.into()]);
        for (register, plane) in [(BASE, low), (B, high)] {
            let register = crate::compiler::asm::low(register);
            let from = Mem::sum(fixed::VECTOR, A, plane);
            u.asm
                .op(Code::Mov_r32_rm32, &[register.into(), from.into()]);
        }
        let spread = [(BASE_LOW, BASE), (BASE_HIGH, B)];
        for (vector, register) in spread {
            let register = crate::compiler::asm::low(register);
            u.asm.op(SPREAD, &[vector.into(), register.into()]);
        }
        u.asm.op(Code::Shl_rm64_imm8, &[B.into(), 32.into()]);
        u.asm.op(Code::Or_r64_rm64, &[BASE.into(), B.into()]);
    }

    /// Computes the base and the scalar offset of a buffer.
    pub(super) fn buffer_base(&self, u: &mut Uniform<'_, '_>, buffer: Buffer) {
        u.load(BASE, buffer.resource[0]);
        for shift in [Code::Shl_rm64_imm8, Code::Shr_rm64_imm8] {
            u.asm.op(shift, &[BASE.into(), 16.into()]);
        }
        u.load(B, buffer.soffset);
        u.asm.op(Code::Add_r64_rm64, &[BASE.into(), B.into()]);
    }

    /// Limits indices by the records of a buffer. Accesses that begin beyond are left out.
    fn records(&self, u: &mut Uniform<'_, '_>, buffer: Buffer, slow: Label) {
        self.is_unaligned(u.asm, slow);
        u.load(A, buffer.resource[1]);
        let (narrow, zero) = (low(A), B);
        u.asm
            .op(Code::Mov_r32_rm32, &[narrow.into(), narrow.into()]);
        if buffer.summed {
            u.load(B, buffer.soffset);
            u.asm.op(Code::Sub_r64_rm64, &[A.into(), B.into()]);
        }
        u.asm.set(zero, 0);
        let offset = self.op.offset as i32;
        u.asm
            .with_constant(Code::Sub_rm64_imm32, A.into(), offset, true);
        u.asm.op(Code::Cmovl_r64_rm64, &[A.into(), zero.into()]);
        u.asm.op(SPREAD, &[LIMIT.into(), narrow.into()]);
        add_constant(u.asm, A, -(self.bytes as i32));
        u.asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
        u.asm.op(Code::Cmovg_r64_rm64, &[HIGH.into(), A.into()]);
    }

    /// Jumps to a label unless buffers may be accessed at any byte.
    pub(super) fn is_unaligned(&self, asm: &mut Asm, slow: Label) {
        let unaligned = Arg::I(Alignment::Unaligned as u8);
        asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        let mode = at(UNIT, MemoryUnit::ALIGNMENT);
        asm.op(Code::Cmp_rm8_imm8, &[mode, unaligned]);
        asm.jump(Code::Jne_rel32_64, slow);
    }

    /// A field of the slot's bounds cache, relative to the bounds caches.
    pub(super) fn bounds_at(&self, field: usize) -> Arg {
        at(UNIT, MemoryUnit::bounds_cache_at(self.slot) + field)
    }

    /// The field with the end of the bounds for this access.
    pub(super) fn bounds_end(&self) -> usize {
        match self.op.kind {
            MemKind::Load => BoundsCache::END,
            MemKind::Store | MemKind::Atomic(_) => BoundsCache::STORE_END,
        }
    }

    /// Jumps to a label unless the allocation of the bounds cache exists. Leaves the address of the bounds caches in a register.
    pub(super) fn bounds_are_there(&self, asm: &mut Asm, slow: Label) {
        asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        asm.op(LOAD, &[UNIT.into(), at(UNIT, MemoryUnit::BOUNDS_CACHES)]);
        asm.op(LOAD, &[B.into(), self.bounds_at(BoundsCache::GONE)]);
        asm.op(Code::Cmp_rm8_imm8, &[at(B, 0), 0.into()]);
        asm.jump(Code::Jne_rel32_64, slow);
    }

    /// Limits indices by the allocation in the bounds cache of the slot.
    fn bounds(&self, asm: &mut Asm, slow: Label) {
        let word = |field| self.bounds_at(field);
        let end = self.bounds_end();
        self.bounds_are_there(asm, slow);
        asm.op(LOAD, &[LOW.into(), word(BoundsCache::START)]);
        asm.op(LOAD, &[HIGH.into(), word(end)]);
        asm.with_constant(Code::Sub_rm64_imm32, HIGH.into(), self.bytes as i32, true);
        ends_to_32_bits(asm, slow);
        // The host address: all addresses of an allocation have the alias bit, or none.
        asm.op(LOAD, &[B.into(), word(BoundsCache::START)]);
        asm.set(A, ALIAS);
        asm.op(Code::And_r64_rm64, &[B.into(), A.into()]);
        asm.op(Code::Sub_r64_rm64, &[BASE.into(), B.into()]);
        self.find_shadow_of_base(asm);
    }

    /// Computes the indices of a tile, for its access.
    pub(super) fn index(&self, u: &mut Uniform<'_, '_>) {
        match self.kept {
            Some(kept) => {
                let kept = Mem::sum(fixed::VECTOR, fixed::TILE, kept);
                u.asm.op(COPY, &[INDEX.into(), kept.into()]);
            }
            None => self.find_index(u),
        }
        if self.leaves_out() {
            u.asm
                .op(Code::VEX_Kmovw_kr_km16, &[RESULTS.into(), ON.into()]);
            self.leave_out(u.asm);
        }
    }

    /// Deactivates lanes beyond the records.
    fn leave_out(&self, asm: &mut Asm) {
        let args = [ON.into(), INDEX.into(), LIMIT.into(), LESS.into()];
        asm.under(COMPARE_UNSIGNED, Under::Merge(ON), &args);
    }

    /// Computes the indices of a tile.
    fn find_index(&self, u: &mut Uniform<'_, '_>) {
        match self.addresses {
            Addresses::Lds(index, _) | Addresses::Index(_, Some(index)) => {
                lanes(u, INDEX, index, 0);
            }
            Addresses::Raw(Buffer {
                offset: Some(offset),
                ..
            }) => lanes(u, INDEX, offset, 0),
            Addresses::Lanes(address) => {
                lanes(u, INDEX, address, 0);
                let args = [INDEX.into(), INDEX.into(), BASE_LOW.into()];
                u.asm.op(SUB, &args);
            }
            _ => u.asm.op(ZERO, &[INDEX.into(); 3]),
        }
    }

    /// Checks the indices of a tile; jumps to `slow` if one is out of bounds.
    pub(super) fn check(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        match self.addresses {
            Addresses::Scratch(address) => self.private_index(u, Some(address), slow),
            Addresses::Swizzled(buffer) => self.private_index(u, buffer.offset, slow),
            _ => self.find_index(u),
        }
        if let Addresses::Lanes(address) = self.addresses {
            self.check_high_halves(u, address, slow);
        }
        if self.leaves_out() {
            self.leave_out(u.asm);
        }
        for (end, beyond) in [(LOWEST, LESS), (HIGHEST, GREATER)] {
            let args = [K.into(), INDEX.into(), end.into(), beyond.into()];
            u.asm.under(COMPARE, Under::Merge(ON), &args);
            leave_if_any(u.asm, slow);
        }
        // An access with a limit ignores low bits, and atomics are aligned to their size.
        let atomic = matches!(self.op.kind, MemKind::Atomic(_));
        if atomic || matches!(self.addresses, Addresses::Lds(_, Some(_))) {
            self.check_alignment(u, slow);
        }
        if let Some(kept) = self.kept {
            let kept = Mem::sum(fixed::VECTOR, fixed::TILE, kept);
            let index = self.kept_for_all(u.asm);
            u.asm.op(STORE, &[kept.into(), index.into()]);
        }
    }

    /// Checks that the high halves of addresses differ from the base's only by the sign of the index.
    fn check_high_halves(&self, u: &mut Uniform<'_, '_>, address: Value, slow: Label) {
        lanes(u, OLD, address, 0);
        lanes(u, APART, address, 1);
        let borrow = [K.into(), OLD.into(), BASE_LOW.into(), LESS.into()];
        u.asm.op(COMPARE_UNSIGNED, &borrow);
        let args = [APART.into(), APART.into(), BASE_HIGH.into()];
        u.asm.op(SUB, &args);
        let one = Arg::Each(u.asm.constant(1));
        let args = [APART.into(), APART.into(), one];
        u.asm.under(SUB, Under::Merge(K), &args);
        let args = [OLD.into(), INDEX.into(), 31.into()];
        u.asm.op(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, &args);
        let args = [K.into(), APART.into(), OLD.into(), NOT_EQUAL.into()];
        u.asm.under(COMPARE, Under::Merge(ON), &args);
        leave_if_any(u.asm, slow);
    }

    /// Jumps to `slow` unless each lane is aligned to its size.
    fn check_alignment(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let low = Arg::Each(u.asm.constant(self.bytes.next_power_of_two() - 1));
        match self.addresses {
            Addresses::Lds(..) => {
                let offset = u.asm.constant(self.op.offset as u32);
                u.asm.op(BROADCAST, &[OLD.into(), offset.into()]);
            }
            _ => {
                let narrow = crate::compiler::asm::low(BASE);
                u.asm.op(SPREAD, &[OLD.into(), narrow.into()]);
            }
        }
        let args = [OLD.into(), OLD.into(), INDEX.into()];
        u.asm.op(ADD, &args);
        let args = [K.into(), OLD.into(), low];
        u.asm.under(TEST, Under::Merge(ON), &args);
        leave_if_any(u.asm, slow);
    }

    /// Computes the distance of each index from that of the first lane. This lane may be inactive: if the others are at the
    /// places that it implies, so would it be. The first index is in the first register.
    pub(super) fn apart(&self, asm: &mut Asm) {
        let xmm = Register::XMM0;
        let eax = low(A);
        asm.op(Code::VEX_Vmovd_rm32_xmm, &[eax.into(), xmm.into()]);
        asm.op(Code::Movsxd_r64_rm32, &[A.into(), eax.into()]);
        asm.op(BROADCAST, &[FIRST.into(), xmm.into()]);
        let args = [APART.into(), INDEX.into(), FIRST.into()];
        asm.op(SUB, &args);
    }

    /// Jumps to a label if all active lanes are in a row, `bytes` bytes from one to the next.
    pub(super) fn if_row(&self, asm: &mut Asm, bytes: u32, row: Label) {
        let numbers: [u32; 16] = std::array::from_fn(|lane| bytes * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let args = [K.into(), APART.into(), numbers.into(), NOT_EQUAL.into()];
        asm.under(COMPARE, Under::Merge(ON), &args);
        asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
        asm.jump(Code::Je_rel32_64, row);
    }

    /// Jumps to a label if all active lanes are at one place.
    pub(super) fn if_same(&self, asm: &mut Asm, same: Label) {
        let args = [K.into(), APART.into(), APART.into()];
        asm.under(TEST, Under::Merge(ON), &args);
        asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
        asm.jump(Code::Je_rel32_64, same);
    }
}

/// Jumps to `slow` if a lane is in the mask of a comparison.
pub(super) fn leave_if_any(asm: &mut Asm, slow: Label) {
    asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
    asm.jump(Code::Jne_rel32_64, slow);
}

/// Adds a constant, which may be 0.
pub(super) fn add_constant(asm: &mut Asm, register: Register, constant: i32) {
    if constant != 0 {
        asm.with_constant(Code::Add_rm64_imm32, register.into(), constant, true);
    }
}

/// Converts the addresses of the bounds to indices: index 0 is far below or above the accessible memory, or both bounds are
/// clamped to 32 bits.
pub(super) fn ends_to_32_bits(asm: &mut Asm, slow: Label) {
    for limit in [LOW, HIGH] {
        asm.op(Code::Sub_r64_rm64, &[limit.into(), BASE.into()]);
    }
    // Any lane that a row begins at has a 32-bit index, too.
    const ROOM: i32 = 256;
    asm.set(A, (i32::MAX - ROOM) as u64);
    asm.op(Code::Cmp_r64_rm64, &[LOW.into(), A.into()]);
    asm.jump(Code::Jg_rel32_64, slow);
    asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
    asm.op(Code::Cmovg_r64_rm64, &[HIGH.into(), A.into()]);
    asm.set(A, i64::from(i32::MIN + ROOM) as u64);
    asm.op(Code::Cmp_r64_rm64, &[HIGH.into(), A.into()]);
    asm.jump(Code::Jl_rel32_64, slow);
    asm.op(Code::Cmp_r64_rm64, &[LOW.into(), A.into()]);
    asm.op(Code::Cmovl_r64_rm64, &[LOW.into(), A.into()]);
}

/// Clamps the smallest index to 0, since indices are unsigned.
fn not_below_zero(asm: &mut Asm) {
    asm.set(A, 0);
    asm.op(Code::Cmp_r64_rm64, &[LOW.into(), A.into()]);
    asm.op(Code::Cmovl_r64_rm64, &[LOW.into(), A.into()]);
}

/// The offsets of the halves of lanes of 64 bits.
fn planes(u: &Uniform<'_, '_>, v: Value) -> [u32; 2] {
    match u.single.place(v) {
        Place::Vector(at) => [at, at + VECTOR_BYTES as u32],
        _ => unreachable!("lane vectors are in the vector file"),
    }
}
