//! A TYPED_ATOMIC and its parts.

use crate::visa::operation::Operation;

/// The opcode.
pub const TYPED_ATOMIC: u8 = 0x73;

/// A version of vISA.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The number before the point.
    pub major: u8,
    /// The number after the point.
    pub minor: u8,
}

impl Version {
    /// The default version: 4.1.
    pub const DEFAULT: Version = Version::new(4, 1);
    /// The first supported version. Containers of earlier ones have another form.
    pub const FIRST: Version = Version::new(3, 0);

    /// Returns a version by its numbers.
    pub const fn new(major: u8, minor: u8) -> Version {
        Version { major, minor }
    }

    /// Returns the version of an instruction set's name: `visa`, or one such as `visa:3.3`.
    ///
    /// ```
    /// use wavetank_surface_isa::visa::Version;
    /// assert_eq!(Version::from_name("visa"), Some(Version::DEFAULT));
    /// assert_eq!(Version::from_name("visa:3.3"), Some(Version::new(3, 3)));
    /// assert_eq!(Version::from_name("visa:2.0"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Version> {
        let version = match name.split_once(':') {
            None => return (name == "visa").then_some(Version::DEFAULT),
            Some(("visa", version)) => version,
            Some(_) => return None,
        };
        let (major, minor) = version.split_once('.')?;
        let version = Version::new(major.parse().ok()?, minor.parse().ok()?);
        (version >= Version::FIRST).then_some(version)
    }

    /// Returns the width of variable numbers: 32 bits from 3.4 on, 16 before.
    pub fn ids(self) -> Ids {
        if self >= Version::new(3, 4) {
            Ids::Wide
        } else {
            Ids::Narrow
        }
    }
}

impl Default for Version {
    fn default() -> Version {
        Version::DEFAULT
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The width of variable numbers in the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ids {
    /// Variable numbers have 32 bits, since vISA 3.4.
    Wide,
    /// Variable numbers have 16 bits, before vISA 3.4.
    Narrow,
}

impl Ids {
    /// Returns the bytes of a variable number.
    pub const fn bytes(self) -> usize {
        match self {
            Ids::Wide => 4,
            Ids::Narrow => 2,
        }
    }

    /// Returns the bytes of a TYPED_ATOMIC: 48, or 34 with narrow numbers.
    pub const fn instruction(self) -> usize {
        FIXED + OPERANDS * (self.bytes() + 2)
    }
}

/// The number of bytes before the raw operands.
pub(crate) const FIXED: usize = 6;
/// The number of raw operands.
pub(crate) const OPERANDS: usize = 7;

/// The execution size, the number of channels of an instruction: 1, 2, 4, 8 or 16.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channels(u8);

impl Channels {
    /// Returns an execution size, if an instruction can have it.
    pub fn new(count: u32) -> Option<Channels> {
        let possible = count.is_power_of_two() && count <= 16;
        possible.then(|| Channels(count.trailing_zeros() as u8))
    }

    /// Decodes bits 2–0, the base-2 logarithm.
    pub fn from_code(code: u8) -> Option<Channels> {
        (code <= 4).then_some(Channels(code))
    }

    /// Returns the code in bits 2–0.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Returns the number of channels.
    pub fn count(self) -> u32 {
        1 << self.0
    }
}

/// The execution mask: the channels of the thread that the instruction uses, and whether control flow can disable them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mask(u8);

impl Mask {
    /// Returns M1 to M8 (`place` 1 to 8), or with `no_mask` M1_NM to M8_NM.
    pub fn new(place: u8, no_mask: bool) -> Option<Mask> {
        let valid = (1..=8).contains(&place);
        valid.then(|| Mask(place - 1 + 8 * u8::from(no_mask)))
    }

    /// Decodes a code from bits 7–4; higher bits are ignored.
    pub fn from_code(code: u8) -> Mask {
        Mask(code & 15)
    }

    /// Returns the code in bits 7–4.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Returns the first channel: 0 for M1, 4 for M2, to 28 for M8.
    pub fn first(self) -> u32 {
        u32::from(self.0 & 7) * 4
    }

    /// Returns whether all channels are enabled, whatever control flow has disabled.
    pub fn no_mask(self) -> bool {
        self.0 & 8 != 0
    }
}

impl std::fmt::Display for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = if self.no_mask() { "_NM" } else { "" };
        write!(f, "M{}{suffix}", 1 + (self.0 & 7))
    }
}

