//! The call stack of a wave, unwound from its registers and its stack.
//!
//! The frames of a wave's stack are not described. But `s_swappc_b64` calls functions with the return address in s[30:31] (LLVM's
//! "User Guide for AMDGPU Backend", "Non-Kernel Functions"). A function that calls others keeps it in two adjacent lanes of a
//! vector register, and the next function that uses that register saves all of its lanes on the stack. So two lanes that hold an
//! address right after a call are taken for a return address.

use wavetank_gcn::Operand;
use wavetank_ir::LANES;
use wavetank_memory::Wave;
use wavetank_translate::Code;

use crate::code::ModuleCode;

/// The first register of the return address: s[30:31].
const RETURN: u8 = 30;

/// The bytes of one dword of all lanes, which are adjacent in scratch.
const ROW: usize = 4 * LANES;

/// Returns the call by which a wave arrived at an address, if its return address and its target are still in registers.
pub(crate) fn call_to(code: &ModuleCode, wave: &Wave, to: u64) -> Option<u64> {
    let s = &wave.uniform().s;
    let pair = |n: usize| Some(u64::from(*s.get(n)?) | u64::from(*s.get(n + 1)?) << 32);
    let after = pair(RETURN.into()).filter(|after| code.follows_call(*after))?;
    let call = after - 4;
    let inst = code.inst(call).ok()?;
    let [Operand::Sgpr(RETURN), Operand::Sgpr(called), ..] = inst.operands else {
        return None;
    };
    // The call may have overwritten its target with its return address.
    let is_it = called == RETURN || pair(called.into()) == Some(to);
    is_it.then_some(call)
}

/// Returns the return addresses of a wave, the innermost first. `stack` is the used part of its scratch.
pub(crate) fn return_addresses(
    code: &ModuleCode,
    wave: &Wave,
    vgprs: usize,
    stack: &[u8],
) -> Vec<u64> {
    let address = |low: u32, high: u32| {
        let address = u64::from(low) | u64::from(high) << 32;
        code.follows_call(address).then_some(address)
    };
    let in_row = |row: &[u32; LANES]| -> Vec<u64> {
        let pairs = row.windows(2);
        pairs.filter_map(|pair| address(pair[0], pair[1])).collect()
    };
    let s = &wave.uniform().s;
    let registers = (0..vgprs).flat_map(|n| in_row(wave.vgpr(n)));
    let (rows, _) = stack.as_chunks::<ROW>();
    let frames = rows.iter().rev().flat_map(|row| {
        let (dwords, _) = row.as_chunks::<4>();
        in_row(&std::array::from_fn(|lane| {
            u32::from_le_bytes(dwords[lane])
        }))
    });
    let innermost = address(s[usize::from(RETURN)], s[usize::from(RETURN) + 1]);
    innermost
        .into_iter()
        .chain(registers)
        .chain(frames)
        .collect()
}
