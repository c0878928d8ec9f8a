//! The register files of one wave, with a layout that all engines share.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use wavetank_ir::{HARDWARE_REGISTERS, LANES};

/// The VGPRs that a wave can name.
pub const VGPRS: usize = 256;

/// The vector registers of a wave: its VGPRs, then as many accumulation VGPRs, which CDNA has (CDNA 1 ISA, 3.6). The number of an
/// accumulation register in the file is its own plus [`VGPRS`], whatever the offset that a kernel gives them on the chip.
pub const VECTOR_REGISTERS: usize = 2 * VGPRS;

/// Returns the name of a vector register in assembly, by its number in the file: `v3`, `a3`.
///
/// ```
/// use wavetank_memory::{VGPRS, vector_name};
/// assert_eq!(vector_name(3), "v3");
/// assert_eq!(vector_name(VGPRS + 3), "a3");
/// ```
pub fn vector_name(number: usize) -> String {
    match number.checked_sub(VGPRS) {
        Some(accumulation) => format!("a{accumulation}"),
        None => format!("v{number}"),
    }
}

/// The vector registers of a wave.
pub type VectorRegisters = [[u32; LANES]; VECTOR_REGISTERS];

/// Bytes of a lane vector of 32-bit lanes.
pub const VECTOR_BYTES: usize = LANES * 4;

use wavetank_gcn::numbers::LDS_BYTES;
pub use wavetank_gcn::numbers::{hwreg, sreg};

/// The uniform state of a wave. Engines address it by byte offset.
#[repr(C, align(64))]
pub struct Uniform {
    /// Uniform registers by source code: SGPRs, VCC, M0, EXEC.
    pub s: [u32; 128],
    /// Hardware registers by `hwreg` number.
    pub hw: [u32; HARDWARE_REGISTERS],
    /// The scalar condition code, 0 or 1.
    pub scc: u32,
    /// Padding that aligns the next field.
    pub reserved: u32,
    /// A mask of all lanes, for operations without a mask.
    pub all: u64,
    /// The address of the next instruction.
    pub pc: u64,
    /// Guest instructions left of the wave's time slice, which may end only at the scheduler's yield points.
    pub budget: i64,
    /// Guest instructions executed, by family, when counting.
    pub counts: [u64; 8],
    /// Lane instructions executed, when counting.
    pub lane_count: u64,
    /// Guest instructions that compiled code executed, when counting.
    pub compiled_count: u64,
    /// The state of spin detection.
    pub spin: SpinState,
    /// The shadows of `s`, in a wave that has some; SCC uses the slot of the last register.
    pub shadow: [u32; 128],
}

impl Uniform {
    /// Returns the value of registers `n` and `n + 1`.
    #[inline]
    pub fn s64(&self, n: u8) -> u64 {
        let n = usize::from(n);
        u64::from(self.s[n]) | u64::from(self.s[n + 1]) << 32
    }
}

/// The initial uniform registers of a wave, with the layout of the start of [`Uniform`].
#[derive(Clone, Debug)]
#[repr(C)]
pub struct StartRegisters {
    /// Uniform registers by source code: SGPRs, VCC, M0, EXEC.
    pub s: [u32; 128],
    /// Hardware registers by `hwreg` number.
    pub hw: [u32; HARDWARE_REGISTERS],
}

impl StartRegisters {
    /// Returns the mask of active lanes.
    #[inline]
    pub fn exec(&self) -> u64 {
        let at = usize::from(sreg::EXEC);
        u64::from(self.s[at]) | u64::from(self.s[at + 1]) << 32
    }

    /// Sets the mask of active lanes.
    pub fn set_exec(&mut self, exec: u64) {
        let at = usize::from(sreg::EXEC);
        (self.s[at], self.s[at + 1]) = (exec as u32, (exec >> 32) as u32);
    }
}

const _: () = assert!(
    std::mem::offset_of!(Uniform, s) == std::mem::offset_of!(StartRegisters, s)
        && std::mem::offset_of!(Uniform, hw) == std::mem::offset_of!(StartRegisters, hw)
);

impl Default for StartRegisters {
    /// All registers are 0.
    fn default() -> Self {
        let (s, hw) = ([0; 128], [0; HARDWARE_REGISTERS]);
        StartRegisters { s, hw }
    }
}

