//! Buffers.

use std::ffi::c_void;

use crate::device::{Device, wavetank_device};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{Out, bytes, slice_mut};
use crate::status::wavetank_status;

/// A piece of device memory.
///
/// Any thread may use it at any time. Reads and writes beside a kernel that accesses the same bytes give some of their values.
pub struct wavetank_buffer {
    _private: [u8; 0],
}

pub(crate) struct Buffer(pub wavetank::Buffer);

impl Handled for Buffer {
    type Opaque = wavetank_buffer;
    const KIND: Kind = Kind::Buffer;
}

/// Allocates a buffer of `size` bytes, all zero.
///
/// WAVETANK_ERROR_MEMORY: there is not so much memory. `*buffer` is then null. Free the buffer by wavetank_buffer_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_create(
    device: *const wavetank_device,
    size: u64,
    buffer: *mut *mut wavetank_buffer,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Buffer>(buffer, "buffer", || {
            let device = handle::get::<Device>(device, "device")?;
            Ok(Buffer(device.device.buffer_zeroed(size)?))
        })
    }
}

/// Frees a buffer; null is ignored. Launches for which it was set keep its memory until they are freed, or set another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_free(buffer: *mut wavetank_buffer) -> wavetank_status {
    handle::free::<Buffer>(buffer, "buffer")
}

/// Copies `size` bytes from `data` into the buffer, from `offset` bytes on.
///
/// WAVETANK_ERROR_RANGE: they would end past the buffer. Nothing is copied then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_write(
    buffer: *const wavetank_buffer,
    offset: u64,
    data: *const c_void,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let buffer = handle::get::<Buffer>(buffer, "buffer")?;
        // SAFETY: by the caller's promise.
        let data = unsafe { bytes(data, size, "data") }?;
        Ok(buffer.0.write_at(offset, data)?)
    })
}

/// Copies `size` bytes from the buffer, from `offset` bytes on, to `data`.
///
/// WAVETANK_ERROR_RANGE: they would end past the buffer. Nothing is copied then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_read(
    buffer: *const wavetank_buffer,
    offset: u64,
    data: *mut c_void,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let buffer = handle::get::<Buffer>(buffer, "buffer")?;
        // SAFETY: by the caller's promise.
        let data = unsafe { slice_mut(data.cast::<u8>(), size, "data") }?;
        Ok(buffer.0.read_at(offset, data)?)
    })
}

/// Writes the size in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_size(
    buffer: *const wavetank_buffer,
    size: *mut u64,
) -> wavetank_status {
    guarded(|| {
        let buffer = handle::get::<Buffer>(buffer, "buffer")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(size, "size") }?.set(buffer.0.len());
        Ok(())
    })
}

/// Writes the device address of the first byte, for kernels that get addresses in structures. The host has the memory at the same
/// address, as long as the buffer is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_buffer_address(
    buffer: *const wavetank_buffer,
    address: *mut u64,
) -> wavetank_status {
    guarded(|| {
        let buffer = handle::get::<Buffer>(buffer, "buffer")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(address, "address") }?.set(buffer.0.address());
        Ok(())
    })
}
