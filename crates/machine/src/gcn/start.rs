//! The start state of the waves of a kernel.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Initial Kernel Execution State"; the hardware registers by the Vega ISA,
//! chapter 3 "Kernel State" and 5.7 "Hardware Internal Registers".

use std::sync::Arc;

use wavetank_gcn::numbers::{
    VGPR_GRANULE, flat_scratch, has_architected_flat_scratch, lds_granule, packs_work_item_ids,
};
use wavetank_gcn::{Chip, Generation};
use wavetank_ir::HARDWARE_REGISTERS;

use crate::dispatch::{Prepared, Site, StartWave};
use wavetank_memory::{PRIVATE_BASE, SHARED_BASE};
use wavetank_memory::{StartRegisters, Wave, hwreg, sreg};

/// The unit in which scratch of a wave is allocated, in bytes (`COMPUTE_TMPRING_SIZE.WAVESIZE`: 256 dwords).
pub const SCRATCH_GRANULE: u32 = 1024;

/// The launch parameters of the hardware: the same for every wave of a dispatch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The chip.
    pub chip: Chip,
    /// The number of dies that compute.
    pub xccs: u32,
    /// Guest address of the first instruction.
    pub entry: u64,
    /// `COMPUTE_PGM_RSRC1` (float modes, priority).
    pub rsrc1: u32,
    /// `COMPUTE_PGM_RSRC2` (system SGPRs and VGPRs, exceptions).
    pub rsrc2: u32,
    /// VGPRs allocated to a lane, without accumulation registers.
    pub vgprs: u32,
    /// Accumulation registers allocated to a lane.
    pub acc_vgprs: u32,
    /// Live-in vector registers of a wave that starts with all lanes active; `None` if they are unknown, so that all
    /// registers have to be zeroed.
    pub live_in: Option<Arc<[u16]>>,
    /// SGPRs allocated to a wave.
    pub sgprs: u32,
    /// LDS of a work-group in bytes, dynamic LDS included.
    pub lds_bytes: u32,
    /// Scratch of a wave in bytes, a multiple of [`SCRATCH_GRANULE`]; 0 for none.
    pub scratch_wave_bytes: u32,
    /// The values of user SGPRs.
    pub user: UserData,
    /// The trap handler; without one, a trap stops the wave.
    pub trap_handler: Option<TrapHandler>,
}

/// Code that waves enter when they trap (Vega ISA, 3.9 "Trap and Exception registers").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrapHandler {
    /// TBA: the guest address of its first instruction, not 0.
    pub code: u64,
    /// TMA: a value for the handler's own use, such as the guest address of its memory.
    pub memory: u64,
}

impl TrapHandler {
    /// Writes both addresses to the registers of the generation: scalar ones before gfx9. The hardware registers record in any
    /// case that there is a handler.
    pub fn install(
        &self,
        generation: Generation,
        s: &mut [u32; 128],
        hw: &mut [u32; HARDWARE_REGISTERS],
    ) {
        let mut write = |scalar: u8, hardware: u8, address: u64| {
            for (n, half) in [address as u32, (address >> 32) as u32]
                .into_iter()
                .enumerate()
            {
                hw[usize::from(hardware) + n] = half;
                if generation < Generation::Gfx9 {
                    s[usize::from(scalar) + n] = half;
                }
            }
        };
        write(sreg::TBA, hwreg::TBA_LO, self.code);
        write(sreg::TMA, hwreg::TMA_LO, self.memory);
    }
}

