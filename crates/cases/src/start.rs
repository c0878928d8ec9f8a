//! The start state of a case: buffers, surfaces, LDS, scratch and waves.

use wavetank::front_end::narrow;
use wavetank::surfaces::{Bound, places};
use wavetank_gcn::numbers::flat_scratch;
use wavetank_gcn::{Chip, Generation};
use wavetank_ir::LANES;
use wavetank_machine::gcn::{Launch, TrapHandler, UserData};
use wavetank_machine::{Grid, GridError, Site};
use wavetank_memory::{Registry, Rights, Wave};

use crate::place::Target;
use crate::set::{CONSTANTS, Set};
use crate::surface::place_of;
use crate::value::{Assignment, Buffer, Buffers, lane};
use crate::{Case, ExecError};

/// The address of the trap handler of a case.
pub(crate) const HANDLER: u64 = 0x4000_0000;

/// The bytes of scratch with the same dword of all lanes; scratch is allocated in these units.
pub(crate) const ROW: usize = 4 * LANES;

/// The initial MODE, encoded as in a kernel descriptor: round to nearest, denormals kept, DX10_CLAMP, IEEE, as compilers for Vega
/// set it.
const RSRC1: u32 = 0xf0 << 12 | 1 << 21 | 1 << 23;

/// The location of the waves' scratch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScratchOfWaves {
    /// The address of the first wave's scratch; those of the other waves follow.
    pub address: u64,
    /// The scratch of a wave in bytes.
    pub wave_bytes: usize,
    /// The scratch of a lane in bytes.
    pub lane_bytes: u32,
}

impl ScratchOfWaves {
    /// Returns FLAT_SCRATCH of a wave, as prologues of compilers set it. On gfx9 it is the address of the wave's scratch. Before,
    /// the lower half is the size for a lane in bytes, and the upper half the offset from the first wave's scratch in units of
    /// 256 bytes.
    pub(crate) fn register(&self, wave: usize, generation: Generation) -> u64 {
        match generation {
            Generation::Gfx9 => self.of(wave),
            Generation::Gfx6 | Generation::Gfx7 | Generation::Gfx8 => {
                let distance = (wave * self.wave_bytes / 256) as u64;
                u64::from(self.lane_bytes) | distance << 32
            }
        }
    }

    /// Returns the address of a wave's scratch.
    pub(crate) fn of(&self, wave: usize) -> u64 {
        self.address + (wave * self.wave_bytes) as u64
    }
}

impl Case {
    /// Makes the surfaces of the case, and sets single elements.
    pub(crate) fn make_surfaces(&self, registry: &Registry) -> Result<Bound, ExecError> {
        let mut bound = Bound::default();
        for declared in &self.surfaces {
            let mut elements = declared.elements();
            let set = self.setup.iter().filter_map(|a| match *a.target.place() {
                Target::Element { number, level, at } if number == declared.number => {
                    Some((place_of(&declared.surface, level, at), a))
                }
                _ => None,
            });
            for (first, a) in set {
                elements.resize(places(&declared.surface).len(), 0);
                let values = a.values.iter().map(|v| v.bits(&Buffers::new()));
                for (to, value) in elements[first.unwrap_or(0)..].iter_mut().zip(values) {
                    *to = value.map_err(|message| ExecError {
                        line: Some(a.line),
                        message,
                    })?;
                }
            }
            let made = bound.bind(
                registry,
                declared.number,
                declared.surface.clone(),
                &elements,
            );
            made.map_err(|error| ExecError {
                line: Some(declared.line),
                message: error.to_string(),
            })?;
        }
        bound.table().set_maximum(self.maximum);
        Ok(bound)
    }

    /// Makes the constant bank, if the instruction set has one, and returns its address.
    pub(crate) fn constant_bank(&self, registry: &Registry) -> Result<Option<u64>, ExecError> {
        if !matches!(self.set, Set::Maxwell(_)) {
            return Ok(None);
        }
        let wrong = |line: Option<usize>, message: String| ExecError { line, message };
        let made = registry.allocate("the constant bank", CONSTANTS as u64, 256);
        let made = made.map_err(|error| wrong(None, error.to_string()))?;
        for a in &self.setup {
            let Target::Constant { offset } = *a.target.place() else {
                continue;
            };
            for (n, value) in a.values.iter().enumerate() {
                let value = value.bits(&Buffers::new());
                let value = value.map_err(|message| wrong(Some(a.line), message))? as u32;
                let at = made.address + (offset + 4 * n) as u64;
                let written = registry.write(at, &value.to_le_bytes());
                written.map_err(|error| wrong(Some(a.line), error.to_string()))?;
            }
        }
        Ok(Some(made.address))
    }
}

