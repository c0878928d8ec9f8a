//! Profiles: the counts of every engine are those of a trace, instruction by instruction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use wavetank::profile::Profiler;
use wavetank::profile::model::{Kernel, Kind, Memory, Space};
use wavetank::{
    AccessRecord, Arg, Change, Chip, Device, Dims, Dispatch, EngineChoice, MemKind, MemoryKind,
    Module, Step,
};

use crate::common::each;

/// What is counted of an instruction: executions by lanes, those that part the wave, accesses.
#[derive(Clone, PartialEq, Debug, Default)]
struct Counted {
    lanes: BTreeMap<u8, u64>,
    parts: u64,
    memory: BTreeMap<(Space, Kind), Memory>,
}

/// The counts of the instructions by their addresses in the code object.
type Counts = BTreeMap<u64, Counted>;

/// The counts that a trace gives.
#[derive(Default)]
struct Model {
    /// EXEC of each wave.
    exec: BTreeMap<(u64, u32), u64>,
    counts: Counts,
}

impl Model {
    fn add(&mut self, step: &Step, module: &Module) {
        let wave = (step.group.index, step.wave);
        let before = *self
            .exec
            .entry(wave)
            .or_insert_with(|| step.group.exec(step.wave));
        let address = step.place.pc - (module.address_of(0));
        let counted = self.counts.entry(address).or_default();
        *counted.lanes.entry(before.count_ones() as u8).or_default() += 1;
        let mut exec = before;
        for change in &step.changes {
            match change {
                Change::Scalar {
                    register: 126,
                    value,
                } => {
                    exec = exec & !0xffff_ffff | u64::from(*value);
                }
                Change::Scalar {
                    register: 127,
                    value,
                } => {
                    exec = exec & 0xffff_ffff | u64::from(*value) << 32;
                }
                _ => {}
            }
        }
        self.exec.insert(wave, exec);
        counted.parts += u64::from(exec & before != 0 && before & !exec != 0);
        let text = step.place.instruction.as_deref().unwrap();
        let is_pair = text.starts_with("ds_read2") || text.starts_with("ds_write2");
        let mut by_memory: BTreeMap<(Space, Kind, usize), Vec<AccessRecord>> = BTreeMap::new();
        for (n, record) in step.accesses.iter().enumerate() {
            // The hardware makes two accesses of a pair, one after the other.
            let earlier = step.accesses[..n]
                .iter()
                .filter(|other| other.lane == record.lane);
            let nth = if is_pair { earlier.count() } else { 0 };
            let (space, kind) = key(record);
            by_memory
                .entry((space, kind, nth))
                .or_default()
                .push(*record);
        }
        for ((space, kind, _), records) in by_memory {
            let memory = counted.memory.entry((space, kind));
            add(memory.or_insert_with(|| Memory::new(space, kind)), &records);
        }
    }
}

fn key(record: &AccessRecord) -> (Space, Kind) {
    let space = match record.memory {
        MemoryKind::Global if record.lane.is_none() => Space::Scalar,
        MemoryKind::Global => Space::Global,
        MemoryKind::Lds => Space::Lds,
        MemoryKind::Gds => Space::Gds,
        MemoryKind::Scratch => Space::Scratch,
    };
    let kind = match record.kind {
        MemKind::Load => Kind::Load,
        MemKind::Store => Kind::Store,
        MemKind::Atomic(_) => Kind::Atomic,
    };
    (space, kind)
}

/// Adds an access, byte by byte.
fn add(to: &mut Memory, records: &[AccessRecord]) {
    let mut bytes = BTreeSet::new();
    let mut lanes = BTreeSet::new();
    let mut starts = BTreeSet::new();
    // The dwords that are served together, by the number of the record in its lane and the group of lanes.
    let mut groups: BTreeMap<(usize, u8), Vec<u64>> = BTreeMap::new();
    for (n, record) in records.iter().enumerate() {
        let earlier = records[..n]
            .iter()
            .filter(|other| other.lane == record.lane);
        let together = match record.bytes {
            0..=4 => 32,
            5..=8 => 16,
            _ => 8,
        };
        let nth = earlier.count();
        let group = groups
            .entry((nth, record.lane.unwrap_or(0) / together))
            .or_default();
        lanes.insert(record.lane);
        starts.insert(record.address);
        let range = record.address..record.address + u64::from(record.bytes);
        group.extend(range.clone().map(|byte| byte / 4).collect::<BTreeSet<_>>());
        to.bytes += u64::from(record.bytes);
        bytes.extend(range.map(|byte| match record.memory {
            MemoryKind::Scratch => {
                byte / 4 * 256 + u64::from(record.lane.unwrap_or(0)) * 4 + byte % 4
            }
            _ => byte,
        }));
    }
    to.accesses += 1;
    to.lanes += lanes.len() as u64;
    to.different_bytes += bytes.len() as u64;
    if to.kind == Kind::Atomic {
        to.collisions += (records.len() - starts.len()) as u64;
    }
    if matches!(to.space, Space::Global | Space::Scratch | Space::Scalar) {
        let lines = |size| {
            bytes
                .iter()
                .map(|b| b / size)
                .collect::<BTreeSet<u64>>()
                .len() as u64
        };
        to.lines_64 += lines(64);
        to.lines_128 += lines(128);
        to.least_lines_64 += (bytes.len() as u64).div_ceil(64);
    }
    if to.space == Space::Lds {
        for dwords in groups.values() {
            let mut banks = [const { Vec::new() }; 32];
            for dword in dwords {
                let bank: &mut Vec<u64> = &mut banks[(dword % 32) as usize];
                if to.kind == Kind::Atomic || !bank.contains(dword) {
                    bank.push(*dword);
                }
            }
            to.bank_cycles += banks.iter().map(Vec::len).max().unwrap_or(0) as u64;
            to.least_bank_cycles += 1;
        }
    }
}

