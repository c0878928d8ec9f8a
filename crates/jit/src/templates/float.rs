//! Floats of 32 bits.
//!
//! NaNs need no care but where said: the host's instructions take the first operand that is one, quieted, and where there is
//! none the same default NaN as [`Fp`](wavetank_ir::Fp) asks for.

use iced_x86::{Code, Register};
use wavetank_interp::single::TooMany;
use wavetank_ir::{Bin, Elem, Fp, Round, Tern, Un};

use super::Template;
use super::convert::rounding;
use crate::asm::{Arg, Mem, Under, fixed};
use crate::tile::{SCRATCH, SCRATCH_MASK, Tile};

type Done = Result<(), TooMany>;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7f80_0000;
const QUIET: u32 = 0x0040_0000;

const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const COPY: Code = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
const COMPARE: Code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
const MUL: Code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
const ADD: Code = Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;

/// Neither is a NaN; one is.
const ORDERED: u8 = 7;
const UNORDERED: u8 = 3;

/// Templates of one operand.
pub fn un(un: Un, elem: Elem, fp: Fp) -> Option<Template> {
    if elem != Elem::F32 {
        return None;
    }
    let plain = !fp.flush_in && !fp.flush_out;
    Some(match un {
        Un::FNeg => |t| t.sign(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, SIGN),
        Un::FAbs => |t| t.sign(AND, !SIGN),
        Un::FSqrt if plain => |t| t.one(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er),
        Un::FRcp if plain => reciprocal,
        Un::FRsq if plain => reciprocal_root,
        Un::FClamp if plain => clamp,
        // The immediate of VRNDSCALEPS: the rounding, and no exception.
        Un::FRoundEven if plain => |t| t.whole(0x8),
        Un::FFloor if plain => |t| t.whole(0x9),
        Un::FCeil if plain => |t| t.whole(0xa),
        Un::FTrunc if plain => |t| t.whole(0xb),
        _ => return None,
    })
}

/// Templates of two operands.
pub fn bin(bin: Bin, elem: Elem, fp: Fp) -> Option<Template> {
    if elem != Elem::F32 {
        return None;
    }
    let plain = !fp.flush_in && !fp.flush_out;
    Some(match bin {
        Bin::FLdexp if plain => ldexp,
        Bin::FAdd => |t| t.arithmetic(ADD),
        Bin::FSub => |t| t.arithmetic(Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er),
        Bin::FMul => |t| t.arithmetic(MUL),
        // The immediate of VRANGEPS: which one, and the sign as it is.
        Bin::FMin => |t| t.extreme(0b0100),
        Bin::FMax => |t| t.extreme(0b0101),
        _ => return None,
    })
}

/// Templates of three operands.
pub fn tern(tern: Tern, elem: Elem, _: Fp) -> Option<Template> {
    match (tern, elem) {
        (Tern::Fma, Elem::F32) => Some(fma),
        (Tern::FMad, Elem::F32) => Some(mad),
        _ => None,
    }
}

impl Tile<'_, '_> {
    fn sign(&mut self, code: Code, bits: u32) -> Done {
        let a = self.args()[0];
        let a = self.reg(a)?;
        let bits = Arg::Each(self.asm.constant(bits));
        let (to, under) = self.result(0)?;
        self.asm.under(code, under, &[to.into(), a.into(), bits]);
        Ok(())
    }

    fn whole(&mut self, how: u8) -> Done {
        let a = self.args()[0];
        let a = self.arg(a, 0)?;
        let (to, under) = self.result(0)?;
        self.asm.under(
            Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
            under,
            &[to.into(), a, how.into()],
        );
        Ok(())
    }

    /// Denormals become zeros of their sign.
    fn flush(&mut self, register: Register) {
        let exponent = Arg::Each(self.asm.constant(EXPONENT));
        let k = SCRATCH_MASK;
        let args = [k.into(), register.into(), exponent];
        self.asm
            .op(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, &args);
        let sign = Arg::Each(self.asm.constant(SIGN));
        let args = [register.into(), register.into(), sign];
        self.asm.under(AND, Under::Merge(k), &args);
    }

    /// An operand, flushed into a scratch register if that is asked for.
    fn flushed(&mut self, from: Register, scratch: usize) -> Register {
        if !self.fp().flush_in {
            return from;
        }
        let to = SCRATCH[scratch];
        self.asm.op(COPY, &[to.into(), from.into()]);
        self.flush(to);
        to
    }

    /// An instruction of two sources that rounds.
    fn arithmetic(&mut self, code: Code) -> Done {
        let fp = self.fp();
        if fp.round == Round::Nearest && !fp.flush_in && !fp.flush_out {
            return self.two(code);
        }
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let (a, b) = (self.flushed(a, 0), self.flushed(b, 1));
        let raw = SCRATCH[2];
        self.round(code, raw, a, b);
        self.flushed_result(raw)
    }

