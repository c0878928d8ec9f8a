//! Single nodes as steps, for an engine that has code of its own for most nodes of a block, but not for all.
//!
//! Such an engine decides the order, in which it takes the nodes by stages, and says for each value until which stage it
//! is needed. It asks for the steps of a node ([`Single::steps`]), finds the value where those leave it
//! ([`Single::place`]), and says where it leaves values itself ([`Single::claim`]). Nothing is fused.

use wavetank_ir::{Block, Reg, Ty, Value};

use super::plan::{self, Plan};
use super::temps::{Temps, TooMany};
use super::{Extras, Kept, Lower, Place, register};
use wavetank_lane_ops::{Ctx, Next, Simd, Step};

/// The steps of a node, at an address that stays.
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

    /// Runs steps one after another, until one ends the block or stops the wave: what compiled code calls. Gives the
    /// [`Next`] of the last as a number.
    ///
    /// # Safety
    /// That of [`StepFn`](wavetank_lane_ops::StepFn), for each of `count` steps; the context is the caller's alone.
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

/// What an engine knows of a block whose nodes it takes by stages.
pub struct Singles<'b> {
    /// The block.
    pub block: &'b Block,
    /// For each node: a read of a register that is written too early to be used where it is.
    pub copied: Vec<bool>,
    /// For each value: the last stage that needs it.
    pub last: Vec<u32>,
    /// How many stages there are.
    pub stages: usize,
}

/// Makes steps of single nodes.
pub trait Single {
    /// The steps of a node at a stage. It must be no read that stays in its register, no constant and no cast.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn steps(&mut self, v: Value, stage: u32) -> Result<Steps, TooMany>;

    /// Where a value is: in its register, in a temporary, or in the operation that computes it with another.
    fn place(&self, v: Value) -> Place;

    /// A place for a value that the engine computes at a stage, kept until its last one.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn claim(&mut self, v: Value, stage: u32) -> Result<Place, TooMany>;

    /// A lane vector of 32 bits, kept until the end of a stage.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn vector(&mut self, stage: u32) -> Result<u32, TooMany>;

    /// A uniform value of 64 bits, kept until the end of a stage.
    ///
    /// # Errors
    /// If there are no temporaries left.
    fn uniform(&mut self, stage: u32) -> Result<u32, TooMany>;

    /// The engine computes a uniform value right into a register.
    fn put(&mut self, v: Value, reg: Reg);

    /// A stage is over: takes back what nobody needs after it.
    fn done(&mut self, stage: u32);
}

impl<'b> Singles<'b> {
    /// What makes the steps, for a level of processor features.
    pub fn at(self, simd: Simd) -> Box<dyn Single + 'b> {
        let block = self.block;
        let mut lower = Lower {
            block,
            simd,
            extras: Extras::default(),
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