/// The values that the command processor puts in user SGPRs. Addresses are guest addresses.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserData {
    /// The enabled values: bits 9:0 of the kernel's code properties, in the order of the fields here. The first two (segment
    /// buffer and flat scratch) are computed from the scratch address.
    pub enabled: u32,
    /// Address of the dispatch packet.
    pub dispatch_ptr: u64,
    /// Address of the queue.
    pub queue_ptr: u64,
    /// Address of the argument block.
    pub kernarg_segment_ptr: u64,
    /// Number of the dispatch on its queue.
    pub dispatch_id: u64,
    /// Scratch of one work-item in bytes.
    pub private_segment_size: u32,
    /// Work-groups in X, Y and Z (code object version 2 only).
    pub workgroup_count: [u32; 3],
    /// The dwords of the argument block that follow, and their number (gfx90a and later: "Preloaded Kernel Arguments").
    pub preloaded: ([u32; 16], usize),
    /// All user SGPRs, for a driver that does not follow the code properties.
    pub words: Option<[u32; 16]>,
}

impl StartWave for Launch {
    /// Registers that the hardware would leave as they were are zeroed here, so that runs repeat: the other SGPRs, VCC, M0 and
    /// the other VGPRs of the kernel. (Before gfx9, M0 limits LDS accesses, and kernels set it.)
    fn start(&self, wave: &mut Wave, site: &Site<'_>, prepared: &mut Prepared) {
        let Prepared { ids, starts } = prepared;
        let registers = starts.wave(site, |index| self.registers(site, index));
        let ids = if packs_work_item_ids(self.chip) {
            let dimensions = self.enabled_ids();
            std::slice::from_ref(ids.packed(site.group.size, site.index, dimensions))
        } else {
            &ids.wave(site.group.size, site.index)[..self.ids()]
        };
        match &self.live_in {
            Some(live_in) if registers.exec() == !0 => {
                wave.start(registers, ids, 0);
                wave.set_used(self.vgprs as usize);
                wave.set_used_accumulators(self.acc_vgprs as usize);
                wave.zero_vgprs(live_in);
            }
            _ => {
                wave.start(registers, ids, self.vgprs as usize);
                wave.zero_accumulators(self.acc_vgprs as usize);
            }
        }
        wave.index = site.index;
        let uniform = wave.uniform_mut();
        uniform.pc = self.entry;
        uniform.hw[usize::from(hwreg::XCC_ID)] = self.xcc(site);
        let at = self.user_count();
        for (register, id) in uniform.s[at..].iter_mut().zip(self.group_ids(site)) {
            *register = id;
        }
    }
}

/// HW_ID: WAVE_ID 3:0, SIMD_ID 5:4; the other fields are those of the group.
fn wave_id(index: u32) -> u32 {
    index >> 2 & 0xf | (index & 3) << 4
}

impl Launch {
    /// The number of VGPRs that hold ids: one for each that is enabled, or one for all on chips that pack them.
    pub fn ids(&self) -> usize {
        if packs_work_item_ids(self.chip) {
            1
        } else {
            self.enabled_ids()
        }
    }

    /// The number of ids that a work-item gets. ENABLE_VGPR_WORKITEM_ID: X always, then Y, then Z. The value 3 is undefined; it
    /// gives all.
    fn enabled_ids(&self) -> usize {
        1 + (self.rsrc2 >> 11 & 3).min(2) as usize
    }

    /// The number of SGPRs that are initialised: those of the user and of the system.
    pub fn given_sgprs(&self) -> usize {
        // The ids of the group, the group size, and the offset of scratch.
        let offset = self.rsrc2 & u32::from(!has_architected_flat_scratch(self.chip));
        let system = (self.rsrc2 >> 7 & 0xf).count_ones() + offset;
        self.user_count() + system as usize
    }

    /// The hardware registers of a wave at its start, by their numbers.
    pub fn hardware(&self, site: &Site<'_>) -> [u32; HARDWARE_REGISTERS] {
        let mut hw = [0; HARDWARE_REGISTERS];
        self.hardware_registers(&mut hw, site, site.group.waves());
        hw[usize::from(hwreg::HW_ID)] |= wave_id(site.index);
        hw
    }

