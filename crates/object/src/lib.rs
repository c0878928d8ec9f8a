//! GPU code objects: ELF, metadata, kernel descriptors and offload bundles.
