//! Kernel descriptors, which the command processor reads before it starts a kernel.
//!
//! Both layouts are decoded to a [`KernelDescriptor`]: the 64 bytes at `NAME.kd` (code object versions 3 to 6) and the 256 bytes
//! of `amd_kernel_code_t` before the code (version 2). Source: LLVM's "User Guide for AMDGPU Backend", tables "Kernel
//! Descriptor", "compute_pgm_rsrc1/2/3 for GFX6-GFX12" and "AMD Kernel Code".

use crate::bytes::{u16_at, u32_at, u64_at};
use crate::target::Target;

/// The size of a descriptor of versions 3 to 6, in bytes.
pub const DESCRIPTOR_SIZE: usize = 64;
/// The size of `amd_kernel_code_t`, the descriptor of version 2, in bytes.
pub const KERNEL_CODE_SIZE: usize = 256;

/// The rounding of results: two bits of `FLOAT_ROUND_MODE_*` (Vega ISA, "Mode register", `FP_ROUND`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoundMode {
    /// 0: to the nearest, ties to even.
    NearestEven,
    /// 1: towards plus infinity.
    PlusInfinity,
    /// 2: towards minus infinity.
    MinusInfinity,
    /// 3: towards zero (truncation).
    Zero,
}

/// The treatment of denormals: two bits of `FLOAT_DENORM_MODE_*` (Vega ISA, "Mode register", `FP_DENORM`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DenormMode {
    /// 0: inputs and outputs are flushed.
    FlushBoth,
    /// 1: inputs are kept, outputs are flushed.
    FlushOutput,
    /// 2: inputs are flushed, outputs are kept.
    FlushInput,
    /// 3: inputs and outputs are kept.
    Keep,
}

impl RoundMode {
    fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::NearestEven,
            1 => Self::PlusInfinity,
            2 => Self::MinusInfinity,
            _ => Self::Zero,
        }
    }
}

impl DenormMode {
    fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::FlushBoth,
            1 => Self::FlushOutput,
            2 => Self::FlushInput,
            _ => Self::Keep,
        }
    }
}

/// `COMPUTE_PGM_RSRC1`: registers and float modes. The numbers are bit positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rsrc1 {
    /// The whole register of 32 bits.
    pub bits: u32,
    /// 5:0, VGPRs in granules, less one.
    pub granulated_vgpr_count: u32,
    /// 9:6, SGPRs in granules, less one.
    pub granulated_sgpr_count: u32,
    /// 11:10, wave priority at start.
    pub priority: u32,
    /// 13:12, rounding of 32-bit floats.
    pub float_round_mode_32: RoundMode,
    /// 15:14, rounding of 16- and 64-bit floats.
    pub float_round_mode_16_64: RoundMode,
    /// 17:16, denormals of 32-bit floats.
    pub float_denorm_mode_32: DenormMode,
    /// 19:18, denormals of 16- and 64-bit floats.
    pub float_denorm_mode_16_64: DenormMode,
    /// 20, privileged mode is enabled.
    pub privileged: bool,
    /// 21, clamp turns NaN to zero.
    pub dx10_clamp: bool,
    /// 22, debug mode enable.
    pub debug_mode: bool,
    /// 23, IEEE handling of signalling NaN.
    pub ieee_mode: bool,
    /// 26, 16-bit overflow gives the largest finite value (gfx9 and later).
    pub fp16_ovfl: bool,
}

impl Rsrc1 {
    fn decode(bits: u32) -> Self {
        Self {
            bits,
            granulated_vgpr_count: bits & 0x3f,
            granulated_sgpr_count: bits >> 6 & 0xf,
            priority: bits >> 10 & 3,
            float_round_mode_32: RoundMode::from_bits(bits >> 12),
            float_round_mode_16_64: RoundMode::from_bits(bits >> 14),
            float_denorm_mode_32: DenormMode::from_bits(bits >> 16),
            float_denorm_mode_16_64: DenormMode::from_bits(bits >> 18),
            privileged: bit(bits, 20),
            dx10_clamp: bit(bits, 21),
            debug_mode: bit(bits, 22),
            ieee_mode: bit(bits, 23),
            fp16_ovfl: bit(bits, 26),
        }
    }

    /// Returns bits 19:12, which are bits 7:0 of the MODE register: `FP_ROUND` in 3:0, `FP_DENORM` in 7:4.
    pub fn float_mode(&self) -> u32 {
        self.bits >> 12 & 0xff
    }
}

