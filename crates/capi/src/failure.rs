//! Errors of calls: a code with a sentence.

use wavetank::{Error, KernelFault};

use crate::status::wavetank_status::{self, *};

/// The result of a call before it becomes a code.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: wavetank_status,
    pub sentence: String,
    pub fault: Option<Box<KernelFault>>,
}

impl Failure {
    pub(crate) fn new(status: wavetank_status, sentence: impl ToString) -> Failure {
        Failure {
            status,
            sentence: sentence.to_string(),
            fault: None,
        }
    }

    /// A wrong argument of a call.
    pub(crate) fn argument(sentence: impl ToString) -> Failure {
        Failure::new(WAVETANK_ERROR_ARGUMENT, sentence)
    }

    /// A name or number for which there is nothing.
    pub(crate) fn not_found(sentence: impl ToString) -> Failure {
        Failure::new(WAVETANK_ERROR_NOT_FOUND, sentence)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let sentence = error.to_string();
        let (status, fault) = match error {
            Error::Object(_) => (WAVETANK_ERROR_CODE, None),
            Error::Chip(_) | Error::Checks(_) => (WAVETANK_ERROR_UNSUPPORTED, None),
            Error::Setting(_) => (WAVETANK_ERROR_SETTING, None),
            Error::UnknownKernel { .. } | Error::UnknownFunction { .. } => {
                (WAVETANK_ERROR_NOT_FOUND, None)
            }
            Error::OutOfMemory { .. } => (WAVETANK_ERROR_MEMORY, None),
            Error::BufferRange { .. } => (WAVETANK_ERROR_RANGE, None),
            Error::WaveLds { .. } => (WAVETANK_ERROR_ARGUMENT, None),
            Error::Fault(fault) => (WAVETANK_ERROR_FAULT, Some(fault)),
            Error::Timeout(_) => (WAVETANK_ERROR_TIMEOUT, None),
            Error::Stopped { .. } => (WAVETANK_ERROR_CANCELLED, None),
            _ => (WAVETANK_ERROR_LAUNCH, None),
        };
        Failure {
            status,
            sentence,
            fault,
        }
    }
}
