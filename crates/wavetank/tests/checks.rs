//! Checks of launches: the tool `memory`, behind whose findings kernels go on, and watchers.

#![forbid(unsafe_code)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use wavetank::check::{Finding, Findings, Tool, Tools, TurnEnd, Watcher, WaveOf};
use wavetank::{
    Buffer, Chip, Device, Dispatch, EngineChoice, Error, Kernel, MemKind, Report, Touch, Touched,
};
use wavetank_isa::{encode, parse};

use crate::common::each;

const MEMORY: Tools = Tools::of(&[Tool::Memory]);
const ENGINES: [EngineChoice; 3] = [
    EngineChoice::Interpreter,
    EngineChoice::Jit,
    EngineChoice::Auto,
];

/// What every lane has been given, if nobody has written over it.
const UNTOUCHED: u32 = 0xdead;

/// A kernel of a test's own: the lane is in v0, four times that in v1, the address of `out` in s[4:5].
pub struct Bench {
    device: Device,
    kernel: Kernel,
    /// A dword for each lane.
    out: Buffer,
}

impl Bench {
    pub fn new(chip: Chip, engine: EngineChoice) -> Bench {
        let device = Device::builder(chip).engine(engine).threads(2);
        let device = device.strict(false).build().unwrap();
        let code: &[u8] = match chip {
            Chip::Gfx600 => include_bytes!("data/blank-gfx600.hsaco"),
            Chip::Gfx803 => include_bytes!("data/blank-gfx803.hsaco"),
            _ => include_bytes!("data/blank-gfx900.hsaco"),
        };
        let kernel = device.load(code).unwrap().kernel("blank").unwrap();
        let out = device.buffer_from(&[UNTOUCHED; 64]).unwrap();
        Bench {
            device,
            kernel,
            out,
        }
    }

    /// A buffer of dwords.
    pub fn buffer(&self, dwords: &[u32]) -> Buffer {
        self.device.buffer_from(dwords).unwrap()
    }

    /// The kernel's code.
    fn entry(&self) -> u64 {
        let kernel = &self.kernel;
        kernel.module().address_of(kernel.info().entry)
    }

    /// Puts code into the kernel. `s[6:7]`, `s[8:9]` and so on have these addresses.
    pub fn load(&self, addresses: &[u64], code: &[&str]) {
        let mut all = vec!["v_lshlrev_b32 v1, 2, v0".to_owned()];
        let addresses = [&[self.out.address()], addresses].concat();
        for (n, address) in addresses.iter().enumerate() {
            let (low, high) = (*address as u32, (address >> 32) as u32);
            all.push(format!("s_mov_b32 s{}, {low:#x}", 4 + 2 * n));
            all.push(format!("s_mov_b32 s{}, {high:#x}", 5 + 2 * n));
        }
        all.extend(code.iter().map(|text| (*text).to_owned()));
        all.push("s_endpgm".to_owned());
        let bytes: Vec<u8> = all.iter().flat_map(|text| self.bytes(text)).collect();
        assert!(bytes.len() <= 2048, "it does not fit");
        let registry = self.device.registry();
        registry.write(self.entry(), &bytes).unwrap();
    }

    fn bytes(&self, text: &str) -> Vec<u8> {
        let inst = parse(text, self.device.chip()).unwrap_or_else(|e| panic!("{text}: {e}"));
        encode(&inst).unwrap().as_ref().to_vec()
    }

    /// One wave.
    pub fn dispatch(&self) -> Dispatch<'static> {
        let dispatch = self.kernel.dispatch().grid(64).block(64);
        dispatch.timeout(Duration::from_secs(60))
    }

    /// Runs it with the tool on.
    fn checked(&self) -> Vec<Finding> {
        self.dispatch().check(MEMORY).run().unwrap().findings
    }

    fn result(&self) -> Vec<u32> {
        self.out.read().unwrap()
    }
}

/// On each engine.
fn on_each(chip: Chip, test: impl Fn(Bench)) {
    ENGINES
        .into_iter()
        .for_each(|engine| test(Bench::new(chip, engine)));
}

/// The only finding.
#[track_caller]
fn one(findings: &[Finding]) -> &Finding {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    &findings[0]
}

/// An offset for each lane: four times its number, and for some lanes another one.
fn offsets(others: &[(usize, u32)]) -> Vec<u32> {
    let mut offsets: Vec<u32> = (0..64).map(|lane| 4 * lane).collect();
    others.iter().for_each(|(lane, at)| offsets[*lane] = *at);
    offsets
}

