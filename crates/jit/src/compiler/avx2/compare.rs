//! Lowering of comparisons, whose results are masks.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::row::Row;
use super::state::{AND, AND_NOT, Form, LOAD, OR, XOR};
use crate::compiler::asm::Arg;
use crate::compiler::asm::inst_list::Wide;

/// Predicates of VPCMPD and its like.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const AT_MOST: u8 = 2;
const NEVER: u8 = 3;
const NOT_EQUAL: u8 = 4;
const AT_LEAST: u8 = 5;
const MORE: u8 = 6;

/// VPCMPEQ for the fields of a form.
pub(super) fn equal(form: Form) -> Code {
    match form {
        Form::Dwords => Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
        Form::Qwords => Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256,
        Form::Words => Code::VEX_Vpcmpeqw_ymm_ymm_ymmm256,
        Form::Bytes => Code::VEX_Vpcmpeqb_ymm_ymm_ymmm256,
    }
}

/// VPCMPGT for the fields of a form.
pub(super) fn more(form: Form) -> Code {
    match form {
        Form::Dwords => Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256,
        Form::Qwords => Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256,
        Form::Words => Code::VEX_Vpcmpgtw_ymm_ymm_ymmm256,
        Form::Bytes => Code::VEX_Vpcmpgtb_ymm_ymm_ymmm256,
    }
}

/// VPMAXU for the fields of a form, if it exists.
fn larger(form: Form) -> Option<Code> {
    match form {
        Form::Dwords => Some(Code::VEX_Vpmaxud_ymm_ymm_ymmm256),
        Form::Qwords => None,
        Form::Words => Some(Code::VEX_Vpmaxuw_ymm_ymm_ymmm256),
        Form::Bytes => Some(Code::VEX_Vpmaxub_ymm_ymm_ymmm256),
    }
}

impl Lowering<'_> {
    /// The fields in which the first unsigned number is at least the second.
    fn is_larger(&mut self, form: Form, a: Register, b: Register) -> Register {
        let to = self.two(larger(form).expect("it was requested"), a, b);
        self.onto(equal(form), to, a);
        to
    }

    /// Writes a mask whose halves `of` computes, or its complement; inactive lanes of the instruction's mask are 0.
    fn compared(
        &mut self,
        wide: &Wide,
        form: Form,
        mut of: impl FnMut(&mut Self, usize) -> (Register, bool),
    ) {
        let mut halves = [Register::None; 2];
        for half in 0..2 {
            let (found, inverts) = of(self, half);
            let under = match wide.mask() {
                Some(k) => Some(Arg::R(self.mask(k, form, half))),
                None if inverts => Some(self.dwords(!0).into()),
                None => None,
            };
            if let Some(under) = under {
                self.onto(if inverts { AND_NOT } else { AND }, found, under);
            }
            halves[half] = found;
            self.next_half_with(&halves[..=half]);
        }
        self.set_mask(wide.to(), form, halves);
    }

    /// The fields with their sign bit inverted.
    pub(super) fn flipped(&mut self, form: Form, from: Register) -> Register {
        let sign = match form {
            Form::Qwords => self.qwords(1 << 63),
            Form::Dwords => self.dwords(1 << 31),
            Form::Words => self.dwords(0x8000_8000),
            Form::Bytes => self.dwords(0x8080_8080),
        };
        self.two(XOR, from, sign)
    }

    /// The fields that are greater than others, signed or not.
    pub(super) fn is_more(
        &mut self,
        form: Form,
        signed: bool,
        a: Register,
        b: Register,
    ) -> Register {
        if signed {
            return self.two(more(form), a, b);
        }
        let (a, b) = (self.flipped(form, a), self.flipped(form, b));
        self.two(more(form), a, b)
    }

    fn whole_numbers(&mut self, wide: &Wide, form: Form, signed: bool) {
        let args = wide.args();
        let Arg::I(predicate) = args[3] else {
            unreachable!("the last operand is the predicate");
        };
        self.compared(wide, form, |l, half| {
            let a = l.half_register(args[1], form, half);
            let b = l.half_register(args[2], form, half);
            match predicate & 7 {
                // A number is at least another if it is the larger of both.
                AT_MOST | MORE if !signed && larger(form).is_some() => {
                    (l.is_larger(form, b, a), predicate == MORE)
                }
                AT_LEAST | LESS if !signed && larger(form).is_some() => {
                    (l.is_larger(form, a, b), predicate == LESS)
                }
                EQUAL => (l.two(equal(form), a, b), false),
                NOT_EQUAL => (l.two(equal(form), a, b), true),
                MORE => (l.is_more(form, signed, a, b), false),
                AT_MOST => (l.is_more(form, signed, a, b), true),
                LESS => (l.is_more(form, signed, b, a), false),
                AT_LEAST => (l.is_more(form, signed, b, a), true),
                always => (l.zero(), always != NEVER),
            }
        });
    }
}

