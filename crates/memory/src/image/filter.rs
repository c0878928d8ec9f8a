//! How samples are made of texels: coordinates outside the image, weights, the
//! level of detail.
//!
//! Weights are computed in single precision. Hardware computes them in fixed
//! point with 8 bits after the point. Where one texel is taken, that rounding is
//! kept: compilers scale coordinates to and fro, and rely on it at the edges of
//! texels.

use crate::descriptor::{Clamp, ImageSampler};

/// A texel in one direction: its index, or `None` in the border, and its
/// weight.
pub type Tap = (Option<i64>, f32);

/// A coordinate as hardware has it: with 8 bits after the point.
pub fn fixed_point(coordinate: f32) -> f32 {
    (coordinate * 256.0).round_ties_even() / 256.0
}

/// The two texels around a coordinate; without `linear` the one at it, twice,
/// where the second has no weight.
pub fn taps(coordinate: f32, size: u32, clamp: Clamp, linear: bool, offset: i32) -> [Tap; 2] {
    let n = i64::from(size);
    let place = match clamp {
        // The center of the border is half a texel outside.
        Clamp::HalfBorder => coordinate.clamp(0.0, size as f32),
        Clamp::MirrorOnceHalfBorder => coordinate.abs().clamp(0.0, size as f32),
        _ => coordinate,
    };
    let index = |i: i64| wrap(i + i64::from(offset), n, clamp);
    if !linear {
        // A float beyond the integers ends at the last of them: outside.
        let i = index(bounded(place.floor()));
        return [(i, 1.0), (i, 0.0)];
    }
    let place = place - 0.5;
    let floor = place.floor();
    let part = if place.is_finite() {
        place - floor
    } else {
        0.0
    };
    let i = bounded(floor);
    [(index(i), 1.0 - part), (index(i + 1), part)]
}

/// An integer, far from the limits.
fn bounded(x: f32) -> i64 {
    (x as i64).clamp(-(1 << 40), 1 << 40)
}

/// The texel that an index stands for; `None` in the border.
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

/// The level of detail that differences of coordinates in texels ask for: the
/// logarithm of the longer of two steps.
pub fn level_of(steps: [[f32; 3]; 2]) -> f32 {
    let [a, b] = steps.map(|s| s.iter().map(|x| x * x).sum::<f32>());
    // Half of the logarithm of a square.
    0.5 * a.max(b).log2()
}

/// A level of detail within the bounds of the sampler.
pub fn clamp_level(sampler: &ImageSampler, level: f32, least: f32, most: f32) -> f32 {
    let [low, high] = sampler.lod;
    // Not `clamp`: the bounds may cross, and then the upper one counts.
    level.max(low.max(least)).min(high.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Half of the border is the most there can be of it.
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

    /// What is a little below a texel, because a program has scaled it, is in it.
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
