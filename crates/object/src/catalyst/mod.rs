//! Programs for OpenCL 1.2 as AMD's Catalyst keeps them: an ELF file with a text and an ELF file for each kernel, in whose
//! notes the driver finds what it needs.
//!
//! Sources: the CLRX wiki, "CLRadeonExtender Assembler AMD Catalyst handling" and "AMD Catalyst OpenCL ABI description"; what
//! CLRX and Multi2Sim read and write. [`Program::read`] takes a file apart, [`Program::write`] makes one, and `kernel` says how a
//! kernel begins.

mod kernel;
mod read;
mod write;

pub(crate) use kernel::kernel;
pub(crate) use read::is_program;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The chip's place in [`PRODUCTS`].
    pub product: usize,
    /// Whether addresses have 64 bits.
    pub wide: bool,
    /// The options and the name of the compiler.
    pub options: Vec<u8>,
    /// The driver.
    pub driver: Vec<u8>,
    /// Constants of all kernels.
    pub constants: Option<Vec<u8>>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kernel {
    /// Its name in the source.
    pub name: String,
    /// Lines on its arguments and memory.
    pub metadata: Vec<u8>,
    /// 32 bytes for the driver.
    pub header: Vec<u8>,
    /// Notes: a type, and the contents.
    pub notes: Vec<(u32, Vec<u8>)>,
    /// Constants that no kernel of these chips has.
    pub data: Vec<u8>,
    /// The instructions of the kernel.
    pub code: Vec<u8>,
}

/// A chip as the files number it: by CLRX's name, the chip, the machine of the program, and that of a kernel.
pub struct Product {
    /// CLRX's name.
    pub name: &'static str,
    /// The chip.
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

/// The chips that the driver has programs for. Of several with one chip's instructions the first stands for it.
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

/// Types of notes.
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

/// Addresses in the note on the program ([`note::PROGRAM_INFO`]), which has pairs of address and value.
#[allow(missing_docs)]
pub mod info {
    /// How many values user SGPRs get; of each follow class, slot, first register and number of registers.
    pub const USER_DATA: u32 = 0x8000_1000;
    pub const VGPRS: u32 = 0x8000_1041;
    pub const SGPRS: u32 = 0x8000_1042;
    pub const FLOAT_MODE: u32 = 0x8000_1043;
    pub const IEEE_MODE: u32 = 0x8000_1044;
    /// Dwords of scratch of a work-item.
    pub const SCRATCH: u32 = 0x8000_1045;
    pub const MOST_SGPRS: u32 = 0x8000_1863;
    pub const MOST_VGPRS: u32 = 0x8000_1864;
    /// COMPUTE_PGM_RSRC2, by its dword.
    pub const RSRC2: u32 = 0x2e13;
    /// Items of a group: 256, or what the source asks for.
    pub const GROUP_SIZE: u32 = 0x8000_001c;
    /// Buffers that are used: the first 32, and all.
    pub const UAVS: u32 = 0x8000_001f;
    pub const ALL_UAVS: u32 = 0x8000_1843;
    /// What is always 0, and what is always 1.
    pub const NO_NAME: u32 = 0x8000_1841;
    pub const ONE: u32 = 0x8000_000a;
    pub const WAVE: u32 = 0x8000_0078;
    pub const MOST_LDS: u32 = 0x8000_0081;
    /// Bytes of LDS.
    pub const LDS: u32 = 0x8000_0082;
}

/// What is put in user SGPRs, by CLRX's names; the number is the place.
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

/// The number of a class of user data.
pub(crate) fn class(name: &str) -> u32 {
    let place = USER_CLASSES.iter().position(|class| *class == name);
    place.map_or(u32::MAX, |place| place as u32)
}
