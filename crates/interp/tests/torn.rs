//! An aligned access of 8 or 16 bytes is one access: a thread of the host that reads and writes such places at once with a wave
//! never sees, nor lets it see, half of a value. Whatever the lanes beside do, and whichever way their places lie.
//! Which engine that is, `engine.rs` of each crate's tests says.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::control_flow::inst;
use super::engine::{self, levels};
use super::world::{BASE, source};
use wavetank_gcn::Inst;
use wavetank_interp::{Simd, Translation};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, Rights, Wave};

/// How often a wave accesses memory in one heat.
const TURNS: u64 = 300;

/// A race has as many heats in which the host was seen to run meanwhile, and not more than the second number at all, since there
/// may be one processor, or a busy one.
const HEATS: [u32; 2] = [5, 20];

/// Memory that both use, in lines of the cache.
#[repr(align(64))]
struct Line([AtomicU64; 8]);

const LINES: usize = 64;

/// Where the records of the buffer end that some lanes are beyond.
const SHORT: u32 = 512;

/// How the places of lanes lie: the offset of each, for accesses of so many bytes, and the lanes that are on.
struct Shape {
    name: &'static str,
    offset: fn(u32, u32) -> u32,
    exec: u64,
}

const fn shape(name: &'static str, offset: fn(u32, u32) -> u32, exec: u64) -> Shape {
    Shape { name, offset, exec }
}

const SHAPES: &[Shape] = &[
    shape("a row", |lane, bytes| bytes * lane, !0),
    shape("a row within lines", |lane, bytes| bytes * (lane + 1), !0),
    shape("one place", |_, _| 64, !0),
    shape("one lane", |lane, bytes| bytes * lane, 1 << 5),
    shape(
        "rows of tiles",
        |lane, bytes| 1024 * (lane / 16) + bytes * (lane % 16),
        !0,
    ),
    shape("a place for each tile", |lane, _| 256 * (lane / 16), !0),
    shape(
        "scattered",
        |lane, _| 48 * ((37 * lane + 11) % 64),
        0xffff_7fff_ffff_fffe,
    ),
    shape(
        "half of a row",
        |lane, bytes| bytes * lane,
        0x5555_5555_5555_5555,
    ),
    shape(
        "some tiles",
        |lane, bytes| bytes * lane,
        0xff0_ffff_0000_8000,
    ),
];

/// Every second or fourth lane is aligned. They are not for stores: those of the lanes beside, which go to the same dwords, may be
/// seen in halves.
const OVERLAPPING: &[Shape] = &[
    shape("overlapping", |lane, _| 64 + 4 * lane, !0),
    shape("overlapping within lines", |lane, _| 68 + 4 * lane, !0),
];

/// The instructions of a space, for the ways in which registers say where lanes go: v[20:21] addresses, v22 offsets, v23 numbers
/// of dwords, s[88:89] the memory; descriptors of it s[64:67], s[68:71] with its end at [`SHORT`], s[72:75] with a stride of a
/// dword, s[76:79] whose elements are what is accessed.
const SPACES: &[[&str; 2]] = &[
    [
        "global_load_dwordx{d} v[0:{n}], v[20:21], off",
        "global_store_dwordx{d} v[20:21], v[0:{n}], off",
    ],
    [
        "global_load_dwordx{d} v[0:{n}], v22, s[88:89]",
        "global_store_dwordx{d} v22, v[0:{n}], s[88:89]",
    ],
    [
        "flat_load_dwordx{d} v[0:{n}], v[20:21]",
        "flat_store_dwordx{d} v[20:21], v[0:{n}]",
    ],
    [
        "buffer_load_dwordx{d} v[0:{n}], v22, s[64:67], 0 offen",
        "buffer_store_dwordx{d} v[0:{n}], v22, s[64:67], 0 offen",
    ],
    [
        "buffer_load_dwordx{d} v[0:{n}], v22, s[68:71], 0 offen",
        "buffer_store_dwordx{d} v[0:{n}], v22, s[68:71], 0 offen",
    ],
    [
        "buffer_load_dwordx{d} v[0:{n}], v23, s[72:75], 0 idxen",
        "buffer_store_dwordx{d} v[0:{n}], v23, s[72:75], 0 idxen",
    ],
    [
        "buffer_load_format_{xyzw} v[0:{n}], v22, s[76:79], 0 offen",
        "buffer_store_format_{xyzw} v[0:{n}], v22, s[76:79], 0 offen",
    ],
];

