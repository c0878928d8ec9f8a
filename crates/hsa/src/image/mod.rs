//! Images and samplers: handles that are addresses of resources, which kernels read.

mod calls;
mod format;
mod layout;

pub(crate) use calls::extension_table;
pub(crate) use layout::{ALIGNMENT, MAX_BUFFER, MAX_DEPTH, MAX_EXTENT, MAX_LAYERS};

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::{Chip, Clamp, ImageSampler};

use crate::c_types::{Image, ImageDescriptor, Result, Sampler, SamplerDescriptor, Status};
use crate::state::{lock, runtime};
use layout::Layout;

/// The number of images that can exist at once, by the agent's attributes.
pub(crate) const MAX_HANDLES: usize = 4096;
/// The number of samplers that can exist at once.
pub(crate) const MAX_SAMPLERS: usize = 4096;

/// An image: its layout, and the memory of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageInfo {
    pub layout: Layout,
    /// The address of the first element.
    pub data: u64,
}

static IMAGES: Mutex<BTreeMap<u64, ImageInfo>> = Mutex::new(BTreeMap::new());
static SAMPLERS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Allocates memory that kernels can read, with words in it.
fn publish(what: &str, words: &[u32]) -> Result<u64> {
    let made = runtime()?.registry().allocate(what, 64, 64);
    let address = made.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
    let to = std::ptr::with_exposed_provenance_mut::<u32>(address as usize);
    // SAFETY: new memory of 64 bytes, which has no other user; no more than 12 words are written.
    unsafe { to.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
    Ok(address)
}

fn take_back(address: u64) -> Result {
    let freed = runtime()?.registry().free(address);
    freed.map(drop).map_err(|_| Status::ERROR)
}

/// Makes an image from memory of the program.
pub(crate) fn create(
    chip: Chip,
    image: &ImageDescriptor,
    layout: Layout,
    data: u64,
) -> Result<Image> {
    if data == 0 || !data.is_multiple_of(ALIGNMENT as u64) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut images = lock(&IMAGES);
    if images.len() >= MAX_HANDLES {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    // The device libraries read type, order and width after the resource.
    let mut words = layout.words(data, chip).to_vec();
    words.extend([
        image.format.channel_type,
        image.format.channel_order,
        layout.size[0] as u32,
        0,
    ]);
    let handle = publish("the resource of an image", &words)?;
    images.insert(handle, ImageInfo { layout, data });
    Ok(Image(handle))
}

/// Finds the image of a handle.
pub(crate) fn find(image: Image) -> Result<ImageInfo> {
    lock(&IMAGES)
        .get(&image.0)
        .copied()
        .ok_or(Status::ERROR_INVALID_ARGUMENT)
}

/// Destroys an image; its memory is the program's.
pub(crate) fn destroy(image: Image) -> Result {
    let known = lock(&IMAGES).remove(&image.0);
    known.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    take_back(image.0)
}

/// Encodes a sampler description (Vega ISA, 8.2.6 "Image Sampler").
fn sampler_of(from: &SamplerDescriptor) -> Result<ImageSampler> {
    let clamp = match from.address_mode {
        0 | 1 => Clamp::LastTexel,
        2 => Clamp::Border,
        3 => Clamp::Wrap,
        4 => Clamp::Mirror,
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    if from.coordinate_mode > 1 || from.filter_mode > 1 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // Repeating requires coordinates from 0 to 1 (OpenCL C, 6.13.14.1).
    if from.coordinate_mode == 0 && matches!(clamp, Clamp::Wrap | Clamp::Mirror) {
        return Err(Status::SAMPLER_UNSUPPORTED);
    }
    let linear = from.filter_mode == 1;
    Ok(ImageSampler {
        clamp: [clamp; 3],
        unnormalized: from.coordinate_mode == 0,
        linear_mag: linear,
        linear_min: linear,
        z_filter: if linear { 2 } else { 1 },
        lod: [0.0, 4095.0 / 256.0],
        ..ImageSampler::default()
    })
}

/// Makes a sampler in memory that kernels can read.
pub(crate) fn create_sampler(from: &SamplerDescriptor) -> Result<Sampler> {
    let sampler = sampler_of(from)?;
    let mut samplers = lock(&SAMPLERS);
    if samplers.len() >= MAX_SAMPLERS {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    let handle = publish("a sampler", &sampler.to_words())?;
    samplers.push(handle);
    Ok(Sampler(handle))
}

/// Destroys a sampler, and frees its memory.
pub(crate) fn destroy_sampler(sampler: Sampler) -> Result {
    let mut samplers = lock(&SAMPLERS);
    let at = samplers.iter().position(|handle| *handle == sampler.0);
    samplers.swap_remove(at.ok_or(Status::ERROR_INVALID_ARGUMENT)?);
    take_back(sampler.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_have_the_requested_fields() {
        let from = |coordinate_mode, filter_mode, address_mode| SamplerDescriptor {
            coordinate_mode,
            filter_mode,
            address_mode,
        };
        let linear = sampler_of(&from(1, 1, 3)).unwrap();
        assert!(linear.linear_mag && linear.linear_min && !linear.unnormalized);
        assert_eq!(linear.clamp, [Clamp::Wrap; 3]);
        let nearest = sampler_of(&from(0, 0, 2)).unwrap();
        assert!(!nearest.linear_mag && nearest.unnormalized);
        assert_eq!(nearest.clamp, [Clamp::Border; 3]);
        assert_eq!(sampler_of(&from(0, 0, 3)), Err(Status::SAMPLER_UNSUPPORTED));
        assert_eq!(
            sampler_of(&from(2, 0, 1)),
            Err(Status::ERROR_INVALID_ARGUMENT)
        );
    }
}
