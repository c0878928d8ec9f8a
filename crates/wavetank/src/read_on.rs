//! Loads past the end of an allocation: the report of a run.

use std::fmt;

use wavetank_check::Place;
use wavetank_machine::Group;
use wavetank_memory::ReadOn as Seen;
use wavetank_quote::readable;

/// Loads of a kernel past the end of an allocation, in the rest of its last block: they gave zeros.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadOn {
    /// The kernel that was dispatched.
    pub kernel: String,
    /// The place of the first such load, in the earliest work-group and wave that made one.
    pub place: Place,
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// The load: its lane, address and bytes, the allocation, and how often it happened, lane by lane.
    pub load: Seen,
}

impl fmt::Display for ReadOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadOn {
            kernel,
            place,
            wave,
            load,
            ..
        } = self;
        let [x, y, z] = self.group.id;
        let times = match load.count {
            1 => "once".to_owned(),
            n => format!("{n} times, first"),
        };
        let lane = load.lane.map(|lane| format!(", lane {lane}"));
        let (at, bytes, of) = (load.address, load.bytes, &load.allocation);
        let distance = match at.checked_sub(of.end()) {
            Some(past) => format!("which begin {past} bytes past it"),
            None => format!(
                "which end {} bytes past it",
                at + u64::from(bytes) - of.end()
            ),
        };
        write!(
            f,
            "kernel `{}` read past the end of its memory {times} at {place}: work-group ({x}, {y}, {z}), wave {wave}{}: a load \
             past the end of {} ({} bytes at {:#x}): {bytes} bytes at {at:#x}, {distance} and read as 0; a chip reads on; \
             `--strict` makes it a fault (and so does WAVETANK_STRICT=1)",
            readable(kernel),
            lane.unwrap_or_default(),
            readable(&of.name),
            of.bytes,
            of.address,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_machine::Grid;
    use wavetank_memory::{Allocation, Rights};
    use wavetank_object::Source;

    fn sentence(lane: Option<u8>, address: u64, count: u64) -> String {
        let sentence = ReadOn {
            kernel: "k".to_owned(),
            place: Place {
                pc: 0x1034,
                symbol: Some(("k".to_owned(), 0x34)),
                instruction: Some("global_load_dwordx2 v[0:1], v[2:3], off".to_owned()),
                source: Source::default(),
            },
            group: Grid::new([64, 1, 1], [64, 1, 1]).unwrap().group(0),
            wave: 0,
            load: Seen {
                pc: 0x1034,
                lane,
                address,
                bytes: 8,
                allocation: Allocation {
                    name: "a buffer in device memory".into(),
                    address: 0x20_1000,
                    bytes: 4096,
                    rights: Rights::ReadWrite,
                },
                count,
            },
        };
        sentence.to_string()
    }

    #[test]
    fn it_is_a_sentence() {
        assert_eq!(
            sentence(Some(16), 0x20_2008, 48),
            "kernel `k` read past the end of its memory 48 times, first at `global_load_dwordx2 v[0:1], v[2:3], off` (k+0x34, pc \
             0x1034): work-group (0, 0, 0), wave 0, lane 16: a load past the end of a buffer in device memory (4096 bytes at \
             0x201000): 8 bytes at 0x202008, which begin 8 bytes past it and read as 0; a chip reads on; `--strict` makes it \
             a fault (and so does WAVETANK_STRICT=1)"
        );
        let scalar = sentence(None, 0x20_1ffc, 1);
        assert!(scalar.contains(" once at `"), "{scalar}");
        assert!(scalar.contains(", wave 0: a load past"), "{scalar}");
        assert!(
            scalar.contains(", which end 4 bytes past it and read as 0; "),
            "{scalar}"
        );
    }
}