/// `COMPUTE_PGM_RSRC2`: start state and exceptions. The numbers are bit positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rsrc2 {
    /// The whole register of 32 bits.
    pub bits: u32,
    /// 0, a scratch wave offset is given in an SGPR.
    pub enable_private_segment: bool,
    /// 5:1, number of user SGPRs.
    pub user_sgpr_count: u32,
    /// 6, a trap handler is present.
    pub enable_trap_handler: bool,
    /// 7, work-group id X in an SGPR.
    pub enable_sgpr_workgroup_id_x: bool,
    /// 8, work-group id Y in an SGPR.
    pub enable_sgpr_workgroup_id_y: bool,
    /// 9, work-group id Z in an SGPR.
    pub enable_sgpr_workgroup_id_z: bool,
    /// 10, work-group information in an SGPR.
    pub enable_sgpr_workgroup_info: bool,
    /// 12:11, work-item ids in VGPRs: 0 for X, 1 for X and Y, 2 for X, Y and Z.
    pub enable_vgpr_workitem_id: u32,
    /// 13, address watch exceptions.
    pub enable_exception_address_watch: bool,
    /// 14, memory violation exceptions.
    pub enable_exception_memory: bool,
    /// 23:15, LDS in granules; compilers write 0, and the dispatch packet has the size.
    pub granulated_lds_size: u32,
    /// 30:24, enabled exceptions as in MODE.EXCP_EN: invalid, input denormal, division by zero, overflow, underflow,
    /// inexact, integer division by zero.
    pub exceptions: u32,
}

impl Rsrc2 {
    fn decode(bits: u32) -> Self {
        Self {
            bits,
            enable_private_segment: bit(bits, 0),
            user_sgpr_count: bits >> 1 & 0x1f,
            enable_trap_handler: bit(bits, 6),
            enable_sgpr_workgroup_id_x: bit(bits, 7),
            enable_sgpr_workgroup_id_y: bit(bits, 8),
            enable_sgpr_workgroup_id_z: bit(bits, 9),
            enable_sgpr_workgroup_info: bit(bits, 10),
            enable_vgpr_workitem_id: bits >> 11 & 3,
            enable_exception_address_watch: bit(bits, 13),
            enable_exception_memory: bit(bits, 14),
            granulated_lds_size: bits >> 15 & 0x1ff,
            exceptions: bits >> 24 & 0x7f,
        }
    }
}

/// A value that the command processor writes to user SGPRs. The order is that of the enabling bits, and thus of the registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserSgpr {
    /// Bit 0: buffer descriptor of scratch, 4 SGPRs.
    PrivateSegmentBuffer,
    /// Bit 1: address of the dispatch packet, 2 SGPRs.
    DispatchPtr,
    /// Bit 2: address of the queue, 2 SGPRs.
    QueuePtr,
    /// Bit 3: address of the argument block, 2 SGPRs.
    KernargSegmentPtr,
    /// Bit 4: dispatch id, 2 SGPRs.
    DispatchId,
    /// Bit 5: initial flat scratch, 2 SGPRs.
    FlatScratchInit,
    /// Bit 6: bytes of scratch of one work-item, 1 SGPR.
    PrivateSegmentSize,
    /// Bit 7 (version 2 only): work-groups in X, 1 SGPR.
    GridWorkgroupCountX,
    /// Bit 8 (version 2 only): work-groups in Y, 1 SGPR.
    GridWorkgroupCountY,
    /// Bit 9 (version 2 only): work-groups in Z, 1 SGPR.
    GridWorkgroupCountZ,
}

impl UserSgpr {
    /// All values, by enabling bit.
    pub const ALL: [UserSgpr; 10] = [
        Self::PrivateSegmentBuffer,
        Self::DispatchPtr,
        Self::QueuePtr,
        Self::KernargSegmentPtr,
        Self::DispatchId,
        Self::FlatScratchInit,
        Self::PrivateSegmentSize,
        Self::GridWorkgroupCountX,
        Self::GridWorkgroupCountY,
        Self::GridWorkgroupCountZ,
    ];

    /// Returns the number of SGPRs that the value takes.
    pub fn registers(self) -> u32 {
        match self {
            Self::PrivateSegmentBuffer => 4,
            Self::PrivateSegmentSize
            | Self::GridWorkgroupCountX
            | Self::GridWorkgroupCountY
            | Self::GridWorkgroupCountZ => 1,
            _ => 2,
        }
    }
}

