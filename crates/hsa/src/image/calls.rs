//! The functions of `hsa_ext_image.h` in the C interface.

use std::ffi::c_void;

use wavetank::Chip;

use super::format::Format;
use super::layout::{BUFFER, Layout};
use super::{ImageInfo, create, create_sampler, destroy, destroy_sampler, find};
use crate::agent::{self, Which};
use crate::c_types::{
    Agent, Dim3, Image, ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, Sampler,
    SamplerDescriptor, Status, VendorImage,
};
use crate::call::{Result, calls, put};
use crate::log;
use crate::memory::transfer::{Place, Rows};

/// Capabilities: read, write, both; the layout does not depend on the access.
const READ: u32 = 0x1;
const READ_AND_WRITE: u32 = 0x1 | 0x2 | 0x4;
const SAME_LAYOUT: u32 = 0x10;

/// The number of the chips' vendor on the PCI bus.
const AMD: u32 = 0x1002;

/// The chip of an agent; the CPU has no images.
fn gpu(agent: Agent) -> Result<Chip> {
    match agent::of(agent)? {
        Which::Gpu(_, device) => Ok(device.chip()),
        Which::Cpu => Err(Status::ERROR_INVALID_AGENT),
    }
}

/// Reads a structure of the caller.
///
/// # Safety
/// The pointer is null, or points to a `T`.
unsafe fn get<T: Copy>(from: *const T) -> Result<T> {
    if from.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: not null, so a `T`.
    Ok(unsafe { from.read_unaligned() })
}

/// The capabilities of images of a geometry and a format.
fn capability(geometry: u32, format: ImageFormat) -> Result<u32> {
    if geometry > 7 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let Ok(known) = Format::new(format) else {
        return Ok(0);
    };
    let depth_image = matches!(geometry, 6 | 7);
    let fits =
        depth_image == (format.channel_order == 18) && (geometry != BUFFER || known.fits_buffer());
    Ok(match (fits, known.is_srgb()) {
        (false, _) => 0,
        (true, true) => READ | SAME_LAYOUT,
        (true, false) => READ_AND_WRITE | SAME_LAYOUT,
    })
}

/// The layout of an image description; without a linear layout, the library chooses the pitches.
///
/// # Safety
/// The pointer is null, or points to a description.
unsafe fn layout_of(
    from: *const ImageDescriptor,
    access: u32,
    linear: u32,
    pitches: [usize; 2],
) -> Result<Layout> {
    // SAFETY: null, or a description.
    let image = unsafe { get(from)? };
    let given = pitches != [0, 0];
    if !(1..=3).contains(&access) || linear > 1 || (linear == 0 && given) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let layout = Layout::new(&image, pitches[0], pitches[1])?;
    if access != 1 && layout.format.is_srgb() {
        Err(Status::IMAGE_FORMAT_UNSUPPORTED)
    } else {
        Ok(layout)
    }
}

/// The elements of an offset and of a range, if they lie within an image.
fn within(known: &ImageInfo, offset: Dim3, range: Dim3) -> Result<[[usize; 3]; 2]> {
    let [offset, range] = [offset, range].map(|d| [d.x, d.y, d.z].map(|n| n as usize));
    // A range of 0 in a missing dimension is its one row.
    let range: [usize; 3] = std::array::from_fn(|n| {
        if known.layout.size[n] == 1 {
            range[n].max(1)
        } else {
            range[n]
        }
    });
    let inside = (0..3).all(|n| offset[n] + range[n] <= known.layout.size[n]);
    inside
        .then_some([offset, range])
        .ok_or(Status::ERROR_INVALID_ARGUMENT)
}

/// The place of the rows of an image from an offset on.
fn rows_of(known: ImageInfo, offset: [usize; 3]) -> Place {
    let layout = known.layout;
    Place {
        address: known.data + layout.offset(offset) as u64,
        pitches: [layout.row_pitch, layout.slice_pitch].map(|p| p as u64),
    }
}

/// The place of rows in plain memory; pitches of 0 leave no gap.
fn rows_at(address: u64, pitches: [usize; 2], [bytes, rows]: [usize; 2]) -> Result<Place> {
    let row = pitches[0].max(bytes);
    let slice = row
        .checked_mul(rows)
        .ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    Ok(Place {
        address,
        pitches: [row, pitches[1].max(slice)].map(|p| p as u64),
    })
}

