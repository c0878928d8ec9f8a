//! Hooks: what they see, when they are called, what they may change, and that nothing else changes.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow::{Break, Continue};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wavetank::check::Pattern;
use wavetank::hooks::{Accesses, AfterFault, Hooks, Places};
use wavetank::{
    Arg, Buffer, Change, Chip, Device, Dispatch, EngineChoice, Error, Finding, Kernel, MemoryKind,
    Report, Schedule, Step, Tool, Tools,
};

/// `data/turns.cl`, compiled for gfx900 by clang 19.
const TURNS: &[u8] = include_bytes!("data/turns-gfx900.hsaco");

/// `data/races.cl`, compiled likewise.
const RACES: &[u8] = include_bytes!("data/races-gfx900.hsaco");

const ENGINES: [EngineChoice; 3] = [
    EngineChoice::Jit,
    EngineChoice::Interpreter,
    EngineChoice::Auto,
];

fn device(engine: EngineChoice, schedule: Schedule) -> Device {
    let builder = Device::builder(Chip::Gfx900).threads(1);
    builder.engine(engine).schedule(schedule).build().unwrap()
}

/// Some instructions of each kind, and all of them.
const PATTERNS: [&str; 9] = [
    "*",
    "global_*",
    "s_waitcnt",
    "s_cbranch_*",
    "v_*",
    "s_*",
    "*_load_*",
    "v_cmp_*",
    "s_endpgm",
];

/// The wave instructions of a chain of groups, in which hooks are called at some instructions.
fn chain(engine: EngineChoice, schedule: Schedule, kernel: &str, hooks: &Hooks<'_>) -> u64 {
    const GROUPS: u32 = 9;
    let device = device(engine, schedule);
    let flags = device.buffer_zeroed(u64::from(4 * GROUPS)).unwrap();
    let kernel = device.load(TURNS).unwrap().kernel(kernel).unwrap();
    let dispatch = kernel.dispatch().grid(64 * GROUPS).block(64);
    let dispatch = dispatch.arg(&flags).arg(GROUPS as i32).count(true);
    let report = dispatch.hooks(hooks).run().unwrap();
    assert_eq!(flags.read::<u32>().unwrap(), [1; GROUPS as usize]);
    report.instructions.unwrap().waves()
}

/// How often waves look before they see what they wait for depends on every time slice of every wave.
#[test]
fn a_run_with_hooks_takes_the_same_time_slices() {
    let schedules = [Schedule::Fair, Schedule::Greedy, Schedule::Random(5)];
    for engine in ENGINES {
        for schedule in schedules {
            for kernel in ["chain", "chain_add", "chain_scalar", "chain_counted"] {
                let without = chain(engine, schedule, kernel, &Hooks::default());
                for pattern in PATTERNS {
                    let calls = AtomicU64::new(0);
                    let places = Places::all().mnemonic(pattern);
                    let hooks = Hooks::default().instructions(places, |_| {
                        calls.fetch_add(1, Ordering::Relaxed);
                        Continue(())
                    });
                    let with = chain(engine, schedule, kernel, &hooks);
                    drop(hooks);
                    let what = format!("{engine}, {schedule}, {kernel}, {pattern}");
                    assert_eq!(with, without, "{what}");
                    let all = pattern == "*";
                    let calls = calls.into_inner();
                    assert!(if all { calls == with } else { calls < with }, "{what}");
                }
            }
        }
    }
}

/// A kernel of one group of four waves that sums what is in LDS, with a barrier. Its waves race in a repeatable order.
struct Sum {
    kernel: Kernel,
    input: Buffer,
    out: Buffer,
}

/// Items of the group.
const ITEMS: u32 = 256;
/// The elements that each of them sums.
const SUMMED: u32 = 100;

impl Sum {
    fn new(engine: EngineChoice) -> Sum {
        let device = device(engine, Schedule::Random(3));
        let input: Vec<f32> = (0..3 * SUMMED).map(|n| 1.0 + n as f32 * 0.37).collect();
        Sum {
            kernel: device.load(RACES).unwrap().kernel("sum").unwrap(),
            input: device.buffer_from(&input).unwrap(),
            out: device.buffer_zeroed(4 * u64::from(ITEMS)).unwrap(),
        }
    }

