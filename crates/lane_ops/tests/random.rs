//! Random numbers, and how many random things are tried: other numbers, and more, for who asks for them.

/// Repeatable random numbers (xorshift64*).
pub(crate) struct Random(pub u64);

impl Random {
    /// Numbers that are the same each time, or others for who asks for others (`WAVETANK_SEED`).
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

/// How many blocks are made: more for who has hours (`WAVETANK_BLOCKS`).
pub(crate) fn blocks() -> u32 {
    let asked = std::env::var("WAVETANK_BLOCKS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(10_000)
}
