//! Forms of the indices of loads from LDS. Loads of a matrix product take the same indices again and again, with other constant
//! offsets: the form of the indices is found once in a block, and each load then only compares its end with that of the LDS.
//!
//! With all lanes active, the lanes of each tile may go to one place, or to a row, the same one in all tiles or not: these are
//! the ways in which work-groups that are 16 lanes wide read matrices. Other loads take the general path.

use std::collections::HashMap;

use iced_x86::{Code, Register};
use wavetank_ir::{Access, Block, Half, MemKind, MemOp, Node, Op, Space, Span, Value};
use wavetank_lower::{Place, Single, TooMany};
use wavetank_memory::{Lds, MemoryUnit, VECTOR_BYTES};

use super::access::*;
use super::places::add_constant;
use super::rows::{FROM, OR_DIFFERENCE, ROW, TERNARY, TILES};
use super::wide::{QUARTERS, insert_record, interleave};
use crate::compiler::asm::{Arg, Asm, Label, Mem, Under, fixed, low};
use crate::compiler::segments::{Segments, source};
use crate::compiler::uniform::Uniform;

/// The differences of indices from the first one of their tile, of these from a row, and of tiles from the first tile.
const FROM_FIRST: Register = Register::ZMM5;
const FROM_ROW: Register = Register::ZMM6;
const FROM_TILE: Register = Register::ZMM7;
/// The order of lanes in transposed records.
const ORDER: Register = Register::ZMM14;
const STORE_64: Code = Code::Mov_rm64_r64;

/// The form of indices, as a number in memory.
#[derive(Clone, Copy)]
enum Kind {
    Other = 0,
    /// The lanes of each tile are at one place.
    Places = 1,
    /// Those of each tile are in a row.
    Rows = 2,
    /// Those of all tiles are in the same row.
    SameRow = 3,
}

/// The slots of a form, as offsets in the uniform file.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// The kind.
    kind: u32,
    /// The end of the bytes at the largest index, as 64 bits.
    end: u32,
    /// The first lanes' indices, combined by OR.
    bits: u32,
    /// Whether an earlier load has found it.
    known: bool,
}

/// Lane vectors or masks that are equal: the content of a register up to its next write, or a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    /// The first register, and the number of the node that wrote it.
    Register(u32, Option<usize>),
    Value(Value),
}

/// The key of a form: indices, a mask, and the number of bytes of a lane.
type Shared = (Content, Content, u32);

/// The forms of a block.
pub(crate) struct Forms {
    /// The form of each load that has one.
    of: HashMap<Value, Shared>,
    /// The last segment with a load of each form, and its slots once they exist.
    found: HashMap<Shared, (u32, Option<Form>)>,
}

impl Forms {
    /// Returns the forms of a block's loads. Loads of one dword have one where several share it.
    pub(crate) fn new(block: &Block, segments: &Segments) -> Forms {
        let mut forms = Forms {
            of: HashMap::new(),
            found: HashMap::new(),
        };
        let mut uses: HashMap<Shared, usize> = HashMap::new();
        let writes = Writes::of(block);
        for (at, segment) in (0..).zip(&segments.list) {
            for v in &segment.uniform {
                let Op::Mem(op) = &block.node(*v).op else {
                    continue;
                };
                let Some(shared) = shared(block, &writes, op) else {
                    continue;
                };
                forms.of.insert(*v, shared);
                forms.found.insert(shared, (at, None));
                *uses.entry(shared).or_default() += 1;
            }
        }
        let alone = |shared: &Shared| shared.2 == 4 && uses[shared] == 1;
        forms.of.retain(|_, shared| !alone(shared));
        forms
    }

    /// Returns the form of a load, whose code comes next.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(crate) fn of(
        &mut self,
        v: Value,
        single: &mut dyn Single,
    ) -> Result<Option<&mut Form>, TooMany> {
        let shared = self.of.get(&v);
        let Some((last, form)) = shared.and_then(|shared| self.found.get_mut(shared)) else {
            return Ok(None);
        };
        if form.is_none() {
            *form = Some(Form {
                kind: single.uniform(*last)?,
                end: single.uniform(*last)?,
                bits: single.uniform(*last)?,
                known: false,
            });
        }
        Ok(form.as_mut())
    }
}

