//! Templates of relations, and of tests of float classes.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, Op, Rel};
use wavetank_lower::TooMany;

use super::format::{Format, is_known};
use super::half;
use super::parts::lower;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

type Done = Result<(), TooMany>;

const SIGNED: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
const UNSIGNED: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;

/// Predicates of VPCMPD, numbered as in Intel's manual.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const LESS_OR_EQUAL: u8 = 2;
const NOT_EQUAL: u8 = 4;

/// The templates of relations. The predicates are those of Intel's manual: for integers in VPCMPD, for floats in VCMPPS, quiet.
pub(super) fn cmp(rel: Rel, elem: Elem) -> Option<Template> {
    match elem {
        Elem::I16 | Elem::I32 | Elem::I64 => integers(rel, elem),
        _ if is_known(elem) || half::is_ours(elem) => floats(rel),
        _ => None,
    }
}

fn integers(rel: Rel, elem: Elem) -> Option<Template> {
    Some(match (rel, elem) {
        (Rel::Eq, Elem::I32) => |t| t.compare(SIGNED, EQUAL),
        (Rel::Ne, Elem::I32) => |t| t.compare(SIGNED, NOT_EQUAL),
        (Rel::Lt, Elem::I32) => |t| t.compare(SIGNED, LESS),
        (Rel::Le, Elem::I32) => |t| t.compare(SIGNED, LESS_OR_EQUAL),
        (Rel::LtU, Elem::I32) => |t| t.compare(UNSIGNED, LESS),
        (Rel::LeU, Elem::I32) => |t| t.compare(UNSIGNED, LESS_OR_EQUAL),
        (Rel::Eq, Elem::I16) => |t| t.compare_short(SIGNED, EQUAL),
        (Rel::Ne, Elem::I16) => |t| t.compare_short(SIGNED, NOT_EQUAL),
        (Rel::Lt, Elem::I16) => |t| t.compare_short(SIGNED, LESS),
        (Rel::Le, Elem::I16) => |t| t.compare_short(SIGNED, LESS_OR_EQUAL),
        (Rel::LtU, Elem::I16) => |t| t.compare_short(UNSIGNED, LESS),
        (Rel::LeU, Elem::I16) => |t| t.compare_short(UNSIGNED, LESS_OR_EQUAL),
        (Rel::Eq, Elem::I64) => |t| t.equal_long(false),
        (Rel::Ne, Elem::I64) => |t| t.equal_long(true),
        (Rel::Lt, Elem::I64) => |t| t.compare_long(SIGNED, LESS),
        (Rel::Le, Elem::I64) => |t| t.compare_long(SIGNED, LESS_OR_EQUAL),
        (Rel::LtU, Elem::I64) => |t| t.compare_long(UNSIGNED, LESS),
        (Rel::LeU, Elem::I64) => |t| t.compare_long(UNSIGNED, LESS_OR_EQUAL),
        _ => return None,
    })
}

fn floats(rel: Rel) -> Option<Template> {
    Some(match rel {
        Rel::Eq => |t| t.compare_floats(0x00),
        Rel::Ne => |t| t.compare_floats(0x04),
        Rel::Lt => |t| t.compare_floats(0x11),
        Rel::Le => |t| t.compare_floats(0x12),
        Rel::FLg => |t| t.compare_floats(0x0c),
        Rel::FOrd => |t| t.compare_floats(0x07),
        Rel::LtU | Rel::LeU => return None,
    })
}