/// What a wave does as a whole, always to the same place, and how many of the aligned values it has.
const SCALARS: &[(&str, u32)] = &[
    ("s_load_dwordx{d} s[0:{n}], s[88:89], 0x40", 1),
    ("s_load_dwordx8 s[0:7], s[88:89], 0x40", 2),
    ("s_load_dwordx16 s[0:15], s[88:89], 0x40", 4),
    ("s_buffer_load_dwordx{d} s[0:{n}], s[64:67], 0x40", 1),
    ("s_store_dwordx{d} s[0:{n}], s[88:89], 0x40", 1),
    ("s_buffer_store_dwordx{d} s[0:{n}], s[64:67], 0x40", 1),
];

/// A race of a wave with a thread of the host.
struct Race {
    access: String,
    stores: bool,
    /// The dwords of an aligned value.
    dwords: u32,
    /// How many of them the wave as a whole accesses; `None` of lanes.
    scalar: Option<u32>,
    shape: &'static str,
    offsets: [u32; 64],
    exec: u64,
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.access, self.shape)
    }
}

/// The text of an access.
fn access(text: &str, dwords: u32) -> String {
    let last = (dwords - 1).to_string();
    text.replace("{d}", &dwords.to_string())
        .replace("{n}", &last)
        .replace("{xyzw}", &"xyzw"[..dwords as usize])
}

/// All of them.
fn races(dwords: u32) -> Vec<Race> {
    let mut races = Vec::new();
    for texts in SPACES {
        for (text, stores) in texts.iter().zip([false, true]) {
            let overlapping = if stores { &[] } else { OVERLAPPING };
            races.extend(SHAPES.iter().chain(overlapping).map(|shape| Race {
                access: access(text, dwords),
                stores,
                dwords,
                scalar: None,
                shape: shape.name,
                offsets: std::array::from_fn(|lane| (shape.offset)(lane as u32, 4 * dwords)),
                exec: shape.exec,
            }));
        }
    }
    races.extend(SCALARS.iter().map(|(text, count)| Race {
        access: access(text, dwords),
        stores: text.contains("store"),
        dwords,
        // Of more dwords than a value the text has a fixed number.
        scalar: Some(count * if *count > 1 { 4 / dwords } else { 1 }),
        shape: "the wave",
        offsets: [64; 64],
        exec: !0,
    }));
    races
}

impl Race {
    /// A lane's value is one if its place is aligned.
    fn is_judged(&self, lane: usize) -> bool {
        self.exec >> lane & 1 != 0 && self.offsets[lane].is_multiple_of(4 * self.dwords)
    }

    /// The aligned places, in qwords from the start of memory.
    fn places(&self) -> Vec<usize> {
        let lanes = (0..64).filter(|lane| self.is_judged(*lane));
        let first: BTreeSet<u32> = lanes.map(|lane| self.offsets[lane]).collect();
        let count = self.scalar.unwrap_or(1);
        let each = |at: u32| (0..count).map(move |n| at + 4 * self.dwords * n);
        first
            .into_iter()
            .flat_map(each)
            .map(|at| at as usize / 8)
            .collect()
    }

    /// A loop of the access. What lanes load is compared, dword by dword with the first: v10 has what ever differed, or s60.
    /// What they store is the same in all dwords, and another thing each time.
    fn code(&self) -> Vec<Inst> {
        let (v, or) = match self.scalar {
            None => ("v", "v_or_b32 v10, v10, v9".to_owned()),
            Some(_) => ("s", "s_or_b32 s60, s60, s59".to_owned()),
        };
        let mut body = vec![inst(&self.access)];
        let registers = self.dwords * self.scalar.unwrap_or(1);
        for n in (0..registers).filter(|n| n % self.dwords != 0) {
            let first = n - n % self.dwords;
            if self.stores {
                body.insert(0, inst(&format!("{v}_mov_b32 {v}{n}, {v}{first}")));
            } else {
                let temp = if v == "v" { "v9" } else { "s59" };
                body.push(inst(&format!("{v}_xor_b32 {temp}, {v}{first}, {v}{n}")));
                body.push(inst(&or));
            }
        }
        if self.stores {
            body.insert(0, inst(&format!("{v}_add_u32 {v}0, 1, {v}0")));
        } else {
            body.insert(1, inst("s_waitcnt vmcnt(0) lgkmcnt(0)"));
        }
        body.push(inst("s_sub_u32 s61, s61, 1"));
        body.push(inst("s_cmp_lg_u32 s61, 0"));
        // Two dwords an instruction.
        let distance = -2 * (body.len() as i64 + 1);
        body.push(inst(&format!("s_cbranch_scc1 {distance}")));
        body.push(inst("s_endpgm"));
        body
    }

