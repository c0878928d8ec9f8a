//! The forms of halves: as words, and in single precision. Results that later nodes take in single precision are left so, rounded to
//! a half.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, Round, Value};
use wavetank_lower::TooMany;

use super::format::{Format, RAW};
use super::parts::lower;
use super::whole::{EQUAL, LESS};
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{Derived, SCRATCH, SCRATCH_MASK, Tile, Widened};

const SHIFT_UP: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_DOWN: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
const SIGN_DOWN: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;

/// Predicates of VCMPPS and VPCMPD.
const UNORDERED: u8 = 0x03;

/// The least normal half, in single precision.
const LEAST_NORMAL: u32 = 0x3880_0000;

/// The bits by which a number of single precision is longer than a half.
const ROUNDED_OFF: u32 = 0x1fff;

/// How a number of single precision becomes a half.
#[derive(Clone, Copy)]
pub(super) enum Way<'t> {
    /// By a conversion.
    Twice,
    /// To nearest, for users that wait for it.
    Soon,
    /// To nearest, rounded to odd first by this function where rounding twice might be wrong.
    Once(&'t dyn Fn(&mut Tile<'_, '_>)),
}

impl Tile<'_, '_> {
    /// An operand in single precision, which must not be changed: other nodes may use it. NaNs are quiet.
    pub(crate) fn widened(&mut self, v: Value, high: bool) -> Result<Register, TooMany> {
        self.widened_as(v, high, false)
    }

    /// The same, on request with signaling NaNs kept.
    pub(super) fn widened_as(
        &mut self,
        v: Value,
        high: bool,
        signaling: bool,
    ) -> Result<Register, TooMany> {
        let form = Widened {
            high,
            flushed: self.fp().flush_in,
            signaling,
        };
        self.derived_once(v, Derived::Half(form), |t, to, from| {
            t.widen_half(to, from, high);
            if signaling {
                t.make_signaling(to, from, high);
            }
            if form.flushed {
                t.flush_widened(to);
            }
        })
    }

    /// Converts the lower or higher halves of dwords to single precision. NaNs become quiet.
    fn widen_half(&mut self, to: Register, mut from: Register, high: bool) {
        if high {
            self.asm
                .op(SHIFT_DOWN, &[to.into(), from.into(), 16.into()]);
            from = to;
        }
        self.widen_words(to, from);
    }

    /// Converts the low halves of dwords to single precision.
    pub(crate) fn widen_words(&mut self, to: Register, from: Register) {
        let words = self.words(from, to);
        self.widen_to(to, words);
    }

    /// Converts words to single precision.
    pub(super) fn widen_to(&mut self, to: Register, words: Register) {
        let code = Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae;
        self.asm.op(code, &[to.into(), words.into()]);
    }

    /// Restores the bits of NaNs.
    fn make_signaling(&mut self, to: Register, from: Register, high: bool) {
        let (k, nan) = (SCRATCH_MASK, SCRATCH[0]);
        let none = self.asm.label();
        let unordered = [k.into(), to.into(), to.into(), UNORDERED.into()];
        self.asm.op(Format::of(Elem::F32).compare, &unordered);
        self.asm.op(Code::VEX_Kortestw_kr_kr, &[k.into(), k.into()]);
        self.asm.jump(Code::Je_rel32_64, none);
        if high {
            let above = Arg::Each(self.asm.constant(0xffff_0000));
            let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
            self.asm.op(and, &[nan.into(), from.into(), above]);
        } else {
            let args = [nan.into(), from.into(), 16.into()];
            self.asm.op(SHIFT_UP, &args);
        }
        // Sign, five ones and the fraction; three more ones complete the exponent of single precision.
        self.asm.op(SIGN_DOWN, &[nan.into(), nan.into(), 3.into()]);
        let ones = Arg::Each(self.asm.constant(0x7000_0000));
        let or = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
        self.asm
            .under(or, Under::Merge(k), &[to.into(), nan.into(), ones]);
        self.asm.place(none);
    }

    /// Makes zeros of halves in single precision that are denormal as halves. Changes the first scratch register.
    pub(super) fn flush_widened(&mut self, register: Register) {
        let (f, k, magnitude) = (Format::of(Elem::F32), SCRATCH_MASK, SCRATCH[0]);
        let bits = self.number(f, f.sign() - 1);
        self.asm
            .op(f.and, &[magnitude.into(), register.into(), bits]);
        let least = self.number(f, LEAST_NORMAL.into());
        let args = [k.into(), magnitude.into(), least, LESS.into()];
        self.asm.op(COMPARE, &args);
        let sign = self.number(f, f.sign());
        let args = [register.into(), register.into(), sign];
        self.asm.under(f.and, Under::Merge(k), &args);
    }

