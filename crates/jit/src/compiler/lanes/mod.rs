//! Memory accesses by lanes in compiled code: to LDS, to global memory, through buffer descriptors in the form of compilers, and
//! to scratch.
//!
//! Mostly all lanes are active and contiguous (`rows.rs`), or those of each tile go to a row or to one place (`tiles.rs`,
//! `records.rs`), or four lanes at a time are contiguous (`quads.rs`). Other accesses take the general path:
//!
//! A lane's address is a 64-bit base plus a 32-bit index (`places.rs`; for scratch `scratch.rs`). Tile by tile, the indices are
//! compared with the bounds of the memory. Then the lanes of a tile go to one place, to a row, or to separate places: whole
//! dwords (`dwords.rs`, `wide.rs`), bytes and halves (`parts.rs`), atomics (`atomics.rs`). Stores to the same dwords:
//! `overwritten.rs`. Accesses that do not fit (a lane out
//! of bounds, addresses more than 2 GiB apart) are left to helpers: nothing is loaded or stored before all tiles have been
//! checked.

mod access;
mod atomics;
mod dwords;
mod form_loads;
mod forms;
mod overwritten;
mod parts;
mod places;
mod quads;
mod records;
mod rows;
mod scratch;
mod shadows;
mod swaps;
mod tiles;
mod wide;

use iced_x86::Code;
use wavetank_ir::{Access, DataReg, Dialect, Elements, Half, MemKind, MemOp, Space, Ty, Value};
use wavetank_lower::TooMany;
use wavetank_memory::Request;

use crate::compiler::asm::{Label, low};
use crate::compiler::recorded::Recorded;
use crate::compiler::uniform::Uniform;
pub(super) use access::LaneAccess;
use access::*;
pub(super) use forms::{Form, Forms};
pub(super) use shadows::leave_if_noted;

