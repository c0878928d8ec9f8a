//! Mappings of zeroed pages, from the host's system, or from the allocator on a host without mappings (WebAssembly).

#[cfg(unix)]
pub(super) use unix::Pages;

#[cfg(not(unix))]
pub(super) use allocated::Pages;

/// The size and alignment of a page.
pub(super) const PAGE: u64 = 4096;

/// The preferred page size, a hint to the host's system.
#[derive(Clone, Copy)]
pub(super) enum PageSizeAdvice {
    /// Huge pages, 2 MiB on most hosts.
    Huge,
    /// Pages of the usual size.
    Small,
}

#[cfg(unix)]
mod unix {
    use memmap2::{MmapOptions, MmapRaw};

    use crate::registry::host_mapping::{PageSizeAdvice, placed::Placed};

    /// A mapping of the host's system.
    #[derive(Debug)]
    pub(crate) enum Pages {
        /// At an address that the system has chosen.
        Anywhere(MmapRaw),
        /// At a requested address.
        Placed(Placed),
    }

    impl Pages {
        /// Maps zeroed pages of at least `bytes` bytes.
        pub(crate) fn map(bytes: u64) -> Result<Self, String> {
            let length = usize::try_from(bytes).map_err(|_| "the size is too large".to_owned())?;
            let map = MmapOptions::new().len(length).map_anon();
            map.map(|map| Pages::Anywhere(map.into()))
                .map_err(|e| e.to_string())
        }

        /// Maps zeroed pages at an address, or none if any of these addresses is in use.
        pub(crate) fn map_at(start: u64, bytes: u64) -> Result<Self, String> {
            Placed::map(start, bytes).map(Pages::Placed)
        }

        /// Returns the address of the first byte.
        pub(crate) fn start(&self) -> u64 {
            match self {
                Pages::Anywhere(map) => map.as_mut_ptr().expose_provenance() as u64,
                Pages::Placed(map) => map.start(),
            }
        }

        /// Returns the length in bytes.
        pub(crate) fn length(&self) -> u64 {
            match self {
                Pages::Anywhere(map) => map.len() as u64,
                Pages::Placed(map) => map.length(),
            }
        }

        /// Advises the system of the preferred page size. Miri does not support the call, nor does every system.
        pub(crate) fn advise_page_size(&self, advice: PageSizeAdvice) {
            #[cfg(all(target_os = "linux", not(miri)))]
            {
                use memmap2::Advice;
                if let Pages::Anywhere(map) = self {
                    let _ = map.advise(match advice {
                        PageSizeAdvice::Huge => Advice::HugePage,
                        PageSizeAdvice::Small => Advice::NoHugePage,
                    });
                }
            }
            let _ = advice;
        }

        /// Gives whole pages back to the host: they read zeros from now on. Returns whether that was possible.
        ///
        /// # Safety
        /// No references to them exist.
        pub(crate) unsafe fn discard(&self, at: u64, bytes: u64) -> bool {
            #[cfg(all(target_os = "linux", not(miri)))]
            {
                use memmap2::UncheckedAdvice::DontNeed;
                if let Pages::Anywhere(map) = self {
                    // SAFETY: by the caller's promise.
                    let done = unsafe {
                        map.unchecked_advise_range(DontNeed, at as usize, bytes as usize)
                    };
                    return done.is_ok();
                }
            }
            #[allow(unreachable_code)]
            {
                let _ = (at, bytes);
                false
            }
        }
    }
}

/// Mappings at requested addresses, which `memmap2` does not make.
#[cfg(unix)]
mod placed {
    /// A mapping at a requested address.
    #[derive(Debug)]
    pub(crate) struct Placed {
        start: u64,
        length: u64,
    }

    impl Placed {
        /// Maps zeroed pages at an address.
        pub(super) fn map(start: u64, bytes: u64) -> Result<Placed, String> {
            let at = std::ptr::with_exposed_provenance_mut(start as usize);
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: the address is a hint: the system replaces no mapping.
            let mapped = unsafe { libc::mmap(at, bytes as usize, rights, flags, -1, 0) };
            if mapped == libc::MAP_FAILED {
                return Err(std::io::Error::last_os_error().to_string());
            }
            let map = Placed {
                start: mapped.expose_provenance() as u64,
                length: bytes,
            };
            if map.start == start {
                Ok(map)
            } else {
                Err("these addresses are in use".to_owned())
            }
        }

        pub(super) fn start(&self) -> u64 {
            self.start
        }

        pub(super) fn length(&self) -> u64 {
            self.length
        }
    }

    impl Drop for Placed {
        fn drop(&mut self) {
            let at = std::ptr::with_exposed_provenance_mut(self.start as usize);
            // SAFETY: a mapping of this value, to which no references exist.
            unsafe { libc::munmap(at, self.length as usize) };
        }
    }
}

#[cfg(not(unix))]
mod allocated {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use crate::registry::host_mapping::{PAGE, PageSizeAdvice};

    /// A mapping that is memory of the allocator.
    #[derive(Debug)]
    pub(crate) struct Pages {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: guests and host access the bytes by atomics only.
    unsafe impl Send for Pages {}
    // SAFETY: guests and host access the bytes by atomics only.
    unsafe impl Sync for Pages {}

    impl Pages {
        /// Allocates zeroed memory, at a multiple of a page.
        pub(crate) fn map(bytes: u64) -> Result<Self, String> {
            let too_large = |_| "the size is too large".to_owned();
            let length = usize::try_from(bytes).map_err(|_| "the size is too large".to_owned())?;
            let layout = Layout::from_size_align(length, PAGE as usize).map_err(too_large)?;
            // SAFETY: the size is not 0: a piece has a guard.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) });
            let start = start.ok_or_else(|| "the host has no memory left".to_owned())?;
            Ok(Pages { start, layout })
        }

        /// Always fails: an allocator chooses the addresses.
        pub(crate) fn map_at(_: u64, _: u64) -> Result<Self, String> {
            Err("this host has no memory at chosen addresses".to_owned())
        }

        /// Returns the address of the first byte.
        pub(crate) fn start(&self) -> u64 {
            self.start.as_ptr().expose_provenance() as u64
        }

        /// Returns the length in bytes.
        pub(crate) fn length(&self) -> u64 {
            self.layout.size() as u64
        }

        /// Without effect: the allocator has no page sizes.
        pub(crate) fn advise_page_size(&self, _: PageSizeAdvice) {}

        /// Always fails: an allocator cannot free a part of an allocation.
        ///
        /// # Safety
        /// No condition: only the signature requires `unsafe`.
        pub(crate) unsafe fn discard(&self, _: u64, _: u64) -> bool {
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
