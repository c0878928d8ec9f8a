//! Statuses of the C interface, `hsa_status_t`.

use std::ffi::CStr;

/// `hsa_status_t`: success or a kind of failure.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Status(pub u32);

/// A value, or the status of a failure.
pub(crate) type Result<T = ()> = std::result::Result<T, Status>;

macro_rules! statuses {
    ($($name:ident = $code:literal $text:literal,)*) => {
        // All statuses of the headers.
        #[allow(dead_code)]
        impl Status {
            $(pub(crate) const $name: Status = Status($code);)*

            /// The constant's name in the C headers.
            pub(crate) fn name(self) -> &'static CStr {
                match self.0 {
                    $($code => const { name(concat!("HSA_STATUS_", stringify!($name), ": ", $text, "\0")) },)*
                    _ => self.extension_name(),
                }
            }
        }
    };
}

const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

statuses! {
    SUCCESS = 0x0 "the call succeeded",
    INFO_BREAK = 0x1 "a traversal was stopped by its callback",
    ERROR = 0x1000 "something went wrong",
    ERROR_INVALID_ARGUMENT = 0x1001 "an argument is wrong",
    ERROR_INVALID_QUEUE_CREATION = 0x1002 "such a queue cannot be created",
    ERROR_INVALID_ALLOCATION = 0x1003 "such an allocation is not possible",
    ERROR_INVALID_AGENT = 0x1004 "there is no such agent",
    ERROR_INVALID_REGION = 0x1005 "there is no such region",
    ERROR_INVALID_SIGNAL = 0x1006 "there is no such signal",
    ERROR_INVALID_QUEUE = 0x1007 "there is no such queue",
    ERROR_OUT_OF_RESOURCES = 0x1008 "memory or another resource is used up",
    ERROR_INVALID_PACKET_FORMAT = 0x1009 "a packet is malformed",
    ERROR_RESOURCE_FREE = 0x100A "a resource could not be released",
    ERROR_NOT_INITIALIZED = 0x100B "hsa_init has not been called",
    ERROR_REFCOUNT_OVERFLOW = 0x100C "too many references",
    ERROR_INCOMPATIBLE_ARGUMENTS = 0x100D "the arguments do not fit together",
    ERROR_INVALID_INDEX = 0x100E "an index is too large",
    ERROR_INVALID_ISA = 0x100F "there is no such instruction set",
    ERROR_INVALID_CODE_OBJECT = 0x1010 "these bytes are not a code object",
    ERROR_INVALID_EXECUTABLE = 0x1011 "there is no such executable",
    ERROR_FROZEN_EXECUTABLE = 0x1012 "the executable is frozen",
    ERROR_INVALID_SYMBOL_NAME = 0x1013 "there is no symbol of this name",
    ERROR_VARIABLE_ALREADY_DEFINED = 0x1014 "the variable is defined already",
    ERROR_VARIABLE_UNDEFINED = 0x1015 "a variable is not defined",
    ERROR_EXCEPTION = 0x1016 "the kernel raised an exception",
    ERROR_INVALID_ISA_NAME = 0x1017 "there is no instruction set of this name",
    ERROR_INVALID_CODE_SYMBOL = 0x1018 "there is no such code object symbol",
    ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019 "there is no such executable symbol",
    ERROR_INVALID_FILE = 0x1020 "the file cannot be read",
    ERROR_INVALID_CODE_OBJECT_READER = 0x1021 "there is no such code object reader",
    ERROR_INVALID_CACHE = 0x1022 "there is no such cache",
    ERROR_INVALID_WAVEFRONT = 0x1023 "there is no such wavefront",
    ERROR_INVALID_SIGNAL_GROUP = 0x1024 "there is no such signal group",
    ERROR_INVALID_RUNTIME_STATE = 0x1025 "the runtime is not in the state for this call",
    ERROR_FATAL = 0x1026 "the queue has failed for good",
    ERROR_INVALID_MEMORY_POOL = 0x28 "there is no such memory pool",
    ERROR_MEMORY_APERTURE_VIOLATION = 0x29 "a kernel reached outside an aperture",
    ERROR_ILLEGAL_INSTRUCTION = 0x2A "a kernel has an instruction that is not supported",
    ERROR_MEMORY_FAULT = 0x2B "a kernel reached outside every allocation",
}

/// The statuses of `hsa_ext_image.h`, which have another prefix.
impl Status {
    pub(crate) const IMAGE_FORMAT_UNSUPPORTED: Status = Status(0x3000);
    pub(crate) const IMAGE_SIZE_UNSUPPORTED: Status = Status(0x3001);
    pub(crate) const IMAGE_PITCH_UNSUPPORTED: Status = Status(0x3002);
    pub(crate) const SAMPLER_UNSUPPORTED: Status = Status(0x3003);

    fn extension_name(self) -> &'static CStr {
        match self {
            Status::IMAGE_FORMAT_UNSUPPORTED => {
                c"HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED: images of this format are not supported"
            }
            Status::IMAGE_SIZE_UNSUPPORTED => {
                c"HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED: images of this size are not supported"
            }
            Status::IMAGE_PITCH_UNSUPPORTED => {
                c"HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED: images of this pitch are not supported"
            }
            Status::SAMPLER_UNSUPPORTED => {
                c"HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED: such samplers are not supported"
            }
            _ => c"an unknown status",
        }
    }
}

impl std::fmt::Debug for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name().to_str().unwrap_or_default();
        let name = name.split(':').next().unwrap_or_default();
        write!(f, "{name}")
    }
}
