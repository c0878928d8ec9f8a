//! The sampler lookups of lanes, and the selection of texels along each axis.

use wavetank_ir::{Image, Lod};
use wavetank_memory::for_spaces::lanes::Lanes;
use wavetank_memory::for_spaces::{OneByOne, load};
use wavetank_memory::{Context, Request};

use crate::descriptor::{Border, Clamp, ImageSampler, ImageType};
use crate::filter::fixed_point;
use crate::operands::{Parts, Refused};
use crate::surface::{Level, Surface};

/// The operands of the lookups of all lanes.
pub(crate) struct Lookups {
    pub offsets: [Lanes; 3],
    pub bias: [f32; 64],
    pub reference: [f32; 64],
    pub derivatives: [[[f32; 64]; 3]; 2],
    /// The coordinates; those of cube faces are from 0 to 1.
    pub at: [[f32; 64]; 3],
    /// The slice of an array.
    pub slice: Lanes,
    pub level: [f32; 64],
    pub most: [f32; 64],
}

/// The operands of the lookup of a lane.
pub(crate) struct Lookup {
    pub lane: usize,
    pub offsets: [i32; 3],
    pub reference: f32,
    pub at: [f32; 3],
    pub slice: i64,
}

impl Lookups {
    /// Returns the operands of a lane.
    pub(crate) fn of(&self, lane: usize) -> Lookup {
        Lookup {
            lane,
            offsets: self.offsets.map(|x| x[lane] as i32),
            reference: self.reference[lane],
            at: self.at.map(|x| x[lane]),
            slice: self.slice[lane].into(),
        }
    }
}

/// The selection of a sample's texels in a direction.
pub(crate) enum Axis {
    /// The image lacks the direction.
    None,
    /// The direction selects the slice of an array.
    Slice,
    /// The texel at the coordinate.
    Nearest(Clamp),
    /// The two texels around the coordinate.
    Mixed(Clamp),
    /// The two texels around the coordinate, one of which may be on another face.
    Across,
}

/// An instruction with its descriptors.
pub(crate) struct Sampling<'a> {
    pub surface: Surface,
    pub sampler: ImageSampler,
    pub image: &'a Image,
    pub step: &'a Request,
    pub recorder: Option<OneByOne>,
}

