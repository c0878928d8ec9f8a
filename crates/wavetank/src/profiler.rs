//! Profiles of launches: what their waves have done, by kernel and instruction.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wavetank_check::code::Successors;
use wavetank_gcn::Inst;
use wavetank_machine::Grid;
use wavetank_machine::gcn::{Launch, Occupancy, OccupancyLimit};
use wavetank_profile::model::{self, Frame, Profile, Timeline};
use wavetank_profile::{Counts, InstructionCounts, Sites, instruction};
use wavetank_quote::readable;
use wavetank_translate::Code;

use crate::code::ModuleCode;
use crate::engine::Engine;
use crate::module::Module;

/// Bytes of an instruction at least.
const DWORD: u64 = 4;

/// Collects the counts of launches that it is given to ([`Dispatch::profile`](crate::Dispatch::profile)), of any number of threads,
/// modules and devices.
///
/// ```
/// use wavetank::profile::Profiler;
/// use wavetank::{Chip, Device};
///
/// let device = Device::new(Chip::Gfx900)?;
/// let module = device.load(include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco"))?;
/// let a = device.buffer_from(&[1.5f32; 64])?;
/// let c = device.buffer_zeroed(256)?;
/// let dispatch = module.kernel("vecadd")?.dispatch().grid(64).block(64).arg(&a).arg(&a).arg(&c).arg(64);
/// let profiler = Profiler::default();
/// dispatch.profile(&profiler).run()?;
/// let profile = profiler.profile(vec!["vecadd".to_owned()]);
/// let stores = profile.kernels[0].instructions.iter().filter(|i| i.text.starts_with("global_store"));
/// // A row of 64 dwords is four lines of 64 bytes.
/// assert_eq!(stores.map(|i| i.memory[0].lines_64).sum::<u64>(), 4);
/// # Ok::<(), wavetank::Error>(())
/// ```
#[derive(Default)]
pub struct Profiler(Mutex<Vec<Kernel>>);

/// The launches of a kernel of a module.
struct Kernel {
    /// The address of the module on its device, which tells it from others.
    module: u64,
    described: model::Kernel,
    instructions: BTreeMap<u64, (model::Instruction, Option<Inst>, InstructionCounts)>,
    /// The functions whose instructions are in the list.
    functions: BTreeSet<String>,
    /// The instructions on the shortest ways from accesses to waits.
    ways: BTreeMap<(u64, u64), Option<u64>>,
}

/// A launch that has ended.
pub(crate) struct Launched<'a> {
    pub module: &'a Module,
    pub engine: &'a Engine,
    pub kernel: &'a str,
    pub launch: &'a Launch,
    pub grid: &'a Grid,
    /// The work-groups and waves that ran, unless the launch failed.
    pub ran: Option<(u64, u64)>,
    pub wall: Duration,
}

impl Launched<'_> {
    /// The VGPRs of a lane that limit the waves of a SIMD: on gfx908 those of the larger of two files, later those of the one file.
    fn vgprs(&self) -> u32 {
        let info = self.module.object().kernel(self.kernel);
        info.map_or(self.launch.vgprs, |info| info.descriptor.vgpr_count)
    }
}

impl Profiler {
    /// Returns the profile of the launches so far. `program` is the program and its arguments.
    pub fn profile(&self, program: Vec<String>) -> Profile {
        let kernels = self.lock();
        Profile {
            version: model::VERSION,
            made_by: concat!("wavetank ", env!("CARGO_PKG_VERSION")).to_owned(),
            program,
            kernels: kernels.iter().map(Kernel::finished).collect(),
            timeline: Timeline::default(),
        }
    }

    /// Returns the index of a kernel of a module in the profile, if it has been launched.
    pub fn index_of(&self, kernel: &crate::Kernel) -> Option<usize> {
        let key = (kernel.module().address(), kernel.name());
        let mut kernels = self.lock();
        let position = |kernel: &Kernel| (kernel.module, &*kernel.described.symbol) == key;
        kernels.iter_mut().position(|kernel| position(kernel))
    }

