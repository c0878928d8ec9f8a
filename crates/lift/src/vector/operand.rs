//! Operands of vector instructions: fetching sources with their modifiers, and writing results (Vega ISA, 6.2 "Operands", 13.3
//! "Vector ALU").
//!
//! The order is that of the hardware: DPP moves lanes, SDWA or OP_SEL select a part, then ABS and NEG apply; for results OMOD,
//! CLAMP, the part of the destination, the lanes of EXEC.

use std::cell::OnceCell;

use wavetank_gcn::numbers::sreg::RESERVED;
use wavetank_gcn::tables::{Features, OperandSpec};
use wavetank_gcn::{DstUnused, Field, Flags, Form, Inst, Operand, Row, SdwaSel, Ty};
use wavetank_ir::{Bin, Builder, Elem, Fp, Reg, Tern, Un, Value};

use crate::block::Lift;
use crate::lane;
use crate::memory::lds_dma;
use crate::operand::{FAR, FIRST_ACC, VCC};
use crate::value::{Cond, Float, Int};

/// The source code of a value read from LDS.
pub(super) const LDS_DIRECT: u8 = 254;

/// One vector instruction that is lifted.
pub(crate) struct Vector<'a> {
    /// The instruction, its modes and the builder.
    pub l: &'a Lift<'a>,
    /// The instruction's row of the table.
    row: &'static Row,
    /// The mask of the lanes to write, computed at its first use.
    lanes: OnceCell<Value>,
}

/// The name of a reserved modifier: a DPP_CTRL, an SDWA selection and the like.
pub(super) fn reserved_modifier(inst: &Inst) -> Option<&'static str> {
    let m = &inst.mods;
    match inst.form {
        Form::Dpp if lane::dpp_sources(m.dpp_ctrl).is_none() => Some("its DPP_CTRL is reserved"),
        Form::Sdwa
            if m.src_sel.contains(&SdwaSel::Reserved)
                || m.dst_sel == SdwaSel::Reserved
                || m.dst_unused == DstUnused::Reserved =>
        {
            Some("its SDWA selection is reserved")
        }
        _ => None,
    }
}

/// The bit offset and width of an SDWA part; `None` for the whole dword.
fn part(sel: SdwaSel) -> Option<(u8, u8)> {
    match sel {
        SdwaSel::Byte0 => Some((0, 8)),
        SdwaSel::Byte1 => Some((8, 8)),
        SdwaSel::Byte2 => Some((16, 8)),
        SdwaSel::Byte3 => Some((24, 8)),
        SdwaSel::Word0 => Some((0, 16)),
        SdwaSel::Word1 => Some((16, 16)),
        SdwaSel::Dword | SdwaSel::Reserved => None,
    }
}

/// The integer element that holds an operand.
pub(super) fn int_elem(ty: Ty) -> Elem {
    match ty {
        Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16 => Elem::I16,
        _ if ty.dwords() == 2 => Elem::I64,
        _ => Elem::I32,
    }
}

/// The float element that holds an operand.
pub(super) fn float_elem(ty: Ty) -> Elem {
    match int_elem(ty) {
        Elem::I16 => Elem::F16,
        Elem::I64 => Elem::F64,
        _ => Elem::F32,
    }
}

/// Whether a 16-bit result keeps the other half of its register, on a chip where some do; all others clear it (Vega ISA, 12.10
/// V_MAD_F16).
fn keeps_other_half(l: &Lift) -> bool {
    l.rules().halves_kept && l.inst.row().has(Features::KEEPS_HALF)
}

impl<'a> Vector<'a> {
    pub(super) fn new(l: &'a Lift<'a>) -> Self {
        Vector {
            l,
            row: l.inst.row(),
            lanes: OnceCell::new(),
        }
    }