/// Offsets from s[6:7] to v3.
const OFFSETS: [&str; 2] = ["global_load_dword v3, v1, s[6:7]", "s_waitcnt vmcnt(0)"];

/// v2 to `out`.
const STORE: &str = "global_store_dword v1, v2, s[4:5]";

fn code<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}

#[test]
fn loads_give_zero_in_the_lanes_that_are_out_of_bounds() {
    on_each(Chip::Gfx900, |b| {
        let given: Vec<u32> = (100..164).collect();
        let input = b.buffer(&given);
        let run = |others: &[(usize, u32)]| {
            let offsets = b.buffer(&offsets(others));
            let load = [
                "v_mov_b32 v2, 7",
                "global_load_dword v2, v3, s[8:9]",
                "s_waitcnt vmcnt(0)",
                STORE,
            ];
            b.load(
                &[offsets.address(), input.address()],
                &code(&[&OFFSETS, &load]),
            );
            b.checked()
        };
        assert_eq!(run(&[]), []);
        assert_eq!(b.result(), given);
        let findings = run(&[(5, 256), (9, 300)]);
        let mut wanted = given.clone();
        (wanted[5], wanted[9]) = (0, 0);
        assert_eq!(b.result(), wanted);
        let found = one(&findings);
        assert_eq!(
            (found.tool, found.rule, found.times),
            (Tool::Memory, "out-of-bounds", 1)
        );
        assert_eq!(found.kernel, "blank");
        let end = input.address() + 256;
        let message = format!("a load of 4 bytes at {end:#x}, which is outside every allocation");
        assert_eq!(found.message, message);
        let place = &found.at.place;
        assert_eq!(
            place.instruction.as_deref(),
            Some("global_load_dword v2, v3, s[8:9]")
        );
        assert_eq!(place.symbol.as_ref().unwrap().0, "blank");
        assert_eq!(
            found.notes[0],
            "work-group (0, 0, 0), wave 0, lanes 5 and 9"
        );
        let nearest = &found.notes[1];
        assert!(
            nearest.starts_with("the nearest allocation is "),
            "{nearest}"
        );
        assert!(nearest.contains("(256 bytes at 0x"), "{nearest}");
        assert!(nearest.ends_with("which ended 0 bytes before"), "{nearest}");
    });
}

#[test]
fn stores_out_of_bounds_do_not_happen() {
    on_each(Chip::Gfx900, |b| {
        let far = 0x1000_0000;
        let offsets = b.buffer(&offsets(&[(0, far), (63, far)]));
        let store = ["v_add_u32 v2, 1, v0", "global_store_dword v3, v2, s[4:5]"];
        b.load(&[offsets.address()], &code(&[&OFFSETS, &store]));
        let findings = b.checked();
        let mut wanted: Vec<u32> = (1..=64).collect();
        (wanted[0], wanted[63]) = (UNTOUCHED, UNTOUCHED);
        assert_eq!(b.result(), wanted);
        let found = one(&findings);
        assert_eq!(found.rule, "out-of-bounds");
        assert!(
            found.message.starts_with("a store of 4 bytes at 0x"),
            "{found:?}"
        );
        assert!(found.notes[0].ends_with("lanes 0 and 63"), "{found:?}");
    });
}

/// Of a place of 16 bytes that ends beyond a buffer nothing is stored.
#[test]
fn wide_accesses_are_done_or_not() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(1, 248)]));
        let two = ["v_cmp_gt_u32 vcc, 2, v0", "s_and_b64 exec, exec, vcc"];
        let data = [
            "v_mov_b32 v4, 1",
            "v_mov_b32 v5, 2",
            "v_mov_b32 v6, 3",
            "v_mov_b32 v7, 4",
        ];
        let wide = [
            "global_store_dwordx4 v3, v[4:7], s[4:5]",
            "global_load_dwordx4 v[8:11], v3, s[4:5]",
            "s_waitcnt vmcnt(0)",
            "v_lshlrev_b32 v12, 4, v0",
            "global_store_dwordx4 v12, v[8:11], s[8:9]",
        ];
        let seen = b.buffer(&[9; 8]);
        b.load(
            &[offsets.address(), seen.address()],
            &code(&[&OFFSETS, &two, &data, &wide]),
        );
        let findings = b.checked();
        let rules: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].as_str()))
            .collect();
        let lane = "work-group (0, 0, 0), wave 0, lane 1";
        assert_eq!(rules, [("out-of-bounds", lane), ("out-of-bounds", lane)]);
        assert_eq!(seen.read::<u32>().unwrap(), [1, 2, 3, 4, 0, 0, 0, 0]);
        let mut wanted = [UNTOUCHED; 64];
        wanted[..4].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(b.result(), wanted);
    });
}