impl Lowering<'_> {
    /// The fields in which both operands have a common bit, or those in which they have none.
    fn common_bits(&mut self, wide: &Wide, form: Form, is_any: bool) {
        let args = wide.args();
        self.compared(wide, form, |l, half| {
            let a = l.half_register(args[1], form, half);
            let both = if args[1] == args[2] {
                a
            } else {
                let b = l.half(args[2], form, half);
                l.two(AND, a, b)
            };
            let zero = l.zero();
            l.onto(equal(form), zero, both);
            (zero, is_any)
        });
    }
}

/// VPCMPD, with signed predicates.
pub(super) fn signed(l: &mut Lowering, wide: &Wide, row: Row) {
    l.whole_numbers(wide, row.form, true);
}

/// VPCMPUD, with unsigned predicates.
pub(super) fn unsigned(l: &mut Lowering, wide: &Wide, row: Row) {
    l.whole_numbers(wide, row.form, false);
}

/// VCMPPS, with predicates of floats.
pub(super) fn floats(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    l.compared(wide, row.form, |l, half| {
        let a = l.half_register(args[1], row.form, half);
        let b = l.half(args[2], row.form, half);
        let to = l.temp();
        l.asm.op(row.code, &[to.into(), a.into(), b, args[3]]);
        (to, false)
    });
}

/// VPTESTMD: the fields in which both operands have a common bit.
pub(super) fn any_bits(l: &mut Lowering, wide: &Wide, row: Row) {
    l.common_bits(wide, row.form, true);
}

/// VPTESTNMD: the fields in which they have none.
pub(super) fn no_bits(l: &mut Lowering, wide: &Wide, row: Row) {
    l.common_bits(wide, row.form, false);
}

/// The constants of a float format, for tests of classes.
#[derive(Clone, Copy)]
struct Layout {
    form: Form,
    sign: u64,
    infinity: u64,
    quiet: u64,
    least: u64,
}

impl Layout {
    fn of(form: Form) -> Layout {
        let (bits, fraction) = match form {
            Form::Qwords => (64, 52),
            _ => (32, 23),
        };
        let sign = 1u64 << (bits - 1);
        Layout {
            form,
            sign,
            infinity: sign - (1 << fraction),
            quiet: 1 << (fraction - 1),
            least: 1 << fraction,
        }
    }
}

impl Lowering<'_> {
    /// A number in all fields of half a register, as a constant in memory.
    pub(super) fn number(&mut self, form: Form, number: u64) -> crate::compiler::asm::Mem {
        match form {
            Form::Qwords => self.qwords(number),
            _ => self.dwords(number as u32),
        }
    }

    /// A number in all fields of half a register.
    pub(super) fn number_in(&mut self, form: Form, number: u64) -> Register {
        let (to, from) = (self.temp(), self.number(form, number));
        self.asm.op(LOAD, &[to.into(), from.into()]);
        to
    }

    /// The fields whose magnitude is below a limit.
    fn is_below(&mut self, form: Form, magnitude: Register, limit: u64) -> Register {
        let limit = self.number_in(form, limit);
        self.onto(more(form), limit, magnitude);
        limit
    }

    /// The fields of one class of VFPCLASSPS.
    fn class(&mut self, f: Layout, class: u8, x: Register, magnitude: Register) -> Register {
        let is = |l: &mut Self, bits: u64| {
            let bits = l.number(f.form, bits);
            l.two(equal(f.form), x, bits)
        };
        match class {
            0x02 => is(self, 0),
            0x04 => is(self, f.sign),
            0x08 => is(self, f.infinity),
            0x10 => is(self, f.sign | f.infinity),
            0x20 => {
                let below = self.is_below(f.form, magnitude, f.least);
                let zero = self.zero();
                self.onto(equal(f.form), zero, magnitude);
                self.onto(AND_NOT, zero, below);
                zero
            }
            0x40 => {
                let finite = self.is_below(f.form, magnitude, f.infinity);
                let zero = self.zero();
                self.onto(more(f.form), zero, x);
                self.onto(AND, finite, zero);
                let negative_zero = is(self, f.sign);
                self.onto(AND_NOT, negative_zero, finite);
                negative_zero
            }
            // The NaNs, signaling (0x80) or quiet (0x01).
            _ => {
                let limit = if class == 1 { f.quiet - 1 } else { 0 };
                let limit = self.number(f.form, f.infinity + limit);
                let nan = self.two(more(f.form), magnitude, limit);
                if class == 0x80 {
                    let signaling = self.is_below(f.form, magnitude, f.infinity | f.quiet);
                    self.onto(AND, nan, signaling);
                }
                nan
            }
        }
    }
}

/// VFPCLASSPS: the fields of any of some classes.
pub(super) fn classes(l: &mut Lowering, wide: &Wide, row: Row) {
    let (args, f) = (wide.args(), Layout::of(row.form));
    let Arg::I(classes) = args[2] else {
        unreachable!("the last operand says which");
    };
    l.compared(wide, row.form, |l, half| {
        let x = l.half_register(args[1], row.form, half);
        let magnitude = l.number(row.form, f.sign - 1);
        let magnitude = l.two(AND, x, magnitude);
        let found = l.zero();
        for class in (0..8).map(|n| 1 << n).filter(|class| classes & class != 0) {
            let more = l.class(f, class, x, magnitude);
            l.onto(OR, found, more);
            l.drop_temp(more);
        }
        (found, false)
    });
}
