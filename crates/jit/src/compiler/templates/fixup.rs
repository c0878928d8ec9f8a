//! The template of the special cases after a division, in single and double precision. It computes the functions of the same names
//! in the crate `lift`.

use iced_x86::{Code, Register};
use wavetank_lower::TooMany;

use super::format::{Format, RAW};
use super::whole::{EQUAL, LESS, MORE, NOT_LESS, Whole};
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Tile};

/// An operand, and the register for its magnitude.
#[derive(Clone, Copy)]
struct Operand {
    bits: Register,
    magnitude: Register,
}

/// The state of the last step of a division, for one piece of the operands (Vega ISA, V_DIV_FIXUP_F32).
struct Fixup {
    f: &'static Format,
    denominator: Operand,
    numerator: Operand,
    numerator_exponent: Register,
    /// The exponent of the numerator below which the quotient underflows.
    limit: Register,
    /// All bits but the sign.
    magnitude_bits: Arg,
    infinity: Arg,
    /// The bits of a magnitude, at least one of which is set if the number counts as not zero. If denormals count as zeros, they
    /// are those of the exponent.
    not_zero_bits: Arg,
}

/// A test of the last step of a division. Those of numbers take the register of a magnitude.
#[derive(Clone, Copy)]
enum Test {
    IsFinite(Register),
    IsNotFinite(Register),
    IsInfinity(Register),
    IsNan(Register),
    IsZero(Register),
    Underflows,
}

impl Tile<'_, '_> {
    /// Replaces a quotient in special cases.
    pub(super) fn div_fixup(&mut self, f: &'static Format, flushes: bool) -> Result<(), TooMany> {
        let mut s = Vec::new();
        for v in self.args() {
            s.push(self.pieces(f, v)?);
        }
        let numerator_exponent = self.spare(false)?;
        for (n, (to, under)) in self.result_pieces(f)?.into_iter().enumerate() {
            let [quotient, denominator, numerator] = [s[0][n], s[1][n], s[2][n]];
            let fixup = self.fixup_of(f, flushes, [denominator, numerator], numerator_exponent);
            self.fix_piece(&fixup, quotient);
            self.asm.under(f.copy, under, &[to.into(), RAW.into()]);
        }
        Ok(())
    }

    /// The registers and constants of a piece.
    fn fixup_of(
        &mut self,
        f: &'static Format,
        flushes: bool,
        [denominator, numerator]: [Register; 2],
        numerator_exponent: Register,
    ) -> Fixup {
        let [denominator_magnitude, numerator_magnitude, limit, _] = SCRATCH;
        let magnitude_bits = self.number(f, f.sign() - 1);
        let infinity = self.number(f, f.infinity());
        Fixup {
            f,
            denominator: Operand {
                bits: denominator,
                magnitude: denominator_magnitude,
            },
            numerator: Operand {
                bits: numerator,
                magnitude: numerator_magnitude,
            },
            numerator_exponent,
            limit,
            magnitude_bits,
            infinity,
            not_zero_bits: if flushes { infinity } else { magnitude_bits },
        }
    }

    /// Computes the quotient with its special cases into the scratch register of results.
    fn fix_piece(&mut self, x: &Fixup, quotient: Register) {
        let (w, k, usual) = (Whole::of(x.f), SCRATCH_MASK, self.asm.label());
        let args = [RAW.into(), quotient.into(), x.magnitude_bits];
        self.asm.op(x.f.and, &args);
        self.sign_of_quotient(x);
        // Special cases are rare: mostly, both numbers are within half of all exponents, and the quotient is finite.
        let (numbers, scratch) = (
            [x.denominator.bits, x.numerator.bits],
            [x.denominator.magnitude, x.numerator.magnitude],
        );
        let near = x.f.exponent_bits() - 1;
        self.mark_near_one(x.f, numbers, scratch, near);
        let magnitude = x.denominator.magnitude;
        let args = [magnitude.into(), quotient.into(), x.magnitude_bits];
        self.asm.op(x.f.and, &args);
        self.mark_if(x, Under::Merge(k), Test::IsFinite(magnitude));
        self.asm.op(w.are_all, &[k.into(), k.into()]);
        self.asm.jump(Code::Jb_rel32_64, usual);
        for (to, from) in [
            (RAW, quotient),
            (x.denominator.magnitude, x.denominator.bits),
            (x.numerator.magnitude, x.numerator.bits),
        ] {
            let args = [to.into(), from.into(), x.magnitude_bits];
            self.asm.op(x.f.and, &args);
        }
        self.find_exponents(x);
        self.fix_magnitude(x);
        self.sign_of_quotient(x);
        self.fix_nan(x);
        self.asm.place(usual);
    }

