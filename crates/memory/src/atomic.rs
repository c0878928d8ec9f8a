//! Read-modify-write operations for every space and width.
//!
//! Sources: Vega ISA, 12.13 LDS & GDS and 12.15 MUBUF; the tables of SUATOM (SPA 5.2) and of TYPED_ATOMIC (vISA 0x73). `modify32`
//! and its siblings define the operations; an atomic of the host replaces the definition where both give the same result.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Relaxed};

use wavetank_ir::Rmw;

use crate::format::HALF;
use crate::global;
use crate::lane_moves::{Baseline, copy};
use crate::lanes::{each, which};

/// A word of 16, 32 or 64 bits with the arithmetic of the atomics.
trait Word: Copy + Ord {
    type Signed: Ord;
    type Float: Copy + PartialOrd;

    fn signed(self) -> Self::Signed;
    fn float(self) -> Self::Float;
    fn fadd(self, b: Self) -> Self;
    fn fadd_ftz(self, b: Self) -> Self;
    fn fadd_flush(self, b: Self) -> Self;
    fn min_num(self, b: Self) -> Self;
    fn max_num(self, b: Self) -> Self;
    fn add_sat(self, b: Self) -> Self;
    fn cond_exchange(self, data: Self) -> Self;
    fn halves(self, b: Self, of: impl Fn(u16, u16) -> u16) -> Self;
}

/// Converts half precision to single, which is exact.
#[inline(always)]
fn from_half(bits: u16) -> f32 {
    f32::from_bits(HALF.decode(bits.into()))
}

/// Rounds to half precision, to nearest even. A sum of two halves that was rounded to single before gives the sum rounded once: a
/// single has more than twice the bits of a half and two more.
#[inline(always)]
fn to_half(x: f32) -> u16 {
    HALF.encode(x) as u16
}

macro_rules! word {
    ($word:ident, $signed:ident, $float:ident, $from:path, $to:path, $quiet:literal, $nan:literal, $infinity:literal) => {
        impl Word for $word {
            type Signed = $signed;
            type Float = $float;

            #[inline(always)]
            fn signed(self) -> $signed {
                self as $signed
            }

            #[inline(always)]
            fn float(self) -> $float {
                $from(self)
            }

            /// Returns the sum, rounded to nearest even with denormals kept. Of two NaNs the result is the first, made quiet; a
            /// generated NaN is negative. The choice is made here because the host's is open.
            #[inline(always)]
            fn fadd(self, b: Self) -> Self {
                let sum = self.float() + b.float();
                match (self.float().is_nan(), b.float().is_nan()) {
                    (true, _) => self | $quiet,
                    (_, true) => b | $quiet,
                    _ if sum.is_nan() => $nan,
                    _ => $to(sum),
                }
            }

            /// Returns the sum as above, but a denormal is a zero of its sign.
            #[inline(always)]
            fn fadd_ftz(self, b: Self) -> Self {
                const SIGN: $word = !($word::MAX >> 1);
                let flush = |x: $word| if x & $infinity == 0 { x & SIGN } else { x };
                flush(flush(self).fadd(flush(b)))
            }

            /// Returns the sum, rounded to nearest even. A denormal is a zero of its sign, and there is one NaN (PTX ISA, 9.7.13
            /// "atom": `.ftz`, and 9.7.3 on NaNs).
            #[inline(always)]
            fn fadd_flush(self, b: Self) -> Self {
                const SIGN: $word = !($word::MAX >> 1);
                let flush = |x: $word| if x & $infinity == 0 { x & SIGN } else { x };
                let sum = flush(self).float() + flush(b).float();
                match sum.is_nan() {
                    true => !SIGN,
                    false => flush($to(sum)),
                }
            }

            /// `minimumNumber` of IEEE 754-2019: a number and a NaN give the number.
            #[inline(always)]
            fn min_num(self, b: Self) -> Self {
                match (self.float().is_nan(), b.float().is_nan()) {
                    (true, true) => self | $quiet,
                    (true, false) => b,
                    (false, true) => self,
                    _ if b.float() < self.float() => b,
                    // Zeros of both signs give -0.
                    _ if b.float() == self.float() => self | b,
                    _ => self,
                }
            }

            /// `maximumNumber` of IEEE 754-2019: a number and a NaN give the number.
            #[inline(always)]
            fn max_num(self, b: Self) -> Self {
                match (self.float().is_nan(), b.float().is_nan()) {
                    (true, true) => self | $quiet,
                    (true, false) => b,
                    (false, true) => self,
                    _ if b.float() > self.float() => b,
                    _ if b.float() == self.float() => self & b,
                    _ => self,
                }
            }

            #[inline(always)]
            fn add_sat(self, b: Self) -> Self {
                self.signed().saturating_add(b.signed()) as $word
            }

            #[inline(always)]
            fn halves(self, b: Self, of: impl Fn(u16, u16) -> u16) -> Self {
                (0..$word::BITS).step_by(16).fold(0, |all, at| {
                    all | $word::from(of((self >> at) as u16, (b >> at) as u16)) << at
                })
            }

            #[inline(always)]
            fn cond_exchange(self, data: Self) -> Self {
                const TOPS: $word = 0x8000_0000_8000_0000_u64 as $word;
                // Each top bit becomes a mask over the dword below it.
                let all = (data & TOPS).wrapping_shr(31);
                let replaced = all.wrapping_mul(0xffff_ffff_u64 as $word);
                self & !replaced | data & !TOPS & replaced
            }
        }
    };
}