impl Sampling<'_> {
    /// Reads the lanes' addresses: offset, bias, comparand, derivatives, body.
    #[inline(always)]
    pub(crate) fn lookups(&self, ctx: &Context<'_, '_>) -> Lookups {
        let (image, surface) = (self.image, &self.surface);
        let mut parts = Parts::new(ctx, self.step, image);
        let mut r = Lookups {
            offsets: [[0; 64]; 3],
            bias: [0.0; 64],
            reference: [0.0; 64],
            derivatives: [[[0.0; 64]; 3]; 2],
            at: [[0.0; 64]; 3],
            slice: [0; 64],
            level: [0.0; 64],
            most: [f32::INFINITY; 64],
        };
        if image.offsets {
            let word = parts.whole();
            // Three signed numbers of 6 bits.
            r.offsets = [0, 8, 16].map(|at| word.map(|w| ((w << (26 - at)) as i32 >> 26) as u32));
        }
        if image.lod == Lod::Bias {
            r.bias = parts.float();
            parts.align();
        }
        if image.compare {
            r.reference = parts.whole().map(f32::from_bits);
        }
        let dimensions = surface.dimensions();
        if image.lod == Lod::Derivatives {
            for derivative in &mut r.derivatives {
                for d in &mut derivative[..dimensions] {
                    *d = parts.float();
                }
                parts.align();
            }
        }
        for x in &mut r.at[..dimensions] {
            *x = parts.float();
        }
        if image.array && dimensions < 3 {
            r.slice = parts.float().map(|index| self.slice(index));
        }
        if image.lod == Lod::Explicit {
            r.level = parts.float();
        }
        if image.clamp {
            r.most = parts.float();
        }
        if self.is_cube() {
            // Coordinates on a face are from 1 to 2: programs divide V_CUBESC_F32 and V_CUBETC_F32 by V_CUBEMA_F32 and add 1.5.
            for at in &mut r.at[..2] {
                *at = at.map(|x| x - 1.0);
            }
        }
        r
    }

    /// Returns the slice of an array, limited to those that exist. The face of a cube is 8 · slice + face here, and 6 · slice +
    /// face in memory.
    fn slice(&self, index: f32) -> u32 {
        let index = index.round_ties_even() as i64;
        let index = match self.surface.resource.kind {
            ImageType::Cube => index.div_euclid(8) * 6 + index.rem_euclid(8),
            _ if !self.surface.is_array() => 0,
            _ => index,
        };
        index.clamp(0, i64::from(self.surface.resource.size[2]) - 1) as u32
    }

    /// Returns whether the image is a cube.
    #[inline(always)]
    pub(crate) fn is_cube(&self) -> bool {
        self.surface.resource.kind == ImageType::Cube
    }

    /// Returns the factor that converts a coordinate to texels of a level in a direction.
    #[inline(always)]
    pub(crate) fn scale(&self, level: &Level, n: usize) -> f32 {
        let counts = self.image.unnormalized || self.sampler.unnormalized;
        if counts && !self.is_cube() {
            1.0
        } else {
            level.size[n] as f32
        }
    }

    /// Returns the selection of texels in a direction; `linear` is the filter within a plane.
    #[inline(always)]
    pub(crate) fn direction(&self, n: usize, linear: bool) -> Axis {
        let dimensions = self.surface.dimensions();
        if n >= dimensions {
            return if n == 2 { Axis::Slice } else { Axis::None };
        }
        let linear = match (n, self.sampler.z_filter) {
            (2, 1..) => self.sampler.z_filter == 2,
            _ => linear,
        };
        match (linear, self.is_cube()) {
            (true, true) if !self.sampler.faces_apart => Axis::Across,
            (true, true) => Axis::Mixed(Clamp::LastTexel),
            (true, false) => Axis::Mixed(self.sampler.clamp[n]),
            (false, true) => Axis::Nearest(Clamp::LastTexel),
            (false, false) => Axis::Nearest(self.sampler.clamp[n]),
        }
    }

    /// Returns the coordinate by which a single texel is selected.
    #[inline(always)]
    pub(crate) fn rounded(&self, coordinate: f32) -> f32 {
        if self.sampler.truncates {
            coordinate
        } else {
            fixed_point(coordinate)
        }
    }

    /// Returns the border color, if it is one of the sampler's constants.
    pub(crate) fn fixed_border(&self) -> Option<[u32; 4]> {
        let one = self.surface.format.one();
        let color = match self.sampler.border {
            Border::TransparentBlack => [0; 4],
            Border::OpaqueBlack => [0, 0, 0, one],
            Border::OpaqueWhite => [one; 4],
            Border::Table(_) => return None,
        };
        Some(self.in_order(color))
    }

    /// Returns the border color for a lane. Entries of the table have 16 bytes each.
    ///
    /// # Safety
    /// The wave is alive.
    pub(crate) unsafe fn border(
        &self,
        ctx: &mut Context<'_, '_>,
        lane: usize,
    ) -> Result<[u32; 4], Refused> {
        const BYTES: u32 = 16;
        let Border::Table(entry) = self.sampler.border else {
            return Ok(self.fixed_border().unwrap_or_default());
        };
        let Some(table) = ctx.memory.border_colors() else {
            let why =
                "its sampler takes the border's color from a table, and nobody said where that is";
            return Err(why.to_owned().into());
        };
        let address = table.wrapping_add(u64::from(entry) * u64::from(BYTES));
        ctx.memory
            .check_lanes(self.step.pc, 1 << lane, BYTES, false, |_| address)?;
        if let Some(recorder) = self.recorder {
            recorder.add(Some(lane as u8), address, BYTES);
        }
        // SAFETY: the entry has been checked.
        let color = unsafe { load(address, BYTES) };
        Ok(self.in_order([0, 32, 64, 96].map(|at| (color >> at) as u32)))
    }

    /// Returns the channels of a border color in the order of the data's components.
    fn in_order(&self, color: [u32; 4]) -> [u32; 4] {
        let [x, y, z, w] = color;
        match self.surface.resource.border_order {
            1 => [x, w, y, z],
            2 => [w, z, y, x],
            3 => [w, x, y, z],
            4 => [z, y, x, w],
            5 => [y, x, w, z],
            _ => color,
        }
    }
}
