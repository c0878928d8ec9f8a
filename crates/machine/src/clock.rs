//! The clocks that a program may read, derived from the host's time.

use std::sync::LazyLock;
use std::time::Instant;

use wavetank_ir::Clock;

/// The time since the first reading: in nanoseconds for the cycles of a 1 GHz shader clock, or in ticks of the constant 100 MHz
/// counter.
pub fn now(clock: Clock) -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let nanoseconds = START.elapsed().as_nanos() as u64;
    match clock {
        Clock::Cycles => nanoseconds,
        Clock::RealTime => nanoseconds / 10,
    }
}
