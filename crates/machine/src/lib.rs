//! Waves, work-groups, memory and the interpreter of the wave IR.
