//! Programs for OpenCL 1.2 in the format of AMD's Catalyst: an ELF file that contains a text and an ELF file for each kernel. The
//! notes of the inner file hold the driver's settings.
//!
//! Sources: the CLRX wiki, "CLRadeonExtender Assembler AMD Catalyst handling" and "AMD Catalyst OpenCL ABI description"; the
//! files that CLRX and Multi2Sim read and write. [`Program::read`] parses a file, [`Program::write`] makes one, and `kernel`
//! computes the start state of a kernel.

mod kernel;
mod read;
mod write;

pub(crate) use kernel::kernel;
pub(crate) use read::is_program;

/// A program for AMD's Catalyst.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The index of the chip in [`PRODUCTS`].
    pub product: usize,
    /// Whether addresses have 64 bits.
    pub wide: bool,
    /// The compiler's options and name.
    pub options: Vec<u8>,
    /// The name of the driver.
    pub driver: Vec<u8>,
    /// The constants of all kernels.
    pub constants: Option<Vec<u8>>,
    /// The kernels of the program.
    pub kernels: Vec<Kernel>,
}

/// A kernel of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kernel {
    /// The kernel's name in the source.
    pub name: String,
    /// Lines of text about the kernel's arguments and memory.
    pub metadata: Vec<u8>,
    /// The header for the driver, of 32 bytes.
    pub header: Vec<u8>,
    /// The notes, as pairs of type and contents.
    pub notes: Vec<(u32, Vec<u8>)>,
    /// The data section, in which no kernel of these chips has constants.
    pub data: Vec<u8>,
    /// The instructions of the kernel.
    pub code: Vec<u8>,
}

/// A chip in the numbering of the files: CLRX's name, the chip, and the ELF machine numbers of a program and of a kernel.
pub struct Product {
    /// The name in CLRX.
    pub name: &'static str,
    /// The name of the chip.
    pub chip: &'static str,
    machine: u16,
    inner: u32,
}

const fn product(name: &'static str, chip: &'static str, machine: u16, inner: u32) -> Product {
    Product {
        name,
        chip,
        machine,
        inner,
    }
}

/// The chips that the driver has programs for. Several may have the same instructions; the first of them is used then.
#[rustfmt::skip]
pub const PRODUCTS: [Product; 19] = [
    product("tahiti", "gfx600", 0x3fd, 0x1a), product("capeverde", "gfx601", 0x3ff, 0x1c),
    product("pitcairn", "gfx601", 0x3fe, 0x1b), product("oland", "gfx602", 0x402, 0x20),
    product("hainan", "gfx602", 0x407, 0x25), product("spectre", "gfx700", 0x404, 0x22),
    product("spooky", "gfx700", 0x405, 0x23), product("hawaii", "gfx701", 0x408, 0x27),
    product("kalindi", "gfx703", 0x406, 0x24), product("mullins", "gfx703", 0x40b, 0x2b),
    product("bonaire", "gfx704", 0x403, 0x21), product("carrizo", "gfx801", 0x40d, 0x2e),
    product("tonga", "gfx802", 0x40a, 0x2a), product("iceland", "gfx802", 0x409, 0x29),
    product("fiji", "gfx803", 0x40c, 0x2d), product("ellesmere", "gfx803", 0x40e, 0x2f),
    product("baffin", "gfx803", 0x40f, 0x2c), product("gfx804", "gfx803", 0x412, 0x32),
    product("stoney", "gfx810", 0x411, 0x31),
];

/// The types of notes.
#[allow(missing_docs)]
pub mod note {
    pub const PROGRAM_INFO: u32 = 1;
    pub const INPUTS: u32 = 2;
    pub const OUTPUTS: u32 = 3;
    pub const COND_OUT: u32 = 4;
    pub const FLOAT_CONSTANTS: u32 = 5;
    pub const INT_CONSTANTS: u32 = 6;
    pub const BOOL_CONSTANTS: u32 = 7;
    pub const EARLY_EXIT: u32 = 8;
    pub const GLOBAL_BUFFERS: u32 = 9;
    pub const CONSTANT_BUFFERS: u32 = 10;
    pub const INPUT_SAMPLERS: u32 = 11;
    pub const PERSISTENT_BUFFERS: u32 = 12;
    pub const SCRATCH_BUFFERS: u32 = 13;
    pub const SUB_CONSTANT_BUFFERS: u32 = 14;
    pub const UAV_MAILBOX_SIZE: u32 = 15;
    pub const UAV: u32 = 16;
    pub const UAV_OP_MASK: u32 = 17;
}

/// Addresses in the program note ([`note::PROGRAM_INFO`]), which consists of pairs of address and value.
#[allow(missing_docs)]
pub mod info {
    /// The number of user SGPR entries; each is class, slot, first register and number of registers.
    pub const USER_DATA: u32 = 0x8000_1000;
    pub const VGPRS: u32 = 0x8000_1041;
    pub const SGPRS: u32 = 0x8000_1042;
    pub const FLOAT_MODE: u32 = 0x8000_1043;
    pub const IEEE_MODE: u32 = 0x8000_1044;
    /// Scratch of a work-item in dwords.
    pub const SCRATCH: u32 = 0x8000_1045;
    pub const MOST_SGPRS: u32 = 0x8000_1863;
    pub const MOST_VGPRS: u32 = 0x8000_1864;
    /// COMPUTE_PGM_RSRC2, by its dword address.
    pub const RSRC2: u32 = 0x2e13;
    /// Work-items of a group: 256, or the size that the source requests.
    pub const GROUP_SIZE: u32 = 0x8000_001c;
    /// Masks of used buffers: the first 32, and all.
    pub const UAVS: u32 = 0x8000_001f;
    pub const ALL_UAVS: u32 = 0x8000_1843;
    /// Two entries with constant values: always 0, and always 1.
    pub const NO_NAME: u32 = 0x8000_1841;
    pub const ONE: u32 = 0x8000_000a;
    pub const WAVE: u32 = 0x8000_0078;
    pub const MOST_LDS: u32 = 0x8000_0081;
    /// The size of LDS in bytes.
    pub const LDS: u32 = 0x8000_0082;
}

/// Classes of user SGPR contents, by CLRX's names; the index is the number of the class.
#[rustfmt::skip]
pub const USER_CLASSES: [&str; 33] = [
    "imm_resource", "imm_sampler", "imm_const_buffer", "imm_vertex_buffer", "imm_uav", "imm_alu_float_const",
    "imm_alu_bool32_const", "imm_gds_counter_range", "imm_gds_memory_range", "imm_gws_base", "imm_work_item_range",
    "imm_work_group_range", "imm_dispatch_id", "imm_scratch_buffer", "imm_heap_buffer", "imm_kernel_arg",
    "sub_ptr_fetch_shader", "ptr_resource_table", "ptr_internal_resource_table", "ptr_sampler_table",
    "ptr_const_buffer_table", "ptr_vertex_buffer_table", "ptr_so_buffer_table", "ptr_uav_table",
    "ptr_internal_global_table", "ptr_extended_user_data", "ptr_indirect_resource", "ptr_indirect_internal_resource",
    "ptr_indirect_uav", "imm_context_base", "imm_lds_esgs_size", "imm_global_offset", "imm_generic_user_data",
];

/// Returns the number of a class of user SGPR contents.
pub(crate) fn class(name: &str) -> u32 {
    let place = USER_CLASSES.iter().position(|class| *class == name);
    place.map_or(u32::MAX, |place| place as u32)
}
