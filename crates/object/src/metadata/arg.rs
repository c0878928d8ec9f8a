//! Kernel arguments, as the metadata describes them.

use rmpv::ValueRef;

use super::tree::{Fields, Place, bad};
use crate::error::Result;

/// One argument of a kernel, explicit or hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// The argument's name in the source, if the compiler kept it.
    pub name: Option<String>,
    /// The argument's type in the source, e.g. `float*`, if the compiler kept it.
    pub type_name: Option<String>,
    /// The kind of the argument, which determines how it is filled.
    pub kind: ArgKind,
    /// Offset in the argument block in bytes.
    pub offset: u32,
    /// Size in the argument block in bytes.
    pub size: u32,
    /// The size in bytes to which a shorter value is sign-extended (Mesa); 0 if zeros follow.
    pub sign_extended_to: u32,
    /// Alignment in the argument block, a power of two: from the note, or the natural one of the size.
    pub align: u32,
    /// The alignment of the memory that a `dynamic_shared_pointer` refers to.
    pub pointee_align: Option<u32>,
    /// The address space of a pointer.
    pub address_space: Option<AddressSpace>,
    /// The permitted access to an image or pipe.
    pub access: Option<Access>,
    /// The actual access to the memory, if the compiler has determined it.
    pub actual_access: Option<Access>,
    /// Whether the memory pointed to is `const`-qualified.
    pub is_const: bool,
    /// Whether the pointer is `restrict`-qualified.
    pub is_restrict: bool,
    /// Whether the memory pointed to is `volatile`-qualified.
    pub is_volatile: bool,
}

impl Arg {
    /// Returns an argument of which only kind and place are known.
    pub(crate) fn unnamed(kind: ArgKind, offset: u32, size: u32) -> Arg {
        Arg {
            name: None,
            type_name: None,
            kind,
            offset,
            size,
            sign_extended_to: 0,
            align: size.max(1).next_power_of_two().min(16),
            pointee_align: None,
            address_space: None,
            access: None,
            actual_access: None,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        }
    }

    /// Returns whether the argument is filled by the runtime, not by the caller.
    pub fn hidden(&self) -> bool {
        self.kind.hidden()
    }
}

/// Declares [`ArgKind`] with the words of the metadata (`.value_kind`).
macro_rules! arg_kinds {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// The kind of an argument, `.value_kind` in the metadata.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ArgKind {
            $($(#[$doc])* $variant,)*
        }

        impl ArgKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &[ArgKind] = &[$(ArgKind::$variant,)*];

            /// Returns the word of the metadata, e.g. `global_buffer`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ArgKind::$variant => $word,)*
                }
            }
        }
    };
}

arg_kinds! {
    /// The value itself is in the argument block.
    ByValue = "by_value",
    /// A pointer to global memory.
    GlobalBuffer = "global_buffer",
    /// A 32-bit LDS offset; the caller sets the size of the dynamic LDS.
    DynamicSharedPointer = "dynamic_shared_pointer",
    /// A pointer to a sampler descriptor.
    Sampler = "sampler",
    /// A pointer to an image descriptor.
    Image = "image",
    /// A pointer to an OpenCL pipe.
    Pipe = "pipe",
    /// A pointer to an OpenCL device queue.
    Queue = "queue",
    /// Global offset in X, added to work-item ids (OpenCL `get_global_offset`).
    HiddenGlobalOffsetX = "hidden_global_offset_x",
    /// Global offset in Y, as in X.
    HiddenGlobalOffsetY = "hidden_global_offset_y",
    /// Global offset in Z, as in X.
    HiddenGlobalOffsetZ = "hidden_global_offset_z",
    /// Padding that is not used.
    HiddenNone = "hidden_none",
    /// Pointer to the OpenCL `printf` buffer.
    HiddenPrintfBuffer = "hidden_printf_buffer",
    /// Pointer to the host-call buffer (HIP `printf`, `assert`).
    HiddenHostcallBuffer = "hidden_hostcall_buffer",
    /// Pointer to the OpenCL default device queue.
    HiddenDefaultQueue = "hidden_default_queue",
    /// Pointer to the completion action of device enqueue.
    HiddenCompletionAction = "hidden_completion_action",
    /// Pointer to the multi-grid synchronisation block (cooperative launch).
    HiddenMultigridSyncArg = "hidden_multigrid_sync_arg",
    /// Number of full work-groups in X, 32 bits (version 5).
    HiddenBlockCountX = "hidden_block_count_x",
    /// Number of full work-groups in Y.
    HiddenBlockCountY = "hidden_block_count_y",
    /// Number of full work-groups in Z.
    HiddenBlockCountZ = "hidden_block_count_z",
    /// Work-group size in X, 16 bits (version 5).
    HiddenGroupSizeX = "hidden_group_size_x",
    /// Work-group size in Y, 16 bits.
    HiddenGroupSizeY = "hidden_group_size_y",
    /// Work-group size in Z, 16 bits.
    HiddenGroupSizeZ = "hidden_group_size_z",
    /// Work-items in the partial group at the edge in X, 16 bits, 0 if there is none (version 5).
    HiddenRemainderX = "hidden_remainder_x",
    /// Work-items in the partial group at the edge in Y.
    HiddenRemainderY = "hidden_remainder_y",
    /// Work-items in the partial group at the edge in Z.
    HiddenRemainderZ = "hidden_remainder_z",
    /// Number of work-groups in X, the one at the edge included (Mesa).
    HiddenGroupCountX = "hidden_group_count_x",
    /// Number of work-groups in Y, the one at the edge included.
    HiddenGroupCountY = "hidden_group_count_y",
    /// Number of work-groups in Z, the one at the edge included.
    HiddenGroupCountZ = "hidden_group_count_z",
    /// Number of work-items in X (Mesa).
    HiddenItemCountX = "hidden_item_count_x",
    /// Number of work-items in Y.
    HiddenItemCountY = "hidden_item_count_y",
    /// Number of work-items in Z.
    HiddenItemCountZ = "hidden_item_count_z",
    /// Dimensions of the grid, 1 to 3, 16 bits (version 5).
    HiddenGridDims = "hidden_grid_dims",
    /// Pointer to the device heap (`malloc` in kernels).
    HiddenHeapV1 = "hidden_heap_v1",
    /// Bytes of dynamic LDS, 32 bits (version 5).
    HiddenDynamicLdsSize = "hidden_dynamic_lds_size",
    /// High 32 bits of the private aperture (gfx8 and older, version 5).
    HiddenPrivateBase = "hidden_private_base",
    /// High 32 bits of the shared aperture (gfx8 and older, version 5).
    HiddenSharedBase = "hidden_shared_base",
    /// Pointer to the HSA queue (version 5).
    HiddenQueuePtr = "hidden_queue_ptr",
}

