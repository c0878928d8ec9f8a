//! Backtraces of the program, for the findings of checks.
//!
//! Capturing return addresses is cheap, and is done wherever a finding may follow. Symbolizing them is expensive, and is
//! done for findings that are reported.

use std::ffi::{CStr, c_void};
use std::path::Path;

use wavetank::object::Frame;

/// The number of captured frames, including those of this library and of the runtime above it.
const CAPTURED: usize = 64;
/// The number of reported functions.
const REPORTED: usize = 8;

/// Libraries that call this one for programs. A program calls only the outermost of their functions.
const RUNTIMES: [&str; 9] = [
    "libamdhip64",
    "libamdocl64",
    "libOpenCL",
    "libpocl",
    "libomptarget",
    "libomp",
    "libgomp",
    "libhiprtc",
    "libhsa-runtime64",
];

/// The return addresses of a thread, innermost first.
#[derive(Clone, Debug)]
pub(crate) struct Backtrace(Box<[usize]>);

/// A backtrace with the names of the functions.
#[derive(Default)]
pub(crate) struct Symbolized {
    /// The functions, innermost first.
    pub frames: Vec<Frame>,
    /// The innermost function of the program itself, and the address in it.
    pub own: Option<(u64, Frame)>,
    /// The function of a runtime that the program called, unless it called this library itself.
    pub entry: Option<String>,
}

/// A place in the program, or in a library that it has loaded.
struct Place {
    address: usize,
    /// The file, followed by its load address.
    file: String,
    base: usize,
}

impl Backtrace {
    /// The backtrace of the calling thread.
    pub(crate) fn capture() -> Backtrace {
        let mut all = Vec::with_capacity(CAPTURED);
        ::backtrace::trace(|frame| {
            all.push(frame.ip().expose_provenance());
            all.len() < CAPTURED
        });
        Backtrace(all.into())
    }

    /// The functions of the program, and those through which it called this library. Frames of this library and of the callers of
    /// `main` are left out.
    pub(crate) fn symbolize(&self) -> Symbolized {
        let mut named = Symbolized::default();
        for place in self.places() {
            let of_it = functions(&place);
            if named.own.is_none() && place.is_runtime() {
                named.entry = of_it.last().and_then(|frame| frame.function.clone());
            } else if named.own.is_none() {
                // Inline functions in headers of a runtime are not code of the program.
                let is_header = |frame: &&Frame| frame.file.contains("/include/");
                let own = of_it.iter().find(|frame| !is_header(frame));
                named.own = own.map(|frame| (place.address as u64, frame.clone()));
            }
            let main = of_it.iter().position(is_main);
            let last = main.map_or(of_it.len(), |main| main + 1);
            named.frames.extend(of_it.into_iter().take(last));
            if named.frames.len() >= REPORTED || main.is_some() {
                break;
            }
        }
        named.frames.truncate(REPORTED);
        named
    }

    /// The frames of the program, and those of the runtimes between it and this library, as addresses, innermost first.
    pub(crate) fn parts(&self) -> (Box<[usize]>, Box<[usize]>) {
        let own = own_base();
        let is_program = |address: &usize| {
            let place = place_of(*address);
            place.is_some_and(|place| Some(place.base) != own && !place.is_runtime())
        };
        let first = self.0.iter().position(is_program).unwrap_or(self.0.len());
        let (path, site) = self.0.split_at(first);
        (site.into(), path.into())
    }

    /// The frames without this library, and with only the outermost frame of each runtime.
    fn places(&self) -> Vec<Place> {
        let own = own_base();
        let places = self.0.iter().filter_map(|address| place_of(*address));
        let mut kept: Vec<Place> = Vec::new();
        for place in places.filter(|place| Some(place.base) != own) {
            match kept.last_mut() {
                Some(last) if last.base == place.base && place.is_runtime() => *last = place,
                _ => kept.push(place),
            }
        }
        kept
    }
}

impl Place {
    fn is_runtime(&self) -> bool {
        let name = Path::new(&self.file).file_name();
        let name = name.unwrap_or_default().to_string_lossy();
        RUNTIMES.iter().any(|runtime| name.starts_with(runtime))
    }
}

/// The base address of this library.
fn own_base() -> Option<usize> {
    let function: fn() -> Backtrace = Backtrace::capture;
    // The address of a function, while `place_of` takes return addresses.
    place_of(function as usize + 1).map(|place| place.base)
}

/// The file that contains a return address.
fn place_of(address: usize) -> Option<Place> {
    let mut about = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let call: *const c_void = std::ptr::without_provenance(address.saturating_sub(1));
    // SAFETY: the structure outlives the call, which takes any address.
    let found = unsafe { libc::dladdr(call, &raw mut about) } != 0;
    if !found || about.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a text of the loader, which exists as long as the loaded file.
    let file = unsafe { CStr::from_ptr(about.dli_fname) };
    Some(Place {
        address,
        file: file.to_string_lossy().into_owned(),
        base: about.dli_fbase.expose_provenance(),
    })
}

/// The function at a place, with the functions inlined there, innermost first.
fn functions(place: &Place) -> Vec<Frame> {
    let mut frames = Vec::new();
    let address = std::ptr::without_provenance_mut(place.address);
    ::backtrace::resolve(address, |symbol| {
        let name = symbol.name();
        let file = symbol.filename().map(|file| file.display().to_string());
        frames.push(Frame {
            function: name.and_then(|name| name.as_str().map(str::to_owned)),
            line: file.as_ref().and(symbol.lineno()),
            column: file.as_ref().and(symbol.colno()),
            file: file.unwrap_or_else(|| place.file.clone()),
        });
    });
    if frames.is_empty() {
        frames.push(Frame {
            function: None,
            file: place.file.clone(),
            line: None,
            column: None,
        });
    }
    frames
}

fn is_main(frame: &Frame) -> bool {
    frame.function.as_deref() == Some("main")
}