#[test]
fn halves_that_are_not_loaded_stay() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(4, 256)]));
        let load = [
            "v_mov_b32 v2, 0x77778888",
            "global_load_short_d16_hi v2, v3, s[8:9]",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        let input = b.buffer(&[0x5555_1234; 64]);
        b.load(
            &[offsets.address(), input.address()],
            &code(&[&OFFSETS, &load]),
        );
        let findings = b.checked();
        assert_eq!(one(&findings).rule, "out-of-bounds");
        let mut wanted = [0x1234_8888; 64];
        wanted[4] = 0x8888;
        assert_eq!(b.result(), wanted);
    });
}

/// What is there of the dwords is loaded; a store of which one is not there does not happen.
#[test]
fn scalar_accesses_give_what_is_there() {
    on_each(Chip::Gfx900, |b| {
        let two = b.buffer(&[11, 22]);
        let numbers =
            |first: u32| [0, 1, 2, 3].map(|n| format!("v_writelane_b32 v2, s{}, {n}", first + n));
        let told = numbers(12);
        let mut lines = vec![
            "v_mov_b32 v2, 5",
            "s_mov_b32 s14, 7",
            "s_mov_b32 s15, 7",
            "s_load_dwordx4 s[12:15], s[6:7], 0x0",
            "s_waitcnt lgkmcnt(0)",
        ];
        lines.extend(told.iter().map(String::as_str));
        lines.extend([STORE, "s_store_dwordx4 s[12:15], s[6:7], 0x0"]);
        b.load(&[two.address()], &lines);
        let findings = b.checked();
        assert_eq!(b.result()[..5], [11, 22, 0, 0, 5]);
        let [load, store] = &findings[..] else {
            panic!("{findings:?}")
        };
        assert!(
            load.message.starts_with("a load of 16 bytes at 0x"),
            "{load:?}"
        );
        assert!(
            store.message.starts_with("a store of 16 bytes at 0x"),
            "{store:?}"
        );
        assert_eq!(load.notes[0], "work-group (0, 0, 0), wave 0");
        assert_eq!(two.read::<u32>().unwrap(), [11, 22]);
    });
}

#[test]
fn atomics_return_zero_where_they_are_not_done() {
    on_each(Chip::Gfx900, |b| {
        let cells = b.buffer(&[40; 64]);
        let offsets = b.buffer(&offsets(&[(2, 256), (3, 4 * 3 + 2)]));
        let add = [
            "v_mov_b32 v4, 2",
            "v_mov_b32 v2, 9",
            "global_atomic_add v2, v3, v4, s[8:9] glc",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(
            &[offsets.address(), cells.address()],
            &code(&[&OFFSETS, &add]),
        );
        let findings = b.checked();
        let told: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].as_str()))
            .collect();
        let wave = "work-group (0, 0, 0), wave 0, lane";
        let [out, crooked] = [2, 3].map(|lane| format!("{wave} {lane}"));
        assert_eq!(
            told,
            [
                ("out-of-bounds", out.as_str()),
                ("misaligned", crooked.as_str())
            ]
        );
        let with = |value: u32, others: u32| {
            let mut all = vec![others; 64];
            (all[2], all[3]) = (value, value);
            all
        };
        assert_eq!(b.result(), with(0, 40));
        // Nobody does it to what those two would.
        assert_eq!(cells.read::<u32>().unwrap(), with(40, 42));
    });
}