/// Sets all elements of a region to one color.
///
/// # Safety
/// `color` has as many components as the format reads.
unsafe fn clear(known: &ImageInfo, region: ImageRegion, color: *const u32) -> Result {
    let format = known.layout.format;
    let mut registers = [0; 4];
    for (n, register) in registers[..format.registers()].iter_mut().enumerate() {
        // SAFETY: the component is in the caller's array.
        *register = unsafe { color.add(n).read_unaligned() };
    }
    let element = format.element(registers);
    let element = element.ok_or(Status::IMAGE_FORMAT_UNSUPPORTED)?;
    let [offset, [x, y, z]] = within(known, region.offset, region.range)?;
    let row = element.repeat(x);
    // All rows of the region are copied from one row.
    let from = Place {
        address: row.as_ptr().expose_provenance() as u64,
        pitches: [0; 2],
    };
    let size = [row.len(), y, z];
    copy_rows("hsa_ext_image_clear", rows_of(*known, offset), from, size)
}

/// Copies rows of bytes.
fn copy_rows(call: &str, to: Place, from: Place, size: [usize; 3]) -> Result {
    let size = size.map(|n| n as u64);
    Rows { to, from, size }.copy().map_err(|problem| {
        log::line(&format!("{call} fails: {problem}"));
        Status::ERROR_INVALID_ARGUMENT
    })
}

