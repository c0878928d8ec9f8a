//! Functions of the public headers that are not implemented: each logs its name and returns an error, so that programs link and
//! do not crash.

use crate::c_types::Status;
use crate::log;

/// Declares functions that are not supported. Arguments that a caller passes in registers are not read.
macro_rules! unimplemented {
    ($($name:ident)*) => { $(
        #[unsafe(export_name = concat!("wt_", stringify!($name)))]
        pub(crate) extern "C" fn $name() -> Status {
            log::unimplemented(stringify!($name));
            Status::ERROR
        }
        std::arch::global_asm!(concat!(
            ".symver wt_", stringify!($name), ", ", stringify!($name), "@@ROCR_1"
        ));
    )* };
}

unimplemented! {
    hsa_amd_agent_preload hsa_amd_image_get_info_max_dim hsa_amd_interop_map_buffer
    hsa_amd_interop_unmap_buffer
    hsa_amd_memory_get_preferred_copy_engine
    hsa_amd_portable_close_dmabuf hsa_amd_portable_export_dmabuf hsa_amd_queue_get_info
    hsa_amd_spm_acquire hsa_amd_spm_release hsa_amd_spm_set_dest_buffer
    hsa_ext_program_add_module hsa_ext_program_create
    hsa_ext_program_destroy hsa_ext_program_finalize hsa_ext_program_get_info hsa_ext_program_iterate_modules
}