    /// Adds a launch.
    pub(crate) fn add(&self, launched: &Launched<'_>, counts: &Counts, sites: &Sites) {
        let key = (launched.module.address(), launched.kernel);
        let mut kernels = self.lock();
        let same = |kernel: &Kernel| (kernel.module, &*kernel.described.symbol) == key;
        let index = kernels.iter().position(same).unwrap_or_else(|| {
            kernels.push(Kernel::new(launched));
            kernels.len() - 1
        });
        kernels[index].add(launched, counts, sites);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kernel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kernel {
    fn new(launched: &Launched<'_>) -> Kernel {
        let described = model::Kernel {
            symbol: launched.kernel.to_owned(),
            name: readable(launched.kernel),
            chip: launched.launch.chip.name().to_owned(),
            launches: 0,
            failed: 0,
            groups: 0,
            waves: 0,
            work_items: 0,
            host_seconds: 0.0,
            shapes: Vec::new(),
            resources: model::Resources::default(),
            occupancy: model::Occupancy::default(),
            instructions: Vec::new(),
        };
        Kernel {
            module: launched.module.address(),
            described,
            instructions: BTreeMap::new(),
            functions: BTreeSet::new(),
            ways: BTreeMap::new(),
        }
    }

    fn add(&mut self, launched: &Launched<'_>, counts: &Counts, sites: &Sites) {
        let (launch, grid) = (launched.launch, launched.grid);
        let to = &mut self.described;
        to.launches += 1;
        to.failed += u64::from(launched.ran.is_none());
        to.work_items += grid.items().iter().map(|n| u64::from(*n)).product::<u64>();
        to.host_seconds += launched.wall.as_secs_f64();
        let shape = (grid.items(), grid.group_size(), launch.lds_bytes);
        let same = |s: &&mut model::Shape| (s.grid, s.block, s.lds_bytes) == shape;
        match to.shapes.iter_mut().find(same) {
            Some(shape) => shape.launches += 1,
            None => to.shapes.push(model::Shape {
                grid: grid.items(),
                block: grid.group_size(),
                lds_bytes: launch.lds_bytes,
                launches: 1,
            }),
        }
        let scratch = launch.scratch_wave_bytes / 64;
        to.resources = model::Resources {
            vgprs: launched.vgprs(),
            sgprs: launch.sgprs,
            lds_bytes: to.resources.lds_bytes.max(launch.lds_bytes),
            scratch_bytes: to.resources.scratch_bytes.max(scratch),
        };
        to.occupancy = occupancy(launched, to.resources.lds_bytes);
        let code = launched.engine.code();
        let ways = &mut self.ways;
        let counts = counts.by_instruction(sites, |access, wait| {
            let known = ways.entry((access, wait));
            *known.or_insert_with(|| instructions_between(code, access, wait))
        });
        // A launch that fails does not count its waves: each begins at the entry.
        let begun = counts
            .get(&launch.entry)
            .map_or(0, InstructionCounts::executions);
        let (groups, waves) = launched.ran.unwrap_or_else(|| {
            let of_group = u64::from(grid.waves()).max(1);
            (begun.div_ceil(of_group), begun)
        });
        let to = &mut self.described;
        to.groups += groups;
        to.waves += waves;
        for (pc, counts) in counts {
            if !self.instructions.contains_key(&pc) {
                self.describe_function(launched, pc);
            }
            let known = self.instructions.entry(pc);
            let entry = known.or_insert_with(|| described(launched, pc));
            entry.2.add(&counts);
        }
    }

    /// Adds the instructions of the function around an address.
    fn describe_function(&mut self, launched: &Launched<'_>, pc: u64) {
        let Some((name, offset)) = launched.module.place(pc).symbol else {
            return;
        };
        if !self.functions.insert(name.clone()) {
            return;
        }
        let Some((_, size)) = launched.module.symbol(&name) else {
            return;
        };
        let start = pc - offset;
        let mut at = start;
        while at - start < size && launched.engine.code().has(at) {
            let new = described(launched, at);
            let len = new.1.as_ref().map_or(DWORD, |inst| u64::from(inst.len));
            self.instructions.entry(at).or_insert(new);
            at += len;
        }
    }

    /// The kernel with the counts of its instructions.
    fn finished(&self) -> model::Kernel {
        let mut kernel = self.described.clone();
        kernel
            .shapes
            .sort_by_key(|shape| std::cmp::Reverse(shape.launches));
        let counted = |(instruction, inst, counts): &(_, Option<Inst>, InstructionCounts)| {
            let mut instruction: model::Instruction = Clone::clone(instruction);
            instruction.executions = counts.executions();
            let lanes = (0..).zip(counts.by_lanes);
            instruction.lanes = lanes.filter(|(_, n)| *n > 0).collect();
            instruction.parts = counts.parts;
            instruction.memory.clone_from(&counts.memory);
            instruction.wait.clone_from(&counts.wait);
            if let Some(operations) = inst.as_ref().and_then(instruction::operations) {
                let times = if operations.of_wave {
                    instruction.executions
                } else {
                    instruction.lane_executions()
                };
                instruction.operations = operations.count * times;
                instruction.operands = operations.operands.to_owned();
            }
            instruction
        };
        kernel.instructions = self.instructions.values().map(counted).collect();
        kernel
    }
}

/// Describes an instruction without counts.
fn described(
    launched: &Launched<'_>,
    pc: u64,
) -> (model::Instruction, Option<Inst>, InstructionCounts) {
    let place = launched.module.place(pc);
    let inst = launched.engine.code().inst(pc).ok();
    let frames = place.source.frames.into_iter().map(|frame| Frame {
        function: frame
            .function
            .map(|name| readable(&name))
            .unwrap_or_default(),
        file: frame.file,
        line: frame.line.unwrap_or(0),
        column: frame.column.unwrap_or(0),
    });
    let function = place.symbol.map_or_else(String::new, |(name, _)| name);
    let instruction = model::Instruction {
        address: launched.module.address_at_rest(pc),
        function: readable(&function),
        text: place.instruction.unwrap_or_default(),
        class: inst
            .as_ref()
            .map_or(model::Class::Other, instruction::class),
        frames: frames.collect(),
        executions: 0,
        lanes: Vec::new(),
        parts: 0,
        operations: 0,
        operands: String::new(),
        memory: Vec::new(),
        wait: None,
    };
    (instruction, inst, InstructionCounts::default())
}

/// The waves that a compute unit holds.
fn occupancy(launched: &Launched<'_>, lds_bytes: u32) -> model::Occupancy {
    let (launch, waves) = (launched.launch, launched.grid.waves());
    let kernel = Occupancy {
        chip: launch.chip,
        vgprs: launched.vgprs(),
        sgprs: launch.sgprs,
        lds_bytes,
        waves_per_group: waves,
    };
    let groups = kernel.groups_per_unit();
    let limit = match kernel.limit() {
        OccupancyLimit::Waves => "waves",
        OccupancyLimit::Vgprs => "vgprs",
        OccupancyLimit::Sgprs => "sgprs",
        OccupancyLimit::Lds => "lds",
        OccupancyLimit::Groups => "groups",
    };
    let simds = wavetank_gcn::numbers::SIMDS_PER_UNIT;
    model::Occupancy {
        waves_per_simd: (groups * waves).div_ceil(simds),
        most_waves_per_simd: wavetank_gcn::numbers::waves_per_simd(launch.chip),
        groups_per_unit: groups,
        limit: limit.to_owned(),
    }
}

/// The most instructions that are searched for the way from an access to its wait.
const MOST_SEARCHED: usize = 1 << 12;

/// Returns the instructions on the shortest way from an access to the wait for it, without both; `None` if the code is too large or
/// the way leads through a computed jump.
fn instructions_between(code: &ModuleCode, access: u64, wait: u64) -> Option<u64> {
    let mut seen = BTreeSet::from([access]);
    let mut next = VecDeque::from([(access, 0)]);
    while let Some((pc, steps)) = next.pop_front() {
        let Ok(inst) = code.inst(pc) else {
            continue;
        };
        let after = Successors::of(&inst, pc);
        let falls_through = after.next.then_some(pc + u64::from(inst.len));
        for to in falls_through.into_iter().chain(after.target) {
            if to == wait {
                return Some(steps);
            }
            if seen.len() < MOST_SEARCHED && seen.insert(to) {
                next.push_back((to, steps + 1));
            }
        }
    }
    None
}
