//! A SUATOM as data: the parts of its text, without its encoding.

use std::fmt;

use crate::maxwell::generation::Generation;

/// An enum whose variants are field codes with names: `Variant = code "NAME"`.
macro_rules! codes {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All variants, in the order of their codes.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Returns the value of the field.
            pub fn code(self) -> u64 {
                match self { $($name::$variant => $code,)* }
            }

            /// Returns the variant for a value of the field.
            pub fn from_code(code: u64) -> Option<$name> {
                $name::ALL.iter().copied().find(|v| v.code() == code)
            }

            /// Returns the name in the text, without its dot.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

codes! {
    /// The dimension of the surface, which determines the number of coordinates.
    Dim {
        /// A row of elements.
        D1 = 0 "1D",
        /// A buffer: a row whose coordinate is unsigned, unless it is clamped to the nearest element.
        Buffer = 1 "1D_BUFFER",
        /// An array of rows.
        D1Array = 2 "1D_ARRAY",
        /// A plane.
        D2 = 3 "2D",
        /// An array of planes.
        D2Array = 4 "2D_ARRAY",
        /// A volume.
        D3 = 5 "3D",
    }
}

impl Dim {
    /// Returns the number of registers of the coordinates, from `Ra` on: 1 to 3.
    pub fn coordinates(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D1Array | Dim::D2 => 2,
            Dim::D2Array | Dim::D3 => 3,
        }
    }

    /// Returns whether the last coordinate is an array index, of which 16 bits are used.
    pub fn is_array(self) -> bool {
        matches!(self, Dim::D1Array | Dim::D2Array)
    }
}

codes! {
    /// The operation on memory. `CAS` has an opcode of its own; its code here is not a value of the field.
    Op {
        /// `M + Rb`.
        Add = 0 "ADD",
        /// `min(M, Rb)`.
        Min = 1 "MIN",
        /// `max(M, Rb)`.
        Max = 2 "MAX",
        /// `M >= Rb ? 0 : M + 1`.
        Inc = 3 "INC",
        /// `M == 0 || M > Rb ? Rb : M - 1`.
        Dec = 4 "DEC",
        /// `M & Rb`.
        And = 5 "AND",
        /// `M | Rb`.
        Or = 6 "OR",
        /// `M ^ Rb`.
        Xor = 7 "XOR",
        /// `Rb`.
        Exch = 8 "EXCH",
        /// `M == Rb ? the register after Rb : M`.
        Cas = 16 "CAS",
    }
}

codes! {
    /// The size and kind of the data.
    Size {
        /// 32 bits, unsigned; not printed.
        U32 = 0 "U32",
        /// 32 bits, signed.
        S32 = 1 "S32",
        /// 64 bits, unsigned.
        U64 = 2 "U64",
        /// Single precision: denormals are flushed, rounded to the nearest even.
        F32 = 3 "F32.FTZ.RN",
        /// Two halves. Printed as `F16x2.FTZ.RN` before SPA 6.0; absent from SPA 5.0.
        F16x2 = 4 "F16x2.RN",
        /// 64 bits, signed.
        S64 = 5 "S64",
        /// 32 bits, signed, sums saturate.
        Sd32 = 6 "SD32",
        /// 64 bits, signed, sums saturate.
        Sd64 = 7 "SD64",
    }
}

impl Size {
    /// Returns the size of an element in bytes: 4 or 8.
    pub fn bytes(self) -> u8 {
        match self {
            Size::U32 | Size::S32 | Size::F32 | Size::F16x2 | Size::Sd32 => 4,
            Size::U64 | Size::S64 | Size::Sd64 => 8,
        }
    }

    /// Returns the number of registers of an element: 1 or 2.
    pub fn registers(self) -> u8 {
        self.bytes() / 4
    }

    /// Returns whether a generation has the size.
    pub fn is_on(self, generation: Generation) -> bool {
        self != Size::F16x2 || generation >= Generation::Sm52
    }

    /// Returns the name that nvdisasm prints for a generation, also if the generation lacks the size.
    pub fn printed(self, generation: Generation) -> &'static str {
        match self {
            size if !size.is_on(generation) => "INVALIDATOMICSIZE4",
            Size::F16x2 if generation.prints_ftz_of_halves() => "F16x2.FTZ.RN",
            size => size.name(),
        }
    }
}

codes! {
    /// The treatment of coordinates outside of the surface.
    Clamp {
        /// The access is dropped.
        Ign = 0 "IGN",
        /// The nearest element inside is accessed; not printed.
        Near = 1 "NEAR",
        /// The program is stopped.
        Trap = 2 "TRAP",
    }
}

/// The interpretation of the data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// `.D`: raw data of the instruction's size.
    Raw {
        /// `.BA`: x counts bytes instead of elements.
        bytes: bool,
    },
    /// `.P`: data in the surface's format.
    Formatted,
}

/// A register R0 to R254, or RZ, which reads as 0 and drops writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg(pub u8);

impl Reg {
    /// The register of zeros.
    pub const RZ: Reg = Reg(255);
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reg::RZ => f.write_str("RZ"),
            Reg(n) => write!(f, "R{n}"),
        }
    }
}

/// A predicate register P0 to P6, or PT, which is always true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pred(u8);

impl Pred {
    /// The predicate that is always true.
    pub const PT: Pred = Pred(7);

    /// Returns the predicate of a number from 0 to 7; 7 is PT.
    pub fn new(number: u8) -> Option<Pred> {
        (number <= 7).then_some(Pred(number))
    }

    /// Returns the number: 0 to 7.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Pred::PT => f.write_str("PT"),
            Pred(n) => write!(f, "P{n}"),
        }
    }
}

/// The guard: the threads for which the predicate holds execute the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// The predicate.
    pub pred: Pred,
    /// Whether the predicate must be false.
    pub negated: bool,
}

impl Guard {
    /// The guard that holds for all threads.
    pub const ALL: Guard = Guard {
        pred: Pred::PT,
        negated: false,
    };
}

/// The location of the pointer to the surface's header: `samplerPtr[31:20] | headerPtr[19:0]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Handle {
    /// The register `Rc`.
    Register(Reg),
    /// A word of the constant bank, by its index: 13 bits.
    Immediate(u16),
}

impl Handle {
    /// The largest index of a word in the constant bank.
    pub const MAX: u16 = 0x1fff;
}

/// A SUATOM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// The version of the instruction set.
    pub generation: Generation,
    /// The threads that execute the instruction.
    pub guard: Guard,
    /// The interpretation of the data.
    pub mode: Mode,
    /// The dimension of the surface.
    pub dim: Dim,
    /// The operation.
    pub op: Op,
    /// The type of the data; `U32` in [`Mode::Formatted`], which has no size.
    pub size: Size,
    /// The treatment of coordinates outside of the surface.
    pub clamp: Clamp,
    /// `Ps`: the predicate that is set if the page is absent. `None` in the forms that have no such predicate, and for PT in
    /// those of CAS, whose text leaves it out.
    pub sparse: Option<Pred>,
    /// `Rd`: the register for the old value.
    pub rd: Reg,
    /// `Ra`: the first coordinate.
    pub ra: Reg,
    /// `Rb`: the data; the value to compare with, then the value to write, in CAS.
    pub rb: Reg,
    /// The handle of the surface.
    pub handle: Handle,
}

impl Inst {
    /// Returns the number of registers of the data, from `Rb` on: twice as many in CAS.
    pub fn data_registers(&self) -> u8 {
        match self.op {
            Op::Cas => 2 * self.size.registers(),
            _ => self.size.registers(),
        }
    }
}
