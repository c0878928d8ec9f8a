//! Accesses around all that begins and ends, and the parts that each has by the rules of its space.

// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]

use wavetank_memory::{Registration, Rights, SHARED_BASE};

use super::super::*;
use super::model::*;
use crate::random::Random;

/// A number near one of those that matter.
pub(crate) fn near(random: &mut Random, at: u64) -> u64 {
    at.wrapping_add(random.below(48) as u64).wrapping_sub(24)
}

pub(crate) fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

/// Offsets of lanes: rows, steps, one place, tiles, anything, and now and then lanes that go elsewhere. They are all near `target`,
/// which is where something begins or ends.
pub(crate) fn shape(random: &mut Random, bytes: u64, target: u64) -> [u64; 64] {
    let step = pick(random, &[bytes, bytes, 4, 1, 2, 8, 12, 16, 0]);
    let (kind, before) = (
        random.below(6),
        pick(random, &[0, 1, 15, 16, 17, 62, 63, 64]),
    );
    let more = pick(random, &[0, 0, 0, 1, 2, 4, 8, 12, u64::MAX, u64::MAX - 3]);
    let start = target.wrapping_sub(step * before).wrapping_add(more);
    let start = if random.below(2) == 0 {
        start & !3
    } else {
        start
    };
    let tiles = [0; 4].map(|_: u64| near(random, target));
    let mut lanes: [u64; 64] = std::array::from_fn(|lane| match kind {
        0..3 => start.wrapping_add(step * lane as u64),
        3 => tiles[lane / 16].wrapping_add(step * (lane as u64 % 16)),
        4 => near(random, target),
        _ => start,
    });
    let strays = pick(random, &[0, 0, 0, 1, 2, 60]);
    for _ in 0..strays {
        let wild = [
            0,
            1 << 31,
            1 << 32,
            target ^ 1 << 31,
            target.wrapping_add(ARENA / 2),
        ];
        let wild = pick(random, &wild);
        lanes[random.below(64)] = near(random, wild);
    }
    lanes
}

pub(crate) struct Test<'r> {
    pub random: Random,
    pub model: Model,
    pub registry: &'r Registry,
    /// The pieces that are registered.
    pub registered: Vec<(Registration, Piece)>,
    /// The one that went last.
    pub gone: Option<Piece>,
}

