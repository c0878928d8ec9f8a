//! VOP3P: packed pairs of 16 bits, mixed precision, and dot products (Vega ISA, 6.7 "Packed math", 12.11).

use wavetank_gcn::tables::OperandSpec;
use wavetank_gcn::tables::Vop3p::{self, *};
use wavetank_gcn::{DstUnused, Form, Operand, SdwaSel, Ty};
use wavetank_ir::{Elem, LaneFn, Tern, Value};

use super::operand::{Vector, source_number};
use crate::block::{Flow, LATER};
use crate::lane_fn;
use crate::value::{Float, Int};

pub(super) fn lift(v: &Vector, op: Vop3p) -> Flow {
    match op {
        V_PK_MAD_I16 => v.pairs(|[a, b, c]: [Int; 3]| v.mad_s(16, a, b, c)),
        V_PK_MAD_U16 => v.pairs(|[a, b, c]: [Int; 3]| v.mad_u(16, a, b, c)),
        V_PK_MUL_LO_U16 => v.pairs(|[a, b]: [Int; 2]| v.mul_u16(a, b)),
        V_PK_ADD_I16 => v.pairs(|[a, b]: [Int; 2]| v.add_s(a, b)),
        V_PK_SUB_I16 => v.pairs(|[a, b]: [Int; 2]| v.sub_s(a, b)),
        V_PK_ADD_U16 => v.pairs(|[a, b]: [Int; 2]| v.add_u(a, b)),
        V_PK_SUB_U16 => v.pairs(|[a, b]: [Int; 2]| v.sub_u(a, b)),
        V_PK_LSHLREV_B16 => v.pairs(|[n, a]: [Int; 2]| a << n),
        V_PK_LSHRREV_B16 => v.pairs(|[n, a]: [Int; 2]| a >> n),
        V_PK_ASHRREV_I16 => v.pairs(|[n, a]: [Int; 2]| a.sar(n)),
        V_PK_MAX_I16 => v.pairs(|[a, b]: [Int; 2]| a.max_s(b)),
        V_PK_MIN_I16 => v.pairs(|[a, b]: [Int; 2]| a.min_s(b)),
        V_PK_MAX_U16 => v.pairs(|[a, b]: [Int; 2]| a.max_u(b)),
        V_PK_MIN_U16 => v.pairs(|[a, b]: [Int; 2]| a.min_u(b)),
        V_PK_FMA_F16 => v.pairs(|[a, b, c]: [Float; 3]| a.fma(b, c)),
        V_PK_ADD_F16 => v.pairs(|[a, b]: [Float; 2]| a + b),
        V_PK_MUL_F16 => v.pairs(|[a, b]: [Float; 2]| a * b),
        V_PK_MIN_F16 => v.pairs(|[a, b]: [Float; 2]| a.min(b)),
        V_PK_MAX_F16 => v.pairs(|[a, b]: [Float; 2]| a.max(b)),

        // Rounded twice, denormals flushed.
        V_MAD_MIX_F32 => mix(v, Part::Whole, |[a, b, c]| a.flushing().mad(b, c)),
        V_MAD_MIXLO_F16 => mix(v, Part::Low, |[a, b, c]| a.flushing().mad(b, c)),
        V_MAD_MIXHI_F16 => mix(v, Part::High, |[a, b, c]| a.flushing().mad(b, c)),
        V_FMA_MIX_F32 => mix(v, Part::Whole, |[a, b, c]| a.fma(b, c)),
        V_FMA_MIXLO_F16 => mix(v, Part::Low, |[a, b, c]| a.fma(b, c)),
        V_FMA_MIXHI_F16 => mix(v, Part::High, |[a, b, c]| a.fma(b, c)),

        V_PK_FMA_F32 => v.pairs_of_singles(|[a, b, c]: [Float; 3]| a.fma(b, c)),
        V_PK_MUL_F32 => v.pairs_of_singles(|[a, b]: [Float; 2]| a * b),
        V_PK_ADD_F32 => v.pairs_of_singles(|[a, b]: [Float; 2]| a + b),
        V_PK_MOV_B32 => v.pair_of_dwords(),

        V_DOT2_F32_F16 => dot2_f32(v),
        V_DOT2_I32_I16 => v.int(|[a, b, c]| dot2(v, true, a, b, c)),
        V_DOT2_U32_U16 => v.int(|[a, b, c]| dot2(v, false, a, b, c)),
        V_DOT4_I32_I8 => v.int(|[a, b, c]| v.add_s(dot(v, &lane_fn::DOT4_I8, a, b), c)),
        V_DOT4_U32_U8 => v.int(|[a, b, c]| v.add_u(dot(v, &lane_fn::DOT4_U8, a, b), c)),
        V_DOT8_I32_I4 => v.int(|[a, b, c]| v.add_s(dot(v, &lane_fn::DOT8_I4, a, b), c)),
        V_DOT8_U32_U4 => v.int(|[a, b, c]| v.add_u(dot(v, &lane_fn::DOT8_U4, a, b), c)),
        // NotYet
        V_DOT2_F32_BF16 | V_PK_MINIMUM3_F16 | V_PK_MAXIMUM3_F16 | V_MFMA_LD_SCALE_B32 => {
            Flow::unsupported(v.l.inst, LATER)
        }
    }
}