    /// The uniform registers of a wave, without the ids of its group.
    fn registers(&self, site: &Site<'_>, index: u32) -> StartRegisters {
        let mut registers = StartRegisters::default();
        let StartRegisters { s, hw } = &mut registers;
        let waves = site.group.waves();
        self.user_registers(s, site, waves);
        self.hardware_registers(hw, site, waves);
        hw[usize::from(hwreg::HW_ID)] |= wave_id(index);
        if let Some(handler) = self.trap_handler {
            handler.install(self.chip.generation(), s, hw);
        }
        registers.set_exec(site.group.exec(index));
        let s = &mut registers.s;
        self.system_registers(s, index, waves);
        self.architected_scratch(s, site, index);
        registers
    }

    /// The die that runs a work-group. Work-groups are dealt out in turn, as on an MI300X whose dies are one device; no manual
    /// says how.
    fn xcc(&self, site: &Site<'_>) -> u32 {
        (site.group.index % u64::from(self.xccs)) as u32
    }

    /// User SGPRs: the same for all waves of a group.
    fn user_registers(&self, s: &mut [u32; 128], site: &Site<'_>, waves: u32) {
        let scratch_total = self.scratch_wave_bytes * waves;
        let user = self
            .user
            .registers(site.scratch, scratch_total, self.chip.generation());
        let count = self.user_count().min(user.len());
        s[..count].copy_from_slice(&user[..count]);
    }

    fn user_count(&self) -> usize {
        (self.rsrc2 >> 1 & 0x1f) as usize
    }

    /// The enabled ids of the group, in system SGPRs after those of the user.
    #[inline]
    fn group_ids(&self, site: &Site<'_>) -> impl Iterator<Item = u32> {
        let enabled = self.rsrc2 >> 7;
        let ids = site.group.id.into_iter().enumerate();
        ids.filter_map(move |(d, id)| (enabled >> d & 1 != 0).then_some(id))
    }

    /// Sets the system SGPRs after the ids of the group, which differ between waves of the group.
    fn system_registers(&self, s: &mut [u32; 128], index: u32, waves: u32) {
        let mut next = self.user_count() + (self.rsrc2 >> 7 & 7).count_ones() as usize;
        let info = u32::from(index == 0) << 31 | waves;
        let system = [
            (self.rsrc2 >> 10 & 1, info),
            (
                self.rsrc2 & u32::from(!has_architected_flat_scratch(self.chip)),
                index * self.scratch_wave_bytes,
            ),
        ];
        for (enabled, value) in system {
            if enabled != 0 {
                s[next] = value;
                next += 1;
            }
        }
    }

    /// Sets FLAT_SCRATCH to the address of the wave's scratch, on chips that do.
    fn architected_scratch(&self, s: &mut [u32; 128], site: &Site<'_>, index: u32) {
        let register = flat_scratch(self.chip.generation());
        if let Some(register) = register.filter(|_| has_architected_flat_scratch(self.chip))
            && self.rsrc2 & 1 != 0
        {
            let address = site.scratch + u64::from(index * self.scratch_wave_bytes);
            let halves = [address as u32, (address >> 32) as u32];
            s[usize::from(register)..][..2].copy_from_slice(&halves);
        }
    }

