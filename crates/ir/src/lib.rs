//! The wave IR: types, operations, builder, text form, verifier and simplifier.
