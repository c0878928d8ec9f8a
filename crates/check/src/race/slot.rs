//! Slots: what the access history keeps of an access to a dword.

use super::vector_clock::Time;

/// An access that may be one half of a race. A slot with time 0 is empty.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// The number of the wave.
    pub wave: u32,
    /// The time of the access.
    pub time: Time,
    /// The number of the instruction.
    pub pc: u16,
    /// The lane, or one of the special values of [`Lane`].
    pub lane: Lane,
    /// The bytes of the dword, one bit each, and above them the [`Mode`].
    bits: u8,
}

/// The role of an access in the order of waves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// The access has no role.
    Plain,
    /// A coherent access (GLC), or a store to a dword that its wave uses as a lock.
    Coherent,
    /// An atomic outside of a spin loop.
    Atomic,
    /// An atomic in a spin loop that waits for its result.
    Spin,
}

/// The lane of an access.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Lane(u8);

impl Lane {
    const WAVE: Lane = Lane(64);
    /// Several lanes of a wave.
    pub(super) const SEVERAL: Lane = Lane(65);

    /// Returns a single lane, or the mark for the wave as a whole.
    pub(super) fn new(lane: Option<u8>) -> Lane {
        lane.map_or(Lane::WAVE, Lane)
    }

    /// Returns the lane, if it is a single one.
    pub(super) fn get(self) -> Option<u8> {
        (self.0 < Lane::WAVE.0).then_some(self.0)
    }

    /// Returns the lane that is `n` lanes after this one.
    #[inline]
    pub(super) const fn after(self, n: u32) -> Lane {
        Lane(self.0.wrapping_add(n as u8))
    }
}

impl Slot {
    pub(super) const NONE: Slot = Slot {
        wave: 0,
        time: 0,
        pc: 0,
        lane: Lane(0),
        bits: 0,
    };

    /// Returns the slot for some bytes of a dword, accessed by a lane.
    #[inline]
    pub(super) fn on(self, mask: u8, lane: Lane) -> Slot {
        let bits = self.bits & !15 | mask;
        Slot { bits, lane, ..self }
    }

    /// Returns an access without bytes.
    pub(super) fn new(wave: u32, time: Time, pc: u16, mode: Mode) -> Slot {
        Slot {
            wave,
            time,
            pc,
            lane: Lane::WAVE,
            bits: (mode as u8) << 4,
        }
    }

    /// Returns the accessed bytes, one bit each.
    pub(super) fn mask(self) -> u8 {
        self.bits & 15
    }

    pub(super) fn mode(self) -> Mode {
        match self.bits >> 4 {
            0 => Mode::Plain,
            1 => Mode::Coherent,
            2 => Mode::Atomic,
            _ => Mode::Spin,
        }
    }

    /// Packs instruction, lane, mode and bytes into a dword, as tables of slots store them.
    pub(super) const fn what(self) -> u32 {
        (self.pc as u32) << 16 | (self.lane.0 as u32) << LANE | self.bits as u32
    }

    /// Returns the slot with an instruction, a lane, a mode and bytes that [`what`](Self::what) has packed.
    #[inline]
    pub(super) const fn unpacked(wave: u32, time: Time, what: u32) -> Slot {
        Slot {
            wave,
            time,
            pc: (what >> 16) as u16,
            lane: Lane((what >> LANE) as u8),
            bits: what as u8,
        }
    }

    /// Returns the slot without some bytes.
    pub(super) fn without(self, mask: u8) -> Slot {
        match self.mask() & !mask {
            0 => Slot::NONE,
            rest => self.on(rest, self.lane),
        }
    }

    /// Returns the union of both, if they are from one execution of an instruction.
    pub(super) fn joined(self, other: Slot) -> Option<Slot> {
        let what = |slot: Slot| (slot.wave, slot.time, slot.pc, slot.mode());
        let lane = if self.lane == other.lane {
            self.lane
        } else {
            Lane::SEVERAL
        };
        (what(self) == what(other)).then(|| self.on(self.mask() | other.mask(), lane))
    }
}

/// The bit of a packed slot at which the lane begins.
pub(super) const LANE: u32 = 8;

/// The assignment of lanes to the dwords of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lanes {
    /// The lane of the first dword.
    pub first: Lane,
    /// The number of dwords for each lane; 0 if all dwords belong to the first lane.
    pub dwords: u32,
    /// The number of dwords that have been skipped.
    pub skipped: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_small() {
        assert_eq!(size_of::<Slot>(), 12);
    }
}
