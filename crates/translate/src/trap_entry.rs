//! Trap entry: refused accesses that a wave's own trap handler catches.

use wavetank_lift::Modes;
use wavetank_machine::{Fault, Leave};

use wavetank_memory::{Uniform, sreg};

/// An access of which lanes were refused, while it is done for the others: EXEC has those alone meanwhile.
#[derive(Debug, Default)]
pub struct TrapEntry {
    /// EXEC of the wave.
    exec: Option<u64>,
}

impl TrapEntry {
    /// The modes of the block with which a wave goes on that has stopped so, at the instruction where it is: there an access of
    /// a lane was refused, and it has a trap handler that is told of violations. The block does the access for the other lanes
    /// and enters the handler; at its end the engine calls [`release`](Self::release). It may stop so again, for another lane.
    /// `None` where the wave stays.
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

    /// The access has been done: EXEC is that of the wave again.
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
