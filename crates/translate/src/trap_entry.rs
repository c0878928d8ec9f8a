//! Trap entry: the continuation of a wave in its trap handler after a refused access.

use wavetank_lift::Modes;
use wavetank_machine::{Fault, Leave};

use wavetank_memory::{Uniform, sreg};

/// The state of an access that is repeated for the lanes that were not refused: meanwhile EXEC contains only these.
#[derive(Debug, Default)]
pub struct TrapEntry {
    /// EXEC of the wave before the access.
    exec: Option<u64>,
}

impl TrapEntry {
    /// Catches a refused access of a wave that has a trap handler for violations. Returns the modes of a block that repeats the
    /// access for the other lanes and then enters the handler. The wave continues with that block at the present instruction. At
    /// the end of the block, the engine calls [`release`](Self::release). The block may stop the same way, for another lane.
    /// `None` if the wave stays stopped.
    ///
    /// "Memory violations are not reported for instruction or scalar-data accesses" (Vega ISA, 3.10).
    pub fn catch(&mut self, leave: &Leave, wave: &mut Uniform) -> Option<Modes> {
        let lane = refused(leave).filter(|lane| exec(wave) >> lane & 1 == 1);
        let modes = lane.and_then(|_| {
            let modes = Modes::of_wave(&wave.hw, wave.s[usize::from(sreg::M0)]);
            modes.after_violation()
        });
        match (lane, modes) {
            (Some(lane), Some(_)) => {
                let before = exec(wave);
                self.exec.get_or_insert(before);
                set_exec(wave, before & !(1 << lane));
            }
            _ => self.release(wave),
        }
        modes
    }

    /// Restores EXEC of the wave after the access.
    #[inline]
    pub fn release(&mut self, wave: &mut Uniform) {
        if let Some(exec) = self.exec.take() {
            set_exec(wave, exec);
        }
    }
}

/// The lane whose access was refused.
fn refused(leave: &Leave) -> Option<u32> {
    match leave.fault()? {
        Fault::Memory(fault) => fault.lane.map(u32::from),
        _ => None,
    }
}

fn exec(wave: &Uniform) -> u64 {
    let [low, high] = [0, 1].map(|n| u64::from(wave.s[usize::from(sreg::EXEC) + n]));
    low | high << 32
}

fn set_exec(wave: &mut Uniform, exec: u64) {
    let first = usize::from(sreg::EXEC);
    (wave.s[first], wave.s[first + 1]) = (exec as u32, (exec >> 32) as u32);
}
