//! Waves that wait for the next dispatch.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wavetank_memory::Wave;

/// The waves that a pool keeps at most: the files of a wave take some 70 KB.
const MOST: usize = 256;

/// The waves of dispatches that have ended. A short dispatch takes less time than the allocation and clearing of new ones.
#[derive(Default)]
pub struct WavePool(Mutex<Vec<Wave>>);

impl WavePool {
    /// Adds `count` waves to those of a work-group. Their registers are zero.
    pub(crate) fn take(&self, count: usize, waves: &mut Vec<Wave>) {
        let at = waves.len();
        {
            let mut pool = self.lock();
            let left = pool.len().saturating_sub(count);
            waves.extend(pool.drain(left..));
        }
        waves[at..].iter_mut().for_each(Wave::clear_used);
        waves.resize_with(at + count, Wave::default);
    }

    /// Keeps waves for the next dispatch. Those with shadows are dropped, since few dispatches have use for them.
    pub(crate) fn put(&self, waves: impl IntoIterator<Item = Wave>) {
        let mut pool = self.lock();
        let room = MOST.saturating_sub(pool.len());
        let waves = waves.into_iter().filter(|wave| !wave.has_shadows());
        pool.extend(waves.take(room));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Wave>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_memory::StartRegisters;

    fn used(vgprs: usize) -> Wave {
        let mut wave = Wave::new(0);
        wave.start(&StartRegisters::default(), &[], vgprs);
        for n in 0..vgprs {
            wave.vgpr_mut(n).fill(7);
        }
        wave
    }

    #[test]
    fn waves_come_back_with_registers_of_zero() {
        let pool = WavePool::default();
        pool.put([used(9), used(3)]);
        let mut waves = Vec::new();
        pool.take(3, &mut waves);
        assert_eq!(waves.len(), 3);
        let registers = waves.iter().flat_map(|wave| (0..16).map(|n| wave.vgpr(n)));
        assert!(registers.flatten().all(|lane| *lane == 0));
        assert!(pool.lock().is_empty());
    }

    #[test]
    fn a_pool_has_bounds() {
        let pool = WavePool::default();
        for _ in 0..3 {
            pool.put((0..MOST as u32 / 2).map(Wave::new));
        }
        assert_eq!(pool.lock().len(), MOST);
    }

    #[test]
    fn waves_with_shadows_are_not_kept() {
        let mut wave = used(3);
        wave.start_shadows(&[0; 128], true, |_| true, 3);
        let pool = WavePool::default();
        pool.put([wave]);
        assert!(pool.lock().is_empty());
    }
}