/// The indices, the mask and the size that a load shares with others, if it may have a form.
fn shared(block: &Block, writes: &Writes, op: &MemOp) -> Option<Shared> {
    let (&Space::Lds { address, .. }, MemKind::Load, Half::Whole) = (&op.space, op.kind, op.half)
    else {
        return None;
    };
    let (Access::Dwords(1 | 2 | 4), Some(mask)) = (op.access, op.mask) else {
        return None;
    };
    let bytes = op.access.bytes();
    Some((
        writes.content(block, address),
        writes.content(block, mask),
        bytes,
    ))
}

/// The nodes that write registers, in their order.
struct Writes(Vec<(usize, Span)>);

impl Writes {
    fn of(block: &Block) -> Writes {
        let nodes = block.nodes.iter().enumerate();
        let spans = |(at, node): (usize, &Node)| {
            let writes = node.op.effects().writes;
            writes.iter().map(|span| (at, span)).collect::<Vec<_>>()
        };
        Writes(nodes.flat_map(spans).collect())
    }

    fn content(&self, block: &Block, v: Value) -> Content {
        let v = source(block, v);
        let Op::Read(reg) = block.node(v).op else {
            return Content::Value(v);
        };
        let read = Span::of(reg);
        let before = self.0.partition_point(|(at, _)| *at < v.index());
        let written = self.0[..before].iter().rev();
        let last = { written }.find(|(_, span)| span.overlaps(read));
        Content::Register(read.first, last.map(|(at, _)| *at))
    }
}

