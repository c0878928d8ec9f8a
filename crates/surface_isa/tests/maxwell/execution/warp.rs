//! A warp, a surface, and what a program does to them.

use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, Surface, Surfaces, Wave};
use wavetank_surface_isa::maxwell::lift::{CONSTANTS, block};
use wavetank_surface_isa::maxwell::{Generation, Inst, assemble};

/// Threads of a warp.
pub(crate) const THREADS: usize = 32;
/// The number of the surface in the pool of headers.
pub(crate) const SURFACE: u32 = 6;
/// The value of registers that are not written.
pub(crate) const OLD: u32 = 0x5555_5555;

/// What there is before a program runs.
#[derive(Clone)]
pub(crate) struct Before {
    pub surface: Surface,
    /// Its elements, in the order of x, then y, then z.
    pub elements: Vec<u64>,
    /// Registers by number: a value for each thread.
    pub registers: Vec<(usize, [u32; THREADS])>,
    /// P0 to P6.
    pub predicates: [u32; 7],
    /// The threads that run.
    pub running: u32,
    /// `MaximumIndex`.
    pub maximum: Option<u32>,
    /// The constant bank.
    pub constants: Vec<u32>,
}

/// What there is afterwards.
pub(crate) struct After {
    pub leave: Leave,
    pub elements: Vec<u64>,
    pub wave: Wave,
}

pub(crate) fn inst(line: &str) -> Inst {
    let (inst, _) = assemble(line, Generation::Sm52).unwrap_or_else(|e| panic!("{line}: {e}"));
    inst
}

/// Runs a program on each engine, each with memory of its own.
pub(crate) fn run(code: &[Inst], before: &Before) -> [After; 2] {
    let code = code.to_vec();
    let source = Arc::new(move |pc, most| block(&code, pc, most));
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let plain = PlainProgram::of(source.clone(), false);
    let program = Program::of(source, how);
    [
        run_on(&mut Plain::new(&plain), before),
        run_on(&mut Interpreter::new(&program), before),
    ]
}

/// Each element with its coordinates.
pub(crate) fn places(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [width, height, depth] = size;
    let plane = move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z]));
    (0..depth).flat_map(plane)
}

fn run_on(backend: &mut dyn Backend, before: &Before) -> After {
    let registry = Registry::new();
    let bytes = before.surface.bytes();
    let address = registry.allocate("surface", bytes, 512).unwrap().address;
    let surface = Surface {
        address,
        ..before.surface.clone()
    };
    let width = surface.element.bytes() as usize;
    let place = |at| address + surface.element_offset(at);
    for (at, element) in places(surface.size).zip(&before.elements) {
        registry
            .write(place(at), &element.to_le_bytes()[..width])
            .unwrap();
    }
    let constants: Vec<u8> = before
        .constants
        .iter()
        .flat_map(|c| c.to_le_bytes())
        .collect();
    let bank = registry
        .allocate("constants", constants.len().max(4) as u64, 4)
        .unwrap()
        .address;
    registry.write(bank, &constants).unwrap();

    let mut surfaces = Surfaces::new();
    surfaces.bind(SURFACE, surface.clone()).unwrap();
    surfaces.set_maximum(before.maximum);
    let mut unit = MemoryUnit::new(&registry);
    unit.set_surfaces(Arc::new(surfaces));

    let mut wave = Wave::new(0);
    wave.uniform_mut().budget = 100;
    for n in 0..255 {
        *wave.vgpr_mut(n) = [OLD; 64];
    }
    for (n, values) in &before.registers {
        wave.vgpr_mut(*n)[..THREADS].copy_from_slice(values);
    }
    for (n, threads) in before.predicates.into_iter().enumerate() {
        wave.set_s64(2 * n as u8, threads.into());
    }
    wave.set_s64(CONSTANTS, bank);
    wave.set_s64(126, before.running.into());
    let leave = backend.run(&mut wave, &mut unit);
    let elements = places(surface.size).map(|at| {
        let mut element = [0; 8];
        registry.read(place(at), &mut element[..width]).unwrap();
        u64::from_le_bytes(element)
    });
    After {
        leave,
        elements: elements.collect(),
        wave,
    }
}
