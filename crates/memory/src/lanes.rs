//! Properties that all active lanes share, computed by plain loops that the compiler vectorizes.

/// A 32-bit value of each lane.
pub type Lanes = [u32; 64];

/// Calls `f` with the number of each active lane, in order.
#[inline(always)]
pub fn each(mask: u64, mut f: impl FnMut(usize)) {
    if mask == !0 {
        for lane in 0..64 {
            f(lane);
        }
    } else {
        let mut rest = mask;
        while rest != 0 {
            f(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Maps each lane's value by `f`. (`map` of an array this long would be a call a lane.)
#[inline(always)]
pub(crate) fn over<T: Copy, U: Copy + Default>(from: &[T; 64], f: impl Fn(T) -> U) -> [U; 64] {
    let mut made = [U::default(); 64];
    for (to, from) in made.iter_mut().zip(from) {
        *to = f(*from);
    }
    made
}

/// Returns the mask of the lanes for which `holds` is true.
#[inline(always)]
pub fn which(holds: impl Fn(usize) -> bool) -> u64 {
    let mut lanes = 0;
    for n in (0..64).step_by(16) {
        let mut bits = 0u16;
        for i in 0..16 {
            bits |= u16::from(holds(n + i)) << i;
        }
        lanes |= u64::from(bits) << n;
    }
    lanes
}

/// All bits set in the lanes of a mask, and none in the others.
#[inline(always)]
pub fn spread(mask: u64) -> Lanes {
    let mut lanes = [0; 64];
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for i in 0..32 {
            lanes[32 * half + i] = (bits >> i & 1).wrapping_neg();
        }
    }
    lanes
}

/// Returns the lanes with each inactive one replaced by the first active one.
#[inline(always)]
fn filled(lanes: &Lanes, mask: u64) -> Lanes {
    let first = lanes[mask.trailing_zeros() as usize & 63];
    let mut out = *lanes;
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for i in 0..32 {
            let x = &mut out[32 * half + i];
            *x = if bits >> i & 1 != 0 { *x } else { first };
        }
    }
    out
}

/// Returns the smallest and largest value of the active lanes.
///
/// # Safety
/// `lanes` points to 64 values; the mask is not empty.
#[inline(always)]
pub(crate) unsafe fn bounds(lanes: *const u32, mask: u64) -> (u32, u32) {
    // SAFETY: 64 lanes of a register, which is not guest memory.
    let mut v = unsafe { lanes.cast::<Lanes>().read() };
    if mask != !0 {
        v = filled(&v, mask);
    }
    let (mut min, mut max) = ([u32::MAX; 16], [0; 16]);
    for chunk in v.chunks_exact(16) {
        for i in 0..16 {
            min[i] = min[i].min(chunk[i]);
            max[i] = max[i].max(chunk[i]);
        }
    }
    let fold = |a: [u32; 16], f: fn(u32, u32) -> u32| a.into_iter().reduce(f).unwrap_or(0);
    (fold(min, u32::min), fold(max, u32::max))
}

/// Returns whether the values of all active lanes are from `low` to `high`.
///
/// One comparison a lane: from the smallest and the largest value, which [`bounds`] computes, the compiler made code that is
/// four times as slow with AVX2.
///
/// # Safety
/// `lanes` points to 64 values; the mask is not empty, and `low` is not above `high`.
#[inline(always)]
pub(crate) unsafe fn within(lanes: *const u32, mask: u64, low: u32, high: u32) -> bool {
    // SAFETY: 64 lanes of a register, which is not guest memory.
    let mut v = unsafe { lanes.cast::<Lanes>().read() };
    if mask != !0 {
        v = filled(&v, mask);
    }
    // The last offset is not below the first, so one comparison tests both ends.
    let room = high.wrapping_sub(low);
    let mut outside = false;
    for x in v {
        outside |= x.wrapping_sub(low) > room;
    }
    !outside
}

/// Returns the value that all active lanes share, if they do.
///
/// # Safety
/// `lanes` points to 64 values; the mask is not empty.
#[inline(always)]
pub(crate) unsafe fn common(lanes: *const u32, mask: u64) -> Option<u32> {
    // SAFETY: 64 lanes of a register, which is not guest memory.
    let mut v = unsafe { lanes.cast::<Lanes>().read() };
    let first = v[mask.trailing_zeros() as usize & 63];
    if mask != !0 {
        v = filled(&v, mask);
    }
    let mut differ = 0;
    for x in v {
        differ |= x ^ first;
    }
    (differ == 0).then_some(first)
}

/// Returns whether every lane, on or off, is a multiple of 4.
///
/// # Safety
/// `lanes` points to 64 values.
#[inline(always)]
pub(crate) unsafe fn all_aligned(lanes: *const u32) -> bool {
    // SAFETY: 64 lanes of a register, which is not guest memory.
    let v = unsafe { lanes.cast::<Lanes>().read() };
    v.into_iter().fold(0, |a, x| a | x) & 3 == 0
}

/// Returns whether each lane is `step` more than the lane below, without wrapping.
///
/// # Safety
/// `lanes` points to 64 values.
#[inline(always)]
pub(crate) unsafe fn is_strided(lanes: *const u32, step: u32) -> bool {
    // SAFETY: 64 lanes of a register, which is not guest memory.
    let v = unsafe { lanes.cast::<Lanes>().read() };
    let mut differ = 0;
    for i in 0..64 {
        differ |= v[i].wrapping_sub(step.wrapping_mul(i as u32)) ^ v[0];
    }
    differ == 0 && v[63] > v[0]
}
