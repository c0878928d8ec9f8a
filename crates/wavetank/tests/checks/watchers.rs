//! Watchers of launches.

use std::sync::{Arc, Mutex};

use wavetank::check::{Finding, Findings, SliceEnd, TimeSlice, Tool, Tools, Watcher, WaveOf};
use wavetank::{AccessRecord, CheckTimes, Chip, EngineChoice, MemKind, MemoryKind, Report};

use crate::common::bench::*;
use crate::common::each;

/// One time slice of a wave, as a watcher gets it.
#[derive(Debug)]
struct Slice {
    wave: (u64, u32, u32),
    end: SliceEnd,
    records: Vec<AccessRecord>,
}

/// Records the events that it gets.
#[derive(Default)]
struct Scribe(Arc<Mutex<Vec<Slice>>>);

impl Watcher for Scribe {
    fn time_slice(&mut self, wave: WaveOf, records: &[AccessRecord], end: SliceEnd) {
        self.0.lock().unwrap().push(Slice {
            wave: (wave.group.index, wave.wave, wave.waves),
            end,
            records: records.to_vec(),
        });
    }

    fn end(&mut self, findings: &mut Findings) {
        let slices = self.0.lock().unwrap();
        let records = slices.iter().flat_map(|slice| &slice.records);
        let stored = records.filter(|t| t.kind == MemKind::Store && t.memory == MemoryKind::Global);
        let (mut bytes, mut at) = (0, 0);
        for record in stored {
            (bytes, at) = (bytes + record.bytes, record.pc);
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
            address: None,
            also: Vec::new(),
            times: 1,
        });
    }
}

/// Tools that look at launches take time in each, code is read once, and other tools take none for themselves.
#[test]
fn tools_take_time_of_their_own() {
    let bench = Bench::new(Chip::Gfx900, EngineChoice::Auto);
    bench.load(&[], &[STORE]);
    let times = |tools: &[Tool]| {
        let dispatch = bench.dispatch().check(Tools::of(tools));
        dispatch.run().unwrap().check_times
    };
    let none = CheckTimes::default();
    assert_eq!(times(&[]), none);
    assert_eq!(times(&[Tool::Memory, Tool::Init, Tool::Float]), none);
    for _ in 0..2 {
        let race = times(&[Tool::Race]);
        assert!(race.race > none.race && race.sync == none.sync, "{race:?}");
        let sync = times(&[Tool::Sync]);
        assert!(sync.sync > none.sync && sync.race == none.race, "{sync:?}");
    }
    let first = times(&[Tool::Wait]);
    assert!(
        first.code > none.code && first.sum() == first.code,
        "{first:?}"
    );
    assert_eq!(times(&[Tool::Wait]), none);
}

/// Turns a list around in LDS, with a barrier between: a watcher sees the stores to LDS of all waves before the loads,
/// and nothing else changes.
#[test]
fn watchers_get_events_in_their_order() {
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
        let slices = Arc::default();
        let (plain, wanted) = run(None);
        let (report, got) = run(Some(Scribe(Arc::clone(&slices))));
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

        let slices = slices.lock().unwrap();
        for wave in 0..4 {
            let of = slices.iter().filter(|t| t.wave == (0, wave, 4));
            let ends: Vec<SliceEnd> = of
                .map(|t| t.end)
                .filter(|e| *e != SliceEnd::GoesOn)
                .collect();
            assert!(
                matches!(ends[..], [SliceEnd::Barrier(_), SliceEnd::Ended]),
                "{}: {ends:?}",
                b.label
            );
        }
        let met = slices
            .iter()
            .rposition(|t| matches!(t.end, SliceEnd::Barrier(_)))
            .unwrap();
        let in_lds = |slices: &[Slice], kind| {
            let records = slices.iter().flat_map(|slice| &slice.records);
            records
                .filter(|t| t.memory == MemoryKind::Lds && t.kind == kind)
                .map(|t| t.bytes)
                .sum::<u32>()
        };
        let (before, after) = slices.split_at(met + 1);
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
    let slices = Arc::default();
    let scribe = Box::new(Scribe(Arc::clone(&slices)));
    let report = b.dispatch().check(MEMORY).watch(scribe).run().unwrap();
    let rules: Vec<_> = report.findings.iter().map(|f| f.rule).collect();
    assert_eq!(rules, ["out-of-bounds", "stored"]);
    let slices = slices.lock().unwrap();
    let records = slices.iter().flat_map(|slice: &Slice| &slice.records);
    let stored: Vec<_> = records
        .filter(|t| t.kind == MemKind::Store)
        .map(|t| t.lane.unwrap())
        .collect();
    assert_eq!(
        stored,
        (0..64).filter(|lane| *lane != 5).collect::<Vec<u8>>()
    );
    assert_eq!(slices.last().unwrap().end, SliceEnd::Ended);
}

