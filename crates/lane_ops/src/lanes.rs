//! Words of lanes, and the traits that make a scalar function a step over 64 lanes.
//!
//! An arithmetic function is written once, for one element. The drivers of [`crate::drive`] run it over lane vectors, in loops
//! that the compiler vectorizes, and over uniform values.

use std::mem::MaybeUninit;

use wavetank_ir::LANES;

use crate::store::{Aligned, Store};

/// Uninitialized space for words of all lanes.
pub(crate) type Room<W> = MaybeUninit<Aligned<[W; LANES]>>;

/// Computes all lanes. The results are stored apart from the lane vectors until all are computed, since the destination may be a
/// source. So the compiler can prove that they do not overlap, and vectorizes the loop.
#[inline(always)]
pub(crate) fn all_lanes<R: Copy>(mut f: impl FnMut(usize) -> R) -> Aligned<[R; LANES]> {
    let mut r = Room::<R>::uninit();
    let p = r.as_mut_ptr().cast::<R>();
    for i in 0..LANES {
        // SAFETY: lane i of the array.
        unsafe { p.add(i).write(f(i)) };
    }
    // SAFETY: every lane was written.
    unsafe { r.assume_init() }
}

/// A lane's value: 32 bits in one lane vector, or 64 bits in two, low first.
pub trait Word: Copy + Default {
    /// Lane `i` of the lane vector(s) at `p`.
    ///
    /// # Safety
    /// `p` points to a lane vector of this word's width in the vector file.
    unsafe fn lane(p: *const u32, i: usize) -> Self;

    /// Returns the lane vector(s) at `p` as an array of words: in place, or joined in `room`.
    ///
    /// # Safety
    /// As for `lane`; the processor must have the features of `S`.
    unsafe fn words<S: Store>(p: *const u32, room: &mut Room<Self>) -> *const Self;

    /// Stores the lanes of `mask`.
    ///
    /// # Safety
    /// As for `lane`; `p` must be writable and aligned as lane vectors are, and the processor have the
    /// features of `S`.
    unsafe fn store<S: Store>(p: *mut u32, mask: u64, r: &[Self; LANES]);

    /// Converts the low bits of a uniform value.
    fn from_u64(v: u64) -> Self;

    /// Converts to a uniform value, zero-extended.
    fn to_u64(self) -> u64;

    /// The width in bits.
    const BITS: u32;

    /// `(self & and) ^ xor`, which applies sign modifiers.
    fn modify(self, and: u64, xor: u64) -> Self;
}

impl Word for u32 {
    const BITS: u32 = 32;

    #[inline(always)]
    unsafe fn lane(p: *const u32, i: usize) -> u32 {
        // SAFETY: a lane of a lane vector, by the caller's promise.
        unsafe { p.add(i).read() }
    }

    #[inline(always)]
    unsafe fn words<S: Store>(p: *const u32, _: &mut Room<u32>) -> *const u32 {
        p
    }

    #[inline(always)]
    unsafe fn store<S: Store>(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        // SAFETY: a lane vector of the wave.
        unsafe { S::store(p, mask, r) }
    }

    #[inline(always)]
    fn from_u64(v: u64) -> u32 {
        v as u32
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn modify(self, and: u64, xor: u64) -> u32 {
        (self & and as u32) ^ xor as u32
    }
}

impl Word for u64 {
    const BITS: u32 = 64;

    #[inline(always)]
    unsafe fn lane(p: *const u32, i: usize) -> u64 {
        // SAFETY: a 64-bit lane vector is two lane vectors in a row.
        let (low, high) = unsafe { (p.add(i).read(), p.add(LANES + i).read()) };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    unsafe fn words<S: Store>(p: *const u32, room: &mut Room<u64>) -> *const u64 {
        let words = room.as_mut_ptr().cast();
        // SAFETY: a 64-bit lane vector is two lane vectors in a row; the room has that of 64 words.
        unsafe { S::join(p, p.add(LANES), words) };
        words
    }

    #[inline(always)]
    unsafe fn store<S: Store>(p: *mut u32, mask: u64, r: &[u64; LANES]) {
        let (mut low, mut high) = (Room::<u32>::uninit(), Room::<u32>::uninit());
        // SAFETY: `split` fills both; a 64-bit lane vector is two lane vectors in a row.
        unsafe {
            S::split(r, low.as_mut_ptr().cast(), high.as_mut_ptr().cast());
            S::store(p, mask, &low.assume_init_ref().0);
            S::store(p.add(LANES), mask, &high.assume_init_ref().0);
        }
    }

    #[inline(always)]
    fn from_u64(v: u64) -> u64 {
        v
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }

    #[inline(always)]
    fn modify(self, and: u64, xor: u64) -> u64 {
        (self & and) ^ xor
    }
}

/// The packed float environment of a function whose type does not fix it: see [`Env`].
#[derive(Clone, Copy)]
pub struct Env(pub u32);

impl Env {
    /// Packs a float environment.
    pub fn pack(fp: wavetank_ir::Fp) -> u32 {
        fp.round as u32
            | u32::from(fp.flush_in) << 2
            | u32::from(fp.flush_out) << 3
            | u32::from(fp.ieee) << 4
    }

