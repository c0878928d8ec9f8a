//! Functions on the bytes of words: permutes, averages, sums of differences.

use wavetank_ir::LANES;

use crate::lanes::{Batch3, Env, Op3, Row};
use crate::store::{Aligned, Store, permute};

/// Each byte of c selects a byte of `{a, b}`, a sign, 0 or 0xff.
pub(crate) struct Perm;

impl Op3 for Perm {
    type A = u32;
    type B = u32;
    type C = u32;
    type R = u32;

    #[inline(always)]
    fn f(_: Env, a: u32, b: u32, c: u32) -> u32 {
        permute(a, b, c)
    }
}

impl Batch3 for Perm {
    #[inline(always)]
    unsafe fn all<S: Store>(_: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row> {
        // SAFETY: by the caller's promise.
        unsafe { S::permute(a, b, c) }
    }
}

/// Adds c and the absolute differences of the fields of a and b. `MASKED` skips the fields where b is 0.
macro_rules! sad {
    ($($(#[$doc:meta])* $name:ident: $field:ty, $fields:literal, $masked:literal, $add:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl $name {
            #[inline(always)]
            fn difference(x: $field, y: $field) -> $field {
                // Branchless: with a branch, the loop is not vectorized at every level.
                let wanted = <$field>::from(!$masked | (y != 0)).wrapping_neg();
                x.abs_diff(y) & wanted
            }
        }

        impl Op3 for $name {
            type A = u32;
            type B = u32;
            type C = u32;
            type R = u32;

            #[inline(always)]
            fn f(_: Env, a: u32, b: u32, c: u32) -> u32 {
                let field = |x: u32, n: u32| (x >> (<$field>::BITS * n)) as $field;
                let sum: u32 = (0..$fields)
                    .map(|n| u32::from(Self::difference(field(a, n), field(b, n))))
                    .sum();
                c.wrapping_add(sum)
            }
        }

        impl Batch3 for $name {
            #[inline(always)]
            unsafe fn all<S: Store>(_: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row> {
                const N: usize = $fields * LANES;
                // SAFETY: words are adjacent fields, of less alignment.
                let [a, b] = [a, b].map(|row| unsafe { &*std::ptr::from_ref(row).cast::<[$field; N]>() });
                let mut differences = Aligned([0; N]);
                for i in 0..N {
                    differences[i] = Self::difference(a[i], b[i]);
                }
                // SAFETY: the fields of words, with the alignment of words.
                let differences = unsafe { &*(&raw const differences.0).cast::<Row>() };
                let mut r = Aligned([0; LANES]);
                for i in 0..LANES {
                    r[i] = c[i].wrapping_add($add(differences[i]));
                }
                r
            }
        }
    )*};
}

sad! {
    /// Four bytes in each word.
    SadU8: u8, 4, false, sum_of_bytes;
    /// Four bytes in each word, except those where b is 0.
    MaskedSadU8: u8, 4, true, sum_of_bytes;
    /// Two halves in each word.
    SadU16: u16, 2, false, sum_of_halves;
}

#[inline(always)]
fn sum_of_bytes(x: u32) -> u32 {
    sum_of_halves((x & 0x00ff_00ff) + (x >> 8 & 0x00ff_00ff))
}

#[inline(always)]
fn sum_of_halves(x: u32) -> u32 {
    (x & 0xffff) + (x >> 16)
}
