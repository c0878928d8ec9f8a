//! The forms of halves: as words, and in single precision. Results that later nodes take in single precision are left so, rounded to
//! a half.

use iced_x86::{Code, Register};
use wavetank_ir::{Elem, Round, Value};
use wavetank_lower::TooMany;

use super::format::{Format, RAW};
use super::parts::lower;
use super::whole::LESS;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{Derived, SCRATCH, SCRATCH_MASK, Tile, Widened};

const SHIFT_UP: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_DOWN: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const SIGN_DOWN: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;

/// Predicates of VCMPPS and VPCMPD.
const UNORDERED: u8 = 0x03;
const NOT_EQUAL: u8 = 0x04;

/// The least normal half, in single precision.
const LEAST_NORMAL: u32 = 0x3880_0000;

/// All but one of the bits by which a number of single precision is longer than a half.
const BELOW_TIES: u32 = 0x0fff;

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

    /// Makes zeros of halves in single precision that are denormal as halves. Changes the third scratch register.
    pub(super) fn flush_widened(&mut self, register: Register) {
        let (f, k, magnitude) = (Format::of(Elem::F32), SCRATCH_MASK, SCRATCH[2]);
        let bits = self.number(f, f.sign() - 1);
        self.asm
            .op(f.and, &[magnitude.into(), register.into(), bits]);
        let least = self.number(f, LEAST_NORMAL.into());
        let less = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        let args = [k.into(), magnitude.into(), least, LESS.into()];
        self.asm.op(less, &args);
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

    /// Rounds `RAW` to words, in the lower half of a register, flushed if results are flushed, and leaves the same numbers in single precision on request. Changes
    /// the scratch registers; the first may be that of the words.
    ///
    /// Where rounding twice may be wrong, `odd` computes `RAW` once more, rounded to odd. That is where the first rounding made
    /// a tie of halves: then 12 bits are 0, and the number is no half. (Denormal halves are shorter, and their ties have more
    /// zeros.)
    pub(super) fn round_to_half(
        &mut self,
        words: Register,
        form: Option<Register>,
        round: Round,
        odd: Option<impl Fn(&mut Self)>,
    ) {
        let (words, flushes) = (lower(words), self.fp().flush_out);
        let wide = form.unwrap_or(SCRATCH[1]);
        self.narrow(words, RAW, round);
        if form.is_some() || flushes || odd.is_some() {
            self.widen_to(wide, words);
        }
        if let Some(odd) = odd {
            let usual = self.asm.label();
            self.mark_ties(wide);
            self.asm.jump(Code::Je_rel32_64, usual);
            odd(self);
            self.narrow(words, RAW, round);
            self.widen_to(wide, words);
            self.asm.place(usual);
        }
        if flushes {
            self.flush_widened(wide);
            self.narrow(words, wide, Round::Nearest);
        }
    }

    /// Compares `RAW` with itself rounded to a half: are there lanes in which it may be a tie?
    fn mark_ties(&mut self, rounded: Register) {
        let (f, k) = (Format::of(Elem::F32), SCRATCH_MASK);
        let below = self.number(f, BELOW_TIES.into());
        let none = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
        self.asm.op(none, &[k.into(), RAW.into(), below]);
        let differs = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        let args = [k.into(), RAW.into(), rounded.into(), NOT_EQUAL.into()];
        self.asm.under(differs, Under::Merge(k), &args);
        self.asm.op(f.is_empty, &[k.into(), k.into()]);
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