    fn hardware_registers(&self, hw: &mut [u32; 64], site: &Site<'_>, waves: u32) {
        let Launch { rsrc1, rsrc2, .. } = *self;
        // MODE: FP_ROUND and FP_DENORM 7:0, DX10_CLAMP 8, IEEE 9, EXCP_EN 20:12, whose upper two bits RSRC2 has below the size of
        // LDS, FP16_OVFL 23 (gfx9).
        let generation = self.chip.generation();
        let overflow = u32::from(generation == Generation::Gfx9) & rsrc1 >> 26;
        hw[usize::from(hwreg::MODE)] = rsrc1 >> 12 & 0xff
            | (rsrc1 >> 21 & 1) << 8
            | (rsrc1 >> 23 & 1) << 9
            | (rsrc2 >> 24 & 0x7f) << 12
            | (rsrc2 >> 13 & 3) << 19
            | overflow << 23;
        // STATUS: SPI_PRIO 2:1, TRAP_EN 6, IN_TG 11, VALID 16. The packet processor enables traps whatever the descriptor says:
        // the host acts as a handler.
        hw[usize::from(hwreg::STATUS)] =
            (rsrc1 >> 10 & 3) << 1 | 1 << 6 | u32::from(waves > 1) << 11 | 1 << 16;
        // HW_ID: CU_ID 11:8, SE_ID 14:13, TG_ID 19:16; the other fields are those of a wave.
        hw[usize::from(hwreg::HW_ID)] =
            (site.unit & 0xf) << 8 | (site.unit >> 4 & 3) << 13 | (site.slot & 0xf) << 16;
        // GPR_ALLOC: VGPR_SIZE 13:8 in fours less one, SGPR_SIZE 27:24 in eights less one.
        hw[usize::from(hwreg::GPR_ALLOC)] = (self.vgprs.div_ceil(VGPR_GRANULE).max(1) - 1) << 8
            | (self.sgprs.div_ceil(8).clamp(1, 16) - 1) << 24;
        hw[usize::from(hwreg::MISSING_ACC)] = 64 - self.acc_vgprs.div_ceil(VGPR_GRANULE).min(64);
        // LDS_ALLOC: LDS_SIZE 20:12 in units of 64 dwords.
        let lds = self.lds_bytes.next_multiple_of(lds_granule(generation));
        hw[usize::from(hwreg::LDS_ALLOC)] = (lds / 256) << 12;
        if generation == Generation::Gfx9 {
            hw[usize::from(hwreg::SH_MEM_BASES)] =
                (PRIVATE_BASE >> 48) as u32 | (SHARED_BASE >> 48 << 16) as u32;
        }
    }
}

impl UserData {
    /// The user SGPRs of a work-group with scratch at an address.
    fn registers(&self, scratch: u64, scratch_bytes: u32, generation: Generation) -> Registers {
        let mut out = Registers::new();
        if let Some(words) = &self.words {
            out.push(words);
            return out;
        }
        let both = |v: u64| [v as u32, (v >> 32) as u32];
        let [x, y, z] = self.workgroup_count;
        let buffer = scratch_descriptor(scratch, scratch_bytes, generation);
        let fields: [&[u32]; 10] = [
            &buffer,
            &both(self.dispatch_ptr),
            &both(self.queue_ptr),
            &both(self.kernarg_segment_ptr),
            &both(self.dispatch_id),
            &self.flat_scratch(scratch, generation),
            &[self.private_segment_size],
            &[x],
            &[y],
            &[z],
        ];
        for (bit, field) in fields.iter().enumerate() {
            if self.enabled >> bit & 1 != 0 {
                out.push(field);
            }
        }
        let (dwords, count) = &self.preloaded;
        out.push(&dwords[..*count]);
        out
    }
}

impl UserData {
    /// FLAT_SCRATCH_INIT: from gfx9 on the address of scratch. Before, the offset from a base that the driver does not publish,
    /// here that address, and the bytes of a work-item (as the prologues of clang 19's kernels read it: they write the offset in
    /// units of 256 to FLAT_SCRATCH_HI, and the size to FLAT_SCRATCH_LO).
    fn flat_scratch(&self, scratch: u64, generation: Generation) -> [u32; 2] {
        match generation {
            Generation::Gfx9 => [scratch as u32, (scratch >> 32) as u32],
            Generation::Gfx6 | Generation::Gfx7 | Generation::Gfx8 => {
                [0, self.private_segment_size]
            }
        }
    }
}

/// A list of registers: at most 4 + 5 × 2 + 4 × 1, and 16 that are preloaded.
struct Registers {
    values: [u32; 34],
    len: usize,
}

impl Registers {
    fn new() -> Registers {
        Registers {
            values: [0; 34],
            len: 0,
        }
    }

