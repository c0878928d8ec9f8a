//! Temporaries: lane vectors and uniform slots behind the files of the wave.

use wavetank_memory::{MAX_OWN, Room, Uniform, VECTOR_BYTES, VGPRS};

/// What a block may keep at once behind the files of its wave.
pub const ROOM: Room = Room {
    vectors: 96,
    uniforms: 256,
};

/// Behind that are the shadows of registers, where a wave has some.
const _: () = assert!(ROOM.vectors <= MAX_OWN);

/// A block needs more temporaries than there are.
#[derive(Debug)]
pub struct TooMany;

/// Slots given out first-fit.
struct Slots {
    used: Vec<bool>,
}

impl Slots {
    fn take(&mut self, count: usize) -> Result<usize, TooMany> {
        let runs = self.used.windows(count).position(|w| !w.iter().any(|u| *u));
        let first = runs.ok_or(TooMany)?;
        self.used[first..first + count].fill(true);
        Ok(first)
    }
}

/// A temporary, until it is given back.
#[derive(Clone, Copy, Debug)]
pub enum Temp {
    /// So many lane vectors from a slot on.
    Vector(usize, usize),
    /// A uniform slot.
    Uniform(usize),
}

/// The temporaries of a block, given back after their last use.
pub struct Temps {
    vector: Slots,
    uniform: Slots,
    /// What ends at each node.
    ends: Vec<Vec<Temp>>,
}

impl Temps {
    /// None is in use; the block has so many nodes.
    pub fn new(nodes: usize) -> Self {
        Temps {
            vector: Slots {
                used: vec![false; ROOM.vectors],
            },
            uniform: Slots {
                used: vec![false; ROOM.uniforms],
            },
            ends: vec![Vec::new(); nodes],
        }
    }

    /// The offset in the vector file of lane vectors of 32 or 64 bits, kept
    /// until node `last` is done.
    pub fn vector(&mut self, bits: u32, last: u32) -> Result<u32, TooMany> {
        let count = bits as usize / 32;
        let slot = self.vector.take(count)?;
        self.ends[last as usize].push(Temp::Vector(slot, count));
        Ok(((VGPRS + slot) * VECTOR_BYTES) as u32)
    }

    /// The offset from [`Uniform`] of 64 bits, kept until node `last` is done.
    pub fn uniform(&mut self, last: u32) -> Result<u32, TooMany> {
        let slot = self.uniform.take(1)?;
        self.ends[last as usize].push(Temp::Uniform(slot));
        Ok((size_of::<Uniform>() + 8 * slot) as u32)
    }

    /// Node `n` is done: takes back what ends there.
    pub fn done(&mut self, n: usize) {
        for temp in std::mem::take(&mut self.ends[n]) {
            match temp {
                Temp::Vector(slot, count) => self.vector.used[slot..slot + count].fill(false),
                Temp::Uniform(slot) => self.uniform.used[slot] = false,
            }
        }
    }
}
