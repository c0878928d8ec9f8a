//! The scheduler with workers whose waves run Rust functions instead of code.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use wavetank_ir::GlobalSync;
use wavetank_machine::schedule::{Counts, Failure, Message, Options, Worker, run};
use wavetank_machine::{
    DefaultFloatEnv, Event, Exported, Fault, GlobalSyncUnit, Grid, Group, Leave, Prepared,
    Schedule, Sent, Site, StartWave, SyncRequest, WaveState, YieldPoint,
};
use wavetank_memory::Wave;

/// Registers of the toy start state.
const GROUP: usize = 0;
const WAVE: usize = 1;
const STEP: usize = 2;
const SLOT: usize = 3;

struct Start;

impl StartWave for Start {
    fn start(&self, wave: &mut Wave, site: &Site<'_>, _: &mut Prepared) {
        wave.clear(0);
        let s = &mut wave.uniform_mut().s;
        s[GROUP] = site.group.index as u32;
        s[WAVE] = site.index;
        s[SLOT] = site.slot;
    }
}

/// The guest address of the instruction of a step.
fn address(step: u32) -> u64 {
    0x1000 + 8 * u64::from(step)
}

/// The same reason to leave, at another instruction.
fn at(pc: u64, leave: Leave) -> Leave {
    match leave {
        Leave::End(_) => Leave::End(pc),
        Leave::Barrier(_) => Leave::Barrier(pc),
        Leave::Other(event) => match *event {
            Event::GlobalSync { request, .. } => Event::GlobalSync { pc, request },
            Event::Export { sent, .. } => Event::Export { pc, sent },
            Event::Message { message, .. } => Event::Message { pc, message },
            Event::Breakpoint { block, .. } => Event::Breakpoint { pc, block },
            Event::Fault(fault) => Event::Fault(fault),
        }
        .into(),
        yielded => yielded
            .yield_point()
            .map_or(yielded, |point| Leave::yields(point, pc)),
    }
}

/// Calls a function with a wave's group, number and the step it is at. Its result is a reason to leave at address 0.
struct Toy<F>(F);

impl<F: FnMut(u32, u32, u32) -> Leave> Worker for Toy<F> {
    fn add_slot(&mut self) -> Result<u64, Fault> {
        Ok(0)
    }

    fn enter(&mut self, _: usize, _: &Group, _: bool) {}

    fn run(&mut self, wave: &mut Wave) -> Leave {
        let uniform = wave.uniform_mut();
        let (group, number, step) = (uniform.s[GROUP], uniform.s[WAVE], uniform.s[STEP]);
        uniform.s[STEP] += 1;
        uniform.counts[1] += 1;
        uniform.pc = address(step + 1);
        at(address(step), self.0(group, number, step))
    }
}

/// A wave has used its time slice up.
const SLICE_END: Leave = Leave::BackEdge(0);

fn grid(groups: u32, waves: u32) -> Grid {
    Grid::new([groups * waves * 64, 1, 1], [waves * 64, 1, 1]).unwrap()
}

fn toy(
    grid: &Grid,
    options: &Options<'_>,
    f: impl Fn(u32, u32, u32) -> Leave + Sync,
) -> Result<Counts, Failure> {
    run(grid, &Start, options, |_| Toy(&f))
}

#[test]
fn groups_start_in_order_on_one_thread() {
    let order = Mutex::new(Vec::new());
    let counts = toy(&grid(5, 2), &Options::default(), |group, wave, _| {
        order.lock().unwrap().push((group, wave));
        Leave::End(0)
    });
    let expected: Vec<_> = (0..5).flat_map(|g| [(g, 0), (g, 1)]).collect();
    assert_eq!(*order.lock().unwrap(), expected);
    let counts = counts.unwrap();
    assert_eq!((counts.groups, counts.waves), (5, 10));
    assert_eq!(counts.families[1], 10);
}

#[test]
fn a_barrier_opens_when_all_live_waves_are_there() {
    let log = Mutex::new(Vec::new());
    let f = |_, wave, step| {
        log.lock().unwrap().push((wave, step));
        match (wave, step) {
            // Wave 1 ends before the barrier; wave 2 comes late.
            (1, _) => Leave::End(0),
            (2, 0..=2) => SLICE_END,
            (0, 0) | (2, 3) => Leave::Barrier(0),
            _ => Leave::End(0),
        }
    };
    toy(&grid(1, 3), &Options::default(), f).unwrap();
    let log = log.into_inner().unwrap();
    let at = |entry| log.iter().position(|e| *e == entry).unwrap();
    assert!(
        at((0, 1)) > at((2, 3)),
        "wave 0 passed before wave 2 came: {log:?}"
    );
}