#[test]
fn what_was_freed_is_named() {
    on_each(Chip::Gfx900, |b| {
        let gone = b.buffer(&[5; 64]);
        let address = gone.address();
        let lines = [
            "global_load_dword v2, v1, s[6:7]",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(&[address], &lines);
        assert_eq!(b.checked(), []);
        drop(gone);
        let findings = b.checked();
        let found = one(&findings);
        assert_eq!(found.rule, "after-free");
        assert!(
            found.message.contains(&format!("at {address:#x},")),
            "{found:?}"
        );
        let was = format!("it is 0 bytes into a buffer (256 bytes at {address:#x})");
        assert_eq!(found.notes[1], was);
        assert!(found.notes[0].ends_with("lanes 0 to 63"), "{found:?}");
        assert_eq!(b.result(), [0; 64]);
    });
}

#[test]
fn code_stays_as_it_is() {
    on_each(Chip::Gfx900, |b| {
        let code = b.entry() + 1024;
        b.load(
            &[code],
            &[
                "global_store_dword v1, v0, s[6:7]",
                "v_mov_b32 v2, 3",
                STORE,
            ],
        );
        let mut before = [0; 256];
        let registry = b.device.registry();
        registry.read(code, &mut before).unwrap();
        let findings = b.checked();
        let found = one(&findings);
        assert_eq!(found.rule, "read-only");
        assert!(
            found.message.ends_with("which the kernel may only read"),
            "{found:?}"
        );
        let mut after = [0; 256];
        registry.read(code, &mut after).unwrap();
        assert_eq!(before, after);
        assert_eq!(b.result(), [3; 64]);
    });
}

/// A lane has 16 bytes of scratch.
#[test]
fn scratch_ends_at_both_sides() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(0, 16), (1, 0xffff_fffc)]));
        let lines = [
            "v_and_b32 v4, 12, v3",
            "v_cmp_gt_u32 vcc, 2, v0",
            "v_cndmask_b32 v3, v4, v3, vcc",
            "v_mov_b32 v5, 6",
            "scratch_store_dword v3, v5, off",
            "v_mov_b32 v2, 8",
            "scratch_load_dword v2, v3, off",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(&[offsets.address()], &code(&[&OFFSETS, &lines]));
        let findings = b.checked();
        let told: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].rsplit(", ").next().unwrap()))
            .collect();
        let both = [("stack-overflow", "lane 0"), ("scratch", "lane 1")];
        assert_eq!(told, [both, both].concat());
        let mut wanted = [6; 64];
        (wanted[0], wanted[1]) = (0, 0);
        assert_eq!(b.result(), wanted);
    });
}

/// What stands in the last lines runs with the tool as it does without: beyond the LDS a chip gives 0 and drops stores. Of
/// the group 256 bytes are LDS.
fn lds(chip: Chip, offsets: &[u32], lines: &[&str]) -> Vec<Finding> {
    let load = match chip {
        Chip::Gfx803 => vec![
            "s_mov_b32 m0, -1",
            "v_add_u32 v4, vcc, s6, v1",
            "v_mov_b32 v5, s7",
            "v_addc_u32 v5, vcc, 0, v5, vcc",
            "flat_load_dword v3, v[4:5]",
            "s_waitcnt vmcnt(0) lgkmcnt(0)",
            "ds_write_b32 v1, v0",
        ],
        _ => code(&[&OFFSETS, &["ds_write_b32 v1, v0"]]),
    };
    let store = match chip {
        Chip::Gfx803 => vec![
            "v_add_u32 v4, vcc, s4, v1",
            "v_mov_b32 v5, s5",
            "v_addc_u32 v5, vcc, 0, v5, vcc",
            "s_waitcnt lgkmcnt(0)",
            "flat_store_dword v[4:5], v2",
        ],
        _ => vec!["s_waitcnt lgkmcnt(0)", STORE],
    };
    let lines = code(&[&load, lines, &store]);
    let found = ENGINES.map(|engine| {
        let b = Bench::new(chip, engine);
        let offsets = b.buffer(offsets);
        b.load(&[offsets.address()], &lines);
        let plain = b.dispatch().run().unwrap();
        let wanted = b.result();
        b.out.write_at(0, &[UNTOUCHED; 64]).unwrap();
        let report = b.dispatch().check(MEMORY).run().unwrap();
        assert_eq!(b.result(), wanted, "{engine}");
        assert_eq!(report.lds_overruns, None);
        assert_eq!(plain.lds_overruns.is_none(), report.findings.is_empty());
        let mut findings = report.findings;
        // Where modules are loaded is not the point.
        for finding in &mut findings {
            finding.at.place.pc = 0;
        }
        findings
    });
    let [first, others @ ..] = found;
    for other in others {
        assert_eq!(first, other);
    }
    first
}

#[test]
fn accesses_beyond_the_lds_are_found_lane_by_lane() {
    let chips = [Chip::Gfx900, Chip::Gfx803];
    for chip in chips {
        let read = ["v_mov_b32 v2, 9", "ds_read_b32 v2, v3"];
        assert_eq!(lds(chip, &offsets(&[]), &read), []);
        let findings = lds(chip, &offsets(&[(7, 256), (8, 300)]), &read);
        let found = one(&findings);
        assert_eq!((found.rule, found.times), ("lds", 1));
        assert_eq!(
            found.message,
            "a load of 4 bytes at offset 256 of an LDS of 256 bytes"
        );
        assert_eq!(found.notes, ["work-group (0, 0, 0), wave 0, lanes 7 and 8"]);
        assert!(found.help.is_some());
    }
}

