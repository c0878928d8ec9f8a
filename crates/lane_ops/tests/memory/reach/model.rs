//! The rules: which bytes an access has in each lane, which of them it may access, and what it leaves.

use std::ops::Range;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::*;

/// Bytes of the host's memory of which allocations are parts.
pub(crate) const ARENA: u64 = 8192;
/// Dwords of scratch that a lane has at most.
pub(crate) const SCRATCH_DWORDS: u64 = 20;
pub(crate) const GDS: u64 = 65536;
/// Where something is in the global data share at first.
pub(crate) const GDS_FILLED: [u64; 3] = [0, 0x8000, GDS - 512];
/// Vector registers: addresses of 64 bits, offsets, indices, data.
pub(crate) const AT: u32 = 0;
pub(crate) const OFFSET: u32 = 2;
pub(crate) const INDEX: u32 = 3;
pub(crate) const DATA: u32 = 8;
/// Scalar registers: an address, a descriptor, other numbers.
pub(crate) const ADDRESS: usize = 20;
pub(crate) const RESOURCE: usize = 8;
pub(crate) const NUMBER: usize = 24;
pub(crate) const OTHER: usize = 25;

/// A part of the arena that is allocated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub start: u64,
    pub end: u64,
    pub writable: bool,
}

/// Which memory a place is in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Memory {
    Guest,
    Lds,
    Gds,
    Scratch,
}

/// What an access does at a place, and all of which is there or not: so many bytes from a byte of the lane's data on. `None` reads
/// 0 and is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub at: u64,
    pub bytes: u64,
    pub place: Option<(Memory, u64)>,
}

/// An operation, and the parts that it has in each lane by the rules of its space.
pub(crate) struct Attempt {
    pub op: MemOp,
    pub sources: Vec<Source>,
    pub parts: Vec<Vec<Part>>,
    /// Whether the whole lane is one access, if all of it is in range, and a part of it else.
    pub joined: bool,
}

impl Attempt {
    /// Whether a lane accesses guest memory at one of these addresses.
    pub(crate) fn meets(&self, addresses: &Range<u64>) -> bool {
        let mut parts = self.parts.iter().flatten();
        parts.any(|part| matches!(part.place, Some((Memory::Guest, at)) if addresses.contains(&at)))
    }
}

/// All that may be accessed, and what is in it.
#[derive(Clone, Default)]
pub(crate) struct Model {
    pub pieces: Vec<Piece>,
    pub guest: Vec<u8>,
    pub base: u64,
    pub lds: Vec<u8>,
    pub gds: Vec<u8>,
    pub scratch: Vec<u8>,
    pub scratch_base: u64,
    pub lane_bytes: u64,
}

impl Model {
    pub(crate) fn bytes(&mut self, memory: Memory) -> (&mut Vec<u8>, u64) {
        match memory {
            Memory::Guest => (&mut self.guest, self.base),
            Memory::Lds => (&mut self.lds, 0),
            Memory::Gds => (&mut self.gds, 0),
            Memory::Scratch => (&mut self.scratch, self.scratch_base),
        }
    }

    /// Whether one allocation holds all of it.
    pub(crate) fn allows(&self, at: u64, bytes: u64, stores: bool) -> bool {
        self.pieces.iter().any(|p| {
            let end = u128::from(at) + u128::from(bytes);
            p.start <= at && end <= u128::from(p.end) && (p.writable || !stores)
        })
    }

    /// Where dwords of a lane's scratch are, if all of the access is in it: the sum of 32 bits.
    pub(crate) fn private(&self, lane: usize, offset: u32, bytes: u64) -> Option<Vec<Part>> {
        let inside = u64::from(offset) + bytes <= self.lane_bytes;
        let byte = |n: u64| {
            let o = u64::from(offset) + n;
            let at = self.scratch_base + o / 4 * 256 + 4 * lane as u64 + o % 4;
            Part {
                at: n,
                bytes: 1,
                place: Some((Memory::Scratch, at)),
            }
        };
        inside.then(|| (0..bytes).map(byte).collect())
    }
}

