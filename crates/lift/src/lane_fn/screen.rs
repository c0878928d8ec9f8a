//! Screen partitioning among four shader engines (V_SCREEN_PARTITION_4SE_B32).

use super::lane_fn;

lane_fn! {
    /// The back ends that a rectangle covers, for the selector
    /// `{x_min[6:5], y_min[6:5], x_max[6:5], y_max[6:5]}`.
    SCREEN_PARTITION_4SE, "screen_partition_4se", 32, partition
}

/// The table of the manual (Vega ISA, 12.8 VOP1, opcode 55), four bits an entry, sixteen entries a row, the first entry in the
/// low bits.
const TABLE: [u64; 16] = [
    0xfffffff7fff5f731,
    0xffffffbfffafe62f,
    0xfffffdfff5ffc4fd,
    0xffffefffafff8fb9,
    0xfffefff6fdc4ffff,
    0xffdff99fb98fffff,
    0xfbfff9ff31f7ffff,
    0x7fff6ff62fe6ffff,
    0xfffafb32fffffffb,
    0xff5fd91fffffff7f,
    0xfaffc8fefffffeff,
    0x5fff4f76ffffdfff,
    0xfec8fffffffdfff9,
    0x764fffffffeff66f,
    0x32fbfffff7fff6ff,
    0x1fd9ffffbfff9ff9,
];

fn partition([select, ..]: [u64; 4]) -> u64 {
    let (row, entry) = (select >> 4 & 15, select & 15);
    TABLE[row as usize] >> (4 * entry) & 15
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the manual: (0, 0) to (25, 35) covers back ends 0 and 1.
    #[test]
    fn seed_example() {
        assert_eq!(partition([1, 0, 0, 0]), 3);
    }

    /// A single tile is covered by one engine: `{x[5] ^ y[6], y[5] ^ x[6]}`.
    #[test]
    fn single_tiles() {
        for (x, y) in (0..4u64).flat_map(|x| (0..4u64).map(move |y| (x, y))) {
            let engine = ((x ^ y >> 1) & 1) << 1 | (y ^ x >> 1) & 1;
            let select = x << 6 | y << 4 | x << 2 | y;
            assert_eq!(partition([select, 0, 0, 0]), 1 << engine, "tile {x}, {y}");
        }
    }
}
