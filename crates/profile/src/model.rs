//! A profile as data: the counts of each kernel by instruction, and the times of the host. Reports are made of it, and it is kept as
//! JSON ([`Profile::read`], [`Profile::write`]).

use serde::{Deserialize, Serialize};

/// The version of the JSON form.
pub const VERSION: u32 = 1;

/// The counts of one process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Profile {
    /// The version of the form, [`VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub made_by: String,
    /// The profiled program and its arguments; the file and the kernel for a single launch.
    pub program: Vec<String>,
    /// The kernels, in the order of their first launches. The same kernel of two code objects is in the list twice.
    pub kernels: Vec<Kernel>,
    /// The times of launches, copies and calls of the host.
    pub timeline: Timeline,
}

/// The counts of all launches of a kernel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The symbol.
    pub symbol: String,
    /// The name in the source: C++ names with their parameters.
    pub name: String,
    /// The chip that ran it, as `gfx900`.
    pub chip: String,
    /// Launches. A launch that fails is one, with the counts up to then.
    pub launches: u64,
    /// Launches that failed.
    pub failed: u64,
    /// Work-groups that ran.
    pub groups: u64,
    /// Waves that ran.
    pub waves: u64,
    /// Work-items of the grids.
    pub work_items: u64,
    /// The time of the host for it, in seconds. It says nothing about a chip.
    pub host_seconds: f64,
    /// The sizes of its launches, the most frequent first.
    pub shapes: Vec<Shape>,
    /// The registers and memory that a wave or work-group takes.
    pub resources: Resources,
    /// The waves that a compute unit holds.
    pub occupancy: Occupancy,
    /// The instructions that were executed, and those of the same functions that were not, by address.
    pub instructions: Vec<Instruction>,
}

/// The size of launches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Work-items of the grid in each dimension.
    pub grid: [u32; 3],
    /// Work-items of a work-group in each dimension.
    pub block: [u32; 3],
    /// Bytes of LDS of a work-group, with those that the launch adds.
    pub lds_bytes: u32,
    /// Launches of this size.
    pub launches: u64,
}

/// The registers and memory that a kernel takes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Resources {
    /// VGPRs of a wave, as the chip allocates them.
    pub vgprs: u32,
    /// SGPRs of a wave, as the chip allocates them.
    pub sgprs: u32,
    /// Bytes of LDS of a work-group in the largest launch.
    pub lds_bytes: u32,
    /// Bytes of scratch of a work-item in the largest launch.
    pub scratch_bytes: u32,
}

/// The waves that a compute unit holds at once, by the resources of the kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Occupancy {
    /// Waves of a SIMD.
    pub waves_per_simd: u32,
    /// The most that the chip has of them.
    pub most_waves_per_simd: u32,
    /// Work-groups of a compute unit.
    pub groups_per_unit: u32,
    /// The resource that is exhausted first: `waves`, `vgprs`, `sgprs`, `lds` or `groups`.
    pub limit: String,
}

/// The counts of an instruction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Instruction {
    /// The address in the code object.
    pub address: u64,
    /// The function whose symbol is before it.
    pub function: String,
    /// The instruction as `dis` prints it.
    pub text: String,
    /// The class.
    pub class: Class,
    /// The lines of the source that it was compiled from: the innermost inlined function first.
    pub frames: Vec<Frame>,
    /// Executions by a wave.
    pub executions: u64,
    /// The number of executions by the number of active lanes, those that are not 0: pairs of lanes and executions.
    pub lanes: Vec<(u8, u64)>,
    /// Executions that part a wave: afterwards some of the lanes that were active before are active, and some are not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts: u64,
    /// Operations on numbers (a fused multiply-add is two), of all active lanes; of matrix instructions those of the product.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub operations: u64,
    /// The type of these operations: `f16`, `f32`, `f64`, `i32` …; empty without operations.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operands: String,
    /// The accesses to memory, by the memory that they went to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Memory>,
    /// For a wait: how far ahead what it waits for was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// A class of instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Scalar arithmetic and moves.
    Scalar,
    /// Loads and stores of scalar registers.
    ScalarMemory,
    /// Vector arithmetic and moves.
    Vector,
    /// Products of matrices.
    Matrix,
    /// Conversions, transcendental functions and divisions, which take a quarter of the rate or less.
    SlowVector,
    /// Loads, stores and atomics of buffers, images, and global, flat and scratch memory.
    Memory,
    /// Accesses to LDS and the global data share, and exchanges between lanes by way of it.
    Lds,
    /// Branches and jumps.
    Branch,
    /// Barriers.
    Barrier,
    /// Waits for counters.
    Wait,
    /// Everything else: messages, exports, no-ops, the end.
    Other,
}

