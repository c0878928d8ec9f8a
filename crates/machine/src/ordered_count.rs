//! The turns at the ordered counters of the global data share (Vega ISA, 12.13, DS_ORDERED_COUNT).
//!
//! Waves are numbered in the order in which they start, and take their turns at each counter in that order. A wave passes its
//! turn on, at this counter or, when it is done with all counters, at every counter of its packer.

/// The number of packers of a device ("one of 4 dedicated ordered-count counters").
pub(crate) const PACKERS: usize = 4;
/// The number of counters of a packer: a counter's number has 6 bits in the offset of the instruction (LLVM, `ds.ordered.add`).
const COUNTERS: usize = 64;
/// The number of wave numbers, after which they wrap to 0 (LLVM's guide for AMDGPU, `ordered_append_term[10:0]`).
const WAVES: u32 = 1 << 11;

/// The turns at the counters of one packer.
#[derive(Debug)]
pub(crate) struct Packer {
    /// The number of the wave whose turn it is, for each counter.
    turns: [u32; COUNTERS],
    /// Waves that were done before their turn at every counter.
    done: Vec<u32>,
}

impl Default for Packer {
    fn default() -> Self {
        Packer {
            turns: [0; COUNTERS],
            done: Vec::new(),
        }
    }
}

impl Packer {
    /// Whether it is a wave's turn at a counter.
    pub(crate) fn is_turn(&self, counter: u8, wave: u32) -> bool {
        self.turns[usize::from(counter) % COUNTERS] == wave % WAVES
    }

    /// Passes a wave's turn at a counter to the next wave.
    pub(crate) fn pass(&mut self, counter: u8, wave: u32) {
        self.turns[usize::from(counter) % COUNTERS] = after(wave);
        self.skip();
    }

    /// Records that a wave will not use the counters any more.
    pub(crate) fn last(&mut self, wave: u32) {
        self.done.push(wave % WAVES);
        self.skip();
    }

    /// Advances the turns past waves that are done.
    fn skip(&mut self) {
        let Packer { turns, done } = self;
        for turn in turns.iter_mut() {
            while done.contains(turn) {
                *turn = after(*turn);
            }
        }
        // A wave is kept while it is at most half of the numbers ahead of some turn.
        let ahead = |wave: u32, turn: u32| wave.wrapping_sub(turn) % WAVES < WAVES / 2;
        done.retain(|wave| turns.iter().any(|turn| ahead(*wave, *turn)));
    }
}

/// The number that follows a wave's number.
fn after(wave: u32) -> u32 {
    (wave + 1) % WAVES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_handed_on_counter_by_counter() {
        let mut packer = Packer::default();
        assert!(packer.is_turn(3, 0) && !packer.is_turn(3, 1));
        packer.pass(3, 0);
        assert!(packer.is_turn(3, 1) && packer.is_turn(4, 0));
        packer.last(0);
        assert!(packer.is_turn(3, 1) && packer.is_turn(4, 1));
    }

    /// Wave 1 is done before wave 0 has reached the other counter.
    #[test]
    fn a_wave_that_is_done_is_not_waited_for() {
        let mut packer = Packer::default();
        packer.pass(0, 0);
        packer.last(1);
        assert!(packer.is_turn(0, 2) && packer.is_turn(1, 0));
        packer.last(0);
        assert!(packer.is_turn(1, 2));
        assert_eq!(packer.done, []);
    }

    #[test]
    fn numbers_start_again() {
        let mut packer = Packer::default();
        for wave in 0..3 * WAVES {
            assert!(packer.is_turn(7, wave));
            packer.last(wave);
        }
        assert_eq!(packer.done, []);
    }
}