/// What an access leaves by the rules.
pub(crate) struct Expected {
    /// The lanes that may not go where they go.
    pub denied: u64,
    /// A lane may be denied as a whole, though each of its dwords is allowed by itself: they lie in two allocations.
    pub doubtful: bool,
    pub model: Model,
    pub registers: Vec<[u32; 64]>,
}

pub(crate) fn expected(model: &Model, access: &Attempt, wave: &Wave, mask: u64) -> Expected {
    let mut left = model.clone();
    let data: Vec<[u32; 64]> = (0..8).map(|n| *wave.vgpr(DATA as usize + n)).collect();
    let mut registers = data.clone();
    let stores = !matches!(access.op.kind, MemKind::Load);
    let atomic = matches!(access.op.kind, MemKind::Atomic(_));
    let (mut denied, mut doubtful) = (0u64, false);
    let on = (0..64).filter(|lane| mask >> lane & 1 != 0);
    for lane in on.clone() {
        let guest = access.parts[lane]
            .iter()
            .filter_map(|part| match part.place {
                Some((Memory::Guest, at)) => Some((at, part.bytes)),
                _ => None,
            });
        let all = guest
            .clone()
            .all(|(at, bytes)| model.allows(at, bytes, stores) && (!atomic || at % bytes == 0));
        denied |= u64::from(!all) << lane;
        let count = guest.clone().count() as u64;
        if access.joined
            && let Some((first, bytes)) = guest.clone().next()
        {
            doubtful |= all && !model.allows(first, bytes * count, stores);
        }
    }
    for lane in on.filter(|_| denied == 0) {
        let mut bytes: Vec<u8> = (0..4).flat_map(|n| data[n][lane].to_le_bytes()).collect();
        let mut result = [0u8; 16];
        for part in &access.parts[lane] {
            let Some((memory, at)) = part.place else {
                continue;
            };
            let (of, base) = left.bytes(memory);
            let there = (at - base) as usize..(at - base + part.bytes) as usize;
            let here = part.at as usize..(part.at + part.bytes) as usize;
            result[here.clone()].copy_from_slice(&of[there.clone()]);
            if atomic {
                let word = |bytes: &[u8]| {
                    bytes
                        .iter()
                        .rev()
                        .fold(0u64, |n, byte| n << 8 | u64::from(*byte))
                };
                let sum = word(&of[there.clone()]).wrapping_add(word(&bytes[here.clone()]));
                let size = here.len();
                bytes[here.clone()].copy_from_slice(&sum.to_le_bytes()[..size]);
            }
            if stores {
                of[there].copy_from_slice(&bytes[here]);
            }
        }
        let to = match access.op.ret {
            Some(DataReg::V(n)) => usize::from(n) - DATA as usize,
            _ => continue,
        };
        for n in 0..access.op.access.bytes().div_ceil(4) as usize {
            registers[to + n][lane] = u32::from_le_bytes(result[4 * n..][..4].try_into().unwrap());
        }
    }
    Expected {
        denied,
        doubtful,
        model: left,
        registers,
    }
}

/// What memory holds now.
pub(crate) fn now(
    model: &Model,
    arena: &[AtomicU64],
    unit: &mut MemoryUnit<'_>,
    registry: &Registry,
    gds: bool,
) -> Model {
    let guest: Vec<u8> = arena
        .iter()
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect();
    let mut lds: Vec<u8> = unit
        .lds()
        .dwords()
        .iter()
        .flat_map(|dword| dword.to_le_bytes())
        .collect();
    lds.truncate(model.lds.len());
    Model {
        guest,
        lds,
        gds: if gds {
            registry.read_gds()
        } else {
            model.gds.clone()
        },
        scratch: bytes_of(registry, model.scratch_base, model.scratch.len()),
        ..model.clone()
    }
}

pub(crate) fn differ(got: &Model, want: &Model) -> Option<String> {
    let all = [
        (&got.guest, &want.guest, "guest"),
        (&got.lds, &want.lds, "LDS"),
        (&got.gds, &want.gds, "GDS"),
        (&got.scratch, &want.scratch, "scratch"),
    ];
    all.into_iter().find_map(|(got, want, name)| {
        let at = got.iter().zip(want).position(|(a, b)| a != b)?;
        Some(format!(
            "byte {at:#x} of {name}: {:#x}, expected {:#x}",
            got[at], want[at]
        ))
    })
}
