//! The arguments of a launch: buffers are filled before it, and written or printed after it.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use wavetank::object::{Arg as Param, ArgKind};
use wavetank::{Arg, Buffer, Device, SplitMix64};
use wavetank_quote::plain;

use super::element::Element;
use super::npy::{self, Layout};
use super::report::listing;
use super::spec::{Content, Source, Spec, is_npy};
use crate::exit::{Failure, Result, print};
use crate::whole;

/// The number of elements that are made at a time.
const CHUNK: u64 = 1 << 16;

/// The arguments of one launch.
pub(super) struct Arguments {
    values: Vec<Arg>,
    dynamic_lds: u32,
    after: Vec<After>,
}

/// The use of a buffer after the run.
enum After {
    Write(Buffer, PathBuf, Option<Layout>),
    /// The elements, with the length of a row of a picture.
    Print(Buffer, String, Element, Option<u64>),
}

impl Arguments {
    /// Makes the arguments of the specs on a device, for a kernel with these parameters; `None` if its parameters are not listed.
    pub(super) fn prepare(
        specs: &[OsString],
        device: &Device,
        params: Option<&[&Param]>,
    ) -> Result<Arguments> {
        let mut out = Arguments {
            values: Vec::new(),
            dynamic_lds: 0,
            after: Vec::new(),
        };
        for text in specs {
            let shown = plain(&text.to_string_lossy()).to_string();
            let wrong = |problem| Failure::usage(format!("--arg {shown}: {problem}"));
            let spec = Spec::parse(text).map_err(wrong)?;
            out.add(spec, device, params)?;
        }
        Ok(out)
    }

    fn add(&mut self, spec: Spec, device: &Device, params: Option<&[&Param]>) -> Result {
        let buffer = match spec {
            Spec::Scalar(value) => {
                self.values.push(value);
                return Ok(());
            }
            Spec::Lds(bytes) => {
                self.add_lds(bytes, params);
                return Ok(());
            }
            Spec::From(source) => filled(&source, device)?,
            Spec::Print(element, shape) => {
                let buffer = device.buffer_zeroed(element.size() * shape.count)?;
                let name = self.next_name(params);
                let printed = After::Print(buffer.clone(), name, element, shape.row);
                self.after.push(printed);
                buffer
            }
            Spec::Out(path, content) => {
                check_output(&path)?;
                let layout = match content {
                    Content::Elements(element, count) if is_npy(&path) => {
                        Some(Layout::list(&element.dtype(), count).map_err(Failure::Usage)?)
                    }
                    _ => None,
                };
                let buffer = device.buffer_zeroed(content.bytes())?;
                self.after.push(After::Write(buffer.clone(), path, layout));
                buffer
            }
            Spec::InOut(from, to) => {
                check_output(&to)?;
                let (buffer, layout) = read_input(device, &from)?;
                let layout = layout.filter(|_| is_npy(&to));
                if is_npy(&to) && layout.is_none() {
                    let problem = "a .npy file needs a type, and the input is raw bytes";
                    return Err(Failure::usage(problem).of(&to));
                }
                self.after.push(After::Write(buffer.clone(), to, layout));
                buffer
            }
        };
        self.values.push(buffer.into());
        Ok(())
    }

    /// Adds LDS. It is the argument of an LDS pointer (OpenCL), or of an unlisted parameter; otherwise it adds to the kernel's
    /// own LDS (HIP).
    fn add_lds(&mut self, bytes: u32, params: Option<&[&Param]>) {
        let next = params.map(|params| params.get(self.values.len()).map(|param| param.kind));
        match next {
            None | Some(Some(ArgKind::DynamicSharedPointer)) => self.values.push(Arg::Lds(bytes)),
            _ => self.dynamic_lds = self.dynamic_lds.saturating_add(bytes),
        }
    }