/// A kernel descriptor of any version. Sizes are in bytes, counts in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// LDS of a work-group in bytes, without dynamic LDS.
    pub group_segment_fixed_size: u32,
    /// Scratch of a work-item in bytes, without dynamic stack.
    pub private_segment_fixed_size: u32,
    /// Size of the argument block in bytes (0: not specified).
    pub kernarg_size: u64,
    /// The distance in bytes from the descriptor to the kernel's first instruction.
    pub entry_byte_offset: i64,
    /// Registers and float modes.
    pub rsrc1: Rsrc1,
    /// Start state and exceptions.
    pub rsrc2: Rsrc2,
    /// `COMPUTE_PGM_RSRC3` (gfx90a and gfx10 on; 0 on the chips emulated here).
    pub rsrc3: u32,
    /// Bits 9:0 enable the [`UserSgpr`]s; see [`user_sgprs`](Self::user_sgprs).
    pub user_sgpr_bits: u32,
    /// Waves of 32 work-items (bit 10; gfx10 and later).
    pub wavefront_size32: bool,
    /// The stack's depth is not known at compile time (bit 11; bit 20 in version 2).
    pub uses_dynamic_stack: bool,
    /// Bytes of one element of swizzled scratch: 4, or the value of version 2 (2, 4, 8 or 16).
    pub private_element_size: u32,
    /// Whether addresses have 64 bits (bit 19 in version 2; always in later versions).
    pub is_ptr64: bool,
    /// Whether the code was made for XNACK on (bit 22 in version 2; in later versions part of the target).
    pub is_xnack_enabled: bool,
    /// Bytes of GDS of the kernel (version 2 only).
    pub gds_segment_size: u32,
    /// Vector registers of a work-item, in granules of 4, or of 8 on gfx90a and later. There, the accumulation registers are among
    /// them.
    pub vgpr_count: u32,
    /// Accumulation registers of a work-item: on gfx908 as many as VGPRs, later those from ACCUM_OFFSET on.
    pub acc_vgpr_count: u32,
    /// SGPRs of a wave, VCC and the other special ones included, in granules of 8, or of 16 from gfx9 on.
    pub sgpr_count: u32,
    /// The preloaded part of the argument block: dwords in bits 6:0, the first of them in bits 15:7 (gfx90a and later; otherwise 0).
    /// See [`preloaded_arguments`](Self::preloaded_arguments).
    pub kernarg_preload: u16,
}

impl KernelDescriptor {
    /// Decodes the descriptor of code object versions 3 to 6.
    ///
    /// Layout in bytes: 0 group size, 4 private size, 8 kernarg size, 16 entry offset (64 bits), 44 rsrc3, 48 rsrc1,
    /// 52 rsrc2, 56 kernel code properties, 58 kernarg preload; the rest is reserved.
    pub fn decode(bytes: &[u8; DESCRIPTOR_SIZE], target: &Target) -> Self {
        let rsrc1 = Rsrc1::decode(u32_at(bytes, 48));
        let properties = u32::from(u16_at(bytes, 56));
        Self {
            group_segment_fixed_size: u32_at(bytes, 0),
            private_segment_fixed_size: u32_at(bytes, 4),
            kernarg_size: u32_at(bytes, 8).into(),
            entry_byte_offset: u64_at(bytes, 16) as i64,
            rsrc1,
            rsrc2: Rsrc2::decode(u32_at(bytes, 52)),
            rsrc3: u32_at(bytes, 44),
            user_sgpr_bits: properties & 0x7f,
            wavefront_size32: bit(properties, 10),
            uses_dynamic_stack: bit(properties, 11),
            private_element_size: 4,
            is_ptr64: true,
            is_xnack_enabled: target.xnack == crate::Feature::On,
            gds_segment_size: 0,
            vgpr_count: vgprs(&rsrc1, target),
            acc_vgpr_count: acc_vgprs(&rsrc1, u32_at(bytes, 44), target),
            sgpr_count: sgprs(&rsrc1, target),
            kernarg_preload: if target.has_one_vector_file() {
                u16_at(bytes, 58)
            } else {
                0
            },
        }
    }

    /// Decodes `amd_kernel_code_t`, the descriptor of code object version 2.
    ///
    /// Layout in bytes: 16 entry offset, 48 rsrc1, 52 rsrc2, 56 code properties, 60 private size, 64 group size,
    /// 68 GDS size, 72 kernarg size (64 bits); the rest repeats them or is reserved.
    pub fn decode_v2(bytes: &[u8; KERNEL_CODE_SIZE], target: &Target) -> Self {
        let rsrc1 = Rsrc1::decode(u32_at(bytes, 48));
        let properties = u32_at(bytes, 56);
        Self {
            group_segment_fixed_size: u32_at(bytes, 64),
            private_segment_fixed_size: u32_at(bytes, 60),
            kernarg_size: u64_at(bytes, 72),
            entry_byte_offset: u64_at(bytes, 16) as i64,
            rsrc1,
            rsrc2: Rsrc2::decode(u32_at(bytes, 52)),
            rsrc3: 0,
            user_sgpr_bits: properties & 0x3ff,
            wavefront_size32: bit(properties, 10),
            uses_dynamic_stack: bit(properties, 20),
            private_element_size: 2 << (properties >> 17 & 3),
            is_ptr64: bit(properties, 19),
            is_xnack_enabled: bit(properties, 22),
            gds_segment_size: u32_at(bytes, 68),
            vgpr_count: vgprs(&rsrc1, target),
            acc_vgpr_count: 0,
            sgpr_count: sgprs(&rsrc1, target),
            kernarg_preload: 0,
        }
    }

