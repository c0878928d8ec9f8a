//! Operands of image accesses: the parts of the address, the components, and the reasons for a refusal.

use wavetank_ir::Image;
use wavetank_memory::for_spaces::lanes::Lanes;
use wavetank_memory::for_spaces::single_of_half;
use wavetank_memory::{Context, Denied, Request};

/// The reason for which an access to an image was refused.
pub enum Refused {
    /// The access of a lane was denied.
    Denied(Denied),
    /// A property of the resource or sampler is not supported; the sentence names it.
    Unsupported(String),
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        Refused::Denied(denied)
    }
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Refused::Unsupported(why)
    }
}

/// Returns the components of one lane that DMASK selects, in the order of the registers.
pub(crate) fn chosen(components: [u32; 4], mask: u8) -> [u32; 4] {
    let mut chosen = (0..4).filter(|n| mask >> n & 1 != 0);
    std::array::from_fn(|_| chosen.next().map_or(0, |n| components[n]))
}

/// A reader of the parts of the lanes' addresses, one after the other.
pub(crate) struct Parts<'a> {
    file: *const u32,
    dwords: &'a [u32; Image::MAX_ADDRESS],
    /// The next dword, and whether its low half has been read.
    at: usize,
    half: bool,
    short: bool,
}

impl<'a> Parts<'a> {
    /// Returns a reader of the addresses of a live wave.
    pub(crate) fn new(ctx: &Context<'_, '_>, step: &'a Request, image: &Image) -> Self {
        Parts {
            file: ctx.v(0),
            dwords: &step.address,
            at: 0,
            half: false,
            short: image.short,
        }
    }

    /// Skips the rest of a dword that was read in part.
    pub(crate) fn align(&mut self) {
        self.at += usize::from(self.half);
        self.half = false;
    }

    /// Reads the next whole dword.
    pub(crate) fn whole(&mut self) -> Lanes {
        self.align();
        let lanes = self.dwords[self.at] as usize / size_of::<u32>();
        self.at += 1;
        // SAFETY: it is in the file of a live wave, as `new` demands.
        unsafe { self.file.add(lanes).cast::<Lanes>().read() }
    }

    /// Reads the next 16 bits.
    fn short(&mut self) -> Lanes {
        if !self.half {
            let low = self.whole().map(|x| x & 0xffff);
            (self.at, self.half) = (self.at - 1, true);
            return low;
        }
        self.half = false;
        self.whole().map(|x| x >> 16)
    }

    /// Reads the next part as an integer.
    pub(crate) fn integer(&mut self) -> Lanes {
        if self.short {
            self.short()
        } else {
            self.whole()
        }
    }

    /// Reads the next part as a float.
    pub(crate) fn float(&mut self) -> [f32; 64] {
        let bits = if self.short {
            self.short().map(single_of_half)
        } else {
            self.whole()
        };
        bits.map(f32::from_bits)
    }
}