impl LaneAccess<'_> {
    /// Makes a load by the form of its indices, and jumps to `done`. Else the code after it continues as if nothing had been
    /// tried.
    pub(super) fn by_form(&self, u: &mut Uniform<'_, '_>, form: &mut Form, done: Label) {
        let Addresses::Lds(index, limit) = self.addresses else {
            return;
        };
        let Place::Vector(places) = u.single.place(source(u.block, index)) else {
            return;
        };
        if !form.known {
            self.find_form(u, form, places);
            form.known = true;
        }
        let (general, rows, same_row) = (u.asm.label(), u.asm.label(), u.asm.label());
        u.asm.op(LOAD, &[A.into(), slot(form.kind).into()]);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, general);
        self.ends_in_lds(u, form, limit, general);
        let rows_begin = Kind::Rows as i32;
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), rows_begin, true);
        u.asm.jump(Code::Je_rel32_64, rows);
        u.asm.jump(Code::Ja_rel32_64, same_row);
        self.load_places(u.asm, places);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(rows);
        self.load_rows(u.asm, places);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(same_row);
        self.load_same_row(u.asm, places);
        u.asm.jump(Code::Jmp_rel32_64, done);
        u.asm.place(general);
    }

    /// Finds the form of indices, and stores it to its slots.
    fn find_form(&self, u: &mut Uniform<'_, '_>, form: &Form, places: u32) {
        let (found, in_rows, ends) = (u.asm.label(), u.asm.label(), u.asm.label());
        u.asm.set(B, Kind::Other as u64);
        u.asm.op(STORE_64, &[slot(form.kind).into(), B.into()]);
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, found);
        self.compare_tiles_with_firsts(u.asm, places);
        u.asm.set(A, Kind::Places as u64);
        u.asm.set(B, self.bytes.into());
        if_zero(u.asm, FROM_FIRST, ends);
        if_zero(u.asm, FROM_ROW, in_rows);
        u.asm.jump(Code::Jmp_rel32_64, found);
        u.asm.place(in_rows);
        u.asm.set(A, Kind::SameRow as u64);
        u.asm.set(B, (ROW * self.bytes).into());
        if_zero(u.asm, FROM_TILE, ends);
        u.asm.set(A, Kind::Rows as u64);
        u.asm.place(ends);
        u.asm.op(STORE_64, &[slot(form.kind).into(), A.into()]);
        find_largest(u.asm, form, places);
        u.asm.place(found);
    }

    /// Computes the differences of each tile's indices from the first one, of these from a row, and from the first tile's.
    fn compare_tiles_with_firsts(&self, asm: &mut Asm, places: u32) {
        let numbers: [u32; ROW as usize] = std::array::from_fn(|lane| self.bytes * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let tile = |tile: u32| Mem::at(fixed::VECTOR, places + 64 * tile);
        for sum in [FROM_FIRST, FROM_ROW, FROM_TILE] {
            asm.op(ZERO, &[sum.into(); 3]);
        }
        asm.op(COPY, &[DATA.into(), numbers.into()]);
        for n in 0..TILES {
            asm.op(COPY, &[INDEX.into(), tile(n).into()]);
            asm.op(BROADCAST, &[FIRST.into(), tile(n).into()]);
            asm.op(SUB, &[APART.into(), INDEX.into(), FIRST.into()]);
            asm.op(OR, &[FROM_FIRST.into(), FROM_FIRST.into(), APART.into()]);
            let args = [FROM_ROW.into(), APART.into(), DATA.into()];
            or_difference(asm, args);
            if n > 0 {
                or_difference(asm, [FROM_TILE.into(), INDEX.into(), tile(0).into()]);
            }
        }
    }

    /// Jumps to a label unless the bytes of all lanes are in the LDS. Computes the base.
    fn ends_in_lds(
        &self,
        u: &mut Uniform<'_, '_>,
        form: &Form,
        limit: Option<Value>,
        general: Label,
    ) {
        let lds = |field| at(UNIT, MemoryUnit::LDS + field);
        u.asm.op(LOAD, &[UNIT.into(), at(fixed::CTX, MEMORY)]);
        let bytes = low(LOW);
        u.asm
            .op(Code::Mov_r32_rm32, &[bytes.into(), lds(Lds::BYTES)]);
        if let Some(limit) = limit {
            u.load(B, limit);
            u.asm.op(Code::Cmp_r64_rm64, &[B.into(), LOW.into()]);
            u.asm.op(Code::Cmovb_r64_rm64, &[LOW.into(), B.into()]);
            let bits = low(B);
            u.asm
                .op(Code::Mov_r32_rm32, &[bits.into(), slot(form.bits).into()]);
            let offset = self.op.offset as i32;
            u.asm
                .with_constant(Code::Or_rm32_imm32, bits.into(), offset, false);
            let across = self.bytes as i32 - 1;
            u.asm
                .with_constant(Code::Test_rm64_imm32, B.into(), across, true);
            u.asm.jump(Code::Jne_rel32_64, general);
        }
        u.asm.op(LOAD, &[B.into(), slot(form.end).into()]);
        add_constant(u.asm, B, self.op.offset as i32);
        u.asm.op(Code::Cmp_r64_rm64, &[B.into(), LOW.into()]);
        u.asm.jump(Code::Ja_rel32_64, general);
        u.asm.op(LOAD, &[BASE.into(), lds(Lds::BASE)]);
        self.find_shadow(u.asm, BASE);
    }

    /// Loads the index of a tile's first lane, and returns the place that it belongs to.
    fn first_of(&self, asm: &mut Asm, to: Register, index: Mem) -> Mem {
        let narrow = low(to);
        asm.op(Code::Mov_r32_rm32, &[narrow.into(), index.into()]);
        Mem::sum(BASE, to, self.op.offset as u32)
    }

    /// The place of dword `n` of the lanes of a tile.
    fn result(&self, n: u32, tile: u32) -> Mem {
        Mem::at(fixed::VECTOR, self.to + n * VECTOR_BYTES as u32 + 64 * tile)
    }

    fn load_places(&self, asm: &mut Asm, places: u32) {
        for tile in 0..TILES {
            let index = Mem::at(fixed::VECTOR, places + 64 * tile);
            let from = self.first_of(asm, A, index);
            if self.bytes == 4 {
                asm.op(BROADCAST, &[DATA.into(), from.into()]);
                asm.op(STORE, &[self.result(0, tile).into(), DATA.into()]);
                continue;
            }
            self.load_record_for_all(asm, from);
            for n in 0..self.dwords() {
                self.dword_of_record(asm, n, Under::All);
                asm.op(STORE, &[self.result(n, tile).into(), DATA.into()]);
            }
        }
    }

    fn load_rows(&self, asm: &mut Asm, places: u32) {
        let again = asm.label();
        self.row_begins_to_load(asm);
        asm.set(fixed::TILE, 0);
        asm.place(again);
        let index = Mem::sum(fixed::VECTOR, fixed::TILE, places);
        let from = self.first_of(asm, A, index);
        asm.op(Code::Lea_r64_m, &[FROM.into(), from.into()]);
        for (n, register) in (0..).zip(self.load_row(asm)) {
            let to = self.to + n * VECTOR_BYTES as u32;
            let to = Mem::sum(fixed::VECTOR, fixed::TILE, to);
            asm.op(STORE, &[to.into(), register.into()]);
        }
        asm.with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), 64, true);
        asm.with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        asm.jump(Code::Jne_rel32_64, again);
    }

    fn load_same_row(&self, asm: &mut Asm, places: u32) {
        self.row_begins_to_load(asm);
        let from = self.first_of(asm, A, Mem::at(fixed::VECTOR, places));
        asm.op(Code::Lea_r64_m, &[FROM.into(), from.into()]);
        for (n, register) in (0..).zip(self.load_row(asm)) {
            for tile in 0..TILES {
                asm.op(STORE, &[self.result(n, tile).into(), register.into()]);
            }
        }
    }

    /// Loads the constants of [`load_row`](Self::load_row).
    fn row_begins_to_load(&self, asm: &mut Asm) {
        match self.dwords() {
            2 => (0..2).for_each(|n| self.set_numbers(asm, n)),
            4 if asm.is_avx512() => {
                // After `interleave`, lane `4 * k + q` is in quarter `q` of its register, at place `k`.
                let order: [u32; ROW as usize] =
                    std::array::from_fn(|lane| (lane % 4 * 4 + lane / 4) as u32);
                let order = Mem::at(fixed::CONSTANTS, asm.constant_row(&order));
                asm.op(COPY, &[ORDER.into(), order.into()]);
            }
            _ => {}
        }
    }

    /// Loads a row of records, and returns the registers with their dwords in the order of lanes.
    fn load_row(&self, asm: &mut Asm) -> Vec<Register> {
        let part = |n: u32| Mem::at(FROM, 64 * n);
        match self.dwords() {
            1 => {
                asm.op(COPY, &[DATA.into(), part(0).into()]);
                vec![DATA]
            }
            2 => {
                for (n, to) in (0..).zip(&QUARTERS[..2]) {
                    asm.op(COPY, &[(*to).into(), part(n).into()]);
                }
                self.select_to(asm, 0, QUARTERS[2]);
                self.select_to(asm, 1, QUARTERS[3]);
                QUARTERS[2..].to_vec()
            }
            _ if asm.is_avx512() => {
                for (n, to) in (0..).zip(QUARTERS) {
                    asm.op(COPY, &[to.into(), part(n).into()]);
                }
                interleave(asm);
                for to in QUARTERS {
                    asm.op(PERMUTE, &[to.into(), ORDER.into(), to.into()]);
                }
                QUARTERS.to_vec()
            }
            _ => {
                for lane in 0..ROW {
                    insert_record(asm, lane, Mem::at(FROM, 16 * lane));
                }
                interleave(asm);
                QUARTERS.to_vec()
            }
        }
    }
}

