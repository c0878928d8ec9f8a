//! Lowering: from a block of the IR, or from single nodes of it, to steps of lane operations.
//!
//! [`lower`] takes a whole block, as the interpreter does: `plan` decides the fusions; then one walk over the nodes emits the
//! steps. A value is in its register, in a temporary, or a constant; an operand that a step does not support directly is
//! materialised first. [`Singles`] are for an engine that has its own code for most nodes.
//!
//! ```
//! use wavetank_ir::parse;
//! use wavetank_lane_ops::Simd;
//! use wavetank_lower::{Extras, lower};
//!
//! let text = "block 0
//!     inst 0 salu
//!     %a:u32 = read s0
//!     %b:u32 = read s1
//!     %sum:u32 = add.i32 %a, %b
//!     write s2, %sum
//!     end_program
//! ";
//! let block = parse(text, &|_| None).expect("the text of a block");
//! let code = lower(&block, Simd::Baseline, Extras::default()).expect("room for the values");
//! // The sum and its write are one step; the other ends the program.
//! assert_eq!(code.steps.len(), 2);
//! ```

#![warn(missing_docs)]

mod emit_steps;
mod memory;
mod ops;
mod plan;
mod single;
mod special;
mod temps;

use std::any::Any;
use std::mem::offset_of;

use wavetank_ir::{
    Block, HARDWARE_REGISTERS, Op, RENAMED_VECTOR, Reg, SHADOW_UNIFORM, SHADOW_VECTOR, Ty, Value,
};

pub use self::memory::{addresses, descriptor, returns};
use self::plan::Plan;
pub use self::single::{Single, Singles, Steps};
use self::temps::{FIRST_RENAMED, Temps};
pub use self::temps::{RENAMED, ROOM, TooMany};
use wavetank_lane_ops::{Simd, Special, Step, StepFn, fuses, is_in_file, special_step};
use wavetank_memory::{SHADOWS, Uniform, VECTOR_BYTES};

/// Data that steps point to, kept as long as the steps.
#[derive(Default)]
pub struct Kept(Vec<Box<dyn Any + Send + Sync>>);

impl Kept {
    /// Keeps a value, and returns its address for a step.
    fn keep<T: Any + Send + Sync>(&mut self, value: T) -> u64 {
        self.0.push(Box::new(value));
        let kept = self.0.last().and_then(|k| k.downcast_ref::<T>());
        let kept: *const T = kept.expect("it was just put there");
        kept.expose_provenance() as u64
    }
}

/// A lowered block for the interpreter.
pub struct Code {
    /// The steps; the last one ends the block.
    pub steps: Vec<Step>,
    /// The data that the steps point to.
    #[expect(dead_code, reason = "held, not read: the steps have its addresses")]
    kept: Kept,
    /// Whether the block writes a hardware register, on which later blocks depend.
    pub changes_modes: bool,
}

/// The location of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Not computed, or fused into its user.
    Nowhere,
    /// A lane vector, by its offset in the vector file.
    Vector(u32),
    /// A uniform value, by its offset in [`Uniform`].
    Uniform(u32),
    /// A constant of 64 bits.
    Const(u64),
}

/// Optional side effects of the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Whether steps count the instructions.
    pub count: bool,
    /// Whether steps record accesses, and waits for them.
    pub instrumented: bool,
}

/// Lowers a block for a level of features.
///
/// # Errors
/// If there are no temporaries left.
pub fn lower(block: &Block, simd: Simd, extras: Extras) -> Result<Code, TooMany> {
    let mut lower = Lower {
        block,
        simd,
        extras,
        plan: Plan::new(block, fuses(simd)),
        temps: Temps::new(block.nodes.len()),
        places: vec![Place::Nowhere; block.nodes.len()],
        steps: Vec::new(),
        kept: Kept::default(),
        pc: block.pc,
        node: 0,
        now: 0,
    };
    lower.place_reads();
    for n in 0..block.nodes.len() {
        (lower.node, lower.now) = (n as u32, n as u32);
        if extras.count {
            lower.count(n);
        }
        lower.emit(Value(n as u32))?;
        lower.temps.done(n);
    }
    let changes_modes = block.nodes.iter().any(|n| plan::writes_hardware(&n.op));
    Ok(Code {
        steps: lower.steps,
        kept: lower.kept,
        changes_modes,
    })
}