/// The hardware registers of a wave with all vector and scalar registers and all of the LDS. GPR_ALLOC has VGPR_SIZE 13:8, in
/// fours less one, and SGPR_SIZE 27:24, in eights less one; LDS_ALLOC has LDS_SIZE 20:12, in units of 256 bytes. TRAP_EN, bit 6
/// of STATUS, is set: the wave takes traps.
const ALL_REGISTERS: [u32; HARDWARE_REGISTERS] = {
    let mut hw = [0; HARDWARE_REGISTERS];
    hw[hwreg::GPR_ALLOC as usize] = 63 << 8 | 15 << 24;
    hw[hwreg::LDS_ALLOC as usize] = (LDS_BYTES / 256) << 12;
    hw[hwreg::STATUS as usize] = 1 << 6;
    hw
};

/// The state of spin-loop detection of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct SpinState {
    /// The valid part of this state: 0, nothing, once the wave has written memory; 1, the branch and EXEC; 2, also the loaded
    /// values.
    pub known: u64,
    /// The guest address of the back edge.
    pub branch: u64,
    /// EXEC at the back edge.
    pub exec: u64,
    /// A hash of the values that the loop has loaded.
    pub seen: u64,
}

/// Space that an engine reserves after the files of a wave while it runs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Room {
    /// Lane vectors of 32-bit lanes, after the registers.
    pub vectors: usize,
    /// 64-bit values, after [`Uniform`].
    pub uniforms: usize,
}

/// The largest number of lane vectors that an engine may reserve in a wave with shadows.
pub const MAX_OWN: usize = 128;

/// The start of the shadows of vector registers in such a wave, in lane vectors from the first register on.
pub const SHADOWS: usize = VECTOR_REGISTERS + MAX_OWN;

/// One wave: its uniform state and its vector registers.
pub struct Wave {
    /// A [`Uniform`], then the engine's uniform values.
    uniform: Memory,
    /// The registers, then the engine's lane vectors.
    vector: Memory,
    room: Room,
    /// The number of VGPRs of the kernels that the wave has run.
    used: usize,
    /// The number of their accumulation registers.
    used_accumulators: usize,
    /// The number of the wave in its work-group.
    pub index: u32,
}