    /// Returns the rounding: 0 to nearest, 1 up, 2 down, 3 toward zero.
    #[inline(always)]
    pub fn round(self) -> u32 {
        self.0 & 3
    }

    /// Returns whether denormal inputs are flushed.
    #[inline(always)]
    pub fn flush_in(self) -> bool {
        self.0 & 4 != 0
    }

    /// Returns whether denormal results are flushed.
    #[inline(always)]
    pub fn flush_out(self) -> bool {
        self.0 & 8 != 0
    }

    /// Returns whether IEEE mode is on.
    #[inline(always)]
    pub fn ieee(self) -> bool {
        self.0 & 16 != 0
    }
}

/// A function of one element.
pub trait Op1 {
    /// The word of the operand.
    type A: Word;
    /// The word of the result.
    type R: Word;
    /// Returns the result of one lane.
    fn f(env: Env, a: Self::A) -> Self::R;
    /// Returns the results of all lanes, whose operands `a` returns, on a processor with the features of `S`: for functions that
    /// are faster on several lanes together.
    #[inline(always)]
    fn all<S: Store>(env: Env, a: impl Fn(usize) -> Self::A) -> Aligned<[Self::R; LANES]> {
        all_lanes(|i| Self::f(env, a(i)))
    }
}

/// A function of two elements.
pub trait Op2 {
    /// The word of the first operand.
    type A: Word;
    /// The word of the second operand.
    type B: Word;
    /// The word of the result.
    type R: Word;
    /// Whether any result may need `repair`.
    const REPAIR: bool = false;
    /// Returns the result of one lane.
    fn f(env: Env, a: Self::A, b: Self::B) -> Self::R;
    /// Returns whether the result needs `repair` (it is a NaN, for example).
    #[inline(always)]
    fn odd(_r: Self::R) -> bool {
        false
    }
    /// Returns the exact result of an odd lane, off the fast path.
    fn repair(_env: Env, _a: Self::A, _b: Self::B, r: Self::R) -> Self::R {
        r
    }
}

/// A function of three elements.
pub trait Op3 {
    /// The word of the first operand.
    type A: Word;
    /// The word of the second operand.
    type B: Word;
    /// The word of the third operand.
    type C: Word;
    /// The word of the result.
    type R: Word;
    /// Whether any result may need `repair`.
    const REPAIR: bool = false;
    /// Returns the result of one lane.
    fn f(env: Env, a: Self::A, b: Self::B, c: Self::C) -> Self::R;
    /// Returns whether the result needs `repair` (it is a NaN, for example).
    #[inline(always)]
    fn odd(_r: Self::R) -> bool {
        false
    }
    /// Returns the exact result of an odd lane, off the fast path.
    fn repair(_env: Env, _a: Self::A, _b: Self::B, _c: Self::C, r: Self::R) -> Self::R {
        r
    }
}

/// A row of 64 words.
pub(crate) type Row = [u32; LANES];

/// A function of two words that computes a row of them at once.
pub trait Batch2: Op2<A = u32, B = u32, R = u32> {
    /// Returns the results of every lane, repaired.
    ///
    /// # Safety
    /// The processor has the features of `S`.
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row) -> Aligned<Row>;
}

/// A function of three words that computes a row of them at once.
pub trait Batch3: Op3<A = u32, B = u32, C = u32, R = u32> {
    /// Returns the results of every lane, repaired.
    ///
    /// # Safety
    /// The processor has the features of `S`.
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row>;
}

/// Computes a row lane by lane, for operands that a batch does not cover.
#[cold]
#[inline(never)]
pub(crate) fn one_by_one2<F>(env: Env, a: &Row, b: &Row) -> Aligned<Row>
where
    F: Op2<A = u32, B = u32, R = u32>,
{
    Aligned(std::array::from_fn(|i| {
        let r = F::f(env, a[i], b[i]);
        if F::REPAIR && F::odd(r) {
            F::repair(env, a[i], b[i], r)
        } else {
            r
        }
    }))
}

/// Computes a row of three operands lane by lane.
#[cold]
#[inline(never)]
pub(crate) fn one_by_one3<F>(env: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row>
where
    F: Op3<A = u32, B = u32, C = u32, R = u32>,
{
    Aligned(std::array::from_fn(|i| {
        let r = F::f(env, a[i], b[i], c[i]);
        if F::REPAIR && F::odd(r) {
            F::repair(env, a[i], b[i], c[i], r)
        } else {
            r
        }
    }))
}

/// A relation of two elements.
pub trait Test2 {
    /// The word of the first operand.
    type A: Word;
    /// The word of the second operand.
    type B: Word;
    /// Returns whether the relation holds in one lane.
    fn f(env: Env, a: Self::A, b: Self::B) -> bool;
}
