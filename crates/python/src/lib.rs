//! The extension module `wavetank._wavetank`: the library as classes and functions of Python.
//!
//! What needs no Rust is written in Python (`python/wavetank`): exceptions, conversions of states, the plugin for pytest.

mod argument;
mod array;
mod assembly;
mod bulk;
mod capture;
mod check;
mod chip;
mod code_file;
mod device;
mod disassembly;
mod error;
mod execute;
mod explain;
mod finding;
mod hook;
mod hooked_wave;
mod host_array;
mod host_memory;
mod html;
mod instruction;
mod interrupt;
mod launch;
mod loan;
mod module;
mod observed;
mod prepared;
mod print;
mod registers;
mod shared;
mod step;
mod surface;
mod trace;
mod wave;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _wavetank {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interrupt::note_main();
        Ok(())
    }

    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::assembly::{Assembly, asm};
    #[pymodule_export]
    use crate::bulk::{asm_many, dis_many};
    #[pymodule_export]
    use crate::capture::{capture_contents, replay};
    #[pymodule_export]
    use crate::check::{check, check_file};
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::disassembly::dis;
    #[pymodule_export]
    use crate::execute::{Executed, execute};
    #[pymodule_export]
    use crate::explain::{explain, isa};
    #[pymodule_export]
    use crate::finding::Finding;
    #[pymodule_export]
    use crate::hook::Accessed;
    #[pymodule_export]
    use crate::hooked_wave::HookedWave;
    #[pymodule_export]
    use crate::host_array::Memory;
    #[pymodule_export]
    use crate::host_memory::HostMemory;
    #[pymodule_export]
    use crate::instruction::Instruction;
    #[pymodule_export]
    use crate::launch::Run;
    #[pymodule_export]
    use crate::module::{Kernel, Module};
    #[pymodule_export]
    use crate::observed::gpus_named;
    #[pymodule_export]
    use crate::prepared::{Adder, Launch};
    #[pymodule_export]
    use crate::registers::Registers;
    #[pymodule_export]
    use crate::step::Step;
    #[pymodule_export]
    use crate::surface::{asm_surface, dis_surface};
    #[pymodule_export]
    use crate::trace::trace;
    #[pymodule_export]
    use crate::wave::Wave;
}
