//! `launch FILE.wtc --export FOLDER`: a captured launch as a code object, arrays, and a script that launches it without the capture.
//!
//! The arguments of a launch are a list, but a kernel may find memory in other ways: by pointers in memory, in structures, in
//! variables of the device. So the exported launch is run before it is written, and has to give the same results.

use std::fs;
use std::path::Path;
use std::time::Duration;

use wavetank::capture::{Accesses, Capture, Replay, function_name};
use wavetank::object::{Arg as Param, ArgKind};
use wavetank::{Arg, Buffer, Device, Kernel};
use wavetank_quote::{plain, readable, some_of};

use super::element::Element;
use super::npy::{self, Layout};
use super::size;
use super::template::{element, quoted, types, wrapped};
use crate::exit::{Failure, Result, shown};
use crate::whole;

/// The most bytes of a buffer that is exported.
const MOST: u64 = 1 << 32;

/// An argument of the exported launch.
enum Value {
    /// A number or a structure, with its text.
    Number(Arg, String),
    Memory(Memory),
    Lds(u32),
}

/// Memory that an argument points to.
struct Memory {
    /// The device address in the capture.
    address: u64,
    /// The contents before and after the launch.
    before: Vec<u8>,
    after: Vec<u8>,
    is_written: bool,
    element: Element,
    name: String,
}

/// Writes a launch that has been repeated, with these accesses.
///
/// # Errors
/// A launch that cannot be written so, and a folder that cannot be written.
pub(super) fn export(
    replay: &Replay<'_>,
    accesses: &Accesses,
    folder: &Path,
    timeout: Option<Duration>,
) -> Result {
    let cannot = |why: String| Failure::usage(format!("the launch cannot be exported: {why}"));
    if replay.compare().is_none() {
        return Err(cannot("it did not end when it was captured".into()));
    }
    let values = Values::of(replay, accesses).map_err(cannot)?;
    values.try_out(replay, accesses, timeout).map_err(cannot)?;
    values.write(replay, folder)?;
    let others = values.others(replay, |start, end| accesses.written(start..end) > 0);
    if !others.is_empty() {
        let others = some_of(&others);
        eprintln!(
            "wavetank: the kernel also writes memory that no argument points to, which is not compared: {others}"
        );
    }
    Ok(())
}

/// The arguments of a launch.
struct Values(Vec<Value>);

impl Values {
    fn of(replay: &Replay<'_>, accesses: &Accesses) -> Result<Values, String> {
        let (kernel, launch) = (replay.kernel(), replay.capture().launch());
        if accesses.has_met() {
            return Err(
                "its work-groups wait for one another, which `launch` has no option for".into(),
            );
        }
        if launch.trap_handler.is_some() || kernel.info().unlisted_args.is_some() {
            return Err("it has a trap handler, or arguments that nothing lists".into());
        }
        let params = kernel.args();
        let size = kernel.info().kernarg_segment_size as usize;
        let block = replay.capture().before(launch.packet.kernarg, size);
        let types = types(kernel.name(), params.len());
        let pointers: Vec<u64> = params
            .iter()
            .filter_map(|param| pointer(param, &block))
            .collect();
        let mut out = Vec::new();
        for (n, param) in params.iter().enumerate() {
            let ty = param.type_name.as_deref();
            let ty = ty.or_else(|| types.as_ref().map(|types| types[n].as_str()));
            let ty = ty.unwrap_or_default();
            let bytes = bytes_of(param, &block);
            out.push(match param.kind {
                ArgKind::ByValue => number(ty, bytes),
                ArgKind::GlobalBuffer => match pointer(param, &block) {
                    None | Some(0) => number("ulong", bytes),
                    Some(address) => {
                        let name = format!("arg{n}");
                        memory(replay, accesses, (address, &pointers), pointee(ty), name)?
                    }
                },
                ArgKind::DynamicSharedPointer => Value::Lds(0),
                other => {
                    let kind = other.as_str();
                    return Err(format!(
                        "argument {n} is of the kind {kind}, which `launch` does not take"
                    ));
                }
            });
        }
        add_lds(&mut out, kernel, launch.packet.group_segment_size)?;
        Ok(Values(out))
    }

    /// Runs the exported launch, and compares the results.
    fn try_out(
        &self,
        replay: &Replay<'_>,
        accesses: &Accesses,
        timeout: Option<Duration>,
    ) -> Result<(), String> {
        let tried = self.run(replay, timeout);
        let results = tried.map_err(|error| format!("its line fails: {error}"));
        let different = results.and_then(|results| {
            let mut pairs = self.memories().zip(results);
            match pairs.find(|(memory, result)| memory.after != *result) {
                None => Ok(()),
                Some((memory, _)) => {
                    Err(format!("its line gives other results in {}", memory.name))
                }
            }
        });
        let others = self.others(replay, |start, end| accesses.is_accessed(start..end));
        match (different, others.is_empty()) {
            (Err(why), false) => Err(format!(
                "{why}; the kernel also accesses memory that no argument points to: {}",
                some_of(&others)
            )),
            (different, _) => different,
        }
    }

