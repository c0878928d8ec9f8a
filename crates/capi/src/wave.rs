//! Waves that are stepped.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavetank::LoneWave;

use crate::device::{Device, wavetank_device};
use crate::failure::{Failure, Result};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{Out, bytes, slice, slice_mut};
use crate::status::wavetank_status::{self, *};

/// A wave of a device that is stepped instruction by instruction, and whose registers can be read and written in between.
///
/// Any thread may use it at any time; calls for one wave wait for each other.
pub struct wavetank_wave {
    _private: [u8; 0],
}

pub(crate) struct Wave {
    wave: Mutex<LoneWave>,
    /// The device address of the code.
    start: u64,
}

impl Handled for Wave {
    type Opaque = wavetank_wave;
    const KIND: Kind = Kind::Wave;
}

impl Wave {
    fn lock(&self) -> MutexGuard<'_, LoneWave> {
        self.wave.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lanes of a wave.
pub const WAVETANK_LANES: u32 = 64;

/// Numbers of scalar registers: 0 to 105 are s0 to s105. The vector condition code, 64 bits.
pub const WAVETANK_REGISTER_VCC: u32 = 256;
/// The mask of active lanes, 64 bits.
pub const WAVETANK_REGISTER_EXEC: u32 = 257;
/// The scalar condition code, 0 or 1.
pub const WAVETANK_REGISTER_SCC: u32 = 258;
/// The memory register, 32 bits.
pub const WAVETANK_REGISTER_M0: u32 = 259;
/// The mode register, 32 bits: rounding, denormals, exceptions.
pub const WAVETANK_REGISTER_MODE: u32 = 260;
/// The distance of the next instruction from the start of the code, in bytes.
pub const WAVETANK_REGISTER_PC: u32 = 261;

/// Numbers of vector registers: 0 to 255 are v0 to v255, and 256 to 511 are a0 to a255 of CDNA.
pub const WAVETANK_VECTOR_A0: u32 = 256;

/// Codes of scalar registers (Vega ISA, 13.1), and the number of MODE among hardware registers.
const VCC: u8 = 106;
const M0: usize = 124;
const EXEC: u8 = 126;
const MODE: usize = 1;

/// The number of SGPRs.
const SGPRS: u32 = 106;
/// The number of vector registers, those of accumulation included.
const VECTORS: u32 = 512;

/// Makes a wave at the first instruction of plain code of `size` bytes for the chip of the device, as wavetank_assembly_code has it.
/// Registers are 0, and all lanes are active. `lds` is the size of its LDS in bytes.
///
/// WAVETANK_ERROR_ARGUMENT: code that ends within a word, or more LDS than a work-group can have. `*wave` is then null. Free the
/// wave by wavetank_wave_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_create(
    device: *const wavetank_device,
    code: *const c_void,
    size: usize,
    lds: u32,
    wave: *mut *mut wavetank_wave,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Wave>(wave, "wave", || {
            let device = handle::get::<Device>(device, "device")?;
            let code = bytes(code, size, "code")?;
            if code.is_empty() || !size.is_multiple_of(4) {
                let sentence = format!("code has whole words of 4 bytes, not {size} bytes");
                return Err(Failure::argument(sentence));
            }
            let wave = LoneWave::of_code(&device.device, code, lds)?;
            let start = wave.wave().uniform().pc;
            let wave = Mutex::new(wave);
            Ok(Wave { wave, start })
        })
    }
}

/// Frees a wave; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_free(wave: *mut wavetank_wave) -> wavetank_status {
    handle::free::<Wave>(wave, "wave")
}

/// Returns the wave of a handle.
fn found(wave: *const wavetank_wave) -> Result<Arc<Wave>> {
    handle::get::<Wave>(wave, "wave")
}

/// Executes the next instruction. Barriers are passed. `has_ended`, which may be null, gets 1 after the end of the wave, or else 0;
/// a step after the end does nothing.
///
/// WAVETANK_ERROR_FAULT: the instruction cannot be executed, and has changed nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_step(
    wave: *mut wavetank_wave,
    has_ended: *mut i32,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        let mut wave = found.lock();
        let is_asked = !has_ended.is_null();
        // SAFETY: by the caller's promise.
        let out = is_asked
            .then(|| unsafe { Out::of(has_ended, "has_ended") })
            .transpose()?;
        let stepped = wave.step();
        stepped.map_err(|stopped| Failure::new(WAVETANK_ERROR_FAULT, stopped.sentence))?;
        if let Some(out) = out {
            out.set(wave.has_ended().into());
        }
        Ok(())
    })
}

/// Writes the text of the next instruction, with a zero byte at its end, to the `capacity` bytes at `text`; the text is cut if it
/// is longer, and empty where there is no instruction. `length`, which may be null, gets the length of the whole text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_next(
    wave: *const wavetank_wave,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let inst = found(wave)?.lock().next_instruction();
        let next = inst.map_or_else(String::new, |inst| inst.to_string());
        // SAFETY: by the caller's promise.
        let to = unsafe { slice_mut(text.cast::<u8>(), capacity, "text") }?;
        if let Some(most) = capacity.checked_sub(1) {
            let count = next.len().min(most);
            to[..count].copy_from_slice(&next.as_bytes()[..count]);
            to[count] = 0;
        }
        if !length.is_null() {
            // SAFETY: by the caller's promise.
            unsafe { Out::of(length, "length") }?.set(next.len());
        }
        Ok(())
    })
}

/// A number that is not a scalar register.
fn no_register(number: u32) -> Failure {
    let sentence = format!(
        "there is no scalar register {number}: take 0 to 105 for s0 to s105, or a WAVETANK_REGISTER"
    );
    Failure::not_found(sentence)
}