/// A pair of 16-bit numbers.
pub(super) trait Pair<'a>: Copy {
    /// Converts a fetched pair; `neg` holds the bits of NEG and NEG_HI.
    fn view(v: &Vector<'a>, value: Value, neg: [bool; 2]) -> Self;
    /// The pair limited by the mode, as a result of these sources.
    fn saturated(self, _: &Vector<'a>, _: &[Self]) -> Self {
        self
    }
    /// The pair with CLAMP applied.
    fn finish(self, v: &Vector<'a>) -> Value;
}

impl<'a> Pair<'a> for Int<'a> {
    fn view(v: &Vector<'a>, value: Value, _: [bool; 2]) -> Self {
        Int::new(v.b(), Elem::I16x2, value)
    }

    // Integer arms saturate by themselves.
    fn finish(self, _: &Vector<'a>) -> Value {
        self.v
    }
}

impl<'a> Pair<'a> for Float<'a> {
    fn view(v: &Vector<'a>, value: Value, [low, high]: [bool; 2]) -> Self {
        let signs = u64::from(low) << 15 | u64::from(high) << 31;
        let value = match signs {
            0 => value,
            signs => (Int::i32(v.b(), value) ^ signs).v,
        };
        Float::new(v.b(), Elem::F16x2, v.fp(Elem::F16), value)
    }

    fn saturated(self, v: &Vector<'a>, sources: &[Self]) -> Self {
        let sources: Vec<Value> = sources.iter().map(|source| source.v).collect();
        let v = v.held_pair(self.v, &sources);
        Float { v, ..self }
    }

    fn finish(self, v: &Vector<'a>) -> Value {
        v.output_modifiers(self.v, Elem::F16x2)
    }
}