word!(u16, i16, f32, from_half, to_half, 0x0200, 0xfe00, 0x7c00);
word!(
    u32,
    i32,
    f32,
    f32::from_bits,
    f32::to_bits,
    0x0040_0000,
    0xffc0_0000,
    0x7f80_0000
);
word!(
    u64,
    i64,
    f64,
    f64::from_bits,
    f64::to_bits,
    0x0008_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0000
);

/// Returns the sum of two floats of 16 bits with the exponents of single precision, rounded to nearest even with denormals kept.
/// The sum in single precision is rounded to odd first, so that rounding it again rounds once.
fn bfloat_sum(a: u16, b: u16) -> u16 {
    let [wide_a, wide_b] = [a, b].map(|half| u32::from(half) << 16);
    let sum = wide_a.fadd(wide_b);
    if f32::from_bits(sum).is_nan() || sum << 1 == 0xff00_0000 {
        return (sum >> 16) as u16;
    }
    let exact = f64::from(f32::from_bits(wide_a)) + f64::from(f32::from_bits(wide_b));
    let (rounded, value) = (f64::from(f32::from_bits(sum)), sum);
    // The nearest single is even where the sum was not exact: the odd neighbour on the sum's side takes its place.
    let odd = match rounded.abs().partial_cmp(&exact.abs()) {
        Some(std::cmp::Ordering::Greater) if value & 1 == 0 => value - 1,
        Some(std::cmp::Ordering::Less) if value & 1 == 0 => value + 1,
        _ => value,
    };
    (odd.wrapping_add(0x7fff + (odd >> 16 & 1)) >> 16) as u16
}

/// Returns a half with a denormal replaced by zero.
fn flushed(half: u16) -> u16 {
    if half & 0x7c00 == 0 {
        half & 0x8000
    } else {
        half
    }
}

/// Returns the smaller or larger of two halves; of a NaN and a number, the number.
fn extreme(a: u16, b: u16, choose: fn(u16, u16) -> u16) -> u16 {
    if from_half(a).is_nan() && from_half(b).is_nan() {
        0x7fff
    } else {
        choose(flushed(a), flushed(b))
    }
}

/// The aligned words that the lanes of an atomic change, with its operands.
pub(crate) struct Words<'a, W> {
    /// The address of each lane's word; for lanes outside the mask, that of another lane.
    pub cell: [u64; 64],
    /// The lanes that change a word.
    pub mask: u64,
    /// Whether no other thread accesses the words.
    pub owned: bool,
    /// The first operand of each lane.
    pub data: &'a [W; 64],
    /// The second operand of each lane.
    pub data2: &'a [W; 64],
}

impl<W> Words<'_, W> {
    /// Returns the address of the word if all lanes change the same one.
    fn common(&self) -> Option<u64> {
        let first = self.cell[0];
        let differ = self
            .cell
            .iter()
            .fold(0, |differ, cell| differ | cell ^ first);
        (differ == 0 && self.mask != 0).then_some(first)
    }

    /// Returns the address of lane 0's word if the words of all lanes are contiguous.
    fn row(&self) -> Option<u64> {
        let first = self.cell[0];
        let place = |lane: usize| first.wrapping_add((lane * size_of::<W>()) as u64);
        let differ = (0..64).fold(0, |differ, lane| differ | self.cell[lane] ^ place(lane));
        (differ == 0 && self.mask == !0).then_some(first)
    }
}