/// On gfx6 an address in LDS is looked at before an offset is added. It is computed in the block of the access, and nobody
/// reads it behind that, so that code which is compiled to run on need not keep it.
#[test]
fn registers_are_there_when_an_access_is_done_again() {
    on_each(Chip::Gfx600, |b| {
        let lines = [
            "v_cmp_eq_u32 vcc, 7, v0",
            "v_mov_b32 v4, 0x400",
            "v_cndmask_b32 v3, v1, v4, vcc",
            "v_mov_b32 v10, v1",
            "v_mov_b32 v11, 0",
            "s_mov_b32 m0, -1",
            "ds_write_b32 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v7, 4, v3",
            "ds_read_b32 v2, v7 offset:4",
            "s_waitcnt lgkmcnt(0)",
            "buffer_store_dword v2, v[10:11], s[4:7], 0 addr64",
        ];
        // The other half of the descriptor of `out`.
        b.load(&[0xf000 << 32], &lines);
        let findings = b.checked();
        // Lane 62 comes to offset 256.
        let notes = ["work-group (0, 0, 0), wave 0, lanes 7 and 62"];
        assert_eq!(
            (one(&findings).rule, &one(&findings).notes[..]),
            ("lds", &notes.map(str::to_owned)[..])
        );
        let read = |lane: u32| {
            if [7, 62].contains(&lane) {
                0
            } else {
                (lane ^ 1) + 1
            }
        };
        assert_eq!(b.result(), (0..64).map(read).collect::<Vec<_>>());
    });
}

/// Both places of an instruction are one access; a result may go where the address was.
#[test]
fn pairs_of_places_are_done_again_as_a_whole() {
    let beyond = offsets(&[(3, 252), (4, 252), (5, 4000)]);
    for lines in [
        &[
            "ds_read2_b32 v[3:4], v3 offset1:1",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v3, v4",
        ][..],
        &[
            "v_mov_b32 v4, v3",
            "ds_read2_b32 v[3:4], v4 offset1:1",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v3, v4",
        ],
        &[
            "v_mov_b32 v5, 77",
            "ds_write2_b32 v3, v5, v0 offset1:1",
            "ds_read_b32 v2, v1",
        ],
        &["v_mov_b32 v2, 1", "ds_add_rtn_u32 v2, v3, v0"],
        &[
            "ds_read_b128 v[4:7], v3",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v4, v5",
        ],
    ] {
        let findings = lds(Chip::Gfx900, &beyond, lines);
        assert_eq!(one(&findings).rule, "lds", "{lines:?}");
    }
}

/// The first of its operations has been done when the second fails.
#[test]
fn two_atomics_at_once_are_not_done_again() {
    let b = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let lines = [
        "v_mov_b32 v3, 252",
        "ds_wrxchg2_rtn_b32 v[4:5], v3, v0, v0 offset1:1",
    ];
    b.load(&[], &lines);
    let error = b.dispatch().check(MEMORY).run().unwrap_err();
    assert!(matches!(error, Error::Fault(_)), "{error}");
    assert_eq!(one(error.findings()).rule, "lds");
}

#[test]
fn equal_findings_are_counted() {
    on_each(Chip::Gfx900, |b| {
        let lines = [
            "s_mov_b32 s12, 5",
            "global_load_dword v2, v1, s[6:7]",
            "s_waitcnt vmcnt(0)",
            "s_sub_u32 s12, s12, 1",
            "s_cmp_lg_u32 s12, 0",
            "s_cbranch_scc1 65530",
        ];
        b.load(&[0x10], &lines);
        let dispatch = b.kernel.dispatch().grid(4 * 128).block(128).check(MEMORY);
        let report = dispatch.run().unwrap();
        let found = one(&report.findings);
        // Eight waves, five times each; the earliest is told.
        assert_eq!(found.times, 40);
        assert_eq!(
            found.notes[0],
            "work-group (0, 0, 0), wave 0, lanes 0 to 63"
        );
        assert_eq!((report.groups, report.waves), (4, 8));
    });
}

