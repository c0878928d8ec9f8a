//! Random numbers, and the number of random blocks; the environment can set the seed and the number.

/// Repeatable random numbers (xorshift64*).
pub(crate) struct Random(pub u64);

impl Random {
    /// Numbers that are the same in each run, unless `WAVETANK_SEED` gives another seed.
    pub(crate) fn of(seed: u64) -> Random {
        let other = std::env::var("WAVETANK_SEED").ok();
        let other = other.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        // The generator never leaves 0.
        Random((seed ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

/// The number of blocks: `WAVETANK_BLOCKS`, or a default that takes seconds.
pub(crate) fn blocks() -> u32 {
    let count = std::env::var("WAVETANK_BLOCKS").ok();
    count.and_then(|n| n.parse().ok()).unwrap_or(10_000)
}
