//! The host's float environment.

/// Sets the default MXCSR (round to nearest, denormals kept, exceptions masked) and puts the old one back when dropped.
///
/// A thread inherits its creator's MXCSR: one made by a host built with fast-math flags would spoil every result.
pub struct DefaultFloatEnv {
    saved: u32,
}

/// MXCSR after a reset: all exceptions masked (Intel SDM volume 1, 10.2.3).
const DEFAULT: u32 = 0x1f80;

impl DefaultFloatEnv {
    /// Saves the thread's MXCSR and sets the default.
    pub fn enter() -> Self {
        let mut saved = 0u32;
        // SAFETY: stores MXCSR to a local. SSE is part of every x86-64.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut saved, options(nostack, preserves_flags));
        }
        set(DEFAULT);
        Self { saved }
    }
}

impl Drop for DefaultFloatEnv {
    fn drop(&mut self) {
        set(self.saved);
    }
}

fn set(mxcsr: u32) {
    // SAFETY: loads a valid MXCSR, the default or one that was read; reserved bits are zero. Rust code expects the
    // default, and `DefaultFloatEnv` is what provides it.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get() -> u32 {
        let env = DefaultFloatEnv::enter();
        env.saved
    }

    #[test]
    fn the_callers_environment_comes_back() {
        // Flush to zero, denormals are zero.
        let odd = DEFAULT | 1 << 15 | 1 << 6;
        let original = get();
        set(odd);
        {
            let _env = DefaultFloatEnv::enter();
            assert_eq!(get() & !0x3f, DEFAULT);
        }
        let back = get();
        set(original);
        assert_eq!(back, odd);
    }
}
