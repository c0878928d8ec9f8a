//! Sentences of instructions that only gfx950 has, which are not executed: those of scaled conversions are composed of their names.

/// Names with the sentence.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    (
        "v_prng_b32",
        "Steps a generator of random numbers: a shift register of 32 bits with feedback.",
    ),
    (
        "v_permlane16_swap_b32",
        "Swaps the odd rows of 16 lanes of one register with the even rows of another.",
    ),
    (
        "v_permlane32_swap_b32",
        "Swaps the upper 32 lanes of one register with the lower 32 of another.",
    ),
    (
        "v_bitop3_b16",
        "Combines the bits of three 16-bit words by a truth table.",
    ),
    (
        "v_bitop3_b32",
        "Combines the bits of three 32-bit words by a truth table.",
    ),
    (
        "v_minimum3_f32",
        "Takes the smallest of three single-precision floats, or a NaN if one of them is one.",
    ),
    (
        "v_maximum3_f32",
        "Takes the largest of three single-precision floats, or a NaN if one of them is one.",
    ),
    (
        "v_pk_minimum3_f16",
        "Takes the smallest of three in pairs of half-precision floats, or a NaN if one of them is one.",
    ),
    (
        "v_pk_maximum3_f16",
        "Takes the largest of three in pairs of half-precision floats, or a NaN if one of them is one.",
    ),
    (
        "v_ashr_pk_i8_i32",
        "Shifts two signed 32-bit integers right, and holds each to a signed byte, in one half of the destination.",
    ),
    (
        "v_ashr_pk_u8_i32",
        "Shifts two signed 32-bit integers right, and holds each to an unsigned byte, in one half of the destination.",
    ),
    (
        "v_cvt_f32_bf16",
        "Converts a bfloat16 number to a single-precision float.",
    ),
    (
        "v_cvt_pk_f16_f32",
        "Converts two single-precision floats to half precision.",
    ),
    (
        "v_cvt_pk_bf16_f32",
        "Converts two single-precision floats to bfloat16.",
    ),
    (
        "v_cvt_sr_f16_f32",
        "Rounds a single-precision float by random bits to half precision.",
    ),
    (
        "v_cvt_sr_bf16_f32",
        "Rounds a single-precision float by random bits to bfloat16.",
    ),
    (
        "v_dot2_f32_bf16",
        "Adds the products of two pairs of bfloat16 numbers to a single-precision float.",
    ),
    (
        "v_dot2c_f32_bf16",
        "Adds the products of two pairs of bfloat16 numbers to the destination.",
    ),
    (
        "ds_read_b64_tr_b4",
        "Loads 8 bytes a lane from LDS, and transposes them between lanes as a matrix of 4-bit elements.",
    ),
    (
        "ds_read_b96_tr_b6",
        "Loads 12 bytes a lane from LDS, and transposes them between lanes as a matrix of 6-bit elements.",
    ),
    (
        "ds_read_b64_tr_b8",
        "Loads 8 bytes a lane from LDS, and transposes them between lanes as a matrix of bytes.",
    ),
    (
        "ds_read_b64_tr_b16",
        "Loads 8 bytes a lane from LDS, and transposes them between lanes as a matrix of 16-bit elements.",
    ),
];

/// The parts of the name of a scaled conversion.
pub(crate) struct Scaled<'n> {
    /// Whether random bits decide how results are rounded.
    pub is_stochastic: bool,
    /// The number of values: empty for one, `pk`, `pk32` or `2xpk16`.
    pub count: &'n str,
    pub to: &'n str,
    pub from: &'n str,
}

impl<'n> Scaled<'n> {
    /// Returns the parts of a name such as `v_cvt_scalef32_sr_pk32_fp6_f16`; `None` for others.
    pub(crate) fn of(name: &'n str) -> Option<Scaled<'n>> {
        let rest = name.strip_prefix("v_cvt_scalef32_")?;
        let (is_stochastic, rest) = match rest.strip_prefix("sr_") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (rest, from) = rest.rsplit_once('_')?;
        let (count, to) = rest.rsplit_once('_').unwrap_or(("", rest));
        Some(Scaled {
            is_stochastic,
            count,
            to,
            from,
        })
    }

    /// Whether the result has fewer bits than the source: it is divided by the scale, otherwise multiplied.
    pub(crate) fn narrows(&self) -> bool {
        bits(self.to).is_some()
    }

    fn sentence(&self) -> Option<String> {
        let (one, several) = match self.count {
            "" => (true, ""),
            "pk" => (false, "two"),
            "pk32" => (false, "32"),
            "2xpk16" => (false, "two times 16"),
            _ => return None,
        };
        let wide = |ty: &str| match (ty, one) {
            ("f32", true) => Some("a single-precision float".to_owned()),
            ("f16", true) => Some("a half-precision float".to_owned()),
            ("bf16", true) => Some("a bfloat16 number".to_owned()),
            ("f32", false) => Some(format!("{several} single-precision floats")),
            ("f16", false) => Some(format!("{several} half-precision floats")),
            ("bf16", false) => Some(format!("{several} bfloat16 numbers")),
            _ => None,
        };
        if self.narrows() {
            let them = if one { "it" } else { "them" };
            let by = if self.is_stochastic {
                " by random bits"
            } else {
                ""
            };
            let (from, to) = (wide(self.from)?, bits(self.to)?);
            return Some(format!(
                "Divides {from} by a scale, and rounds {them}{by} to {to}."
            ));
        }
        let floats = if one {
            "a float".to_owned()
        } else {
            format!("{several} floats")
        };
        let (from, to) = (bits(self.from)?, wide(self.to)?);
        Some(format!(
            "Converts {floats} of {from}, to {to}, multiplied by a scale."
        ))
    }
}

/// Returns the bits of a small format in words.
fn bits(format: &str) -> Option<&'static str> {
    Some(match format {
        "fp8" => "8 bits, 4 of them exponent",
        "bf8" => "8 bits, 5 of them exponent",
        "fp6" => "6 bits, 2 of them exponent",
        "bf6" => "6 bits, 3 of them exponent",
        "fp4" => "4 bits, 2 of them exponent",
        _ => return None,
    })
}

/// Returns the sentence of a scaled conversion.
pub(super) fn conversion(name: &str) -> Option<String> {
    Scaled::of(name)?.sentence()
}
