//! The functions of agents and instruction sets in the C interface.

use std::ffi::c_void;

use wavetank::Device;

use super::attributes::{self, Room};
use super::{Which, all, isa_gpu, isa_of, of};
use crate::c_types::{Agent, Isa, Status, Wavefront};
use crate::call::{calls, put, text, traverse};
use crate::state::runtime;

/// The handle of the only wavefront type: all chips have waves of 64.
const WAVEFRONT: u64 = 0x3001;

calls! {
    fn hsa_iterate_agents(callback: Option<unsafe extern "C" fn(Agent, *mut c_void) -> Status>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(all()?, |agent| unsafe { callback(agent, data) })
    }

    fn hsa_agent_get_info(agent: Agent, attribute: u32, value: *mut c_void) {
        let which = of(agent)?;
        if value.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { attributes::of_agent(which, attribute, &Room(value)) }
    }

    fn hsa_agent_iterate_isas(agent: Agent, callback: Option<unsafe extern "C" fn(Isa, *mut c_void) -> Status>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let isas = match of(agent)? {
            Which::Cpu => vec![],
            Which::Gpu(n, _) => vec![isa_of(n)],
        };
        // SAFETY: the program's own function, with its own argument.
        traverse(isas, |isa| unsafe { callback(isa, data) })
    }

    fn hsa_isa_get_info_alt(isa: Isa, attribute: u32, value: *mut c_void) {
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { attributes::of_isa(isa_gpu(isa)?, attribute, &Room(value)) }
    }

    fn hsa_isa_get_info(isa: Isa, attribute: u32, index: u32, value: *mut c_void) {
        if index != 0 {
            return Err(Status::ERROR_INVALID_INDEX);
        }
        // SAFETY: the program's promise (see `calls!`).
        match unsafe { hsa_isa_get_info_alt(isa, attribute, value) } {
            Status::SUCCESS => Ok(()),
            status => Err(status),
        }
    }

    fn hsa_isa_from_name(name: *const std::ffi::c_char, isa: *mut Isa) {
        // SAFETY: a text of the caller.
        let name = unsafe { text(name)? };
        let plain = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        let same = |device: &Device| plain(device.facts().isa) == plain(name);
        let found = runtime()?.gpus.iter().position(same).ok_or(Status::ERROR_INVALID_ISA_NAME)?;
        // SAFETY: null, or room for a handle.
        unsafe { put(isa, isa_of(found)) }
    }

    fn hsa_isa_compatible(code: Isa, agent: Isa, result: *mut bool) {
        let same = isa_gpu(code)?.chip() == isa_gpu(agent)?.chip();
        // SAFETY: null, or room for the result.
        unsafe { put(result, same) }
    }

    fn hsa_isa_get_exception_policies(isa: Isa, _profile: u32, mask: *mut u16) {
        isa_gpu(isa)?;
        // SAFETY: null, or room for the mask.
        unsafe { put(mask, 0) }
    }

    fn hsa_isa_get_round_method(isa: Isa, width: u32, flush: u32, method: *mut u32) {
        isa_gpu(isa)?;
        if ![1, 2, 4].contains(&width) || ![1, 2].contains(&flush) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // Fused multiply-add rounds once.
        // SAFETY: null, or room for the method.
        unsafe { put(method, 1) }
    }

    fn hsa_isa_iterate_wavefronts(isa: Isa, callback: Option<unsafe extern "C" fn(Wavefront, *mut c_void) -> Status>, data: *mut c_void) {
        isa_gpu(isa)?;
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse([Wavefront(WAVEFRONT)], |wavefront| unsafe { callback(wavefront, data) })
    }

    fn hsa_wavefront_get_info(wavefront: Wavefront, attribute: u32, value: *mut c_void) {
        if wavefront.0 != WAVEFRONT {
            return Err(Status::ERROR_INVALID_WAVEFRONT);
        }
        match attribute {
            // SAFETY: null, or room for a 32-bit number.
            0 => unsafe { put(value.cast(), attributes::WAVE_SIZE) },
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }

    fn hsa_agent_get_exception_policies(agent: Agent, _profile: u32, mask: *mut u16) {
        of(agent)?;
        // SAFETY: null, or room for the mask.
        unsafe { put(mask, 0) }
    }

    fn hsa_agent_iterate_caches(agent: Agent, callback: Option<unsafe extern "C" fn(u64, *mut c_void) -> Status>, _data: *mut c_void) {
        of(agent)?;
        callback.map(drop).ok_or(Status::ERROR_INVALID_ARGUMENT)
    }

    fn hsa_cache_get_info(_cache: u64, _attribute: u32, _value: *mut c_void) {
        // Programs are never given a cache.
        Err(Status::ERROR_INVALID_CACHE)
    }
}