/// Calls `lanes` of words with separate functions for each operation, so that the loops are specialized for it.
macro_rules! lanes {
    ($rmw:expr, $words:expr, $before:expr, $modify:ident, $shared:ident, $($name:ident)*) => {
        match $rmw {
            $(Rmw::$name => $words.lanes(
                $before,
                |old, a, b| $modify(Rmw::$name, old, a, b),
                |cell, a, b| $shared(cell, Rmw::$name, a, b),
            ),)*
        }
    };
}

/// Defines the operations of one word width.
macro_rules! width {
    ($word:ident, $atomic:ident, $modify:ident, $shared:ident $(, $owned:ident, $load:ident, $store:ident)?) => {
        /// Returns the value after the operation on `old` with the operands `data` and `data2` (see [`Rmw`] for their order).
        #[inline(always)]
        pub(crate) fn $modify(rmw: Rmw, old: $word, data: $word, data2: $word) -> $word {
            match rmw {
                Rmw::Swap => data,
                Rmw::CmpSwap if old == data2 => data,
                Rmw::FCmpSwap if old.float() == data2.float() => data,
                Rmw::CmpSwap | Rmw::FCmpSwap => old,
                Rmw::Add => old.wrapping_add(data),
                Rmw::Sub => old.wrapping_sub(data),
                Rmw::RevSub => data.wrapping_sub(old),
                Rmw::MinS if data.signed() < old.signed() => data,
                Rmw::MaxS if data.signed() > old.signed() => data,
                Rmw::MinS | Rmw::MaxS => old,
                Rmw::MinU => old.min(data),
                Rmw::MaxU => old.max(data),
                Rmw::And => old & data,
                Rmw::Or => old | data,
                Rmw::Xor => old ^ data,
                Rmw::Inc if old >= data => 0,
                Rmw::Inc => old + 1,
                Rmw::Dec if old == 0 || old > data => data,
                Rmw::Dec => old - 1,
                Rmw::MaskOr => old & !data | data2,
                Rmw::Wrap if old >= data => old - data,
                Rmw::Wrap => old.wrapping_add(data2),
                Rmw::CondXchg => old.cond_exchange(data),
                // With one operand, source and comparand are the same. The
                // manual's "tmp > cmp" in the row of the maximum is a slip.
                Rmw::FMin if data2.float() < old.float() => data,
                Rmw::FMax if data2.float() > old.float() => data,
                Rmw::FMin | Rmw::FMax => old,
                Rmw::FAdd => old.fadd(data),
                Rmw::FAddFtz => old.fadd_ftz(data),
                Rmw::PkFAdd => old.halves(data, u16::fadd),
                Rmw::PkBfAdd => old.halves(data, bfloat_sum),
                Rmw::AddSatS => old.add_sat(data),
                Rmw::FMinNum => old.min_num(data),
                Rmw::FMaxNum => old.max_num(data),
                Rmw::FAddFlush => old.fadd_flush(data),
                Rmw::PkFAddFlush => old.halves(data, u16::fadd_flush),
                Rmw::PkFMinFlush => old.halves(data, |a, b| extreme(a, b, u16::min_num)),
                Rmw::PkFMaxFlush => old.halves(data, |a, b| extreme(a, b, u16::max_num)),
            }
        }

        /// Changes memory that other threads access, and returns the value before.
        ///
        /// # Safety
        /// The address is aligned, mapped and writable.
        #[inline(always)]
        pub(crate) unsafe fn $shared(address: u64, rmw: Rmw, data: $word, data2: $word) -> $word {
            // SAFETY: the bytes are mapped; only atomics access guest memory.
            let cell = unsafe { $atomic::from_ptr(crate::global::at(address)) };
            match rmw {
                Rmw::Swap => cell.swap(data, AcqRel),
                Rmw::Add => cell.fetch_add(data, AcqRel),
                Rmw::Sub => cell.fetch_sub(data, AcqRel),
                Rmw::And => cell.fetch_and(data, AcqRel),
                Rmw::Or => cell.fetch_or(data, AcqRel),
                Rmw::Xor => cell.fetch_xor(data, AcqRel),
                Rmw::CmpSwap => cell
                    .compare_exchange(data2, data, AcqRel, Relaxed)
                    .unwrap_or_else(|before| before),
                _ => {
                    let change = |old| Some($modify(rmw, old, data, data2));
                    cell.fetch_update(AcqRel, Relaxed, change)
                        .unwrap_or_else(|before| before)
                }
            }
        }

        $(/// Changes memory of this thread; returns the value before.
        ///
        /// # Safety
        /// The address is aligned, mapped and writable.
        #[inline(always)]
        pub(crate) unsafe fn $owned(address: u64, rmw: Rmw, data: $word, data2: $word) -> $word {
            // SAFETY: the bytes are mapped.
            unsafe {
                let before = global::$load(address);
                global::$store(address, $modify(rmw, before, data, data2));
                before
            }
        }

        impl Words<'_, $word> {
            /// Returns the lanes whose compare-and-swap has left its word as it was, by the values before.
            #[inline(always)]
            pub(crate) fn failed(&self, rmw: Rmw, before: &[$word; 64]) -> u64 {
                if !matches!(rmw, Rmw::CmpSwap | Rmw::FCmpSwap) {
                    return 0;
                }
                let stays = |lane: usize| {
                    let after = $modify(rmw, before[lane], self.data[lane], self.data2[lane]);
                    after == before[lane]
                };
                which(stays) & self.mask
            }
        })?

        impl Words<'_, $word> {
            /// Changes the words of the lanes, in order, and writes the values before.
            ///
            /// # Safety
            /// The words are aligned, mapped and writable.
            pub(crate) unsafe fn change(&self, rmw: Rmw, before: &mut [$word; 64]) {
                // SAFETY: by the caller's promise.
                unsafe {
                    lanes!(rmw, self, before, $modify, $shared, Swap CmpSwap Add Sub RevSub MinS MinU MaxS MaxU And Or Xor Inc Dec MaskOr Wrap
                        CondXchg FCmpSwap FMin FMax FAdd FAddFtz PkFAdd PkBfAdd AddSatS FMinNum FMaxNum FAddFlush PkFAddFlush PkFMinFlush PkFMaxFlush)
                }
            }

            #[inline(always)]
            unsafe fn lanes(
                &self,
                before: &mut [$word; 64],
                modify: impl Fn($word, $word, $word) -> $word,
                shared: impl Fn(u64, $word, $word) -> $word,
            ) {
                // SAFETY: the words are mapped; only atomics access guest memory.
                let word = |address| unsafe { $atomic::from_ptr(global::at(address)) };
                if let Some(address) = self.common() {
                    // One update of the word for all lanes: no other thread's access comes between.
                    let mut old = word(address).load(Relaxed);
                    loop {
                        let mut new = old;
                        each(self.mask, |lane| {
                            before[lane] = new;
                            new = modify(new, self.data[lane], self.data2[lane]);
                        });
                        if self.owned {
                            word(address).store(new, Relaxed);
                            break;
                        }
                        match word(address).compare_exchange_weak(old, new, AcqRel, Relaxed) {
                            Ok(_) => break,
                            Err(now) => old = now,
                        }
                    }
                } else if self.owned && let Some(first) = self.row() {
                    let mut after = [0; 64];
                    // SAFETY: the words of the lanes, side by side.
                    unsafe {
                        copy::<Baseline, [$word; 64]>(global::at(first), before.as_mut_ptr().cast());
                        for lane in 0..64 {
                            after[lane] = modify(before[lane], self.data[lane], self.data2[lane]);
                        }
                        copy::<Baseline, [$word; 64]>(after.as_ptr().cast(), global::at(first));
                    }
                } else if self.owned {
                    each(self.mask, |lane| {
                        let word = word(self.cell[lane]);
                        before[lane] = word.load(Relaxed);
                        word.store(modify(before[lane], self.data[lane], self.data2[lane]), Relaxed);
                    });
                } else {
                    each(self.mask, |lane| {
                        before[lane] = shared(self.cell[lane], self.data[lane], self.data2[lane]);
                    });
                }
            }
        }
    };
}

