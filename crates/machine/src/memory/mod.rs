//! The memory unit: the only place where emulated memory is touched.

/// The memory of one worker: the registry of allocations, the LDS and the
/// scratch of the work-group it runs.
pub struct MemoryUnit<'m> {
    marker: std::marker::PhantomData<&'m ()>,
}
