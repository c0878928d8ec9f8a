//! Listings of the host code of a kernel.

use std::collections::{BTreeSet, VecDeque};

use wavetank_interp::{Program, Translation};
use wavetank_jit::{CompileOptions, Jit};
use wavetank_machine::gcn::{Launch, UserData};
use wavetank_translate::Modes;

use crate::code::ModuleCode;
use crate::engine::modes_at_start;
use crate::kernel::Kernel;

impl Kernel {
    /// Returns the compiled code of the kernel on this host as text: guest instruction, IR and host instructions one below the
    /// other, block by block, with the registers of the guest named. Blocks after computed jumps are not included.
    ///
    /// # Errors
    /// A sentence with the reason for which this host cannot compile kernels.
    ///
    /// ```no_run
    /// use wavetank::{Chip, Device, Module};
    /// let device = Device::new(Chip::Gfx900)?;
    /// let module = Module::load(&device, &std::fs::read("vecadd.hsaco")?)?;
    /// let kernel = module.kernels().next().expect("it has kernels");
    /// println!("{}", kernel.host_code()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn host_code(&self) -> Result<String, String> {
        let (engine, simd) = (self.module.engine(), self.module.device().inner.simd);
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd,
        };
        let program = Program::new(engine.shared_code(), how);
        let how = CompileOptions {
            count: false,
            simd,
            registers_observable: false,
            instrumented: false,
        };
        let jit = Jit::new(program, how, 0);
        let jit = jit.map_err(|(_, why)| why.to_string())?;
        Ok(self.list(&jit, engine.code()))
    }

    /// The blocks that are reached from the entry, in the order of their addresses.
    fn list(&self, jit: &Jit, code: &ModuleCode) -> String {
        let (entry, modes) = self.start();
        let mut known = BTreeSet::from([entry]);
        let mut open = VecDeque::from([entry]);
        let mut texts = Vec::new();
        let guest = |pc: u64| code.text(pc).unwrap_or_default();
        while let Some(pc) = open.pop_front() {
            let Some((text, next)) = jit.listing(pc, modes, &guest) else {
                texts.push((pc, format!("{pc:#x}: the interpreter runs this block\n")));
                continue;
            };
            texts.push((pc, text));
            open.extend(next.into_iter().filter(|to| known.insert(*to)));
        }
        texts.sort();
        let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
        texts.join("\n")
    }

    /// The address at which waves start, and their initial modes.
    fn start(&self) -> (u64, Modes) {
        let info = self.info();
        let descriptor = &info.descriptor;
        let launch = Launch {
            chip: self.module.device().chip(),
            xccs: self.module.device().facts().xccs,
            entry: self
                .module
                .address_of(info.entry + descriptor.start_offset()),
            rsrc1: descriptor.rsrc1.bits,
            rsrc2: descriptor.rsrc2.bits,
            vgprs: descriptor.plain_vgpr_count(self.module.object().target()),
            acc_vgprs: descriptor.acc_vgpr_count,
            live_in: None,
            sgprs: descriptor.sgpr_count,
            lds_bytes: 0,
            scratch_wave_bytes: 0,
            user: UserData::default(),
            trap_handler: None,
        };
        (launch.entry, modes_at_start(&launch))
    }
}
