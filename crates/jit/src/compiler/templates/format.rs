//! The float formats: the host's instructions for each, and its constants.
//!
//! Templates of floats are written once for all formats. Doubles come in two pieces of eight lanes. Halves come in one piece,
//! whose instructions apply to both halves of a dword, even if the upper one is unused.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::{Elem, Round, Value};
use wavetank_lower::TooMany;

use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Tile};

/// The register for results that take more than one instruction.
pub(super) const RAW: Register = SCRATCH[3];

/// The instruction codes and constants of a format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The total number of bits.
    pub bits: u32,
    /// The number of fraction bits.
    pub fraction: u32,
    pub add: Code,
    pub sub: Code,
    pub mul: Code,
    pub div: Code,
    pub sqrt: Code,
    /// A multiply-add that adds to its first operand.
    pub fma: Code,
    /// A multiply-add that multiplies its first operand.
    pub times: Code,
    /// The rounding to integers.
    pub whole: Code,
    pub scale: Code,
    pub min: Code,
    pub max: Code,
    /// Minimum and maximum that order zeros, if such an instruction exists.
    pub range: Option<Code>,
    pub compare: Code,
    pub class: Code,
    pub exponent: Code,
    pub mantissa: Code,
    /// A move whose mask has a bit for each number.
    pub copy: Code,
    pub and: Code,
    pub or: Code,
    pub xor: Code,
    pub broadcast: Code,
    /// The test whether a mask is empty.
    pub is_empty: Code,
}

static SINGLE: Format = Format {
    bits: 32,
    fraction: 23,
    add: Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
    sub: Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
    mul: Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
    div: Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
    sqrt: Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
    fma: Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
    times: Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
    whole: Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
    scale: Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er,
    min: Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
    max: Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
    range: Some(Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae),
    compare: Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
    class: Code::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8,
    exponent: Code::EVEX_Vgetexpps_zmm_k1z_zmmm512b32_sae,
    mantissa: Code::EVEX_Vgetmantps_zmm_k1z_zmmm512b32_imm8_sae,
    copy: Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
    and: Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    or: Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
    xor: Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    broadcast: Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
    is_empty: Code::VEX_Kortestw_kr_kr,
};

static DOUBLE: Format = Format {
    bits: 64,
    fraction: 52,
    add: Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
    sub: Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
    mul: Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
    div: Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
    sqrt: Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
    fma: Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
    times: Code::EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er,
    whole: Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
    scale: Code::EVEX_Vscalefpd_zmm_k1z_zmm_zmmm512b64_er,
    min: Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
    max: Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
    range: Some(Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae),
    compare: Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
    class: Code::EVEX_Vfpclasspd_kr_k1_zmmm512b64_imm8,
    exponent: Code::EVEX_Vgetexppd_zmm_k1z_zmmm512b64_sae,
    mantissa: Code::EVEX_Vgetmantpd_zmm_k1z_zmmm512b64_imm8_sae,
    copy: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
    and: Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
    or: Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    xor: Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    broadcast: Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
    is_empty: Code::VEX_Kortestw_kr_kr,
};

static HALF: Format = Format {
    bits: 16,
    fraction: 10,
    add: Code::EVEX_Vaddph_zmm_k1z_zmm_zmmm512b16_er,
    sub: Code::EVEX_Vsubph_zmm_k1z_zmm_zmmm512b16_er,
    mul: Code::EVEX_Vmulph_zmm_k1z_zmm_zmmm512b16_er,
    div: Code::EVEX_Vdivph_zmm_k1z_zmm_zmmm512b16_er,
    sqrt: Code::EVEX_Vsqrtph_zmm_k1z_zmmm512b16_er,
    fma: Code::EVEX_Vfmadd231ph_zmm_k1z_zmm_zmmm512b16_er,
    times: Code::EVEX_Vfmadd132ph_zmm_k1z_zmm_zmmm512b16_er,
    whole: Code::EVEX_Vrndscaleph_zmm_k1z_zmmm512b16_imm8_sae,
    scale: Code::EVEX_Vscalefph_zmm_k1z_zmm_zmmm512b16_er,
    min: Code::EVEX_Vminph_zmm_k1z_zmm_zmmm512b16_sae,
    max: Code::EVEX_Vmaxph_zmm_k1z_zmm_zmmm512b16_sae,
    range: None,
    compare: Code::EVEX_Vcmpph_kr_k1_zmm_zmmm512b16_imm8_sae,
    class: Code::EVEX_Vfpclassph_kr_k1_zmmm512b16_imm8,
    exponent: Code::EVEX_Vgetexpph_zmm_k1z_zmmm512b16_sae,
    mantissa: Code::EVEX_Vgetmantph_zmm_k1z_zmmm512b16_imm8_sae,
    copy: Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512,
    // Without a mask, the field width of bitwise instructions does not matter.
    and: Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    or: Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
    xor: Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    broadcast: Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
    is_empty: Code::VEX_Kortestd_kr_kr,
};