    /// Makes a descriptor from the register values that a driver sets; all other fields are empty.
    pub(crate) fn of_registers(rsrc1: u32, rsrc2: u32, target: &Target) -> Self {
        let mut code = [0; KERNEL_CODE_SIZE];
        code[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        code[52..56].copy_from_slice(&rsrc2.to_le_bytes());
        Self {
            is_ptr64: true,
            private_element_size: 4,
            ..Self::decode_v2(&code, target)
        }
    }

    /// Enables a value of user SGPRs, which is placed after the values with lower enabling bits.
    pub(crate) fn enable(&mut self, sgpr: UserSgpr) {
        let bit = UserSgpr::ALL.iter().position(|one| *one == sgpr);
        self.user_sgpr_bits |= bit.map_or(0, |bit| 1 << bit);
    }

    /// Returns the user SGPR values with the number of their first register, in register order.
    ///
    /// The order is that of the enabling bits (guide, "Initial Kernel Execution State"). Values after the 16 user SGPRs of the
    /// hardware are not preloaded: compare with `rsrc2.user_sgpr_count`.
    pub fn user_sgprs(&self) -> impl Iterator<Item = (UserSgpr, u32)> {
        let bits = self.user_sgpr_bits;
        let enabled = UserSgpr::ALL.into_iter().enumerate();
        let enabled = enabled.filter(move |(n, _)| bit(bits, *n as u32));
        enabled.scan(0, |next, (_, sgpr)| {
            let first = *next;
            *next += sgpr.registers();
            Some((sgpr, first))
        })
    }
}

impl KernelDescriptor {
    /// Returns the dwords of the argument block that follow the other user SGPRs, where a kernel demands that
    /// (guide, "Preloaded Kernel Arguments").
    pub fn preloaded_arguments(&self) -> std::ops::Range<u32> {
        let first = u32::from(self.kernarg_preload >> 7);
        first..first + u32::from(self.kernarg_preload & 0x7f)
    }

    /// Returns the distance in bytes from the kernel's entry to the first instruction that waves execute: 256, if arguments are
    /// preloaded. Firmware without that feature starts at the entry, where code loads the same registers.
    pub fn start_offset(&self) -> u64 {
        if self.preloaded_arguments().is_empty() {
            0
        } else {
            256
        }
    }
}

fn bit(bits: u32, n: u32) -> bool {
    bits >> n & 1 != 0
}

impl KernelDescriptor {
    /// Returns the VGPRs of a work-item that are not accumulation registers.
    pub fn plain_vgpr_count(&self, target: &Target) -> u32 {
        if target.has_one_vector_file() {
            self.vgpr_count - self.acc_vgpr_count
        } else {
            self.vgpr_count
        }
    }
}

/// Returns VGPRs from their granules: of 4, or of 8 where accumulation registers are among them.
fn vgprs(rsrc1: &Rsrc1, target: &Target) -> u32 {
    let granule = if target.has_one_vector_file() { 8 } else { 4 };
    (rsrc1.granulated_vgpr_count + 1) * granule
}

/// Returns the accumulation registers. `compute_pgm_rsrc3` has ACCUM_OFFSET in bits 5:0, in fours less one.
fn acc_vgprs(rsrc1: &Rsrc1, rsrc3: u32, target: &Target) -> u32 {
    let all = vgprs(rsrc1, target);
    if target.has_one_vector_file() {
        all.saturating_sub(4 * ((rsrc3 & 0x3f) + 1))
    } else if target.chip == "gfx908" {
        all
    } else {
        0
    }
}

/// Returns SGPRs from their granules: of 8 up to gfx8; of 16 from gfx9 on, where the field counts them by twos.
fn sgprs(rsrc1: &Rsrc1, target: &Target) -> u32 {
    match target.major() {
        0..=8 => (rsrc1.granulated_sgpr_count + 1) * 8,
        9 => (rsrc1.granulated_sgpr_count / 2 + 1) * 16,
        // From gfx10 on always the full 106; the field is reserved there.
        _ => 106,
    }
}
