//! Kernels of a module.

use wavetank_object::Arg as Param;

use crate::arg::signature;
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

    /// Device address of the descriptor: the `kernel_object` of a dispatch packet.
    pub fn descriptor_address(&self) -> u64 {
        self.module.address_of(self.info().descriptor_address)
    }
}
