//! The last error of a thread: its sentence, and the facts of a fault.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use wavetank::{KernelFault, MachineFault};

use crate::failure::{Failure, Result};
use crate::pointer::{c_string, shown_or_null};
use crate::record::Record;
use crate::status::wavetank_status::{self, *};

/// The last error of a thread.
#[derive(Default)]
struct LastError {
    sentence: CString,
    fault: Option<Facts>,
}

/// The facts of a fault, with texts that C can read.
struct Facts {
    fault: Box<KernelFault>,
    kernel: CString,
    instruction: Option<CString>,
    file: Option<CString>,
}

thread_local! {
    static LAST: RefCell<LastError> = RefCell::default();
}

/// Runs the body of a call, and returns its code. An error is kept for the thread, and a panic is one.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> wavetank_status {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return WAVETANK_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(WAVETANK_ERROR_INTERNAL, mistake(&*panic)),
    };
    let status = failure.status;
    let last = LastError {
        sentence: c_string(&failure.sentence),
        fault: failure.fault.map(|fault| Facts {
            kernel: c_string(&fault.kernel),
            instruction: fault.place.instruction.as_deref().map(c_string),
            file: (fault.place.source.own()).map(|frame| c_string(&frame.file)),
            fault,
        }),
    };
    // While a thread ends, its storage may be gone before its last call.
    let _ = LAST.try_with(|kept| kept.replace(last));
    status
}

/// Describes a panic.
fn mistake(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("a panic without a text");
    format!("a mistake in wavetank, please report it: {text}")
}

/// Returns the sentence about the last call of this thread that failed; "" if none did. Errors of other threads do not change it,
/// nor do calls that succeed. The text is valid until the next call of this thread that fails, or until its end.
#[unsafe(no_mangle)]
pub extern "C" fn wavetank_last_error() -> *const c_char {
    let sentence = LAST.try_with(|last| last.borrow().sentence.as_ptr());
    sentence.unwrap_or(c"".as_ptr())
}

/// An access that was refused.
pub const WAVETANK_FAULT_MEMORY: u32 = 1;
/// A trap without a handler: a failed assertion, or a breakpoint.
pub const WAVETANK_FAULT_TRAP: u32 = 2;
/// An instruction that is not executed, or no instruction.
pub const WAVETANK_FAULT_INSTRUCTION: u32 = 3;

/// The facts of a fault of a kernel. Texts are valid as long as that of wavetank_last_error.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_fault {
    /// WAVETANK_FAULT_MEMORY, WAVETANK_FAULT_TRAP or WAVETANK_FAULT_INSTRUCTION.
    pub kind: u32,
    /// The lane of the access, or -1.
    pub lane: i32,
    /// The address of the access that was refused, or 0.
    pub address: u64,
    /// The device address of the instruction.
    pub pc: u64,
    /// The work-group.
    pub group: [u32; 3],
    /// The number of the wave in its work-group.
    pub wave: u32,
    /// The name of the kernel, mangled for C++.
    pub kernel: *const c_char,
    /// The text of the instruction, or null.
    pub instruction: *const c_char,
    /// The file of the line of source, or null.
    pub file: *const c_char,
    /// The line of source, or 0.
    pub line: u32,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_fault {
    const FIRST_SIZE: usize = 72;
}

impl Facts {
    fn record(&self) -> wavetank_fault {
        let fault = &self.fault;
        let (kind, lane, address) = match &fault.fault {
            MachineFault::Memory(memory) => {
                (WAVETANK_FAULT_MEMORY, memory.lane, Some(memory.address))
            }
            MachineFault::Trap { .. } => (WAVETANK_FAULT_TRAP, None, None),
            MachineFault::Unsupported { .. } => (WAVETANK_FAULT_INSTRUCTION, None, None),
        };
        let frame = fault.place.source.own();
        wavetank_fault {
            kind,
            lane: lane.map_or(-1, |lane| lane as i32),
            address: address.unwrap_or(0),
            pc: fault.place.pc,
            group: fault.group.id,
            wave: fault.wave,
            kernel: self.kernel.as_ptr(),
            instruction: shown_or_null(self.instruction.as_deref()),
            file: shown_or_null(self.file.as_deref()),
            line: frame.and_then(|frame| frame.line).unwrap_or(0),
        }
    }
}

/// Writes the facts of the fault that wavetank_last_error is about. `size` is sizeof(wavetank_fault).
///
/// WAVETANK_ERROR_NOT_FOUND: the last error of this thread is not a fault of a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_last_fault(
    fault: *mut wavetank_fault,
    size: usize,
) -> wavetank_status {
    let record = LAST.try_with(|last| last.borrow().fault.as_ref().map(Facts::record));
    let Ok(Some(record)) = record else {
        // The texts of the last error stay as they are.
        return WAVETANK_ERROR_NOT_FOUND;
    };
    guarded(|| {
        // SAFETY: by the caller's promise.
        unsafe { record.write(fault, size, "fault") }
    })
}
