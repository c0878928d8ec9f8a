//! The program's own memory: its mappings, and copies that fail without a signal if nothing is mapped.

use std::fs::File;
use std::os::fd::AsRawFd;

/// The access to memory that a copy makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    /// The verb for it in a sentence about a copy.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Access::Read => "it reads",
            Access::Write => "it writes",
        }
    }
}

/// The properties of a range of the program's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    /// Whether all of it is writable.
    pub writable: bool,
    /// Whether some of it belongs to a file, which may be shorter than its mapping.
    pub of_file: bool,
}

/// The extent of a copy by the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Copied {
    All,
    /// The system does not support such copies here.
    Nothing,
}

/// One mapping of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mapping {
    end: u64,
    readable: bool,
    writable: bool,
    of_file: bool,
}

/// The properties of a range that is to be read or written. If the system does not list mappings, the access is assumed to be
/// allowed. The error is a sentence without a subject.
pub(super) fn pages(address: u64, bytes: u64, access: Access) -> Result<Pages, String> {
    let mut pages = Pages {
        writable: true,
        of_file: false,
    };
    let end = address.checked_add(bytes);
    let end =
        end.ok_or_else(|| format!("{bytes} bytes at {address:#x} are past the last address"))?;
    let Ok(maps) = Maps::open() else {
        return Ok(pages);
    };
    let mut at = address;
    while at < end {
        let mapping = maps.at(at).or_else(|| grown_stack(at));
        let refused = |why: &str| format!("{} at {at:#x}, which {why}", access.verb());
        match mapping {
            None => return Err(refused("is mapped to nothing")),
            Some(m) if !m.readable => {
                return Err(refused("the program has protected from all access"));
            }
            Some(m) if access == Access::Write && !m.writable => {
                return Err(refused("is read-only memory of the program"));
            }
            Some(m) => {
                pages.writable &= m.writable;
                pages.of_file |= m.of_file;
                at = m.end;
            }
        }
    }
    Ok(pages)
}

/// The mapping of the first thread's stack after it has grown down to an address, if it may: the unused part of a stack is not
/// mapped yet.
fn grown_stack(address: u64) -> Option<Mapping> {
    /// The maximum size if the system sets no limit.
    const MAX: u64 = 1 << 30;
    let text = std::fs::read_to_string("/proc/self/maps").ok()?;
    let stack = text.lines().find(|line| line.ends_with("[stack]"));
    let (start, stack) = parse(stack?)?;
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure outlives the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
    let lowest = stack.end.saturating_sub(limit.rlim_cur.min(MAX));
    (known && (lowest..start).contains(&address)).then_some(stack)
}

/// Copies bytes that do not overlap by a system call. The error is a sentence without a subject.
pub(super) fn copy(to: u64, from: u64, bytes: u64) -> Result<Copied, String> {
    let part = |start: u64, done: u64| libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut((start + done) as usize),
        iov_len: (bytes - done) as usize,
    };
    let mut done = 0;
    while done < bytes {
        let (target, source) = (part(to, done), part(from, done));
        // SAFETY: the system checks both ranges, and writes only to the target, which the program has passed for that.
        let copied = unsafe {
            libc::process_vm_readv(
                libc::getpid(),
                &raw const target,
                1,
                &raw const source,
                1,
                0,
            )
        };
        match copied {
            1.. => done += copied as u64,
            _ if done == 0 && !is_fault() => return Ok(Copied::Nothing),
            _ => return explain(to + done, from + done, bytes - done),
        }
    }
    Ok(Copied::All)
}

/// Whether the last system call failed because of an address.
fn is_fault() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// The reason for a failed copy. The system call does not grow the stack, which is not an error.
fn explain(to: u64, from: u64, bytes: u64) -> Result<Copied, String> {
    let source = pages(from, bytes, Access::Read)?;
    let target = pages(to, bytes, Access::Write)?;
    if source.of_file || target.of_file {
        Err(format!(
            "{bytes} bytes from {from:#x} to {to:#x} include a page that is mapped after the end of its file"
        ))
    } else {
        Ok(Copied::Nothing)
    }
}

/// The mappings of this process.
enum Maps {
    /// The file, on a system that can be queried for one mapping.
    Queried(File),
    /// All mappings, by address.
    Read(Vec<(u64, Mapping)>),
}

