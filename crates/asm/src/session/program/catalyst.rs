//! Settings and arguments of kernels in programs for AMD's Catalyst (OpenCL 1.2).

use wavetank_object::catalyst::Program;

use crate::state::SectionId;

/// Numbers of buffers end here.
pub(crate) const MOST_BUFFERS: u32 = 1023;

/// What a kernel's `.config` says that other formats do not have.
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
    /// Class, slot, first register, number of registers.
    pub user: Vec<[u32; 4]>,
}

impl Settings {
    pub fn uav(&self) -> u32 {
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
    /// The name of its type in the source.
    pub type_name: String,
    pub kind: Kind,
    /// The number of its buffer, image or counter, where one is said.
    pub resource: Option<u32>,
    pub used: bool,
}

/// What an argument is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The name of a type, with its bytes, and how many there are.
    Value(&'static str, u32, u32),
    /// A structure of so many bytes.
    Structure(u32),
    Pointer(Pointer),
    /// The name of an image type, and whether the image is read.
    Image(&'static str, bool),
    Sampler,
    Counter,
}

/// A pointer among the arguments.
#[derive(Debug)]
pub(crate) struct Pointer {
    /// The name of what it points to, and its bytes; those of a structure may be 0.
    pub to: &'static str,
    pub size: u32,
    pub space: Space,
    pub constant: bool,
    pub restricted: bool,
    pub volatile: bool,
}

/// Where a pointer leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    Local,
    Constant,
    Global,
}

impl Argument {
    /// Whether it points to LDS.
    pub fn is_local(&self) -> bool {
        self.space() == Some(Space::Local)
    }

    /// Where it points to.
    pub fn space(&self) -> Option<Space> {
        match &self.kind {
            Kind::Pointer(pointer) => Some(pointer.space),
            _ => None,
        }
    }

    /// Whether it is a buffer in memory.
    pub fn is_buffer(&self) -> bool {
        self.space().is_some_and(|space| space != Space::Local)
    }
}

/// Arguments that are numbered together: which, and the first and the last number.
type Group = (fn(&Argument) -> bool, u32, u32);

impl Settings {
    /// The numbers of buffers, images and counters, by argument: those that are said, and the next ones that are free.
    ///
    /// # Errors
    /// A sentence where a number is used twice, or there is none left.
    pub fn numbers(&self) -> Result<Vec<u32>, String> {
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
                    // What is not used has the number that no buffer has.
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