/// Whether templates support this float element.
pub(super) fn is_known(elem: Elem) -> bool {
    match elem {
        Elem::F32 | Elem::F64 => true,
        Elem::F16 | Elem::F16x2 => std::arch::is_x86_feature_detected!("avx512fp16"),
        _ => false,
    }
}

impl Format {
    /// The format of an element type.
    pub(crate) fn of(elem: Elem) -> &'static Format {
        match elem {
            Elem::F64 => &DOUBLE,
            Elem::F32 => &SINGLE,
            _ => &HALF,
        }
    }

    /// Whether a dword contains two numbers.
    pub(crate) fn is_half(&self) -> bool {
        self.bits == 16
    }

    /// The number of exponent bits.
    pub(crate) fn exponent_bits(&self) -> u32 {
        self.bits - 1 - self.fraction
    }

    pub(crate) fn sign(&self) -> u64 {
        1 << (self.bits - 1)
    }

    pub(crate) fn quiet(&self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// The bits of infinity: an exponent without other bits.
    pub(crate) fn infinity(&self) -> u64 {
        self.sign() - (1 << self.fraction)
    }

    pub(crate) fn one(&self) -> u64 {
        (self.infinity() >> 1) & self.infinity()
    }
}

impl Tile<'_, '_> {
    /// The format of the current node.
    pub(crate) fn format(&self) -> &'static Format {
        Format::of(self.elem())
    }

    /// A number in all lanes, as a source operand.
    pub(crate) fn number(&mut self, f: &Format, bits: u64) -> Arg {
        Arg::Each(match f.bits {
            64 => self.asm.wide_constant(bits),
            32 => self.asm.constant(bits as u32),
            _ => self.asm.constant(bits as u32 | (bits as u32) << 16),
        })
    }

    /// Sets a register to a number in all lanes.
    pub(crate) fn fill(&mut self, f: &Format, to: Register, bits: u64) {
        if let Arg::Each(mem) = self.number(f, bits) {
            self.asm.op(f.broadcast, &[to.into(), mem.into()]);
        }
    }

    /// The registers of an operand's pieces.
    pub(crate) fn pieces(&mut self, f: &Format, v: Value) -> Result<Vec<Register>, TooMany> {
        match f.bits {
            64 => Ok(self.packed(v)?.to_vec()),
            _ => Ok(vec![self.reg(v)?]),
        }
    }

    /// The registers of an operand's pieces; those of single precision without denormals if the environment flushes them.
    pub(crate) fn flushed_pieces(
        &mut self,
        f: &Format,
        v: Value,
    ) -> Result<Vec<Register>, TooMany> {
        if f.bits != 32 || !self.fp().flush_in || self.reads_zeros {
            return self.pieces(f, v);
        }
        let flush = |t: &mut Self, to, from| {
            t.flushed_into(f, to, from);
        };
        Ok(vec![self.flushed_once(v, flush)?])
    }

    /// The registers for the pieces of the result.
    pub(crate) fn result_pieces(&mut self, f: &Format) -> Result<Vec<(Register, Under)>, TooMany> {
        match f.bits {
            64 => Ok(self.result_packed()?.to_vec()),
            _ => Ok(vec![self.result(0)?]),
        }
    }

    /// Flushes denormals to zeros of their sign. Changes the third scratch register.
    pub(crate) fn flush(&mut self, f: &Format, register: Register) {
        if f.is_half() {
            return self.flush_words(f, register);
        }
        let test = match f.bits {
            64 => Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64,
            _ => Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
        };
        let (exponent, sign) = (self.number(f, f.infinity()), self.number(f, f.sign()));
        let k = SCRATCH_MASK;
        self.asm.op(test, &[k.into(), register.into(), exponent]);
        let args = [register.into(), register.into(), sign];
        self.asm.under(f.and, Under::Merge(k), &args);
    }

    /// Flushes denormal halves, whose instructions take no constants from memory.
    fn flush_words(&mut self, f: &Format, register: Register) {
        let (k, flushed) = (SCRATCH_MASK, SCRATCH[2]);
        self.fill(f, flushed, f.infinity());
        let test = Code::EVEX_Vptestnmw_kr_k1_zmm_zmmm512;
        self.asm
            .op(test, &[k.into(), register.into(), flushed.into()]);
        let sign = self.number(f, f.sign());
        self.asm.op(f.and, &[flushed.into(), register.into(), sign]);
        let args = [register.into(), flushed.into()];
        self.asm.under(f.copy, Under::Merge(k), &args);
    }

    /// An operand, flushed into a register if the environment flushes inputs.
    pub(crate) fn flushed_into(&mut self, f: &Format, to: Register, from: Register) -> Register {
        if !self.fp().flush_in {
            return from;
        }
        self.asm.op(f.copy, &[to.into(), from.into()]);
        self.flush(f, to);
        to
    }

    /// An operand, flushed into a scratch register if the environment flushes inputs.
    pub(crate) fn flushed(&mut self, f: &Format, from: Register, scratch: usize) -> Register {
        self.flushed_into(f, SCRATCH[scratch], from)
    }

    /// Flushes a product within an operation if results are flushed.
    pub(crate) fn flush_product(&mut self, f: &Format, register: Register) {
        if self.fp().flush_out && !self.reads_zeros {
            self.flush(f, register);
        }
    }

    /// Emits an instruction that rounds by the environment.
    pub(crate) fn round(&mut self, code: Code, to: Register, under: Under, args: &[Register]) {
        let mut all = vec![Arg::R(to)];
        all.extend(args.iter().map(|r| Arg::R(*r)));
        match self.fp().round {
            Round::Nearest => self.asm.under(code, under, &all),
            round => self.asm.rounded(code, rounding(round), under, &all),
        }
    }

    /// Writes the result from a scratch register, flushed if results are flushed.
    pub(crate) fn finish(&mut self, f: &Format, raw: Register, (to, under): (Register, Under)) {
        if self.fp().flush_out {
            if f.bits == 32 {
                self.has_flushed(to, under);
            }
            if self.reads_zeros {
                let one = self.number(f, f.one());
                return self.asm.under(f.mul, under, &[to.into(), raw.into(), one]);
            }
            self.flush(f, raw);
        }
        match f.bits {
            64 => self.asm.under(f.copy, under, &[to.into(), raw.into()]),
            _ => self.write_words(raw, (to, under)),
        }
    }

    /// Writes the result from a scratch register, without the bits above a single 16-bit number.
    pub(crate) fn write_words(&mut self, raw: Register, (to, under): (Register, Under)) {
        if matches!(self.elem(), Elem::F16 | Elem::I16) {
            let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
            let low = Arg::Each(self.asm.constant(0xffff));
            return self.asm.under(and, under, &[to.into(), raw.into(), low]);
        }
        let copy = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
        self.asm.under(copy, under, &[to.into(), raw.into()]);
    }
}