impl Case {
    /// Makes the buffers in the order of their lines.
    pub(crate) fn make_buffers(&self, registry: &Registry) -> Result<Buffers, ExecError> {
        let mut buffers = Buffers::new();
        for a in &self.setup {
            if let Target::Memory {
                name,
                bytes,
                read_only,
            } = a.target.place()
            {
                let made = allocate(registry, &buffers, name, a, *bytes, *read_only);
                let made = made.map_err(|message| a.wrong(message))?;
                buffers.insert(name.clone(), made);
            }
        }
        Ok(buffers)
    }

    /// Makes the scratch of the waves, which is not part of a buffer.
    pub(crate) fn make_scratch(&self, registry: &Registry) -> Result<ScratchOfWaves, ExecError> {
        let lane_bytes = self.sizes.scratch_bytes;
        if lane_bytes == 0 {
            return Ok(ScratchOfWaves::default());
        }
        let wave_bytes = lane_bytes.div_ceil(4) as usize * ROW;
        let bytes = wave_bytes as u64 * u64::from(self.sizes.waves);
        let made = registry.allocate("scratch", bytes, 256);
        let made = made.map_err(|error| ExecError {
            line: None,
            message: error.to_string(),
        })?;
        Ok(ScratchOfWaves {
            address: made.address,
            wave_bytes,
            lane_bytes,
        })
    }

    /// Returns the dwords of the LDS, and fills the global data share.
    pub(crate) fn fill_shares(
        &self,
        registry: &Registry,
        buffers: &Buffers,
    ) -> Result<Vec<u32>, ExecError> {
        let mut lds = vec![0; self.sizes.lds_bytes.div_ceil(4) as usize];
        for a in &self.setup {
            match *a.target.place() {
                Target::Lds { offset } => {
                    let values = a.bits(buffers)?;
                    let place = lds.get_mut(offset / 4..offset / 4 + values.len());
                    let place = place.ok_or_else(|| {
                        let bytes = self.sizes.lds_bytes;
                        a.wrong(format!("the LDS has {bytes} bytes"))
                    })?;
                    for (to, value) in place.iter_mut().zip(values) {
                        *to = value as u32;
                    }
                }
                Target::Gds { offset } => {
                    let values = a.bits(buffers)?;
                    let dwords = values.iter().flat_map(|v| (*v as u32).to_le_bytes());
                    let bytes: Vec<u8> = dwords.collect();
                    let written = registry.write_gds(offset as u64, &bytes);
                    written.map_err(|error| a.wrong(error.to_string()))?;
                }
                _ => {}
            }
        }
        Ok(lds)
    }

    /// Returns a wave with the start state of the case, and a trap handler at an address.
    pub(crate) fn start(
        &self,
        index: u32,
        buffers: &Buffers,
        registry: &Registry,
        scratch: ScratchOfWaves,
        handler: u64,
    ) -> Result<Wave, ExecError> {
        let mut wave = Wave::new(index);
        if let Set::Gcn(chip) = self.set {
            self.set_hardware(chip, &mut wave, handler);
            if let Some(register) =
                flat_scratch(chip.generation()).filter(|_| scratch.lane_bytes > 0)
            {
                wave.set_s64(
                    register,
                    scratch.register(index as usize, chip.generation()),
                );
            }
        }
        narrow(&mut wave, self.set.threads());
        let of_all = |a: &&Assignment| a.target.wave().is_none();
        let (all, own): (Vec<_>, Vec<_>) = self.setup.iter().partition(of_all);
        let own = own.into_iter().filter(|a| a.target.wave() == Some(index));
        for a in all.into_iter().chain(own) {
            let values = a.bits(buffers)?;
            set(&mut wave, a.target.place(), &values);
            if let Target::Scratch { offset } = *a.target.place() {
                let last = offset as u32 + 4;
                if last > scratch.lane_bytes {
                    let bytes = scratch.lane_bytes;
                    let more = format!(
                        "a lane has {bytes} bytes of scratch: write `scratch bytes = {last}` first"
                    );
                    return Err(a.wrong(more));
                }
                for l in 0..LANES {
                    let Some(value) = lane(&values, l) else { break };
                    let at = scratch.of(index as usize) + (offset / 4 * ROW + 4 * l) as u64;
                    let written = registry.write(at, &(value as u32).to_le_bytes());
                    written.map_err(|error| a.wrong(error.to_string()))?;
                }
            }
        }
        Ok(wave)
    }

