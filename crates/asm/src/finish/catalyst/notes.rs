//! The notes of a kernel in a Catalyst binary (ELF `PT_NOTE`, CAL), in the order of AMD's compiler.

use wavetank_object::catalyst::{info, note};

use super::facts::Facts;
use crate::session::program::{Kind, Space};

/// The most work-items of a group, in the program note.
const GROUP: u32 = 256;
/// The work-items of a wave.
const WAVE: u32 = 64;
/// The most bytes of LDS of a group.
const LDS: u32 = 32_768;
/// The most VGPRs of a wave.
const VGPRS: u32 = 256;
/// Words of a bit mask with one bit for each used buffer.
const MASK: usize = 32;

impl Facts {
    /// Returns the notes as pairs of type and contents.
    pub(super) fn notes(&self) -> Vec<(u32, Vec<u8>)> {
        let settings = &self.settings;
        let images = settings.args.iter();
        let images = images.filter(|arg| matches!(arg.kind, Kind::Image(_, true)));
        let params = settings.args.iter();
        let params = params.filter(|arg| matches!(arg.kind, Kind::Sampler));
        let samplers = (0..(settings.samplers.len() + params.count()) as u32).flat_map(|n| [0, n]);
        [
            (note::INPUTS, (0..images.count() as u32).collect()),
            (note::OUTPUTS, vec![]),
            (note::UAV, self.buffers()),
            (note::COND_OUT, vec![settings.cond_out.unwrap_or(0)]),
            (note::FLOAT_CONSTANTS, vec![]),
            (note::INT_CONSTANTS, vec![]),
            (note::BOOL_CONSTANTS, vec![]),
            (note::EARLY_EXIT, vec![settings.early_exit.unwrap_or(0)]),
            (note::GLOBAL_BUFFERS, vec![]),
            (note::CONSTANT_BUFFERS, self.constant_buffers()),
            (note::INPUT_SAMPLERS, samplers.collect()),
            (note::SCRATCH_BUFFERS, vec![self.scratch.div_ceil(4)]),
            (note::PERSISTENT_BUFFERS, vec![]),
            (note::PROGRAM_INFO, self.program()),
            (note::SUB_CONSTANT_BUFFERS, vec![]),
            (note::UAV_MAILBOX_SIZE, vec![0]),
            (note::UAV_OP_MASK, self.mask().to_vec()),
        ]
        .into_iter()
        .map(|(kind, words): (u32, Vec<u32>)| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            (kind, bytes.collect())
        })
        .collect()
    }

    /// Returns the writable buffers: for each, its number and three words on its kind.
    fn buffers(&self) -> Vec<u32> {
        let args = self.settings.args.iter().zip(&self.resources);
        let entries = args.filter_map(|(arg, number)| match (&arg.kind, arg.space()) {
            (Kind::Image(_, false), _) => Some([*number, 2, 2, 5]),
            (_, Some(Space::Global)) => Some([*number, 4, 0, 5]),
            _ => None,
        });
        let prints = self.settings.prints;
        let printf = prints.then_some([self.settings.uav(), 0, 0, 5]);
        entries.chain(printf).flatten().collect()
    }

    /// Returns the constant buffers: for each, the number and a size that newer drivers ignore.
    fn constant_buffers(&self) -> Vec<u32> {
        let args = self.settings.args.iter().zip(&self.resources);
        let constant = args.filter(|(arg, _)| arg.space() == Some(Space::Constant));
        let numbers = [0, 1]
            .into_iter()
            .chain(constant.map(|(_, number)| *number));
        numbers.flat_map(|number| [number, 0]).collect()
    }

    /// Returns the mask of used buffers, one bit each.
    fn mask(&self) -> [u32; MASK] {
        let mut mask = [0; MASK];
        let mut set = |number: u32| mask[number as usize / 32 % MASK] |= 1 << (number % 32);
        for (arg, number) in self.settings.args.iter().zip(&self.resources) {
            if self.is_used(arg) || (arg.used && matches!(arg.kind, Kind::Image(_, false))) {
                set(*number);
            }
        }
        if self.settings.uses_constants {
            set(self.constants_id());
        }
        if self.settings.prints {
            set(self.settings.printf.unwrap_or(9));
        }
        mask
    }

    /// Returns the program note as pairs of address and value.
    fn program(&self) -> Vec<u32> {
        let user = &self.settings.user;
        let mut pairs = vec![[info::USER_DATA, user.len() as u32]];
        let fields = user.iter().flatten().zip(info::USER_DATA + 1..);
        pairs.extend(fields.map(|(value, address)| [address, *value]));
        pairs.extend([
            [info::VGPRS, self.vgprs],
            [info::SGPRS, self.sgprs],
            [info::MOST_SGPRS, self.most_sgprs],
            [info::MOST_VGPRS, VGPRS],
            [info::FLOAT_MODE, self.float_mode],
            [info::IEEE_MODE, self.ieee_mode],
            [info::SCRATCH, self.scratch.div_ceil(4)],
            [info::RSRC2, self.rsrc2],
        ]);
        let group = self.group.unwrap_or([GROUP, 0, 0]);
        let sizes = group.into_iter().zip(info::GROUP_SIZE..);
        pairs.extend(sizes.map(|(size, address)| [address, size]));
        let mask = self.mask();
        pairs.extend([[info::NO_NAME, 0], [info::UAVS, mask[0]]]);
        let all = mask.into_iter().zip(info::ALL_UAVS..);
        pairs.extend(all.map(|(word, address)| [address, word]));
        pairs.extend([
            [info::ONE, 1],
            [info::WAVE, WAVE],
            [info::MOST_LDS, LDS],
            // LDS in granules of 64 dwords.
            [info::LDS, (self.rsrc2 >> 15 & 0x1ff) << 8],
        ]);
        pairs.into_flattened()
    }
}
