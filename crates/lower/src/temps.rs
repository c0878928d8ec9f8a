//! Temporaries: lane vectors and uniform slots after the files of the wave.

use wavetank_memory::{MAX_OWN, Room, Uniform, VECTOR_BYTES, VECTOR_REGISTERS};

/// The temporaries that a block may use at once, after the files of its wave.
pub const ROOM: Room = Room {
    vectors: 128,
    uniforms: 256,
};

/// The number of vector registers that an engine may rename to within a block, the last of that room
/// ([`RENAMED_VECTOR`](wavetank_ir::RENAMED_VECTOR)).
pub const RENAMED: usize = 48;

/// The number of the first of them in the file.
pub(crate) const FIRST_RENAMED: usize = VECTOR_REGISTERS + ROOM.vectors - RENAMED;

/// The shadows of registers follow, in a wave that has some.
const _: () = assert!(ROOM.vectors <= MAX_OWN);

/// The error for a block that needs more temporaries than exist.
#[derive(Debug)]
pub struct TooMany;

/// The slots of one file, allocated first-fit.
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
pub(crate) enum Temp {
    /// A number of lane vectors, from a slot on: first slot and count.
    Vector(usize, usize),
    /// The number of a uniform slot.
    Uniform(usize),
}

/// The temporaries of a block, freed after their last use.
pub(crate) struct Temps {
    vector: Slots,
    uniform: Slots,
    /// The temporaries to free after each node.
    ends: Vec<Vec<Temp>>,
}

impl Temps {
    /// No temporary in use, for a block of `nodes` nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Temps {
            vector: Slots {
                used: vec![false; ROOM.vectors - RENAMED],
            },
            uniform: Slots {
                used: vec![false; ROOM.uniforms],
            },
            ends: vec![Vec::new(); nodes],
        }
    }

    /// Allocates lane vectors of 32 or 64 bits until node `last` is done, and returns their offset in the vector file.
    pub(crate) fn vector(&mut self, bits: u32, last: u32) -> Result<u32, TooMany> {
        let count = bits as usize / 32;
        let slot = self.vector.take(count)?;
        self.ends[last as usize].push(Temp::Vector(slot, count));
        Ok(((VECTOR_REGISTERS + slot) * VECTOR_BYTES) as u32)
    }

    /// Allocates 64 uniform bits until node `last` is done, and returns their offset from [`Uniform`].
    pub(crate) fn uniform(&mut self, last: u32) -> Result<u32, TooMany> {
        let slot = self.uniform.take(1)?;
        self.ends[last as usize].push(Temp::Uniform(slot));
        Ok((size_of::<Uniform>() + 8 * slot) as u32)
    }

    /// Frees the temporaries whose last use is node `n`.
    pub(crate) fn done(&mut self, n: usize) {
        for temp in std::mem::take(&mut self.ends[n]) {
            match temp {
                Temp::Vector(slot, count) => self.vector.used[slot..slot + count].fill(false),
                Temp::Uniform(slot) => self.uniform.used[slot] = false,
            }
        }
    }
}