impl<'o> LaneAccess<'o> {
    /// The access in compiled code, if it is supported.
    pub(super) fn of(op: &'o MemOp, ty: impl Fn(Value) -> Ty, pc: u64) -> Option<LaneAccess<'o>> {
        let addresses = addresses(op, ty)?;
        let private = matches!(addresses, Addresses::Scratch(_));
        match (op.access, op.half, op.kind) {
            (Access::Dwords(1..=2), Half::Whole, MemKind::Atomic(rmw)) => {
                let pure = !private && atomics::is_known(rmw, op);
                pure.then_some(())?;
            }
            (_, _, MemKind::Atomic(_)) | (_, Half::Each, _) => return None,
            (Access::Dwords(1..=4), Half::Whole, _) => {}
            (Access::Dwords(_), ..) => return None,
            _ => {}
        }
        let to = match (op.kind, op.ret) {
            (MemKind::Load | MemKind::Atomic(_), Some(DataReg::V(n))) => {
                shadows::first_of(n, op.registers() as usize)?
            }
            (MemKind::Store | MemKind::Atomic(_), None) => 0,
            _ => return None,
        };
        let bytes = op.access.bytes();
        let signed = !matches!(op.space, Space::Lds { .. } | Space::Buffer { .. });
        let lowest = if signed { -1 << 20 } else { 0 };
        let near = (lowest..1 << 20).contains(&op.offset);
        near.then_some(LaneAccess {
            op,
            addresses,
            mask: op.mask?,
            bytes,
            to,
            slot: (pc >> 2) as u32,
            kept: None,
            recorded: None,
        })
    }

    /// Emits the code, which jumps to `slow` if it cannot make the access.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(super) fn emit(
        mut self,
        u: &mut Uniform<'_, '_>,
        form: Option<&mut Form>,
        slow: Label,
    ) -> Result<(), TooMany> {
        let done = u.asm.label();
        u.load(A, self.mask);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, done);
        if self.stores_shadows(u, slow) {
            u.asm.place(done);
            return Ok(());
        }
        if self.keeps() {
            self.kept = Some(u.single.vector(u.segment)?);
        }
        u.asm.use_constants();
        if let Addresses::Buffer(buffer) = self.addresses {
            self.by_descriptor(u, buffer, slow);
        } else {
            self.at_addresses(u, form, slow);
        }
        self.has_loaded_shadows(u, slow);
        u.asm.place(done);
        Ok(())
    }

    /// Emits the code of an access that is recorded, which jumps to `slow` if it cannot make the access. The helpers there record
    /// it themselves.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(super) fn emit_recorded(
        mut self,
        u: &mut Uniform<'_, '_>,
        request: *const Request,
        slow: Label,
    ) -> Result<(), TooMany> {
        let done = u.asm.label();
        u.load(A, self.mask);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, done);
        if self.may_fail() {
            u.asm.jump(Code::Jmp_rel32_64, slow);
            u.asm.place(done);
            return Ok(());
        }
        let address = u.single.uniform(u.segment)?;
        self.recorded = Some(Recorded {
            request,
            address,
            slow,
        });
        self.kept = Some(u.single.vector(u.segment)?);
        u.asm.use_constants();
        match self.addresses {
            Addresses::Buffer(buffer) => self.by_descriptor(u, buffer, slow),
            _ => self.at_addresses(u, None, slow),
        }
        u.asm.place(done);
        Ok(())
    }

    /// Makes an access that is recorded: a row of all lanes, or one whose lanes are checked one by one. Scratch, and buffers whose
    /// lanes are no row, are left to the helpers.
    fn recorded(&self, u: &mut Uniform<'_, '_>, recorded: &Recorded, slow: Label) {
        let done = u.asm.label();
        self.rows(u, done);
        if self.is_private() || self.leaves_out() {
            u.asm.jump(Code::Jmp_rel32_64, slow);
        } else {
            self.base(u, slow);
            self.check_lanes(u, slow);
            let kept = self.kept.expect("what is recorded keeps its indices");
            u.load(A, self.mask);
            recorded.record_lanes(u.asm, A, BASE, kept);
            // The call has changed all registers. Nothing is out of bounds now that was not before.
            self.base(u, slow);
            if self.gathers_dwords() {
                self.last_dword(u, slow);
            }
            self.move_lanes(u);
        }
        u.asm.place(done);
    }

    fn at_addresses(&self, u: &mut Uniform<'_, '_>, form: Option<&mut Form>, slow: Label) {
        if let Some(recorded) = &self.recorded {
            return self.recorded(u, recorded, slow);
        }
        if self.in_one_row(u) {
            return self.private_rows(u, slow);
        }
        let done = u.asm.label();
        self.rows_at_one_offset(u, slow, done);
        // Accesses to LDS are less often one row, and for a row the tiles take little longer.
        let planes = self.planes(u);
        let has_form = form.is_some();
        if let Some(form) = form {
            self.by_form(u, form, done);
        } else if !(planes.is_some() && matches!(self.addresses, Addresses::Lds(..))) {
            self.rows(u, done);
        }
        self.base(u, slow);
        if let Some(planes) = planes {
            self.in_tiles(u, planes, slow);
            return u.asm.place(done);
        }
        if !has_form {
            self.records_at_one_place(u, done);
            self.quads(u, done);
        }
        // All tiles are checked first, so that an access that faults has written nothing.
        self.check_lanes(u, slow);
        self.move_lanes(u);
        u.asm.place(done);
    }

    /// Checks the lanes of all tiles, and jumps to `slow` if one is out of bounds.
    fn check_lanes(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        for (vector, register) in [(LOWEST, LOW), (HIGHEST, HIGH)] {
            let narrow = low(register);
            u.asm.op(SPREAD, &[vector.into(), narrow.into()]);
        }
        if self.gathers_dwords() {
            self.last_dword(u, slow);
        }
        self.tiles(u, |access, u| access.check(u, slow));
    }

    /// Whether parts of dwords are loaded with the bytes after them.
    fn gathers_dwords(&self) -> bool {
        self.bytes < 4 && self.op.kind == MemKind::Load && !self.is_private()
    }

    /// Makes the access in all tiles, whose lanes have been checked.
    fn move_lanes(&self, u: &mut Uniform<'_, '_>) {
        self.tiles(u, |access, u| {
            access.index(u);
            match access.op.kind {
                MemKind::Load if access.bytes < 4 => access.load_parts(u),
                MemKind::Load => access.loads(u),
                MemKind::Store if access.bytes < 4 => access.store_parts(u),
                MemKind::Store => access.stores(u),
                MemKind::Atomic(rmw) => access.changes(u, rmw),
            }
        });
    }
}

/// The addresses of an access, if compiled code may support it.
fn addresses(op: &MemOp, ty: impl Fn(Value) -> Ty) -> Option<Addresses> {
    Some(match op.space {
        Space::Lds { address, limit } => Addresses::Lds(address, limit),
        Space::Global { address, index } if ty(address) == Ty::U64 => {
            Addresses::Index(address, index)
        }
        Space::Global {
            address,
            index: None,
        } if ty(address) == Ty::V64 => Addresses::Lanes(address),
        // The apertures of LDS and scratch are in no allocation, so the bounds check excludes them.
        Space::Flat { address, .. } if ty(address) == Ty::V64 => Addresses::Lanes(address),
        Space::Scratch { address } => Addresses::Scratch(address),
        Space::Buffer {
            resource,
            dialect: dialect @ (Dialect::Swizzled | Dialect::Indexed | Dialect::Summed),
            address: None,
            index: None,
            offset,
            soffset,
            format: Elements::Plain,
        } => Addresses::Buffer(Buffer {
            resource,
            soffset,
            offset,
            wraps: dialect.is_of_gfx9(),
            summed: dialect == Dialect::Summed,
        }),
        _ => return None,
    })
}
