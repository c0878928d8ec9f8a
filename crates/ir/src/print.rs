//! The text form: one operation a line, readable beside the manual.
//!
//! ```text
//! block 0x100
//!     inst 0x100 valu
//!     %1:v32 = read v1
//!     %2:v32 = read v2
//!     %3:v32 = fadd.f32 %1, %2 fp(zero, flush_in)
//!     %4:mask = read m[126:127]
//!     write v0, %3, %4
//!     end_program
//! ```
//!
//! Values are `%n`, since `v3` is a vector register. The float environment is
//! shown where it differs from the default, the bytes of a write where they
//! are not all four.

use std::fmt::{self, Display, Formatter};

use crate::export::Export;
use crate::form::Form;
use crate::image::Image;
use crate::mem::{Access, DataReg, Dialect, Elements, Half, MemKind, MemOp, Space};
use crate::op::{Block, Node, Value};
use crate::operations::Op;
use crate::types::{Fp, Round};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "block {:#x}", self.pc)?;
        for (i, node) in self.nodes.iter().enumerate() {
            f.write_str("    ")?;
            if let Some(ty) = node.ty {
                write!(f, "%{i}:{ty} = ")?;
            }
            writeln!(f, "{}", node.op)?;
        }
        Ok(())
    }
}

/// A node alone does not know its number: `_:v32 = …`.
impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(ty) = self.ty {
            write!(f, "_:{ty} = ")?;
        }
        self.op.fmt(f)
    }
}

/// ` fp(…)` with what differs from the default; nothing when nothing does.
impl Display for Fp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Fp::default() {
            return Ok(());
        }
        let round = (self.round != Round::Nearest).then(|| self.round.text());
        let flags = [
            (self.flush_in, "flush_in"),
            (self.flush_out, "flush_out"),
            (self.ieee, "ieee"),
        ];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name);
        f.write_str(" fp(")?;
        list(f, round.into_iter().chain(flags))?;
        f.write_str(")")
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        item.fmt(f)?;
    }
    Ok(())
}

/// The line of an operation as it is written: a name, and operands behind it.
pub(crate) struct Out<'a, 'f> {
    f: &'a mut Formatter<'f>,
    /// What stands before the next operand.
    separator: &'static str,
}

impl Out<'_, '_> {
    /// A piece of the name.
    pub(crate) fn name(&mut self, piece: &str) -> fmt::Result {
        self.f.write_str(piece)
    }

    /// `.piece`, which ends the name.
    pub(crate) fn suffix(&mut self, piece: &str) -> fmt::Result {
        write!(self.f, ".{piece}")
    }

    /// A word among the operands. It has no comma on either side.
    pub(crate) fn word(&mut self, word: &str) -> fmt::Result {
        self.separator = " ";
        write!(self.f, " {word}")
    }

    /// An operand.
    pub(crate) fn item(&mut self, item: impl Display) -> fmt::Result {
        let before = std::mem::replace(&mut self.separator, ", ");
        write!(self.f, "{before}{item}")
    }

    /// What stands directly behind the rest.
    pub(crate) fn attached(&mut self, rest: impl Display) -> fmt::Result {
        rest.fmt(self.f)
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Op::print(self, &mut Out { f, separator: " " })
    }
}

/// `(%1, %2)`.
pub(crate) struct InParentheses<'a>(pub(crate) &'a [Value]);

impl Display for InParentheses<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, self.0)?;
        f.write_str(")")
    }
}

/// The table of a shuffle, with ascending runs as `first-last`.
pub(crate) struct Runs<'a>(pub(crate) &'a [u8; 64]);

impl Display for Runs<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        let runs = self.0.chunk_by(|&x, &y| x.checked_add(1) == Some(y));
        for (i, run) in runs.enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match run {
                [one] => write!(f, "{one}")?,
                _ => write!(f, "{}-{}", run[0], run[run.len() - 1])?,
            }
        }
        f.write_str("]")
    }
}

impl Display for DataReg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DataReg::V(n) => write!(f, "v{n}"),
            DataReg::S(n) => write!(f, "s{n}"),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Access::U8 => f.write_str("u8"),
            Access::I8 => f.write_str("i8"),
            Access::U16 => f.write_str("u16"),
            Access::I16 => f.write_str("i16"),
            Access::Dwords(n) => write!(f, "dwords {n}"),
        }
    }
}