width!(u16, AtomicU16, modify16, shared16);
width!(u32, AtomicU32, modify32, shared32, owned32, load32, store32);
width!(u64, AtomicU64, modify64, shared64, owned64, load64, store64);

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of Vega ISA, 12.13, as computed examples.
    #[test]
    fn operations_mean_what_the_manual_says() {
        let m = modify32;
        assert_eq!(m(Rmw::RevSub, 3, 10, 0), 7);
        assert_eq!(m(Rmw::Sub, 3, 10, 0), -7i32 as u32);
        assert_eq!(m(Rmw::MinS, 1, -1i32 as u32, 0), -1i32 as u32);
        assert_eq!(m(Rmw::MinU, 1, -1i32 as u32, 0), 1);
        assert_eq!(m(Rmw::MaxS, 1, -1i32 as u32, 0), 1);
        assert_eq!(m(Rmw::MaxU, 1, -1i32 as u32, 0), -1i32 as u32);
        assert_eq!(
            [
                m(Rmw::Inc, 4, 5, 0),
                m(Rmw::Inc, 5, 5, 0),
                m(Rmw::Inc, !0, !0, 0)
            ],
            [5, 0, 0]
        );
        assert_eq!(
            [
                m(Rmw::Dec, 4, 5, 0),
                m(Rmw::Dec, 0, 5, 0),
                m(Rmw::Dec, 6, 5, 0)
            ],
            [3, 5, 5]
        );
        assert_eq!(m(Rmw::MaskOr, 0xff, 0x0f, 0x105), 0x1f5);
        assert_eq!([m(Rmw::Wrap, 7, 5, 100), m(Rmw::Wrap, 4, 5, 100)], [2, 104]);
        assert_eq!([m(Rmw::CmpSwap, 7, 1, 7), m(Rmw::CmpSwap, 7, 1, 8)], [1, 7]);
        let x = modify64(
            Rmw::CondXchg,
            0x1111_1111_2222_2222,
            0x8000_0005_0000_0006,
            0,
        );
        assert_eq!(x, 0x0000_0005_2222_2222);
        let x = modify64(
            Rmw::CondXchg,
            0x1111_1111_2222_2222,
            0x0000_0005_8000_0006,
            0,
        );
        assert_eq!(x, 0x1111_1111_0000_0006);
    }

    #[test]
    fn float_operations_handle_zeros_and_nans() {
        let f = |rmw, old: f32, data: f32| {
            f32::from_bits(modify32(rmw, old.to_bits(), data.to_bits(), data.to_bits()))
        };
        assert_eq!([f(Rmw::FMin, 2.0, 1.0), f(Rmw::FMin, 1.0, 2.0)], [1.0, 1.0]);
        assert_eq!([f(Rmw::FMax, 2.0, 1.0), f(Rmw::FMax, 1.0, 2.0)], [2.0, 2.0]);
        assert_eq!(f(Rmw::FMin, 1.0, f32::NAN), 1.0);
        // Equal by value, not by bits: -0 is replaced.
        let swap = modify32(Rmw::FCmpSwap, (-0.0f32).to_bits(), 9, 0.0f32.to_bits());
        assert_eq!(swap, 9);
        let nan = f32::NAN.to_bits();
        assert_eq!(modify32(Rmw::FCmpSwap, nan, 9, nan), nan);
        // Denormals stay, generated NaNs are negative, and signaling NaNs become quiet.
        assert_eq!(modify32(Rmw::FAdd, 1, 1, 1), 2);
        assert_eq!(
            modify32(Rmw::FAdd, 0x7f80_0000, 0xff80_0000, 0),
            0xffc0_0000
        );
        assert_eq!(
            modify32(Rmw::FAdd, 0x3f80_0000, 0x7f80_0001, 0),
            0x7fc0_0001
        );
        let sum = modify64(Rmw::FAdd, 1.5f64.to_bits(), 2.5f64.to_bits(), 0);
        assert_eq!(f64::from_bits(sum), 4.0);
    }

    proptest::proptest! {
        /// The host's atomics and the plain definition agree.
        #[test]
        fn shared_and_owned_agree(old: u64, data: u64, data2: u64, near: bool) {
            use Rmw::*;
            let data2 = if near { old } else { data2 };
            for rmw in [Swap, CmpSwap, Add, Sub, RevSub, MinS, MinU, MaxS, MaxU, And, Or, Xor,
                Inc, Dec, MaskOr, Wrap, CondXchg, FCmpSwap, FMin, FMax, FAdd, FAddFtz, PkFAdd, PkBfAdd, AddSatS, FMinNum, FMaxNum, FAddFlush,
                PkFAddFlush, PkFMinFlush, PkFMaxFlush] {
                let mut cells = [old, old];
                let a = cells.as_mut_ptr().expose_provenance() as u64;
                // SAFETY: the cells are alive and aligned.
                unsafe {
                    assert_eq!(shared64(a, rmw, data, data2), old);
                    assert_eq!(owned64(a + 8, rmw, data, data2), old);
                    assert_eq!(global::load64(a), global::load64(a + 8));
                    let (data, data2) = (data as u32, data2 as u32);
                    let before = global::load32(a);
                    assert_eq!(shared32(a, rmw, data, data2), before);
                    assert_eq!(owned32(a + 8, rmw, data, data2), before);
                    assert_eq!(global::load64(a), global::load64(a + 8));
                }
            }
        }
    }
}
