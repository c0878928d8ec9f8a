//! A warp of an instruction set other than GCN, with surfaces.

use std::sync::Arc;

use wavetank_interp::Simd;
use wavetank_ir::LANES;
use wavetank_memory::{MemoryUnit, Registry, Surface, VGPRS, Wave};
use wavetank_translate::FrontEnd;

use crate::front_end::{Engine, WaveGroup, narrow, run_front_end};
use crate::surfaces::{Bound, SurfaceError};

/// A warp of up to 64 threads, with registers and surfaces of its own.
///
/// Registers are numbered as in the front end of the instruction set; a thread has 32 bits of each.
///
/// ```
/// use wavetank::maxwell::{Generation, assemble, lift};
/// use wavetank::{Dimensions, Element, Surface, Warp};
///
/// // Eight elements by four, as surface 6: 0, 1, 2, …
/// let mut warp = Warp::new(32);
/// let plane = Surface::new(0, Dimensions::D2, [8, 4, 1], Element::U32);
/// warp.bind(6, plane, &(0..32).collect::<Vec<u64>>())?;
///
/// // Each thread adds 10 to the element at (R2, R3); R10 gets the value before.
/// let (add, _) = assemble("SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;", Generation::Sm52)?;
/// warp.set(1, &[6]);
/// warp.set(2, &[5]);
/// warp.set(3, &(0..32).map(|n| n % 4).collect::<Vec<u32>>());
/// warp.set(4, &[10]);
/// warp.run(move |pc: u64, most: usize| lift::block(&[add], pc, most))?;
///
/// assert_eq!(warp.elements(6)?[8 + 5], 13 + 8 * 10);
/// assert_eq!(warp.register(10)[..8], [5, 13, 21, 29, 15, 23, 31, 39]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Warp {
    registry: Registry,
    surfaces: Bound,
    wave: Wave,
    threads: usize,
}

impl Warp {
    /// Returns a warp whose registers are 0, without surfaces: 32 threads for NVIDIA's, 1 to 16 channels for Intel's.
    ///
    /// # Panics
    /// If there are no threads, or more than 64.
    pub fn new(threads: usize) -> Warp {
        assert!(
            (1..=LANES).contains(&threads),
            "a warp has 1 to {LANES} threads, not {threads}"
        );
        let mut wave = Wave::new(0);
        narrow(&mut wave, threads);
        Warp {
            registry: Registry::new(),
            surfaces: Bound::default(),
            wave,
            threads,
        }
    }

    /// Allocates memory for a surface, binds the surface to a number in place of any that was bound to it, and sets its elements:
    /// those of the first level, with x first, then y, then z or layers. Elements that are not given are 0. The address in the
    /// surface is not used.
    ///
    /// # Errors
    /// If the surface is not valid, has fewer elements than are given, or there is no memory for it.
    pub fn bind(
        &mut self,
        number: u32,
        surface: Surface,
        elements: &[u64],
    ) -> Result<(), SurfaceError> {
        self.surfaces
            .bind(&self.registry, number, surface, elements)
    }

    /// Sets the maximum valid number of a surface: loads by greater ones give 0, and stores are dropped. Without it, every number
    /// is valid, and one without a surface stops the warp.
    pub fn set_maximum(&mut self, maximum: Option<u32>) {
        self.surfaces.table().set_maximum(maximum);
    }

    /// Reads the elements of a surface, level by level, in the order of [`bind`](Self::bind).
    ///
    /// # Errors
    /// No surface has the number.
    pub fn elements(&self, number: u32) -> Result<Vec<u64>, SurfaceError> {
        let elements = self.surfaces.elements(&self.registry, number);
        elements.ok_or(SurfaceError::Unbound { number })
    }

    /// Sets a register of every thread, if there is a single value, or of the threads from 0 on.
    ///
    /// # Panics
    /// If there is no such register, or there are more values than threads.
    pub fn set(&mut self, register: usize, values: &[u32]) {
        assert!(
            register < VGPRS,
            "there are {VGPRS} registers: no {register}"
        );
        assert!(
            values.len() <= self.threads,
            "there are {} threads",
            self.threads
        );
        let lanes = self.wave.vgpr_mut(register);
        match values {
            [one] => lanes[..self.threads].fill(*one),
            _ => lanes[..values.len()].copy_from_slice(values),
        }
    }

    /// Returns a register, with a value for each thread.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn register(&self, register: usize) -> &[u32] {
        &self.wave.vgpr(register)[..self.threads]
    }

    /// Returns the state after the run, for instruction sets with more than the registers of threads.
    pub fn wave(&mut self) -> &mut Wave {
        &mut self.wave
    }

    /// Runs a program from its start, at address 0, to its end.
    ///
    /// # Errors
    /// A sentence with the reason for which an instruction stopped. That instruction has changed nothing, in any thread.
    pub fn run(
        &mut self,
        program: impl FrontEnd + Send + Sync + 'static,
    ) -> Result<(), SurfaceError> {
        self.wave.uniform_mut().pc = 0;
        let mut memory = MemoryUnit::new(&self.registry);
        memory.set_surfaces(Arc::new(self.surfaces.table().clone()));
        let mut group = WaveGroup::new(vec![std::mem::take(&mut self.wave)], 0, 0, 0);
        let stopped = run_front_end(
            Arc::new(program),
            Engine::Interpreter,
            Simd::detect(),
            &mut group,
            &mut memory,
        );
        self.wave = group.waves.swap_remove(0);
        stopped.map_err(|stopped| SurfaceError::Stopped(stopped.sentence))
    }
}
