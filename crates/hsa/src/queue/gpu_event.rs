//! The program's handler of GPU events, which is called for memory faults.

use std::ffi::c_void;
use std::sync::Mutex;

use crate::c_types::{Agent, Status};
use crate::call::calls;
use crate::state::lock;

/// `hsa_amd_system_event_callback_t`
type Callback = unsafe extern "C" fn(*const c_void, *mut c_void) -> Status;

/// The registered function, with the program's pointer.
static HANDLER: Mutex<Option<(Callback, usize)>> = Mutex::new(None);

/// `hsa_amd_event_t` of a memory fault.
#[repr(C)]
struct MemoryEvent {
    /// 0: a memory fault.
    kind: u32,
    agent: Agent,
    address: u64,
    /// Bit 0: the address is not mapped.
    reasons: u32,
}

/// Calls the handler for an access to unmapped memory. Returns whether a handler took the event.
pub(super) fn memory_fault(agent: Agent, address: u64) -> bool {
    // The lock is released before the program's function runs.
    let handler = *lock(&HANDLER);
    let Some((callback, data)) = handler else {
        return false;
    };
    let event = MemoryEvent {
        kind: 0,
        agent,
        address,
        reasons: 1,
    };
    let data = std::ptr::with_exposed_provenance_mut(data);
    // SAFETY: the program gave the function for this argument; the event outlives the call.
    unsafe { callback((&raw const event).cast(), data) == Status::SUCCESS }
}

/// Removes the handler: the program that initialises the library next registers its own.
pub(crate) fn forget_handler() {
    *lock(&HANDLER) = None;
}

calls! {
    fn hsa_amd_register_system_event_handler(
        handler: Option<unsafe extern "C" fn(*const c_void, *mut c_void) -> Status>, data: *mut c_void,
    ) {
        let handler = handler.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        *lock(&HANDLER) = Some((handler, data.expose_provenance()));
        Ok(())
    }
}
