//! The state at the start of a wave: work-item ids, and LDS whose size the launch decides.

use wavetank::Arg;

use super::each;

#[test]
fn ids_in_three_dimensions() {
    each("ids_and_lds", |b| {
        // One wave, several of which the last one is not full, and the most of each dimension: the code is for 256 items.
        for block in [
            [8u32, 4, 2],
            [5, 7, 7],
            [2, 2, 64],
            [1, 128, 2],
            [256, 1, 1],
        ] {
            let groups = 3;
            let [sx, sy, sz] = block;
            let n = sx * sy * sz;
            let out = b.device.buffer_zeroed(4 * u64::from(n * groups)).unwrap();
            let args = vec![Arg::from(&out), Arg::Lds(4 * n), Arg::from(n)];
            b.run("ids_and_lds", [sx * groups, sy, sz], block, args);
            let packed = |id: u32| (id % sx) | ((id / sx % sy) << 10) | ((id / sx / sy) << 20);
            let mirrored = (0..n).map(|id| packed(n - 1 - id));
            let wanted: Vec<u32> = (0..groups).flat_map(|_| mirrored.clone()).collect();
            assert_eq!(out.read::<u32>().unwrap(), wanted, "{}: {block:?}", b.label);
        }
    });
}
