//! Images and samplers: `hsa_ext_image.h`.

use super::Dim3;

/// `hsa_ext_image_format_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct ImageFormat {
    /// `hsa_ext_image_channel_type_t`
    pub channel_type: u32,
    /// `hsa_ext_image_channel_order_t`
    pub channel_order: u32,
}

/// `hsa_ext_image_descriptor_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct ImageDescriptor {
    /// `hsa_ext_image_geometry_t`
    pub geometry: u32,
    /// The width in elements.
    pub width: usize,
    /// The height; 0 if the geometry has none.
    pub height: usize,
    /// The depth; 0 if the geometry has none.
    pub depth: usize,
    /// The number of layers; 0 if the geometry has none.
    pub array_size: usize,
    pub format: ImageFormat,
}

/// `hsa_amd_image_descriptor_t`, with the resource that follows its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct VendorImage {
    /// The version of the layout, which must be 1.
    pub version: u32,
    /// The numbers of the vendor and the device, 16 bits each.
    pub device: u32,
    /// The words of the resource; the words of levels, which follow, are not read.
    pub words: [u32; 8],
}

/// `hsa_ext_image_data_info_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct ImageDataInfo {
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes, a power of two.
    pub alignment: usize,
}

/// `hsa_ext_image_region_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ImageRegion {
    pub offset: Dim3,
    pub range: Dim3,
}

/// `hsa_ext_sampler_descriptor_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct SamplerDescriptor {
    /// 0: coordinates count elements, 1: they go from 0 to 1
    pub coordinate_mode: u32,
    /// 0 nearest, 1 linear
    pub filter_mode: u32,
    /// 0 undefined, 1 edge, 2 border, 3 repeat, 4 mirrored repeat
    pub address_mode: u32,
}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<ImageDescriptor>() == 48 && offset_of!(ImageDescriptor, format) == 40);
    assert!(offset_of!(ImageDescriptor, width) == 8);
    assert!(size_of::<ImageRegion>() == 24 && offset_of!(ImageRegion, range) == 12);
    assert!(size_of::<ImageDataInfo>() == 16 && size_of::<SamplerDescriptor>() == 12);
};