    /// Computes the exponent of the numerator, and the limit below which it lets the quotient underflow.
    fn find_exponents(&mut self, x: &Fixup) {
        let w = Whole::of(x.f);
        let fraction = Arg::I(x.f.fraction as u8);
        let args = [x.limit.into(), x.denominator.magnitude.into(), fraction];
        self.asm.op(w.down, &args);
        let least_difference = if x.f.bits == 64 { -1075i64 } else { -150 };
        let least_difference = self.number(x.f, least_difference as u64);
        let args = [x.limit.into(), x.limit.into(), least_difference];
        self.asm.op(w.add, &args);
        let (to, numerator) = (x.numerator_exponent, x.numerator.magnitude);
        self.asm
            .op(w.down, &[to.into(), numerator.into(), fraction]);
    }

    /// Replaces the magnitude in the special cases that are not a NaN. The rule of highest priority comes last.
    fn fix_magnitude(&mut self, x: &Fixup) {
        let (zero, infinity) = (0, x.f.infinity());
        let (denominator, numerator) = (x.denominator.magnitude, x.numerator.magnitude);
        for (case, magnitude) in [
            // overflow
            (Test::IsNotFinite(RAW), infinity),
            // underflow
            (Test::Underflows, zero),
            // x/inf, 0/y
            (Test::IsInfinity(denominator), zero),
            (Test::IsZero(numerator), zero),
            // x/0, inf/y
            (Test::IsZero(denominator), infinity),
            (Test::IsInfinity(numerator), infinity),
        ] {
            self.mark_if(x, Under::All, case);
            self.fill_marked(x.f, RAW, magnitude);
        }
    }

    /// Replaces the quotient in the special cases that are a NaN. The rule of highest priority comes last.
    fn fix_nan(&mut self, x: &Fixup) {
        let both = Under::Merge(SCRATCH_MASK);
        let (denominator, numerator) = (x.denominator.magnitude, x.numerator.magnitude);
        for case in [
            // 0/0
            [Test::IsZero(denominator), Test::IsZero(numerator)],
            // inf/inf
            [Test::IsInfinity(denominator), Test::IsInfinity(numerator)],
        ] {
            self.mark_if(x, Under::All, case[0]);
            self.mark_if(x, both, case[1]);
            self.fill_marked(x.f, RAW, x.f.sign() | x.f.infinity() | x.f.quiet());
        }
        for number in [x.denominator, x.numerator] {
            self.mark_if(x, Under::All, Test::IsNan(number.magnitude));
            let quiet = self.number(x.f, x.f.quiet());
            let args = [RAW.into(), number.bits.into(), quiet];
            self.asm.under(x.f.or, both, &args);
        }
    }

    /// Marks the lanes in which a test is true, of all lanes or of those marked so far.
    fn mark_if(&mut self, x: &Fixup, under: Under, test: Test) {
        let w = Whole::of(x.f);
        let k = SCRATCH_MASK.into();
        let exponents = [x.numerator_exponent.into(), x.limit.into()];
        let is = |number: Register, relation: u8| [k, number.into(), x.infinity, relation.into()];
        let exceeds = |relation: u8| [k, exponents[0], exponents[1], relation.into()];
        match test {
            // Magnitudes have no sign; signed comparisons are shorter.
            Test::IsFinite(a) => self.asm.under(w.signed, under, &is(a, LESS)),
            Test::IsNotFinite(a) => self.asm.under(w.unsigned, under, &is(a, NOT_LESS)),
            Test::IsInfinity(a) => self.asm.under(w.unsigned, under, &is(a, EQUAL)),
            Test::IsNan(a) => self.asm.under(w.unsigned, under, &is(a, MORE)),
            Test::IsZero(a) => {
                let args = [k, a.into(), x.not_zero_bits];
                self.asm.under(w.is_zero, under, &args);
            }
            Test::Underflows => self.asm.under(w.signed, under, &exceeds(LESS)),
        }
    }

    /// Sets the sign of the quotient's magnitude. Changes the register of the limit.
    fn sign_of_quotient(&mut self, x: &Fixup) {
        let (f, sign) = (x.f, x.limit);
        let sign_bit = self.number(f, f.sign());
        let (denominator, numerator) = (x.denominator.bits, x.numerator.bits);
        let args = [sign.into(), denominator.into(), numerator.into()];
        self.asm.op(f.xor, &args);
        self.asm.op(f.and, &[sign.into(), sign.into(), sign_bit]);
        self.asm.op(f.or, &[RAW.into(), RAW.into(), sign.into()]);
    }
}