    /// Returns a launch of waves with the sizes of the case, without scratch.
    pub(crate) fn launch(&self, chip: Chip) -> Launch {
        let sizes = &self.sizes;
        Launch {
            chip,
            xccs: 1,
            entry: 0,
            rsrc1: RSRC1,
            rsrc2: 0,
            vgprs: sizes.vgprs,
            acc_vgprs: sizes.agprs,
            live_in: None,
            sgprs: sizes.sgprs,
            lds_bytes: sizes.lds_bytes,
            scratch_wave_bytes: 0,
            user: UserData::default(),
            trap_handler: None,
        }
    }

    /// Returns the waves of the case as a grid of one work-group.
    pub(crate) fn grid(&self) -> Result<Grid, GridError> {
        let items = [self.sizes.waves * LANES as u32, 1, 1];
        Grid::new(items, items)
    }

    /// Sets the hardware registers as a launch of waves with these sizes does.
    fn set_hardware(&self, chip: Chip, wave: &mut Wave, handler: u64) {
        let launch = self.launch(chip);
        if let Ok(grid) = self.grid() {
            let site = Site {
                group: &grid.group(0),
                index: wave.index,
                scratch: 0,
                unit: 0,
                slot: 0,
            };
            wave.uniform_mut().hw = launch.hardware(&site);
        }
        if !self.handler.is_empty() {
            let (code, memory) = (handler, 0);
            let handler = TrapHandler { code, memory };
            let uniform = wave.uniform_mut();
            handler.install(chip.generation(), &mut uniform.s, &mut uniform.hw);
        }
    }
}

/// Sets a register.
fn set(wave: &mut Wave, place: &Target, values: &[u64]) {
    match *place {
        Target::Vector { register, wide } => {
            for l in 0..LANES {
                let Some(value) = lane(values, l) else { break };
                wave.vgpr_mut(register)[l] = value as u32;
                if wide {
                    wave.vgpr_mut(register + 1)[l] = (value >> 32) as u32;
                }
            }
        }
        Target::Scalar {
            register,
            wide: true,
        } => wave.set_s64(register as u8, values[0]),
        Target::Scalar { register, .. } => wave.uniform_mut().s[register] = values[0] as u32,
        Target::Scc => wave.uniform_mut().scc = u32::from(values[0] != 0),
        Target::Hardware(id) => wave.uniform_mut().hw[usize::from(id)] = values[0] as u32,
        Target::HardwarePair(id) => {
            let halves = [values[0] as u32, (values[0] >> 32) as u32];
            wave.uniform_mut().hw[usize::from(id)..][..2].copy_from_slice(&halves);
        }
        // Memory was set before, and named places have been replaced by registers.
        Target::Lds { .. }
        | Target::Gds { .. }
        | Target::Scratch { .. }
        | Target::Memory { .. }
        | Target::Export { .. }
        | Target::Constant { .. }
        | Target::Element { .. }
        | Target::Variable(_)
        | Target::Predicate(_)
        | Target::OfWave { .. }
        | Target::Named { .. } => {}
    }
}

fn allocate(
    registry: &Registry,
    buffers: &Buffers,
    name: &str,
    a: &Assignment,
    bytes: bool,
    read_only: bool,
) -> Result<Buffer, String> {
    let element = if bytes { 1 } else { 4 };
    let length = a.values.len() * element;
    let made = registry.allocate(name, length as u64, 256);
    let address = made.map_err(|error| error.to_string())?.address;
    let mut data = Vec::with_capacity(length);
    for value in &a.values {
        data.extend_from_slice(&value.bits(buffers)?.to_le_bytes()[..element]);
    }
    let written = registry.write(address, &data);
    written.map_err(|error| error.to_string())?;
    if read_only {
        let protected = registry.protect(address, Rights::Read);
        protected.map_err(|error| error.to_string())?;
    }
    Ok(Buffer {
        address,
        bytes: length,
        element,
    })
}
