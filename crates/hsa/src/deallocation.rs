//! Who wants to hear when memory is freed.

use std::ffi::c_void;
use std::sync::Mutex;

use crate::abi::Status;
use crate::call::calls;
use crate::memory::{self, Known};
use crate::state::lock;

/// `hsa_amd_deallocation_callback_t`
type Callback = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// A function of the program, with the address that it waits for and its own argument.
struct Notice {
    address: u64,
    callback: Callback,
    data: usize,
}

static NOTICES: Mutex<Vec<Notice>> = Mutex::new(Vec::new());

/// Calls those who wait for this memory, and forgets them.
pub fn tell(freed: &Known) {
    let of_it = |n: &mut Notice| (freed.address..freed.address + freed.bytes).contains(&n.address);
    // Without the list: a function of the program may register another.
    let told: Vec<Notice> = lock(&NOTICES).extract_if(.., of_it).collect();
    for notice in told {
        let address = std::ptr::with_exposed_provenance_mut(notice.address as usize);
        let data = std::ptr::with_exposed_provenance_mut(notice.data);
        // SAFETY: the program's own function, with its own argument.
        unsafe { (notice.callback)(address, data) };
    }
}

calls! {
    fn hsa_amd_register_deallocation_callback(pointer: *mut c_void, callback: Option<Callback>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let address = pointer.expose_provenance() as u64;
        if address == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        memory::find(address).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
        let data = data.expose_provenance();
        lock(&NOTICES).push(Notice { address, callback, data });
        Ok(())
    }

    fn hsa_amd_deregister_deallocation_callback(pointer: *mut c_void, callback: Option<Callback>) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let address = pointer.expose_provenance() as u64;
        let mut notices = lock(&NOTICES);
        let it = |n: &Notice| n.address == address && std::ptr::fn_addr_eq(n.callback, callback);
        let found = notices.iter().position(it).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        notices.remove(found);
        Ok(())
    }
}