impl Tile<'_, '_> {
    fn compare(&mut self, code: Code, predicate: u8) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.arg(b, 0)?);
        let this = self.this();
        let (to, under) = self.result_mask(this)?;
        let args = [to.into(), a.into(), b, predicate.into()];
        self.asm.under(code, under, &args);
        Ok(())
    }

    /// Compares the low halves, shifted up above zeros.
    fn compare_short(&mut self, code: Code, predicate: u8) -> Done {
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let [x, y, ..] = SCRATCH;
        for (up, from) in [(x, a), (y, b)] {
            let args = [up.into(), from.into(), 16.into()];
            self.asm
                .op(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, &args);
        }
        let this = self.this();
        let (to, under) = self.result_mask(this)?;
        let args = [to.into(), x.into(), y.into(), predicate.into()];
        self.asm.under(code, under, &args);
        Ok(())
    }

    /// Compares both halves for equality, or its opposite.
    fn equal_long(&mut self, unequal: bool) -> Done {
        let [a, b, _] = self.args();
        let (a0, b0, a1, b1) = (
            self.part(a, 0)?,
            self.part(b, 0)?,
            self.part(a, 1)?,
            self.part(b, 1)?,
        );
        let this = self.this();
        let (to, gate) = self.result_mask(this)?;
        let args = [to.into(), a0.into(), b0.into(), EQUAL.into()];
        self.asm.op(SIGNED, &args);
        let args = [to.into(), a1.into(), b1.into(), EQUAL.into()];
        self.asm.under(SIGNED, Under::Merge(to), &args);
        if unequal {
            self.asm.op(Code::VEX_Knotw_kr_kr, &[to.into(), to.into()]);
        }
        self.restrict(to, gate);
        Ok(())
    }

    /// Compares the high halves, or the low ones if the high ones are equal.
    fn compare_long(&mut self, high: Code, predicate: u8) -> Done {
        let [a, b, _] = self.args();
        let (a0, b0, a1, b1) = (
            self.part(a, 0)?,
            self.part(b, 0)?,
            self.part(a, 1)?,
            self.part(b, 1)?,
        );
        let this = self.this();
        let (to, gate) = self.result_mask(this)?;
        let equal = SCRATCH_MASK;
        let args = [to.into(), a1.into(), b1.into(), LESS.into()];
        self.asm.op(high, &args);
        let args = [equal.into(), a1.into(), b1.into(), EQUAL.into()];
        self.asm.op(high, &args);
        let args = [equal.into(), a0.into(), b0.into(), predicate.into()];
        self.asm.under(UNSIGNED, Under::Merge(equal), &args);
        self.asm.op(
            Code::VEX_Korw_kr_kr_kr,
            &[to.into(), to.into(), equal.into()],
        );
        self.restrict(to, gate);
        Ok(())
    }

    /// Restricts a mask by the gate of the node.
    fn restrict(&mut self, to: Register, gate: Under) {
        if let Under::Merge(gate) | Under::Zero(gate) = gate {
            self.asm.op(
                Code::VEX_Kandw_kr_kr_kr,
                &[to.into(), to.into(), gate.into()],
            );
        }
    }

    /// Joins the masks of eight lanes each.
    pub(crate) fn join_masks(&mut self, to: Register, high: Register) {
        let args = [to.into(), high.into(), to.into()];
        self.asm.op(Code::VEX_Kunpckbw_kr_kr_kr, &args);
    }

    fn compare_floats(&mut self, predicate: u8) -> Done {
        let (f, fp, args) = (self.format(), self.fp(), self.args());
        if f.bits == 32 && !fp.flush_in {
            return self.compare(f.compare, predicate);
        }
        let (a, b) = (
            self.flushed_pieces(f, args[0])?,
            self.flushed_pieces(f, args[1])?,
        );
        let this = self.this();
        let (to, gate) = self.result_mask(this)?;
        if half::is_ours(self.elem()) {
            let (x, y) = (self.widened(args[0], false)?, self.widened(args[1], false)?);
            let args = [to.into(), x.into(), y.into(), predicate.into()];
            self.asm.op(Format::of(Elem::F32).compare, &args);
        } else if f.is_half() {
            let (x, y) = (self.flushed(f, a[0], 0), self.flushed(f, b[0], 1));
            let (x, y) = (self.words(x, SCRATCH[0]), self.words(y, SCRATCH[1]));
            let code = Code::EVEX_Vcmpph_kr_k1_ymm_ymmm256b16_imm8;
            let args = [to.into(), x.into(), y.into(), predicate.into()];
            self.asm.op(code, &args);
        } else {
            for ((a, b), k) in a.into_iter().zip(b).zip([to, SCRATCH_MASK]) {
                let (x, y) = match f.bits {
                    64 => (self.flushed(f, a, 0), self.flushed(f, b, 1)),
                    _ => (a, b),
                };
                let args = [k.into(), x.into(), y.into(), predicate.into()];
                self.asm.op(f.compare, &args);
            }
            if f.bits == 64 {
                self.join_masks(to, SCRATCH_MASK);
            }
        }
        self.restrict(to, gate);
        Ok(())
    }

    /// Packs the low halves of all lanes in the lower half of a scratch register.
    pub(crate) fn words(&mut self, from: Register, scratch: Register) -> Register {
        let to = lower(scratch);
        self.asm.op(
            Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
            &[to.into(), from.into()],
        );
        to
    }
}