    fn wave(&self, memory: u64) -> Wave {
        let mut wave = Wave::new(0);
        for lane in 0..64 {
            let offset = self.offsets[lane];
            let address = memory + u64::from(offset);
            for (register, value) in [
                (0, (lane as u32) << 20),
                (20, address as u32),
                (21, (address >> 32) as u32),
                (22, offset),
                (23, offset / 4),
            ] {
                wave.vgpr_mut(register)[lane] = value;
            }
        }
        // 32 bits a component, unsigned, X Y Z W (Vega ISA, 8.1.8): two of them, or four.
        let element = 0x4fac | if self.dwords == 2 { 11 << 15 } else { 14 << 15 };
        let records = |bytes: u32, word: u64| u64::from(bytes) | word << 32;
        let all = 64 * LINES as u32;
        for (register, value) in [
            (64, memory),
            (66, records(all, 0x2_7fac)),
            (68, memory),
            (70, records(SHORT, 0x2_7fac)),
            (72, memory | 4 << 48),
            (74, records(all / 4, 0x2_7fac)),
            (76, memory),
            (78, records(all, element)),
            (88, memory),
            (60, TURNS << 32),
            (126, self.exec),
        ] {
            wave.set_s64(register, value);
        }
        wave.uniform_mut().pc = BASE;
        wave
    }

    /// What the host's thread does all the time: a value goes to each place, or is read from it. Gives how many it saw torn.
    /// Meanwhile it counts its iterations, or the changes that it has seen.
    fn host(&self, memory: &[Line], news: &AtomicU64, stop: &AtomicBool) -> u64 {
        let places = self.places();
        let (mut turn, mut torn) = (0u32, 0);
        let mut last = vec![[0; 2]; places.len()];
        while !stop.load(Relaxed) {
            turn = turn.wrapping_add(1);
            let mut new = u64::from(!self.stores || turn == 1);
            for (at, last) in places.iter().zip(&mut last) {
                let words = &memory[at / 8].0[at % 8..][..self.dwords as usize / 2];
                if !self.stores {
                    host::store(words, u64::from(turn) << 32 | u64::from(turn));
                    continue;
                }
                let now = host::load(words);
                let first = now[0] as u32;
                torn += u64::from(
                    now.iter()
                        .any(|word| *word != u64::from(first) << 32 | u64::from(first)),
                );
                new += u64::from(now != *last);
                *last = now;
            }
            news.fetch_add(new, Relaxed);
        }
        torn
    }

    /// The wave's side of it. Gives how many values it saw torn.
    fn guest(&self, backend: &mut dyn Backend, unit: &mut MemoryUnit<'_>, memory: u64) -> u64 {
        let mut wave = self.wave(memory);
        loop {
            wave.uniform_mut().budget = 1 << 20;
            match backend.run(&mut wave, unit) {
                Leave::End(_) => break,
                leave if leave.yield_point().is_some() => {}
                leave => panic!("{self}: {leave:?}"),
            }
        }
        match self.scalar {
            Some(_) => u64::from(wave.uniform().s[60] != 0),
            None => {
                let differ = |lane: &usize| self.is_judged(*lane) && wave.vgpr(10)[*lane] != 0;
                (0..64).filter(differ).count() as u64
            }
        }
    }

