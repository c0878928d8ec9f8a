//! Accesses beyond the LDS of a kernel: what a run tells of them.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use wavetank_check::Place;
use wavetank_ir::MemKind;
use wavetank_machine::Group;
use wavetank_memory::LdsOverrun as Seen;
use wavetank_quote::readable;

use crate::error::access_of;
use crate::module::Module;

/// A kernel that went beyond its LDS. That has a result, as on a chip: loads gave 0 there, stores were dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct LdsOverrun {
    /// The kernel that was dispatched.
    pub kernel: String,
    /// How often it happened, lane by lane.
    pub count: u64,
    /// Where the first access of the earliest work-group and wave was that did it.
    pub place: Place,
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// The lane.
    pub lane: u8,
    /// What it tried.
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

/// What the threads of a dispatch have seen.
#[derive(Default)]
pub(crate) struct Overruns(Mutex<Option<(Group, u32, Seen)>>);

impl Overruns {
    /// Adds what a wave did.
    pub fn add(&self, group: Group, wave: u32, seen: Seen) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.count + all.as_ref().map_or(0, |(_, _, seen)| seen.count);
        let earlier = |(g, w, _): &(Group, u32, Seen)| (g.index, *w) <= (group.index, wave);
        let first = all.take().filter(earlier).unwrap_or((group, wave, seen));
        *all = Some((first.0, first.1, Seen { count, ..first.2 }));
    }

    /// What a run of a kernel of a module tells of it.
    pub fn tell(self, kernel: &str, module: &Module) -> Option<LdsOverrun> {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.map(|(group, wave, seen)| LdsOverrun {
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
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_machine::Grid;
    use wavetank_object::Source;

    #[test]
    fn the_earliest_wave_is_told() {
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
        let overruns = Overruns::default();
        overruns.add(grid.group(1), 0, seen(1, 10));
        overruns.add(grid.group(0), 1, seen(2, 20));
        overruns.add(grid.group(0), 1, seen(3, 30));
        overruns.add(grid.group(1), 1, seen(4, 40));
        let (group, wave, seen) = overruns.0.into_inner().unwrap().unwrap();
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