#[test]
fn a_spinning_wave_lets_its_partner_run() {
    let flag = AtomicBool::new(false);
    let f = |_, wave, step| match (wave, step) {
        (0, _) if flag.load(SeqCst) => Leave::End(0),
        (0, _) => SLICE_END,
        (_, 40) => {
            flag.store(true, SeqCst);
            Leave::End(0)
        }
        _ => SLICE_END,
    };
    toy(&grid(1, 2), &Options::default(), f).unwrap();
}

/// Group 0 spins until the last group has run: with room for all, none is starved.
#[test]
fn a_spinning_group_lets_later_groups_start() {
    let why = [YieldPoint::BackEdge, YieldPoint::Sleep, YieldPoint::Spin];
    for why in why {
        let arrived = AtomicU32::new(0);
        let f = |_, _, step| {
            if step == 0 {
                arrived.fetch_add(1, SeqCst);
            }
            match arrived.load(SeqCst) {
                6 => Leave::End(0),
                _ => Leave::yields(why, 0),
            }
        };
        let options = Options {
            resident_groups: 6,
            ..Options::default()
        };
        toy(&grid(6, 1), &options, f).unwrap();
    }
}

/// An export of a wave is given to the launch if it takes exports; otherwise the kernel stops.
#[test]
fn exports_are_taken_or_refused() {
    let export = Sent {
        target: 12,
        compressed: false,
        done: true,
        valid_mask: false,
        lanes: 5,
        data: [Some(Box::new([7; 64])), None, None, None],
    };
    let f = |group, _, step| match step {
        2 if group == 1 => Event::Export {
            pc: 0,
            sent: export.clone(),
        }
        .into(),
        0..2 => SLICE_END,
        _ => Leave::End(0),
    };
    let taken = Mutex::new(Vec::new());
    let take = |exported: &Exported| taken.lock().unwrap().push(exported.clone());
    let options = Options {
        exports: Some(&take),
        ..Options::default()
    };
    toy(&grid(2, 1), &options, f).unwrap();
    let taken = taken.into_inner().unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!((taken[0].group.index, &taken[0].export), (1, &export));

    let refused = toy(&grid(2, 1), &Options::default(), f).unwrap_err();
    assert!(matches!(
        refused,
        Failure::Fault { fault: Fault::Unsupported { pc, what }, .. } if pc == address(2) && what.contains("exports")
    ));
}

fn request(op: GlobalSync, value: u32) -> SyncRequest {
    SyncRequest {
        op,
        resource: 0,
        value,
    }
}

fn global_sync(op: GlobalSync, value: u32) -> Leave {
    let request = request(op, value);
    Event::GlobalSync { pc: 0, request }.into()
}

/// One wave of each group meets those of the others while its partner waits at the group's barrier. All groups are
/// resident on any number of threads, also where it does not divide them.
#[test]
fn all_groups_meet() {
    for threads in 1..=3 {
        let sync = GlobalSyncUnit::default();
        sync.enter(request(GlobalSync::Init, 6));
        let arrived = AtomicU32::new(0);
        let met = || assert_eq!(arrived.load(SeqCst), 7);
        let f = |_, wave, step| match (wave, step) {
            (0, 0) => {
                arrived.fetch_add(1, SeqCst);
                global_sync(GlobalSync::Barrier, 6)
            }
            (0, 1) => {
                met();
                Leave::Barrier(0)
            }
            (1, 0) => Leave::Barrier(0),
            _ => {
                met();
                Leave::End(0)
            }
        };
        let options = Options {
            threads,
            resident_groups: 7,
            sync: Some(&sync),
            ..Options::default()
        };
        toy(&grid(7, 2), &options, f).unwrap();
    }
}

/// A wave that waits for others in vain is reported, and does not take a later signal.
#[test]
fn a_hung_wave_leaves_the_queue() {
    let sync = GlobalSyncUnit::default();
    let options = Options {
        sync: Some(&sync),
        deadline: Some(Instant::now() + Duration::from_millis(50)),
        ..Options::default()
    };
    let f = |_, _, _| global_sync(GlobalSync::Wait, 0);
    let Err(Failure::Timeout { waves, .. }) = toy(&grid(1, 1), &options, f) else {
        panic!("it cannot end");
    };
    assert!(matches!(waves[0].state, WaveState::GlobalSync(ticket) if ticket.resource() == 0));
    assert_eq!(waves[0].pc, address(0));
    sync.enter(request(GlobalSync::Signal, 0));
    assert_eq!(sync.enter(request(GlobalSync::Wait, 0)), None);
}

