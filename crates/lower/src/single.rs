//! Lowering of single nodes, for an engine that has its own code for most nodes of a block, but not for all.
//!
//! Such an engine chooses the order: it processes the nodes in stages, and specifies for each value the last stage that needs it.
//! The engine gets the steps of a node ([`Single::steps`]), finds the value at their destination ([`Single::place`]), and
//! reserves places for the values that it computes itself ([`Single::claim`]). Nothing is fused.

use wavetank_ir::{Block, Reg, Ty, Value};

use super::plan::{self, Plan};
use super::temps::{Temps, TooMany};
use super::{Extras, Kept, Lower, Place, register};
use wavetank_lane_ops::{Ctx, Next, Simd, Step};
use wavetank_memory::Request;

/// The steps of a node, at a stable address.
pub struct Steps {
    steps: Box<[Step]>,
    #[expect(dead_code, reason = "held, not read: the steps have its addresses")]
    kept: Kept,
}

impl Steps {
    /// The steps in their order.
    pub fn as_slice(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the address of the request of a memory access, which the last step makes.
    pub fn request(&self) -> Option<*const Request> {
        let address = self.steps.last()?.imm[0] as usize;
        Some(std::ptr::with_exposed_provenance(address))
    }

    /// Runs steps one after another, until one ends the block or stops the wave; compiled code calls it. Returns the [`Next`] of
    /// the last step as a number.
    ///
    /// # Safety
    /// The contract of [`StepFn`](wavetank_lane_ops::StepFn), for each of `count` steps; the context is the caller's alone.
    pub unsafe extern "C" fn run(ctx: *mut Ctx<'_, '_>, steps: *const Step, count: usize) -> u32 {
        // SAFETY: by the caller's promise.
        let (ctx, steps) = unsafe { (&mut *ctx, std::slice::from_raw_parts(steps, count)) };
        for step in steps {
            // SAFETY: by the caller's promise.
            let next = unsafe { (step.run)(ctx, step) };
            if next != Next::Step {
                return next as u32;
            }
        }
        Next::Step as u32
    }
}

/// An engine's description of a block that it processes in stages.
pub struct Singles<'b> {
    /// The block to lower.
    pub block: &'b Block,
    /// For each node: whether it reads a register that is written too early to be used in place.
    pub copied: Vec<bool>,
    /// For each value: the last stage that needs it.
    pub last: Vec<u32>,
    /// The number of stages.
    pub stages: usize,
    /// Whether steps record accesses, and waits for them.
    pub instrumented: bool,
}

/// Lowers single nodes to steps.
pub trait Single {
    /// The steps of a node at a stage. The node is not a read that is used in place, a constant or a cast.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn steps(&mut self, v: Value, stage: u32) -> Result<Steps, TooMany>;

    /// The place of a value: its register, a temporary, or that of the operation that computes it as a second result.
    fn place(&self, v: Value) -> Place;

    /// Reserves a place for a value that the engine computes at a stage, until the last stage that needs it.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn claim(&mut self, v: Value, stage: u32) -> Result<Place, TooMany>;

    /// Reserves a lane vector of 32 bits until the end of a stage.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn vector(&mut self, stage: u32) -> Result<u32, TooMany>;

    /// Reserves a uniform value of 64 bits until the end of a stage.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn uniform(&mut self, stage: u32) -> Result<u32, TooMany>;

    /// Records that the engine computes a uniform value directly into a register.
    fn put(&mut self, v: Value, reg: Reg);

    /// Ends a stage, and frees the places that are not needed after it.
    fn done(&mut self, stage: u32);
}

impl<'b> Singles<'b> {
    /// The lowering of single nodes for a level of processor features.
    pub fn at(self, simd: Simd) -> Box<dyn Single + 'b> {
        let block = self.block;
        let mut lower = Lower {
            block,
            simd,
            extras: Extras {
                instrumented: self.instrumented,
                ..Extras::default()
            },
            plan: Plan::unfused(block, self.copied, self.last),
            temps: Temps::new(self.stages),
            places: vec![Place::Nowhere; block.nodes.len()],
            steps: Vec::new(),
            kept: Kept::default(),
            pc: block.pc,
            node: 0,
            now: 0,
        };
        lower.place_reads();
        Box::new(lower)
    }
}

impl Single for Lower<'_> {
    fn steps(&mut self, v: Value, stage: u32) -> Result<Steps, TooMany> {
        (self.node, self.now) = (v.0, stage);
        self.pc = self.block.instruction_of(v);
        self.emit(v)?;
        Ok(Steps {
            steps: std::mem::take(&mut self.steps).into(),
            kept: std::mem::take(&mut self.kept),
        })
    }

    fn place(&self, v: Value) -> Place {
        Lower::place(self, v)
    }

    fn claim(&mut self, v: Value, stage: u32) -> Result<Place, TooMany> {
        let v = plan::source(self.block, v);
        self.now = stage;
        let (ty, last) = (self.ty(v), self.last(v));
        let place = match ty {
            Ty::V32 | Ty::V64 => Place::Vector(self.temps.vector(ty.bits(), last)?),
            Ty::U32 | Ty::U64 | Ty::Mask => Place::Uniform(self.temps.uniform(last)?),
        };
        self.places[v.index()] = place;
        Ok(place)
    }

    fn vector(&mut self, stage: u32) -> Result<u32, TooMany> {
        self.temps.vector(32, stage)
    }

    fn uniform(&mut self, stage: u32) -> Result<u32, TooMany> {
        self.temps.uniform(stage)
    }

    fn put(&mut self, v: Value, reg: Reg) {
        self.places[plan::source(self.block, v).index()] = register(reg);
    }

    fn done(&mut self, stage: u32) {
        self.temps.done(stage as usize);
    }
}
