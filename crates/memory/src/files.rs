//! The state of one wave, shared byte for byte by every back end.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

use wavetank_ir::{HARDWARE_REGISTERS, LANES};

/// Vector registers a wave can name.
pub const VGPRS: usize = 256;

/// Lane vectors a back end may use as temporaries, after the registers.
pub const VECTOR_TEMPS: usize = 96;

/// Uniform 64-bit temporaries of a back end.
pub const UNIFORM_TEMPS: usize = 256;

/// The vector registers of a wave.
pub type VectorRegisters = [[u32; LANES]; VGPRS];

/// Bytes of one lane vector of 32-bit lanes.
pub const VECTOR_BYTES: usize = LANES * 4;

pub use wavetank_isa::numbers::{hwreg, sreg};

/// The uniform state of a wave. Back ends address it by byte offset.
#[repr(C, align(64))]
pub struct Uniform {
    /// Uniform registers by source code: SGPRs, VCC, M0, EXEC.
    pub s: [u32; 128],
    /// Hardware registers by `hwreg` number.
    pub hw: [u32; HARDWARE_REGISTERS],
    /// The scalar condition code, 0 or 1.
    pub scc: u32,
    /// Keeps the next field aligned.
    pub reserved: u32,
    /// A mask with every lane on: where an operation has no mask.
    pub all: u64,
    /// The address of the next instruction.
    pub pc: u64,
    /// Guest instructions left of the wave's turn. Where that may end, is the scheduler's list.
    pub budget: i64,
    /// Guest instructions executed, by family, when counting.
    pub counts: [u64; 8],
    /// Lane instructions executed, when counting.
    pub lane_count: u64,
    /// What the wave found when it last came round a loop.
    pub polled: Polled,
    /// Temporaries of the back end.
    pub temps: [u64; UNIFORM_TEMPS],
}

/// What a wave finds when it comes round a loop in which it may poll.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Polled {
    /// The guest address of the branch back, unless the wave has written memory since.
    pub branch: Option<u64>,
    /// Stands for what the loads of the loop gave, from the second round on.
    pub seen: Option<u64>,
}

/// One wave: its uniform state and its vector registers.
pub struct Wave {
    uniform: Box<Uniform>,
    vector: VectorFile,
    /// The number of the wave in its work-group.
    pub index: u32,
}

/// 64-byte aligned lane vectors: the registers, then the temporaries.
struct VectorFile(*mut u32);

// SAFETY: the file owns its memory; nothing else points to it.
unsafe impl Send for VectorFile {}

impl VectorFile {
    const LAYOUT: Layout = match Layout::from_size_align((VGPRS + VECTOR_TEMPS) * VECTOR_BYTES, 64)
    {
        Ok(l) => l,
        Err(_) => panic!("the layout of the vector file is valid"),
    };

    fn new() -> Self {
        // SAFETY: the layout has a size above zero.
        let p = unsafe { alloc_zeroed(Self::LAYOUT) };
        if p.is_null() {
            handle_alloc_error(Self::LAYOUT);
        }
        VectorFile(p.cast())
    }
}

impl Drop for VectorFile {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.0.cast(), Self::LAYOUT) }
    }
}

impl Default for Wave {
    fn default() -> Self {
        Wave::new(0)
    }
}

impl Wave {
    /// A wave with all registers zero, every lane on.
    pub fn new(index: u32) -> Wave {
        let mut uniform = Box::new(Uniform {
            s: [0; 128],
            hw: [0; HARDWARE_REGISTERS],
            scc: 0,
            reserved: 0,
            all: !0,
            pc: 0,
            budget: 0,
            counts: [0; 8],
            lane_count: 0,
            polled: Polled::default(),
            temps: [0; UNIFORM_TEMPS],
        });
        uniform.s[126] = !0;
        uniform.s[127] = !0;
        Wave {
            uniform,
            vector: VectorFile::new(),
            index,
        }
    }

    /// Zeroes the uniform registers, the counters and the first `vgprs` vector
    /// registers for use by another work-group. Clearing only what a kernel
    /// has keeps short kernels short.
    #[inline]
    pub fn clear(&mut self, vgprs: usize) {
        self.start(&[0; 128], &[0; 64], vgprs);
    }

    /// Puts the wave into a start state: scalar and hardware registers as given, the first `vgprs` vector registers zero.
    #[inline]
    pub fn start(&mut self, s: &[u32; 128], hw: &[u32; HARDWARE_REGISTERS], vgprs: usize) {
        self.uniform.s = *s;
        self.uniform.hw = *hw;
        self.uniform.scc = 0;
        self.uniform.counts = [0; 8];
        self.uniform.lane_count = 0;
        self.uniform.polled = Polled::default();
        let count = vgprs.min(VGPRS) * LANES;
        // SAFETY: the file holds VGPRS lane vectors, borrowed with self.
        unsafe { std::slice::from_raw_parts_mut(self.vector.0, count) }.fill(0);
    }

    /// The uniform state.
    #[inline]
    pub fn uniform(&self) -> &Uniform {
        &self.uniform
    }

    /// The uniform state, to change.
    #[inline]
    pub fn uniform_mut(&mut self) -> &mut Uniform {
        &mut self.uniform
    }

    /// A pair of uniform registers.
    pub fn s64(&self, n: u8) -> u64 {
        let n = usize::from(n);
        u64::from(self.uniform.s[n]) | u64::from(self.uniform.s[n + 1]) << 32
    }

    /// Sets a pair of uniform registers.
    pub fn set_s64(&mut self, n: u8, v: u64) {
        let n = usize::from(n);
        self.uniform.s[n] = v as u32;
        self.uniform.s[n + 1] = (v >> 32) as u32;
    }

    /// The active lanes.
    pub fn exec(&self) -> u64 {
        self.s64(sreg::EXEC)
    }

    /// The lanes of one vector register.
    ///
    /// # Panics
    /// If `n` is not below [`VGPRS`].
    #[inline]
    pub fn vgpr(&self, n: usize) -> &[u32; LANES] {
        assert!(n < VGPRS);
        // SAFETY: the file holds VGPRS lane vectors, owned by self.
        unsafe { &*self.vector.0.add(n * LANES).cast() }
    }

    /// The lanes of one vector register, to change.
    ///
    /// # Panics
    /// If `n` is not below [`VGPRS`].
    #[inline]
    pub fn vgpr_mut(&mut self, n: usize) -> &mut [u32; LANES] {
        assert!(n < VGPRS);
        // SAFETY: the file holds VGPRS lane vectors, borrowed with self.
        unsafe { &mut *self.vector.0.add(n * LANES).cast() }
    }

    /// The uniform state, to change, beside the vector registers.
    #[inline]
    pub fn files(&mut self) -> (&mut Uniform, &VectorRegisters) {
        // SAFETY: the file holds VGPRS lane vectors, borrowed with self, and the uniform state is elsewhere.
        (&mut self.uniform, unsafe { &*self.vector.0.cast() })
    }

    /// Base addresses of the two files, for back ends.
    #[inline]
    pub fn raw(&mut self) -> (*mut Uniform, *mut u32) {
        (&mut *self.uniform, self.vector.0)
    }
}
