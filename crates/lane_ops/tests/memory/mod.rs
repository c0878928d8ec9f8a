//! Memory operations, driven on a wave. Expectations come from the manual's
//! pseudo-code, written out lane by lane.
//!
//! The operations are in no block: where they name values of data and of
//! descriptors, those are the numbers of registers.

mod buffer;
mod global;
mod instrumented;
mod lds;
mod reach;
mod read_on;
mod rows;
mod scratch;

use wavetank_ir::{
    Access, Counter, DataReg, Dialect, Elements, Half, Image, MemKind, MemOp, Rmw, Space as Where,
    Value,
};
use wavetank_lane_ops::{Ctx, Next, Simd, Step, StepFn, memory_step};
use wavetank_machine::Fault;
use wavetank_memory::{
    Context, Lds, MemoryFault, MemoryFaultReason, MemoryUnit, Registry, Request, Source, Uniform,
    VECTOR_BYTES, Wave,
};

pub(crate) const V: Value = Value(0);

/// A place in the uniform file for masks and addresses.
pub(crate) fn s(n: usize) -> u32 {
    (std::mem::offset_of!(Uniform, s) + 4 * n) as u32
}

pub(crate) fn v(n: u32) -> Source {
    Source::Vector(n * VECTOR_BYTES as u32)
}

pub(crate) fn global() -> Where {
    Where::Global {
        address: V,
        index: None,
    }
}

pub(crate) fn load(space: Where, access: Access, to: DataReg) -> MemOp {
    MemOp {
        kind: MemKind::Load,
        space,
        offset: 0,
        access,
        half: Half::Whole,
        data: vec![],
        ret: Some(to),
        mask: Some(V),
        glc: false,
        slc: false,
        shadow: false,
        counter: Counter::Vm,
    }
}

pub(crate) fn store(space: Where, access: Access, from: DataReg) -> MemOp {
    MemOp {
        kind: MemKind::Store,
        data: registers(from, access.bytes().div_ceil(4)),
        ret: None,
        ..load(space, access, from)
    }
}

pub(crate) fn atomic(space: Where, rmw: Rmw, dwords: u8, data: u16, to: u16) -> MemOp {
    let operands = if rmw.needs_two() { 2 } else { 1 };
    MemOp {
        kind: MemKind::Atomic(rmw),
        data: registers(DataReg::V(data), operands * u32::from(dwords)),
        ..load(space, Access::Dwords(dwords), DataReg::V(to))
    }
}

/// The numbers of registers, as values of data.
pub(crate) fn registers(first: DataReg, count: u32) -> Vec<Value> {
    let first = match first {
        DataReg::V(n) => n.into(),
        DataReg::S(n) => n.into(),
    };
    (first..first + count).map(Value).collect()
}

/// The pairs of uniform registers of a descriptor.
fn descriptor(op: &MemOp) -> [Source; 6] {
    let mut parts = [Source::None; 6];
    if let Where::Buffer { resource, .. } | Where::ScalarBuffer { resource, .. } = &op.space {
        for (part, register) in parts.iter_mut().zip(resource) {
            *part = Source::Uniform(s(register.index()));
        }
    }
    parts
}

/// Where the data are.
fn data(op: &MemOp) -> [u32; MemOp::MAX_DATA] {
    let mut offsets = [0; MemOp::MAX_DATA];
    for (offset, register) in offsets.iter_mut().zip(&op.data) {
        *offset = match op.space {
            Where::Scalar { .. } | Where::ScalarBuffer { .. } => s(register.index()),
            _ => register.0 * VECTOR_BYTES as u32,
        };
    }
    offsets
}

/// The steps of the levels that this processor has.
pub(crate) fn levels(op: &MemOp) -> Vec<StepFn> {
    let all = [Simd::Baseline, Simd::Avx2, Simd::Avx512];
    let here = all.into_iter().filter(|simd| simd.or_best() == *simd);
    here.map(|simd| memory_step(simd, op, false)).collect()
}

