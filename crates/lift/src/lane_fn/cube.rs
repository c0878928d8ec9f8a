//! Cube maps: face, coordinates and major axis (Vega ISA, 12.10 V_CUBE*).

use super::lane_fn;

lane_fn! {
    /// The number of the face, 0.0 to 5.0.
    CUBE_ID, "cube_id", 32, |args| cube::<false>(args).id.to_bits()
}
lane_fn! {
    /// The number of the face, with denormals flushed.
    CUBE_ID_FLUSHING, "cube_id_flushing", 32, |args| cube::<true>(args).id.to_bits()
}
lane_fn! {
    /// The S coordinate in the face.
    CUBE_SC, "cube_sc", 32, |args| cube::<false>(args).sc.to_bits()
}
lane_fn! {
    /// The S coordinate in the face, with denormals flushed.
    CUBE_SC_FLUSHING, "cube_sc_flushing", 32, |args| cube::<true>(args).sc.to_bits()
}
lane_fn! {
    /// The T coordinate in the face.
    CUBE_TC, "cube_tc", 32, |args| cube::<false>(args).tc.to_bits()
}
lane_fn! {
    /// The T coordinate in the face, with denormals flushed.
    CUBE_TC_FLUSHING, "cube_tc_flushing", 32, |args| cube::<true>(args).tc.to_bits()
}
lane_fn! {
    /// The coordinate along the major axis.
    CUBE_AXIS, "cube_axis", 32, |args| cube::<false>(args).axis.to_bits()
}
lane_fn! {
    /// The coordinate along the major axis, with denormals flushed.
    CUBE_AXIS_FLUSHING, "cube_axis_flushing", 32, |args| cube::<true>(args).axis.to_bits()
}

/// The point where a direction meets the cube.
struct Cube {
    id: f32,
    sc: f32,
    tc: f32,
    axis: f32,
}

/// Branchless, so that the loop over 64 lanes is vectorized.
#[inline(always)]
fn cube<const FLUSH: bool>([x, y, z, _]: [u64; 4]) -> Cube {
    const EXPONENT: u32 = 0xff << 23;
    let [x, y, z] = [x, y, z].map(|bits| match bits as u32 {
        bits if FLUSH && bits & EXPONENT == 0 => f32::from_bits(bits & 1 << 31),
        bits => f32::from_bits(bits),
    });
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    let is_z = (az >= ax) & (az >= ay);
    let is_y = ay >= ax;
    let of_axis = |on_z: f32, on_y: f32, on_x: f32| {
        let other = if is_y { on_y } else { on_x };
        if is_z { on_z } else { other }
    };
    let axis = of_axis(z, y, x);
    let negative = axis < 0.0;
    let flip_if = |flip: bool, v: f32| if flip { -v } else { v };
    let side = if negative { 1.0 } else { 0.0 };
    Cube {
        id: of_axis(4.0, 2.0, 0.0) + side,
        sc: of_axis(flip_if(negative, x), x, flip_if(!negative, z)),
        tc: of_axis(-y, flip_if(negative, z), -y),
        axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expectations folded by LLVM's instcombine from the amdgcn intrinsics.
    #[test]
    fn as_llvm_folds() {
        check([1.0, 2.0, -3.0], 5.0, -1.0, -2.0, -6.0);
        check([1.0, 2.0, 3.0], 4.0, 1.0, -2.0, 6.0);
        check([-1.0, 0.5, 0.25], 1.0, 0.25, -0.5, -2.0);
        check([1.0, 0.5, 0.25], 0.0, -0.25, -0.5, 2.0);
        check([0.5, -4.0, 1.0], 3.0, 0.5, -1.0, -8.0);
        check([0.5, 4.0, 1.0], 2.0, 0.5, 1.0, 8.0);
        check([1.0, 1.0, 1.0], 4.0, 1.0, -1.0, 2.0);
        check([2.0, 2.0, -1.0], 2.0, 2.0, -1.0, 4.0);
        check([-2.0, 1.0, -2.0], 5.0, 2.0, -1.0, -4.0);
        check([0.0, 0.0, 0.0], 4.0, 0.0, -0.0, 0.0);
    }

    #[test]
    fn denormals_are_zeros_where_they_are_flushed() {
        let tiny = |sign: u64| sign << 31 | 1;
        let of = |f: &wavetank_ir::LaneFn| (f.call)([tiny(1), tiny(0), 0x3f80_0000, 0]).0;
        assert_eq!(of(&CUBE_SC), tiny(1));
        assert_eq!(of(&CUBE_SC_FLUSHING), 1 << 31);
        assert_eq!(of(&CUBE_TC_FLUSHING), 1 << 31);
    }

    fn check(xyz: [f32; 3], id: f32, sc: f32, tc: f32, ma: f32) {
        let [x, y, z] = xyz.map(|f| u64::from(f.to_bits()));
        for (f, want) in [
            (&CUBE_ID, id),
            (&CUBE_SC, sc),
            (&CUBE_TC, tc),
            (&CUBE_AXIS, ma / 2.0),
        ] {
            let (got, _) = (f.call)([x, y, z, 0]);
            assert_eq!(f32::from_bits(got as u32), want, "{} of {xyz:?}", f.name);
        }
    }
}