/// Records the addresses of runs, and whether they are waits.
struct Clerk(Arc<Mutex<Vec<(u64, bool)>>>);

impl Watcher for Clerk {
    fn slice(&mut self, slice: &TimeSlice<'_>) {
        let seen = slice.runs.iter().map(|run| (run.first.pc, run.is_wait()));
        self.0.lock().unwrap().extend(seen);
    }

    fn time_slice(&mut self, _: WaveOf, records: &[AccessRecord], _: SliceEnd) {
        assert_eq!(records, [], "runs are told instead");
    }

    fn end(&mut self, _: &mut Findings) {}
}

/// Waits for vector memory are reported among the accesses, no others.
#[test]
fn watchers_get_the_waits_of_waves() {
    on_each(Chip::Gfx900, |b| {
        let body = [
            "v_mov_b32 v2, 7",
            STORE,
            "s_waitcnt vmcnt(0)",
            STORE,
            "s_waitcnt lgkmcnt(0)",
            STORE,
            "s_waitcnt vmcnt(1) lgkmcnt(0)",
        ];
        b.load(&[], &body);
        let seen = Arc::default();
        let clerk = Box::new(Clerk(Arc::clone(&seen)));
        b.dispatch().watch(clerk).run().unwrap();
        // After four times the lane and the address of `out`, of which each half takes two words.
        let mut pc = b.entry() + 4 + 16;
        let mut wanted = Vec::new();
        for text in body {
            if text == STORE || text.contains("vmcnt") {
                wanted.push((pc, text != STORE));
            }
            pc += b.bytes(text).len() as u64;
        }
        assert_eq!(*seen.lock().unwrap(), wanted);
        assert_eq!(b.result(), [7; 64]);
    });
}

/// Waves of different work-groups meet there, which a watcher of their order needs (Vega ISA, 12.13 DS_GWS_BARRIER).
#[test]
fn watchers_get_global_wave_synchronization() {
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
        let slices = Arc::default();
        let scribe = Box::new(Scribe(Arc::clone(&slices)));
        b.dispatch().watch(scribe).run().unwrap();
        let slices = slices.lock().unwrap();
        let ends: Vec<_> = slices.iter().map(|slice: &Slice| slice.end).collect();
        let ends: Vec<_> = ends
            .into_iter()
            .filter(|end| *end != SliceEnd::GoesOn)
            .collect();
        assert_eq!(ends, [SliceEnd::Resource(3), SliceEnd::Ended], "{engine:?}");
    }
}

#[test]
fn the_first_access_to_gds_is_recorded_as_one() {
    on_each(Chip::Gfx900, |b| {
        let body = [
            "s_movk_i32 m0, 0x1000",
            "v_mov_b32 v0, 0",
            "ds_write_b32 v0, v0 gds",
            "s_waitcnt lgkmcnt(0) expcnt(0)",
        ];
        b.load(&[], &body);
        let slices = Arc::default();
        let scribe = Box::new(Scribe(Arc::clone(&slices)));
        b.dispatch().watch(scribe).run().unwrap();
        let slices = slices.lock().unwrap();
        let records = slices.iter().flat_map(|slice: &Slice| &slice.records);
        let seen: Vec<_> = records.map(|t| (t.memory, t.address, t.bytes)).collect();
        assert_eq!(seen, [(MemoryKind::Gds, 0, 4); 64]);
    });
}
