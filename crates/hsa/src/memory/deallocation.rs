//! Deallocation callbacks: functions of the program that are called when memory is freed.

use std::ffi::c_void;
use std::sync::Mutex;

use super::allocation::{MemoryInfo, Origin};
use super::pointer;
use crate::c_types::Status;
use crate::call::calls;
use crate::state::lock;

/// `hsa_amd_deallocation_callback_t`
type Callback = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// A function of the program, with the address that it is registered for and its argument.
struct Registered {
    address: u64,
    callback: Callback,
    data: usize,
}

static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

/// Calls the callbacks of memory that is about to be freed, and removes them.
pub(crate) fn notify(freed: MemoryInfo) {
    if freed.origin != Origin::Allocated {
        return;
    }
    let of_it =
        |n: &mut Registered| (freed.address..freed.address + freed.bytes).contains(&n.address);
    // The list is unlocked again: a function of the program may register another.
    let called: Vec<Registered> = lock(&REGISTERED).extract_if(.., of_it).collect();
    for registered in called {
        let address = std::ptr::with_exposed_provenance_mut(registered.address as usize);
        let data = std::ptr::with_exposed_provenance_mut(registered.data);
        // SAFETY: the program's own function, with its own argument.
        unsafe { (registered.callback)(address, data) };
    }
}

calls! {
    fn hsa_amd_register_deallocation_callback(pointer: *mut c_void, callback: Option<Callback>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let address = pointer.expose_provenance() as u64;
        if address == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        pointer::find(address).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
        let data = data.expose_provenance();
        lock(&REGISTERED).push(Registered { address, callback, data });
        Ok(())
    }

    fn hsa_amd_deregister_deallocation_callback(pointer: *mut c_void, callback: Option<Callback>) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let address = pointer.expose_provenance() as u64;
        let mut all = lock(&REGISTERED);
        let it = |n: &Registered| n.address == address && std::ptr::fn_addr_eq(n.callback, callback);
        let found = all.iter().position(it).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        all.remove(found);
        Ok(())
    }
}
