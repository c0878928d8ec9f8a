//! Mappings of zeroed pages: of the host's system, or, where it has none (WebAssembly), of its allocator.

#[cfg(unix)]
pub(super) use unix::Pages;

#[cfg(not(unix))]
pub(super) use allocated::Pages;

/// The size and alignment of a page.
pub(super) const PAGE: u64 = 4096;

/// Which pages the host's system had better take; it may do otherwise.
#[derive(Clone, Copy)]
pub(super) enum Wish {
    /// Huge ones.
    Huge,
    /// Pages of the usual size.
    Small,
}

#[cfg(unix)]
mod unix {
    use memmap2::{MmapOptions, MmapRaw};

    use crate::registry::pages::Wish;

    /// A mapping.
    #[derive(Debug)]
    pub struct Pages(MmapRaw);

    impl Pages {
        /// Zeroed pages: whole ones, at least `bytes`.
        pub fn map(bytes: u64) -> Result<Self, String> {
            let length = usize::try_from(bytes).map_err(|_| "the size is too large".to_owned())?;
            let map = MmapOptions::new().len(length).map_anon();
            map.map(|map| Pages(map.into())).map_err(|e| e.to_string())
        }

        /// The address of the first byte.
        pub fn start(&self) -> u64 {
            self.0.as_mut_ptr().expose_provenance() as u64
        }

        /// Bytes.
        pub fn length(&self) -> u64 {
            self.0.len() as u64
        }

        /// Says which pages it had better be made of. Miri does not know the call, and not every system has it.
        pub fn wish(&self, wish: Wish) {
            #[cfg(all(target_os = "linux", not(miri)))]
            {
                use memmap2::Advice;
                let _ = self.0.advise(match wish {
                    Wish::Huge => Advice::HugePage,
                    Wish::Small => Advice::NoHugePage,
                });
            }
            let _ = wish;
        }

        /// Gives whole pages back: they read zeros from now on. Says whether that could be done.
        ///
        /// # Safety
        /// Nobody has a reference to them.
        pub unsafe fn discard(&self, at: u64, bytes: u64) -> bool {
            #[cfg(all(target_os = "linux", not(miri)))]
            {
                use memmap2::UncheckedAdvice::DontNeed;
                // SAFETY: by the caller's promise.
                let done = unsafe {
                    self.0
                        .unchecked_advise_range(DontNeed, at as usize, bytes as usize)
                };
                return done.is_ok();
            }
            #[allow(unreachable_code)]
            {
                let _ = (at, bytes);
                false
            }
        }
    }
}

#[cfg(not(unix))]
mod allocated {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use crate::registry::pages::{PAGE, Wish};

    /// Memory of the allocator.
    #[derive(Debug)]
    pub struct Pages {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: guests and host reach the bytes by atomics alone.
    unsafe impl Send for Pages {}
    // SAFETY: as before.
    unsafe impl Sync for Pages {}

    impl Pages {
        /// Zeroed memory, at a multiple of a page.
        pub fn map(bytes: u64) -> Result<Self, String> {
            let too_large = |_| "the size is too large".to_owned();
            let length = usize::try_from(bytes).map_err(|_| "the size is too large".to_owned())?;
            let layout = Layout::from_size_align(length, PAGE as usize).map_err(too_large)?;
            // SAFETY: the size is not 0: a piece has a guard.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) });
            let start = start.ok_or_else(|| "the host has no memory left".to_owned())?;
            Ok(Pages { start, layout })
        }

        /// The address of the first byte.
        pub fn start(&self) -> u64 {
            self.start.as_ptr().expose_provenance() as u64
        }

        /// Bytes.
        pub fn length(&self) -> u64 {
            self.layout.size() as u64
        }

        /// There is no choice.
        pub fn wish(&self, _: Wish) {}

        /// Nothing can be given back in part.
        ///
        /// # Safety
        /// None is needed.
        pub unsafe fn discard(&self, _: u64, _: u64) -> bool {
            false
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: allocated with this layout, and freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}