impl ArgKind {
    /// Returns whether the argument is filled by the runtime, not by the caller.
    pub fn hidden(self) -> bool {
        self.as_str().starts_with("hidden_")
    }

    fn from_word(word: &str) -> Option<Self> {
        let mut kinds = Self::ALL.iter().copied();
        kinds.find(|kind| kind.as_str() == word)
    }
}

/// An address space of the metadata (`.address_space`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Scratch, with one copy for each work-item.
    Private,
    /// Device memory, which all work-groups share.
    Global,
    /// Device memory that the kernel does not write.
    Constant,
    /// LDS, with one copy for each work-group.
    Local,
    /// Flat addresses: global, private or local.
    Generic,
    /// GDS, with one copy for each device.
    Region,
}

impl AddressSpace {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "private" => Self::Private,
            "global" => Self::Global,
            "constant" => Self::Constant,
            "local" => Self::Local,
            "generic" => Self::Generic,
            "region" => Self::Region,
            _ => return None,
        })
    }
}

/// The permitted access to an argument's memory (`.access`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The memory is only read.
    ReadOnly,
    /// The memory is only written.
    WriteOnly,
    /// The memory is read and written.
    ReadWrite,
}

impl Access {
    fn from_word(word: &str) -> Option<Option<Self>> {
        Some(match word {
            "default" => None,
            "read_only" => Some(Self::ReadOnly),
            "write_only" => Some(Self::WriteOnly),
            "read_write" => Some(Self::ReadWrite),
            _ => return None,
        })
    }
}

/// Reads a kernel's arguments, and checks that each is within the argument block.
pub(super) fn read_all(args: &[ValueRef], kernel: &str, block: u32) -> Result<Vec<Arg>> {
    let mut out = Vec::new();
    // Version 2 has only sizes and alignments: arguments follow each other.
    let mut next = 0;
    for (n, arg) in args.iter().enumerate() {
        let place = Place::Arg(n, kernel);
        let arg = read(&Fields::new(arg, place)?, next)?;
        let end = arg.offset.checked_add(arg.size);
        next = end.filter(|end| *end <= block).ok_or_else(|| {
            let Arg { offset, size, .. } = arg;
            bad(format!(
                "{place} takes {size} bytes at {offset}, beyond the {block} bytes of the argument block"
            ))
        })?;
        out.push(arg);
    }
    Ok(out)
}

fn read(fields: &Fields, next: u32) -> Result<Arg> {
    let place = fields.place();
    let word = fields.required_text(".value_kind")?;
    let kind = ArgKind::from_word(word)
        .ok_or_else(|| bad(format!("{place} is of unknown kind `{word}`")))?;
    let size = fields.required_number(".size")?;
    let align = fields.alignment(".align")?;
    let offset = match fields.number(".offset")? {
        Some(offset) => offset,
        None => next
            .checked_next_multiple_of(align.unwrap_or(1))
            .ok_or_else(|| bad(format!("{place} lies beyond 4 GiB")))?,
    };
    let access = |key| match fields.text(key)? {
        None => Ok(None),
        Some(word) => Access::from_word(word)
            .ok_or_else(|| bad(format!("{key} of {place} is unknown: `{word}`"))),
    };
    let address_space = match fields.text(".address_space")? {
        None => None,
        Some(word) => Some(
            AddressSpace::from_word(word)
                .ok_or_else(|| bad(format!("{place} points to unknown memory `{word}`")))?,
        ),
    };
    Ok(Arg {
        name: fields.text(".name")?.map(str::to_owned),
        type_name: fields.text(".type_name")?.map(str::to_owned),
        kind,
        offset,
        size,
        sign_extended_to: 0,
        align: align.unwrap_or_else(|| natural_align(offset, size)),
        pointee_align: fields.alignment(".pointee_align")?,
        address_space,
        access: access(".access")?,
        actual_access: access(".actual_access")?,
        is_const: fields.flag(".is_const")?,
        is_restrict: fields.flag(".is_restrict")?,
        is_volatile: fields.flag(".is_volatile")?,
    })
}

/// Returns the largest power of two, at most 16, that divides both offset and size. Versions 3 and later have no alignment.
fn natural_align(offset: u32, size: u32) -> u32 {
    1 << (offset | size | 16).trailing_zeros()
}