/// `atomic.add global, dwords 2, vm, address %3, offset 16, data [%4, %5], ret v4,
/// mask %6, glc`.
impl Display for MemOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            MemKind::Load => f.write_str("load")?,
            MemKind::Store => f.write_str("store")?,
            MemKind::Atomic(rmw) => write!(f, "atomic.{}", rmw.text())?,
        }
        write!(
            f,
            " {}, {}, {}",
            self.space.text(),
            self.access,
            self.counter.text()
        )?;
        self.space.fmt(f)?;
        if self.offset != 0 {
            write!(f, ", offset {}", self.offset)?;
        }
        if self.half != Half::Whole {
            write!(f, ", half {}", self.half.text())?;
        }
        if !self.data.is_empty() {
            values(f, "data", &self.data)?;
        }
        self.ret.map_or(Ok(()), |r| write!(f, ", ret {r}"))?;
        optional(f, "mask", self.mask)?;
        f.write_str(if self.glc { ", glc" } else { "" })?;
        f.write_str(if self.slc { ", slc" } else { "" })
    }
}

impl Space {
    /// The name in the text form.
    fn text(&self) -> &'static str {
        match self {
            Space::Global { .. } => "global",
            Space::Flat { .. } => "flat",
            Space::Scratch { .. } => "scratch",
            Space::Lds { .. } => "lds",
            Space::Buffer { .. } => "buffer",
            Space::Scalar { .. } => "scalar",
            Space::ScalarBuffer { .. } => "scalar_buffer",
            Space::Gds { .. } => "gds",
            Space::LdsPair { .. } => "lds_pair",
            Space::Image(_) => "image",
        }
    }
}

/// The parts of the address, each with a comma before it.
impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Space::Global { address, index } | Space::Scalar { address, index } => {
                write!(f, ", address {address}")?;
                optional(f, "index", *index)
            }
            Space::Flat { address } | Space::Scratch { address } | Space::Lds { address } => {
                write!(f, ", address {address}")
            }
            Space::Buffer {
                resource,
                dialect,
                index,
                offset,
                soffset,
                format,
            } => {
                values(f, "resource", resource)?;
                if *dialect != Dialect::default() {
                    write!(f, ", dialect {}", dialect.text())?;
                }
                optional(f, "index", *index)?;
                optional(f, "voffset", *offset)?;
                write!(f, ", soffset {soffset}")?;
                match format {
                    Elements::Plain => Ok(()),
                    Elements::Resource => f.write_str(", format"),
                    Elements::Typed(data, number) => write!(f, ", format {data}:{number}"),
                }
            }
            Space::Image(image) => image.fmt(f),
            Space::Gds { address, window } => {
                write!(f, ", address {address}, window {window}")
            }
            Space::LdsPair { address, other } => {
                write!(f, ", address {address}, other {other}")
            }
            Space::ScalarBuffer { resource, index } => {
                values(f, "resource", resource)?;
                optional(f, "index", *index)
            }
        }
    }
}

impl Display for Image {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Image {
            kind,
            resource,
            sampler,
            address,
            lod,
            components,
            clamp,
            compare,
            offsets,
            unnormalized,
            array,
            short,
        } = self;
        write!(f, ", kind {}", kind.text())?;
        values(f, "resource", resource)?;
        if let Some(sampler) = sampler {
            values(f, "sampler", sampler)?;
        }
        values(f, "vaddress", address)?;
        write!(f, ", lod {}, components {components}", lod.text())?;
        for (set, name) in [
            (clamp, "clamp"),
            (compare, "compare"),
            (offsets, "offsets"),
            (unnormalized, "unnormalized"),
            (array, "array"),
            (short, "short"),
        ] {
            if *set {
                write!(f, ", {name}")?;
            }
        }
        Ok(())
    }
}

/// `, name [%1, %2]`.
fn values(f: &mut Formatter<'_>, name: &str, values: &[Value]) -> fmt::Result {
    write!(f, ", {name} [")?;
    list(f, values)?;
    f.write_str("]")
}

fn optional(f: &mut Formatter<'_>, name: &str, v: Option<Value>) -> fmt::Result {
    v.map_or(Ok(()), |v| write!(f, ", {name} {v}"))
}

/// `12, %1, off, off, %2, mask %3, done`.
impl Display for Export {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.target)?;
        for source in self.sources {
            match source {
                Some(v) => write!(f, ", {v}")?,
                None => f.write_str(", off")?,
            }
        }
        write!(f, ", mask {}", self.mask)?;
        for (set, name) in [
            (self.compressed, "compressed"),
            (self.done, "done"),
            (self.valid_mask, "valid_mask"),
        ] {
            if set {
                write!(f, ", {name}")?;
            }
        }
        Ok(())
    }
}
