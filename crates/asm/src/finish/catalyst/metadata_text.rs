//! The metadata text of an OpenCL kernel in a Catalyst binary, whose lines begin with a semicolon, and the header of that text.

use std::fmt::Write;

use wavetank_object::catalyst::PRODUCTS;

use super::facts::Facts;
use super::{PRINTF_ALWAYS, PRIVATE_IN_HEADER, STRUCTURES_ONLY};
use crate::session::program::{CatalystArgument as Argument, Kind, Pointer, Space};

/// Bytes of an argument's slot in its buffer.
const PLACE: u32 = 16;

/// A text of lines that is being built.
struct Lines(String);

impl Lines {
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, ";{text}");
    }
}

impl Facts {
    /// Returns the lines of the text.
    pub(super) fn text(&self) -> String {
        let mut lines = Lines(String::new());
        let name = &self.name;
        lines.add(format_args!("ARGSTART:__OpenCL_{name}_kernel"));
        lines.add(format_args!("version:3:1:111"));
        lines.add(format_args!("device:{}", PRODUCTS[self.product].name));
        lines.add(format_args!("uniqueid:{}", self.identity));
        lines.add(format_args!("memory:uavprivate:{}", self.uav_private()));
        lines.add(format_args!("memory:hwlocal:{}", self.local));
        let region = self.settings.region.unwrap_or(0);
        lines.add(format_args!("memory:hwregion:{region}"));
        if let Some([x, y, z]) = self.group {
            lines.add(format_args!("cws:{x}:{y}:{z}"));
        }
        self.add_arguments(&mut lines);
        if self.has_constants {
            lines.add(format_args!("memory:datareqd"));
        }
        lines.add(format_args!("function:1:{}", self.identity));
        self.add_samplers(&mut lines);
        if self.wide {
            lines.add(format_args!("memory:64bitABI"));
        }
        self.add_numbers(&mut lines);
        for (n, arg) in self.settings.args.iter().enumerate() {
            lines.add(format_args!("reflection:{n}:{}", arg.type_name));
        }
        lines.add(format_args!("ARGEND:__OpenCL_{name}_kernel"));
        lines.0
    }

    fn add_arguments(&self, lines: &mut Lines) {
        let args = self.settings.args.iter().zip(&self.resources);
        let mut offset = 0;
        for (n, (arg, number)) in args.enumerate() {
            lines.add(format_args!("{}", argument(arg, *number, offset)));
            offset += space(arg);
            if matches!(&arg.kind, Kind::Pointer(pointer) if pointer.constant) {
                lines.add(format_args!("constarg:{n}:{}", arg.name));
            }
        }
    }

    /// Adds the kernel's samplers, numbered after those of its arguments.
    fn add_samplers(&self, lines: &mut Lines) {
        let samplers = self.settings.args.iter();
        let samplers = samplers.filter(|arg| matches!(arg.kind, Kind::Sampler));
        let samplers: Vec<_> = samplers.collect();
        for (n, sampler) in self.settings.samplers.iter().enumerate() {
            let at = n + samplers.len();
            lines.add(format_args!("sampler:unknown_{sampler}:{at}:1:{sampler}"));
        }
        for (n, arg) in samplers.iter().enumerate() {
            lines.add(format_args!("sampler:{}:{n}:0:0", arg.name));
        }
    }

    /// Adds the numbers of buffers that are not arguments.
    fn add_numbers(&self, lines: &mut Lines) {
        let settings = &self.settings;
        let prints = self.driver >= PRINTF_ALWAYS || settings.prints;
        for (what, number) in [
            ("uavid", Some(settings.uav())),
            ("printfid", settings.printf.or(prints.then_some(9))),
            ("cbid", Some(self.constants_id())),
            ("privateid", Some(settings.private.unwrap_or(8))),
        ] {
            if let Some(number) = number {
                lines.add(format_args!("{what}:{number}"));
            }
        }
    }

    /// Returns the header, a few words for the driver.
    pub(super) fn header(&self) -> Vec<u8> {
        let private = self.uav_private();
        let first = if self.driver >= PRIVATE_IN_HEADER {
            private
        } else {
            0
        };
        let flags = u32::from(self.wide) << 3 | u32::from(self.settings.prints) << 1;
        let words = [first, 0, private, self.local, flags, 1, 0, 0];
        words.map(u32::to_le_bytes).concat()
    }

    /// Returns the number of the buffer of constants.
    pub(super) fn constants_id(&self) -> u32 {
        self.settings.constants.unwrap_or(10)
    }

    /// Returns the value of `memory:uavprivate`: the setting, or the room for structure arguments (older drivers count all arguments if
    /// one is a structure), and at least the size of scratch.
    fn uav_private(&self) -> u32 {
        let args = || self.settings.args.iter();
        let is_kept = |arg: &&Argument| matches!(arg.kind, Kind::Structure(_));
        let kept = |arg: &Argument| match arg.kind {
            Kind::Structure(size) if self.driver >= STRUCTURES_ONLY => size.next_multiple_of(16),
            Kind::Structure(_) | Kind::Pointer(_) => 32,
            _ if self.driver >= STRUCTURES_ONLY => 0,
            _ => 2 * space(arg),
        };
        let size = match args().any(|arg| is_kept(&arg)) {
            true if self.driver >= STRUCTURES_ONLY => args().filter(is_kept).map(kept).sum(),
            true => args().map(kept).sum(),
            false => 0,
        };
        self.settings.uav_private.unwrap_or(size.max(self.scratch))
    }

    /// Whether an argument is a buffer that the kernel uses.
    pub(super) fn is_used(&self, arg: &Argument) -> bool {
        arg.used && arg.is_buffer()
    }
}

/// Returns the line that describes an argument.
fn argument(arg: &Argument, number: u32, offset: u32) -> String {
    let name = &arg.name;
    match &arg.kind {
        Kind::Value(kind, _, count) => format!("value:{name}:{kind}:{count}:1:{offset}"),
        Kind::Structure(size) => format!("value:{name}:struct:{size}:1:{offset}"),
        Kind::Sampler => format!("value:{name}:u32:1:1:{offset}"),
        Kind::Counter => format!("counter:{name}:32:{number}:1:{offset}"),
        Kind::Image(kind, reads) => {
            let access = if *reads { "RO" } else { "WO" };
            format!("image:{name}:{kind}:{access}:{number}:1:{offset}")
        }
        Kind::Pointer(pointer) => {
            let Pointer { to, size, .. } = pointer;
            let (space, number) = match pointer.space {
                Space::Local => ("hl", 1),
                Space::Constant => ("c", number),
                Space::Global => ("uav", number),
            };
            let reads = pointer.constant || pointer.space == Space::Constant;
            let access = if reads { "RO" } else { "RW" };
            let [volatile, restricted] = [pointer.volatile, pointer.restricted].map(u8::from);
            let size = if *size == 0 { 4 } else { *size };
            format!(
                "pointer:{name}:{to}:1:1:{offset}:{space}:{number}:{size}:{access}:{volatile}:{restricted}"
            )
        }
    }
}

/// Returns the bytes that an argument takes in its buffer.
fn space(arg: &Argument) -> u32 {
    match &arg.kind {
        Kind::Value(_, size, count) => {
            let count = if *count == 3 { 4 } else { *count };
            (count * (*size).max(4)).next_multiple_of(PLACE)
        }
        Kind::Structure(size) => size.next_multiple_of(PLACE),
        Kind::Image(..) => 2 * PLACE,
        Kind::Pointer(_) | Kind::Sampler | Kind::Counter => PLACE,
    }
}
