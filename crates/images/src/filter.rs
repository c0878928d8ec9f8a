//! Filtering: coordinates outside the image, the weights of texels, and the level of detail.
//!
//! Weights are computed in single precision. Hardware computes them in fixed point with 8 fractional bits. That rounding is kept
//! where a sample reads one texel: compilers scale coordinates up and down again, and rely on it at the edges of texels.

use wavetank_memory::for_spaces::lanes::{Lanes, which};

use crate::descriptor::{Clamp, ImageSampler};

/// The index of a texel in one direction, or `None` in the border, and its weight.
pub(crate) type Tap = (Option<i64>, f32);

/// Rounds a coordinate to 8 fractional bits, as hardware does.
pub(crate) fn fixed_point(coordinate: f32) -> f32 {
    (coordinate * 256.0).round_ties_even() / 256.0
}

/// Returns the two texels around a coordinate. Without `linear`, returns the texel at the coordinate twice, the second time with
/// weight 0.
pub(crate) fn taps(
    coordinate: f32,
    size: u32,
    clamp: Clamp,
    linear: bool,
    offset: i32,
) -> [Tap; 2] {
    let n = i64::from(size);
    let place = match clamp {
        // The center of the border is half a texel outside.
        Clamp::HalfBorder => coordinate.clamp(0.0, size as f32),
        Clamp::MirrorOnceHalfBorder => coordinate.abs().clamp(0.0, size as f32),
        _ => coordinate,
    };
    let index = |i: i64| wrap(i + i64::from(offset), n, clamp);
    if !linear {
        // A float beyond the range of integers is converted to the last one, which is outside.
        let i = index(bounded(place.floor()));
        return [(i, 1.0), (i, 0.0)];
    }
    let (i, part) = around(place);
    [(index(i), 1.0 - part), (index(i + 1), part)]
}

/// Returns the two texels around a coordinate, which may lie beyond the edges.
pub(crate) fn taps_beyond(coordinate: f32, offset: i32) -> [Tap; 2] {
    let (i, part) = around(coordinate);
    let i = i + i64::from(offset);
    [(Some(i), 1.0 - part), (Some(i + 1), part)]
}

/// Returns the lower of the two texels around a place, and the weight of the upper one.
fn around(place: f32) -> (i64, f32) {
    let place = place - 0.5;
    let floor = place.floor();
    let part = if place.is_finite() {
        place - floor
    } else {
        0.0
    };
    (bounded(floor), part)
}

/// Converts to an integer, limited to a range in which sums do not overflow.
fn bounded(x: f32) -> i64 {
    (x as i64).clamp(-(1 << 40), 1 << 40)
}

/// Applies a clamp mode to an index; returns `None` in the border.
fn wrap(i: i64, n: i64, clamp: Clamp) -> Option<i64> {
    let once = if i < 0 { -1 - i } else { i };
    let inside = |i: i64| (0..n).contains(&i).then_some(i);
    match clamp {
        Clamp::Wrap => Some(i.rem_euclid(n)),
        Clamp::Mirror => {
            let i = i.rem_euclid(2 * n);
            Some(i.min(2 * n - 1 - i))
        }
        Clamp::LastTexel => Some(i.clamp(0, n - 1)),
        Clamp::MirrorOnceLastTexel => Some(once.min(n - 1)),
        Clamp::HalfBorder | Clamp::Border => inside(i),
        Clamp::MirrorOnceHalfBorder | Clamp::MirrorOnceBorder => inside(once),
    }
}

/// One texel of each lane in one direction, the first or the second that [`taps`] returns.
pub(crate) struct Taps {
    /// The indices; any value for texels in the border.
    pub index: Lanes,
    /// The lanes whose texel is not in the border.
    pub there: u64,
    /// The weight of each lane's texel.
    pub weight: [f32; 64],
}

impl Taps {
    /// Returns texels with weight 1.
    pub(crate) fn whole(index: Lanes) -> Self {
        Taps {
            index,
            there: !0,
            weight: [1.0; 64],
        }
    }
}

