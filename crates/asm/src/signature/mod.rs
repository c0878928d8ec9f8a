//! Signatures of kernels in one line: `square(global u32* out, u32 n) lds 256` replaces fifty lines of `.amdhsa_kernel` and
//! `.amdgpu_metadata`.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Kernel Argument Metadata", "Initial Kernel Execution State".

mod directives;
mod read;

use std::ops::Range;

pub(crate) use directives::{Needs, directives};

/// The signature of a kernel: its name, its parameters, and its resources except for registers, which are counted in its code.
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
    /// The signature as written, for errors.
    pub(crate) text: String,
    pub(crate) name: String,
    /// The place of the name in the text.
    pub(crate) named: Range<usize>,
    parameters: Vec<Parameter>,
    /// The number of ids of work-groups and work-items that the kernel gets, 1 to 3.
    dimensions: u8,
    /// Bytes of LDS in addition to those of the parameters, and the place of the number in the text.
    pub(crate) lds: (u32, Range<usize>),
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Parameter {
    name: String,
    kind: Kind,
    /// The type of the value, or of the memory that the pointer refers to.
    scalar: &'static Scalar,
}

/// The way in which a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The value itself, in the argument block.
    Value,
    /// The address of global memory, and whether it is read-only.
    Global { constant: bool },
    /// The LDS offset of a block whose size the caller sets.
    Local,
}

/// A scalar type of parameters, with its names.
#[derive(PartialEq, Eq, Debug)]
struct Scalar {
    name: &'static str,
    size: u32,
    /// The name in OpenCL, which runtimes expect.
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
    /// Returns the name of the kernel, which is the label of its code.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns each parameter with its offset in the argument block, one after another at multiples of their sizes.
    fn placed(&self) -> impl Iterator<Item = (&Parameter, u32)> {
        let mut end = 0u32;
        self.parameters.iter().map(move |parameter| {
            let at = end.next_multiple_of(parameter.size());
            end = at + parameter.size();
            (parameter, at)
        })
    }

    /// Returns the size of the argument block in bytes, a multiple of a dword.
    fn block_size(&self) -> u32 {
        let ends = self.placed().map(|(p, at)| at + p.size());
        ends.max().unwrap_or(0).next_multiple_of(4)
    }

    /// Returns the alignment of the argument block: that of its largest argument, at least a dword.
    fn block_align(&self) -> u32 {
        let sizes = self.parameters.iter().map(Parameter::size);
        sizes.max().unwrap_or(0).max(4)
    }
}

impl Parameter {
    /// Returns the size of a parameter in the argument block, in bytes.
    fn size(&self) -> u32 {
        match self.kind {
            Kind::Value => self.scalar.size,
            Kind::Global { .. } => 8,
            Kind::Local => 4,
        }
    }
}
