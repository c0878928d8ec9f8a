//! Threads of the library inside somebody else's process.

use crate::abi::Status;
use crate::call::Result;

/// MXCSR as a new process has it: nearest-even, exceptions masked, denormals kept.
const MXCSR: u32 = 0x1f80;

/// Starts a detached thread: signals of the process are delivered to the program's own threads, and the float
/// environment is the default one whatever its creator has made of its own (`-ffast-math` hosts flush denormals).
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result {
    let builder = std::thread::Builder::new().name(name.to_owned());
    let blocked = BlockedSignals::new();
    let started = builder.spawn(move || {
        // SAFETY: loads a valid control word; nothing before it in this thread has computed with floats.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &MXCSR, options(nostack, readonly)) };
        body();
    });
    drop(blocked);
    started
        .map(drop)
        .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

/// Signals stay blocked in this thread, and in those it creates, while this lives.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // SAFETY: plain structures, which the calls fill.
        unsafe {
            let (mut all, mut old) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
            BlockedSignals(old)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores what was there.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}