    /// The builder of the block.
    pub(super) fn b(&self) -> &'a Builder {
        self.l.b
    }

    /// The float environment of an element in this wave's mode.
    pub(super) fn fp(&self, elem: Elem) -> Fp {
        self.l.modes.fp(elem)
    }

    /// Whether the CLAMP bit is set.
    pub(super) fn clamp(&self) -> bool {
        self.l.inst.has(Flags::CLAMP)
    }

    // ---- fetching sources ----

    /// The sources in the order of the row; a destination that is also read
    /// comes last, as the addend of V_MAC does.
    pub(super) fn sources(&self) -> impl Iterator<Item = (OperandSpec, Operand)> + '_ {
        let all = || self.row.operands.iter().copied().zip(self.l.inst.operands);
        let is_dst = |s: &OperandSpec| s.field == Field::Vdst;
        all()
            .filter(move |(s, _)| {
                let number = matches!(
                    s.field,
                    Field::Src0 | Field::Src1 | Field::Src2 | Field::Literal
                );
                number && s.access.reads()
            })
            .chain(all().filter(move |(s, _)| is_dst(s) && s.access.reads()))
    }

    /// A source with all of its modifiers.
    pub(super) fn source(&self, spec: OperandSpec, operand: Operand) -> Value {
        let raw = self.raw(spec, operand);
        let Some(n) = source_number(spec.field) else {
            return raw;
        };
        let selected = self.select_part(spec, n, raw);
        if !self.row.takes_neg(&spec) {
            return selected;
        }
        self.sign_modifiers(n, float_elem(spec.ty), selected)
    }

    /// ABS and NEG of source `n`: they only change the sign bit.
    pub(super) fn sign_modifiers(&self, n: u8, elem: Elem, value: Value) -> Value {
        let (b, mods) = (self.b(), &self.l.inst.mods);
        let bit = 1 << n;
        let fp = self.fp(elem);
        let abs = |v| b.un(Un::FAbs, elem, fp, v);
        let neg = |v| b.un(Un::FNeg, elem, fp, v);
        match (mods.abs & bit != 0, mods.neg & bit != 0) {
            (false, false) => value,
            (true, false) => abs(value),
            (false, true) => neg(value),
            (true, true) => neg(abs(value)),
        }
    }

    /// A source as in its register or constant, with its DPP lanes.
    pub(super) fn raw(&self, spec: OperandSpec, operand: Operand) -> Value {
        let Operand::Vgpr(n) = operand else {
            if let Operand::Agpr(n) = operand {
                return self.b().read(Reg::V(FIRST_ACC + u16::from(n)));
            }
            if operand == Operand::Inline(LDS_DIRECT) {
                return self.lds_direct().v;
            }
            return self.l.scalar_operand(operand, spec.constant_ty()).v;
        };
        let value = self.vgprs(spec, n.into());
        if spec.field == Field::Src0 && self.l.inst.form == Form::Dpp {
            self.dpp(value)
        } else {
            value
        }
    }

    /// The value in LDS at M0[15:0], by the data type M0[18:16]: 0 and 1 are unsigned bytes and words, 4 and 5 signed ones, 2 is
    /// a dword.
    fn lds_direct(&self) -> Int<'a> {
        let m0 = self.l.m0();
        let dword = lds_dma::read_uniform(self.l, m0 & 0xfffc);
        let part = dword >> ((m0 & 3) << 3);
        let ty = (m0 >> 16) & 7;
        let when = |n: u64, then: Int<'a>, other: Int<'a>| ty.eq(n).select(then, other);
        let signed = when(4, part.sign_extend(8), when(5, part.sign_extend(16), dword));
        when(0, part & 0xff, when(1, part & 0xffff, signed))
    }

    /// One vector register or two, indexed by M0 if the mode enables that.
    fn vgprs(&self, spec: OperandSpec, n: u16) -> Value {
        let wide = spec.ty.dwords() == 2;
        if !self.l.modes.indexes(self.l.inst, &spec) {
            return self.b().read(if wide { Reg::V64(n) } else { Reg::V(n) });
        }
        let index = self.gpr_index();
        let low = self.read_indexed(n, index);
        if !wide {
            return low;
        }
        let high = self.read_indexed(n + 1, index);
        self.b().bin(Bin::Pack, Elem::I32, Fp::default(), low, high)
    }

    /// Reads the register `index` after another, or v0 if the wave lacks it.
    pub(super) fn read_indexed(&self, n: u16, index: Int<'a>) -> Value {
        let index = self.l.index_within(n, index, self.l.modes.vgprs());
        self.b().read_indexed(n, index.v)
    }

    /// Writes the register `index` after another, if the wave has it.
    pub(super) fn write_indexed(&self, n: u16, index: Int<'a>, value: Value, lanes: Value) {
        let index = self.l.index_within(n, index, self.l.modes.vgprs());
        self.b().write_indexed(n, index.v, value, lanes);
    }

    /// Whether the wave has the register that is M0[7:0] after another.
    fn has_indexed(&self, n: u16) -> Cond<'a> {
        let most = self.l.modes.vgprs();
        (self.gpr_index() + u64::from(n)).lt_u(u64::from(most))
    }

    /// Whether the wave has the registers of an indexed destination (Vega ISA, 3.6 "Out-of-Range behavior").
    fn has_destination(&self) -> Option<Cond<'a>> {
        let Operand::Vgpr(n) = self.l.inst.operand(Field::Vdst) else {
            return None;
        };
        let indexed = self.l.modes.indexed(self.l.inst) & 8 != 0;
        let last = u16::from(n) + u16::from(self.l.dwords(Field::Vdst).max(1)) - 1;
        indexed.then(|| self.has_indexed(last))
    }

    /// M0[7:0], the index of VGPR indexing.
    fn gpr_index(&self) -> Int<'a> {
        self.l.m0() & 0xff
    }

    /// The part of source `n` that SDWA or OP_SEL selects.
    fn select_part(&self, spec: OperandSpec, n: u8, value: Value) -> Value {
        let mods = &self.l.inst.mods;
        let source = Int::i32(self.b(), value);
        match self.l.inst.form {
            Form::Sdwa if n < 2 => {
                let sext = mods.sext >> n & 1 == 1;
                match part(mods.src_sel[usize::from(n)]) {
                    None => value,
                    Some((0, width)) if sext => source.sign_extend(width).v,
                    // The operation reads the low half only, so no part is extracted.
                    Some((0, 16)) if int_elem(spec.ty) == Elem::I16 => value,
                    Some((0, width)) => (source & ((1 << width) - 1)).v,
                    Some((offset, width)) if u32::from(offset + width) == 32 && sext => {
                        source.sar(u64::from(offset)).v
                    }
                    Some((offset, width)) if offset + width == 32 => {
                        (source >> u64::from(offset)).v
                    }
                    Some((offset, width)) if sext => {
                        source.bfe_s(u64::from(offset), u64::from(width)).v
                    }
                    Some((offset, width)) => source.bfe_u(u64::from(offset), u64::from(width)).v,
                }
            }
            Form::Vop3 if mods.op_sel >> n & 1 == 1 && int_elem(spec.ty) == Elem::I16 => {
                (source >> 16).v
            }
            _ => value,
        }
    }

    // ---- selecting lanes ----

    /// Source 0 from the lanes that DPP_CTRL selects; an inactive lane or one out of range gives 0 (if that must not be visible,
    /// the lane is not written).
    fn dpp(&self, value: Value) -> Value {
        if self.b().ty(value).bits() == 64 {
            let [low, high] = [Int::low, Int::high].map(|half| half(Int::i64(self.b(), value)));
            return Int::i32(self.b(), self.dpp(low.v))
                .pack(Int::i32(self.b(), self.dpp(high.v)))
                .v;
        }
        let moved = self.b().shuffle(value, self.dpp_sources());
        if self.l.inst.has(Flags::BOUND_CTRL) {
            self.b().select(self.dpp_valid(), moved, self.b().u32(0))
        } else {
            moved
        }
    }

    fn dpp_sources(&self) -> Box<[u8; 64]> {
        let table = lane::dpp_sources(self.l.inst.mods.dpp_ctrl);
        table.expect("reserved values were refused")
    }

    /// The lanes whose source lane exists and is active.
    fn dpp_valid(&self) -> Value {
        let exec = self.l.exec_mask();
        self.b().shuffle_mask(exec, self.dpp_sources())
    }

    /// The lanes to write: EXEC without the lanes that DPP disables.
    pub(super) fn lanes(&self) -> Value {
        *self.lanes.get_or_init(|| {
            let (b, inst) = (self.b(), self.l.inst);
            let exec = self.l.exec_mask();
            if inst.form != Form::Dpp {
                return exec;
            }
            let and = |x, y| b.bin(Bin::And, Elem::I64, Fp::default(), x, y);
            let enabled = lane::dpp_enabled(inst.mods.row_mask, inst.mods.bank_mask);
            let lanes = if enabled == u64::MAX {
                exec
            } else {
                and(exec, b.mask(enabled))
            };
            if inst.has(Flags::BOUND_CTRL) {
                lanes
            } else {
                and(lanes, self.dpp_valid())
            }
        })
    }

    // ---- writing destinations ----

    /// The type of the vector destination.
    pub(super) fn dst_ty(&self) -> Ty {
        let specs = self.row.operands;
        let dst = specs.iter().find(|s| s.field == Field::Vdst);
        dst.map_or(Ty::B32, |s| s.ty)
    }

    /// Writes the vector destination: output modifiers, then the selected part of the register.
    pub(super) fn write(&self, value: Value, elem: Elem) {
        let ty = self.dst_ty();
        let value = if ty.is_float() && elem.is_float() {
            self.output_modifiers(value, elem)
        } else {
            value
        };
        let narrow = matches!(ty, Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16);
        // 16-bit instructions with 32-bit results: counts and exponents.
        let value = if narrow && !matches!(elem, Elem::I16 | Elem::F16) {
            (Int::i32(self.b(), value) & 0xffff).v
        } else {
            value
        };
        let inst = self.l.inst;
        if inst.form == Form::Sdwa {
            return self.write_part(value, inst.mods.dst_sel, inst.mods.dst_unused);
        }
        if inst.form == Form::Vop3 && inst.mods.op_sel & 8 != 0 && narrow {
            self.write_part(value, SdwaSel::Word1, DstUnused::Preserve);
        } else if narrow && keeps_other_half(self.l) {
            self.write_bytes(value, 0b0011);
        } else {
            self.write_bytes(value, 0b1111);
        }
    }

    /// OMOD and CLAMP of a float result. OMOD applies only if denormal results are flushed and IEEE mode is off (it would not
    /// round by IEEE 754), and changes -0 into +0 (RDNA 2 ISA, 6.2.2 "Output Modifiers").
    pub(super) fn output_modifiers(&self, value: Value, elem: Elem) -> Value {
        let (b, fp) = (self.b(), self.fp(elem));
        let omod = self.l.inst.mods.omod;
        let mut value = value;
        if omod != 0 && self.row.has(Features::OMOD) && fp.flush_out && !fp.ieee {
            let factor = [1.0, 2.0, 4.0, 0.5][usize::from(omod & 3)];
            let factor = match elem {
                Elem::F64 => b.u64(f64::to_bits(factor)),
                // Powers of two from 2^-1 to 2^2 in half precision.
                Elem::F16 => b.u32([0x3c00, 0x4000, 0x4400, 0x3800][usize::from(omod & 3)]),
                _ => b.u32((factor as f32).to_bits()),
            };
            let product = b.bin(Bin::FMul, elem, fp, value, factor);
            let [product, before] = [product, value].map(|v| Float::new(b, elem, fp, v));
            value = self.saturated(product, [before]).without_negative_zero().v;
        }
        if self.clamp() {
            let clamp = if self.l.modes.dx10_clamp() {
                Un::FClamp
            } else {
                Un::FClampKeepNan
            };
            // The result is not an input: it may contain denormals if the mode keeps them.
            let fp = Fp {
                flush_in: false,
                ..fp
            };
            value = b.un(clamp, elem, fp, value);
        }
        value
    }

    /// Writes a result to a part of the destination (SDWA, or OP_SEL's high
    /// half).
    pub(super) fn write_part(&self, value: Value, sel: SdwaSel, unused: DstUnused) {
        let Some((offset, width)) = part(sel) else {
            return self.write_bytes(value, 0b1111);
        };
        let result = Int::i32(self.b(), value);
        let shift = |x: Int<'a>| {
            if offset == 0 {
                x
            } else {
                x << u64::from(offset)
            }
        };
        match unused {
            DstUnused::Preserve => {
                let bytes = ((1 << (width / 8)) - 1) << (offset / 8);
                self.write_bytes(shift(result).v, bytes);
            }
            DstUnused::Sext => self.write_bytes(shift(result.sign_extend(width)).v, 0b1111),
            DstUnused::Pad | DstUnused::Reserved => {
                let top = offset + width == 32;
                let low = if top {
                    result
                } else {
                    result & ((1 << width) - 1)
                };
                self.write_bytes(shift(low).v, 0b1111);
            }
        }
    }

    /// Writes bytes of the destination register, or of both registers of a
    /// 64-bit one, in the enabled lanes.
    pub(super) fn write_bytes(&self, value: Value, bytes: u8) {
        match self.l.inst.operand(Field::Vdst) {
            Operand::Vgpr(n) => self.write_vgpr(n.into(), value, bytes),
            Operand::Agpr(n) => self.write_vgpr(FIRST_ACC + u16::from(n), value, bytes),
            _ => {}
        }
    }

    /// Writes a vector register that is indexed like the destination.
    pub(super) fn write_vgpr(&self, n: u16, value: Value, bytes: u8) {
        self.write_lanes(n, value, bytes, self.lanes());
    }

    /// Writes a vector register as above, in lanes that the instruction selects.
    pub(super) fn write_lanes(&self, n: u16, value: Value, bytes: u8, lanes: Value) {
        let b = self.b();
        let wide = b.ty(value).bits() == 64;
        if self.l.modes.indexed(self.l.inst) & 8 == 0 {
            let reg = if wide { Reg::V64(n) } else { Reg::V(n) };
            return b.write_bytes(reg, value, Some(lanes), bytes);
        }
        let index = self.gpr_index();
        if wide {
            let value = Int::i64(b, value);
            // Both registers are written, or none.
            let index = self.has_indexed(n + 1).select(index, Int::const32(b, FAR));
            self.write_indexed(n, index, value.low().v, lanes);
            self.write_indexed(n + 1, index, value.high().v, lanes);
        } else if bytes == 0b1111 {
            self.write_indexed(n, index, value, lanes);
        } else {
            // An indexed write is of whole dwords: the other bytes are written back.
            let ones = (0..4).filter(|i| bytes >> i & 1 == 1);
            let select = b.u32(ones.fold(0, |m, i| m | 0xff << (8 * i)));
            let old = self.read_indexed(n, index);
            let fp = Fp::default();
            let whole = b.tern(Tern::BitSelect, Elem::I32, fp, select, value, old);
            self.write_indexed(n, index, whole, lanes);
        }
    }

    /// The mask that a carry or a select reads.
    pub(super) fn mask_in(&self) -> Cond<'a> {
        let b = self.b();
        match self.l.inst.operand(Field::CarryIn) {
            Operand::Sgpr(n) => Cond::new(b, b.read(Reg::Mask(n & !1))),
            // A constant mask: its 64 bits, one a lane.
            other => self.l.scalar_operand(other, Ty::Mask).as_mask(),
        }
    }

    /// VCC as a lane mask.
    pub(super) fn vcc(&self) -> Cond<'a> {
        Cond::new(self.b(), self.b().read(Reg::Mask(VCC)))
    }

    /// Writes the mask result of a carry or a compare: inactive lanes get 0. Returns the written mask. "If any destination is
    /// out-of-range, no results are written" (Vega ISA, 3.6): the mask of such an instruction is unchanged.
    pub(super) fn write_mask(&self, cond: Cond<'a>) -> Value {
        let b = self.b();
        let mask = self.per_lane(cond).v;
        let mask = b.bin(Bin::And, Elem::I64, Fp::default(), mask, self.lanes());
        match self.l.inst.operand(Field::Sdst) {
            Operand::Sgpr(RESERVED) => {}
            Operand::Sgpr(n) => {
                let reg = Reg::Mask(n & !1);
                let written = match self.has_destination() {
                    Some(there) => {
                        let bits = |mask| Cond::new(b, mask).as_int();
                        there.select(bits(mask), bits(b.read(reg))).as_mask().v
                    }
                    None => mask,
                };
                b.write(reg, written, None);
            }
            _ => {}
        }
        mask
    }

    /// Writes the scalar register in the field VDST.
    pub(super) fn write_sgpr(&self, value: Value) {
        match self.l.inst.operand(Field::Vdst) {
            Operand::Sgpr(RESERVED) => {}
            Operand::Sgpr(n) => self.b().write(Reg::S(n), value, None),
            _ => {}
        }
    }
}

/// The number of a source in the masks of modifiers.
pub(super) fn source_number(field: Field) -> Option<u8> {
    match field {
        Field::Src0 => Some(0),
        Field::Src1 => Some(1),
        Field::Src2 => Some(2),
        _ => None,
    }
}