/// Computes [`taps`] for all lanes, if all coordinates of the mask are near enough. Without `linear` the second weight is 0.
#[inline(always)]
pub(crate) fn taps_of_lanes(
    coordinates: &[f32; 64],
    mask: u64,
    size: u32,
    clamp: Clamp,
    linear: bool,
    offset: &Lanes,
) -> Option<[Taps; 2]> {
    const NEAR: f32 = (1 << 30) as f32;
    let most = size as f32;
    let shift = if linear { 0.5 } else { 0.0 };
    let place: [f32; 64] = match clamp {
        Clamp::HalfBorder => coordinates.map(|x| x.clamp(0.0, most) - shift),
        Clamp::MirrorOnceHalfBorder => coordinates.map(|x| x.abs().clamp(0.0, most) - shift),
        _ => coordinates.map(|x| x - shift),
    };
    let floor = place.map(f32::floor);
    let far = which(|lane| floor[lane].abs() >= NEAR);
    if far & mask != 0 {
        return None;
    }
    let first: [i32; 64] =
        std::array::from_fn(|lane| (floor[lane] as i32).wrapping_add(offset[lane] as i32));
    let tap = |index: &[i32; 64], weight| {
        let (index, there) = wrap_lanes(index, size as i32, clamp);
        Taps {
            index,
            there,
            weight,
        }
    };
    if !linear {
        return Some([tap(&first, [1.0; 64]), tap(&first, [0.0; 64])]);
    }
    let part: [f32; 64] = std::array::from_fn(|lane| {
        if place[lane].is_finite() {
            place[lane] - floor[lane]
        } else {
            0.0
        }
    });
    let next = first.map(|i| i.wrapping_add(1));
    Some([tap(&first, part.map(|part| 1.0 - part)), tap(&next, part)])
}

/// Computes [`wrap`] for all lanes: indices within the image, and the mask of those that are not in the border.
#[inline(always)]
fn wrap_lanes(i: &[i32; 64], n: i32, clamp: Clamp) -> (Lanes, u64) {
    // `-1 - i` if `i` is negative.
    let once = |i: i32| i ^ i >> 31;
    let inside = |i: [i32; 64]| {
        let there = which(|lane| (0..n).contains(&i[lane]));
        (i.map(|i| i.clamp(0, n - 1) as u32), there)
    };
    match clamp {
        Clamp::Wrap => (i.map(|i| remainder(i, n) as u32), !0),
        Clamp::Mirror => {
            let index = |i: i32| remainder(i, 2 * n);
            (i.map(|i| index(i).min(2 * n - 1 - index(i)) as u32), !0)
        }
        Clamp::LastTexel => (i.map(|i| i.clamp(0, n - 1) as u32), !0),
        Clamp::MirrorOnceLastTexel => (i.map(|i| once(i).min(n - 1) as u32), !0),
        Clamp::HalfBorder | Clamp::Border => inside(*i),
        Clamp::MirrorOnceHalfBorder | Clamp::MirrorOnceBorder => inside(i.map(once)),
    }
}

/// Returns the non-negative remainder of a division by a number below 2^20. Only divisions of floats have vector instructions;
/// the quotient has 53 bits, more than enough to distinguish it from the next integer.
#[inline(always)]
fn remainder(i: i32, n: i32) -> i32 {
    let quotient = (f64::from(i) / f64::from(n)).floor() as i32;
    i.wrapping_sub(quotient.wrapping_mul(n))
}

/// Returns the level of detail for steps in texels: the logarithm of the longer one.
pub(crate) fn level_of(steps: [[f32; 3]; 2]) -> f32 {
    let [a, b] = steps.map(|s| s.iter().map(|x| x * x).sum::<f32>());
    // Half of the square's logarithm is that of the length.
    0.5 * a.max(b).log2()
}

/// Returns the number of samples along the longer of two steps: the ratio of their lengths, rounded up, and at most `most`.
/// Returns 1 if neither is longer than a texel.
pub(crate) fn samples_along(steps: [[f32; 3]; 2], most: u32) -> u32 {
    let [a, b] = steps.map(|s| s.iter().map(|x| x * x).sum::<f32>());
    let (longer, shorter) = (a.max(b), a.min(b));
    if longer > 1.0 {
        // The ratio to a length of 0 is infinite, which gives `most`.
        ((longer / shorter).sqrt().ceil() as u32).clamp(1, most)
    } else {
        1
    }
}

/// Limits a level of detail to the bounds of the sampler, `least` and `most`.
pub(crate) fn clamp_level(sampler: &ImageSampler, level: f32, least: f32, most: f32) -> f32 {
    let [low, high] = sampler.lod;
    // Not `clamp`: the bounds may cross, and then the upper one counts.
    level.max(low.max(least)).min(high.min(most))
}

