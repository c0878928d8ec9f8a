//! Functions exported for the tests of this crate only.

#![allow(missing_docs)]

pub use crate::drive::ENV_SHIFT;
pub use crate::element_function::visit_function;
pub use crate::lanes::{Batch2, Batch3, Env, Op1, Op2, Op3, Test2, Word};
pub use crate::visit::Visit;