#[test]
fn a_kernel_can_stop_at_the_first() {
    on_each(Chip::Gfx900, |b| {
        let lines = [
            "global_load_dword v2, v1, s[6:7]",
            "global_load_dword v2, v1, s[8:9]",
        ];
        b.load(&[0x10, 0x1000], &lines);
        assert_eq!(b.checked().len(), 2);
        let plain = b.dispatch().run().unwrap_err();
        let error = b
            .dispatch()
            .check(MEMORY)
            .keep_going(false)
            .run()
            .unwrap_err();
        assert_eq!(error.to_string(), plain.to_string());
        assert_eq!(plain.findings(), []);
        let found = one(error.findings());
        assert_eq!(found.rule, "out-of-bounds");
        assert!(found.notes[0].ends_with("lane 0"), "{found:?}");
    });
}

#[test]
fn code_that_is_not_there_ends_the_launch() {
    on_each(Chip::Gfx900, |b| {
        b.load(
            &[0x10, 0x1000],
            &["global_load_dword v2, v1, s[6:7]", "s_setpc_b64 s[8:9]"],
        );
        let error = b.dispatch().check(MEMORY).run().unwrap_err();
        let [load, code] = error.findings() else {
            panic!("{:?}", error.findings())
        };
        assert_eq!((load.rule, code.rule), ("out-of-bounds", "code"));
        assert!(code.message.contains("0x1000"), "{code:?}");
        // What is merely not supported is none.
        b.load(&[], &["s_trap 3"]);
        let error = b.dispatch().check(MEMORY).run().unwrap_err();
        assert_eq!(error.findings(), []);
    });
}

/// `data/recursion.cl`, compiled for gfx900 by clang 19 without optimisation.
const RECURSION: &[u8] = include_bytes!("data/recursion-gfx900.hsaco");

#[test]
fn a_stack_that_overflows_tells_who_called() {
    let device = Device::builder(Chip::Gfx900).build().unwrap();
    let out = device.buffer_zeroed(4 * 64).unwrap();
    let kernel = device.load(RECURSION).unwrap().kernel("beyond").unwrap();
    let dispatch = kernel.dispatch().grid(64).block(64);
    let report = dispatch.args(args![&out, 1000i32]).check(MEMORY).run();
    let findings = report.unwrap().findings;
    assert!(
        findings.iter().all(|f| f.rule == "stack-overflow"),
        "{findings:?}"
    );
    assert!(
        findings[0].message.starts_with("stack overflow: "),
        "{findings:?}"
    );
    let help = findings[0].help.as_deref().unwrap();
    assert!(
        help.ends_with("an index into a private array is out of range"),
        "{help}"
    );
}

/// A correct kernel gives the same, and nothing is found.
#[test]
fn correct_kernels_are_left_alone() {
    each("vecadd", |b| {
        for engine in ENGINES {
            let device = Device::builder(b.device.chip())
                .engine(engine)
                .build()
                .unwrap();
            let kernel = device
                .load(b.module.object().bytes())
                .unwrap()
                .kernel("vecadd")
                .unwrap();
            let x: Vec<f32> = (0..300).map(|i| i as f32 / 7.0).collect();
            let run = |tools: Tools| {
                let input = device.buffer_from(&x).unwrap();
                let out = device.buffer_zeroed(1200).unwrap();
                let dispatch = kernel.dispatch().grid(300).block(128).check(tools);
                let report = dispatch
                    .args(args![&input, &input, &out, 300u32])
                    .run()
                    .unwrap();
                assert_eq!(report.findings, [], "{}", b.label);
                out.read::<u32>().unwrap()
            };
            assert_eq!(run(Tools::default()), run(MEMORY), "{}", b.label);
        }
    });
    each("suite", |b| {
        let list: Vec<f32> = (1..=200).map(|i| i as f32).collect();
        let kernel = b.module.kernel("_Z8k_dynldsPf").unwrap();
        let buffer = b.device.buffer_from(&list).unwrap();
        let dispatch = kernel.dispatch().grid(200).block(200).arg(&buffer);
        let report = dispatch.dynamic_lds(800).check(MEMORY).run().unwrap();
        assert_eq!(report.findings, [], "{}", b.label);
        let turned: Vec<f32> = list.into_iter().rev().collect();
        assert_eq!(buffer.read::<f32>().unwrap(), turned, "{}", b.label);
    });
}

/// One turn of a wave, as a watcher is told.
#[derive(Debug)]
struct Turn {
    wave: (u64, u32, u32),
    end: TurnEnd,
    touches: Vec<Touch>,
}

/// Writes down what it is told.
#[derive(Default)]
struct Scribe(Arc<Mutex<Vec<Turn>>>);