/// The counts of a profile.
fn counts(kernel: &Kernel) -> Counts {
    let executed = kernel.instructions.iter().filter(|i| i.executions > 0);
    let counted = executed.map(|i| {
        assert_eq!(i.executions, i.lanes.iter().map(|(_, n)| n).sum::<u64>());
        let memory = i.memory.iter().map(|m| ((m.space, m.kind), m.clone()));
        let counted = Counted {
            lanes: i.lanes.iter().copied().collect(),
            parts: i.parts,
            memory: memory.collect(),
        };
        (i.address, counted)
    });
    counted.collect()
}

const ONE_THREAD: [(EngineChoice, usize); 3] = [
    (EngineChoice::Interpreter, 1),
    (EngineChoice::Jit, 1),
    (EngineChoice::Auto, 1),
];

const THREADS: [(EngineChoice, usize); 2] = [(EngineChoice::Jit, 2), (EngineChoice::Auto, 2)];

/// Compares the profiles of a launch with its trace: in several engines, each on some threads.
fn compare(
    label: &str,
    chip: Chip,
    bytes: &[u8],
    engines: &[(EngineChoice, usize)],
    launch: &dyn Fn(&Device, &Module) -> Dispatch<'static>,
) {
    let model = Mutex::new(Model::default());
    let device = Device::builder(chip).threads(1).build().unwrap();
    let module = device.load(bytes).unwrap();
    let keep = |step: Step| model.lock().unwrap().add(&step, &module);
    launch(&device, &module)
        .trace(&|_, _| true, &keep)
        .run()
        .unwrap();
    let expected = model.into_inner().unwrap().counts;
    for (engine, threads) in engines {
        let builder = Device::builder(chip).threads(*threads).engine(*engine);
        let device = builder.build().unwrap();
        let module = device.load(bytes).unwrap();
        let profiler = Profiler::default();
        launch(&device, &module).profile(&profiler).run().unwrap();
        let profile = profiler.profile(Vec::new());
        let [kernel] = &profile.kernels[..] else {
            panic!("{label}: one kernel");
        };
        let got = counts(kernel);
        assert_eq!(
            got.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        for (address, expected) in &expected {
            let at = kernel.instructions.iter().find(|i| i.address == *address);
            let text = &at.unwrap().text;
            assert_eq!(
                got[address], *expected,
                "{label}, {engine}, {address:#x}: {text}"
            );
        }
    }
}

/// A kernel with the size of its launch and of its buffers.
type Launch = (&'static str, Dims, Dims, fn(&Device) -> Vec<Arg>);

#[test]
fn counts_are_those_of_a_trace() {
    let launches: [Launch; 6] = [
        ("vadd", 1024.into(), 256.into(), |d| {
            let [x, y, out] = [(); 3].map(|()| d.buffer_zeroed(4096).unwrap());
            args![&x, &y, &out]
        }),
        ("fmaloop", 256.into(), 256.into(), |d| {
            args![&d.buffer_zeroed(1024).unwrap(), 5u32]
        }),
        ("matmul_tiled", [32, 32].into(), [16, 16].into(), |d| {
            let [x, y, out] = [(); 3].map(|()| d.buffer_zeroed(4096).unwrap());
            args![&x, &y, &out, 32u32]
        }),
        ("reduce", 512.into(), 256.into(), |d| {
            args![
                &d.buffer_zeroed(20000).unwrap(),
                &d.buffer_zeroed(4).unwrap(),
                5000u32,
                512u32
            ]
        }),
        ("nbody", 256.into(), 256.into(), |d| {
            args![
                &d.buffer_zeroed(4096).unwrap(),
                &d.buffer_zeroed(4096).unwrap(),
                256u32
            ]
        }),
        ("mandel", [64, 16].into(), [16, 16].into(), |d| {
            args![&d.buffer_zeroed(4096).unwrap(), 64u32, 16u32, 20u32]
        }),
    ];
    each("bench", |build| {
        for (name, grid, block, args) in launches {
            let label = format!("{} {name}", build.label);
            compare(
                &label,
                build.device.chip(),
                &build.bytes,
                &[&ONE_THREAD[..], &THREADS].concat(),
                &|device, module| {
                    let kernel = module.kernel(name).unwrap();
                    kernel.dispatch().grid(grid).block(block).args(args(device))
                },
            );
        }
    });
}

/// `data/turns.cl`, compiled for gfx900 by clang 19.
const TURNS: &[u8] = include_bytes!("data/turns-gfx900.hsaco");

/// Waves that wait for others leave their engine in the middle of blocks, and look as often in all engines.
#[test]
fn counts_of_waves_that_wait_are_those_of_a_trace() {
    const GROUPS: u32 = 9;
    for name in ["chain", "chain_add", "chain_scalar", "chain_counted"] {
        compare(name, Chip::Gfx900, TURNS, &ONE_THREAD, &|device, module| {
            let flags = device.buffer_zeroed(u64::from(4 * GROUPS)).unwrap();
            let dispatch = module.kernel(name).unwrap().dispatch();
            let dispatch = dispatch.grid(64 * GROUPS).block(64);
            dispatch.arg(&flags).arg(GROUPS as i32)
        });
    }
}