/// The mask of the lanes with a value other than 0.
pub(super) fn non_zero(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let this = t.this();
    let (to, under) = t.result_mask(this)?;
    let args = [to.into(), a.into(), Arg::R(a)];
    t.asm
        .under(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, under, &args);
    Ok(())
}

/// The templates of tests of classes, which may be constant.
pub(super) fn class(elem: Elem, constant: bool) -> Option<Template> {
    match constant {
        _ if !is_known(elem) => None,
        true => Some(test_class),
        false => Some(test_any_class),
    }
}

/// The classes of VFPCLASSPS: negative numbers and denormals are finite and not zero.
mod classes {
    pub(super) const NEGATIVE: u8 = 0x40;
    pub(super) const DENORMAL: u8 = 0x20;
    /// The bits of `Op::Class` that are single classes, with these.
    pub(super) const SINGLE: [(u32, u8); 6] = [
        (0, 0x80),
        (1, 0x01),
        (2, 0x10),
        (5, 0x04),
        (6, 0x02),
        (9, 0x08),
    ];
}

fn test_class(t: &mut Tile) -> Done {
    let Op::Class(_, a, bits) = t.block.node(t.this()).op else {
        unreachable!("it is the template of classes");
    };
    let bits = t.constant(bits).expect("the classes are constant") as u32;
    let f = t.format();
    let a = t.pieces(f, a)?;
    let this = t.this();
    let (to, _) = t.result_mask(this)?;
    // VFPCLASSPS has no class of positive normal numbers: it tests the complement.
    let inverted = bits & 1 << 8 != 0;
    let bits = if inverted { !bits } else { bits };
    if f.is_half() {
        let code = Code::EVEX_Vfpclassph_kr_k1_ymmm256b16_imm8;
        let words = t.words(a[0], SCRATCH[0]);
        t.classes(code, to, words, bits)?;
    } else {
        t.classes(f.class, to, a[0], bits)?;
    }
    if let Some(high) = a.get(1) {
        let low = t.spare(true)?;
        t.asm.op(Code::VEX_Kmovw_kr_km16, &[low.into(), to.into()]);
        t.classes(f.class, to, *high, bits)?;
        let args = [to.into(), to.into(), low.into()];
        t.asm.op(Code::VEX_Kunpckbw_kr_kr_kr, &args);
    }
    if inverted {
        t.asm.op(Code::VEX_Knotw_kr_kr, &[to.into(), to.into()]);
    }
    Ok(())
}