impl Watcher for Scribe {
    fn turn(&mut self, wave: WaveOf, touches: &[Touch], end: TurnEnd) {
        self.0.lock().unwrap().push(Turn {
            wave: (wave.group.index, wave.wave, wave.waves),
            end,
            touches: touches.to_vec(),
        });
    }

    fn end(&mut self, findings: &mut Findings) {
        let turns = self.0.lock().unwrap();
        let touches = turns.iter().flat_map(|turn| &turn.touches);
        let stored = touches.filter(|t| t.kind == MemKind::Store && t.memory == Touched::Global);
        let (mut bytes, mut at) = (0, 0);
        for touch in stored {
            (bytes, at) = (bytes + touch.bytes, touch.pc);
        }
        findings.add(Finding {
            tool: Tool::Sync,
            rule: "stored",
            kernel: String::new(),
            message: format!("{bytes} bytes were stored"),
            at: wavetank::check::Mark::at(at, "here"),
            related: Vec::new(),
            host: Vec::new(),
            notes: Vec::new(),
            help: None,
            times: 1,
        });
    }
}

/// Turns a list around in LDS, with a barrier between: who looks at it sees the stores to LDS of all waves before the loads,
/// and nothing else changes.
#[test]
fn watchers_are_told_what_happened_in_its_order() {
    each("suite", |b| {
        // Without optimisation there are stores to scratch.
        if b.label.starts_with("O0") {
            return;
        }
        let list: Vec<f32> = (1..=200).map(|i| i as f32).collect();
        let kernel = b.module.kernel("_Z8k_dynldsPf").unwrap();
        let run = |scribe: Option<Scribe>| -> (Report, Vec<f32>) {
            let buffer = b.device.buffer_from(&list).unwrap();
            let mut dispatch = kernel.dispatch().grid(200).block(200).arg(&buffer);
            if let Some(scribe) = scribe {
                dispatch = dispatch.watch(Box::new(scribe));
            }
            let report = dispatch.dynamic_lds(800).count(true).run().unwrap();
            (report, buffer.read().unwrap())
        };
        let turns = Arc::default();
        let (plain, wanted) = run(None);
        let (report, got) = run(Some(Scribe(Arc::clone(&turns))));
        assert_eq!(got, wanted, "{}", b.label);
        let counts = |report: &Report| report.instructions.unwrap().waves();
        assert_eq!(counts(&report), counts(&plain));
        assert_eq!(report.threads, 1);
        let found = one(&report.findings);
        assert_eq!(found.message, "800 bytes were stored", "{}", b.label);
        assert_eq!(found.kernel, kernel.name());
        let instruction = found.at.place.instruction.as_deref();
        assert!(
            instruction.is_some_and(|text| text.contains("_store_")),
            "{found:?}"
        );

        let turns = turns.lock().unwrap();
        for wave in 0..4 {
            let of = turns.iter().filter(|t| t.wave == (0, wave, 4));
            let ends: Vec<TurnEnd> = of
                .map(|t| t.end)
                .filter(|e| *e != TurnEnd::GoesOn)
                .collect();
            assert!(
                matches!(ends[..], [TurnEnd::Barrier(_), TurnEnd::Ended]),
                "{}: {ends:?}",
                b.label
            );
        }
        let met = turns
            .iter()
            .rposition(|t| matches!(t.end, TurnEnd::Barrier(_)))
            .unwrap();
        let in_lds = |turns: &[Turn], kind| {
            let touches = turns.iter().flat_map(|turn| &turn.touches);
            touches
                .filter(|t| t.memory == Touched::Lds && t.kind == kind)
                .map(|t| t.bytes)
                .sum::<u32>()
        };
        let (before, after) = turns.split_at(met + 1);
        assert_eq!(in_lds(before, MemKind::Store), 800);
        assert_eq!(in_lds(before, MemKind::Load), 0);
        assert_eq!(in_lds(after, MemKind::Load), 800);
    });
}