    /// Gives in how many heats the host ran meanwhile, and how much was torn.
    fn run(&self, simd: Simd) -> (u32, u64) {
        let memory: Box<[Line]> = (0..LINES).map(|_| Line(Default::default())).collect();
        let address = memory.as_ptr().expose_provenance() as u64;
        let registry = Registry::new();
        let bytes = size_of_val(&*memory) as u64;
        let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: atomic words, which outlive the registration.
        let registered = unsafe { registry.register("raced", pointer, bytes, Rights::ReadWrite) };
        let registered = registered.expect("nothing else is there");
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd,
        };
        let (news, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut unit = MemoryUnit::new(&registry);
        let (heats, torn) = std::thread::scope(|scope| {
            let other = scope.spawn(|| self.host(&memory, &news, &stop));
            while news.load(Relaxed) == 0 {
                std::thread::yield_now();
            }
            let (mut heats, mut torn) = (0, 0);
            engine::with(source(&self.code()), how, |backend| {
                for _ in 0..HEATS[1] {
                    let before = news.load(Relaxed);
                    torn += self.guest(backend, &mut unit, address);
                    heats += u32::from(news.load(Relaxed) - before > 10);
                    if heats == HEATS[0] {
                        break;
                    }
                }
            });
            stop.store(true, Relaxed);
            (heats, torn + other.join().expect("it does not panic"))
        });
        drop(unit);
        registry.unregister(registered).expect("it was registered");
        (heats, torn)
    }
}

/// Accesses of the host that its makers say are one: of 8 bytes, and where there are such of 16.
mod host {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Whether there are such of 16 bytes: with AVX (Intel SDM 3A, "Guaranteed Atomic Operations"; AMD APM 2, 7.3.2
    /// "Access Atomicity").
    pub(crate) fn has_pairs() -> bool {
        cfg!(all(target_arch = "x86_64", not(miri))) && has_avx()
    }

    #[cfg(target_arch = "x86_64")]
    fn has_avx() -> bool {
        is_x86_feature_detected!("avx")
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn has_avx() -> bool {
        false
    }

    /// One word, or an aligned pair.
    pub(crate) fn load(words: &[AtomicU64]) -> [u64; 2] {
        match words {
            [word] => [word.load(Relaxed); 2],
            pair => load_pair(pair),
        }
    }

    /// The same word in all of one, or of an aligned pair.
    pub(crate) fn store(words: &[AtomicU64], value: u64) {
        match words {
            [word] => word.store(value, Relaxed),
            pair => store_pair(pair, value),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn load_pair(pair: &[AtomicU64]) -> [u64; 2] {
        let mut value = [0u64; 2];
        assert!(has_avx() && pair.len() == 2);
        // SAFETY: sixteen aligned bytes of atomics, and as many of ours; there is AVX.
        unsafe {
            std::arch::asm!("vmovdqa {x}, [{from}]", "vmovdqu [{to}], {x}",
                x = out(xmm_reg) _, from = in(reg) pair.as_ptr(), to = in(reg) value.as_mut_ptr(),
                options(nostack, preserves_flags));
        }
        value
    }

    #[cfg(target_arch = "x86_64")]
    fn store_pair(pair: &[AtomicU64], value: u64) {
        assert!(has_avx() && pair.len() == 2);
        // SAFETY: sixteen aligned bytes of atomics; there is AVX.
        unsafe {
            std::arch::asm!("vmovq {x}, {value}", "vpunpcklqdq {x}, {x}, {x}", "vmovdqa [{to}], {x}",
                x = out(xmm_reg) _, value = in(reg) value, to = in(reg) pair.as_ptr(),
                options(nostack, preserves_flags));
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn load_pair(_: &[AtomicU64]) -> [u64; 2] {
        unreachable!("there are none of 16 bytes")
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn store_pair(_: &[AtomicU64], _: u64) {
        unreachable!("there are none of 16 bytes")
    }
}

#[test]
fn aligned_accesses_are_one() {
    let widths: &[u32] = if host::has_pairs() { &[2, 4] } else { &[2] };
    if widths.len() == 1 {
        println!("SKIP sixteen bytes in aligned_accesses_are_one: no thread here could tell");
    }
    let (mut heats, mut torn) = (0, Vec::new());
    for simd in levels() {
        for race in widths.iter().flat_map(|dwords| races(*dwords)) {
            let (run, halves) = race.run(*simd);
            heats += run;
            if halves > 0 {
                torn.push(format!("{simd:?}: {race}: {halves} torn"));
            }
        }
    }
    assert!(torn.is_empty(), "{}", torn.join("\n"));
    assert!(heats > 0, "the host never ran while a wave did");
}
