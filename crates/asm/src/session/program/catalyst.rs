//! Settings and arguments of kernels in programs for AMD's Catalyst (OpenCL 1.2).

use wavetank_object::catalyst::Program;

use crate::state::SectionId;

/// The highest number of a buffer.
pub(crate) const MOST_BUFFERS: u32 = 1023;

/// The settings in a kernel's `.config` that other formats do not have.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub args: Vec<Argument>,
    pub uav: Option<u32>,
    pub constants: Option<u32>,
    pub printf: Option<u32>,
    pub private: Option<u32>,
    pub uav_private: Option<u32>,
    pub region: Option<u32>,
    pub cond_out: Option<u32>,
    pub early_exit: Option<u32>,
    pub uses_constants: bool,
    pub prints: bool,
    pub samplers: Vec<u32>,
    /// Values for user SGPRs: class, slot, first register, number of registers.
    pub user: Vec<[u32; 4]>,
}

impl Settings {
    pub(crate) fn uav(&self) -> u32 {
        self.uav.unwrap_or(11)
    }
}

/// A program whose code waits for addresses of labels.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub program: Program,
    /// The sections with the kernels' code.
    pub sections: Vec<SectionId>,
}

/// An argument of a kernel.
#[derive(Debug)]
pub(crate) struct Argument {
    pub name: String,
    /// The name of the argument's type in the source.
    pub type_name: String,
    pub kind: Kind,
    /// The number of the argument's buffer, image or counter, if the source gives one.
    pub resource: Option<u32>,
    pub used: bool,
}

/// The kind of an argument.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A scalar or vector: type name, size in bytes, element count.
    Value(&'static str, u32, u32),
    /// A structure of this size in bytes.
    Structure(u32),
    Pointer(Pointer),
    /// An image: the name of its type, and whether it is read.
    Image(&'static str, bool),
    Sampler,
    Counter,
}

/// A pointer among the arguments.
#[derive(Debug)]
pub(crate) struct Pointer {
    /// The name of the type pointed to, and its size in bytes; for structures it may be 0.
    pub to: &'static str,
    pub size: u32,
    pub space: Space,
    pub constant: bool,
    pub restricted: bool,
    pub volatile: bool,
}

/// The address space of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    Local,
    Constant,
    Global,
}

impl Argument {
    /// Whether the argument points to LDS.
    pub(crate) fn is_local(&self) -> bool {
        self.space() == Some(Space::Local)
    }

    /// Returns the address space, if the argument is a pointer.
    pub(crate) fn space(&self) -> Option<Space> {
        match &self.kind {
            Kind::Pointer(pointer) => Some(pointer.space),
            _ => None,
        }
    }

    /// Whether the argument is a buffer in memory.
    pub(crate) fn is_buffer(&self) -> bool {
        self.space().is_some_and(|space| space != Space::Local)
    }
}

/// Arguments that share a range of numbers: the test for them, and the first and last number.
type Group = (fn(&Argument) -> bool, u32, u32);

impl Settings {
    /// Returns the numbers of buffers, images and counters by argument: the given ones, and the next free ones for the others.
    ///
    /// # Errors
    /// A sentence if a number is used twice, or no number is left.
    pub(crate) fn numbers(&self) -> Result<Vec<u32>, String> {
        let mut numbers = vec![0; self.args.len()];
        let groups: [Group; 4] = [
            (Argument::is_buffer, self.uav() + 1, MOST_BUFFERS),
            (|arg| matches!(arg.kind, Kind::Image(_, true)), 0, 127),
            (|arg| matches!(arg.kind, Kind::Image(_, false)), 0, 7),
            (|arg| matches!(arg.kind, Kind::Counter), 0, 7),
        ];
        for (belongs, first, most) in groups {
            let mine = || self.args.iter().filter(|arg| belongs(arg));
            let assigned: Vec<u32> = mine().filter_map(|arg| arg.resource).collect();
            let mut free = (first..=most).filter(|id| !assigned.contains(id));
            for (arg, number) in self.args.iter().zip(&mut numbers) {
                let name = &arg.name;
                *number = match arg.resource {
                    _ if !belongs(arg) => continue,
                    Some(id) if assigned.iter().filter(|other| **other == id).count() > 1 => {
                        return Err(format!("the number {id} of `{name}` is used twice"));
                    }
                    Some(id) => id,
                    // An unused buffer gets the UAV's number, which no used buffer has.
                    None if arg.is_buffer() && !arg.used => self.uav(),
                    None => free
                        .next()
                        .ok_or_else(|| format!("there is no number left for `{name}`"))?,
                };
            }
        }
        Ok(numbers)
    }
}
