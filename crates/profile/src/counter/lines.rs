//! Lines of memory that an access touches. A line of the vector caches has 64 bytes on gfx6 to gfx90a, and 128 bytes on gfx942, as
//! LLVM says of the caches of its targets (AMDGPUUsage, "Memory Model"); a request to memory is of 64 or 128 bytes.

use crate::access::{Access, ByteRanges};
use crate::model::{Memory, Space};

/// Adds the lines of 64 and 128 bytes, and the least number of lines that hold as many bytes.
pub(super) fn count(access: &Access<'_>, ranges: &ByteRanges, to: &mut Memory) {
    if matches!(access.space, Space::Lds | Space::Gds) {
        return;
    }
    to.lines_64 += lines(ranges, 64);
    to.lines_128 += lines(ranges, 128);
    let bytes = ranges.iter().map(|(start, end)| end - start);
    to.least_lines_64 += bytes.sum::<u64>().div_ceil(64);
}

/// The lines of a size that ascending ranges touch.
fn lines(ranges: &[(u64, u64)], size: u64) -> u64 {
    let mut lines = 0;
    // The first line that is not counted yet.
    let mut next = 0;
    for (start, end) in ranges {
        let first = (start / size).max(next);
        let after = end.div_ceil(size).max(first);
        lines += after - first;
        next = after;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_are_those_of_all_bytes() {
        for ranges in [
            vec![(0, 256)],
            vec![(60, 68)],
            vec![(0, 4), (32, 36), (64, 68)],
            vec![(4, 8), (1000, 1004), (1020, 1028)],
            vec![(63, 64), (64, 65), (127, 129)],
        ] {
            for size in [64, 128] {
                let bytes = ranges.iter().flat_map(|(start, end)| *start..*end);
                let expected: BTreeSet<u64> = bytes.map(|byte| byte / size).collect();
                assert_eq!(lines(&ranges, size), expected.len() as u64, "{ranges:?}");
            }
        }
    }
}
