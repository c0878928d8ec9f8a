//! Accesses that are out of bounds but not faults: those beyond the LDS, and their report; loads past the end of an allocation.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use wavetank_check::Place;
use wavetank_ir::MemKind;
use wavetank_machine::Group;
use wavetank_memory::{LdsOverrun as Seen, MemoryUnit, ReadOn as Load};
use wavetank_quote::readable;

use crate::error::access_of;
use crate::module::Module;
use crate::read_on::ReadOn;

/// Accesses of a kernel beyond its LDS. They are not faults, as on a chip: loads gave 0 there, and stores were dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct LdsOverrun {
    /// The kernel that was dispatched.
    pub kernel: String,
    /// The number of overruns, counted by lanes.
    pub count: u64,
    /// The place of the first such access, in the earliest work-group and wave.
    pub place: Place,
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// The lane.
    pub lane: u8,
    /// The kind of the access.
    pub kind: MemKind,
    /// The offset in the LDS.
    pub offset: u32,
    /// Bytes accessed there.
    pub bytes: u32,
    /// Bytes of the LDS.
    pub lds_bytes: u32,
}

impl fmt::Display for LdsOverrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LdsOverrun {
            kernel,
            count,
            place,
            wave,
            lane,
            offset,
            bytes,
            lds_bytes,
            ..
        } = self;
        let [x, y, z] = self.group.id;
        let times = match count {
            1 => "once".to_owned(),
            n => format!("{n} times, first"),
        };
        let (what, kernel) = (access_of(self.kind), readable(kernel));
        write!(
            f,
            "kernel `{kernel}` went beyond its LDS {times} at {place}: work-group ({x}, {y}, {z}), wave {wave}, lane {lane}: \
             {what} of {bytes} bytes at offset {offset} of an LDS of {lds_bytes} bytes; there loads give 0 and stores are \
             dropped (--strict or WAVETANK_STRICT=1 stops the kernel)"
        )
    }
}

/// A record with a count.
trait Counted {
    fn count(&mut self) -> &mut u64;
}

impl Counted for Seen {
    fn count(&mut self) -> &mut u64 {
        &mut self.count
    }
}

impl Counted for Load {
    fn count(&mut self) -> &mut u64 {
        &mut self.count
    }
}

/// The first record of the earliest work-group and wave, with the count of all records.
struct Earliest<T>(Mutex<Option<(Group, u32, T)>>);

impl<T> Default for Earliest<T> {
    fn default() -> Self {
        Earliest(Mutex::default())
    }
}

impl<T: Counted> Earliest<T> {
    fn add(&self, group: Group, wave: u32, mut seen: T) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.as_mut().map_or(0, |(_, _, seen)| *seen.count());
        let count = *seen.count() + before;
        let earlier = |(g, w, _): &(Group, u32, T)| (g.index, *w) <= (group.index, wave);
        let mut first = all.take().filter(earlier).unwrap_or((group, wave, seen));
        *first.2.count() = count;
        *all = Some(first);
    }

    fn taken(self) -> Option<(Group, u32, T)> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The overruns of a dispatch, recorded by its threads.
#[derive(Default)]
pub(crate) struct Overruns {
    lds: Earliest<Seen>,
    read_on: Earliest<Load>,
}

impl Overruns {
    /// Adds the overruns of a wave from its memory unit.
    #[inline(always)]
    pub(crate) fn add(&self, group: Group, wave: u32, memory: &mut MemoryUnit<'_>) {
        if let Some(seen) = memory.take_lds_overrun() {
            self.lds.add(group, wave, seen);
        }
        if let Some(load) = memory.take_read_on() {
            self.read_on.add(group, wave, *load);
        }
    }

    /// Returns the reports of a run of a kernel: of its LDS, and of its loads past the end of allocations.
    pub(crate) fn describe(
        self,
        kernel: &str,
        module: &Module,
    ) -> (Option<LdsOverrun>, Option<ReadOn>) {
        let lds = self.lds.taken().map(|(group, wave, seen)| LdsOverrun {
            kernel: kernel.to_owned(),
            count: seen.count,
            place: module.place(seen.pc),
            group,
            wave,
            lane: seen.lane,
            kind: seen.kind,
            offset: seen.offset,
            bytes: seen.bytes,
            lds_bytes: seen.lds_bytes,
        });
        let read_on = self.read_on.taken().map(|(group, wave, load)| ReadOn {
            kernel: kernel.to_owned(),
            place: module.place(load.pc),
            group,
            wave,
            load,
        });
        (lds, read_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_machine::Grid;
    use wavetank_object::Source;

    #[test]
    fn the_earliest_wave_is_named() {
        let grid = Grid::new([256, 1, 1], [128, 1, 1]).unwrap();
        let seen = |pc, count| Seen {
            pc,
            kind: MemKind::Load,
            lane: 0,
            lanes: 1,
            offset: 64,
            bytes: 4,
            lds_bytes: 64,
            count,
        };
        let overruns = Earliest::default();
        overruns.add(grid.group(1), 0, seen(1, 10));
        overruns.add(grid.group(0), 1, seen(2, 20));
        overruns.add(grid.group(0), 1, seen(3, 30));
        overruns.add(grid.group(1), 1, seen(4, 40));
        let (group, wave, seen) = overruns.taken().unwrap();
        assert_eq!((group.index, wave, seen.pc, seen.count), (0, 1, 2, 100));
    }

    #[test]
    fn it_is_a_sentence() {
        let overrun = LdsOverrun {
            kernel: "k".to_owned(),
            count: 192,
            place: Place {
                pc: 0x1034,
                symbol: Some(("k".to_owned(), 0x34)),
                instruction: Some("ds_write_b32 v0, v1".to_owned()),
                source: Source::default(),
            },
            group: Grid::new([64, 1, 1], [64, 1, 1]).unwrap().group(0),
            wave: 0,
            lane: 16,
            kind: MemKind::Store,
            offset: 64,
            bytes: 4,
            lds_bytes: 64,
        };
        assert_eq!(
            overrun.to_string(),
            "kernel `k` went beyond its LDS 192 times, first at `ds_write_b32 v0, v1` (k+0x34, pc 0x1034): work-group (0, 0, \
             0), wave 0, lane 16: a store of 4 bytes at offset 64 of an LDS of 64 bytes; there loads give 0 and stores are \
             dropped (--strict or WAVETANK_STRICT=1 stops the kernel)"
        );
    }
}