    /// Returns the name of the next argument.
    fn next_name(&self, params: Option<&[&Param]>) -> String {
        let at = self.values.len();
        let param = params.and_then(|params| params.get(at));
        let name = param.and_then(|param| param.name.clone());
        name.unwrap_or_else(|| format!("arg{at}"))
    }

    /// Gives the arguments a name, for use beside a kernel's arguments.
    pub(super) fn named(mut self, name: &str) -> Arguments {
        for after in &mut self.after {
            if let After::Print(_, shown, ..) = after {
                name.clone_into(shown);
            }
        }
        self
    }

    /// Returns the address of the only argument: that of a buffer, or 64 bits; 0 if there is none.
    pub(super) fn address(&self) -> Result<u64> {
        match self.values.as_slice() {
            [] => Ok(0),
            [Arg::Buffer(buffer)] => Ok(buffer.address()),
            [Arg::U64(address)] => Ok(*address),
            _ => Err(Failure::usage("an address is that of a buffer, or u64:N")),
        }
    }

    /// Returns the kernel's explicit arguments.
    pub(super) fn values(&self) -> Vec<Arg> {
        self.values.clone()
    }

    /// Returns the bytes of LDS in addition to the kernel's own.
    pub(super) fn dynamic_lds(&self) -> u32 {
        self.dynamic_lds
    }

    /// Writes and prints the results.
    pub(super) fn deliver(&self) -> Result {
        for after in &self.after {
            match after {
                After::Write(buffer, path, layout) => {
                    let data = buffer.read::<u8>()?;
                    let written = write_output(path, layout.as_ref(), &data);
                    written.map_err(|error| Failure::file("write", path, error))?;
                }
                After::Print(buffer, name, element, row) => {
                    print(&listing(name, *element, *row, &buffer.read::<u8>()?))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns a buffer with its contents.
pub(super) fn filled(source: &Source, device: &Device) -> Result<Buffer> {
    Ok(match *source {
        Source::In(ref path) => read_input(device, path)?.0,
        Source::Zero(bytes) => device.buffer_zeroed(bytes)?,
        Source::Iota(element, count) => fill(device, element, count, |index, out| {
            element.push_count(index, out);
        })?,
        Source::Rand(element, count, seed) => {
            let number =
                |index, out: &mut _| element.push_random(SplitMix64::output(seed, index), out);
            fill(device, element, count, number)?
        }
    })
}

fn read_input(device: &Device, path: &Path) -> Result<(Buffer, Option<Layout>)> {
    let bytes = crate::input::read_file(path)?;
    if !is_npy(path) {
        return Ok((device.buffer_from(&bytes)?, None));
    }
    let (layout, data) = npy::read(&bytes).map_err(|e| Failure::usage(e).of(path))?;
    Ok((device.buffer_from(data)?, Some(layout)))
}

/// Checks that a file can be written, as far as possible before the kernel has run.
fn check_output(path: &Path) -> Result {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if path.is_dir() {
        return Err(Failure::file("write", path, "it is a directory"));
    }
    if parent.is_dir() {
        Ok(())
    } else {
        Err(Failure::file("write", path, "there is no such directory"))
    }
}

fn write_output(path: &Path, layout: Option<&Layout>, data: &[u8]) -> std::io::Result<()> {
    whole::write_by(path, |file| match layout {
        Some(layout) => npy::write(file, layout, data),
        None => file.write_all(data),
    })
}

/// Returns a buffer whose elements are made by a function of their index.
fn fill(
    device: &Device,
    element: Element,
    count: u64,
    push: impl Fn(u64, &mut Vec<u8>),
) -> Result<Buffer> {
    let buffer = device.buffer_zeroed(element.size() * count)?;
    let mut bytes = Vec::new();
    for first in (0..count).step_by(CHUNK as usize) {
        bytes.clear();
        for index in first..count.min(first + CHUNK) {
            push(index, &mut bytes);
        }
        buffer.write_at(first * element.size(), &bytes)?;
    }
    Ok(buffer)
}