/// Runs an operation at one level, with EXEC as its mask.
pub(crate) fn run_step(
    wave: &mut Wave,
    unit: &mut MemoryUnit<'_>,
    op: &MemOp,
    sources: &[Source],
    f: StepFn,
) -> Result<(), Box<MemoryFault>> {
    let mut all = [Source::None; 4];
    all[..sources.len()].copy_from_slice(sources);
    let mem = Request {
        op: op.clone(),
        pc: 0x1234,
        cache: 7,
        sources: all,
        descriptor: descriptor(op),
        address: [0; Image::MAX_ADDRESS],
        data: data(op),
        ret: match op.ret {
            Some(DataReg::V(n)) => u32::from(n) * VECTOR_BYTES as u32,
            _ => 0,
        },
        mask: s(126),
    };
    let step = Step {
        run: f,
        dst: 0,
        dst2: 0,
        src: [0; 3],
        mask: 0,
        imm: [(&raw const mem).expose_provenance() as u64, 0, 0],
        flags: 0,
    };
    let (uniform, vector) = wave.raw();
    let context = Context {
        uniform,
        vector: vector.cast(),
        memory: unit,
    };
    let mut ctx = Ctx {
        context,
        leave: None,
    };
    // SAFETY: the wave and the memory step are alive; the level was detected.
    match unsafe { f(&mut ctx, &step) } {
        Next::Step => Ok(()),
        _ => match ctx.leave.as_ref().and_then(|leave| leave.fault()) {
            Some(Fault::Memory(f)) => {
                assert_eq!(wave.uniform().pc, 0x1234);
                Err(f.clone())
            }
            other => panic!("{other:?}"),
        },
    }
}

/// Runs an operation at the best level.
pub(crate) fn run(
    wave: &mut Wave,
    unit: &mut MemoryUnit<'_>,
    op: &MemOp,
    sources: &[Source],
) -> Result<(), Box<MemoryFault>> {
    let f = *levels(op).last().expect("there is a baseline");
    run_step(wave, unit, op, sources, f)
}

pub(crate) fn set_addresses(wave: &mut Wave, reg: usize, f: impl Fn(usize) -> u64) {
    for lane in 0..64 {
        wave.vgpr_mut(reg)[lane] = f(lane) as u32;
        wave.vgpr_mut(reg + 1)[lane] = (f(lane) >> 32) as u32;
    }
}

pub(crate) fn bytes_of(registry: &Registry, address: u64, n: usize) -> Vec<u8> {
    let mut out = vec![0; n];
    registry.read(address, &mut out).unwrap();
    out
}

pub(crate) fn dword(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// A buffer of 4 KiB whose bytes all differ from their neighbours.
pub(crate) fn filled(registry: &Registry) -> (u64, Vec<u8>) {
    let a = registry.allocate("buffer", 4096, 4096).unwrap().address;
    let bytes: Vec<u8> = (0..4096u32).map(|i| (i * 37 + i / 256) as u8).collect();
    registry.write(a, &bytes).unwrap();
    (a, bytes)
}

/// Scratch of 16 dwords a lane.
pub(crate) fn with_scratch<'m>(registry: &'m Registry) -> (MemoryUnit<'m>, u64) {
    let a = registry.allocate("scratch", 64 * 64, 256).unwrap();
    let mut unit = MemoryUnit::new(registry);
    unit.set_scratch(a.address, 64);
    unit.set_lds(Lds::new(1024));
    (unit, a.address)
}

/// What is said of an offset above the scratch of 64 bytes.
pub(crate) fn overflow(offset: u32) -> MemoryFaultReason {
    MemoryFaultReason::StackOverflow {
        offset,
        stack_bytes: 64,
    }
}

pub(crate) fn local() -> Where {
    Where::Lds {
        address: V,
        limit: None,
    }
}

pub(crate) fn buffer(index: bool, offset: bool, format: bool) -> Where {
    Where::Buffer {
        resource: [Value(8), Value(10)],
        dialect: Dialect::Indexed,
        address: None,
        index: index.then_some(V),
        offset: offset.then_some(V),
        soffset: V,
        format: if format {
            Elements::Resource
        } else {
            Elements::Plain
        },
    }
}

/// Sets s[8:11] to a descriptor; word 3 with data format 32 and select xyzw.
pub(crate) fn bind(wave: &mut Wave, base: u64, stride: u32, records: u32, word1: u32, word3: u32) {
    const XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    let word1 = word1 | stride << 16;
    wave.set_s64(8, base | u64::from(word1) << 32);
    wave.set_s64(10, u64::from(records) | u64::from(word3 | XYZW) << 32);
}

pub(crate) const FORMAT_32: u32 = 4 << 15;