fn slot(at: u32) -> Mem {
    Mem::at(fixed::UNIFORM, at)
}

/// Computes `sum | (a ^ b)`.
fn or_difference(asm: &mut Asm, [sum, a, b]: [Arg; 3]) {
    asm.op(TERNARY, &[sum, a, b, OR_DIFFERENCE.into()]);
}

/// Jumps to a label if all bits of a register are 0.
fn if_zero(asm: &mut Asm, register: Register, to: Label) {
    asm.op(TEST, &[K.into(), register.into(), register.into()]);
    asm.op(Code::VEX_Kortestw_kr_kr, &[K.into(), K.into()]);
    asm.jump(Code::Je_rel32_64, to);
}

/// Stores the end of the bytes at the largest index, whose number is in a register, and the bits of the tiles' first indices.
fn find_largest(asm: &mut Asm, form: &Form, places: u32) {
    let (largest, bits, index) = (low(UNIT), low(A), low(LOW));
    let first = |tile: u32| Mem::at(fixed::VECTOR, places + 64 * tile);
    for to in [largest, bits] {
        asm.op(Code::Mov_r32_rm32, &[to.into(), first(0).into()]);
    }
    for tile in 1..TILES {
        asm.op(Code::Mov_r32_rm32, &[index.into(), first(tile).into()]);
        asm.op(Code::Or_r32_rm32, &[bits.into(), index.into()]);
        asm.op(Code::Cmp_r32_rm32, &[index.into(), largest.into()]);
        asm.op(Code::Cmova_r32_rm32, &[largest.into(), index.into()]);
    }
    asm.op(Code::Add_r64_rm64, &[B.into(), UNIT.into()]);
    asm.op(STORE_64, &[slot(form.end).into(), B.into()]);
    asm.op(STORE_64, &[slot(form.bits).into(), A.into()]);
}