/// The reduction of several texels to one.
pub(crate) struct Mixture {
    /// The reduction: 0 is the weighted sum, 1 the minimum and 2 the maximum of the texels with a weight.
    reduction: u8,
    value: [f32; 4],
    /// The texel with weight 1, if there is one: its bits are kept, also those of integers.
    whole: Option<[u32; 4]>,
}

impl Mixture {
    /// Returns the reduction of no texels.
    pub(crate) fn new(reduction: u8) -> Self {
        let value = match reduction {
            1 => f32::INFINITY,
            2 => f32::NEG_INFINITY,
            _ => 0.0,
        };
        Mixture {
            reduction,
            value: [value; 4],
            whole: None,
        }
    }

    /// Adds a texel. A texel with weight 1 is the result, whatever the others are.
    pub(crate) fn add(&mut self, texel: [u32; 4], weight: f32) {
        if weight == 1.0 {
            self.whole = Some(texel);
        }
        for (value, texel) in self.value.iter_mut().zip(texel.map(f32::from_bits)) {
            *value = match self.reduction {
                1 => value.min(texel),
                2 => value.max(texel),
                _ => *value + texel * weight,
            };
        }
    }

    /// Returns the components of the result.
    pub(crate) fn components(&self) -> [u32; 4] {
        self.whole.unwrap_or_else(|| self.value.map(f32::to_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(coordinate: f32, clamp: Clamp) -> [Tap; 2] {
        taps(coordinate, 4, clamp, true, 0)
    }

    #[test]
    fn weights_are_the_distances_to_the_centers() {
        assert_eq!(at(1.5, Clamp::Wrap), [(Some(1), 1.0), (Some(2), 0.0)]);
        assert_eq!(at(2.25, Clamp::Wrap), [(Some(1), 0.25), (Some(2), 0.75)]);
        assert_eq!(at(0.0, Clamp::Wrap), [(Some(3), 0.5), (Some(0), 0.5)]);
        assert_eq!(at(0.0, Clamp::LastTexel), [(Some(0), 0.5), (Some(0), 0.5)]);
        assert_eq!(at(0.0, Clamp::Border), [(None, 0.5), (Some(0), 0.5)]);
        assert_eq!(at(-0.5, Clamp::Border), [(None, 1.0), (Some(0), 0.0)]);
    }

    /// At most half of the border color is mixed in.
    #[test]
    fn half_border() {
        assert_eq!(at(-9.0, Clamp::HalfBorder), [(None, 0.5), (Some(0), 0.5)]);
        assert_eq!(at(9.0, Clamp::HalfBorder), [(Some(3), 0.5), (None, 0.5)]);
    }

    #[test]
    fn indices_outside() {
        let of = |clamp| [-6, -1, 0, 3, 4, 9].map(|i| wrap(i, 4, clamp));
        let some = |a: [i64; 6]| a.map(Some);
        assert_eq!(of(Clamp::Wrap), some([2, 3, 0, 3, 0, 1]));
        // … 2 3 3 2 1 0 | 0 1 2 3 | 3 2 1 0 0 1 …
        assert_eq!(of(Clamp::Mirror), some([2, 0, 0, 3, 3, 1]));
        assert_eq!(of(Clamp::LastTexel), some([0, 0, 0, 3, 3, 3]));
        assert_eq!(of(Clamp::MirrorOnceLastTexel), some([3, 0, 0, 3, 3, 3]));
        assert_eq!(
            of(Clamp::Border),
            [None, None, Some(0), Some(3), None, None]
        );
        assert_eq!(
            of(Clamp::MirrorOnceBorder),
            [None, Some(0), Some(0), Some(3), None, None]
        );
    }

    #[test]
    fn numbers_that_are_none_stay_in_bounds() {
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            for linear in [false, true] {
                for (i, weight) in taps(x, 4, Clamp::Wrap, linear, 0) {
                    assert!((0..4).contains(&i.unwrap()) && weight.is_finite());
                }
            }
        }
    }

    proptest! {
        /// The taps of all lanes at once are those of each lane.
        #[test]
        fn lanes_are_as_one(
            clamp in 0u32..8, size in 1u32..16385, scale in 0u32..36, linear: bool, bits: u64, mask: u64,
        ) {
            use Clamp::*;
            let clamp = [Wrap, Mirror, LastTexel, MirrorOnceLastTexel, HalfBorder, MirrorOnceHalfBorder, Border,
                MirrorOnceBorder][clamp as usize];
            let some = |lane: u64| (bits | 1).wrapping_mul(0x5851_f42d_4c95_7f2du64.wrapping_mul(2 * lane + 1)) >> 20;
            let coordinates: [f32; 64] = std::array::from_fn(|lane| match lane {
                5 => f32::NAN,
                6 => if scale > 33 { f32::INFINITY } else { -0.0 },
                // Also halves and whole numbers, for which weights are 0 or 1.
                _ => (some(lane as u64) as i32 >> (scale % 32)) as f32 / 4.0,
            });
            let offset = std::array::from_fn(|lane| (some(lane as u64 + 99) as i32 >> 26) as u32);
            let Some(got) = taps_of_lanes(&coordinates, mask, size, clamp, linear, &offset) else {
                let far = |lane: usize| coordinates[lane].abs() > (1 << 28) as f32;
                prop_assert!((0..64).any(|lane| mask >> lane & 1 != 0 && far(lane)));
                return Ok(());
            };
            for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                let want = taps(coordinates[lane], size, clamp, linear, offset[lane] as i32);
                for (got, (index, weight)) in got.iter().zip(want) {
                    prop_assert_eq!(got.weight[lane], weight);
                    let there = got.there >> lane & 1 != 0;
                    prop_assert_eq!(there.then_some(i64::from(got.index[lane])), index);
                }
            }
        }
    }

    /// A coordinate slightly below a texel, as scaling gives it, selects that texel.
    #[test]
    fn coordinates_are_rounded() {
        for (x, want) in [
            (27.999_998, 28.0),
            (-28.000_002, -28.0),
            (3.25, 3.25),
            (0.998, 255.0 / 256.0),
        ] {
            assert_eq!(fixed_point(x), want);
        }
    }

    /// The texels beyond an edge have numbers too.
    #[test]
    fn beyond() {
        assert_eq!(taps_beyond(0.25, 0), [(Some(-1), 0.25), (Some(0), 0.75)]);
        assert_eq!(taps_beyond(0.25, 3), [(Some(2), 0.25), (Some(3), 0.75)]);
    }

    #[test]
    fn steps_of_unequal_length() {
        let along = |a, b| samples_along([[a, 0.0, 0.0], [0.0, b, 0.0]], 8);
        assert_eq!(
            [along(4.0, 4.0), along(4.0, 2.0), along(1.0, 4.0)],
            [1, 2, 4]
        );
        // Rounded up; at most the limit; 1 where the image is magnified.
        assert_eq!(
            [along(5.0, 2.0), along(99.0, 1.0), along(1.0, 0.1)],
            [3, 8, 1]
        );
        assert_eq!([along(0.0, 3.0), along(0.0, 0.0)], [8, 1]);
    }

    #[test]
    fn mixtures() {
        let f = f32::to_bits;
        let mix = |reduction| {
            let mut mixture = Mixture::new(reduction);
            mixture.add([f(1.0), f(-4.0), f(0.0), f(8.0)], 0.25);
            mixture.add([f(2.0), f(4.0), f(1.0), f(8.0)], 0.75);
            mixture.components().map(f32::from_bits)
        };
        assert_eq!(mix(0), [1.75, 2.0, 0.75, 8.0]);
        assert_eq!(mix(1), [1.0, -4.0, 0.0, 8.0]);
        assert_eq!(mix(2), [2.0, 4.0, 1.0, 8.0]);
        // The bits of a NaN are kept where nothing is mixed.
        let mut one = Mixture::new(0);
        one.add([0x7fa0_0001; 4], 1.0);
        assert_eq!(one.components(), [0x7fa0_0001; 4]);
    }

    #[test]
    fn levels() {
        assert_eq!(level_of([[1.0, 0.0, 0.0], [0.0, 4.0, 0.0]]), 2.0);
        assert_eq!(level_of([[0.0; 3]; 2]), f32::NEG_INFINITY);
        let sampler = ImageSampler {
            lod: [1.0, 8.0],
            ..ImageSampler::default()
        };
        assert_eq!(clamp_level(&sampler, -3.0, 0.0, 15.0), 1.0);
        assert_eq!(clamp_level(&sampler, 9.0, 0.0, 15.0), 8.0);
        assert_eq!(clamp_level(&sampler, 9.0, 0.0, 5.0), 5.0);
    }
}