calls! {
    fn hsa_ext_image_get_capability(agent: Agent, geometry: u32, format: *const ImageFormat, mask: *mut u32) {
        gpu(agent)?;
        // SAFETY: null, or the structure and room for the result.
        unsafe { put(mask, capability(geometry, get(format)?)?) }
    }

    fn hsa_ext_image_get_capability_with_layout(
        agent: Agent, geometry: u32, format: *const ImageFormat, layout: u32, mask: *mut u32,
    ) {
        gpu(agent)?;
        if layout > 1 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structure and room for the result.
        unsafe { put(mask, capability(geometry, get(format)?)?) }
    }

    fn hsa_ext_image_data_get_info(
        agent: Agent, image: *const ImageDescriptor, access: u32, info: *mut ImageDataInfo,
    ) {
        gpu(agent)?;
        // SAFETY: null, or the structure and room for the result.
        unsafe { put(info, layout_of(image, access, 0, [0; 2])?.info()) }
    }

    fn hsa_ext_image_data_get_info_with_layout(
        agent: Agent, image: *const ImageDescriptor, access: u32, layout: u32, row_pitch: usize, slice_pitch: usize,
        info: *mut ImageDataInfo,
    ) {
        gpu(agent)?;
        // SAFETY: null, or the structure and room for the result.
        unsafe { put(info, layout_of(image, access, layout, [row_pitch, slice_pitch])?.info()) }
    }

    fn hsa_ext_image_create(
        agent: Agent, image: *const ImageDescriptor, data: *const c_void, access: u32, handle: *mut Image,
    ) {
        let chip = gpu(agent)?;
        if handle.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structure; the result has room.
        unsafe {
            let layout = layout_of(image, access, 0, [0; 2])?;
            put(handle, create(chip, &get(image)?, layout, data.expose_provenance() as u64)?)
        }
    }

    fn hsa_ext_image_create_with_layout(
        agent: Agent, image: *const ImageDescriptor, data: *const c_void, access: u32, layout: u32, row_pitch: usize,
        slice_pitch: usize, handle: *mut Image,
    ) {
        let chip = gpu(agent)?;
        if handle.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structure; the result has room.
        unsafe {
            let layout = layout_of(image, access, layout, [row_pitch, slice_pitch])?;
            put(handle, create(chip, &get(image)?, layout, data.expose_provenance() as u64)?)
        }
    }

    fn hsa_amd_image_create(
        agent: Agent, image: *const ImageDescriptor, vendor: *const VendorImage, data: *const c_void, access: u32,
        handle: *mut Image,
    ) {
        let chip = gpu(agent)?;
        if handle.is_null() || data.is_null() || !(1..=3).contains(&access) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structures; the result has room.
        unsafe {
            let (image, vendor) = (get(image)?, get(vendor)?);
            if vendor.version != 1 || vendor.device >> 16 != AMD {
                return Err(Status::ERROR_INVALID_ARGUMENT);
            }
            let layout = Layout::of_resource(&image, vendor.words, chip)?;
            put(handle, create(chip, &image, layout, data.expose_provenance() as u64)?)
        }
    }

    fn hsa_ext_image_destroy(agent: Agent, image: Image) {
        gpu(agent)?;
        destroy(image)
    }

    fn hsa_ext_image_import(
        agent: Agent, from: *const c_void, row_pitch: usize, slice_pitch: usize, image: Image,
        region: *const ImageRegion,
    ) {
        gpu(agent)?;
        if from.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let known = find(image)?;
        // SAFETY: null, or the structure; the caller's memory has the region's rows.
        unsafe {
            let region = get(region)?;
            let [offset, [x, y, z]] = within(&known, region.offset, region.range)?;
            let bytes = x * known.layout.format.bytes;
            let memory = rows_at(from.expose_provenance() as u64, [row_pitch, slice_pitch], [bytes, y])?;
            copy_rows("hsa_ext_image_import", rows_of(known, offset), memory, [bytes, y, z])
        }
    }

    fn hsa_ext_image_export(
        agent: Agent, image: Image, to: *mut c_void, row_pitch: usize, slice_pitch: usize, region: *const ImageRegion,
    ) {
        gpu(agent)?;
        if to.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let known = find(image)?;
        // SAFETY: null, or the structure; the caller's memory has room for the region's rows.
        unsafe {
            let region = get(region)?;
            let [offset, [x, y, z]] = within(&known, region.offset, region.range)?;
            let bytes = x * known.layout.format.bytes;
            let memory = rows_at(to.expose_provenance() as u64, [row_pitch, slice_pitch], [bytes, y])?;
            copy_rows("hsa_ext_image_export", memory, rows_of(known, offset), [bytes, y, z])
        }
    }

    fn hsa_ext_image_copy(
        agent: Agent, from: Image, from_offset: *const Dim3, to: Image, to_offset: *const Dim3, range: *const Dim3,
    ) {
        gpu(agent)?;
        let [source, target] = [find(from)?, find(to)?];
        if source.layout.format != target.layout.format {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structures; the program keeps the memory of images.
        unsafe {
            let range = get(range)?;
            let [from, [x, y, z]] = within(&source, get(from_offset)?, range)?;
            let [to, _] = within(&target, get(to_offset)?, range)?;
            let bytes = x * source.layout.format.bytes;
            copy_rows("hsa_ext_image_copy", rows_of(target, to), rows_of(source, from), [bytes, y, z])
        }
    }

    fn hsa_ext_image_clear(agent: Agent, image: Image, color: *const u32, region: *const ImageRegion) {
        gpu(agent)?;
        if color.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let known = find(image)?;
        // SAFETY: null, or the structure; the color has the components of the image's channel order.
        unsafe { clear(&known, get(region)?, color) }
    }

    fn hsa_ext_sampler_create(agent: Agent, from: *const SamplerDescriptor, sampler: *mut Sampler) {
        gpu(agent)?;
        if sampler.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or the structure; the result has room.
        unsafe { put(sampler, create_sampler(&get(from)?)?) }
    }

    fn hsa_ext_sampler_destroy(agent: Agent, sampler: Sampler) {
        gpu(agent)?;
        destroy_sampler(sampler)
    }
}

/// `hsa_ext_images_1_pfn_t`, which begins with the functions of `hsa_ext_images_1_00_pfn_t`.
pub(crate) fn extension_table() -> [*const c_void; 13] {
    [
        hsa_ext_image_get_capability as *const c_void,
        hsa_ext_image_data_get_info as *const c_void,
        hsa_ext_image_create as *const c_void,
        hsa_ext_image_destroy as *const c_void,
        hsa_ext_image_copy as *const c_void,
        hsa_ext_image_import as *const c_void,
        hsa_ext_image_export as *const c_void,
        hsa_ext_image_clear as *const c_void,
        hsa_ext_sampler_create as *const c_void,
        hsa_ext_sampler_destroy as *const c_void,
        hsa_ext_image_get_capability_with_layout as *const c_void,
        hsa_ext_image_data_get_info_with_layout as *const c_void,
        hsa_ext_image_create_with_layout as *const c_void,
    ]
}