    fn push(&mut self, values: &[u32]) {
        self.values[self.len..self.len + values.len()].copy_from_slice(values);
        self.len += values.len();
    }
}

impl std::ops::Deref for Registers {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.values[..self.len]
    }
}

/// The buffer descriptor of scratch (Vega ISA, 8.1.8 "Buffer Resource"): swizzled, stride 0, TID added to the index, an
/// index stride of 64, so that dword `d` of lane `l` lies at `d * 256 + l * 4` from the wave's offset.
fn scratch_descriptor(base: u64, bytes: u32, generation: Generation) -> [u32; 4] {
    const SWIZZLE_ENABLE: u32 = 1 << 31;
    const DST_SEL_XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const NUM_FORMAT_UINT: u32 = 4 << 12;
    const DATA_FORMAT_32: u32 = 4 << 15;
    const ELEMENT_SIZE_4: u32 = 1 << 19;
    const INDEX_STRIDE_64: u32 = 3 << 21;
    const ADD_TID_ENABLE: u32 = 1 << 23;
    let word3 = match generation {
        // DATA_FORMAT holds stride bits 17:14 with ADD_TID_ENABLE (gfx8, gfx9); ELEMENT_SIZE is gone in gfx9.
        Generation::Gfx6 | Generation::Gfx7 => DATA_FORMAT_32 | ELEMENT_SIZE_4,
        Generation::Gfx8 => ELEMENT_SIZE_4,
        Generation::Gfx9 => 0,
    };
    [
        base as u32,
        (base >> 32) as u32 & 0xffff | SWIZZLE_ENABLE,
        bytes,
        word3 | DST_SEL_XYZW | NUM_FORMAT_UINT | INDEX_STRIDE_64 | ADD_TID_ENABLE,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::Grid;

    fn launch() -> Launch {
        Launch {
            chip: Chip::Gfx900,
            xccs: 1,
            entry: 0x1000,
            // FP modes 0xc0, DX10_CLAMP, IEEE, FP16_OVFL; 8 VGPRs, 96 SGPRs.
            rsrc1: 0xac_0041 | 1 << 26,
            rsrc2: 0,
            vgprs: 8,
            acc_vgprs: 0,
            live_in: None,
            sgprs: 96,
            lds_bytes: 513,
            scratch_wave_bytes: 2048,
            user: UserData {
                enabled: 0x3ff,
                dispatch_ptr: 0x1_0000_0002,
                queue_ptr: 0x3_0000_0004,
                kernarg_segment_ptr: 0x5_0000_0006,
                dispatch_id: 0x7_0000_0008,
                private_segment_size: 9,
                workgroup_count: [10, 11, 12],
                preloaded: Default::default(),
                words: None,
            },
            trap_handler: None,
        }
    }

    fn started(launch: &Launch, items: [u32; 3], group: [u32; 3], index: u64, wave: u32) -> Wave {
        let grid = Grid::new(items, group).unwrap();
        let mut out = Wave::new(0);
        out.uniform_mut().s[50] = 99;
        out.vgpr_mut(7)[3] = 99;
        let site = Site {
            group: &grid.group(index),
            index: wave,
            scratch: 0x7f12_3456_7000,
            unit: 0,
            slot: 0,
        };
        launch.start(&mut out, &site, &mut Prepared::default());
        out
    }

    /// The order and widths are those of the guide's table "SGPR Register Set Up Order".
    #[test]
    fn user_and_system_sgprs_stand_in_the_guides_order() {
        let mut launch = launch();
        // 18 user SGPRs, all ids, work-group info, scratch wave offset.
        launch.rsrc2 = 18 << 1 | 0xf << 7 | 1;
        let wave = started(&launch, [64, 64, 64], [2, 64, 1], 33 * 32 + 1, 1);
        let s = &wave.uniform().s;
        assert_eq!(s[0], 0x3456_7000);
        assert_eq!(s[1], 0x7f12 | 1 << 31);
        assert_eq!(s[2], 2 * 2048);
        // TID added, index stride 64.
        assert_eq!(s[3] >> 21 & 7, 7);
        assert_eq!(s[4..12], [2, 1, 4, 3, 6, 5, 8, 7]);
        assert_eq!(s[12..14], [0x3456_7000, 0x7f12]);
        assert_eq!(s[14..18], [9, 10, 11, 12]);
        assert_eq!(s[18..23], [1, 0, 33, 2, 2048]);
        assert_eq!(s[50], 0);
        assert_eq!(wave.uniform().pc, 0x1000);
    }

    #[test]
    fn absent_sgprs_take_no_room() {
        let mut launch = launch();
        launch.user.enabled = 1 << 3; // kernarg segment pointer
        launch.rsrc2 = 2 << 1 | 1 << 9 | 1 << 7; // X and Z
        let wave = started(&launch, [8, 8, 8], [8, 8, 1], 5, 0);
        assert_eq!(wave.uniform().s[..5], [6, 5, 0, 5, 0]);
    }

    /// Guide, "Preloaded Kernel Arguments": they follow the last enabled register of the user, and the registers of the user are
    /// as many as their count says.
    #[test]
    fn preloaded_arguments_follow_the_other_user_sgprs() {
        let mut launch = launch();
        launch.chip = Chip::Gfx90a;
        launch.user.enabled = 1 << 3;
        let mut dwords = [0; 16];
        dwords[..3].copy_from_slice(&[21, 22, 23]);
        launch.user.preloaded = (dwords, 3);
        launch.rsrc2 = 5 << 1 | 1 << 7; // X
        let wave = started(&launch, [8, 8, 8], [8, 8, 1], 0, 0);
        assert_eq!(wave.uniform().s[..7], [6, 5, 21, 22, 23, 0, 0]);
        launch.rsrc2 = 4 << 1;
        let wave = started(&launch, [8, 8, 8], [8, 8, 1], 0, 0);
        assert_eq!(wave.uniform().s[..6], [6, 5, 21, 22, 0, 0]);
    }

    /// Vega ISA, tables of MODE, STATUS, GPR_ALLOC and LDS_ALLOC.
    #[test]
    fn hardware_registers() {
        let mut launch = launch();
        launch.rsrc2 = 0x05 << 24 | 0b10 << 13;
        let wave = started(&launch, [128, 1, 1], [128, 1, 1], 0, 1);
        let hw = |n: u8| wave.uniform().hw[usize::from(n)];
        let excp_en = 5 << 12 | 1 << 20;
        assert_eq!(hw(hwreg::MODE), 0xc0 | 1 << 8 | 1 << 9 | excp_en | 1 << 23);
        assert_eq!(hw(hwreg::STATUS), 1 << 6 | 1 << 11 | 1 << 16);
        assert_eq!(hw(hwreg::GPR_ALLOC), 1 << 8 | 11 << 24);
        assert_eq!(hw(hwreg::MISSING_ACC), 64);
        // 513 bytes take two blocks of 128 dwords: four units.
        assert_eq!(hw(hwreg::LDS_ALLOC), 4 << 12);
        assert_eq!(hw(hwreg::SH_MEM_BASES), 0x0001_0002);
        assert_eq!(hw(hwreg::HW_ID) >> 4 & 3, 1);
        let alone = started(&launch, [64, 1, 1], [64, 1, 1], 0, 0);
        assert_eq!(alone.uniform().hw[2] >> 11 & 1, 0);
    }

    /// Vega ISA, 5.2: TBA and TMA are hardware registers 16 to 19; before gfx9, s108 to s111.
    #[test]
    fn trap_handlers_stand_in_the_registers_of_the_generation() {
        let mut launch = launch();
        launch.trap_handler = Some(TrapHandler {
            code: 0x1_0000_2000,
            memory: 0x3_0000_0004,
        });
        let mut start = |chip| {
            launch.chip = chip;
            let wave = started(&launch, [64, 1, 1], [64, 1, 1], 0, 0);
            let uniform = wave.uniform();
            (uniform.s[108..112].to_vec(), uniform.hw[16..20].to_vec())
        };
        assert_eq!(start(Chip::Gfx900), (vec![0; 4], vec![0x2000, 1, 4, 3]));
        assert_eq!(start(Chip::Gfx803).0, [0x2000, 1, 4, 3]);
    }

    #[test]
    fn partial_groups_shrink_in_every_dimension() {
        let mut launch = launch();
        launch.rsrc2 = 2 << 11;
        // The last of 2x2x1 groups has 3x5x2 items.
        let wave = started(&launch, [11, 13, 2], [8, 8, 2], 3, 0);
        assert_eq!(wave.exec(), (1 << 30) - 1);
        let item = |lane: usize| [0, 1, 2].map(|n| wave.vgpr(n)[lane]);
        assert_eq!(item(0), [0, 0, 0]);
        assert_eq!(item(2), [2, 0, 0]);
        assert_eq!(item(3), [0, 1, 0]);
        assert_eq!(item(29), [2, 4, 1]);
        assert_eq!(wave.vgpr(7), &[0; 64]);
    }

    /// LLVM masks an id in a packed register only where another one is enabled, so that others are not there.
    #[test]
    fn packed_ids_are_those_that_are_enabled() {
        let mut launch = launch();
        launch.chip = Chip::Gfx90a;
        let mut of = |enabled: u32| {
            launch.rsrc2 = enabled << 11;
            let wave = started(&launch, [4, 4, 4], [4, 4, 4], 0, 0);
            (wave.vgpr(0)[63], wave.vgpr(1)[63])
        };
        assert_eq!(of(0), (3, 0));
        assert_eq!(of(1), (3 | 3 << 10, 0));
        assert_eq!(of(2), (3 | 3 << 10 | 3 << 20, 0));
    }

    #[test]
    fn ids_that_are_not_enabled_are_not_given() {
        let wave = started(&launch(), [8, 8, 1], [8, 8, 1], 0, 0);
        assert_eq!(wave.vgpr(0)[9], 1);
        assert_eq!(wave.vgpr(1), &[0; 64]);
    }

    /// On an MI300A with its six dies, the eighth group is on the second one; a chip of one die is number 0.
    #[test]
    fn groups_are_dealt_out_to_dies() {
        let grid = Grid::new([640, 1, 1], [64, 1, 1]).unwrap();
        let xcc_of = |xccs, group| {
            let launch = Launch { xccs, ..launch() };
            let mut wave = Wave::new(0);
            let site = Site {
                group: &grid.group(group),
                index: 0,
                scratch: 0,
                unit: 3,
                slot: 0,
            };
            launch.start(&mut wave, &site, &mut Prepared::default());
            wave.uniform().hw[usize::from(hwreg::XCC_ID)]
        };
        let of = |xccs| -> Vec<u32> { (0..10).map(|group| xcc_of(xccs, group)).collect() };
        assert_eq!(of(6), [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]);
        assert_eq!(of(1), [0; 10]);
    }

    /// Registers that a kernel overwrites before it reads them keep what they held; those of the list are zero.
    #[test]
    fn live_registers_are_zeroed() {
        let launch = Launch {
            live_in: Some([1, 2, 5].into()),
            ..launch()
        };
        let grid = Grid::new([64, 1, 1], [64, 1, 1]).unwrap();
        let mut wave = Wave::new(0);
        (0..8).for_each(|n| wave.vgpr_mut(n).fill(9));
        let site = Site {
            group: &grid.group(0),
            index: 0,
            scratch: 0,
            unit: 0,
            slot: 0,
        };
        launch.start(&mut wave, &site, &mut Prepared::default());
        let held: Vec<u32> = (0..8).map(|n| wave.vgpr(n)[63]).collect();
        assert_eq!(held, [63, 0, 0, 9, 9, 0, 9, 9]);
    }
}