struct Lower<'b> {
    block: &'b Block,
    simd: Simd,
    extras: Extras,
    plan: Plan,
    temps: Temps,
    places: Vec<Place>,
    steps: Vec<Step>,
    kept: Kept,
    pc: u64,
    node: u32,
    /// The number of the current node, until which temporaries are kept.
    now: u32,
}

/// The number of a renamed register among the [`RENAMED`].
fn renamed(n: u16) -> Option<usize> {
    let number = usize::from(n & !RENAMED_VECTOR);
    (n & (RENAMED_VECTOR | SHADOW_VECTOR) == RENAMED_VECTOR && number < RENAMED).then_some(number)
}

/// The offset of a register: in the vector file, or in [`Uniform`]. A vector
/// register past the file reads v0 (Vega ISA, 3.6.2).
pub fn register(reg: Reg) -> Place {
    let vector = |n: u16, count: usize| {
        if let Some(n) = renamed(n) {
            return Place::Vector(((FIRST_RENAMED + n) * VECTOR_BYTES) as u32);
        }
        let first = usize::from(n & SHADOW_VECTOR) / usize::from(SHADOW_VECTOR) * SHADOWS;
        let n = usize::from(n & !SHADOW_VECTOR);
        let n = if is_in_file(n, count) { n } else { 0 };
        Place::Vector(((first + n) * VECTOR_BYTES) as u32)
    };
    let uniform = |n: u8, count: u8| {
        let first = match n & SHADOW_UNIFORM {
            0 => offset_of!(Uniform, s),
            _ => offset_of!(Uniform, shadow),
        };
        let n = (n & !SHADOW_UNIFORM).min(128 - count);
        Place::Uniform(first as u32 + 4 * u32::from(n))
    };
    let hardware = |n: u8| offset_of!(Uniform, hw) + 4 * usize::from(n).min(HARDWARE_REGISTERS - 1);
    match reg {
        Reg::S(n) => uniform(n, 1),
        Reg::S64(n) | Reg::Mask(n) => uniform(n, 2),
        Reg::Scc => Place::Uniform(offset_of!(Uniform, scc) as u32),
        Reg::Hw(n) => Place::Uniform(hardware(n) as u32),
        Reg::V(n) => vector(n, 1),
        Reg::V64(n) => vector(n, 2),
    }
}

/// The offset of the mask of all lanes.
const ALL: u32 = offset_of!(Uniform, all) as u32;

impl Lower<'_> {
    fn run_of(&self, special: Special) -> StepFn {
        special_step(self.simd, special)
    }

    /// Places constants, and the reads whose register keeps its value until the last use.
    fn place_reads(&mut self) {
        for (i, node) in self.block.nodes.iter().enumerate() {
            self.places[i] = match node.op {
                Op::Read(reg) if !self.plan.copied[i] => register(reg),
                Op::Const(c) => Place::Const(c),
                _ => Place::Nowhere,
            };
        }
    }

    fn op(&self, v: Value) -> &Op {
        &self.block.node(v).op
    }

    fn ty(&self, v: Value) -> Ty {
        self.block.ty(v)
    }

    fn is_vector(&self, v: Value) -> bool {
        self.ty(v).is_vector()
    }

    /// The place of a value, looking through casts and through `and`s that became gates.
    fn place(&self, v: Value) -> Place {
        let v = plan::source(self.block, v);
        self.places[v.index()]
    }

    fn last(&self, v: Value) -> u32 {
        self.plan.last[v.index()].max(self.now)
    }
}
