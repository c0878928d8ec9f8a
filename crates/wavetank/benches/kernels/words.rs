//! Data that look random and are the same in every run.

/// Words of a linear congruential generator (the high half of 64 bits).
pub(crate) fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}
