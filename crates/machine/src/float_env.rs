//! The float environment of the host's threads.

/// Sets the default float environment (round to nearest, denormals kept, exceptions masked) and restores the old one when
/// dropped.
///
/// A thread inherits its creator's environment: that of a host built with fast-math flags would spoil every result. On hosts
/// other than x86-64 and AArch64, the environment is assumed to be the default.
pub struct DefaultFloatEnv {
    saved: Word,
}

impl DefaultFloatEnv {
    /// Saves the thread's float environment and sets the default.
    pub fn enter() -> Self {
        let saved = get();
        set(DEFAULT);
        Self { saved }
    }
}

impl Drop for DefaultFloatEnv {
    fn drop(&mut self) {
        set(self.saved);
    }
}

use host::{DEFAULT, Word, get, set};

/// The environment in MXCSR of x86-64.
#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::asm;

    pub(super) type Word = u32;

    /// The value after a reset: all exceptions masked (Intel SDM volume 1, 10.2.3).
    pub(super) const DEFAULT: Word = 0x1f80;

    pub(super) fn get() -> Word {
        let mut word = 0;
        // SAFETY: stores MXCSR to a local. SSE is part of every x86-64.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn set(word: Word) {
        // SAFETY: loads a valid MXCSR, the default or one that was read; reserved bits are zero. Rust code requires the default,
        // which `DefaultFloatEnv` provides.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

/// The environment in FPCR of AArch64.
#[cfg(target_arch = "aarch64")]
mod host {
    use std::arch::asm;

    pub type Word = u64;

    /// Round to nearest, no flushing, NaNs propagate, no traps (Arm ARM, "FPCR, Floating-point Control Register").
    pub const DEFAULT: Word = 0;

    pub fn get() -> Word {
        let word;
        // SAFETY: reads a register that every program may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    pub fn set(word: Word) {
        // SAFETY: writes the default or a value that was read. Rust code requires the default, which `DefaultFloatEnv` provides.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

/// A host whose register is unknown.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod host {
    pub type Word = ();
    pub const DEFAULT: Word = ();
    pub fn get() -> Word {}
    pub fn set((): Word) {}
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    /// The bits that flush denormal results and operands.
    #[cfg(target_arch = "x86_64")]
    const FLUSHES: Word = 1 << 15 | 1 << 6;
    #[cfg(target_arch = "aarch64")]
    const FLUSHES: Word = 1 << 24;

    /// The flags of exceptions that have occurred.
    #[cfg(target_arch = "x86_64")]
    const FLAGS: Word = 0x3f;
    #[cfg(target_arch = "aarch64")]
    const FLAGS: Word = 0;

    #[test]
    fn the_callers_environment_comes_back() {
        let odd = DEFAULT | FLUSHES;
        let original = get();
        set(odd);
        {
            let _env = DefaultFloatEnv::enter();
            assert_eq!(get() & !FLAGS, DEFAULT);
        }
        let back = get();
        set(original);
        assert_eq!(back, odd);
    }
}