/// Memory of 64-byte lines.
struct Memory {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the value owns the memory.
unsafe impl Send for Memory {}

impl Memory {
    /// Zeroed memory of `bytes` bytes, but at least one.
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 64).expect("the files of a wave are small");
        // SAFETY: the layout has a size above zero.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) });
        Memory {
            at: at.unwrap_or_else(|| handle_alloc_error(layout)),
            layout,
        }
    }

    /// Returns a copy in a larger allocation.
    fn grown(&self, bytes: usize) -> Self {
        let new = Memory::new(bytes.max(self.layout.size()));
        // SAFETY: the new memory is at least as long, and apart from the old.
        unsafe { new.at.copy_from_nonoverlapping(self.at, self.layout.size()) };
        new
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

impl Default for Wave {
    fn default() -> Self {
        Wave::new(0)
    }
}

impl Wave {
    /// Returns a wave with all registers zero and all lanes active.
    pub fn new(index: u32) -> Wave {
        let mut start = Uniform {
            s: [0; 128],
            hw: [0; HARDWARE_REGISTERS],
            scc: 0,
            reserved: 0,
            all: !0,
            pc: 0,
            budget: 0,
            counts: [0; 8],
            lane_count: 0,
            compiled_count: 0,
            spin: SpinState::default(),
            shadow: [0; 128],
        };
        start.s[126] = !0;
        start.s[127] = !0;
        start.hw = ALL_REGISTERS;
        let uniform = Memory::new(size_of::<Uniform>());
        // SAFETY: the memory has its size and alignment.
        unsafe { uniform.at.cast().write(start) };
        Wave {
            uniform,
            vector: Memory::new(VECTOR_REGISTERS * VECTOR_BYTES),
            room: Room::default(),
            used: 0,
            used_accumulators: 0,
            index,
        }
    }

    /// Notes that a kernel has so many vector registers, for [`clear_used`](Self::clear_used). [`start`](Self::start) notes those
    /// that it puts into a start state.
    #[inline]
    pub fn set_used(&mut self, vgprs: usize) {
        self.used = self.used.max(vgprs.min(VGPRS));
    }

    /// Zeroes the vector registers of all kernels that the wave has run. Its uniform registers are left for the next start.
    pub fn clear_used(&mut self) {
        let used = std::mem::take(&mut self.used);
        let accumulators = std::mem::take(&mut self.used_accumulators);
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, borrowed with self.
        let file = unsafe { &mut *self.lanes().cast::<VectorRegisters>() };
        file[..used].as_flattened_mut().fill(0);
        file[VGPRS..VGPRS + accumulators].as_flattened_mut().fill(0);
    }

    /// Notes that a kernel has so many accumulation registers, for [`clear_used`](Self::clear_used).
    #[inline]
    pub fn set_used_accumulators(&mut self, count: usize) {
        self.used_accumulators = self.used_accumulators.max(count.min(VGPRS));
    }

    /// Zeroes the first accumulation registers.
    #[inline]
    pub fn zero_accumulators(&mut self, count: usize) {
        self.set_used_accumulators(count);
        let end = VGPRS + count.min(VGPRS);
        self.vectors_mut()[VGPRS..end].as_flattened_mut().fill(0);
    }

    /// Makes room for an engine's own values, which are undefined at first and not preserved between time slices.
    #[inline]
    pub fn make_room(&mut self, room: Room) {
        if self.room.vectors < room.vectors || self.room.uniforms < room.uniforms {
            self.grow(room);
        }
    }

    #[cold]
    fn grow(&mut self, room: Room) {
        self.uniform = self.uniform.grown(size_of::<Uniform>() + 8 * room.uniforms);
        self.vector = self
            .vector
            .grown((VECTOR_REGISTERS + room.vectors) * VECTOR_BYTES);
        self.room.vectors = self.room.vectors.max(room.vectors);
        self.room.uniforms = self.room.uniforms.max(room.uniforms);
    }

    /// Gives the wave shadows of its registers. The uniform registers take these, except EXEC, which is always defined. Of the
    /// first `vgprs` vector registers, the `first` ones are defined and the others undefined, as accumulation registers are. The registers after those keep
    /// their shadows, as a wave does not read registers that it lacks.
    pub fn start_shadows(
        &mut self,
        uniform: &[u32; 128],
        given_scc: bool,
        given_vector: impl Fn(usize) -> bool,
        vgprs: usize,
    ) {
        let bytes = (SHADOWS + VECTOR_REGISTERS) * VECTOR_BYTES;
        if self.vector.layout.size() < bytes {
            self.vector = self.vector.grown(bytes);
        }
        self.uniform_mut().shadow = *uniform;
        let exec = usize::from(sreg::EXEC);
        (
            self.uniform_mut().shadow[exec],
            self.uniform_mut().shadow[exec + 1],
        ) = (0, if given_scc { 0 } else { !0 });
        // SAFETY: the file has room for all shadows, borrowed with self.
        let all = unsafe { &mut *self.lanes().add(SHADOWS * LANES).cast::<VectorRegisters>() };
        for (n, lanes) in all.iter_mut().enumerate().take(vgprs) {
            lanes.fill(if given_vector(n) { 0 } else { !0 });
        }
        let accumulators = self.used_accumulators;
        for lanes in &mut all[VGPRS..VGPRS + accumulators] {
            lanes.fill(!0);
        }
    }

    /// Returns whether the wave has shadows of its registers.
    pub fn has_shadows(&self) -> bool {
        self.vector.layout.size() >= (SHADOWS + VECTOR_REGISTERS) * VECTOR_BYTES
    }

    /// Returns the shadow of a vector register, mutable, if the wave has shadows.
    ///
    /// # Panics
    /// If `n` is not below [`VECTOR_REGISTERS`].
    pub fn shadow_mut(&mut self, n: usize) -> Option<&mut [u32; LANES]> {
        assert!(n < VECTOR_REGISTERS);
        if !self.has_shadows() {
            return None;
        }
        // SAFETY: the file has room for the shadows, borrowed with self.
        Some(unsafe { &mut *self.lanes().add((SHADOWS + n) * LANES).cast() })
    }

    /// Zeroes the uniform registers, the counters and the first `vgprs` vector registers, for use by another work-group. The
    /// number limits the time that short kernels spend here.
    #[inline]
    pub fn clear(&mut self, vgprs: usize) {
        let registers = StartRegisters {
            hw: ALL_REGISTERS,
            ..StartRegisters::default()
        };
        self.start(&registers, &[], vgprs);
    }

    /// Puts the wave into a start state: the uniform registers and the first vector registers as given, the vector registers
    /// after those, up to `vgprs`, zero.
    #[inline]
    pub fn start(&mut self, registers: &StartRegisters, first: &[[u32; LANES]], vgprs: usize) {
        let uniform = self.uniform_mut();
        // SAFETY: both structures begin with the same fields. One copy takes less time than two.
        unsafe {
            (&raw mut *uniform)
                .cast::<StartRegisters>()
                .copy_from_nonoverlapping(registers, 1);
        };
        uniform.scc = 0;
        uniform.counts = [0; 8];
        uniform.lane_count = 0;
        uniform.compiled_count = 0;
        uniform.spin = SpinState::default();
        self.set_used(first.len().max(vgprs));
        let (first, vgprs) = (&first[..first.len().min(VGPRS)], vgprs.min(VGPRS));
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, borrowed with self.
        let file = unsafe { &mut *self.lanes().cast::<VectorRegisters>() };
        file[..first.len()].copy_from_slice(first);
        if let Some(rest) = file.get_mut(first.len()..vgprs) {
            rest.as_flattened_mut().fill(0);
        }
    }

    /// Zeroes vector registers by their numbers, in ascending order: neighbours together, which takes less time than one by one.
    ///
    /// # Panics
    /// If a number is not below [`VECTOR_REGISTERS`].
    #[inline]
    pub fn zero_vgprs(&mut self, numbers: &[u16]) {
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, borrowed with self.
        let file = unsafe { &mut *self.lanes().cast::<VectorRegisters>() };
        for run in numbers.chunk_by(|one, next| one + 1 == *next) {
            let first = usize::from(run[0]);
            let registers = &mut file[first..first + run.len()];
            registers.as_flattened_mut().fill(0);
        }
    }

    /// Returns the uniform state of the wave.
    #[inline]
    pub fn uniform(&self) -> &Uniform {
        // SAFETY: the memory begins with a `Uniform`, written in `new` and owned by self.
        unsafe { self.uniform.at.cast().as_ref() }
    }

    /// Returns the uniform state of the wave, mutable.
    #[inline]
    pub fn uniform_mut(&mut self) -> &mut Uniform {
        // SAFETY: the memory begins with a `Uniform`, written in `new` and borrowed with self.
        unsafe { self.uniform.at.cast().as_mut() }
    }

    /// Returns the 64-bit value of uniform registers `n` and `n + 1`.
    pub fn s64(&self, n: u8) -> u64 {
        self.uniform().s64(n)
    }

    /// Sets uniform registers `n` and `n + 1`.
    pub fn set_s64(&mut self, n: u8, v: u64) {
        let n = usize::from(n);
        let s = &mut self.uniform_mut().s;
        s[n] = v as u32;
        s[n + 1] = (v >> 32) as u32;
    }

    /// Returns the mask of active lanes.
    pub fn exec(&self) -> u64 {
        self.s64(sreg::EXEC)
    }

    /// Returns the lanes of one vector register.
    ///
    /// # Panics
    /// If `n` is not below [`VECTOR_REGISTERS`].
    #[inline]
    pub fn vgpr(&self, n: usize) -> &[u32; LANES] {
        assert!(n < VECTOR_REGISTERS);
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, owned by self.
        unsafe { &*self.lanes().add(n * LANES).cast() }
    }

    /// Returns the lanes of one vector register, mutable.
    ///
    /// # Panics
    /// If `n` is not below [`VECTOR_REGISTERS`].
    #[inline]
    pub fn vgpr_mut(&mut self, n: usize) -> &mut [u32; LANES] {
        assert!(n < VECTOR_REGISTERS);
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, borrowed with self.
        unsafe { &mut *self.lanes().add(n * LANES).cast() }
    }

    /// Returns the uniform state, mutable, together with the vector registers.
    #[inline]
    pub fn files(&mut self) -> (&mut Uniform, &VectorRegisters) {
        // SAFETY: both are borrowed with self, and apart; the file holds VECTOR_REGISTERS lane vectors.
        unsafe { (self.uniform.at.cast().as_mut(), &*self.lanes().cast()) }
    }

    /// Returns the vector registers, mutable.
    #[inline]
    pub fn vectors_mut(&mut self) -> &mut VectorRegisters {
        // SAFETY: the file holds VECTOR_REGISTERS lane vectors, borrowed with self.
        unsafe { &mut *self.lanes().cast() }
    }

    /// Returns the uniform values that an engine has made room for.
    pub fn own_uniforms(&mut self) -> &mut [u64] {
        // SAFETY: `grow` made memory for so many values, which is zeroed at first and borrowed with self.
        unsafe {
            let first = self.uniform.at.cast::<Uniform>().add(1).cast();
            std::slice::from_raw_parts_mut(first.as_ptr(), self.room.uniforms)
        }
    }

    /// Base addresses of the uniform and the vector file, for engines.
    #[inline]
    pub fn raw(&mut self) -> (*mut Uniform, *mut u32) {
        (self.uniform.at.cast().as_ptr(), self.lanes())
    }

    /// Returns the lanes of the first vector register; the others follow.
    #[inline]
    fn lanes(&self) -> *mut u32 {
        self.vector.at.as_ptr().cast()
    }
}
