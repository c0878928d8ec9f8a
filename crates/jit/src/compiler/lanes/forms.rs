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
use super::rows::{OR_DIFFERENCE, ROW, TERNARY, TILES};
use super::wide::RECORD_BYTES;
use crate::compiler::asm::{Arg, Asm, Label, Mem, fixed, low};
use crate::compiler::segments::{Segments, source};
use crate::compiler::uniform::Uniform;

/// The differences of indices from the first one of their tile, of these from a row, of tiles from the first tile, of both, of
/// a tile from every second place of a row, and of tiles from being next to the first one.
const FROM_FIRST: Register = Register::ZMM5;
const FROM_ROW: Register = Register::ZMM6;
const FROM_TILE: Register = Register::ZMM7;
const FROM_SAME_ROW: Register = FROM_TILE;
const FROM_ALTERNATE: Register = Register::ZMM8;
const FROM_COLUMN: Register = Register::ZMM9;
/// Twice the distances of the lanes of a row.
const TWICE: Register = Register::ZMM10;
const MAX: Code = Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32;
const SHUFFLE: Code = Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8;

/// The form of indices, as a number in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Some lanes are off.
    Other = 0,
    /// The lanes of each tile are at one place.
    Places = 1,
    /// Those of each tile are in a row.
    Rows = 2,
    /// Those of all tiles are in the same row.
    SameRow = 3,
    /// Those of each tile are at every second place of a row: the other places belong to another load.
    Alternate = 4,
    /// Each lane is followed by the lane with the same number in the next tile: the operands of matrix instructions, of which
    /// the tiles have the elements that a sum takes in turn.
    Columns = 5,
    /// Each lane goes its own way.
    Apart = 6,
}

impl Kind {
    /// The kinds that loads of some bytes have, in the order of preference, with the number of bytes from the largest index,
    /// or the largest one of first lanes, to the end of what is read there, and the register that is 0 if the indices are so.
    fn of(bytes: u32) -> Vec<(Kind, u32, Option<Register>)> {
        let row = ROW * bytes;
        let mut kinds = vec![
            (Kind::Places, bytes, Some(FROM_FIRST)),
            // Not before it is known that they are rows.
            (Kind::SameRow, row, Some(FROM_SAME_ROW)),
            (Kind::Rows, row, Some(FROM_ROW)),
        ];
        if bytes == 4 {
            kinds.push((Kind::Alternate, 2 * row - bytes, Some(FROM_ALTERNATE)));
        }
        if bytes < RECORD_BYTES {
            kinds.push((Kind::Columns, bytes, Some(FROM_COLUMN)));
        }
        // Two dwords are loaded with the two that follow.
        let whole = if bytes == 4 { bytes } else { RECORD_BYTES };
        kinds.push((Kind::Apart, whole, None));
        kinds
    }