#[test]
fn no_more_groups_are_resident_than_the_chip_holds() {
    let started = AtomicU32::new(0);
    let most = AtomicU32::new(0);
    let f = |_, _, step| {
        if step == 0 {
            most.fetch_max(started.fetch_add(1, SeqCst) + 1, SeqCst);
        }
        if step < 50 {
            return SLICE_END;
        }
        started.fetch_sub(1, SeqCst);
        Leave::End(0)
    };
    let options = Options {
        resident_groups: 3,
        ..Options::default()
    };
    let counts = toy(&grid(10, 1), &options, f).unwrap();
    assert_eq!(counts.groups, 10);
    assert_eq!(most.into_inner(), 3);
}

#[test]
fn threads_run_every_group_once() {
    let seen: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
    let (calls, most) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |done, all| {
        assert_eq!(all, 1000);
        calls.fetch_add(1, SeqCst);
        most.fetch_max(done, SeqCst);
    };
    let options = Options {
        threads: 4,
        progress: Some(&progress),
        ..Options::default()
    };
    let counts = toy(&grid(1000, 1), &options, |group, _, _| {
        seen[group as usize].fetch_add(1, SeqCst);
        Leave::End(0)
    });
    assert_eq!(counts.unwrap().groups, 1000);
    // Short work-groups are reported many at a time, and all of them in the end.
    let calls = calls.into_inner();
    assert!(calls > 4 && calls < 100, "{calls} calls");
    assert_eq!(most.into_inner(), 1000);
    assert!(seen.iter().all(|n| n.load(SeqCst) == 1));
}

#[test]
fn a_fault_stops_everything_and_names_the_wave() {
    let later = AtomicU32::new(0);
    let failure = toy(&grid(100, 2), &Options::default(), |group, wave, _| {
        if group > 7 {
            later.fetch_add(1, SeqCst);
        }
        match (group, wave) {
            (7, 1) => Fault::Trap { pc: 0x40, id: 2 }.into(),
            _ => Leave::End(0),
        }
    });
    let Err(Failure::Fault { group, wave, fault }) = failure else {
        panic!("no fault: {failure:?}")
    };
    assert_eq!((group.index, wave), (7, 1));
    assert_eq!(fault, Fault::Trap { pc: 0x40, id: 2 });
    assert_eq!(later.into_inner(), 0);
}

#[test]
fn a_timeout_says_where_waves_hang() {
    let options = Options {
        threads: 2,
        resident_groups: 2,
        deadline: Some(Instant::now() + Duration::from_millis(30)),
        ..Options::default()
    };
    let failure = toy(&grid(2, 3), &options, |_, wave, step| match (wave, step) {
        (0, 3) => Leave::Barrier(0),
        (1, _) => Leave::End(0),
        _ => SLICE_END,
    });
    let Err(Failure::Timeout { done, waves }) = failure else {
        panic!("no timeout: {failure:?}")
    };
    assert_eq!(done, 0);
    let group_0: Vec<_> = waves.iter().filter(|w| w.group.index == 0).collect();
    assert_eq!(group_0.len(), 2);
    assert_eq!((group_0[0].wave, group_0[0].state), (0, WaveState::Barrier));
    // A waiting wave is at its waiting instruction, a running one before its next one.
    assert_eq!(group_0[0].pc, address(3));
    assert_eq!((group_0[1].wave, group_0[1].state), (2, WaveState::Ready));
    assert!(group_0[1].pc > address(3), "{:#x}", group_0[1].pc);
}

#[test]
fn cancelling_stops_groups_that_end_by_themselves() {
    let cancel = AtomicBool::new(false);
    let options = Options {
        cancel: Some(&cancel),
        ..Options::default()
    };
    let failure = toy(&grid(1_000_000, 1), &options, |group, _, _| {
        cancel.store(group == 10, SeqCst);
        Leave::End(0)
    });
    assert!(
        matches!(failure, Err(Failure::Timeout { done: 11, .. })),
        "{failure:?}"
    );
}

#[test]
fn messages_reach_the_host_and_the_wave_goes_on() {
    let seen = Mutex::new(Vec::new());
    let hook = |m: Message| {
        let message = (m.group.index, m.wave, m.pc, m.code);
        seen.lock().unwrap().push(message);
    };
    let options = Options {
        message: Some(&hook),
        ..Options::default()
    };
    let counts = toy(&grid(2, 1), &options, |_, _, step| match step {
        1 => Event::Message { pc: 0, message: 7 }.into(),
        0 => SLICE_END,
        _ => Leave::End(0),
    });
    assert_eq!(counts.unwrap().messages, 2);
    assert_eq!(
        *seen.lock().unwrap(),
        [(0, 0, address(1), 7), (1, 0, address(1), 7)]
    );
}