impl Test<'_> {
    /// Another allocation comes, or one goes.
    pub(crate) fn allocate(&mut self) {
        let r = &mut self.random;
        if self.registered.len() > 5 || r.below(3) == 0 && self.registered.len() > 1 {
            let (piece, was) = self.registered.swap_remove(r.below(self.registered.len()));
            self.registry.unregister(piece).unwrap();
            self.gone = Some(was);
        } else {
            // Beside another one, or anywhere.
            let beside = pick(r, &[None, Some(false), Some(true)]);
            let last = self.registered.last().map(|(_, piece)| *piece);
            let (first, end) = (self.model.base + 512, self.model.base + ARENA - 512);
            let start = match beside.zip(last) {
                Some((true, p)) => p.end,
                Some((false, p)) => p.start.saturating_sub(256),
                None => first + r.below(ARENA as usize - 1024) as u64,
            };
            let size = pick(r, &[1, 3, 4, 60, 64, 255, 256, 1000, 3000]);
            if start < first || start + size > end {
                return;
            }
            let writable = r.below(4) != 0;
            let rights = if writable {
                Rights::ReadWrite
            } else {
                Rights::Read
            };
            let pointer = std::ptr::with_exposed_provenance_mut(start as usize);
            // SAFETY: atomic words of the arena, which outlives the registry.
            let registered = unsafe { self.registry.register("piece", pointer, size, rights) };
            if let Ok(address) = registered {
                let end = start + size;
                self.registered.push((
                    address,
                    Piece {
                        start,
                        end,
                        writable,
                    },
                ));
            }
        }
        self.model.pieces = self.registered.iter().map(|(_, piece)| *piece).collect();
    }

    /// An address where something begins or ends, less so many bytes.
    pub(crate) fn edge(&mut self, bytes: u64) -> u64 {
        let r = &mut self.random;
        let any = self.model.base + r.below(ARENA as usize) as u64;
        let piece = match self.registered.as_slice() {
            [] => return any,
            some => some[r.below(some.len())].1,
        };
        // What an instruction used last may not be there any more.
        let piece = match self.gone {
            Some(gone) if r.below(4) == 0 => gone,
            _ => piece,
        };
        pick(
            r,
            &[
                piece.start,
                piece.end - bytes.min(piece.end),
                piece.end,
                (piece.start + piece.end) / 2,
                any,
            ],
        )
    }

    pub(crate) fn mask(&mut self) -> u64 {
        let n = self.random.next();
        let some = [
            n,
            n & self.random.next() & self.random.next(),
            1 << (n % 64),
            0xffff << (n % 48),
        ];
        match self.random.below(8) {
            0..4 => !0,
            k => some[k - 4],
        }
    }

    /// An access of some space, with what its lanes have in registers.
    pub(crate) fn access(&mut self, wave: &mut Wave, store: bool, atomic: bool) -> Attempt {
        let width = match (atomic, self.random.below(6)) {
            (true, n) => Access::Dwords(1 + (n & 1) as u8),
            (_, 0) => Access::U8,
            (_, 1) => Access::U16,
            (_, n) => Access::Dwords(n as u8 - 1),
        };
        let bytes = u64::from(width.bytes());
        let op = |space: Where| match (atomic, store) {
            (true, _) => super::atomic(
                space,
                Rmw::Add,
                (bytes / 4) as u8,
                DATA as u16,
                DATA as u16 + 4,
            ),
            (_, true) => super::store(space, width, DataReg::V(DATA as u16)),
            _ => super::load(space, width, DataReg::V(DATA as u16)),
        };
        match self.random.below(8) {
            0..2 => self.global(wave, bytes, op),
            2..5 => self.buffer(wave, bytes, op, atomic),
            5 => self.lds(wave, bytes, op, atomic),
            6 => self.gds(wave, bytes, op, atomic),
            _ => self.scratch(wave, bytes, op, atomic),
        }
    }

    /// Addresses of 64 bits in lanes, with an index or without, flat or not; or a base, and an index a lane.
    pub(crate) fn global(
        &mut self,
        wave: &mut Wave,
        bytes: u64,
        op: impl Fn(Where) -> MemOp,
    ) -> Attempt {
        let constant = pick(&mut self.random, &[0, 0, 4, 4095, -4096, -1]);
        let (edge, kind) = (self.edge(bytes), self.random.below(4));
        let target = near(&mut self.random, 0);
        let target = edge.wrapping_add(pick(&mut self.random, &[0, 0, target]));
        let target = target.wrapping_sub(constant as u64);
        let mut lanes = shape(&mut self.random, bytes, target);
        // An index is what 32 bits have of the way from a base that lies near, or almost 2 GiB or 4 GiB away.
        let away = pick(
            &mut self.random,
            &[0, 64, 1 << 31, (1 << 32) - 64, (1 << 32) + 64],
        );
        let base = target.wrapping_sub(away);
        let indexed = kind >= 2;
        for lane in 0..64 {
            let index = lanes[lane].wrapping_sub(base) as u32;
            wave.vgpr_mut(INDEX as usize)[lane] = index;
            if indexed {
                lanes[lane] = base.wrapping_add(index.into());
            }
        }
        let (space, sources) = match kind {
            0 => (global(), vec![v(AT)]),
            1 => (
                Where::Flat {
                    address: V,
                    limit: None,
                },
                vec![v(AT)],
            ),
            2 => {
                wave.set_s64(ADDRESS as u8, base);
                (
                    Where::Global {
                        address: V,
                        index: Some(V),
                    },
                    vec![Source::Uniform(s(ADDRESS)), v(INDEX)],
                )
            }
            _ => (
                Where::Global {
                    address: V,
                    index: Some(V),
                },
                vec![v(AT), v(INDEX)],
            ),
        };
        set_addresses(
            wave,
            AT as usize,
            |lane| if indexed { base } else { lanes[lane] },
        );
        let op = MemOp {
            offset: constant,
            ..op(space)
        };
        let place = |lane: usize| lanes[lane].wrapping_add(constant as u64);
        let parts = (0..64).map(|lane| {
            let place = Some((Memory::Guest, place(lane)));
            vec![Part {
                at: 0,
                bytes,
                place,
            }]
        });
        Attempt {
            op,
            sources,
            parts: parts.collect(),
            joined: false,
        }
    }

    /// A descriptor: by its bytes or its records, without swizzling.
    pub(crate) fn buffer(
        &mut self,
        wave: &mut Wave,
        bytes: u64,
        op: impl Fn(Where) -> MemOp,
        atomic: bool,
    ) -> Attempt {
        let edge = self.edge(bytes);
        let r = &mut self.random;
        let dialect = pick(
            r,
            &[
                Dialect::Strided,
                Dialect::Swizzled,
                Dialect::Indexed,
                Dialect::Summed,
            ],
        );
        let stride: u64 = pick(r, &[0, 0, 0, 4, 12, 16, 100, 0x3fff]);
        let (idxen, offen) = (r.below(3) == 0, r.below(4) != 0);
        let constant: u64 = pick(r, &[0, 0, 4, 12, 4095]);
        let soffset: u32 = pick(r, &[0, 0, 4, 256, 1 << 31, u32::MAX - 15]);
        // Lanes reach an edge by offsets that are small, or as large as 32 bits can be.
        let away: u64 = pick(r, &[0, 64, 512, 1 << 31, (1 << 32) - 200]);
        let far = edge.wrapping_sub(constant + u64::from(soffset) + away);
        let base = far & 0xffff_ffff_ffff;
        let r = &mut self.random;
        let records = match r.below(6) {
            0 => 0,
            1 => u32::MAX,
            2 => near(r, away) as u32,
            3 => near(r, away + constant + u64::from(soffset)) as u32,
            4 => 64,
            _ => near(r, 300) as u32,
        };
        let word1 = (stride as u32) << 16;
        wave.set_s64(RESOURCE as u8, base | u64::from(word1) << 32);
        wave.set_s64(
            RESOURCE as u8 + 2,
            u64::from(records) | u64::from(FORMAT_32 | 0xfac) << 32,
        );
        wave.uniform_mut().s[NUMBER] = soffset;
        let lanes = shape(r, bytes, away);
        let index = match r.below(3) {
            0 => [0; 64],
            1 => std::array::from_fn(|lane| lane as u32),
            _ => std::array::from_fn(|_| near(r, 0) as u32),
        };
        for lane in 0..64 {
            wave.vgpr_mut(OFFSET as usize)[lane] = lanes[lane] as u32;
            wave.vgpr_mut(INDEX as usize)[lane] = index[lane];
        }
        let space = Where::Buffer {
            resource: [Value(RESOURCE as u32), Value(RESOURCE as u32 + 2)],
            dialect,
            address: None,
            index: idxen.then_some(V),
            offset: offen.then_some(V),
            soffset: V,
            format: Elements::Plain,
        };
        let sources = vec![
            Source::None,
            if idxen { v(INDEX) } else { Source::None },
            if offen { v(OFFSET) } else { Source::None },
            Source::Uniform(s(NUMBER)),
        ];
        // Vega ISA, 8.1.5; GCN3 ISA; for gfx6 and gfx7 the CLRX wiki, "GCN memory handling".
        let counts = stride != 0
            && match dialect {
                Dialect::Strided => true,
                Dialect::Swizzled => false,
                Dialect::Indexed | Dialect::Summed => idxen,
            };
        let parts = (0..64).map(|lane| {
            let offset =
                u128::from(if offen { lanes[lane] as u32 } else { 0 }) + u128::from(constant);
            let index = u128::from(if idxen { index[lane] } else { 0 });
            let distance = index * u128::from(stride) + offset;
            let start = u128::from(base) + u128::from(soffset) + distance;
            let records = u128::from(records);
            let more = if matches!(dialect, Dialect::Strided | Dialect::Summed) {
                u128::from(soffset)
            } else {
                0
            };
            let element = |at: u128, size: u128| {
                let inside = if counts {
                    index < records
                        && (!idxen
                            || dialect != Dialect::Strided
                            || offset + at < u128::from(stride))
                } else {
                    distance + more + at < records
                };
                let all = counts || distance + more + size <= records;
                let address = (start + at) as u64;
                let place = (inside && (all || !atomic)).then_some((Memory::Guest, address));
                Part {
                    at: at as u64,
                    bytes: size as u64,
                    place,
                }
            };
            if atomic {
                // In range or not as a whole.
                let dwords = (0..u128::from(bytes / 4)).map(|n| element(4 * n, bytes.into()));
                let whole = dwords.into_iter().all(|part| part.place.is_some());
                let first = element(0, bytes.into());
                return vec![Part {
                    place: first.place.filter(|_| whole),
                    ..first
                }];
            }
            let size = u128::from(bytes.min(4));
            (0..u128::from(bytes.div_ceil(4)))
                .map(|n| element(4 * n, size))
                .collect()
        });
        let op = MemOp {
            offset: constant as i64,
            ..op(space)
        };
        Attempt {
            op,
            sources,
            parts: parts.collect(),
            joined: true,
        }
    }

    /// LDS, without a limit or with one.
    pub(crate) fn lds(
        &mut self,
        wave: &mut Wave,
        bytes: u64,
        op: impl Fn(Where) -> MemOp,
        atomic: bool,
    ) -> Attempt {
        let size = self.model.lds.len() as u64;
        let r = &mut self.random;
        let limit = [
            None,
            Some(u32::MAX),
            Some(near(r, size) as u32),
            Some(0),
            Some(near(r, 64) as u32),
        ][r.below(5)];
        let constant = pick(r, &[0, 0, 4, 252, 65535]);
        let flat = r.below(4) == 0;
        let constant = if flat {
            pick(r, &[0, 4, 4095, -4096, -4])
        } else {
            constant
        };
        let target = pick(r, &[0, size, limit.unwrap_or(0).into()]);
        let lanes = shape(
            r,
            bytes,
            target.wrapping_sub(constant as u64).wrapping_sub(bytes),
        );
        wave.uniform_mut().s[NUMBER] = limit.unwrap_or_default();
        for lane in 0..64 {
            wave.vgpr_mut(OFFSET as usize)[lane] = lanes[lane] as u32;
        }
        set_addresses(wave, AT as usize, |lane| {
            SHARED_BASE | u64::from(lanes[lane] as u32)
        });
        let limited = limit.map_or(Source::None, |_| Source::Uniform(s(NUMBER)));
        let limit_of = limit.map(|_| V);
        let (space, sources) = if flat {
            (
                Where::Flat {
                    address: V,
                    limit: limit_of,
                },
                vec![v(AT), limited],
            )
        } else {
            (
                Where::Lds {
                    address: V,
                    limit: limit_of,
                },
                vec![v(OFFSET), limited],
            )
        };
        let end = limit.map_or(size, |limit| size.min(limit.into()));
        let aligned = atomic || limit.is_some();
        let parts = (0..64).map(|lane| {
            let sum = (lanes[lane] as u32).wrapping_add(constant as u32);
            let low = if aligned {
                bytes.next_power_of_two() - 1
            } else {
                0
            };
            shared(Memory::Lds, u64::from(sum) & !low, bytes, atomic, 0..end)
        });
        let op = MemOp {
            offset: constant,
            ..op(space)
        };
        Attempt {
            op,
            sources,
            parts: parts.collect(),
            joined: false,
        }
    }

    /// The global data share, of which M0 leaves a part.
    pub(crate) fn gds(
        &mut self,
        wave: &mut Wave,
        bytes: u64,
        op: impl Fn(Where) -> MemOp,
        atomic: bool,
    ) -> Attempt {
        let r = &mut self.random;
        let start = pick(r, &[0, 4, 8, 6, 0x8000, 0xfffc, 0xfff8, 0xff00, 0xffff]);
        let size = pick(r, &[0, 1, 4, 7, 8, 64, 252, 0x8000, 0xffff]);
        let constant: u64 = pick(r, &[0, 0, 4, 8, 65535]);
        let target = pick(r, &[0, size, GDS - start]);
        let lanes = shape(r, bytes, target.wrapping_sub(constant + bytes));
        wave.uniform_mut().s[OTHER] = (start << 16 | size) as u32;
        for lane in 0..64 {
            wave.vgpr_mut(OFFSET as usize)[lane] = lanes[lane] as u32;
        }
        let (space, sources) = (
            Where::Gds {
                address: V,
                window: V,
            },
            vec![v(OFFSET), Source::Uniform(s(OTHER))],
        );
        let parts = (0..64).map(|lane| {
            let sum = (lanes[lane] as u32).wrapping_add(constant as u32);
            let low = if atomic { bytes - 1 } else { 0 };
            let at = (start + u64::from(sum)) & !low;
            shared(
                Memory::Gds,
                at,
                bytes,
                atomic,
                start..(start + size).min(GDS),
            )
        });
        let op = MemOp {
            offset: constant as i64,
            ..op(space)
        };
        Attempt {
            op,
            sources,
            parts: parts.collect(),
            joined: false,
        }
    }

    /// Offsets in scratch. A lane that is outside denies the access, as does an atomic that is not aligned.
    pub(crate) fn scratch(
        &mut self,
        wave: &mut Wave,
        bytes: u64,
        op: impl Fn(Where) -> MemOp,
        atomic: bool,
    ) -> Attempt {
        let size = self.model.lane_bytes;
        let r = &mut self.random;
        let constant = pick(r, &[0, 0, 4, -4, 4095, -4096]);
        let target = pick(r, &[0, size, size / 2]);
        let mut lanes = shape(
            r,
            bytes,
            target.wrapping_sub(constant as u64).wrapping_sub(bytes),
        );
        if r.below(2) == 0 {
            lanes = [lanes[0]; 64];
        } else if r.below(2) == 0 {
            // All but a few are inside.
            let most = size.saturating_sub(bytes) + 1;
            for lane in (0..64).filter(|lane| lane % 16 != 0) {
                lanes[lane] = (r.next() % most).wrapping_sub(constant as u64);
            }
        }
        for lane in 0..64 {
            wave.vgpr_mut(OFFSET as usize)[lane] = lanes[lane] as u32;
        }
        let parts = (0..64).map(|lane| {
            let sum = (lanes[lane] as u32).wrapping_add(constant as u32);
            let crooked = atomic && u64::from(sum) % bytes != 0;
            // Nowhere in the memory of the guest.
            let denied = vec![Part {
                at: 0,
                bytes,
                place: Some((Memory::Guest, 0)),
            }];
            match self.model.private(lane, sum, bytes) {
                Some(parts) if !crooked => parts,
                _ => denied,
            }
        });
        let parts = parts.collect();
        let op = MemOp {
            offset: constant,
            ..op(Where::Scratch { address: V })
        };
        Attempt {
            op,
            sources: vec![v(OFFSET)],
            parts,
            joined: false,
        }
    }

    /// Scalar loads from an address, and through a descriptor.
    pub(crate) fn scalar(&mut self, wave: &mut Wave) -> (MemOp, Vec<Source>, Vec<Option<u64>>) {
        let dwords = pick(&mut self.random, &[1u64, 2, 4, 8, 16]);
        let edge = self.edge(4 * dwords);
        let r = &mut self.random;
        let constant: u64 = pick(r, &[0, 0, 4, 1 << 20]);
        let index = pick(r, &[0, 0, 64, 1 << 31, u32::MAX - 15]);
        let base = near(r, edge.wrapping_sub(constant + u64::from(index))) & 0xffff_ffff_ffff;
        wave.uniform_mut().s[NUMBER] = index;
        wave.set_s64(ADDRESS as u8, base);
        let records = [
            0,
            u32::MAX,
            near(r, u64::from(index) + constant) as u32,
            near(r, 200) as u32,
        ][r.below(4)];
        wave.set_s64(ADDRESS as u8 + 2, records.into());
        let buffer = r.below(2) == 0;
        let sources = vec![Source::Uniform(s(ADDRESS)), Source::Uniform(s(NUMBER))];
        let offset = u64::from(index) + constant;
        let first = base.wrapping_add(offset) & !3;
        let size = if buffer { u64::from(records) } else { u64::MAX };
        let dword = |n: u64| ((offset & !3) + 4 * n < size).then_some(first + 4 * n);
        let places = (0..dwords).map(dword).collect();
        let space = if buffer {
            Where::ScalarBuffer {
                resource: [ADDRESS, ADDRESS + 2].map(|n| Value(n as u32)),
                index: Some(V),
            }
        } else {
            Where::Scalar {
                address: V,
                index: Some(V),
            }
        };
        let op = super::load(space, Access::Dwords(dwords as u8), DataReg::S(40));
        (
            MemOp {
                offset: constant as i64,
                ..op
            },
            sources,
            places,
        )
    }
}

/// Dwords of a data share between a start and an end, or all of an atomic.
pub(crate) fn shared(
    memory: Memory,
    first: u64,
    bytes: u64,
    atomic: bool,
    of: std::ops::Range<u64>,
) -> Vec<Part> {
    let size = if atomic { bytes } else { bytes.min(4) };
    let part = |n: u64| {
        let place = first + size * n;
        let inside = of.start <= place && place + size <= of.end;
        Part {
            at: size * n,
            bytes: size,
            place: inside.then_some((memory, place)),
        }
    };
    (0..bytes / size).map(part).collect()
}