    /// The allocations that no argument points to, and of which the range is chosen.
    fn others(&self, replay: &Replay<'_>, chosen: impl Fn(u64, u64) -> bool) -> Vec<String> {
        let launch = replay.capture().launch();
        let packet = &launch.packet;
        let is_argument = |start: u64, end: u64| {
            let mut memories = self.memories();
            memories.any(|memory| start <= memory.address && memory.address < end)
        };
        let others = launch.allocations.iter().filter(|allocation| {
            let (start, end) = (allocation.address, allocation.end());
            let mut own = [packet.address, packet.kernarg, packet.queue].into_iter();
            let is_own = own.any(|address| (start..end).contains(&address));
            !is_own && !is_argument(start, end) && chosen(start, end)
        });
        others
            .map(|other| format!("{} at {:#x}", other.name, other.address))
            .collect()
    }

    /// Runs the launch on a device of its own; returns the results.
    fn run(
        &self,
        replay: &Replay<'_>,
        timeout: Option<Duration>,
    ) -> Result<Vec<Vec<u8>>, wavetank::Error> {
        let launch = replay.capture().launch();
        let of_replay = replay.kernel().module().device();
        let device = Device::builder(of_replay.chip())
            .threads(1)
            .schedule(of_replay.schedule());
        let device = device.build()?;
        let module = device.load(replay.capture().object())?;
        let kernel = module.kernel(&launch.kernel)?;
        let mut buffers: Vec<Buffer> = Vec::new();
        let mut lds = 0;
        let mut args = Vec::new();
        let params = kernel.args().len();
        for value in &self.0 {
            args.push(match value {
                Value::Number(arg, _) => arg.clone(),
                Value::Memory(memory) => {
                    let buffer = device.buffer_from(&memory.before)?;
                    buffers.push(buffer.clone());
                    buffer.into()
                }
                Value::Lds(bytes) if args.len() == params => {
                    lds = *bytes;
                    continue;
                }
                Value::Lds(bytes) => Arg::Lds(*bytes),
            });
        }
        let silent = |_, _: &str| {};
        let mut dispatch = kernel.dispatch().grid(launch.grid).block(launch.block);
        dispatch = dispatch.args(args).dynamic_lds(lds);
        if let Some(timeout) = timeout {
            dispatch = dispatch.timeout(timeout);
        }
        dispatch.print(&silent).run()?;
        buffers.iter().map(Buffer::read::<u8>).collect()
    }

    fn memories(&self) -> impl Iterator<Item = &Memory> {
        self.0.iter().filter_map(|value| match value {
            Value::Memory(memory) => Some(memory),
            _ => None,
        })
    }

    fn write(&self, replay: &Replay<'_>, folder: &Path) -> Result {
        let capture = replay.capture();
        let failed = |error| Failure::file("write", folder, error);
        fs::create_dir_all(folder).map_err(failed)?;
        let code = format!("{}.hsaco", function_name(&capture.launch().kernel));
        whole::write(&folder.join(&code), capture.object()).map_err(failed)?;
        for memory in self.memories() {
            let path = folder.join(format!("{}.npy", memory.name));
            memory.write(&path, &memory.before)?;
            if memory.is_written {
                let path = folder.join(format!("{}.expected.npy", memory.name));
                memory.write(&path, &memory.after)?;
            }
        }
        let script = folder.join("launch.sh");
        whole::write(&script, self.script(capture, &code)).map_err(failed)?;
        let shown = shown(&script);
        eprintln!(
            "wavetank: `sh {}` launches the kernel and compares what it writes",
            quoted(&shown)
        );
        Ok(())
    }

    /// The script with the line.
    fn script(&self, capture: &Capture, code: &str) -> String {
        let launch = capture.launch();
        let mut words = vec![
            format!("wavetank launch {code} {}", quoted(&launch.kernel)),
            format!("--gpu {} --threads 1", launch.chip),
        ];
        if launch.schedule != wavetank::Schedule::default().to_string() {
            words.push(format!("--schedule {}", quoted(&launch.schedule)));
        }
        words.push(format!("--grid {}", size::shown(launch.grid.into())));
        words.push(format!("--block {}", size::shown(launch.block.into())));
        words.extend(self.0.iter().map(|value| format!("--arg {}", value.spec())));
        let mut text = format!(
            "#!/bin/sh\n# {}\nset -e\ncd \"$(dirname \"$0\")\"\n{}",
            readable(&launch.kernel),
            wrapped(&words)
        );
        for Memory { name, .. } in self.memories().filter(|memory| memory.is_written) {
            text += &format!("cmp {name}.out.npy {name}.expected.npy\n");
        }
        text
    }
}