/// A host built with fast-math flags flushes denormals; threads inherit that.
#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn waves_run_in_the_default_float_environment() {
    let tiny = std::hint::black_box(1e-40f32);
    let f = |_, _, _| match (tiny * std::hint::black_box(1.0)).to_bits() {
        0 => Fault::Trap { pc: 0, id: 0 }.into(),
        _ => Leave::End(0),
    };
    let options = Options {
        threads: 2,
        ..Options::default()
    };
    let _restore = DefaultFloatEnv::enter();
    flush_denormals();
    let flushed = (tiny * std::hint::black_box(1.0)).to_bits();
    let outcome = toy(&grid(4, 1), &options, f);
    assert_eq!(flushed, 0);
    assert!(outcome.is_ok());
}

/// Until the float environment is restored.
#[cfg(target_arch = "x86_64")]
fn flush_denormals() {
    let mxcsr = 0x1f80u32 | 1 << 15 | 1 << 6;
    // SAFETY: loads a valid MXCSR.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr) };
}

#[cfg(target_arch = "aarch64")]
fn flush_denormals() {
    // SAFETY: sets a mode of FPCR that every processor has.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) 1u64 << 24) };
}

/// Waves that use up every time slice: 14 of them, then a barrier, then 3 more.
struct Spender<'a>(&'a Mutex<Vec<(u32, i64)>>);

impl Worker for Spender<'_> {
    fn add_slot(&mut self) -> Result<u64, Fault> {
        Ok(0)
    }

    fn enter(&mut self, _: usize, _: &Group, _: bool) {}

    fn run(&mut self, wave: &mut Wave) -> Leave {
        let uniform = wave.uniform_mut();
        self.0
            .lock()
            .unwrap()
            .push((uniform.s[WAVE], uniform.budget));
        uniform.budget = 0;
        uniform.s[STEP] += 1;

        match uniform.s[STEP] {
            15 => Leave::Barrier(0),
            18 => Leave::End(0),
            _ => SLICE_END,
        }
    }
}

/// The time slices that waves of one work-group get, by wave and budget.
fn slices(schedule: Schedule, waves: u32) -> Vec<(u32, i64)> {
    let slices = Mutex::new(Vec::new());
    let options = Options {
        schedule,
        ..Options::default()
    };
    run(&grid(1, waves), &Start, &options, |_| Spender(&slices)).unwrap();
    slices.into_inner().unwrap()
}

#[test]
fn time_slices_are_short_after_the_start_and_each_barrier_and_then_grow() {
    let slices = slices(Schedule::Fair, 2);
    let order = (0..18).flat_map(|_| [0, 1]);
    assert!(slices.iter().map(|t| t.0).eq(order), "{slices:?}");
    let budgets: Vec<i64> = slices.iter().filter(|t| t.0 == 0).map(|t| t.1).collect();
    assert!(budgets[0] <= 64, "some dozens of instructions: {budgets:?}");
    assert!(
        budgets[..12].is_sorted_by(|a, b| 2 * a == *b),
        "{budgets:?}"
    );
    assert!(
        budgets[11..15].iter().all(|b| *b == budgets[11]),
        "{budgets:?}"
    );
    assert_eq!(budgets[15..], budgets[..3], "{budgets:?}");
}

#[test]
fn greedy_time_slices_are_all_long() {
    let long = slices(Schedule::Fair, 1)[14].1;
    assert!(slices(Schedule::Greedy, 2).iter().all(|t| t.1 == long));
}

#[test]
fn random_time_slices_follow_from_the_seed() {
    let of = |seed| slices(Schedule::Random(seed), 5);
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
    let in_order = |slices: &[(u32, i64)]| slices[..5].iter().map(|t| t.0).eq(0..5);
    assert!((0..20).any(|seed| !in_order(&of(seed))), "never shuffled");
}

/// Who watches hears of a group that alone takes long, also where it meets at barriers all the time.
#[test]
fn a_long_work_group_reports_progress() {
    for why in [SLICE_END, Leave::Barrier(0)] {
        let calls = AtomicU64::new(0);
        let progress = |done, all| {
            assert!(done <= all && all == 1);
            calls.fetch_add(1, SeqCst);
        };
        let options = Options {
            progress: Some(&progress),
            ..Options::default()
        };
        let f = |_, _, step| match step {
            1000 => Leave::End(0),
            _ => why.clone(),
        };
        toy(&grid(1, 2), &options, f).unwrap();
        assert!(calls.into_inner() > 10, "{why:?}");
    }
}

