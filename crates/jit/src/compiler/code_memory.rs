//! Memory for compiled code: two views of one memory file, one writable and the other executable.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;

use memmap2::{Mmap, MmapMut, MmapOptions};
use wavetank_memory::set_file_size;

/// The size of a piece of code memory in bytes.
const PIECE: usize = 1 << 20;

/// The alignment of code in bytes.
const ALIGNMENT: usize = 64;

/// Memory for the code of one program. Invariant: no mapping of it is writable and executable.
#[derive(Default)]
pub(super) struct CodeMemory {
    pieces: Vec<Piece>,
    /// Whether code is mapped without a file: perf looks up names only for such pages.
    pub apart: bool,
    alone: Vec<Mmap>,
}

struct Piece {
    writable: MmapMut,
    executable: Mmap,
    used: usize,
    /// The process that writes here. A forked child shares the file, so it continues with one of its own.
    owner: u32,
}

impl Piece {
    fn new(bytes: usize) -> io::Result<Piece> {
        let file = memory_file()?;
        set_file_size(&file, bytes as u64)?;
        // SAFETY: the file is used only here, so its length does not change.
        let (writable, executable) = unsafe {
            let options = || MmapOptions::new().len(bytes).to_owned();
            (options().map_mut(&file)?, options().map_exec(&file)?)
        };
        Ok(Piece {
            writable,
            executable,
            used: 0,
            owner: std::process::id(),
        })
    }
}

/// A file in memory that is freed with its last mapping.
fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a string that ends with a zero.
    let fd = unsafe { libc::memfd_create(c"wavetank code".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { File::from_raw_fd(fd) })
}

impl CodeMemory {
    /// Copies code to executable memory, which stays mapped as long as this lives.
    ///
    /// # Errors
    /// If the system provides no executable memory.
    pub(super) fn add(&mut self, code: &[u8]) -> io::Result<*const u8> {
        if self.apart {
            let mut pages = MmapMut::map_anon(code.len())?;
            pages.copy_from_slice(code);
            self.alone.push(pages.make_exec()?);
            return Ok(self.alone[self.alone.len() - 1].as_ptr());
        }
        let process = std::process::id();
        let fits = |piece: &Piece| {
            piece.owner == process && piece.used + code.len() <= piece.writable.len()
        };
        if !self.pieces.last().is_some_and(fits) {
            self.pieces.push(Piece::new(code.len().max(PIECE))?);
        }
        let piece = self.pieces.last_mut().expect("there is one now");
        let at = piece.used;
        piece.writable[at..at + code.len()].copy_from_slice(code);
        piece.used = (at + code.len()).next_multiple_of(ALIGNMENT);
        Ok(piece.executable[at..].as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_where_it_was_copied() {
        // mov eax, edi; inc eax; ret, by Intel's manual
        let code = [0x89, 0xf8, 0xff, 0xc0, 0xc3];
        let mut memory = CodeMemory::default();
        for n in 0..4 {
            memory.apart = n == 3;
            let at = memory.add(&code).unwrap();
            // SAFETY: the code is a function of the C convention.
            let function: extern "C" fn(u32) -> u32 = unsafe { std::mem::transmute(at) };
            assert_eq!(function(41 + n), 42 + n);
        }
    }

    #[test]
    fn no_mapping_is_writable_and_executable() {
        let mut memory = CodeMemory::default();
        memory.add(&[0xc3]).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let ours = maps.lines().filter(|line| line.contains("wavetank code"));
        assert!(ours.count() >= 2, "{maps}");
        memory.apart = true;
        memory.add(&[0xc3]).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let both: Vec<_> = maps.lines().filter(|line| line.contains("wx")).collect();
        assert!(both.is_empty(), "{both:?}");
    }
}