impl Maps {
    fn open() -> std::io::Result<Maps> {
        let file = File::open("/proc/self/maps")?;
        if ask(&file, 0).is_ok() {
            return Ok(Maps::Queried(file));
        }
        let text = std::fs::read_to_string("/proc/self/maps")?;
        Ok(Maps::Read(text.lines().filter_map(parse).collect()))
    }

    /// The mapping that contains an address.
    fn at(&self, address: u64) -> Option<Mapping> {
        match self {
            Maps::Queried(file) => ask(file, address).ok()?,
            Maps::Read(all) => {
                let n = all.partition_point(|(start, _)| *start <= address);
                let (_, mapping) = all.get(n.checked_sub(1)?)?;
                (address < mapping.end).then_some(*mapping)
            }
        }
    }
}

/// `struct procmap_query` of Linux 6.11.
#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    flags: u64,
    address: u64,
    start: u64,
    end: u64,
    vma_flags: u64,
    page_size: u64,
    offset: u64,
    inode: u64,
    device: [u32; 2],
    sizes: [u32; 2],
    addresses: [u64; 2],
}

/// Queries the mapping that contains an address.
fn ask(file: &File, address: u64) -> std::io::Result<Option<Mapping>> {
    /// The number of the ioctl `PROCMAP_QUERY`.
    const REQUEST: libc::c_ulong = 0xC068_6611;
    const _: () = assert!(std::mem::size_of::<Query>() == 0x68);
    let mut query = Query {
        size: std::mem::size_of::<Query>() as u64,
        address,
        ..Query::default()
    };
    // SAFETY: the structure has its stated size, and outlives the call.
    if unsafe { libc::ioctl(file.as_raw_fd(), REQUEST, &raw mut query) } != 0 {
        let error = std::io::Error::last_os_error();
        return match error.raw_os_error() {
            Some(libc::ENOENT) => Ok(None),
            _ => Err(error),
        };
    }
    Ok(Some(Mapping {
        end: query.end,
        readable: query.vma_flags & 1 != 0,
        writable: query.vma_flags & 2 != 0,
        of_file: query.inode != 0,
    }))
}

/// Parses a line of `/proc/self/maps`: the start of a mapping, and its properties.
fn parse(line: &str) -> Option<(u64, Mapping)> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let rights = words.next()?.as_bytes();
    let inode = words.nth(2)?;
    let mapping = Mapping {
        end: u64::from_str_radix(end, 16).ok()?,
        readable: rights.first() == Some(&b'r'),
        writable: rights.get(1) == Some(&b'w'),
        of_file: inode != "0",
    };
    Some((u64::from_str_radix(start, 16).ok()?, mapping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_give_the_requested_bytes() {
        let text = std::fs::read_to_string("/proc/self/maps").expect("Linux has it");
        let all = Maps::Read(text.lines().filter_map(parse).collect());
        let queried = Maps::open().expect("Linux has it");
        let code = reads_give_the_requested_bytes as fn() as usize as u64;
        let constant = c"constant".as_ptr().expose_provenance() as u64;
        for address in [0, code, constant, u64::MAX - 1] {
            assert_eq!(all.at(address), queried.at(address), "{address:#x}");
        }
        assert!(
            all.at(code)
                .is_some_and(|m| m.readable && !m.writable && m.of_file)
        );
        assert!(pages(code, 1, Access::Read).is_ok());
        let error = pages(code, 1, Access::Write).expect_err("code is read-only");
        assert!(error.contains("read-only"), "{error}");
        assert!(pages(0, 1, Access::Read).is_err());
    }

    #[test]
    fn copies_of_the_system() {
        let from: Vec<u8> = (0..10_000u32).map(|n| n as u8).collect();
        let mut to = vec![0u8; from.len()];
        let [source, target] =
            [from.as_ptr(), to.as_mut_ptr()].map(|p| p.expose_provenance() as u64);
        if copy(target, source, 10_000) == Ok(Copied::All) {
            assert!(from == to);
            let error = copy(target, 64, 8).expect_err("nothing is there");
            assert!(
                error.contains("0x40, which is mapped to nothing"),
                "{error}"
            );
        }
    }
}