    /// Runs it. Returns the sums.
    fn run(
        &self,
        run: impl FnOnce(Dispatch<'static>) -> Result<Report, Error>,
    ) -> Result<Vec<u32>, Error> {
        let args = args![&self.input, &self.out, Arg::Lds(4 * SUMMED), SUMMED as i32];
        let dispatch = self.kernel.dispatch().grid(ITEMS).block(ITEMS);
        run(dispatch.args(args).count(true))?;
        self.out.read::<u32>()
    }

    fn with(&self, hooks: &Hooks<'_>) -> Result<Vec<u32>, Error> {
        self.run(|dispatch| dispatch.hooks(hooks).run())
    }

    /// The steps of all waves.
    fn steps(&self) -> Vec<Step> {
        let steps = Mutex::new(Vec::new());
        let keep = |step| steps.lock().unwrap().push(step);
        self.run(|dispatch| dispatch.trace(&|_, _| true, &keep).run())
            .unwrap();
        steps.into_inner().unwrap()
    }
}

/// The mnemonic of a step, without the suffix of the encoding.
fn mnemonic(step: &Step) -> &str {
    let text = step.place.instruction.as_deref().unwrap();
    let mnemonic = text.split(' ').next().unwrap();
    let short = mnemonic.strip_suffix("_e32");
    short.or(mnemonic.strip_suffix("_e64")).unwrap_or(mnemonic)
}

#[test]
fn hooks_are_called_before_each_execution_and_change_nothing() {
    let mut executed = BTreeMap::new();
    for step in &Sum::new(EngineChoice::Interpreter).steps() {
        *executed.entry(mnemonic(step).to_owned()).or_insert(0) += 1;
    }
    assert!(executed.len() > 20, "{executed:?}");
    for engine in ENGINES {
        let sum = Sum::new(engine);
        let without = sum.run(Dispatch::run).unwrap();
        for (mnemonic, count) in &executed {
            let calls = Mutex::new(Vec::new());
            let places = Places::all().mnemonic(mnemonic);
            let hooks = Hooks::default().instructions(places, |at| {
                assert_eq!(at.wave().uniform().pc, at.pc);
                calls.lock().unwrap().push((at.index, at.pc));
                Continue(())
            });
            let with = sum.with(&hooks);
            drop(hooks);
            assert_eq!(with.unwrap(), without, "{engine}, {mnemonic}");
            let calls = calls.into_inner().unwrap();
            assert_eq!(calls.len(), *count, "{engine}, {mnemonic}");
        }
    }
}

/// Vector registers by number, as far as they are known.
type Registers = BTreeMap<u16, Box<[u32; 64]>>;

/// The address of each step of a wave that fits a pattern, and the registers before it.
fn before(steps: &[Step], wave: u32, pattern: &str) -> VecDeque<(u64, Registers)> {
    let pattern = Pattern::new(pattern);
    let mut registers = Registers::new();
    let mut stops = VecDeque::new();
    for step in steps.iter().filter(|step| step.wave == wave) {
        if pattern.fits(mnemonic(step)) {
            stops.push_back((step.place.pc, registers.clone()));
        }
        for change in &step.changes {
            if let Change::Vector {
                register, values, ..
            } = change
            {
                registers.insert(*register, values.clone());
            }
        }
    }
    stops
}

/// Every register has the value that a trace says, which executes one instruction after the other; also those that the code does
/// not read again, which compiled code does not store.
#[test]
fn registers_are_exact_at_hooks() {
    for engine in ENGINES {
        let sum = Sum::new(engine);
        let steps = sum.steps();
        for pattern in PATTERNS {
            let waves = [0, 1, 2, 3].map(|wave| Mutex::new(before(&steps, wave, pattern)));
            let hooks = Hooks::default().instructions(Places::all().mnemonic(pattern), |at| {
                let mut stops = waves[at.index as usize].lock().unwrap();
                let (pc, registers) = stops.pop_front().unwrap();
                assert_eq!(pc, at.pc);
                for (register, values) in &registers {
                    let now = at.wave().vgpr((*register).into());
                    assert_eq!(now, &**values, "v{register}: {engine}, {}", at.place());
                }
                Continue(())
            });
            sum.with(&hooks).unwrap();
            drop(hooks);
            for wave in waves {
                assert!(wave.into_inner().unwrap().is_empty(), "{pattern}, {engine}");
            }
        }
    }
}

/// The accesses of `sum`, as its source says: to LDS and to global memory.
#[test]
fn accesses_are_those_that_the_source_makes() {
    for engine in ENGINES {
        let count = |accesses: Accesses| {
            let bytes = AtomicU64::new(0);
            let hooks = Hooks::default().accesses(accesses, |_, seen| {
                let sum: u64 = seen.iter().map(|access| u64::from(access.bytes)).sum();
                bytes.fetch_add(sum, Ordering::Relaxed);
                Continue(())
            });
            let sum = Sum::new(engine);
            sum.with(&hooks).unwrap();
            drop(hooks);
            bytes.into_inner()
        };
        let (summed, items) = (u64::from(SUMMED), u64::from(ITEMS));
        let lds = || Accesses::all().memory(MemoryKind::Lds);
        // Each of the first items stores its element before the sum, and after it.
        assert_eq!(count(lds().stores()), 4 * 2 * summed);
        // Every item loads every element.
        assert_eq!(count(lds().loads()), 4 * summed * items);
        let (first, second) = (0..4 * 60, 4 * 60..4 * SUMMED as u64);
        let both = count(lds().loads().within(first)) + count(lds().loads().within(second));
        assert!(both >= 4 * summed * items, "{both}");
        assert_eq!(count(lds().loads().stores()), 4 * summed * (items + 2));
        assert_eq!(count(lds().atomics()), 0);
        let global = Accesses::all().memory(MemoryKind::Global);
        assert_eq!(count(global.clone().stores()), 4 * items);
        let vector = Accesses::at(Places::all().mnemonic("global_load_*"));
        // Three arrays of the input, by the first items.
        assert_eq!(count(vector), 4 * 3 * summed);
    }
}

#[test]
fn a_hook_may_change_registers_and_skip_instructions() {
    for engine in ENGINES {
        // The sum that each item stores becomes its number in the group.
        let places = Places::all().mnemonic("global_store_dword");
        let hooks = Hooks::default().instructions(places, |at| {
            let inst = at.instruction().unwrap();
            let text = inst.to_string();
            let data = text.split("v").nth(2).unwrap();
            let data: usize = data
                .split(|c: char| !c.is_ascii_digit())
                .next()
                .unwrap()
                .parse()
                .unwrap();
            let first = 64 * at.index;
            for (lane, value) in at.wave_mut().vgpr_mut(data).iter_mut().enumerate() {
                *value = first + lane as u32;
            }
            Continue(())
        });
        let sum = Sum::new(engine);
        let changed = sum.with(&hooks).unwrap();
        assert_eq!(changed, (0..ITEMS).collect::<Vec<_>>(), "{engine}");
        // Without the store there is nothing in a new buffer.
        let places = Places::all().mnemonic("global_store_dword");
        let hooks = Hooks::default().instructions(places, |at| {
            let next = at.pc + u64::from(at.instruction().unwrap().len);
            at.wave_mut().uniform_mut().pc = next;
            Continue(())
        });
        let skipped = Sum::new(engine).with(&hooks).unwrap();
        assert_eq!(skipped, [0; ITEMS as usize], "{engine}");
    }
}

/// A wave that a hook sends back again and again is stopped in time.
#[test]
fn a_hook_that_sends_a_wave_in_circles_does_not_hang() {
    for engine in ENGINES {
        let start = AtomicU64::new(0);
        let hooks = Hooks::default()
            .wave_start(|at| {
                start.store(at.pc, Ordering::Relaxed);
                Continue(())
            })
            .instructions(Places::all(), |at| {
                // The first instruction is executed, and no other one.
                at.wave_mut().uniform_mut().pc = start.load(Ordering::Relaxed);
                Continue(())
            });
        let error = Sum::new(engine).run(|dispatch| {
            let dispatch = dispatch.timeout(Duration::from_millis(50));
            dispatch.hooks(&hooks).run()
        });
        assert!(matches!(error, Err(Error::Timeout(_))), "{error:?}");
    }
}

#[test]
fn events_come_in_their_order() {
    for engine in ENGINES {
        let events = Mutex::new(Vec::new());
        let event = |name: &str, wave: Option<u32>| {
            events.lock().unwrap().push((name.to_owned(), wave));
            Continue(())
        };
        let hooks = Hooks::default()
            .group_start(|group| {
                assert_eq!(group.id, [0, 0, 0]);
                event("group starts", None)
            })
            .group_end(|_| event("group ends", None))
            .wave_start(|at| event("wave starts", Some(at.index)))
            .instructions(Places::barriers(), |at| event("barrier", Some(at.index)))
            .instructions(Places::ends(), |at| event("wave ends", Some(at.index)));
        Sum::new(engine).with(&hooks).unwrap();
        drop(hooks);
        let events = events.into_inner().unwrap();
        let named = |name: &str| {
            let places = events.iter().enumerate().filter(|(_, e)| e.0 == name);
            places.map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(named("group starts"), [0]);
        assert_eq!(named("group ends"), [events.len() - 1]);
        let [starts, barriers, ends] = ["wave starts", "barrier", "wave ends"].map(named);
        assert_eq!(
            [&starts, &barriers, &ends].map(Vec::len),
            [4, 4, 4],
            "{events:?}"
        );
        // No wave goes on before all are at the barrier.
        assert!(
            starts.iter().max() < ends.iter().min() && barriers.iter().max() < ends.iter().min()
        );
        let mut waves: Vec<_> = ends.iter().map(|at| events[*at].1.unwrap()).collect();
        waves.sort_unstable();
        assert_eq!(waves, [0, 1, 2, 3]);
    }
}

#[test]
fn a_hook_that_breaks_ends_the_launch() {
    for engine in ENGINES {
        let calls = AtomicU64::new(0);
        let places = Places::all().mnemonic("ds_read*");
        let hooks = Hooks::default().instructions(places, |_| {
            match calls.fetch_add(1, Ordering::Relaxed) {
                6 => Break(()),
                _ => Continue(()),
            }
        });
        let sum = Sum::new(engine);
        let error = sum.with(&hooks).unwrap_err();
        assert!(
            matches!(&error, Error::Stopped { kernel } if kernel == "sum"),
            "{error}"
        );
        assert_eq!(error.to_string(), "kernel `sum` was stopped by a hook");
        drop(hooks);
        // No hook is called after that.
        assert_eq!(calls.into_inner(), 7);
        // A start that breaks ends the launch before anything ran.
        let ran = AtomicU64::new(0);
        let hooks = Hooks::default()
            .wave_start(|_| Break(()))
            .instructions(Places::all(), |_| {
                ran.fetch_add(1, Ordering::Relaxed);
                Continue(())
            });
        let stopped = sum.with(&hooks);
        assert!(matches!(stopped, Err(Error::Stopped { .. })));
        drop(hooks);
        assert_eq!(ran.into_inner(), 0);
    }
}

/// Runs `add` of one wave on 32 elements, so that half of the lanes are denied. Returns the elements.
fn denied(engine: EngineChoice, hooks: &Hooks<'_>) -> Result<Vec<u32>, Error> {
    let device = device(engine, Schedule::Fair);
    let sums = device.buffer_from(&[7u32; 32])?;
    let kernel = device.load(RACES)?.kernel("add")?;
    let dispatch = kernel.dispatch().grid(64).block(64).arg(&sums);
    dispatch.hooks(hooks).run()?;
    sums.read::<u32>()
}

#[test]
fn a_hook_decides_how_a_wave_goes_on_after_a_fault() {
    for engine in ENGINES {
        for (answer, calls) in [(AfterFault::Fail, 1), (AfterFault::Skip, 2)] {
            let faults = Mutex::new(Vec::new());
            let hooks = Hooks::default().fault(|at, fault| {
                assert_eq!(
                    (at.pc, fault.place.pc, fault.wave),
                    (fault.place.pc, at.pc, at.index)
                );
                faults.lock().unwrap().push(fault.to_string());
                answer
            });
            let elements = denied(engine, &hooks);
            drop(hooks);
            let faults = faults.into_inner().unwrap();
            // The load is denied, and the store if the wave goes on.
            assert_eq!(faults.len(), calls, "{faults:?}");
            assert!(
                faults[0].contains("lane 32: a load of 4 bytes"),
                "{faults:?}"
            );
            match answer {
                AfterFault::Fail => assert!(matches!(elements, Err(Error::Fault(_)))),
                _ => assert_eq!(elements.unwrap(), [8; 32], "{engine}"),
            }
        }
        // A hook that deactivates the denied lanes repairs the wave.
        let hooks = Hooks::default().fault(|at, _| {
            at.wave_mut().set_s64(126, 0xffff_ffff);
            AfterFault::Retry
        });
        assert_eq!(denied(engine, &hooks).unwrap(), [8; 32], "{engine}");
    }
}

#[test]
fn hooks_and_tools_go_together() {
    let sum = Sum::new(EngineChoice::Auto);
    let calls = AtomicU64::new(0);
    let places = || Places::all().mnemonic("ds_write_b32");
    let hooks = Hooks::default()
        .instructions(places(), |_| {
            calls.fetch_add(1, Ordering::Relaxed);
            Continue(())
        })
        .accesses(Accesses::at(places()), |at, accesses| {
            // The tool records others as well.
            assert!(accesses.iter().all(|access| access.pc == at.pc));
            Continue(())
        });
    let none = Hooks::default();
    let findings = [&hooks, &none].map(|hooks| {
        let mut findings = Vec::new();
        sum.run(|dispatch| {
            let checked = dispatch
                .check(Tools::of(&[Tool::Race]))
                .hooks(hooks)
                .run()?;
            let place = |finding: &Finding| (finding.at.place.pc, finding.message.clone());
            findings.extend(checked.findings.iter().map(place));
            Ok(checked)
        })
        .unwrap();
        findings
    });
    // Wave 0 overwrites what others read.
    assert!(!findings[0].is_empty());
    assert_eq!(findings[0], findings[1]);
    drop(hooks);
    assert_ne!(calls.into_inner(), 0);
    let error = sum.run(|dispatch| dispatch.trace(&|_, _| true, &|_| ()).hooks(&none).run());
    assert!(matches!(error, Err(Error::TracedHooks { .. })), "{error:?}");
}
