//! The rare and odd operations as pure functions of one lane.
//!
//! Arguments come zero-extended to 64 bits. Nothing here depends on the mode
//! of the wave: what does is composed from operations of the IR.

mod bytes;
mod cube;
mod division;
mod norm;
mod screen;
mod trig;

pub(crate) use bytes::{
    DOT4_I8, DOT4_U8, DOT8_I4, DOT8_U4, LERP_U8, MQSAD_PK_U16_U8, MSAD_U8, PERM_B32,
    QSAD_PK_U16_U8, SAD_U8, SAD_U16, SAT_PK_U8_I16,
};
pub(crate) use cube::{CUBE_ID, CUBE_MA, CUBE_SC, CUBE_TC};
pub(crate) use division::{
    DIV_FIXUP_F16, DIV_FIXUP_F32, DIV_FIXUP_F64, DIV_FMAS_SCALED_F32, DIV_FMAS_SCALED_F64,
    DIV_SCALE_F32, DIV_SCALE_F64,
};
pub(crate) use norm::{SNORM16, UNORM16};
pub(crate) use screen::SCREEN_PARTITION_4SE;
pub(crate) use trig::TRIG_PREOP_F64;

/// Defines a [`wavetank_ir::LaneFn`]; with `, mask` at the end the function
/// returns a pair whose second part is the mask bit of the lane.
macro_rules! lane_fn {
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr) => {
        lane_fn!(@ $(#[$doc])* $ident, $name, $bits, false, |args| (u64::from($f(args)), false));
    };
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr, mask) => {
        lane_fn!(@ $(#[$doc])* $ident, $name, $bits, true, $f);
    };
    (@ $(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $mask:literal, $f:expr) => {
        $(#[$doc])*
        pub(crate) static $ident: wavetank_ir::LaneFn = wavetank_ir::LaneFn {
            name: $name,
            result_bits: $bits,
            has_mask: $mask,
            call: $f,
            all: |args, results| wavetank_ir::over_lanes($f, args, results),
        };
    };
}
use lane_fn;

/// Every lane function, for texts that name one.
static ALL: [&wavetank_ir::LaneFn; 27] = [
    &DOT4_I8,
    &DOT4_U8,
    &DOT8_I4,
    &DOT8_U4,
    &LERP_U8,
    &MQSAD_PK_U16_U8,
    &MSAD_U8,
    &PERM_B32,
    &QSAD_PK_U16_U8,
    &SAD_U8,
    &SAD_U16,
    &SAT_PK_U8_I16,
    &CUBE_ID,
    &CUBE_MA,
    &CUBE_SC,
    &CUBE_TC,
    &DIV_FIXUP_F16,
    &DIV_FIXUP_F32,
    &DIV_FIXUP_F64,
    &DIV_FMAS_SCALED_F32,
    &DIV_FMAS_SCALED_F64,
    &DIV_SCALE_F32,
    &DIV_SCALE_F64,
    &SNORM16,
    &UNORM16,
    &SCREEN_PARTITION_4SE,
    &TRIG_PREOP_F64,
];

/// The lane function of a name, such as `perm_b32`.
///
/// ```
/// let perm = wavetank_lift::lane_fn("perm_b32").expect("it exists");
/// assert_eq!((perm.call)([0, 0x4433_2211, 0x0001_0203, 0]).0, 0x1122_3344);
/// ```
pub fn by_name(name: &str) -> Option<&'static wavetank_ir::LaneFn> {
    ALL.into_iter().find(|f| f.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name finds its own function: none is used twice.
    #[test]
    fn names_are_unique() {
        for f in ALL {
            let found = by_name(f.name).expect("it is listed");
            assert!(std::ptr::eq(found, f), "{} names two functions", f.name);
        }
    }

    /// The loop over all lanes does what a call a lane does.
    #[test]
    fn all_is_call_in_every_lane() {
        let lane = |n: u64| std::array::from_fn(|i| (i as u64 + 1).wrapping_mul(n) >> 1);
        let [a, b, c, d] = [0x9e37_79b9_7f4a_7c15, 0x0123_4567_89ab_cdef, 3, 5].map(lane);
        for f in ALL {
            let mut results = [0; 64];
            let mask = (f.all)([&a, &b, &c, &d], &mut results);
            for i in 0..64 {
                let (value, bit) = (f.call)([a[i], b[i], c[i], d[i]]);
                assert_eq!(
                    (results[i], mask >> i & 1 == 1),
                    (value, bit),
                    "{} lane {i}",
                    f.name
                );
            }
        }
    }
}