/// The way in which the bits of a predicate are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// Each channel is enabled by its own bit.
    Each,
    /// All channels are enabled if any bit is set.
    Any,
    /// All channels are enabled if all bits are set.
    All,
}

/// A predicate: channels whose bit is not set are disabled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate {
    /// The predicate variable, 1 to 4095.
    pub variable: u16,
    /// The way in which its bits are combined.
    pub combine: Combine,
    /// Whether the combined result is inverted.
    pub inverse: bool,
}

/// A raw operand: adjacent elements of a general variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Raw {
    /// The variable: 0 is the null variable, 1 to 31 are defined by vISA, a kernel's own begin at 32.
    pub variable: u32,
    /// The offset of the first element in bytes.
    pub offset: u16,
}

impl Raw {
    /// The null variable.
    pub const NULL: Raw = Raw::new(0, 0);

    /// Returns the elements of a variable from an offset on.
    pub const fn new(variable: u32, offset: u16) -> Raw {
        Raw { variable, offset }
    }

    /// Returns whether the operand is the null variable.
    pub fn is_null(self) -> bool {
        self.variable == 0
    }
}

/// A place in the instruction, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The operation, with `.16`.
    Operation,
    /// Mask and number of channels.
    Channels,
    /// The predicate.
    Predicate,
    /// The surface.
    Surface,
    /// The first coordinate.
    U,
    /// The second coordinate.
    V,
    /// The third coordinate.
    R,
    /// The mip level.
    Lod,
    /// The first source.
    Src0,
    /// The second source.
    Src1,
    /// The destination.
    Dst,
}

impl Part {
    /// The raw operands, in the order of bytes and text.
    pub const OPERANDS: [Part; OPERANDS] = [
        Part::U,
        Part::V,
        Part::R,
        Part::Lod,
        Part::Src0,
        Part::Src1,
        Part::Dst,
    ];

    /// Returns the name that the description uses.
    pub fn name(self) -> &'static str {
        match self {
            Part::Operation => "Op",
            Part::Channels => "Exec_size",
            Part::Predicate => "Pred",
            Part::Surface => "Surface",
            Part::U => "U",
            Part::V => "V",
            Part::R => "R",
            Part::Lod => "LOD",
            Part::Src0 => "Src0",
            Part::Src1 => "Src1",
            Part::Dst => "Dst",
        }
    }
}

/// An atomic on elements of a typed surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypedAtomic {
    /// The operation.
    pub operation: Operation,
    /// Whether elements have 16 bits: the lower half of each dword of an operand is used.
    pub word: bool,
    /// The number of channels.
    pub channels: Channels,
    /// The channels of the thread.
    pub mask: Mask,
    /// The predicate, if it has one.
    pub predicate: Option<Predicate>,
    /// The surface variable; those that a kernel declares begin at 6.
    pub surface: u8,
    /// The first coordinate: x.
    pub u: Raw,
    /// The second coordinate: y, or the layer of an array of lines.
    pub v: Raw,
    /// The third coordinate: z, or the layer.
    pub r: Raw,
    /// The mip level; null is level 0.
    pub lod: Raw,
    /// The first source.
    pub src0: Raw,
    /// The second source.
    pub src1: Raw,
    /// The destination; null if the result is not stored.
    pub dst: Raw,
}

impl TypedAtomic {
    /// Returns the raw operands, in the order of [`Part::OPERANDS`].
    pub fn operands(&self) -> [Raw; OPERANDS] {
        [
            self.u, self.v, self.r, self.lod, self.src0, self.src1, self.dst,
        ]
    }
}