    fn round(&mut self, code: Code, to: Register, a: Register, b: Register) {
        let args = [to.into(), a.into(), b.into()];
        let round = rounding(self.fp().round);
        self.asm.rounded(code, round, Under::All, &args);
    }

    /// The result from a scratch register, flushed if that is asked for.
    fn flushed_result(&mut self, raw: Register) -> Done {
        if self.fp().flush_out {
            self.flush(raw);
        }
        let (to, under) = self.result(0)?;
        self.asm.under(COPY, under, &[to.into(), raw.into()]);
        Ok(())
    }

    /// Minimum or maximum. Without a NaN VRANGEPS is right, zeros with their signs included.
    fn extreme(&mut self, which: u8) -> Done {
        let fp = self.fp();
        let [a, b, _] = self.args();
        let (a, b) = (self.reg(a)?, self.reg(b)?);
        let (a, b) = (self.flushed(a, 0), self.flushed(b, 1));
        let (raw, quieted, k) = (SCRATCH[2], SCRATCH[3], SCRATCH_MASK);
        self.asm.op(
            Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae,
            &[raw.into(), a.into(), b.into(), which.into()],
        );
        // b where a is a NaN, else a where b is one.
        let usual = self.asm.label();
        let args = [k.into(), a.into(), b.into(), UNORDERED.into()];
        self.asm.op(COMPARE, &args);
        self.asm
            .op(Code::VEX_Kortestw_kr_kr, &[k.into(), k.into()]);
        self.asm.jump(Code::Je_rel32_64, usual);
        self.asm
            .under(COPY, Under::Merge(k), &[raw.into(), a.into()]);
        let args = [k.into(), a.into(), a.into(), UNORDERED.into()];
        self.asm.op(COMPARE, &args);
        self.asm
            .under(COPY, Under::Merge(k), &[raw.into(), b.into()]);
        if fp.ieee {
            // Signaling NaNs, quieted: a before b.
            let quiet = self.asm.constant(QUIET);
            for from in [b, a] {
                let args = [k.into(), from.into(), 0x80.into()];
                self.asm
                    .op(Code::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8, &args);
                let args = [quieted.into(), from.into(), Arg::Each(quiet)];
                self.asm.op(OR, &args);
                self.asm
                    .under(COPY, Under::Merge(k), &[raw.into(), quieted.into()]);
            }
        }
        self.asm.place(usual);
        self.flushed_result(raw)
    }
}

/// 1 / x
fn reciprocal(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let (one, c) = (SCRATCH[0], t.asm.constant(0x3f80_0000));
    t.asm.op(
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        &[one.into(), c.into()],
    );
    let (to, under) = t.result(0)?;
    let args = [to.into(), one.into(), a.into()];
    t.asm
        .under(Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, under, &args);
    Ok(())
}

/// 1 / sqrt(x), as the interpreter has it: an estimate y of single precision, and in double precision one step of Newton,
/// y − y · ((x · y · y − 1) · ½). Where that is a NaN (of zeros, infinities, negative numbers) the estimate stays.
fn reciprocal_root(t: &mut Tile) -> Done {
    const EXTRACT: Code = Code::EVEX_Vextractf32x8_ymmm256_k1z_zmm_imm8;
    const WIDEN: Code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
    const MUL: Code = Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
    const SUB: Code = Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
    let a = t.args()[0];
    let a = t.reg(a)?;
    let [estimate, x, y, better] = SCRATCH;
    let [narrow_x, narrow_y, narrow_better] = [Register::YMM29, Register::YMM30, Register::YMM31];
    t.asm
        .op(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, &[x.into(), a.into()]);
    let one = t.asm.constant(0x3f80_0000);
    t.asm.op(
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        &[y.into(), one.into()],
    );
    t.asm.op(
        Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        &[estimate.into(), y.into(), x.into()],
    );
    // The dwords of 1 and of ½ in double precision.
    let wide = |t: &mut Tile, high: u32| {
        let at = t.asm.constant_row(&[0, high]);
        Arg::Each(Mem::at(fixed::CONSTANTS, at))
    };
    let (one, half) = (wide(t, 0x3ff0_0000), wide(t, 0x3fe0_0000));
    for part in 0..2 {
        for (narrow, of) in [(narrow_x, a), (narrow_y, estimate)] {
            t.asm
                .op(EXTRACT, &[narrow.into(), of.into(), part.into()]);
        }
        t.asm.op(WIDEN, &[x.into(), narrow_x.into()]);
        t.asm.op(WIDEN, &[y.into(), narrow_y.into()]);
        t.asm.op(MUL, &[x.into(), x.into(), y.into()]);
        t.asm.op(MUL, &[x.into(), x.into(), y.into()]);
        t.asm.op(SUB, &[x.into(), x.into(), one]);
        t.asm.op(MUL, &[x.into(), x.into(), half]);
        t.asm.op(MUL, &[x.into(), x.into(), y.into()]);
        t.asm.op(SUB, &[x.into(), y.into(), x.into()]);
        let narrow = if part == 0 { narrow_better } else { narrow_x };
        t.asm.op(
            Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
            &[narrow.into(), x.into()],
        );
    }
    t.asm.op(
        Code::EVEX_Vinsertf32x8_zmm_k1z_zmm_ymmm256_imm8,
        &[better.into(), better.into(), narrow_x.into(), 1.into()],
    );
    let k = SCRATCH_MASK;
    let args = [k.into(), better.into(), better.into(), UNORDERED.into()];
    t.asm.op(COMPARE, &args);
    t.asm
        .under(COPY, Under::Merge(k), &[better.into(), estimate.into()]);
    let (to, under) = t.result(0)?;
    t.asm.under(COPY, under, &[to.into(), better.into()]);
    Ok(())
}