impl<'a> Vector<'a> {
    /// An operation on the low halves and on the high ones; OP_SEL and OP_SEL_HI select the half of each source.
    pub(super) fn pairs<P: Pair<'a>, const N: usize>(&self, f: impl Fn([P; N]) -> P) -> Flow {
        let mods = &self.l.inst.mods;
        let mut sources = self.sources();
        let pairs: [P; N] = std::array::from_fn(|_| {
            let (spec, operand) = sources.next().expect("the row has as many sources");
            let value = self.raw(spec, operand);
            // The addend of V_PK_FMAC, and the sources of its short form, have no modifiers.
            let Some(n) = source_number(spec.field).filter(|_| self.l.inst.form == Form::Vop3p)
            else {
                return P::view(self, value, [false; 2]);
            };
            let bits = |low: u8, high: u8| [low, high].map(|bits| bits >> n & 1 == 1);
            let value = self.arranged(value, bits(mods.op_sel, mods.op_sel_hi));
            P::view(self, value, bits(mods.neg, mods.abs))
        });
        let result = f(pairs).saturated(self, &pairs);
        self.write_bytes(result.finish(self), 0b1111);
        Flow::Next
    }

    /// An operation on the low dwords of pairs of registers, and on the high ones; OP_SEL and OP_SEL_HI select the dword of each
    /// source.
    fn pairs_of_singles<const N: usize>(&self, f: impl Fn([Float<'a>; N]) -> Float<'a>) -> Flow {
        let mods = &self.l.inst.mods;
        let half = |select: u8, neg: u8| {
            let mut sources = self.sources();
            let result = f(std::array::from_fn(|n| {
                let (spec, operand) = sources.next().expect("the row has as many sources");
                let value = self.dword(spec, operand, select >> n & 1 == 1).v;
                let single = Float::new(self.b(), Elem::F32, self.fp(Elem::F32), value);
                if neg >> n & 1 == 1 { -single } else { single }
            }));
            Int::i32(self.b(), self.output_modifiers(result.v, Elem::F32))
        };
        let low = half(mods.op_sel, mods.neg);
        let high = half(mods.op_sel_hi, mods.abs);
        self.write_bytes(low.pack(high).v, 0b1111);
        Flow::Next
    }

    /// V_PK_MOV_B32: OP_SEL selects a dword of the first source, and one of the second.
    fn pair_of_dwords(&self) -> Flow {
        let mut sources = self.sources();
        let [low, high] = [0, 1].map(|n| {
            let (spec, operand) = sources.next().expect("the row has two sources");
            self.dword(spec, operand, self.l.inst.mods.op_sel >> n & 1 == 1)
        });
        self.write_bytes(low.pack(high).v, 0b1111);
        Flow::Next
    }

    /// One dword of a pair of registers. A constant is the same in both.
    fn dword(&self, spec: OperandSpec, operand: Operand, high: bool) -> Int<'a> {
        match operand {
            Operand::Vgpr(_) | Operand::Sgpr(_) => {
                let pair = Int::i64(self.b(), self.raw(spec, operand));
                if high { pair.high() } else { pair.low() }
            }
            constant => self.l.scalar_operand(constant, Ty::F32),
        }
    }

    /// The pair whose low and high halves are selected from the source: its high half where `high` is set, else its low one.
    fn arranged(&self, value: Value, high: [bool; 2]) -> Value {
        let source = Int::i32(self.b(), value);
        match high {
            [false, true] => value,
            [true, false] => source.apply3(Tern::AlignBit, source, 16).v,
            [false, false] => source.as_i16().pack(source).v,
            [true, true] => source.apply3(Tern::Perm, source, 0x0302_0302).v,
        }
    }

    /// The low or high half of a word, in the low 16 bits of its carrier.
    fn half(&self, value: Value, high: bool) -> Value {
        if high {
            (Int::i32(self.b(), value) >> 16).v
        } else {
            value
        }
    }
}

/// The part of the destination for a mixed-precision result.
enum Part {
    Whole,
    Low,
    High,
}

