//! The meaning of GCN instructions, written in the wave IR.