/// A place in a source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// The function, if it is known.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line, from 1 on; 0 if the compiler gave none.
    pub line: u32,
    /// The column, from 1 on; 0 if it is not known.
    pub column: u32,
}

/// The accesses of an instruction to one memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The memory.
    pub space: Space,
    /// The kind of access.
    pub kind: Kind,
    /// Accesses of waves: one of an execution, and two of those that the hardware makes in two parts, as `ds_read2_b32`.
    pub accesses: u64,
    /// Accesses of lanes; those of a wave as a whole count once.
    pub lanes: u64,
    /// Bytes that the lanes asked for.
    pub bytes: u64,
    /// Different bytes of each access, in sum: lanes that ask for the same byte count once.
    pub different_bytes: u64,
    /// Lines of 64 bytes that each access touched, in sum. 0 for LDS.
    pub lines_64: u64,
    /// Lines of 128 bytes.
    pub lines_128: u64,
    /// The lines of 64 bytes that the different bytes of each access would fill, in sum.
    pub least_lines_64: u64,
    /// Cycles of LDS that the accesses took, by its banks. 0 for other memories.
    pub bank_cycles: u64,
    /// The cycles that the same lanes would take without conflicts.
    pub least_bank_cycles: u64,
    /// Lanes of atomics that changed a place that an earlier lane of the same access changed.
    pub collisions: u64,
}

/// A memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Memory of the device and of the host, by address.
    Global,
    /// The LDS of a work-group.
    Lds,
    /// The global data share.
    Gds,
    /// The scratch of lanes: spilled registers, arrays of a work-item.
    Scratch,
    /// Global memory, by scalar loads and stores.
    Scalar,
}

/// A kind of access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic, with or without a result.
    Atomic,
}

/// The accesses to vector memory that a wait was for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Wait {
    /// Executions that had something to wait for.
    pub needed: u64,
    /// Instructions between the last access that the wait was for and the wait, on the shortest way through the code, in sum over
    /// those executions.
    pub ahead: u64,
    /// The fewest of these instructions.
    pub least_ahead: u64,
}

/// The times of the host, in nanoseconds from the first event on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Timeline {
    /// The events, by their beginnings.
    pub events: Vec<Event>,
    /// Events that were left out because there were too many.
    pub left_out: u64,
}

/// Something that took time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The track: `queue 1`, `copies`, `thread 1` for calls of the host.
    pub track: String,
    /// The kernel, the copy or the call.
    pub name: String,
    /// The kind.
    pub kind: EventKind,
    /// The beginning.
    pub begin: u64,
    /// The end.
    pub end: u64,
    /// For a kernel its index in [`Profile::kernels`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<usize>,
    /// For a copy its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A launch of a kernel, from its start to its end.
    Kernel,
    /// A copy or fill of memory.
    Copy,
    /// A call of the runtime library by the program.
    Call,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Instruction {
    /// The lanes of all executions.
    pub fn lane_executions(&self) -> u64 {
        let products = self
            .lanes
            .iter()
            .map(|(lanes, times)| u64::from(*lanes) * times);
        products.sum()
    }
}

impl Memory {
    /// No accesses of a kind to a memory.
    pub fn new(space: Space, kind: Kind) -> Memory {
        Memory {
            space,
            kind,
            accesses: 0,
            lanes: 0,
            bytes: 0,
            different_bytes: 0,
            lines_64: 0,
            lines_128: 0,
            least_lines_64: 0,
            bank_cycles: 0,
            least_bank_cycles: 0,
            collisions: 0,
        }
    }

    /// Adds the counts of other accesses of the same kind to the same memory.
    pub fn add(&mut self, other: &Memory) {
        self.accesses += other.accesses;
        self.lanes += other.lanes;
        self.bytes += other.bytes;
        self.different_bytes += other.different_bytes;
        self.lines_64 += other.lines_64;
        self.lines_128 += other.lines_128;
        self.least_lines_64 += other.least_lines_64;
        self.bank_cycles += other.bank_cycles;
        self.least_bank_cycles += other.least_bank_cycles;
        self.collisions += other.collisions;
    }
}
