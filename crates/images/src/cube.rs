//! Neighbours of texels across the edges of a cube's faces.
//!
//! A face has the axes of V_CUBESC_F32 and V_CUBETC_F32 (Vega ISA, 12.10): its number is that of V_CUBEID_F32, x grows with
//! sc and y with tc.

/// Returns the direction of a point of a face: `s` and `t` along its axes, `m` away from the center.
fn direction(face: u64, [s, t]: [i64; 2], m: i64) -> [i64; 3] {
    match face {
        0 => [m, -t, -s],
        1 => [-m, -t, s],
        2 => [s, m, t],
        3 => [s, -m, -t],
        4 => [s, -t, m],
        _ => [-s, -t, -m],
    }
}

/// Returns the point at which a direction meets a face, and its distance from the center: the inverse of [`direction`].
fn point(face: u64, [x, y, z]: [i64; 3]) -> ([i64; 2], i64) {
    match face {
        0 => ([-z, -y], x),
        1 => ([z, -y], -x),
        2 => ([x, z], y),
        3 => ([x, -z], -y),
        4 => ([x, -y], z),
        _ => ([-x, -y], -z),
    }
}

/// Returns the texel at a place that may be one texel beyond an edge of its face: then it is on the adjacent face. Beyond a
/// corner, where three faces meet, it is the texel of the corner.
pub(crate) fn across(size: [u32; 2], [x, y]: [i64; 2], slice: i64) -> [i64; 3] {
    let [width, height] = size.map(i64::from);
    let inside = |i: i64, n: i64| (0..n).contains(&i);
    if inside(x, width) == inside(y, height) {
        return [x.clamp(0, width - 1), y.clamp(0, height - 1), slice];
    }
    // Twice the distance of a texel's center from the middle of the face, an integer.
    let middle = |i: i64, n: i64| 2 * i.clamp(-1, n) + 1 - n;
    let along = [middle(x, width) * height, middle(y, height) * width];
    let face = slice.rem_euclid(6) as u64;
    let to = direction(face, along, width * height);
    // The face whose axis is nearest to the direction.
    let axis = (0..6).max_by_key(|&face| point(face, to).1).unwrap_or(0);
    let ([x, y], far) = point(axis, to);
    let texel = |along: i64, n: i64| ((along + far) * n / (2 * far)).clamp(0, n - 1);
    [
        texel(x, width),
        texel(y, height),
        slice - face as i64 + axis as i64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The direction of the center of a texel, for a cube of `n` texels from -n to n.
    fn center(n: u32, [x, y, face]: [i64; 3]) -> [i64; 3] {
        let middle = |i: i64| 2 * i + 1 - i64::from(n);
        direction(face as u64, [middle(x), middle(y)], n.into())
    }

    #[test]
    fn points_are_the_inverse_of_directions() {
        for face in 0..6 {
            assert_eq!(point(face, direction(face, [3, -5], 7)), ([3, -5], 7));
        }
    }

    /// Faces are in the order +x, -x, +y, -y, +z, -z (V_CUBEID_F32).
    #[test]
    fn faces_are_in_order() {
        let axes = [
            [1, 0, 0],
            [-1, 0, 0],
            [0, 1, 0],
            [0, -1, 0],
            [0, 0, 1],
            [0, 0, -1],
        ];
        for (face, axis) in axes.into_iter().enumerate() {
            assert_eq!(direction(face as u64, [0, 0], 1), axis);
        }
    }

    /// A neighbour across an edge touches the texel: their centers differ by half a texel along two axes, and not along the
    /// third.
    #[test]
    fn neighbours_touch() {
        for n in [1, 2, 3, 8] {
            for face in 0..6 {
                for along in 0..i64::from(n) {
                    let last = i64::from(n) - 1;
                    for (x, y, beyond) in [
                        (0, along, [-1, along]),
                        (last, along, [last + 1, along]),
                        (along, 0, [along, -1]),
                        (along, last, [along, last + 1]),
                    ] {
                        let other = across([n, n], beyond, face);
                        assert_ne!(other[2], face);
                        let (a, b) = (center(n, [x, y, face]), center(n, other));
                        let mut apart: Vec<_> = (0..3).map(|i| (a[i] - b[i]).abs()).collect();
                        apart.sort_unstable();
                        assert_eq!(apart, [0, 1, 1], "{n} {face} {beyond:?}");
                    }
                }
            }
        }
    }

    /// Neighbours in the second cube of an array, and at a corner.
    #[test]
    fn slices_and_corners() {
        assert_eq!(across([4, 4], [1, 2], 7), [1, 2, 7]);
        // +x's left edge is +z's right one.
        assert_eq!(across([4, 4], [-1, 1], 6), [3, 1, 6 + 4]);
        assert_eq!(across([4, 4], [-1, 4], 6), [0, 3, 6]);
    }
}
