//! Kernels by their signatures, for people: `square(global u32* out, u32 n) lds 256` says what `.amdhsa_kernel` and
//! `.amdgpu_metadata` say in fifty lines.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Kernel Argument Metadata", "Initial Kernel Execution State".

mod directives;
mod read;

use std::ops::Range;

pub(crate) use directives::{Needs, directives};

/// What a kernel is called, what it takes, and what it needs besides registers, which its code tells.
///
/// ```
/// use wavetank_asm::Signature;
///
/// let signature: Signature = "square(global u32* out, u32 n) dims 2 lds 256".parse()?;
/// assert_eq!(signature.name(), "square");
/// let wrong = "square(u33 n)".parse::<Signature>().unwrap_err();
/// assert_eq!((wrong.span, wrong.help.as_deref()), (7..10, Some("did you mean `u32`?")));
/// # Ok::<(), wavetank_asm::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// As it was written, for errors.
    pub(crate) text: String,
    pub(crate) name: String,
    /// Where the name stands in the text.
    pub(crate) named: Range<usize>,
    parameters: Vec<Parameter>,
    /// How many ids of work-groups and work-items it gets, 1 to 3.
    dimensions: u8,
    /// Bytes of LDS beside those of its parameters, and where that stands.
    pub(crate) lds: (u32, Range<usize>),
}

/// What a caller passes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Parameter {
    name: String,
    kind: Kind,
    /// Of the value, or of what the pointer leads to.
    scalar: &'static Scalar,
}

/// How it is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The value itself.
    Value,
    /// The address of global memory, and whether it is only read.
    Global { constant: bool },
    /// The place of as much LDS as the caller says.
    Local,
}

/// A type.
#[derive(PartialEq, Eq, Debug)]
struct Scalar {
    name: &'static str,
    size: u32,
    /// The name in OpenCL, by which runtimes know it.
    known: &'static str,
}

const fn scalar(name: &'static str, size: u32, known: &'static str) -> Scalar {
    Scalar { name, size, known }
}

const SCALARS: &[Scalar] = &[
    scalar("u8", 1, "uchar"),
    scalar("u16", 2, "ushort"),
    scalar("u32", 4, "uint"),
    scalar("u64", 8, "ulong"),
    scalar("i8", 1, "char"),
    scalar("i16", 2, "short"),
    scalar("i32", 4, "int"),
    scalar("i64", 8, "long"),
    scalar("f16", 2, "half"),
    scalar("f32", 4, "float"),
    scalar("f64", 8, "double"),
];

impl Signature {
    /// The label of the kernel's code.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Each parameter with its offset in the argument block: one after another, at multiples of their sizes.
    fn placed(&self) -> impl Iterator<Item = (&Parameter, u32)> {
        let mut end = 0u32;
        self.parameters.iter().map(move |parameter| {
            let at = end.next_multiple_of(parameter.size());
            end = at + parameter.size();
            (parameter, at)
        })
    }

    /// The bytes of the argument block: whole dwords.
    fn block_size(&self) -> u32 {
        let ends = self.placed().map(|(p, at)| at + p.size());
        ends.max().unwrap_or(0).next_multiple_of(4)
    }

    /// How the argument block is aligned: as its largest argument, and at dwords.
    fn block_align(&self) -> u32 {
        let sizes = self.parameters.iter().map(Parameter::size);
        sizes.max().unwrap_or(0).max(4)
    }
}

impl Parameter {
    /// Bytes in the argument block.
    fn size(&self) -> u32 {
        match self.kind {
            Kind::Value => self.scalar.size,
            Kind::Global { .. } => 8,
            Kind::Local => 4,
        }
    }
}
