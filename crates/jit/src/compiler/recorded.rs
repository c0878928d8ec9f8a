//! Records of accesses, for observers. Compiled code knows where an access goes, and calls a function that appends its record to
//! the log of the memory unit, before it makes the access. Helpers record what they make.

use iced_x86::{Code, Register};
use wavetank_lane_ops::Ctx;
use wavetank_memory::Request;
use wavetank_memory::instrument::Recorder;

use crate::compiler::asm::{Arg, Asm, Label, Mem, fixed};
use crate::compiler::scalar_load::ADDRESS;

/// The recording of an access by lanes.
#[derive(Clone, Copy)]
pub(super) struct Recorded {
    /// The access, kept with the steps of its helpers.
    pub request: *const Request,
    /// The offset of the uniform value that keeps the address.
    pub address: u32,
    /// The code of the helpers.
    pub slow: Label,
}

impl Recorded {
    /// Records a row that is in bounds, and that begins at the host address in a register. Jumps to the helpers if its bytes are
    /// in several memories. Otherwise the register, that of the constants, and the fixed ones are as before.
    pub(super) fn record_row(&self, asm: &mut Asm, address: Register) {
        let kept = Arg::M(Mem::at(fixed::UNIFORM, self.address));
        asm.op(Code::Mov_rm64_r64, &[kept, address.into()]);
        asm.op(Code::Mov_r64_rm64, &[Register::RDX.into(), address.into()]);
        call(asm, record_row as Record as usize, self.request);
        self.is_recorded(asm);
        asm.op(Code::Mov_r64_rm64, &[address.into(), kept]);
    }

    /// Records lanes that are in bounds: those of a mask in a register, whose indices from a host address in a register on are at an
    /// offset in the vector file. Jumps to the helpers if their bytes are in several memories, or if they store to the same bytes. Otherwise the register
    /// of the constants and the fixed ones are as before.
    pub(super) fn record_lanes(&self, asm: &mut Asm, mask: Register, base: Register, indices: u32) {
        let indices = Mem::at(fixed::VECTOR, indices);
        asm.op(Code::Mov_r64_rm64, &[Register::RDX.into(), base.into()]);
        asm.op(Code::Lea_r64_m, &[Register::RCX.into(), indices.into()]);
        asm.op(Code::Mov_r64_rm64, &[Register::R8.into(), mask.into()]);
        call(asm, record_lanes as RecordLanes as usize, self.request);
        self.is_recorded(asm);
    }

    fn is_recorded(&self, asm: &mut Asm) {
        let eax = Register::EAX;
        asm.op(Code::Test_rm32_r32, &[eax.into(), eax.into()]);
        asm.jump(Code::Jne_rel32_64, self.slow);
        asm.use_constants();
    }
}

/// Records a load of the wave as a whole that has been made.
pub(super) fn record_load(asm: &mut Asm, request: *const Request) {
    asm.op(Code::Mov_r64_rm64, &[Register::RDX.into(), ADDRESS.into()]);
    call(asm, record_load_at as Record as usize, request);
}

/// A function that records an access at a host address.
type Record = unsafe extern "C" fn(*mut Ctx<'_, '_>, *const Request, u64) -> u32;

/// A function that records an access at indices from a host address on.
type RecordLanes =
    unsafe extern "C" fn(*mut Ctx<'_, '_>, *const Request, u64, *const i32, u64) -> u32;

/// Calls a function whose arguments after the context and the request are in their registers.
fn call(asm: &mut Asm, function: usize, request: *const Request) {
    let (rax, rdi) = (Register::RAX, Register::RDI);
    asm.op(Code::Mov_r64_rm64, &[rdi.into(), fixed::CTX.into()]);
    asm.set(Register::RSI, request.expose_provenance() as u64);
    // The callee may use SSE instructions, which are slow while upper halves are in use.
    asm.op(Code::VEX_Vzeroupper, &[]);
    asm.set(rax, function as u64);
    asm.op(Code::Call_rm64, &[rax.into()]);
}

/// Records an access of all lanes in a row. Returns 0 if that is done.
///
/// # Safety
/// The context is that of a live wave, and the request that of one of its accesses.
unsafe extern "C" fn record_row(
    ctx: *mut Ctx<'_, '_>,
    request: *const Request,
    address: u64,
) -> u32 {
    // SAFETY: by the caller's promise.
    let (ctx, request) = unsafe { (&*ctx, &*request) };
    // SAFETY: the recorder is used while the unit is there.
    let recorder = unsafe { Recorder::new(ctx.context.memory, request) };
    u32::from(!recorder.row(address, request.op.access.bytes()))
}

/// Records an access of lanes, each at the host address of index 0 plus its index. Returns 0 if that is done.
///
/// # Safety
/// As for [`record_row`]; the indices are those of 64 lanes, of which the active ones have been computed.
unsafe extern "C" fn record_lanes(
    ctx: *mut Ctx<'_, '_>,
    request: *const Request,
    base: u64,
    indices: *const i32,
    mask: u64,
) -> u32 {
    // SAFETY: by the caller's promise.
    let (ctx, request) = unsafe { (&*ctx, &*request) };
    // SAFETY: the recorder is used while the unit is there.
    let recorder = unsafe { Recorder::new(ctx.context.memory, request) };
    // SAFETY: by the caller's promise.
    let index = |lane: usize| i64::from(unsafe { indices.add(lane).read() });
    let start = |lane| base.wrapping_add_signed(index(lane));
    u32::from(!recorder.apart(mask, request.op.access.bytes(), start))
}

/// Records a load of the wave as a whole. Returns 0.
///
/// # Safety
/// As for [`record_row`].
unsafe extern "C" fn record_load_at(
    ctx: *mut Ctx<'_, '_>,
    request: *const Request,
    address: u64,
) -> u32 {
    // SAFETY: by the caller's promise.
    let (ctx, request) = unsafe { (&*ctx, &*request) };
    // SAFETY: the recorder is used while the unit is there.
    let recorder = unsafe { Recorder::new(ctx.context.memory, request) };
    recorder.whole(address, request.op.access.bytes());
    0
}
