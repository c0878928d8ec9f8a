//! Repeatable random numbers.

/// The step of SplitMix64's state: 2^64 divided by the golden ratio, made odd.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014), by its state.
///
/// ```
/// use wavetank_machine::SplitMix64;
///
/// let mut random = SplitMix64::new(1_234_567);
/// assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
/// assert_eq!(random.next_u64(), SplitMix64::output(1_234_567, 1));
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator whose outputs are those of `seed`.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next output.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// A number below `n`, which is far below 2^64.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }

    /// Output `index` of the generator with `seed`, without those before it.
    pub fn output(seed: u64, index: u64) -> u64 {
        mix(seed.wrapping_add(GOLDEN_GAMMA.wrapping_mul(index.wrapping_add(1))))
    }
}

/// A hash that mixes the bits of a number.
pub(crate) fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567, as the generator's reference implementation prints them.
    #[test]
    fn outputs_are_those_of_the_reference_implementation() {
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        let mut random = SplitMix64::new(1_234_567);
        for (index, expected) in (0..).zip(expected) {
            assert_eq!(SplitMix64::output(1_234_567, index), expected);
            assert_eq!(random.next_u64(), expected);
        }
    }
}