/// Reads a scalar register: 0 to 105 for an SGPR, or WAVETANK_REGISTER_VCC and the others.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no such register.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_get(
    wave: *const wavetank_wave,
    number: u32,
    value: *mut u64,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        let wave = found.lock();
        // SAFETY: by the caller's promise.
        let out = unsafe { Out::of(value, "value") }?;
        let uniform = wave.wave().uniform();
        out.set(match number {
            0..SGPRS => uniform.s[number as usize].into(),
            WAVETANK_REGISTER_VCC => wave.wave().s64(VCC),
            WAVETANK_REGISTER_EXEC => wave.wave().s64(EXEC),
            WAVETANK_REGISTER_SCC => uniform.scc.into(),
            WAVETANK_REGISTER_M0 => uniform.s[M0].into(),
            WAVETANK_REGISTER_MODE => uniform.hw[MODE].into(),
            WAVETANK_REGISTER_PC => uniform.pc.wrapping_sub(found.start),
            _ => return Err(no_register(number)),
        });
        Ok(())
    })
}

/// Writes a scalar register: 0 to 105 for an SGPR, or WAVETANK_REGISTER_VCC and the others. An address, such as that of a buffer, takes
/// two SGPRs: the low half first.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no such register. WAVETANK_ERROR_ARGUMENT: the value does not fit into it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_set(
    wave: *mut wavetank_wave,
    number: u32,
    value: u64,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        let mut wave = found.lock();
        let (bits, dword) = match number {
            WAVETANK_REGISTER_SCC => (1, value as u32),
            0..SGPRS | WAVETANK_REGISTER_M0 | WAVETANK_REGISTER_MODE => (32, value as u32),
            _ => (64, 0),
        };
        if bits < 64 && value >> bits != 0 {
            let sentence = format!("{value:#x} does not fit into the {bits} bits of the register");
            return Err(Failure::argument(sentence));
        }
        let wave = wave.wave_mut();
        match number {
            0..SGPRS => wave.uniform_mut().s[number as usize] = dword,
            WAVETANK_REGISTER_VCC => wave.set_s64(VCC, value),
            WAVETANK_REGISTER_EXEC => wave.set_s64(EXEC, value),
            WAVETANK_REGISTER_SCC => wave.uniform_mut().scc = dword,
            WAVETANK_REGISTER_M0 => wave.uniform_mut().s[M0] = dword,
            WAVETANK_REGISTER_MODE => wave.uniform_mut().hw[MODE] = dword,
            WAVETANK_REGISTER_PC => wave.uniform_mut().pc = found.start.wrapping_add(value),
            _ => return Err(no_register(number)),
        }
        Ok(())
    })
}

/// Checks the number of a vector register.
fn vector(number: u32) -> Result<usize> {
    if number < VECTORS {
        return Ok(number as usize);
    }
    let sentence = format!(
        "there is no vector register {number}: take 0 to 255 for v0 to v255, 256 to 511 for a0 to a255"
    );
    Err(Failure::not_found(sentence))
}

/// Reads a vector register to the 64 elements at `lanes`: 0 to 255 for a VGPR, 256 to 511 for an accumulation register of CDNA.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no such register.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_get_vector(
    wave: *const wavetank_wave,
    number: u32,
    lanes: *mut u32,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        let number = vector(number)?;
        // SAFETY: by the caller's promise.
        let lanes = unsafe { slice_mut(lanes, WAVETANK_LANES as usize, "lanes") }?;
        lanes.copy_from_slice(found.lock().wave().vgpr(number));
        Ok(())
    })
}

/// Writes a vector register from the 64 elements at `lanes`, also in lanes that are not active.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no such register.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_set_vector(
    wave: *mut wavetank_wave,
    number: u32,
    lanes: *const u32,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        let number = vector(number)?;
        // SAFETY: by the caller's promise.
        let lanes = unsafe { slice(lanes, WAVETANK_LANES as usize, "lanes") }?;
        let mut wave = found.lock();
        wave.wave_mut().vgpr_mut(number).copy_from_slice(lanes);
        Ok(())
    })
}

/// Returns bytes of the LDS.
///
/// # Errors
/// They would end past it.
fn lds(wave: &mut LoneWave, offset: u32, size: usize) -> Result<&mut [u8]> {
    let all: &mut [u8] = bytemuck::cast_slice_mut(wave.lds_mut());
    let (first, length) = (offset as usize, all.len());
    let end = first.saturating_add(size);
    all.get_mut(first..end).ok_or_else(|| {
        let sentence = format!("bytes {first} to {end} are outside the LDS of {length} bytes");
        Failure::new(WAVETANK_ERROR_RANGE, sentence)
    })
}

/// Copies `size` bytes of the LDS, from `offset` bytes on, to `data`.
///
/// WAVETANK_ERROR_RANGE: they would end past the LDS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_read_lds(
    wave: *const wavetank_wave,
    offset: u32,
    data: *mut c_void,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        // SAFETY: by the caller's promise.
        let data = unsafe { slice_mut(data.cast::<u8>(), size, "data") }?;
        data.copy_from_slice(lds(&mut found.lock(), offset, size)?);
        Ok(())
    })
}

/// Copies `size` bytes from `data` into the LDS, from `offset` bytes on.
///
/// WAVETANK_ERROR_RANGE: they would end past the LDS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_wave_write_lds(
    wave: *mut wavetank_wave,
    offset: u32,
    data: *const c_void,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let found = found(wave)?;
        // SAFETY: by the caller's promise.
        let data = unsafe { bytes(data, size, "data") }?;
        lds(&mut found.lock(), offset, size)?.copy_from_slice(data);
        Ok(())
    })
}
