//! Kernels of a module.

use wavetank_object::Arg as Param;

use crate::arg::signature;
use crate::dispatch::Dims;
use crate::module::Module;

/// A kernel of a loaded module.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) module: Module,
    pub(crate) index: usize,
}

impl Kernel {
    /// The module it is in.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The kernel's entry in the code object: arguments, registers, LDS, scratch.
    pub fn info(&self) -> &wavetank_object::Kernel {
        &self.module.object().kernels()[self.index]
    }

    /// Returns the name of the kernel (mangled for C++).
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// The arguments that a caller gives, in order.
    pub fn args(&self) -> Vec<&Param> {
        self.info().explicit_args().collect()
    }

    /// Name and arguments for people: `vecadd(float* a, float* b, float* c, int n)`.
    pub fn signature(&self) -> String {
        signature(self.name(), &self.args())
    }

    /// Returns the size of a work-group for a launch that sets none: the size that the kernel requires, or up to 64 work-items of the
    /// first dimension.
    pub fn default_block(&self, grid: Dims) -> Dims {
        match self.info().reqd_workgroup_size {
            Some(required) => required.into(),
            None => {
                let most = self.info().max_flat_workgroup_size.unwrap_or(64);
                grid.size()[0].clamp(1, most.clamp(1, 64)).into()
            }
        }
    }

    /// Device address of the descriptor: the `kernel_object` of a dispatch packet.
    pub fn descriptor_address(&self) -> u64 {
        self.module.address_of(self.info().descriptor_address)
    }
}
