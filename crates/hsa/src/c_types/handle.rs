//! Handles: 64-bit numbers that stand for objects of the runtime.

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[repr(transparent)]
        pub(crate) struct $name(pub u64);
    )* };
}

handles! {
    /// `hsa_agent_t`
    Agent;
    /// `hsa_isa_t`
    Isa;
    /// `hsa_wavefront_t`
    Wavefront;
    /// `hsa_region_t`
    Region;
    /// `hsa_amd_memory_pool_t`
    Pool;
    /// `hsa_signal_t`: the address of an [`AmdSignal`](super::AmdSignal)
    Signal;
    /// `hsa_signal_group_t`
    SignalGroup;
    /// `hsa_code_object_reader_t`
    Reader;
    /// `hsa_code_object_t`
    CodeObject;
    /// `hsa_code_symbol_t`
    CodeSymbol;
    /// `hsa_executable_t`
    Executable;
    /// `hsa_executable_symbol_t`
    ExecutableSymbol;
    /// `hsa_loaded_code_object_t`
    LoadedCodeObject;
    /// `hsa_ext_image_t`: the address of the resource that kernels read
    Image;
    /// `hsa_ext_sampler_t`: the address of the sampler that kernels read
    Sampler;
}