    /// Whether the end is counted from the largest index of the tiles' first lanes.
    fn begins_with_firsts(self) -> bool {
        !matches!(self, Kind::Columns | Kind::Apart)
    }
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
        let general = u.asm.label();
        u.asm.op(LOAD, &[A.into(), slot(form.kind).into()]);
        u.asm.op(Code::Test_rm64_r64, &[A.into(), A.into()]);
        u.asm.jump(Code::Je_rel32_64, general);
        self.ends_in_lds(u, form, limit, general);
        for (kind, ..) in Kind::of(self.bytes) {
            let other = u.asm.label();
            u.asm
                .with_constant(Code::Cmp_rm64_imm32, A.into(), kind as i32, true);
            u.asm.jump(Code::Jne_rel32_64, other);
            self.load_form(u.asm, kind, places);
            u.asm.jump(Code::Jmp_rel32_64, done);
            u.asm.place(other);
        }
        u.asm.place(general);
    }

    /// Finds the form of indices, and stores it to its slots.
    fn find_form(&self, u: &mut Uniform<'_, '_>, form: &Form, places: u32) {
        let (found, firsts, all) = (u.asm.label(), u.asm.label(), u.asm.label());
        u.asm.set(B, Kind::Other as u64);
        u.asm.op(STORE_64, &[slot(form.kind).into(), B.into()]);
        u.load(A, self.mask);
        u.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        u.asm.jump(Code::Jne_rel32_64, found);
        self.compare_tiles_with_firsts(u.asm, places);
        for (kind, ends, difference) in Kind::of(self.bytes) {
            u.asm.set(A, kind as u64);
            u.asm.set(B, ends.into());
            let largest = if kind.begins_with_firsts() {
                firsts
            } else {
                all
            };
            match difference {
                Some(difference) => if_zero(u.asm, difference, largest),
                None => u.asm.jump(Code::Jmp_rel32_64, largest),
            }
        }
        u.asm.place(firsts);
        u.asm.op(STORE_64, &[slot(form.kind).into(), A.into()]);
        find_largest_of_firsts(u.asm, form, places);
        u.asm.jump(Code::Jmp_rel32_64, found);
        u.asm.place(all);
        u.asm.op(STORE_64, &[slot(form.kind).into(), A.into()]);
        find_largest(u.asm, form, places);
        u.asm.place(found);
    }

    /// Computes the differences of each tile's indices from the first one, of these from a row, and from the first tile's.
    fn compare_tiles_with_firsts(&self, asm: &mut Asm, places: u32) {
        let numbers: [u32; ROW as usize] = std::array::from_fn(|lane| self.bytes * lane as u32);
        let numbers = Mem::at(fixed::CONSTANTS, asm.constant_row(&numbers));
        let tile = |tile: u32| Mem::at(fixed::VECTOR, places + 64 * tile);
        for sum in [FROM_FIRST, FROM_ROW, FROM_TILE, FROM_ALTERNATE, FROM_COLUMN] {
            asm.op(ZERO, &[sum.into(); 3]);
        }
        asm.op(COPY, &[DATA.into(), numbers.into()]);
        asm.op(ADD, &[TWICE.into(), DATA.into(), DATA.into()]);
        for n in 0..TILES {
            asm.op(COPY, &[INDEX.into(), tile(n).into()]);
            asm.op(BROADCAST, &[FIRST.into(), tile(n).into()]);
            asm.op(SUB, &[APART.into(), INDEX.into(), FIRST.into()]);
            asm.op(OR, &[FROM_FIRST.into(), FROM_FIRST.into(), APART.into()]);
            or_difference(asm, [FROM_ROW.into(), APART.into(), DATA.into()]);
            or_difference(asm, [FROM_ALTERNATE.into(), APART.into(), TWICE.into()]);
            if n > 0 {
                or_difference(asm, [FROM_TILE.into(), INDEX.into(), tile(0).into()]);
                let before = Arg::Each(asm.constant(n * self.bytes));
                asm.op(SUB, &[INDEX.into(), INDEX.into(), before]);
                or_difference(asm, [FROM_COLUMN.into(), INDEX.into(), tile(0).into()]);
            }
        }
        let both = [FROM_SAME_ROW.into(), FROM_TILE.into(), FROM_ROW.into()];
        asm.op(OR, &both);
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

    /// Loads the index of a lane, and returns the place that it belongs to.
    pub(super) fn place_at(&self, asm: &mut Asm, to: Register, index: Mem) -> Mem {
        let narrow = low(to);
        asm.op(Code::Mov_r32_rm32, &[narrow.into(), index.into()]);
        Mem::sum(BASE, to, self.op.offset as u32)
    }

    /// The place of dword `n` of the lanes of a tile.
    pub(super) fn result(&self, n: u32, tile: u32) -> Mem {
        Mem::at(fixed::VECTOR, self.to + n * VECTOR_BYTES as u32 + 64 * tile)
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

/// Stores the end of the bytes at the largest of the tiles' first indices, whose number is in a register, and the bits of these.
fn find_largest_of_firsts(asm: &mut Asm, form: &Form, places: u32) {
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
    store_end(asm, form);
}

/// The same for all indices.
fn find_largest(asm: &mut Asm, form: &Form, places: u32) {
    let tile = |tile: u32| Mem::at(fixed::VECTOR, places + 64 * tile);
    for (code, vector, to) in [(MAX, Register::ZMM0, UNIT), (OR, Register::ZMM1, A)] {
        asm.op(COPY, &[vector.into(), tile(0).into()]);
        for n in 1..TILES {
            asm.op(code, &[vector.into(), vector.into(), tile(n).into()]);
        }
        // Halves with each other, down to single dwords: a half of a register, then of a quarter.
        for by in [8, 4] {
            let lanes: [u32; ROW as usize] = std::array::from_fn(|lane| lane as u32 ^ by);
            let lanes = Mem::at(fixed::CONSTANTS, asm.constant_row(&lanes));
            asm.op(COPY, &[FIRST.into(), lanes.into()]);
            asm.op(PERMUTE, &[FIRST.into(), FIRST.into(), vector.into()]);
            asm.op(code, &[vector.into(), vector.into(), FIRST.into()]);
        }
        for order in [0x4e_u8, 0xb1] {
            asm.op(SHUFFLE, &[FIRST.into(), vector.into(), order.into()]);
            asm.op(code, &[vector.into(), vector.into(), FIRST.into()]);
        }
        let xmm = Register::XMM0 + (vector as u32 - Register::ZMM0 as u32);
        let to = low(to);
        asm.op(Code::VEX_Vmovd_rm32_xmm, &[to.into(), xmm.into()]);
    }
    store_end(asm, form);
}

/// Stores the end of the bytes at the largest index, and the bits of the indices.
fn store_end(asm: &mut Asm, form: &Form) {
    asm.op(Code::Add_r64_rm64, &[B.into(), UNIT.into()]);
    asm.op(STORE_64, &[slot(form.end).into(), B.into()]);
    asm.op(STORE_64, &[slot(form.bits).into(), A.into()]);
}