impl Tile<'_, '_> {
    /// An operation with N operands. `emit` computes one piece of the result from the pieces of the operands. With `at_once`, its
    /// last instruction writes the piece, under any mask; else it writes to `RAW`.
    pub(crate) fn operate<const N: usize>(
        &mut self,
        at_once: bool,
        emit: impl Fn(&mut Self, &Format, Register, Under, [Register; N]),
    ) -> Result<(), TooMany> {
        let (f, fp, args) = (self.format(), self.fp(), self.args());
        let mut operands = Vec::with_capacity(N);
        for v in &args[..N] {
            operands.push(self.flushed_pieces(f, *v)?);
        }
        let at_once = at_once && !fp.flush_out && !f.is_half();
        let mut flushed = [Register::None; N];
        if fp.flush_in && f.bits != 32 {
            for to in &mut flushed {
                *to = self.spare(false)?;
            }
        }
        for (n, (to, under)) in self.result_pieces(f)?.into_iter().enumerate() {
            let mut x = std::array::from_fn(|k| operands[k][n]);
            for (x, to) in x.iter_mut().zip(flushed).filter(|_| f.bits != 32) {
                *x = self.flushed_into(f, to, *x);
            }
            if at_once {
                emit(self, f, to, under, x);
            } else {
                emit(self, f, RAW, Under::All, x);
                self.finish(f, RAW, (to, under));
            }
        }
        Ok(())
    }
}

/// The host's code of a rounding mode.
fn rounding(round: Round) -> RoundingControl {
    match round {
        Round::Nearest => RoundingControl::RoundToNearest,
        Round::Up => RoundingControl::RoundUp,
        Round::Down => RoundingControl::RoundDown,
        Round::Zero => RoundingControl::RoundTowardZero,
    }
}