/// Group 0 spins until group 1 has done its long work: it looks once for each of its time slices, and gets no longer time slices.
#[test]
fn a_group_that_spins_waits_while_another_gets_on() {
    let (looks, done) = (AtomicU32::new(0), AtomicBool::new(false));
    let f = |group, _, step| match (group, step) {
        (0, _) if done.load(SeqCst) => Leave::End(0),
        (0, _) => {
            looks.fetch_add(1, SeqCst);
            Leave::Spin(0)
        }
        (_, 1000) => {
            done.store(true, SeqCst);
            Leave::End(0)
        }
        _ => SLICE_END,
    };
    let options = Options {
        resident_groups: 2,
        ..Options::default()
    };
    toy(&grid(2, 1), &options, f).unwrap();
    let looks = looks.into_inner();
    assert!(
        (1..100).contains(&looks),
        "looked {looks} times while 1000 slices were spent"
    );
}

fn fault() -> Leave {
    Fault::Trap { pc: 0x40, id: 2 }.into()
}

/// The work-group whose fault is reported.
fn faulty_group(outcome: Result<Counts, Failure>) -> u64 {
    match outcome {
        Err(Failure::Fault { group, .. }) => group.index,
        other => panic!("no fault: {other:?}"),
    }
}

/// From group 3 on all fail, later ones sooner.
#[test]
fn of_several_faults_that_of_the_first_group_is_reported() {
    for threads in [1, 2, 3, 8, 16] {
        for resident_groups in [1, 5, 64] {
            let options = Options {
                threads,
                resident_groups,
                ..Options::default()
            };
            let f = |group, _, step| match group {
                0..3 if step > 5 => Leave::End(0),
                3.. if step > 10 * (63 - group) => fault(),
                _ => SLICE_END,
            };
            assert_eq!(faulty_group(toy(&grid(64, 2), &options, f)), 3, "{threads}");
        }
    }
}

/// The first thread has taken group 9, and begins it after the fault of group 16 on the second one.
#[test]
fn groups_before_a_fault_that_have_not_started_run() {
    let failed = AtomicBool::new(false);
    let f = |group, _, _| match group {
        // It makes progress, so that the thread begins no other group meanwhile.
        0 if !failed.load(SeqCst) => Leave::Barrier(0),
        16.. => {
            failed.store(true, SeqCst);
            fault()
        }
        9 => fault(),
        _ => Leave::End(0),
    };
    let options = Options {
        threads: 2,
        resident_groups: 1000,
        ..Options::default()
    };
    assert_eq!(faulty_group(toy(&grid(1000, 1), &options, f)), 9);
}

/// Group 0 waits for group 1, which works for long after group 2 has failed.
#[test]
fn groups_before_a_fault_wait_for_each_other() {
    for why in [YieldPoint::Spin, YieldPoint::Sleep] {
        for threads in 1..=3 {
            let (failed, done) = (AtomicBool::new(false), AtomicBool::new(false));
            let f = |group, _, step| match group {
                0 if done.load(SeqCst) => fault(),
                0 => Leave::yields(why, 0),
                1 if step < 1000 || !failed.load(SeqCst) => SLICE_END,
                1 => {
                    done.store(true, SeqCst);
                    Leave::End(0)
                }
                _ => {
                    failed.store(true, SeqCst);
                    fault()
                }
            };
            let options = Options {
                threads,
                resident_groups: 3,
                ..Options::default()
            };
            assert_eq!(
                faulty_group(toy(&grid(3, 1), &options, f)),
                0,
                "{why:?} {threads}"
            );
        }
    }
}

/// Groups that wait for the one that failed, or for one that never starts because of it, in whatever way.
#[test]
fn a_wait_for_a_failed_group_does_not_hang_the_dispatch() {
    let wait = || global_sync(GlobalSync::Barrier, 6);
    // One that meets itself at barriers lets no other have the thread.
    let ways: [(usize, &(dyn Fn() -> Leave + Sync)); 5] = [
        (1, &|| Leave::Spin(0)),
        (1, &|| Leave::Sleep(0)),
        (1, &wait),
        (1, &|| SLICE_END),
        (3, &|| Leave::Barrier(0)),
    ];
    for (fewest, way) in ways {
        for threads in fewest..=3 {
            let f = |group, _, step| match (group, step) {
                (2, 3) => fault(),
                (2, _) => SLICE_END,
                _ => way(),
            };
            let options = Options {
                threads,
                resident_groups: 7,
                ..Options::default()
            };
            assert_eq!(faulty_group(toy(&grid(7, 1), &options, f)), 2, "{threads}");
        }
    }
}