impl Tile<'_, '_> {
    /// The lanes of these classes, which exclude positive normal numbers.
    fn classes(&mut self, code: Code, to: Register, a: Register, bits: u32) -> Done {
        let single = classes::SINGLE
            .iter()
            .filter(|(bit, _)| bits >> bit & 1 != 0);
        let mut classes: u8 = single.map(|(_, class)| class).sum();
        let finite = [3, 4, 7].map(|bit| bits >> bit & 1 != 0);
        // The combination of negative numbers and denormals that gives the remaining classes.
        let join = match finite {
            [false, false, false] => None,
            [false, true, true] => {
                classes |= classes::DENORMAL;
                None
            }
            [true, true, negative] => {
                classes |= classes::NEGATIVE | if negative { classes::DENORMAL } else { 0 };
                None
            }
            [false, true, false] => Some(Code::VEX_Kandw_kr_kr_kr),
            // Denormals that are not negative, or negative numbers that are not denormal.
            [false, false, true] | [true, false, false] => Some(Code::VEX_Kandnw_kr_kr_kr),
            [true, false, true] => Some(Code::VEX_Kxorw_kr_kr_kr),
        };
        self.asm.op(code, &[to.into(), a.into(), classes.into()]);
        let Some(join) = join else { return Ok(()) };
        let (k, denormal) = (SCRATCH_MASK, self.spare(true)?);
        let (without, with) = if finite[0] {
            (denormal, k)
        } else {
            (k, denormal)
        };
        self.asm
            .op(code, &[k.into(), a.into(), classes::NEGATIVE.into()]);
        self.asm
            .op(code, &[denormal.into(), a.into(), classes::DENORMAL.into()]);
        self.asm.op(join, &[k.into(), without.into(), with.into()]);
        self.asm
            .op(Code::VEX_Korw_kr_kr_kr, &[to.into(), to.into(), k.into()]);
        Ok(())
    }
}

/// Tests for classes that are not constant: finds the class bit of each number, and whether it is in the set.
fn test_any_class(t: &mut Tile) -> Done {
    let Op::Class(_, a, bits) = t.block.node(t.this()).op else {
        unreachable!("it is the template of classes");
    };
    let (f, k, class) = (t.format(), SCRATCH_MASK, SCRATCH[1]);
    let (a, bits) = (t.pieces(f, a)?, t.reg(bits)?);
    let this = t.this();
    let (to, _) = t.result_mask(this)?;
    let masks = [k, t.spare(true)?];
    let positive = [
        (8, None),
        (3, Some(classes::NEGATIVE)),
        (7, Some(classes::DENORMAL)),
    ];
    let single = classes::SINGLE.map(|(bit, class)| (bit, Some(class)));
    // Negative denormals are in both classes.
    let both = (4, Some(classes::NEGATIVE | classes::DENORMAL));
    for (bit, of) in positive.into_iter().chain([both]).chain(single) {
        let Some(of) = of else {
            t.fill_dwords(class, 1 << bit);
            continue;
        };
        t.mark_classes(masks, &a, of, bit == 4);
        let value = t.asm.constant(1 << bit);
        let broadcast = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
        t.asm
            .under(broadcast, Under::Merge(k), &[class.into(), value.into()]);
    }
    let args = [to.into(), class.into(), bits.into()];
    t.asm.op(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, &args);
    Ok(())
}

impl Tile<'_, '_> {
    /// Marks the lanes of any of these classes, or of all, in the first mask.
    fn mark_classes(&mut self, masks: [Register; 2], a: &[Register], of: u8, all: bool) {
        let f = self.format();
        let (code, a) = if f.is_half() {
            let code = Code::EVEX_Vfpclassph_kr_k1_ymmm256b16_imm8;
            (code, vec![self.words(a[0], SCRATCH[0])])
        } else {
            (f.class, a.to_vec())
        };
        for (k, a) in masks.iter().zip(a) {
            // For all classes, each is tested separately.
            let wanted = (0..8).map(|bit| 1 << bit).filter(|class| of & class != 0);
            let wanted: Vec<u8> = if all { wanted.collect() } else { vec![of] };
            for (n, class) in wanted.into_iter().enumerate() {
                let under = if n == 0 { Under::All } else { Under::Merge(*k) };
                let args = [(*k).into(), a.into(), class.into()];
                self.asm.under(code, under, &args);
            }
        }
        if f.bits == 64 {
            self.join_masks(masks[0], masks[1]);
        }
    }
}
