//! Machine code for analysis: the control flow graphs of kernels and functions.

mod block;
mod bytes;
mod graph;
mod inline;
mod root;
mod successors;

pub use block::Block;
pub use bytes::Bytes;
pub(crate) use graph::chip_of;
pub use graph::{Graph, Node};
pub(crate) use inline::Inlined;
pub use root::Root;
pub use successors::Successors;
pub(crate) use successors::constant;