/// To 0 and 1. The host takes the second operand where one is a NaN, or both are zeros.
fn clamp(t: &mut Tile) -> Done {
    let a = t.args()[0];
    let a = t.reg(a)?;
    let positive = SCRATCH[0];
    let zero = Arg::Each(t.asm.constant(0));
    let args = [positive.into(), a.into(), zero];
    t.asm
        .op(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &args);
    let one = Arg::Each(t.asm.constant(0x3f80_0000));
    let (to, under) = t.result(0)?;
    let args = [to.into(), positive.into(), one];
    t.asm
        .under(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, under, &args);
    Ok(())
}

/// a · 2^b. Exponents that a float does not hold exactly leave zeros and infinities, whatever they are.
fn ldexp(t: &mut Tile) -> Done {
    let [a, b, _] = t.args();
    let (a, b) = (t.reg(a)?, t.arg(b, 0)?);
    let (exponent, scaled) = (SCRATCH[0], SCRATCH[1]);
    t.asm
        .op(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, &[exponent.into(), b]);
    t.round(
        Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er,
        scaled,
        a,
        exponent,
    );
    t.flushed_result(scaled)
}

/// a · b + c, rounded once.
fn fma(t: &mut Tile) -> Done {
    const FMA: Code = Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
    const TIMES: Code = Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er;
    let fp = t.fp();
    let [a, b, c] = t.args();
    let usual = fp.round == Round::Nearest && !fp.flush_in && !fp.flush_out;
    if usual {
        let (a, c) = (t.reg(a)?, t.reg(c)?);
        let b = t.arg(b, 0)?;
        let (to, under) = t.result(0)?;
        // It adds to what is there, or multiplies it; of NaNs the factors come first, in their order.
        if to == c {
            t.asm.under(FMA, under, &[to.into(), a.into(), b]);
        } else if to == a {
            t.asm.under(TIMES, under, &[to.into(), c.into(), b]);
        } else if under == Under::All {
            t.asm.op(COPY, &[to.into(), c.into()]);
            t.asm.op(FMA, &[to.into(), a.into(), b]);
        } else {
            let sum = SCRATCH[0];
            t.asm.op(COPY, &[sum.into(), c.into()]);
            // What stands in lanes that are off may be a denormal, for which the host takes its time.
            t.asm.under(FMA, under, &[sum.into(), a.into(), b]);
            t.asm.under(COPY, under, &[to.into(), sum.into()]);
        }
        return Ok(());
    }
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let (a, b, c) = (t.flushed(a, 0), t.flushed(b, 1), t.flushed(c, 2));
    let sum = SCRATCH[2];
    if c != sum {
        t.asm.op(COPY, &[sum.into(), c.into()]);
    }
    t.round(FMA, sum, a, b);
    t.flushed_result(sum)
}

/// a · b rounded, plus c rounded.
fn mad(t: &mut Tile) -> Done {
    let [a, b, c] = t.args();
    let (a, b, c) = (t.reg(a)?, t.reg(b)?, t.reg(c)?);
    let (a, b, c) = (t.flushed(a, 0), t.flushed(b, 1), t.flushed(c, 2));
    let (sum, k) = (SCRATCH[3], SCRATCH_MASK);
    t.round(MUL, sum, a, b);
    if t.fp().flush_out {
        t.flush(sum);
    }
    t.round(ADD, sum, sum, c);
    // Where c alone is a NaN, it is the result, also if the product is invalid.
    let usual = t.asm.label();
    let nan = [k.into(), sum.into(), sum.into(), UNORDERED.into()];
    t.asm.op(COMPARE, &nan);
    t.asm.op(Code::VEX_Kortestw_kr_kr, &[k.into(), k.into()]);
    t.asm.jump(Code::Je_rel32_64, usual);
    let args = [k.into(), a.into(), b.into(), ORDERED.into()];
    t.asm.op(COMPARE, &args);
    let args = [k.into(), c.into(), c.into(), UNORDERED.into()];
    t.asm.under(COMPARE, Under::Merge(k), &args);
    let quiet = Arg::Each(t.asm.constant(QUIET));
    let args = [sum.into(), c.into(), quiet];
    t.asm.under(OR, Under::Merge(k), &args);
    t.asm.place(usual);
    t.flushed_result(sum)
}