/// Watchers see what was done for the other lanes, and no access that was denied.
#[test]
fn watchers_see_no_access_that_was_denied() {
    let b = Bench::new(Chip::Gfx900, EngineChoice::Auto);
    let offsets = b.buffer(&offsets(&[(5, 0x1000_0000)]));
    b.load(
        &[offsets.address()],
        &code(&[&OFFSETS, &["global_store_dword v3, v0, s[4:5]"]]),
    );
    let turns = Arc::default();
    let scribe = Box::new(Scribe(Arc::clone(&turns)));
    let report = b.dispatch().check(MEMORY).watch(scribe).run().unwrap();
    let rules: Vec<_> = report.findings.iter().map(|f| f.rule).collect();
    assert_eq!(rules, ["out-of-bounds", "stored"]);
    let turns = turns.lock().unwrap();
    let touches = turns.iter().flat_map(|turn: &Turn| &turn.touches);
    let stored: Vec<_> = touches
        .filter(|t| t.kind == MemKind::Store)
        .map(|t| t.lane.unwrap())
        .collect();
    assert_eq!(
        stored,
        (0..64).filter(|lane| *lane != 5).collect::<Vec<u8>>()
    );
    assert_eq!(turns.last().unwrap().end, TurnEnd::Ended);
}

/// Waves of different work-groups meet there, which whoever follows their order has to know (Vega ISA, 12.13 DS_GWS_BARRIER).
#[test]
fn watchers_are_told_of_global_wave_synchronization() {
    for engine in ENGINES {
        let b = Bench::new(Chip::Gfx900, engine);
        let code = [
            "s_mov_b32 m0, 0",
            "v_mov_b32 v2, 0",
            "ds_gws_barrier v2 offset:3 gds",
            "s_waitcnt lgkmcnt(0)",
            "global_store_dword v1, v0, s[4:5]",
        ];
        b.load(&[], &code);
        let turns = Arc::default();
        let scribe = Box::new(Scribe(Arc::clone(&turns)));
        b.dispatch().watch(scribe).run().unwrap();
        let turns = turns.lock().unwrap();
        let ends: Vec<_> = turns.iter().map(|turn: &Turn| turn.end).collect();
        let ends: Vec<_> = ends
            .into_iter()
            .filter(|end| *end != TurnEnd::GoesOn)
            .collect();
        assert_eq!(ends, [TurnEnd::Resource(3), TurnEnd::Ended], "{engine:?}");
    }
}

/// A work-group takes most LDS of its unit, of which Vega 10 has 64, and each waits for one group more.
#[test]
fn a_grid_that_the_chip_does_not_hold_is_told() {
    let bench = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let with = |inst: &str| {
        let code = [
            "s_mov_b32 m0, 0",
            "v_mov_b32 v2, 64",
            inst,
            "s_waitcnt lgkmcnt(0)",
        ];
        bench.load(&[], &code);
    };
    with("ds_gws_init v2 offset:3 gds");
    bench.dispatch().run().unwrap();
    with("ds_gws_barrier v2 offset:3 gds");
    let dispatch = bench.kernel.dispatch().grid(64 * 65).block(64);
    let dispatch = dispatch.dynamic_lds(40_000);
    let dispatch = dispatch.timeout(Duration::from_millis(500));
    let run = dispatch.check(Tools::of(&[Tool::Sync])).run();
    let error = run.unwrap_err();
    assert!(matches!(error, Error::Timeout(_)), "{error}");
    let finding = one(error.findings());
    assert_eq!(
        (finding.tool, finding.rule),
        (Tool::Sync, "cooperative-grid")
    );
    assert_eq!(
        finding.notes[1],
        "of 65 work-groups 1 have not begun: the chip holds 64 of this kernel at once"
    );
}

/// Wave 0 waits at a barrier, and wave 1 never comes there.
#[test]
fn who_waits_for_whom_is_told_when_time_is_up() {
    let bench = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let code = [
        "v_readfirstlane_b32 s0, v0",
        "s_cmp_eq_u32 s0, 0",
        "s_cbranch_scc0 1",
        "s_barrier",
        "s_branch 65535",
    ];
    bench.load(&[], &code);
    let dispatch = bench.kernel.dispatch().grid(128).block(128);
    let dispatch = dispatch.timeout(Duration::from_millis(300));
    let error = dispatch.check(Tools::of(&[Tool::Sync])).run().unwrap_err();
    let finding = one(error.findings());
    assert_eq!((finding.tool, finding.rule), (Tool::Sync, "no-end"));
    let at = |text: &Option<String>| text.clone().unwrap_or_default();
    assert!(
        at(&finding.at.place.instruction).starts_with("s_branch"),
        "{finding:?}"
    );
    let [other] = &finding.related[..] else {
        panic!("{finding:?}")
    };
    assert_eq!(at(&other.place.instruction), "s_barrier");
    assert_eq!(other.label, "a wave waits here");
    let without = bench.kernel.dispatch().grid(128).block(128);
    let without = without
        .timeout(Duration::from_millis(300))
        .run()
        .unwrap_err();
    assert!(without.findings().is_empty());
}