impl Value {
    fn spec(&self) -> String {
        match self {
            Value::Number(_, text) => text.clone(),
            Value::Memory(Memory {
                name,
                is_written: false,
                ..
            }) => format!("in:{name}.npy"),
            Value::Memory(Memory { name, .. }) => format!("inout:{name}.npy:{name}.out.npy"),
            Value::Lds(bytes) => format!("lds:{bytes}"),
        }
    }
}

impl Memory {
    fn write(&self, path: &Path, data: &[u8]) -> Result {
        let count = data.len() as u64 / self.element.size();
        let layout = Layout::list(&self.element.dtype(), count).map_err(Failure::Usage)?;
        let written = whole::write_by(path, |file| npy::write(file, &layout, data));
        written.map_err(|error| Failure::file("write", path, error))
    }
}

/// The bytes of a parameter.
fn bytes_of<'b>(param: &Param, block: &'b [u8]) -> &'b [u8] {
    let at = param.offset as usize;
    // The reader of metadata has checked that every argument lies within the block.
    &block[at..at + param.size as usize]
}

/// The pointer of a parameter that is one.
fn pointer(param: &Param, block: &[u8]) -> Option<u64> {
    let bytes = bytes_of(param, block).try_into().ok();
    bytes
        .filter(|_| param.kind == ArgKind::GlobalBuffer)
        .map(u64::from_le_bytes)
}

/// The type that a pointer of a C++ or OpenCL type points to.
fn pointee(ty: &str) -> Element {
    let pointee = ty.replace("const", "");
    let pointee = pointee.split_once('*').map_or("", |(first, _)| first);
    let name = element(pointee.trim()).map_or("u8", |(name, _)| name);
    Element::from_name(name).unwrap_or(Element::U8)
}

/// A number of a type, or a structure.
fn number(ty: &str, bytes: &[u8]) -> Value {
    let name = match (element(ty), bytes.len()) {
        (Some((name, size)), bytes) if size as usize == bytes => Some(name),
        (None, 1) => Some("u8"),
        (None, 2) => Some("u16"),
        (None, 4) => Some("u32"),
        (None, 8) => Some("u64"),
        _ => None,
    };
    let element = name.and_then(Element::from_name);
    if let Some(element) = element {
        let text = element.show(bytes).join("");
        // A NaN has more bits than its text.
        let arg = element.argument(&text).ok();
        if let Some(arg) = arg.filter(|_| !text.eq_ignore_ascii_case("nan")) {
            return Value::Number(arg, format!("{}:{text}", element.name()));
        }
    }
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Value::Number(
        Arg::Bytes(bytes.to_vec()),
        format!("bytes:{}", digits.collect::<String>()),
    )
}

/// The memory from a pointer to the end of its allocation, or to the next pointer.
fn memory(
    replay: &Replay<'_>,
    accesses: &Accesses,
    (address, pointers): (u64, &[u64]),
    element: Element,
    name: String,
) -> Result<Value, String> {
    let launch = replay.capture().launch();
    let mut allocations = launch.allocations.iter();
    let Some(allocation) = allocations.find(|a| (a.address..a.end()).contains(&address)) else {
        // It is not followed, or the exported launch fails as well.
        return Ok(number("ulong", &address.to_le_bytes()));
    };
    let next = pointers
        .iter()
        .filter(|next| (address + 1..allocation.end()).contains(*next));
    let end = next.min().copied().unwrap_or(allocation.end());
    let bytes = end - address;
    if bytes > MOST {
        return Err(format!("{name} has {bytes} bytes, of at most {MOST}"));
    }
    let mut after = vec![0; bytes as usize];
    let registry = replay.kernel().module().device().registry();
    let there = registry.read(address, &mut after);
    there.map_err(|error| plain(&error.to_string()).to_string())?;
    let is_whole = bytes.is_multiple_of(element.size());
    Ok(Value::Memory(Memory {
        address,
        before: replay.capture().before(address, bytes as usize),
        after,
        is_written: accesses.written(address..end) > 0,
        element: if is_whole { element } else { Element::U8 },
        name,
    }))
}

/// Adds the LDS beyond the kernel's own.
fn add_lds(values: &mut Vec<Value>, kernel: &Kernel, bytes: u32) -> Result<(), String> {
    let fixed = kernel.info().descriptor.group_segment_fixed_size;
    let dynamic = bytes.saturating_sub(fixed);
    let is_pointer = |value: &&mut Value| matches!(value, Value::Lds(_));
    let mut pointers: Vec<_> = values.iter_mut().filter(is_pointer).collect();
    match pointers.as_mut_slice() {
        [] if dynamic > 0 => values.push(Value::Lds(dynamic)),
        [] => {}
        [pointer] => **pointer = Value::Lds(dynamic),
        _ => return Err("it has several pointers to LDS, whose sizes are not known".into()),
    }
    Ok(())
}