    /// Converts single precision to words. The immediate of VCVTPS2PH is the rounding, with the numbers of MXCSR.
    pub(super) fn narrow(&mut self, words: Register, from: Register, round: Round) {
        let round = match round {
            Round::Nearest => 0,
            Round::Down => 1,
            Round::Up => 2,
            Round::Zero => 3,
        };
        let args = [words.into(), from.into(), Arg::I(round)];
        self.asm
            .op(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, &args);
    }

    /// Rounds `RAW` to words, in the lower half of a register, flushed if results are flushed, and leaves the same numbers in
    /// single precision on request. Changes the scratch registers; the first may be that of the words.
    pub(super) fn round_to_half(
        &mut self,
        words: Register,
        form: Option<Register>,
        round: Round,
        way: Way<'_>,
    ) {
        match way {
            Way::Twice => self.convert_to_half(words, form.unwrap_or(SCRATCH[1]), form, round),
            Way::Soon => match form {
                Some(form) => self.round_bits(words, form, None),
                None => self.convert_to_half(words, SCRATCH[1], None, round),
            },
            Way::Once(odd) => self.round_bits(words, form.unwrap_or(SCRATCH[1]), Some(odd)),
        }
    }

    /// Converts `RAW` to words, flushed if results are flushed, and those back if that is asked for.
    fn convert_to_half(
        &mut self,
        words: Register,
        wide: Register,
        form: Option<Register>,
        round: Round,
    ) {
        let flushes = self.fp().flush_out;
        self.narrow(lower(words), RAW, round);
        if form.is_some() || flushes {
            self.widen_to(wide, lower(words));
        }
        if flushes {
            self.flush_widened(wide);
            self.narrow(lower(words), wide, Round::Nearest);
        }
    }

    /// Rounds `RAW` to the nearest half, twice: its bits, which takes little time and is right for normal numbers, and by
    /// conversions, for which later nodes do not wait. If they differ in any lane, the conversions are right.
    ///
    /// With `odd`, `RAW` may have been rounded to a tie of halves that it is not. Then it is computed once more, rounded to odd.
    fn round_bits(&mut self, words: Register, wide: Register, odd: Option<&dyn Fn(&mut Self)>) {
        let (f, k) = (Format::of(Elem::F32), SCRATCH_MASK);
        let (sum, converted) = (SCRATCH[1], SCRATCH[2]);
        let usual = self.asm.label();
        let below = self.number(f, ROUNDED_OFF.into());
        let mut under = Under::All;
        if odd.is_some() {
            let tie = self.number(f, u64::from(ROUNDED_OFF / 2 + 1));
            self.asm.op(ADD, &[sum.into(), RAW.into(), tie]);
            let is_no_tie = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
            self.asm.op(is_no_tie, &[k.into(), sum.into(), below]);
            under = Under::Merge(k);
        } else {
            let (down, one) = (Arg::I(13), self.number(f, 1));
            self.asm.op(SHIFT_DOWN, &[sum.into(), RAW.into(), down]);
            self.asm.op(f.and, &[sum.into(), sum.into(), one]);
            let most = self.number(f, u64::from(ROUNDED_OFF / 2));
            self.asm.op(ADD, &[converted.into(), RAW.into(), most]);
            self.asm
                .op(ADD, &[sum.into(), sum.into(), converted.into()]);
        }
        let above = self.number(f, u64::from(!ROUNDED_OFF));
        self.asm.op(f.and, &[wide.into(), sum.into(), above]);
        self.convert_to_half(words, converted, Some(converted), Round::Nearest);
        let args = [k.into(), wide.into(), converted.into(), EQUAL.into()];
        self.asm.under(COMPARE, under, &args);
        self.asm.op(Code::VEX_Kortestw_kr_kr, &[k.into(), k.into()]);
        self.asm.jump(Code::Jb_rel32_64, usual);
        if let Some(odd) = odd {
            odd(self);
            self.convert_to_half(words, converted, Some(converted), Round::Nearest);
        }
        self.asm.op(f.copy, &[wide.into(), converted.into()]);
        self.asm.place(usual);
    }

    /// Records results in single precision: of the lower half and of the higher one.
    pub(super) fn keep_forms(&mut self, forms: [Option<Register>; 2]) {
        for (high, register) in [false, true].into_iter().zip(forms) {
            let Some(register) = register else { continue };
            // What was rounded is no signaling NaN.
            let mut same = Vec::new();
            for flushed in [false, true] {
                for signaling in [false, true] {
                    let form = Widened {
                        high,
                        flushed,
                        signaling,
                    };
                    if !flushed || self.fp().flush_out {
                        same.push(Derived::Half(form));
                    }
                }
            }
            self.result_derives(&same, register);
        }
    }
}