/// V_MAD_MIX and V_FMA_MIX: OP_SEL_HI says which sources are halves, OP_SEL selects the half, and NEG_HI takes the absolute
/// value.
fn mix<'a>(v: &Vector<'a>, part: Part, f: impl Fn([Float<'a>; 3]) -> Float<'a>) -> Flow {
    let mut sources = v.sources();
    let mut next = || {
        let (spec, operand) = sources.next().expect("the row has three sources");
        mixed_source(v, spec, operand)
    };
    let sources = [next(), next(), next()];
    let result = f(sources);
    match part {
        Part::Whole => v.write(result.v, Elem::F32),
        Part::Low | Part::High => {
            let half = v.saturated(v.resize(result, Elem::F16), sources);
            let value = v.output_modifiers(half.v, Elem::F16);
            let sel = match part {
                Part::High => SdwaSel::Word1,
                _ => SdwaSel::Word0,
            };
            v.write_part(value, sel, DstUnused::Preserve);
        }
    }
    Flow::Next
}

fn mixed_source<'a>(v: &Vector<'a>, spec: OperandSpec, operand: Operand) -> Float<'a> {
    let n = source_number(spec.field).expect("VOP3P has plain sources");
    let mods = &v.l.inst.mods;
    let single = if mods.op_sel_hi >> n & 1 == 1 {
        let spec = OperandSpec {
            ty: Ty::F16,
            ..spec
        };
        let value = v.half(v.raw(spec, operand), mods.op_sel >> n & 1 == 1);
        let half = Float::new(v.b(), Elem::F16, v.fp(Elem::F16), value);
        v.resize(half, Elem::F32).v
    } else {
        v.raw(spec, operand)
    };
    let signed = v.sign_modifiers(n, Elem::F32, single);
    Float::new(v.b(), Elem::F32, v.fp(Elem::F32), signed)
}

/// V_DOT2_F32_F16: the products of halves are exact in single precision, and are added to the third source one after the other.
///
/// V_DOT2C has no modifiers: it takes the low halves, then the high ones.
pub(super) fn dot2_f32(v: &Vector) -> Flow {
    let mut sources = v.sources();
    let mut next = |n: u8| {
        let (spec, operand) = sources.next().expect("the row has three sources");
        (n, v.raw(spec, operand))
    };
    let [a, b, (c, addend)] = [0, 1, 2].map(&mut next);
    let mut mods = v.l.inst.mods;
    if v.l.inst.form != Form::Vop3p {
        (mods.op_sel, mods.op_sel_hi, mods.neg, mods.abs) = (0, 0b11, 0, 0);
    }
    let product = |select: u8, neg: u8, sum: Float| {
        let [x, y] = [a, b].map(|(n, value)| {
            let value = v.half(value, select >> n & 1 == 1);
            let half = Float::new(v.b(), Elem::F16, v.fp(Elem::F16), value);
            let half = if neg >> n & 1 == 1 { -half } else { half };
            v.resize(half, Elem::F32)
        });
        x.fma(y, sum).v
    };
    let float = |value| Float::new(v.b(), Elem::F32, v.fp(Elem::F32), value);
    let addend = v.sign_modifiers_of_addend(mods.neg >> c & 1 == 1, addend);
    let sum = float(product(mods.op_sel, mods.neg, float(addend)));
    let sum = product(mods.op_sel_hi, mods.abs, sum);
    v.write(sum, Elem::F32);
    Flow::Next
}

impl Vector<'_> {
    /// NEG for a whole source of a packed instruction (NEG_HI is for pairs).
    fn sign_modifiers_of_addend(&self, neg: bool, value: Value) -> Value {
        if neg {
            (-Float::new(self.b(), Elem::F32, self.fp(Elem::F32), value)).v
        } else {
            value
        }
    }
}

/// The sum of c and the products of both halves.
pub(super) fn dot2<'a>(
    v: &Vector<'a>,
    signed: bool,
    a: Int<'a>,
    b: Int<'a>,
    c: Int<'a>,
) -> Int<'a> {
    let halves = |x: Int<'a>| {
        let wide = |x: Int<'a>| if signed { x.widen_signed() } else { x.widen() };
        if signed {
            [wide(x.sign_extend(16)), wide(x.sar(16))]
        } else {
            [wide(x & 0xffff), wide(x >> 16)]
        }
    };
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    let products = a0 * b0 + a1 * b1;
    match (v.clamp(), signed) {
        (true, true) => v.saturate_s(products + c.widen_signed(), 32),
        (true, false) => (products + c.widen()).min_u(0xffff_ffff).low(),
        (false, _) => products.low() + c,
    }
}

/// The exact sum of products of small fields.
pub(super) fn dot<'a>(v: &Vector<'a>, f: &'static LaneFn, a: Int<'a>, b: Int<'a>) -> Int<'a> {
    v.int_fn(f, [a.v, b.v])
}
